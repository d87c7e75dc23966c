package combinators

import (
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// A Domain is what holds of the entries of Value wherever a program is defined.
type Domain struct {
	Value *Node
	// Positive says that entries are greater than 0, Nonneg that none is negative, Nonzero that
	// none is 0; Invertible says that the matrices of the last two axes have an inverse.
	Positive, Nonneg, Nonzero, Invertible bool
}

// use is how much of a value is used.
type use uint8

const (
	unused use = iota
	some       // an entry at least
	whole      // all entries
)

// Domains are the conditions under which the values outs are defined: logarithms have positive
// arguments, roots non-negative ones, divisors are not 0, and matrices are invertible where the inverse, a
// solution or the logarithm of the determinant is formed. A condition is of all entries of a
// value, so it is given only where all of them are used: tr(log(X)) is defined whatever stands
// off the diagonal of X, and log(x).^0 everywhere. Of an inverse any entry will do: tr(inv(X)) is defined
// where X is invertible. A variable of symbolic size counts as one that has values.
func Domains(outs ...*Node) []Domain {
	nodes := Topo(outs...)
	var used ByNode[use]
	for _, n := range outs {
		used.Set(n, whole)
	}
	var found []Domain
	invertible := func(x *Node, n *Node) {
		if !hasEmpty(n.Shape()) && (used.Get(n) == whole || x.Order() == 2) {
			found = append(found, Domain{Value: x, Invertible: true})
		}
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		n := nodes[i]
		u := used.Get(n)
		if u == unused {
			continue
		}
		switch {
		case n.Ein() != nil:
			empty := hasEmpty(n.Ein().Vars)
			for k, a := range n.Args() {
				used.Set(a, max(used.Get(a), min(u, usesOf(n, k, empty))))
			}
			continue
		case n.Is(atom.Pow), n.Atom() == atom.Power && n.Rat().Sign() == 0: // a^0 and 1^b are 1 whatever a and b are
			continue
		case n.Is(atom.Inv), n.Is(atom.LogDet), n.Is(atom.Solve):
			invertible(n.Arg(0), n)
		case n.Guard() != GuardNone: // it has a value where its base is 0
		case n.Atom().Domain.Signs().Positive:
			if u == whole {
				found = append(found, Domain{Value: n.Arg(0), Positive: true})
			}
		case n.Atom() == atom.Power:
			root, inverse := !n.Rat().IsInt(), n.Rat().Sign() < 0
			if u == whole && (root || inverse) {
				found = append(found, Domain{Value: n.Arg(0), Positive: root && inverse, Nonneg: root, Nonzero: inverse})
			}
		}
		for _, a := range n.Args() {
			used.Set(a, max(used.Get(a), u))
		}
	}
	return withFactors(found)
}

// withFactors adds what conditions on values say of the values that these are made of: a product is not 0
// where no factor is, a power where its base is not, a multiple has the sign of its operand, and a matrix has an
// inverse where its determinant is not 0, or a product of it with others has one. Each value
// is looked at once for each condition.
func withFactors(found []Domain) []Domain {
	type conditions struct{ positive, nonneg, nonzero, invertible bool }
	var known ByNode[conditions]
	for _, d := range found {
		k := known.At(d.Value)
		*k = conditions{k.positive || d.Positive, k.nonneg || d.Nonneg, k.nonzero || d.Nonzero, k.invertible || d.Invertible}
	}
	add := func(a *Node, d conditions) {
		k := known.At(a)
		d = conditions{d.positive && !k.positive, d.nonneg && !k.nonneg, d.nonzero && !k.nonzero, d.invertible && !k.invertible}
		if d != (conditions{}) {
			*k = conditions{k.positive || d.positive, k.nonneg || d.nonneg, k.nonzero || d.nonzero, k.invertible || d.invertible}
			found = append(found, Domain{a, d.positive, d.nonneg, d.nonzero, d.invertible})
		}
	}
	for i := 0; i < len(found); i++ {
		n, d := found[i].Value, conditions{positive: found[i].Positive, nonneg: found[i].Nonneg, nonzero: found[i].Nonzero}
		if found[i].Invertible {
			for _, a := range SquareFactors(n) {
				add(a, conditions{nonzero: a.Order() < 2, invertible: a.Order() == 2})
			}
		}
		nonzero := d.positive || d.nonzero
		switch {
		case n.Is(atom.Minor) && n.Attr() == 0:
			add(n.Arg(0), conditions{invertible: nonzero})
		case n.Is(atom.Power) && n.Rat().Sign() != 0:
			add(n.Arg(0), conditions{nonzero: nonzero})
		case nonzero && n.Atom().Operand() != atom.Signs{}:
			x := n.Atom().Operand()
			add(n.Arg(0), conditions{positive: x.Positive, nonzero: x.Nonzero && !x.Positive})
		case n.Ein() != nil && oneProduct(n.Ein()):
			multiple := len(n.Args()) == 1 || len(n.Args()) == 2 && slices.ContainsFunc(n.Args(), func(a *Node) bool { return a.Is(atom.Const) && a.Rat().Sign() > 0 })
			empty := hasEmpty(n.Ein().Vars)
			for k, a := range n.Args() {
				if usesOf(n, k, empty) == whole {
					add(a, conditions{positive: multiple && d.positive, nonneg: multiple && d.nonneg, nonzero: nonzero})
				}
			}
		}
	}
	return found
}

// SquareFactors are the factors of n, a product of scalars and of matrices of one size, or a Kronecker product of two such: it has
// an inverse where all of the matrices have one and no scalar is 0, and nowhere else. There are none where n is no such product.
func SquareFactors(n *Node) (factors []*Node) {
	merged := n.Is(atom.Merge) && n.Attr() == 1 && n.Arg(0).Is(atom.Merge) && n.Arg(0).Attr() == 0
	if merged {
		n = n.Arg(0).Arg(0)
	}
	c := n.Ein()
	if c == nil {
		return nil
	}
	in, out, plain := c.IsPlain()
	chains := 1
	if merged {
		chains = 2
	}
	if !plain || len(out) != 2*chains || !einsum.Distinct(out) {
		return nil
	}
	seen := make([]bool, len(in))
	matrices := 0
	for k, g := range in {
		if seen[k] = len(g) == 0; !seen[k] {
			matrices++
		}
	}
	for i := range chains {
		at := out[i]
		for last := -1; at != out[i+chains]; {
			k := einsum.Follows(in, at, last)
			if k < 0 || seen[k] || c.Vars[in[k][0]] != c.Vars[in[k][1]] {
				return nil
			}
			seen[k] = true
			at, last = in[k][0]+in[k][1]-at, k
		}
	}
	if slices.Contains(seen, false) || len(c.Vars) != matrices+chains {
		return nil
	}
	return n.Args()
}

// oneProduct says whether each entry of the result of c is one product, and nothing else.
func oneProduct(c *einsum.Contraction) bool {
	_, out, plain := c.IsPlain()
	if !plain || len(out) != len(c.Vars) {
		return false
	}
	for i, v := range out {
		if slices.Contains(out[:i], v) {
			return false
		}
	}
	return true
}

// hasEmpty: one of the sizes is known to be 0.
func hasEmpty(sizes []size.Size) bool { return slices.ContainsFunc(sizes, isEmpty) }

func isEmpty(d size.Size) bool {
	n, ok := d.Int()
	return ok && n == 0
}

// usesOf says how much of its operand k the contraction n uses: all of it if each axis has a
// variable of its own and nothing is out of range for others; none if a variable is without values, of
// which there are some where empty says so.
func usesOf(n *Node, k int, empty bool) use {
	in, _, plain := n.Ein().IsPlain()
	if !plain {
		return unused
	}
	u := whole
	for i, v := range in[k] {
		if slices.Contains(in[k][:i], v) {
			u = some
		}
	}
	if !empty {
		return u
	}
	for v, d := range n.Ein().Vars {
		if isEmpty(d) && (u == some || !slices.Contains(in[k], v)) {
			return unused
		}
	}
	return u
}
