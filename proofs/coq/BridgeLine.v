(** * From claims about real-valued sequences to the theorems of section B

    As Bridge.v, for rows in which one position [m] is maximal and the others fall off with the distance.
    Notation: Definitions.v, Line.v. *)

From Coq Require Import Reals ZArith List Bool Lia Lra Psatz.
From HardSoft Require Import Definitions Sums A1 A6 Line B5 B1 B2 B3 B6 Bridge.
Import ListNotations.
Open Scope R_scope.

(** The maximiser of a row is [m] if every other score is at a positive distance from the top. *)
Lemma row_distinct : forall V s gamma m e, V <> [] -> 0 < gamma ->
  (forall i j, In i V -> In j V -> i <> m -> j <> m -> e i = e j -> i = j) ->
  (forall j, In j V -> j <> m -> (1 <= e j)%Z /\ gamma * IZR (e j) <= maximum V s - s j) ->
  distinct_distances V s gamma m e /\ s m = maximum V s.
Proof.
  intros V s gamma m e H G I D. destruct (maximum_reached V s H) as [a [Ha Ea]].
  assert (a = m).
  { destruct (Z.eq_dec a m) as [|N]; [assumption|exfalso]. destruct (D a Ha N) as [E L].
    apply IZR_le in E. assert (gamma * 1 <= gamma * IZR (e a)) by (apply Rmult_le_compat_l; lra). lra. }
  subst a. split; [|exact Ea]. split; [exact Ha|]. split; [exact I|]. rewrite Ea. exact D.
Qed.

Lemma average_distance : forall V p s m, NoDup V -> sole_maximiser V s m ->
  L1 V p (average_hard V s) / 2 = TV V p (one_hot m).
Proof. intros V p s m U S. apply (tv_ext V p p); [reflexivity|]. intros. now apply sole_average. Qed.

Lemma length_positions : forall n, length (positions n) = Z.to_nat n.
Proof. intros. unfold positions. now rewrite map_length, seq_length. Qed.

Lemma INR_to_nat : forall n, (0 <= n)%Z -> INR (Z.to_nat n) = IZR n.
Proof. intros. rewrite INR_IZR_INZ. f_equal. lia. Qed.

(** The bound with its exponentials written out. *)
Lemma line_bound_exp : forall n gamma tau a b, (1 <= n)%Z ->
  a = - gamma / tau * (IZR n - 1) -> b = - gamma / tau * IZR n ->
  (1 - exp a) * exp (- gamma / tau) / (1 - exp b) = line_bound (Z.to_nat n) (exp (- gamma / tau)).
Proof.
  intros n gamma tau a b N -> ->. unfold line_bound. rewrite <- !exp_power, minus_INR, INR_to_nat by lia.
  change (INR 1) with 1. unfold Rdiv. ring.
Qed.

Lemma cube_exp : forall c tau x, x = 3 * (- c / tau) -> exp x = exp (- c / tau) ^ 3.
Proof. intros c tau x ->. rewrite <- exp_power. f_equal. simpl. ring. Qed.

(** x / ((1 + x/y) y), as fractions of fractions are printed. *)
Lemma nested_share : forall x y z, y <> 0 -> 1 + z <> 0 -> z = x / y -> x / ((1 + x / y) * y) = z / (1 + z).
Proof.
  intros x y z Y Z E. rewrite <- E. assert (X : x = z * y) by (rewrite E; field; assumption). rewrite X. now field.
Qed.

Lemma two_sided_exp : forall l r gamma tau a b, (0 <= l)%Z -> (0 <= r)%Z -> 0 < gamma -> 0 < tau ->
  a = - gamma / tau * IZR l -> b = - gamma / tau * IZR r ->
  let q := exp (- gamma / tau) in let z := two_sided_excess (Z.to_nat l) (Z.to_nat r) q in
  (2 - exp a - exp b) * q / ((1 + (2 - exp a - exp b) * q / (1 - q)) * (1 - q)) = z / (1 + z).
