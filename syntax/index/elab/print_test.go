package elab_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/eval"
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
	back, err := adjoint.Pullback([]*combinators.Node{y}, wrt, []*combinators.Node{w})
	require.NoError(t, err)
	return adjoint.Simplify(append([]*combinators.Node{y}, back...)...)
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
					if m.Is("var") {
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
