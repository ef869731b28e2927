(** * A7. From weights to values

    Summary: attention outputs differ by at most the total variation distance of the weights times the range of the
    values; values that are off by [nu] add at most [nu].

    ** Main statements

    - [A7_bound]: |output a v - output p v| <= TV(p, a) (hi - lo) for values between [lo] and [hi].
    - [A7_tight]: equality if the values are [hi] where p >= a and [lo] elsewhere.
    - [A7_perturbed], [A7_perturbed_tight]: the same with values [v'] that are within [nu] of [v].

    [p] and [a] are any weights that add up to 1 (in [A7_perturbed], p >= 0).
    Notation: Definitions.v. References: notes/a-softmax-gap.md, A7. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz.
From HardSoft Require Import Definitions Sums.
Open Scope R_scope.

(** The difference of outputs, with values measured from the middle of their range. *)
Lemma centred : forall V p a v c, sum V p = 1 -> sum V a = 1 ->
  output V p v - output V a v = sum V (fun j => (p j - a j) * (v j - c)).
Proof.
  intros V p a v c P A. unfold output.
  rewrite (sum_ext V (fun j => (p j - a j) * (v j - c)) (fun j => (p j * v j - a j * v j) - c * (p j - a j)))
    by (intros; ring).
  rewrite sum_minus, sum_minus, sum_scal, sum_minus, P, A. ring.
Qed.

Theorem A7_bound : forall V p a v lo hi, sum V p = 1 -> sum V a = 1 ->
  (forall j, In j V -> lo <= v j <= hi) ->
  Rabs (output V a v - output V p v) <= TV V p a * (hi - lo).
Proof.
  intros V p a v lo hi P A B. rewrite Rabs_minus_sym, (centred V p a v ((lo + hi) / 2)) by assumption.
  eapply Rle_trans; [apply sum_abs|]. unfold TV, L1.
  replace (sum V (fun j => Rabs (p j - a j)) / 2 * (hi - lo))
    with ((hi - lo) / 2 * sum V (fun j => Rabs (p j - a j))) by field.
  rewrite <- sum_scal. apply sum_le. intros j Hj. rewrite Rabs_mult, Rmult_comm.
  apply Rmult_le_compat_r; [apply Rabs_pos|]. generalize (B j Hj). intros. apply Rabs_le. lra.
Qed.

(** Values at the ends of the range: [hi] where p >= a and [lo] where p <= a. *)
Definition at_the_ends (V : list Z) (p a v : Z -> R) (lo hi : R) : Prop :=
  forall j, In j V -> (v j = hi /\ a j <= p j) \/ (v j = lo /\ p j <= a j).

Lemma tight_difference : forall V p a v lo hi, sum V p = 1 -> sum V a = 1 -> at_the_ends V p a v lo hi ->
  output V p v - output V a v = TV V p a * (hi - lo).
Proof.
  intros V p a v lo hi P A E. rewrite (centred V p a v ((lo + hi) / 2)) by assumption. unfold TV, L1.
  replace (sum V (fun j => Rabs (p j - a j)) / 2 * (hi - lo))
    with ((hi - lo) / 2 * sum V (fun j => Rabs (p j - a j))) by field.
  rewrite <- sum_scal. apply sum_ext. intros j Hj.
  destruct (E j Hj) as [[-> H]|[-> H]]; [rewrite Rabs_right by lra|rewrite Rabs_left1 by lra]; field.
Qed.

Lemma tv_nonneg : forall V p a, 0 <= TV V p a.
Proof.
  intros. unfold TV, L1. assert (0 <= sum V (fun j => Rabs (p j - a j))); [|lra].
  apply sum_nonneg. intros. apply Rabs_pos.
Qed.

Theorem A7_tight : forall V p a v lo hi, sum V p = 1 -> sum V a = 1 -> lo <= hi -> at_the_ends V p a v lo hi ->
  Rabs (output V a v - output V p v) = TV V p a * (hi - lo).
Proof.
  intros V p a v lo hi P A L E. rewrite Rabs_minus_sym, (tight_difference V p a v lo hi) by assumption.
  apply Rabs_right, Rle_ge, Rmult_le_pos; [apply tv_nonneg|lra].
Qed.

Theorem A7_perturbed : forall V p a v v' lo hi nu, sum V p = 1 -> sum V a = 1 -> (forall j, In j V -> 0 <= p j) ->
  (forall j, In j V -> lo <= v j <= hi) -> (forall j, In j V -> Rabs (v' j - v j) <= nu) ->
  Rabs (output V a v - output V p v') <= nu + TV V p a * (hi - lo).
Proof.
  intros V p a v v' lo hi nu P A N B W.
  replace (output V a v - output V p v') with ((output V a v - output V p v) + sum V (fun j => p j * (v j - v' j))).
  - eapply Rle_trans; [apply Rabs_triang|]. rewrite Rplus_comm. apply Rplus_le_compat; [|now apply A7_bound].
    eapply Rle_trans; [apply sum_abs|]. replace nu with (nu * sum V p) by (rewrite P; ring).
    rewrite <- sum_scal. apply sum_le. intros j Hj. rewrite Rabs_mult, Rabs_right by (apply Rle_ge, N, Hj).
    rewrite (Rmult_comm nu). apply Rmult_le_compat_l; [apply N, Hj|]. rewrite Rabs_minus_sym. apply W, Hj.
  - unfold output. rewrite (sum_ext V (fun j => p j * (v j - v' j)) (fun j => p j * v j - p j * v' j)) by (intros; ring).
    rewrite sum_minus. ring.
Qed.

Theorem A7_perturbed_tight : forall V p a v v' lo hi nu, sum V p = 1 -> sum V a = 1 -> lo <= hi -> 0 <= nu ->
  at_the_ends V p a v lo hi -> (forall j, In j V -> v' j = v j + nu) ->
  Rabs (output V a v - output V p v') = nu + TV V p a * (hi - lo).
Proof.
  intros V p a v v' lo hi nu P A L N E W. rewrite Rabs_minus_sym.
  replace (output V p v' - output V a v) with (nu + TV V p a * (hi - lo)).
  - apply Rabs_right, Rle_ge, Rplus_le_le_0_compat; [assumption|apply Rmult_le_pos; [apply tv_nonneg|lra]].
  - rewrite <- (tight_difference V p a v lo hi) by assumption. unfold output.
    rewrite (sum_ext V (fun j => p j * v' j) (fun j => p j * v j + nu * p j)) by (intros j Hj; rewrite (W j Hj); ring).
    rewrite sum_plus, sum_scal, P. ring.
Qed.
