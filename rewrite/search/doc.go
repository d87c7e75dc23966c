// Package search looks for a proof that two values are equal, by equality saturation: terms of a store, rules and facts
// come in; a chain of steps from one value to the other goes out, or the limit at which the search ended. It knows no
// calculus and believes no rule: what it finds is checked by package rewrite/proof.
//
// A [Graph] has classes of equal terms (an e-graph: Willsey et al., egg, 2021). Terms are nodes of the store, in which
// equal terms are one node, and contractions that differ by the names of variables are equal. Terms of one operation
// whose operands are in the same classes are in one class (congruence closure, as in rewrite/proof). Each term is brought
// to normal form as well, so that associativity and commutativity, and all that the normal form decides, take no step of
// the search.
//
// A term of the queue is expanded: rules are applied at its top, in all the ways in which they match; it is multiplied
// out; and it takes the place of the terms of its class in the terms that use these. The cheapest terms come first, by a
// cost that the caller gives. What is found is explained by the path between two terms in the forest of what made classes
// one.
package search
