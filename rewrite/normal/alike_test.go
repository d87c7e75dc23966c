package normal

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/einsum/size"
)

// The factoring of products that differ in one operand is the one that would be found.
func TestAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	n, alike := size.Sym("n"), 0
	for range 2000 {
		s := combinators.NewStore()
		var ops []*Node
		var in [][]int
		letters := 1 + r.IntN(4)
		group := func(n int) (g []int) {
			for range n {
				g = append(g, r.IntN(letters))
			}
			return g
		}
		variable := func(order int) *Node {
			shape := make([]size.Size, order)
			for i := range shape {
				shape[i] = n
			}
			return s.Var(fmt.Sprint("v", r.IntN(4), order), shape)
		}
		for range 1 + r.IntN(4) {
			order := r.IntN(4)
			ops, in = append(ops, variable(order)), append(in, group(order))
		}
		dims := make([]size.Size, letters)
		for i := range dims {
			dims[i] = n
		}
		c := s.Plain(in, group(r.IntN(3)), dims)
		in, out, _ := c.IsPlain()
		p := product{coef: unit, ops: ops, in: in, out: out, vars: c.Vars}
		q := p
		q.ops = append([]*Node(nil), ops...)
		k := r.IntN(len(ops))
		q.ops[k] = variable(ops[k].Order())
		z := New(s, nil)
		z.room = &room{}
		a, b := term{coef: unit, p: &p}, term{coef: unit, p: &q}
		if p.hasFree() || p.differs(&q) < 0 {
			continue
		}
		alike++
		f, g := z.factorPair(a, b), z.searched(a, b)
		require.NotNil(t, g)
		require.Equal(t, *g.a, *f.a)
		require.Equal(t, *g.b, *f.b)
		require.Equal(t, []any{g.common, g.restA, g.restB, g.edgeA, g.edgeB, g.gain}, []any{f.common, f.restA, f.restB, f.edgeA, f.edgeB, f.gain})
	}
	require.Greater(t, alike, 200)
}
