package verify

import (
	"sort"
	"strings"

	"frechet/combinators/text"
	"frechet/rewrite/verify/model"
)

// smallEntries are what the entries of witnesses are drawn from, one list after the other.
var smallEntries = [][]uint64{{0, 1}, {0, 1, 2, model.Prime - 1}}

// smallestClosed is the smallest witness: fewest components, smallest sizes, entries 0 and 1, or small
// numbers where those show nothing.
func smallestClosed(rules []*typedRule) *Witness {
	for _, entries := range smallEntries {
		for _, total := range []int{1, 2, 3} {
			for _, t := range rules {
				for _, sizes := range t.sizes([]int{total}) {
					for seed := range 400 {
						in := t.instance(sizes, uint64(seed), entries)
						if o, arg, l, r := t.compare(in); o == model.SidesDiffer {
							return t.witness(in, arg, l, r)
						}
					}
				}
			}
		}
	}
	return nil
}

func (t *typedRule) witness(in *closedInstance, arg, l, r *model.Tuple) *Witness {
	w := &Witness{Sizes: describe(in.sizes, t.types.count)}
	var names []string
	for n := range in.made {
		names = append(names, n)
	}
	for n := range in.values {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		if v := in.values[n]; v != nil {
			w.Values = append(w.Values, Named{n, v.String()})
			continue
		}
		w.Values = append(w.Values, Named{strings.ReplaceAll(n, "#", ""), in.describeMap(t.types.maps[n], in.made[n])})
	}
	w.Values = append(w.Values, Named{"argument", arg.String()})
	w.Left, w.Right = l.String(), r.String()
	return w
}

// describeMap shows a small map: the matrix of a linear one, or c + M x + N x^2.
func (in *closedInstance) describeMap(e *expr, f *model.Function) string {
	rows, cols := f.Cod.Count(), f.Dom.Count()
	m := func(kind string) string {
		a := &model.Tuple{Array: *model.NewArray([]int{rows, cols})}
		for i := range rows {
			for j := range cols {
				a.Data[i*cols+j] = field(in.number(e.name+kind, uint64(i), uint64(j)))
			}
		}
		return a.String()
	}
	switch {
	case e.linear:
		return m("")
	case e.sort == text.BilinearTo:
		return "a multilinear map with coefficients 0 and 1"
	}
	c := &model.Tuple{Array: *model.NewArray([]int{rows})}
	for i := range rows {
		c.Data[i] = field(in.number(e.name+"c", uint64(i)))
	}
	return c.String() + " + " + m("M") + " x + " + m("N") + " x^2"
}
