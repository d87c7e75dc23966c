(* The tactics of derivations. *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp.classical Require Import functions.
From mathcomp Require Import boolp reals classical_sets signed topology normedtype derive sequences realfun exp trigo.
From Frechet Require Import Derivative Sums Rules Functions Matrices.
Import GRing.Theory Num.Theory Order.TTheory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope ring_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* Functions are not unfolded to see whether two are the same. *)
Ltac Reflection.fr_unify x y ::= with_strategy opaque [expR ln sin cos trigo.tan asin acos atan Num.sqrt rpow det cof inv logdet logsumexp softmax
  sigmoid softplus tanh sinh cosh expm1 log1p relu step] (unify x y).

(* Arguments of a function that are equal as sums are made one. *)
Ltac same a b := tryif constr_eq a b then fail else (rewrite (_ : a = b); last by sums).
Ltac align := repeat match goal with
  | |- context [GRing.inv ?a] => match goal with |- context [GRing.inv ?b] => same a b end
  | |- context [expR ?a] => match goal with |- context [expR ?b] => same a b end
  | |- context [ln ?a] => match goal with |- context [ln ?b] => same a b end
  | |- context [sin ?a] => match goal with |- context [sin ?b] => same a b end
  | |- context [cos ?a] => match goal with |- context [cos ?b] => same a b end
  | |- context [sigmoid ?a] => match goal with |- context [sigmoid ?b] => same a b end
  | H : forall v : _, is_derive v _ ?erf _ |- context [?erf ?a] => match goal with |- context [erf ?b] => same a b end
  | |- context [tanh ?a] => match goal with |- context [tanh ?b] => same a b end
  | |- context [rpow ?q ?a] => match goal with |- context [rpow q ?b] => same a b end
  | |- context [rpow ?q ?a] => match goal with |- context [rpow ?r a] => same q r end end.

(* Functions of transposes. *)
Ltac turned := repeat match goal with
  | |- context [inv ?n (fun i j => ?A j i)] => rewrite (inv_tr n A)
  | |- context [cof ?n (fun i j => ?A j i)] => rewrite (cof_tr n A)
  | |- context [det ?n (fun i j => ?A j i)] => rewrite (det_transpose n A) end.

(* Functions by their definitions, and their arguments made one. *)
Ltac functions := turned; rewrite ?invrK ?invr1 /softmax; first [sums | align; sums | rewrite ?expRN; align; sums].

(* The law of an operation is what the derivation has. *)
Ltac derived := first [sums | functions].

(* Functions of numbers that are numbers. *)
Ltac numbers := try match goal with H : ?erf 0 = 0 |- context [?erf 0] => rewrite H end;
  rewrite ?expR0 ?ln1 ?sin0 ?cos0 ?tan0 ?atan0 ?asin0 ?acos1 ?sinh0 ?cosh0 ?tanh0 ?sigmoid0 ?expm1_0 ?log1p_0 ?relu0 ?step0 ?gelu0
    ?normr0 ?normr1 ?sgr0 ?sgr1 ?sqrtr0 ?sqrtr1 ?maxxx ?minxx.

(* A step by a law of functions. *)
Ltac law := numbers; first [exact: inv_turned | exact/esym/inv_turned | exact: cof_turned | exact/esym/cof_turned | rewrite ?expK ?sinN ?cosN ?normrN ?sgrN ?invfM ?exprVn ?exprMn; functions | functions].

(* Signs by their form, and by hypotheses. *)
Ltac positive := first [by [] | solve [match goal with H : _ |- _ => apply: H => // end] | lazymatch goal with
  | |- is_true (Order.lt _ (GRing.add _ _)) => first
      [solve [apply: addr_gt0; positive] | solve [apply: ltr_paddr; [nonneg | positive]] | apply: ltr_paddl; [nonneg | positive]]
  | |- is_true (Order.lt _ (GRing.mul _ _)) => apply: mulr_gt0; positive
  | |- is_true (Order.lt _ (GRing.inv _)) => rewrite invr_gt0; positive
  | |- is_true (Order.lt _ (GRing.natmul _ _)) => by rewrite ltr0n
  | |- is_true (Order.lt _ (intmul _ _)) => by rewrite ltr0z
  | |- is_true (Order.lt _ (GRing.exp _ _)) => apply: exprn_gt0; positive
  | |- is_true (Order.lt _ (Num.sqrt _)) => rewrite sqrtr_gt0; positive
  | |- is_true (Order.lt _ (sigmoid _)) => rewrite /sigmoid; positive
  | |- is_true (Order.lt _ (cosh _)) => rewrite /cosh; positive
  | |- is_true (Order.lt _ (softplus _)) => exact: softplus_gt0
  | |- _ => first [exact: expR_gt0 | exact: pi_gt0] end ]
with nonneg := first [by [] | lazymatch goal with
  | |- is_true (Order.le _ (GRing.add _ _)) => apply: addr_ge0; nonneg
  | |- is_true (Order.le _ (GRing.mul ?a ?a)) => rewrite -expr2; exact: sqr_ge0
  | |- is_true (Order.le _ (GRing.mul ?a (GRing.mul ?a _))) => rewrite mulrA -expr2; apply: mulr_ge0; [exact: sqr_ge0 | nonneg]
  | |- is_true (Order.le _ (GRing.mul _ _)) => apply: mulr_ge0; nonneg
  | |- is_true (Order.le _ (GRing.exp _ 2)) => exact: sqr_ge0
  | |- is_true (Order.le _ (Num.norm _)) => exact: normr_ge0
  | |- is_true (Order.le _ (Num.sqrt _)) => exact: sqrtr_ge0
  | |- is_true (Order.le _ (BigOp.bigop _ _ _)) => apply: sumr_ge0 => ? _; nonneg
  | |- _ => apply: ltW; positive end ].

(* The sides of a rule are those of its lemma, up to the order of factors and terms and the arguments of functions. *)
Ltac rule L := first
  [ exact: L
  | solve [rewrite L //; functions]
  | solve [rewrite mulrC L //; functions]
  | solve [symmetry; rewrite -L //; functions]
  | solve [rewrite ?mulrN1 ?mulN1r ?mulNr L //; functions]
  | solve [rewrite L; [functions | nonneg]]
  | solve [rewrite addrC L //; functions]
  | solve [rewrite /Functions.logsumexp; functions]
  | law ].
