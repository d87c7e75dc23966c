package elab_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/rewrite/normal"
	"frechet/syntax"
	syntaxelab "frechet/syntax/elab"
	"frechet/syntax/index/unparse"
)

// pullback gives the value of a one-definition program and the derivatives by all
// variables at the cotangent df, in normal form.
func pullback(t testing.TB, p *syntaxelab.Program, cotangent string) []*combinators.Node {
	y := p.Outputs[0].Node
	w := p.Store.Var(cotangent, y.Shape())
	var wrt []*combinators.Node
	for _, v := range p.Params {
		wrt = append(wrt, v.Node)
	}
	back, err := adjoint.Standard().Pullback([]*combinators.Node{y}, wrt, []*combinators.Node{w})
	require.NoError(t, err)
	return normal.Simplify(append([]*combinators.Node{y}, back...)...)
}

// What is printed in index notation elaborates to what was printed: values and
// derivatives of the conformance cases.
func TestPrintedDerivatives(t *testing.T) {
	ctx := context.Background()
	for _, c := range elementwiseCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			p, err := elaborate(c.Input, c.Dims, nil)
			require.NoError(t, err)
			nodes := pullback(t, p, "df")
			names := []string{"f"}
			dims := map[string][]int64{"df": {}}
			for _, n := range c.Value.Shape {
				dims["df"] = append(dims["df"], int64(n))
			}
			for _, v := range p.Params {
				names = append(names, "d"+v.Name)
				dims[v.Name] = c.Dims[v.Name]
			}
			for i, n := range nodes {
				stmts, err := unparse.Program([]*combinators.Node{n}, unparse.Options{Names: names[i : i+1]})
				require.NoError(t, err)
				text := syntax.PrintFile(&syntax.File{Stmts: stmts})
				t.Log(text)
				used := map[string][]int64{}
				for _, m := range combinators.Topo(n) {
					if m.Is(atom.Var) {
						used[m.Name()] = dims[m.Name()]
					}
				}
				q, err := elaborate(text, used, nil)
				require.NoError(t, err, text)
				env := environment(q, c.Values)
				if x := c.Cotangent; used["df"] != nil {
					env["df"] = &eval.Tensor{Shape: c.Value.Shape, Data: x}
				}
				out, err := eval.Reference(ctx, []*combinators.Node{q.Outputs[0].Node}, env, nil)
				require.NoError(t, err)
				if i == 0 {
					near(t, c.Value.Data, out[0].Data, text)
				} else {
					near(t, c.Grads[names[i][1:]].Data, out[0].Data, text)
				}
			}
		})
	}
}

// Index notation is closed under differentiation: a derivative is printed, read back and
// differentiated again, and again; each time it is the derivative of what was printed.
func TestClosure(t *testing.T) {
	ctx := context.Background()
	for _, c := range elementwiseCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			p, err := elaborate(c.Input, c.Dims, nil)
			require.NoError(t, err)
			x := p.Params[0].Node
			value := p.Outputs[0].Node
			values := map[string][]float64{}
			dims := map[string][]int64{}
			for _, v := range p.Params {
				values[v.Name], dims[v.Name] = c.Values[v.Name], c.Dims[v.Name]
			}
			for order, w := range []string{"u1", "u2", "u3"} {
				// by the original's nodes
				cot := p.Store.Var(w, value.Shape())
				dims[w] = []int64{}
				for _, n := range shapeOf(value) {
					dims[w] = append(dims[w], int64(n))
				}
				values[w] = make([]float64, volume(dims[w]))
				for i := range values[w] {
					values[w][i] = float64(1+(i*7+order)%5) / 3
				}
				back, err := adjoint.Standard().Pullback([]*combinators.Node{value}, []*combinators.Node{x}, []*combinators.Node{cot})
				require.NoError(t, err)
				next := normal.Simplify(back[0])[0]

				// by what was printed
				stmts, err := unparse.Program([]*combinators.Node{value}, unparse.Options{Names: []string{"result"}, Taken: map[string]bool{"u1": true, "u2": true, "u3": true}})
				require.NoError(t, err)
				text := syntax.PrintFile(&syntax.File{Stmts: stmts})
				q, err := elaborate(text, occurring(value, dims, text), nil)
				require.NoError(t, err, text)
				env := eval.Env{}
				for name, v := range values {
					env[name] = &eval.Tensor{Shape: ints(dims[name]), Data: v}
				}
				want, err := eval.Run(ctx, []*combinators.Node{next}, env)
				require.NoError(t, err)
				for _, v := range q.Params {
					if v.Name != x.Name() {
						continue
					}
					y := q.Outputs[0].Node
					again, err := adjoint.Standard().Pullback([]*combinators.Node{y}, []*combinators.Node{v.Node}, []*combinators.Node{q.Store.Var(w, y.Shape())})
					require.NoError(t, err)
					got, err := eval.Run(ctx, normal.Simplify(again...), env)
					require.NoError(t, err)
					near(t, want[0].Data, got[0].Data, order, text)
				}
				value = next
			}
		})
	}
}

// Functions of whole tensors stand between definitions, as lets of the Einstein language.
func TestPrintedFunctionsOfTensors(t *testing.T) {
	ctx := context.Background()
	for _, text := range []string{
		"declare A[3,3] let B[i:3; j:3] = [i <= j] * A[i; j] + 3 * [i = j] expression logdet(B) + max(A)",
		"declare A[3,3] b[3] let B[i:3; j:3] = A[i; j] + 5 * [i = j] expression solve(B, b)",
		"declare A[3,3] expression det(A) + norm2(A) + logsumexp(A)",
		"declare x[6] expression split(x, 0, 2, 3) .* exp(split(x, 0, 2, 3))",
		"declare A[2,3] expression merge(A, 0)",
		"declare A[2,3] expression softmax(A, axis=1)",
	} {
		p, err := elaborate(text, nil, nil)
		require.NoError(t, err)
		nodes := pullback(t, p, "df")
		env := eval.Env{}
		for i, v := range append(p.Params, syntaxelab.Param{Name: "df", Node: nodes[0]}) {
			n := volume(sizesOf(v.Node))
			x := make([]float64, n)
			for k := range x {
				x[k] = float64((k*5+i*3)%7)/4 - 0.5
			}
			env[v.Name] = &eval.Tensor{Shape: shapeOf(v.Node), Data: x}
		}
		for i, n := range nodes {
			stmts, err := unparse.Program([]*combinators.Node{n}, unparse.Options{Names: []string{"result"}})
			require.NoError(t, err, text)
			printed := syntax.PrintFile(&syntax.File{Stmts: stmts})
			t.Log(printed)
			declarations := "declare"
			for _, m := range combinators.Topo(n) {
				if m.Is(atom.Var) {
					declarations += " " + m.Name() + size.Shape(m.Shape())
				}
			}
			q, err := elaborate(declarations+"\n"+printed, nil, nil)
			require.NoError(t, err, printed)
			want, err := eval.Reference(ctx, []*combinators.Node{n}, env, nil)
			require.NoError(t, err)
			got, err := eval.Reference(ctx, []*combinators.Node{q.Outputs[0].Node}, env, nil)
			require.NoError(t, err)
			near(t, want[0].Data, got[0].Data, text, i, printed)
		}
	}
}

func sizesOf(n *combinators.Node) (out []int64) {
	for _, d := range shapeOf(n) {
		out = append(out, int64(d))
	}
	return out
}
