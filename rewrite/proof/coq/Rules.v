(* The rules of algebra.rules as lemmas, each named as the rule is, with _ for -. Conditions are premises; a number that a rule
   may lack is a variable. *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp.classical Require Import functions.
From mathcomp Require Import boolp reals classical_sets signed topology normedtype derive sequences realfun exp trigo.
From Frechet Require Import Derivative Sums Functions Matrices.
Import GRing.Theory Num.Theory Order.TTheory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope ring_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Section Rules.
Variable R : realType.
Implicit Types (x y z w u q r s c : R) (k n : nat) (A B : nat -> nat -> R).
Let exp_neq0 x : expR x != 0. Proof. exact: lt0r_neq0 (expR_gt0 x). Qed.
Let one_exp_gt0 x : 0 < 1 + expR x. Proof. exact: expD_gt0. Qed.

Lemma log_exp x : ln (expR x) = x. Proof. exact: expK. Qed.
Lemma exp_power r x : rpow r (expR x) = expR (r * x). Proof. by rewrite rpowE ?expR_gt0 // expK. Qed.
Lemma exp_log r x : 0 < x -> expR (r * ln x) = rpow r x. Proof. by move=> h; rewrite rpowE. Qed.
Lemma exp_inverse x : expR x * expR (- x) = 1. Proof. exact: expRxMexpNx_1. Qed.
Lemma log_exp_times x y : 0 < x -> ln (x * expR y) = y + ln x.
Proof. by move=> h; rewrite lnM ?posrE ?expR_gt0 // expK addrC. Qed.
Lemma log_inverse x : 0 < x -> ln x^-1 = - ln x. Proof. by move=> h; rewrite lnV. Qed.
Lemma log_inverses x y : 0 < x -> 0 < y -> ln (x^-1 * y^-1) = - ln (x * y).
Proof. by move=> hx hy; rewrite -invfM lnV // posrE mulr_gt0. Qed.
Lemma softplus x : ln (1 + expR x) = Functions.softplus x. Proof. by []. Qed.
Lemma softplus_log1p x : Functions.log1p (expR x) = Functions.softplus x. Proof. by []. Qed.
Lemma log1p x : ln (1 + expm1 x) = x. Proof. by rewrite /expm1 addrC subrK expK. Qed.
Lemma log_sigmoid x : ln (Functions.sigmoid x) = - Functions.softplus (- x).
Proof. by rewrite /Functions.sigmoid lnV // posrE. Qed.
Lemma log_one_less_sigmoid x : ln (1 - Functions.sigmoid x) = - Functions.softplus x.
Proof. by rewrite -sigmoidN log_sigmoid opprK. Qed.
Lemma sigmoid x : (1 + expR x)^-1 = Functions.sigmoid (- x). Proof. by rewrite /Functions.sigmoid opprK. Qed.
Lemma sigmoid_exp r x : expR (r * x) * Functions.sigmoid (- (r * x)) = Functions.sigmoid (r * x).
Proof. by rewrite (sigmoidE (r * x)) /Functions.sigmoid opprK. Qed.
Lemma exp_softplus x : expR (- Functions.softplus x) = Functions.sigmoid (- x).
Proof. by rewrite expRN lnK ?posrE // /Functions.sigmoid opprK. Qed.
Lemma exp_softplus_plus x : expR (Functions.softplus x) = 1 + expR x. Proof. by rewrite lnK ?posrE. Qed.
Lemma softplus_neg x : x + Functions.softplus (- x) = Functions.softplus x.
Proof.
have -> : Functions.softplus x = ln (expR x * (1 + expR (- x))) by rewrite mulrDr mulr1 expRxMexpNx_1 addrC.
by rewrite lnM ?posrE ?expR_gt0 // expK.
Qed.
Lemma relu_softplus x : relu x + Functions.softplus (- `|x|) = Functions.softplus x.
Proof.
rewrite /relu; case: (ltrP x 0) => h; last by rewrite ger0_norm // softplus_neg.
by rewrite ltr0_norm // opprK add0r.
Qed.
Lemma cross_entropy x y : y * Functions.softplus (- x) + Functions.softplus x * (1 - y) = Functions.softplus x + - x * y.
Proof. by rewrite -[Functions.softplus x](softplus_neg x); sums. Qed.
Lemma cross_entropy_slope x y : Functions.sigmoid x * (1 - y) + - (y * Functions.sigmoid (- x)) = Functions.sigmoid x - y.
Proof. by rewrite sigmoidN; sums. Qed.
Lemma logaddexp q r x y : 0 < q -> 0 < r -> ln (q * expR x + r * expR y) = Functions.logaddexp (x + ln q) (y + ln r).
Proof. by move=> hq hr; rewrite /Functions.logaddexp !expRD !lnK // mulrC [r * _]mulrC. Qed.
Lemma logaddexp_more q r w x y : 0 <= w -> 0 < q -> 0 < r ->
  ln ((w + q * expR x) + r * expR y) = Functions.logaddexp (ln (w + q * expR x)) (y + ln r).
Proof.
move=> hw hq hr; rewrite /Functions.logaddexp expRD !lnK ?posrE // 1?[r * _]mulrC //.
by rewrite ltr_paddl // mulr_gt0 // expR_gt0.
Qed.
Lemma logaddexp_number q r x : 0 < q -> 0 < r -> ln (q + r * expR x) = Functions.logaddexp (x + ln r) (ln q).
Proof. by move=> hq hr; rewrite /Functions.logaddexp expRD !lnK // addrC mulrC. Qed.
Lemma log_scaled q r w x : 0 <= w -> 0 < q -> 0 < r -> ln (r * (w + q * expR x)) = ln r + ln (w + q * expR x).
Proof. by move=> hw hq hr; rewrite lnM ?posrE // ltr_paddl // mulr_gt0 // expR_gt0. Qed.
Lemma logaddexp_softplus x : Functions.logaddexp x 0 = Functions.softplus x.
Proof. by rewrite /Functions.logaddexp expR0 addrC. Qed.
Lemma exp_logaddexp x y : expR (Functions.logaddexp x y) = expR x + expR y.
Proof. by rewrite lnK // posrE exp_add_gt0. Qed.
Lemma sigmoid_of_two x y : expR x * (expR x + expR y)^-1 = Functions.sigmoid (x - y). Proof. exact: share. Qed.
Lemma share_of_three x y z : expR x * (expR x + expR y + expR z)^-1 = Functions.sigmoid (x - Functions.logaddexp y z).
Proof. by rewrite -share exp_logaddexp addrA. Qed.
Lemma share_of_four x y z u : expR x * (expR x + expR y + expR z + expR u)^-1 =
  Functions.sigmoid (x - Functions.logaddexp y (Functions.logaddexp z u)).
Proof. by rewrite -share !exp_logaddexp !addrA. Qed.
Lemma share_of_one_and_two x y : expR x * (1 + expR x + expR y)^-1 = Functions.sigmoid (x - Functions.softplus y).
Proof. by rewrite -share exp_softplus_plus addrCA addrA. Qed.
Lemma share_of_one_and_three x y z : expR x * (1 + expR x + expR y + expR z)^-1 =
  Functions.sigmoid (x - Functions.softplus (Functions.logaddexp y z)).
Proof. by rewrite -share exp_softplus_plus exp_logaddexp addrCA !addrA. Qed.
Lemma share_of_two_in_three x y z : (expR x + expR y) * (expR x + expR y + expR z)^-1 =
  Functions.sigmoid (Functions.logaddexp x y - z).
Proof. by rewrite -share exp_logaddexp. Qed.

Lemma abs_nonneg x : 0 <= x -> `|x| = x. Proof. exact: ger0_norm. Qed.
Lemma abs_square x : `|x| * `|x| = x * x. Proof. by rewrite -!expr2 real_normK ?num_real. Qed.
Lemma abs_power k x : `|x| ^+ k.*2 = x ^+ k.*2. Proof. by rewrite -mul2n !exprM real_normK ?num_real. Qed.
Lemma abs_odd_power k x : `|x| ^+ k.*2.+1 = x ^+ k.*2 * `|x|. Proof. by rewrite exprSr abs_power. Qed.
Lemma sign_abs x : Num.sg x * `|x| = x. Proof. by rewrite -numEsg. Qed.
Lemma sign_over_abs x : Num.sg x * `|x|^-1 = x^-1.
Proof.
have [->|h] := eqVneq x 0; first by rewrite sgr0 mul0r invr0.
by rewrite {3}(numEsg x) invfM; congr (_ * _); case: (ltrgtP x 0) h => // h _; rewrite ?(ltr0_sg h) ?(gtr0_sg h) ?invrN invr1.
Qed.
Lemma sign_sign x : Num.sg (Num.sg x) = Num.sg x. Proof. exact: sgr_id. Qed.
Lemma sign_odd_power k x : Num.sg x ^+ k.*2.+1 = Num.sg x. Proof.
by case: (ltrgtP x 0) => h; rewrite ?(ltr0_sg h) ?(gtr0_sg h) ?h ?sgr0 exprS -mul2n exprM ?sqrrN ?expr1n ?mulr1 ?mul0r.
Qed.
Lemma sign_even_power k x : Num.sg x ^+ k.+1.*2 = Num.sg x * Num.sg x.
Proof. by rewrite doubleS exprS sign_odd_power. Qed.
Lemma sign_over x : Num.sg x * x^-1 = `|x|^-1.
Proof.
have [->|h] := eqVneq x 0; first by rewrite sgr0 normr0 mul0r invr0.
by case: (ltrgtP x 0) h => // h _; rewrite ?(ltr0_sg h) ?(gtr0_sg h) ?(ltr0_norm h) ?(gtr0_norm h) ?invrN ?mulN1r ?mul1r.
Qed.
Lemma sign_times_power k x : Num.sg x * x ^+ k.*2.+1 = x ^+ k.*2 * `|x|.
Proof. by rewrite exprSr mulrCA; congr (_ * _); rewrite [RHS]normrEsg. Qed.
Lemma abs_times_sign x : x * Num.sg x = `|x|. Proof. by rewrite mulrC [RHS]normrEsg. Qed.
Lemma power_of_step k x : step x ^+ k.+1 = step x. Proof. by rewrite /step; case: (0 < x); rewrite ?expr1n ?expr0n. Qed.
Lemma sign_of_step x : Num.sg (step x) = step x. Proof. by rewrite /step; case: (0 < x); rewrite ?sgr1 ?sgr0. Qed.
Lemma sign_times_step x : Num.sg x * step x = step x.
Proof. by rewrite /step; case: (ltrP 0 x) => h; rewrite ?mulr0 // gtr0_sg ?mulr1. Qed.
Lemma sign_positive x : 0 < x -> Num.sg x = 1. Proof. exact: gtr0_sg. Qed.
Lemma step_relu_sign x : relu (Num.sg x) = step x.
Proof.
rewrite /relu /step; case: (ltrgtP 0 x) => h.
- by rewrite gtr0_sg // max_l ?ler01.
- by rewrite ltr0_sg // max_r ?lerN10.
by rewrite -h sgr0 maxxx.
Qed.
Lemma step_sign x : step (Num.sg x) = step x. Proof. by rewrite /step sgr_gt0. Qed.
Lemma step_relu x : step (relu x) = step x. Proof. by rewrite /step /relu; case: (ltrP x 0) => h; rewrite ?ltxx // ltNge (ltW h). Qed.
Lemma step_of_step x : step (step x) = step x. Proof. by rewrite /step; case: (0 < x); rewrite ?ltr01 ?ltxx. Qed.
Lemma relu_step x : x * step x = relu x. Proof. by rewrite /step /relu; case: (ltrP 0 x) => h; rewrite ?mulr1 ?mulr0. Qed.
Lemma step_over_relu x : step x * (relu x)^-1 = (relu x)^-1.
Proof. by rewrite -relu_step /step; case: (0 < x); rewrite ?mul1r // mulr0 invr0 mulr0. Qed.
Lemma sign_relu x : Num.sg (relu x) = step x.
Proof. by rewrite -relu_step /step; case: (ltrP 0 x) => h; rewrite ?mulr1 ?mulr0 ?sgr0 // gtr0_sg. Qed.
Lemma step_step x : step x * step x = step x. Proof. by rewrite /step; case: (0 < x); rewrite ?mulr1 ?mulr0. Qed.
Lemma step_positive x : 0 < x -> step x = 1. Proof. by rewrite /step => ->. Qed.
Lemma relu_nonneg x : 0 <= x -> relu x = x. Proof. by rewrite /relu => h; rewrite max_l. Qed.
Lemma relu_nonpos x : 0 <= x -> relu (- x) = 0. Proof. by rewrite /relu => h; rewrite max_r // oppr_le0. Qed.
Lemma step_nonpos x : 0 <= x -> step (- x) = 0. Proof. by rewrite /step => h; rewrite oppr_gt0 ltNge h. Qed.
Lemma relu_times_step x : relu x * step x = relu x. Proof. by rewrite -relu_step -mulrA step_step. Qed.
Lemma abs_times_step x : `|x| * step x = relu x.
Proof. by rewrite -relu_step /step; case: (ltrP 0 x) => h; rewrite ?mulr0 // gtr0_norm. Qed.
Lemma sign_times_relu x : Num.sg x * relu x = relu x.
Proof. by rewrite -relu_step /step; case: (ltrP 0 x) => h; rewrite ?mulr0 // gtr0_sg // mul1r. Qed.
Lemma abs_times_relu x : `|x| * relu x = x * relu x.
Proof. by rewrite -relu_step /step; case: (ltrP 0 x) => h; rewrite ?mulr0 // gtr0_norm. Qed.
Lemma max_same x : Num.max x x = x. Proof. exact: maxxx. Qed.
Lemma min_same x : Num.min x x = x. Proof. exact: minxx. Qed.

Lemma arctan_one : atan 1 = 1 / 4 * pi :> R. Proof. by rewrite atan1 mulrC mul1r. Qed.
Lemma tan x : sin x * (cos x)^-1 = trigo.tan x. Proof. by []. Qed.
Lemma tanh x : sinh x * (cosh x)^-1 = Functions.tanh x.
Proof. by rewrite /sinh /cosh /Functions.tanh invfM mulrACA mulfV ?mul1r // invr_neq0 // pnatr_eq0. Qed.
Lemma sin_cos_squares r x : r * sin x * sin x + r * cos x * cos x = r.
Proof. by rewrite -!mulrA -mulrDr -!expr2 addrC cos2Dsin2 mulr1. Qed.
Lemma less_sin_square q r x : q + r = 0 -> q + r * sin x * sin x = q * cos x * cos x.
Proof. by move=> /eqP; rewrite addrC addr_eq0 => /eqP ->; rewrite -{1}(sin_cos_squares q x); sums. Qed.
Lemma less_cos_square q r x : q + r = 0 -> q + r * cos x * cos x = q * sin x * sin x.
Proof. by move=> /eqP; rewrite addrC addr_eq0 => /eqP ->; rewrite -{1}(sin_cos_squares q x); sums. Qed.
Let hyperbolic x : cosh x * cosh x - sinh x * sinh x = 1.
Proof.
transitivity (expR x * expR (- x)); last exact: expRxMexpNx_1.
by rewrite /cosh /sinh; sums.
Qed.
Lemma cosh_sinh_squares q r x : q + r = 0 -> q * cosh x * cosh x + r * sinh x * sinh x = q.
Proof. by move=> /eqP; rewrite addrC addr_eq0 => /eqP ->; rewrite -[RHS]mulr1 -(hyperbolic x); sums. Qed.
Lemma sinh_square q x : q + q * sinh x * sinh x = q * cosh x * cosh x.
Proof. by rewrite -{1}[q]mulr1 -(hyperbolic x); sums. Qed.
Lemma cosh_square q r x : q + r = 0 -> q + r * cosh x * cosh x = r * sinh x * sinh x.
Proof. by move=> /eqP; rewrite addr_eq0 => /eqP ->; rewrite -{1}[r]mulr1 -(hyperbolic x); sums. Qed.
Lemma tanh_of_two x y : (expR x - expR y) * (expR x + expR y)^-1 = Functions.tanh (1 / 2 * (x - y)).
Proof.
set d := 1 / 2 * (x - y); set c := 1 / 2 * (x + y).
have -> : expR x = expR c * expR d by rewrite -expRD; congr expR; rewrite /c /d; sums.
have -> : expR y = expR c * expR (- d) by rewrite -expRD; congr expR; rewrite /c /d; sums.
by rewrite -mulrBr -mulrDr invfM mulrACA mulfV ?mul1r.
Qed.

Lemma softmax n (x : nat -> R) i : expR (x i) * (\sum_(k < n) expR (x k))^-1 = Functions.softmax n x i. Proof. by []. Qed.
Lemma logsumexp n (x : nat -> R) w : (0 < n)%N -> 0 < w -> ln (\sum_(i < n) w * expR (x i)) = ln w + Functions.logsumexp n x.
Proof. by move=> n0 w0; rewrite -mulr_sumr lnM // posrE sum_exp_gt0. Qed.
Lemma logsumexp_first n (x : nat -> R) w : (0 < n)%N -> 0 < w -> ln (\sum_(i < n) w * expR (x i)) = ln w + Functions.logsumexp n x.
Proof. exact: logsumexp. Qed.
Lemma logsumexp_middle n (x : nat -> R) : ln (\sum_(i < n) expR (x i)) = Functions.logsumexp n x. Proof. by []. Qed.
Lemma logsumexp_outer n (x : nat -> R) : ln (\sum_(i < n) expR (x i)) = Functions.logsumexp n x. Proof. by []. Qed.
Lemma logsumexp_each_scaled n (x : nat -> R) w : (0 < n)%N -> 0 < w -> ln (\sum_(i < n) w * expR (x i)) = ln w + Functions.logsumexp n x.
Proof. exact: logsumexp. Qed.
Lemma logsumexp_weighted n (x w : nat -> R) : (forall i, (i < n)%N -> 0 < w i) ->
  ln (\sum_(i < n) w i * expR (x i)) = Functions.logsumexp n (fun i => x i + ln (w i)).
Proof. by move=> h; congr ln; apply: eq_bigr => i _; rewrite expRD lnK ?posrE ?h // mulrC. Qed.
Lemma logsumexp_beside n (x : nat -> R) y : (0 < n)%N -> ln (expR y + \sum_(i < n) expR (x i)) = Functions.logaddexp y (Functions.logsumexp n x).
Proof. by move=> n0; rewrite /Functions.logaddexp lnK // posrE sum_exp_gt0. Qed.
Lemma logsumexp_more n (x : nat -> R) : (0 < n)%N -> ln (1 + \sum_(i < n) expR (x i)) = Functions.softplus (Functions.logsumexp n x).
Proof. by move=> n0; rewrite /Functions.softplus lnK // posrE sum_exp_gt0. Qed.
Lemma softmax_first n (x : nat -> R) i : expR (x i) * (\sum_(k < n) expR (x k))^-1 = Functions.softmax n x i. Proof. by []. Qed.
Lemma log_softmax n (x : nat -> R) i : (0 < n)%N -> ln (Functions.softmax n x i) = x i - Functions.logsumexp n x.
Proof. by move=> n0; rewrite /Functions.softmax ln_div ?posrE ?expR_gt0 ?sum_exp_gt0 // expK. Qed.

Lemma norm2_square x : 0 <= x -> norm2 x * norm2 x = x. Proof. exact: Functions.norm2_square. Qed.
Lemma norm2_even_power k x : 0 <= x -> norm2 x ^+ k.*2 = x ^+ k. Proof. by move=> h; rewrite -mul2n exprM expr2 norm2_square. Qed.
Lemma norm2_scale n (x : nat -> R) r : norm2 (\sum_(i < n) (r * x i) * (r * x i)) = `|r| * norm2 (\sum_(i < n) x i * x i).
Proof.
rewrite /norm2 (_ : \sum_(i < n) _ = r ^+ 2 * \sum_(i < n) x i * x i); last by sums.
by rewrite sqrtrM ?sqr_ge0 // sqrtr_sqr.
Qed.
Lemma norm2_scalar x : norm2 (x * x) = `|x|. Proof. by rewrite /norm2 -expr2 sqrtr_sqr. Qed.
Lemma norm2_transpose m n (x : nat -> nat -> R) : norm2 (\sum_(j < n) \sum_(i < m) x i j * x i j) = norm2 (\sum_(i < m) \sum_(j < n) x i j * x i j).
Proof. by rewrite exchange_big. Qed.

Lemma logdet n (A : nat -> nat -> R) : ln (det n A) = Matrices.logdet n A. Proof. by []. Qed.
Lemma inv_cofactors n (A : nat -> nat -> R) i j : cof n A i j * (det n A)^-1 = inv n A j i. Proof. by rewrite mulrC. Qed.
Lemma inv_transpose n (A : nat -> nat -> R) i j : inv n (fun i j => A j i) i j = inv n A j i. Proof. by rewrite inv_tr. Qed.
Lemma det_transpose n (A : nat -> nat -> R) : det n (fun i j => A j i) = det n A. Proof. exact: Matrices.det_transpose. Qed.
Lemma logdet_transpose n (A : nat -> nat -> R) : Matrices.logdet n (fun i j => A j i) = Matrices.logdet n A.
Proof. by rewrite /Matrices.logdet det_transpose. Qed.
Lemma cofactor_transpose n (A : nat -> nat -> R) i j : cof n (fun i j => A j i) i j = cof n A j i. Proof. by rewrite cof_tr. Qed.
Let det_scaled n (A : nat -> nat -> R) r : det n (fun i j => r * A i j) = r ^+ n * det n A.
Proof. by rewrite /det -detZ; congr (\det _); apply/matrixP => i j; rewrite !mxE. Qed.
Lemma inv_scale n (A : nat -> nat -> R) r i j : (i < n)%N -> inv n (fun i j => r * A i j) i j = r^-1 * inv n A i j.
Proof.
case: n => // n _; have [->|h] := eqVneq r 0.
  by rewrite /inv det_scaled exprS !mul0r invr0 !mul0r.
have e : (r ^+ n.+1)^-1 * r ^+ n = r^-1 by rewrite exprS invfM -mulrA mulVf ?mulr1 // expf_neq0.
rewrite -e /inv det_scaled invfM /cof (_ : \matrix_(k < n, l < n) _ = r *: \matrix_(k < n, l < n) A (bump j k) (bump i l)).
  by rewrite /= detZ; set D := \det _; set d := (det _ _)^-1; set S := _ ^+ (_ + _); sums.
by apply/matrixP => k l; rewrite !mxE.
Qed.
Lemma logdet_scale n (A : nat -> nat -> R) r : 0 < r -> 0 < det n A -> Matrices.logdet n (fun i j => r * A i j) = n%:R * ln r + Matrices.logdet n A.
Proof.
move=> hr hA; rewrite /Matrices.logdet det_scaled lnM ?posrE ?exprn_gt0 //; congr (_ + _).
by rewrite lnX // mulr_natl.
Qed.
Lemma inv_left n (A : nat -> nat -> R) i k : det n A != 0 -> (i < n)%N -> (k < n)%N ->
  \sum_(j < n) inv n A i j * A j k = (i == k)%:R.
Proof.
move=> h ni nk; have := cramer_mul (mat n A); rewrite mulVf // => /matrixP /(_ (Ordinal ni) (Ordinal nk)).
by rewrite !mxE => <-; apply: eq_bigr => j _; rewrite -invE mxE.
Qed.
Lemma inv_right n (A : nat -> nat -> R) i k : det n A != 0 -> (i < n)%N -> (k < n)%N ->
  \sum_(j < n) A i j * inv n A j k = (i == k)%:R.
Proof.
move=> h ni nk; have := mul_cramer (mat n A); rewrite mulVf // => /matrixP /(_ (Ordinal ni) (Ordinal nk)).
by rewrite !mxE => <-; apply: eq_bigr => j _; rewrite -invE mxE.
Qed.

(* Definitions over several axes. *)
Definition log1mexp_ x := ln (1 - expR x).
Definition logsumexp2 m n (x : nat -> nat -> R) := ln (\sum_(i < m) \sum_(j < n) expR (x i j)).
Definition logsumexp3 l m n (x : nat -> nat -> nat -> R) := ln (\sum_(i < l) \sum_(j < m) \sum_(k < n) expR (x i j k)).
Lemma log1mexp x : ln (1 - expR x) = log1mexp_ x. Proof. by []. Qed.
Lemma log1mexp_expm1 x : ln (- expm1 x) = log1mexp_ x. Proof. by rewrite /expm1 opprB. Qed.
Lemma log1mexp_log1p x : Functions.log1p (- expR x) = log1mexp_ x. Proof. by []. Qed.
Let sum2_gt0 m n (x : nat -> nat -> R) : (0 < m)%N -> (0 < n)%N -> 0 < \sum_(i < m) \sum_(j < n) expR (x i j).
Proof.
case: m => // m _ hn; rewrite big_ord_recl ltr_paddr ?sum_exp_gt0 //.
by apply: sumr_ge0 => i _; rewrite ltW // sum_exp_gt0.
Qed.
Lemma logsumexp_matrix m n (x : nat -> nat -> R) w : (0 < m)%N -> (0 < n)%N -> 0 < w ->
  ln (\sum_(i < m) \sum_(j < n) w * expR (x i j)) = ln w + logsumexp2 m n x.
Proof.
move=> hm hn hw; rewrite -lnM ?posrE ?sum2_gt0 //; congr ln; rewrite mulr_sumr.
by apply: eq_bigr => i _; rewrite mulr_sumr.
Qed.
Lemma logsumexp_matrix_more m n (x : nat -> nat -> R) : (0 < m)%N -> (0 < n)%N ->
  ln (1 + \sum_(i < m) \sum_(j < n) expR (x i j)) = Functions.softplus (logsumexp2 m n x).
Proof. by move=> hm hn; rewrite /Functions.softplus lnK // posrE sum2_gt0. Qed.
Lemma logsumexp_cube l m n (x : nat -> nat -> nat -> R) :
  ln (\sum_(i < l) \sum_(j < m) \sum_(k < n) expR (x i j k)) = logsumexp3 l m n x. Proof. by []. Qed.

Definition softmax2 m n (x : nat -> nat -> R) i j := expR (x i j) / \sum_(k < m) \sum_(l < n) expR (x k l).
Lemma softmax_matrix m n (x : nat -> nat -> R) i j :
  expR (x i j) * (\sum_(k < m) \sum_(l < n) expR (x k l))^-1 = softmax2 m n x i j. Proof. by []. Qed.

(* Odd, even and homogeneous functions: the rules f-neg, f-scale and f-of-power at each of them. *)
Lemma sin_neg r x : sin (r * x) = - sin (- r * x). Proof. by rewrite mulNr sinN opprK. Qed.
Lemma tan_neg r x : trigo.tan (r * x) = - trigo.tan (- r * x). Proof. by rewrite mulNr tanN opprK. Qed.
Lemma arctan_neg r x : atan (r * x) = - atan (- r * x). Proof. by rewrite mulNr atanN opprK. Qed.
Lemma sinh_neg r x : sinh (r * x) = - sinh (- r * x). Proof. by rewrite /sinh mulNr opprK; sums. Qed.
Lemma sign_neg r x : Num.sg (r * x) = - Num.sg (- r * x). Proof. by rewrite mulNr sgrN opprK. Qed.
Lemma cos_neg r x : cos (r * x) = cos (- r * x). Proof. by rewrite mulNr cosN. Qed.
Lemma cosh_neg r x : cosh (r * x) = cosh (- r * x). Proof. by rewrite /cosh mulNr opprK; sums. Qed.
Lemma abs_neg r x : `|r * x| = `|- r * x|. Proof. by rewrite mulNr normrN. Qed.
Lemma abs_scale r x : `|r * x| = `|r| * `|Num.sg r * x|.
Proof. by rewrite !normrM normr_sg; have [->|h] := eqVneq r 0; rewrite ?normr0 ?mul0r ?mul1r. Qed.
Lemma sign_scale r x : Num.sg (r * x) = Num.sg (Num.sg r * x). Proof. by rewrite !sgrM sgr_id. Qed.
Lemma step_scale r x : step (r * x) = step (Num.sg r * x). Proof. by rewrite -step_sign sign_scale step_sign. Qed.
Lemma sign_of_power k x : Num.sg (x ^+ k.*2.+1) = Num.sg x. Proof. by rewrite sgrX sign_odd_power. Qed.
Lemma step_of_power k x : step (x ^+ k.*2.+1) = step x. Proof. by rewrite -step_sign sign_of_power step_sign. Qed.

Lemma tanh_neg r x : Functions.tanh (r * x) = - Functions.tanh (- r * x).
Proof.
rewrite /Functions.tanh mulNr opprK; set a := expR (r * x); set b := expR (- (r * x)).
by rewrite -mulNr opprB [b + a]addrC.
Qed.
Lemma arcsin_neg r x : -1 <= r * x <= 1 -> asin (r * x) = - asin (- r * x).
Proof.
move=> /andP[h1 h2]; rewrite mulNr; set y := r * x; have h' : -1 <= - y <= 1 by rewrite ler_oppr opprK ler_oppl h2 h1.
have i : - asin (- y) \in `[- (pi / 2), pi / 2].
  by rewrite in_itv /= ler_oppr opprK ler_oppl asin_lepi2 ?asin_geNpi2.
by rewrite -[RHS](sinK i) sinN asinK ?in_itv //= opprK.
Qed.
Lemma relu_scale r x : relu (r * x) = `|r| * relu (Num.sg r * x).
Proof. by rewrite /relu maxr_pmulr // mulr0 mulrA [`|r| * _]mulrC -numEsg. Qed.

(* Whole multiples of pi. *)
Lemma sin_turns (k : int) : sin (k%:~R * pi) = 0 :> R.
Proof.
have h n : sin (n%:R * pi) = 0 :> R.
  by elim: n => [|n ih]; rewrite ?mul0r ?sin0 // mulrSr mulrDl mul1r sinDpi ih oppr0.
by case: k => n; rewrite ?NegzE ?mulrNz ?mulNr ?sinN -?pmulrn h ?oppr0.
Qed.
Let cos_turn n : cos (n%:R * pi) = (-1) ^+ n :> R.
Proof. by elim: n => [|n ih]; rewrite ?mul0r ?cos0 // mulrSr mulrDl mul1r cosDpi ih exprS mulN1r. Qed.
Lemma cos_turns k : cos (k.*2%:R * pi) = 1 :> R. Proof. by rewrite cos_turn -mul2n exprM sqrrN !expr1n. Qed.
Lemma cos_half_turns k : cos (k.*2.+1%:R * pi) = -1 :> R. Proof. by rewrite cos_turn exprS -mul2n exprM sqrrN !expr1n mulr1. Qed.
Lemma tan_turns (k : int) : trigo.tan (k%:~R * pi) = 0 :> R. Proof. by rewrite /trigo.tan sin_turns mul0r. Qed.
Lemma norm2 k x : Num.sqrt x ^+ k = norm2 x ^+ k. Proof. by []. Qed.
Lemma pow_const r x : 0 < x -> pow x r = rpow r x. Proof. by move=> h; rewrite rpowE. Qed.

(* Inverses: of entries below the size they are those of the library. *)
Let mat_inv n A : det n A != 0 -> mat n (inv n A) = invmx (mat n A).
Proof. by move=> h; apply/matrixP => i j; rewrite mxE invE cramerE. Qed.
Let unit_mat n A : (mat n A \in unitmx) = (det n A != 0). Proof. by rewrite unitmxE unitfE. Qed.
Let mat_scaled n A r : mat n (fun i j => r * A i j) = r *: mat n A. Proof. by apply/matrixP => i j; rewrite !mxE. Qed.
Let mat_product n A B : mat n (fun i k => \sum_(j < n) A i j * B j k) = mat n A *m mat n B.
Proof. by apply/matrixP => i j; rewrite !mxE; apply: eq_bigr => k _; rewrite !mxE. Qed.
Let entries n A B : mat n A = mat n B -> forall i j, (i < n)%N -> (j < n)%N -> A i j = B i j.
Proof. by move=> /matrixP h i j ni nj; have := h (Ordinal ni) (Ordinal nj); rewrite !mxE. Qed.
Let det_inv_mx n A : det n A != 0 -> det n (inv n A) = (det n A)^-1.
Proof. by move=> h; rewrite /det mat_inv // det_inv. Qed.
Let inv_mxK n A : det n A != 0 -> mat n (inv n (inv n A)) = mat n A.
Proof. by move=> h; rewrite mat_inv ?det_inv_mx ?invr_neq0 // mat_inv // invmxK. Qed.
Let inv_inv n A i j : det n A != 0 -> (i < n)%N -> (j < n)%N -> inv n (inv n A) i j = A i j.
Proof. by move=> h; apply: entries; exact: inv_mxK. Qed.
Lemma det_inv n A r : r != 0 -> det n A != 0 -> det n (fun i j => r * inv n A i j) = (det n (fun i j => r^-1 * A i j))^-1.
Proof. by move=> hr h; rewrite (det_scaled _ (inv n A)) (det_scaled _ A) det_inv_mx // invfM exprVn invrK. Qed.
Lemma cofactor_inv n A r i j : r != 0 -> det n A != 0 -> (i < n)%N -> (j < n)%N ->
  cof n (fun i j => r * inv n A i j) i j = (r^-1 * A j i) * (det n (fun i j => r^-1 * A i j))^-1.
Proof.
move=> hr h ni nj; rewrite -(det_inv hr h); set B := fun i j => r * inv n A i j.
have hB : det n B != 0 by rewrite (det_scaled _ (inv n A)) mulf_neq0 ?expf_neq0 // det_inv_mx // invr_neq0.
have e : inv n B j i = r^-1 * A j i.
  by rewrite /B (@inv_scale n (inv n A) r j i nj) inv_inv.
by rewrite -e /inv mulrAC mulVf // mul1r.
Qed.
Lemma logdet_inv n A r : r * r = 1 -> 0 < det n A -> 0 < det n (fun i j => r * A i j) ->
  Matrices.logdet n (fun i j => r * inv n A i j) = - Matrices.logdet n (fun i j => r * A i j).
Proof.
move=> hr h hA; have r0 : r != 0 by apply/eqP => e; move: hr; rewrite e mul0r => /eqP; rewrite eq_sym oner_eq0.
have e : r^-1 = r by rewrite -[RHS]mul1r -(mulVf r0) -mulrA hr mulr1.
have d : 0 < r ^+ n * det n A by rewrite -det_scaled.
rewrite /Matrices.logdet (det_scaled _ (inv n A)) (det_scaled _ A) det_inv_mx ?lt0r_neq0 //.
by rewrite -{1}e exprVn -invfM lnV.
Qed.
Lemma solve_scale n A (b : nat -> R) r i : (i < n)%N ->
  \sum_(k < n) inv n (fun i j => r * A i j) i k * b k = r^-1 * \sum_(k < n) inv n A i k * b k.
Proof. by move=> ni; rewrite mulr_sumr; apply: eq_bigr => k _; rewrite inv_scale // -mulrA. Qed.
Let mat_diag n (x : nat -> R) : mat n (fun i j => (i == j)%:R * x i) = diag_mx (\row_(i < n) x i).
Proof. by apply/matrixP => i j; rewrite !mxE mulr_natl. Qed.
Let det_diag n (x : nat -> R) : det n (fun i j => (i == j)%:R * x i) = \prod_(i < n) x i.
Proof. by rewrite /det mat_diag det_diag; apply: eq_bigr => i _; rewrite mxE. Qed.
Let inv_diag_mx n (x : nat -> R) : (forall i, (i < n)%N -> x i != 0) ->
  mat n (inv n (fun i j => (i == j)%:R * x i)) = diag_mx (\row_(i < n) (x i)^-1).
Proof.
move=> h; have d : det n (fun i j => (i == j)%:R * x i) != 0 by rewrite det_diag; apply/prodf_neq0 => i _; exact: h.
have u : diag_mx (\row_(i < n) x i) \in unitmx by rewrite -mat_diag unit_mat.
rewrite mat_inv // mat_diag; apply: (can_inj (mulKmx u)); rewrite mulmxV // mulmx_diag.
by apply/matrixP => i j; rewrite !mxE mulfV // h.
Qed.
Lemma solve_diag n (x y : nat -> R) i : (forall i, (i < n)%N -> x i != 0) -> (i < n)%N ->
  \sum_(j < n) inv n (fun i j => (i == j)%:R * x i) i j * y j = (x i)^-1 * y i.
Proof.
move=> h ni; pose i' := Ordinal ni; rewrite (bigD1 i') //= big1 ?addr0 => [|j ji].
  by have /matrixP/(_ i' i') := inv_diag_mx h; rewrite !mxE eqxx mulr1n => ->.
