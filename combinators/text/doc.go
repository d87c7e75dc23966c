// Package text reads and prints the terms of the calculus, and the files in which its rules stand.
//
// One grammar serves values, closed combinators and both sides of rules. A value is written as
//
//	1/2  2[m,n]  x  sin(x)  power[-1/2](x)  a .* b  a ./ b  a .^ b  -a  a + b  a - b
//	ein(ij,jk->ik; a, b)       a contraction: indices of the operands, of the result, operands
//	ein(...ij,...j->...i; a, x)  "..." stands for leading batch axes, the same in every group
//	ein(~,~->; a, b)           "~" stands for all axes that are left, the same in every group
//	ein(i->ij|j=n; x)          a new letter of the result needs its size
//	ein([i+j:n],[j:k]->[i:m]|i=m,j=k,i-j>=0; x, y)  axes as affine forms with their sizes, conditions
//	let y = sin(x); z = y .* y in z + y
//
// and a closed combinator, that is, a function without variables, as
//
//	g . f        composition              f x g     product: (f x g)(u, v) = (f(u), g(v))
//	<f, g>       pairing                  [f, g]    copairing
//	f^[m,n]      copower                  f + g     sum of maps
//	pi1  iota2  id  dup  K(3)             projections, injections, identity, copying, constants
//	*(ij,j->i)   a contraction as a map   (u *(ij,j->i) _)  its section at u
//	f(x)         application              D(f)(x)   application of what a call denotes
//	prod{k}(f[k])  a family: prod, pair, copair, sum or tuple over k
//
// Names, attributes in brackets and sizes are uninterpreted here: the package knows the shape of
// terms and nothing of the calculus. Unicode spellings (∘ • × ⊕ ⟨ ⟩ π₁ ι₂ Σ Δ Π → →₂ ⊸ ⇒) are read as
// their ASCII ones, and printed on request.
//
// Precedence, loosest first: let, + and -, x, products (.* ./ and infix contractions), unary
// minus, composition, .^ (which associates to the right), application and copower.
// What is printed reads back as the same term.
package text
