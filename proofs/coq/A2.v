(** * A2. The gap bound and its sharpness

    Summary: a gap of at least [gamma] bounds the distance to average-hard attention by
    (n - k) q / (k + (n - k) q) with q = exp(- gamma / tau), and no smaller bound holds.

    ** Main statements

    - [A2_bound]: TV <= [gap_bound n k q].
    - [A2_equality_iff]: equality holds if and only if all other positions are exactly [gamma] below.
    - [A2_increasing_n], [A2_decreasing_k], [A2_increasing_q], [A2_decreasing_gamma], [A2_increasing_tau].
    - [A2_every_k], [A2_linear], [A2_literature]: L1 <= 2(n-1)q/(1+(n-1)q) <= 2(n-1)q < 2nq.
    - [A2_constant]: the constant 2 is best possible.

    Notation: Definitions.v. References: notes/a-softmax-gap.md, A2; the last bound of the chain is the usual one in
    the literature (Edelman et al. 2022). *)

From Coq Require Import Reals ZArith List Lia Lra Psatz.
From HardSoft Require Import Definitions Sums A1.
Import ListNotations.
Open Scope R_scope.

Definition gap_bound (n k q : R) : R := (n - k) * q / (k + (n - k) * q).

(** The excess is at most (n - k) q, ... *)
Theorem A2_others : forall tau V s gamma, 0 < tau -> gap_at_least V s gamma ->
  others tau V s <= (size V - ties V s) * exp (- gamma / tau).
Proof.
  intros tau V s gamma T G. rewrite <- non_maximal_sum. apply sum_le. intros j Hj.
  destruct (is_maximal V s j) eqn:E; [lra|]. apply exp_le, div_le; [assumption|]. generalize (G j Hj E). lra.
Qed.

(** ... with equality when all others are at the gap, ... *)
Theorem A2_others_equal : forall tau V s gamma, all_at_gap V s gamma ->
  others tau V s = (size V - ties V s) * exp (- gamma / tau).
Proof.
  intros tau V s gamma G. rewrite <- non_maximal_sum. apply sum_ext. intros j Hj.
  destruct (is_maximal V s j) eqn:E; [reflexivity|]. now rewrite (G j Hj E).
Qed.

(** ... and only then. *)
Theorem A2_others_strict : forall tau V s gamma m, 0 < tau -> gap_at_least V s gamma ->
  In m V -> is_maximal V s m = false -> gamma < maximum V s - s m ->
  others tau V s < (size V - ties V s) * exp (- gamma / tau).
Proof.
  intros tau V s gamma m T G Hm Em L. rewrite <- non_maximal_sum. apply (sum_lt V _ _ m); [|assumption|].
  - intros j Hj. destruct (is_maximal V s j) eqn:E; [lra|]. apply exp_le, div_le; [assumption|].
    generalize (G j Hj E). lra.
  - rewrite Em. apply exp_increasing, div_lt; [assumption|lra].
Qed.

Theorem A2_bound : forall tau V s gamma, 0 < tau -> V <> [] -> gap_at_least V s gamma ->
  TV V (softmax tau V s) (average_hard V s) <= gap_bound (size V) (ties V s) (exp (- gamma / tau)).
Proof.
  intros tau V s gamma T H G. rewrite A1_exact by assumption. unfold gap_bound.
  generalize (ties_ge_1 V s H) (A1_nonnegative tau V s) (A2_others tau V s gamma T G).
  intros. apply share_le; lra.
Qed.

Theorem A2_equality : forall tau V s gamma, V <> [] -> all_at_gap V s gamma ->
  TV V (softmax tau V s) (average_hard V s) = gap_bound (size V) (ties V s) (exp (- gamma / tau)).
Proof. intros. rewrite A1_exact, (A2_others_equal tau V s gamma) by assumption. reflexivity. Qed.

Theorem A2_strict : forall tau V s gamma m, 0 < tau -> gap_at_least V s gamma ->
  In m V -> is_maximal V s m = false -> gamma < maximum V s - s m ->
  TV V (softmax tau V s) (average_hard V s) < gap_bound (size V) (ties V s) (exp (- gamma / tau)).
Proof.
  intros tau V s gamma m T G Hm Em L. assert (H := in_nonempty m V Hm). rewrite A1_exact by assumption.
  generalize (ties_ge_1 V s H) (A1_nonnegative tau V s) (A2_others_strict tau V s gamma m T G Hm Em L).
  intros. unfold gap_bound. apply share_lt; lra.
Qed.

Theorem A2_equality_iff : forall tau V s gamma, 0 < tau -> V <> [] -> gap_at_least V s gamma ->
  TV V (softmax tau V s) (average_hard V s) = gap_bound (size V) (ties V s) (exp (- gamma / tau)) <->
  all_at_gap V s gamma.
Proof.
  intros tau V s gamma T H G. split; [|intros; now apply A2_equality].
  intros E j Hj Ej. destruct (Rle_lt_or_eq_dec _ _ (G j Hj Ej)) as [L|L]; [|now symmetry].
  exfalso. generalize (A2_strict tau V s gamma j T G Hj Ej L). lra.
