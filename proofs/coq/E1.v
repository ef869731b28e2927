(** * E1. One layer of a general transformer

    Summary: if the inputs of a layer with softmax attention are within [delta] of those of the same layer with
    average-hard attention, its outputs are within K (delta + H v (delta + B rho)) of the hard ones, where
    rho = 2 tanh(eta / (2 tau)) + 2 (n-1) q / (1 + (n-1) q) and eta = w (2 B delta + delta^2).

    ** Main statements

    - [E1_product], [E1_entries], [E1_scores]: how far products, bilinear forms and scores move.
    - [E1_ties], [E1_weights]: the L1 distance of the weights is at most [rho].
    - [E1_value], [E1_head]: how far the output of a head moves; [E1_diameter], [E1_tieless]: other forms of it.
    - [E1_layer]: the recurrence; [E1_heads]: from heads to a layer.
    - [E1_product_tight], [E1_tieless_tight]: sharpness.

    ** Notation

    A vector is a function from coordinates (integers) to reals; [x j] is the activation at position [j]. A [head] has a
    score form, given by its entries, and a value map. The infinity norm is taken over the coordinates [D].
    [n] = [size V], q = exp(- gamma / tau). References: notes/e-general.md, E1. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz.
From HardSoft Require Import Definitions Sums A1 A2 A5 A6 A7.
Import ListNotations.
Open Scope R_scope.

Definition vector := Z -> R.

(** Entry [e] of the score form multiplies coordinate [query_at e] of the query, coordinate [key_at e] of the key and
    [W e]; entry [e] of the value map multiplies coordinate [value_at e] of the input by [U d e] for output [d]. *)
Record head := Head {
  entries : list Z; W : Z -> R; query_at : Z -> Z; key_at : Z -> Z;
  terms : list Z; U : Z -> Z -> R; value_at : Z -> Z
}.

Definition score (h : head) (x y : vector) : R :=
  sum (entries h) (fun e => W h e * x (query_at h e) * y (key_at h e)).

Definition value (h : head) (x : vector) (d : Z) : R := sum (terms h) (fun e => U h d e * x (value_at h e)).

(** The scores of query [i], and what a head with given attention adds to coordinate [d]. *)
Definition scores (h : head) (x : Z -> vector) (i j : Z) : R := score h (x i) (x j).

Definition hard_head (V : list Z) (h : head) (x : Z -> vector) (i d : Z) : R :=
  output V (average_hard V (scores h x i)) (fun j => value h (x j) d).

Definition soft_head (tau : R) (V : list Z) (h : head) (x : Z -> vector) (i d : Z) : R :=
  output V (softmax tau V (scores h x i)) (fun j => value h (x j) d).

(** A layer: residual connection, heads, then the position-wise map [F]. *)
Definition total (hs : list head) (f : head -> R) : R := fold_right (fun h acc => f h + acc) 0 hs.

Definition hard_layer (V : list Z) (hs : list head) (F : vector -> vector) (x : Z -> vector) (i : Z) : vector :=
  F (fun d => x i d + total hs (fun h => hard_head V h x i d)).

Definition soft_layer (tau : R) (V : list Z) (hs : list head) (F : vector -> vector) (x : Z -> vector) (i : Z) : vector :=
  F (fun d => x i d + total hs (fun h => soft_head tau V h x i d)).

(** Infinity norm: vectors within [e] of each other on the coordinates [D]; maps with Lipschitz constant [K]. *)
Definition close (D : list Z) (e : R) (x y : vector) : Prop := forall d, In d D -> Rabs (x d - y d) <= e.

Definition lipschitz (D : list Z) (K : R) (F : vector -> vector) : Prop :=
  forall e x y, 0 <= e -> close D e x y -> close D (K * e) (F x) (F y).

Definition rho (n tau gamma eta : R) : R :=
  2 * tanh (eta / (2 * tau)) + 2 * (n - 1) * exp (- gamma / tau) / (1 + (n - 1) * exp (- gamma / tau)).

(** ** Products, forms, scores *)

Theorem E1_product : forall X Y dx dy x x' y y', Rabs x <= X -> Rabs y <= Y -> Rabs (x - x') <= dx -> Rabs (y - y') <= dy ->
  Rabs (x * y - x' * y') <= X * dy + Y * dx + dx * dy.
Proof.
  intros X Y dx dy x x' y y' HX HY Hx Hy.
  replace (x * y - x' * y') with (x * (y - y') + (y * (x - x') + - ((x - x') * (y - y')))) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rplus_assoc. apply Rplus_le_compat.
  - rewrite Rabs_mult. apply Rmult_le_compat; try apply Rabs_pos; assumption.
  - eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, !Rabs_mult.
    apply Rplus_le_compat; apply Rmult_le_compat; try apply Rabs_pos; assumption.
