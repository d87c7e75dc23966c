package adjoint

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/eval"
	random "frechet/internal/terms"
)

// numbers gives every variable of nodes a value that only its name and the seed decide.
func numbers(t require.TestingT, nodes []*Node, seed uint64) eval.Env {
	env := eval.Env{}
	for _, n := range combinators.Topo(nodes...) {
		if n.Is(atom.Var) {
			dims, data := random.Numbers(seed, n.Name(), n.Shape())
			x, err := eval.Of(dims, data)
			require.NoError(t, err)
			env[n.Name()] = x
		}
	}
	return env
}

func reference(t require.TestingT, nodes []*Node, env eval.Env) []*eval.Tensor {
	out, err := eval.Reference(context.Background(), nodes, env, random.Sizes)
	require.NoError(t, err)
	return out
}

func close2(t require.TestingT, want, got *eval.Tensor, tol float64, msg string) {
	require.Equal(t, want.Shape, got.Shape, msg)
	for i := range want.Data {
		if math.Abs(want.Data[i]-got.Data[i]) > tol*(1+math.Abs(want.Data[i])) {
			require.Failf(t, "values differ", "%s: entry %d is %v, not %v", msg, i, got.Data[i], want.Data[i])
		}
	}
}

func TestSimplifyPreservesValueAndType(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := random.Block(t, 8)
		simple := Simplify(b.Outs...)
		env := numbers(t, b.Outs, 1)
		want, got := reference(t, b.Outs, env), reference(t, simple, env)
		for i := range want {
			require.Equal(t, size.Shape(b.Outs[i].Shape()), size.Shape(simple[i].Shape()))
			close2(t, want[i], got[i], 1e-9, show(b.Outs[i])+" => "+show(simple[i]))
		}
		again := Simplify(simple...)
		require.Equal(t, simple, again, "a normal form is its own: %s => %s", show(simple[0]), show(again[0]))
	})
}

func TestDerivativesAgreeWithEachOtherAndWithDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := random.Block(t, 6)
		y := b.Outs[0]
		x := b.Params[rapid.IntRange(0, len(b.Params)-1).Draw(t, "wrt")]
		rev, err := Standard().Jacobian(y, []*Node{x}, Reverse)
		require.NoError(t, err)
		fwd, err := Standard().Jacobian(y, []*Node{x}, Forward)
		require.NoError(t, err)
		d, err := Derive(y, []*Node{x}, 1, Planned)
		require.NoError(t, err)
		env := numbers(t, []*Node{y, x}, 2)
		vals := reference(t, []*Node{rev[0], fwd[0], d.ByOrder[0][0]}, env)
		close2(t, vals[0], vals[1], 1e-9, "forward")
		close2(t, vals[0], vals[2], 1e-8, "simplified: "+show(y))
		// Central differences, entry by entry.
		const h = 6e-6
		xs := env[x.Name()]
		for j := range xs.Data {
			moved := func(by float64) *eval.Tensor {
				data := append([]float64(nil), xs.Data...)
				data[j] += by
				e := eval.Env{}
				for k, v := range env {
					e[k] = v
				}
				e[x.Name()], _ = eval.Of(xs.Shape, data)
				return reference(t, []*Node{y}, e)[0]
			}
			up, down := moved(h), moved(-h)
			for i := range up.Data {
				want := (up.Data[i] - down.Data[i]) / (2 * h)
				got := vals[0].Data[i*len(xs.Data)+j]
				if math.Abs(want-got) > 1e-5*(1+math.Abs(want)+math.Abs(up.Data[i])) {
					t.Fatalf("d %s / d %s: %v, differences say %v", show(y), x.Name(), got, want)
				}
			}
		}
	})
}

func TestAdjointLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := random.Block(t, 7)
		l, err := Standard().D(b, b.Params)
		require.NoError(t, err)
		a, err := l.Adjoint()
		require.NoError(t, err)
		// <L v, w> = <v, L* w>, with v and w drawn apart from the point.
		s := b.Store
		sum := func(xs, ys []*Node) *Node {
			var total *Node = s.Int(0)
			for i, x := range xs {
				if x != nil {
					total = s.Add(total, fullInner(s, x, ys[i]))
				}
			}
			return total
		}
		left, right := sum(l.Outs, a.In), sum(a.Outs, l.In)
		vals := reference(t, []*Node{left, right}, numbers(t, []*Node{left, right}, 3))
		close2(t, vals[0], vals[1], 1e-9, "adjoint law")
	})
}

func fullInner(s *combinators.Store, x, y *Node) *Node {
	all := make([]int, x.Order())
	for i := range all {
		all[i] = i
	}
	return s.Contract([][]int{all, all}, nil, x.Shape(), x, y)
}

func TestSecondDerivativesAgreeInBothModes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := random.Block(t, 5)
		y := b.Outs[0]
		if y.Order() > 1 {
			return
		}
		x := b.Params[0]
		rev, err := Derive(y, []*Node{x}, 2, Reverse)
		require.NoError(t, err)
		fwd, err := Derive(y, []*Node{x}, 2, Forward)
		require.NoError(t, err)
		env := numbers(t, []*Node{y, x}, 4)
		vals := reference(t, []*Node{rev.ByOrder[1][0], fwd.ByOrder[1][0]}, env)
		close2(t, vals[0], vals[1], 1e-8, show(y))
	})
}
