(** * D1. Clean-up

    Summary: when every attention output is within [a] < 1/2 of a Boolean, one feed-forward layer with ReLU units makes
    it exactly that Boolean; likewise the sign of an integer known up to [e] < 1/2. So errors do not accumulate.

    ** Main statements

    - [D1_zero], [D1_one], [D1_range]: [clean a x] is 0 for x <= a, 1 for x >= 1 - a, and always between 0 and 1.
    - [D1_clean]: it is [b] if [b] is 0 or 1 and |x - b| <= a.
    - [D1_masked]: with a word bit [w] it is [b w]: the Boolean inside the word, 0 outside.
    - [D1_integer_true], [D1_integer_false]: [nonnegative e x] is exactly [D >= 0] for an integer D with |x - D| <= e.
    - [D1_and_true], [D1_and_false]: [conjunction V f] is the conjunction of bits [f].
    - [D1_limit]: from a = 1/2 on there is no such function: 1/2 is within [a] of both Booleans.

    Notation: [relu x] = max(0, x). References: notes/d-logic.md, D1. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz.
From HardSoft Require Import Definitions Sums.
Open Scope R_scope.

Definition relu (x : R) : R := Rmax 0 x.
Definition clean (a x : R) : R := (relu (x - a) - relu (x - 1 + a)) / (1 - 2 * a).
Definition masked (a x w : R) : R := clean a (x + w - 1).
Definition nonnegative (e x : R) : R := Rmin 1 (Rmax 0 ((x + 1 - e) / (1 - 2 * e))).
Definition conjunction (V : list Z) (f : Z -> R) : R := relu (sum V f - size V + 1).

Lemma relu_pos : forall x, 0 <= x -> relu x = x.
Proof. intros. now apply Rmax_right. Qed.

Lemma relu_neg : forall x, x <= 0 -> relu x = 0.
Proof. intros. now apply Rmax_left. Qed.

(** The units in terms of absolute values. *)
Lemma relu_abs : forall x, relu x = (x + Rabs x) / 2.
Proof.
  intros x. destruct (Rle_or_lt 0 x); [rewrite relu_pos, Rabs_right by lra|rewrite relu_neg, Rabs_left1 by lra]; lra.
Qed.

Lemma clean_abs : forall a x, a < 1 / 2 -> clean a x = (1 - 2 * a - Rabs (1 - a - x) + Rabs (a - x)) / (2 * (1 - 2 * a)).
Proof.
  intros a x A. unfold clean. rewrite !relu_abs. rewrite (Rabs_minus_sym a x), <- (Rabs_Ropp (1 - a - x)).
  replace (- (1 - a - x)) with (x - 1 + a) by ring. field. lra.
Qed.

Lemma clamp_abs : forall t, Rmin 1 (Rmax 0 t) = 1 / 2 + Rabs t / 2 - Rabs (1 - t) / 2.
Proof.
  intros t. unfold Rmin, Rmax, Rabs. destruct (Rle_dec 0 t), (Rcase_abs t), (Rcase_abs (1 - t));
  destruct (Rle_dec 1 _); lra.
Qed.

Theorem D1_zero : forall a x, a < 1 / 2 -> x <= a -> clean a x = 0.
Proof. intros a x A X. unfold clean. rewrite !relu_neg by lra. field. lra. Qed.

Theorem D1_one : forall a x, a < 1 / 2 -> 1 - a <= x -> clean a x = 1.
Proof. intros a x A X. unfold clean. rewrite !relu_pos by lra. field. lra. Qed.

Theorem D1_range : forall a x, a < 1 / 2 -> 0 <= clean a x <= 1.
Proof.
  intros a x A. destruct (Rle_or_lt x a); [rewrite D1_zero; lra|].
  destruct (Rle_or_lt (1 - a) x); [rewrite D1_one; lra|].
  unfold clean. rewrite relu_pos, relu_neg by lra. rewrite Rminus_0_r. split.
  - apply Rlt_le, Rdiv_lt_0_compat; lra.
  - rewrite <- (over_1 1) at 2. apply frac_le; lra.
Qed.

Theorem D1_clean : forall a x b, a < 1 / 2 -> b = 0 \/ b = 1 -> Rabs (x - b) <= a -> clean a x = b.
Proof.
  intros a x b A [->| ->] X; apply abs_le_inv in X; [apply D1_zero|apply D1_one]; lra.
Qed.

Theorem D1_masked_zero : forall a x, a < 1 / 2 -> x <= 1 + a -> masked a x 0 = 0.
Proof. intros a x A X. unfold masked. apply D1_zero; lra. Qed.

Theorem D1_masked : forall a x b w, a < 1 / 2 -> b = 0 \/ b = 1 -> w = 0 \/ w = 1 -> x <= 1 + a ->
  (w = 1 -> Rabs (x - b) <= a) -> masked a x w = b * w.
Proof.
  intros a x b w A B [->| ->] X H.
  - rewrite D1_masked_zero by assumption. ring.
  - unfold masked. replace (x + 1 - 1) with x by ring. rewrite (D1_clean a x b A B) by now apply H. ring.
Qed.

Theorem D1_limit : forall a b, 1 / 2 <= a -> b = 0 \/ b = 1 -> Rabs (1 / 2 - b) <= a.
Proof. intros a b A [->| ->]; apply Rabs_le; lra. Qed.

Theorem D1_integer_true : forall e x D, e < 1 / 2 -> (0 <= D)%Z -> IZR D - x <= e -> nonnegative e x = 1.
Proof.
  intros e x D E H X. apply IZR_le in H. unfold nonnegative.
  assert (1 <= (x + 1 - e) / (1 - 2 * e)).
  { rewrite <- (over_1 1) at 1. apply frac_le; lra. }
  rewrite Rmax_right, Rmin_left; lra.
Qed.

Theorem D1_integer_false : forall e x D, e < 1 / 2 -> (D < 0)%Z -> x - IZR D <= e -> nonnegative e x = 0.
Proof.
  intros e x D E H X. assert (IZR D <= -1) by (apply IZR_le; lia). unfold nonnegative.
  assert ((x + 1 - e) / (1 - 2 * e) <= 0).
  { replace 0 with (0 / (1 - 2 * e)) by (field; lra). apply div_le; lra. }
  rewrite Rmax_left, Rmin_right; lra.
Qed.

(** [nonnegative e x] is exactly the truth value of D >= 0. *)
Theorem D1_integer : forall e x D, e < 1 / 2 -> Rabs (x - IZR D) <= e ->
  nonnegative e x = if (0 <=? D)%Z then 1 else 0.
Proof.
  intros e x D E X. apply abs_le_inv in X. destruct (Z.leb_spec 0 D).
  - apply (D1_integer_true e x D); [assumption..|lra].
  - apply (D1_integer_false e x D); [assumption..|lra].
Qed.

Theorem D1_and_true : forall V f, (forall j, In j V -> f j = 1) -> conjunction V f = 1.
Proof.
  intros V f H. unfold conjunction. rewrite (sum_ext V f (fun _ => 1)) by assumption. rewrite sum_const, relu_pos; lra.
Qed.

Theorem D1_and_false : forall V f m, (forall j, In j V -> 0 <= f j <= 1) -> In m V -> f m = 0 -> conjunction V f = 0.
Proof.
  intros V f m H Hm F. unfold conjunction. apply relu_neg.
  assert (X := sum_term V (fun j => 1 - f j) m). rewrite sum_minus, sum_const, F in X.
  assert (1 - 0 <= size V * 1 - sum V f); [|lra].
  change (sum V f) with (sum V (fun j => f j)). apply X; [|assumption]. intros j Hj. generalize (H j Hj). lra.
Qed.
