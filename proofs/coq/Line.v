(** * Scores that fall with the distance: lemmas for section B

    Geometric sums over distinct integers, and rows with a single maximiser. No statement of the theory is proved here.
    Notation: Definitions.v; 0 < q < 1 throughout. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Permutation.
From HardSoft Require Import Definitions Sums A1 A6.
Import ListNotations.
Open Scope R_scope.

(** q + q^2 + ... + q^N *)
Definition geometric (N : nat) (q : R) : R := q * (1 - q ^ N) / (1 - q).

(** What a maximiser and others at distances gamma, 2 gamma, ... give: [geometric (n-1) q / (1 + geometric (n-1) q)]. *)
Definition line_bound (n : nat) (q : R) : R := q * (1 - q ^ (n - 1)) / (1 - q ^ n).

Lemma exp_decay : forall gamma tau, 0 < gamma -> 0 < tau -> 0 < exp (- gamma / tau) < 1.
Proof.
  intros gamma tau G T. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing.
  replace 0 with (0 / tau) by (unfold Rdiv; ring). apply div_lt; lra.
Qed.

(** exp(- gamma d / tau) = q^d *)
Lemma exp_power : forall x (N : nat), exp (x * INR N) = exp x ^ N.
Proof.
  intros x N. induction N as [|N IH]; [simpl; rewrite Rmult_0_r; apply exp_0|].
  rewrite S_INR, Rmult_plus_distr_l, Rmult_1_r, exp_plus, IH. simpl. ring.
Qed.

Lemma exp_power_Z : forall x (d : Z), (0 <= d)%Z -> exp (x * IZR d) = exp x ^ Z.to_nat d.
Proof. intros x d H. rewrite <- exp_power, INR_IZR_INZ. do 3 f_equal. lia. Qed.

Lemma pow_01 : forall q N, 0 < q < 1 -> 0 < q ^ N <= 1.
Proof.
  intros q N [Q0 Q1]. split; [now apply pow_lt|]. rewrite <- (pow1 N). apply pow_incr. lra.
Qed.

Lemma geometric_succ : forall N q, 0 < q < 1 -> geometric (S N) q = geometric N q + q ^ S N.
Proof. intros N q Q. unfold geometric. simpl. field. lra. Qed.

Lemma geometric_nonneg : forall N q, 0 < q < 1 -> 0 <= geometric N q.
Proof.
  intros N q Q. unfold geometric. generalize (pow_01 q N Q). intros.
  apply Rmult_le_pos; [apply Rmult_le_pos; lra|apply Rlt_le, Rinv_0_lt_compat; lra].
Qed.

Lemma line_share : forall N q, 0 < q < 1 -> geometric N q / (1 + geometric N q) = line_bound (S N) q.
Proof.
  intros N q Q. unfold line_bound, geometric. replace (S N - 1)%nat with N by lia. simpl.
  assert (P := pow_01 q N Q). assert (q * q ^ N < 1) by nra.
  field; repeat split; lra.
Qed.

Lemma line_below : forall n q, 0 < q < 1 -> (1 <= n)%nat -> line_bound n q < q.
Proof.
  intros [|N] q Q H; [lia|]. unfold line_bound. replace (S N - 1)%nat with N by lia. simpl.
  assert (P := pow_01 q N Q). assert (q * q ^ N < q ^ N) by nra. assert (q * q ^ N < 1) by lra.
  rewrite <- (over_1 q) at 5. apply frac_lt; [lra|lra|nra].
Qed.

(** A largest element of a nonempty list. *)
Lemma split_greatest : forall D : list Z, D <> [] -> exists M W, Permutation D (M :: W) /\ forall d, In d D -> (d <= M)%Z.
Proof.
  intros D H. assert (G := greatest_in D H). apply in_split in G as E. destruct E as [X [Y E]].
  exists (greatest D), (X ++ Y). split; [|intros; now apply greatest_ge].
  rewrite E at 1. now rewrite Permutation_middle.
Qed.

(** Distinct positive integers: the sum of q^d is largest for 1, 2, ..., N. *)
Lemma distinct_powers : forall q, 0 < q < 1 -> forall D : list Z, NoDup D -> (forall d, In d D -> (1 <= d)%Z) ->
  sum D (fun d => q ^ Z.to_nat d) <= geometric (length D) q.
Proof.
  intros q Q D. remember (length D) as N eqn:L. revert D L. induction N as [|N IH]; intros D L U P.
  - destruct D; [|discriminate]. unfold geometric. simpl. right. field. lra.
  - destruct (split_greatest D) as [M [W [E G]]]; [now destruct D|].
    assert (LW : length W = N) by (apply Permutation_length in E; simpl in E; lia).
    assert (UW : NoDup (M :: W)) by (apply (Permutation_NoDup E U)). inversion UW; subst.
    rewrite (sum_perm _ _ _ E), geometric_succ, Rplus_comm by assumption. simpl sum.
    apply Rplus_le_compat.
    2: { apply IH; [reflexivity|assumption|]. intros d Hd. apply P. apply (Permutation_in d (Permutation_sym E)). now right. }
    assert (B : (S (length W) <= Z.to_nat M)%nat).
    { rewrite L. replace (Z.to_nat M) with (length (positions M)).
      - apply NoDup_incl_length; [assumption|]. intros d Hd. apply in_positions. split; auto.
      - unfold positions. now rewrite map_length, seq_length. }
    replace (Z.to_nat M) with (S (length W) + (Z.to_nat M - S (length W)))%nat by lia. rewrite pow_add.
    rewrite <- (Rmult_1_r (q ^ S (length W))) at 2. apply Rmult_le_compat_l; [apply pow_le; lra|].
    now apply pow_01.
Qed.

Lemma nodup_map_inj : forall (e : Z -> Z) W, NoDup W ->
  (forall i j, In i W -> In j W -> e i = e j -> i = j) -> NoDup (map e W).
Proof.
  intros e W U I. induction W as [|j W IH]; [constructor|]. inversion U; subst. simpl. constructor.
  - intros H. apply in_map_iff in H. destruct H as [i [E Hi]].
    assert (i = j) by (apply I; [now right|now left|assumption]). now subst.
  - apply IH; [assumption|]. intros a b Ha Hb. apply I; now right.
Qed.

Lemma distinct_sum : forall q (e : Z -> Z) W f, 0 < q < 1 -> NoDup W ->
  (forall i j, In i W -> In j W -> e i = e j -> i = j) -> (forall j, In j W -> (1 <= e j)%Z) ->
  (forall j, In j W -> f j <= q ^ Z.to_nat (e j)) -> sum W f <= geometric (length W) q.
Proof.
  intros q e W f Q U I P F. apply Rle_trans with (sum W (fun j => q ^ Z.to_nat (e j))); [now apply sum_le|].
  rewrite <- (sum_map e W (fun d => q ^ Z.to_nat d)), <- (map_length e W). apply distinct_powers; [assumption|..].
  - now apply nodup_map_inj.
  - intros d Hd. apply in_map_iff in Hd. destruct Hd as [j [<- Hj]]. auto.
Qed.

(** The N distinct integers 1, ..., N. *)
Lemma geometric_sum : forall q N, 0 < q < 1 -> sum (positions (Z.of_nat N)) (fun d => q ^ Z.to_nat d) = geometric N q.
Proof.
  intros q N Q. induction N as [|N IH]; [unfold geometric; simpl; field; lra|].
  rewrite Nat2Z.inj_succ. unfold Z.succ. rewrite sum_positions_succ, IH, geometric_succ by (assumption || lia).
  do 2 f_equal. lia.
Qed.

Lemma exact_sum : forall q (e : Z -> Z) W f, 0 < q < 1 -> NoDup W ->
  (forall i j, In i W -> In j W -> e i = e j -> i = j) ->
  (forall j, In j W -> (1 <= e j <= Z.of_nat (length W))%Z) ->
  (forall j, In j W -> f j = q ^ Z.to_nat (e j)) -> sum W f = geometric (length W) q.
Proof.
  intros q e W f Q U I P F. rewrite (sum_ext W f (fun j => q ^ Z.to_nat (e j))) by assumption.
  rewrite <- (sum_map e W (fun d => q ^ Z.to_nat d)), <- geometric_sum by assumption. apply sum_perm.
  apply NoDup_Permutation_bis.
  - now apply nodup_map_inj.
  - unfold positions. rewrite !map_length, seq_length. lia.
  - intros d Hd. apply in_map_iff in Hd. destruct Hd as [j [<- Hj]]. apply in_positions. auto.
Qed.

(** ** Rows with one maximiser *)

(** [m] is the only visible position of maximal score. *)
Definition sole_maximiser (V : list Z) (s : Z -> R) (m : Z) : Prop :=
  In m V /\ forall j, In j V -> j <> m -> s j < s m.

Definition without (m : Z) (V : list Z) : list Z := filter (fun j => negb (j =? m)%Z) V.

Lemma in_without : forall m V j, In j (without m V) <-> In j V /\ j <> m.
Proof.
  intros. unfold without. rewrite filter_In. destruct (Z.eqb_spec j m); simpl; intuition congruence.
Qed.

Lemma nodup_without : forall m V, NoDup V -> NoDup (without m V).
Proof. intros. now apply NoDup_filter. Qed.

Lemma sum_without : forall m V f, NoDup V -> In m V -> sum V f = f m + sum (without m V) f.
Proof.
  intros m V f U H. rewrite <- (sum_one_hot V m f U H). unfold without. rewrite sum_filter, <- sum_plus.
  apply sum_ext. intros j _. unfold one_hot. destruct (Z.eqb_spec j m); simpl; ring.
Qed.

Lemma length_without : forall m V, NoDup V -> In m V -> length V = S (length (without m V)).
Proof.
  intros m V U H. apply INR_eq. rewrite S_INR. assert (X := sum_without m V (fun _ => 1) U H).
  rewrite !sum_const, !Rmult_1_r in X. unfold size in X. lra.
Qed.

Lemma sole_maximum : forall V s m, sole_maximiser V s m -> maximum V s = s m.
Proof.
  intros V s m [Hm S]. apply (maximum_unique V s _ m Hm eq_refl). intros j Hj.
  destruct (Z.eq_dec j m) as [->|D]; [lra|]. apply Rlt_le, S; assumption.
Qed.

Lemma sole_maximal : forall V s m j, sole_maximiser V s m -> In j V -> is_maximal V s j = (j =? m)%Z.
Proof.
  intros V s m j S Hj. destruct (Z.eqb_spec j m) as [->|D].
  - apply maximal_true. now rewrite (sole_maximum V s m).
  - apply maximal_false. rewrite (sole_maximum V s m) by assumption. generalize (proj2 S j Hj D). lra.
Qed.

Lemma sole_ties : forall V s m, NoDup V -> sole_maximiser V s m -> ties V s = 1.
Proof.
  intros V s m U S. rewrite ties_sum, (sum_ext V _ (fun j => one_hot m j * 1)).
  - apply (sum_one_hot V m (fun _ => 1)); [assumption|apply S].
  - intros j Hj. rewrite (sole_maximal V s m) by assumption. unfold one_hot. destruct (j =? m)%Z; ring.
Qed.

Lemma sole_average : forall V s m j, NoDup V -> sole_maximiser V s m -> In j V -> average_hard V s j = one_hot m j.
Proof.
  intros V s m j U S Hj. unfold average_hard. rewrite (sole_ties V s m), (sole_maximal V s m) by assumption.
  unfold one_hot. destruct (j =? m)%Z; [field|reflexivity].
Qed.

Lemma sole_maximisers : forall V s m, NoDup V -> sole_maximiser V s m -> maximisers V s = [m].
Proof.
  intros V s m U S. assert (K := sole_ties V s m U S). unfold ties, size in K.
  assert (Hm : In m (maximisers V s)) by (apply in_maximisers; split; [apply S|now rewrite (sole_maximum V s m)]).
  destruct (maximisers V s) as [|a [|b M]]; [destruct Hm|destruct Hm as [->|[]]; reflexivity|].
  exfalso. cbn [length] in K. rewrite !S_INR in K. generalize (pos_INR (length M)). lra.
Qed.

(** Average-, leftmost- and rightmost-hard attention agree. *)
Lemma sole_leftmost : forall V s m, NoDup V -> sole_maximiser V s m -> leftmost_hard V s = one_hot m.
Proof. intros V s m U S. unfold leftmost_hard. now rewrite (sole_maximisers V s m). Qed.

Lemma sole_rightmost : forall V s m, NoDup V -> sole_maximiser V s m -> rightmost_hard V s = one_hot m.
Proof. intros V s m U S. unfold rightmost_hard. now rewrite (sole_maximisers V s m). Qed.

Lemma sole_others : forall tau V s m, NoDup V -> sole_maximiser V s m ->
  others tau V s = sum (without m V) (fun j => exp (- (s m - s j) / tau)).
Proof.
  intros tau V s m U S. unfold others. rewrite (sum_without m) by (assumption || apply S).
  rewrite (sole_maximal V s m) by (assumption || apply S). rewrite Z.eqb_refl, Rplus_0_l.
  apply sum_ext. intros j Hj. apply in_without in Hj. rewrite (sole_maximal V s m) by tauto.
  destruct (Z.eqb_spec j m); [tauto|]. now rewrite (sole_maximum V s m).
Qed.

(** TV = Z' / (1 + Z') against the sole maximiser. *)
Lemma sole_distance : forall tau V s m, NoDup V -> sole_maximiser V s m ->
  TV V (softmax tau V s) (one_hot m) = others tau V s / (1 + others tau V s).
Proof.
  intros tau V s m U S. rewrite <- (sole_ties V s m), <- A1_exact by (assumption || apply (in_nonempty m), S).
  symmetry. apply tv_ext; [reflexivity|]. intros j Hj. now apply sole_average.
Qed.

(** exp(- distance / tau) for a distance of at least [gamma e]. *)
Lemma decay_power : forall gamma tau d (e : Z), 0 < tau -> (0 <= e)%Z -> gamma * IZR e <= d ->
  exp (- d / tau) <= exp (- gamma / tau) ^ Z.to_nat e.
Proof.
  intros gamma tau d e T E H. rewrite <- exp_power_Z by assumption. apply exp_le.
  replace (- gamma / tau * IZR e) with (- (gamma * IZR e) / tau) by (unfold Rdiv; ring). apply div_le; lra.
Qed.

Lemma decay_power_eq : forall gamma tau d (e : Z), (0 <= e)%Z -> d = gamma * IZR e ->
  exp (- d / tau) = exp (- gamma / tau) ^ Z.to_nat e.
Proof. intros gamma tau d e E ->. rewrite <- exp_power_Z by assumption. f_equal. unfold Rdiv. ring. Qed.
