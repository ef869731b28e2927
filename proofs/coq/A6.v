(** * A6. Tieless rows with perturbed scores

    Summary: if the maximal score is [gamma] above all others and no score moves by more than [eta] < gamma / 2, the
    hard choice does not change, and softmax on the moved scores is as close to it as a gap of gamma - 2 eta makes it.

    ** Main statements

    - [A6_choice]: the maximiser and the hard attention of the moved scores are the old ones; the gap is at least
      gamma - 2 eta.
    - [A6_bound]: TV(softmax s', average-hard s) <= (n - 1) q' / (1 + (n - 1) q'), q' = exp(- (gamma - 2 eta) / tau).
    - [A6_tight]: equality when all others are at the gap, the maximal score falls by [eta] and the others rise by it.

    Notation: Definitions.v; [within]: A5.v; [gap_bound]: A2.v. References: notes/a-softmax-gap.md, A6. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz.
From HardSoft Require Import Definitions Sums A1 A2 A5.
Import ListNotations.
Open Scope R_scope.

(** The maximiser of a tieless row. *)
Lemma tieless : forall V s, ties V s = 1 ->
  exists m, In m V /\ forall j, In j V -> (is_maximal V s j = true <-> j = m).
Proof.
  intros V s K. unfold ties, size in K. destruct (maximisers V s) as [|m [|m' M]] eqn:E.
  - simpl in K. lra.
  - assert (Hm : In m (maximisers V s)) by (rewrite E; now left). exists m. split; [apply in_maximisers in Hm; tauto|].
    intros j Hj. split; intros X.
    + assert (In j (maximisers V s)) by (apply filter_In; now split). rewrite E in H. destruct H as [->|[]]. reflexivity.
    + subst. apply filter_In in Hm. tauto.
  - exfalso. cbn [length] in K. rewrite !S_INR in K. generalize (pos_INR (length M)). lra.
Qed.

Lemma average_hard_eq : forall V s s', (forall j, In j V -> is_maximal V s' j = is_maximal V s j) ->
  ties V s' = ties V s /\ forall j, In j V -> average_hard V s' j = average_hard V s j.
Proof.
  intros V s s' H. assert (K : ties V s' = ties V s).
  { rewrite !ties_sum. apply sum_ext. intros j Hj. now rewrite H. }
  split; [exact K|]. intros j Hj. unfold average_hard. now rewrite K, H.
Qed.

Lemma tv_ext : forall V p p' a a', (forall j, In j V -> p j = p' j) -> (forall j, In j V -> a j = a' j) ->
  TV V p a = TV V p' a'.
Proof. intros V p p' a a' P A. unfold TV, L1. f_equal. apply sum_ext. intros j Hj. now rewrite P, A. Qed.

Lemma choice_from_below : forall V s s' m gamma, In m V -> 0 < gamma ->
  (forall j, In j V -> (is_maximal V s j = true <-> j = m)) ->
  (forall j, In j V -> is_maximal V s j = false -> gamma <= s' m - s' j) ->
  (forall j, In j V -> is_maximal V s' j = is_maximal V s j) /\ gap_at_least V s' gamma /\ maximum V s' = s' m.
Proof.
  intros V s s' m gamma Hm G M D.
  assert (X : maximum V s' = s' m).
  { apply (maximum_unique V s' _ m Hm eq_refl). intros j Hj. destruct (is_maximal V s j) eqn:E.
    - apply M in E; [|assumption]. subst. lra.
    - generalize (D j Hj E). lra. }
  assert (E : forall j, In j V -> is_maximal V s' j = is_maximal V s j).
  { intros j Hj. destruct (is_maximal V s j) eqn:E.
    - apply maximal_true. apply M in E; [|assumption]. subst. now symmetry.
    - apply maximal_false. generalize (D j Hj E). lra. }
  split; [exact E|]. split; [|exact X]. intros j Hj F. rewrite X. rewrite E in F by assumption. auto.
Qed.

Theorem A6_choice : forall V s s' gamma eta, ties V s = 1 -> gap_at_least V s gamma -> within V eta s s' ->
  2 * eta < gamma ->
  (forall j, In j V -> is_maximal V s' j = is_maximal V s j) /\
  (forall j, In j V -> average_hard V s' j = average_hard V s j) /\
  gap_at_least V s' (gamma - 2 * eta).
Proof.
  intros V s s' gamma eta K G W L. destruct (tieless V s K) as [m [Hm M]].
  destruct (choice_from_below V s s' m (gamma - 2 * eta) Hm ltac:(lra) M) as [A [B _]].
  - intros j Hj E. generalize (G j Hj E) (W j Hj) (W m Hm). intros X Y Z.
    apply abs_le_inv in Y. apply abs_le_inv in Z.
    assert (N : is_maximal V s m = true) by now apply M. apply maximal_true in N. lra.
  - split; [exact A|]. split; [apply (average_hard_eq V s s' A)|exact B].
Qed.

Theorem A6_bound : forall tau V s s' gamma eta, 0 < tau -> ties V s = 1 -> gap_at_least V s gamma ->
  within V eta s s' -> 2 * eta < gamma ->
  TV V (softmax tau V s') (average_hard V s) <= gap_bound (size V) 1 (exp (- (gamma - 2 * eta) / tau)).
Proof.
  intros tau V s s' gamma eta T K G W L. destruct (tieless V s K) as [m [Hm _]]. assert (H := in_nonempty m V Hm).
  destruct (A6_choice V s s' gamma eta K G W L) as [A [B C]].
  rewrite <- (tv_ext V (softmax tau V s') _ (average_hard V s') (average_hard V s)) by auto.
  rewrite <- K, <- (proj1 (average_hard_eq V s s' A)). now apply A2_bound.
Qed.

Theorem A6_tight : forall tau V s s' gamma eta, ties V s = 1 -> all_at_gap V s gamma -> 2 * eta < gamma ->
  (forall j, In j V -> s' j = if is_maximal V s j then s j - eta else s j + eta) ->
  TV V (softmax tau V s') (average_hard V s) = gap_bound (size V) 1 (exp (- (gamma - 2 * eta) / tau)).
Proof.
  intros tau V s s' gamma eta K G L E. destruct (tieless V s K) as [m [Hm M]]. assert (H := in_nonempty m V Hm).
  assert (N : is_maximal V s m = true) by now apply M.
  assert (D : forall j, In j V -> is_maximal V s j = false -> s' m - s' j = gamma - 2 * eta).
  { intros j Hj F. rewrite (E m Hm), (E j Hj), N, F. generalize (G j Hj F). apply maximal_true in N. lra. }
  destruct (choice_from_below V s s' m (gamma - 2 * eta) Hm ltac:(lra) M) as [A [B C]].
  - intros j Hj F. rewrite D by assumption. lra.
  - rewrite <- (tv_ext V (softmax tau V s') _ (average_hard V s') (average_hard V s));
      [|reflexivity|apply (average_hard_eq V s s' A)].
    rewrite <- K, <- (proj1 (average_hard_eq V s s' A)). apply A2_equality; [assumption|].
    intros j Hj F. rewrite C. rewrite A in F by assumption. auto.
Qed.
