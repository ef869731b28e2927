(** * D4. Counting

    Summary: a head with equal scores averages exactly, in soft and in hard attention; a second head looks the count up,
    with an error of at most q / (1 - q^3)^2, whatever the length of the word. Here q = exp(- c / tau).

    ** Main statements

    - [D4_uniform], [D4_uniform_hard], [D4_average]: equal scores give the weights 1/n, which are the average-hard ones.
    - [D4_gap], [D4_size]: the scores c N / w (2 C j - j^2) are maximal at [C] and fall off at least like c (j - C)^2;
      they are at most c N^3 in absolute value.
    - [D4_series]: q + 2 q^4 + 3 q^9 + ... + L q^(L^2) < q / (1 - q^3)^2; [D4_series_limit]: the infinite series.
    - [D4_error]: the mean position under softmax is within q / (1 - q^3)^2 of the maximal one; [D4_count]: the count.
    - [D4_sum], [D4_sum_tight]: errors of a linear combination of counts.
    - [D4_decide]: a linear combination known up to e < 1/2 decides its sign.

    Notation: Definitions.v, Line.v. References: notes/d-logic.md, D4; the series bound uses d^2 >= 3 d - 2. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Permutation.
From HardSoft Require Import Definitions Sums A1 A6 Line B2 B3.
Import ListNotations.
Open Scope R_scope.

(** ** Uniform attention *)

Theorem D4_uniform : forall tau V s x i, V <> [] -> (forall j, In j V -> s j = x) -> In i V -> softmax tau V s i = 1 / size V.
Proof.
  intros tau V s x i H E Hi. unfold softmax. rewrite (E i Hi).
  rewrite (sum_ext V _ (fun _ => exp (x / tau))) by (intros j Hj; now rewrite E). rewrite sum_const.
  assert (P := exp_pos (x / tau)). assert (N := size_pos V H). field. lra.
Qed.

Theorem D4_uniform_hard : forall tau V s x i, V <> [] -> (forall j, In j V -> s j = x) -> In i V ->
  softmax tau V s i = average_hard V s i.
Proof.
  intros tau V s x i H E Hi. rewrite (D4_uniform tau V s x) by assumption.
  assert (M : maximum V s = x) by (apply (maximum_unique V s x i Hi (E i Hi)); intros j Hj; rewrite E by assumption; lra).
  assert (B : forall j, In j V -> is_maximal V s j = true) by (intros j Hj; apply maximal_true; now rewrite M, E).
  unfold average_hard. rewrite B by assumption. f_equal.
  rewrite ties_sum, (sum_ext V _ (fun _ => 1)) by (intros j Hj; now rewrite B). rewrite sum_const. ring.
Qed.

Theorem D4_average : forall tau V s x v, V <> [] -> (forall j, In j V -> s j = x) ->
  output V (softmax tau V s) v = sum V v / size V.
Proof.
  intros tau V s x v H E. unfold output. rewrite <- sum_div. apply sum_ext. intros j Hj.
  rewrite (D4_uniform tau V s x) by assumption. unfold Rdiv. ring.
Qed.

(** ** The lookup of a count [C] from C / w and 1 / w *)

Definition lookup_scores (c N w C : R) (j : Z) : R := N * c * (2 * (C / w) * IZR j - 1 / w * IZR j ^ 2).

Theorem D4_gap : forall c N w (C j : Z), 0 < c -> 0 < w -> w <= N ->
  c * (IZR j - IZR C) ^ 2 <= lookup_scores c N w (IZR C) C - lookup_scores c N w (IZR C) j.
Proof.
  intros c N w C j P W L. unfold lookup_scores.
  replace (N * c * (2 * (IZR C / w) * IZR C - 1 / w * IZR C ^ 2) - N * c * (2 * (IZR C / w) * IZR j - 1 / w * IZR j ^ 2))
    with (N / w * (c * (IZR j - IZR C) ^ 2)) by (field; lra).
  rewrite <- (Rmult_1_l (c * (IZR j - IZR C) ^ 2)) at 1. apply Rmult_le_compat_r.
  - apply Rmult_le_pos; [lra|]. simpl. rewrite Rmult_1_r. apply Rle_0_sqr.
  - rewrite <- (over_1 1) at 1. apply frac_le; lra.
Qed.

Theorem D4_size : forall c N w C j, 0 < c -> 1 <= w -> w <= N -> 0 <= C <= N - 1 -> 0 <= IZR j <= N - 1 ->
  Rabs (lookup_scores c N w C j) <= c * N ^ 3.
Proof.
  intros c N w C j P W L HC HJ. unfold lookup_scores. set (x := IZR j) in *.
  replace (N * c * (2 * (C / w) * x - 1 / w * x ^ 2)) with (N * c * / w * (x * (2 * C - x))) by (field; lra).
  rewrite Rabs_mult. rewrite (Rabs_right (N * c * / w)).
  - replace (c * N ^ 3) with (N * c * 1 * (N * N)) by ring.
    apply Rmult_le_compat; [|apply Rabs_pos| |].
    + repeat apply Rmult_le_pos; try lra. apply Rlt_le, Rinv_0_lt_compat. lra.
    + apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
    + apply Rabs_le. split.
      * assert (0 <= x * C) by (apply Rmult_le_pos; lra). nra.
      * assert (x * (2 * C - x) <= C * C) by (assert (H := Rle_0_sqr (x - C)); unfold Rsqr in H; lra). nra.
  - apply Rle_ge. repeat apply Rmult_le_pos; try lra. apply Rlt_le, Rinv_0_lt_compat. lra.
Qed.

(** ** The series *)

(** 1 + 2 r + 3 r^2 + ... + L r^(L-1) *)
Lemma weighted_geometric : forall r N, 0 < r < 1 ->
  sum (positions (Z.of_nat N)) (fun d => IZR d * r ^ (Z.to_nat d - 1)) =
  (1 - (INR N + 1) * r ^ N + INR N * r ^ S N) / (1 - r) ^ 2.
Proof.
  intros r N Q. induction N as [|N IH]; [simpl; field; lra|].
  rewrite Nat2Z.inj_succ. unfold Z.succ. rewrite sum_positions_succ, IH by lia.
  replace (Z.to_nat (Z.of_nat N + 1) - 1)%nat with N by lia. rewrite plus_IZR, <- INR_IZR_INZ, S_INR. simpl. field. lra.
Qed.

Lemma weighted_bound : forall r N, 0 < r < 1 ->
  sum (positions (Z.of_nat N)) (fun d => IZR d * r ^ (Z.to_nat d - 1)) < 1 / (1 - r) ^ 2.
Proof.
  intros r N Q. rewrite weighted_geometric by assumption. apply div_lt; [apply pow_lt; lra|].
  assert (P := pow_01 r N Q). assert (0 <= INR N) by apply pos_INR. simpl.
  assert (0 < r ^ N * (1 + INR N * (1 - r))); [|nra]. apply Rmult_lt_0_compat; [lra|].
  assert (0 <= INR N * (1 - r)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma square_exponent : forall q (d : Z), 0 < q < 1 -> (1 <= d)%Z ->
  q ^ Z.to_nat (d * d) <= q * (q ^ 3) ^ (Z.to_nat d - 1).
Proof.
  intros q d Q D. rewrite <- pow_mult, <- (pow_1 q) at 1. rewrite <- (pow_1 q) at 2. rewrite <- pow_add.
  assert (L : (1 + 3 * (Z.to_nat d - 1) <= Z.to_nat (d * d))%nat).
  { assert (3 * d - 2 <= d * d)%Z by (destruct (Z.eq_dec d 1); nia). lia. }
  rewrite pow_1. replace (Z.to_nat (d * d)) with (1 + 3 * (Z.to_nat d - 1) + (Z.to_nat (d * d) - (1 + 3 * (Z.to_nat d - 1))))%nat by lia.
  rewrite pow_add. rewrite <- (Rmult_1_r (q ^ (1 + 3 * (Z.to_nat d - 1)))) at 2.
  apply Rmult_le_compat_l; [apply pow_le; lra|now apply pow_01].
Qed.

Lemma cube_01 : forall q, 0 < q < 1 -> 0 < q ^ 3 < 1.
Proof.
  intros q Q. split; [apply pow_lt; lra|]. generalize (pow_01 q 2 Q). intros. change (q ^ 3) with (q * q ^ 2). nra.
Qed.

Lemma square_series : forall q L, 0 < q < 1 ->
  sum (positions L) (fun d => IZR d * q ^ Z.to_nat (d * d)) < q / (1 - q ^ 3) ^ 2.
Proof.
  intros q L Q. assert (R := cube_01 q Q).
  apply Rle_lt_trans with (q * sum (positions L) (fun d => IZR d * (q ^ 3) ^ (Z.to_nat d - 1))).
  - rewrite <- sum_scal. apply sum_le. intros d Hd. apply in_positions in Hd.
    replace (q * (IZR d * (q ^ 3) ^ (Z.to_nat d - 1))) with (IZR d * (q * (q ^ 3) ^ (Z.to_nat d - 1))) by ring.
    apply Rmult_le_compat_l; [apply (IZR_le 0); lia|apply square_exponent; [assumption|lia]].
  - replace (q / (1 - q ^ 3) ^ 2) with (q * (1 / (1 - q ^ 3) ^ 2)) by (field; lra).
    apply Rmult_lt_compat_l; [lra|]. destruct (Z_le_gt_dec 0 L).
    + rewrite <- (Z2Nat.id L) by assumption. now apply weighted_bound.
    + rewrite positions_empty by lia. simpl. rewrite Rmult_1_r. apply Rdiv_lt_0_compat; [lra|].
      apply Rmult_lt_0_compat; lra.
Qed.

Theorem D4_series : forall L c tau, 0 < c -> 0 < tau ->
  sum (positions L) (fun d => IZR d * exp (- c * IZR d ^ 2 / tau)) < exp (- c / tau) / (1 - exp (- c / tau) ^ 3) ^ 2.
Proof.
  intros L c tau C T. rewrite (sum_ext _ _ (fun d => IZR d * exp (- c / tau) ^ Z.to_nat (d * d))).
  - apply square_series. now apply exp_decay.
  - intros d Hd. apply in_positions in Hd. f_equal. rewrite <- exp_power_Z by nia. f_equal. rewrite mult_IZR.
    unfold Rdiv. ring.
Qed.

(** The infinite series converges, to at most the bound. *)
Theorem D4_series_limit : forall q, 0 < q < 1 ->
  exists l, infinite_sum (fun d => INR d * q ^ (d * d)) l /\ l <= q / (1 - q ^ 3) ^ 2.
Proof.
  intros q Q. set (f := fun d => INR d * q ^ (d * d)). set (b := q / (1 - q ^ 3) ^ 2).
  assert (E : forall N, sum_f_R0 f N = sum (positions (Z.of_nat N)) (fun d => IZR d * q ^ Z.to_nat (d * d))).
  { induction N as [|N IH]; [unfold f; simpl; ring|].
    rewrite Nat2Z.inj_succ. unfold Z.succ. rewrite sum_positions_succ, <- IH by lia. simpl sum_f_R0. unfold f.
    rewrite INR_IZR_INZ, Nat2Z.inj_succ. unfold Z.succ. do 3 f_equal. lia. }
  assert (B : forall N, sum_f_R0 f N < b) by (intros N; rewrite E; now apply square_series).
  destruct (growing_cv (sum_f_R0 f)) as [l L].
  - intros N. simpl. assert (0 <= f (S N)) by (apply Rmult_le_pos; [apply pos_INR|apply pow_le; lra]). lra.
  - exists b. intros x [N ->]. now apply Rlt_le.
  - exists l. split; [exact L|]. destruct (Rle_or_lt l b) as [|C]; [assumption|exfalso].
    destruct (L (l - b)) as [N HN]; [lra|]. generalize (HN N (le_n N)) (B N). unfold R_dist. intros X Y.
    apply Rabs_def2 in X. lra.
Qed.

(** ** The error of the lookup *)

(** Distinct numbers among others: nonnegative terms add up to at most the sum over all. *)
Lemma sum_incl : forall D E f, NoDup D -> incl D E -> (forall j, In j E -> 0 <= f j) -> sum D f <= sum E f.
Proof.
  induction D as [|d D IH]; intros E f U I P; [simpl; now apply sum_nonneg|]. inversion U; subst.
  assert (Hd : In d E) by (apply I; now left). apply in_split in Hd as [X [Y ->]].
  rewrite (sum_perm (X ++ d :: Y) (d :: X ++ Y)) by (symmetry; apply Permutation_middle). simpl.
  apply Rplus_le_compat_l, IH; [assumption| |].
  - intros j Hj. assert (K : In j (X ++ d :: Y)) by (apply I; now right). apply in_app_iff in K.
    apply in_app_iff. destruct K as [|[->|]]; tauto.
  - intros j Hj. apply P. apply in_app_iff in Hj. apply in_app_iff. simpl. tauto.
Qed.

Lemma side_error : forall q W g (e : Z -> Z), 0 < q < 1 -> NoDup W ->
  (forall i j, In i W -> In j W -> e i = e j -> i = j) -> (forall j, In j W -> (1 <= e j)%Z) ->
  (forall j, In j W -> g j <= q ^ Z.to_nat (e j * e j)) -> sum W (fun j => IZR (e j) * g j) <= q / (1 - q ^ 3) ^ 2.
Proof.
  intros q W g e Q U I P G. assert (H : exists L, forall j, In j W -> (e j <= L)%Z).
  { exists (greatest (map e W)). intros j Hj. apply greatest_ge, in_map, Hj. }
  destruct H as [L H]. apply Rlt_le. eapply Rle_lt_trans; [|apply (square_series q L Q)].
  apply Rle_trans with (sum (map e W) (fun d => IZR d * q ^ Z.to_nat (d * d))).
  - rewrite sum_map. apply sum_le. intros j Hj. apply Rmult_le_compat_l; [apply (IZR_le 0); generalize (P j Hj); lia|auto].
  - apply sum_incl; [now apply nodup_map_inj| |].
    + intros d Hd. apply in_map_iff in Hd. destruct Hd as [j [<- Hj]]. apply in_positions. auto.
    + intros d Hd. apply in_positions in Hd. apply Rmult_le_pos; [apply (IZR_le 0); lia|apply pow_le; lra].
Qed.

Lemma weight_decay : forall tau V s a i, In a V -> In i V -> softmax tau V s i <= exp (- (s a - s i) / tau).
Proof.
  intros tau V s a i Ha Hi. unfold softmax. rewrite (exp_shift (s i) (s a)).
  assert (P := exp_pos (s a / tau)). assert (E := exp_pos (- (s a - s i) / tau)).
  assert (T : exp (s a / tau) <= sum V (fun j => exp (s j / tau))).
  { apply (sum_term V (fun j => exp (s j / tau)) a); [|assumption]. intros. apply Rlt_le, exp_pos. }
  rewrite <- (over_1 (exp (- (s a - s i) / tau))) at 2. apply frac_le; [lra|lra|].
  rewrite Rmult_1_r, Rmult_comm. apply Rmult_le_compat_l; lra.
Qed.

Theorem D4_error : forall tau V s c a, 0 < tau -> 0 < c -> NoDup V -> In a V ->
  (forall j, In j V -> c * (IZR j - IZR a) ^ 2 <= s a - s j) ->
  Rabs (IZR a - output V (softmax tau V s) IZR) <= exp (- c / tau) / (1 - exp (- c / tau) ^ 3) ^ 2.
Proof.
  intros tau V s c a T C U Ha D. assert (Q := exp_decay c tau C T). set (q := exp (- c / tau)) in *.
  assert (H := in_nonempty a V Ha).
  assert (X : IZR a - output V (softmax tau V s) IZR = sum (left_of a V) (fun j => IZR (a - j) * softmax tau V s j) -
    sum (right_of a V) (fun j => IZR (j - a) * softmax tau V s j)).
  { unfold output. replace (IZR a) with (IZR a * sum V (softmax tau V s)) by (rewrite A1_normalised by assumption; ring).
    rewrite <- sum_scal, <- sum_minus. unfold left_of, right_of. rewrite !sum_filter, <- sum_minus. apply sum_ext.
    intros j _. rewrite !minus_IZR. destruct (Z.ltb_spec j a), (Z.ltb_spec a j); try lia; try ring.
    replace j with a by lia. ring. }
  assert (E : forall j, In j V -> softmax tau V s j <= q ^ Z.to_nat (Z.abs (j - a) * Z.abs (j - a))).
  { intros j Hj. eapply Rle_trans; [now apply (weight_decay tau V s a)|]. unfold q. apply decay_power; [assumption|nia|].
    replace (IZR (Z.abs (j - a) * Z.abs (j - a))) with ((IZR j - IZR a) ^ 2); [now apply D|].
    replace (Z.abs (j - a) * Z.abs (j - a))%Z with ((j - a) * (j - a))%Z by lia. rewrite mult_IZR, minus_IZR. ring. }
  assert (L : sum (left_of a V) (fun j => IZR (a - j) * softmax tau V s j) <= q / (1 - q ^ 3) ^ 2).
  { apply (side_error q _ _ (fun j => a - j)%Z); try assumption; [now apply NoDup_filter|..]; intros;
    rewrite in_left in *; try lia. replace (a - j)%Z with (Z.abs (j - a)) by lia. now apply E. }
  assert (R : sum (right_of a V) (fun j => IZR (j - a) * softmax tau V s j) <= q / (1 - q ^ 3) ^ 2).
  { apply (side_error q _ _ (fun j => j - a)%Z); try assumption; [now apply NoDup_filter|..]; intros;
    rewrite in_right in *; try lia. replace (j - a)%Z with (Z.abs (j - a)) by lia. now apply E. }
  assert (L0 : 0 <= sum (left_of a V) (fun j => IZR (a - j) * softmax tau V s j)).
  { apply sum_nonneg. intros j Hj. apply in_left in Hj. apply Rmult_le_pos; [apply (IZR_le 0); lia|].
    now apply Rlt_le, A1_positive. }
  assert (R0 : 0 <= sum (right_of a V) (fun j => IZR (j - a) * softmax tau V s j)).
  { apply sum_nonneg. intros j Hj. apply in_right in Hj. apply Rmult_le_pos; [apply (IZR_le 0); lia|].
    now apply Rlt_le, A1_positive. }
  rewrite X. apply Rabs_le. lra.
Qed.

(** The count [C] read off at places 0, ..., N - 1. *)
Theorem D4_count : forall tau V c N w C, 0 < tau -> 0 < c -> 0 < w -> w <= N -> NoDup V -> In C V ->
  Rabs (IZR C - output V (softmax tau V (lookup_scores c N w (IZR C))) IZR) <=
  exp (- c / tau) / (1 - exp (- c / tau) ^ 3) ^ 2.
Proof. intros. apply D4_error; try assumption. intros j Hj. now apply D4_gap. Qed.

(** ** Linear combinations *)

Theorem D4_sum : forall V a f g nu, (forall j, In j V -> Rabs (f j - g j) <= nu) ->
  Rabs (sum V (fun j => a j * f j) - sum V (fun j => a j * g j)) <= nu * sum V (fun j => Rabs (a j)).
Proof.
  intros V a f g nu H. rewrite <- sum_minus. eapply Rle_trans; [apply sum_abs|]. rewrite <- sum_scal. apply sum_le.
  intros j Hj. replace (a j * f j - a j * g j) with ((f j - g j) * a j) by ring. rewrite Rabs_mult.
  apply Rmult_le_compat_r; [apply Rabs_pos|auto].
Qed.

Theorem D4_sum_tight : forall V a f g nu, 0 <= nu -> (forall j, In j V -> (g j - f j) * a j = nu * Rabs (a j)) ->
  Rabs (sum V (fun j => a j * f j) - sum V (fun j => a j * g j)) = nu * sum V (fun j => Rabs (a j)).
Proof.
  intros V a f g nu N H. rewrite Rabs_minus_sym, <- sum_minus.
  rewrite (sum_ext V _ (fun j => nu * Rabs (a j))) by (intros j Hj; rewrite <- H by assumption; ring).
  rewrite sum_scal. apply Rabs_right, Rle_ge, Rmult_le_pos; [assumption|]. apply sum_nonneg. intros. apply Rabs_pos.
Qed.

Theorem D4_decide : forall x e (D : Z), Rabs (x - IZR D) <= e ->
  ((0 <= D)%Z -> 1 - 2 * e <= 1 + 2 * x) /\ ((D < 0)%Z -> 1 + 2 * x <= 2 * e - 1).
Proof.
  intros x e D H. apply abs_le_inv in H. split; intros S.
  - apply IZR_le in S. lra.
  - assert (IZR D <= -1) by (apply IZR_le; lia). lra.
Qed.
