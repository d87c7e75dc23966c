(* Derivatives along a line, and a lemma a law of the D rules. *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp.classical Require Import functions.
From mathcomp Require Import boolp reals classical_sets signed topology normedtype derive sequences realfun exp trigo.
Import GRing.Theory Num.Theory Order.TTheory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope ring_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* [D f v a]: f has at 0 the value v and the derivative a. One lemma a law. *)
Section Derivative.
Variable R : realType.
Implicit Types (f g : R -> R) (t a b c v w : R).
Definition D f v a := f 0 = v /\ is_derive (0:R) (1:R) f a.
Lemma D_is f v a b : D f v a -> a = b -> is_derive (0:R) (1:R) f b.
Proof. by case=> _ h <-. Qed.
Lemma D_eq f v a b : D f v a -> a = b -> D f v b.
Proof. by move=> h <-. Qed.
Lemma D_at f v a w b : D f v a -> v = w -> a = b -> D f w b.
Proof. by move=> h <- <-. Qed.
Lemma D_const c : D (fun=> c) c 0.
Proof. by split=> //; exact: is_derive_cst. Qed.
Lemma D_line c d : D (fun s => c + s * d) c d.
Proof.
split; first by rewrite mul0r addr0.
have H := is_deriveM (is_derive_id (0:R) (1:R)) (@is_derive_cst _ _ _ d (0:R) (1:R)).
have H2 := is_deriveD (@is_derive_cst _ _ _ c (0:R) (1:R)) H.
apply: is_derive_eq.
by rewrite scaler0 !add0r [LHS]mulr1.
Qed.
Lemma D_add f g v w a b : D f v a -> D g w b -> D (fun s => f s + g s) (v + w) (a + b).
Proof. by case=> <- hf [<- hg]; split=> //; exact: is_deriveD. Qed.
Lemma D_opp f v a : D f v a -> D (fun s => - f s) (- v) (- a).
Proof. by case=> <- hf; split=> //; exact: is_deriveN. Qed.
Lemma D_mul f g v w a b : D f v a -> D g w b -> D (fun s => f s * g s) (v * w) (v * b + w * a).
Proof. by case=> <- hf [<- hg]; split=> //; exact: is_deriveM. Qed.
Lemma D_pow f n v a : D f v a -> D (fun s => f s ^+ n.+1) (v ^+ n.+1) (n.+1%:R * v ^+ n * a).
Proof.
case=> <- hf; split=> //; have H := is_deriveX n hf.
by have <- : f ^+ n.+1 = (fun s => f s ^+ n.+1); first by apply/funext => s; rewrite exprfctE.
Qed.
Lemma D_sum n (f : nat -> R -> R) (v a : nat -> R) : (forall i, (i < n)%N -> D (f i) (v i) (a i)) ->
  D (fun s => \sum_(i < n) f i s) (\sum_(i < n) v i) (\sum_(i < n) a i).
Proof.
move=> h; split; first by apply: eq_bigr => i _; case: (h i (ltn_ord i)).
have H := @is_derive_sum _ _ _ n (fun i => f i) 0 (1:R) (fun i => a i) (fun i => (h i (ltn_ord i)).2).
suff <- : (fun s => (\sum_(i < n) (f i : R -> R^o)) s) = (fun s => \sum_(i < n) f i s) by exact: H.
by apply/funext => s; rewrite fct_sumE.
Qed.
Lemma D_comp h b f v a : is_derive v (1:R) h b -> D f v a -> D (fun s => h (f s)) (h v) (b * a).
Proof.
by move=> hh [e hf]; rewrite -e in hh *; split=> //; exact: (@is_derive1_comp _ h f 0 b a).
Qed.
Lemma D_exp f v a : D f v a -> D (fun s => expR (f s)) (expR v) (expR v * a).
Proof. exact: (D_comp (is_derive_expR _)). Qed.
Lemma D_ln f v a : 0 < v -> D f v a -> D (fun s => ln (f s)) (ln v) (v^-1 * a).
Proof. by move=> h; apply: D_comp; exact: is_derive1_ln. Qed.
Lemma D_sin f v a : D f v a -> D (fun s => sin (f s)) (sin v) (cos v * a).
Proof. exact: (D_comp (is_derive_sin _)). Qed.
Lemma D_cos f v a : D f v a -> D (fun s => cos (f s)) (cos v) (- sin v * a).
Proof. exact: (D_comp (is_derive_cos _)). Qed.
Lemma D_atan f v a : D f v a -> D (fun s => atan (f s)) (atan v) ((1 + v ^+ 2)^-1 * a).
Proof. exact: (D_comp (is_derive1_atan _)). Qed.
Lemma D_tan f v a : cos v != 0 -> D f v a -> D (fun s => tan (f s)) (tan v) (cos v ^- 2 * a).
Proof. by move=> h; apply: D_comp; exact: is_derive_tan. Qed.
Lemma D_inv f v a : v != 0 -> D f v a -> D (fun s => (f s)^-1) v^-1 (- (v^-1 * v^-1) * a).
Proof.
move=> h [e hf]; split; first by rewrite e.
have := @is_deriveV _ f 0 a 1; rewrite e => /(_ h hf).
by rewrite expr2 invfM.
Qed.
Lemma is_derive_sqrt v : 0 < v -> is_derive v (1:R) Num.sqrt (2^-1 * (Num.sqrt v)^-1).
Proof.
move=> v0; have s0 : 0 < Num.sqrt v by rewrite sqrtr_gt0.
rewrite -invfM -{1}(sqr_sqrtr (ltW v0)).
apply: (@is_derive_inverse _ (fun x => x ^+ 2)).
- near=> z; rewrite sqrtr_sqr ger0_norm //.
  by apply: ltW; near: z; apply: (cvgr_gt (Num.sqrt v)) => //; exact: cvg_id.
