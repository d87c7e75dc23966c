package conformance_test

import (
	"context"
	"frechet/internal/requests"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet"
)

// What is printed in combinators reads back as a program with the same values.
func TestCombinatorsReadBack(t *testing.T) {
	ctx := context.Background()
	for _, src := range []string{
		"declare x 1 expression sum(sin(x)) derivative wrt x",
		"declare X[m,n] y[m] w[n] expression sum(log(exp(-y .* (X*w)) + 1)) derivative wrt w",
		"declare A[n,n] x[n] expression x'*A*x derivative wrt x order 2",
		"declare A[n,n] expression logdet(A) derivative wrt A",
		"declare A[n,n] expression A *(ii->) derivative wrt A",
		"declare A[m,n] expression softmax(A, axis=1) derivative wrt A",
		"declare x[n] expression norm2(x) derivative wrt x order 2",
		"declare x[] expression 3 derivative wrt x",
		"declare x[n] expression relu(x) .^ 3 derivative wrt x",
	} {
		f, err := frechet.Parse(src)
		require.NoError(t, err, src)
		r, err := f.Derive(ctx, frechet.Query{Order: frechet.AnyOrder})
		require.NoError(t, err, src)
		for _, d := range append(r.Outputs[0].Derivs, frechet.Deriv{Term: r.Outputs[0].Value}) {
			printed, err := d.Term.Text("combinators")
			require.NoError(t, err, src)
			require.Equal(t, numbers(t, src, d), numbers(t, printed, frechet.Deriv{}), printed)
		}
	}
}

// numbers evaluates the value or a derivative of a program at a fixed point.
func numbers(t *testing.T, src string, d frechet.Deriv) []float64 {
	ctx := context.Background()
	language := frechet.WithLanguage("auto")
	if strings.Contains(src, " : ") {
		language = frechet.WithLanguage("combinators")
	}
	f, err := frechet.Parse(src, language)
	require.NoError(t, err, src)
	sizes := frechet.Sizes{}
	for _, s := range f.Symbols() {
		sizes[s] = 2
	}
	env := frechet.Env{}
	for _, p := range f.Params() {
		x := &frechet.Tensor{Data: []float64{1}}
		for range p.Axes {
			x.Shape = append(x.Shape, 2)
			x.Data = append(x.Data, x.Data...)
		}
		for i := range x.Data {
			x.Data[i] = 1 / float64(i+len(p.Name)) // the determinant is positive
		}
		env[p.Name] = x
	}
	f, err = frechet.Parse(src, language, frechet.WithDims(frechet.DimsOf(env)))
	require.NoError(t, err, src)
	r, err := f.Derive(ctx, frechet.Query{Wrt: d.Wrt[:min(1, len(d.Wrt))], Order: d.Order})
	require.NoError(t, err, src)
	term := r.Outputs[0].Value
	if d.Order > 0 {
		term = r.Outputs[0].Derivs[d.Order-1].Term
	}
	values, _, err := r.Evaluate(ctx, []*frechet.Term{term}, env)
	require.NoError(t, err, src)
	out := make([]float64, len(values[0].Data))
	for i, v := range values[0].Data {
		out[i] = math.Round(v*1e8) / 1e8
	}
	return out
}

func TestCombinatorsInBatch(t *testing.T) {
	answers := requests.Ask(t, nil,
		`{"language":"combinators","input":"f(x) : R[n] -> R = *(i,i->) . dup . sin","values":{"x":[0,1]},"wrt":"x"}`,
		`{"language":"combinators","input":"f(x) : R[n] -> R = *(i,i->) . dup . sine","values":{"x":[0,1]},"wrt":"x"}`,
		`{"language":"combinators","input":"declare A[2,2] f : R[2] -o R[2] = (A *(ij,j->i) _)","values":{"A":[1,2,3,4],"x":[1,1]},"wrt":"x","format":"combinators"}`,
		`{"language":"combinators","input":"f(x) : R[n] -> R[n] = sin","dims":{"x":[2,3]}}`)
	assert.InDeltaSlice(t, []any{0.0, 0.9092974268256817}, requests.At(answers[0], "derivative.data"), 1e-12)
	assert.Equal(t, "undeclared-variable", requests.At(answers[1], "error.kind"))
	assert.Equal(t, 37.0, requests.At(answers[1], "error.column"))
	assert.Equal(t, []any{3.0, 7.0}, requests.At(answers[2], "value.data"))
	assert.Equal(t, []any{1.0, 2.0, 3.0, 4.0}, requests.At(answers[2], "derivative.data"))
	assert.Equal(t, "T016", requests.At(answers[3], "error.code"))
}

