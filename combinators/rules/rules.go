// Package rules holds the algebra of values as rule files.
package rules

import _ "embed"

// Algebra has the rules that simplification applies at single nodes.
//
//go:embed algebra.rules
var Algebra string
