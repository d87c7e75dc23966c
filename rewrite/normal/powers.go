package normal

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// base writes a factor as a power: x = x^1, x^r, x.*x = x^2.
func base(n *Node) (*Node, *big.Rat, combinators.Guard) {
	if n.Atom() == atom.Power {
		return n.Arg(0), n.Rat(), n.Guard()
	}
	if x := squared(n); x != nil {
		b, e, g := base(x)
		return b, new(big.Rat).Add(e, e), g
	}
	return n, one, combinators.GuardNone
}

// basesOf appends the bases of factors.
func basesOf(ops, bases []*Node) []*Node {
	for _, a := range ops {
		for x := squared(a); x != nil; x = squared(a) {
			a = x
		}
		if a.Atom() == atom.Power {
			a = a.Arg(0)
		}
		bases = append(bases, a)
	}
	return bases
}

// squared is x where n is x.*x.
func squared(n *Node) *Node {
	if len(n.Args()) != 2 || n.Arg(0) != n.Arg(1) || n.Ein() == nil || !n.Ein().Entrywise() {
		return nil
	}
	if in, out, _ := n.Ein().IsPlain(); !slices.Equal(in[0], in[1]) || !slices.Equal(in[0], out) {
		return nil
	}
	return n.Arg(0)
}

// powers merges factors that are powers of one base at one index map:
// x^a * x^b = x^(a+b), where that keeps the domain. Squares stay products of two
// factors, so that x'*x and x.*x have one form, and so do inverse squares, so that x/|x|
// can be seen twice in x*x'/|x|^2.
func (z *Simplifier) powers(p product) product {
	var room [16]int
	var baseRoom [maxOperands]*Node
	bases := basesOf(p.ops, baseRoom[:0])
	if !p.repeats(bases) {
		return p
	}
	for i := 0; i < len(p.ops); i++ {
		same := append(room[:0], i)
		for j := i + 1; j < len(p.ops); j++ {
			if bases[j] == bases[i] && slices.Equal(p.in[i], p.in[j]) {
				same = append(same, j)
			}
		}
		if len(same) == 1 && p.ops[i].Atom() != atom.Power {
			continue
		}
		if len(same) == 2 && bases[i] == p.ops[i] && bases[i] == p.ops[same[1]] {
			continue // x*x is a form itself
		}
		if merged, ok := z.mergedPowers(&p, bases[i], same); ok {
			p = p.withPowers(same, merged)
			bases = basesOf(p.ops, baseRoom[:0])
			i += len(merged) - 1
		}
	}
	return p
}

// mergedPowers are the operands same of p, which are powers of b, as one power or two; it reports false where
// they stay as they are.
func (z *Simplifier) mergedPowers(p *product, b *Node, same []int) (merged []*Node, ok bool) {
	_, e, _ := base(p.ops[same[0]])
	if len(same) > 1 && (HasLaws(b) || !e.IsInt()) {
		z.choices |= Laws
	}
	first := numberOf(e)
	if len(same) == 1 && first != whole(2) && first != whole(-2) || large(e) {
		return nil, false
	}
	f := z.factorsOf(p, same)
	if len(same) == 2 && f.equal && (first == unit || first == whole(-1)) {
		return nil, false // x*x and 1/x*1/x are forms themselves
	}
	excludesZero := (f.excludesZero || f.zero && f.sum.sign() == 0) && !p.vacuous(b) // b^-1 b, 0 where b is 0
	for _, e := range z.exponents(b, f.sum, excludesZero, f.excludesNegative) {
		merged = append(merged, z.factorsFor(b, e, f.guard)...)
	}
	return merged, true
}

// factorsFor are the factors of b^e; a square is two.
func (z *Simplifier) factorsFor(b *Node, e number, guard combinators.Guard) []*Node {
	switch {
	case e.sign() == 0:
		return nil
	case e == whole(2):
		return []*Node{b, b}
	case e == whole(-2):
		r := z.s.Recip(b).WithGuard(guard)
		return []*Node{r, r}
	}
	m := z.s.Power(b, e.rat())
	if guard != combinators.GuardNone && m.Is(atom.Power) && e.sign() < 0 {
		m = m.WithGuard(guard)
	}
	return []*Node{m}
}

// powerFactors says what powers of one base are together.
type powerFactors struct {
	sum                            number // of the exponents
	equal                          bool   // they are
	excludesZero, excludesNegative bool
	zero                           bool              // one is 0 where the base is
	guard                          combinators.Guard // of the negative powers
}

