package combinators

import (
	"math/big"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
)

// IsTransposed reports whether the matrix n is sign times its transpose by its form, for a sign of 1 or -1: X + X', X*X' and
// exp(X + X') are their transposes, and X - X' is its negative.
func (n *Node) IsTransposed(sign int64) bool { return n.isTransposed(sign, symmetricDepth) }

// What is looked at to see that a matrix is symmetric: levels of operations, addends of a sum, and symmetric operands of a
// product, whose axes may be exchanged.
const (
	symmetricDepth   = 6
	symmetricAddends = 16
	maxTurned        = 3
)

func (n *Node) isTransposed(sign int64, depth int) bool {
	sh := n.Shape()
	if len(sh) != 2 || sh[0] != sh[1] || depth == 0 || n.Addends() > symmetricAddends {
		return false
	}
	switch {
	case n.Is(atom.Var):
		return n.Attributes().Has(map[int64]atom.Attributes{1: atom.Symmetric, -1: atom.Antisymmetric}[sign])
	case n.Is(atom.Add):
		left := addends(n)
		for len(left) > 0 {
			k := slices.IndexFunc(left, func(u *Node) bool { return transposes(left[0], u, sign, depth) })
			if k < 0 {
				return false
			}
			if k > 0 {
				left = slices.Delete(left, k, k+1)
			}
			left = left[1:]
		}
		return true
	case n.Ein() != nil:
		return transposes(n, n, sign, depth)
	case sign > 0 && n.Atom().Turns:
		return !slices.ContainsFunc(n.Args(), func(a *Node) bool { return !a.isTransposed(1, depth-1) })
	}
	return false
}

// addends are those of a sum.
func addends(n *Node) []*Node {
	if !n.Is(atom.Add) {
		return []*Node{n}
	}
	return append(addends(n.Arg(0)), addends(n.Arg(1))...)
}

// transposes reports whether t' is sign times u.
func transposes(t, u *Node, sign int64, depth int) bool {
	s := t.Store()
	c, args := asProduct(t)
	d, others := asProduct(u)
	if sign < 0 {
		others = append(others, s.Int(-1))
		d = with(d, append(slices.Clone(d.In), einsum.Access{}), d.Out)
	}
	want := collected(s, d, others)
	out := einsum.Access{Shape: c.Out.Shape, Index: []einsum.Affine{c.Out.Index[1], c.Out.Index[0]}}
	var turned []int
	for k, a := range args {
		if len(turned) < maxTurned && a != t && a.isTransposed(1, depth-1) {
			turned = append(turned, k)
		}
	}
	for set := range 1 << len(turned) {
		in := slices.Clone(c.In)
		for i, k := range turned {
			if set>>i&1 == 1 {
				in[k] = einsum.Access{Shape: in[k].Shape, Index: []einsum.Affine{in[k].Index[1], in[k].Index[0]}}
			}
		}
		if collected(s, with(c, in, out), args) == want {
			return true
		}
	}
	return false
}

// asProduct is n as a contraction.
func asProduct(n *Node) (*einsum.Contraction, []*Node) {
	if n.Ein() == nil {
		return einsum.Plain([][]int{{0, 1}}, []int{0, 1}, n.Shape()), []*Node{n}
	}
	return n.Ein(), slices.Clone(n.Args())
}

// with is c with other accesses.
func with(c *einsum.Contraction, in []einsum.Access, out einsum.Access) *einsum.Contraction {
	d, err := einsum.New(c.Vars, in, out, c.Eq, c.Ge)
	if err != nil {
		panic(err) // the accesses are over the same variables
	}
	return d
}

// collected is the contraction with its numbers as one factor.
func collected(s *Store, c *einsum.Contraction, args []*Node) *Node {
	number := s.Int(1)
	var in []einsum.Access
	var rest []*Node
	for k, a := range args {
		if a.Is(atom.Const) {
			number = s.Const(new(big.Rat).Mul(number.Rat(), a.Rat()))
			continue
		}
		in, rest = append(in, c.In[k]), append(rest, a)
	}
	return s.Ein(with(c, append(in, einsum.Access{}), c.Out), append(rest, number)...)
}
