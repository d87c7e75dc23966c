package proof

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// signs decides what is known of the entries of values: from their form, and from facts.
type signs struct {
	facts map[Fact]bool
	known map[*Node]atom.Signs
	work  *work
}

func newSigns(facts []Fact, w *work) *signs {
	s := &signs{facts: map[Fact]bool{}, known: map[*Node]atom.Signs{}, work: w}
	for _, f := range facts {
		s.facts[f] = true
	}
	return s
}

// presumed are the facts that hold where the values outs are defined: see [combinators.Domains].
func presumed(outs []*Node) map[Fact]bool {
	facts := map[Fact]bool{}
	for _, d := range combinators.Domains(outs...) {
		for sign, holds := range map[Sign]bool{Positive: d.Positive, Nonneg: d.Nonneg, Nonzero: d.Nonzero, Invertible: d.Invertible} {
			if holds {
				facts[Fact{sign, d.Value}] = true
			}
		}
	}
	return facts
}

// knows reports whether f is known, which is no claim of an inverse.
func (s *signs) knows(f Fact) bool {
	return f.Sign == Nonzero && s.nonzero(f.Value) || f.Sign == Nonneg && s.nonneg(f.Value)
}

func (s *signs) positive(n *Node) bool { return s.of(n).Positive }
func (s *signs) nonneg(n *Node) bool   { return s.of(n).Nonneg }
func (s *signs) nonzero(n *Node) bool  { return s.of(n).Nonzero }

// defined reports whether n has a value wherever its variables do: no operation below it leaves its
// domain, by the signs of what it is applied to.
func (s *signs) defined(n *Node) bool {
	for _, m := range combinators.Topo(n) {
		s.work.add(1)
		of := atom.Signs{}
		if len(m.Args()) > 0 {
			of = s.of(m.Arg(0))
		}
		ok := false
		switch m.Atom() {
		case atom.Power:
			ok = (m.Rat().IsInt() || of.Nonneg) && (m.Rat().Sign() >= 0 || of.Nonzero || m.Guard() == combinators.GuardZero)
		case atom.Inv, atom.Solve:
			ok = s.invertible(m.Arg(0))
		case atom.LogDet:
			ok = s.definite(m.Arg(0)) == positiveDefinite
		default:
			ok = m.Atom().Defined(of)
		}
		if !ok {
			return false
		}
	}
	return true
}

// unguarded reports whether the functions below n that have a guard are finite, by the signs of their operands.
func (s *signs) unguarded(n *Node) bool {
	return !slices.ContainsFunc(combinators.Topo(n), func(m *Node) bool {
		return m.Guard() != combinators.GuardNone && !s.positive(m.Arg(0)) && !(m.Is(atom.Power) && s.nonzero(m.Arg(0)))
	})
}

func (s *signs) of(n *Node) atom.Signs {
	if b, ok := s.known[n]; ok {
		return b
	}
	for _, m := range combinators.Topo(n) {
		s.work.add(1)
		if _, ok := s.known[m]; ok {
			continue
		}
		b := s.form(m)
		b.Positive = b.Positive || s.facts[Fact{Positive, m}]
		b.Nonzero = b.Nonzero || s.facts[Fact{Nonzero, m}]
		b.Nonneg = b.Nonneg || s.facts[Fact{Nonneg, m}]
		b.Positive = b.Positive || b.Nonneg && b.Nonzero
		s.known[m] = atom.Signs{Positive: b.Positive, Nonneg: b.Nonneg || b.Positive, Nonzero: b.Nonzero || b.Positive}
	}
	return s.known[n]
}

