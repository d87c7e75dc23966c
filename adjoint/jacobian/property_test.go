package jacobian

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/eval"
	random "frechet/internal/terms"
	"frechet/rewrite/normal"
)

func TestSimplifyPreservesValueAndType(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := random.Block(t, 8)
		simple := normal.Simplify(b.Outs...)
		env := random.Env(b.Outs, 1)
		want, got := random.Values(t, b.Outs, env), random.Values(t, simple, env)
		for i := range want {
			require.Equal(t, size.Shape(b.Outs[i].Shape()), size.Shape(simple[i].Shape()))
			random.Close(t, want[i], got[i], 1e-9, show(b.Outs[i])+" => "+show(simple[i]))
		}
		again := normal.Simplify(simple...)
		require.Equal(t, simple, again, "a normal form is its own: %s => %s", show(simple[0]), show(again[0]))
	})
}

func TestDerivativesAgreeWithEachOtherAndWithDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := random.Block(t, 6)
		y := b.Outs[0]
		x := b.Params[rapid.IntRange(0, len(b.Params)-1).Draw(t, "wrt")]
		rev, err := Of(adjoint.Standard(), y, []*Node{x}, Reverse)
		require.NoError(t, err)
		fwd, err := Of(adjoint.Standard(), y, []*Node{x}, Forward)
		require.NoError(t, err)
		d, err := Derive(y, []*Node{x}, 1, Planned)
		require.NoError(t, err)
		env := random.Env([]*Node{y, x}, 2)
		vals := random.Values(t, []*Node{rev[0], fwd[0], d.ByOrder[0][0]}, env)
		random.Close(t, vals[0], vals[1], 1e-9, "forward")
		random.Close(t, vals[0], vals[2], 1e-8, "simplified: "+show(y))
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
				return random.Values(t, []*Node{y}, e)[0]
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
		l, err := adjoint.Standard().D(b, b.Params)
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
		vals := random.Values(t, []*Node{left, right}, random.Env([]*Node{left, right}, 3))
		random.Close(t, vals[0], vals[1], 1e-9, "adjoint law")
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
		env := random.Env([]*Node{y, x}, 4)
		vals := random.Values(t, []*Node{rev.ByOrder[1][0], fwd.ByOrder[1][0]}, env)
		random.Close(t, vals[0], vals[1], 1e-8, show(y))
	})
}
