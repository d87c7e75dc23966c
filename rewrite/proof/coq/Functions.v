(* Functions that the library does not have, and their laws. *)
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

Section Functions.
Variable R : realType.
Implicit Types (f : R -> R) (v a x : R).
Definition sigmoid x := (1 + expR (- x))^-1.
Definition softplus x := ln (1 + expR x).
Definition tanh x := (expR x - expR (- x)) / (expR x + expR (- x)).
Lemma expD_gt0 x : 0 < 1 + expR x. Proof. by rewrite addr_gt0 // expR_gt0. Qed.
Lemma expS_gt0 x : 0 < expR x + expR (- x). Proof. by rewrite addr_gt0 // expR_gt0. Qed.
Lemma sigmoidE x : sigmoid x = expR x / (1 + expR x).
Proof.
have h := lt0r_neq0 (expR_gt0 x); rewrite /sigmoid expRN -invf_div; congr (_^-1).
by rewrite mulrDl mul1r mulfV // addrC.
Qed.
Lemma sigmoidF : sigmoid = (fun x => expR x / (1 + expR x)). Proof. by apply/funext => x; rewrite sigmoidE. Qed.
Lemma sigmoidN x : sigmoid (- x) = 1 - sigmoid x.
Proof.
rewrite (sigmoidE x) [sigmoid (- x)]/sigmoid opprK; have h := expD_gt0 x.
by rewrite -[X in X - _](mulfV (lt0r_neq0 h)) -mulrBl addrK mul1r.
Qed.
Lemma softplus_gt0 x : 0 < softplus x. Proof. by rewrite /softplus ln_gt0 // ltr_addl expR_gt0. Qed.
Lemma D_softplus f v a : D f v a -> D (fun s => softplus (f s)) (softplus v) (sigmoid v * a).
Proof.
move=> h; apply: D_eq; first by apply: D_ln; [exact: expD_gt0 | apply: D_add; [exact: D_const | exact: D_exp h]].
by rewrite sigmoidE add0r mulrA [_^-1 * _]mulrC.
Qed.
Lemma D_sigmoid f v a : D f v a -> D (fun s => sigmoid (f s)) (sigmoid v) (sigmoid v * (1 - sigmoid v) * a).
Proof.
move=> h; apply: D_eq.
  by apply: D_inv; [apply: lt0r_neq0; exact: expD_gt0 | apply: D_add; [exact: D_const | apply: D_exp; exact: D_opp h]].
rewrite -sigmoidN (sigmoidE (- v)) /sigmoid; sums.
Qed.
Lemma D_tanh f v a : D f v a -> D (fun s => tanh (f s)) (tanh v) ((1 - tanh v ^+ 2) * a).
Proof.
move=> h; apply: D_eq.
  apply: D_mul; first by apply: D_add; [exact: D_exp h | apply: D_opp; apply: D_exp; exact: D_opp h].
  apply: D_inv; first by apply: lt0r_neq0; exact: expS_gt0.
  by apply: D_add; [exact: D_exp h | apply: D_exp; exact: D_opp h].
have e : (expR v + expR (- v)) * (expR v + expR (- v))^-1 = 1 by rewrite mulfV // lt0r_neq0 // expS_gt0.
by rewrite /tanh -[X in (X - _) * a]e; sums.
Qed.
Definition logsumexp n (x : nat -> R) := ln (\sum_(i < n) expR (x i)).
Definition softmax n (x : nat -> R) i := expR (x i) / \sum_(k < n) expR (x k).
Lemma sum_exp_gt0 n (x : nat -> R) : (0 < n)%N -> 0 < \sum_(i < n) expR (x i).
Proof.
case: n => // n _; rewrite big_ord_recl ltr_paddr ?expR_gt0 //.
by apply: sumr_ge0 => i _; rewrite ltW // expR_gt0.
Qed.
Lemma D_logsumexp n (f : R -> nat -> R) (v a : nat -> R) : (0 < n)%N ->
  (forall i, (i < n)%N -> D (f^~ i) (v i) (a i)) ->
  D (fun s => logsumexp n (f s)) (logsumexp n v) (\sum_(i < n) softmax n v i * a i).