// form is what the operation says; the operands are known.
// It stays one switch: a case for each function.
func (s *signs) form(n *Node) atom.Signs {
	arg := func(k int) atom.Signs { return s.known[n.Arg(k)] }
	switch n.Atom() {
	case atom.Const:
		x := n.Rat().Sign()
		return atom.Signs{Positive: x > 0, Nonneg: x >= 0, Nonzero: x != 0}
	case atom.Var:
		of := n.Attributes()
		return atom.Signs{Positive: of.Has(atom.Positive), Nonneg: of.Has(atom.Nonneg), Nonzero: of.Has(atom.Positive)}
	case atom.Minor:
		det := n.Attr() == 0
		return atom.Signs{Nonzero: det && s.invertible(n.Arg(0)), Positive: det && s.definite(n.Arg(0)) == positiveDefinite}
	case atom.AMax:
		if slices.Contains(n.Arg(0).Shape(), size.Size{}) { // then it is -inf
			return atom.Signs{}
		}
	case atom.Max:
		return atom.Signs{Positive: arg(0).Positive || arg(1).Positive, Nonneg: arg(0).Nonneg || arg(1).Nonneg}
	case atom.Min:
		return atom.Signs{Positive: arg(0).Positive && arg(1).Positive, Nonneg: arg(0).Nonneg && arg(1).Nonneg}
	case atom.Power:
		return power(n, arg(0))
	case atom.Pow:
		return atom.Signs{Positive: arg(0).Positive, Nonneg: arg(0).Nonneg}
	case atom.Add:
		a, b := arg(0), arg(1)
		return atom.Signs{Positive: a.Nonneg && b.Nonneg && (a.Positive || b.Positive), Nonneg: a.Nonneg && b.Nonneg}
	case atom.Ein:
		return s.product(n)
	}
	x := atom.Signs{}
	if len(n.Args()) == 1 {
		x = arg(0)
	}
	return n.Atom().Signs(x)
}

// power is what the exponent and the guard of n say, with the signs of its base.
func power(n *Node, base atom.Signs) atom.Signs {
	even := n.Rat().IsInt() && n.Rat().Num().Bit(0) == 0
	inverse := n.Rat().Sign() < 0
	// an inverse is not 0 where it is defined at all, but under the guard that makes it 0 at 0
	sure := inverse && n.Guard() != combinators.GuardZero
	return atom.Signs{Positive: base.Positive || base.Nonneg && sure, Nonneg: base.Nonneg || even || !n.Rat().IsInt(), Nonzero: base.Nonzero && inverse}
}

// product: factors that are not negative, and squares. Nothing is 0 where each entry is one product.
func (s *signs) product(n *Node) atom.Signs {
	in, out, ok := n.Ein().IsPlain()
	if !ok {
		return atom.Signs{}
	}
	b := s.entries(n, in, einsum.Permutation(out, len(n.Ein().Vars)))
	if !b.Nonneg && einsum.Distinct(out) {
		b.Nonneg = s.mirrored(n, in, out, 0, 0, func(a *Node) bool { return s.definite(a) != indefinite })
	}
	if filled, ok := fill(n); ok {
		b.Nonzero = filled.Sign() != 0
	}
	return b
}

// entries are what the factors of n, at the letters in, say of their product, each entry of which is a
// single product or a sum of them.
func (s *signs) entries(n *Node, in [][]int, single bool) atom.Signs {
	b := atom.Signs{Positive: single, Nonneg: true, Nonzero: single}
	for k, a := range n.Args() {
		f := s.known[a]
		if !f.Nonneg {
			twins := 0
			for l, c := range n.Args() {
				if c == a && slices.Equal(in[k], in[l]) {
					twins++
				}
			}
			if twins%2 == 1 {
				b.Positive, b.Nonneg = false, false
			}
			f.Positive = f.Nonzero
		}
		b.Positive = b.Positive && f.Positive
		b.Nonzero = b.Nonzero && f.Nonzero
	}
	return b
}

// fill is the number whose constant tensor n is.
func fill(n *Node) (*big.Rat, bool) {
	if n.Is(atom.Const) {
		return n.Rat(), true
	}
	c := n.Ein()
	if c == nil || len(n.Args()) > 1 {
		return nil, false
	}
	_, out, ok := c.IsPlain()
	if !ok || !einsum.Permutation(out, len(c.Vars)) || len(n.Args()) == 0 && len(out) == 0 {
		return nil, false
	}
	if len(n.Args()) == 0 {
		return big.NewRat(1, 1), true
	}
	return n.Arg(0).Rat(), n.Arg(0).Is(atom.Const)
}
