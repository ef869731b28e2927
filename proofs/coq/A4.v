(** * A4. Dispersion: what bounded scores cannot do

    Summary: scores of spread at most [delta] at a fixed temperature keep softmax away from hard attention, and keep
    every weight of order 1/n.

    ** Main statements

    - [A4_distance], [A4_tight]: TV >= (n - k) Q / (k + (n - k) Q) with Q = exp(- delta / tau), attained.
    - [A4_maximum]: every weight is at most 1 / (1 + (n - 1) Q).
    - [A4_temperature]: a tieless row with L1 error at most [eps] needs delta/tau >= ln ((n - 1)(2 - eps)/eps).
    - [A4_weight]: every weight is at most exp(delta / tau) / n.
    - [A4_one_symbol]: changing the score and the value at one position moves the output by at most
      (hi - lo) exp(delta / tau) / n, for values in [lo, hi] (cf. Hahn 2020).

    Notation: Definitions.v; [gap_bound]: A2.v. References: notes/a-softmax-gap.md, A4. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz.
From HardSoft Require Import Definitions Sums A1 A2 A3.
Import ListNotations.
Open Scope R_scope.

Lemma spread_bound : forall V s j, In j V -> maximum V s - s j <= spread V s.
Proof. intros. unfold spread. generalize (minimum_le V s j H). lra. Qed.

Lemma spread_nonneg : forall V s, 0 <= spread V s.
Proof.
  intros [|j V] s; [unfold spread; simpl; lra|].
  unfold spread. assert (H : In j (j :: V)) by now left.
  generalize (minimum_le _ s j H) (maximum_ge _ s j H). lra.
Qed.

Theorem A4_distance : forall tau V s delta, 0 < tau -> V <> [] -> spread V s <= delta ->
  gap_bound (size V) (ties V s) (exp (- delta / tau)) <= TV V (softmax tau V s) (average_hard V s).
Proof.
  intros tau V s delta T H D. rewrite A1_exact by assumption. unfold gap_bound.
  assert (K := ties_ge_1 V s H). assert (N := ties_le_size V s). assert (Q := exp_pos (- delta / tau)).
  apply share_le; [lra|apply Rmult_le_pos; lra|].
  rewrite <- non_maximal_sum. apply sum_le. intros j Hj. destruct (is_maximal V s j); [lra|].
  apply exp_le, div_le; [assumption|]. generalize (spread_bound V s j Hj). lra.
Qed.

Theorem A4_tight : forall tau V s delta, V <> [] -> all_at_gap V s delta ->
  TV V (softmax tau V s) (average_hard V s) = gap_bound (size V) (ties V s) (exp (- delta / tau)).
Proof. exact A2_equality. Qed.

Theorem A4_maximum : forall tau V s delta i, 0 < tau -> In i V -> spread V s <= delta ->
  softmax tau V s i <= 1 / (1 + (size V - 1) * exp (- delta / tau)).
Proof.
  intros tau V s delta i T Hi D. assert (H := in_nonempty i V Hi). assert (N := size_ge_1 V H).
  assert (D0 := spread_nonneg V s).
  set (Q := exp (- delta / tau)). assert (Q0 : 0 < Q) by apply exp_pos.
  assert (E : forall j, In j V -> exp (s i / tau) * Q <= exp (s j / tau)).
  { intros j Hj. unfold Q. rewrite <- exp_plus. apply exp_le.
    replace (s i / tau + - delta / tau) with ((s i - delta) / tau) by (unfold Rdiv; ring). apply div_le; [assumption|].
    generalize (spread_bound V s j Hj) (maximum_ge V s i Hi). lra. }
  assert (Q1 : Q <= 1).
  { assert (X := E i Hi). assert (Y := exp_pos (s i / tau)). nra. }
  unfold softmax. apply frac_le;
    [now apply exp_sum_pos|assert (0 <= (size V - 1) * Q) by (apply Rmult_le_pos; lra); lra|].
  assert (S : sum V (fun j => exp (s j / tau) - exp (s i / tau) * Q) =
    sum V (fun j => exp (s j / tau)) - size V * (exp (s i / tau) * Q)).
  { rewrite sum_minus, sum_const. reflexivity. }
  assert (X := sum_term V (fun j => exp (s j / tau) - exp (s i / tau) * Q) i).
  simpl in X. rewrite S in X. assert (Y : exp (s i / tau) - exp (s i / tau) * Q <=
    sum V (fun j => exp (s j / tau)) - size V * (exp (s i / tau) * Q)).
  { apply X; [|assumption]. intros j Hj. generalize (E j Hj). lra. }
  lra.
Qed.

Theorem A4_temperature : forall tau V s delta eps, 0 < tau -> spread V s <= delta -> ties V s = 1 -> 1 < size V ->
  0 < eps -> eps < 2 -> L1 V (softmax tau V s) (average_hard V s) <= eps ->
  ln ((size V - 1) * (2 - eps) / eps) <= delta / tau.
Proof.
  intros tau V s delta eps T D K N E U L.
  assert (H : V <> []) by (intros ->; unfold size in N; simpl in N; lra).
  assert (B := A4_distance tau V s delta T H D). rewrite K in B.
  assert (C : 2 * gap_bound (size V) 1 (exp (- delta / tau)) <= eps) by (unfold TV in B; lra).
  apply target_q in C; [|lra|lra|lra|apply exp_pos]. rewrite Rmult_1_l in C.
  set (x := (size V - 1) * (2 - eps) / eps) in *.
  assert (P : 0 < x) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|assumption]).
  assert (M : x <= exp (delta / tau)).
  { apply Rmult_le_reg_l with (exp (- delta / tau)); [apply exp_pos|]. rewrite <- exp_plus.
    replace (- delta / tau + delta / tau) with 0 by (unfold Rdiv; ring). now rewrite exp_0. }
  rewrite <- (ln_exp (delta / tau)). destruct M as [M|M]; [left; now apply ln_increasing|rewrite M; lra].
