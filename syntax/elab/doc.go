// Package elab turns a program's syntax tree into typed terms.
//
// A term has an order, its number of axes, and a size on each axis. Orders follow
// from the declarations, from the leaves up. Sizes are found by unification: every
// axis of a variable, and every axis that a literal or a new index introduces, is a
// class of its own; each letter of an index product, each element-wise operation and
// each square matrix puts classes together. A class that reaches no declared size
// stays unknown and gets a fresh size symbol, unless numbers are asked for.
//
// A literal has no axes of its own. It takes the order of the place where it stands,
// each occurrence for itself: in det(X + 1) a matrix of ones, in 1 + det(X) a scalar.
// So does every expression made of literals alone. Elsewhere an operand of order 0,
// whatever it is, is repeated for every entry of the other.
//
// Terms are built only when all orders and sizes are known, since equal terms of
// equal type are the same node of the store.
package elab
