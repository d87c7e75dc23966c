(* Maps between spaces: the D rules and the A rules as lemmas, each named as the rule is. A space is the vectors over a finite set of
   indices; a tuple of spaces has pairs of a member and an index of it. *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp.classical Require Import functions.
From mathcomp Require Import boolp reals classical_sets signed topology normedtype derive sequences realfun exp trigo.
From Frechet Require Import Derivative Sums Matrices.
Import GRing.Theory Num.Theory numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope ring_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Section Maps.
Variable R : realType.
Implicit Types (I J K E : finType).
Definition space I := I -> R.
Definition member (N : finType) (I : N -> finType) (x : space [finType of {k : N & I k}]) k : space (I k) := fun i => x (Tagged I i).
Arguments member {N I} x k _.

(* [Derives f x L]: along every line or curve through x with the direction d, f has the derivative L d. *)
Definition Derives I J (f : space I -> space J) (x : space I) (L : space I -> space J) := forall (c : R -> space I) d,
  (forall i, D (c^~ i) (x i) (d i)) -> forall j, D (fun s => f (c s) j) (f x j) (L d j).
Definition linear_by I J (a : J -> I -> R) (x : space I) : space J := fun j => \sum_i a j i * x i.

Lemma D_linear I J (a : J -> I -> R) x : Derives (linear_by a) x (linear_by a).
Proof.
move=> c d h j; apply: (D_eq (D_big (v := fun i => a j i * x i) (a := fun i => a j i * d i + x i * 0) _ _)) => [i|].
  exact: D_mul (D_const _) (h i).
by apply: eq_bigr => i _; rewrite mulr0 addr0.
Qed.
Lemma D_chain I J K (f : space I -> space J) (g : space J -> space K) x L M :
  Derives f x L -> Derives g (f x) M -> Derives (fun x => g (f x)) x (fun d => M (L d)).
Proof. by move=> hf hg c d h; apply: hg => j; exact: hf. Qed.
Lemma D_const I J (w : space J) (x : space I) : Derives (fun _ => w) x (fun _ _ => 0).
Proof. by move=> c d h j; exact: D_const. Qed.
Lemma D_sum I J (f g : space I -> space J) x L M : Derives f x L -> Derives g x M ->
  Derives (fun x j => f x j + g x j) x (fun d j => L d j + M d j).
Proof. by move=> hf hg c d h j; apply: D_add; [exact: hf | exact: hg]. Qed.
Lemma D_pair (N I : finType) (J : N -> finType) (f : forall k, space I -> space (J k)) x L : (forall k, Derives (f k) x (L k)) ->
  Derives (fun x (t : [finType of {k : N & J k}]) => f (tag t) x (tagged t)) x (fun d t => L (tag t) d (tagged t)).
Proof. by move=> hf c d h t; exact: hf. Qed.
Lemma D_product (N : finType) (I J : N -> finType) (f : forall k, space (I k) -> space (J k)) (v : space [finType of {k : N & I k}]) L :
  (forall k, Derives (f k) (member v k) (L k)) ->
  Derives (fun (v : space [finType of {k : N & I k}]) (t : [finType of {k : N & J k}]) => f (tag t) (member v (tag t)) (tagged t)) v
    (fun (d : space [finType of {k : N & I k}]) t => L (tag t) (member d (tag t)) (tagged t)).
Proof. by move=> hf c d h t; apply: hf => i; exact: h. Qed.
(* A contraction of n operands: for each of the values e of the letters, one entry of each operand, and one of the result. *)
Lemma D_multilinear n (I : 'I_n -> finType) J E (read : E -> forall k, I k) (out : E -> J) (v : space [finType of {k : 'I_n & I k}]) :
  Derives (fun (v : space [finType of {k : 'I_n & I k}]) j => \sum_e (out e == j)%:R * \prod_k v (Tagged I (read e k))) v
    (fun d j => \sum_k \sum_e (out e == j)%:R * \prod_l (if l == k then d (Tagged I (read e l)) else v (Tagged I (read e l)))).
Proof.
move=> c d h j; rewrite exchange_big /=.
pose F e s := (out e == j)%:R * \prod_k c s (Tagged I (read e k)).
apply: (@D_big R E (index_enum E) F (fun e => (out e == j)%:R * \prod_k v (Tagged I (read e k)))) => e.
apply: (D_eq (D_mul (Derivative.D_const _) (D_prod (fun k => h (Tagged I (read e k)))))).
by rewrite mulr0 addr0 mulr_sumr.
Qed.
Lemma D_atom I (p p' : R -> R) (x : space I) : (forall i, is_derive (x i) (1 : R) p (p' (x i))) ->
  Derives (fun x i => p (x i)) x (fun d i => p' (x i) * d i).
Proof. by move=> hp c d h i; exact: D_comp (hp i) (h i). Qed.

(* [Adjoint f g]: <f x, y> = <x, g y>. *)
Definition inner I (x y : space I) := \sum_i x i * y i.
Definition Adjoint I J (f : space I -> space J) (g : space J -> space I) := forall x y, inner (f x) y = inner x (g y).
Lemma A_id I : Adjoint (fun x : space I => x) (fun x => x). Proof. by []. Qed.
Lemma A_zero I J : Adjoint (fun (_ : space I) (_ : J) => 0) (fun _ _ => 0).
Proof. by move=> x y; rewrite /inner !big1 // => i _; rewrite ?mul0r ?mulr0. Qed.
Lemma A_compose I J K (f : space I -> space J) (g : space J -> space K) f' g' : Adjoint f f' -> Adjoint g g' ->
  Adjoint (fun x => g (f x)) (fun z => f' (g' z)).
Proof. by move=> hf hg x y; rewrite hg hf. Qed.
Lemma A_adjoint I J (f : space I -> space J) g : Adjoint f g -> Adjoint g f.
Proof. by move=> h x y; rewrite /inner; under eq_bigr do rewrite mulrC; rewrite -[LHS]/(inner y (g x)) -h; apply: eq_bigr => i _; rewrite mulrC. Qed.
Lemma A_sum I J (f g : space I -> space J) f' g' : Adjoint f f' -> Adjoint g g' ->
  Adjoint (fun x j => f x j + g x j) (fun y i => f' y i + g' y i).
Proof.
move=> hf hg x y; rewrite /inner; under eq_bigr do rewrite mulrDl; under [RHS]eq_bigr do rewrite mulrDr.
by rewrite !big_split; congr (_ + _); [exact: hf | exact: hg].
Qed.
Section Tuples.
Variables (N : finType) (I J : N -> finType).
Let tuple (I : N -> finType) := space [finType of {k : N & I k}].
Lemma inner_tuple (L : N -> finType) (x y : tuple L) : inner x y = \sum_k inner (member x k) (member y k).
Proof.
rewrite /inner (sig_big_dep (fun=> true) (fun _ _ => true) (fun k i => x (Tagged L i) * y (Tagged L i))) /=.
by apply: eq_bigr => -[k i] _.
Qed.
Definition inject k (y : space (I k)) : tuple I := fun t => \sum_i (Tagged I i == t)%:R * y i.
Lemma A_projection k : Adjoint (fun x : tuple I => member x k) (@inject k).
Proof.
move=> x y; rewrite /inner /inject; under [RHS]eq_bigr do rewrite mulr_sumr.
rewrite exchange_big; apply: eq_bigr => i _; rewrite (bigD1 (Tagged I i)) //= eqxx mul1r big1 ?addr0 // => t ti.
by rewrite eq_sym (negbTE ti) mul0r mulr0.
Qed.
Lemma A_injection k : Adjoint (@inject k) (fun x : tuple I => member x k). Proof. by have h := @A_projection k; move=> y x; rewrite -[RHS]/(inner y (member x k)) /inner; under eq_bigr do rewrite mulrC; rewrite -[LHS]/(inner x (inject y)) -h; apply: eq_bigr => i _; rewrite mulrC. Qed.
Lemma A_product (f : forall k, space (I k) -> space (J k)) g : (forall k, Adjoint (f k) (g k)) ->
  Adjoint (fun (v : tuple I) (t : [finType of {k : N & J k}]) => f (tag t) (member v (tag t)) (tagged t))
    (fun w (t : [finType of {k : N & I k}]) => g (tag t) (member w (tag t)) (tagged t)).
Proof. by move=> h x y; rewrite !inner_tuple; apply: eq_bigr => k _; exact: (h k (member x k) (member y k)). Qed.
Lemma A_pair (U : finType) (f : forall k, space U -> space (J k)) g : (forall k, Adjoint (f k) (g k)) ->
  Adjoint (fun x (t : [finType of {k : N & J k}]) => f (tag t) x (tagged t)) (fun w i => \sum_k g k (member w k) i).
Proof.
move=> h x y; rewrite inner_tuple /inner; under [RHS]eq_bigr do rewrite mulr_sumr.
by rewrite exchange_big; apply: eq_bigr => k _; exact: (h k x (member y k)).
Qed.
Lemma A_copair (U : finType) (f : forall k, space (J k) -> space U) g : (forall k, Adjoint (f k) (g k)) ->
  Adjoint (fun w i => \sum_k f k (member w k) i) (fun x (t : [finType of {k : N & J k}]) => g (tag t) x (tagged t)).
Proof. by move=> h; apply: A_adjoint; apply: A_pair => k; apply: A_adjoint; exact: h. Qed.
End Tuples.
Lemma A_copower (N I J : finType) (f : space I -> space J) g : Adjoint f g ->
  Adjoint (fun (x : space [finType of (N * I)%type]) (t : [finType of (N * J)%type]) => f (fun i => x (t.1, i)) t.2) (fun (y : space [finType of (N * J)%type]) (t : [finType of (N * I)%type]) => g (fun j => y (t.1, j)) t.2).
Proof.
move=> h x y; rewrite /inner.
have e (A B : finType) (F : A * B -> R) : \sum_t F t = \sum_a \sum_b F (a, b) by rewrite pair_bigA; apply: eq_bigr => -[].
by rewrite !e; apply: eq_bigr => a _; exact: (h (fun i => x (a, i)) (fun j => y (a, j))).
Qed.
(* One operand of a contraction, of weights w: its index map and that of the result are exchanged. *)
Definition contract I J E (w : E -> R) (read : E -> I) (out : E -> J) (x : space I) : space J :=
  fun j => \sum_e (out e == j)%:R * (w e * x (read e)).
Lemma A_contraction I J E (w : E -> R) (read : E -> I) (out : E -> J) : Adjoint (contract w read out) (contract w out read).
Proof.
have pick (K : finType) (r : K) (F : K -> R) : \sum_k (r == k)%:R * F k = F r.
  by rewrite (bigD1 r) //= eqxx mul1r big1 ?addr0 // => k kr; rewrite eq_sym (negbTE kr) mul0r.
move=> x y; rewrite /inner /contract; under eq_bigr do rewrite mulr_suml; under [RHS]eq_bigr do rewrite mulr_sumr.
rewrite exchange_big [RHS]exchange_big; apply: eq_bigr => e _.
under eq_bigr do rewrite -mulrA; rewrite (pick _ _ (fun j => w e * x (read e) * y j)).
under eq_bigr do rewrite mulrCA; rewrite (pick _ _ (fun i => x i * (w e * y (out e)))).
by rewrite mulrAC mulrA [x _ * _]mulrC mulrAC.
Qed.
Lemma A_swap I J E (w : E -> R) (read : E -> I) (out : E -> J) : Adjoint (contract w read out) (contract w out read).
Proof. exact: A_contraction. Qed.
(* A unitary operator, such as merge and split, has its inverse for adjoint. *)
Lemma A_atom I J (p : space I -> space J) q : (forall x y, inner (p x) (p y) = inner x y) -> (forall y, p (q y) = y) -> Adjoint p q.
Proof. by move=> h e x y; rewrite -{1}[y]e h. Qed.
End Maps.
