// Package rewrite reads rules and applies them to terms. The text of a rule file comes in, and rules that are
// compiled go out ([LoadRules], [LoadClosedRules]); a term comes in, and what a rule makes of it at its top,
// with the substitution, goes out ([Firing], [ClosedFiring]). It knows no calculus: what the program knows of
// derivatives, adjoints and algebra stands in rule files. It never believes a rule to be right: package
// rewrite/verify tests that.
//
// A rule file is read by package combinators/text:
//
//	# power-mul: powers of one base add their exponents.
//	rule power-mul "real powers" [x: S, a b: Q]
//	  power[a](x) .* power[b](x) => power[a+b](x)  when positive(x)
//
// The declarations in brackets are typed metavariables: x: S is a value of any shape, and two
// values of the type S have one shape; a: R[...,n,n] has axes of the sizes n and n after any
// number of others, b: R[n,...] one of size n before others; c: Q is a number, k: Z a whole number. A
// number stands for itself, or for the tensor filled with it; c: Q = 1 may be absent as a factor or an exponent, and
// c: Q = 0 as an addend ([Variants]). There is no node for a difference, a negation
// or a quotient: patterns with - and ./ match the sums and products that stand for them.
//
// Matching is up to the order of the operands of sums, products and commutative functions. At the
// top of a term a product
//
//	x .* y
//
// matches two operands of a contraction of any width that meet entry by entry, and
//
//	ein(ij,jk->ik; a, b)
//
// two operands with these index maps, up to the names of variables, where a letter that the
// pattern sums over occurs nowhere else; the rest of the contraction stays. Below the top the whole
// product or contraction must match, but in a product of patterns the last metavariable stands for
// all that is left. "..." names leading axes and "~" trailing ones, any number of them.
//
// Of several rules that match, the one with the most functions on its left side is applied, and of
// those the first in their file.
//
// Side conditions are the closed list [Conditions]. A condition never asks how often a node is
// used: rewriting is memoised by node, and use counts are not a property of a node.
package rewrite
