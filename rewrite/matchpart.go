package rewrite

import (
	"math/bits"
	"slices"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
)

// A normal form has no inner products: A (B C) is one contraction of three operands. A metavariable may
// therefore stand for a part of it, several operands that are contracted first:
//
//	sum of X Y Z over i, j = sum over j of (sum over i of X Y) Z   where i stands in X and Y alone
//
// The part is the value of these operands over the variables that the rest has, too, its border; the
// others are inside. What a metavariable stands for already, such as A in inv(A), is looked for among
// the operands; else connected operands are tried, fewest first.

// maxParts bounds the parts that are tried for one operand of a pattern.
const maxParts = 512

// incidence tells where the variables of a contraction stand, as sets.
type incidence struct {
	c     *einsum.Contraction
	n     *combinators.Node
	vars  []uint64 // of each operand; 0 also where it has an axis that is no variable over the whole of it
	plain uint64   // the operands whose axes are variables
	kept  uint64   // the variables of the output and of conditions
}

func incidenceOf(n *combinators.Node) *incidence {
	c := n.Ein()
	if len(c.Vars) > 64 {
		return nil
	}
	o := &incidence{c: c, n: n, vars: make([]uint64, len(c.In))}
	for k, acc := range c.In {
		plain := true
		for i, a := range acc.Index {
			v, ok := a.Var()
			if plain = plain && ok && c.Vars[v] == acc.Shape[i]; plain {
				o.vars[k] |= 1 << v
			}
		}
		if plain {
			o.plain |= 1 << k
		}
		for _, a := range acc.Index {
			if !plain { // whatever stands in it stays outside
				o.keep(a)
			}
		}
	}
	for _, as := range [][]einsum.Affine{c.Out.Index, c.Eq, c.Ge} {
		for _, a := range as {
			o.keep(a)
		}
	}
	return o
}

func (o *incidence) keep(a einsum.Affine) {
	for _, t := range a.Terms {
		o.kept |= 1 << t.Var
	}
}

// part is the border and the inside of a set of operands.
func (o *incidence) part(set uint64) (border, inside uint64) {
	all, others := uint64(0), o.kept
	for k, vs := range o.vars {
		if set>>k&1 != 0 {
			all |= vs
		} else {
			others |= vs
		}
	}
	return all & others, all &^ others
}

// value is the contraction of a set of operands with the given axes. Where cut is not negative, it is a
// variable that stands twice in them and becomes two: the first of the axes is, if it can be, a first axis
// of an operand.
func (o *incidence) value(set uint64, axes []int, cut int) *combinators.Node {
	to := map[int]int{}
	var dims []size.Size
	at := func(v int) int {
		if _, ok := to[v]; !ok {
			to[v] = len(dims)
			dims = append(dims, o.c.Vars[v])
		}
		return to[v]
	}
	var in [][]int
	var args []*combinators.Node
	second, met := -1, 0
	turned := cut >= 0 && !o.leads(set, cut)
	for k, acc := range o.c.In {
		if set>>k&1 == 0 {
			continue
		}
		g := make([]int, len(acc.Index))
		for i, a := range acc.Index {
			v, _ := a.Var()
			if v == cut {
				if met++; met == 2 {
					second = len(dims)
					dims = append(dims, o.c.Vars[v])
					g[i] = second
					continue
				}
			}
			g[i] = at(v)
		}
		in, args = append(in, g), append(args, o.n.Arg(k))
	}
	out := make([]int, 0, len(axes))
	for i, v := range axes {
		if v == cut && i == len(axes)-1 {
			out = append(out, second)
		} else {
			out = append(out, at(v))
		}
	}
	if turned {
		out[0], out[1] = out[1], out[0]
	}
	return o.n.Store().Contract(in, out, dims, args...)
}

// leads: where the variable v stands first in a set of operands, it is a first axis, or it is none there.
func (o *incidence) leads(set uint64, v int) bool {
	first := []int{}
	for k, acc := range o.c.In {
		for i, a := range acc.Index {
			if w, _ := a.Var(); set>>k&1 != 0 && w == v {
				first = append(first, i)
			}
		}
	}
	return first[0] == 0 || first[len(first)-1] != 0
}

// times is how often a variable stands in a set of operands.
func (o *incidence) times(set uint64, v int) (n int) {
	for k, acc := range o.c.In {
		if set>>k&1 != 0 {
			for _, a := range acc.Index {
				if w, _ := a.Var(); w == v {
					n++
				}
			}
		}
	}
	return n
}

