// Package digits evaluates terms with sizes that are numbers in intervals, whose ends have as many digits as are asked for: two
// sides of a law with intervals that have nothing in common differ, whatever rounding does, and tanh(40) is not 1.
//
// A [Number] is an interval that contains the value, or says that there is none, or that nothing is known: where an interval contains
// the end of a domain, or a jump. Arithmetic is rounded outwards. Functions are computed at both ends, with 64 bits more than the
// ends have, and a margin of 16 units in the last place. Operations without a row here have the value of the evaluator in
// doubles, with the margin that is usual there, if their operands do not depend on rounding.
//
// What is equal in these digits may still be so by rounding alone: tanh(10^9) is 1 in all of them. A [Value] is therefore
// Lost where an operand does not arrive: where a change in the second half of its digits changes nothing that is computed from it; and
// where a number is beyond a power of 2 of an eighth of the digits, where sin(x) is x.
package digits
