package unparse

import (
	"math/big"
	"strconv"
	"strings"
	"testing"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/syntax"

	"github.com/stretchr/testify/require"
)

// text prints nodes, one statement a line, without the word expression.
func text(t require.TestingT, o Options, nodes ...*combinators.Node) string {
	stmts, err := Program(nodes, o)
	require.NoError(t, err)
	out := syntax.PrintFile(&syntax.File{Stmts: stmts})
	return strings.TrimSpace(strings.ReplaceAll(out, "expression ", ""))
}

func TestEinstein(t *testing.T) {
	s := combinators.NewStore()
	X, A := s.Var("X", []size.Size{m, n}), s.Var("A", []size.Size{n, n})
	w, y, v := s.Var("w", []size.Size{n}), s.Var("y", []size.Size{m}), s.Var("v", []size.Size{n})
	a := s.Var("a", nil)
	r := func(p, q int64) *big.Rat { return big.NewRat(p, q) }
	Xw := s.Einsum("ij,j->i", X, w)
	for _, c := range []struct {
		node *combinators.Node
		want string
	}{
		{s.Einsum("ij,i->j", X, s.Sub(Xw, y)), "X *(ji,j->i) (X *(ij,j->i) w - y)"},
		{s.Einsum("ki,kj->ij", X, X), "X *(ji,jk->ik) X"},
		{s.Einsum("ij,j->i", s.Add(A, s.Einsum("ij->ji", A)), w), "(A + A *(ij->ji)) *(ij,j->i) w"},
		{s.Einsum(",ij,j->i", s.Int(2), A, w), "2 *(,i->i) (A *(ij,j->i) w)"},
		{s.Einsum(",ij,j->i", s.Int(-2), A, w), "-2 *(,i->i) (A *(ij,j->i) w)"},
		{s.Neg(s.Einsum("ik,lj->ijkl", s.Inv(A), s.Inv(A))), "-inv(A) *(ik,lj->ijkl) inv(A)"},
		{s.Minor(1, A), "adj(A) *(ij->ji)"},
		{s.Adj(A), "adj(A)"},
		{s.Det(A), "det(A)"},
		{s.Mul(w, s.Recip(v)), "w/v"},
		{s.Einsum("i,->i", w, s.Recip(s.Norm2(w))), "w/norm2(w)"},
		{s.Recip(w), "1/w"},
		{s.Power(w, r(1, 2)), "sqrt(w)"},
		{s.Power(w, r(1, 3)), "w^(1/3)"},
		{s.Power(w, r(-2, 1)), "w^-2"},
		{s.Add(s.Unary(atom.Log, w), s.Fill(r(1, 1), w.Shape())), "log(w) + 1"},
		{s.Sub(s.Fill(r(1, 1), w.Shape()), s.Unary(atom.Sigmoid, w)), "1 - sigmoid(w)"},
		{s.Einsum("i->ii", w), "w *(i->ii)"},
		{s.Einsum("ij->", A), "A *(ij->)"},
		{s.Eye([]size.Size{n}), "eye(n)"},
		{s.Add(A, s.Eye([]size.Size{n})), "A + delta(1)"},
		{s.Sub(A, s.Eye([]size.Size{n})), "A - delta(1)"},
		{s.Binary(atom.Pow, w, s.Neg(s.EinsumSized("->i", map[rune]size.Size{'i': n}, s.Var("a", nil)))), "w^-a"},
		{s.Eye([]size.Size{m, n}), "delta[m,n]"},
		{s.Fill(r(1, 1), []size.Size{m, n}), "ones(m, n)"},
		{s.Fill(r(-3, 2), []size.Size{m, n}), "-1.5[m,n]"},
		{s.EinsumSized("lj->ijil", map[rune]size.Size{'i': m}, A), "eye(m) *(ik,lj->ijkl) A"},
		{s.EinsumSized("->ijji", map[rune]size.Size{'i': m, 'j': n}), "eye(m) *(il,jk->ijkl) eye(n)"},
		{s.EinsumSized("->iii", map[rune]size.Size{'i': m}), "ones(m) *(i->iii)"},
		{s.EinsumSized(",ij->ijk", map[rune]size.Size{'k': m}, a, A), "(a *(,ij->ij) A) *(ij,k->ijk) ones(m)"},
		{s.Add(A, s.EinsumSized("i->ij", map[rune]size.Size{'j': n}, w)), "A + w *(i->ij)"},
		{s.Reduce("logsumexp", 1, A), "logsumexp(A, axis=1)"},
		{s.Reduce("logsumexp", 2, A), "logsumexp(A)"},
		{s.Softmax(1, w), "softmax(w)"},
		{s.Reduce("max", 1, w), "max(w)"},
		{s.Binary(atom.Max, w, s.Fill(r(0, 1), w.Shape())), "max(w, 0)"},
		{s.Binary(atom.Gt, w, v), "w > v"},
		{s.SizeOf(m.Mul(n)), "m*n"},
		{s.Scale(s.Recip(s.SizeOf(m)), w), "w/m"},
		{s.Scale(s.Const(r(1, 3)), w), "(1/3) *(,i->i) w"},
		{s.Scale(a, s.Scale(s.Int(-1), w)), "-a *(,i->i) w"},
		{s.Neg(s.Add(w, v)), "-(w + v)"},
		{s.Sub(s.Neg(w), v), "-w - v"},
		{s.Add(s.Add(w, v), s.Sub(v, w)), "w + v + v - w"},
		{s.Minor(2, A), "minor(A, 2)"},
		{s.Einsum("ijkl->klij", s.Minor(2, A)), "minor(A, 2)"},
		{s.Reduce("max", 1, s.Einsum("ij->ji", X)), "max(X, axis=0)"},
		{s.Softmax(1, s.Einsum("ij->ji", X)), "softmax(X, axis=0) *(ij->ji)"},
		{s.Einsum("ij->ji", s.Softmax(1, s.Einsum("ij->ji", X))), "softmax(X, axis=0)"},
		// Differences turn, symmetric matrices need no transpose, products stand before sums' other terms.
		{s.Neg(s.Einsum("ij,j->i", A, s.Sub(w, v))), "A *(ij,j->i) (v - w)"},
		{s.Einsum("ij,kj->ik", X, s.Add(A, s.Einsum("ij->ji", A))), "X *(ij,jk->ik) (A + A *(ij->ji))"},
		{s.Add(w, s.Einsum("ij,j->i", A, v)), "A *(ij,j->i) v + w"},
		{s.Einsum("i,,i,j,j->i", w, s.Int(4), w, w, w), "(4 *(,->) (w *(i,i->) w)) *(,i->i) (w *(i,i->i) w)"},
		{s.EinsumSized(",kl->ij", map[rune]size.Size{'i': n, 'j': m}, s.Int(2), X), "2[n,m] *(ij,kl->ij) X"},
	} {
		require.Equal(t, c.want, text(t, Options{Notation: Einstein}, c.node))
	}
}

