package replay

import (
	"fmt"
	"slices"

	"frechet/combinators"
)

// theories are the laws by which each native schema of the normal form may rewrite.
var theories = map[string]theory{
	"fuse":       {},
	"outer":      {},
	"number":     {},
	"zero":       {},
	"powers":     {powers: true},
	"symmetric":  {symmetric: true},
	"distribute": {sums: true},
	"factor":     {sums: true, powers: true}, // whole powers are repeated factors
	"collect":    {sums: true},
	"fold":       {fold: true},
	"pick":       {pick: true},
	"power":      {powers: true},
	"reshape":    {reshape: true},
	"inverse":    {},
}

// native checks a step by a schema of the normal form.
func (k *checker) native(step string, s *Step) error {
	t, ok := theories[step]
	if !ok {
		return fmt.Errorf("the schema %s does not rewrite values", step)
	}
	before, after := s.Before.Nodes[0], s.After.Nodes[0]
	switch {
	case step == "fuse" && len(s.Operands) > 0:
		n, err := k.fused(before, s.Operands)
		if err == nil && n != after {
			err = fmt.Errorf("the operands, fused, are another contraction")
		}
		return err
	case step == "inverse":
		if !inverse(before, after) {
			return fmt.Errorf("merge and split do not meet")
		}
		return nil
	}
	if len(s.Operands) > 0 {
		return fmt.Errorf("no operands are named for %s", s.Rule)
	}
	signs := newSigns(s.Facts, k.work)
	if k.equal(before, after, t, signs) {
		return nil
	}
	// Of factors that differ only in what they do at a zero, a product has one.
	if step == "factor" && k.guardsJoined(before, after) {
		k.bare = true
		defer func() { k.bare = false }()
		if k.equal(before, after, t, signs) {
			return nil
		}
	}
	return fmt.Errorf("the two terms have no common form by this schema")
}

// fused is n with operands substituted, one after the other.
func (k *checker) fused(n *Node, operands []int) (*Node, error) {
	if n.Ein() == nil {
		return nil, fmt.Errorf("only a contraction is fused")
	}
	c, args := n.Ein(), n.Args()
	for _, i := range operands {
		k.work.add(len(args))
		if i < 0 || i >= len(args) || args[i].Ein() == nil || len(args) > maxFactors {
			return nil, fmt.Errorf("operand %d is no contraction", i)
		}
		a := args[i]
		c = c.Fuse(i, a.Ein()).Solve()
		args = slices.Concat(args[:i], a.Args(), args[i+1:])
	}
	return k.s.Ein(c, args...), nil
}

// inverse: split after merge, or merge after split, at one axis and of the same sizes.
func inverse(n, after *Node) bool {
	if !n.Is("split") && !n.Is("merge") {
		return false
	}
	x := n.Arg(0)
	if !x.Is("split") && !x.Is("merge") || x.Is(n.Atom().Name) || x.Attr() != n.Attr() || x.Arg(0) != after {
		return false
	}
	return slices.Equal(after.Shape(), n.Shape())
}

// guardsJoined reports whether each power in after has a guard that powers of its base have in
// before, or the one that joins them.
func (k *checker) guardsJoined(before, after *Node) bool {
	has := map[*Node]map[combinators.Guard]bool{}
	for _, n := range combinators.Topo(before) {
		if !n.Is("power") {
			continue
		}
		gs := has[n.Arg(0)]
		if gs == nil {
			gs = map[combinators.Guard]bool{}
			has[n.Arg(0)] = gs
		}
		for g := range gs {
			gs[joined(g, n.Guard())] = true
		}
		gs[n.Guard()] = true
	}
	for _, n := range combinators.Topo(after) {
		if n.Is("power") && !has[n.Arg(0)][n.Guard()] {
			return false
		}
	}
	return true
}
