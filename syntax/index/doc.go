// Package index reads and prints index notation: a tensor given element by element.
//
//	f[i; j] = exp(-sum{k}_0^4 ((a[i; k] + b[j; k])**2 * c[i; i] + d[i + k]**3))
//
// Indices count from 0, and a sum includes both of its bounds. What stands between the
// brackets of a tensor is an affine form of indices with whole coefficients, such as
// `2*i + k - 1`; size symbols may stand among its constants. [Parse] gives a
// [Definition] whose expression is a tree of [Expr], every node with the span it was
// written at; [Print] gives the text back, so that parsing what was printed gives an
// equal tree. What names mean, which forms are affine and which accesses are in range
// is the business of package syntax/index/elab.
//
// Results need more than functions do, so the notation has it too: a condition as a
// factor, `[i = 2*j]`, which is 1 where it holds and 0 elsewhere, with what it is
// multiplied by not read there; bounds with max and min, floor and ceil; and the
// conditional `if {i - j = 0} then .. else ..` (Urban and van der Smagt, section 6).
//
// # Grammar
//
//	definition  = NAME [ "[" [ declared { sep declared } ] "]" ] "=" expr
//	declared    = NAME [ ":" expr ]
//	expr        = operand { ( "+" | "-" | "*" | "/" | "**" | "^" ) operand }
//	operand     = "-" operand | NUMBER | NAME [ "[" [ expr { sep expr } ] "]" ]
//	            | FUNCTION "(" expr { sep expr } ")" | "(" expr ")"
//	            | "sum" "{" NAME "}" "_" bound "^" bound operand
//	            | "if" "{" relation "}" "then" expr "else" expr
//	            | "[" relation { sep relation } "]"
//	relation    = expr ( "=" | "!=" | "<=" | ">=" | "<" | ">" ) expr
//	bound       = "-" bound | NUMBER | NAME | FUNCTION ( "(" | "[" ) .. | "(" expr ")"
//	sep         = ";" | ","
//
// A power binds strongest and to the right, its exponent may carry a sign; then come
// signs, products and quotients, sums. The body of a sum is one operand, in practice
// one in parentheses; both branches of a conditional reach as far as they can.
package index
