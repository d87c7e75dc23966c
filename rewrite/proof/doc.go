// Package proof checks derivations that others have made: a [Derivation] and the rule files by which it
// was made come in, what was checked ([Summary]) or the first step that does not follow goes out. It
// never looks for a step, and shares no code with what finds steps, neither with the matcher nor with
// the normal form. What it does share are the terms themselves: the constructors of package combinators,
// the definitions of exchange, fusion, solving and lifting, there and in package einsum, and the table of operations
// (combinators/atom): what sign a function has, where it has a value, its exact values. A mistake in
// one of these would be made twice; contractions are tested by brute force where they stand, and each column of the table
// against the function on numbers, for all rows.
//
// The terms of a derivation stand in a store that the checker's caller has made for them (package
// proof/json builds them of a certificate). [Check] looks at every step by itself:
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
