// Package maps is what rules on closed maps mean. A rule comes in, with a choice of its component
// metavariables ([ComponentChoices]); a [Rule] goes out, whose sides have their most general type. A rule is
// instantiated by functions over the model ([Rule.Instance]), and the sides are compared at an argument
// ([Rule.Compare]): unknown maps are random functions with random derivatives, linear ones random matrices,
// D(f)(x) is the part of f(x + eps v) at eps and adjoint(L) the transposed matrix. In the free model of
// words, equal sides are equal for all maps ([Rule.CompareFreely]). [NewSample] has maps of combinators for
// the names of a term.
//
// It never fires a rule, and never says what a rule may claim.
package maps
