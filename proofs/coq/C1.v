(** * C1. The scaling law

    Summary: scores and temperature scaled alike leave softmax unchanged. So the constructions of section B, whose scores
    grow like n or n^2 at a fixed temperature, become constructions with bounded scores at temperature tau / n or
    tau / n^2.

    ** Main statements

    - [C1_weights]: softmax at temperature [tau * factor] of the scores [factor * s j] is softmax at [tau] of [s j].
    - [C1_transfer]: so is every distance to other weights.
    - [C1_rightmost]: the head of B6 with scores divided by n, at temperature tau / n.
    - [C1_bounded]: its scores c (2 [chi j] + j / n) lie between 0 and 3 c.
    - [C1_lookup]: the lookup of B3 with scores divided by n^2, at temperature tau / n^2.

    Notation: Definitions.v. References: notes/c-temperature.md, C1. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz.
From HardSoft Require Import Definitions Sums A1 A6 Line B3 B6.
Import ListNotations.
Open Scope R_scope.

Theorem C1_weights : forall tau V s s' factor i, factor <> 0 -> (forall j, In j V -> s' j = factor * s j) -> In i V ->
  softmax (tau * factor) V s' i = softmax tau V s i.
Proof.
  intros tau V s s' factor i F E Hi.
  assert (X : forall j, In j V -> exp (s' j / (tau * factor)) = exp (s j / tau)).
  { intros j Hj. rewrite E by assumption. f_equal. unfold Rdiv. rewrite Rinv_mult. generalize (/ tau). intros.
    field. assumption. }
  unfold softmax. rewrite X by assumption. f_equal. now apply sum_ext.
Qed.

Theorem C1_transfer : forall tau V s s' factor a, factor <> 0 -> (forall j, In j V -> s' j = factor * s j) ->
  TV V (softmax (tau * factor) V s') a = TV V (softmax tau V s) a.
Proof. intros. apply tv_ext; [|reflexivity]. intros j Hj. now apply C1_weights. Qed.

(** Scores divided by [d], at temperature tau / d. *)
Lemma divided : forall tau V s d a, d <> 0 -> TV V (softmax (tau / d) V (fun j => s j / d)) a = TV V (softmax tau V s) a.
Proof.
  intros tau V s d a D. unfold Rdiv at 1. apply C1_transfer; [now apply Rinv_neq_0_compat|].
  intros j _. unfold Rdiv. ring.
Qed.

(** The rightmost true position among 1, ..., n, with scores c (A [chi j] + j) / n for any A >= n. *)
Theorem C1_rightmost : forall tau n c A chi, 0 < tau -> 0 < c -> (1 <= n)%Z -> IZR n <= A ->
  TV (positions n) (softmax (tau / IZR n) (positions n) (fun j => rightmost_scores c A chi j / IZR n))
    (one_hot (rightmost_true (positions n) chi)) < exp (- c / tau).
Proof.
  intros tau n c A chi T C N L. rewrite divided by (apply IZR_neq; lia).
  eapply (selects_right tau (positions n) n c A); try assumption; [apply nodup_positions|now apply positions_nonempty|].
  intros i j Hi Hj. apply in_positions in Hi, Hj. lia.
Qed.

Theorem C1_bounded : forall n c chi j, 0 < c -> (1 <= j <= n)%Z ->
  0 <= rightmost_scores c (2 * IZR n) chi j / IZR n <= 3 * c.
Proof.
  intros n c chi j C J. assert (1 <= IZR j) by (apply (IZR_le 1); lia). assert (IZR j <= IZR n) by (apply IZR_le; lia).
  unfold rightmost_scores. replace (c * (2 * IZR n * bit (chi j) + IZR j) / IZR n)
    with (c * (2 * bit (chi j) + IZR j / IZR n)) by (field; lra).
  assert (0 <= IZR j / IZR n) by (apply Rlt_le, Rdiv_lt_0_compat; lra).
  assert (IZR j / IZR n <= 1).
  { rewrite <- (over_1 1). apply frac_le; lra. }
  assert (0 <= bit (chi j) <= 1) by (unfold bit; destruct (chi j); lra).
  split; [apply Rmult_le_pos; lra|]. rewrite (Rmult_comm 3). apply Rmult_le_compat_l; lra.
Qed.

Theorem C1_lookup : forall tau n s c a, 0 < tau -> 0 < c -> quadratic_growth (positions n) s c a ->
  TV (positions n) (softmax (tau / IZR n ^ 2) (positions n) (fun j => s j / IZR n ^ 2)) (one_hot a) <
  2 * exp (- c / tau) / (1 + 2 * exp (- c / tau) - exp (- c / tau) ^ 3).
Proof.
  intros tau n s c a T C Q. assert (1 <= IZR n).
  { assert (I := proj1 Q). apply in_positions in I. apply (IZR_le 1). lia. }
  rewrite divided by (apply pow_nonzero; lra). apply B3_closed; try assumption. apply nodup_positions.
Qed.