// Every kind of wrong program is an error of the user with a place, never a crash.
func TestCombinatorErrors(t *testing.T) {
	for src, want := range map[string]string{
		"":                                                      "defines nothing",
		"f : R[n] -> R[n] =":                                    "ends too early",
		"f : R[n] -> = sin":                                     "ends too early",
		"sin":                                                   "space of the argument is not known",
		"f : S -> R = sin":                                      "is no space",
		"f : R[n] -> R[n] = g":                                  "g is no map",
		"f : R[n] -> R[m] = sin":                                "R[n] -> R[n]",
		"f : R[n] -o R[n] = cos":                                "only known as a map",
		"sin : R -> R = cos":                                    "a meaning already",
		"f(a, b) : R -> R = sin":                                "2 names",
		"f : R x R -> R = sin":                                  "1 open operand",
		"f : R[n] -> R[n] = sin wrt":                            "cannot stand here",
		"declare x[n] f : R[n] -> R[n] = x":                     "is a value",
		"f : R -> R = sin derivative wrt y":                     "neither declared",
		"f : R[2] -> R[2] = red{(0)}":                           "1 index",
		"f : R[2] -> R[2] = red{0,1":                            "a relation is written",
		"f : R[2] -> R[2] = red{(i,j) | i}":                     "is no condition",
		"f : R[2] -> R[2] = red{(i,j) | i ! j}":                 "is no condition",
		"f : R[4] -> R[4] = red{(2*i,3*i)}":                     "i is not determined by the indices",
		"f : R[4] -> R[4] = red{(i,j) | k < 2}":                 "k is no index of the relation, and no size",
		"f : R[4] -> R[4] = red{(i,j),(i,j,k)}":                 "lists of 2 and of 3 indices",
		"f : R[4] -> R[4] = red{(i,2147483648*(2147483648*i))}": "no affine form",
		"f : R[4] -> R[4] = red{(i,j) | " + strings.Repeat("i != 2*j, ", 9) + "i != j}": "split it into more than 256 sets",
		"f : R -> R = let x = sin . x in x":                                             "defined by itself",
		"f : R -> R = adjoint()":                                                        "needs an argument",
		"f : R[n] -> R[n] = scan[k]":                                                    "",
		"f : R[n] -> R = D(sin)":                                                        "",
		"f : R[n] -> R[n] = adjoint(sin)":                                               "not linear",
		"declare x[n] y[m] c : R[n] = x .* y":                                           "element-wise product of shapes [n] and [m]",
		"declare x[n] c : R[n] = inv(x)":                                                "inv of a value of shape [n]",
		"declare x[n] c : R[n] = sin . x":                                               "sin . x is a map, where a value is needed",
		"declare x[n] c : R[m] = x":                                                     "its type is R[m]",
		"declare x[n] c : R[n] x R[n] = x":                                              "its type is R[n] x R[n]",
		"declare x[n] f : R[n] -> R[m] = f(x)":                                          "f(x) is no map",
		"declare x[n] c : R[n] = (sin x cos)(x)":                                        "2 maps side by side on R[n], which has no components",
		"declare x[n] c : R[n] = dup(x)":                                                "the value is of R[n] x R[n]",
		"declare x[n] c : R[n] = D(sin)(x)":                                             "D(sin)(x) is a map, where a value is needed",
		"f : R[n] -> R[n] = sin(sin)":                                                   "is a map, where a value is needed",
		"f : (U x R) (x) R[n] -> R = sin":                                               "has no tensor product",
		"f : R[n] -> R[n] = sin jvp wrt x":                                              "needs a direction",
		"declare v[m] f : R[n] -> R[n] = sin jvp wrt x along v":                         "it needs those of x, [n]",
		"declare v[m] f : R[n] -> R[n] = sin vjp wrt x along v":                         "it needs those of the expression, [n]",
		"declare v[n] f : R[n] -> R[n] = sin jvp wrt x along u":                         "u is neither declared",
		"declare v[n] f : R[n] -> R[n] = sin jvp wrt x, v along v":                      "takes one variable",
		"declare v[n] f : R[n] -> R[n] = sin derivative wrt x along v":                  "takes no direction",
		"f : R[n] -> R = sum diag-hessian wrt x through f":                              "is not split",
		"f : R[n] -> R = sum diag-hessian wrt x order 2":                                "has no order",
		"f : R[n]" + strings.Repeat("^[1]", 3000) + " -> R = sum":                       "",
		"f : " + strings.Repeat("(R x R) (x) ", 40) + "R -> R = sum":                    "more than 10000 spaces",
		"declare x[] c : R = let g = sin; y = g(x) in let z = g(y, y) in z":             "1 open operand",
		"declare x[] c : R = let g = sine . sin in g(x)":                                "sine is no map",
		"declare A[m,n] B[n,n] f : R[n] -> R[m] = (A * B)":                              "a product names its indices",
		"declare A[m,n] f : R[n] -> R[m] = (A, A *)":                                    "a section of a product has one operand",
		"declare A[m,n] f : R[n] -> R[m] = (* A A)":                                     "a section of a product has one operand",
		"declare A[m,n] f : R[m] -> R[n] = (A *)":                                       "(A *): the last axes of the left side are [n], the first of the right side [m]",
		"declare v[n] f : R[n] -> R[n] = (* v)":                                         "(* v) of shapes [n] and [n] has no value of shape [n]",
		"f : R -> R = " + strings.Repeat("(", 2000):                                     "nested",
	} {
		_, err := frechet.Parse(src, frechet.WithLanguage("combinators"))
		var e *frechet.Error
		require.ErrorAs(t, err, &e, src)
		assert.Contains(t, e.Message, want, src)
		assert.NotEqual(t, "L010", string(e.Code), src)
	}
	for src, help := range map[string]string{
		"declare A[m,n] f : R[n] -> R[m] = (A *(ij,j->i))": "what is open in a section is written _",
		"f : R[n] -> R[n] = (+ 1)":                         "what is open in a section is written _",
		"f(x) : R[n] -> R[n] = sin . K(x)":                 "x is the argument of f, and maps are written without their arguments",
		"f : R[n] -> R[n] = sin . K(x)":                    "values are declared with their sizes",
	} {
		_, err := frechet.Parse(src, frechet.WithLanguage("combinators"))
		var e *frechet.Error
		require.ErrorAs(t, err, &e, src)
		assert.Contains(t, e.Help, help, src)
	}
	long := "f : R -> R = sin" + strings.Repeat(" . sin", 50_000)
	_, err := frechet.Parse(long, frechet.WithLanguage("combinators"))
	require.NoError(t, err)
}

