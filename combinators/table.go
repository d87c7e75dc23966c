package combinators

import (
	"math/big"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// form is what makes a node one, besides its arguments: equal forms on equal arguments are one
// node.
type form struct {
	atom  *atom.Row
	ein   *einsum.Contraction // of the store's table
	rat   *big.Rat
	name  string
	sizes []size.Size
	shape []size.Size // identifies variables alone
	body  *Body       // of a recurrence
	attr  int32
	guard Guard
}

// table finds nodes by their forms: open addressing, each slot a hash and the number of the
// node, counted from 1. It holds no pointer, so collecting garbage does not look at it.
type table struct {
	slots []slot
	count int
}

type slot struct{ hash, id uint32 }

// find is the node of form f on args of the store, nil where there is none.
func (t *table) find(s *Store, h uint32, f *form, args []*Node) *Node {
	if len(t.slots) == 0 {
		return nil
	}
	mask := len(t.slots) - 1
	for i := int(h) & mask; t.slots[i].id != 0; i = (i + 1) & mask {
		if t.slots[i].hash == h {
			if n := s.Node(int(t.slots[i].id - 1)); f.is(n, args) {
				return n
			}
		}
	}
	return nil
}

// add puts in node number id, counted from 1.
func (t *table) add(h uint32, id int) {
	if t.count++; 4*t.count > 3*len(t.slots) {
		old := t.slots
		t.slots = make([]slot, max(64, 2*len(old)))
		for _, s := range old {
			if s.id != 0 {
				t.put(s)
			}
		}
	}
	t.put(slot{h, uint32(id)})
}

func (t *table) put(s slot) {
	mask := len(t.slots) - 1
	i := int(s.hash) & mask
	for t.slots[i].id != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = s
}

func (f *form) hash(args []*Node) uint32 {
	h := mix(uint64(f.atom.Number())<<8|uint64(f.guard), uint64(uint32(f.attr)))
	if f.atom.Number() == atom.DeclaredNumber {
		for _, c := range []byte(f.atom.Name) {
			h = mix(h, uint64(c))
		}
	}
	if f.ein != nil {
		h = mix(h, f.ein.Hash())
	}
	for _, a := range args {
		h = mix(h, uint64(a.id))
	}
	if f.rat != nil {
		h = mix(h, hashRat(f.rat))
	}
	for i := range len(f.name) {
		h = mix(h, uint64(f.name[i]))
	}
	for _, d := range f.sizes {
		h = mix(h, uint64(d.ID()))
	}
	if f.body != nil {
		for i := range len(f.body.key) {
			h = mix(h, uint64(f.body.key[i]))
		}
	}
	return uint32(h)
}

// is reports whether n is f on args.
func (f *form) is(n *Node, args []*Node) bool {
	if !n.Is(f.atom) || n.ein != f.ein || n.attr != f.attr || n.guard != f.guard || !slices.Equal(n.Args(), args) {
		return false
	}
	if n.label == nil {
		return f.rat == nil && f.name == "" && f.sizes == nil && f.body == nil
	}
	l := n.label
	if l.name != f.name || (l.rat == nil) != (f.rat == nil) || !slices.Equal(l.sizes, f.sizes) {
		return false
	}
	if l.body != f.body && (l.body == nil || f.body == nil || l.body.key != f.body.key) {
		return false
	}
	if l.rat != nil && l.rat != f.rat && l.rat.Cmp(f.rat) != 0 {
		return false
	}
	return f.atom.Class != atom.ClassVariable || slices.Equal(n.Shape(), f.shape)
}

func hashRat(r *big.Rat) uint64 {
	if r.Num().IsInt64() && r.Denom().IsInt64() {
		return mix(uint64(r.Num().Int64()), uint64(r.Denom().Int64()))
	}
	h := uint64(1)
	for _, w := range [2]*big.Int{r.Num(), r.Denom()} {
		for _, b := range w.Bits() {
			h = mix(h, uint64(b))
		}
	}
	return h
}

// mix adds x to the hash h.
func mix(h, x uint64) uint64 {
	h = (h ^ x ^ 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
	return h ^ h>>32
}
