package normal

import (
	"slices"

	"frechet/einsum"
	"frechet/internal/lists"
)

// outerProduct reports whether the operands rest fall into parts without a common
// summed variable, of which two or more have an axis of the result.
func (p *product) outerProduct(rest []int, outer uint64) bool {
	sets := lists.Map(rest, func(k int) uint64 { return setOf(p.in[k]) })
	parts := newGrouping(sets, ^outer).vars
	several, first, all := false, uint64(0), uint64(0)
	for _, vars := range parts {
		if vars &= outer; vars != 0 {
			several = several || first != 0 && vars != first
			first, all = vars, all|vars
		}
	}
	// A part that has the axes of all others is no outer product: a row scaled by a vector.
	return several && !slices.ContainsFunc(parts, func(vars uint64) bool { return vars&outer == all })
}

// sameRests reports whether both rests have the same factors: b*c' + c*b'.
func (f *factoring) sameRests() bool {
	if len(f.restA) != len(f.restB) {
		return false
	}
	ids := func(p *product, rest []int) []int {
		var out []int
		out = lists.Append(out, rest, func(k int) int { return p.ops[k].ID() })
		slices.Sort(out)
		return out
	}
	return slices.Equal(ids(f.a, f.restA), ids(f.b, f.restB))
}

// sharedMap: without common factors, only a map that both terms share can be taken out:
// a transpose, a diagonal embedding, a broadcast.
func (f *factoring) sharedMap() bool {
	if len(f.restA)+len(f.restB) == 0 {
		return false
	}
	if len(f.restA) > 0 && len(f.restB) > 0 && len(f.edgeA) < len(f.a.out) {
		return true // both live on fewer axes: a broadcast or a diagonal embedding
	}
	constant := len(f.restA) == 0 || len(f.restB) == 0
	if constant && len(f.edgeA) < len(f.a.out) {
		return true // a number, and a broadcast or a diagonal
	}
	if len(f.restA) > 1 || len(f.restB) > 1 {
		return false
	}
	if constant { // 1 + M(x): take M out where it reaches every entry
		p, rest := f.a, f.restA
		if len(rest) == 0 {
			p, rest = f.b, f.restB
		}
		return einsum.Distinct(p.out) && p.plainMap(rest[0]) && !slices.Equal(p.in[rest[0]], p.out)
	}
	// The same map on both sides, and no trivial one.
	x, y := f.a.in[f.restA[0]], f.b.in[f.restB[0]]
	if !f.a.plainMap(f.restA[0]) || !f.b.plainMap(f.restB[0]) || len(x) != len(y) {
		return false
	}
	for i, v := range f.a.out {
		if slices.Index(x, v) != slices.Index(y, f.b.out[i]) {
			return false
		}
	}
	return !slices.Equal(x, f.a.out)
}

// plainMap: operand k has distinct variables, each of which the output has.
func (p *product) plainMap(k int) bool {
	if !einsum.Distinct(p.in[k]) {
		return false
	}
	return !slices.ContainsFunc(p.in[k], func(v int) bool { return !slices.Contains(p.out, v) })
}
