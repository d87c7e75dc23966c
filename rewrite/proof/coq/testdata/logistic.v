From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp reals signed topology normedtype derive sequences exp trigo.
From Frechet Require Import Derivative Sums Rules Functions Matrices Tactics.
Import GRing.Theory Num.Theory numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope ring_scope.
(* declare X[m,n] y[m] w[n] lam[]
expression sum(softplus(-y .* (X*w))) + lam/2*(w'*w)
derivative wrt w *)
Module derivation.
Section S.
Variable R : realType.
Variables m n : nat.
Variable X : nat -> nat -> R.
Variable y : nat -> R.
Variable lam : R.
Definition n5 (i : nat) : R := ((y i) * (- 1)).
Definition n6 (w : nat -> R) (i : nat) : R := (\sum_(j < n) ((X i j) * (w j))).
Definition n7 (w : nat -> R) (i : nat) : R := ((n5 i) * (n6 w i)).
Definition n8 (w : nat -> R) (i : nat) : R := (softplus (n7 w i)).
Definition n9 (w : nat -> R) : R := (\sum_(i < m) (n8 w i)).
Definition n12 : R := (lam * (1 / 2)).
Definition n13 (w : nat -> R) : R := (\sum_(i < n) ((w i) * (w i))).
Definition n14 (w : nat -> R) : R := (n12 * (n13 w)).
Definition n15 (w : nat -> R) : R := ((n9 w) + (n14 w)).
Definition n16 (w : nat -> R) (i : nat) : R := (\sum_(j < n) ((X i j) * ((y i) * ((w j) * (- 1))))).
Lemma E7_16 (w : nat -> R) (i : nat) (Hi : (i < m)%N) : (n7 w i) = (n16 w i).
Proof. (* E-fuse *) first [(cbv beta delta [n7 n5 n6 n16]; sums) | (cbv beta delta [n7 n5 n6 n16]; law)]. Qed.
Definition n17 (w : nat -> R) (i : nat) : R := (softplus (n16 w i)).
Lemma E8_17 (w : nat -> R) (i : nat) (Hi : (i < m)%N) : (n8 w i) = (n17 w i).
Proof. exact: (f_equal (fun z : R => softplus z) (E7_16 w i Hi)). Qed.
Definition n18 (w : nat -> R) : R := (\sum_(i < m) (n17 w i)).
Lemma E9_18 (w : nat -> R) : (n9 w) = (n18 w).
Proof. exact: (eq_bigr _ (fun (i : 'I_m) _ => (E8_17 w i (ltn_ord i)))). Qed.
Definition n105 (w : nat -> R) : R := ((n14 w) + (n18 w)).
Lemma E15_105 (w : nat -> R) : (n15 w) = (n105 w).
Proof. apply: (@etrans _ _ ((n18 w) + (n14 w)) _ (f_equal2 (@GRing.add _) (E9_18 w) erefl)); cbv beta delta [n105]; sums. Qed.
Definition n19 (w : nat -> R) : R := (\sum_(i < n) ((w i) * ((w i) * (lam * (1 / 2))))).
Lemma E14_19 (w : nat -> R) : (n14 w) = (n19 w).
Proof. (* E-fuse *) first [(cbv beta delta [n14 n12 n13 n19]; sums) | (cbv beta delta [n14 n12 n13 n19]; law)]. Qed.
Definition n20 (w : nat -> R) : R := ((n18 w) + (n19 w)).
Lemma E105_20 (w : nat -> R) : (n105 w) = (n20 w).
Proof. apply: (@etrans _ _ ((n19 w) + (n18 w)) _ (f_equal2 (@GRing.add _) (E14_19 w) erefl)); cbv beta delta [n20]; sums. Qed.
Lemma E15_20 (w : nat -> R) : (n15 w) = (n20 w).
Proof. exact: (etrans (E15_105 w) (E105_20 w)). Qed.
Theorem value (w : nat -> R) : (n15 w) = (n20 w).
Proof. exact: (E15_20 w). Qed.
Variable w : nat -> R.
Variable d : nat -> R.
Definition along_w (s : R) (i : nat) : R := (w i) + s * (d i).
Definition n22 (d : nat -> R) (i : nat) : R := (\sum_(j < n) ((X i j) * ((y i) * ((- 1) * (d j))))).
Lemma D1_16 (i : nat) (Hi : (i < m)%N) : D (fun s => (n16 (along_w s) i)) (n16 w i) (n22 d i).
Proof. refine (@D_eq _ _ _ _ _ (D_sum (fun (j : nat) (Hj : (j < n)%N) => (D_mul (D_const (X i j)) (D_mul (D_const (y i)) (D_mul (D_line (w j) (d j)) (D_const (- 1))))))) _); cbv beta delta [n22 n16]; derived. Qed.
Definition n23 (w : nat -> R) (i : nat) : R := (sigmoid (n16 w i)).
Definition n24 (w : nat -> R) (d : nat -> R) (i : nat) : R := ((n22 d i) * (n23 w i)).
Lemma D1_17 (i : nat) (Hi : (i < m)%N) : D (fun s => (n17 (along_w s) i)) (n17 w i) (n24 w d i).
Proof. refine (@D_eq _ _ _ _ _ (D_softplus (D1_16 i Hi)) _); cbv beta delta [n24 n23 n17]; derived. Qed.
Definition n25 (w : nat -> R) (d : nat -> R) : R := (\sum_(i < m) (n24 w d i)).
Lemma D1_18 : D (fun s => (n18 (along_w s))) (n18 w) (n25 w d).
Proof. refine (@D_eq _ _ _ _ _ (D_sum (fun (i : nat) (Hi : (i < m)%N) => (D1_17 i Hi))) _); cbv beta delta [n25 n18]; derived. Qed.
Definition n26 (w : nat -> R) (d : nat -> R) : R := (\sum_(i < n) ((w i) * (lam * ((1 / 2) * (d i))))).
Definition n27 (w : nat -> R) (d : nat -> R) : R := (2 * (n26 w d)).
Lemma D1_19 : D (fun s => (n19 (along_w s))) (n19 w) (n27 w d).
Proof. refine (@D_eq _ _ _ _ _ (D_sum (fun (i : nat) (Hi : (i < n)%N) => (D_mul (D_line (w i) (d i)) (D_mul (D_line (w i) (d i)) (D_mul (D_const lam) (D_const (1 / 2))))))) _); cbv beta delta [n27 n26 n19]; derived. Qed.
Definition n28 (w : nat -> R) (d : nat -> R) : R := ((n25 w d) + (n27 w d)).
Lemma D1_20 : D (fun s => (n20 (along_w s))) (n20 w) (n28 w d).
Proof. refine (@D_eq _ _ _ _ _ (D_add (D1_18) (D1_19)) _); cbv beta delta [n28 n20]; derived. Qed.
Definition n29 (w : nat -> R) (d : nat -> R) (i : nat) : R := (\sum_(j < n) ((X i j) * ((y i) * ((- 1) * ((d j) * (n23 w i)))))).
Lemma E24_29 (i : nat) (Hi : (i < m)%N) : (n24 w d i) = (n29 w d i).
Proof. (* E-fuse *) first [(cbv beta delta [n24 n22 n29]; sums) | (cbv beta delta [n24 n22 n29]; law) | (cbv beta delta [n24 n22 n23 n16 n29]; law)]. Qed.
Definition n30 (w : nat -> R) (d : nat -> R) : R := (\sum_(i < m) (n29 w d i)).
Lemma E25_30 : (n25 w d) = (n30 w d).
Proof. exact: (eq_bigr _ (fun (i : 'I_m) _ => (E24_29 i (ltn_ord i)))). Qed.
Definition n123 (w : nat -> R) (d : nat -> R) : R := ((n27 w d) + (n30 w d)).
Lemma E28_123 : (n28 w d) = (n123 w d).
Proof. apply: (@etrans _ _ ((n30 w d) + (n27 w d)) _ (f_equal2 (@GRing.add _) E25_30 erefl)); cbv beta delta [n123]; sums. Qed.
Definition n31 (w : nat -> R) (d : nat -> R) : R := (\sum_(i < m) (\sum_(j < n) ((X i j) * ((y i) * ((- 1) * ((d j) * (n23 w i))))))).
Lemma E30_31 : (n30 w d) = (n31 w d).
Proof. (* E-fuse *) first [(cbv beta delta [n30 n29 n31]; sums) | (cbv beta delta [n30 n29 n31]; law) | (cbv beta delta [n30 n29 n23 n16 n31]; law)]. Qed.
Definition n124 (w : nat -> R) (d : nat -> R) : R := ((n27 w d) + (n31 w d)).
Lemma E123_124 : (n123 w d) = (n124 w d).
Proof. exact: (f_equal2 (@GRing.add _) erefl E30_31). Qed.
Definition n32 (w : nat -> R) (d : nat -> R) : R := (\sum_(i < n) ((w i) * (lam * (2 * ((1 / 2) * (d i)))))).
Lemma E27_32 : (n27 w d) = (n32 w d).
Proof. (* E-fuse *) first [(cbv beta delta [n27 n26 n32]; sums) | (cbv beta delta [n27 n26 n32]; law)]. Qed.
Definition n125 (w : nat -> R) (d : nat -> R) : R := ((n31 w d) + (n32 w d)).
Lemma E124_125 : (n124 w d) = (n125 w d).
Proof. apply: (@etrans _ _ ((n32 w d) + (n31 w d)) _ (f_equal2 (@GRing.add _) E27_32 erefl)); cbv beta delta [n125]; sums. Qed.
Definition n33 (w : nat -> R) (d : nat -> R) : R := (\sum_(i < n) ((w i) * (lam * (d i)))).
Lemma E32_33 : (n32 w d) = (n33 w d).
Proof. (* E-number *) first [(cbv beta delta [n32 n33]; sums) | (cbv beta delta [n32 n33]; law)]. Qed.
Definition n34 (w : nat -> R) (d : nat -> R) : R := ((n31 w d) + (n33 w d)).
Lemma E125_34 : (n125 w d) = (n34 w d).
Proof. exact: (f_equal2 (@GRing.add _) erefl E32_33). Qed.
Definition n35 (w : nat -> R) (i : nat) : R := ((w i) * lam).
Definition n36 (w : nat -> R) (i : nat) : R := (\sum_(j < m) ((X j i) * ((y j) * ((- 1) * (n23 w j))))).
Definition n37 (w : nat -> R) (i : nat) : R := ((n35 w i) + (n36 w i)).
Definition n38 (w : nat -> R) (d : nat -> R) : R := (\sum_(i < n) ((d i) * (n37 w i))).
Lemma E34_38 : (n34 w d) = (n38 w d).
Proof. (* E-factor *) first [(cbv beta delta [n34 n31 n33 n38 n37 n35 n36]; sums) | (cbv beta delta [n34 n31 n33 n38 n37 n35 n36]; law) | (cbv beta delta [n34 n31 n23 n16 n33 n38 n37 n35 n36]; law)]. Qed.
Lemma E28_38 : (n28 w d) = (n38 w d).
Proof. exact: (etrans (etrans (etrans (etrans E28_123 E123_124) E124_125) E125_34) E34_38). Qed.
Theorem derivative : is_derive (0 : R) (1 : R) (fun s => (n15 (along_w s))) (n38 w d).
Proof. rewrite (_ : (fun s => (n15 (along_w s))) = (fun s => (n20 (along_w s)))); last by apply: funext => s; exact: (E15_20 (along_w s)). apply: (D_is (D1_20)); exact: E28_38. Qed.
Definition n40 (w : nat -> R) (i : nat) : R := ((w i) * (lam * (2 * (1 / 2)))).
Definition n41 (i : nat) : R := 1.
Definition n42 (w : nat -> R) (i : nat) : R := ((n23 w i) * (n41 i)).
Definition n43 (w : nat -> R) (i : nat) : R := (\sum_(j < m) ((X j i) * ((y j) * ((- 1) * (n42 w j))))).
Definition n44 (w : nat -> R) (i : nat) : R := ((n40 w i) + (n43 w i)).
Lemma transposed2 : (n28 w d) = (\sum_(i < n) (n44 w i) * (d i)).
Proof. first [cbv beta delta [n28 n25 n24 n22 n27 n26 n44 n40 n43 n42 n41]; sums | cbv beta delta [n28 n25 n24 n22 n23 n16 n27 n26 n44 n40 n43 n42 n41]; functions]. Qed.
Lemma E40_35 (i : nat) (Hi : (i < n)%N) : (n40 w i) = (n35 w i).
Proof. (* E-number *) first [(cbv beta delta [n40 n35]; sums) | (cbv beta delta [n40 n35]; law)]. Qed.
Definition n122 (w : nat -> R) (i : nat) : R := ((n35 w i) + (n43 w i)).
Lemma E44_122 (i : nat) (Hi : (i < n)%N) : (n44 w i) = (n122 w i).
Proof. exact: (f_equal2 (@GRing.add _) (E40_35 i Hi) erefl). Qed.
Lemma E42_23 (i : nat) (Hi : (i < m)%N) : (n42 w i) = (n23 w i).
Proof. (* E-fuse *) first [(cbv beta delta [n42 n41 n23]; sums) | (cbv beta delta [n42 n41 n23 n16]; sums) | (cbv beta delta [n42 n41 n23]; law) | (cbv beta delta [n42 n23 n16 n41]; law)]. Qed.
Lemma E43_36 (i : nat) (Hi : (i < n)%N) : (n43 w i) = (n36 w i).
Proof. exact: (eq_bigr _ (fun (j : 'I_m) _ => (f_equal2 (@GRing.mul _) erefl (f_equal2 (@GRing.mul _) erefl (f_equal2 (@GRing.mul _) erefl (E42_23 j (ltn_ord j))))))). Qed.
Lemma E122_37 (i : nat) (Hi : (i < n)%N) : (n122 w i) = (n37 w i).
Proof. exact: (f_equal2 (@GRing.add _) erefl (E43_36 i Hi)). Qed.
Lemma E44_37 (i : nat) (Hi : (i < n)%N) : (n44 w i) = (n37 w i).
Proof. exact: (etrans (E44_122 i Hi) (E122_37 i Hi)). Qed.
Theorem adjoint2 : (n38 w d) = (\sum_(i < n) (n37 w i) * (d i)).
Proof. apply: etrans (esym E28_38) _. apply: etrans transposed2 _. exact: (eq_bigr _ (fun (i : 'I_n) _ => (f_equal2 (@GRing.mul _) (E44_37 i (ltn_ord i)) erefl))). Qed.
Theorem gradient : is_derive (0 : R) (1 : R) (fun s => (n15 (along_w s))) ((\sum_(i < n) (n37 w i) * (d i))).
Proof. rewrite -adjoint2; exact: derivative. Qed.
End S.
Definition theorems := (value, derivative, adjoint2, gradient).
Print Assumptions theorems.
End derivation.
