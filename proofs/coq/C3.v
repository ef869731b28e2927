(** * C3. Logarithmic temperatures

    Summary: for a tieless row, a temperature of at most gamma / ln((n-1)(2-eps)/eps) is enough for an L1 error of [eps]
    when the gap is at least [gamma], and one of at most delta / ln((n-1)(2-eps)/eps) is necessary when the spread is at
    most [delta]. So at constant gap and spread, tau(n) of the order 1 / ln n is necessary and sufficient.

    ** Main statements

    - [C3_sufficient], [C3_necessary]: the two halves.
    - [C3_below], [C3_above]: gamma / ln(2n/eps) < gamma / ln((n-1)(2-eps)/eps) <= gamma / ln(n-1).

    Notation: Definitions.v; [critical_temperature]: A3.v. References: notes/c-temperature.md, C3. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz.
From HardSoft Require Import Definitions Sums A1 A2 A3 A4.
Import ListNotations.
Open Scope R_scope.

(** The temperature for [k] = 1. *)
Definition log_temperature (n gamma eps : R) : R := gamma / ln ((n - 1) * (2 - eps) / eps).

Lemma log_critical : forall n gamma eps, log_temperature n gamma eps = critical_temperature n 1 gamma eps.
Proof. intros. unfold log_temperature, critical_temperature. now rewrite Rmult_1_l. Qed.

Theorem C3_sufficient : forall tau V s gamma eps, 0 < tau -> ties V s = 1 -> 1 < size V -> gap_at_least V s gamma ->
  0 < eps -> eps < 2 * (size V - 1) / size V -> tau <= log_temperature (size V) gamma eps ->
  L1 V (softmax tau V s) (average_hard V s) <= eps.
Proof.
  intros tau V s gamma eps T K N G E U C. rewrite log_critical, <- K in C. rewrite <- K in U.
  apply (A3_sufficient tau V s gamma); try assumption; [lra|].
  intros ->. unfold size in N. simpl in N. lra.
Qed.

Theorem C3_necessary : forall tau V s delta eps, 0 < tau -> ties V s = 1 -> 1 < size V -> spread V s <= delta ->
  0 < eps -> eps < 2 * (size V - 1) / size V -> L1 V (softmax tau V s) (average_hard V s) <= eps ->
  tau <= log_temperature (size V) delta eps.
Proof.
  intros tau V s delta eps T K N D E U L.
  assert (X : 1 < (size V - 1) * (2 - eps) / eps).
  { assert (Y := target_ratio (size V) 1 eps ltac:(lra) ltac:(lra) E U). now rewrite Rmult_1_l in Y. }
  assert (U2 : eps < 2).
  { apply Rlt_trans with (1 := U). rewrite <- (over_1 2) at 2. apply frac_lt; lra. }
  assert (B := A4_temperature tau V s delta eps T D K N E U2 L). assert (P := ln_pos _ X).
  unfold log_temperature. set (x := ln ((size V - 1) * (2 - eps) / eps)) in *.
  rewrite <- (over_1 tau). apply frac_le; [lra|assumption|].
  apply (Rmult_le_compat_r tau) in B; [|lra]. replace (delta / tau * tau) with delta in B by (field; lra). lra.
Qed.

Lemma log_ratio : forall n eps, 2 <= n -> 0 < eps -> eps < 2 * (n - 1) / n -> 1 < (n - 1) * (2 - eps) / eps.
Proof.
  intros n eps N E U. assert (Y := target_ratio n 1 eps ltac:(lra) ltac:(lra) E U). now rewrite Rmult_1_l in Y.
Qed.

Theorem C3_below : forall n gamma eps, 2 <= n -> 0 < gamma -> 0 < eps -> eps < 2 * (n - 1) / n ->
  gamma / ln (2 * n / eps) < log_temperature n gamma eps.
Proof.
  intros n gamma eps N G E U. assert (X := log_ratio n eps N E U). assert (P := ln_pos _ X).
  assert (L : ln ((n - 1) * (2 - eps) / eps) < ln (2 * n / eps)).
  { apply ln_increasing; [lra|]. apply div_lt; [assumption|]. nra. }
  unfold log_temperature. apply frac_lt; [lra|assumption|]. now apply Rmult_lt_compat_l.
Qed.

Theorem C3_above : forall n gamma eps, 3 <= n -> 0 < gamma -> 0 < eps -> eps <= 1 ->
  log_temperature n gamma eps <= gamma / ln (n - 1).
Proof.
  intros n gamma eps N G E U. assert (P : 0 < ln (n - 1)) by (apply ln_pos; lra).
  assert (L : ln (n - 1) <= ln ((n - 1) * (2 - eps) / eps)).
  { assert (X : n - 1 <= (n - 1) * (2 - eps) / eps).
    { rewrite <- (over_1 (n - 1)) at 1. apply frac_le; [lra|assumption|]. nra. }
    destruct X as [X|<-]; [left; apply ln_increasing; lra|lra]. }
  unfold log_temperature. apply frac_le; [lra|assumption|]. apply Rmult_le_compat_l; lra.
Qed.
