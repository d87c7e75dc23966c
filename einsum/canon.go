package einsum

import (
	"bytes"
	"cmp"
	"slices"
)

// maxLeaves bounds the orders that search tries. Operands that refinement does not tell apart can
// as a rule be exchanged, and then all orders give one form: products of more than a few operands
// that are connected alike, and yet differ, have no unique form.
const maxLeaves = 64

// search gives the order of the operands, sorted by label in perm, that has the least key, by
// individualisation and refinement (McKay, Practical graph isomorphism, 1981): operands that have
// one class are made different one by one, and all are divided anew.
func (c *Contraction) search(perm, labels []int) []int {
	p := c.partition(perm, labels)
	p.divide(nil)
	var best []int
	var least []byte // the key of best, where there is a second one to compare with
	key := func(order []int) []byte { return []byte(c.Permute(order).Key()) }
	leaves := 0
	var visit func(p *partition)
	visit = func(p *partition) {
		order := slices.Clone(perm)
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Or(labels[a]-labels[b], int(p.class[a]-p.class[b]))
		})
		for i := 1; i < len(order); i++ {
			tied := p.class[order[i]]
			if p.class[order[i-1]] != tied {
				continue
			}
			for j := i - 1; j < len(order) && p.class[order[j]] == tied && leaves < maxLeaves; j++ {
				apart := p.clone()
				apart.divide(apart.single(int32(order[j])))
				visit(apart)
			}
			return
		}
		if leaves++; leaves == 1 {
			best = order
			return
		}
		if least == nil {
			least = key(best)
		}
		if k := key(order); bytes.Compare(k, least) < 0 {
			best, least = order, k
		}
	}
	visit(p)
	return best
}

// A partition divides the operands and the variables of a contraction into classes, by what they are
// and how they are connected. Operands, the output and conditions are cells; cells and variables are the
// vertices of a graph, with an edge for each place in which a variable stands. What number a class has
// depends on no name of a variable and no order of operands.
type partition struct {
	ends     []int32 // the edges of vertex v are before ends[v]; those of vertex 0 are the first
	edges    []edge
	operands int     // the first vertices
	class    []int32 // by vertex
	members  []int32 // how many a class has
	marked   []bool  // vertices in a list in the making
}

// edge is a place: where the variable stands in the cell, with which coefficient.
type edge struct {
	to    int32
	place uint64
}

// vertex is one that is to be put into a class.
type vertex struct {
	v, class int32
	sign     uint64 // of what it is, or how it is connected
}

// partition has the classes of vertices before edges are looked at: operands by label, in which order
// perm has them, and variables by size.
func (c *Contraction) partition(perm, labels []int) *partition {
	cells := len(c.In) + 1 + len(c.Eq) + len(c.Ge)
	n := cells + len(c.Vars)
	p := &partition{ends: make([]int32, n), operands: len(c.In), class: make([]int32, n), marked: make([]bool, n)}
	begin := make([]vertex, n)
	for v := range begin {
		begin[v].v = int32(v)
	}
	kind := int32(0)
	for i, k := range perm {
		if i > 0 && labels[k] != labels[perm[i-1]] {
			kind++
		}
		begin[k].class = kind
	}
	for v, d := range c.Vars {
		begin[cells+v].class, begin[cells+v].sign = kind+4, d.Hash()
	}
	var places []struct{ cell, v, place uint64 }
	read := func(cell int, a Affine, place uint64) {
		begin[cell].sign = Mix(begin[cell].sign, a.Off.Hash())
		for _, t := range a.Terms {
			v := cells + t.Var
			p.ends[cell]++
			p.ends[v]++
			places = append(places, struct{ cell, v, place uint64 }{uint64(cell), uint64(v), Mix(place, uint64(t.Coef))})
		}
	}
	access := func(cell int, acc Access) {
		for i, a := range acc.Index {
			read(cell, a, uint64(i))
		}
	}
	for k, acc := range c.In {
		access(k, acc)
	}
	cell := len(c.In)
	begin[cell].class = kind + 1
	access(cell, c.Out)
	for i, as := range [2][]Affine{c.Eq, c.Ge} {
		for _, a := range as {
			cell++
			begin[cell].class = kind + 2 + int32(i)
			read(cell, a, 0)
		}
	}
	sum := int32(0)
	for v, degree := range p.ends {
		p.ends[v] = sum // where its edges begin: they are put there, which moves it to where they end
		sum += degree
	}
	p.edges = make([]edge, sum)
	for _, e := range places {
		p.edges[p.ends[e.cell]] = edge{int32(e.v), e.place}
		p.ends[e.cell]++
		p.edges[p.ends[e.v]] = edge{int32(e.cell), e.place}
		p.ends[e.v]++
	}
	sortVertices(begin)
	for i, b := range begin {
		if i == 0 || b.class != begin[i-1].class || b.sign != begin[i-1].sign {
			p.members = append(p.members, 0)
		}
		p.class[b.v] = int32(len(p.members) - 1)
		p.members[len(p.members)-1]++
	}
	return p
}