Proof.
move=> n0 h; apply: D_eq.
  apply: D_ln; first exact: (sum_exp_gt0 v n0).
  apply: (D_sum (f := fun i s => expR (f s i)) (v := fun i => expR (v i)) (a := fun i => expR (v i) * a i)).
  by move=> i ni; apply: (D_exp (h i ni)).
rewrite /softmax; sums.
Qed.
(* The norm, of the sum of squares. *)
Definition norm2 x := Num.sqrt x.
Lemma D_norm2 f v a : norm2 v != 0 -> D f v a -> D (fun s => norm2 (f s)) (norm2 v) (2^-1 * (norm2 v)^-1 * a).
Proof. by move=> h; apply: D_sqrt; rewrite -sqrtr_gt0 lt0r h sqrtr_ge0. Qed.
Lemma norm2_square x : 0 <= x -> norm2 x * norm2 x = x.
Proof. by move=> h; rewrite -expr2 sqr_sqrtr. Qed.
(* Powers with variable exponents, of positive numbers. *)
Definition pow x y := expR (y * ln x).
Lemma D_powr f g v w a b : 0 < v -> D f v a -> D g w b ->
  D (fun s => pow (f s) (g s)) (pow v w) (w * pow v (w - 1) * a + pow v w * ln v * b).
Proof.
move=> h hf hg; apply: D_eq; first exact: D_exp (D_mul hg (D_ln h hf)).
have -> : pow v (w - 1) = pow v w * v^-1 by rewrite /pow mulrBl mul1r expRB lnK.
rewrite /pow; sums.
Qed.
Definition gelu (erf : R -> R) x := x * (1 / 2 + 1 / 2 * erf ((Num.sqrt 2)^-1 * x)).
Lemma D_gelu erf f v a : (forall u, is_derive u (1 : R) erf (2 * (Num.sqrt pi)^-1 * expR (- u ^+ 2))) -> D f v a ->
  D (fun s => gelu erf (f s)) (gelu erf v)
    ((1 / 2 + 1 / 2 * erf ((Num.sqrt 2)^-1 * v) + (Num.sqrt 2)^-1 * (Num.sqrt pi)^-1 * v * expR (- (1 / 2) * v ^+ 2)) * a).
Proof.
move=> he h; apply: D_eq.
  exact: D_mul h (D_add (D_const _) (D_mul (D_const _) (D_comp (he _) (D_mul (D_const _) h)))).
have -> : - ((Num.sqrt 2)^-1 * v) ^+ 2 = - (1 / 2) * v ^+ 2 by rewrite exprMn exprVn sqr_sqrtr ?ler0n // mul1r mulNr.
sums.
Qed.
Definition sinh x := 2^-1 * (expR x - expR (- x)).
Definition cosh x := 2^-1 * (expR x + expR (- x)).
Definition expm1 x := expR x - 1.
Definition log1p x := ln (1 + x).
Lemma D_sinh f v a : D f v a -> D (fun s => sinh (f s)) (sinh v) (cosh v * a).
Proof.
move=> h; apply: D_eq.
  by apply: D_mul; [exact: D_const | apply: D_add; [exact: D_exp h | apply: D_opp; apply: D_exp; exact: D_opp h]].
rewrite /cosh; sums.
Qed.
Lemma D_cosh f v a : D f v a -> D (fun s => cosh (f s)) (cosh v) (sinh v * a).
Proof.
move=> h; apply: D_eq.
  by apply: D_mul; [exact: D_const | apply: D_add; [exact: D_exp h | apply: D_exp; exact: D_opp h]].
rewrite /sinh; sums.
Qed.
Lemma D_expm1 f v a : D f v a -> D (fun s => expm1 (f s)) (expm1 v) (expR v * a).
Proof. by move=> h; apply: D_eq; [apply: D_add (D_exp h) (D_const _) | rewrite addr0]. Qed.
Lemma D_log1p f v a : 0 < 1 + v -> D f v a -> D (fun s => log1p (f s)) (log1p v) ((1 + v)^-1 * a).
Proof. by move=> p h; apply: D_eq; [apply: D_ln p (D_add (D_const _) h) | rewrite add0r]. Qed.
Definition logaddexp x y := ln (expR x + expR y).
Lemma exp_add_gt0 x y : 0 < expR x + expR y. Proof. by rewrite addr_gt0 // expR_gt0. Qed.
Lemma share x y : expR x / (expR x + expR y) = sigmoid (x - y).
Proof.
have h : expR x + expR y = expR x * (1 + expR (- (x - y))).
  by rewrite mulrDr mulr1 opprB expRD expRN mulrCA mulfV ?mulr1 // lt0r_neq0 // expR_gt0.
