package verify

import (
	"sort"
	"strings"

	"frechet/rewrite/verify/maps"
	"frechet/rewrite/verify/model"
)

// smallEntries are what the entries of witnesses are drawn from, one list after the other.
var smallEntries = [][]uint64{{0, 1}, {0, 1, 2, model.Prime - 1}}

// smallestClosed is the smallest witness: fewest components, smallest sizes, entries 0 and 1, or small
// numbers where those show nothing.
func smallestClosed(rules []*maps.Rule) *Witness {
	for _, entries := range smallEntries {
		for _, total := range []int{1, 2, 3} {
			for _, t := range rules {
				for _, sizes := range t.Sizes([]int{total}) {
					for seed := range 400 {
						in := t.Instance(sizes, uint64(seed), entries)
						if o, arg, l, r := t.Compare(in); o == model.SidesDiffer {
							return closedWitness(t, in, arg, l, r)
						}
					}
				}
			}
		}
	}
	return nil
}

func closedWitness(t *maps.Rule, in *maps.Instance, arg, l, r *model.Tuple) *Witness {
	w := &Witness{Sizes: maps.Describe(in.Sizes, t.Types.Count)}
	var names []string
	for n := range in.Made {
		names = append(names, n)
	}
	for n := range in.Values {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		if v := in.Values[n]; v != nil {
			w.Values = append(w.Values, Named{n, v.String()})
			continue
		}
		w.Values = append(w.Values, Named{strings.ReplaceAll(n, "#", ""), in.DescribeMap(t.Types.Maps[n], in.Made[n])})
	}
	w.Values = append(w.Values, Named{"argument", arg.String()})
	w.Left, w.Right = l.String(), r.String()
	return w
}
