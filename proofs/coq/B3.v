(** * B3. Table lookup by quadratic maximisation

    Summary: scores that fall by at least c (j - a)^2 from the position [a] that is looked up, for example
    c (2 a j - j^2), give TV < 2 q / (1 + 2 q - q^3) with q = exp(- c / tau), for any set of visible positions.

    ** Main statements

    - [B3_closed]: the closed-form bound.
    - [B3_parabola]: the scores c (2 a j - j^2) are such scores.
    - [B3_half]: one side: q + q^4 + q^9 + ... + q^(L^2) < q / (1 - q^3).

    The bound by Jacobi's theta function (B3.theta) is not formalised here.
    Notation: Definitions.v, Line.v. References: notes/b-positional.md, B3; the closed form uses d^2 >= 3 d - 2. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz.
From HardSoft Require Import Definitions Sums A1 A6 Line B2.
Import ListNotations.
Open Scope R_scope.

Definition quadratic_growth (V : list Z) (s : Z -> R) (c : R) (a : Z) : Prop :=
  In a V /\ forall j, In j V -> c * IZR ((j - a) * (j - a)) <= s a - s j.

Lemma B3_parabola : forall V c a, In a V -> quadratic_growth V (fun j => c * (2 * IZR a * IZR j - IZR j * IZR j)) c a.
Proof. intros V c a H. split; [exact H|]. intros j _. rewrite mult_IZR, minus_IZR. right. ring. Qed.

(** exp(- c d^2 / tau) <= q^(-2) (q^3)^d, by d^2 >= 3 d - 2. *)
Lemma square_decay : forall c tau d (e : Z), 0 < c -> 0 < tau -> (1 <= e)%Z -> c * IZR (e * e) <= d ->
  exp (- c / tau) ^ 2 * exp (- d / tau) <= (exp (- c / tau) ^ 3) ^ Z.to_nat e.
Proof.
  intros c tau d e C T E H. rewrite <- pow_mult.
  replace (3 * Z.to_nat e)%nat with (Z.to_nat (3 * e)) by lia.
  replace (exp (- c / tau) ^ 2) with (exp (- (2 * c) / tau)).
  - rewrite <- exp_plus. replace (- (2 * c) / tau + - d / tau) with (- (2 * c + d) / tau) by (unfold Rdiv; ring).
    apply decay_power; [assumption|lia|].
    assert (I : IZR (3 * e - 2) <= IZR (e * e)) by (apply IZR_le; destruct (Z.eq_dec e 1); nia).
    rewrite minus_IZR, mult_IZR in I. rewrite mult_IZR.
    apply (Rmult_le_compat_l c) in I; [|lra]. lra.
  - simpl. rewrite Rmult_1_r, <- exp_plus. f_equal. unfold Rdiv. ring.
Qed.

Lemma side_bound : forall q W f (e : Z -> Z), 0 < q < 1 -> NoDup W ->
  (forall i j, In i W -> In j W -> e i = e j -> i = j) -> (forall j, In j W -> (1 <= e j)%Z) ->
  (forall j, In j W -> q ^ 2 * f j <= (q ^ 3) ^ Z.to_nat (e j)) -> sum W f < q / (1 - q ^ 3).
Proof.
  intros q W f e Q U I P F. assert (Q2 : 0 < q ^ 2) by (apply pow_lt; lra).
  assert (Q3 : 0 < q ^ 3 < 1).
  { split; [apply pow_lt; lra|]. generalize (pow_01 q 2 Q). intros. change (q ^ 3) with (q * q ^ 2). nra. }
  assert (B : sum W (fun j => q ^ 2 * f j) <= geometric (length W) (q ^ 3)) by now apply (distinct_sum _ e).
  rewrite sum_scal in B. assert (C : geometric (length W) (q ^ 3) < q ^ 3 / (1 - q ^ 3)).
  { unfold geometric. apply div_lt; [lra|]. generalize (pow_01 (q ^ 3) (length W) Q3). nra. }
  apply Rmult_lt_reg_l with (q ^ 2); [assumption|].
  replace (q ^ 2 * (q / (1 - q ^ 3))) with (q ^ 3 / (1 - q ^ 3)) by (field; lra). lra.
Qed.

Theorem B3_half : forall L c tau, 0 < c -> 0 < tau ->
  sum (positions L) (fun d => exp (- c * IZR d ^ 2 / tau)) < exp (- c / tau) / (1 - exp (- c / tau) ^ 3).
Proof.
  intros L c tau C T. apply (side_bound _ _ _ (fun d => d)); [now apply exp_decay|apply nodup_positions|auto|..];
  intros d Hd; apply in_positions in Hd; [lia|].
  replace (- c * IZR d ^ 2 / tau) with (- (c * IZR d ^ 2) / tau) by (unfold Rdiv; ring).
  apply square_decay; [assumption|assumption|lia|]. rewrite mult_IZR. right. ring.
Qed.

Theorem B3_closed : forall tau V s c a, 0 < tau -> 0 < c -> NoDup V -> quadratic_growth V s c a ->
  TV V (softmax tau V s) (one_hot a) < 2 * exp (- c / tau) / (1 + 2 * exp (- c / tau) - exp (- c / tau) ^ 3).
Proof.
  intros tau V s c a T C U [Ha D]. assert (Q := exp_decay c tau C T). set (q := exp (- c / tau)) in *.
  assert (Sole : sole_maximiser V s a).
  { split; [exact Ha|]. intros j Hj J. generalize (D j Hj).
    assert (1 <= IZR ((j - a) * (j - a))) by (apply (IZR_le 1); nia).
    assert (c * 1 <= c * IZR ((j - a) * (j - a))) by (apply Rmult_le_compat_l; lra). lra. }
  rewrite sole_distance, (sole_others tau V s a), sum_sides by assumption.
  assert (E : forall j, In j V -> j <> a ->
    q ^ 2 * exp (- (s a - s j) / tau) <= (q ^ 3) ^ Z.to_nat (Z.abs (j - a))).
  { intros j Hj J. apply square_decay; [assumption|assumption|lia|]. rewrite <- Z.abs_mul, Z.abs_eq by nia. now apply D. }
  assert (B : sum (left_of a V) (fun j => exp (- (s a - s j) / tau)) < q / (1 - q ^ 3)).
  { apply (side_bound q _ _ (fun j => Z.abs (j - a))); try assumption; [now apply NoDup_filter|..];
    intros; rewrite in_left in *; try lia. apply E; [tauto|lia]. }
  assert (B' : sum (right_of a V) (fun j => exp (- (s a - s j) / tau)) < q / (1 - q ^ 3)).
  { apply (side_bound q _ _ (fun j => Z.abs (j - a))); try assumption; [now apply NoDup_filter|..];
    intros; rewrite in_right in *; try lia. apply E; [tauto|lia]. }
  assert (Q3 : 0 < q ^ 3 < q).
  { split; [apply pow_lt; lra|]. assert (q ^ 2 < 1) by (simpl; nra). change (q ^ 3) with (q * q ^ 2). nra. }
  replace (2 * q / (1 + 2 * q - q ^ 3)) with ((2 * (q / (1 - q ^ 3))) / (1 + 2 * (q / (1 - q ^ 3)))) by (field; lra).
  apply share_lt; [lra| |lra].
  apply Rplus_le_le_0_compat; apply sum_nonneg; intros; apply Rlt_le, exp_pos.
Qed.