Qed.

Theorem E1_product_tight : forall X Y dx dy, 0 <= X -> 0 <= Y -> 0 <= dx -> 0 <= dy ->
  Rabs (X * Y - (X + dx) * (Y + dy)) = X * dy + Y * dx + dx * dy.
Proof.
  intros. replace (X * Y - (X + dx) * (Y + dy)) with (- (X * dy + Y * dx + dx * dy)) by ring.
  rewrite Rabs_Ropp. apply Rabs_right, Rle_ge.
  repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; assumption.
Qed.

Theorem E1_entries : forall E w x x' y y' X Y dx dy,
  (forall e, In e E -> Rabs (x e) <= X e) -> (forall e, In e E -> Rabs (y e) <= Y e) ->
  (forall e, In e E -> Rabs (x e - x' e) <= dx e) -> (forall e, In e E -> Rabs (y e - y' e) <= dy e) ->
  Rabs (sum E (fun e => w e * x e * y e) - sum E (fun e => w e * x' e * y' e)) <=
  sum E (fun e => (X e * dy e + Y e * dx e + dx e * dy e) * Rabs (w e)).
Proof.
  intros E w x x' y y' X Y dx dy HX HY Hx Hy. rewrite <- sum_minus. eapply Rle_trans; [apply sum_abs|].
  apply sum_le. intros e He.
  replace (w e * x e * y e - w e * x' e * y' e) with ((x e * y e - x' e * y' e) * w e) by ring. rewrite Rabs_mult.
  apply Rmult_le_compat_r; [apply Rabs_pos|]. apply E1_product; auto.
Qed.

Lemma form_moves : forall E w x x' y y' B delta,
  (forall e, In e E -> Rabs (x e) <= B) -> (forall e, In e E -> Rabs (y e) <= B) ->
  (forall e, In e E -> Rabs (x e - x' e) <= delta) -> (forall e, In e E -> Rabs (y e - y' e) <= delta) ->
  Rabs (sum E (fun e => w e * x e * y e) - sum E (fun e => w e * x' e * y' e)) <=
  sum E (fun e => Rabs (w e)) * (2 * B * delta + delta ^ 2).
Proof.
  intros E w x x' y y' B delta HX HY Hx Hy.
  eapply Rle_trans; [now apply (E1_entries E w x x' y y' (fun _ => B) (fun _ => B) (fun _ => delta) (fun _ => delta))|].
  rewrite sum_scal. right. ring.
Qed.

Theorem E1_map : forall E u x B, (forall e, In e E -> Rabs (x e) <= B) ->
  Rabs (sum E (fun e => u e * x e)) <= B * sum E (fun e => Rabs (u e)).
Proof.
  intros E u x B H. eapply Rle_trans; [apply sum_abs|]. rewrite <- sum_scal. apply sum_le. intros e He.
  rewrite Rabs_mult, Rmult_comm. apply Rmult_le_compat_r; [apply Rabs_pos|auto].
Qed.

(** [h] reads only coordinates of [D], its entries add up to at most [w] and those of each value to at most [v]. *)
Definition fits (D : list Z) (w v : R) (h : head) : Prop :=
  (forall e, In e (entries h) -> In (query_at h e) D /\ In (key_at h e) D) /\
  (forall e, In e (terms h) -> In (value_at h e) D) /\
  sum (entries h) (fun e => Rabs (W h e)) <= w /\
  (forall d, In d D -> sum (terms h) (fun e => Rabs (U h d e)) <= v).

