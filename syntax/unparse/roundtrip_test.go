package unparse_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/adjoint"
	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/internal/corpus"
	"frechet/internal/terms"
	"frechet/rewrite/normal"
	"frechet/syntax"
	"frechet/syntax/elab"
	"frechet/syntax/unparse"
)

// same checks that what is printed of nodes reads back, in every notation, to their
// values.
func same(t require.TestingT, declare string, nodes []*combinators.Node, env eval.Env, sizes map[string]int64) {
	ctx := context.Background()
	want, err := eval.Reference(ctx, nodes, env, sizes)
	require.NoError(t, err)
	taken := map[string]bool{}
	for name := range env {
		taken[name] = true
	}
	for _, notation := range []unparse.Notation{unparse.Einstein, unparse.Auto, unparse.Matrix} {
		stmts, err := unparse.Program(nodes, unparse.Options{Notation: notation, Taken: taken})
		require.NoError(t, err)
		text := declare + "\n" + syntax.PrintFile(&syntax.File{Stmts: stmts})
		file, err := syntax.Parse(text, syntax.Limits{})
		require.NoError(t, err, text)
		prog, err := elab.Elaborate(file, elab.Options{})
		require.NoError(t, err, text)
		var read []*combinators.Node
		for _, o := range prog.Outputs {
			read = append(read, o.Node)
		}
		got, err := eval.Reference(ctx, read, env, sizes)
		require.NoError(t, err, text)
		for i := range want {
			require.Equal(t, want[i].Shape, got[i].Shape, text)
			scale := 1.0
			for _, v := range want[i].Data {
				scale = math.Max(scale, math.Abs(v))
			}
			require.LessOrEqual(t, eval.MaxDiff(want[i], got[i]), 1e-9*scale, "%s\n%s", text, dump(nodes))
		}
	}
}

// dump lists the nodes below outs.
func dump(outs []*combinators.Node) string {
	var b strings.Builder
	for _, n := range combinators.Topo(outs...) {
		fmt.Fprint(&b, n.ID(), ": ", n.Atom().Name, n.Attr(), n.Name(), n.Rat(), n.Ein(), n.Shape())
		for _, a := range n.Args() {
			fmt.Fprint(&b, " ", a.ID())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := terms.Block(t, 6)
		outs := b.Outs
		switch rapid.IntRange(0, 3).Draw(t, "of") {
		case 1:
			outs = unparse.Associate(outs)
		case 2:
			js, err := jacobian.Of(adjoint.Standard(), outs[0], b.Params, jacobian.Reverse)
			require.NoError(t, err)
			outs = js
		case 3:
			outs = normal.Simplify(outs...)
		}
		values := slices.Concat(b.Outs, b.Params)
		env, declare := terms.Env(values, 1), "declare sizes[k,m,n]"
		for _, n := range combinators.Topo(values...) {
			if n.Atom() == atom.Var {
				declare += " " + n.Name() + size.Shape(n.Shape())
			}
		}
		same(t, declare, outs, env, terms.Sizes)
	})
}

// The derivatives of the closed forms' functions, as differentiation leaves them and in
// normal form.
// A contraction of one operand and a number keeps what it does to the axes, whatever the sign.
func TestRoundTripSigns(t *testing.T) {
	s := combinators.NewStore()
	n := size.Const(2)
	A, T := s.Var("A", []size.Size{n, n}), s.Var("T", []size.Size{n, n, n})
	env := eval.Env{"A": eval.NewTensor(2, 2), "T": eval.NewTensor(2, 2, 2)}
	for _, x := range env {
		for i := range x.Data {
			x.Data[i] = float64(i*i + 1)
		}
	}
	for _, k := range []int64{-1, 1, -3, 2} {
		for _, c := range []string{",ii->ii", ",ij->ji", ",ij->ij", ",ii->i", ",ij->i", ",ij->ijj", ",ij->jji"} {
			same(t, "declare A[2,2] T[2,2,2]", []*combinators.Node{s.Einsum(c, s.Int(k), A)}, env, nil)
		}
		for _, c := range []string{",iij->iij", ",iji->iji", ",iii->iii", ",iij->iji", ",ijk->kij", ",iij->ij"} {
			same(t, "declare A[2,2] T[2,2,2]", []*combinators.Node{s.Einsum(c, s.Int(k), T)}, env, nil)
		}
	}
}

