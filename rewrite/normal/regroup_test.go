package normal

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/eval"
)

// A product has one form, whichever of its parts was computed first.
func TestPartsThatStandTwice(t *testing.T) {
	s := combinators.NewStore()
	n := size.Sym("n")
	a, d := s.Var("a", []size.Size{n}), s.Var("d", nil)
	e, x := s.Var("e", []size.Size{n, n}), s.Var("x", []size.Size{n})
	total := s.Einsum("i->", a)
	rows := s.Einsum("ij->i", e)
	form := s.Einsum("i,ij,j->", x, e, x)
	twice := s.Scale(s.Int(2), total)
	scaled := s.Mul(total, d)
	minus := s.Scale(s.Int(-1), scaled)
	for name, all := range map[string][]*Node{
		"cube of a sum": {
			s.Mul(total, s.Mul(total, total)),
			s.Mul(s.Mul(total, total), total),
			s.Einsum("i,j,k->", a, a, a),
			s.Einsum("i,->", a, s.Einsum("i,j->", a, a)),
			s.Power(total, big.NewRat(3, 1)),
		},
		"cube of a multiple": {
			s.Mul(twice, s.Mul(twice, twice)),
			s.Mul(s.Mul(twice, twice), twice),
			s.Scale(s.Int(8), s.Einsum("i,j,k->", a, a, a)),
		},
		"sums of rows": {
			s.Mul(rows, rows),
			s.Einsum("ij,ik->i", e, e),
			s.Einsum("ij,i->i", e, rows),
		},
		"sums of rows, and of all": {
			s.Einsum("i,j->i", rows, rows),
			s.Einsum("ij,kl->i", e, e),
		},
		"square of a form": {
			s.Mul(form, form),
			s.Einsum("i,ij,j,k,kl,l->", x, e, x, x, e, x),
		},
		"scalars in powers": {
			s.Mul(s.Mul(minus, minus), total),
			s.Mul(s.Mul(total, minus), minus),
			s.Mul(s.Mul(d, d), s.Einsum("i,j,k->", a, a, a)),
		},
	} {
		first := New(s, nil).Simplify(all[0])[0]
		for k, y := range all {
			require.Same(t, first, New(s, nil).Simplify(y)[0], "%s %d", name, k)
		}
	}
}

// The number of a sum whose terms have no common one stands in it, and so it does not matter which numbers
// the sums around it have.
func TestNumbersInSumsOfSums(t *testing.T) {
	s := combinators.NewStore()
	n := size.Sym("n")
	c, d, e := s.Var("c", []size.Size{n}), s.Var("d", []size.Size{n}), s.Var("e", nil)
	scale := func(p, q int64, x *Node) *Node { return s.Scale(s.Const(big.NewRat(p, q)), x) }
	u := s.Einsum("i->", s.Add(scale(2, 3, c), d))
	half := scale(-1, 2, e)
	first := New(s, nil).Simplify(s.Add(s.Add(u, u), half))[0]
	for _, x := range []*Node{s.Add(u, s.Add(u, half)), s.Add(scale(2, 1, u), half), scale(1, 2, s.Sub(scale(4, 1, u), e))} {
		require.Same(t, first, New(s, nil).Simplify(x)[0])
	}
}

// Powers of powers keep what they are at a zero, and so it does not matter which are multiplied first.
func TestGuardsOfPowers(t *testing.T) {
	s := combinators.NewStore()
	b := s.Var("b", nil)
	u := s.Recip(s.Scale(s.Int(3), b)).WithGuard(combinators.GuardWeak)
	v := s.Mul(u, u)
	first := New(s, nil).Simplify(s.Mul(v, s.Mul(v, v)))[0]
	require.Same(t, first, New(s, nil).Simplify(s.Mul(s.Mul(u, u), s.Mul(s.Mul(u, u), v)))[0])
	require.Same(t, first, New(s, nil).Simplify(s.Power(v, big.NewRat(3, 1)))[0])
}

// A product that a function has twice takes its axes in another order as a whole: its parts stay parts of it.
func TestTurnedOperandsStayWhole(t *testing.T) {
	s := combinators.NewStore()
	m, n := size.Sym("m"), size.Sym("n")
	b, d, c := s.Var("b", []size.Size{m}), s.Var("d", []size.Size{m}), s.Var("c", []size.Size{m, n})
	for _, x := range []*Node{
		s.Einsum("i,j,jk->ijk", b, d, c),
		s.Einsum("i,jk->ijk", b, s.Einsum("j,jk->jk", d, c)),
		s.Einsum("ijk->kij", s.Einsum("j,k,kl->ljk", b, d, c)),
	} {
		axes := "ijk"
		if x.Shape()[0] == n {
			axes = "kij"
		}
		y := New(s, nil).Simplify(s.Einsum(axes+"->i", s.Binary(atom.Pow, x, x)))[0]
		require.Same(t, y, New(s, nil).Simplify(y)[0])
		power := y.Arg(0)
		require.Same(t, power.Arg(0), power.Arg(1))
		require.Len(t, power.Arg(0).Args(), 3)
	}
}

// A pass that follows another looks again at what depends on how often operands are used, in whatever way the
// counts have changed.
func TestTurnedWhenUsesChange(t *testing.T) {
	s := combinators.NewStore()
	m := size.Sym("m")
	b := s.Var("b", []size.Size{m})
	a := s.Var("a", []size.Size{m, m})
	u := s.Contract([][]int{{0}, {1, 0}}, []int{0, 2}, []size.Size{m, m, m}, b, a)
	sum := s.Add(u, s.Add(s.Einsum("ij->ji", a), u))
	x := New(s, nil).Simplify(s.Power(sum, big.NewRat(2, 1)))[0]
	require.Same(t, x, New(s, nil).Simplify(x)[0])
}

// An axis over which an operand is summed stands nowhere else, however often it stands elsewhere: here
// in 257 places.
func TestVariableInManyPlaces(t *testing.T) {
	s := combinators.NewStore()
	env := eval.Env{}
	tensor := func(name string, order int) *Node {
		x := eval.NewTensor(slices.Repeat([]int{2}, order)...)
		for j := range x.Data {
			x.Data[j] = 1 + float64(j%5)/10
		}
		env[name] = x
		return s.Var(name, slices.Repeat([]size.Size{size.Const(2)}, order))
	}
	a := tensor("a", 9)
	args, in := []*Node{a, a}, [][]int{make([]int, 9), append(make([]int, 8), 1)}
	for k := range 30 {
		args, in = append(args, tensor(fmt.Sprint("b", k), 8)), append(in, make([]int, 8))
	}
	y := s.Ein(einsum.Plain(in, nil, slices.Repeat([]size.Size{size.Const(2)}, 2)), args...)
	out, err := eval.Reference(context.Background(), append([]*Node{y}, New(s, nil).Simplify(y)...), env, nil)
	require.NoError(t, err)
	require.InEpsilon(t, out[0].Data[0], out[1].Data[0], 1e-9)
}
