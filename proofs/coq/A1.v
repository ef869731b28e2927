(** * A1. The exact error of softmax attention against hard attention

    Summary: the total variation distance is a function of the number [k] of maximisers and of the excess
    Z' = [others tau V s] alone.

    ** Main statements

    - [A1_exact]: TV(softmax, average-hard) = Z' / (k + Z').
    - [A1_one_maximiser], [A1_leftmost], [A1_rightmost]: TV(softmax, unique-hard) = (k - 1 + Z') / (k + Z').
    - [A1_weights]: the weight of position [i] is exp(- (maximum - s i) / tau) / (k + Z').
    - [A1_positive], [A1_normalised], [A1_nonnegative]: weights are positive and add up to 1; Z' >= 0.

    Notation: Definitions.v. Nothing is assumed of [tau] here: softmax is defined for every real [tau] (division by 0
    gives some real number). References: notes/a-softmax-gap.md, A1. *)

From Coq Require Import Reals ZArith List Lia Lra.
From HardSoft Require Import Definitions Sums.
Import ListNotations.
Open Scope R_scope.

Theorem A1_normaliser : forall tau V s, V <> [] -> 0 < sum V (fun j => exp (s j / tau)).
Proof. exact exp_sum_pos. Qed.

Theorem A1_positive : forall tau V s i, V <> [] -> 0 < softmax tau V s i.
Proof.
  intros. unfold softmax. apply Rdiv_lt_0_compat; [apply exp_pos|now apply A1_normaliser].
Qed.

Theorem A1_normalised : forall tau V s, V <> [] -> sum V (softmax tau V s) = 1.
Proof.
  intros. unfold softmax. rewrite sum_div. field. apply Rgt_not_eq, A1_normaliser. assumption.
Qed.

Theorem A1_nonnegative : forall tau V s, 0 <= others tau V s.
Proof.
  intros. apply sum_nonneg. intros j _. destruct (is_maximal V s j); [lra|apply Rlt_le, exp_pos].
Qed.

(** exp(x / t) relative to exp(y / t). *)
Lemma exp_shift : forall x y t, exp (x / t) = exp (y / t) * exp (- (y - x) / t).
Proof. intros. rewrite <- exp_plus. f_equal. unfold Rdiv. ring. Qed.

Lemma normaliser_eq : forall tau V s,
  sum V (fun j => exp (s j / tau)) = exp (maximum V s / tau) * (ties V s + others tau V s).
Proof.
  intros. rewrite ties_sum. unfold others. rewrite <- sum_plus, <- sum_scal. apply sum_ext. intros j _.
  destruct (is_maximal V s j) eqn:E.
  - apply maximal_true in E. rewrite E. ring.
  - rewrite Rplus_0_l. apply exp_shift.
Qed.

Lemma total_pos : forall tau V s, V <> [] -> 0 < ties V s + others tau V s.
Proof. intros tau V s H. generalize (ties_ge_1 V s H) (A1_nonnegative tau V s). lra. Qed.

Theorem A1_weights : forall tau V s i, V <> [] ->
  softmax tau V s i = exp (- (maximum V s - s i) / tau) / (ties V s + others tau V s).
Proof.
  intros tau V s i H. unfold softmax. rewrite normaliser_eq, (exp_shift (s i) (maximum V s)). field.
  split; [apply Rgt_not_eq, total_pos, H|apply Rgt_not_eq, exp_pos].
Qed.

(** The weight of a maximiser. *)
Lemma weight_maximal : forall tau V s i, V <> [] -> is_maximal V s i = true ->
  softmax tau V s i = 1 / (ties V s + others tau V s).
Proof.
  intros tau V s i H E. apply maximal_true in E. rewrite A1_weights by assumption. rewrite E.
  replace (- (maximum V s - maximum V s) / tau) with 0 by (unfold Rdiv; ring). now rewrite exp_0.
Qed.

Theorem A1_exact : forall tau V s, V <> [] ->
  TV V (softmax tau V s) (average_hard V s) = others tau V s / (ties V s + others tau V s).
