// Package frechet differentiates tensor expressions: from text to typed terms, to derivatives as
// formulas that a person would write, to numbers that are checked. What one needs first:
//
//	f, err := frechet.Parse("declare X[m,n] w[n] expression sum((X*w) .^ 2)") // a program, a Func
//	g, err := f.Gradient("w")                  // a formula, a Term; also Jacobian and Hessian
//	text, err := g.Text("latex")               // in a notation of Formats; g.String() is 2*X'*X*w
//	p, err := frechet.Compile(g, nil)          // a Program over dense tensors
//	out, err := p.Run(ctx, frechet.Env{"X": X, "w": w})
//	r, err := f.Derive(ctx, frechet.Query{Wrt: []string{"w"}, Order: 2}) // all derivatives to an order
//	c, err := r.Check(ctx, env)                // beside finite differences
//	l, err := f.HessianMap("w")                // a LinearMap: l.Apply(v), l.Solve(b, nil), no entries
//	m, err := f.Minimize(ctx, env, frechet.MinimizeOptions{Wrt: []string{"w"}})
//
// [Parse] reads a program: expressions over parameters. [Func.Gradient], [Func.Jacobian],
// [Func.Hessian] and [Func.Derive] give formulas; [Term.Text] prints them, [Compile] makes programs of
// them, [Reply.Check] tests them. A derivative at a point is a linear map from changes of the
// parameters to changes of the value, and its adjoint takes a cotangent, of the value's shape, to a
// value of the parameter's shape. As a [LinearMap] it is applied, transposed and solved by its factors,
// without its entries. [Func.Minimize] finds minima with them.
//
// Further: [Func.Steps] derives rule by rule and [Replay] checks a derivation, [Func.Plan] says what a
// result costs, [Batch] answers requests as JSON, [CheckRules] adds rules of one's own. docs/api.md
// lists everything by what it is for.
//
// The axes of a derivative are those of the output, then those of the argument. The gradient of a
// scalar has the argument's shape. Where a function has a kink, a convention decides, and results say
// which conventions they used: [Conventions].
//
// Errors about what a user wrote are of type [*Error], with a code, a kind and a place in the text. A
// Func and its terms share a store that grows while derivatives are formed: form them from one
// goroutine. Programs may run from many at once.
package frechet
