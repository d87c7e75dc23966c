package einsum

import (
	"bytes"
	"slices"

	"frechet/einsum/size"
)

// Table has each contraction once and remembers what the steps made of it, so that the same few
// forms, of which a long program is made, are computed once. Contractions of one table are equal
// exactly when they are identical. It must not be used from several goroutines at once.
type Table struct {
	forms   map[uint64]*Contraction // by hash; what collides stands at the next free number
	count   int32
	steps   map[step]*Contraction
	ordered map[ordering]ordered
	room    letters // for the contraction in the making
	perm    []int   // of operands in the making, and their ranks
	ranks   []int
}

// step is the fusion of inner into operand k of c, or where inner is -1 the exchange of it.
type step struct{ c, inner, k int32 }

// ordering is a contraction with the ranks of the labels of its operands, of which some are equal.
type ordering struct {
	c     int32
	ranks [3]uint64 // of 5 bits, 12 in a word
}

const (
	maxLabels = 1 << 5
	perWord   = 12
)

type ordered struct {
	c    *Contraction
	perm []int
}

// NewTable makes an empty table.
func NewTable() *Table {
	return &Table{forms: map[uint64]*Contraction{}, steps: map[step]*Contraction{}, ordered: map[ordering]ordered{}}
}

// Intern is the table's contraction that equals c.
func (t *Table) Intern(c *Contraction) *Contraction {
	if c.table == t {
		return c
	}
	h := c.hash
	for ; ; h++ {
		d := t.forms[h]
		if d == nil {
			break
		}
		if d.hash == c.hash && equal(c, d) {
			return d
		}
	}
	d := &Contraction{
		Vars: c.Vars, In: c.In, Out: c.Out, Eq: c.Eq, Ge: c.Ge,
		plain: c.plain, lettIn: c.lettIn, lettOut: c.lettOut, covered: c.covered, selects: c.selects, hash: c.hash,
	}
	d.key.Store(c.key.Load())
	return t.add(h, d)
}

// Number is the place of a contraction in its table, from 0: tables number theirs in the order in which
// they come.
func (c *Contraction) Number() int { return int(c.id) }

func (t *Table) add(h uint64, c *Contraction) *Contraction {
	c.table, c.id = t, t.count
	t.count++
	t.forms[h] = c
	return c
}

// equal compares contractions of one hash.
func equal(c, d *Contraction) bool {
	if c.plain != d.plain {
		return false
	}
	if !c.plain {
		return c.Key() == d.Key()
	}
	same := len(c.Vars) == len(d.Vars) && len(c.lettIn) == len(d.lettIn) && slices.Equal(c.lettOut, d.lettOut)
	for v := 0; same && v < len(c.Vars); v++ {
		same = c.Vars[v] == d.Vars[v]
	}
	for k := 0; same && k < len(c.lettIn); k++ {
		same = slices.Equal(c.lettIn[k], d.lettIn[k])
	}
	return same
}

func (t *Table) intern(l *letters) *Contraction {
	hash := l.hash()
	h := hash
	for ; ; h++ {
		d := t.forms[h]
		if d == nil {
			return t.add(h, l.contraction())
		}
		if d.hash == hash && l.is(d) {
			return d
		}
	}
}

// Plain is the function of that name.
func (t *Table) Plain(in [][]int, out []int, sizes []size.Size) *Contraction {
	t.room.set(in, out, sizes)
	return t.intern(&t.room)
}

// Fuse substitutes inner for operand k of c and solves the equalities: both steps in one.
func (t *Table) Fuse(c *Contraction, k int, inner *Contraction) *Contraction {
	c, inner = t.Intern(c), t.Intern(inner)
	key := step{c.id, inner.id, int32(k)}
	f := t.steps[key]
	if f == nil {
		if c.plain && inner.plain {
			t.room.fuse(c, k, inner)
			f = t.intern(&t.room)
		} else {
			f = t.Intern(c.Fuse(k, inner).Solve())
		}
		t.steps[key] = f
	}
	return f
}

