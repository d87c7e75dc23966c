package combinators

import (
	"slices"
	"strconv"
	"strings"

	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// Space is the space of values that a map takes or gives:
//
//	S ::= R[d1,...,dk] | S1 x ... x Sn
//
// A scalar is R[]. Other constructions of Elsman et al., section 2, are isometric to these and
// become them when built: the copower R[e]^X is R[X,e], that of a product the product of the
// copowers, and R[a] (x) R[b] is R[a,b]. The zero Space is R[].
type Space struct {
	key     string // "" for R[]
	shape   []size.Size
	factors []Space // of a product, nil for a tensor space
	parts   int     // the tensors, axes and products inside a product or tensor, without itself
}

// TensorSpace is R[shape].
func TensorSpace(shape []size.Size) Space {
	if len(shape) == 0 {
		return Space{}
	}
	checkOrder(len(shape))
	return Space{key: "R" + size.Shape(shape), shape: shape, parts: len(shape)}
}

// ProductSpace is the product of spaces, as nested as they are; of no spaces it is 0. It panics with
// a *[LimitError] beyond MaxSpace.
func ProductSpace(factors ...Space) Space {
	total := 0
	for _, f := range factors {
		if total += 1 + f.parts; total > MaxSpace {
			panic(&LimitError{What: "tensors and axes of one space", Limit: MaxSpace})
		}
	}
	parts := make([]string, len(factors))
	for i, f := range factors {
		if parts[i] = f.String(); len(f.factors) > 1 && len(factors) > 1 {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	key := strings.Join(parts, " x ")
	if len(factors) < 2 {
		key = "Prod(" + key + ")"
	}
	return Space{key: key, factors: append([]Space{}, factors...), parts: total}
}

// IsProduct reports whether s is a product of spaces.
func (s Space) IsProduct() bool { return s.factors != nil }

// Shape has the sizes of a tensor space. The slice must not be changed.
func (s Space) Shape() []size.Size { return s.shape }

// Factors are the spaces of a product. The slice must not be changed.
func (s Space) Factors() []Space { return s.factors }

// Equal reports whether two spaces are the same.
func (s Space) Equal(t Space) bool { return s.key == t.key }

// String prints R[m,n] x R[n].
func (s Space) String() string {
	if s.key == "" {
		return "R[]"
	}
	return s.key
}

// Power is the copower s^X for the index set X of the given sizes.
func (s Space) Power(x []size.Size) Space {
	if len(x) == 0 {
		return s
	}
	if !s.IsProduct() {
		return TensorSpace(append(append([]size.Size{}, x...), s.shape...))
	}
	factors := lists.Map(s.factors, func(f Space) Space { return f.Power(x) })
	return ProductSpace(factors...)
}

// Value is an element of a space: a node, or a tuple of values. Values are hash-consed in the
// store: equal ones are identical.
type Value struct {
	node  *Node
	parts []*Value
	space Space
	id    int32
}

// Node is the node of a value of a tensor space, else nil.
func (v *Value) Node() *Node { return v.node }

// Parts are the components of a tuple. The slice must not be changed.
func (v *Value) Parts() []*Value { return v.parts }

// Space is the space in which v lies.
func (v *Value) Space() Space { return v.space }

// Value is the node n as a value.
func (s *Store) Value(n *Node) *Value {
	return s.internValue(Value{node: n, space: TensorSpace(n.Shape())}, "n"+strconv.Itoa(n.ID()))
}

// Tuple is the tuple of values, an element of the product of their spaces.
func (s *Store) Tuple(parts ...*Value) *Value {
	spaces := make([]Space, len(parts))
	key := []byte("t")
	for i, p := range parts {
		spaces[i] = p.space
		key = append(strconv.AppendInt(key, int64(p.id), 10), ' ')
	}
	return s.internValue(Value{parts: append([]*Value{}, parts...), space: ProductSpace(spaces...)}, string(key))
}

func (s *Store) internValue(v Value, key string) *Value {
	c := s.closedTerms()
	if old, ok := c.values[key]; ok {
		return old
	}
	s.chargeTerm(len(key)+len(v.space.key), len(v.parts))
	v.id = int32(len(c.values))
	c.values[key] = &v
	return &v
}

// Leaves are the tensors of which v is built, in order.
func (v *Value) Leaves() (out []*Node) {
	if v.node != nil {
		return []*Node{v.node}
	}
	for _, p := range v.parts {
		out = append(out, p.Leaves()...)
	}
	return out
}

// ZeroValue is the zero of a space.
func (s *Store) ZeroValue(sp Space) *Value {
	if !sp.IsProduct() {
		return s.Value(s.Zero(sp.shape))
	}
	parts := lists.Map(sp.factors, s.ZeroValue)
	return s.Tuple(parts...)
}

// AddValues is the sum of two values of one space; a zero is the unit.
func (s *Store) AddValues(a, b *Value) *Value {
	if a.node != nil {
		switch {
		case isZero(a.node):
			return b
		case isZero(b.node):
			return a
		}
		return s.Value(s.Add(a.node, b.node))
	}
	parts := lists.Make(len(a.parts), func(i int) *Value { return s.AddValues(a.parts[i], b.parts[i]) })
	return s.Tuple(parts...)
}

// isZero reports whether n is the zero tensor of its shape, as the store builds it.
func isZero(n *Node) bool {
	if n.Atom() == atom.Const {
		return n.Rat().Sign() == 0
	}
	return n.ein != nil && len(n.Args()) == 1 && n.Arg(0).Atom() == atom.Const && n.Arg(0).Rat().Sign() == 0 &&
		n == n.store.Zero(n.Shape())
}

// isZeroValue reports whether all components are built as zeros.
func isZeroValue(v *Value) bool {
	if v.node != nil {
		return isZero(v.node)
	}
	return !slices.ContainsFunc(v.parts, func(p *Value) bool { return !isZeroValue(p) })
}
