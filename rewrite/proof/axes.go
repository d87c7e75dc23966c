package proof

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// unmerged is a value before axes are merged: axis k of the value is so many axes of it.
type unmerged struct {
	n     *Node
	width []int
}

func whole(n *Node) unmerged { return unmerged{n, slices.Repeat([]int{1}, n.Order())} }

// at is the place of the first axis of n that is one of axis k.
func (u unmerged) at(k int) (place int) {
	for _, w := range u.width[:k] {
		place += w
	}
	return place
}

// sizes are those of axis k.
func (u unmerged) sizes(k int) []size.Size { return u.n.Shape()[u.at(k) : u.at(k)+u.width[k]] }

// unmergedTop is n with the merges outside of its contraction, and those of the operands of this, taken away.
func (k *checker) unmergedTop(n *Node) unmerged {
	k.work.add(1)
	switch {
	case n.Is(atom.Merge):
		return merged(k.unmergedTop(n.Arg(0)), n.Attr())
	case n.Is(atom.Split):
		return k.split(k.unmergedTop(n.Arg(0)), n.Attr(), n.Sizes()[0], n.Sizes()[1])
	case n.Ein() != nil:
		return k.unmergedProduct(n)
	}
	return whole(n)
}

// merged has axes a and a+1 of u as one.
func merged(u unmerged, a int) unmerged {
	w := slices.Clone(u.width)
	w[a] += w[a+1]
	return unmerged{u.n, slices.Delete(w, a+1, a+2)}
}

// split has axis a of u as two of the sizes d and e: its parts where it has two of these, two letters for a letter that no
// operand has, else a split value.
func (k *checker) split(u unmerged, a int, d, e size.Size) unmerged {
	w := slices.Clone(u.width)
	place := u.at(a)
	if w[a] == 2 && u.sizes(a)[0] == d && u.sizes(a)[1] == e {
		w[a] = 1
		return unmerged{u.n, slices.Insert(w, a+1, 1)}
	}
	if w[a] != 1 {
		return whole(k.s.Split(a, d, e, mergedNode(k.s, u)))
	}
	w = slices.Insert(w, a+1, 1)
	if c := u.n.Ein(); c != nil {
		if in, out, ok := c.IsPlain(); ok && !slices.Contains(slices.Concat(in...), out[place]) {
			v, f := out[place], len(c.Vars)
			vars := append(slices.Clone(c.Vars), e)
			vars[v] = d
			var letters []int
			for i, x := range out {
				if letters = append(letters, x); x == v {
					letters = append(letters, f)
					if i != place {
						w[axisOf(u, a, i)]++
					}
				}
			}
			return unmerged{k.s.Contract(in, letters, vars, u.n.Args()...), w}
		}
	}
	return unmerged{k.s.Split(place, d, e, u.n), w}
}

// axisOf is the axis, once axis a has become two, of which axis i of u.n is a part.
func axisOf(u unmerged, a, i int) int {
	for j := range u.width {
		if i < u.at(j)+u.width[j] {
			if j > a {
				j++
			}
			return j
		}
	}
	panic("proof: an axis of no axis")
}

// mergedNode is the value of u.
func mergedNode(s *combinators.Store, u unmerged) *Node {
	n := u.n
	for a, w := range u.width {
		for range w - 1 {
			n = s.Merge(a, n)
		}
	}
	return n
}

// stripped is n without the merges outside of it, but those of the axes that are kept.
func (k *checker) stripped(n *Node, keep []bool) unmerged {
	if !n.Is(atom.Merge) {
		return whole(n)
	}
	a := n.Attr()
	u := k.stripped(n.Arg(0), slices.Insert(slices.Clone(keep), a, keep[a]))
	if keep[a] {
		return unmerged{k.s.Merge(u.at(a), u.n), slices.Delete(slices.Clone(u.width), a, a+1)}
	}
	return merged(u, a)
}

// unmergedProduct has several letters for one over axes that every operand with it has merged in one way.
func (k *checker) unmergedProduct(n *Node) unmerged {
	in, out, ok := n.Ein().IsPlain()
	if !ok {
		return whole(n)
	}
	keep := lists.Map(in, func(g []int) []bool { return make([]bool, len(g)) })
	var ops []unmerged
	letters := make([][]size.Size, len(n.Ein().Vars)) // those of a letter
	for again := true; again; {
		again = false
		ops = ops[:0]
		clear(letters)
		for i, a := range n.Args() {
			ops = append(ops, k.stripped(a, keep[i]))
		}
		for i, g := range in {
			for j, v := range g {
				if sizes := ops[i].sizes(j); letters[v] == nil {
					letters[v] = sizes
				} else if !slices.Equal(letters[v], sizes) {
					for i, h := range in {
						for j, u := range h {
							again = again || u == v && !keep[i][j]
							keep[i][j] = keep[i][j] || u == v
						}
					}
				}
			}
		}
	}
	first, vars := make([]int, len(letters)), []size.Size{}
	for v, sizes := range letters {
		if first[v] = len(vars); sizes == nil {
			sizes = n.Ein().Vars[v : v+1]
			letters[v] = sizes
		}
		vars = append(vars, sizes...)
	}
	expand := func(g []int) (h []int) {
		for _, v := range g {
			for i := range letters[v] {
				h = append(h, first[v]+i)
			}
		}
		return h
	}
	groups, args := make([][]int, len(in)), make([]*Node, len(in))
	for i, g := range in {
		groups[i], args[i] = expand(g), ops[i].n
	}
	u := unmerged{n: k.s.Contract(groups, expand(out), vars, args...)}
	for _, v := range out {
		u.width = append(u.width, len(letters[v]))
	}
	return u
}
