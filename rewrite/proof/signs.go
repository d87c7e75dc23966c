package proof

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// signs decides what is known of the entries of values: from their form, and from facts.
type signs struct {
	facts map[Fact]bool
	known map[*Node]bounds
	work  *work
}

// bounds says that entries are above 0, not below it, or not 0.
type bounds struct{ positive, nonneg, nonzero bool }

func newSigns(facts []Fact, w *work) *signs {
	s := &signs{facts: map[Fact]bool{}, known: map[*Node]bounds{}, work: w}
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

func (s *signs) positive(n *Node) bool { return s.of(n).positive }
func (s *signs) nonneg(n *Node) bool   { return s.of(n).nonneg }
func (s *signs) nonzero(n *Node) bool  { return s.of(n).nonzero }

// defined reports whether n has a value wherever its variables do: no operation below it leaves its
// domain, by the signs of what it is applied to.
func (s *signs) defined(n *Node) bool {
	for _, m := range combinators.Topo(n) {
		s.work.add(1)
		of := bounds{}
		if len(m.Args()) > 0 {
			of = s.of(m.Arg(0))
		}
		ok := false
		switch m.Atom() {
		case atom.Log, atom.Pow:
			ok = of.positive
		case atom.Log1p:
			ok = of.nonneg
		case atom.Power:
			ok = (m.Rat().IsInt() || of.nonneg) && (m.Rat().Sign() >= 0 || of.nonzero || m.Guard() == combinators.GuardZero)
		case atom.Inv, atom.Solve:
			ok = s.invertible(m.Arg(0))
		case atom.LogDet:
			ok = s.definite(m.Arg(0)) == positiveDefinite
		case atom.Tan, atom.Arcsin, atom.Arccos:
		default:
			ok = true
		}
		if !ok {
			return false
		}
	}
	return true
}

func (s *signs) of(n *Node) bounds {
	if b, ok := s.known[n]; ok {
		return b
	}
	for _, m := range combinators.Topo(n) {
		s.work.add(1)
		if _, ok := s.known[m]; ok {
			continue
		}
		b := s.form(m)
		b.positive = b.positive || s.facts[Fact{Positive, m}]
		b.nonzero = b.nonzero || s.facts[Fact{Nonzero, m}]
		b.nonneg = b.nonneg || s.facts[Fact{Nonneg, m}]
		b.positive = b.positive || b.nonneg && b.nonzero
		s.known[m] = bounds{b.positive, b.nonneg || b.positive, b.nonzero || b.positive}
	}
	return s.known[n]
}

// form is what the operation says; the operands are known.
func (s *signs) form(n *Node) bounds {
	arg := func(k int) bounds { return s.known[n.Arg(k)] }
	switch n.Atom() {
	case atom.Const:
		x := n.Rat().Sign()
		return bounds{x > 0, x >= 0, x != 0}
	case atom.Exp, atom.Sigmoid, atom.Softplus, atom.Cosh, atom.Softmax, atom.Pi:
		return bounds{true, true, true}
	case atom.Abs:
		return bounds{arg(0).nonzero, true, arg(0).nonzero}
	case atom.Minor:
		return bounds{nonzero: n.Attr() == 0 && s.invertible(n.Arg(0))}
	case atom.Norm2, atom.Relu, atom.Step, atom.Gt, atom.Ge, atom.Lt, atom.Le, atom.Eq, atom.Ne:
		return bounds{nonneg: true}
	case atom.AMax:
		if slices.Contains(n.Arg(0).Shape(), size.Size{}) { // then it is -inf
			return bounds{}
		}
		return arg(0)
	case atom.AMin, atom.Merge, atom.Split, atom.Log1p, atom.Expm1, atom.Sinh, atom.Tanh, atom.Arctan:
		return arg(0)
	case atom.Max:
		return bounds{positive: arg(0).positive || arg(1).positive, nonneg: arg(0).nonneg || arg(1).nonneg}
	case atom.Min:
		return bounds{positive: arg(0).positive && arg(1).positive, nonneg: arg(0).nonneg && arg(1).nonneg}
	case atom.Power:
		even := n.Rat().IsInt() && n.Rat().Num().Bit(0) == 0
		inverse := n.Rat().Sign() < 0
		nonneg := arg(0).nonneg || even || !n.Rat().IsInt()
		// an inverse is not 0 where it is defined at all, but under the guard that makes it 0 at 0
		sure := inverse && n.Guard() != combinators.GuardZero
		return bounds{arg(0).positive || arg(0).nonneg && sure, nonneg, arg(0).nonzero && inverse}
	case atom.Pow:
		return bounds{positive: arg(0).positive, nonneg: arg(0).nonneg}
	case atom.Add:
		a, b := arg(0), arg(1)
		return bounds{positive: a.nonneg && b.nonneg && (a.positive || b.positive), nonneg: a.nonneg && b.nonneg}
	case atom.Ein:
		return s.product(n)
	}
	return bounds{}
}

// product: factors that are not negative, and squares. Nothing is 0 where each entry is one product.
func (s *signs) product(n *Node) bounds {
	in, out, ok := n.Ein().IsPlain()
	if !ok {
		return bounds{}
	}
	b := s.entries(n, in, entrywise(n.Ein().Vars, out))
	if filled, ok := fill(n); ok {
		b.nonzero = filled.Sign() != 0
	}
	return b
}

// entries are what the factors of n, at the letters in, say of their product, each entry of which is a
// single product or a sum of them.
func (s *signs) entries(n *Node, in [][]int, single bool) bounds {
	b := bounds{single, true, single}
	for k, a := range n.Args() {
		f := s.known[a]
		if !f.nonneg {
			twins := 0
			for l, c := range n.Args() {
				if c == a && slices.Equal(in[k], in[l]) {
					twins++
				}
			}
			if twins%2 == 1 {
				b.positive, b.nonneg = false, false
			}
			f.positive = f.nonzero
		}
		b.positive = b.positive && f.positive
		b.nonzero = b.nonzero && f.nonzero
	}
	return b
}

// entrywise: each point of the domain is one entry of the result, and each entry has one.
func entrywise[T any](vars []T, out []int) bool {
	seen := make([]bool, len(vars))
	for _, v := range out {
		if seen[v] {
			return false
		}
		seen[v] = true
	}
	return len(out) == len(vars)
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
	if !ok || !entrywise(c.Vars, out) || len(n.Args()) == 0 && len(out) == 0 {
		return nil, false
	}
	if len(n.Args()) == 0 {
		return big.NewRat(1, 1), true
	}
	return n.Arg(0).Rat(), n.Arg(0).Is(atom.Const)
}
