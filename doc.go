// Package frechet differentiates tensor expressions: from text to typed terms, to
// derivatives as formulas that a person would write, to numbers that are checked.
//
//	f, err := frechet.Parse("declare X[m,n] w[n] expression sum((X*w) .^ 2) derivative wrt w")
//	g, err := f.Gradient("w")              // a formula
//	text, err := g.Text("text")            // 2*X'*(X*w)
//	p, err := frechet.Compile(g, frechet.Sizes{"m": 1000, "n": 64})
//	out, err := p.Run(ctx, frechet.Env{"X": X, "w": w})
//
// A program ([Func]) has parameters and expressions. Its derivative at a point is a
// linear map ([Linear]) from changes of the parameters to changes of the value; the
// adjoint of that map takes a cotangent, of the value's shape, to a value of the
// parameter's shape. A gradient is the adjoint at 1, a Jacobian the map as a tensor;
// both are formulas ([Term]), which print in several notations and compile to programs
// ([Program]) over dense tensors.
//
// A Jacobian, a Hessian or a Gauss-Newton matrix is a linear map too ([LinearMap]), with
// its factors and equalities, and is applied and solved without its entries. Minimize
// finds minima with them.
//
// The axes of a derivative are those of the output, then those of the argument. The
// gradient of a scalar has the argument's shape. Where a function has a kink, a
// convention decides, and results say which conventions they used: [Conventions].
//
// Errors about what a user wrote are of type [*Error], with a code, a kind and a place
// in the text. A Func and its terms share a store that grows while derivatives are
// formed: form them from one goroutine. Programs may run from many at once.
package frechet