// factorsOf reads the operands same of p, which are powers of one base.
func (z *Simplifier) factorsOf(p *product, same []int) powerFactors {
	_, first, _ := base(p.ops[same[0]])
	f := powerFactors{sum: whole(0), equal: true}
	for _, j := range same {
		_, r, h := base(p.ops[j])
		e := numberOf(r)
		f.sum = f.sum.plus(e)
		f.equal = f.equal && e.equal(numberOf(first))
		f.excludesNegative = f.excludesNegative || !e.isInt()
		if e.sign() > 0 {
			continue
		}
		if !f.excludesZero && !f.zero {
			f.guard = h
		} else if f.guard != h {
			z.choices |= Laws // which are joined first
			f.guard = joinGuards(f.guard, h)
		}
		f.excludesZero = f.excludesZero || h != combinators.GuardZero
		f.zero = f.zero || h == combinators.GuardZero
	}
	return f
}

// withPowers is p with others in the place of its operands at, which are of one index map.
func (p product) withPowers(at []int, others []*Node) product {
	i, group := at[0], p.in[at[0]]
	for _, k := range slices.Backward(at) {
		p.ops = slices.Concat(p.ops[:k], p.ops[k+1:])
		p.in = slices.Concat(p.in[:k], p.in[k+1:])
	}
	for _, m := range others {
		p.ops = slices.Insert(slices.Clone(p.ops), i, m)
		p.in = slices.Insert(slices.Clone(p.in), i, group)
	}
	return p
}

// vacuous reports whether p reads nothing where b is 0: it is the size of an axis of p or of one that it sums over, or of a part
// of one.
func (p *product) vacuous(b *Node) bool {
	if !isSize(b) {
		return false
	}
	d := b.Ein().Vars[0]
	return slices.ContainsFunc(p.vars, func(e size.Size) bool { return e == d || isMultiple(e, d) })
}

// isMultiple reports whether d is a product of a symbol e and others.
func isMultiple(d, e size.Size) bool {
	symbol, ok := e.Symbol()
	all := d.Monomials()
	return ok && len(all) == 1 && slices.Contains(all[0].Symbols, symbol)
}

// repeats reports whether an operand is a power, or two have one base at one index map.
func (p *product) repeats(bases []*Node) bool {
	var room [64 + 1]uint8
	heads := room[:] // by first variable, the last operand that has it, from 1
	var before [maxOperands]uint8
	if len(p.ops) > len(before) || len(p.vars) >= len(heads) {
		return true
	}
	for i, a := range p.ops {
		if a.Atom() == atom.Power {
			return true
		}
		v := len(heads) - 1
		if len(p.in[i]) > 0 {
			v = p.in[i][0]
		}
		for j := heads[v]; j > 0; j = before[j-1] {
			if bases[j-1] == bases[i] && slices.Equal(p.in[j-1], p.in[i]) {
				return true
			}
		}
		before[i], heads[v] = heads[v], uint8(i+1)
	}
	return false
}

// large exponents are not made larger: x = x.*x, a thousand times, would be a number of a
// thousand digits.
func large(e *big.Rat) bool { return e.Num().BitLen() > 16 }

// exponents are those of b in a product of powers of b: their sum alone where that has the
// domain of all. Otherwise one factor stays that excludes what they exclude: 1/b for 0, the
// root of b for negative numbers, 1/b^(1/2) for both. Where the sum is 0 nothing is left of b, which then
// must be defined.
func (z *Simplifier) exponents(b *Node, sum number, excludesZero, excludesNegative bool) []number {
	kept := sum.sign() != 0 || z.facts.Defined(b)
	excludesZero = excludesZero && sum.sign() >= 0 && !(kept && z.facts.Nonzero(b))
	excludesNegative = excludesNegative && sum.isInt() && !(kept && z.facts.Nonneg(b))
	keep := whole(-1)
	switch {
	case excludesNegative && (excludesZero || sum.sign() < 0):
		keep = whole(-1).over(whole(2))
	case excludesNegative:
		keep = unit.over(whole(2))
	case excludesZero:
	default:
		return []number{sum}
	}
	return []number{keep, sum.plus(keep.times(whole(-1)))}
}

var two = big.NewRat(2, 1)

func joinGuards(a, b combinators.Guard) combinators.Guard {
	if a == b {
		return a
	}
	if a == combinators.GuardWeak || b == combinators.GuardWeak {
		return combinators.GuardWeak
	}
	return combinators.GuardNone
}
