(* Equality of nested sums of products, by reflection: the tactic [sums]. *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp.classical Require Import functions.
From mathcomp Require Import boolp reals classical_sets signed topology normedtype derive sequences realfun exp trigo.
Import GRing.Theory Num.Theory Order.TTheory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope ring_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Module Reflection.
Section Sums.
Variable R : numFieldType.
(* Index variables and sizes are numbers; factor (0, [:: i; j]) is the delta, (a.+1, l) is atom a at l. *)
Definition factor := (nat * seq nat)%type.
Definition binder := (nat * nat)%type. (* index variable, size *)
Definition mono := (rat * (seq binder * seq factor))%type.
Inductive tm := Cst of nat | Inv of nat | Sz of binder | Muln of tm & nat | Fac of factor | Add of tm & tm | Mul of tm & tm | Opp of tm
  | Pow of tm & nat | Sum of binder & tm.
Variables (N : nat -> nat) (at_ : nat -> seq nat -> R).
Implicit Types (rho : nat -> nat) (bs : seq binder) (fs : seq factor) (b : binder).
Definition upd rho v i := fun w => if w == v then i else rho w.
Definition evf rho (f : factor) : R :=
  if f.1 is a.+1 then at_ a (map rho f.2) else (rho (nth 0%N f.2 0) == rho (nth 0%N f.2 1))%:R.
Definition evfs rho fs : R := \prod_(f <- fs) evf rho f.
Fixpoint sums rho bs fs : R :=
  if bs is b :: bs' then \sum_(i < N b.2) sums (upd rho b.1 i) bs' fs else evfs rho fs.
Definition evm rho (m : mono) : R := ratr m.1 * sums rho m.2.1 m.2.2.
Definition evp rho (p : seq mono) : R := \sum_(m <- p) evm rho m.
Fixpoint ev rho t : R := match t with
  | Cst c => c%:R | Inv c => c%:R^-1 | Sz b => (N b.2)%:R | Muln a n => ev rho a *+ n | Fac f => evf rho f | Add a b => ev rho a + ev rho b
  | Mul a b => ev rho a * ev rho b | Opp a => - ev rho a | Pow a n => ev rho a ^+ n
  | Sum b a => \sum_(i < N b.2) ev (upd rho b.1 i) a end.

Definition names bs := map fst bs.
Definition used fs := flatten [seq (if f.1 is _.+1 then f.2 else [:: nth 0%N f.2 0; nth 0%N f.2 1]) | f <- fs].
Lemma evf_ext r1 r2 f :
  {in (if f.1 is _.+1 then f.2 else [:: nth 0%N f.2 0; nth 0%N f.2 1]), r1 =1 r2} -> evf r1 f = evf r2 f.
Proof.
case: f => -[|a] l /= h; rewrite /evf /=; last by congr at_; apply/eq_in_map.
by rewrite !h // !inE eqxx ?orbT.
Qed.
Lemma evfs_ext r1 r2 fs : {in used fs, r1 =1 r2} -> evfs r1 fs = evfs r2 fs.
Proof.
rewrite /evfs /used; elim: fs => [|f fs ih] h; first by rewrite !big_nil.
rewrite !big_cons ih; last by move=> x hx; apply: h; rewrite /= mem_cat hx orbT.
by rewrite (@evf_ext r1 r2) // => x hx; apply: h; rewrite /= mem_cat hx.
Qed.
Lemma sums_ext bs fs r1 r2 : {in [predD used fs & names bs], r1 =1 r2} -> sums r1 bs fs = sums r2 bs fs.
Proof.
elim: bs r1 r2 => [|b bs ih] r1 r2 h /=.
  by apply: evfs_ext => x hx; apply: h; rewrite inE /= hx.
apply: eq_bigr => i _; apply: ih => x; rewrite inE /= => /andP[hx xu].
rewrite /upd; case: ifP => // xb; apply: h.
by rewrite !inE /= negb_or xb hx.
Qed.
Lemma sums_exch rho b c bs fs : b.1 != c.1 -> sums rho (b :: c :: bs) fs = sums rho (c :: b :: bs) fs.
Proof.
move=> bc /=; rewrite exchange_big /=; apply: eq_bigr => j _; apply: eq_bigr => i _.
apply: sums_ext => x _; rewrite /upd; case: (x =P b.1) => [->|//].
by rewrite (negbTE bc).
Qed.
Lemma sums_front rho b bs1 bs2 fs : b.1 \notin names bs1 ->
  sums rho (bs1 ++ b :: bs2) fs = sums rho (b :: bs1 ++ bs2) fs.
Proof.
elim: bs1 rho => [//|c bs1 ih] rho; rewrite inE negb_or => /andP[bc h].
rewrite cat_cons [RHS]sums_exch //=.
by apply: eq_bigr => i _; rewrite ih.
Qed.
(* substitution of an index variable *)
Definition sb v k (x : nat) := if x == v then k else x.
Definition sbf v k (f : factor) : factor :=
  (f.1, map (sb v k) (if f.1 is _.+1 then f.2 else [:: nth 0%N f.2 0; nth 0%N f.2 1])).
Definition sbs v k fs := map (sbf v k) fs.
Lemma evfs_sb rho v k fs : evfs rho (sbs v k fs) = evfs (upd rho v (rho k)) fs.
Proof.
rewrite /evfs big_map; apply: eq_bigr => -[[|a] l] _; rewrite /evf /=.
  by rewrite /upd /sb; do 2 case: ifP.
rewrite -map_comp; congr at_; apply: eq_map => x /=; rewrite /upd /sb; by case: ifP.
Qed.
Lemma sums_sb rho v k bs fs : v \notin names bs -> k \notin names bs ->
  sums rho bs (sbs v k fs) = sums (upd rho v (rho k)) bs fs.
Proof.
elim: bs rho => [|b bs ih] rho /=; first by rewrite evfs_sb.
rewrite !inE !negb_or => /andP[vb vs] /andP[kb ks]; apply: eq_bigr => i _.
rewrite ih //; apply: sums_ext => x _; rewrite /upd (negbTE kb).
by case: (x =P v) => [->|//]; rewrite (negbTE vb).
Qed.
Lemma sums_ren rho v k n bs fs : v \notin names bs -> k \notin names bs -> (k == v) || (k \notin used fs) ->
  sums rho ((v, n) :: bs) fs = sums rho ((k, n) :: bs) (sbs v k fs).
Proof.
move=> vb kb /orP ku /=; apply: eq_bigr => i _; rewrite sums_sb //; apply: sums_ext => x.
rewrite inE /= => /andP[_ xu]; rewrite /upd eqxx; case: (x =P v) => // xv; case: (x =P k) => // xk.
case: ku => [/eqP kv|]; [by case: xv; rewrite xk | by rewrite -xk xu].
Qed.
(* fresh names for all binders *)
Fixpoint ren k bs fs : seq binder * seq factor := if bs is b :: bs' then
  let r := ren k.+1 bs' (sbs b.1 k fs) in ((k, b.2) :: r.1, r.2) else ([::], fs).
Fixpoint ren_ok k bs fs : bool := if bs is b :: bs' then
  [&& b.1 \notin names bs', k \notin names bs', (k == b.1) || (k \notin used fs) & ren_ok k.+1 bs' (sbs b.1 k fs)]
  else true.
Lemma ren_sound k bs fs rho : ren_ok k bs fs -> sums rho (ren k bs fs).1 (ren k bs fs).2 = sums rho bs fs.
Proof.
elim: bs k fs rho => [//|[v n] bs ih] k fs rho /= /and4P[h1 h2 h3 h4].
rewrite -[RHS]/(sums rho ((v, n) :: bs) fs) (@sums_ren _ _ k) //=.
by apply: eq_bigr => i _; rewrite ih.
Qed.
(* products *)
Definition top bs fs : nat := (foldr maxn 0%N (names bs ++ used fs)).+1.
Definition mulm (m1 m2 : mono) : mono :=
  let k := maxn (top m1.2.1 m1.2.2) (top m2.2.1 m2.2.2) in
  let r1 := ren k m1.2.1 m1.2.2 in let r2 := ren (k + size m1.2.1)%N m2.2.1 m2.2.2 in
  (m1.1 * m2.1, (r1.1 ++ r2.1, r1.2 ++ r2.2)).
Definition mulm_ok (m1 m2 : mono) : bool :=
  let k := maxn (top m1.2.1 m1.2.2) (top m2.2.1 m2.2.2) in
  let r1 := ren k m1.2.1 m1.2.2 in let r2 := ren (k + size m1.2.1)%N m2.2.1 m2.2.2 in
  [&& ren_ok k m1.2.1 m1.2.2, ren_ok (k + size m1.2.1)%N m2.2.1 m2.2.2,
     all (fun v => v \notin used r2.2) (names r1.1) & all (fun v => v \notin used r1.2) (names r2.1)].
Lemma sums_mulr rho bs fs1 fs2 : all (fun v => v \notin used fs1) (names bs) ->
  sums rho bs (fs1 ++ fs2) = evfs rho fs1 * sums rho bs fs2.
Proof.
elim: bs rho => [|b bs ih] rho /=; first by rewrite /evfs big_cat.
case/andP=> bu h; rewrite mulr_sumr; apply: eq_bigr => i _; rewrite ih //; congr (_ * _).
apply: evfs_ext => x xu; rewrite /upd; case: eqP => // xb; by rewrite -xb xu in bu.
Qed.
Lemma sums_mul rho bs1 bs2 fs1 fs2 : all (fun v => v \notin used fs2) (names bs1) ->
  all (fun v => v \notin used fs1) (names bs2) ->
  sums rho (bs1 ++ bs2) (fs1 ++ fs2) = sums rho bs1 fs1 * sums rho bs2 fs2.
Proof.
elim: bs1 rho => [|b bs ih] rho /=; first by move=> _ h; rewrite sums_mulr.
case/andP=> bu h h2; rewrite mulr_suml; apply: eq_bigr => i _; rewrite ih //; congr (_ * _).
apply: sums_ext => x; rewrite inE => /andP[_ xu]; have {}xu : x \in used fs2 := xu.
by rewrite /upd; case: eqP => // xb; rewrite -xb xu in bu.
Qed.
Lemma mulm_sound rho m1 m2 : mulm_ok m1 m2 -> evm rho (mulm m1 m2) = evm rho m1 * evm rho m2.
Proof.
case/and4P=> h1 h2 h3 h4; rewrite /evm /mulm /= sums_mul // !ren_sound // rmorphM.
by rewrite mulrACA.
Qed.
(* normal form *)
Definition mulp (p q : seq mono) := [seq mulm a b | a <- p, b <- q].
Definition mulp_ok (p q : seq mono) := all (fun a => all (mulm_ok a) q) p.
Lemma mulp_sound rho p q : mulp_ok p q -> evp rho (mulp p q) = evp rho p * evp rho q.
Proof.
rewrite /evp /mulp => h; rewrite big_allpairs_dep /= mulr_suml !big_seq.
apply: eq_bigr => a ha; rewrite mulr_sumr !big_seq; apply: eq_bigr => b hb.
by rewrite mulm_sound //; exact: (allP (allP h a ha) b hb).
Qed.
Fixpoint powp (p : seq mono) n := if n is m.+1 then mulp p (powp p m) else [:: (1%:Q, ([::], [::]))].
Fixpoint powp_ok (p : seq mono) n := if n is m.+1 then mulp_ok p (powp p m) && powp_ok p m else true.
Fixpoint nf t : seq mono := match t with
  | Cst c => [:: (c%:R, ([::], [::]))] | Inv c => [:: (c%:R^-1, ([::], [::]))] | Fac f => [:: (1%:Q, ([::], [:: f]))]
  | Sz b => [:: (1%:Q, ([:: b], [::]))]
  | Muln a n => [seq (m.1 * n%:R, m.2) | m <- nf a]
  | Add a b => nf a ++ nf b | Mul a b => mulp (nf a) (nf b) | Opp a => [seq (- m.1, m.2) | m <- nf a]
  | Pow a n => powp (nf a) n
  | Sum b a => [seq (m.1, (b :: m.2.1, m.2.2)) | m <- nf a] end.
Fixpoint nf_ok t : bool := match t with
  | Add a b => nf_ok a && nf_ok b | Mul a b => [&& nf_ok a, nf_ok b & mulp_ok (nf a) (nf b)]
  | Opp a => nf_ok a | Muln a _ => nf_ok a | Pow a n => nf_ok a && powp_ok (nf a) n | Sum _ a => nf_ok a | _ => true end.
Lemma nf_sound t rho : nf_ok t -> evp rho (nf t) = ev rho t.
Proof.
elim: t rho => [c|c|b|a iha n|f|a iha b ihb|a iha b ihb|a iha|a iha n|b a iha] rho /=.
- by rewrite /evp big_seq1 /evm /= /evfs big_nil mulr1 ratr_nat.
- by move=> _; rewrite /evp big_seq1 /evm [sums _ _ _]big_nil mulr1 [LHS]fmorphV; congr (_^-1); exact: ratr_nat.
- move=> _; rewrite /evp big_seq1 /evm /= rmorph1 mul1r /evfs; under eq_bigr do rewrite big_nil.
  by rewrite sumr_const card_ord.
- move=> ha; rewrite -iha // /evp big_map -[RHS]mulr_natr mulr_suml; apply: eq_bigr => m _.
  by rewrite /evm /= rmorphM mulrAC; congr (_ * _); exact: ratr_nat.
- by rewrite /evp big_seq1 /evm /= /evfs big_seq1 rmorph1 mul1r.
- by case/andP=> ha hb; rewrite /evp big_cat /= -!/(evp _ _) iha // ihb.
- by case/and3P=> ha hb h; rewrite mulp_sound // iha // ihb.
- move=> ha; rewrite -iha // /evp big_map -sumrN; apply: eq_bigr => m _.
  by rewrite /evm /= rmorphN mulNr.
- case/andP=> ha; rewrite -iha //; elim: n => [_|n ih /= /andP[h1 h2]].
    by rewrite /evp big_seq1 /evm /= /evfs big_nil mulr1 rmorph1 expr0.
  by rewrite mulp_sound // ih // exprS.
- move=> ha; rewrite /evp big_map; under [RHS]eq_bigr do rewrite -iha //.
  rewrite /evp exchange_big /=; apply: eq_bigr => m _.
  by rewrite /evm /= mulr_sumr.
Qed.

(* equality of sums up to the order of their binders *)
Lemma sums_perm rho bs1 bs2 fs : uniq (names bs1) -> perm_eq bs1 bs2 -> sums rho bs1 fs = sums rho bs2 fs.
Proof.
elim: bs1 rho bs2 => [|b bs ih] rho bs2 /=; first by move=> _; rewrite perm_sym => /perm_nilP ->.
case/andP=> bn un pm; have bin : b \in bs2 by rewrite -(perm_mem pm) inE eqxx.
move: pm; case/splitPr: bin => l r pm; have pm2 : perm_eq bs (l ++ r).
  by rewrite -(perm_cons b) (perm_trans pm) // perm_sym -cat1s -[b :: _]cat1s perm_catCA.
have nl : b.1 \notin names l.
  apply: contra bn => h; rewrite (perm_mem (perm_map fst pm2)) map_cat mem_cat.
  by rewrite -/(names l) h.
rewrite sums_front //=; apply: eq_bigr => i _; exact: ih.
Qed.
(* Atoms that are symmetric in two indices, as deltas are: these stand in order. *)
Variable sy : seq nat.
Definition symmetric := forall a, a \in sy -> forall i j, at_ a [:: i; j] = at_ a [:: j; i].
Definition fsort (f : factor) : factor := if f.2 is [:: i; j] then
  (if (if f.1 is a.+1 then a \in sy else true) && (j < i)%N then (f.1, [:: j; i]) else f) else f.
Hypothesis hsy : symmetric.
Lemma evfs_fsort rho fs : evfs rho (map fsort fs) = evfs rho fs.
Proof.
rewrite /evfs big_map; apply: eq_bigr => -[a [|i [|j [|k l]]]] _ //; rewrite /fsort /=.
case: ifP => // /andP[ha _]; case: a ha => [|a] ha; rewrite /evf /=; first by rewrite eq_sym.
exact: hsy.
Qed.
Fixpoint msums bs1 fs1 bs2 fs2 : bool := if bs1 is b :: bs1' then
    [&& uniq (names bs2) & has (fun c => [&& c.2 == b.2 &
      let bs2' := rem c bs2 in [&& c.1 \notin names bs2', b.1 \notin names bs2',
       (b.1 == c.1) || (b.1 \notin used fs2) & msums bs1' fs1 bs2' (sbs c.1 b.1 fs2)]]) bs2]
  else (bs2 == [::]) && perm_eq (map fsort fs1) (map fsort fs2).
Lemma msums_sound rho bs1 fs1 bs2 fs2 : msums bs1 fs1 bs2 fs2 -> sums rho bs1 fs1 = sums rho bs2 fs2.
Proof.
elim: bs1 rho bs2 fs2 => [|b bs1 ih] rho bs2 fs2 /=.
  by case/andP=> /eqP -> pm /=; rewrite -[LHS]evfs_fsort -[RHS]evfs_fsort; exact: perm_big.
case/andP=> un /hasP[c cin /andP[/eqP cb /and4P[h1 h2 h3 h4]]].
rewrite (@sums_perm rho bs2 (c :: rem c bs2)) //; last exact: perm_to_rem.
case: c cin cb h1 h2 h3 h4 => v n cin /= cb h1 h2 h3 h4.
rewrite -[RHS]/(sums rho ((v, n) :: rem (v, n) bs2) fs2) (@sums_ren rho v b.1) //=.
by subst n; apply: eq_bigr => i _; exact: ih.
Qed.
(* like terms are collected *)
Definition like (m1 m2 : mono) : bool :=
  let k := maxn (top m1.2.1 m1.2.2) (top m2.2.1 m2.2.2) in
  let r1 := ren k m1.2.1 m1.2.2 in let r2 := ren (k + size m1.2.1)%N m2.2.1 m2.2.2 in
  [&& ren_ok k m1.2.1 m1.2.2, ren_ok (k + size m1.2.1)%N m2.2.1 m2.2.2,
     size m1.2.1 == size m2.2.1, size m1.2.2 == size m2.2.2,
     perm_eq (map fst m1.2.2) (map fst m2.2.2) & msums r1.1 r1.2 r2.1 r2.2].
Lemma like_sound rho m1 m2 : like m1 m2 -> sums rho m1.2.1 m1.2.2 = sums rho m2.2.1 m2.2.2.
Proof.
by case/and5P=> h1 h2 _ _ /andP[_ h]; rewrite -(ren_sound rho h1) -(ren_sound rho h2); exact: msums_sound.
Qed.
Fixpoint insert (m : mono) (p : seq mono) : seq mono := if p is q :: p' then
  (if like q m then (q.1 + m.1, q.2) :: p' else q :: insert m p') else [:: m].
Lemma insert_sound rho m p : evp rho (insert m p) = evm rho m + evp rho p.
Proof.
rewrite /evp; elim: p => [|q p ih] /=; first by rewrite big_seq1 big_nil addr0.
case: ifP => [lk|_]; rewrite !big_cons.
  by rewrite addrA; congr (_ + _); rewrite /evm /= rmorphD mulrDl addrC -(like_sound rho lk).
by rewrite ih addrCA.
Qed.
Definition collect (p : seq mono) := foldr insert [::] p.
Lemma collect_sound rho p : evp rho (collect p) = evp rho p.
Proof.
elim: p => [//|m p ih] /=; rewrite insert_sound ih.
by rewrite /evp big_cons.
Qed.
Definition zero (p : seq mono) := all (fun m => m.1 == 0) p.
Lemma zero_sound rho p : zero p -> evp rho p = 0.
Proof.
move=> /allP h; rewrite /evp big_seq big1 // => m /h /eqP e.
by rewrite /evm e rmorph0 mul0r.
Qed.
(* deltas: a bound variable that equals another one is replaced by it. [hy] are the bounds of free ones. *)
Definition pair (f : factor) := (nth 0%N f.2 0, nth 0%N f.2 1).
Definition bounded hy rho := all (fun b : binder => rho b.1 < N b.2)%N hy.
(* the factor before fs1 is the delta of v, bound in bs1 ++ (v, n) :: bs2, and w *)
Lemma delta_last rho v w n fs : (rho w < N n)%N -> v != w ->
  sums rho [:: (v, n)] ((0%N, [:: v; w]) :: fs) = evfs rho (sbs v w fs).
Proof.
move=> wn vw /=; have wv : (w == v) = false by rewrite eq_sym; exact: negbTE.
rewrite (bigD1 (Ordinal wn)) //= big1 ?addr0.
  rewrite /evfs big_cons {1}/evf /= -!/(evfs _ _) evfs_sb.
  by rewrite /upd eqxx wv eqxx mul1r.
move=> i; rewrite -val_eqE /= => iw; rewrite /evfs big_cons /evf /=.
by rewrite /upd eqxx wv (negbTE iw) mul0r.
Qed.
Lemma bounded_in hy rho w n : bounded hy rho -> (w, n) \in hy -> (rho w < N n)%N.
Proof. by move=> /allP h /h. Qed.
Lemma delta_in hy rho v w n bs fs : bounded hy rho -> v != w ->
  v \notin names bs -> uniq (names bs) -> ((w, n) \in bs) || ((w, n) \in hy) && (w \notin names bs) ->
  sums rho (bs ++ [:: (v, n)]) ((0%N, [:: v; w]) :: fs) = sums rho bs (sbs v w fs).
Proof.
move=> hb vw; elim: bs hy rho hb => [|b bs ih] hy rho hb /=.
  by move=> _ _ /andP[wh _]; apply: delta_last => //; exact: bounded_in wh.
rewrite !inE !negb_or => /andP[vb vs] /andP[bn un] hw; apply: eq_bigr => i _.
apply: (ih (b :: [seq c <- hy | c.1 != b.1])) => //.
  rewrite /bounded /= /upd eqxx ltn_ord /=; apply/allP => c; rewrite mem_filter => /andP[cb ch].
  by rewrite (negbTE cb); exact: (allP hb).
case/orP: hw => [/orP[/eqP e|->//]|/andP[wh /andP[wb wn]]].
  by rewrite inE -e eqxx /= ; apply/orP; right; rewrite -e in bn.
by rewrite inE mem_filter wh /= wb wn orbT orbT.
Qed.
Definition sizeof (hy bs : seq binder) w := if [seq c.2 | c <- bs & c.1 == w] is n :: _ then Some n
  else if [seq c.2 | c <- hy & c.1 == w] is n :: _ then Some n else None.
(* one elimination of v by delta(v, w), when it applies *)
Definition elim_ok (hy bs : seq binder) v w n (fs : seq factor) : bool :=
  let bs' := rem (v, n) bs in
  [&& (v, n) \in bs, v != w, v \notin names bs', uniq (names bs) &
    ((w, n) \in bs') || ((w, n) \in hy) && (w \notin names bs')].
Fixpoint first_delta hy bs (pre fs : seq factor) : option (nat * nat * nat * seq factor) :=
  if fs is f :: fs' then
    let rest := catrev pre fs' in
    if f.1 is 0%N then
      let v := nth 0%N f.2 0 in let w := nth 0%N f.2 1 in
      let nv := odflt 0%N (sizeof [::] bs v) in let nw := odflt 0%N (sizeof [::] bs w) in
      if elim_ok hy bs v w nv rest then Some (v, w, nv, rest)
      else if elim_ok hy bs w v nw rest then Some (w, v, nw, rest)
      else first_delta hy bs (f :: pre) fs'
    else first_delta hy bs (f :: pre) fs' else None.
Lemma first_delta_sound hy bs pre fs v w n rest : first_delta hy bs pre fs = Some (v, w, n, rest) ->
  elim_ok hy bs v w n rest /\ (forall rho, evfs rho (catrev pre fs) = evfs rho ((0%N, [:: v; w]) :: rest)).
Proof.
have cr p f fs' rho : evfs rho (catrev p (f :: fs')) = evf rho f * evfs rho (catrev p fs').
  rewrite !catrevE /evfs !big_cat big_cons /=; exact: mulrCA.
elim: fs pre => [//|[[|a] l] fs ih] pre /=; last by move=> h; exact: (ih _ h).
case: ifP => [h [<- <- <- <-]|_]; first by split=> // rho; rewrite cr /evfs big_cons.
case: ifP => [h [<- <- <- <-]|_ h]; last exact: (ih _ h).
split=> // rho; rewrite cr /evfs big_cons; congr (_ * _); rewrite /evf /=; by rewrite eq_sym.
Qed.
Fixpoint undelta fuel hy (m : seq binder * seq factor) := if fuel is k.+1 then
  (if first_delta hy m.1 [::] m.2 is Some (v, w, n, rest) then undelta k hy (rem (v, n) m.1, sbs v w rest) else m)
  else m.
Lemma sums_fs rho bs fs1 fs2 : (forall rho, evfs rho fs1 = evfs rho fs2) -> sums rho bs fs1 = sums rho bs fs2.
Proof. by move=> h; elim: bs rho => [|b bs ih] rho //=; apply: eq_bigr => i _. Qed.
Lemma undelta_sound fuel hy m rho : bounded hy rho ->
  sums rho (undelta fuel hy m).1 (undelta fuel hy m).2 = sums rho m.1 m.2.
Proof.
move=> hb; elim: fuel m => [//|k ih] [bs fs] /=.
case e: first_delta => [[[[v w] n] rest]|//]; rewrite ih /=.
have [/and5P[vin vw vn un h] ef] := first_delta_sound e.
rewrite (sums_fs _ _ ef) (@sums_perm rho bs (rem (v, n) bs ++ [:: (v, n)])) //.
  rewrite (delta_in rest hb) //; have pu := perm_map fst (perm_to_rem vin).
  by move: un; rewrite /names (perm_uniq pu) => /andP[].
by rewrite (perm_trans (perm_to_rem vin)) // perm_sym cats1 perm_rcons.
Qed.
(* Atoms that are inverse to each other where their indices are below the sizes of c.2. *)
Definition inverses (cs : seq (nat * nat * seq nat)) :=
  forall c, c \in cs -> forall l, all2 (fun i n => i < N n)%N l c.2 -> at_ c.1.1 l * at_ c.1.2 l = 1.
Definition within (hy : seq binder) l ns := all2 (fun v n => (v, n) \in hy) l ns.
Lemma within_sound hy rho l ns : bounded hy rho -> within hy l ns -> all2 (fun i n => i < N n)%N (map rho l) ns.
Proof.
move=> hb; elim: l ns => [|v l ih] [|n ns] //= /andP[vn h].
by rewrite ih // andbT; exact: bounded_in vn.
Qed.
Fixpoint first_inverse hy (c : nat * nat * seq nat) (pre fs : seq factor) : option (seq factor) := if fs is f :: fs' then
    (if [&& f.1 == c.1.1.+1, within hy f.2 c.2 & (c.1.2.+1, f.2) \in catrev pre fs']
     then Some (rem (c.1.2.+1, f.2) (catrev pre fs'))
    else first_inverse hy c (f :: pre) fs') else None.
Lemma first_inverse_sound hy c pre fs r rho : bounded hy rho ->
  (forall l, all2 (fun i n => i < N n)%N l c.2 -> at_ c.1.1 l * at_ c.1.2 l = 1) ->
  first_inverse hy c pre fs = Some r -> evfs rho (catrev pre fs) = evfs rho r.
Proof.
move=> hb h; have cr p f fs' : evfs rho (catrev p (f :: fs')) = evf rho f * evfs rho (catrev p fs').
  by rewrite !catrevE /evfs !big_cat big_cons /=; exact: mulrCA.
elim: fs pre => [//|f fs ih] pre /=; case: ifP => [/and3P[/eqP e hw hin] [<-]|_ e]; last exact: (ih _ e).
rewrite cr {1}/evfs (perm_big _ (perm_to_rem hin)) big_cons /= -!/(evfs _ _) mulrA.
by case: f e hw {hin} => a l /= -> hw; rewrite /evf /= h ?mul1r //; exact: within_sound hw.
Qed.
Fixpoint uninverse fuel hy cs fs := if fuel is k.+1 then
  (if cs is c :: cs' then (if first_inverse hy c [::] fs is Some r then uninverse k hy cs r else uninverse k hy cs' fs) else fs)
  else fs.
Lemma uninverse_sound fuel hy cs fs rho : bounded hy rho -> inverses cs -> evfs rho (uninverse fuel hy cs fs) = evfs rho fs.
Proof.
move=> hb; elim: fuel cs fs => [//|k ih] [//|c cs] fs h /=; have hc := h c (mem_head _ _).
case e: first_inverse => [r|]; last by apply: ih => d din; apply: h; rewrite inE din orbT.
by rewrite ih // -(first_inverse_sound hb hc e).
Qed.
(* Atoms that are squares of their roots, at such indices. *)
Definition squares (qs : seq (nat * nat * seq nat)) :=
  forall q, q \in qs -> forall l, all2 (fun i n => i < N n)%N l q.2 -> at_ q.1.1 l = at_ q.1.2 l * at_ q.1.2 l.
Definition rooted hy (qs : seq (nat * nat * seq nat)) (f : factor) : seq factor :=
  if [seq q <- qs | (f.1 == q.1.1.+1) && within hy f.2 q.2] is q :: _ then [:: (q.1.2.+1, f.2); (q.1.2.+1, f.2)] else [:: f].
Definition unroot hy qs fs := flatten [seq rooted hy qs f | f <- fs].
Lemma unroot_sound hy qs fs rho : bounded hy rho -> squares qs -> evfs rho (unroot hy qs fs) = evfs rho fs.
Proof.
move=> hb hq; elim: fs => [//|f fs ih]; rewrite /unroot /= {1}/evfs big_cat /= -!/(evfs _ _) ih [RHS]/evfs big_cons -/(evfs _ _).
congr (_ * _); rewrite /rooted; case e: [seq _ <- _ | _] => [|q r]; first by rewrite /evfs big_seq1.
have : q \in [seq q <- qs | (f.1 == q.1.1.+1) && within hy f.2 q.2] by rewrite e mem_head.
rewrite mem_filter => /andP[/andP[/eqP ef hw] hin]; rewrite /evfs !big_cons big_nil mulr1 /evf /= ef.
by rewrite (hq q hin) //; exact: within_sound hw.
Qed.
(* delta(i, j) f(j) = delta(i, j) f(i), and delta(i, i) = 1 *)
Definition trivial (f : factor) := if f is (0%N, [:: i; j]) then i == j else false.
Definition tie fs (f : factor) : seq factor := if f is (0%N, [:: i; j]) then
  (if f \in fs then f :: [seq g <- sbs (maxn i j) (minn i j) (rem f fs) | ~~ trivial g] else fs) else fs.
Lemma trivial_sound rho fs : evfs rho [seq g <- fs | ~~ trivial g] = evfs rho fs.
Proof.
rewrite /evfs big_filter [RHS](bigID (fun g => ~~ trivial g)) /= [X in _ = _ * X]big1 ?mulr1 // => -[[|a] [|i [|j [|? ?]]]] //=.
by rewrite negbK => /eqP ->; rewrite /evf /= eqxx.
Qed.
Lemma tie_sound rho fs f : evfs rho (tie fs f) = evfs rho fs.
Proof.
case: f => -[|a] [|i [|j [|? ?]]] //=; case: ifP => // h.
rewrite [RHS]/evfs (perm_big _ (perm_to_rem h)) /evfs !big_cons -!/(evfs _ _) trivial_sound evfs_sb /evf /=.
case: (rho i =P rho j) => [e|]; last by rewrite !mul0r.
congr (_ * _); apply: evfs_ext => x _; rewrite /upd; case: eqP => // ->.
by rewrite /maxn /minn; case: ifP => _; rewrite e.
Qed.
Definition ties fs := foldl tie fs fs.
Lemma ties_sound rho fs : evfs rho (ties fs) = evfs rho fs.
Proof.
have h l : forall gs, evfs rho (foldl tie gs l) = evfs rho gs by elim: l => [//|f l ih] gs /=; rewrite ih tie_sound.
exact: h.
Qed.
(* The bounds below binders. *)
Fixpoint below (hy bs : seq binder) : seq binder :=
  if bs is b :: bs' then below (b :: [seq c <- hy | c.1 != b.1]) bs' else hy.
Lemma sums_below hy rho bs fs1 fs2 : bounded hy rho -> (forall r, bounded (below hy bs) r -> evfs r fs1 = evfs r fs2) ->
  sums rho bs fs1 = sums rho bs fs2.
Proof.
elim: bs hy rho => [|b bs ih] hy rho hb h /=; first exact: h.
apply: eq_bigr => i _; apply: ih h.
rewrite /bounded /= /upd eqxx ltn_ord /=; apply/allP => c; rewrite mem_filter => /andP[cb ch].
by rewrite (negbTE cb); exact: (allP hb).
Qed.
(* the check *)
Definition simp hy qs cs (m : mono) : mono :=
  let r := undelta (size m.2.2) hy m.2 in let fs := unroot (below hy r.1) qs (ties r.2) in
  (m.1, (r.1, uninverse (size fs + size cs)%N (below hy r.1) cs fs)).
Definition normal hy qs cs t := collect (map (simp hy qs cs) (nf t)).
Definition check hy qs cs t1 t2 := let t := Add t1 (Opp t2) in nf_ok t && zero (normal hy qs cs t).
Lemma normal_sound hy qs cs t rho : bounded hy rho -> squares qs -> inverses cs -> nf_ok t -> evp rho (normal hy qs cs t) = ev rho t.
Proof.
move=> hb hq hc ok; rewrite /normal collect_sound -nf_sound // /evp big_map; apply: eq_bigr => m _.
rewrite /evm /simp /=; congr (_ * _); rewrite -(undelta_sound (size m.2.2) m.2 hb).
by apply: (sums_below hb) => r hr; rewrite uninverse_sound // unroot_sound // ties_sound.
Qed.
Theorem check_sound hy qs cs t1 t2 rho : bounded hy rho -> squares qs -> inverses cs -> check hy qs cs t1 t2 -> ev rho t1 = ev rho t2.
Proof.
move=> hb hq hc /andP[ok z]; have := normal_sound hb hq hc ok; rewrite (zero_sound _ z) /= => /esym/eqP.
by rewrite subr_eq0 => /eqP.
Qed.
End Sums.

(* the tactic [sums]: reification *)
Fixpoint funs (T : Type) k := if k is k'.+1 then nat -> funs T k' else T.
Fixpoint appn T k : funs T k -> seq nat -> T :=
  match k with 0 => fun f _ => f | k'.+1 => fun f l => @appn T k' (f (nth 0%N l 0)) (behead l) end.
Fixpoint compn (T : Type) k (f : T -> T) : funs T k -> funs T k :=
  match k with 0 => fun g => f g | k'.+1 => fun g i => @compn T k' f (g i) end.
Fixpoint inall {T} (x : T) (l : seq T) : seq (seq T) :=
  match l with nil => (x :: nil) :: nil
  | y :: r => (x :: y :: r) :: (fix mp ll := match ll with nil => nil | z :: q => (y :: z) :: mp q end) (inall x r) end.
Fixpoint app {T} (a b : seq T) := match a with nil => b | x :: r => x :: app r b end.
Fixpoint perms {T} (l : seq T) : seq (seq T) :=
  match l with nil => nil :: nil
  | x :: r => (fix fm ll := match ll with nil => nil | z :: q => app (inall x z) (fm q) end) (perms r) end.

Lemma bounded_nil N rho : bounded N nil rho. Proof. by []. Qed.
Lemma bounded_cons N b hy rho : (rho b.1 < N b.2)%N -> bounded N hy rho -> bounded N (b :: hy) rho.
Proof. by move=> h1 h2; rewrite /bounded /= h1. Qed.
Lemma inverses_nil (R : numFieldType) N (a : nat -> seq nat -> R) : inverses N a nil.
Proof. by []. Qed.
Lemma inverses_cons (R : numFieldType) N (a : nat -> seq nat -> R) c cs :
  (forall l, all2 (fun i n => i < N n)%N l c.2 -> a c.1.1 l * a c.1.2 l = 1) ->
  inverses N a cs -> inverses N a (c :: cs).
Proof. by move=> h hs d; rewrite inE => /orP[/eqP->|/hs]. Qed.

Lemma squares_nil (R : numFieldType) N (a : nat -> seq nat -> R) : squares N a nil.
Proof. by []. Qed.
Lemma squares_cons (R : numFieldType) N (a : nat -> seq nat -> R) q qs :
  (forall l, all2 (fun i n => i < N n)%N l q.2 -> a q.1.1 l = a q.1.2 l * a q.1.2 l) ->
  squares N a qs -> squares N a (q :: qs).
Proof. by move=> h hs d; rewrite inE => /orP[/eqP->|/hs]. Qed.
Lemma symmetric_nil (R : numFieldType) (a : nat -> seq nat -> R) : symmetric a nil.
Proof. by []. Qed.
Lemma symmetric_cons (R : numFieldType) (a : nat -> seq nat -> R) b sy :
  (forall i j, a b [:: i; j] = a b [:: j; i]) -> symmetric a sy -> symmetric a (b :: sy).
Proof. by move=> h hs d; rewrite inE => /orP[/eqP->|/hs]. Qed.

(* the same up to the instances of structures; functions stay as they are *)
Ltac fr_unify x y := unify x y.
Ltac fr_same x y := first [constr_eq x y | fr_unify x y].
Ltac fr_lookup x l := match l with
  | nil => constr:((cons x nil, 0%N))
  | cons ?y ?r => match goal with
    | _ => let _ := match goal with _ => fr_same x y end in constr:((l, 0%N))
    | _ => match fr_lookup x r with (?r', ?k) => constr:((cons y r', S k)) end end end.
Ltac fr_found x l := match l with
  | cons ?y ?r => match goal with
    | _ => let _ := match goal with _ => fr_same x y end in constr:(0%N)
    | _ => match fr_found x r with ?k => constr:(S k) end end end.
(* those of the index variables E that occur in t *)
Ltac fr_occ t E := match E with
  | nil => constr:(@nil (nat * nat))
  | cons (?e, ?v) ?r => let o := fr_occ t r in
    match eval pattern e in t with (fun _ => ?b) _ => constr:(o) | _ => constr:(cons (e, v) o) end end.
Ltac fr_abs t P := match P with (* t abstracted over the variables of P; their names *)
  | nil => constr:((t, @nil nat, 0%N))
  | cons (?e, ?v) ?r => match eval pattern e in t with ?f _ => match fr_abs f r with
     | (?g, ?a, ?k) => constr:((g, a, k)) end end end.
Ltac fr_names P acc := match P with nil => constr:(acc) | cons (_, ?v) ?r => fr_names r constr:(cons v acc) end.
Ltac fr_len P := match P with nil => constr:(0%N) | cons _ ?r => let k := fr_len r in constr:(S k) end.
Ltac fr_fun T t P := match fr_abs t P with (?f, _, _) => let k := fr_len P in constr:(@appn T k f) end.
Ltac fr_name e E := match E with
  | cons (?x, ?v) ?r => match goal with _ => let _ := match goal with _ => constr_eq e x end in constr:(v) | _ => fr_name e r end end.
(* h i j and f (h i j): the head, the names of the indices from the last to the first, their number *)
Ltac fr_spine T t E := match goal with
  | _ => match fr_occ t E with nil => constr:((t, @nil nat, 0%N)) end
  | _ => match t with ?h ?e => let v := fr_name e E in
      match fr_spine T h E with (?g, ?l, ?k) => constr:((g, cons v l, S k)) end end
  | _ => match t with ?f ?a => match fr_occ f E with nil =>
      let _ := match goal with _ => let f' := constr:(f : T -> T) in idtac end in
      match fr_spine T a E with (?g, ?l, ?k) => constr:((@compn T k f g, l, k)) end end end end.
Ltac fr_atom T t E at_ := match goal with
  | _ => match fr_spine T t E with (?f, ?l, ?k) =>
      let l' := eval cbv beta iota delta [rev catrev] in (rev l) in
      match fr_lookup constr:(@appn T k f) at_ with (?at', ?n) => constr:((Fac (S n, l'), at')) end end
  | _ =>
  let o := fr_occ t E in
  let ps := eval cbv beta iota delta [perms inall app] in (perms o) in
  let rec go l := match l with
    | cons ?p ?q => match goal with
      | _ => let f := fr_fun T t p in let k := fr_found f at_ in let a := fr_names p constr:(@nil nat) in constr:((Fac (S k, a), at_))
      | _ => go q end
    | nil => let f := fr_fun T t o in let a := fr_names o constr:(@nil nat) in
      match fr_lookup f at_ with (?at', ?k) => constr:((Fac (S k, a), at')) end end in
  go ps end.
Ltac fr_lit n := match n with O => constr:(O) | S ?m => let _ := fr_lit m in constr:(n) end.
(* st: (sizes, atoms). returns (tm, sizes, atoms) *)
Ltac fr_reify T t E d sz at_ := lazymatch t with
  | GRing.zero _ => constr:((Cst 0%N, sz, at_))
  | GRing.one _ => constr:((Cst 1%N, sz, at_))
  | GRing.add ?a ?b => lazymatch fr_reify T a E d sz at_ with (?ra, ?s1, ?a1) =>
      lazymatch fr_reify T b E d s1 a1 with (?rb, ?s2, ?a2) => constr:((Add ra rb, s2, a2)) end end
  | GRing.mul ?a ?b => lazymatch fr_reify T a E d sz at_ with (?ra, ?s1, ?a1) =>
      lazymatch fr_reify T b E d s1 a1 with (?rb, ?s2, ?a2) => constr:((Mul ra rb, s2, a2)) end end
  | GRing.opp ?a => lazymatch fr_reify T a E d sz at_ with (?ra, ?s1, ?a1) => constr:((Opp ra, s1, a1)) end
  | \sum_(i < ?n) @?F i =>
      lazymatch fr_lookup n sz with (?s1, ?kn) =>
      let i := fresh "i" in
      let r := constr:(fun i : 'I_n => ltac:(let b := eval cbv beta in (F i) in
         let r := fr_reify T b constr:(cons (nat_of_ord i, d) E) constr:(S d) s1 at_ in exact r)) in
      lazymatch r with (fun _ => (?b, ?s2, ?a2)) => constr:((Sum (d, kn) b, s2, a2)) end end
  | _ => match t with
    | GRing.exp ?a ?k => let _ := fr_lit k in
        lazymatch fr_reify T a E d sz at_ with (?ra, ?s1, ?a1) => constr:((Pow ra k, s1, a1)) end
    | GRing.natmul (GRing.one _) (nat_of_bool (?i == ?j)) => let vi := fr_name i E in let vj := fr_name j E in
        constr:((Fac (0%N, [:: vi; vj]), sz, at_))
    | GRing.natmul (GRing.one _) ?k => let _ := fr_lit k in constr:((Cst k, sz, at_))
    | GRing.natmul (GRing.one _) ?n => let _ := match goal with _ => is_var n end in
        match fr_lookup n sz with (?s1, ?k) => constr:((Sz (d, k), s1, at_)) end
    | intmul (GRing.one _) (Posz ?k) => let _ := fr_lit k in constr:((Cst k, sz, at_))
    | intmul (GRing.one _) (Negz ?k) => let _ := fr_lit k in constr:((Opp (Cst (S k)), sz, at_))
    | GRing.inv (intmul (GRing.one _) (Posz ?k)) => let _ := fr_lit k in constr:((Inv k, sz, at_))
    | GRing.inv (GRing.natmul (GRing.one _) ?k) => let _ := fr_lit k in constr:((Inv k, sz, at_))
    | GRing.natmul ?a ?k => let _ := fr_lit k in
        lazymatch fr_reify T a E d sz at_ with (?ra, ?s1, ?a1) => constr:((Muln ra k, s1, a1)) end
    | _ => lazymatch fr_atom T t E at_ with (?r, ?a1) => constr:((r, sz, a1)) end end end.
(* free index variables: those with a bound among the hypotheses *)
Ltac fr_mem e E := match E with cons (e, _) _ => idtac | cons _ ?r => fr_mem e r end.
Ltac fr_has e E := match E with
  | cons (?x, _) ?r => first [constr_eq e x | fr_has e r] end.
Ltac fr_free E d := match goal with
  | _ : is_true (leq (S ?j) _) |- _ => let _ := match goal with _ => is_var j end in
      let _ := match goal with _ => tryif fr_has j E then fail else idtac end in
      fr_free constr:(cons (j, d) E) constr:(S d)
  | _ => constr:((E, d)) end.
Ltac fr_rho E := match E with nil => constr:(@nil nat) | cons (?j, _) ?r => let l := fr_rho r in constr:(rcons l j) end.
Ltac fr_bounds E sz := match E with
  | nil => constr:((@nil (nat * nat), sz))
  | cons (?j, ?v) ?r => match fr_bounds r sz with (?h, ?s1) => match goal with
    | _ : is_true (leq (S j) ?n) |- _ => match fr_lookup n s1 with (?s2, ?k) => constr:((cons (v, k) h, s2)) end end end end.
(* inverses among the hypotheses: x != 0 and forall i, (i < n)%N -> f i != 0 *)
Ltac fr_unseen H seen := match seen with context [H] => fail 1 | _ => idtac end.
Ltac fr_eta f0 := match f0 with (fun j => ?h j) => constr:(h) | (fun i j => ?h i j) => constr:(h) | _ => constr:(f0) end.
Ltac fr_invs T at0 sz0 :=
  let rec go cs at_ sz seen := match goal with
  | H : is_true (~~ (?x == 0)) |- _ =>
      let _ := match goal with _ => fr_unseen H seen end in
      match fr_lookup constr:(@appn T 0 x) at_ with (?a1, ?k) =>
      match fr_lookup constr:(@appn T 0 (@GRing.inv _ x)) a1 with (?a2, ?m) =>
        go constr:(cons (k, m, @nil nat) cs) a2 sz constr:((H, seen)) end end
  | H : forall i : nat, is_true (leq (S i) ?n) -> is_true (~~ (@?f0 i == 0)) |- _ =>
      let f := fr_eta f0 in
      let _ := match goal with _ => fr_unseen H seen end in
      match fr_lookup n sz with (?s1, ?kn) =>
      match fr_lookup constr:(@appn T 1 f) at_ with (?a1, ?k) =>
      match fr_lookup constr:(@appn T 1 (@compn T 1 (@GRing.inv _) f)) a1 with (?a2, ?m) =>
        go constr:(cons (k, m, cons kn nil) cs) a2 s1 constr:((H, seen)) end end end
  | H : forall i j : nat, is_true (leq (S i) ?n) -> is_true (leq (S j) ?p) -> is_true (~~ (@?f0 i j == 0)) |- _ =>
      let f := fr_eta f0 in
      let _ := match goal with _ => fr_unseen H seen end in
      match fr_lookup n sz with (?s1, ?kn) =>
      match fr_lookup p s1 with (?s2, ?kp) =>
      match fr_lookup constr:(@appn T 2 f) at_ with (?a1, ?k) =>
      match fr_lookup constr:(@appn T 2 (@compn T 2 (@GRing.inv _) f)) a1 with (?a2, ?m) =>
        go constr:(cons (k, m, cons kn (cons kp nil)) cs) a2 s2 constr:((H, seen)) end end end end
  | _ => constr:((cs, at_, sz)) end in go constr:(@nil (nat * nat * seq nat)) at0 sz0 constr:(tt).
Ltac fr_inverse := let l := fresh "l" in move=> l; case: l => [|? [|? [|? ?]]] //=; rewrite ?andbT ?andbF //;
  first [move=> /andP[? ?] | move=> ?]; rewrite mulfV //;
  match goal with H : _ |- is_true (~~ (_ == 0)) => solve [apply: H => //] end.
(* roots among the hypotheses: Num.sqrt x * Num.sqrt x = x and forall i, (i < n)%N -> the same of f i; and of their inverses *)
Ltac fr_root T K k f ns at_ go :=
  match fr_lookup constr:(@appn T k f) at_ with (?a1, ?x) =>
  match fr_lookup constr:(@appn T k (@compn T k (@Num.sqrt K) f)) a1 with (?a2, ?r) =>
  match fr_lookup constr:(@appn T k (@compn T k (@GRing.inv _) f)) a2 with (?a3, ?y) =>
  match fr_lookup constr:(@appn T k (@compn T k (@GRing.inv _) (@compn T k (@Num.sqrt K) f))) a3 with (?a4, ?s) =>
    go constr:((x, r, ns)) constr:((y, s, ns)) a4 end end end end.
Ltac fr_roots T at0 sz0 :=
  let rec go qs at_ sz seen := match goal with
  | H : ?l = ?x |- _ =>
      let _ := match goal with _ => fr_unseen H seen end in
      match l with context [@Num.sqrt ?K _] =>
      fr_root T K 0%N x (@nil nat) at_ ltac:(fun q1 q2 a => go constr:(cons q1 (cons q2 qs)) a sz constr:((H, seen))) end
  | H : forall i : nat, is_true (leq (S i) ?n) -> @eq _ (@?l i) (@?f0 i) |- _ =>
      let f := fr_eta f0 in match l with context [@Num.sqrt ?K _] =>
      let _ := match goal with _ => fr_unseen H seen end in
      match fr_lookup n sz with (?s1, ?kn) =>
      fr_root T K 1%N f constr:(cons kn nil) at_ ltac:(fun q1 q2 a => go constr:(cons q1 (cons q2 qs)) a s1 constr:((H, seen))) end end
  | H : forall i j : nat, is_true (leq (S i) ?n) -> is_true (leq (S j) ?p) -> @eq _ (@?l i j) (@?f0 i j) |- _ =>
      let f := fr_eta f0 in match l with context [@Num.sqrt ?K _] =>
      let _ := match goal with _ => fr_unseen H seen end in
      match fr_lookup n sz with (?s1, ?kn) =>
      match fr_lookup p s1 with (?s2, ?kp) =>
      fr_root T K 2%N f constr:(cons kn (cons kp nil)) at_ ltac:(fun q1 q2 a => go constr:(cons q1 (cons q2 qs)) a s2 constr:((H, seen))) end end end
  | _ => constr:((qs, at_, sz)) end in go constr:(@nil (nat * nat * seq nat)) at0 sz0 constr:(tt).
Ltac fr_square := let l := fresh "l" in move=> l; case: l => [|? [|? [|? ?]]] //=; rewrite ?andbT ?andbF //;
  first [move=> /andP[? ?] | move=> ?]; rewrite -?invfM;
  match goal with H : _ |- _ => solve [rewrite H //] end.
(* symmetric atoms among the hypotheses: forall i j, f i j = f j i *)
Ltac fr_syms T at0 :=
  let rec go sy at_ seen := match goal with
  | H : forall i j : nat, @eq _ (@?f0 i j) (@?g0 i j) |- _ =>
      let _ := match goal with _ => fr_unseen H seen end in
      let t := eval cbv beta in (fun i j : nat => f0 j i) in
      let _ := match goal with _ => constr_eq t g0 end in
      let f := fr_eta f0 in
      match fr_lookup constr:(@appn T 2 f) at_ with (?a1, ?k) => go constr:(cons k sy) a1 constr:((H, seen)) end
  | _ => constr:((sy, at_)) end in go constr:(@nil nat) at0 constr:(tt).
Ltac fr_symmetric := move=> ? ?; match goal with H : forall i j : nat, _ = _ |- _ => solve [apply: H] end.
Ltac fr_goal k := lazymatch goal with |- @eq ?T ?a ?b =>
  let T := type of a in
  lazymatch fr_free constr:(@nil (nat * nat)) constr:(0%N) with (?E, ?d) =>
  let l := fr_rho E in let l := eval cbv beta iota delta [rcons] in l in
  lazymatch fr_bounds E constr:(@nil nat) with (?hy, ?sz0) =>
  lazymatch fr_syms T constr:(@nil (seq nat -> T)) with (?sy, ?at9) =>
  lazymatch fr_roots T at9 sz0 with (?qs, ?at8, ?sz1) =>
  lazymatch fr_invs T at8 sz1 with (?cs, ?at0, ?sz) =>
  lazymatch fr_reify T a E d sz at0 with (?ra, ?s1, ?a1) =>
  lazymatch fr_reify T b E d s1 a1 with (?rb, ?s2, ?a2) =>
    k sy hy qs cs ra rb l s2 a2 end end end end end end end end.
Ltac sums := fr_goal ltac:(fun sy hy qs cs ra rb l sz at_ =>
  apply: (@check_sound _ (fun k => nth 0%N sz k) (fun k => nth (fun _ => 0) at_ k) sy _ hy qs cs ra rb (fun k => nth 0%N l k));
  [ repeat first [exact: symmetric_nil | apply: symmetric_cons; first fr_symmetric]
  | repeat first [exact: bounded_nil | apply: bounded_cons; first by []]
  | repeat first [exact: squares_nil | apply: squares_cons; first fr_square]
  | repeat first [exact: inverses_nil | apply: inverses_cons; first fr_inverse]
  | vm_compute; reflexivity ]).
Ltac sums_show := fr_goal ltac:(fun sy hy qs cs ra rb l sz at_ => idtac sy hy qs cs ra rb l sz at_).
End Reflection.
Ltac sums := Reflection.sums.