func TestSignsAreShared(t *testing.T) {
	s := combinators.NewStore()
	X, w, y := s.Var("X", []size.Size{m, n}), s.Var("w", []size.Size{n}), s.Var("y", []size.Size{m})
	u := s.Unary(atom.Sigmoid, s.Einsum(",i,ij,j->i", s.Int(-1), y, X, w))
	g := s.Einsum(",ij,i,i->j", s.Int(-1), X, y, u)
	require.Equal(t, "X'*(-y .* sigmoid(-y .* (X*w)))", text(t, Options{}, g))
	A := s.Var("A", []size.Size{n, n})
	require.Equal(t, "-inv(A)*A'*inv(A)", text(t, Options{}, s.Einsum(",ij,kj,kl->il", s.Int(-1), s.Inv(A), A, s.Inv(A))))
}

func TestLets(t *testing.T) {
	s := combinators.NewStore()
	X, w, y := s.Var("X", []size.Size{m, n}), s.Var("w", []size.Size{n}), s.Var("y", []size.Size{m})
	p := s.Unary(atom.Sigmoid, s.Einsum("ij,j->i", X, w))
	h := s.Einsum("ki,k,k,kj->ij", X, p, s.Sub(s.Fill(big.NewRat(1, 1), y.Shape()), p), X)
	require.Equal(t, `let u = sigmoid(X *(ij,j->i) w)
((u *(i,i->i) (1 - u)) *(i,ij->ij) X) *(ji,jk->ik) X`, text(t, Options{Notation: Einstein}, h))
	require.Equal(t, `let p = sigmoid(X *(ij,j->i) w)
f = p
g = X *(ji,j->i) p`, text(t, Options{Notation: Einstein, Names: []string{"f", "g"}, Taken: map[string]bool{"u": true, "v": true}}, p, s.Einsum("ij,i->j", X, p)))
}

