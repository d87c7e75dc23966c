package frechet_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"strings"

	"frechet"
)

func Example() {
	f, err := frechet.Parse("declare X[m,n] w[n] expression sum((X*w) .^ 2) derivative wrt w")
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := f.Gradient("w")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g)
	p, err := frechet.Compile(g, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := p.Run(context.Background(), frechet.Env{
		"X": {Shape: []int{2, 2}, Data: []float64{1, 2, 3, 4}},
		"w": {Shape: []int{2}, Data: []float64{1, -1}},
	})
	fmt.Println(out, err)
	// Output:
	// 2*X'*X*w
	// [2][-8 -12] <nil>
}

func ExampleParse_error() {
	src := "declare A[2,3] x[2] expression A *(ij,j->i) x"
	_, err := frechet.Parse(src)
	fmt.Print(frechet.FormatError(err, "model.fr", src, false))
	// Output:
	// error[T012]: sizes differ in a product: j is 3 in A and 2 in x
	//  --> model.fr:1:39
	//   |
	// 1 | declare A[2,3] x[2] expression A *(ij,j->i) x
	//   |                                       ^ j = 2 here
	//   |         ------ A has axes [2,3], so j = 3
	//   |                ---- x has axes [2]
	// help: contract the other axis of A: A *(ji,j->i) x
}

func ExampleFunc_Derivative() {
	f, _ := frechet.Parse("declare A[m,n] x[n] expression sin(A*x)")
	df, err := f.Derivative("x") // a linear map from changes of x to changes of the value
	if err != nil {
		fmt.Println(err)
		return
	}
	push, _ := df.Outputs()
	fmt.Println(df.Inputs(), push[0])
	adjoint, _ := df.Adjoint()
	pull, _ := adjoint.Outputs()
	fmt.Println(adjoint.Inputs(), pull[0])
	// Output:
	// [dx] cos(A*x) .* (A*dx)
	// [w1] A'*(w1 .* cos(A*x))
}

func ExampleFunc_Hessian() {
	f, _ := frechet.Parse("declare A[n,n] x[n] expression x'*A*x")
	h, err := f.Hessian("x")
	fmt.Println(h, h.Shape(), err)
	// Output:
	// A + A' [n n] <nil>
}

// A user's rules are put to the test, and then used beside those of the program.
func ExampleCheckRules() {
	file := frechet.RuleFile{Name: "own.rules", Text: `
rule double "double argument" [x: S] cosh(x) .^ 2 + sinh(x) .^ 2 => cosh(2 .* x)
rule quotient "exp is a homomorphism" [x y: S] exp(x) ./ exp(y) => exp(x - y)`}
	rules, err := frechet.CheckRules(context.Background(), file, false)
	if err != nil {
		fmt.Print(frechet.FormatError(err, "", "", false)) // the line with the place, or the counterexample
		return
	}
	for _, w := range rules.Warnings() {
		fmt.Println(w.Line, w.Column, w.Message)
	}
	f, _ := frechet.Parse("declare x[] expression cosh(x)^2 + sinh(x)^2", frechet.WithRules(rules))
	d, err := f.Steps()
	if err != nil {
		fmt.Println(err)
		return
	}
	for s := range d.Steps() {
		if s.Rule == "double" {
			fmt.Println(s.Reason())
		}
	}
	// Output:
	// 3 48 rule quotient: it is never applied: terms like its left side are brought to exp(x) .* exp(y .* -1), by exp-power; write that on the left
	// double: double argument
}

// A function that a program declares by its type stands for itself in formulas. Numbers come from Go, those of the
// derivative, too.
func ExampleWithFunctions() {
	functions := map[string]frechet.Function{
		"h":  frechet.Entrywise(func(x float64) float64 { return x * math.Atan(x) }),
		"h'": frechet.Entrywise(func(x float64) float64 { return math.Atan(x) + x/(1+x*x) }),
	}
	f, _ := frechet.Parse("declare x[n] primitive h : R -> R expression sum(h(x))", frechet.WithFunctions(functions))
	g, _ := f.Gradient("x")
	fmt.Println(g)
	env := frechet.Env{"x": {Shape: []int{2}, Data: []float64{0, 1}}}
	p, _ := frechet.Compile(g, nil)
	out, err := p.Run(context.Background(), env)
	fmt.Printf("%.4f %v\n", out.Data, err)
	r, _ := f.Derive(context.Background(), frechet.Query{Wrt: []string{"x"}, Order: 1})
	c, err := r.Check(context.Background(), env)
	fmt.Println(c.OK(), err)
	m, err := f.Minimize(context.Background(), env, frechet.MinimizeOptions{Wrt: []string{"x"}})
	fmt.Printf("%.4f %v\n", m.Value, err)
	// Output:
	// h'(x)
	// [0.0000 1.2854] <nil>
	// true <nil>
	// 0.0000 <nil>
}

