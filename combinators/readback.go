package combinators

import (
	"slices"

	"frechet/combinators/atom"
	"frechet/internal/lists"
	"math/big"
)

// Readback is the block as a closed map, from the space of its parameters to that of its outputs:
// those of several are the components of a product. What depends on no parameter stays a value.
// The map has a bounded number of terms for each node of the block, every node's map is built
// once, and
//
//	ApplyMap(Readback(b), params) = outs.
//
// Where the outputs are linear in the parameters by the way they are built, the map is linear.
func Readback(b *Block) Map {
	s := b.Store
	var domain Space
	repr := map[*Node]Map{} // of nodes that depend on a parameter
	if len(b.Params) == 1 {
		domain = TensorSpace(b.Params[0].Shape())
		repr[b.Params[0]] = s.ID(domain).Map
	} else {
		factors := lists.Map(b.Params, func(p *Node) Space { return TensorSpace(p.Shape()) })
		domain = ProductSpace(factors...)
		for i, p := range b.Params {
			repr[p] = s.Proj(domain, i).Map
		}
	}
	for _, n := range b.above() {
		if _, ok := repr[n]; ok {
			continue
		}
		var args []Map
		for _, a := range n.Args() {
			if f, ok := repr[a]; ok {
				args = append(args, f)
			}
		}
		if len(args) > 0 {
			repr[n] = s.readNode(domain, n, args, func(k int) bool { _, ok := repr[n.Args()[k]]; return ok })
		}
	}
	outs := make([]Map, len(b.Outs))
	for i, n := range b.Outs {
		f, ok := repr[n]
		if !ok {
			f = s.ConstMap(domain, s.Value(n))
		}
		outs[i] = f
	}
	if len(outs) == 1 {
		return outs[0]
	}
	return s.Pair(outs...)
}

// above lists the nodes that outputs reach and that may depend on a parameter, arguments first: a
// node that was built before all parameters does not.
func (b *Block) above() []*Node {
	first := int32(b.Store.count)
	for _, p := range b.Params {
		first = min(first, p.id)
	}
	seen := map[*Node]bool{}
	var found []*Node
	stack := append([]*Node(nil), b.Outs...)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.id >= first && !seen[n] {
			seen[n] = true
			found = append(found, n)
			stack = append(stack, n.Args()...)
		}
	}
	sortByID(found)
	return found
}

// readNode is the map of n, given those of its operands that depend on a parameter.
func (s *Store) readNode(domain Space, n *Node, args []Map, dependent func(k int) bool) Map {
	if n.Atom() == atom.Add {
		f, g := n.Arg(0), n.Arg(1)
		if len(args) == 1 && dependent(0) {
			args = append(args, s.ConstMap(domain, s.Value(g)))
		} else if len(args) == 1 {
			f, g = g, f
			args = append(args, s.ConstMap(domain, s.Value(g)))
		}
		if negated(f) && !negated(g) {
			args[0], args[1] = args[1], args[0] // g - f rather than -f + g
		}
		return s.SumMaps(args[0], args[1])
	}
	f := s.OpenMap(n, dependent)
	switch {
	case projections(domain, args), len(args) == 1 && args[0].t.op == MapID:
		return f
	case len(args) == 1:
		return s.Compose(f, args[0])
	}
	return s.Compose(f, s.Pair(args...))
}

// projections: maps are pi1, .., pin, all of the space and in order, so that their pairing is the identity.
func projections(u Space, maps []Map) bool {
	for k, m := range maps {
		if m.t.op != MapProj || m.t.k != k {
			return false
		}
	}
	return len(maps) == len(u.factors)
}

// negated: the node of -a.
func negated(n *Node) bool {
	if n.ein == nil || len(n.Args()) != 2 || !entrywise(n.ein) {
		return false
	}
	return slices.ContainsFunc(n.Args(), func(a *Node) bool { return a.Atom() == atom.Const && a.Rat().Cmp(big.NewRat(-1, 1)) == 0 })
}

// ParamsValue is the argument at which the readback of a block gives its outputs: its parameters,
// a tuple where they are not one.
func (b *Block) ParamsValue() *Value { return b.Store.valueOf(b.Params) }

// OutsValue is the outputs as a value, a tuple where they are not one.
func (b *Block) OutsValue() *Value { return b.Store.valueOf(b.Outs) }

func (s *Store) valueOf(nodes []*Node) *Value {
	parts := lists.Map(nodes, s.Value)
	if len(parts) == 1 {
		return parts[0]
	}
	return s.Tuple(parts...)
}
