// Package rules holds the algebra of values as rule files.
package rules

import _ "embed"

// Algebra has the rules that simplification applies at single nodes.
//
//go:embed algebra.rules
var Algebra string

// Spectral has the laws of functions of matrices, which simplification applies beside Algebra.
//
//go:embed spectral.rules
var Spectral string

// Closed has the algebra of closed combinators: units, projections, copowers.
//
//go:embed closed.rules
var Closed string

// Linear has the algebra of linear maps, by which derivatives and adjoints get their last form.
//
//go:embed linear.rules
var Linear string

// Laws has equations by which values are shown to be equal, beside the algebra.
//
//go:embed laws.rules
var Laws string

// Stable has the forms in which terms are computed, by which numbers neither overflow nor cancel on the way.
//
//go:embed stable.rules
var Stable string

// Attributes are the laws of variables with attributes: what the normal form makes of them, and what the part of one in its
// subspace is.
//
//go:embed attributes.rules
var Attributes string

// Chain has the rules on closed combinators that are applied from the outside in.
//
//go:embed chain.rules
var Chain string
