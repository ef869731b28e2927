(** * Sums, maxima and exponentials: the lemmas that all sections use

    No statement of the theory is proved here. Notation: Definitions.v. *)

From Coq Require Import Reals ZArith List Lia Lra Permutation.
From HardSoft Require Import Definitions.
Import ListNotations.
Open Scope R_scope.

(** ** Finite sums *)

Lemma sum_ext : forall V f g, (forall j, In j V -> f j = g j) -> sum V f = sum V g.
Proof.
  induction V as [|j W IH]; intros f g H; simpl; [reflexivity|].
  rewrite (H j (or_introl eq_refl)), (IH f g); [reflexivity|]. intros i Hi. apply H. now right.
Qed.

Lemma sum_plus : forall V f g, sum V (fun j => f j + g j) = sum V f + sum V g.
Proof. induction V as [|j W IH]; intros; simpl; [|rewrite IH]; ring. Qed.

Lemma sum_minus : forall V f g, sum V (fun j => f j - g j) = sum V f - sum V g.
Proof. induction V as [|j W IH]; intros; simpl; [|rewrite IH]; ring. Qed.

Lemma sum_scal : forall V c f, sum V (fun j => c * f j) = c * sum V f.
Proof. induction V as [|j W IH]; intros; simpl; [|rewrite IH]; ring. Qed.

Lemma sum_div : forall V c f, sum V (fun j => f j / c) = sum V f / c.
Proof. induction V as [|j W IH]; intros; simpl; [|rewrite IH]; unfold Rdiv; ring. Qed.

Lemma sum_const : forall V c, sum V (fun _ => c) = size V * c.
Proof.
  unfold size. induction V as [|j W IH]; intros c; [simpl; ring|].
  cbn [length sum]. rewrite S_INR, IH. ring.
Qed.

Lemma sum_le : forall V f g, (forall j, In j V -> f j <= g j) -> sum V f <= sum V g.
Proof.
  induction V as [|j W IH]; intros f g H; simpl; [lra|].
  apply Rplus_le_compat; [apply H; now left|apply IH; intros i Hi; apply H; now right].
Qed.

Lemma sum_lt : forall V f g m,
  (forall j, In j V -> f j <= g j) -> In m V -> f m < g m -> sum V f < sum V g.
Proof.
  induction V as [|j W IH]; intros f g m H Hm L; simpl; [destruct Hm|].
  assert (HW : forall i, In i W -> f i <= g i) by (intros i Hi; apply H; now right).
  destruct Hm as [->|Hm].
  - apply Rplus_lt_le_compat; [exact L|now apply sum_le].
  - apply Rplus_le_lt_compat; [apply H; now left|now apply (IH f g m)].
Qed.

Lemma sum_nonneg : forall V f, (forall j, In j V -> 0 <= f j) -> 0 <= sum V f.
Proof.
  intros V f H. replace 0 with (sum V (fun _ => 0)) by (rewrite sum_const; ring). now apply sum_le.
Qed.

Lemma sum_pos : forall V f, V <> [] -> (forall j, In j V -> 0 < f j) -> 0 < sum V f.
Proof.
  intros [|j W] f N H; [congruence|]. simpl.
  apply Rplus_lt_le_0_compat; [apply H; now left|].
  apply sum_nonneg. intros i Hi. apply Rlt_le, H. now right.
Qed.

(** A term is at most the sum of nonnegative terms. *)
Lemma sum_term : forall V f m, (forall j, In j V -> 0 <= f j) -> In m V -> f m <= sum V f.
Proof.
  induction V as [|j W IH]; intros f m H Hm; simpl; [destruct Hm|].
  assert (HW : forall i, In i W -> 0 <= f i) by (intros i Hi; apply H; now right).
  destruct Hm as [->|Hm].
  - generalize (sum_nonneg W f HW). lra.
  - generalize (IH f m HW Hm) (H j (or_introl eq_refl)). lra.
Qed.

Lemma sum_abs : forall V f, Rabs (sum V f) <= sum V (fun j => Rabs (f j)).
Proof.
  induction V as [|j W IH]; intros f; simpl; [rewrite Rabs_R0; lra|].
  eapply Rle_trans; [apply Rabs_triang|]. generalize (IH f). lra.
Qed.

Lemma sum_app : forall V W f, sum (V ++ W) f = sum V f + sum W f.
Proof. induction V as [|j V IH]; intros W f; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_map : forall (g : Z -> Z) V f, sum (map g V) f = sum V (fun j => f (g j)).
Proof. induction V as [|j V IH]; intros f; simpl; [reflexivity|now rewrite IH]. Qed.

Lemma sum_perm : forall V W f, Permutation V W -> sum V f = sum W f.
Proof. intros V W f H. induction H; simpl; lra. Qed.