func TestDeepTermsAreCut(t *testing.T) {
	s := combinators.NewStore()
	x := s.Var("x", nil)
	for range 20_000 {
		x = s.Unary(atom.Sin, x)
	}
	stmts, err := Program([]*combinators.Node{x}, Options{})
	require.NoError(t, err)
	require.Greater(t, len(stmts), 300)
	x = s.Var("x", nil)
	for range 20_000 {
		x = s.Add(x, s.Unary(atom.Sin, s.Var("y", nil)))
	}
	stmts, err = Program([]*combinators.Node{x}, Options{})
	require.NoError(t, err)
	require.Len(t, stmts, 1)
}

func TestOpenSizes(t *testing.T) {
	s := combinators.NewStore()
	X := s.Var("X", []size.Size{m, n})
	o := Options{Open: []string{"m", "n"}}
	require.Equal(t, "delta(2)", text(t, o, s.Eye(X.Shape())))
	require.Equal(t, "1 *(->ij)", text(t, o, s.Ones(X.Shape())))
	require.Equal(t, "2 *(->ij)", text(t, o, s.Fill(big.NewRat(2, 1), X.Shape())))
}

func TestManyAxes(t *testing.T) {
	s := combinators.NewStore()
	shape := make([]size.Size, 60)
	in, out := make([]int, 60), make([]int, 60)
	for i := range shape {
		shape[i] = n
		in[i], out[59-i] = i, i
	}
	A := s.Var("A", shape)
	got := text(t, Options{}, s.Ein(einsum.Plain([][]int{in}, out, shape), A))
	require.Contains(t, got, "i'j'k'")
	_, err := syntax.ParseExpr(got, syntax.Limits{})
	require.NoError(t, err)
	// More letters than a product of two operands is searched for.
	k := s.Ein(einsum.Plain([][]int{in, {0, 60}, {60, 61, 62, 63, 64}}, out, append(shape, n, n, n, n, n)), A,
		s.Var("B", shape[:2]), s.Var("C", shape[:5]))
	require.Contains(t, text(t, Options{}, k), "einsum(")
}

func TestWideProducts(t *testing.T) {
	s := combinators.NewStore()
	args := []*combinators.Node{s.Int(-1)}
	in := [][]int{nil}
	for i := range 2_000 {
		args = append(args, s.Unary(atom.Sin, s.Var("x"+strconv.Itoa(i), []size.Size{n})))
		in = append(in, []int{0})
	}
	stmts, err := Program([]*combinators.Node{s.Ein(einsum.Plain(in, []int{0}, []size.Size{n}), args...)}, Options{})
	require.NoError(t, err)
	_, err = Count(stmts, nil)
	require.NoError(t, err)
}

// A square is written with one name for both factors: no let where that is the only place.
func TestSquaresNeedNoLet(t *testing.T) {
	s := combinators.NewStore()
	n, m := size.Sym("n"), size.Sym("m")
	x, w := s.Var("x", []size.Size{n}), s.Var("W", []size.Size{m, n})
	u := s.Unary(atom.Tanh, s.Einsum("ij,j->i", w, x))
	square := s.Mul(u, u)
	stmts, err := Program([]*combinators.Node{square}, Options{Notation: Matrix})
	require.NoError(t, err)
	require.Len(t, stmts, 1)
	require.Equal(t, "tanh(W*x)^2", syntax.Print(stmts[0].Expr))
	// with u elsewhere, too, it is named, and the first name is u
	stmts, err = Program([]*combinators.Node{s.Mul(s.Unary(atom.Exp, s.Add(square, s.Unary(atom.Sin, s.Mul(square, square)))), u)}, Options{Notation: Matrix})
	require.NoError(t, err)
	require.Equal(t, "u", stmts[0].Name.Name)
	// trees stay bounded in depth
	deep := s.Var("y", nil)
	for range 200 {
		deep = s.Mul(s.Add(deep, s.Int(1)), s.Add(deep, s.Int(1)))
	}
	stmts, err = Program([]*combinators.Node{deep}, Options{Notation: Matrix})
	require.NoError(t, err)
	require.Greater(t, len(stmts), 4)
}