by rewrite h invfM mulrA mulfV ?mul1r // lt0r_neq0 // expR_gt0.
Qed.
Lemma D_logaddexp f g v w a b : D f v a -> D g w b ->
  D (fun s => logaddexp (f s) (g s)) (logaddexp v w) (sigmoid (v - w) * a + sigmoid (w - v) * b).
Proof.
move=> h k; apply: D_eq; first by apply: D_ln (exp_add_gt0 _ _) (D_add (D_exp h) (D_exp k)).
rewrite -!share [expR w + _]addrC; sums.
Qed.
(* Relations are numbers. Their derivatives, and that of the maximum, are where the operands differ. *)
Definition gt x y : R := ((y < x)%R)%:R.
Definition ge x y : R := ((y <= x)%R)%:R.
Definition lt x y : R := ((x < y)%R)%:R.
Definition le x y : R := ((x <= y)%R)%:R.
Definition eq x y : R := (x == y)%:R.
Definition ne x y : R := (x != y)%:R.
Local Open Scope classical_set_scope.
Lemma near_apart f g v w a b : D f v a -> D g w b -> v != w ->
  [/\ v < w & \forall s \near (0:R), f s < g s] \/ [/\ w < v & \forall s \near (0:R), g s < f s].
Proof.
move=> h k; rewrite neq_lt => /orP[vw|wv]; [left|right]; split=> //.
  have H := near_lt0 (D_add h (D_opp k)); rewrite subr_lt0 in H.
  by apply: filterS (H vw) => s; rewrite subr_lt0.
have H := near_gt0 (D_add h (D_opp k)); rewrite subr_gt0 in H.
by apply: filterS (H wv) => s; rewrite subr_gt0.
Qed.
Local Close Scope classical_set_scope.
Lemma D_gt f g v w a b : v != w -> D f v a -> D g w b -> D (fun s => gt (f s) (g s)) (gt v w) 0.
Proof.
move=> n h k; have [e1 _] := h; have [e2 _] := k.
have [[l H]|[l H]] := near_apart h k n.
  apply: (@D_near _ (fun _ => 0) _ 0 0 (gt v w) _ (D_const _)); last by rewrite e1 e2.
  by apply: filterS H => s sl; rewrite /gt ltNge (ltW sl).
apply: (@D_near _ (fun _ => 1) _ 1 0 (gt v w) _ (D_const _)); last by rewrite e1 e2.
by apply: filterS H => s sl; rewrite /gt sl.
Qed.
Lemma D_eqn f g v w a b : v != w -> D f v a -> D g w b -> D (fun s => eq (f s) (g s)) (eq v w) 0.
Proof.
move=> n h k; have [e1 _] := h; have [e2 _] := k.
apply: (@D_near _ (fun _ => 0) _ 0 0 (eq v w) _ (D_const _)); last by rewrite e1 e2.
by have [[l H]|[l H]] := near_apart h k n; apply: filterS H => s sl; rewrite /eq ?(lt_eqF sl) ?(gt_eqF sl).
Qed.
(* Of ties, which do not occur, each has half. *)
Lemma D_max f g v w a b : v != w -> D f v a -> D g w b ->
  D (fun s => Num.max (f s) (g s)) (Num.max v w) ((gt v w + 2^-1 * eq v w) * a + (gt w v + 2^-1 * eq v w) * b).
Proof.
move=> n h k; have [e1 _] := h; have [e2 _] := k; rewrite [eq v w]/eq (negbTE n) mulr0 !addr0.
have [[l H]|[l H]] := near_apart h k n.
  apply: (@D_near _ g _ w); last by rewrite e1 e2.
    by apply: filterS H => s sl; rewrite max_r // ltW.
  by rewrite /gt l ltNge (ltW l) mul0r add0r mul1r.
