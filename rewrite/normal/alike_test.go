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

// Sums of products of one form are what they are where every product is looked at by itself.
func TestQuiet(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	n := size.Sym("n")
	for range 100 {
		seed := r.Uint64()
		form := func(quiet bool) (*Node, Doubts) {
			r, s := rand.New(rand.NewPCG(seed, 1)), combinators.NewStore()
			x, y := s.Var("x", []size.Size{n}), s.Var("y", []size.Size{n})
			few := 1 + r.IntN(100)
			specs := []string{"i,ij,j->", "j,ij,j->", "i,ij,j->j", "i,jj,i->i", "i,ij,i->", "j,ij,j->i"}
			spec := specs[r.IntN(len(specs))]
			var sum *Node
			for range 2 + r.IntN(80) {
				a, u, v := s.Var("A"+fmt.Sprint(r.IntN(few)), []size.Size{n, n}), x, x
				switch r.IntN(40) {
				case 0:
					u = y
				case 1:
					u, v = y, s.Unary("sin", y)
				case 2:
					a = s.Einsum("ij->ji", a)
				case 3:
					a = s.Add(a, s.Einsum("ij->ji", a))
				}
				t := s.Einsum(spec, u, a, v)
				switch {
				case sum == nil:
					sum = t
				case r.IntN(20) == 0:
					sum = s.Sub(sum, t)
				default:
					sum = s.Add(sum, t)
				}
			}
			z := New(s, nil)
			if !quiet {
				z.inert = nil
			}
			return z.Simplify(sum)[0], z.Doubts()
		}
		loud, doubts := form(false)
		still, ours := form(true)
		require.Equal(t, doubts, ours)
		require.Equal(t, written(loud), written(still))
	}
}

// That a product is normal says nothing of one of the same form with operands of another kind.
func TestLoud(t *testing.T) {
	n := []size.Size{size.Sym("n")}
	for name, make := range map[string]func(s *combinators.Store, x, y, u, v *Node) (still, loud *Node){
		"equal operands": func(s *combinators.Store, x, y, u, v *Node) (still, loud *Node) {
			return s.Einsum("i,i,i->i", x, y, u), s.Einsum("i,i,i->i", x, x, x)
		},
		"equal sums": func(s *combinators.Store, x, y, u, v *Node) (still, loud *Node) {
			return s.Einsum("i,j,k->", x, y, u), s.Einsum("i,j,k->", x, x, x)
		},
		"powers": func(s *combinators.Store, x, y, u, v *Node) (still, loud *Node) {
			return s.Mul(x, s.Unary("sin", x)), s.Mul(x, s.Recip(s.Recip(s.Mul(x, x))))
		},
		"rules": func(s *combinators.Store, x, y, u, v *Node) (still, loud *Node) {
			return s.Mul(x, s.Unary("sin", x)), s.Mul(x, s.Unary("sign", x))
		},
		"sums": func(s *combinators.Store, x, y, u, v *Node) (still, loud *Node) {
			return s.Mul(s.Add(x, y), s.Add(u, v)), s.Mul(s.Add(s.Scale(s.Fraction(1, 2), x), s.Scale(s.Fraction(1, 3), y)), s.Add(u, v))
		},
		"matrices": func(s *combinators.Store, x, y, u, v *Node) (still, loud *Node) {
			a, b := s.Var("A", append(n, n...)), s.Var("B", append(n, n...))
			return s.Einsum("ij,j->i", a, x), s.Einsum("ij,j->i", s.Add(s.Einsum("ij,jk->ki", a, b), s.Einsum("ij->ji", b)), y)
		},
	} {
		t.Run(name, func(t *testing.T) {
			form := func(quiet bool) (*Node, Doubts) {
				s := combinators.NewStore()
				still, loud := make(s, s.Var("x", n), s.Var("y", n), s.Var("u", n), s.Var("v", n))
				z := New(s, nil)
				if !quiet {
					z.inert = nil
				}
				require.Same(t, still, z.Simplify(still)[0])
				loudly := z.Simplify(loud)[0]
				require.NotSame(t, loud, loudly)
				return loudly, z.Doubts()
			}
			want, doubts := form(false)
			got, ours := form(true)
			require.Equal(t, written(want), written(got))
			require.Equal(t, doubts, ours)
		})
	}
}
