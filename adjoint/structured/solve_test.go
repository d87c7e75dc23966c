package structured_test

import (
	"testing"

	"frechet/adjoint/structured"
	random "frechet/internal/terms"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/rewrite/normal"
)

func TestSystemsAreSolvedByTheirStructure(t *testing.T) {
	k, m, n := size.Sym("k"), size.Sym("m"), size.Sym("n")
	sh := func(d ...size.Size) []size.Size { return d }
	for _, c := range []struct {
		name string
		f    func(s *combinators.Store) *combinators.Node // the entries
		out  int
		how  string
	}{
		{"core times identity", func(s *combinators.Store) *combinators.Node {
			// 2 V'V (x) I, with a ridge: the Hessian of matrix factorisation
			v := s.Var("V", sh(m, k))
			h := s.EinsumSized("ab,ac->ibic", map[rune]size.Size{'i': n}, v, v)
			return s.Add(s.Scale(s.Int(2), h), s.Eye(sh(n, k)))
		}, 2, "a solve with the core, once for all other axes"},
		{"block diagonal", func(s *combinators.Store) *combinators.Node {
			o, v := s.Var("O", sh(n, m)), s.Var("V", sh(m, k))
			return s.Add(s.Einsum("im,im,mb,mc->ibic", o, o, v, v), s.Eye(sh(n, k)))
		}, 2, "a solve for every block"},
		{"kronecker", func(s *combinators.Store) *combinators.Node {
			a, b := s.Var("A", sh(m, m)), s.Var("B", sh(n, n))
			return s.Einsum("ij,kl->ikjl", a, b)
		}, 2, "2 solves, one for each Kronecker factor"},
		{"transposed kronecker", func(s *combinators.Store) *combinators.Node {
			a, b := s.Var("A", sh(m, m)), s.Var("B", sh(n, n))
			return s.Einsum("ij,kl->iklj", a, b)
		}, 2, "2 solves, one for each Kronecker factor"},
		{"diagonal", func(s *combinators.Store) *combinators.Node {
			return s.Einsum("ij->ijij", s.Add(s.Unary(atom.Exp, s.Var("A", sh(m, n))), s.Ones(sh(m, n))))
		}, 2, "a diagonal"},
		{"rank one", func(s *combinators.Store) *combinators.Node {
			p := s.Unary(atom.Exp, s.Var("x", sh(n)))
			return s.Sub(s.Einsum("i->ii", s.Add(p, p)), s.Scale(s.Recip(s.Int(9)), s.Einsum("i,j->ij", p, p)))
		}, 1, "a diagonal and a term of rank one"},
		{"low rank", func(s *combinators.Store) *combinators.Node {
			x, d := s.Var("X", sh(k, n)), s.Unary(atom.Exp, s.Var("d", sh(k)))
			return s.Add(s.Eye(sh(n)), s.Einsum("ki,k,kj->ij", x, d, x))
		}, 1, "a diagonal and a term of low rank"},
		{"dense", func(s *combinators.Store) *combinators.Node {
			return s.Add(s.Var("H", sh(m, n, m, n)), s.Scale(s.Int(9), s.Eye(sh(m, n))))
		}, 2, "a dense solve"},
		{"scalar", func(s *combinators.Store) *combinators.Node { return s.Unary(atom.Exp, s.Var("t", nil)) }, 0, "a diagonal"},
	} {
		s := combinators.NewStore()
		h := structured.New(normal.Simplify(c.f(s))[0], c.out)
		b := s.Var("b", h.Out)
		sizes := map[string]int64{"k": 2, "m": 3, "n": 4}
		x, err := h.Solve(b, sizes)
		require.NoError(t, err, c.name)
		require.Equal(t, c.how, x.How, c.name)
		require.Equal(t, size.Shape(h.In), size.Shape(x.Value.Shape()), c.name)
		// m(x) = b
		vals := random.Values(t, []*combinators.Node{b, h.Apply(x.Value)}, random.Env([]*combinators.Node{b, h.Entries, x.Value}, 5))
		random.Close(t, vals[0], vals[1], 1e-8, c.name)
	}
}