Proof.
  intros tau V s H. unfold TV, L1.
  assert (K := ties_ge_1 V s H). assert (Z := A1_nonnegative tau V s).
  set (k := ties V s) in *. set (z := others tau V s) in *.
  rewrite (sum_ext V _ (fun j => (1 / k - 1 / (k + z)) * (if is_maximal V s j then 1 else 0) +
    / (k + z) * (if is_maximal V s j then 0 else exp (- (maximum V s - s j) / tau)))).
  - rewrite sum_plus, !sum_scal, <- ties_sum. fold (others tau V s). fold z. fold k. field. lra.
  - intros j _. unfold average_hard. fold k. destruct (is_maximal V s j) eqn:E.
    + rewrite weight_maximal by assumption. fold k z.
      rewrite Rabs_minus_sym, Rabs_right; [ring|].
      assert (1 / (k + z) <= 1 / k) by (apply frac_le; lra). lra.
    + rewrite A1_weights by assumption. fold k z. rewrite Rminus_0_r, Rabs_right; [field; lra|].
      apply Rle_ge, Rlt_le, Rdiv_lt_0_compat; [apply exp_pos|lra].
Qed.

(** The unique-hard choice [m] may be any maximiser; leftmost and rightmost hard attention are instances. *)
Theorem A1_one_maximiser : forall tau V s m, NoDup V -> In m (maximisers V s) ->
  TV V (softmax tau V s) (one_hot m) = (ties V s - 1 + others tau V s) / (ties V s + others tau V s).
Proof.
  intros tau V s m N Hm. apply in_maximisers in Hm. destruct Hm as [Hm Em].
  assert (H := in_nonempty m V Hm). unfold TV, L1.
  assert (K := ties_ge_1 V s H). assert (Z := A1_nonnegative tau V s).
  apply maximal_true in Em. assert (W := weight_maximal tau V s m H Em).
  set (k := ties V s) in *. set (z := others tau V s) in *.
  rewrite (sum_ext V _ (fun j => softmax tau V s j + one_hot m j * (1 - 2 / (k + z)))).
  - rewrite sum_plus, A1_normalised, sum_one_hot by assumption. field. lra.
  - intros j _. assert (P := A1_positive tau V s j H). unfold one_hot. destruct (Z.eqb_spec j m) as [->|_].
    + rewrite W. rewrite Rabs_minus_sym, Rabs_right; [field; lra|].
      assert (1 / (k + z) <= 1 / 1) by (apply frac_le; lra). lra.
    + rewrite Rabs_right; lra.
Qed.

Lemma least_in : forall V, V <> [] -> In (least V) V.
Proof.
  induction V as [|i V IH]; intros H; [congruence|]. destruct V as [|i' V]; [now left|].
  change (least (i :: i' :: V)) with (Z.min i (least (i' :: V))).
  destruct (Z.min_spec i (least (i' :: V))) as [[_ ->]|[_ ->]]; [now left|right; apply IH; discriminate].
Qed.

Lemma greatest_in : forall V, V <> [] -> In (greatest V) V.
Proof.
  induction V as [|i V IH]; intros H; [congruence|]. destruct V as [|i' V]; [now left|].
  change (greatest (i :: i' :: V)) with (Z.max i (greatest (i' :: V))).
  destruct (Z.max_spec i (greatest (i' :: V))) as [[_ ->]|[_ ->]]; [right; apply IH; discriminate|now left].
Qed.

Lemma least_le : forall V j, In j V -> (least V <= j)%Z.
Proof.
  induction V as [|i V IH]; intros j H; [destruct H|]. destruct V as [|i' V]; [destruct H as [->|[]]; simpl; lia|].
  change (least (i :: i' :: V)) with (Z.min i (least (i' :: V))).
  destruct H as [->|H]; [lia|]. specialize (IH j H). lia.
Qed.

Lemma greatest_ge : forall V j, In j V -> (j <= greatest V)%Z.
Proof.
  induction V as [|i V IH]; intros j H; [destruct H|]. destruct V as [|i' V]; [destruct H as [->|[]]; simpl; lia|].
  change (greatest (i :: i' :: V)) with (Z.max i (greatest (i' :: V))).
  destruct H as [->|H]; [lia|]. specialize (IH j H). lia.
Qed.

Theorem A1_leftmost : forall tau V s, NoDup V -> V <> [] ->
  TV V (softmax tau V s) (leftmost_hard V s) = (ties V s - 1 + others tau V s) / (ties V s + others tau V s).
Proof. intros. apply A1_one_maximiser; [assumption|]. now apply least_in, maximisers_nonempty. Qed.

Theorem A1_rightmost : forall tau V s, NoDup V -> V <> [] ->
  TV V (softmax tau V s) (rightmost_hard V s) = (ties V s - 1 + others tau V s) / (ties V s + others tau V s).
Proof. intros. apply A1_one_maximiser; [assumption|]. now apply greatest_in, maximisers_nonempty. Qed.
