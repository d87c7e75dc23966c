package text_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/terms"
)

func TestPrintClosed(t *testing.T) {
	m, n := size.Sym("m"), size.Sym("n")
	s := combinators.NewStore()
	type Node = combinators.Node
	x1, x2 := s.Var("x1", nil), s.Var("x2", nil)
	X, w, y := s.Var("X", []size.Size{m, n}), s.Var("w", []size.Size{n}), s.Var("y", []size.Size{m})
	r := s.Sub(s.Einsum("ij,j->i", X, w), y)
	for _, c := range []struct {
		params    []*Node
		outs      []*Node
		want, uni string
	}{
		{[]*Node{x1}, []*Node{s.Unary(atom.Log, s.Unary(atom.Sin, x1))}, "log . sin", "log ∘ sin"},
		// Elsman, example B.2
		{[]*Node{x1, x2}, []*Node{s.Sub(s.Add(s.Unary(atom.Log, x1), s.Mul(x1, x2)), s.Unary(atom.Sin, x2))},
			"log . pi1 + (_ .* _) - sin . pi2", "log ∘ π1 + (_ .* _) - sin ∘ π2"},
		{[]*Node{w}, []*Node{s.Einsum("ij,j->i", X, w)}, "(X *(ij,j->i) _)", "(X *(ij,j->i) _)"},
		{[]*Node{X, w, y}, []*Node{s.Einsum("i,i->", r, r)},
			"let f1 = *(ij,j->i) . <pi1, pi2> - pi3\nin *(i,i->) . <f1, f1>", "let f1 = *(ij,j->i) ∘ ⟨π1, π2⟩ - π3\nin *(i,i->) ∘ ⟨f1, f1⟩"},
		{[]*Node{w}, []*Node{s.Einsum("i,i->", r, r)},
			"let f1 = (X *(ij,j->i) _) + K(-y)\nin *(i,i->) . <f1, f1>", ""},
		{[]*Node{X}, []*Node{s.Einsum("ij->ji", X), s.Minor(1, s.Einsum("ij,ik->jk", X, X)), s.Zero([]size.Size{m})},
			"<*(ij->ji), minor[1] . *(ij,ik->jk) . <id, id>, 0>", ""},
		{[]*Node{w}, []*Node{s.Softmax(1, s.Scale(s.Const(s.Int(2).Rat()), w)), s.Merge(0, s.Einsum("i,j->ij", w, y))},
			"<softmax[1] . (2 .* _), merge[0] . (_ *(i,j->ij) y)>", ""},
	} {
		b := &combinators.Block{Store: s, Params: c.params, Outs: c.outs}
		f := combinators.Readback(b)
		require.Equal(t, c.want, text.PrintClosed(f, false))
		if c.uni != "" {
			require.Equal(t, c.uni, text.PrintClosed(f, true))
		}
	}
	u := combinators.TensorSpace([]size.Size{n})
	sin := s.OpenMap(s.Unary(atom.Sin, w), func(int) bool { return true })
	both := combinators.ProductSpace(u, u)
	for _, c := range []struct {
		m    combinators.Map
		want string
		sig  string
	}{
		{s.Copower(sin, []size.Size{m}), "sin^[m]", "R[m,n] -> R[m,n]"},
		{s.Derivative(sin, s.Value(w)).Map, "D(sin)(w)", "R[n] -o R[n]"},
		{s.Adjoint(s.Copair(s.ID(u), s.ID(u))).Map, "adjoint([id, id])", "R[n] -o R[n] x R[n]"},
		{s.Product(sin, s.ID(u).Map), "sin x id", "R[n] x R[n] -> R[n] x R[n]"},
		{s.Compose(s.Inj(both, 1).Map, sin), "iota2 . sin", "R[n] -> R[n] x R[n]"},
		{s.ConstMap(u, s.Tuple(s.Value(w), s.Value(y))), "K((w, y))", "R[n] -> R[n] x R[m]"},
		{s.Scan(n, nil).Map, "red{(i,j) | i <= j}", "R[n] -o R[n]"},
	} {
		require.Equal(t, c.want, text.PrintClosed(c.m, false))
		require.Equal(t, c.sig, text.Signature(c.m))
	}
}

// What is printed is read as the term that was printed.
func TestPrintClosedParses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := terms.Block(t, 12)
		tt := text.Closed(combinators.Readback(b))
		for _, unicode := range []bool{false, true} {
			src := text.PrintClosed(combinators.Readback(b), unicode)
			got, err := text.Parse(src)
			require.NoError(t, err, src)
			require.True(t, text.Equal(tt, got), src)
		}
	})
}

// The text is linear in the size of the block, whatever its depth, and is not nested deeply.
func TestPrintClosedLarge(t *testing.T) {
	const steps = 10_000
	for name, step := range map[string]func(s *combinators.Store, x, y *combinators.Node) *combinators.Node{
		"chain": func(s *combinators.Store, _, y *combinators.Node) *combinators.Node { return s.Unary(atom.Sin, y) },
		"shared": func(s *combinators.Store, _, y *combinators.Node) *combinators.Node {
			return s.Add(y, s.Unary(atom.Sin, y))
		},
		"nested": func(s *combinators.Store, x, y *combinators.Node) *combinators.Node {
			return s.Unary(atom.Sin, s.Mul(x, y))
		},
	} {
		s := combinators.NewStore()
		x := s.Var("x", []size.Size{size.Sym("n")})
		z := s.Var("z", []size.Size{size.Sym("n")})
		y := x
		for range steps {
			y = step(s, z, y)
		}
		b := &combinators.Block{Store: s, Params: []*combinators.Node{x, z}, Outs: []*combinators.Node{y}}
		src := text.PrintClosed(combinators.Readback(b), false)
		require.Less(t, len(src), 60*steps, name)
		if name == "nested" {
			require.Greater(t, strings.Count(src, "\n"), steps/45)
			got, err := text.Parse(src)
			require.NoError(t, err)
			require.True(t, text.Equal(text.Closed(combinators.Readback(b)), got))
		}
	}
}
