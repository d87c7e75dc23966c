package combinators

import (
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// AtSizes is nodes of any store with sizes in the place of size symbols, built in s. The error says where these do not fit:
// a size would be negative, or too large.
func (s *Store) AtSizes(known map[string]size.Size, outs ...*Node) (made []*Node, err error) {
	defer Recover(&err, func(m string) error { return &TypeError{m} })
	shape := func(old []size.Size) []size.Size {
		out := lists.Map(old, func(d size.Size) size.Size { return d.Subst(known) })
		for _, d := range out {
			if v, ok := d.Int(); ok && v < 0 {
				panic(TypeErrorf("an axis has size %d", v))
			}
		}
		return out
	}
	return Rebuild(outs, func(n *Node, args []*Node) *Node {
		switch {
		case n.Is(atom.Var):
			return s.Member(n.Name(), shape(n.Shape()), n.Attributes())
		case n.Is(atom.Split):
			sizes := shape(n.Sizes())
			return s.Split(n.Attr(), sizes[0], sizes[1], args[0])
		case n.Body() != nil:
			return s.bodied(n.Body().atSizes(known), args)
		case n.Atom().Signature() != nil:
			return s.Declared(n.Atom(), n.Attr(), shape(n.Sizes()), args...)
		case n.Ein() == nil:
			return s.Copy(n, args, nil)
		}
		return s.Copy(n, args, resized(n.Ein(), shape, known))
	}), nil
}

// resized is a contraction at other sizes.
func resized(c *einsum.Contraction, shape func([]size.Size) []size.Size, known map[string]size.Size) *einsum.Contraction {
	forms := func(as []einsum.Affine) []einsum.Affine {
		return lists.Map(as, func(a einsum.Affine) einsum.Affine { return einsum.Affine{Terms: a.Terms, Off: a.Off.Subst(known)} })
	}
	access := func(a einsum.Access) einsum.Access {
		return einsum.Access{Shape: shape(a.Shape), Index: forms(a.Index)}
	}
	in := lists.Map(c.In, access)
	d, err := einsum.New(shape(c.Vars), in, access(c.Out), forms(c.Eq), forms(c.Ge))
	if err != nil {
		panic(TypeErrorf("%v", err))
	}
	return d
}
