(** * From claims about real-valued sequences to the definitions of this folder

    The claims that the Python derivations prove speak about the positions 1, ..., n, about weights [p] and [h] and an
    indicator [mu] with hypotheses that say what they are. The lemmas here turn these hypotheses into the definitions:
    [mu] into [is_maximal], [p] into [softmax], [h] into [average_hard]. The tactics apply them; the proofs in claims/
    consist of little else.

    Notation: Definitions.v. In every lemma V is [positions n]. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz.
From HardSoft Require Import Definitions Sums.
Import ListNotations.
Open Scope R_scope.

(** ** Indicators *)

Lemma boolean : forall x, x * (1 - x) = 0 -> x = 0 \/ x = 1.
Proof. intros x H. apply Rmult_integral in H. lra. Qed.

(** An indicator with exactly one true position. *)
Lemma one_position : forall n lam, (forall i, (1 <= i <= n)%Z -> lam i * (1 - lam i) = 0) ->
  sum (positions n) lam = 1 ->
  exists m, In m (positions n) /\ forall i, In i (positions n) -> lam i = one_hot m i.
Proof.
  intros n lam B S.
  assert (C : forall i, In i (positions n) -> lam i = 0 \/ lam i = 1) by (intros; now apply boolean, B, in_positions).
  assert (E : exists m, In m (positions n) /\ lam m = 1).
  { destruct (existsb (fun i => if Req_EM_T (lam i) 1 then true else false) (positions n)) eqn:E.
    - apply existsb_exists in E. destruct E as [m [Hm E]]. exists m. split; [exact Hm|].
      destruct (Req_EM_T (lam m) 1); [assumption|discriminate].
    - exfalso. rewrite (sum_ext _ _ (fun _ => 0)) in S; [rewrite sum_const in S; lra|].
      intros i Hi. destruct (C i Hi) as [|Y]; [assumption|exfalso].
      assert (X : existsb (fun i => if Req_EM_T (lam i) 1 then true else false) (positions n) = true).
      { apply existsb_exists. exists i. split; [assumption|]. now destruct (Req_EM_T (lam i) 1). }
      congruence. }
  destruct E as [m [Hm Lm]]. exists m. split; [exact Hm|]. intros i Hi. unfold one_hot.
  destruct (Z.eqb_spec i m) as [->|D]; [exact Lm|].
  destruct (C i Hi) as [|Li]; [assumption|exfalso].
  assert (X : 0 <= sum (positions n) (fun j => lam j - (one_hot m j * 1 + one_hot i j * 1))).
  { apply sum_nonneg. intros j Hj. unfold one_hot. destruct (Z.eqb_spec j m), (Z.eqb_spec j i); subst; try lra; try lia.
    destruct (C j Hj); lra. }
  rewrite sum_minus, sum_plus, !(sum_one_hot _ _ (fun _ => 1)) in X by (try assumption; apply nodup_positions).
  change (sum (positions n) (fun j => lam j)) with (sum (positions n) lam) in X. lra.
Qed.

(** ** The row *)

Lemma row_scores : forall n k top (s mu : Z -> R),
  (forall i, (1 <= i <= n)%Z -> 0 < top - s i + mu i) ->
  sum (positions n) mu = IZR k ->
  (forall i, (1 <= i <= n)%Z -> mu i * (top - s i) = 0) ->
  (forall i, (1 <= i <= n)%Z -> mu i * (1 - mu i) = 0) ->
  1 <= IZR k -> IZR k <= IZR n ->
  maximum (positions n) s = top /\
  (forall i, In i (positions n) -> mu i = if is_maximal (positions n) s i then 1 else 0) /\
  ties (positions n) s = IZR k /\ size (positions n) = IZR n /\ positions n <> [].
Proof.
  intros n k top s mu S C O B K N. assert (N1 : (1 <= n)%Z) by (apply le_IZR; lra).
  assert (E : exists m, In m (positions n) /\ mu m = 1).
  { destruct (existsb (fun i => if Req_EM_T (mu i) 1 then true else false) (positions n)) eqn:E.
    - apply existsb_exists in E. destruct E as [m [Hm E]]. exists m. split; [exact Hm|].
      destruct (Req_EM_T (mu m) 1); [assumption|discriminate].
    - exfalso. rewrite (sum_ext _ _ (fun _ => 0)) in C; [rewrite sum_const in C; lra|].
      intros i Hi. destruct (boolean _ (B i (proj1 (in_positions _ _) Hi))) as [|Y]; [assumption|exfalso].
      assert (X : existsb (fun i => if Req_EM_T (mu i) 1 then true else false) (positions n) = true).
      { apply existsb_exists. exists i. split; [assumption|]. now destruct (Req_EM_T (mu i) 1). }
      congruence. }
  destruct E as [m [Hm Em]].
  assert (T : maximum (positions n) s = top).
  { apply (maximum_unique _ _ _ m Hm).
    - apply in_positions in Hm. generalize (O m Hm). rewrite Em. lra.
    - intros j Hj. apply in_positions in Hj. generalize (S j Hj) (O j Hj). destruct (boolean _ (B j Hj)) as [->| ->]; lra. }
  assert (M : forall i, In i (positions n) -> mu i = if is_maximal (positions n) s i then 1 else 0).
  { intros i Hi. apply in_positions in Hi. destruct (is_maximal (positions n) s i) eqn:E.
    - apply maximal_true in E. generalize (S i Hi). destruct (boolean _ (B i Hi)); lra.
    - apply maximal_false in E. generalize (O i Hi). destruct (boolean _ (B i Hi)) as [|X]; [tauto|].
      rewrite X. intros. exfalso. apply E. lra. }
  repeat split; try assumption.
  - rewrite ties_sum, <- C. apply sum_ext. intros i Hi. now rewrite M.
  - apply size_positions. lia.
  - apply positions_nonempty, N1.
Qed.

(** Weights [h] that are equal on the maximisers are the average-hard attention. *)
Lemma hard_weights : forall n k (s h mu : Z -> R),
  (forall i, (1 <= i <= n)%Z -> h i = mu i / IZR k) ->
  (forall i, In i (positions n) -> mu i = if is_maximal (positions n) s i then 1 else 0) ->
  ties (positions n) s = IZR k ->
  forall i, In i (positions n) -> h i = average_hard (positions n) s i.
Proof.
  intros n k s h mu H M K i Hi. rewrite H by now apply in_positions. unfold average_hard. rewrite K, M by assumption.
  destruct (is_maximal (positions n) s i); unfold Rdiv; ring.
Qed.

Lemma soft_weights : forall n tau (s p : Z -> R),
  (forall i, (1 <= i <= n)%Z -> p i = exp (s i / tau) / sum (positions n) (fun j => exp (s j / tau))) ->
  forall i, In i (positions n) -> p i = softmax tau (positions n) s i.
Proof. intros n tau s p H i Hi. now apply H, in_positions. Qed.

Lemma distance : forall V (p p' h h' : Z -> R), (forall i, In i V -> p i = p' i) -> (forall i, In i V -> h i = h' i) ->
  sum V (fun j => Rabs (p j - h j)) = L1 V p' h'.
Proof. intros V p p' h h' P H. apply sum_ext. intros j Hj. now rewrite P, H. Qed.

Lemma excess : forall n tau (s mu : Z -> R) top, maximum (positions n) s = top ->
  (forall i, In i (positions n) -> mu i = if is_maximal (positions n) s i then 1 else 0) ->
  sum (positions n) (fun j => (1 - mu j) * exp (- (top - s j) / tau)) = others tau (positions n) s.
Proof.
  intros n tau s mu top T M. apply sum_ext. intros j Hj. rewrite T, M by assumption.
  destruct (is_maximal (positions n) s j); ring.
Qed.

Lemma gap_row : forall n (s mu : Z -> R) top gamma, maximum (positions n) s = top ->
  (forall i, In i (positions n) -> mu i = if is_maximal (positions n) s i then 1 else 0) ->
  (forall i, (1 <= i <= n)%Z -> 0 <= (1 - mu i) * (top - s i - gamma)) -> gap_at_least (positions n) s gamma.
Proof.
  intros n s mu top gamma T M H j Hj E. rewrite T. apply in_positions in Hj as I. generalize (H j I).
  rewrite M, E by assumption. lra.
Qed.

Lemma at_gap_row : forall n (s mu : Z -> R) top gamma, maximum (positions n) s = top ->
  (forall i, In i (positions n) -> mu i = if is_maximal (positions n) s i then 1 else 0) ->
  (forall i, (1 <= i <= n)%Z -> (1 - mu i) * (top - s i - gamma) = 0) -> all_at_gap (positions n) s gamma.
Proof.
  intros n s mu top gamma T M H j Hj E. rewrite T. apply in_positions in Hj as I. generalize (H j I).
  rewrite M, E by assumption. lra.
Qed.

Lemma spread_row : forall n (s : Z -> R) top delta, positions n <> [] -> maximum (positions n) s = top ->
  (forall i, (1 <= i <= n)%Z -> top - s i <= delta) -> spread (positions n) s <= delta.
Proof.
  intros n s top delta V T H. unfold spread. rewrite T. destruct (minimum_reached (positions n) s V) as [m [Hm <-]].
  now apply H, in_positions.
Qed.

Lemma indices : forall n, 1 <= IZR n -> positions n <> [] /\ size (positions n) = IZR n.
Proof.
  intros n H. assert (1 <= n)%Z by now apply le_IZR. split; [now apply positions_nonempty|apply size_positions; lia].
Qed.

(** ** Rows whose marked positions have equal scores, not necessarily the largest ones *)

Lemma marked_others : forall n tau (s mu : Z -> R) top, (forall i, (1 <= i <= n)%Z -> mu i * (1 - mu i) = 0) ->
  0 <= sum (positions n) (fun j => (1 - mu j) * exp (- (top - s j) / tau)).
Proof.
  intros n tau s mu top B. apply sum_nonneg. intros j Hj. apply in_positions in Hj.
  generalize (exp_pos (- (top - s j) / tau)). destruct (boolean _ (B j Hj)) as [->| ->]; lra.
Qed.

Lemma marked_weights : forall n k tau (s mu : Z -> R) top i, 1 <= IZR k ->
  (forall i, (1 <= i <= n)%Z -> mu i * (1 - mu i) = 0) -> sum (positions n) mu = IZR k ->
  (forall i, (1 <= i <= n)%Z -> mu i * (top - s i) = 0) ->
  softmax tau (positions n) s i = exp (- (top - s i) / tau) /
    (IZR k + sum (positions n) (fun j => (1 - mu j) * exp (- (top - s j) / tau))).
Proof.
  intros n k tau s mu top i K B C O. unfold softmax.
  assert (P := marked_others n tau s mu top B). assert (Q := exp_pos (top / tau)).
  assert (W : forall j, exp (s j / tau) = exp (top / tau) * exp (- (top - s j) / tau)).
  { intros j. rewrite <- exp_plus. f_equal. unfold Rdiv. ring. }
  rewrite (sum_ext _ (fun j => exp (s j / tau)) (fun j => exp (top / tau) *
    (mu j + (1 - mu j) * exp (- (top - s j) / tau)))).
  - rewrite sum_scal, sum_plus. change (sum (positions n) (fun j => mu j)) with (sum (positions n) mu).
    rewrite C, W. field. lra.
  - intros j Hj. rewrite W. f_equal. apply in_positions in Hj. generalize (O j Hj).
    destruct (boolean _ (B j Hj)) as [->| ->]; [intros; ring|]. intros E.
    replace (- (top - s j) / tau) with 0; [rewrite exp_0; ring|]. replace (top - s j) with 0 by lra. unfold Rdiv. ring.
Qed.

Lemma unmarked_sum : forall n k (mu : Z -> R) c, (0 <= n)%Z -> sum (positions n) mu = IZR k ->
  sum (positions n) (fun j => (1 - mu j) * c) = (IZR n - IZR k) * c.
Proof.
  intros n k mu c N C. rewrite (sum_ext _ _ (fun j => c - c * mu j)) by (intros; ring).
  rewrite sum_minus, sum_const, sum_scal, size_positions by assumption.
  change (sum (positions n) (fun j => mu j)) with (sum (positions n) mu). rewrite C. ring.
Qed.

(** ** Tactics *)

(** The hypotheses of a row become [Max], [Mu], [Ties], [Size] and [Row]: V is not empty. *)
Ltac row :=
  intros;
  edestruct row_scores as [Max [Mu [Ties [Size Row]]]]; [eassumption|eassumption|eassumption|eassumption|eassumption
  |eassumption|].

(** The distance between soft and average-hard weights in the goal, and in the hypotheses, in terms of the definitions;
    n and k become [size V] and [ties V s]. *)
Ltac soft := eapply soft_weights; eassumption.
Ltac hard := eapply hard_weights; eassumption.

Ltac distances :=
  repeat match goal with
  | |- context [sum ?V (fun j => Rabs (?p j - ?h j))] => erewrite (distance V p _ h _) by (soft || hard || reflexivity)
  | H : context [sum ?V (fun j => Rabs (?p j - ?h j))] |- _ =>
      erewrite (distance V p _ h _) in H by (soft || hard || reflexivity)
  end.

Ltac counts :=
  repeat match goal with
  | S : size ?V = IZR ?n |- context [IZR ?n] => rewrite <- S
  | T : ties ?V ?s = IZR ?k |- context [IZR ?k] => rewrite <- T
  end.

Ltac row_distance := row; distances; counts.

(** Hypotheses on gap and spread. *)
Ltac gap := eapply gap_row; eassumption.
Ltac at_gap := eapply at_gap_row; eassumption.
Ltac spread := eapply spread_row; eassumption.
