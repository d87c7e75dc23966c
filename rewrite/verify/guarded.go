package verify

import (
	"context"
	"math"
	"slices"

	"frechet/combinators"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/eval"
)

// A derivative puts guards on functions whose values can be infinite: a product with a guarded factor is 0 where another
// factor is exactly 0. A left side matches such functions, and the right side gets the guard. So a rule must hold with a
// guard, too: alone, and as a factor of a product that is 0.

// guarded is an instance with the functions of both sides guarded as the engine guards them, times a number; nil
// where nothing has a guard.
func (g *signature) guarded(in *instance, guard combinators.Guard, times int64) *instance {
	s := in.left.Store()
	infinite := false
	left := combinators.Rebuild([]*combinators.Node{in.left}, func(n *combinators.Node, args []*combinators.Node) *combinators.Node {
		m := n.With(args)
		if m.CanBeInfinite() {
			infinite = true
			m = m.WithGuard(guard)
		}
		return m
	})[0]
	if !infinite {
		return nil
	}
	env, err := g.env(s, in.layout, in.numbers, func(_ string, x *combinators.Node) *combinators.Node { return x })
	if err != nil {
		return nil
	}
	g.tie(env)
	env.Guard = guard
	right, err := denote.ReadNode(s, g.rule.Right, env)
	if err != nil {
		return nil
	}
	out := *in
	factor := s.Broadcast(s.Int(times), left.Shape())
	out.left, out.right = s.Mul(factor, left), s.Mul(factor, repeated(right, left))
	return &out
}

// underGuards compares both sides with guards, at points with zeros among their entries, and looks for one where the
// left side has a value that the right side has not. A rule that does not fire there is not asked.
func (t *trial) underGuards(in *instance) {
	if t.g.rule.Domain == Widened || slices.ContainsFunc(t.g.values, func(v text.Var) bool { return t.g.asked("unguarded", v.Name) }) {
		return
	}
	for _, times := range []int64{1, 0} {
		guarded := t.g.guarded(in, combinators.GuardWeak, times)
		if guarded == nil {
			return
		}
		for k := range floatTrials {
			env := t.point(in, k)
			if !t.g.holds(in, env) {
				continue
			}
			l, r := strictly(guarded.left, env), anyNumber(guarded.right, env)
			if l == nil || r != nil && distance(l, r) <= grossly*math.Max(1, largest(l)) {
				continue
			}
			t.guardDiffers = r != nil && finite(r)
			t.guard = &Witness{Sizes: in.layout.String(), Left: matrix(l), Right: "undefined"}
			for _, n := range in.numbers {
				t.guard.Values = append(t.guard.Values, Named{n.Name, n.Value.RatString()})
			}
			for _, v := range in.vars {
				t.guard.Values = append(t.guard.Values, Named{v.Name(), matrix(env[v.Name()])})
			}
			if r != nil {
				t.guard.Right = matrix(r)
			}
			return
		}
	}
}

// grossly is the part of numbers, or of 1, by which sides differ that are not equal.
const grossly = 1e-2

// anyNumber is the value of a side, with infinities where it has some; nil where it is singular.
func anyNumber(n *combinators.Node, env map[string]*eval.Tensor) *eval.Tensor {
	out, err := eval.Reference(context.Background(), []*combinators.Node{n}, eval.Env(env), nil)
	if err != nil {
		return nil
	}
	return out[0]
}

// strictly is the value of a side, nil where it has none: only products with a guard may have operands that are no numbers.
func strictly(n *combinators.Node, env map[string]*eval.Tensor) *eval.Tensor {
	nodes := combinators.Topo(n)
	outs, err := eval.Reference(context.Background(), nodes, eval.Env(env), nil, randomFunctions(n))
	if err != nil {
		return nil
	}
	infinite := map[*combinators.Node]bool{}
	for i, n := range nodes {
		infinite[n] = !finite(outs[i])
		for _, a := range n.Args() {
			if infinite[a] && n.Ein() == nil {
				return nil
			}
		}
	}
	if infinite[n] {
		return nil
	}
	return outs[len(outs)-1]
}

// largest is the largest absolute entry.
func largest(x *eval.Tensor) (most float64) {
	for _, v := range x.Data {
		most = math.Max(most, math.Abs(v))
	}
	return most
}
