package combinators

import (
	"slices"

	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// Isometry is the isometry between two spaces with the same entries in the same order, where it is one
// of these (Elsman et al., sections 2.1 to 2.2.3): U itself; an array and the pieces into which its first
// axis is cut,
//
//	R[k,e] = R[e] x .. x R[e]       V^k = V x .. x V
//	R[m+n,e] = R[m,e] x R[n,e]      an index set that is a disjoint union
//
// nested ones too; and products of such. It is unitary: its adjoint is the isometry back. ok is false for
// other spaces.
func (s *Store) Isometry(u, w Space) (l PointFreeLinear, ok bool) {
	switch {
	case u.Equal(w):
		return s.ID(u), true
	case !u.IsProduct():
		return s.cut(u, w)
	case !w.IsProduct():
		// the adjoint of cutting: each piece in its place
		pieces, ok := s.cut(w, u)
		if !ok {
			return l, false
		}
		return s.join(pieces.Map), true
	case len(u.factors) != len(w.factors):
		return l, false
	}
	parts := make([]Map, len(u.factors))
	for k := range parts {
		part, ok := s.Isometry(u.factors[k], w.factors[k])
		if !ok {
			return l, false
		}
		parts[k] = part.Map
	}
	return PointFreeLinear{s.Product(parts...)}, true
}

// cut is the isometry from R[d,e] to a product of pieces of it.
func (s *Store) cut(u, w Space) (l PointFreeLinear, ok bool) {
	if len(u.shape) == 0 || !w.IsProduct() || len(w.factors) == 0 {
		return l, false
	}
	if total, ok := length(w, u.shape[1:]); !ok || total != u.shape[0] {
		return l, false
	}
	return PointFreeLinear{s.pieces(u, w, size.Const(0))}, true
}

// length is how many slices R[e] a space holds: 1 for R[e], d for R[d,e], and their sum for a product.
func length(u Space, e []size.Size) (n size.Size, ok bool) {
	switch {
	case u.IsProduct():
		n, ok = size.Const(0), len(u.factors) > 0
		for _, f := range u.factors {
			m, is := length(f, e)
			n, ok = n.Add(m), ok && is
		}
		return n, ok
	case slices.Equal(u.shape, e):
		return size.Const(1), true
	case len(u.shape) == len(e)+1 && slices.Equal(u.shape[1:], e):
		return u.shape[0], true
	}
	return n, false
}

// pieces takes w out of the tensor space u, from the given place of its first axis on.
func (s *Store) pieces(u, w Space, from size.Size) Map {
	if w.IsProduct() {
		parts := make([]Map, len(w.factors))
		for k, f := range w.factors {
			parts[k] = s.pieces(u, f, from)
			n, _ := length(f, u.shape[1:])
			from = from.Add(n)
		}
		return s.Pair(parts...)
	}
	// out[j, t] = in[from + j, t], or without j
	in, out := einsum.Access{Shape: u.shape}, einsum.Access{Shape: w.shape}
	for v := range w.shape {
		out.Index = append(out.Index, einsum.Variable(v))
	}
	first, rest := einsum.Affine{Off: from}, out.Index
	if len(w.shape) == len(u.shape) {
		first, rest = rest[0].Plus(1, first), rest[1:]
	}
	in.Index = append([]einsum.Affine{first}, rest...)
	c, err := einsum.New(w.shape, []einsum.Access{in}, out, nil, nil)
	if err != nil {
		panic(err) // an index of a piece lies within its axis
	}
	return s.EinMap(c, []*Node{nil})
}

// join is the adjoint of a map made by pieces.
func (s *Store) join(m Map) PointFreeLinear {
	if m.t.op != MapPair {
		return s.Swap(PointFreeLinear{m})
	}
	parts := lists.Map(m.t.maps, s.join)
	return s.Copair(parts...)
}
