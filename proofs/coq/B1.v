(** * B1. Linear growth on one side of the maximiser

    Summary: if all visible positions lie on one side of [m] and the score of [j] is at least gamma |j - m| below that
    of [m], softmax is within q of the hard choice [m]. The visible positions need not be consecutive.

    ** Main statements

    - [B1_bound]: TV <= [line_bound n q] = q (1 - q^(n-1)) / (1 - q^n).
    - [B1_strict]: TV < q.
    - [B1_tight]: equality if the positions are consecutive and the distances are exactly gamma |j - m|.
    - [B1_increasing_n], [B1_increasing_q]: the bound increases in n and in q.

    Notation: Definitions.v, Line.v. References: notes/b-positional.md, B1. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz.
From HardSoft Require Import Definitions Sums A1 A6 Line B5.
Import ListNotations.
Open Scope R_scope.

Definition one_sided (V : list Z) (m : Z) : Prop :=
  (forall j, In j V -> (j <= m)%Z) \/ (forall j, In j V -> (m <= j)%Z).

Definition linear_growth (V : list Z) (s : Z -> R) (gamma : R) (m : Z) : Prop :=
  In m V /\ forall j, In j V -> gamma * IZR (Z.abs (j - m)) <= s m - s j.

Lemma one_sided_injective : forall V m i j, one_sided V m -> In i V -> In j V ->
  Z.abs (i - m) = Z.abs (j - m) -> i = j.
Proof. intros V m i j [H|H] Hi Hj; generalize (H i Hi) (H j Hj); lia. Qed.

Lemma growth_distinct : forall V s gamma m, one_sided V m -> linear_growth V s gamma m ->
  distinct_distances V s gamma m (fun j => Z.abs (j - m)).
Proof.
  intros V s gamma m O [Hm D]. repeat split; try assumption.
  - intros i j Hi Hj _ _. now apply (one_sided_injective V).
  - lia.
  - now apply D.
Qed.

Theorem B1_bound : forall tau V s gamma m, 0 < tau -> 0 < gamma -> NoDup V -> one_sided V m -> linear_growth V s gamma m ->
  TV V (softmax tau V s) (one_hot m) <= line_bound (length V) (exp (- gamma / tau)).
Proof. intros. eapply B5_distinct; try eassumption. now apply growth_distinct. Qed.

Theorem B1_strict : forall tau V s gamma m, 0 < tau -> 0 < gamma -> NoDup V -> one_sided V m -> linear_growth V s gamma m ->
  TV V (softmax tau V s) (one_hot m) < exp (- gamma / tau).
Proof. intros. eapply B5_distinct_strict; try eassumption. now apply growth_distinct. Qed.

Theorem B1_tight : forall tau V s gamma m, 0 < tau -> 0 < gamma -> NoDup V -> In m V -> one_sided V m ->
  (forall j, In j V -> (Z.abs (j - m) < Z.of_nat (length V))%Z /\ s m - s j = gamma * IZR (Z.abs (j - m))) ->
  TV V (softmax tau V s) (one_hot m) = line_bound (length V) (exp (- gamma / tau)).
Proof.
  intros tau V s gamma m T G U Hm O D. apply (B5_tight _ _ _ _ _ (fun j => Z.abs (j - m))); try assumption.
  - intros i j Hi Hj _ _. now apply (one_sided_injective V).
  - intros j Hj J. generalize (D j Hj). intros [A B]. repeat split; [lia|assumption|assumption].
Qed.

(** ** Monotonicity *)

Lemma share_line : forall N q, 0 < q < 1 -> line_bound (S N) q = geometric N q / (1 + geometric N q).
Proof. intros. symmetry. now apply line_share. Qed.

Theorem B1_increasing_n : forall n n' q, 0 < q < 1 -> (1 <= n)%nat -> (n < n')%nat -> line_bound n q < line_bound n' q.
Proof.
  intros [|N] [|N'] q Q A B; try lia. rewrite !share_line by assumption.
  apply share_lt; [lra|now apply geometric_nonneg|].
  replace N' with (N + S (N' - N - 1))%nat by lia. generalize (N' - N - 1)%nat. intros d.
  induction d as [|d IH].
  - rewrite Nat.add_1_r, geometric_succ by assumption. generalize (pow_01 q (S N) Q). lra.
  - rewrite Nat.add_succ_r, geometric_succ by assumption. generalize (pow_01 q (S (N + S d)) Q). lra.
Qed.

Lemma geometric_le : forall N q q', 0 < q < 1 -> 0 < q' < 1 -> q <= q' -> geometric N q <= geometric N q'.
Proof.
  intros N q q' Q Q' L. induction N as [|N IH]; [unfold geometric; simpl; right; field; lra|].
  rewrite !geometric_succ by assumption. apply Rplus_le_compat; [assumption|]. apply pow_incr. lra.
Qed.

Theorem B1_increasing_q : forall n q q', 0 < q < 1 -> 0 < q' < 1 -> (1 <= n)%nat -> q <= q' ->
  line_bound n q <= line_bound n q'.
Proof.
  intros [|N] q q' Q Q' A L; [lia|]. rewrite !share_line by assumption.
  apply share_le; [lra|now apply geometric_nonneg|now apply geometric_le].
Qed.

Theorem B1_below : forall n q, 0 < q < 1 -> (1 <= n)%nat -> line_bound n q < q.
Proof. exact line_below. Qed.
