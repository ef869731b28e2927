(** * A3. The critical temperature

    Summary: the worst case of the L1 error over all rows of [n] positions with [k] < [n] maximisers and a gap of at
    least [gamma] is at most [eps] exactly at the temperatures up to gamma / ln ((n - k) (2 - eps) / (k eps)).

    ** Main statements

    - [A3_iff]: for 0 < eps < 2 (n - k) / n, every row is accurate to [eps] if and only if
      tau <= [critical_temperature n k gamma eps].
    - [A3_sufficient], [A3_necessary]: the two directions for a single row.
    - [A3_always]: a target of 2 (n - k) / n or more is met at every temperature.
    - [A3_positive]: the critical temperature is positive.

    Notation: Definitions.v; [ln] is the natural logarithm. References: notes/a-softmax-gap.md, A3. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz.
From HardSoft Require Import Definitions Sums A1 A2.
Import ListNotations.
Open Scope R_scope.

Definition critical_temperature (n k gamma eps : R) : R := gamma / ln ((n - k) * (2 - eps) / (k * eps)).

Lemma target_ratio : forall n k eps, 1 <= k -> k < n -> 0 < eps -> eps < 2 * (n - k) / n ->
  1 < (n - k) * (2 - eps) / (k * eps).
Proof.
  intros n k eps K N E U. assert (eps * n < 2 * (n - k)).
  { apply (Rmult_lt_compat_r n) in U; [|lra]. replace (2 * (n - k) / n * n) with (2 * (n - k)) in U by (field; lra).
    exact U. }
  rewrite <- (over_1 1). apply frac_lt; [lra|apply Rmult_lt_0_compat; lra|lra].
Qed.

Lemma ln_pos : forall x, 1 < x -> 0 < ln x.
Proof. intros x H. rewrite <- ln_1. apply ln_increasing; lra. Qed.

(** tau <= gamma / ln x in terms of the exponential. *)
Lemma temperature_exp : forall tau gamma x, 0 < tau -> 1 < x -> (tau <= gamma / ln x <-> exp (- gamma / tau) * x <= 1).
Proof.
  intros tau gamma x T X. assert (L := ln_pos x X).
  assert (E : exp (- gamma / tau) * x = exp (ln x - gamma / tau)).
  { rewrite <- (exp_ln x) at 1 by lra. rewrite <- exp_plus. f_equal. unfold Rdiv. ring. }
  rewrite E. split; intros H.
  - rewrite <- exp_0. apply exp_le. assert (ln x <= gamma / tau); [|lra].
    rewrite <- (over_1 (ln x)). apply frac_le; [lra|assumption|].
    apply (Rmult_le_compat_r (ln x)) in H; [|lra].
    replace (gamma / ln x * ln x) with gamma in H by (field; lra). lra.
  - assert (ln x - gamma / tau <= 0).
    { destruct (Rle_or_lt (ln x - gamma / tau) 0) as [|C]; [assumption|]. exfalso.
      apply exp_increasing in C. rewrite exp_0 in C. lra. }
    rewrite <- (over_1 tau). apply frac_le; [lra|assumption|].
    assert (M : ln x * tau <= gamma / tau * tau) by (apply Rmult_le_compat_r; lra).
    replace (gamma / tau * tau) with gamma in M by (field; lra). lra.
Qed.

(** The target in terms of q: 2 (n-k) q / (k + (n-k) q) <= eps if and only if q (n-k) (2-eps) / (k eps) <= 1. *)
Lemma target_q : forall n k eps q, 1 <= k -> k < n -> 0 < eps -> 0 < q ->
  (2 * gap_bound n k q <= eps <-> q * ((n - k) * (2 - eps) / (k * eps)) <= 1).
Proof.
  intros n k eps q K N E Q. assert (D : 0 < k + (n - k) * q) by (assert (0 < (n - k) * q) by nra; lra).
  assert (A : 2 * gap_bound n k q - eps = (q * ((n - k) * (2 - eps)) - k * eps) / (k + (n - k) * q)).
  { unfold gap_bound. field. lra. }
  assert (KE : 0 < k * eps) by (apply Rmult_lt_0_compat; lra).
  assert (B : q * ((n - k) * (2 - eps) / (k * eps)) - 1 = (q * ((n - k) * (2 - eps)) - k * eps) / (k * eps)).
  { field. lra. }
  set (X := q * ((n - k) * (2 - eps)) - k * eps) in *.
  assert (S : forall d, 0 < d -> (X / d <= 0 <-> X <= 0)).
  { intros d Hd. replace X with (X / d * d) at 2 by (field; lra). split; intros; nra. }
  generalize (S _ D) (S _ KE). intuition lra.
Qed.

Theorem A3_positive : forall n k gamma eps, 1 <= k -> k < n -> 0 < gamma -> 0 < eps -> eps < 2 * (n - k) / n ->
  0 < critical_temperature n k gamma eps.
Proof.
  intros. unfold critical_temperature. apply Rdiv_lt_0_compat; [assumption|]. now apply ln_pos, target_ratio.
Qed.

Theorem A3_sufficient : forall tau V s gamma eps, 0 < tau -> ties V s < size V -> V <> [] ->
  gap_at_least V s gamma -> 0 < eps -> eps < 2 * (size V - ties V s) / size V ->
  tau <= critical_temperature (size V) (ties V s) gamma eps ->
  L1 V (softmax tau V s) (average_hard V s) <= eps.
Proof.
  intros tau V s gamma eps T N H G E U C. assert (K := ties_ge_1 V s H).
  apply temperature_exp in C; [|assumption|now apply target_ratio].
  apply target_q in C; [|assumption..|apply exp_pos].
  generalize (A2_bound tau V s gamma T H G). unfold TV. lra.
Qed.

Theorem A3_necessary : forall tau V s gamma eps, 0 < tau -> ties V s < size V -> V <> [] ->
  all_at_gap V s gamma -> 0 < eps -> eps < 2 * (size V - ties V s) / size V ->
  L1 V (softmax tau V s) (average_hard V s) <= eps ->
  tau <= critical_temperature (size V) (ties V s) gamma eps.
Proof.
  intros tau V s gamma eps T N H G E U L. assert (K := ties_ge_1 V s H).
  apply temperature_exp; [assumption|now apply target_ratio|].
  apply target_q; [assumption..|apply exp_pos|].
  generalize (A2_equality tau V s gamma H G). unfold TV. lra.
Qed.

Theorem A3_always : forall tau V s gamma eps, 0 < tau -> ties V s < size V -> V <> [] ->
  gap_at_least V s gamma -> 0 < gamma -> 2 * (size V - ties V s) / size V <= eps ->
  L1 V (softmax tau V s) (average_hard V s) < eps.
Proof.
  intros tau V s gamma eps T N H G P U. assert (K := ties_ge_1 V s H).
  assert (B := A2_bound tau V s gamma T H G). unfold TV in B.
  set (q := exp (- gamma / tau)) in *.
  assert (Q : 0 < q) by apply exp_pos.
  assert (Q1 : q < 1).
  { unfold q. rewrite <- exp_0. apply exp_increasing. apply Ropp_lt_cancel. rewrite Ropp_0.
    replace (- (- gamma / tau)) with (gamma / tau) by (unfold Rdiv; ring). now apply Rdiv_lt_0_compat. }
  set (n := size V) in *. set (k := ties V s) in *.
  assert (gap_bound n k q < (n - k) / n); [|unfold Rdiv in *; lra].
  unfold gap_bound. apply frac_lt; [nra|lra|]. assert (0 < (n - k) * k * (1 - q)); [|nra].
  repeat apply Rmult_lt_0_compat; lra.
Qed.

(** ** The worst case

    The row whose first [k] positions have score [gamma] and whose others have score 0. *)

Definition steps (k : Z) (gamma : R) (j : Z) : R := if (j <=? k)%Z then gamma else 0.

Lemma steps_maximum : forall n k gamma, (1 <= k)%Z -> (k <= n)%Z -> 0 < gamma ->
  maximum (positions n) (steps k gamma) = gamma.
Proof.
  intros n k gamma K N G. apply (maximum_unique _ _ _ 1%Z).
  - apply in_positions. lia.
  - unfold steps. destruct (Z.leb_spec 1 k); [reflexivity|lia].
  - intros j _. unfold steps. destruct (j <=? k)%Z; lra.
Qed.

Lemma steps_maximal : forall n k gamma j, (1 <= k)%Z -> (k <= n)%Z -> 0 < gamma ->
  is_maximal (positions n) (steps k gamma) j = (j <=? k)%Z.
Proof.
  intros n k gamma j K N G. destruct (Z.leb_spec j k) as [L|L].
  - apply maximal_true. rewrite steps_maximum by assumption. unfold steps.
    destruct (Z.leb_spec j k); [reflexivity|lia].
  - apply maximal_false. rewrite steps_maximum by assumption. unfold steps. destruct (Z.leb_spec j k); [lia|lra].
Qed.

Lemma steps_ties : forall n k gamma, (1 <= k)%Z -> (k <= n)%Z -> 0 < gamma ->
  ties (positions n) (steps k gamma) = IZR k.
Proof.
  intros n k gamma K N G. rewrite ties_sum.
  rewrite (sum_ext _ _ (fun j => if (j <=? k)%Z then 1 else 0)) by (intros; rewrite steps_maximal by assumption; reflexivity).
  replace n with (k + (n - k))%Z by ring. rewrite sum_positions_split by lia.
  rewrite (sum_ext _ _ (fun _ => 1)), (sum_ext (positions (n - k)) _ (fun _ => 0)).
  - rewrite !sum_const, !size_positions by lia. ring.
  - intros j Hj. apply in_positions in Hj. destruct (Z.leb_spec (k + j) k); [lia|reflexivity].
  - intros j Hj. apply in_positions in Hj. destruct (Z.leb_spec j k); [reflexivity|lia].
Qed.

Lemma steps_at_gap : forall n k gamma, (1 <= k)%Z -> (k <= n)%Z -> 0 < gamma ->
  all_at_gap (positions n) (steps k gamma) gamma.
Proof.
  intros n k gamma K N G j _ E. rewrite steps_maximal in E by assumption. rewrite steps_maximum by assumption.
  unfold steps. rewrite E. ring.
Qed.

Theorem A3_iff : forall n k tau gamma eps, (1 <= k)%Z -> (k < n)%Z -> 0 < tau -> 0 < gamma ->
  0 < eps -> eps < 2 * (IZR n - IZR k) / IZR n ->
  ((forall V s, size V = IZR n -> ties V s = IZR k -> gap_at_least V s gamma ->
    L1 V (softmax tau V s) (average_hard V s) <= eps) <->
   tau <= critical_temperature (IZR n) (IZR k) gamma eps).
Proof.
  intros n k tau gamma eps K N T G E U. assert (KN := IZR_lt _ _ N). apply IZR_le in K as K'. split.
  - intros H. assert (S := size_positions n ltac:(lia)).
    assert (P := steps_ties n k gamma K ltac:(lia) G). assert (A := steps_at_gap n k gamma K ltac:(lia) G).
    rewrite <- S, <- P. apply A3_necessary; rewrite ?S, ?P; try assumption.
    + apply positions_nonempty. lia.
    + apply H; [assumption..|]. intros j Hj Ej. rewrite (A j Hj Ej). lra.
  - intros C V s S P A. assert (V <> []).
    { intros ->. unfold size in S. simpl in S. apply (lt_IZR 0) in S || lra. }
    apply (A3_sufficient tau V s gamma); rewrite ?S, ?P; assumption.
Qed.