apply: (@D_near _ f _ v); last by rewrite e1 e2.
  by apply: filterS H => s sl; rewrite max_l // ltW.
by rewrite /gt l ltNge (ltW l) mul0r addr0 mul1r.
Qed.
Lemma D_min f g v w a b : v != w -> D f v a -> D g w b ->
  D (fun s => Num.min (f s) (g s)) (Num.min v w) ((lt v w + 2^-1 * eq v w) * a + (lt w v + 2^-1 * eq v w) * b).
Proof.
move=> n h k; have [e1 _] := h; have [e2 _] := k; rewrite [eq v w]/eq (negbTE n) mulr0 !addr0.
have [[l H]|[l H]] := near_apart h k n.
  apply: (@D_near _ f _ v); last by rewrite e1 e2.
    by apply: filterS H => s sl; rewrite min_l // ltW.
  by rewrite /lt l ltNge (ltW l) mul0r addr0 mul1r.
apply: (@D_near _ g _ w); last by rewrite e1 e2.
  by apply: filterS H => s sl; rewrite min_r // ltW.
by rewrite /lt l ltNge (ltW l) mul0r add0r mul1r.
Qed.
Lemma D_softmax n (f : R -> nat -> R) (v a : nat -> R) : (0 < n)%N ->
  (forall i, (i < n)%N -> D (f^~ i) (v i) (a i)) -> forall i, (i < n)%N ->
  D (fun s => softmax n (f s) i) (softmax n v i) (softmax n v i * (a i - \sum_(k < n) softmax n v k * a k)).
Proof.
move=> n0 h i ni; apply: D_eq.
  have H := D_sum (f := fun k s => expR (f s k)) (v := fun k => expR (v k)) (a := fun k => expR (v k) * a k) (fun k nk => D_exp (h k nk)).
  exact: (D_mul (D_exp (h i ni)) (D_inv (lt0r_neq0 (sum_exp_gt0 v n0)) H)).
rewrite /softmax; sums.
Qed.
(* At 0. *)
Lemma sinh0 : sinh 0 = 0. Proof. by rewrite /sinh oppr0 subrr mulr0. Qed.
Lemma cosh0 : cosh 0 = 1. Proof. by rewrite /cosh oppr0 expR0 mulVf // (_ : 1 + 1 = 2%:R) ?pnatr_eq0. Qed.
Lemma tanh0 : tanh 0 = 0. Proof. by rewrite /tanh oppr0 subrr mul0r. Qed.
Lemma sigmoid0 : sigmoid 0 = 1 / 2. Proof. by rewrite /sigmoid oppr0 expR0 mul1r. Qed.
Lemma expm1_0 : expm1 0 = 0. Proof. by rewrite /expm1 expR0 subrr. Qed.
Lemma log1p_0 : log1p 0 = 0. Proof. by rewrite /log1p addr0 ln1. Qed.
Lemma asin0 : asin (0 : R) = 0.
Proof. by rewrite -[X in asin X](@sin0 R) sinK // in_itv /= oppr_le0 andbb divr_ge0 ?pi_ge0. Qed.
Lemma relu0 : relu (0 : R) = 0. Proof. exact: maxxx. Qed.
Lemma step0 : step (0 : R) = 0. Proof. by rewrite /step ltxx. Qed.
Lemma gelu0 erf : gelu erf 0 = 0. Proof. by rewrite /gelu mul0r. Qed.
Lemma eq_logsumexp n (x y : nat -> R) : (forall i, (i < n)%N -> x i = y i) -> logsumexp n x = logsumexp n y.
Proof. by move=> h; congr ln; apply: eq_bigr => i _; rewrite h. Qed.
Lemma eq_softmax n (x y : nat -> R) : (forall i, (i < n)%N -> x i = y i) -> forall i, (i < n)%N -> softmax n x i = softmax n y i.
Proof. by move=> h i ni; rewrite /softmax h //; congr (_ / _); apply: eq_bigr => k _; rewrite h. Qed.
End Functions.

