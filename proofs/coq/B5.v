(** * B5. Distinct distances

    Summary: if the r-th smallest distance of the other scores from the maximal one is at least [gamma] r, for every r,
    then softmax is within q of the hard choice, for every number of positions.

    ** Main statements

    - [B5_listed]: the other positions can be listed so that the r-th is at least [gamma] r below the maximum, and
      then TV <= [line_bound n q] = q (1 - q^(n-1)) / (1 - q^n).
    - [B5_distinct]: so it is if the distances are at least [gamma] times distinct positive integers.
    - [B5_strict]: both are below q.
    - [B5_tight]: equality for the distances gamma, 2 gamma, ..., (n-1) gamma.

    The hard attention here is [one_hot m]; by Line.v it is the average-, leftmost- and rightmost-hard attention.
    Notation: Definitions.v; [sole_maximiser], [without], [line_bound]: Line.v; q = exp(- gamma / tau).
    References: notes/b-positional.md, B5. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Permutation.
From HardSoft Require Import Definitions Sums A1 A6 Line.
Import ListNotations.
Open Scope R_scope.

(** The positions of [V] other than [m], listed as [w], are at distances of at least gamma, 2 gamma, ... *)
Definition listed (V : list Z) (s : Z -> R) (gamma : R) (m : Z) (w : list Z) : Prop :=
  Permutation V (m :: w) /\ forall r, (r < length w)%nat -> gamma * INR (S r) <= s m - s (nth r w 0%Z).

Lemma listed_sole : forall V s gamma m w, 0 < gamma -> NoDup V -> listed V s gamma m w -> sole_maximiser V s m.
Proof.
  intros V s gamma m w G U [P L]. split; [apply (Permutation_in m (Permutation_sym P)); now left|].
  intros j Hj D. apply (Permutation_in j P) in Hj. destruct Hj as [E|Hj]; [congruence|].
  destruct (In_nth w j 0%Z Hj) as [r [Hr <-]]. generalize (L r Hr) (pos_INR r). rewrite S_INR. intros.
  assert (0 < gamma * (INR r + 1)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Lemma sum_listed : forall q w f c, 0 < q < 1 -> (forall r, (r < length w)%nat -> f (nth r w 0%Z) <= q ^ (c + S r)) ->
  sum w f <= q ^ c * geometric (length w) q.
Proof.
  intros q w f c Q. revert c. induction w as [|j w IH]; intros c H.
  - unfold geometric. simpl. right. field. lra.
  - simpl sum. assert (X := H O ltac:(simpl; lia)). simpl nth in X.
    assert (Y := IH (S c)). replace (q ^ c * geometric (length (j :: w)) q) with
      (q ^ (c + 1) + q ^ S c * geometric (length w) q).
    + apply Rplus_le_compat; [exact X|]. apply Y. intros r Hr. replace (S c + S r)%nat with (c + S (S r))%nat by lia.
      apply (H (S r)). simpl. lia.
    + unfold geometric. rewrite pow_add. simpl. field. lra.
Qed.

Lemma line_of_excess : forall tau V s m z N, NoDup V -> sole_maximiser V s m -> length V = S N ->
  0 < z < 1 -> others tau V s <= geometric N z -> TV V (softmax tau V s) (one_hot m) <= line_bound (length V) z.
Proof.
  intros tau V s m z N U Sole L Z H. rewrite sole_distance by assumption. rewrite L, <- line_share by assumption.
  apply share_le; [lra|apply A1_nonnegative|assumption].
Qed.

Theorem B5_listed : forall tau V s gamma m w, 0 < tau -> 0 < gamma -> NoDup V -> listed V s gamma m w ->
  TV V (softmax tau V s) (one_hot m) <= line_bound (length V) (exp (- gamma / tau)).
Proof.
  intros tau V s gamma m w T G U L. assert (Sole := listed_sole V s gamma m w G U L). destruct L as [P L].
  assert (Q := exp_decay gamma tau G T). assert (N := Permutation_length P).
  apply (line_of_excess _ _ _ _ _ (length w)); try assumption.
  assert (E : others tau V s = sum w (fun j => exp (- (s m - s j) / tau))).
  { rewrite (sole_others tau V s m) by assumption. apply sum_perm, NoDup_Permutation.
    - now apply nodup_without.
    - apply (Permutation_NoDup P) in U. now inversion U.
    - intros j. rewrite in_without. assert (U' := Permutation_NoDup P U). inversion U'; subst. split.
      + intros [Hj D]. apply (Permutation_in j P) in Hj. destruct Hj; [congruence|assumption].
      + intros Hj. split; [apply (Permutation_in j (Permutation_sym P)); now right|congruence]. }
  rewrite E. rewrite <- (Rmult_1_l (geometric _ _)). apply (sum_listed _ w _ 0); [assumption|].
  intros r Hr. rewrite Nat.add_0_l. rewrite <- (Nat2Z.id (S r)). apply decay_power; [assumption|lia|].
  rewrite <- INR_IZR_INZ. auto.
Qed.

(** Distances of at least [gamma e j], with distinct positive integers [e j]. *)
Definition distinct_distances (V : list Z) (s : Z -> R) (gamma : R) (m : Z) (e : Z -> Z) : Prop :=
  In m V /\
  (forall i j, In i V -> In j V -> i <> m -> j <> m -> e i = e j -> i = j) /\
  (forall j, In j V -> j <> m -> (1 <= e j)%Z /\ gamma * IZR (e j) <= s m - s j).

Lemma distinct_sole : forall V s gamma m e, 0 < gamma -> distinct_distances V s gamma m e -> sole_maximiser V s m.
Proof.
  intros V s gamma m e G [Hm [_ D]]. split; [exact Hm|]. intros j Hj J. destruct (D j Hj J) as [E H].
  apply IZR_le in E. assert (gamma * 1 <= gamma * IZR (e j)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Theorem B5_distinct : forall tau V s gamma m e, 0 < tau -> 0 < gamma -> NoDup V -> distinct_distances V s gamma m e ->
  TV V (softmax tau V s) (one_hot m) <= line_bound (length V) (exp (- gamma / tau)).
Proof.
  intros tau V s gamma m e T G U D. assert (Sole := distinct_sole V s gamma m e G D). destruct D as [Hm [I D]].
  assert (Q := exp_decay gamma tau G T).
  apply (line_of_excess _ _ _ _ _ (length (without m V))); try assumption; [now apply length_without|].
  rewrite (sole_others tau V s m) by assumption. apply (distinct_sum _ e); [assumption|now apply nodup_without|..].
  - intros i j Hi Hj. apply in_without in Hi, Hj. apply I; tauto.
  - intros j Hj. apply in_without in Hj. now apply D.
  - intros j Hj. apply in_without in Hj. destruct (D j) as [E H]; [tauto..|]. apply decay_power; [assumption|lia|assumption].
Qed.

Theorem B5_strict : forall tau V s gamma m w, 0 < tau -> 0 < gamma -> NoDup V -> listed V s gamma m w ->
  TV V (softmax tau V s) (one_hot m) < exp (- gamma / tau).
Proof.
  intros tau V s gamma m w T G U L. eapply Rle_lt_trans; [now apply (B5_listed tau V s gamma m w)|].
  apply line_below; [now apply exp_decay|]. rewrite (Permutation_length (proj1 L)). simpl. lia.
Qed.

Theorem B5_distinct_strict : forall tau V s gamma m e, 0 < tau -> 0 < gamma -> NoDup V ->
  distinct_distances V s gamma m e -> TV V (softmax tau V s) (one_hot m) < exp (- gamma / tau).
Proof.
  intros tau V s gamma m e T G U D. eapply Rle_lt_trans; [now apply (B5_distinct tau V s gamma m e)|].
  apply line_below; [now apply exp_decay|]. rewrite (length_without m) by (assumption || apply D). lia.
Qed.

Theorem B5_tight : forall tau V s gamma m e, 0 < tau -> 0 < gamma -> NoDup V -> In m V ->
  (forall i j, In i V -> In j V -> i <> m -> j <> m -> e i = e j -> i = j) ->
  (forall j, In j V -> j <> m -> (1 <= e j < Z.of_nat (length V))%Z /\ s m - s j = gamma * IZR (e j)) ->
  TV V (softmax tau V s) (one_hot m) = line_bound (length V) (exp (- gamma / tau)).
Proof.
  intros tau V s gamma m e T G U Hm I D.
  assert (Sole : sole_maximiser V s m).
  { apply (distinct_sole V s gamma m e G). repeat split; try assumption; destruct (D j H H0); [lia|lra]. }
  assert (Q := exp_decay gamma tau G T). assert (L := length_without m V U Hm).
  rewrite sole_distance, (sole_others tau V s m) by assumption. rewrite L, <- line_share by assumption.
  rewrite (exact_sum (exp (- gamma / tau)) e); [reflexivity|assumption|now apply nodup_without|..].
  - intros i j Hi Hj. apply in_without in Hi, Hj. apply I; tauto.
  - intros j Hj. apply in_without in Hj. destruct (D j) as [E _]; [tauto..|]. lia.
  - intros j Hj. apply in_without in Hj. destruct (D j) as [E H]; [tauto..|]. apply decay_power_eq; [lia|assumption].
Qed.
