package normal

import (
	"iter"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// symmetric reports whether the matrix n equals its transpose by its form: x*x', A + A',
// a diagonal, an element-wise function, the inverse or the cofactors of a symmetric matrix.
func (z *Simplifier) symmetric(n *Node) bool {
	s := n.Shape()
	if len(s) != 2 || s[0] != s[1] {
		return false
	}
	if n.Is(atom.Var) {
		return n.Attributes().Has(atom.Symmetric)
	}
	if r := z.symmetries.Get(n); r != untested {
		return r == symmetric
	}
	z.symmetries.Set(n, asymmetric) // a node is no part of itself; this bounds nothing but a bug
	if z.isSymmetric(n) {
		z.symmetries.Set(n, symmetric)
		return true
	}
	return false
}

// symmetry is what was found of a matrix.
type symmetry uint8

const (
	untested symmetry = iota
	symmetric
	asymmetric
)

func (z *Simplifier) isSymmetric(n *Node) bool {
	switch {
	case n.Ein() != nil:
		return z.transposedProduct(n) == n
	case isSum(n):
		if ofVariables(n) || z.longer(n, maxFactored) && z.chainOf(n).last > 0 {
			return false
		}
		room := z.terms.free
		defer z.terms.giveBack(room)
		terms := z.untransposed(z.termsOf(n))
		if len(terms) > maxFactored {
			return false
		}
		for _, t := range terms {
			u := z.transposedProduct(t.core)
			if !slices.ContainsFunc(terms, func(v term) bool { return v.core == u && v.coef.equal(t.coef) }) {
				return false
			}
		}
		return true
	case n.Atom().Turns:
		for _, a := range n.Args() {
			if !z.symmetric(a) {
				return false
			}
		}
		return true
	}
	return false
}

// untransposed are terms of a matrix with the transposes of sums among them written out, as long as they
// are few.
func (z *Simplifier) untransposed(terms []term) []term {
	for i := 0; i < len(terms) && len(terms) <= maxFactored; i++ {
		t := terms[i]
		if t.core.Ein() == nil || len(t.core.Args()) != 1 || !isSum(t.core.Arg(0)) {
			continue
		}
		if p := open(t.core); !p.permutes() {
			continue
		}
		terms = slices.Delete(terms, i, i+1)
		for _, u := range z.termsOf(t.core.Arg(0)) {
			u.core = z.transposedProduct(u.core)
			terms = collect(terms, u, t.coef)
		}
		i = -1
	}
	return terms
}

// transposedProduct is n' without a look into its operands, but for the symmetric ones.
func (z *Simplifier) transposedProduct(n *Node) *Node {
	p := open(n)
	if len(p.out) != 2 {
		return nil
	}
	p.out = []int{p.out[1], p.out[0]}
	p.in = slices.Clone(p.in)
	p = z.orient(p)
	return p.build(z.s)
}

// orient writes the indices of symmetric operands in one order: an index that is summed
// goes behind one that is not. Where both are summed, the order is the one in which the whole
// has the least form.
func (z *Simplifier) orient(p product) product {
	var either []int
	p = z.orientTensors(p)
	for k, a := range p.ops {
		g := p.in[k]
		if len(g) != 2 || g[0] == g[1] || !z.symmetric(a) {
			continue
		}
		i, j := slices.Index(p.out, g[0]), slices.Index(p.out, g[1])
		if i < 0 && j >= 0 || i >= 0 && j >= 0 && j < i {
			p.in = slices.Clone(p.in)
			p.in[k] = []int{g[1], g[0]}
		}
		if i < 0 && j < 0 {
			either = append(either, k)
		}
	}
	if len(either) > maxEither {
		z.choices |= Width
	}
	if len(either) == 0 || len(either) > maxEither || len(p.ops) < 2 {
		return p
	}
	p.in = z.leastTurned(p, either)
	return p
}

// orientTensors writes the indices of variables of three axes and more that are symmetric in the order in which the whole has the
// least form, one operand after the other.
func (z *Simplifier) orientTensors(p product) product {
	for k, a := range p.ops {
		if len(p.in[k]) < 3 || a.Attributes() == 0 {
			continue
		}
		best, least, g := p.in, "", p.in[k]
		for _, turn := range a.Attributes().Turns(a.Order()) {
			q := p
			q.in = slices.Clone(p.in)
			q.in[k] = make([]int, len(g))
			for i, from := range turn {
				q.in[k][i] = g[from]
			}
			if key := z.form(&q).Key(); least == "" || key < least {
				best, least = q.in, key
			}
		}
		p.in = best
	}
	return p
}

// leastTurned are the index maps of p with some of the operands either turned, so that the whole has the least form.
func (z *Simplifier) leastTurned(p product, either []int) [][]int {
	best, least := p.in, ""
	for turned := range 1 << len(either) {
		q := p
		q.in = slices.Clone(p.in)
		for i, k := range either {
			if turned>>i&1 != 0 {
				q.in[k] = []int{q.in[k][1], q.in[k][0]}
			}
		}
		if key := z.form(&q).Key(); least == "" || key < least {
			best, least = q.in, key
		}
	}
	return best
}

// solves: n is an inverse or a solution.
func solves(n *Node) bool { return n.Is(atom.Inv) || n.Is(atom.Solve) }

// reoriented are n, a product with an inverse or a solution, with the axes of one symmetric factor exchanged, which
// a rule may ask for: of A inv(A) = 1 and A inv(A)' = 1, which are one for symmetric A, only the first is one.
func (z *Simplifier) reoriented(n *Node) iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		p := open(n)
		for k, a := range p.ops {
			if !z.symmetric(a) {
				continue
			}
			q := p
			q.in = slices.Clone(p.in)
			q.in[k] = []int{p.in[k][1], p.in[k][0]}
			if x := q.build(z.s); x != n && !yield(x) {
				return
			}
		}
	}
}

