// Package rules holds the rules of the differential and the adjoint calculus on closed
// combinators, as text.
package rules

import _ "embed"

// Derivative has the rules for D(f)(x): Theorem 4.1 of Elsman et al., completed.
//
//go:embed derivative.rules
var Derivative string

// Adjoint has the rules for adjoint(L): Theorem 6.5 of Elsman et al., completed.
//
//go:embed adjoint.rules
var Adjoint string

// Chain has the rules for adjoints that are applied from the outside in.
//
//go:embed chain.rules
var Chain string