// standing visits the sets of operands, but those used, that could be the contraction v: those that
// have its operands.
func (o *incidence) standing(v *combinators.Node, used uint64, f func(set uint64) bool) bool {
	free := o.plain &^ used
	left := maxParts
	var pick func(i, last int, set uint64) bool
	pick = func(i, last int, set uint64) bool {
		if i == len(v.Args()) {
			left--
			return left > 0 && set != 0 && f(set)
		}
		from := 0
		if i > 0 && v.Arg(i) == v.Arg(i-1) {
			from = last + 1 // operands are sorted: equal ones are taken in order
		}
		for k := from; k < len(o.vars); k++ {
			if (free&^set)>>k&1 != 0 && o.n.Arg(k) == v.Arg(i) && pick(i+1, k, set|1<<k) {
				return true
			}
		}
		return false
	}
	return pick(0, -1, 0)
}

// connected visits the sets of at least two operands, but those used, that hang together by variables,
// smaller ones first.
func (o *incidence) connected(used uint64, f func(set uint64) bool) bool {
	free := o.plain &^ used
	seen := map[uint64]bool{}
	var sets []uint64
	for k := range o.vars {
		if free>>k&1 != 0 && o.vars[k] != 0 {
			sets = append(sets, 1<<k)
		}
	}
	for i := 0; i < len(sets) && i < maxParts; i++ {
		set := sets[i]
		if bits.OnesCount64(set) > 1 && f(set) {
			return true
		}
		vars := uint64(0)
		for k, vs := range o.vars {
			if set>>k&1 != 0 {
				vars |= vs
			}
		}
		for k, vs := range o.vars {
			if more := set | 1<<k; free>>k&1 != 0 && vs&vars != 0 && more != set && !seen[more] && len(sets) < maxParts {
				seen[more] = true
				sets = append(sets, more)
			}
		}
	}
	return false
}

// einPart takes several operands of the contraction gl.n for the next operand of the pattern.
func (m *matcher) einPart(gl goal) bool {
	p, g := gl.p.args[gl.j], gl.p.in[gl.j]
	if p.kind != patVar {
		return false
	}
	known := m.values[p.slot]
	cut := len(g.letters) == 2 && g.letters[0] == g.letters[1] && g.batch < 0 && g.rest < 0
	o := (*incidence)(nil)
	if gl.hasParts(known, cut) {
		o = incidenceOf(gl.n)
	}
	if o == nil {
		return false
	}
	try := func(set uint64) bool {
		if cut {
			return m.cut(gl, o, set)
		}
		return m.part(gl, o, set)
	}
	if known != nil {
		return o.standing(known, gl.used, try)
	}
	rest := (uint64(1)<<len(o.vars) - 1) &^ gl.used
	last := gl.j == len(gl.p.args)-1 && bits.OnesCount64(rest) > 1 && rest&^o.plain == 0
	if !gl.root && gl.j == len(gl.p.args)-1 {
		return last && try(rest)
	}
	return o.connected(gl.used, try) || last && try(rest) // the rest may be an outer product
}

// hasParts reports whether several operands may stand for the next one of the pattern, which is known or nil; in a single
// operand, X is the transpose of X', and that is no part of it.
func (gl *goal) hasParts(known *combinators.Node, cut bool) bool {
	if known != nil {
		return known.Ein() != nil && len(known.Args()) > 0
	}
	return len(gl.n.Args()) > 1 && (len(gl.p.args) > 1 || cut || repeated(gl.p.out.letters))
}

// part takes the operands of a set, named by the letters in each order that fits.
func (m *matcher) part(gl goal, o *incidence, set uint64) bool {
	g := gl.p.in[gl.j]
	border, inside := o.part(set)
	goals, trail, guard := len(m.goals), len(m.trail), m.guard
	none := list{true, o.c, bits.TrailingZeros64(set), 0, 0}
	for _, s := range [2]int{g.batch, g.rest} {
		if s >= 0 && !m.lists[s].set && !m.bindList(s, none) {
			m.undo(goals, trail, guard)
			return false
		}
	}
	w := &naming{m: m, gl: gl, o: o, set: set, inside: inside, left: border}
	if w.list(g.batch) && w.name(0) {
		return true
	}
	m.undo(goals, trail, guard)
	return false
}

// naming gives the letters of a pattern's next operand to the border of a set of operands that is to stand for it.
type naming struct {
	m           *matcher
	gl          goal
	o           *incidence
	set, inside uint64
	axes        []int  // of the value, so far
	left        uint64 // the variables of the border without a letter
}

// list takes the axes that "..." or "~" stands for.
func (w *naming) list(slot int) bool {
	if slot < 0 {
		return true
	}
	l := w.m.lists[slot]
	for i := range l.n {
		v := l.at(i)
		if w.left>>v&1 == 0 {
			return false
		}
		w.left &^= 1 << v
		w.axes = append(w.axes, v)
	}
	return true
}