// A program in combinators, and one of the Einstein language with the same outputs.
func TestCombinatorPrograms(t *testing.T) {
	const declared = "declare A[m,n] B[n,n] x[n] y[n] u[m] c[] v[n] "
	for closed, einstein := range map[string]string{
		// maps applied in values
		"f : R[n] -> R[n] = sin  z : R[n] = f(x) + f(f(y))":                        "expression sin(x) + sin(sin(y))",
		"z : R[m] = (tanh . *(ij,j->i))(A, x)":                                     "expression tanh(A*x)",
		"z : R[n] = D(sin . tanh)(x)(v)":                                           "expression cos(tanh(x)) .* (1 - tanh(x)^2) .* v",
		"L : R[n] -o R[m] = (A *(ij,j->i) _)  z : R[n] = adjoint(L)(u)":            "expression A'*u",
		"L : R[n] -o R[m] = (A *(ij,j->i) _)  z : R[n] = (adjoint(L) . L)(x)":      "expression A'*A*x",
		"p : R[n] x R[m] = (x, u)  f : R[n] x R[m] -> R[m] = pi2  z : R[m] = f(p)": "expression u",
		"z : R[n] = let g = sin; w = g(x) in (g . g)(w) + w":                       "expression sin(sin(sin(x))) + sin(x)",
		"z : R = sum(A) + sum(x)":                                                  "expression sum(A) + sum(x)",
		"z : R[n] = 3":                                                             "expression 0 .* x + 3",
		"z : R[n] = plus(x, y) + pi1(dup(x))":                                      "expression x + y + x",
		"f(x) : R[n] -> R[n] = power[1/2] . (K(1) - K(c) + power[2])":              "expression sqrt(x.^2 + 1 - c)",
		// tensor products
		"z : R[m,n] = u (x) (x + y)":                                           "expression u*(x + y)'",
		"z : R[m,n] = c .* u ⊗ x - (u (x) _)(y)":                               "expression c*u*x' - u*y'",
		"z : R[n,n] = x (x) x  w : R[n] = sin (x)":                             "expression x*x' expression sin(x)",
		"z : R[n,n,n] = x (x) x (x) x":                                         "expression (x *(i,j->ij) x) *(ij,k->ijk) x",
		"z : R[m,n] x R[n,n] = (u, x) (x) y":                                   "expression u*y' expression x*y'",
		"f(x) : R[n] -> R[n,n] = sin (x) cos":                                  "expression sin(x)*cos(x)'",
		"f(x) : R[n] -> R[m,n] = u (x) sin":                                    "expression u*sin(x)'",
		"f(u, x) : R[m] x R[n] ->2 R[m] (x) R[n] = ⊗":                          "expression u*x'",
		"z : R[n] = D(sin) (x) (v)  w : R[n] x R[n] = (D(sin) (x) x id)(v, y)": "",
		// products of maps
		"f(x) : R[n] -> R[n] = sin .* cos ./ exp":                    "expression sin(x) .* cos(x) ./ exp(x)",
		"f(x) : R[n] -> R[n] = c .* sin .^ 2 + x .* id":              "expression c * sin(x)^2 + x .* x",
		"f(A, x) : R[m,n] x R[n] -> R[m] = pi1 *(ij,j->i) sin . pi2": "expression A*sin(x)",
		"f(x) : R[n] -> R[n] = sin + K(1)":                           "expression sin(x) + 1",
		// unitary operators
		"f(A) : R[m,n] -o R[n,m] = transpose":                                                            "expression A'",
		"f(x, y, u, v) : (R[n] x R[n]) x (R[m] x R[n]) -o R[m] x R[n] = pi2 . unzip . zip":               "expression u expression v",
		"f(x, u) : R[n] x R[m] -o R[n] x R[m] = unzip . <<id . pi1, pi2>, <pi1, pi2>> . <pi1, pi2> . id": "",
		"f(A) : R[m] (x) R[n] -o R[m,n] = unassoc . assoc . unitl . ununitr":                             "expression A",
		"f(B) : R[n]^[n] -> R[n,n] = inv . id":                                                           "expression inv(B)",
		"f(x, y) : (R x R)^[n] -> R[n] x R[n] = (sin x cos)^[n]":                                         "expression sin(x) expression cos(y)",
		"f(x, u) : R[n] ⊗ R × R[m] ⊸ R[n] ⊕ R[m] = Π(id, (2 .* _))":                                      "expression x expression 2*u",
		"f(x, u) : R[n] x R[m] -o R[n] x R[m] = delta(id, (2 .* _))":                                     "expression x expression 2*u",
	} {
		if einstein == "" {
			_, err := frechet.Parse(declared+closed, frechet.WithLanguage("combinators"))
			assert.Error(t, err, closed)
			continue
		}
		f, err := frechet.Parse(declared + closed)
		require.NoError(t, err, closed)
		g, err := frechet.Parse(declared + einstein)
		require.NoError(t, err, einstein)
		ctx := context.Background()
		got, err := f.Derive(ctx, frechet.Query{})
		require.NoError(t, err)
		want, err := g.Derive(ctx, frechet.Query{})
		require.NoError(t, err)
		require.Equal(t, len(want.Outputs), len(got.Outputs), closed)
		for i := range want.Outputs {
			assert.Equal(t, want.Outputs[i].Value.String(), got.Outputs[i].Value.String(), closed)
		}
	}
}