func TestRoundTripDerivatives(t *testing.T) {
	forms, err := corpus.LoadForms("../../testdata/closed/forms.jsonl")
	require.NoError(t, err)
	for _, f := range forms {
		t.Run(f.ID, func(t *testing.T) {
			file, err := syntax.Parse(f.Program(f.Einstein), syntax.Limits{})
			require.NoError(t, err)
			prog, err := elab.Elaborate(file, elab.Options{})
			require.NoError(t, err)
			var wrt *combinators.Node
			for _, p := range prog.Params {
				if p.Name == f.Wrt {
					wrt = p.Node
				}
			}
			point, err := f.Draw(1)
			require.NoError(t, err)
			env := eval.Env{}
			for name, dims := range point.Dims {
				env[name], err = eval.Of(dims, point.Values[name])
				require.NoError(t, err)
			}
			y := prog.Outputs[0].Node
			raw := y
			for range f.Order {
				js, err := jacobian.Of(adjoint.Standard(), raw, []*combinators.Node{wrt}, jacobian.Reverse)
				require.NoError(t, err)
				raw = js[0]
			}
			declare := "declare " + f.Declare
			same(t, declare, []*combinators.Node{raw}, env, point.Sizes)
			same(t, declare, normal.Simplify(y, raw), env, point.Sizes)
		})
	}
}

// copyTo builds nodes again in another store, without guards.
func copyTo(s *combinators.Store, nodes ...*combinators.Node) []*combinators.Node {
	done := map[*combinators.Node]*combinators.Node{}
	for _, n := range combinators.Topo(nodes...) {
		args := make([]*combinators.Node, len(n.Args()))
		for k, a := range n.Args() {
			args[k] = done[a]
		}
		switch n.Atom() {
		case atom.Var:
			done[n] = s.Member(n.Name(), n.Shape(), n.Attributes())
		case atom.Const:
			done[n] = s.Const(n.Rat())
		case atom.Ein:
			done[n] = s.Ein(n.Ein(), args...)
		case atom.Add:
			done[n] = s.Add(args[0], args[1])
		case atom.Power:
			done[n] = s.Power(args[0], n.Rat())
		case atom.Split:
			done[n] = s.Split(n.Attr(), n.Sizes()[0], n.Sizes()[1], args[0])
		default:
			done[n] = s.Apply(n.Atom(), n.Attr(), args...)
		}
	}
	out := make([]*combinators.Node, len(nodes))
	for i, n := range nodes {
		out[i] = done[n]
	}
	return out
}

// What is printed of a normal form mostly reads back to a term with the same normal form:
// an intermediate that the text names is shared, and simplification keeps what is shared.
func TestRoundTripNormalForm(t *testing.T) {
	forms, err := corpus.LoadForms("../../testdata/closed/forms.jsonl")
	require.NoError(t, err)
	equal, all := 0, 0
	for _, f := range forms {
		t.Run(f.ID, func(t *testing.T) {
			file, err := syntax.Parse(f.Program(f.Einstein), syntax.Limits{})
			require.NoError(t, err)
			prog, err := elab.Elaborate(file, elab.Options{})
			require.NoError(t, err)
			var wrt *combinators.Node
			for _, p := range prog.Params {
				if p.Name == f.Wrt {
					wrt = p.Node
				}
			}
			ds, err := jacobian.Derive(prog.Outputs[0].Node, []*combinators.Node{wrt}, f.Order, jacobian.Planned)
			require.NoError(t, err)
			n := ds.ByOrder[f.Order-1][0]
			for _, notation := range []unparse.Notation{unparse.Einstein, unparse.Auto} {
				stmts, err := unparse.Program([]*combinators.Node{n}, unparse.Options{Notation: notation})
				require.NoError(t, err)
				text := "declare " + f.Declare + "\n" + syntax.PrintFile(&syntax.File{Stmts: stmts})
				file, err := syntax.Parse(text, syntax.Limits{})
				require.NoError(t, err, text)
				read, err := elab.Elaborate(file, elab.Options{})
				require.NoError(t, err, text)
				want := copyTo(read.Store, n)[0]
				forms := normal.Simplify(want, read.Outputs[0].Node)
				all++
				if forms[0] == forms[1] {
					equal++
				}
			}
		})
	}
	require.GreaterOrEqual(t, 20*equal, 18*all, "%d of %d", equal, all)
}