Theorem E1_scores : forall D w v h x x' y y' B delta, fits D w v h -> 0 <= B -> 0 <= delta ->
  close D B x (fun _ => 0) -> close D B y (fun _ => 0) -> close D delta x x' -> close D delta y y' ->
  Rabs (score h x y - score h x' y') <= w * (2 * B * delta + delta ^ 2).
Proof.
  intros D w v h x x' y y' B delta [F [_ [Hw _]]] B0 D0 HX HY Hx Hy.
  eapply Rle_trans.
  - unfold score.
    apply (form_moves (entries h) (W h) (fun e => x (query_at h e)) (fun e => x' (query_at h e))
      (fun e => y (key_at h e)) (fun e => y' (key_at h e)) B delta); intros e He; destruct (F e He) as [Q Ky].
    + generalize (HX _ Q). now rewrite Rminus_0_r.
    + generalize (HY _ Ky). now rewrite Rminus_0_r.
    + now apply Hx.
    + now apply Hy.
  - apply Rmult_le_compat_r; [|assumption]. assert (0 <= B * delta) by (apply Rmult_le_pos; assumption).
    assert (0 <= delta ^ 2) by (apply pow_le; assumption). lra.
Qed.

(** ** Weights *)

Lemma l1_triangle : forall V p a b, L1 V p b <= L1 V p a + L1 V a b.
Proof.
  intros. unfold L1. rewrite <- sum_plus. apply sum_le. intros j _.
  replace (p j - b j) with ((p j - a j) + (a j - b j)) by ring. apply Rabs_triang.
Qed.

Theorem E1_ties : forall tau V s s' gamma eta, 0 < tau -> V <> [] -> gap_at_least V s gamma -> within V eta s s' ->
  L1 V (softmax tau V s') (average_hard V s) <=
  2 * tanh (eta / (2 * tau)) + 2 * gap_bound (size V) (ties V s) (exp (- gamma / tau)).
Proof.
  intros tau V s s' gamma eta T H G N. eapply Rle_trans; [apply (l1_triangle V _ (softmax tau V s))|].
  generalize (A5_bound tau V s s' eta T H N) (A2_bound tau V s gamma T H G). unfold TV. lra.
Qed.

Theorem E1_weights : forall tau V s s' gamma eta, 0 < tau -> V <> [] -> gap_at_least V s gamma -> within V eta s s' ->
  L1 V (softmax tau V s') (average_hard V s) <= rho (size V) tau gamma eta.
Proof.
  intros tau V s s' gamma eta T H G N. eapply Rle_trans; [now apply (E1_ties tau V s s' gamma eta)|].
  unfold rho. apply Rplus_le_compat_l. apply A2_every_k; [now apply ties_ge_1|apply ties_le_size|apply exp_pos].
Qed.

Lemma hard_normalised : forall V s, V <> [] -> sum V (average_hard V s) = 1.
Proof.
  intros V s H. assert (K := ties_ge_1 V s H). unfold average_hard.
  rewrite (sum_ext V _ (fun j => 1 / ties V s * (if is_maximal V s j then 1 else 0))).
  - rewrite sum_scal, <- ties_sum. field. lra.
  - intros j _. destruct (is_maximal V s j); ring.
Qed.

(** ** Outputs *)

Theorem E1_value : forall V p a v v' m nu, sum V p = 1 -> (forall j, In j V -> 0 <= p j) ->
  (forall j, In j V -> Rabs (v j) <= m) -> (forall j, In j V -> Rabs (v' j - v j) <= nu) ->
  Rabs (output V a v - output V p v') <= nu + m * L1 V p a.
Proof.
  intros V p a v v' m nu P N M D. unfold output, L1. rewrite <- sum_minus.
  rewrite (sum_ext V _ (fun j => p j * (v j - v' j) + (a j - p j) * v j)) by (intros; ring). rewrite sum_plus.
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat.
  - eapply Rle_trans; [apply sum_abs|]. replace nu with (nu * sum V p) by (rewrite P; ring). rewrite <- sum_scal.
    apply sum_le. intros j Hj. rewrite Rabs_mult, (Rabs_right (p j)), Rmult_comm by (apply Rle_ge, N, Hj).
    apply Rmult_le_compat_r; [now apply N|]. rewrite Rabs_minus_sym. now apply D.
  - eapply Rle_trans; [apply sum_abs|]. rewrite <- sum_scal. apply sum_le. intros j Hj.
    rewrite Rabs_mult, Rabs_minus_sym, Rmult_comm. apply Rmult_le_compat_r; [apply Rabs_pos|now apply M].
Qed.

(** By the diameter of the values, and for tieless heads. *)
Theorem E1_diameter : forall tau V s s' v v' gamma eta lo hi nu, 0 < tau -> V <> [] -> gap_at_least V s gamma ->
  within V eta s s' -> (forall j, In j V -> lo <= v j <= hi) -> within V nu v v' ->
  Rabs (output V (average_hard V s) v - output V (softmax tau V s') v') <=
  nu + (hi - lo) * (tanh (eta / (2 * tau)) + gap_bound (size V) (ties V s) (exp (- gamma / tau))).
Proof.
  intros tau V s s' v v' gamma eta lo hi nu T H G N B D.
  eapply Rle_trans.
  - apply (A7_perturbed V (softmax tau V s') (average_hard V s) v v' lo hi nu); try assumption.
    + now apply A1_normalised.
    + now apply hard_normalised.
    + intros. now apply Rlt_le, A1_positive.
  - apply Rplus_le_compat_l. rewrite Rmult_comm. apply Rmult_le_compat_l.
    + destruct (maximum_reached V s H) as [m [Hm _]]. generalize (B m Hm). lra.
    + generalize (E1_ties tau V s s' gamma eta T H G N). unfold TV. lra.
Qed.

Theorem E1_tieless : forall tau V s s' v v' gamma eta lo hi nu, 0 < tau -> ties V s = 1 -> gap_at_least V s gamma ->
  within V eta s s' -> 2 * eta < gamma -> (forall j, In j V -> lo <= v j <= hi) -> within V nu v v' ->
  Rabs (output V (average_hard V s) v - output V (softmax tau V s') v') <=
  nu + (hi - lo) * gap_bound (size V) 1 (exp (- (gamma - 2 * eta) / tau)).
Proof.
  intros tau V s s' v v' gamma eta lo hi nu T K G N L B D.
  destruct (tieless V s K) as [m [Hm _]]. assert (H := in_nonempty m V Hm).
  eapply Rle_trans.
  - apply (A7_perturbed V (softmax tau V s') (average_hard V s) v v' lo hi nu); try assumption.
    + now apply A1_normalised.
    + now apply hard_normalised.
    + intros. now apply Rlt_le, A1_positive.
  - apply Rplus_le_compat_l. rewrite Rmult_comm. apply Rmult_le_compat_l.
    + generalize (B m Hm). lra.
    + now apply A6_bound.
Qed.

Theorem E1_tieless_tight : forall tau V s s' v v' gamma eta lo hi nu, ties V s = 1 -> all_at_gap V s gamma ->
  2 * eta < gamma -> (forall j, In j V -> s' j = if is_maximal V s j then s j - eta else s j + eta) ->
  lo <= hi -> 0 <= nu -> at_the_ends V (softmax tau V s') (average_hard V s) v lo hi ->
  (forall j, In j V -> v' j = v j + nu) ->
  Rabs (output V (average_hard V s) v - output V (softmax tau V s') v') =
  nu + (hi - lo) * gap_bound (size V) 1 (exp (- (gamma - 2 * eta) / tau)).
Proof.
  intros tau V s s' v v' gamma eta lo hi nu K G L E LH N0 At D.
  destruct (tieless V s K) as [m [Hm _]]. assert (H := in_nonempty m V Hm).
  rewrite <- (A6_tight tau V s s' gamma eta) by assumption. rewrite (Rmult_comm (hi - lo)).
  apply A7_perturbed_tight; try assumption; [now apply A1_normalised|now apply hard_normalised].
Qed.

(** ** One head *)

Lemma head_moves : forall tau V s s' v v' gamma eta B delta m, 0 < tau -> V <> [] -> gap_at_least V s gamma ->
  within V eta s s' -> 0 <= m -> (forall j, In j V -> Rabs (v j) <= B * m) -> within V (delta * m) v v' ->
  Rabs (output V (average_hard V s) v - output V (softmax tau V s') v') <=
  m * (delta + B * rho (size V) tau gamma eta).
Proof.
  intros tau V s s' v v' gamma eta B delta m T H G N M0 M D.
  assert (BM : 0 <= B * m).
  { destruct (maximum_reached V s H) as [j [Hj _]]. eapply Rle_trans; [apply Rabs_pos|apply (M j Hj)]. }
  eapply Rle_trans.
  - apply (E1_value V (softmax tau V s') (average_hard V s) v v' (B * m) (delta * m)); try assumption.
    + now apply A1_normalised.
    + intros. now apply Rlt_le, A1_positive.
  - assert (X : B * m * L1 V (softmax tau V s') (average_hard V s) <= B * m * rho (size V) tau gamma eta).
    { apply Rmult_le_compat_l; [assumption|now apply E1_weights]. }
    lra.
Qed.

Theorem E1_head : forall tau V D w m h x x' i d gamma B delta, 0 < tau -> V <> [] -> fits D w m h ->
  In d D -> 0 <= B -> 0 <= delta -> gap_at_least V (scores h x i) gamma ->
  (forall j, j = i \/ In j V -> close D B (x j) (fun _ => 0)) ->
  (forall j, j = i \/ In j V -> close D delta (x j) (x' j)) ->
  Rabs (hard_head V h x i d - soft_head tau V h x' i d) <=
  m * (delta + B * rho (size V) tau gamma (w * (2 * B * delta + delta ^ 2))).
Proof.
  intros tau V D w m h x x' i d gamma B delta T H F Hd B0 D0 G HB HD. unfold hard_head, soft_head.
  destruct F as [F1 [F2 [F3 F4]]].
  assert (M0 : 0 <= sum (terms h) (fun e => Rabs (U h d e))) by (apply sum_nonneg; intros; apply Rabs_pos).
  assert (FM := F4 d Hd).
  assert (Y : forall a c, 0 <= a -> c <= a * sum (terms h) (fun e => Rabs (U h d e)) -> c <= a * m).
  { intros a c A C. eapply Rle_trans; [exact C|]. now apply Rmult_le_compat_l. }
  apply head_moves; try assumption; [|lra| |].
  - intros j Hj. unfold scores. rewrite Rabs_minus_sym.
    apply (E1_scores D w m h (x i) (x' i) (x j) (x' j) B delta); auto.
    exact (conj F1 (conj F2 (conj F3 F4))).
  - intros j Hj. apply Y; [assumption|]. unfold value. apply E1_map. intros e He.
    generalize (HB j (or_intror Hj) _ (F2 e He)). now rewrite Rminus_0_r.
  - intros j Hj. apply Y; [assumption|]. unfold value. rewrite <- sum_minus.
    rewrite (sum_ext _ _ (fun e => U h d e * (x' j (value_at h e) - x j (value_at h e)))) by (intros; ring).
    apply E1_map. intros e He. rewrite Rabs_minus_sym. apply (HD j (or_intror Hj) _ (F2 e He)).
Qed.

(** ** One layer *)

Lemma total_difference : forall hs f g c, (forall h, In h hs -> Rabs (f h - g h) <= c) ->
  Rabs (total hs f - total hs g) <= INR (length hs) * c.
Proof.
  induction hs as [|h hs IH]; intros f g c H.
  - simpl. rewrite Rminus_0_r, Rabs_R0. lra.
  - cbn [length]. rewrite S_INR. simpl total.
    replace (f h + total hs f - (g h + total hs g)) with ((f h - g h) + (total hs f - total hs g)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. generalize (H h (or_introl eq_refl)).
    generalize (IH f g c (fun k Hk => H k (or_intror Hk))). lra.
Qed.

Theorem E1_layer : forall tau V D w m hs F K x x' i gamma B delta, 0 < tau -> V <> [] -> lipschitz D K F ->
  0 <= B -> 0 <= delta -> 0 < gamma -> 0 <= m -> 0 <= w ->
  (forall h, In h hs -> fits D w m h /\ gap_at_least V (scores h x i) gamma) ->
  (forall j, j = i \/ In j V -> close D B (x j) (fun _ => 0)) ->
  (forall j, j = i \/ In j V -> close D delta (x j) (x' j)) ->
  close D (K * (delta + INR (length hs) * m * (delta + B * rho (size V) tau gamma (w * (2 * B * delta + delta ^ 2)))))
    (hard_layer V hs F x i) (soft_layer tau V hs F x' i).
Proof.
  intros tau V D w m hs F K x x' i gamma B delta T H L B0 D0 G M0 W0 Hs HB HD. unfold hard_layer, soft_layer.
  set (r := rho (size V) tau gamma (w * (2 * B * delta + delta ^ 2))).
  apply L.
  - assert (R0 : 0 <= r).
    { unfold r, rho. assert (N := size_ge_1 V H). assert (Q := exp_pos (- gamma / tau)).
      assert (A : 0 <= (size V - 1) * exp (- gamma / tau)) by (apply Rmult_le_pos; lra).
      apply Rplus_le_le_0_compat.
      - apply Rmult_le_pos; [lra|]. rewrite tanh_half. assert (E : 1 <= exp (w * (2 * B * delta + delta ^ 2) / tau)).
        { rewrite <- exp_0. apply exp_le. replace 0 with (0 / tau) by (unfold Rdiv; ring). apply div_le; [assumption|].
          apply Rmult_le_pos; [assumption|]. assert (0 <= B * delta) by (apply Rmult_le_pos; assumption).
          assert (0 <= delta ^ 2) by (apply pow_le; assumption). lra. }
        apply Rmult_le_pos; [lra|apply Rlt_le, Rinv_0_lt_compat; lra].
      - apply Rmult_le_pos; [lra|apply Rlt_le, Rinv_0_lt_compat; lra]. }
    apply Rplus_le_le_0_compat; [assumption|]. repeat apply Rmult_le_pos; try assumption; [apply pos_INR|].
    apply Rplus_le_le_0_compat; [assumption|now apply Rmult_le_pos].
  - intros d Hd.
    replace (x i d + total hs (fun h => hard_head V h x i d) - (x' i d + total hs (fun h => soft_head tau V h x' i d)))
      with ((x i d - x' i d) + (total hs (fun h => hard_head V h x i d) - total hs (fun h => soft_head tau V h x' i d)))
      by ring.
    eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [now apply (HD i (or_introl eq_refl))|].
    rewrite Rmult_assoc. apply total_difference. intros h Hh. destruct (Hs h Hh) as [F1 G1].
    now apply (E1_head tau V D w m h x x' i d gamma B delta).
Qed.

(** The same in terms of the errors of the heads. *)
Theorem E1_heads : forall V K a a' delta out out' err o o', Rabs (a - a') <= delta -> 0 <= K ->
  (forall h, In h V -> Rabs (o h - o' h) <= err h) ->
  Rabs (out - out') <= K * Rabs (a + sum V o - (a' + sum V o')) ->
  Rabs (out - out') <= K * (delta + sum V err).
Proof.
  intros V K a a' delta out out' err o o' A K0 E L. eapply Rle_trans; [exact L|]. apply Rmult_le_compat_l; [assumption|].
  replace (a + sum V o - (a' + sum V o')) with ((a - a') + (sum V o - sum V o')) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [assumption|]. rewrite <- sum_minus.
  eapply Rle_trans; [apply sum_abs|now apply sum_le].
Qed.
