// Package unparse turns value nodes back into text that a person would write: trees of
// package syntax in the Einstein language, or in matrix notation.
//
//	nodes -> Associate -> terms -> polish -> statements
//
// Words used throughout:
//
//   - An index product is a contraction whose index maps pick single variables; its
//     letters are the variables. [Associate] splits products of many operands into
//     products of two, by the cost of a multiplication and by what other products share.
//   - A term is a node as it is written. Nodes have no difference, negation or quotient:
//     a + (-1)*b is written a - b, and a product by a reciprocal a/b. Powers of 1/2 are
//     roots, cofactors are a transposed adjugate, and a broadcast operand of a sum is
//     written as the number that it is.
//   - A form is a term in matrix notation in both orientations, with the number of
//     transposes that each needs; a chain of products takes the cheaper ones. Vectors are
//     columns. What has no form is written as an index product.
//   - A let names a term that stands in several places, unless it is short, and cuts what
//     would nest too deeply.
//
// Constants are written with their sizes (eye(n), delta[m,n], ones(m, n), 2[m,n]) where
// the text around them does not give these, which is decided as elaboration will decide
// it, by unification: see context.
//
// What is written reads back, in the declarations of its variables, to a value equal to
// the nodes. Guards are not written. Functions that only derivatives need are minor(A, k),
// the k-th derivative of det; merge(A, axis) and split(A, axis, m, n), which make one axis
// of two and two of one.
//
// [Count] counts the nodes of a text.
package unparse