// maxEither bounds the symmetric operands that are turned both ways.
const maxEither = 4

// pushPermutation writes the transpose of a sum, or of an element-wise function, as that of
// transposed operands where this takes fewer transposes: products absorb theirs. Where it takes
// as many, it does so too, unless the transpose would be taken out again.
func (z *Simplifier) pushPermutation(p *product, t *trace) *Node {
	if len(p.ops) != 1 || !p.permutes() {
		return nil
	}
	if !z.once(p.ops[0]) {
		if len(p.ops[0].Args()) > 0 {
			z.choices |= Orientation
		}
		return nil
	}
	switch x := p.ops[0]; {
	case isSum(x):
		return z.transposedSum(p, t)
	case x.Atom().Class == elementwiseClass, transposable(x) && p.transposes():
		moved := z.permuted(p, x.Args())
		if moved == nil {
			return nil
		}
		if t != nil {
			rule := nativePick
			if transposable(x) {
				rule = nativeTranspose
			}
			t.to(rule, z.scale(term{coef: p.coef, core: x.With(moved)}))
		}
		for k, a := range moved {
			moved[k] = z.within(t, a)
		}
		out := z.scaled(p.coef, z.within(t, x.With(moved)))
		t.to(nativeFuse, out)
		return z.within(t, out)
	}
	return nil
}

func (z *Simplifier) transposedSum(p *product, t *trace) *Node {
	room := z.terms.free
	defer z.terms.giveBack(room)
	terms := z.termsOf(p.ops[0])
	if len(terms) == 0 { // they cancel, now that shared parts are used once
		zero := z.s.Zero(shapeOf(p))
		t.to(nativeDistribute, zero)
		return zero
	}
	parts := lists.Map(terms, func(u term) *Node { return u.core })
	moved := z.permuted(p, parts)
	if moved == nil {
		return nil
	}
	if t != nil {
		raw := lists.Indexed(terms, func(i int, u term) term { return term{coef: u.coef, core: moved[i]} })
		t.to(nativeDistribute, z.scale(term{coef: p.coef, core: z.summed(raw)}))
	}
	var sum *Node
	for i, u := range terms {
		y := z.within(t, moved[i])
		v := z.scaled(u.coef, y)
		if t != nil {
			t.part(nativeFuse, z.scale(term{coef: u.coef, core: y}), v)
		}
		if sum == nil {
			sum = v
		} else {
			sum = z.s.Add(sum, v)
		}
	}
	out := z.scaled(p.coef, sum)
	t.to(nativeFuse, out)
	return z.within(t, out)
}

// permutes reports whether p only exchanges the axes of its one operand.
func (p *product) permutes() bool {
	return len(p.ops) == 1 && len(p.in[0]) == len(p.out) && p.entrywise() && einsum.Distinct(p.in[0]) && !slices.Equal(p.in[0], p.out)
}

// transposes reports whether p, which permutes, only exchanges the last two axes.
func (p *product) transposes() bool {
	n := len(p.out)
	return slices.Equal(p.in[0][:n-2], p.out[:n-2])
}

// permuted has the parts of a function or sum with their axes exchanged as p does, nil where they are
// better left.
func (z *Simplifier) permuted(p *product, parts []*Node) []*Node {
	perm := lists.Map(p.out, func(v int) int { return slices.Index(p.in[0], v) })
	sum := isSum(p.ops[0])
	after := z.transposeCosts(parts, perm, 1, sum)
	if after.kind == mapped || after.transposes > 1+z.transposeCosts(parts, letters(len(perm)), 1, sum).transposes {
		return nil
	}
	moved := make([]*Node, len(parts))
	back := true // all parts keep their transposes, as was found when they were used more often
	for i, x := range parts {
		moved[i] = x
		if z.symmetric(x) {
			back = false
			continue
		}
		y := z.through(z.s.Plain(p.in, p.out, p.vars), x)
		moved[i] = y
		back = back && (uniform(x) || x.Ein() == nil && z.doneAs(y) == y)
	}
	if back {
		return nil
	}
	return moved
}

// through is the map c of x, which is put into x where that is a contraction.
func (z *Simplifier) through(c *einsum.Contraction, x *Node) *Node {
	if x.Ein() == nil {
		return z.s.Ein(c, x)
	}
	return z.s.Ein(z.s.Fuse(c, 0, x.Ein()), x.Args()...)
}

// uniform reports whether all entries of n are one scalar.
func uniform(n *Node) bool {
	if n.Ein() == nil || opaque(n) {
		return n.Order() == 0
	}
	p := open(n)
	return einsum.Distinct(p.out) && !slices.ContainsFunc(p.out, func(v int) bool { return stands(v, p.in) })
}

// shapeOf is the shape of a product.
func shapeOf(p *product) []size.Size {
	return lists.Map(p.out, func(v int) size.Size { return p.vars[v] })
}
