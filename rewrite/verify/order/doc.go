// Package order proves that rules come to an end: a rule comes in, the well-founded order by which its
// right side is below its left one goes out ([Decrease]). It never looks at what the sides mean.
//
//   - path.go: the recursive path ordering, for rules on values;
//   - weights.go: an interpretation in polynomials (polynomial.go), for rules on closed maps.
package order
