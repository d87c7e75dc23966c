package normal

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
)

// flattening is a product in the making: the contraction c of args, into which the operands that are
// contractions are fused one after the other.
type flattening struct {
	z         *Simplifier
	n         *Node
	t         *trace
	c         *einsum.Contraction
	args      []*Node
	own       bool    // args is not the node's
	dissolved []*Node // products of which every use is a factor of this one
	fused     []int   // the operands that were fused, as those of what is traced are numbered
	unnamed   bool    // they have no numbers any more
}

// flattened fuses the products among the operands of n, where that costs nothing that is shared.
func (z *Simplifier) flattened(n *Node, t *trace) (*einsum.Contraction, []*Node) {
	f := flattening{z: z, n: n, t: t, c: n.Ein(), args: n.Args()}
	for k := 0; k < len(f.args); {
		if f.args[k].Ein() == nil || !f.operand(k) {
			k++
		}
	}
	t.fused(f.c, f.args, f.fused)
	return f.c, f.args
}

// operand puts the operands of operand k, a contraction, in its place, or its parts; it reports false where k stays.
func (f *flattening) operand(k int) bool {
	z, a := f.z, f.args[k]
	if isSize(a) || outgrows(f.args, a) {
		return false
	}
	count := occurrences(f.args, a)
	alone := slices.Contains(f.dissolved, a) ||
		count > 1 && z.uses(a) <= int32(count) && occurrences(f.n.Args(), a) == count // not before its uses are known
	if outer, parts := z.outerParts(a, len(f.args)-1, alone); outer != nil {
		f.apart(k, outer, parts, alone)
		return true
	}
	alone = alone && len(f.args)+count*(len(a.Args())-1) <= maxOperands
	by := f.with(k, alone)
	if by == nil {
		return false
	}
	f.c = by
	z.useOperands(a)
	if f.t != nil && !f.unnamed {
		f.fused = append(f.fused, k)
	}
	f.replace(k, a.Args())
	return true
}

// with is the product with operand k fused into it, nil where k stays. All uses of it may be dissolved, if alone.
func (f *flattening) with(k int, alone bool) *einsum.Contraction {
	z, a := f.z, f.args[k]
	switch {
	case z.free(a) || z.once(a) && !z.raised(f.args, a) && len(f.args)+len(a.Args())-1 <= maxOperands:
		return z.fuse(f.c, k, f.args)
	case z.cancels(f.c, f.args, k):
		return z.s.Fuse(f.c, k, a.Ein())
	case alone && a.Ein().Entrywise() && squares(f.c, f.args, k):
		f.dissolved = append(f.dissolved, a)
		return z.fuse(f.c, k, f.args)
	case z.once(a):
		z.choices |= Width
	}
	return nil
}

// apart puts the parts of the outer product k in its place, as outer says.
func (f *flattening) apart(k int, outer *einsum.Contraction, parts []*product, alone bool) {
	z, a := f.z, f.args[k]
	if alone && !slices.Contains(f.dissolved, a) {
		f.dissolved = append(f.dissolved, a)
	}
	z.useOperands(a)
	if _, _, plain := f.c.IsPlain(); !plain {
		z.choices |= Strides // powers of the parts are not collected
	}
	f.t.fused(f.c, f.args, f.fused)
	f.fused, f.unnamed = nil, f.t != nil
	f.c = z.s.Fuse(f.c, k, outer)
	f.replace(k, z.normalParts(a, parts, f.t, func(raw []*Node) *Node {
		return z.s.Ein(f.c, slices.Concat(f.args[:k], raw, f.args[k+1:])...)
	}))
}

func (f *flattening) replace(k int, by []*Node) {
	if !f.own {
		f.args, f.own = append(f.z.nodes.take(maxOperands), f.args...), true
	}
	f.args = slices.Replace(f.args, k, k+1, by...)
}