Proof.
  intros l r gamma tau a b L R G T -> -> q z. assert (Q := exp_decay gamma tau G T).
  rewrite !exp_power_Z by assumption. fold q in Q |- *.
  apply nested_share; [lra| |unfold z, two_sided_excess; f_equal; ring].
  assert (A := geometric_nonneg (Z.to_nat l) q Q). assert (B := geometric_nonneg (Z.to_nat r) q Q).
  unfold z. rewrite <- two_sided_geometric by assumption. lra.
Qed.

(** Positions left and right of m among 1, ..., n. *)
Lemma length_left : forall n m, (1 <= m <= n)%Z -> length (left_of m (positions n)) = Z.to_nat (m - 1).
Proof.
  intros n m H. apply INR_eq. rewrite INR_to_nat by lia.
  transitivity (sum (left_of m (positions n)) (fun _ => 1)); [rewrite sum_const; unfold size; ring|].
  unfold left_of. rewrite sum_filter. replace n with ((m - 1) + (n - m + 1))%Z by ring.
  rewrite sum_positions_split by lia. rewrite (sum_ext _ _ (fun _ => 1)), (sum_ext (positions (n - m + 1)) _ (fun _ => 0)).
  - rewrite !sum_const, !size_positions by lia. ring.
  - intros j Hj. apply in_positions in Hj. destruct (Z.ltb_spec (m - 1 + j) m); [lia|reflexivity].
  - intros j Hj. apply in_positions in Hj. destruct (Z.ltb_spec j m); [reflexivity|lia].
Qed.

Lemma length_right : forall n m, (1 <= m <= n)%Z -> length (right_of m (positions n)) = Z.to_nat (n - m).
Proof.
  intros n m H. apply INR_eq. rewrite INR_to_nat by lia.
  transitivity (sum (right_of m (positions n)) (fun _ => 1)); [rewrite sum_const; unfold size; ring|].
  unfold right_of. rewrite sum_filter. replace n with (m + (n - m))%Z at 1 by ring.
  rewrite sum_positions_split by lia. rewrite (sum_ext _ _ (fun _ => 0)), (sum_ext (positions (n - m)) _ (fun _ => 1)).
  - rewrite !sum_const, !size_positions by lia. ring.
  - intros j Hj. apply in_positions in Hj. destruct (Z.ltb_spec m (m + j)); [reflexivity|lia].
  - intros j Hj. apply in_positions in Hj. destruct (Z.ltb_spec m j); [lia|reflexivity].
Qed.

(** A Boolean predicate from a 0/1-valued sequence. *)
Definition truth (chi : Z -> R) (j : Z) : bool := if Req_EM_T (chi j) 1 then true else false.

Lemma bit_truth : forall (chi : Z -> R) j, chi j * (1 - chi j) = 0 -> bit (truth chi j) = chi j.
Proof. intros chi j B. unfold bit, truth. destruct (Req_EM_T (chi j) 1); [lra|]. destruct (boolean _ B); lra. Qed.

Lemma truth_1 : forall (chi : Z -> R) j, chi j = 1 -> truth chi j = true.
Proof. intros chi j H. unfold truth. destruct (Req_EM_T (chi j) 1); [reflexivity|contradiction]. Qed.

Lemma truth_0 : forall (chi : Z -> R) j, chi j = 0 -> truth chi j = false.
Proof. intros chi j H. unfold truth. destruct (Req_EM_T (chi j) 1); [lra|reflexivity]. Qed.

Lemma stretch_positions : forall n, stretch (positions n) n.
Proof. intros n i j Hi Hj. apply in_positions in Hi, Hj. lia. Qed.

Lemma greatest_positions : forall n, (1 <= n)%Z -> greatest (positions n) = n.
Proof.
  intros n N. assert (X := greatest_in _ (positions_nonempty n N)). apply in_positions in X.
  assert (Y := greatest_ge (positions n) n (proj2 (in_positions n n) ltac:(lia))). lia.
