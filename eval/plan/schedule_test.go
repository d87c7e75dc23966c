package plan

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// Ranges that are in use never overlap, and what is released is used again.
func TestArena(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var a arena
	type block struct{ at, n int }
	var used []block
	total := 0
	for range 5000 {
		if len(used) > 0 && r.IntN(2) == 0 {
			i := r.IntN(len(used))
			a.release(used[i].at, used[i].n)
			total -= round(used[i].n)
			used = append(used[:i], used[i+1:]...)
			continue
		}
		n := 1 + r.IntN(100)
		b := block{a.take(n), n}
		require.Zero(t, b.at%8, "ranges start on cache lines")
		for _, o := range used {
			require.True(t, b.at+b.n <= o.at || o.at+o.n <= b.at, "%v and %v", b, o)
		}
		used, total = append(used, b), total+round(n)
		require.LessOrEqual(t, b.at+b.n, a.size)
	}
	for _, b := range used {
		a.release(b.at, b.n)
	}
	require.Equal(t, []hole{{0, a.size}}, a.free, "all is one hole again")
}

// A long chain of matrix products needs the memory of two vectors.
func TestMemoryIsReused(t *testing.T) {
	s := combinators.NewStore()
	n := size.Const(100)
	a, x := s.Var("A", []size.Size{n, n}), s.Var("x", []size.Size{n})
	for range 200 {
		x = s.Unary(atom.Tanh, s.Einsum("ij,j->i", a, x))
	}
	p, err := Make([]*combinators.Node{x}, map[string][]int{"A": {100, 100}, "x": {100}}, nil, Limits{})
	require.NoError(t, err)
	require.LessOrEqual(t, p.Arena, 2*round(100))
	require.Len(t, p.Steps, 400)
}

// Every step reads only what an earlier step wrote and nothing has overwritten since.
func TestStepsReadWhatWasWritten(t *testing.T) {
	s := combinators.NewStore()
	n := size.Const(20)
	a, x := s.Var("A", []size.Size{n, n}), s.Var("x", []size.Size{n})
	y, z := x, x
	for k := range 30 {
		u := s.Einsum("ij,j->i", a, s.Add(y, z))
		y, z = s.Mul(s.Unary(atom.Sin, u), z), s.Add(s.Power(u, big.NewRat(int64(k+2), 1)), s.Softmax(1, y))
	}
	p, err := Make([]*combinators.Node{y, z, s.Einsum("i,j->ij", y, z)}, map[string][]int{"A": {20, 20}, "x": {20}}, nil, Limits{})
	require.NoError(t, err)
	writer := make([]*Value, p.Arena) // of every number of the arena
	write := func(v *Value) {
		if v.slot.Kind == SlotArena {
			for i := range v.N {
				writer[v.slot.Offset+i] = v
			}
		}
	}
	read := func(v *Value) {
		if v.slot.Kind == SlotArena && v.Kind != KindInput {
			for i := range v.N {
				require.Same(t, v, writer[v.slot.Offset+i])
			}
		}
	}
	for _, step := range p.Steps {
		if step.Group == nil {
			for _, a := range step.V.Args {
				read(a.V)
			}
			write(step.V)
			continue
		}
		for _, l := range step.Group.Loads {
			read(l.View.V)
		}
		for _, op := range step.Group.Ops {
			if op.Store {
				write(op.V)
			}
		}
	}
}

func TestBind(t *testing.T) {
	s := combinators.NewStore()
	m, n := size.Sym("m"), size.Sym("n")
	x := s.Var("x", []size.Size{m, n.Add(size.Const(1))})
	y := s.Var("y", []size.Size{m.Mul(n)})
	nodes := []*combinators.Node{x, y}
	bind := func(shapes map[string][]int, sizes map[string]int64) error {
		_, err := Bind(nodes, shapes, sizes)
		return err
	}
	require.NoError(t, bind(map[string][]int{"x": {2, 4}, "y": {6}}, nil))
	for want, c := range map[string]struct {
		shapes map[string][]int
		sizes  map[string]int64
	}{
		"the variable y has no value":                           {map[string][]int{"x": {2, 4}}, nil},
		"y: axis 0 has size 7, but m*n is declared, which is 6": {map[string][]int{"x": {2, 4}, "y": {7}}, nil},
		"x: axis 0 has size 2, but m = 3 (given)":               {map[string][]int{"x": {2, 4}, "y": {6}}, map[string]int64{"m": 3}},
		"m: the size -1 is negative":                            {map[string][]int{"x": {2, 4}, "y": {6}}, map[string]int64{"m": -1}},
		"x: has order 2, but a tensor of order 1 is given":      {map[string][]int{"x": {2}, "y": {6}}, nil},
		"x: axis 1 has size 4, but n+1 is declared, which is 6": {map[string][]int{"x": {2, 4}, "y": {6}}, map[string]int64{"n": 5}},
	} {
		require.EqualError(t, bind(c.shapes, c.sizes), want)
	}
}
