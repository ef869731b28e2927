(** * B2. Linear growth on both sides of the maximiser

    Summary: with [l] visible positions left of [m] and [r] right of it, and scores at least gamma |j - m| below that of
    [m], Z' <= q (2 - q^l - q^r) / (1 - q), and TV < 2 q / (1 + q).

    ** Main statements

    - [B2_bound]: TV <= z / (1 + z) with z = [two_sided_excess l r q].
    - [B2_strict]: TV < 2 q / (1 + q); [B2_below]: so is the bound.
    - [B2_tight]: equality if the positions are consecutive and the distances are exactly gamma |j - m|.

    Notation: Definitions.v, Line.v; [linear_growth]: B1.v. References: notes/b-positional.md, B2. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz.
From HardSoft Require Import Definitions Sums A1 A6 Line B1.
Import ListNotations.
Open Scope R_scope.

Definition left_of (m : Z) (V : list Z) : list Z := filter (fun j => j <? m)%Z V.
Definition right_of (m : Z) (V : list Z) : list Z := filter (fun j => m <? j)%Z V.

Definition two_sided_excess (l r : nat) (q : R) : R := q * (2 - q ^ l - q ^ r) / (1 - q).

Lemma two_sided_geometric : forall l r q, 0 < q < 1 -> geometric l q + geometric r q = two_sided_excess l r q.
Proof. intros. unfold geometric, two_sided_excess. field. lra. Qed.

Lemma sum_sides : forall m V f, sum (without m V) f = sum (left_of m V) f + sum (right_of m V) f.
Proof.
  intros. unfold without, left_of, right_of. rewrite !sum_filter, <- sum_plus. apply sum_ext. intros j _.
  destruct (Z.eqb_spec j m), (Z.ltb_spec j m), (Z.ltb_spec m j); simpl; try lia; ring.
Qed.

Lemma in_left : forall m V j, In j (left_of m V) <-> In j V /\ (j < m)%Z.
Proof. intros. unfold left_of. now rewrite filter_In, Z.ltb_lt. Qed.

Lemma in_right : forall m V j, In j (right_of m V) <-> In j V /\ (m < j)%Z.
Proof. intros. unfold right_of. now rewrite filter_In, Z.ltb_lt. Qed.

Lemma growth_sole : forall V s gamma m, 0 < gamma -> linear_growth V s gamma m -> sole_maximiser V s m.
Proof.
  intros V s gamma m G [Hm D]. split; [exact Hm|]. intros j Hj J. generalize (D j Hj).
  assert (1 <= IZR (Z.abs (j - m))) by (apply (IZR_le 1); lia).
  assert (gamma * 1 <= gamma * IZR (Z.abs (j - m))) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Theorem B2_bound : forall tau V s gamma m, 0 < tau -> 0 < gamma -> NoDup V -> linear_growth V s gamma m ->
  let z := two_sided_excess (length (left_of m V)) (length (right_of m V)) (exp (- gamma / tau)) in
  TV V (softmax tau V s) (one_hot m) <= z / (1 + z).
Proof.
  intros tau V s gamma m T G U D z. assert (Sole := growth_sole V s gamma m G D). destruct D as [Hm D].
  assert (Q := exp_decay gamma tau G T). rewrite sole_distance by assumption.
  apply share_le; [lra|apply A1_nonnegative|]. rewrite (sole_others tau V s m), sum_sides by assumption.
  unfold z. rewrite <- two_sided_geometric by assumption.
  apply Rplus_le_compat; apply (distinct_sum _ (fun j => Z.abs (j - m)));
    try assumption; try (now apply NoDup_filter); intros; rewrite ?in_left, ?in_right in *; try lia;
    (apply decay_power; [assumption|lia|now apply D]).
Qed.

Theorem B2_tight : forall tau V s gamma m, 0 < tau -> 0 < gamma -> NoDup V -> In m V ->
  (forall j, In j V -> (m - j <= Z.of_nat (length (left_of m V)))%Z /\ (j - m <= Z.of_nat (length (right_of m V)))%Z /\
    s m - s j = gamma * IZR (Z.abs (j - m))) ->
  let z := two_sided_excess (length (left_of m V)) (length (right_of m V)) (exp (- gamma / tau)) in
  TV V (softmax tau V s) (one_hot m) = z / (1 + z).
Proof.
  intros tau V s gamma m T G U Hm D z.
  assert (Sole : sole_maximiser V s m).
  { apply (growth_sole V s gamma m G). split; [exact Hm|]. intros j Hj. destruct (D j Hj) as [_ [_ E]]. lra. }
  assert (Q := exp_decay gamma tau G T). rewrite sole_distance by assumption.
  rewrite (sole_others tau V s m), sum_sides by assumption. unfold z. rewrite <- two_sided_geometric by assumption.
  rewrite !(exact_sum (exp (- gamma / tau)) (fun j => Z.abs (j - m))); try assumption; try (now apply NoDup_filter);
    try reflexivity; intros; rewrite ?in_left, ?in_right in *; try lia;
    try (destruct (D j) as [X [Y E]]; [tauto|lia || (apply decay_power_eq; [lia|exact E])]).
Qed.

Theorem B2_below : forall l r q, 0 < q < 1 ->
  two_sided_excess l r q / (1 + two_sided_excess l r q) < 2 * q / (1 + q).
Proof.
  intros l r q Q. assert (A := geometric_nonneg l q Q). assert (B := geometric_nonneg r q Q).
  rewrite <- two_sided_geometric by assumption.
  assert (C : forall N, geometric N q < q / (1 - q)).
  { intros N. unfold geometric. apply div_lt; [lra|]. generalize (pow_01 q N Q). nra. }
  replace (2 * q / (1 + q)) with ((2 * (q / (1 - q))) / (1 + 2 * (q / (1 - q)))) by (field; lra).
  generalize (C l) (C r). intros. apply share_lt; lra.
Qed.

Theorem B2_strict : forall tau V s gamma m, 0 < tau -> 0 < gamma -> NoDup V -> linear_growth V s gamma m ->
  TV V (softmax tau V s) (one_hot m) < 2 * exp (- gamma / tau) / (1 + exp (- gamma / tau)).
Proof.
  intros tau V s gamma m T G U D. eapply Rle_lt_trans; [now apply (B2_bound tau V s gamma m)|].
  apply B2_below. now apply exp_decay.
Qed.
