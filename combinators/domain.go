package combinators

import "slices"

// A Domain is what holds of the entries of Value wherever a program is defined.
type Domain struct {
	Value *Node
	// Positive says that entries are greater than 0, Nonneg that none is negative, Nonzero that
	// none is 0.
	Positive, Nonneg, Nonzero bool
}

// Domains are the conditions under which the values outs are defined: logarithms have positive
// arguments, roots non-negative ones, and divisors are not 0. A condition is of all entries of a
// value, so it is given only where all of them are used: tr(log(X)) is defined whatever stands
// off the diagonal of X, and log(x).^0 everywhere. A variable of symbolic size counts as one that has values.
func Domains(outs ...*Node) []Domain {
	nodes := Topo(outs...)
	var whole ByNode[bool]
	for _, n := range outs {
		whole.Set(n, true)
	}
	var found []Domain
	for i := len(nodes) - 1; i >= 0; i-- {
		n := nodes[i]
		if !whole.Get(n) {
			continue
		}
		switch {
		case n.Ein() != nil:
			for k, a := range n.Args() {
				if usesAll(n, k) {
					whole.Set(a, true)
				}
			}
			continue
		case n.Is("pow"): // a^0 and 1^b are 1 whatever a and b are
			continue
		case n.Guard() != GuardNone: // it has a value where its base is 0
		case n.Is("log"):
			found = append(found, Domain{Value: n.Arg(0), Positive: true})
		case n.Atom() == AtomPower:
			root, inverse := !n.Rat().IsInt(), n.Rat().Sign() < 0
			if root || inverse {
				found = append(found, Domain{n.Arg(0), root && inverse, root, inverse})
			}
		}
		for _, a := range n.Args() {
			whole.Set(a, true)
		}
	}
	return withFactors(found)
}

// withFactors adds what conditions on values say of the values that these are made of: a product is not 0
// where no factor is, a power where its base is not, and a multiple has the sign of its operand. Each value
// is looked at once for each condition.
func withFactors(found []Domain) []Domain {
	type conditions struct{ positive, nonneg, nonzero bool }
	var known ByNode[conditions]
	for _, d := range found {
		k := known.At(d.Value)
		*k = conditions{k.positive || d.Positive, k.nonneg || d.Nonneg, k.nonzero || d.Nonzero}
	}
	add := func(a *Node, d conditions) {
		k := known.At(a)
		d = conditions{d.positive && !k.positive, d.nonneg && !k.nonneg, d.nonzero && !k.nonzero}
		if d != (conditions{}) {
			*k = conditions{k.positive || d.positive, k.nonneg || d.nonneg, k.nonzero || d.nonzero}
			found = append(found, Domain{a, d.positive, d.nonneg, d.nonzero})
		}
	}
	for i := 0; i < len(found); i++ {
		n, d := found[i].Value, conditions{found[i].Positive, found[i].Nonneg, found[i].Nonzero}
		nonzero := d.positive || d.nonzero
		switch {
		case n.Is("relu"):
			add(n.Arg(0), conditions{positive: nonzero})
		case n.Is("abs"), n.Atom() == AtomPower && n.Rat().Sign() != 0:
			add(n.Arg(0), conditions{nonzero: nonzero})
		case n.Ein() != nil && oneProduct(n):
			multiple := len(n.Args()) == 1 || len(n.Args()) == 2 && slices.ContainsFunc(n.Args(), func(a *Node) bool { return a.Is("const") && a.Rat().Sign() > 0 })
			for k, a := range n.Args() {
				if usesAll(n, k) {
					add(a, conditions{multiple && d.positive, multiple && d.nonneg, nonzero})
				}
			}
		}
	}
	return found
}

// oneProduct says whether each entry of the contraction n is one product, and nothing else.
func oneProduct(n *Node) bool {
	_, out, plain := n.Ein().IsPlain()
	if !plain || len(out) != len(n.Ein().Vars) {
		return false
	}
	for i, v := range out {
		if slices.Contains(out[:i], v) {
			return false
		}
	}
	return true
}

// usesAll says whether the contraction n uses every entry of its operand k: each axis has a
// variable of its own, nothing is out of range for others, and no other variable is without values.
func usesAll(n *Node, k int) bool {
	in, _, plain := n.Ein().IsPlain()
	if !plain {
		return false
	}
	for i, v := range in[k] {
		if slices.Contains(in[k][:i], v) {
			return false
		}
	}
	for v, size := range n.Ein().Vars {
		if d, ok := size.Int(); ok && d == 0 && !slices.Contains(in[k], v) {
			return false
		}
	}
	return true
}