Qed.

Lemma least_positions : forall n, (1 <= n)%Z -> least (positions n) = 1%Z.
Proof.
  intros n N. assert (X := least_in _ (positions_nonempty n N)). apply in_positions in X.
  assert (Y := least_le (positions n) 1%Z (proj2 (in_positions n 1) ltac:(lia))). lia.
Qed.

(** The choice of B6 among 1, ..., n. *)
Lemma rightmost_is : forall n chi m, (1 <= m <= n)%Z -> chi m = true -> (forall i, (1 <= i <= n - m)%Z -> chi (m + i)%Z = false) ->
  rightmost_true (positions n) chi = m.
Proof.
  intros n chi m M C F. apply rightmost_true_some; [now apply in_positions|assumption|]. intros j Hj Cj.
  apply in_positions in Hj. destruct (Z_le_gt_dec j m) as [|G]; [assumption|exfalso].
  specialize (F (j - m)%Z). replace (m + (j - m))%Z with j in F by ring. rewrite F in Cj by lia. discriminate.
Qed.

Lemma leftmost_is : forall n chi m, (1 <= m <= n)%Z -> chi m = true -> (forall i, (1 <= i <= m - 1)%Z -> chi i = false) ->
  leftmost_true (positions n) chi = m.
Proof.
  intros n chi m M C F. apply leftmost_true_some; [now apply in_positions|assumption|]. intros j Hj Cj.
  apply in_positions in Hj. destruct (Z_le_gt_dec m j) as [|G]; [assumption|exfalso].
  rewrite F in Cj by lia. discriminate.
Qed.

(** ** Rows of section B *)

(** From a row whose maximiser is at [m] and whose distances are at least [gamma * e j]: the bound of B5. *)
Lemma by_distances : forall n tau s gamma m e, positions n <> nil -> 0 < tau -> 0 < gamma -> (1 <= n)%Z ->
  (forall i j, (1 <= i <= n)%Z -> (1 <= j <= n)%Z -> i <> m -> j <> m -> e i = e j -> i = j) ->
  (forall j, (1 <= j <= n)%Z -> j <> m -> (1 <= e j)%Z /\ gamma * IZR (e j) <= maximum (positions n) s - s j) ->
  forall a b, a = - gamma / tau * (IZR n - 1) -> b = - gamma / tau * IZR n ->
  L1 (positions n) (softmax tau (positions n) s) (average_hard (positions n) s) / 2 <=
  (1 - exp a) * exp (- gamma / tau) / (1 - exp b).
Proof.
  intros n tau s gamma m e V T G N I D a b A B. rewrite (line_bound_exp n gamma tau a b N A B), <- length_positions.
  destruct (row_distinct (positions n) s gamma m e V G) as [X _].
  - intros i j Hi Hj. apply in_positions in Hi, Hj. now apply I.
  - intros j Hj. apply in_positions in Hj. now apply D.
  - rewrite (average_distance _ _ _ m) by (apply nodup_positions || now apply (distinct_sole _ s gamma m e)).
    apply (B5_distinct tau _ s gamma m e); try assumption. apply nodup_positions.
Qed.

(** ... and if they are exactly that, and 1, ..., n - 1. *)
Lemma by_exact_distances : forall n tau s gamma m e, positions n <> nil -> 0 < tau -> 0 < gamma -> (1 <= n)%Z ->
  (forall i j, (1 <= i <= n)%Z -> (1 <= j <= n)%Z -> i <> m -> j <> m -> e i = e j -> i = j) ->
  (forall j, (1 <= j <= n)%Z -> j <> m -> (1 <= e j < n)%Z /\ maximum (positions n) s - s j = gamma * IZR (e j)) ->
  forall a b, a = - gamma / tau * (IZR n - 1) -> b = - gamma / tau * IZR n ->
  L1 (positions n) (softmax tau (positions n) s) (average_hard (positions n) s) / 2 =
  (1 - exp a) * exp (- gamma / tau) / (1 - exp b).
