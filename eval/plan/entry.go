package plan

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
)

// An entryKind says what an entry does.
type entryKind uint8

const (
	entryProduct entryKind = iota // multiplies two values, or sums one
	entryScale                    // multiplies a value by a number
	entryNumber                   // is a number
	entryView                     // permutes or repeats the axes of a value, or embeds it in a diagonal
	entryGuard                    // corrects a product where infinities lose against zeros
	entryForm                     // a form that is computed as it stands: with conditions, or under guards
)

// An entry is one step of the products of a program. Letters are its own.
type entry struct {
	kind  entryKind
	args  []int // values
	in    [][]int
	out   []int
	dims  []size.Size // by letter
	rat   *big.Rat    // of a number or scale: rat times count
	count size.Size
	place int // of a guard or form: of its node
}

// sums reports whether the entry adds up anything.
func (e *entry) sums() bool {
	for _, g := range e.in {
		for _, l := range g {
			if !slices.Contains(e.out, l) {
				return true
			}
		}
	}
	return false
}

// A listing is what is computed for some nodes. Values are those of nodes, numbered by place,
// and then those of entries. A node that is a product has the value of an entry: how products
// are multiplied out is found for all of them together. Everything that is computed, costed
// and printed is read from a listing.
type listing struct {
	forming
	all     []*combinators.Node
	image   map[*combinators.Node]*combinators.Node // what stands for the nodes that are asked for; nil for themselves
	weak    []bool                                  // by place
	entries []entry
	result  []int  // by place: the value of the node
	items   []int  // the values that are needed, each after what it reads
	uses    []int  // by value: how often it is read
	rowwise []bool // by entry: it lies row by row, being the value of a node

	mults, entriesWritten float64 // what the products cost ...
	alone                 float64 // ... and multiplications if each were ordered for itself
}

// listingOf finds what is computed for nodes: as they are written, or with products of sums multiplied out where that takes
// fewer multiplications. contraction puts sizes in, number says how large a size is; unless shared, every product is
// ordered for itself.
func listingOf(nodes []*combinators.Node, contraction func(*einsum.Contraction) (*einsum.Contraction, error), number func(size.Size) float64, shared bool) (*listing, error) {
	forms := nodes
	if in := stable(nodes); in != nil {
		forms = in
	}
	if in := related(forms); in != nil {
		forms = in
	}
	s, err := listingAs(forms, contraction, number, shared)
	if err != nil {
		return nil, err
	}
	if apart := distributed(forms, number); apart != nil {
		if t, err := listingAs(apart, contraction, number, shared); err == nil && t.mults < s.mults {
			s, forms = t, apart
		}
	}
	s.image = map[*combinators.Node]*combinators.Node{}
	for i, n := range nodes {
		s.image[n] = forms[i]
	}
	return s, nil
}

// A lister finds what is computed for nodes.
type lister = func(nodes []*combinators.Node, contraction func(*einsum.Contraction) (*einsum.Contraction, error), number func(size.Size) float64, shared bool) (*listing, error)

// listingAs is what is computed for nodes as they are.
func listingAs(nodes []*combinators.Node, contraction func(*einsum.Contraction) (*einsum.Contraction, error), number func(size.Size) float64, shared bool) (*listing, error) {
	s := &listing{all: combinators.Topo(nodes...)}
	var err error
	if s.forming, err = formAll(s.all, nodes, contraction, number); err != nil {
		return nil, err
	}
	s.weak = make([]bool, len(s.all))
	for i, n := range s.all {
		s.weak[i] = Weak(n, s.isWeak)
	}
	m := newMultiplier(s, nodes)
	m.run(shared)
	s.list(nodes)
	return s, nil
}

func (s *listing) isWeak(n *combinators.Node) bool { return s.weak[s.at[n.ID()]] }

// valueOf is the value of a node.
func (s *listing) valueOf(n *combinators.Node) int {
	if m := s.image[n]; m != nil {
		n = m
	}
	return s.result[s.at[n.ID()]]
}

// entryOf is the entry that has a value, or nil.
func (s *listing) entryOf(value int) *entry {
	if value < len(s.all) {
		return nil
	}
	return &s.entries[value-len(s.all)]
}

func (s *listing) add(e entry) int {
	s.entries = append(s.entries, e)
	return len(s.all) + len(s.entries) - 1
}

// reads lists the values that a value is computed from.
func (s *listing) reads(value int) []int {
	e := s.entryOf(value)
	var nodes []*combinators.Node
	switch {
	case e == nil:
		nodes = s.all[value].Args()
	case e.kind == entryForm || e.kind == entryGuard:
		nodes = s.forms[e.place].args
	default:
		return e.args
	}
	out := make([]int, len(nodes), len(nodes)+1)
	for k, a := range nodes {
		out[k] = s.valueOf(a)
	}
	if e != nil {
		out = append(out, e.args...)
	}
	return out
}

// list puts what the nodes need in order, and counts how often it is read.
func (s *listing) list(nodes []*combinators.Node) {
	n := len(s.all) + len(s.entries)
	s.uses = make([]int, n)
	state := make([]uint8, n) // 0 new, 1 open, 2 done
	for _, root := range nodes {
		s.uses[s.valueOf(root)]++
		stack := []int{s.valueOf(root)}
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			switch state[v] {
			case 2:
				stack = stack[:len(stack)-1]
			case 1:
				state[v] = 2
				s.items = append(s.items, v)
				stack = stack[:len(stack)-1]
			default:
				state[v] = 1
				for _, a := range slices.Backward(s.reads(v)) {
					s.uses[a]++
					if state[a] == 0 {
						stack = append(stack, a)
					}
				}
			}
		}
	}
	s.rowwise = make([]bool, len(s.entries))
	mark := func(v int) {
		if v >= len(s.all) {
			s.rowwise[v-len(s.all)] = true
		}
	}
	for _, v := range s.result {
		mark(v)
		if e := s.entryOf(v); e != nil && e.kind == entryGuard {
			mark(e.args[0])
		}
	}
}
