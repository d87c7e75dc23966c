// Package assumptions is what may be assumed of values: that their entries are positive, not negative, not
// zero, or that their matrices are invertible. The outputs of a program come in ([Facts.Assume]): it is
// undefined elsewhere, so its logarithms, roots, divisors and inverses say of what they are taken. A node
// comes in, too, and whether the fact holds goes out: by these, and by the node's form. "Unknown" is always
// a right answer, and the answer where a term is too deep; no fact is ever taken back, and no number tried.
package assumptions
