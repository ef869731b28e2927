(** * B6. The rightmost or leftmost position satisfying a predicate

    Summary: with a predicate [chi] on positions, the scores c (A [chi j] + j) make hard attention choose the rightmost
    visible position where [chi] is true, and the last visible position if there is none; softmax is within
    q = exp(- c / tau) of that choice, for every number of positions. Here [A] is at least the length of the
    stretch of visible positions. The scores c (A [chi j] - j) choose the leftmost one.

    ** Main statements

    - [B6_rightmost], [B6_leftmost]: the choice, and TV <= [line_bound n q], for any visible positions.
    - [B6_below]: that bound is below q.
    - [B6_future], [B6_strict_future], [B6_past], [B6_strict_past]: the four masks, with A = 2 i or 2 (n - i + 1).
    - [rightmost_true_some], [rightmost_true_none] (and [leftmost_...]) say what the choice is.

    Notation: Definitions.v, Line.v; [line_bound n q] = q (1 - q^(n-1)) / (1 - q^n).
    References: notes/b-positional.md, B6. *)

From Coq Require Import Reals ZArith List Bool Lia Lra Psatz.
From HardSoft Require Import Definitions Sums A1 A6 Line B5.
Import ListNotations.
Open Scope R_scope.

(** The rightmost visible position where [chi] holds, else the last visible one; likewise on the left. *)
Definition rightmost_true (V : list Z) (chi : Z -> bool) : Z :=
  match filter chi V with [] => greatest V | W => greatest W end.

Definition leftmost_true (V : list Z) (chi : Z -> bool) : Z :=
  match filter chi V with [] => least V | W => least W end.

(** 1 for true and 0 for false. *)
Definition bit (b : bool) : R := if b then 1 else 0.

Definition rightmost_scores (c A : R) (chi : Z -> bool) (j : Z) : R := c * (A * bit (chi j) + IZR j).
Definition leftmost_scores (c A : R) (chi : Z -> bool) (j : Z) : R := c * (A * bit (chi j) - IZR j).

Lemma rightmost_true_some : forall V chi m, In m V -> chi m = true -> (forall j, In j V -> chi j = true -> (j <= m)%Z) ->
  rightmost_true V chi = m.
Proof.
  intros V chi m Hm C G. unfold rightmost_true. assert (F : In m (filter chi V)) by now apply filter_In.
  assert (L := greatest_ge _ _ F). assert (I := greatest_in _ (in_nonempty _ _ F)). apply filter_In in I.
  destruct (filter chi V); [destruct F|]. generalize (G _ (proj1 I) (proj2 I)). lia.
Qed.

Lemma rightmost_true_none : forall V chi, (forall j, In j V -> chi j = false) -> rightmost_true V chi = greatest V.
Proof.
  intros V chi N. unfold rightmost_true. destruct (filter chi V) as [|j W] eqn:E; [reflexivity|].
  assert (I : In j (filter chi V)) by (rewrite E; now left). apply filter_In in I. rewrite N in I by tauto.
  destruct I. discriminate.
Qed.

Lemma leftmost_true_some : forall V chi m, In m V -> chi m = true -> (forall j, In j V -> chi j = true -> (m <= j)%Z) ->
  leftmost_true V chi = m.
Proof.
  intros V chi m Hm C G. unfold leftmost_true. assert (F : In m (filter chi V)) by now apply filter_In.
  assert (L := least_le _ _ F). assert (I := least_in _ (in_nonempty _ _ F)). apply filter_In in I.
  destruct (filter chi V); [destruct F|]. generalize (G _ (proj1 I) (proj2 I)). lia.
Qed.

Lemma leftmost_true_none : forall V chi, (forall j, In j V -> chi j = false) -> leftmost_true V chi = least V.
Proof.
  intros V chi N. unfold leftmost_true. destruct (filter chi V) as [|j W] eqn:E; [reflexivity|].
  assert (I : In j (filter chi V)) by (rewrite E; now left). apply filter_In in I. rewrite N in I by tauto.
  destruct I. discriminate.
Qed.

(** What is chosen: a true position with no true one beyond it, or there is no true position and it is the last. *)
Lemma rightmost_true_spec : forall V chi, V <> [] -> let m := rightmost_true V chi in
  In m V /\ ((chi m = true /\ forall j, In j V -> chi j = true -> (j <= m)%Z) \/
             ((forall j, In j V -> chi j = false) /\ forall j, In j V -> (j <= m)%Z)).