by have /matrixP/(_ i' j) := inv_diag_mx h; rewrite !mxE eq_sym (negbTE ji) mulr0n => ->; rewrite mul0r.
Qed.
Lemma inv_diag n (x y : nat -> R) i : (forall i, (i < n)%N -> x i != 0) -> (i < n)%N ->
  \sum_(j < n) inv n (fun i j => (i == j)%:R * x i) i j * y j = (x i)^-1 * y i.
Proof. exact: solve_diag. Qed.
Lemma logdet_diag n (x : nat -> R) : (forall i, (i < n)%N -> 0 < x i) ->
  Matrices.logdet n (fun i j => (i == j)%:R * x i) = \sum_(i < n) ln (x i).
Proof.
rewrite /Matrices.logdet det_diag; elim: n => [|n ih] h; first by rewrite !big_ord0 ln1.
have p : 0 < \prod_(i < n) x i by apply: prodr_gt0 => i _; apply: h; rewrite ltnS ltnW.
rewrite !big_ord_recr /= lnM ?posrE //; last exact: h.
by rewrite ih // => i ni; exact: (h i (ltnW ni)).
Qed.
Lemma inv_scalar n A c i j : c != 0 -> (i < n)%N -> inv n (fun i j => c * A i j) i j * c = inv n A i j.
Proof. by move=> h ni; rewrite inv_scale // mulrAC mulVf // mul1r. Qed.
Lemma inv_left_scalar n A c i k : det n A != 0 -> (i < n)%N -> (k < n)%N ->
  \sum_(j < n) inv n (fun i j => c * A i j) i j * A j k = c^-1 * (i == k)%:R.
Proof. by move=> h ni nk; rewrite (@solve_scale n A (fun j => A j k)) // inv_left. Qed.
Lemma inv_right_scalar n A c i k : det n A != 0 -> (i < n)%N -> (k < n)%N ->
  \sum_(j < n) A i j * inv n (fun i j => c * A i j) j k = c^-1 * (i == k)%:R.
Proof.
move=> h ni nk; rewrite -(inv_right h ni nk) mulr_sumr; apply: eq_bigr => j _.
by rewrite inv_scale // mulrCA.
Qed.
Let det_product n A B : det n (fun i k => \sum_(j < n) A i j * B j k) = det n A * det n B.
Proof. by rewrite /det mat_product det_mulmx. Qed.
Let inv_of_product n A B : det n A != 0 -> det n B != 0 ->
  mat n (inv n (fun i k => \sum_(j < n) A i j * B j k)) = invmx (mat n B) *m invmx (mat n A).
Proof.
move=> hA hB; rewrite mat_inv ?det_product ?mulf_neq0 // mat_product.
have uA : mat n A \in unitmx by rewrite unit_mat.
have uB : mat n B \in unitmx by rewrite unit_mat.
have u : mat n A *m mat n B \in unitmx by rewrite unitmx_mul uA.
apply: (can_inj (mulKmx u)); rewrite mulmxV //.
by rewrite mulmxA -(mulmxA (mat n A)) mulmxV // mulmx1 mulmxV.
Qed.
Lemma inv_product_left n A B i k : det n A != 0 -> det n B != 0 -> (i < n)%N -> (k < n)%N ->
  \sum_(j < n) inv n (fun i k => \sum_(j < n) A i j * B j k) i j * A j k = inv n B i k.
Proof.
move=> hA hB ni nk; set C := fun i k => \sum_(j < n) A i j * B j k.
have e : mat n (inv n C) *m mat n A = mat n (inv n B) by rewrite inv_of_product // mat_inv // mulmxKV // unit_mat.
by have /matrixP/(_ (Ordinal ni) (Ordinal nk)) := e; rewrite !mxE => <-; apply: eq_bigr => j _; rewrite !mxE.
Qed.
Lemma inv_product_right n A B i k : det n A != 0 -> det n B != 0 -> (i < n)%N -> (k < n)%N ->
  \sum_(j < n) B i j * inv n (fun i k => \sum_(j < n) A i j * B j k) j k = inv n A i k.
Proof.
move=> hA hB ni nk; set C := fun i k => \sum_(j < n) A i j * B j k.
have e : mat n B *m mat n (inv n C) = mat n (inv n A) by rewrite inv_of_product // mat_inv // mulKVmx // unit_mat.
by have /matrixP/(_ (Ordinal ni) (Ordinal nk)) := e; rewrite !mxE => <-; apply: eq_bigr => j _; rewrite !mxE.
Qed.
Lemma solve_inv n A (y : nat -> R) i : det n A != 0 -> (i < n)%N ->
  \sum_(j < n) inv n (inv n A) i j * y j = \sum_(j < n) A i j * y j.
Proof. by move=> h ni; apply: eq_bigr => j _; rewrite inv_inv. Qed.
Let through n A B (y : nat -> R) i : (forall i k, (i < n)%N -> (k < n)%N -> \sum_(j < n) A i j * B j k = (i == k)%:R) -> (i < n)%N ->
  \sum_(j < n) A i j * (\sum_(k < n) B j k * y k) = y i.
Proof.
move=> h ni; transitivity (\sum_(k < n) (i == k)%:R * y k).
  rewrite (eq_bigr (fun j : 'I_n => \sum_(k < n) A i j * B j k * y k)) => [|j _]; last first.
    by rewrite mulr_sumr; apply: eq_bigr => k _; rewrite mulrA.
  by rewrite exchange_big; apply: eq_bigr => k _; rewrite -h // mulr_suml.
rewrite (bigD1 (Ordinal ni)) //= eqxx mul1r big1 ?addr0 // => k ki.
by rewrite (_ : (i == k) = false) ?mul0r //; apply: negbTE; rewrite eq_sym.
Qed.
Lemma solve_product n A (y : nat -> R) i : det n A != 0 -> (i < n)%N ->
  \sum_(j < n) inv n A i j * (\sum_(k < n) A j k * y k) = y i.
Proof. by move=> h; apply: through => ? ? ? ?; exact: inv_left. Qed.
Lemma product_solve n A (y : nat -> R) i : det n A != 0 -> (i < n)%N ->
  \sum_(j < n) A i j * (\sum_(k < n) inv n A j k * y k) = y i.
Proof. by move=> h; apply: through => ? ? ? ?; exact: inv_right. Qed.
End Rules.
