// Package proof checks derivations that others have made. It shares no code with what finds steps:
// neither with the matcher nor with the normal form. What it does share are the terms themselves: the
// constructors of package combinators, and the definitions of exchange, fusion, solving and lifting,
// there and in package einsum. A mistake in one of these would be made twice; they are tested by
// brute force where they stand.
//
// A [Certificate] is a derivation as JSON: a table of the terms that occur in it, and for each step
// the rule, what it rewrites, what it makes of that, and the substitution of the rule's
// metavariables. [Check] builds the terms anew, in a store of its own and through the constructors
// that check types, and looks at every step by itself:
//
//   - a rule's two sides are instantiated by the substitution and compared with the terms before and
//     after, and its side conditions are decided;
//   - a native schema is computed anew by its definition, or both terms are brought to a canonical
//     sum of products (see [algebra]);
//   - the whole term after the step is the one before with the rewritten part replaced;
//   - a part of a derivation begins where its law says that it begins: the adjoint part with the
//     adjoint of what the derivative part ends with, and so on.
//
// What a step may presume of signs, since the program is undefined elsewhere, is listed with it,
// and must follow from the program.
package proof