Proof.
  intros V chi H. unfold rightmost_true. destruct (filter chi V) as [|a W] eqn:E; cbv zeta.
  - split; [now apply greatest_in|]. right. split; [|apply greatest_ge]. intros j Hj.
    destruct (chi j) eqn:C; [|reflexivity]. exfalso.
    assert (F : In j (filter chi V)) by now apply filter_In. rewrite E in F. destruct F.
  - rewrite <- E. assert (I : In (greatest (filter chi V)) (filter chi V)) by (apply greatest_in; now rewrite E).
    apply filter_In in I. split; [tauto|]. left. split; [tauto|]. intros j Hj C. apply greatest_ge, filter_In. tauto.
Qed.

Lemma leftmost_true_spec : forall V chi, V <> [] -> let m := leftmost_true V chi in
  In m V /\ ((chi m = true /\ forall j, In j V -> chi j = true -> (m <= j)%Z) \/
             ((forall j, In j V -> chi j = false) /\ forall j, In j V -> (m <= j)%Z)).
Proof.
  intros V chi H. unfold leftmost_true. destruct (filter chi V) as [|a W] eqn:E; cbv zeta.
  - split; [now apply least_in|]. right. split; [|apply least_le]. intros j Hj.
    destruct (chi j) eqn:C; [|reflexivity]. exfalso.
    assert (F : In j (filter chi V)) by now apply filter_In. rewrite E in F. destruct F.
  - rewrite <- E. assert (I : In (least (filter chi V)) (filter chi V)) by (apply least_in; now rewrite E).
    apply filter_In in I. split; [tauto|]. left. split; [tauto|]. intros j Hj C. apply least_le, filter_In. tauto.
Qed.

(** The visible positions lie within a stretch of [N] positions. *)
Definition stretch (V : list Z) (N : Z) : Prop := forall i j, In i V -> In j V -> (i - j < N)%Z.

(** Distances: m - j for true positions, N + m - j for false ones; these are distinct and positive. *)
Lemma rightmost_distances : forall V N c A chi s, V <> [] -> stretch V N -> IZR N <= A -> 0 < c ->
  (forall j, In j V -> s j = rightmost_scores c A chi j) ->
  distinct_distances V s c (rightmost_true V chi)
    (fun j => if eqb (chi j) (chi (rightmost_true V chi)) then rightmost_true V chi - j
              else N + rightmost_true V chi - j)%Z.
Proof.
  intros V N c A chi s H S L C E. destruct (rightmost_true_spec V chi H) as [Hm Sp].
  set (m := rightmost_true V chi) in *. split; [exact Hm|]. split.
  - intros i j Hi Hj _ _. generalize (S i j Hi Hj) (S j i Hj Hi).
    destruct (eqb (chi i) (chi m)), (eqb (chi j) (chi m)); lia.
  - intros j Hj J. generalize (S j m Hj Hm). intros SJ. rewrite (E m Hm), (E j Hj). unfold rightmost_scores.
    destruct Sp as [[Cm G]|[F G]].
    + rewrite Cm. destruct (chi j) eqn:Cj; simpl; (split; [try generalize (G j Hj Cj); lia|]);
        rewrite ?plus_IZR, ?minus_IZR, ?plus_IZR; [right; ring|].
      assert (c * IZR N <= c * A) by (apply Rmult_le_compat_l; lra). lra.
    + rewrite (F m Hm), (F j Hj). simpl. split; [generalize (G j Hj); lia|]. rewrite minus_IZR. right. ring.
Qed.

Lemma leftmost_distances : forall V N c A chi s, V <> [] -> stretch V N -> IZR N <= A -> 0 < c ->
  (forall j, In j V -> s j = leftmost_scores c A chi j) ->
  distinct_distances V s c (leftmost_true V chi)
    (fun j => if eqb (chi j) (chi (leftmost_true V chi)) then j - leftmost_true V chi
              else N + j - leftmost_true V chi)%Z.
Proof.
  intros V N c A chi s H S L C E. destruct (leftmost_true_spec V chi H) as [Hm Sp].
  set (m := leftmost_true V chi) in *. split; [exact Hm|]. split.
  - intros i j Hi Hj _ _. generalize (S i j Hi Hj) (S j i Hj Hi).
    destruct (eqb (chi i) (chi m)), (eqb (chi j) (chi m)); lia.
  - intros j Hj J. generalize (S m j Hm Hj). intros SJ. rewrite (E m Hm), (E j Hj). unfold leftmost_scores.
    destruct Sp as [[Cm G]|[F G]].
    + rewrite Cm. destruct (chi j) eqn:Cj; simpl; (split; [try generalize (G j Hj Cj); lia|]);
        rewrite ?plus_IZR, ?minus_IZR, ?plus_IZR; [right; ring|].
      assert (c * IZR N <= c * A) by (apply Rmult_le_compat_l; lra). lra.
    + rewrite (F m Hm), (F j Hj). simpl. split; [generalize (G j Hj); lia|]. rewrite minus_IZR. right. ring.
