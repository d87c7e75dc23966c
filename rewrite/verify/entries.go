package verify

import (
	"context"
	"math"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/eval"
	"frechet/rewrite/verify/model"
)

// byEntries compares where the entries of both sides have values, at a point at which neither side has one as a whole: inv(A) has
// no entry at a singular matrix, where 1 ./ A has some. What is undefined as a whole may get entries: those of a triangle that are 0.
func (t *trial) byEntries(in *instance, env map[string]*eval.Tensor) {
	if in.layout == nil || len(in.left.Shape()) == 0 {
		return
	}
	l, whole := byEntry(in.left, env)
	if l == nil {
		return
	}
	r, _ := byEntry(in.right, env)
	for i := range l.Data {
		o := model.RightOnly
		if r == nil || math.IsNaN(l.Data[i]) == math.IsNaN(r.Data[i]) || whole && math.IsNaN(l.Data[i]) {
			continue
		} else if math.IsNaN(r.Data[i]) {
			o = model.LeftOnly
		}
		if t.pole[o] == nil {
			t.pole[o] = witness(in, env)
			t.pole[o].Left, t.pole[o].Right = matrix(l), matrix(r)
		}
		t.narrow, t.widened = t.narrow || o == model.LeftOnly, t.widened || o == model.RightOnly
	}
}

// byEntry is the value with NaN for entries that have none; nil where rounding may decide. asWhole: a function of matrices has no value.
func byEntry(root *combinators.Node, env map[string]*eval.Tensor) (out *eval.Tensor, asWhole bool) {
	values := map[*combinators.Node]*eval.Tensor{}
	undefined := func(v float64) bool { return v-v != 0 }
	for _, n := range combinators.Topo(root) {
		operands, at := make([]*combinators.Node, len(n.Args())), eval.Env(env)
		if len(operands) > 0 {
			at = eval.Env{}
		}
		for k, a := range n.Args() {
			operands[k] = n.Store().Var(string(rune('a'+k)), a.Shape())
			at[operands[k].Name()] = values[a]
		}
		out := eval.NewTensor(model.ShapeOf(n)...)
		outs, err := eval.Reference(context.Background(), []*combinators.Node{n.With(operands)}, at, nil, randomFunctions(n))
		if err == nil {
			out = outs[0]
		}
		values[n] = out
		whole := len(n.Args()) > 0 && n.Ein() == nil && !slices.Contains([]atom.Class{atom.ClassElementwise, atom.ClassSum, atom.ClassLinear}, n.Atom().Class)
		if err == nil && lost(n, out, values, n == root) || atPole(n, values) || whole && n.Arg(0).Order() > 2 {
			return nil, false // of several matrices each may have a value
		}
		for i := range out.Data {
			hole := err != nil || undefined(out.Data[i])
			for _, a := range n.Args() {
				switch x := values[a]; {
				case whole:
					hole = hole || slices.ContainsFunc(x.Data, undefined)
				case n.Ein() == nil:
					hole = hole || undefined(x.Data[i])
				}
			}
			if hole {
				out.Data[i], asWhole = math.NaN(), asWhole || whole
			}
		}
	}
	return values[root], asWhole
}
