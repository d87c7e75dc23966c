package combinators

import "frechet/einsum"

// MapUnknown is a map of which rules see nothing but its spaces and whether it is linear: what stands
// before an operation when the rules are asked for its derivative or its adjoint. Programs have none, so
// it is none of [MapOps].
const MapUnknown MapOp = mapOps

// Unknown is an unknown map on u that gives v where it is applied. Of one space and one value there is
// one such map.
func (s *Store) Unknown(u Space, v *Value) Map {
	return s.internMap(closedTerm{op: MapUnknown, dom: u, cod: v.space, value: v})
}

// UnknownLinear is Unknown for a linear map.
func (s *Store) UnknownLinear(u Space, v *Value) PointFreeLinear {
	return PointFreeLinear{s.internMap(closedTerm{op: MapUnknown, sort: sortLinear, dom: u, cod: v.space, value: v, k: 1})}
}

// An Operation is what a node is besides its operands. It can be made in any store.
type Operation struct{ form form }

// Operation is the operation of n.
func (n *Node) Operation() Operation { return Operation{n.form()} }

// Ein is the contraction of an operation, nil for every other.
func (o Operation) Ein() *einsum.Contraction { return o.form.ein }

// Make is the operation, which is no contraction, on args.
func (s *Store) Make(o Operation, args ...*Node) *Node {
	if b := o.form.body; b != nil {
		return s.bodied(b.widened(args[0]), args)
	}
	return s.intern(o.form, args...)
}

// Form is the store's contraction that equals c: the store has each once.
func (s *Store) Form(c *einsum.Contraction) *einsum.Contraction { return s.forms.Intern(c) }

// IsZero reports whether n is the zero tensor of its shape, as [Store.Zero] makes it.
func IsZero(n *Node) bool { return isZero(n) }

// Memo is what a pass keeps for the terms of the store under a key of its own, made the first time.
func Memo[K comparable, V any](s *Store, key K, build func() V) V {
	if v, ok := s.memos[key]; ok {
		return v.(V)
	}
	v := build()
	if s.memos == nil {
		s.memos = map[any]any{}
	}
	s.memos[key] = v
	return v
}