// Swap is c.Swap(k).
func (t *Table) Swap(c *Contraction, k int) *Contraction {
	c = t.Intern(c)
	key := step{c.id, -1, int32(k)}
	s := t.steps[key]
	if s == nil {
		if c.plain {
			t.room.swap(c, k)
			s = t.intern(&t.room)
		} else {
			s = t.Intern(c.Swap(k))
		}
		t.steps[key] = s
	}
	return s
}

// Canon is c.Canon(labels). The permutation must not be changed, and is lost with the next call.
func (t *Table) Canon(c *Contraction, labels []int) (*Contraction, []int) {
	c = t.Intern(c)
	if !c.plain {
		d, perm := c.Canon(labels)
		return t.Intern(d), perm
	}
	t.perm = sortedBy(labels, t.perm[:0])
	ties := false
	for k := 1; k < len(labels); k++ {
		ties = ties || labels[t.perm[k-1]] == labels[t.perm[k]]
	}
	if !ties {
		t.room.permute(c, t.perm)
		return t.intern(&t.room), t.perm
	}
	// What ties are resolved to depends on the ranks of the labels, and on nothing else of them.
	t.ranks = slices.Grow(t.ranks[:0], len(labels))[:len(labels)]
	for k, p := range t.perm {
		t.ranks[p] = k
		if k > 0 && labels[t.perm[k-1]] == labels[p] {
			t.ranks[p] = t.ranks[t.perm[k-1]]
		}
	}
	if len(labels) > maxLabels {
		o := t.tied(c, t.ranks)
		return o.c, o.perm
	}
	key := ordering{c: c.id}
	for k, r := range t.ranks {
		key.ranks[k/perWord] |= uint64(r) << (k % perWord * 5)
	}
	o, ok := t.ordered[key]
	if !ok {
		o = t.tied(c, t.ranks)
		t.ordered[key] = o
		if o.c != c { // the form is its own
			own := ordering{c: o.c.id}
			stay := make([]int, len(o.perm))
			for k, p := range o.perm {
				own.ranks[k/perWord] |= uint64(t.ranks[p]) << (k % perWord * 5)
				stay[k] = k
			}
			t.ordered[own] = ordered{o.c, stay}
		}
	}
	return o.c, o.perm
}

// sortedBy appends the places of labels in their order to perm; those of equal labels stay in order.
func sortedBy(labels, perm []int) []int {
	if len(labels) > 64 {
		for k := range labels {
			perm = append(perm, k)
		}
		slices.SortStableFunc(perm, func(a, b int) int { return labels[a] - labels[b] })
		return perm
	}
	for k, l := range labels {
		i := len(perm)
		perm = append(perm, k)
		for ; i > 0 && labels[perm[i-1]] > l; i-- {
			perm[i] = perm[i-1]
		}
		perm[i] = k
	}
	return perm
}

// tied is Canon of a plain contraction with labels of which some are equal; t.perm sorts them.
func (t *Table) tied(c *Contraction, labels []int) ordered {
	if orders(t.perm, labels) > maxTies {
		perm := c.search(t.perm, labels)
		t.room.permute(c, perm)
		return ordered{t.intern(&t.room), perm}
	}
	var best, key []byte
	var bestPerm []int
	eachOrder(t.perm, labels, 0, func(p []int) {
		t.room.permute(c, p)
		key = t.room.key(key[:0])
		if best == nil || bytes.Compare(key, best) < 0 {
			best, bestPerm = append(best[:0], key...), append(bestPerm[:0], p...)
		}
	})
	t.room.permute(c, bestPerm)
	return ordered{t.intern(&t.room), bestPerm}
}

// IsIdentity reports whether c has one operand and gives it back.
func (c *Contraction) IsIdentity() bool {
	if !c.plain || len(c.lettIn) != 1 || len(c.lettIn[0]) != len(c.lettOut) || len(c.Vars) != len(c.lettOut) {
		return false
	}
	for i, v := range c.lettIn[0] {
		if c.lettOut[i] != v || v != i {
			return false
		}
	}
	return true
}
