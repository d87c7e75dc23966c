(* The tactics of derivations. *)
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

(* Arguments of a function that are equal as sums are made one. *)
Ltac same a b := tryif constr_eq a b then fail else (rewrite (_ : a = b); last by sums).
Ltac align := repeat match goal with
  | |- context [GRing.inv ?a] => match goal with |- context [GRing.inv ?b] => same a b end
  | |- context [expR ?a] => match goal with |- context [expR ?b] => same a b end
  | |- context [ln ?a] => match goal with |- context [ln ?b] => same a b end
  | |- context [sin ?a] => match goal with |- context [sin ?b] => same a b end
  | |- context [cos ?a] => match goal with |- context [cos ?b] => same a b end
  | |- context [sigmoid ?a] => match goal with |- context [sigmoid ?b] => same a b end
  | |- context [tanh ?a] => match goal with |- context [tanh ?b] => same a b end
  | |- context [rpow ?q ?a] => match goal with |- context [rpow q ?b] => same a b end
  | |- context [rpow ?q ?a] => match goal with |- context [rpow ?r a] => same q r end end.

(* The law of an operation is what the derivation has. *)
Ltac derived := first [sums | rewrite /softmax; sums | align; sums].
