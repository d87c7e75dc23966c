// Package model is the model in which identities are tried. A term (a node of package combinators) and
// elements for its variables come in, the elements of its entries go out; a map is a [Function] on tuples of
// these. Elements are integers modulo p = 2^61-1, extended by eps with eps^2 = 0: the part at eps is a
// derivative. exp and the circle are homomorphisms of the residues, so that exp(x + y) = exp(x) exp(y)
// holds; an operation of which the model knows nothing gives elements of which nothing is known.
//
// It shares no code with the matcher or the normal form, and never says what a rule may claim.
package model
