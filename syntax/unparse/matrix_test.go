package unparse

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"

	"frechet/rewrite/normal"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMatrixNotation(t *testing.T) {
	s := combinators.NewStore()
	X, A, B := s.Var("X", []size.Size{m, n}), s.Var("A", []size.Size{n, n}), s.Var("B", []size.Size{n, n})
	w, y, v := s.Var("w", []size.Size{n}), s.Var("y", []size.Size{m}), s.Var("v", []size.Size{n})
	a := s.Var("a", nil)
	r := func(p, q int64) *big.Rat { return big.NewRat(p, q) }
	Xw := s.Einsum("ij,j->i", X, w)
	tr := func(n *combinators.Node) *combinators.Node { return s.Einsum("ij->ji", n) }
	kron := func(product string, args ...*combinators.Node) *combinators.Node {
		return s.Merge(1, s.Merge(0, s.Einsum(product, args...)))
	}
	for _, c := range []struct {
		node *combinators.Node
		want string
	}{
		{s.Einsum("ij,i->j", X, s.Sub(Xw, y)), "X'*(X*w - y)"},
		{s.Einsum("ki,kj->ij", X, X), "X'*X"},
		{s.Einsum("ij,j->i", s.Add(A, tr(A)), w), "(A + A')*w"},
		{s.Einsum(",ij,j->i", s.Int(2), A, w), "2*A*w"},
		{s.Einsum(",ij,j->i", s.Int(-2), A, w), "-2*A*w"},
		{s.Einsum("ij,jk,k->i", A, B, w), "A*B*w"},
		{s.Einsum("i,j->ij", y, w), "y*w'"},
		{s.Einsum("ii->ii", A), "diag(diag(A))"},
		{s.Einsum(",ii->ii", s.Int(-1), A), "-diag(diag(A))"},
		{s.Sub(A, s.Einsum("ii->ii", B)), "A - diag(diag(B))"},
		{s.Einsum("i,j->ji", y, w), "w*y'"},
		{s.Einsum("i,i->", w, v), "w'*v"},
		{s.Einsum("i,ij,j->", w, A, v), "w'*A*v"},
		{s.Einsum("i,i,j->j", w, v, y), "w'*v*y"},
		{s.Einsum("i,i->i", w, v), "w .* v"},
		{s.Einsum("i,ij->ij", y, X), "diag(y)*X"},
		{s.Einsum("j,ij->ij", w, X), "X*diag(w)"},
		{s.Einsum("ij,ij->", A, B), "sum(A .* B)"},
		{s.Einsum("ij,ji->", A, B), "tr(A*B)"},
		{s.Einsum("ij,ij->i", A, B), "sum(A .* B, axis=1)"},
		{s.Einsum("ij,ij->ji", A, B), "(A .* B)'"},
		{s.Einsum("ij,jk,kl->li", A, B, A), "(A*B*A)'"},
		{s.Einsum("ij,kj->ik", A, B), "A*B'"},
		{s.Einsum("ij,jk->ik", A, A), "A*A"},
		{s.Einsum("ij,jk,kl->il", A, A, A), "matpow(A, 3)"},
		{s.Einsum("ij,jk->ki", s.Einsum("ij,jk->ik", A, A), s.Einsum("ij,jk->ik", A, A)), "matpow(A, 4)'"},
		{s.Einsum("ij,jk,kl,lm,m->i", B, A, A, A, w), "B*matpow(A, 3)*w"},
		{s.Einsum("ij,kj,lk,ml->im", B, A, A, A), "B*matpow(A, 3)'"},
		{s.Einsum("ij,jk,ki->", A, A, A), "tr(A*A*A)"},
		{s.Einsum("ij,kj,kl,ml,mn->in", X, X, X, X, X), "X*matpow(X'*X, 2)"},
		{s.Einsum("ij,jk,kl,lm,mn,np->ip", A, B, A, B, A, B), "matpow(A*B, 3)"},
		{s.Einsum("ji,kj,lk,ml->im", B, A, B, A), "matpow(A*B, 2)'"},
		{s.Einsum("ij,jk,kl,lm,mn->in", A, A, B, A, A), "A*A*B*(A*A)"},
		{s.Einsum("ij->", X), "sum(X)"},
		{s.Einsum("ij->j", X), "sum(X, axis=0)"},
		{kron("ik,jl->ijkl", A, X), "kron(A, X)"},
		{kron("ki,jl->ijkl", A, X), "kron(A', X)"},
		{kron("jl,ik->ijkl", A, X), "kron(X, A)"},
		{s.Merge(1, s.Merge(0, s.EinsumSized("jl->ijil", map[rune]size.Size{'i': m}, A))), "kron(eye(m), A)"},
		{s.Merge(0, s.Einsum("i,j->ij", w, y)), "kron(w, y)"},
		{s.Einsum("ii->", A), "tr(A)"},
		{s.Einsum("ii->", s.Sub(tr(A), s.Einsum("i,j->ij", w, v))), "tr(A - v*w')"},
		{s.Einsum("ij->i", s.Sub(tr(A), s.Einsum("i,j->ij", w, v))), "sum(A - v*w', axis=0)"},
		{s.Einsum("ii->i", A), "diag(A)"},
		{s.Einsum("i->ii", w), "diag(w)"},
		{s.Einsum("ii,jk->jk", A, X), "tr(A)*X"},
		{tr(s.Einsum("ij,jk->ik", s.Inv(A), B)), "(inv(A)*B)'"},
		{s.Minor(1, A), "adj(A)'"},
		{s.Eye([]size.Size{n}), "eye(n)"},
		{s.Einsum(",,->", s.Int(-2), a, s.Unary(atom.Exp, s.Einsum(",,->", s.Int(-1), a, a))), "-2*a*exp(-a^2)"},
		{s.Scale(s.Int(2), s.Eye([]size.Size{n})), "2*eye(n)"},
		{s.Sub(A, s.Eye([]size.Size{n})), "A - eye(n)"},
		{s.Sub(A, s.Scale(s.Int(2), s.Eye([]size.Size{n}))), "A - 2*eye(n)"},
		{s.Sub(s.Eye([]size.Size{n}), s.Einsum("i,j->ij", w, w)), "eye(n) - w*w'"},
		{s.Power(A, r(2, 1)), "A .^ 2"},
		{s.Power(w, r(2, 1)), "w^2"},
		{s.Mul(w, s.Recip(v)), "w ./ v"},
		{s.Recip(v), "1 ./ v"},
		{s.Einsum("i,i,i->i", w, s.Recip(v), s.Recip(v)), "w ./ v^2"},
		{s.Mul(s.Recip(A), s.Recip(A)), "1 ./ A .^ 2"},
		{s.Einsum("i,->i", w, s.Recip(s.Norm2(v))), "w/norm2(v)"},
		{s.Einsum(",ij->", s.Int(2), X), "2*sum(X)"},
		{s.EinsumSized(",ij->kl", map[rune]size.Size{'k': m, 'l': n}, s.Int(2), X), "2*sum(X)*ones(m, n)"},
		{s.EinsumSized("i->ij", map[rune]size.Size{'j': n}, y), "y*ones(n)'"},
		{s.EinsumSized("j->ij", map[rune]size.Size{'i': m}, w), "ones(m)*w'"},
		{s.Scale(s.Einsum("ij,ij->", A, B), w), "sum(A .* B)*w"},
		{s.Scale(a, s.Einsum("ij,ij->ij", A, tr(A))), "a*(A .* A')"},
		{s.Neg(s.Einsum("ij,j,k->ik", A, w, v)), "-A*w*v'"},
		{s.Einsum("ij,i,jk->k", X, y, A), "A'*X'*y"},
		// No matrix form: mixed where that is shorter than the Einstein language, or when asked.
		{s.Einsum("ik,lj->ijkl", s.Einsum("ij,jk->ik", A, B), A), "(A*B) *(ik,lj->ijkl) A"},
	} {
		require.Equal(t, c.want, text(t, Options{}, c.node))
	}
	require.Equal(t, "(A*B) *(ik,lj->ijkl) A", text(t, Options{Notation: Matrix}, s.Einsum("ik,lj->ijkl", s.Einsum("ij,jk->ik", A, B), A)))
}