// Contractions that are not plain, with affine index maps or conditions, are opaque to
// most of the normal form: their powers are not merged, nor are factors taken out of
// them. They fuse where that costs no more than the parts did, and their numbers are
// collected.

// fuse substitutes the contraction a for operand k of c; nil where that would not pay.
// Plain contractions always fuse, since they are associated again later. Otherwise each
// point of one contraction must meet at most one of the other: the fused domain is then
// no larger than one of theirs. A remaining equality would be searched for in loops
// over more variables than before. An operand that stands twice is a square, which is
// computed once.
func (z *Simplifier) fuse(c *einsum.Contraction, k int, args []*Node) *einsum.Contraction {
	a := args[k]
	inner := a.Ein()
	_, _, plainOuter := c.IsPlain()
	_, _, plainInner := inner.IsPlain()
	if plainOuter && plainInner {
		return z.s.Fuse(c, k, inner)
	}
	z.choices |= Strides
	picks := determined(inner.Out, len(inner.Vars))
	if !picks && (!determined(c.In[k], len(c.Vars)) || slices.Contains(args[:k], a) || slices.Contains(args[k+1:], a)) {
		return nil
	}
	f := z.s.Fuse(c, k, inner)
	if len(f.Eq) > len(c.Eq)+len(inner.Eq) {
		return nil
	}
	return f
}

// determined reports whether the values of an access's indices determine all n
// variables: each has an index of its own once others are known.
func determined(acc einsum.Access, n int) bool {
	known := make([]bool, n)
	left := n
	for again := true; again; {
		again = false
		for _, a := range acc.Index {
			v, unknown := -1, 0
			for _, t := range a.Terms {
				if !known[t.Var] {
					v = t.Var
					unknown++
				}
			}
			if unknown == 1 {
				known[v] = true
				left--
				again = true
			}
		}
	}
	return left == 0
}

// general is the normal form of a contraction that is not plain: numbers among its
// operands are one number, none where it is 1.
func (z *Simplifier) general(c *einsum.Contraction, args []*Node) *Node {
	coef, c, args := withoutNumbers(c, args)
	if coef.sign() == 0 {
		return z.s.Zero(c.Out.Shape)
	}
	return withNumber(z.s, coef, c, args)
}

// withNumber is the contraction with a number as a further operand.
func withNumber(s *combinators.Store, coef number, c *einsum.Contraction, args []*Node) *Node {
	if !coef.isOne() {
		c = must(einsum.New(c.Vars, append(slices.Clone(c.In), einsum.Access{}), c.Out, c.Eq, c.Ge))
		args = append(slices.Clone(args), coef.node(s))
	}
	return s.Ein(c, args...)
}

// withoutNumbers takes the numbers out of the operands of a contraction.
func withoutNumbers(c *einsum.Contraction, args []*Node) (number, *einsum.Contraction, []*Node) {
	if !slices.ContainsFunc(args, isConst) {
		return unit, c, args
	}
	coef := unit
	var in []einsum.Access
	var rest []*Node
	for k, a := range args {
		if isConst(a) {
			coef = coef.times(numberOf(a.Rat()))
			continue
		}
		in, rest = append(in, c.In[k]), append(rest, a)
	}
	return coef, must(einsum.New(c.Vars, in, c.Out, c.Eq, c.Ge)), rest
}

// must: the variables and index maps are those of a contraction that exists.
func must(c *einsum.Contraction, err error) *einsum.Contraction {
	if err != nil {
		panic(err)
	}
	return c
}

// freeGeneral reports whether a contraction that is not plain only picks entries of one
// tensor, each at most once.
func freeGeneral(a *Node) bool {
	return determined(a.Ein().Out, len(a.Ein().Vars))
}

// opaque reports whether n is a contraction that open does not take apart.
func opaque(n *Node) bool {
	if n.Atom().Class != atom.ClassContraction {
		return false
	}
	_, _, plain := n.Ein().IsPlain()
	return !plain
}
