package normal

import (
	"cmp"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/internal/lists"
)

// pairs are the factorings of pairs of terms of a sum: each is looked for once, whatever becomes of the other
// terms. Where several gain as much, the first by the fingerprints of the terms is taken; fingerprints are not looked at before.
type pairs struct {
	z       *Simplifier
	table   []*factoring // by the places of two terms; nil where none was looked for
	places  int          // that are taken
	most    int          // and may be
	ranked  bool         // the terms are in the order of their fingerprints
	several bool         // there were more than two: of two, the order is that in which they were built
}

// noFactoring says that two terms have none.
var noFactoring = &factoring{}

// pairsOf are those of terms, and of terms that are made of them.
func (z *Simplifier) pairsOf(terms []term, ranked bool) pairs {
	p := pairs{z: z, most: 2*len(terms) - 1, several: len(terms) > 2}
	if p.several {
		p.table = z.tables.take(p.most * p.most)[:p.most*p.most]
		p.start(terms, ranked)
	}
	return p
}

// start gives the terms places, in the order of their fingerprints or in that in which they stand.
func (p *pairs) start(terms []term, ranked bool) {
	if p.ranked = ranked; ranked {
		slices.SortStableFunc(terms, p.z.byFingerprint)
	}
	clear(p.table)
	for i := range terms {
		terms[i].place = i
	}
	p.places = len(terms)
}

func (z *Simplifier) byFingerprint(a, b term) int {
	return cmp.Compare(z.fingerprint(a.core), z.fingerprint(b.core))
}

// best is the factoring that gains most, of the terms i and j; nil where there is none.
func (p *pairs) best(terms []term) (best *factoring, i, j int) {
	if !p.several {
		return p.z.factorPair(terms[0], terms[1]), 0, 1
	}
	tied := false
	for k, a := range terms {
		for l := k + 1; l < len(terms); l++ {
			f := p.of(a, terms[l])
			switch {
			case f == noFactoring:
			case best == nil || f.gain > best.gain:
				best, i, j, tied = f, k, l, f.tied
			case f.gain == best.gain:
				tied = true
			}
		}
	}
	if tied && !p.ranked {
		p.start(terms, true)
		return p.best(terms)
	}
	return best, i, j
}

// of is the factoring of a and b, which stand in this order.
func (p *pairs) of(a, b term) *factoring {
	f := &p.table[a.place*p.most+b.place]
	if *f == nil {
		if *f = p.z.factorPair(a, b); *f == nil {
			*f = noFactoring
		}
	}
	return *f
}

// add appends u, which was made of two others.
func (p *pairs) add(terms []term, u term) []term {
	u.place = p.places
	p.places++
	terms = append(terms, u)
	if p.ranked {
		slices.SortStableFunc(terms, p.z.byFingerprint)
	}
	return terms
}

// Terms of a long sum often have one contraction and all operands but one in common, x'*A*x + x'*B*x.
// Then the largest set of common factors is that of all others, each at its own place, and is not searched
// for:
//
//	c(.., A, ..) + c(.., B, ..) = c(.., A + B, ..)

// differs is the place of the one operand in which a and b differ, which are of one contraction; -1 where
// they are not, or where an operand of one may be matched with another one of the other.
func (p *product) differs(q *product) int {
	if !same(p.in, q.in) || len(p.ops) != len(q.ops) || len(p.ops) < 2 {
		return -1
	}
	at := -1
	for k, x := range p.ops {
		if x.Guard() != combinators.GuardNone || q.ops[k].Guard() != combinators.GuardNone {
			return -1
		}
		if x != q.ops[k] {
			if at >= 0 || (x.Attributes() | q.ops[k].Attributes()).Has(atom.Index) {
				return -1
			}
			at = k
		}
	}
	if at < 0 || occurrences(p.ops, q.ops[at])+occurrences(q.ops, p.ops[at]) > 0 {
		return -1
	}
	return at
}

// likes is the factoring of a and b, which differ in operand k.
func (z *Simplifier) likes(a, b *product, k int) *factoring {
	f := &append(z.factorings.take(1), factoring{a: a, b: b, one: true})[0]
	f.common, f.restA = z.ints.take(len(a.ops)-1), append(z.ints.take(1), k)
	f.restB = f.restA
	for i, g := range a.in {
		if i != k {
			f.common = append(f.common, i)
			f.gain += 10 + len(g)
		}
	}
	f.edgeA = a.edge(f.restA, a.outer(f.common), z.ints.take(len(a.in[k])))
	f.edgeB = f.edgeA
	return f
}

// place is that of the operand in which the terms a and b of the factoring f differ, where they have no
// numbers and nothing is to be done with the other operands; else -1.
func (f *factoring) place(a, b term) int {
	if !f.one || !a.coef.isOne() || !b.coef.isOne() || !same(f.a.ops, a.core.Args()) {
		return -1
	}
	k := f.restA[0]
	if g := f.a.in[k]; !slices.Equal(g, f.edgeA) {
		return -1
	}
	return k
}