// name tries the variables for the letters from i on.
func (w *naming) name(i int) bool {
	m, g := w.m, w.gl.p.in[w.gl.j]
	if i == len(g.letters) {
		axes, left := w.axes, w.left
		value := func() *combinators.Node { return w.o.value(w.set, w.axes, -1) }
		if w.list(g.rest) && w.left == 0 && m.take(w.gl, w.gl.p.args[w.gl.j], w.set, w.inside, value) {
			return true
		}
		w.axes, w.left = axes, left
		return false
	}
	l := g.letters[i]
	for _, v := range w.o.ordered(w.set, w.left) {
		if m.letters[l] >= 0 && m.letters[l] != v {
			continue
		}
		goals, trail, guard := len(m.goals), len(m.trail), m.guard
		if m.letters[l] < 0 {
			m.letters[l] = v
			m.trail = append(m.trail, undo{'l', l})
		}
		w.axes, w.left = append(w.axes, v), w.left&^(1<<v)
		if w.name(i + 1) {
			return true
		}
		w.axes, w.left = w.axes[:len(w.axes)-1], w.left|1<<v
		m.undo(goals, trail, guard)
	}
	return false
}

// ordered are the variables of a set, those first that are a first axis.
func (o *incidence) ordered(set, vars uint64) []int {
	var first, last []int
	for vs := vars; vs != 0; vs &= vs - 1 {
		v, isFirst := bits.TrailingZeros64(vs), false
		for k, acc := range o.c.In {
			if set>>k&1 != 0 && len(acc.Index) > 0 {
				w, _ := acc.Index[0].Var()
				isFirst = isFirst || w == v
			}
		}
		if isFirst {
			first = append(first, v)
		} else {
			last = append(last, v)
		}
	}
	return append(first, last...)
}

// cut takes the operands of a set for a metavariable whose two axes the pattern makes one, as in a
// trace: a variable that stands twice in them becomes two axes.
func (m *matcher) cut(gl goal, o *incidence, set uint64) bool {
	p, l := gl.p.args[gl.j], gl.p.in[gl.j].letters[0]
	border, inside := o.part(set)
	from := border
	if border == 0 {
		from = inside
	}
	if bits.OnesCount64(border) > 1 {
		return false
	}
	for ; from != 0; from &= from - 1 {
		v := bits.TrailingZeros64(from)
		if o.times(set, v) != 2 || m.letters[l] >= 0 && m.letters[l] != v {
			continue
		}
		goals, trail, guard := len(m.goals), len(m.trail), m.guard
		if m.letters[l] < 0 {
			m.letters[l] = v
			m.trail = append(m.trail, undo{'l', l})
		}
		if m.take(gl, p, set, inside&^(1<<v), func() *combinators.Node { return o.value(set, []int{v, v}, v) }) {
			return true
		}
		m.undo(goals, trail, guard)
	}
	return false
}

// take binds the value of a set of operands, and goes on with the pattern's next operand.
func (m *matcher) take(gl goal, p *pattern, set, inside uint64, value func() *combinators.Node) bool {
	goals, trail, guard := len(m.goals), len(m.trail), m.guard
	next := -1
	if m.bindValue(p.slot, value()) {
		next = m.push(goal{p: gl.p, n: gl.n, next: gl.next, root: gl.root, j: gl.j + 1, used: gl.used | set, inside: gl.inside | inside, ref: gl.ref})
	}
	return m.try(goals, trail, guard, next)
}

// productPart takes several operands for the next factor of a product, a metavariable that stands for
// their product already.
func (m *matcher) productPart(gl goal) bool {
	p := gl.p.args[gl.j]
	known := m.values[p.slot]
	if gl.ref < 0 || known == nil || known.Ein() == nil || len(known.Args()) == 0 || known.Order() == 0 {
		return false
	}
	o := incidenceOf(gl.n)
	if o == nil || o.plain>>gl.ref&1 == 0 {
		return false
	}
	axes := make([]int, len(o.c.In[gl.ref].Index))
	for i, a := range o.c.In[gl.ref].Index {
		axes[i], _ = a.Var()
		if slices.Contains(axes[:i], axes[i]) {
			return false
		}
	}
	return o.standing(known, gl.used, func(set uint64) bool {
		border, inside := o.part(set)
		return border&^o.vars[gl.ref] == 0 && inside&o.vars[gl.ref] == 0 &&
			m.take(gl, p, set, inside, func() *combinators.Node { return o.value(set, axes, -1) })
	})
}