func sortVertices(all []vertex) {
	slices.SortFunc(all, func(a, b vertex) int {
		if a.class != b.class {
			return int(a.class - b.class)
		}
		return cmp.Compare(a.sign, b.sign)
	})
}

func (p *partition) clone() *partition {
	q := *p
	q.class, q.members = slices.Clone(p.class), slices.Clone(p.members)
	return &q
}

func (p *partition) edgesOf(v int32) []edge {
	if v == 0 {
		return p.edges[:p.ends[0]]
	}
	return p.edges[p.ends[v-1]:p.ends[v]]
}

// move puts v into a class of its own, or into that of the vertex moved before it.
func (p *partition) move(v int32, fresh bool) {
	p.members[p.class[v]]--
	if fresh {
		p.members = append(p.members, 0)
	}
	p.class[v] = int32(len(p.members) - 1)
	p.members[len(p.members)-1]++
}

// single makes v different from all others; what it gives is for divide.
func (p *partition) single(v int32) []int32 {
	p.move(v, true)
	return []int32{v}
}

// divide divides the classes until the members of each have as many edges of each kind to members of
// each class, where that may fail for the neighbours of moved only; for all vertices where it is nil.
// A class that is divided leaves its number to those who have nothing to do with what was moved, or to
// the most. It ends early where no two operands are of one class, which nothing changes any more.
func (p *partition) divide(moved []int32) {
	var room [128]vertex
	open := room[:0]
	meet := func(v int32) {
		if !p.marked[v] && p.members[p.class[v]] > 1 {
			p.marked[v] = true
			open = append(open, vertex{v: v})
		}
	}
	if moved == nil {
		for v := range p.class {
			meet(int32(v))
		}
	}
	for {
		for _, v := range moved {
			for _, e := range p.edgesOf(v) {
				meet(e.to)
			}
		}
		if len(open) == 0 || p.apart() {
			break
		}
		for i := range open {
			x := &open[i]
			p.marked[x.v] = false
			x.class = p.class[x.v]
			for _, e := range p.edgesOf(x.v) {
				x.sign += Mix(uint64(p.class[e.to]), e.place)
			}
		}
		sortVertices(open)
		moved = moved[:0]
		for i := 0; i < len(open); {
			j, stays, most := i, -1, 0 // those of a class that stay begin at stays
			for j < len(open) && open[j].class == open[i].class {
				k := j
				for k < len(open) && open[k].class == open[i].class && open[k].sign == open[j].sign {
					k++
				}
				if k-j > most {
					stays, most = j, k-j
				}
				j = k
			}
			if j-i < int(p.members[open[i].class]) {
				stays = -1
			}
			for k := i; k < j; k++ {
				if stays >= 0 && open[k].sign == open[stays].sign {
					continue
				}
				p.move(open[k].v, k == i || open[k].sign != open[k-1].sign)
				moved = append(moved, open[k].v)
			}
			i = j
		}
		open = open[:0]
	}
	for _, x := range open {
		p.marked[x.v] = false
	}
}

// apart reports whether no two operands are of one class.
func (p *partition) apart() bool {
	return !slices.ContainsFunc(p.class[:p.operands], func(c int32) bool { return p.members[c] > 1 })
}
