(* Determinants and inverses; the inverse by Cramer's rule, which is invmx where there is one. *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp.classical Require Import functions.
From mathcomp Require Import boolp reals classical_sets signed topology normedtype derive sequences realfun exp trigo.
From Frechet Require Import Derivative Sums.
Import GRing.Theory Num.Theory Order.TTheory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope ring_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Matrices.
Variable R : realType.
Lemma D_uniq (f : R -> R) v w a b : D f v a -> D f w b -> a = b.
Proof. by case=> _ [_ <-] [_ [_ <-]]. Qed.
Lemma D_big (I : Type) (l : seq I) (f : I -> R -> R) (v a : I -> R) : (forall i, D (f i) (v i) (a i)) ->
  D (fun s => \sum_(i <- l) f i s) (\sum_(i <- l) v i) (\sum_(i <- l) a i).
Proof.
move=> h; elim: l => [|i l ih].
  by rewrite !big_nil; under eq_fun do rewrite big_nil; exact: D_const.
by rewrite !big_cons; under eq_fun do rewrite big_cons; apply: D_add.
Qed.
Lemma D_prod n (f : 'I_n -> R -> R) (v a : 'I_n -> R) : (forall i, D (f i) (v i) (a i)) ->
  D (fun s => \prod_i f i s) (\prod_i v i) (\sum_i \prod_k (if k == i then a k else v k)).
Proof.
elim: n f v a => [|n ih] f v a h.
  by rewrite !big_ord0; under eq_fun do rewrite big_ord0; exact: D_const.
rewrite big_ord_recl; under eq_fun do rewrite big_ord_recl.
apply: D_eq; first by apply: (D_mul (h ord0)); apply: ih => i; exact: h.
rewrite [RHS]big_ord_recl [\prod_k (if k == ord0 then _ else _)]big_ord_recl eqxx addrC; congr (_ + _).
  by rewrite mulrC.
rewrite mulr_sumr; apply: eq_bigr => i _; rewrite [RHS]big_ord_recl /=.
by congr (_ * _).
Qed.
Implicit Types A : nat -> nat -> R.
Definition mat n (A : nat -> nat -> R) : 'M[R]_n := \matrix_(i < n, j < n) A i j.
Definition det n A : R := \det (mat n A).
(* Jacobi: the derivative of det along A' is <cof A, A'> *)
Lemma D_determinant n (f : 'I_n -> 'I_n -> R -> R) (v a : 'M[R]_n) : (forall i j, D (f i j) (v i j) (a i j)) ->
  D (fun s => \det (\matrix_(i, j) f i j s)) (\det v) (\sum_i \sum_j cofactor v i j * a i j).
Proof.
move=> h; apply: (@D_at _ _ (\sum_(p : 'S_n) (-1) ^+ p * \prod_i v i (p i))
   (\sum_(p : 'S_n) ((-1) ^+ p * (\sum_i \prod_k (if k == i then a k (p k) else v k (p k))) + (\prod_i v i (p i)) * 0))).
- have -> : (fun s => \det (\matrix_(i, j) f i j s)) = (fun s => \sum_(p : 'S_n) (-1) ^+ p * \prod_i f i (p i) s).
    by apply/funext => s; apply: eq_bigr => p _; congr (_ * _); apply: eq_bigr => i _; rewrite mxE.
  by apply: D_big => p; apply: D_mul; [exact: D_const | apply: D_prod].
- by [].
transitivity (\sum_(p : 'S_n) \sum_i (-1) ^+ p * \prod_k (if k == i then a k (p k) else v k (p k))).
  by apply: eq_bigr => p _; rewrite mulr0 addr0 mulr_sumr.
rewrite exchange_big /=; apply: eq_bigr => i _.
pose w := \matrix_(k, j) (if k == i then a k j else v k j).
transitivity (\det w).
  by apply: eq_bigr => p _; congr (_ * _); apply: eq_bigr => k _; rewrite mxE.
rewrite (expand_det_row w i); apply: eq_bigr => j _; rewrite mxE eqxx mulrC; congr (_ * _).
rewrite /cofactor; congr (_ * \det _); apply/matrixP => k l; rewrite !mxE.
by rewrite eq_sym (negbTE (neq_lift _ _)).
Qed.

(* the inverse by Cramer's rule, which is invmx where there is one *)
Definition cramer n (A : 'M[R]_n) : 'M[R]_n := (\det A)^-1 *: \adj A.
Lemma cramerE n (A : 'M[R]_n) : \det A != 0 -> cramer A = invmx A.
Proof. by move=> h; rewrite /invmx unitmxE unitfE h. Qed.
Lemma mul_cramer n (A : 'M[R]_n) : A *m cramer A = ((\det A)^-1 * \det A)%:M.
Proof. by rewrite -scalemxAr mul_mx_adj scale_scalar_mx. Qed.
Lemma cramer_mul n (A : 'M[R]_n) : cramer A *m A = ((\det A)^-1 * \det A)%:M.
Proof. by rewrite -scalemxAl mul_adj_mx scale_scalar_mx. Qed.
Lemma D_cofactor n (f : 'I_n -> 'I_n -> R -> R) (v a : 'M[R]_n) i j :
  (forall i j, D (f i j) (v i j) (a i j)) -> exists b, D (fun s => cofactor (\matrix_(i, j) f i j s) i j) (cofactor v i j) b.
Proof.
move=> h; eexists; apply: D_mul; first exact: D_const.
have -> : (fun s => \det (row' i (col' j (\matrix_(i, j) f i j s)))) =
   (fun s => \det (\matrix_(k, l) f (lift i k) (lift j l) s)).
  by apply/funext => s; congr (\det _); apply/matrixP => k l; rewrite !mxE.
by apply: (D_determinant (v := row' i (col' j v)) (a := row' i (col' j a))) => k l; rewrite !mxE.
Qed.
Theorem D_cramer n (f : 'I_n -> 'I_n -> R -> R) (v a : 'M[R]_n) : (forall i j, D (f i j) (v i j) (a i j)) ->
  \det v != 0 -> forall i j, D (fun s => cramer (\matrix_(i, j) f i j s) i j) (cramer v i j)
    ((- (cramer v *m a *m cramer v)) i j).
Proof.
move=> h dv; pose X s := \matrix_(i, j) f i j s; have hd := D_determinant h.
have /choice[E0 hE0] : forall ij : 'I_n * 'I_n, exists b,
    D (fun s => cramer (X s) ij.1 ij.2) (cramer v ij.1 ij.2) b.
  move=> [i j]; have [b hb] := D_cofactor j i h; eexists.
  have -> : (fun s => cramer (X s) i j) = (fun s => (\det (X s))^-1 * cofactor (X s) j i).
    by apply/funext => s; rewrite !mxE.
  have -> : cramer v i j = (\det v)^-1 * cofactor v j i by rewrite !mxE.
  exact: (D_mul (D_inv dv hd) hb).
pose E : 'M[R]_n := \matrix_(i, j) E0 (i, j).
have hE i j : D (fun s => cramer (X s) i j) (cramer v i j) (E i j) by rewrite [E i j]mxE; exact: (hE0 (i, j)).
suff -> : - (cramer v *m a *m cramer v) = E by exact: hE.
have eq : v *m E + a *m cramer v = 0.
  apply/matrixP => i j.
  have h1 : D (fun s => (X s *m cramer (X s)) i j) ((v *m cramer v) i j) ((v *m E + a *m cramer v) i j).
    have -> : (fun s => (X s *m cramer (X s)) i j) = (fun s => \sum_k f i k s * cramer (X s) k j).
      by apply/funext => s; rewrite mxE; apply: eq_bigr => k _; rewrite mxE.
    apply: (@D_at _ _ (\sum_k v i k * cramer v k j) (\sum_k (v i k * E k j + cramer v k j * a i k))).
    - by apply: D_big => k; exact: (D_mul (h i k) (hE k j)).
    - by rewrite mxE.
    by rewrite !mxE big_split; congr (_ + _); apply: eq_bigr => k _; rewrite mulrC.
  have h2 : D (fun s => (X s *m cramer (X s)) i j) ((v *m cramer v) i j) 0.
    have -> : (fun s => (X s *m cramer (X s)) i j) = (fun s => ((\det (X s))^-1 * \det (X s)) * (i == j)%:R).
      by apply/funext => s; rewrite mul_cramer mxE mulr_natr.
    apply: (D_at (D_mul (D_mul (D_inv dv hd) hd) (D_const _))).
      by rewrite mul_cramer mxE mulr_natr.
    set u := \sum_i _; rewrite mulr0 add0r mulNr mulrN mulrA mulrA mulfV // mul1r subrr mulr0 //.
  by rewrite (D_uniq h1 h2) mxE.
have cv : cramer v *m v = 1%:M by rewrite cramer_mul mulVf.
have e1 : v *m E = - (a *m cramer v) by apply/eqP; rewrite -addr_eq0 eq.
by rewrite -[RHS]mul1mx -cv -[RHS]mulmxA e1 mulmxN mulmxA.
Qed.

Definition cof n A (i j : nat) : R := (-1) ^+ (i + j) * \det (\matrix_(k < n.-1, l < n.-1) A (bump i k) (bump j l)).
Definition inv n A (i j : nat) : R := (det n A)^-1 * cof n A j i.
Definition logdet n A : R := ln (det n A).
Lemma cofE n A (i j : 'I_n) : cof n A i j = cofactor (mat n A) i j.
Proof. by congr (_ * \det _); apply/matrixP => k l; rewrite !mxE. Qed.
Lemma invE n A (i j : 'I_n) : inv n A i j = cramer (mat n A) i j.
Proof. by rewrite /inv cofE /cramer !mxE. Qed.
Lemma D_det n (f : R -> nat -> nat -> R) v a : (forall i j, (i < n)%N -> (j < n)%N -> D (fun s => f s i j) (v i j) (a i j)) ->
  D (fun s => det n (f s)) (det n v) (\sum_(i < n) \sum_(j < n) cof n v i j * a i j).
Proof.
move=> h; apply: D_eq.
  apply: (@D_determinant n (fun i j s => f s i j) (mat n v) (mat n a)) => i j.
  by rewrite !mxE; exact: h.
by apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite cofE mxE.
Qed.
Lemma D_inv_mx n (f : R -> nat -> nat -> R) v a : det n v != 0 ->
  (forall i j, (i < n)%N -> (j < n)%N -> D (fun s => f s i j) (v i j) (a i j)) ->
  forall i j, (i < n)%N -> (j < n)%N -> D (fun s => inv n (f s) i j) (inv n v i j)
    (- \sum_(k < n) \sum_(l < n) inv n v i k * a k l * inv n v l j).
Proof.
move=> n0 h i j ni nj; set i' := Ordinal ni; set j' := Ordinal nj.
have H : D (fun s => cramer (\matrix_(i < n, j < n) f s i j) i' j') (cramer (mat n v) i' j')
    ((- (cramer (mat n v) *m mat n a *m cramer (mat n v))) i' j').
  by apply: (@D_cramer n (fun i j s => f s i j)) => // k l; rewrite !mxE; exact: h.
have e s : inv n (f s) i j = cramer (\matrix_(i < n, j < n) f s i j) i' j' by rewrite -invE.
have {}e : (fun s => inv n (f s) i j) = (fun s => cramer (\matrix_(i < n, j < n) f s i j) i' j') by apply/funext.
rewrite e; apply: (D_at H); first by rewrite -invE.
rewrite mxE; congr (- _); rewrite mxE exchange_big; apply: eq_bigr => l _; rewrite mxE mulr_suml.
by apply: eq_bigr => k _; rewrite -(invE v i' k) -(invE v l j') mxE.
Qed.
Lemma D_logdet n (f : R -> nat -> nat -> R) v a : 0 < det n v ->
  (forall i j, (i < n)%N -> (j < n)%N -> D (fun s => f s i j) (v i j) (a i j)) ->
  D (fun s => logdet n (f s)) (logdet n v) (\sum_(i < n) \sum_(j < n) inv n v j i * a i j).
Proof.
move=> p h; apply: D_eq; first by apply: D_ln p (D_det h).
by rewrite mulr_sumr; apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => j _; rewrite mulrA.
Qed.
(* Of a transpose, at all indices. *)
Lemma cof_tr n A : cof n (fun i j => A j i) = (fun i j => cof n A j i).
Proof.
apply/funext => i; apply/funext => j; rewrite /cof addnC -det_tr; congr (_ * \det _).
by apply/matrixP => k l; rewrite !mxE.
Qed.
Lemma det_transpose n A : det n (fun i j => A j i) = det n A.
Proof. by rewrite /det -det_tr; congr (\det _); apply/matrixP => k l; rewrite !mxE. Qed.
Lemma inv_tr n A : inv n (fun i j => A j i) = (fun i j => inv n A j i).
Proof. by rewrite /inv det_transpose cof_tr. Qed.
Lemma inv_turned n A i j : inv n (fun i j => A j i) i j = inv n A j i. Proof. by rewrite inv_tr. Qed.
Lemma cof_turned n A i j : cof n (fun i j => A j i) i j = cof n A j i. Proof. by rewrite cof_tr. Qed.
(* A symmetric matrix has a symmetric inverse. *)
Lemma sym_cof n A : (forall i j, A i j = A j i) -> forall i j, cof n A i j = cof n A j i.
Proof. by move=> h i j; rewrite -[RHS]/((fun i j => cof n A j i) i j) -cof_tr; congr (cof n _ i j); apply/funext => k; apply/funext => l. Qed.
Lemma sym_inv n A : (forall i j, A i j = A j i) -> forall i j, inv n A i j = inv n A j i.
Proof. by move=> h i j; rewrite /inv (sym_cof n h). Qed.
Lemma eq_mat n A B : (forall i j, (i < n)%N -> (j < n)%N -> A i j = B i j) -> mat n A = mat n B.
Proof. by move=> h; apply/matrixP => i j; rewrite !mxE h. Qed.
Lemma eq_det n A B : (forall i j, (i < n)%N -> (j < n)%N -> A i j = B i j) -> det n A = det n B.
Proof. by move=> h; rewrite /det (eq_mat h). Qed.
Lemma eq_logdet n A B : (forall i j, (i < n)%N -> (j < n)%N -> A i j = B i j) -> logdet n A = logdet n B.
Proof. by move=> h; rewrite /logdet (eq_det h). Qed.
Lemma eq_cof n A B : (forall i j, (i < n)%N -> (j < n)%N -> A i j = B i j) ->
  forall i j, (i < n)%N -> (j < n)%N -> cof n A i j = cof n B i j.
Proof. by move=> h i j ni nj; rewrite (cofE A (Ordinal ni) (Ordinal nj)) (cofE B (Ordinal ni) (Ordinal nj)) (eq_mat h). Qed.
Lemma eq_inv n A B : (forall i j, (i < n)%N -> (j < n)%N -> A i j = B i j) ->
  forall i j, (i < n)%N -> (j < n)%N -> inv n A i j = inv n B i j.
Proof. by move=> h i j ni nj; rewrite (invE A (Ordinal ni) (Ordinal nj)) (invE B (Ordinal ni) (Ordinal nj)) (eq_mat h). Qed.
End Matrices.