Qed.

(** ** Monotonicity *)

Theorem A2_increasing_n : forall n n' k q, 1 <= k -> k <= n -> n < n' -> 0 < q -> gap_bound n k q < gap_bound n' k q.
Proof. intros. unfold gap_bound. apply share_lt; nra. Qed.

Theorem A2_decreasing_k : forall n k k' q, 1 <= k -> k < k' -> k' <= n -> 0 < q -> gap_bound n k' q < gap_bound n k q.
Proof.
  intros. unfold gap_bound.
  assert (0 <= (n - k) * q) by (apply Rmult_le_pos; lra).
  assert (0 <= (n - k') * q) by (apply Rmult_le_pos; lra).
  apply frac_lt; [lra|lra|]. assert (0 < n * (k' - k) * q) by (repeat apply Rmult_lt_0_compat; lra). nra.
Qed.

Theorem A2_increasing_q : forall n k q q', 1 <= k -> k < n -> 0 < q -> q < q' -> gap_bound n k q < gap_bound n k q'.
Proof. intros. unfold gap_bound. apply share_lt; nra. Qed.

Theorem A2_decreasing_gamma : forall n k gamma gamma' tau, 1 <= k -> k < n -> 0 < tau -> gamma < gamma' ->
  gap_bound n k (exp (- gamma' / tau)) < gap_bound n k (exp (- gamma / tau)).
Proof.
  intros. apply A2_increasing_q; [assumption|assumption|apply exp_pos|].
  apply exp_increasing, div_lt; lra.
Qed.

Theorem A2_increasing_tau : forall n k gamma tau tau', 1 <= k -> k < n -> 0 < gamma -> 0 < tau -> tau < tau' ->
  gap_bound n k (exp (- gamma / tau)) < gap_bound n k (exp (- gamma / tau')).
Proof.
  intros. apply A2_increasing_q; [assumption|assumption|apply exp_pos|].
  apply exp_increasing. assert (gamma / tau' < gamma / tau) by (apply frac_lt; nra).
  replace (- gamma / tau) with (- (gamma / tau)) by (unfold Rdiv; ring).
  replace (- gamma / tau') with (- (gamma / tau')) by (unfold Rdiv; ring). lra.
Qed.

(** ** The chain of simpler bounds *)

(** One maximiser is the worst case. *)
Theorem A2_every_k : forall n k q, 1 <= k -> k <= n -> 0 < q ->
  2 * gap_bound n k q <= 2 * (n - 1) * q / (1 + (n - 1) * q).
Proof.
  intros n k q K N Q. assert (gap_bound n k q <= (n - 1) * q / (1 + (n - 1) * q)).
  - unfold gap_bound. apply frac_le; [nra|nra|]. assert (0 <= n * (k - 1) * q) by (repeat apply Rmult_le_pos; lra). nra.
  - replace (2 * (n - 1) * q / (1 + (n - 1) * q)) with (2 * ((n - 1) * q / (1 + (n - 1) * q))); [lra|].
    field. nra.
Qed.

Theorem A2_linear : forall n q, 1 <= n -> 0 < q -> 2 * (n - 1) * q / (1 + (n - 1) * q) <= 2 * (n - 1) * q.
Proof.
  intros n q N Q. rewrite <- (over_1 (2 * (n - 1) * q)) at 2. apply frac_le; [nra|lra|].
  assert (0 <= (n - 1) * q) by nra. nra.
Qed.

Theorem A2_literature : forall tau V s gamma, 0 < tau -> V <> [] -> gap_at_least V s gamma ->
  L1 V (softmax tau V s) (average_hard V s) < 2 * size V * exp (- gamma / tau).
Proof.
  intros tau V s gamma T H G. generalize (A2_bound tau V s gamma T H G) (ties_ge_1 V s H) (ties_le_size V s).
  unfold TV. set (q := exp (- gamma / tau)). assert (Q : 0 < q) by apply exp_pos. intros B K N.
  generalize (A2_every_k (size V) (ties V s) q K N Q) (A2_linear (size V) q (Rle_trans _ _ _ K N) Q). nra.
Qed.

(** The constant 2 cannot be lowered: the ratio to n q tends to 2 as n grows and n q vanishes. *)
Theorem A2_constant : forall n q, 2 <= n -> 0 < q -> q <= 1 / n ^ 2 ->
  2 * (1 - 2 / (n + 1)) * n * q < 2 * (n - 1) * q / (1 + (n - 1) * q).
Proof.
  intros n q N Q S. assert (n * n * q <= 1).
  { replace 1 with (n * n * (1 / n ^ 2)) by (field; lra). apply Rmult_le_compat_l; [nra|assumption]. }
  replace (2 * (1 - 2 / (n + 1)) * n * q) with (2 * (n - 1) * n * q / (n + 1)) by (field; lra).
  apply frac_lt; [lra|nra|].
  assert (0 < (n - 1) * q * (1 - n * (n - 1) * q)); [|nra].
  apply Rmult_lt_0_compat; [nra|]. assert (0 < n * q) by nra. nra.
Qed.