Qed.

(** The gap between the choice and every other position is at least [c]: hard attention, whether average-, leftmost- or
    rightmost-hard, puts all weight on the choice. *)
Theorem B6_rightmost : forall tau V N c A chi s, 0 < tau -> 0 < c -> NoDup V -> V <> [] -> stretch V N -> IZR N <= A ->
  (forall j, In j V -> s j = rightmost_scores c A chi j) ->
  sole_maximiser V s (rightmost_true V chi) /\
  TV V (softmax tau V s) (one_hot (rightmost_true V chi)) <= line_bound (length V) (exp (- c / tau)).
Proof.
  intros tau V N c A chi s T C U H S L E. assert (D := rightmost_distances V N c A chi s H S L C E).
  split; [eapply distinct_sole; eassumption|eapply B5_distinct; eassumption].
Qed.

Theorem B6_leftmost : forall tau V N c A chi s, 0 < tau -> 0 < c -> NoDup V -> V <> [] -> stretch V N -> IZR N <= A ->
  (forall j, In j V -> s j = leftmost_scores c A chi j) ->
  sole_maximiser V s (leftmost_true V chi) /\
  TV V (softmax tau V s) (one_hot (leftmost_true V chi)) <= line_bound (length V) (exp (- c / tau)).
Proof.
  intros tau V N c A chi s T C U H S L E. assert (D := leftmost_distances V N c A chi s H S L C E).
  split; [eapply distinct_sole; eassumption|eapply B5_distinct; eassumption].
Qed.

Theorem B6_below : forall n c tau, 0 < c -> 0 < tau -> (1 <= n)%nat ->
  line_bound n (exp (- c / tau)) < exp (- c / tau).
Proof. intros. apply line_below; [now apply exp_decay|assumption]. Qed.

(** ** The four masks *)

Lemma in_visible : forall mask n i j, In j (visible mask n i) <-> (1 <= j <= n)%Z /\ mask i j = true.
Proof. intros. unfold visible. now rewrite filter_In, in_positions. Qed.

Lemma nodup_visible : forall mask n i, NoDup (visible mask n i).
Proof. intros. apply NoDup_filter, nodup_positions. Qed.

Lemma length_pos : forall V : list Z, V <> [] -> (1 <= length V)%nat.
Proof. intros [|j V] H; [congruence|simpl; lia]. Qed.

(** What the masked heads below have in common: the choice of hard attention, and the error. *)
Definition selects (tau q : R) (V : list Z) (s : Z -> R) (m : Z) : Prop :=
  leftmost_hard V s = one_hot m /\ rightmost_hard V s = one_hot m /\
  (forall j, In j V -> average_hard V s j = one_hot m j) /\
  TV V (softmax tau V s) (one_hot m) < q.

Lemma selects_right : forall tau V N c A chi, 0 < tau -> 0 < c -> NoDup V -> V <> [] -> stretch V N -> IZR N <= A ->
  selects tau (exp (- c / tau)) V (rightmost_scores c A chi) (rightmost_true V chi).
Proof.
  intros tau V N c A chi T C U H S L.
  destruct (B6_rightmost tau V N c A chi _ T C U H S L (fun j _ => eq_refl)) as [M B].
  split; [now apply sole_leftmost|]. split; [now apply sole_rightmost|]. split; [intros; now apply sole_average|].
  eapply Rle_lt_trans; [exact B|]. now apply B6_below, length_pos.
Qed.

Lemma selects_left : forall tau V N c A chi, 0 < tau -> 0 < c -> NoDup V -> V <> [] -> stretch V N -> IZR N <= A ->
  selects tau (exp (- c / tau)) V (leftmost_scores c A chi) (leftmost_true V chi).
Proof.
  intros tau V N c A chi T C U H S L.
  destruct (B6_leftmost tau V N c A chi _ T C U H S L (fun j _ => eq_refl)) as [M B].
  split; [now apply sole_leftmost|]. split; [now apply sole_rightmost|]. split; [intros; now apply sole_average|].
  eapply Rle_lt_trans; [exact B|]. now apply B6_below, length_pos.
Qed.

(** Query [i] sees 1, ..., i: the rightmost true position j <= i, or i itself. *)
Theorem B6_future : forall tau n i c chi, 0 < tau -> 0 < c -> (1 <= i <= n)%Z ->
  selects tau (exp (- c / tau)) (visible future n i) (rightmost_scores c (2 * IZR i) chi)
    (rightmost_true (visible future n i) chi).
