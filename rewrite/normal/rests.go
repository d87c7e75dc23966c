package normal

import "slices"

// outerProduct reports whether the operands rest fall into parts without a common
// summed variable, of which two or more have an axis of the result.
func (p *product) outerProduct(rest []int, outer []bool) bool {
	part := map[int]int{} // by private variable
	parts := 0
	parent := []int{}
	find := func(i int) int {
		for parent[i] != i {
			i = parent[i]
		}
		return i
	}
	tensors := []int{}
	for _, k := range rest {
		if len(p.in[k]) == 0 {
			continue
		}
		parent = append(parent, parts)
		tensors = append(tensors, k)
		for _, v := range p.in[k] {
			if outer[v] {
				continue
			}
			if q, ok := part[v]; ok {
				parent[find(parts)] = find(q)
			} else {
				part[v] = parts
			}
		}
		parts++
	}
	seen := map[int][]int{}
	for i, k := range tensors {
		for _, v := range p.in[k] {
			if r := find(i); outer[v] && !slices.Contains(seen[r], v) {
				seen[r] = append(seen[r], v)
			}
		}
	}
	var sets [][]int
	for _, vs := range seen {
		slices.Sort(vs)
		if !slices.ContainsFunc(sets, func(w []int) bool { return slices.Equal(w, vs) }) {
			sets = append(sets, vs)
		}
	}
	return len(sets) > 1 && !nested(sets)
}

// nested reports whether one of the sets holds all others: a row scaled by a vector is
// no outer product.
func nested(sets [][]int) bool {
	for _, big := range sets {
		all := true
		for _, s := range sets {
			for _, v := range s {
				all = all && slices.Contains(big, v)
			}
		}
		if all {
			return true
		}
	}
	return false
}

// sameRests reports whether both rests have the same factors: b*c' + c*b'.
func (f *factoring) sameRests() bool {
	if len(f.restA) != len(f.restB) {
		return false
	}
	ids := func(p *product, rest []int) []int {
		var out []int
		for _, k := range rest {
			out = append(out, p.ops[k].ID())
		}
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
	if len(f.restA) > 1 || len(f.restB) > 1 {
		return false
	}
	if len(f.restA) == 0 || len(f.restB) == 0 {
		// 1 + M(x): take M out where it reaches every entry
		p, rest := f.a, f.restA
		if len(rest) == 0 {
			p, rest = f.b, f.restB
		}
		return distinct(p.out) && p.plainMap(rest[0]) && !slices.Equal(p.in[rest[0]], p.out)
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
	if !distinct(p.in[k]) {
		return false
	}
	for _, v := range p.in[k] {
		if !slices.Contains(p.out, v) {
			return false
		}
	}
	return true
}