Qed.

(** Every weight is O(1/n): it is enough that all scores lie in an interval of length [delta]. *)
Theorem A4_weight : forall tau V s top delta i, 0 < tau -> In i V ->
  (forall j, In j V -> 0 <= top - s j) -> (forall j, In j V -> top - s j <= delta) ->
  softmax tau V s i <= exp (delta / tau) / size V.
Proof.
  intros tau V s top delta i T Hi A B. assert (H := in_nonempty i V Hi). assert (N := size_pos V H).
  unfold softmax. apply frac_le; [now apply exp_sum_pos|assumption|].
  rewrite (Rmult_comm (exp (s i / tau))), <- sum_const, <- sum_scal. apply sum_le. intros j Hj.
  rewrite <- exp_plus. apply exp_le. replace (delta / tau + s j / tau) with ((delta + s j) / tau) by (unfold Rdiv; ring).
  apply div_le; [assumption|]. generalize (A i Hi) (B j Hj). lra.
Qed.

Theorem A4_weight_spread : forall tau V s delta i, 0 < tau -> In i V -> spread V s <= delta ->
  softmax tau V s i <= exp (delta / tau) / size V.
Proof.
  intros tau V s delta i T Hi D. apply (A4_weight tau V s (maximum V s) delta); try assumption.
  - intros j Hj. generalize (maximum_ge V s j Hj). lra.
  - intros j Hj. generalize (spread_bound V s j Hj). lra.
Qed.

(** ** One changed position *)

(** The weight of all positions but [m]. *)
Theorem A4_rest : forall tau V s m, NoDup V -> In m V -> 1 < size V ->
  0 < sum V (fun j => (1 - one_hot m j) * exp (s j / tau)).
Proof.
  intros tau V s m U Hm N.
  assert (X : exists i, In i V /\ i <> m).
  { destruct V as [|a [|b V]]; [destruct Hm|unfold size in N; simpl in N; lra|].
    inversion U as [|? ? Na _]; subst.
    destruct (Z.eq_dec a m) as [->|]; [|exists a; split; [now left|assumption]].
    exists b. split; [right; now left|]. intros ->. apply Na. now left. }
  destruct X as [i [Hi Ei]].
  eapply Rlt_le_trans; [|apply (sum_term V _ i); [|exact Hi]].
  - simpl. unfold one_hot. destruct (Z.eqb_spec i m); [contradiction|]. rewrite Rminus_0_r, Rmult_1_l. apply exp_pos.
  - intros j _. apply Rmult_le_pos; [unfold one_hot; destruct (Z.eqb j m); lra|apply Rlt_le, exp_pos].
Qed.

(** The output as a mixture of the value at [m] and the mean over the other positions. *)
Theorem A4_split : forall tau V s v lam, V <> [] -> 0 < sum V (fun j => (1 - lam j) * exp (s j / tau)) ->
  output V (softmax tau V s) v =
  sum V (fun j => lam j * softmax tau V s j * v j) + (1 - sum V (fun j => lam j * softmax tau V s j)) *
  (sum V (fun j => (1 - lam j) * exp (s j / tau) * v j) / sum V (fun j => (1 - lam j) * exp (s j / tau))).
Proof.
  intros tau V s v lam H P. unfold output. set (Z := sum V (fun j => exp (s j / tau))).
  assert (PZ : 0 < Z) by now apply exp_sum_pos.
  assert (E : forall f, sum V (fun j => f j * softmax tau V s j) = sum V (fun j => f j * exp (s j / tau)) / Z).
  { intros f. rewrite <- sum_div. apply sum_ext. intros j _. unfold softmax. fold Z. unfold Rdiv. ring. }
  assert (W : sum V (fun j => lam j * exp (s j / tau)) = Z - sum V (fun j => (1 - lam j) * exp (s j / tau))).
  { unfold Z. rewrite <- sum_minus. apply sum_ext. intros. ring. }
  rewrite E, W.
  rewrite (sum_ext V (fun j => softmax tau V s j * v j) (fun j => v j * softmax tau V s j)) by (intros; ring).
  rewrite (sum_ext V (fun j => lam j * softmax tau V s j * v j) (fun j => (lam j * v j) * softmax tau V s j)) by (intros; ring).
  rewrite !E.
  rewrite (sum_ext V (fun j => v j * exp (s j / tau))
    (fun j => lam j * v j * exp (s j / tau) + (1 - lam j) * exp (s j / tau) * v j)) by (intros; ring).
  rewrite sum_plus. field. split; lra.