Proof.
  intros tau n i c chi T C I. assert (1 <= IZR i) by (apply (IZR_le 1); lia).
  apply (selects_right tau _ i); try assumption; try lra; [apply nodup_visible| |].
  - apply (in_nonempty i), in_visible. split; [assumption|]. apply Z.leb_refl.
  - intros a b Ha Hb. apply in_visible in Ha, Hb. unfold future in *. rewrite Z.leb_le in *. lia.
Qed.

Theorem B6_strict_future : forall tau n i c chi, 0 < tau -> 0 < c -> (2 <= i <= n)%Z ->
  selects tau (exp (- c / tau)) (visible strict_future n i) (rightmost_scores c (2 * IZR i) chi)
    (rightmost_true (visible strict_future n i) chi).
Proof.
  intros tau n i c chi T C I. assert (2 <= IZR i) by (apply (IZR_le 2); lia).
  apply (selects_right tau _ i); try assumption; try lra; [apply nodup_visible| |].
  - apply (in_nonempty 1%Z), in_visible. split; [lia|]. apply Z.ltb_lt. lia.
  - intros a b Ha Hb. apply in_visible in Ha, Hb. unfold strict_future in *. rewrite Z.ltb_lt in *. lia.
Qed.

(** Query [i] sees i, ..., n: the leftmost true position j >= i, or i itself. *)
Theorem B6_past : forall tau n i c chi, 0 < tau -> 0 < c -> (1 <= i <= n)%Z ->
  selects tau (exp (- c / tau)) (visible past n i) (leftmost_scores c (2 * (IZR n - IZR i + 1)) chi)
    (leftmost_true (visible past n i) chi).
Proof.
  intros tau n i c chi T C I. assert (IZR i <= IZR n) by (apply IZR_le; lia).
  apply (selects_left tau _ (n - i + 1)); try assumption; [apply nodup_visible| | |].
  - apply (in_nonempty i), in_visible. split; [assumption|]. apply Z.leb_refl.
  - intros a b Ha Hb. apply in_visible in Ha, Hb. unfold past in *. rewrite Z.leb_le in *. lia.
  - rewrite plus_IZR, minus_IZR. lra.
Qed.

Theorem B6_strict_past : forall tau n i c chi, 0 < tau -> 0 < c -> (1 <= i < n)%Z ->
  selects tau (exp (- c / tau)) (visible strict_past n i) (leftmost_scores c (2 * (IZR n - IZR i + 1)) chi)
    (leftmost_true (visible strict_past n i) chi).
Proof.
  intros tau n i c chi T C I. assert (IZR i <= IZR n) by (apply IZR_le; lia).
  apply (selects_left tau _ (n - i + 1)); try assumption; [apply nodup_visible| | |].
  - apply (in_nonempty n), in_visible. split; [lia|]. apply Z.ltb_lt. lia.
  - intros a b Ha Hb. apply in_visible in Ha, Hb. unfold strict_past in *. rewrite Z.ltb_lt in *. lia.
  - rewrite plus_IZR, minus_IZR. lra.
Qed.

(** The default of the unstrict masks is the query itself. *)
Theorem B6_future_default : forall n i chi, (1 <= i <= n)%Z -> (forall j, (1 <= j <= i)%Z -> chi j = false) ->
  rightmost_true (visible future n i) chi = i.
Proof.
  intros n i chi I F. assert (Hi : In i (visible future n i)).
  { apply in_visible. split; [assumption|]. apply Z.leb_refl. }
  rewrite rightmost_true_none.
  - assert (G := greatest_ge _ _ Hi). assert (X := greatest_in _ (in_nonempty _ _ Hi)). apply in_visible in X.
    destruct X as [_ X]. apply Z.leb_le in X. lia.
  - intros j Hj. apply in_visible in Hj. unfold future in Hj. rewrite Z.leb_le in Hj. apply F. lia.
Qed.

Theorem B6_past_default : forall n i chi, (1 <= i <= n)%Z -> (forall j, (i <= j <= n)%Z -> chi j = false) ->
  leftmost_true (visible past n i) chi = i.
Proof.
  intros n i chi I F. assert (Hi : In i (visible past n i)).
  { apply in_visible. split; [assumption|]. apply Z.leb_refl. }
  rewrite leftmost_true_none.
  - assert (G := least_le _ _ Hi). assert (X := least_in _ (in_nonempty _ _ Hi)). apply in_visible in X.
    destruct X as [_ X]. apply Z.leb_le in X. lia.
  - intros j Hj. apply in_visible in Hj. unfold past in Hj. rewrite Z.leb_le in Hj. apply F. lia.
Qed.