Lemma sum_filter : forall (b : Z -> bool) V f, sum (filter b V) f = sum V (fun j => if b j then f j else 0).
Proof. induction V as [|j V IH]; intros f; simpl; [reflexivity|]. destruct (b j); simpl; rewrite IH; ring. Qed.

(** A sum split by a Boolean. *)
Lemma sum_split : forall (b : Z -> bool) V f,
  sum V f = sum V (fun j => if b j then f j else 0) + sum V (fun j => if b j then 0 else f j).
Proof. intros. rewrite <- sum_plus. apply sum_ext. intros j _. destruct (b j); ring. Qed.

Lemma sum_one_hot : forall V m f, NoDup V -> In m V -> sum V (fun j => one_hot m j * f j) = f m.
Proof.
  induction V as [|j W IH]; intros m f N Hm; [destruct Hm|]. inversion N as [|? ? Nj NW]; subst. simpl.
  destruct (Z.eq_dec j m) as [->|D].
  - unfold one_hot at 1. rewrite Z.eqb_refl.
    rewrite (sum_ext W _ (fun _ => 0)); [rewrite sum_const; ring|].
    intros i Hi. unfold one_hot. destruct (Z.eqb_spec i m); [subst; contradiction|ring].
  - unfold one_hot at 1. destruct (Z.eqb_spec j m); [contradiction|].
    destruct Hm as [|Hm]; [contradiction|]. rewrite (IH m f NW Hm). ring.
Qed.

Lemma size_nonneg : forall V, 0 <= size V.
Proof. intros. apply pos_INR. Qed.

Lemma size_ge_1 : forall V, V <> [] -> 1 <= size V.
Proof.
  intros [|j W] H; [congruence|]. unfold size. cbn [length]. rewrite S_INR. generalize (pos_INR (length W)). lra.
Qed.

Lemma size_pos : forall V, V <> [] -> 0 < size V.
Proof. intros V H. generalize (size_ge_1 V H). lra. Qed.

Lemma in_nonempty : forall (m : Z) V, In m V -> V <> [].
Proof. intros m [|j W] H; [destruct H|discriminate]. Qed.

(** ** The positions 1, ..., n *)

Lemma in_positions : forall n j, In j (positions n) <-> (1 <= j <= n)%Z.
Proof.
  intros n j. unfold positions. rewrite in_map_iff. split.
  - intros [x [E Hx]]. apply in_seq in Hx. lia.
  - intros H. exists (Z.to_nat j). rewrite in_seq. lia.
Qed.

Lemma size_positions : forall n, (0 <= n)%Z -> size (positions n) = IZR n.
Proof.
  intros n H. unfold size, positions. rewrite map_length, seq_length, INR_IZR_INZ. f_equal. lia.
Qed.

Lemma nodup_positions : forall n, NoDup (positions n).
Proof. intros n. apply FinFun.Injective_map_NoDup; [intros x y; lia|apply seq_NoDup]. Qed.

Lemma positions_nonempty : forall n, (1 <= n)%Z -> positions n <> [].
Proof. intros n H. apply (in_nonempty 1%Z), in_positions. lia. Qed.

Lemma positions_empty : forall n, (n <= 0)%Z -> positions n = [].
Proof. intros n H. unfold positions. replace (Z.to_nat n) with O by lia. reflexivity. Qed.

Lemma sum_positions_succ : forall n f, (0 <= n)%Z -> sum (positions (n + 1)) f = sum (positions n) f + f (n + 1)%Z.
Proof.
  intros n f H. unfold positions. replace (Z.to_nat (n + 1)) with (S (Z.to_nat n)) by lia.
  rewrite seq_S, map_app, sum_app. simpl. replace (Z.pos (Pos.of_succ_nat (Z.to_nat n))) with (n + 1)%Z by lia. ring.
Qed.

Lemma sum_positions_split : forall a b f, (0 <= a)%Z -> (0 <= b)%Z ->
  sum (positions (a + b)) f = sum (positions a) f + sum (positions b) (fun j => f (a + j)%Z).
Proof.
  intros a b f Ha. revert b. apply (natlike_ind (fun b =>
    sum (positions (a + b)) f = sum (positions a) f + sum (positions b) (fun j => f (a + j)%Z))).
  - rewrite Z.add_0_r. simpl. ring.
  - intros b Hb IH. unfold Z.succ. rewrite Z.add_assoc, !sum_positions_succ, IH by lia.
    replace (a + (b + 1))%Z with (a + b + 1)%Z by ring. ring.
Qed.

Lemma sum_positions_rev : forall n f, (0 <= n)%Z ->
  sum (positions n) f = sum (positions n) (fun j => f (n + 1 - j)%Z).