- by near=> z; apply: exprn_continuous.
- have := is_deriveX 1 (is_derive_id (Num.sqrt v) (1:R)).
  by rewrite expr1 /GRing.scale /= mulr1.
- by rewrite mulf_neq0 // ?pnatr_eq0 // gt_eqF.
Unshelve. all: by end_near. Qed.
Lemma D_sqrt f v a : 0 < v -> D f v a ->
  D (fun s => Num.sqrt (f s)) (Num.sqrt v) (2^-1 * (Num.sqrt v)^-1 * a).
Proof. by move=> h; apply: D_comp; exact: is_derive_sqrt. Qed.
(* Near a point: functions that are equal near it have one derivative, and signs stay. *)
Local Open Scope classical_set_scope.
Lemma is_derive_near f g v a : (\forall z \near v, f z = g z) -> is_derive v (1:R) f a -> is_derive v (1:R) g a.
Proof.
move=> fg [df <-].
have e : f v = g v by apply: (@nbhs_singleton _ v (fun z => f z = g z)).
have H : (fun h : R => h^-1 *: ((f \o shift v) (h *: (1:R)) - f v)) @ 0^' --> 'D_1 f v by exact: df.
have H2 : (fun h : R => h^-1 *: ((g \o shift v) (h *: (1:R)) - g v)) @ 0^' --> 'D_1 f v.
  apply: cvg_trans H; apply: near_eq_cvg; rewrite near_withinE.
  have : \forall h \near (0:R), f (h + v) = g (h + v).
    by move: fg; rewrite (near_shift 0 v); apply: filterS => h /=; rewrite subr0.
  move=> hn; near=> h => _ /=.
  rewrite /GRing.scale /= mulr1 e; congr (_ * (_ - _)).
  by near: h.