// Requests in combinator programs give what the same requests give in the Einstein language.
func TestCombinatorRequests(t *testing.T) {
	const closed = "declare A[m,n] v[n] u[m] f(x) : R[n] -> R[m] = sin . (A *(ij,j->i) _) "
	const scalar = "declare A[m,n] v[n] f(x) : R[n] -> R = *(i,i->) . dup . sin . (A *(ij,j->i) _) "
	for src, want := range map[string]string{
		closed + "jvp wrt x along v":   "cos(A*x) .* (A*v)",
		closed + "vjp wrt x along u":   "A'*(u .* cos(A*x))",
		scalar + "hvp wrt x along v":   "2*A'*((A*v) .* (cos(A*x)^2 - sin(A*x)^2))",
		scalar + "diag-hessian wrt x":  "",
		scalar + "gauss-newton wrt x":  "",
		scalar + "hessian wrt x":       "",
		scalar + "derivative wrt x, A": "",
	} {
		f, err := frechet.Parse(src)
		require.NoError(t, err, src)
		r, err := f.Derive(context.Background(), frechet.Query{Order: frechet.AnyOrder})
		require.NoError(t, err, src)
		require.NotEmpty(t, append(r.Outputs[0].Derivs, r.Outputs[0].Parts...), src)
		if want != "" {
			assert.Equal(t, want, r.Outputs[0].Parts[0].Term.String(), src)
		}
	}
}

