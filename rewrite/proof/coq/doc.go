// Package coq prints a derivation as theorems of Coq, for all sizes: a derivation that was checked ([proof.Complete])
// goes in, a file goes out that coqc checks with the prelude Frechet.v, of one lemma a law.
//
// A tensor is a function of natural indices, A : nat -> nat -> R, of which only entries below the sizes are read. Each
// value of the derivation is a definition, n12, of its operands; each step an equality of two of them below the sizes,
// E12_15, proved by the law of the step; what holds of operands holds of values (congruence), and the lines of a part
// are a chain of such equalities. D12 says that the derivative of n12 along the line x + s d is the tangent that the
// derivation gives it. The theorems stand at the end:
//
//	value       the program is its normal form
//	derivative  its derivative along d is what the part "derivative at d" ends with
//	adjoint     that is <gradient, d>, or <w, derivative> = <adjoint, d>
//	gradient    the derivative of the program along d is <gradient, d>
//
// and for further orders derivative2, entries2 and so on. What functions presume of their arguments stands as named hypotheses.
//
// The file is read back before it is returned: see [script.readBack].
//
// What the printer or the prelude has no term for is withheld ([Withheld]): nothing is approximated.
package coq
