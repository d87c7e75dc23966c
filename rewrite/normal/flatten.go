package normal

import (
	"slices"

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
