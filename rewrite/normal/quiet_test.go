package normal

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/rewrite/assumptions"
)

// Sums of products of one form are what they are where every product is looked at by itself.
func TestQuiet(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	n := size.Sym("n")
	for range 100 {
		seed := r.Uint64()
		form := func(quiet bool) (*Node, Choices) {
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
					u, v = y, s.Unary(atom.Sin, y)
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
			return z.Simplify(sum)[0], z.Choices()
		}
		loud, choices := form(false)
		still, ours := form(true)
		require.Equal(t, choices, ours)
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
			return s.Mul(x, s.Unary(atom.Sin, x)), s.Mul(x, s.Recip(s.Recip(s.Mul(x, x))))
		},
		"rules": func(s *combinators.Store, x, y, u, v *Node) (still, loud *Node) {
			return s.Mul(x, s.Unary(atom.Sin, x)), s.Mul(x, s.Unary(atom.Sign, x))
		},
		"sums": func(s *combinators.Store, x, y, u, v *Node) (still, loud *Node) {
			return s.Mul(s.Add(x, y), s.Add(u, v)), s.Mul(s.Add(s.Scale(s.Fraction(1, 2), x), s.Scale(s.Fraction(1, 3), y)), s.Add(u, v))
		},
		"scalars": func(s *combinators.Store, x, y, u, v *Node) (still, loud *Node) {
			with := func(p *Node) *Node { return s.Add(s.Unary(atom.Sin, p), s.Einsum("i,i,j,j,->", x, u, x, v, p)) }
			return with(s.Einsum("i,i->", y, y)), with(s.Einsum("i,i->", x, u))
		},
		"scalars of different operands": func(s *combinators.Store, x, y, u, v *Node) (still, loud *Node) {
			with := func(p *Node) *Node { return s.Add(s.Unary(atom.Sin, p), s.Einsum("i,i,j,->", x, u, y, p)) }
			return with(s.Einsum("i,i->", v, v)), with(s.Einsum("i,i->", x, u))
		},
		"squares": func(s *combinators.Store, x, y, u, v *Node) (still, loud *Node) {
			with := func(p *Node) *Node { return s.Einsum("i,i,i->i", x, p, s.Unary(atom.Sin, p)) }
			return with(s.Mul(y, u)), with(s.Mul(x, x))
		},
		"multiples": func(s *combinators.Store, x, y, u, v *Node) (still, loud *Node) {
			with := func(p *Node) *Node { return s.Add(s.Unary(atom.Sin, p), s.Mul(x, p)) }
			return with(s.Mul(y, u)), with(s.Scale(s.Int(2), y))
		},
		"quotients": func(s *combinators.Store, x, y, u, v *Node) (still, loud *Node) {
			with := func(p *Node) *Node { return s.Add(s.Unary(atom.Sin, p), s.Mul(v, p)) }
			return with(s.Mul(x, u)), with(s.Mul(x, s.Recip(v)))
		},
		"narrow products": func(s *combinators.Store, x, y, u, v *Node) (still, loud *Node) {
			a, p := s.Var("A", append(n, n...)), long(s, x)
			return s.Einsum("ij,j->i", a, p), s.Einsum("ij,j->i", a, s.Mul(s.Unary(atom.Abs, u), v))
		},
		"products needed elsewhere": func(s *combinators.Store, x, y, u, v *Node) (still, loud *Node) {
			a, p := s.Var("A", append(n, n...)), long(s, x)
			loud = s.Einsum("ij,j->i", a, p)
			return s.Add(p, loud), loud
		},
		"matrices": func(s *combinators.Store, x, y, u, v *Node) (still, loud *Node) {
			a, b := s.Var("A", append(n, n...)), s.Var("B", append(n, n...))
			return s.Einsum("ij,j->i", a, x), s.Einsum("ij,j->i", s.Add(s.Einsum("ij,jk->ki", a, b), s.Einsum("ij->ji", b)), y)
		},
	} {
		t.Run(name, func(t *testing.T) {
			form := func(quiet bool) (*Node, Choices) {
				s := combinators.NewStore()
				still, loud := make(s, s.Var("x", n), s.Var("y", n), s.Var("u", n), s.Var("v", n))
				facts := assumptions.New()
				facts.Assume(s.Unary(atom.Log, s.Var("v", n)))
				z := New(s, facts)
				if !quiet {
					z.inert = nil
				}
				z.Simplify(still)
				return z.Simplify(loud)[0], z.Choices()
			}
			want, choices := form(false)
			got, ours := form(true)
			require.Equal(t, written(want), written(got))
			require.Equal(t, choices, ours)
		})
	}
}

// long is a product that no other absorbs.
func long(s *combinators.Store, x *Node) *Node {
	var ops []*Node
	spec := ""
	for k := range maxOperands - 1 {
		ops = append(ops, s.Var(fmt.Sprint("B", k), append(x.Shape(), x.Shape()...)))
		spec += string([]rune{rune('a' + k), rune('a' + k + 1), ','})
	}
	return s.Einsum(spec+string(rune('a'+maxOperands-1))+"->a", append(ops, x)...)
}
