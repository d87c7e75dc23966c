package normal

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
)

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
