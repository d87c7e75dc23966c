// Package verify puts rules to the test, ours and a user's, before they are believed. A rule comes in; a
// [Report] goes out, with what may be claimed of the rule and no more, and a witness where it is wrong. It
// never changes a rule, and the matcher's answers are no evidence: a law is tried in a model of its own
// (package verify/model; rules on maps in verify/maps), that rules come to an end is proved in verify/order.
//
// A rule on values claims that its two sides are one value wherever its conditions hold. It is
// tried in this order:
//
//  1. Typing: the right side uses what the left side binds, and has the left side's type with a
//     symbol for every size and any number of axes where the type leaves it open.
//  2. Proof: two contractions of the same values with equal canonical forms are equal for all
//     sizes. Different forms prove nothing.
//  3. The field of integers modulo p = 2^61-1, extended by eps with eps^2 = 0: sides that differ
//     agree at a random point with probability at most d/p, d their degree (Schwartz-Zippel). exp
//     is a random unit for each independent argument, and sin and cos are a random rational point
//     of the circle; both are homomorphisms, so that exp(x + y) = exp(x) exp(y) holds in the model,
//     and tanh, sigmoid and their like are computed from them. Logarithms are compared by what they
//     are the logarithm of.
//  4. Floating-point numbers of both signs with 0 and 1 and -1 among them. They alone can refute a
//     rule, so that every refutation comes with a point at which both sides have a value.
//  5. Intervals of many digits, where the field does not decide and the numbers agree: what differs there is refuted, and a rule
//     all of whose points have something below the last digit is not accepted.
//
// The domain is told apart from equality: where the right side has a value and the left side none,
// a rule widens it. Shapes are all different, all equal, and 1: each alone is no test.
//
// A rule on closed combinators is read as a claim on functions. Its spaces are inferred, most
// general first; unknown maps are random functions with random derivatives, linear ones random
// matrices, D(f)(x) is the part of f(x + eps v) at eps and adjoint(L) the transposed matrix.
package verify