// exchanged is the product a with the sum of its operand k and that of b for that operand.
func (z *Simplifier) exchanged(f *factoring, a, b term, k int, others []term, t *trace) *Node {
	n := a.core
	room := z.nodes.free
	defer z.nodes.giveBack(room)
	args := append(z.nodes.take(len(n.Args())), n.Args()...)
	around := func(x *Node) *Node {
		args[k] = x
		return n.With(args)
	}
	sum := z.s.Add(args[k], f.b.ops[k])
	t.lazily(nativeFactor, func() *Node { return z.listed(others, around(sum)) })
	sum = z.within(t, sum)
	z.joinUses(f, a, b, others)
	return z.within(t, around(sum))
}

// cancels reports whether the factor at k of the product c of args, itself a product that others use, too, is
// written out: whether an inverse in it or beside it meets what takes it away, and the product gets shorter. So
// x .* (s ./ x) and (x .* s) ./ x are s where x is not 0, whether or not s ./ x and x .* s stand elsewhere.
func (z *Simplifier) cancels(c *einsum.Contraction, args []*Node, k int) bool {
	a := args[k]
	beside := func(f *Node) bool { return isInverse(f) && slices.Contains(a.Args(), f.Arg(0)) }
	if opaque(a) || len(a.Args()) > maxShared || occurrences(args, a) > 1 ||
		!slices.ContainsFunc(a.Args(), isInverse) && !slices.ContainsFunc(args, beside) {
		return false
	}
	if in, _, plain := c.IsPlain(); !plain || !einsum.Distinct(in[k]) {
		return false
	}
	if _, out, _ := a.Ein().IsPlain(); !coversAll(out, len(a.Ein().Vars)) { // sums are computed once
		return false
	}
	fused := z.s.Fuse(c, k, a.Ein())
	in, out, plain := fused.IsPlain()
	if !plain {
		return false
	}
	choices := z.choices
	defer func() { z.choices = choices }()
	factors := slices.Concat(args[:k], a.Args(), args[k+1:])
	p := product{coef: unit, ops: factors, in: in, out: out, vars: fused.Vars}
	q := z.powers(z.quotients(p.withoutNumbers(nil, nil), nil, true))
	if len(q.ops) >= len(args) {
		return false
	}
	for i, f := range factors {
		if isInverse(f) && !q.dividesBy(f.Arg(0), in[i]) {
			return true
		}
	}
	return false
}

// dividesBy reports whether p has an inverse of b at the index map at.
func (p *product) dividesBy(b *Node, at []int) bool {
	for i, f := range p.ops {
		if isInverse(f) && f.Arg(0) == b && slices.Equal(p.in[i], at) {
			return true
		}
	}
	return false
}

// maxShared bounds the factors of a shared product that is written out.
const maxShared = 4

// standsFor reports whether another factor than k is the power e of b at the index map at.
func (z *Simplifier) standsFor(args []*Node, in [][]int, k int, b *Node, e number, at []int) bool {
	for j, x := range args {
		if j == k || !slices.Equal(in[j], at) {
			continue
		}
		if c, r, _ := base(x); c == b && numberOf(r).equal(e) {
			return true
		}
	}
	return false
}

// at is the index map of factor i of p, entry by entry, where p stands at the index map given.
func (p *product) at(i int, outer []int) []int {
	return lists.Map(p.in[i], func(v int) int { return outer[slices.Index(p.out, v)] })
}

// isInverse reports whether n is a negative whole power.
func isInverse(n *Node) bool { return n.Is(atom.Power) && n.Rat().IsInt() && n.Rat().Sign() < 0 }

// quotients writes out inverses of products whose factors all stand beside them, as 1/(x .* y) in
// x .* y .* (1 ./ (x .* y)), where none of them is 0. Each is then a power of its own. Nothing is noted of a trial.
func (z *Simplifier) quotients(p product, t *trace, trial bool) product {
	for i := 0; i < len(p.ops); i++ {
		a := p.ops[i]
		if !isInverse(a) || a.Arg(0).Ein() == nil || opaque(a.Arg(0)) || !z.facts.Nonzero(a.Arg(0)) {
			continue
		}
		q := open(a.Arg(0))
		if !q.coef.isOne() || len(q.ops) < 2 || len(q.ops) > maxOperands-len(p.ops) || !q.entrywise() {
			continue
		}
		ops, in := slices.Clone(p.ops), slices.Clone(p.in)
		ops, in = slices.Delete(ops, i, i+1), slices.Delete(in, i, i+1)
		all := true
		for k, f := range q.ops {
			b, e, _ := base(f)
			at := q.at(k, p.in[i])
			all = all && z.facts.Nonzero(b) && z.standsFor(p.ops, p.in, i, b, numberOf(e), at)
			ops, in = append(ops, z.s.Power(f, a.Rat()).WithGuard(a.Guard())), append(in, at)
		}
		if !all {
			continue
		}
		p.ops, p.in = ops, in
		if !trial {
			z.useOperands(a.Arg(0))
		}
		t.product(nativePowers, &p)
		i--
	}
	return p
}