Proof.
  intros n tau s gamma m e V T G N I D a b A B. rewrite (line_bound_exp n gamma tau a b N A B), <- length_positions.
  destruct (row_distinct (positions n) s gamma m e V G) as [X Y].
  - intros i j Hi Hj. apply in_positions in Hi, Hj. now apply I.
  - intros j Hj J. apply in_positions in Hj. destruct (D j Hj J). split; [lia|lra].
  - rewrite (average_distance _ _ _ m) by (apply nodup_positions || now apply (distinct_sole _ s gamma m e)).
    apply (B5_tight tau _ s gamma m e); try assumption; [apply nodup_positions|apply X|apply X|].
    intros j Hj J. apply in_positions in Hj. rewrite length_positions, Y. destruct (D j Hj J). split; [lia|assumption].
Qed.

(** A row with the scores of B6, in terms of its choice. *)
Lemma by_rightmost : forall n tau s c A chi, positions n <> nil -> 0 < tau -> 0 < c -> (1 <= n)%Z -> IZR n <= A ->
  (forall j, (1 <= j <= n)%Z -> s j = rightmost_scores c A chi j) ->
  forall a b, a = - c / tau * (IZR n - 1) -> b = - c / tau * IZR n ->
  L1 (positions n) (softmax tau (positions n) s) (average_hard (positions n) s) / 2 <=
  (1 - exp a) * exp (- c / tau) / (1 - exp b).
Proof.
  intros n tau s c A chi V T C N L E a b X Y. rewrite (line_bound_exp n c tau a b N X Y), <- length_positions.
  destruct (B6_rightmost tau (positions n) n c A chi s T C (nodup_positions n) V (stretch_positions n) L) as [M B].
  - intros j Hj. apply in_positions in Hj. now apply E.
  - now rewrite (average_distance _ _ _ _ (nodup_positions n) M).
Qed.

Lemma by_leftmost : forall n tau s c A chi, positions n <> nil -> 0 < tau -> 0 < c -> (1 <= n)%Z -> IZR n <= A ->
  (forall j, (1 <= j <= n)%Z -> s j = leftmost_scores c A chi j) ->
  forall a b, a = - c / tau * (IZR n - 1) -> b = - c / tau * IZR n ->
  L1 (positions n) (softmax tau (positions n) s) (average_hard (positions n) s) / 2 <=
  (1 - exp a) * exp (- c / tau) / (1 - exp b).
Proof.
  intros n tau s c A chi V T C N L E a b X Y. rewrite (line_bound_exp n c tau a b N X Y), <- length_positions.
  destruct (B6_leftmost tau (positions n) n c A chi s T C (nodup_positions n) V (stretch_positions n) L) as [M B].
  - intros j Hj. apply in_positions in Hj. now apply E.
  - now rewrite (average_distance _ _ _ _ (nodup_positions n) M).
Qed.

(** ** Tactics *)

(** Hypotheses IZR a <= IZR b and so on, between integers. *)
Ltac integers :=
  repeat match goal with
  | H : 1 <= IZR ?k |- _ => apply (le_IZR 1) in H
  | H : 2 <= IZR ?k |- _ => apply (le_IZR 2) in H
  | H : 3 <= IZR ?k |- _ => apply (le_IZR 3) in H
  | H : 0 <= IZR ?k |- _ => apply (le_IZR 0) in H
  | H : IZR ?k <= IZR ?n |- _ => apply le_IZR in H
  | H : IZR ?k < IZR ?n |- _ => apply lt_IZR in H
  | H : IZR ?k = 1 |- _ => apply (eq_IZR k 1) in H
  | H : IZR ?k = IZR ?n |- _ => apply eq_IZR in H
  end.

(** The distance in the goal becomes [L1 V (softmax ...) (average_hard ...)], comparisons of integers become such. *)
Ltac line_row := row; distances; integers.

(** Equations between exponents. *)
Ltac exponents := unfold Rdiv; ring.
