package growth

import (
	"math/rand/v2"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// VectorFamily is a program x0, x1 = step(x0, .., x0), ..., xn between vectors, whose
// Jacobian is wanted: forks that join again, so that there are exponentially many paths from
// the variable to the result.
type VectorFamily struct {
	Name string
	What string
	// Step makes x_k of the earlier values, of which the last is xs[k-1], and two matrices.
	Step func(s *combinators.Store, a, b *Node, xs []*Node, r *rand.Rand) *Node
	// Steps is the largest number of steps at which sizes are measured.
	Steps int
}

// VectorFamilies lists the programs between vectors.
func VectorFamilies() []VectorFamily {
	apply := func(s *combinators.Store, a, x *Node) *Node { return s.Einsum("ij,j->i", a, x) }
	last := func(xs []*Node) *Node { return xs[len(xs)-1] }
	return []VectorFamily{
		{
			Name: "diamond", What: "x <- tanh(x) .* cos(x)", Steps: 1000,
			Step: func(s *combinators.Store, _, _ *Node, xs []*Node, _ *rand.Rand) *Node {
				return s.Mul(s.Unary(atom.Tanh, last(xs)), s.Unary(atom.Cos, last(xs)))
			},
		},
		{
			Name: "residual", What: "x <- x + tanh(A*x)", Steps: 1000,
			Step: func(s *combinators.Store, a, _ *Node, xs []*Node, _ *rand.Rand) *Node {
				return s.Add(last(xs), s.Unary(atom.Tanh, apply(s, a, last(xs))))
			},
		},
		{
			Name: "matrices", What: "x <- sin(A*x) + cos(B*x)", Steps: 1000,
			Step: func(s *combinators.Store, a, b *Node, xs []*Node, _ *rand.Rand) *Node {
				return s.Add(s.Unary(atom.Sin, apply(s, a, last(xs))), s.Unary(atom.Cos, apply(s, b, last(xs))))
			},
		},
		{
			Name: "gated", What: "x <- (A*x) .* exp(-x) + sin(x)", Steps: 1000,
			Step: func(s *combinators.Store, a, _ *Node, xs []*Node, _ *rand.Rand) *Node {
				x := last(xs)
				return s.Add(s.Mul(apply(s, a, x), s.Unary(atom.Exp, s.Neg(x))), s.Unary(atom.Sin, x))
			},
		},
		{
			Name: "graph", What: "x <- tanh(A*x) .* cos(y) + sin(z), y and z earlier values", Steps: 1000,
			Step: func(s *combinators.Store, a, _ *Node, xs []*Node, r *rand.Rand) *Node {
				y, z := xs[r.IntN(len(xs))], xs[r.IntN(len(xs))]
				return s.Add(s.Mul(s.Unary(atom.Tanh, apply(s, a, last(xs))), s.Unary(atom.Cos, y)), s.Unary(atom.Sin, z))
			},
		},
	}
}

// Build is the family's program of n steps over the variable x of dim entries.
func (f VectorFamily) Build(s *combinators.Store, n int, dim int64, seed uint64) (x, y *Node) {
	d := size.Const(dim)
	a, b := s.Var("A", []size.Size{d, d}), s.Var("B", []size.Size{d, d})
	r := rand.New(rand.NewPCG(seed, 0))
	xs := []*Node{s.Var("x", []size.Size{d})}
	for range n {
		xs = append(xs, f.Step(s, a, b, xs, r))
	}
	return xs[0], xs[n]
}