// A program is compiled once, with numbers for the sizes that its values leave open, and run on any data.
func ExampleCompile() {
	f, _ := frechet.Parse("declare x[n] expression sum(x) + n")
	g, _ := f.Gradient("x")
	fmt.Println(g)
	p, err := frechet.Compile(g, frechet.Sizes{"n": 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := p.Run(context.Background(), frechet.Env{"x": {Shape: []int{3}, Data: []float64{5, 6, 7}}})
	fmt.Println(out, err)
	// Output:
	// ones(n)
	// [3][1 1 1] <nil>
}

func ExampleFunc_Jacobian() {
	f, _ := frechet.Parse("declare A[m,n] x[n] expression A*x")
	j, err := f.Jacobian("x", frechet.Forward)
	fmt.Println(j, j.Axes(), err)
	// Output:
	// A [{ 0 m} {x 0 n}] <nil>
}

func ExampleFunc_Derive() {
	f, _ := frechet.Parse("declare a 0 b 0 expression a^2 * b")
	r, err := f.Derive(context.Background(), frechet.Query{Wrt: []string{"a", "b"}, Order: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range r.Outputs[0].Derivs {
		fmt.Println(d.Name(), d.Wrt, d.Term)
	}
	// Output:
	// gradient [a] 2*a*b
	// gradient [b] a^2
	// Hessian [a a] 2*b
	// Hessian [a b] 2*a
	// Hessian [b a] 2*a
	// Hessian [b b] 0
}

func ExampleFunc_Pullback() {
	f, _ := frechet.Parse("declare A[m,n] x[n] expression A*x")
	p, err := f.Pullback()
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, name := range p.Names {
		fmt.Println(name, p.Terms[i])
	}
	// Output:
	// A cotangent*x'
	// x A'*cotangent
}

func ExampleReply_Check() {
	f, _ := frechet.Parse("declare x 1 expression sum(exp(x))")
	r, _ := f.Derive(context.Background(), frechet.Query{Wrt: []string{"x"}, Order: 1})
	c, err := r.Check(context.Background(), frechet.Env{"x": {Shape: []int{2}, Data: []float64{0.5, 1}}})
	fmt.Println(c.OK(), err)
	// Output:
	// true <nil>
}

func ExampleBatch() {
	in := strings.NewReader(`{"id": 1, "input": "declare x 1 expression x *(i,i->) x derivative wrt x", "values": {"x": [1, 2]}, "want": ["derivative"]}`)
	if err := frechet.Batch(context.Background(), in, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"id":1,"derivative":{"shape":[2],"data":[2,4]},"conventions":[]}
}

func ExampleParseTensor() {
	t, err := frechet.ParseTensor("[[1,2],[3,4]]")
	fmt.Println(t, err)
	// Output:
	// [2,2][1 2 3 4] <nil>
}

func ExampleFunc_Steps() {
	f, err := frechet.Parse("h(x) : R -> R = ln . sin", frechet.WithLanguage("combinators"))
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := f.Steps("x")
	if err != nil {
		fmt.Println(err)
		return
	}
	for s := range d.Steps() {
		if s.Part == "derivative" {
			fmt.Println(s.Rule, s.Text("text"))
		}
	}
	// Output:
	// D(log . sin)(x)
	// D-chain D(log)(sin(x)) . D(sin)(x)
	// D-atom (_ ./ sin(x)) . D(sin)(x)
	// D-atom (_ ./ sin(x)) . (cos(x) .* _)
	// L-join (cos(x) ./ sin(x) .* _)
}

// A term tells how it was derived: of a Hessian, the derivative of the gradient, rule by rule.
func ExampleTerm_Steps() {
	f, err := frechet.Parse("declare x[n] expression sum(x .* log(x))")
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := f.Hessian("x")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h)
	for s := range h.Steps() {
		if strings.HasPrefix(s.Part, "order 2") {
			fmt.Printf("%s | %s | %s\n", s.Part, s.Rule, s.Text("text"))
		}
	}
	// Output:
	// diag(1 ./ x)
	// order 2: derivative |  | v1 = log(x)
	// order 2: derivative | D-atom | dv1 = d_2 ./ x
	// order 2: derivative |  | v2 = v1 + 1
	// order 2: derivative | D-const | dv2 = dv1
	// order 2: derivative at d_2 |  | d_2 ./ x
}

// The derivative is a value: it is printed, applied, transposed, composed, added and multiplied out.
func ExampleFunc_DerivativeMap() {
	f, err := frechet.Parse("declare A[m,n] x[n] v[n] w[m] expression sin(A*x)")
	if err != nil {
		fmt.Println(err)
		return
	}
	df, _ := f.DerivativeMap("x")
	fmt.Println(df)

	v, _ := f.Variable("v")
	w, _ := f.Variable("w")
	jvp, _ := df.At(v)
	fmt.Println("jvp    ", jvp[0])
	back, _ := df.Adjoint()
	vjp, _ := back.At(w)
	fmt.Println("vjp    ", vjp[0])

	normal, _ := back.Compose(df)
	sum, _ := normal.Add(normal)
	sum, _ = sum.Simplify()
	fmt.Println(sum.Type())
	entries, _ := sum.Entries()
	fmt.Println("entries", entries)
	// Output:
	// df : R[n] -o R[m] = (cos(ein(ij,j->i; A, x)) .* _) . (A *(ij,j->i) _)
	// jvp     cos(A*x) .* (A*v)
	// vjp     A'*(w .* cos(A*x))
	// R[n] -o R[n]
	// entries A'*diag(2*cos(A*x)^2)*A
}

func ExampleClosedMap_Adjoint() {
	f, err := frechet.Parse("declare A[m,n] L : R[n] -o R[m] = (A *(ij,j->i) _)", frechet.WithLanguage("combinators"))
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := f.Map()
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := l.Adjoint()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a)
	// Output: L_adj : R[m] -o R[n] = (A *(ij,i->j) _)
}

func ExampleFunc_HessianMap() {
	f, _ := frechet.Parse("declare A[m,n] U[m,k] V[n,k] expression sum((A - U*V') .^ 2)")
	h, err := f.HessianMap("U")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h) // axes i, j of U, then k, l of U
	g, _ := f.Gradient("U")
	step, how, err := h.Solve(g, nil)
	fmt.Println(step, err)
	fmt.Println(how)
	// Output:
	// 2 * (V'*V)[j,l] * delta[i,k]
	// solve(V'*V, ((U*V' - A)*V)')' <nil>
	// a solve with the core, once for all other axes
}

func ExampleFunc_GaussNewtonMap() {
	f, _ := frechet.Parse("declare X[m,n] y[m] w[n] let r = tanh(X*w) - y expression r'*r")
	g, err := f.GaussNewtonMap("w", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	v, _ := f.Variable("w")
	gv, _ := g.Apply(v)
	fmt.Println(gv)
	d, _ := g.Diagonal()
	fmt.Println(d)
	// Output:
	// let u = 1 - tanh(X*w)^2
	// expression 2*X'*(u .* u .* (X*w))
	// 2*sum((diag(1 - tanh(X*w)^2)*X) .^ 2, axis=0)
}

func ExampleFunc_Minimize() {
	f, _ := frechet.Parse("declare x[n] a[n] expression sum(exp(x) - a .* x)") // at x = log(a)
	m, err := f.Minimize(context.Background(), frechet.Env{"a": {Shape: []int{2}, Data: []float64{1, 4}}},
		frechet.MinimizeOptions{Wrt: []string{"x"}, Method: "newton", Start: "zeros"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v %.6f %v, %s\n", m.Converged, m.Value, m.At[0].Name, m.Systems[0])
	fmt.Printf("%.6f\n", m.At[0].Tensor.Data)
	// Output:
	// true -0.545177 x, a diagonal
	// [0.000000 1.386294]
}

func ExampleParse_index() {
	f, err := frechet.Parse(`
		declare x[n] w[k]
		y[i:n-k+1] = sum{r}_0^(k-1) (x[i + r] * w[r])`)
	if err != nil {
		panic(err)
	}
	p, err := f.Pullback()
	if err != nil {
		panic(err)
	}
	for _, t := range p.Terms {
		os.Stdout.WriteString(t.String() + "\n")
	}
	// Output:
	// dx[i:n] = sum{j}_(max(i + 1 - k, 0))^(min(i, n - k)) (w[i - j] * cotangent[j])
	// dw[i:k] = sum{j}_0^(n - k) (x[i + j] * cotangent[j])
}

func ExampleReplay() {
	f, err := frechet.Parse("declare p[n] expression sum(p .* log(p))")
	if err != nil {
		log.Fatal(err)
	}
	d, err := f.Steps("p")
	if err != nil {
		log.Fatal(err)
	}
	var proof bytes.Buffer
	if err := d.Certificate(&proof); err != nil {
		log.Fatal(err)
	}
	sum, err := frechet.Replay(context.Background(), &proof)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Parts, "parts, valid")
	// Output: 3 parts, valid
}
