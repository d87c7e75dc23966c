// Package syntax reads and prints the Einstein language: programs of tensor
// expressions in index products, matrix notation and functions.
//
//	declare X[m,n] y[m] w[n]
//	let r = X *(ij,j->i) w - y
//	expression f = 1/m * sum(r .^ 2)
//	derivative wrt w
//
// [Parse] gives a [File] of statements whose expressions are trees of [Expr],
// every node with the span it was written at; [Print] and [PrintFile] give the
// text back, so that parsing what was printed gives an equal tree. Names, kinds
// of tokens and shapes of statements are all that this package knows: orders and
// sizes are the business of package syntax/elab.
//
// Words used throughout:
//
//   - order: the number of axes of a tensor; a scalar has order 0.
//   - index group: the `*(ij,j->i)` of an index product. It is one token.
//   - chain: operands of one precedence level in a row, `a + b - c`. A chain is
//     one node with a flat list, however long it is.
//
// # Grammar
//
// Blanks and newlines separate tokens and mean nothing else; `#` starts a comment.
//
//	program     = { declare | let | expression | request | definition }
//	declare     = "declare" { NAME ( NUMBER | "[" [ expr { "," expr } ] "]" { attribute [ "(" expr ")" ] } ) }
//	let         = "let" NAME "=" expr
//	expression  = "expression" [ NAME "=" ] expr
//	request     = ( "derivative" | "gradient" | "hessian" | "jvp" | "vjp" | "hvp" |
//	                "diag-hessian" | "gauss-newton" )
//	              "wrt" NAME { "," NAME } [ "order" NUMBER ] [ "along" NAME ] [ "through" NAME ]
//	definition  = [ "let" | "expression" ] NAME "[" ... "]" "=" ...   see package syntax/index
//	expr        = sum [ ( ">" | ">=" | "<" | "<=" | "==" | "!=" ) sum ]
//	sum         = product { ( "+" | "-" ) product }
//	product     = unary { ( "*" | "/" | ".*" | "./" | "*(s,s->s)" ) unary | "*(s->s)" }
//	unary       = "-" unary | power
//	power       = postfix [ ( "^" | ".^" ) exponent ]
//	exponent    = "-" exponent | power
//	postfix     = atom { "'" | subscripts }
//	subscripts  = "[" subscript { ( "," | ";" ) subscript } "]"
//	subscript   = expr | [ expr ] ":" [ expr ] [ ":" [ expr ] ]
//	atom        = NAME | NUMBER [ sizes ] | "delta" ( "(" NUMBER ")" | sizes )
//	            | FUNCTION "(" expr { "," expr } [ "," "axis" "=" [ "-" ] NUMBER ] ")"
//	            | "einsum" "(" s { "," s } "->" s ";" expr { "," expr } ")" | "(" expr ")"
//	            | "[" expr { "," expr } { ";" expr { "," expr } } "]"
//	sizes       = "[" expr { "," expr } "]"
//
// The tokens are found by a hand-written [Lexer] behind participle's lexer
// interface. participle reads statements, operands and operators, with no
// backtracking; operators are put into trees by precedence afterwards. Nesting is
// counted by the lexer, before anything recurses.
package syntax
