package combinators

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

func TestEqualTermsAreOneNode(t *testing.T) {
	s := NewStore()
	m, n := size.Sym("m"), size.Sym("n")
	a, x := s.Var("A", []size.Size{m, n}), s.Var("x", []size.Size{n})
	require.Same(t, s.Einsum("ij,j->i", a, x), s.Einsum("b,ab->a", x, a))
	require.Same(t, s.Add(x, s.Int2(x)), s.Add(s.Int2(x), x))
	// A permutation of equal operands is the same product.
	require.Same(t, s.Einsum("i,j,k,k->ij", x, x, x, x), s.Einsum("k,i,k,j->ji", x, x, x, x))
	require.NotSame(t, s.Einsum("ij,kj->ik", a, a), s.Einsum("ij,ik->jk", a, a))
	require.Same(t, a, s.Einsum("ij->ij", a))
	require.Same(t, a, s.Einsum("ij->ji", s.Einsum("ij->ji", s.Einsum("ij->ij", a))).fusedOnce(s))
}

// Int2 is 2*x.
func (s *Store) Int2(x *Node) *Node { return s.Scale(s.Int(2), x) }

// fusedOnce substitutes a one-operand contraction of a one-operand contraction.
func (n *Node) fusedOnce(s *Store) *Node {
	inner := n.Arg(0)
	return s.Ein(n.Ein().Fuse(0, inner.Ein()).Solve(), inner.Args()...)
}

func TestIllTypedTermsCannotBeBuilt(t *testing.T) {
	s := NewStore()
	a := s.Var("A", []size.Size{size.Const(2), size.Const(3)})
	for name, f := range map[string]func(){
		"add":   func() { s.Add(a, s.Einsum("ij->ji", a)) },
		"inv":   func() { s.Inv(a) },
		"mul":   func() { s.Mul(a, s.Int(1)) },
		"solve": func() { s.Solve(a, a) },
		"ein":   func() { s.Ein(einsum.Plain([][]int{{0, 1}}, nil, []size.Size{size.Const(3), size.Const(2)}), a) },
		"split": func() { s.Split(0, size.Const(2), size.Const(2), a) },
	} {
		require.Panics(t, f, name)
	}
}

func TestFusingDeltaSubstitutesAnEquality(t *testing.T) {
	s := NewStore()
	n := size.Sym("n")
	x := s.Var("x", []size.Size{n})
	d := s.Eye([]size.Size{n})
	p := s.Einsum("ij,j->i", d, x)
	k := 0
	if p.Arg(0) != d {
		k = 1
	}
	c := p.Ein().Fuse(k, d.Ein()).Solve()
	require.Same(t, x, s.Ein(c, x))
	// delta_ij x_j without a sum stays a diagonal matrix.
	q := s.Einsum("ij,j->ij", d, x)
	k = 0
	if q.Arg(0) != d {
		k = 1
	}
	require.Same(t, s.Einsum("i->ii", x), s.Ein(q.Ein().Fuse(k, d.Ein()).Solve(), x))
}

func TestSizesAreNumbers(t *testing.T) {
	s := NewStore()
	n := size.Sym("n")
	require.Equal(t, "->", s.SizeOf(n).Ein().String())
	require.Same(t, s.Int(3), s.SizeOf(size.Const(3)))
}

// A fill has one operand of order 0 and ones have none: not the same contraction.
func TestFillIsNotOnes(t *testing.T) {
	s := NewStore()
	shape := []size.Size{size.Sym("n")}
	ones, two := s.Ones(shape), s.Fill(big.NewRat(2, 1), shape)
	require.Empty(t, ones.Ein().In)
	require.Len(t, two.Ein().In, 1)
}

// What commutes has one node for both orders of its operands, also where they were exchanged for others.
func TestOperandsOfWhatCommutes(t *testing.T) {
	s := NewStore()
	a, b, c := s.Var("a", nil), s.Var("b", nil), s.Var("c", nil)
	for _, at := range []*atom.Row{atom.Max, atom.Min, atom.LogAddExp, atom.Eq, atom.Ne} {
		n := s.Binary(at, b, c)
		require.Equal(t, n, s.Binary(at, c, b), at.Name)
		require.Equal(t, s.Binary(at, b, a), s.Binary(at, a, c).With([]*Node{b, a}), at.Name)
		require.Equal(t, n, s.Apply(n.Atom(), 0, c, b), at.Name)
	}
	require.NotEqual(t, s.Binary(atom.Gt, a, b), s.Binary(atom.Gt, b, a))
}

// A sum says of itself whether all of its addends are variables.
func TestKinds(t *testing.T) {
	for _, at := range atom.Rows() {
		require.Equal(t, at == atom.Var, at.Kind() == atom.Var.Kind(), at.Name)
	}
}