Qed.

Theorem A4_one_symbol : forall tau V s s' v v' m delta lo hi, 0 < tau -> NoDup V -> In m V -> 1 < size V ->
  (forall j, In j V -> j <> m -> s' j = s j) -> (forall j, In j V -> j <> m -> v' j = v j) ->
  spread V s <= delta -> spread V s' <= delta ->
  (forall j, In j V -> lo <= v j <= hi) -> (forall j, In j V -> lo <= v' j <= hi) ->
  Rabs (output V (softmax tau V s) v - output V (softmax tau V s') v') <= (hi - lo) * exp (delta / tau) / size V.
Proof.
  intros tau V s s' v v' m delta lo hi T U Hm N Es Ev D D' B B'.
  assert (H := in_nonempty m V Hm).
  assert (P := A4_rest tau V s m U Hm N). assert (P' := A4_rest tau V s' m U Hm N).
  rewrite (A4_split tau V s v (one_hot m)), (A4_split tau V s' v' (one_hot m)) by assumption.
  assert (O : forall f, sum V (fun j => one_hot m j * f j) = f m) by (intros; now apply sum_one_hot).
  assert (A : forall w u, sum V (fun j => one_hot m j * softmax tau V w j * u j) = softmax tau V w m * u m).
  { intros w u. rewrite <- (O (fun j => softmax tau V w j * u j)). apply sum_ext. intros. ring. }
  rewrite !A, !O.
  assert (F : forall j, In j V -> (1 - one_hot m j) * exp (s' j / tau) = (1 - one_hot m j) * exp (s j / tau)).
  { intros j Hj. unfold one_hot. destruct (Z.eqb_spec j m); [ring|]. now rewrite Es. }
  rewrite (sum_ext V (fun j => (1 - one_hot m j) * exp (s' j / tau)) (fun j => (1 - one_hot m j) * exp (s j / tau)))
    by exact F.
  rewrite (sum_ext V (fun j => (1 - one_hot m j) * exp (s' j / tau) * v' j)
    (fun j => (1 - one_hot m j) * exp (s j / tau) * v j)).
  2: { intros j Hj. rewrite F by assumption. unfold one_hot. destruct (Z.eqb_spec j m); [ring|]. now rewrite Ev. }
  set (Z := sum V (fun j => (1 - one_hot m j) * exp (s j / tau))) in *.
  set (Y := sum V (fun j => (1 - one_hot m j) * exp (s j / tau) * v j)).
  assert (I : forall j, 0 <= (1 - one_hot m j) * exp (s j / tau)).
  { intros j. apply Rmult_le_pos; [unfold one_hot; destruct (Z.eqb j m); lra|apply Rlt_le, exp_pos]. }
  assert (R1 : lo * Z <= Y).
  { unfold Y, Z. rewrite <- sum_scal. apply sum_le. intros j Hj. rewrite Rmult_comm.
    apply Rmult_le_compat_l; [apply I|apply B, Hj]. }
  assert (R2 : Y <= hi * Z).
  { unfold Y, Z. rewrite <- sum_scal. apply sum_le. intros j Hj. rewrite (Rmult_comm hi).
    apply Rmult_le_compat_l; [apply I|apply B, Hj]. }
  set (r := Y / Z). assert (L1 : lo <= r).
  { unfold r. rewrite <- (over_1 lo). apply frac_le; lra. }
  assert (L2 : r <= hi).
  { unfold r. rewrite <- (over_1 hi). apply frac_le; lra. }
  assert (G := A4_weight_spread tau V s delta m T Hm D). assert (G' := A4_weight_spread tau V s' delta m T Hm D').
  assert (S := A1_positive tau V s m H). assert (S' := A1_positive tau V s' m H).
  set (p := softmax tau V s m) in *. set (p' := softmax tau V s' m) in *.
  set (b := exp (delta / tau) / size V) in *.
  replace ((hi - lo) * exp (delta / tau) / size V) with ((hi - lo) * b) by (unfold b, Rdiv; ring).
  generalize (B m Hm) (B' m Hm). intros [? ?] [? ?].
  replace (p * v m + (1 - p) * r - (p' * v' m + (1 - p') * r)) with (p * (v m - r) - p' * (v' m - r)) by ring.
  assert (p * (v m - r) <= b * (hi - r)) by nra. assert (- (b * (r - lo)) <= p * (v m - r)) by nra.
  assert (p' * (v' m - r) <= b * (hi - r)) by nra. assert (- (b * (r - lo)) <= p' * (v' m - r)) by nra.
  apply Rabs_le. nra.
Qed.
