package unparse_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/internal/terms"
	"frechet/syntax"
	"frechet/syntax/elab"
	"frechet/syntax/unparse"
)

// program writes nodes as a program of their own, with declarations.
func program(nodes []*combinators.Node, o unparse.Options) (string, error) {
	var b strings.Builder
	b.WriteString("declare sizes[k,m,n]")
	for _, n := range combinators.Topo(nodes...) {
		if n.Atom() == combinators.AtomVar {
			b.WriteString(" " + n.Name() + size.Shape(n.Shape()))
		}
	}
	stmts, err := unparse.Program(nodes, o)
	return b.String() + "\n" + syntax.PrintFile(&syntax.File{Stmts: stmts}), err
}

// Reading what was printed gives the same values, in every notation.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := terms.Block(t, 6)
		outs := b.Outs
		if rapid.Bool().Draw(t, "associate") {
			outs = unparse.Associate(outs)
		}
		env := eval.Env{}
		for _, n := range combinators.Topo(b.Outs...) {
			if n.Atom() == combinators.AtomVar {
				dims, data := terms.Numbers(1, n.Name(), n.Shape())
				env[n.Name()], _ = eval.Of(dims, data)
			}
		}
		want, err := eval.Reference(context.Background(), b.Outs, env, terms.Sizes)
		require.NoError(t, err)
		for _, notation := range []unparse.Notation{unparse.Einstein, unparse.Auto, unparse.Matrix} {
			text, err := program(outs, unparse.Options{Notation: notation})
			require.NoError(t, err)
			file, err := syntax.Parse(text, syntax.Limits{})
			require.NoError(t, err, text)
			prog, err := elab.Elaborate(file, elab.Options{})
			require.NoError(t, err, text)
			var nodes []*combinators.Node
			for _, o := range prog.Outputs {
				nodes = append(nodes, o.Node)
			}
			got, err := eval.Reference(context.Background(), nodes, env, terms.Sizes)
			require.NoError(t, err, text)
			for i := range want {
				require.Equal(t, want[i].Shape, got[i].Shape, text)
				scale := 1.0
				for _, v := range want[i].Data {
					scale = math.Max(scale, math.Abs(v))
				}
				require.LessOrEqual(t, eval.MaxDiff(want[i], got[i]), 1e-9*scale, "%s\n%s", text, dump(b.Outs))
			}
		}
	})
}

// dump lists the nodes below outs.
func dump(outs []*combinators.Node) string {
	b, _ := json.MarshalIndent(unparse.JSON(outs, nil), "", " ")
	return string(b)
}
