package proof

import (
	"maps"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// A presumption is what a term presumes of those entries of a value that it reads, without which it has
// no value. Read is a contraction of the value: at each entry of the term, the entries that it reads there.
// Entries and not values are compared: x[0]/x[0] presumes nothing of x[1].
type presumption struct {
	sign Sign
	of   *Node
	read *Node
}

// defined is the presumption that a value has entries at all.
const defined Sign = "defined"

// read is what a contraction presumes that at its k-th operand presumes p.
func (z *algebra) read(c *einsum.Contraction, k int, p presumption) presumption {
	args := []*Node{p.read}
	one := reading(c, c.In[k])
	if inner := p.read.Ein(); inner != nil && len(p.read.Args()) == 1 {
		z.work.product(one, inner)
		one, args = one.Fuse(0, inner).Solve(), p.read.Args()
		one = reading(one, one.In[0])
	}
	p.read = z.first(one, args)
	return p
}

// reading is the contraction of one operand that a contraction reads by the access, over the variables
// that this takes. A variable of a known size of 0 stays: then nothing is read.
func reading(c *einsum.Contraction, in einsum.Access) *einsum.Contraction {
	used := make([]bool, len(c.Vars))
	for _, as := range [][]einsum.Affine{in.Index, c.Out.Index, c.Eq, c.Ge} {
		for _, a := range as {
			for _, t := range a.Terms {
				used[t.Var] = true
			}
		}
	}
	to, vars := make([]int, len(c.Vars)), []size.Size{}
	for v, d := range c.Vars {
		if to[v] = len(vars); used[v] || d == (size.Size{}) {
			vars = append(vars, d)
		}
	}
	rename := func(as []einsum.Affine) (out []einsum.Affine) {
		for _, a := range as {
			terms := slices.Clone(a.Terms)
			for i := range terms {
				terms[i].Var = to[terms[i].Var]
			}
			out = append(out, einsum.Affine{Terms: terms, Off: a.Off})
		}
		return out
	}
	access := func(a einsum.Access) einsum.Access { return einsum.Access{Shape: a.Shape, Index: rename(a.Index)} }
	out, err := einsum.New(vars, []einsum.Access{access(in)}, access(c.Out), rename(c.Eq), rename(c.Ge))
	if err != nil {
		panic(tooWide{})
	}
	return out
}

// everywhere is p for a term of the shape each entry of which reads all entries of its operand.
func (z *algebra) everywhere(p presumption, shape []size.Size) presumption {
	n := len(p.read.Shape())
	all := append(slices.Clone(p.read.Shape()), shape...)
	return z.read(einsum.Plain([][]int{einsum.UpTo(n)}, einsum.UpTo(len(all))[n:], all), 0, p)
}

// joined is a with what b has, changed by f where there is one.
func (z *algebra) joined(a, b map[presumption]bool, f func(presumption) presumption) map[presumption]bool {
	if len(b) == 0 {
		return a
	}
	out := maps.Clone(a)
	if out == nil {
		out = map[presumption]bool{}
	}
	for p := range b {
		if f != nil {
			p = f(p)
		}
		out[p] = true
	}
	return out
}

// inherited are the terms of the form of n with what their operands presume. What a contraction's terms
// do, they have from its product.
func (z *algebra) inherited(n *Node, terms []monomial) []monomial {
	class := n.Atom().Class
	through := func(k int) func(presumption) presumption {
		switch class {
		case atom.ClassContraction:
			return func(p presumption) presumption { return z.read(n.Ein(), k, p) }
		case atom.ClassElementwise, atom.ClassSum:
			return nil
		}
		return func(p presumption) presumption { return z.everywhere(p, n.Shape()) }
	}
	for k, a := range n.Args() {
		f := z.forms[a]
		z.lost = z.joined(z.lost, f.lost, through(k))
		if class == atom.ClassContraction || class == atom.ClassSum && z.theory.sums {
			continue
		}
		for _, m := range f.terms {
			if len(terms) == 0 {
				z.lost = z.joined(z.lost, m.pays, through(k))
			}
			for i := range terms {
				terms[i].pays = z.joined(terms[i].pays, m.pays, through(k))
			}
		}
	}
	return terms
}

// vanish notes what a monomial presumes that is no more there: that its factors have values.
func (z *algebra) vanish(m monomial) {
	z.lost = z.joined(z.lost, m.pays, nil)
	for k, a := range m.args {
		if !z.signs.defined(a) {
			z.lost = z.joined(z.lost, map[presumption]bool{{defined, a, a}: true}, func(p presumption) presumption { return z.read(m.c, k, p) })
		}
	}
}

// vanishWith notes what a product with an exact 0 presumes of its other factors: nothing of guarded ones.
func (z *algebra) vanishWith(n monomial, forms [][]monomial) {
	outer := z.lost
	for k, f := range forms {
		z.lost = nil
		for _, m := range f {
			free := monomial{m.coef, m.c, m.args, m.pays}
			if guard := slices.IndexFunc(m.args, func(a *Node) bool { return a.Guard() != combinators.GuardNone }); guard >= 0 {
				free.args, free.pays = nil, nil
				for i, a := range m.args {
					if a.Guard() == combinators.GuardNone {
						z.vanish(monomial{m.coef, reading(m.c, m.c.In[i]), []*Node{a}, nil})
					}
				}
			}
			z.vanish(free)
		}
		outer = z.joined(outer, z.lost, func(p presumption) presumption { return z.read(n.c, k, p) })
	}
	z.lost = outer
}

// widens reports whether what has the form y has a value wherever what has the form x does, and presumes what
// x presumes but for that which vanishes from x. A term that vanishes from y must vanish from x, too, or
// have a value everywhere: 0 u is 0, but 0 is not 0 u.
func (z *algebra) widens(x, y form, shape []size.Size) bool {
	pays := func(f form) (all map[presumption]bool) {
		for _, m := range f.terms {
			all = z.joined(all, m.pays, nil)
		}
		return all
	}
	before, after := pays(x), pays(y)
	z.widened = !z.implied(x.lost, z.joined(after, y.lost, nil), shape)
	return z.implied(before, after, shape) && z.implied(after, z.joined(before, x.lost, nil), shape) && z.implied(y.lost, x.lost, shape)
}

// implied: what is presumed is among what is presumed otherwise, or it is known, or there are no entries where it
// is not so.
func (z *algebra) implied(of, by map[presumption]bool, shape []size.Size) bool {
	for p := range of {
		f := Fact{p.sign, p.of}
		if !by[p] && !(p.sign == Nonzero && sizeOf(p.of, shape)) && !z.signs.knows(f) && !z.formed().knows(f) {
			return false
		}
	}
	return true
}