Proof.
  intros n f Hn. revert n Hn f. apply (natlike_ind (fun n => forall f,
    sum (positions n) f = sum (positions n) (fun j => f (n + 1 - j)%Z))); [reflexivity|].
  intros n Hn IH f. unfold Z.succ.
  transitivity (sum (positions (1 + n)) (fun j => f (n + 1 + 1 - j)%Z)); [|do 2 f_equal; ring].
  rewrite sum_positions_succ, sum_positions_split, (IH f) by lia.
  replace (sum (positions 1) (fun j => f (n + 1 + 1 - j)%Z)) with (f (n + 1)%Z).
  - rewrite Rplus_comm. f_equal. apply sum_ext. intros j _. f_equal. ring.
  - simpl. rewrite Rplus_0_r. f_equal. ring.
Qed.

(** ** Maxima *)

Lemma maximum_cons : forall j V s, V <> [] -> maximum (j :: V) s = Rmax (s j) (maximum V s).
Proof. intros j [|i V] s H; [congruence|reflexivity]. Qed.

Lemma minimum_cons : forall j V s, V <> [] -> minimum (j :: V) s = Rmin (s j) (minimum V s).
Proof. intros j [|i V] s H; [congruence|reflexivity]. Qed.

Lemma maximum_ge : forall V s j, In j V -> s j <= maximum V s.
Proof.
  induction V as [|i V IH]; intros s j H; [destruct H|]. destruct V as [|i' V].
  - destruct H as [->|[]]. simpl. lra.
  - rewrite maximum_cons by discriminate. destruct H as [->|H].
    + apply Rmax_l.
    + eapply Rle_trans; [apply IH, H|apply Rmax_r].
Qed.

Lemma minimum_le : forall V s j, In j V -> minimum V s <= s j.
Proof.
  induction V as [|i V IH]; intros s j H; [destruct H|]. destruct V as [|i' V].
  - destruct H as [->|[]]. simpl. lra.
  - rewrite minimum_cons by discriminate. destruct H as [->|H].
    + apply Rmin_l.
    + eapply Rle_trans; [apply Rmin_r|apply IH, H].
Qed.

Lemma maximum_reached : forall V s, V <> [] -> exists m, In m V /\ s m = maximum V s.
Proof.
  induction V as [|i V IH]; intros s H; [congruence|]. destruct V as [|i' V].
  - exists i. split; [now left|reflexivity].
  - rewrite maximum_cons by discriminate. destruct (IH s) as [m [Hm E]]; [discriminate|].
    unfold Rmax. destruct (Rle_dec (s i) (maximum (i' :: V) s)).
    + exists m. split; [now right|exact E].
    + exists i. split; [now left|reflexivity].
Qed.

Lemma minimum_reached : forall V s, V <> [] -> exists m, In m V /\ s m = minimum V s.
Proof.
  induction V as [|i V IH]; intros s H; [congruence|]. destruct V as [|i' V].
  - exists i. split; [now left|reflexivity].
  - rewrite minimum_cons by discriminate. destruct (IH s) as [m [Hm E]]; [discriminate|].
    unfold Rmin. destruct (Rle_dec (s i) (minimum (i' :: V) s)).
    + exists i. split; [now left|reflexivity].
    + exists m. split; [now right|exact E].
Qed.

Lemma maximum_unique : forall V s x m, In m V -> s m = x -> (forall j, In j V -> s j <= x) -> maximum V s = x.
Proof.
  intros V s x m Hm E H. apply Rle_antisym.
  - destruct (maximum_reached V s (in_nonempty m V Hm)) as [i [Hi <-]]. now apply H.
  - rewrite <- E. now apply maximum_ge.
Qed.

(** ** Maximisers *)

Lemma maximal_true : forall V s i, is_maximal V s i = true <-> s i = maximum V s.
Proof. intros. unfold is_maximal. destruct (Req_EM_T (s i) (maximum V s)); split; intros; congruence. Qed.

Lemma maximal_false : forall V s i, is_maximal V s i = false <-> s i <> maximum V s.
Proof. intros. unfold is_maximal. destruct (Req_EM_T (s i) (maximum V s)); split; intros; congruence. Qed.

Lemma maximal_false_lt : forall V s i, In i V -> is_maximal V s i = false -> s i < maximum V s.
Proof.
  intros V s i Hi H. apply maximal_false in H. destruct (maximum_ge V s i Hi); [assumption|contradiction].
Qed.

Lemma in_maximisers : forall V s i, In i (maximisers V s) <-> In i V /\ s i = maximum V s.
Proof. intros. unfold maximisers. now rewrite filter_In, maximal_true. Qed.

Lemma maximisers_nonempty : forall V s, V <> [] -> maximisers V s <> [].
Proof.
  intros V s H. destruct (maximum_reached V s H) as [m Hm].
  apply (in_nonempty m), in_maximisers, Hm.
Qed.

Lemma ties_sum : forall V s, ties V s = sum V (fun j => if is_maximal V s j then 1 else 0).
Proof.
  intros. unfold ties. replace (size (maximisers V s)) with (sum (maximisers V s) (fun _ => 1)).
  - apply sum_filter.
  - rewrite sum_const. ring.
Qed.

Lemma ties_ge_1 : forall V s, V <> [] -> 1 <= ties V s.
Proof. intros V s H. apply size_ge_1, maximisers_nonempty, H. Qed.

Lemma non_maximal_sum : forall V s c, sum V (fun j => if is_maximal V s j then 0 else c) = (size V - ties V s) * c.
Proof.
  intros. rewrite ties_sum, <- (Rmult_1_r (size V)), <- sum_const, <- sum_minus, Rmult_comm, <- sum_scal.
  apply sum_ext. intros j _. destruct (is_maximal V s j); ring.
Qed.

Lemma ties_le_size : forall V s, ties V s <= size V.
Proof.
  intros. assert (H := non_maximal_sum V s 1).
  assert (0 <= sum V (fun j => if is_maximal V s j then 0 else 1)); [|lra].
  apply sum_nonneg. intros j _. destruct (is_maximal V s j); lra.
Qed.

(** If k < n some position is not maximal. *)
Lemma some_non_maximal : forall V s, ties V s < size V -> exists m, In m V /\ is_maximal V s m = false.
Proof.
  intros V s H. destruct (existsb (fun j => negb (is_maximal V s j)) V) eqn:E.
  - apply existsb_exists in E. destruct E as [m [Hm E]]. exists m. split; [exact Hm|].
    destruct (is_maximal V s m); [discriminate|reflexivity].
  - exfalso. rewrite ties_sum in H.
    rewrite (sum_ext V _ (fun _ => 1)) in H; [rewrite sum_const in H; lra|].
    intros j Hj. destruct (is_maximal V s j) eqn:Ej; [reflexivity|].
    assert (X : existsb (fun i => negb (is_maximal V s i)) V = true).
    { apply existsb_exists. exists j. rewrite Ej. now split. }
    congruence.
Qed.

(** ** Exponentials *)

Lemma exp_le : forall x y, x <= y -> exp x <= exp y.
Proof. intros x y [H|H]; [apply Rlt_le, exp_increasing, H|rewrite H; lra]. Qed.

Lemma div_le : forall x y t, 0 < t -> x <= y -> x / t <= y / t.
Proof. intros. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; assumption|assumption]. Qed.

Lemma div_lt : forall x y t, 0 < t -> x < y -> x / t < y / t.
Proof. intros. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; assumption|assumption]. Qed.

Lemma exp_sum_pos : forall tau V s, V <> [] -> 0 < sum V (fun j => exp (s j / tau)).
Proof. intros. apply sum_pos; [assumption|]. intros. apply exp_pos. Qed.

(** ** Absolute values and fractions *)

Lemma abs_le_inv : forall x y, Rabs x <= y -> - y <= x <= y.
Proof. intros x y H. generalize (Rle_abs x) (Rle_abs (- x)). rewrite Rabs_Ropp. lra. Qed.

Lemma over_1 : forall x, x / 1 = x.
Proof. intros. field. Qed.

Lemma frac_le : forall a b c d, 0 < b -> 0 < d -> a * d <= c * b -> a / b <= c / d.
Proof.
  intros a b c d Hb Hd H. apply Rmult_le_reg_r with (b * d); [apply Rmult_lt_0_compat; assumption|].
  replace (a / b * (b * d)) with (a * d) by (field; lra). replace (c / d * (b * d)) with (c * b) by (field; lra).
  exact H.
Qed.

Lemma frac_lt : forall a b c d, 0 < b -> 0 < d -> a * d < c * b -> a / b < c / d.
Proof.
  intros a b c d Hb Hd H. apply Rmult_lt_reg_r with (b * d); [apply Rmult_lt_0_compat; assumption|].
  replace (a / b * (b * d)) with (a * d) by (field; lra). replace (c / d * (b * d)) with (c * b) by (field; lra).
  exact H.
Qed.

(** z / (k + z) increases in z. *)
Lemma share_le : forall k y z, 0 < k -> 0 <= y -> y <= z -> y / (k + y) <= z / (k + z).
Proof. intros. apply frac_le; nra. Qed.

Lemma share_lt : forall k y z, 0 < k -> 0 <= y -> y < z -> y / (k + y) < z / (k + z).
Proof. intros. apply frac_lt; nra. Qed.
