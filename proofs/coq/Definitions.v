(** * Soft and hard attention: the definitions

    Everything that the theorems of this folder speak about is defined in this file, from the real numbers of Coq's
    standard library. A _position_ is an integer. A row of attention has a list [V] of visible positions, each listed
    once, a _score_ [s j] for every position [j], and a temperature [tau].

    ** Main definitions

    - [softmax tau V s] is the soft attention, [average_hard V s], [leftmost_hard V s] and [rightmost_hard V s] are
      the three hard attentions. Each gives a weight to every visible position.
    - [maximum], [maximisers], [ties], [gap_at_least], [spread] describe the scores.
    - [L1] and [TV] are distances between weights; [output] is what attention returns for given values.
    - [future], [strict_future], [past], [strict_past] are the masks; [visible] lists what a mask leaves.

    ** Notation

    [n] = [size V] is the number of visible positions, [k] = [ties V s] the number of maximisers, both as reals;
    [gamma] is a lower bound of the gap, [delta] an upper bound of the spread, [q] = exp(- gamma / tau). *)

From Coq Require Import Reals ZArith List.
Import ListNotations.
Open Scope R_scope.

(** ** Finite sums over lists of positions *)

Fixpoint sum (V : list Z) (f : Z -> R) : R :=
  match V with
  | [] => 0
  | j :: W => f j + sum W f
  end.

(** The number of positions in a list, as a real number. *)
Definition size (V : list Z) : R := INR (length V).

(** The positions 1, ..., n (none if n <= 0). *)
Definition positions (n : Z) : list Z := map Z.of_nat (seq 1 (Z.to_nat n)).

(** ** Scores *)

(** The largest and the smallest score (0 if no position is visible). *)
Fixpoint maximum (V : list Z) (s : Z -> R) : R :=
  match V with
  | [] => 0
  | [j] => s j
  | j :: W => Rmax (s j) (maximum W s)
  end.

Fixpoint minimum (V : list Z) (s : Z -> R) : R :=
  match V with
  | [] => 0
  | [j] => s j
  | j :: W => Rmin (s j) (minimum W s)
  end.

Definition spread (V : list Z) (s : Z -> R) : R := maximum V s - minimum V s.

(** Whether a position has the largest score. *)
Definition is_maximal (V : list Z) (s : Z -> R) (i : Z) : bool :=
  if Req_EM_T (s i) (maximum V s) then true else false.

Definition maximisers (V : list Z) (s : Z -> R) : list Z := filter (is_maximal V s) V.

(** The number k of maximisers; a row is _tieless_ if k = 1. *)
Definition ties (V : list Z) (s : Z -> R) : R := size (maximisers V s).

(** The scores of all positions but the maximisers are at least [gamma] below the largest one. *)
Definition gap_at_least (V : list Z) (s : Z -> R) (gamma : R) : Prop :=
  forall j, In j V -> is_maximal V s j = false -> gamma <= maximum V s - s j.

(** ... and exactly [gamma] below it. *)
Definition all_at_gap (V : list Z) (s : Z -> R) (gamma : R) : Prop :=
  forall j, In j V -> is_maximal V s j = false -> maximum V s - s j = gamma.

(** ** Attention weights *)

(** Soft attention at temperature [tau]: the weight of position [i]. *)
Definition softmax (tau : R) (V : list Z) (s : Z -> R) (i : Z) : R :=
  exp (s i / tau) / sum V (fun j => exp (s j / tau)).

(** Average-hard attention: equal weights on the maximisers. *)
Definition average_hard (V : list Z) (s : Z -> R) (i : Z) : R :=
  if is_maximal V s i then 1 / ties V s else 0.

(** All weight on one position [m]. *)
Definition one_hot (m i : Z) : R := if Z.eqb i m then 1 else 0.

(** The first and the last maximiser (0 if no position is visible). *)
Fixpoint least (V : list Z) : Z :=
  match V with
  | [] => 0%Z
  | [j] => j
  | j :: W => Z.min j (least W)
  end.

Fixpoint greatest (V : list Z) : Z :=
  match V with
  | [] => 0%Z
  | [j] => j
  | j :: W => Z.max j (greatest W)
  end.

Definition leftmost_hard (V : list Z) (s : Z -> R) : Z -> R := one_hot (least (maximisers V s)).
Definition rightmost_hard (V : list Z) (s : Z -> R) : Z -> R := one_hot (greatest (maximisers V s)).

(** ** Distances and outputs *)

Definition L1 (V : list Z) (p a : Z -> R) : R := sum V (fun j => Rabs (p j - a j)).
Definition TV (V : list Z) (p a : Z -> R) : R := L1 V p a / 2.

(** What attention returns for scalar values [v]; 0 if no position is visible. *)
Definition output (V : list Z) (p v : Z -> R) : R := sum V (fun j => p j * v j).

(** ** Masks: whether query [i] sees position [j] *)

Definition future (i j : Z) : bool := (j <=? i)%Z.
Definition strict_future (i j : Z) : bool := (j <? i)%Z.
Definition past (i j : Z) : bool := (i <=? j)%Z.
Definition strict_past (i j : Z) : bool := (i <? j)%Z.

(** The positions among 1, ..., n that query [i] sees. *)
Definition visible (mask : Z -> Z -> bool) (n i : Z) : list Z := filter (mask i) (positions n).

(** ** The excess of a row *)

(** Z' in the notation of the notes: the sum of exp(- (maximum - s j) / tau) over the positions [j] that are not
    maximal. All errors against hard attention are functions of it (A1). *)
Definition others (tau : R) (V : list Z) (s : Z -> R) : R :=
  sum V (fun j => if is_maximal V s j then 0 else exp (- (maximum V s - s j) / tau)).