// Maps in programs of the Einstein language are applied like functions.
func TestMapsInPrograms(t *testing.T) {
	const declared = "declare A[m,n] B 2 x[n] y[m] v[n] "
	for src, want := range map[string]string{
		"map L : R[n] -o R[m] = (A *(ij,j->i) _) expression L(x) + y":                                     "expression A*x + y",
		"map L : R[n] -o R[m] = (A *(ij,j->i) _) map N : R[n] -o R[n] = adjoint(L) . L expression N(2*x)": "expression A'*A*(2*x)",
		"let u = sin(x) map d : R[n] -o R[n] = D(sin)(u) expression d(v)":                                 "let u = sin(x) expression cos(u) .* v",
		"map p : R[m,n] x R[n] ->2 R[m] = *(ij,j->i) expression p(A, x)":                                  "expression A*x",
		"map s : R[k] -o R[k] = (3 .* _) expression s(B*x)":                                               "expression 3*B*x",
		"map f : R[n] -> R[n] = let g = sin; h = g . g in h let z = f(x) expression z .* z":               "let z = sin(sin(x)) expression z .* z",
		"map f : R[n] -> R[n] = sin expression f(2) + x":                                                  "expression x + sin(2[n])",
		"map f : R[n,n] -> R[n,n] = inv expression tr(f(x*x' + 1))":                                       "expression tr(inv(x*x' + 1))",
		"map unused : R[j] -> R[j] = sin expression x":                                                    "expression x",
	} {
		var texts []string
		for _, src := range []string{src, want} {
			f, err := frechet.Parse(declared + src)
			require.NoError(t, err, src)
			texts = append(texts, f.Value().String())
			sized, err := frechet.Parse(declared+src, frechet.WithDims(frechet.Dims{"A": {3, 2}, "B": {3, 2}, "x": {2}, "y": {3}, "v": {2}}))
			require.NoError(t, err, src)
			require.NotNil(t, sized.Value())
		}
		assert.Equal(t, texts[1], texts[0], src)
	}
	for src, want := range map[string]string{
		"map f : R[n] -> R[n] = sine expression f(x)":                      "1:58: error[N002]: sine is no map",
		"map f : R[n] -> R[n] = sin expression f(y)":                       "1:75: error[T012]: sizes differ: axis 0 of y is m, and n in argument 1 of f",
		"map f : R[n] -> R[n] = sin expression f(A)":                       "1:75: error[T007]: A has order 2, but argument 1 of f has order 1",
		"map f : R[n] -> R[n] = sin expression f + x":                      "1:73: error[N002]: f is a map, where a value is needed",
		"map f : R[n] -> R[n] = sin expression f(x, x)":                    "1:73: error[S013]: f takes 1 argument and no axis",
		"map f : R[n] -> R[n] = sin expression f(x, axis=0)":               "f takes 1 argument and no axis",
		"map f : R[n] -> R[n] x R[n] = dup expression f(x)":                "error[T007]: f gives a tuple",
		"map f : R[n] -> R[m] = sin expression f(x)":                       "1:58: error[T012]: the term is a map R[n] -> R[n]",
		"map f : R[n] -> = sin expression x":                               "1:51: error[S002]: the text ends too early",
		"map f : R[n] = x expression x":                                    "a map is defined by its type",
		"map f : R[1/2] -> R[n] = sin expression x":                        "error[T008]",
		"map f : S -> R[n] = sin expression x":                             "error[",
		"map x : R[n] -> R[n] = sin expression x":                          "1:39: error[N001]: x is already a variable",
		"map tr : R[n] -> R[n] = sin expression x":                         "error[N001]: tr is a function already",
		"map dup : R[n] -> R[n] = sin expression x":                        "error[N001]: dup has a meaning",
		"map f : R[n] -> R[n] = sin let f = x expression f":                "error[N001]: f is already a map",
		"map f : R[n] -> R[n] = f expression x":                            "f is no map",
		"map f : R[n] -> R[n] = g map g : R[n] -> R[n] = sin expression x": "g is no map",
		"map f : R[n] -o R[n] = sin expression x":                          "only known as a map",
		"map f : R[n] -> R[n] = sin z[i] = f[i]":                           "error[",
		"map f : R[n] -> R[n] = sin expression x derivative wrt f":         "f is a map, not a declared variable",
	} {
		_, err := frechet.Parse(declared + src)
		var e *frechet.Error
		require.ErrorAs(t, err, &e, src)
		assert.Contains(t, err.Error(), want, src)
		assert.NotEqual(t, "X001", string(e.Code), src)
	}
}
