(** * A5. Perturbed scores

    Summary: if no score moves by more than [eta], the softmax weights move by at most tanh(eta / (2 tau)) in total
    variation distance, and this is attained.

    ** Main statements

    - [A5_bound]: TV(softmax s', softmax s) <= tanh(eta / (2 tau)).
    - [A5_linear]: tanh(eta / (2 tau)) <= eta / (2 tau).
    - [A5_mass], [A5_raised]: how far the mass of a set of positions can grow, and when it grows that far.
    - [A5_tight]: equality when a set of softmax mass 1/(exp(eta/tau) + 1) moves by [+ eta] and the rest by [- eta].
    - [A5_sharp]: such a row exists, for all [eta] >= 0 and [tau] > 0.

    Notation: Definitions.v; [tanh] is the standard library's; r = exp(eta / tau). References: notes/a-softmax-gap.md, A5. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz.
From HardSoft Require Import Definitions Sums A1.
Import ListNotations.
Open Scope R_scope.

(** Scores [s'] are within [eta] of the scores [s]. *)
Definition within (V : list Z) (eta : R) (s s' : Z -> R) : Prop := forall j, In j V -> Rabs (s' j - s j) <= eta.

(** The mass of a set, given by an indicator function [chi] (or of a fuzzy set). *)
Definition mass (V : list Z) (chi p : Z -> R) : R := sum V (fun j => chi j * p j).

Lemma exp_double : forall eta tau, exp (2 * eta / tau) = exp (eta / tau) * exp (eta / tau).
Proof. intros. rewrite <- exp_plus. f_equal. unfold Rdiv. ring. Qed.

Lemma tanh_exp : forall x, tanh x = (exp (2 * x) - 1) / (exp (2 * x) + 1).
Proof.
  intros x. unfold tanh, sinh, cosh. replace (2 * x) with (x + x) by ring. rewrite exp_plus, exp_Ropp.
  assert (X := exp_pos x). field. repeat split; nra.
Qed.

Lemma tanh_half : forall eta tau, tanh (eta / (2 * tau)) = (exp (eta / tau) - 1) / (exp (eta / tau) + 1).
Proof.
  intros. rewrite tanh_exp. replace (2 * (eta / (2 * tau))) with (eta / tau); [reflexivity|].
  unfold Rdiv. rewrite Rinv_mult. generalize (/ tau). intros. field.
Qed.

(** The masses E and E' of a set and its complement before normalisation, under a perturbation. *)
Lemma mass_softmax : forall tau V s chi, V <> [] ->
  mass V chi (softmax tau V s) = sum V (fun j => chi j * exp (s j / tau)) / sum V (fun j => exp (s j / tau)).
Proof.
  intros. unfold mass. rewrite <- sum_div. apply sum_ext. intros j _. unfold softmax, Rdiv. ring.
Qed.

Lemma complement : forall tau V s chi,
  sum V (fun j => exp (s j / tau)) =
  sum V (fun j => chi j * exp (s j / tau)) + sum V (fun j => (1 - chi j) * exp (s j / tau)).
Proof. intros. rewrite <- sum_plus. apply sum_ext. intros. ring. Qed.

Lemma exp_within : forall tau V s s' eta j, 0 < tau -> within V eta s s' -> In j V ->
  exp (s' j / tau) <= exp (eta / tau) * exp (s j / tau) /\ exp (s j / tau) <= exp (eta / tau) * exp (s' j / tau).
Proof.
  intros tau V s s' eta j T W Hj. assert (B := W j Hj). apply abs_le_inv in B.
  rewrite <- !exp_plus. split; apply exp_le.
  - replace (eta / tau + s j / tau) with ((eta + s j) / tau) by (unfold Rdiv; ring). apply div_le; lra.
  - replace (eta / tau + s' j / tau) with ((eta + s' j) / tau) by (unfold Rdiv; ring). apply div_le; lra.
Qed.

Theorem A5_mass : forall tau V s s' eta chi, 0 < tau -> V <> [] -> within V eta s s' ->
  (forall j, In j V -> 0 <= chi j <= 1) ->
  (1 + (exp (2 * eta / tau) - 1) * mass V chi (softmax tau V s)) * mass V chi (softmax tau V s') <=
  exp (2 * eta / tau) * mass V chi (softmax tau V s).
Proof.
  intros tau V s s' eta chi T H W C. rewrite !mass_softmax, exp_double by assumption.
  assert (P := exp_sum_pos tau V s H). assert (P' := exp_sum_pos tau V s' H).
  assert (R := exp_pos (eta / tau)). set (r := exp (eta / tau)) in *.
  rewrite (complement tau V s chi), (complement tau V s' chi) in *.
  assert (A1 : sum V (fun j => chi j * exp (s' j / tau)) <= r * sum V (fun j => chi j * exp (s j / tau))).
  { rewrite <- sum_scal. apply sum_le. intros j Hj.
    destruct (exp_within tau V s s' eta j T W Hj) as [X _]. fold r in X. generalize (C j Hj). nra. }
  assert (A2 : sum V (fun j => (1 - chi j) * exp (s j / tau)) <= r * sum V (fun j => (1 - chi j) * exp (s' j / tau))).
  { rewrite <- sum_scal. apply sum_le. intros j Hj.
    destruct (exp_within tau V s s' eta j T W Hj) as [_ X]. fold r in X. generalize (C j Hj). nra. }
  assert (B : forall w, 0 <= sum V (fun j => chi j * exp (w j / tau))).
  { intros w. apply sum_nonneg. intros j Hj. generalize (C j Hj) (exp_pos (w j / tau)). nra. }
  assert (B' : forall w, 0 <= sum V (fun j => (1 - chi j) * exp (w j / tau))).
  { intros w. apply sum_nonneg. intros j Hj. generalize (C j Hj) (exp_pos (w j / tau)). nra. }
  generalize (B s) (B s') (B' s) (B' s'). clear B B'.
  set (E1 := sum V (fun j => chi j * exp (s j / tau))) in *.
  set (E1' := sum V (fun j => chi j * exp (s' j / tau))) in *.
  set (E0 := sum V (fun j => (1 - chi j) * exp (s j / tau))) in *.
  set (E0' := sum V (fun j => (1 - chi j) * exp (s' j / tau))) in *.
  intros.
  replace ((1 + (r * r - 1) * (E1 / (E1 + E0))) * (E1' / (E1' + E0')))
    with ((E0 + r * r * E1) * E1' / ((E1 + E0) * (E1' + E0'))) by (field; lra).
  replace (r * r * (E1 / (E1 + E0))) with (r * r * E1 * (E1' + E0') / ((E1 + E0) * (E1' + E0'))) by (field; lra).
  apply div_le; [now apply Rmult_lt_0_compat|].
  assert (E0 * E1' <= (r * E0') * (r * E1)); [|lra].
  apply Rmult_le_compat; assumption.
Qed.

(** Mass grows exactly that far when the set rises and the rest falls by [eta]. *)
Lemma raised_weights : forall tau (s s' : Z -> R) eta (chi : Z -> R) j, chi j = 0 \/ chi j = 1 -> s' j = s j + eta * (2 * chi j - 1) ->
  exp (s' j / tau) = chi j * (exp (eta / tau) * exp (s j / tau)) + (1 - chi j) * (exp (s j / tau) / exp (eta / tau)).
Proof.
  intros tau s s' eta chi j C E. assert (P := exp_pos (eta / tau)). rewrite E. destruct C as [->| ->].
  - replace ((s j + eta * (2 * 0 - 1)) / tau) with (s j / tau + - (eta / tau)) by (unfold Rdiv; ring).
    rewrite exp_plus, exp_Ropp. field. lra.
  - replace ((s j + eta * (2 * 1 - 1)) / tau) with (eta / tau + s j / tau) by (unfold Rdiv; ring).
    rewrite exp_plus. field. lra.
Qed.

Lemma raised_sums : forall tau V s s' eta chi, (forall j, In j V -> chi j = 0 \/ chi j = 1) ->
  (forall j, In j V -> s' j = s j + eta * (2 * chi j - 1)) ->
  sum V (fun j => chi j * exp (s' j / tau)) = exp (eta / tau) * sum V (fun j => chi j * exp (s j / tau)) /\
  sum V (fun j => (1 - chi j) * exp (s' j / tau)) = sum V (fun j => (1 - chi j) * exp (s j / tau)) / exp (eta / tau).
Proof.
  intros tau V s s' eta chi C E. rewrite <- sum_scal, <- sum_div. split; apply sum_ext; intros j Hj;
  rewrite (raised_weights tau s s' eta chi j (C j Hj) (E j Hj)); destruct (C j Hj) as [->| ->]; unfold Rdiv; ring.
Qed.

Theorem A5_raised : forall tau V s s' eta chi, V <> [] -> (forall j, In j V -> chi j = 0 \/ chi j = 1) ->
  (forall j, In j V -> s' j = s j + eta * (2 * chi j - 1)) ->
  (1 + (exp (2 * eta / tau) - 1) * mass V chi (softmax tau V s)) * mass V chi (softmax tau V s') =
  exp (2 * eta / tau) * mass V chi (softmax tau V s).
Proof.
  intros tau V s s' eta chi H C E. rewrite !mass_softmax, exp_double by assumption.
  assert (P := exp_sum_pos tau V s H). assert (P' := exp_sum_pos tau V s' H).
  rewrite (complement tau V s chi), (complement tau V s' chi) in *.
  destruct (raised_sums tau V s s' eta chi C E) as [X Y]. rewrite X, Y in *.
  assert (R := exp_pos (eta / tau)). set (r := exp (eta / tau)) in *.
  set (E1 := sum V (fun j => chi j * exp (s j / tau))) in *.
  set (E0 := sum V (fun j => (1 - chi j) * exp (s j / tau))) in *.
  assert (Q : 0 < r * r * E1 + E0).
  { replace (r * r * E1 + E0) with (r * (r * E1 + E0 / r)) by (field; lra). now apply Rmult_lt_0_compat. }
  field. repeat split; lra.
Qed.

(** Two weight vectors of total 1: their distance is the growth of the mass of the set where the first is larger. *)
Lemma tv_mass : forall V p a, sum V p = 1 -> sum V a = 1 ->
  TV V p a = mass V (fun j => if Rlt_dec (a j) (p j) then 1 else 0) p
           - mass V (fun j => if Rlt_dec (a j) (p j) then 1 else 0) a.
Proof.
  intros V p a P A. unfold TV, L1, mass. rewrite <- sum_minus.
  rewrite (sum_ext V (fun j => Rabs (p j - a j)) (fun j => 2 * ((if Rlt_dec (a j) (p j) then 1 else 0) * p j -
    (if Rlt_dec (a j) (p j) then 1 else 0) * a j) - (p j - a j))).
  - rewrite sum_minus, sum_scal, (sum_minus V p a). lra.
  - intros j _. destruct (Rlt_dec (a j) (p j)); [rewrite Rabs_right; lra|rewrite Rabs_left1; lra].
Qed.

Theorem A5_bound : forall tau V s s' eta, 0 < tau -> V <> [] -> within V eta s s' ->
  TV V (softmax tau V s') (softmax tau V s) <= tanh (eta / (2 * tau)).
Proof.
  intros tau V s s' eta T H W. rewrite tv_mass by now apply A1_normalised.
  set (chi := fun j => if Rlt_dec (softmax tau V s j) (softmax tau V s' j) then 1 else 0).
  assert (C : forall j, In j V -> 0 <= chi j <= 1).
  { intros j _. unfold chi. destruct (Rlt_dec (softmax tau V s j) (softmax tau V s' j)); lra. }
  assert (M := A5_mass tau V s s' eta chi T H W C). rewrite exp_double in M. rewrite tanh_half.
  assert (R : 1 <= exp (eta / tau)).
  { rewrite <- exp_0. apply exp_le. replace 0 with (0 / tau) by (unfold Rdiv; ring). apply div_le; [assumption|].
    destruct (maximum_reached V s H) as [m [Hm _]]. apply Rle_trans with (2 := W m Hm), Rabs_pos. }
  set (r := exp (eta / tau)) in *.
  assert (P0 : 0 <= mass V chi (softmax tau V s)).
  { apply sum_nonneg. intros j Hj. apply Rmult_le_pos; [apply C, Hj|apply Rlt_le, A1_positive, H]. }
  set (x := mass V chi (softmax tau V s)) in *. set (y := mass V chi (softmax tau V s')) in *.
  assert (D : 0 < 1 + (r * r - 1) * x) by (assert (0 <= (r * r - 1) * x) by (apply Rmult_le_pos; nra); lra).
  assert (Y : y <= r * r * x / (1 + (r * r - 1) * x)).
  { rewrite <- (over_1 y). apply frac_le; lra. }
  assert (B : r * r * x / (1 + (r * r - 1) * x) <= x + (r - 1) / (r + 1)); [|lra].
  replace (x + (r - 1) / (r + 1)) with ((x * (r + 1) + (r - 1)) / (r + 1)) by (field; lra).
  apply frac_le; [assumption|lra|].
  assert (0 <= (r - 1) * ((1 - (r + 1) * x) * (1 - (r + 1) * x))); [|nra].
  apply Rmult_le_pos; [lra|apply Rle_0_sqr].
Qed.

(** ** The linear bound *)

Lemma tanh_le : forall x, 0 <= x -> tanh x <= x.
Proof.
  intros x X. pose (f := fun x => x * cosh x - sinh x).
  assert (D : forall c, derivable_pt_lim f c (1 * cosh c + c * sinh c - cosh c)).
  { intros c. unfold f. apply derivable_pt_lim_minus; [|apply derivable_pt_lim_sinh].
    apply (derivable_pt_lim_mult id cosh); [apply derivable_pt_lim_id|apply derivable_pt_lim_cosh]. }
  assert (S : forall c, 0 <= c -> 0 <= sinh c).
  { intros c C. unfold sinh. assert (exp (- c) <= exp c) by (apply exp_le; lra). lra. }
  assert (F : 0 <= f x).
  { destruct X as [X|<-].
    - destruct (MVT_cor2 f (fun c => 1 * cosh c + c * sinh c - cosh c) 0 x X) as [c [E [C1 C2]]];
        [intros; apply D|].
      assert (f 0 = 0) by (unfold f; rewrite sinh_0; ring).
      assert (0 <= c * sinh c) by (apply Rmult_le_pos; [|apply S]; lra). nra.
    - unfold f. rewrite sinh_0. lra. }
  assert (P : 0 < cosh x) by (unfold cosh; generalize (exp_pos x) (exp_pos (- x)); lra).
  unfold tanh. rewrite <- (over_1 x) at 3. apply frac_le; [assumption|lra|]. unfold f in F. lra.
Qed.

Theorem A5_linear : forall eta tau, 0 <= eta -> 0 < tau -> tanh (eta / (2 * tau)) <= eta / (2 * tau).
Proof.
  intros. apply tanh_le. destruct H as [H|<-]; [left; apply Rdiv_lt_0_compat; lra|unfold Rdiv; lra].
Qed.

(** ** Sharpness *)

Theorem A5_tight : forall tau V s s' eta chi, 0 < tau -> V <> [] -> 0 <= eta ->
  (forall j, In j V -> chi j = 0 \/ chi j = 1) -> (forall j, In j V -> s' j = s j + eta * (2 * chi j - 1)) ->
  mass V chi (softmax tau V s) = 1 / (exp (eta / tau) + 1) ->
  TV V (softmax tau V s') (softmax tau V s) = tanh (eta / (2 * tau)).
Proof.
  intros tau V s s' eta chi T H N C E M. rewrite tanh_half.
  assert (R : 1 <= exp (eta / tau)).
  { rewrite <- exp_0. apply exp_le. replace 0 with (0 / tau) by (unfold Rdiv; ring). now apply div_le. }
  destruct (raised_sums tau V s s' eta chi C E) as [X Y].
  assert (P := exp_sum_pos tau V s H). assert (M' := M). rewrite mass_softmax in M' by assumption.
  assert (S := complement tau V s chi). assert (S' := complement tau V s' chi). rewrite X, Y in S'. clear X Y.
  assert (W : forall j, In j V -> exp (s' j / tau) = chi j * (exp (eta / tau) * exp (s j / tau)) +
    (1 - chi j) * (exp (s j / tau) / exp (eta / tau))).
  { intros j Hj. apply raised_weights; auto. }
  set (r := exp (eta / tau)) in *.
  set (E1 := sum V (fun j => chi j * exp (s j / tau))) in *.
  set (E0 := sum V (fun j => (1 - chi j) * exp (s j / tau))) in *.
  set (Z := sum V (fun j => exp (s j / tau))) in *. set (Z' := sum V (fun j => exp (s' j / tau))) in *.
  assert (E1Z : E1 * (r + 1) = Z).
  { apply (Rmult_eq_reg_r (/ Z)); [|apply Rinv_neq_0_compat; lra].
    replace (E1 * (r + 1) * / Z) with (E1 / Z * (r + 1)) by (unfold Rdiv; ring). rewrite M'. field. lra. }
  assert (ZZ : Z' = Z).
  { rewrite S'. replace E0 with (E1 * r) by lra. field_simplify; [|lra]. lra. }
  unfold TV, L1.
  rewrite (sum_ext V _ (fun j => (r - 1) * (chi j * softmax tau V s j) +
    (1 - 1 / r) * (softmax tau V s j - chi j * softmax tau V s j))).
  - rewrite sum_plus, !sum_scal, sum_minus, A1_normalised by assumption. fold (mass V chi (softmax tau V s)).
    rewrite M. field. lra.
  - intros j Hj. assert (Q := A1_positive tau V s j H).
    replace (softmax tau V s' j) with
      (chi j * (r * softmax tau V s j) + (1 - chi j) * (softmax tau V s j / r)).
    + assert (0 < softmax tau V s j / r) by (apply Rdiv_lt_0_compat; lra).
      assert (softmax tau V s j / r <= softmax tau V s j).
      { rewrite <- (over_1 (softmax tau V s j)) at 2. apply frac_le; [lra|lra|nra]. }
      destruct (C j Hj) as [->| ->]; [rewrite Rabs_left1; [field; lra|lra]|rewrite Rabs_right; [field; lra|nra]].
    + unfold softmax. fold Z Z'. rewrite W, ZZ by assumption. field. lra.
Qed.

(** The example: two positions, scores 0 and [eta], and the lower one rises while the other falls. *)
Theorem A5_sharp : forall tau eta, 0 < tau -> 0 <= eta -> exists V s s', V <> [] /\ within V eta s s' /\
  TV V (softmax tau V s') (softmax tau V s) = tanh (eta / (2 * tau)).
Proof.
  intros tau eta T N. exists [1%Z; 2%Z], (fun j => if Z.eqb j 1 then 0 else eta),
    (fun j => if Z.eqb j 1 then eta else 0).
  split; [discriminate|]. split.
  - intros j [<-|[<-|[]]]; simpl; [rewrite Rabs_right|rewrite Rabs_left1]; lra.
  - apply (A5_tight _ _ _ _ _ (fun j => if Z.eqb j 1 then 1 else 0)); try assumption; [discriminate|..].
    + intros j [<-|[<-|[]]]; simpl; [now right|now left].
    + intros j [<-|[<-|[]]]; simpl; ring.
    + unfold mass, softmax. simpl. replace (0 / tau) with 0 by (unfold Rdiv; ring). rewrite exp_0.
      generalize (exp_pos (eta / tau)). intros. field. lra.
Qed.
