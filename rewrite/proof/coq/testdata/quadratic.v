From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp reals signed topology normedtype derive sequences exp trigo.
From Frechet Require Import Derivative Sums Rules Functions Matrices Tactics.
Import GRing.Theory Num.Theory numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope ring_scope.
(* declare A[n,n] x[n] expression x'*A*x derivative wrt x *)
Module derivation.
Section S.
Variable R : realType.
Variables n : nat.
Variable A : nat -> nat -> R.
Definition n2 (x : nat -> R) (i : nat) : R := (\sum_(j < n) ((A j i) * (x j))).
Definition n3 (x : nat -> R) : R := (\sum_(i < n) ((x i) * (n2 x i))).
Definition n4 (x : nat -> R) : R := (\sum_(i < n) (\sum_(j < n) ((A i j) * ((x i) * (x j))))).
Lemma E3_4 (x : nat -> R) : (n3 x) = (n4 x).
Proof. (* E-fuse *) first [(cbv beta delta [n3 n2 n4]; sums) | (cbv beta delta [n3 n2 n4]; law)]. Qed.
Theorem value (x : nat -> R) : (n3 x) = (n4 x).
Proof. exact: (E3_4 x). Qed.
Variable x : nat -> R.
Variable d : nat -> R.
Definition along_x (s : R) (i : nat) : R := (x i) + s * (d i).
Definition n6 (x : nat -> R) (d : nat -> R) : R := (\sum_(i < n) (\sum_(j < n) ((A i j) * ((x j) * (d i))))).
Definition n7 (x : nat -> R) (d : nat -> R) : R := (\sum_(i < n) (\sum_(j < n) ((A i j) * ((x i) * (d j))))).
Definition n8 (x : nat -> R) (d : nat -> R) : R := ((n6 x d) + (n7 x d)).
Lemma D1_4 : D (fun s => (n4 (along_x s))) (n4 x) (n8 x d).
Proof. refine (@D_eq _ _ _ _ _ (D_sum (fun (i : nat) (Hi : (i < n)%N) => (D_sum (fun (j : nat) (Hj : (j < n)%N) => (D_mul (D_const (A i j)) (D_mul (D_line (x i) (d i)) (D_line (x j) (d j)))))))) _); cbv beta delta [n8 n6 n7 n4]; derived. Qed.
Definition n9 (i j : nat) : R := (A j i).
Definition n10 (i j : nat) : R := ((A i j) + (n9 i j)).
Definition n11 (x : nat -> R) (d : nat -> R) : R := (\sum_(i < n) (\sum_(j < n) ((x i) * ((d j) * (n10 j i))))).
Lemma E8_11 : (n8 x d) = (n11 x d).
Proof. (* E-factor *) first [(cbv beta delta [n8 n6 n7 n11 n10 n9]; sums) | (cbv beta delta [n8 n6 n7 n11 n10 n9]; law)]. Qed.
Definition n12 (x : nat -> R) (d : nat -> R) : R := (\sum_(i < n) (\sum_(j < n) ((x i) * ((d j) * (n10 i j))))).
Lemma S10 : forall i j, (n10 i j) = (n10 j i).
Proof. move=> i j; have ? := ltnSn i; have ? := ltnSn j; cbv beta delta [n10 n9]; sums. Qed.
Lemma E11_12 : (n11 x d) = (n12 x d).
Proof. (* E-symmetric *) have ? := (S10); first [(cbv beta delta [n11 n12]; sums) | (cbv beta delta [n11 n10 n9 n12]; sums) | (cbv beta delta [n11 n12]; law) | (cbv beta delta [n11 n10 n9 n12]; law)]. Qed.
Lemma E8_12 : (n8 x d) = (n12 x d).
Proof. exact: (etrans E8_11 E11_12). Qed.
Theorem derivative : is_derive (0 : R) (1 : R) (fun s => (n3 (along_x s))) (n12 x d).
Proof. rewrite (_ : (fun s => (n3 (along_x s))) = (fun s => (n4 (along_x s)))); last by apply: funext => s; exact: (E3_4 (along_x s)). apply: (D_is (D1_4)); exact: E8_12. Qed.
Definition n14 (x : nat -> R) (i : nat) : R := (\sum_(j < n) ((A i j) * (x j))).
Definition n15 (x : nat -> R) (i : nat) : R := ((n2 x i) + (n14 x i)).
Lemma transposed2 : (n8 x d) = (\sum_(i < n) (n15 x i) * (d i)).
Proof. first [cbv beta delta [n8 n6 n7 n15 n2 n14]; sums | cbv beta delta [n8 n6 n7 n15 n2 n14]; functions]. Qed.
Definition n16 (x : nat -> R) (i : nat) : R := (\sum_(j < n) ((x j) * (n10 j i))).
Lemma E15_16 (i : nat) (Hi : (i < n)%N) : (n15 x i) = (n16 x i).
Proof. (* E-factor *) first [(cbv beta delta [n15 n2 n14 n16 n10 n9]; sums) | (cbv beta delta [n15 n2 n14 n16 n10 n9]; law)]. Qed.
Definition n17 (x : nat -> R) (i : nat) : R := (\sum_(j < n) ((x j) * (n10 i j))).
Lemma E16_17 (i : nat) (Hi : (i < n)%N) : (n16 x i) = (n17 x i).
Proof. (* E-symmetric *) have ? := (S10); first [(cbv beta delta [n16 n17]; sums) | (cbv beta delta [n16 n10 n9 n17]; sums) | (cbv beta delta [n16 n17]; law) | (cbv beta delta [n16 n10 n9 n17]; law)]. Qed.
Lemma E15_17 (i : nat) (Hi : (i < n)%N) : (n15 x i) = (n17 x i).
Proof. exact: (etrans (E15_16 i Hi) (E16_17 i Hi)). Qed.
Theorem adjoint2 : (n12 x d) = (\sum_(i < n) (n17 x i) * (d i)).
Proof. apply: etrans (esym E8_12) _. apply: etrans transposed2 _. exact: (eq_bigr _ (fun (i : 'I_n) _ => (f_equal2 (@GRing.mul _) (E15_17 i (ltn_ord i)) erefl))). Qed.
Theorem gradient : is_derive (0 : R) (1 : R) (fun s => (n3 (along_x s))) ((\sum_(i < n) (n17 x i) * (d i))).
Proof. rewrite -adjoint2; exact: derivative. Qed.
End S.
Definition theorems := (value, derivative, adjoint2, gradient).
Print Assumptions theorems.
End derivation.