split; first by apply/cvg_ex; exists ('D_1 f v).
by apply: cvg_lim.
Unshelve. all: by end_near. Qed.
Lemma D_near f g v a w : (\forall s \near (0:R), f s = g s) -> D f v a -> g 0 = w -> D g w a.
Proof.
by move=> fg [_ h] e; split=> //; exact: is_derive_near fg h.
Qed.
Lemma D_continuous f v a : D f v a -> f @ (0:R) --> v.
Proof.
case=> <- [df _]; have /derivable1_diffP/differentiable_continuous := df; exact.
Qed.
Lemma near_gt0 f v a : D f v a -> 0 < v -> \forall s \near (0:R), 0 < f s.
Proof. by move=> /D_continuous h v0; exact: (cvgr_gt v h). Qed.
Lemma near_lt0 f v a : D f v a -> v < 0 -> \forall s \near (0:R), f s < 0.
Proof. by move=> /D_continuous h v0; exact: (cvgr_lt v h). Qed.
Lemma near_neq0 f v a : D f v a -> v != 0 -> \forall s \near (0:R), f s != 0.
Proof.
move=> h; rewrite neq_lt => /orP[v0|v0].
  by apply: filterS (near_lt0 h v0) => s s0; rewrite lt_eqF.
by apply: filterS (near_gt0 h v0) => s s0; rewrite gt_eqF.
Qed.
Lemma near_all n (P : nat -> R -> Prop) : (forall i, (i < n)%N -> \forall s \near (0:R), P i s) ->
  \forall s \near (0:R), forall i, (i < n)%N -> P i s.
Proof.
elim: n P => [|n ih] P h; first by near=> s.
have h1 : \forall s \near (0:R), forall i, (i < n)%N -> P i s by apply: ih => i ni; apply: h; rewrite ltnS ltnW.
have h2 : \forall s \near (0:R), P n s by exact: h.
apply: filterS2 h1 h2 => s a b i; rewrite ltnS leq_eqVlt => /orP[/eqP->//|]; exact: a.
Unshelve. all: by end_near. Qed.
(* functions with rational exponents *)
Definition rpow r v := if v == 0 then (r == 0)%:R else expR (r * ln v).
Lemma rpowE r v : 0 < v -> rpow r v = expR (r * ln v).
Proof. by move=> h; rewrite /rpow gt_eqF. Qed.
Lemma near_pos v : 0 < v -> \forall z \near v, 0 < z.
Proof. by move=> h; exact: (@cvgr_gt _ _ _ _ id v cvg_id _ h). Qed.
Lemma near_neg v : v < 0 -> \forall z \near v, z < 0.
Proof. by move=> h; exact: (@cvgr_lt _ _ _ _ id v cvg_id _ h). Qed.
Lemma D_rpow r f v a : 0 < v -> D f v a -> D (fun s => rpow r (f s)) (rpow r v) (r * rpow (r - 1) v * a).
Proof.
move=> h; apply: D_comp; apply: (@is_derive_near (fun z => expR (r * ln z))).
  by apply: filterS (near_pos h) => z z0; rewrite rpowE.
have H2 := is_deriveZ r (is_derive1_ln h); have := @is_derive1_comp _ expR (r \*: (@ln R : R -> R^o)) v _ _ (is_derive_expR _) H2.
move=> H; apply: (is_derive_eq H).
rewrite rpowE // mulrBl mul1r expRB lnK ?posrE // /GRing.scale /=.
exact: mulrCA.
Qed.
Lemma sqrt_neq0 v : 0 < v -> Num.sqrt v != 0.
Proof. by move=> h; rewrite lt0r_neq0 // sqrtr_gt0. Qed.
Lemma rpow_neq0 r v : 0 < v -> rpow r v != 0.
Proof. by move=> h; rewrite rpowE // lt0r_neq0 // expR_gt0. Qed.
Definition relu (x : R) : R := Num.max x 0.
Definition step (x : R) : R := ((0 < x)%R)%:R.
Lemma D_abs f v a : v != 0 -> D f v a -> D (fun s => `|f s|) `|v| (Num.sg v * a).
Proof.
rewrite neq_lt => /orP[h|h] H; have e : f 0 = v by case: H.
  apply: (@D_near (fun s => - f s) _ (- v)); last by rewrite e.
    by apply: filterS (near_lt0 H h) => s s0; rewrite ltr0_norm.
  by rewrite ltr0_sg // mulN1r; exact: D_opp.
apply: (@D_near f _ v); last by rewrite e.
  by apply: filterS (near_gt0 H h) => s s0; rewrite gtr0_norm.
by rewrite gtr0_sg // mul1r.
Qed.
Lemma D_relu f v a : v != 0 -> D f v a -> D (fun s => relu (f s)) (relu v) (step v * a).
Proof.
rewrite neq_lt => /orP[h|h] H; have e : f 0 = v by case: H.
  apply: (@D_near (fun s => 0) _ 0); last by rewrite e.
    by apply: filterS (near_lt0 H h) => s s0; rewrite /relu; case: ltrP s0 => // s1 s2; rewrite ltNge (ltW s2).
  by rewrite /step ltNge (ltW h) mul0r; exact: D_const.
apply: (@D_near f _ v); last by rewrite e.
  by apply: filterS (near_gt0 H h) => s s0; rewrite /relu; case: ltrP s0.
by rewrite /step h mul1r.
Qed.
Lemma D_step f v a : v != 0 -> D f v a -> D (fun s => step (f s)) (step v) 0.
Proof.
rewrite neq_lt => /orP[h|h] H; have e : f 0 = v by case: H.
  apply: (@D_near (fun s => 0) _ 0); last by rewrite e.
    by apply: filterS (near_lt0 H h) => s s0; rewrite /step ltNge (ltW s0).
  exact: D_const.
apply: (@D_near (fun s => 1) _ 1); last by rewrite e.
  by apply: filterS (near_gt0 H h) => s s0; rewrite /step s0.
exact: D_const.
Qed.
Lemma D_sign f v a : v != 0 -> D f v a -> D (fun s => Num.sg (f s)) (Num.sg v) 0.
Proof.
rewrite neq_lt => /orP[h|h] H; have e : f 0 = v by case: H.
  apply: (@D_near (fun s => -1) _ (-1)); last by rewrite e.
    by apply: filterS (near_lt0 H h) => s s0; rewrite ltr0_sg.
  exact: D_const.
apply: (@D_near (fun s => 1) _ 1); last by rewrite e.
  by apply: filterS (near_gt0 H h) => s s0; rewrite gtr0_sg.
exact: D_const.
Qed.
Lemma D_asin f v a : -1 < v < 1 -> D f v a -> D (fun s => asin (f s)) (asin v) ((Num.sqrt (1 - v ^+ 2))^-1 * a).
Proof. by move=> h; apply: D_comp; exact: is_derive1_asin. Qed.
Lemma D_acos f v a : -1 < v < 1 -> D f v a -> D (fun s => acos (f s)) (acos v) (- (Num.sqrt (1 - v ^+ 2))^-1 * a).
Proof. by move=> h; apply: D_comp; exact: is_derive1_acos. Qed.
Local Close Scope classical_set_scope.
End Derivative.

