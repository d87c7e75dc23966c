// Package denote gives terms (package combinators/text) their meaning. A term and what its names stand
// for ([Env]) come in; a node, a value, a space or a closed map goes out, built by the constructors of
// package combinators. It never rewrites what it builds, and knows no calculus: what derivatives and
// adjoints in a map that is applied amount to, its caller says ([Calculus]).
//
//	[ReadNode]        sin(x) .* x           a node: the columns of the table of atoms, both sides of rules on values
//	[Instantiate]  f . <g, id>           a closed map: right sides of rules on maps
//	[ReadMap]      tanh . (A * _)        a closed map as users write it: with sections, standard maps, lets
//	[ReadValue]    D(f)(x)(dx)           a value, or a tuple, in whose text maps are applied
//	[ReadSpace]    R[m,n] x R            a space
package denote