// A power of a word is written as one, whatever stands beside it and however it is bracketed.
func TestPowersOfWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := combinators.NewStore()
		A, B := s.Var("A", []size.Size{m, n}), s.Var("B", []size.Size{n, m})
		turn := func(x *combinators.Node) *combinators.Node { return s.Einsum("ij->ji", x) }
		times := func(x, y *combinators.Node) *combinators.Node { return s.Einsum("ij,jk->ik", x, y) }
		word := times(A, B)
		switch rapid.IntRange(0, 3).Draw(t, "word") {
		case 1:
			word = times(A, turn(A))
		case 2:
			word = times(turn(B), turn(A))
		case 3:
			word = times(word, times(turn(B), turn(A)))
		}
		k := rapid.IntRange(2, 5).Draw(t, "exponent")
		power := word
		for i := 1; i < k; i++ {
			if rapid.Bool().Draw(t, "left") {
				power = times(word, power)
			} else {
				power = times(power, word)
			}
		}
		if rapid.Bool().Draw(t, "beside") {
			power = times(power, A)
		}
		out := text(t, Options{}, normal.Simplify(power)[0])
		require.Equal(t, 1, strings.Count(out, "matpow("), out)
		require.Contains(t, out, fmt.Sprintf(", %d)", k))
	})
}
