package rewrite

import (
	"math/bits"
	"slices"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
)

// ein takes an operand of the contraction gl.n for the next operand of the pattern. The pattern's
// letters name variables of the contraction; those that the pattern sums over must occur nowhere
// else in it. At the root other operands may remain; below it the whole contraction must match.
func (m *matcher) ein(gl goal) bool {
	if gl.j == 0 && !gl.root && len(gl.p.args) == 1 {
		gl.n = gl.p.diagonal(gl.n)
	}
	c, args := gl.n.Ein(), gl.n.Args()
	if c == nil || len(args) > 64 {
		return false
	}
	if gl.j == len(gl.p.args) {
		return m.einDone(gl, c, len(args)) && m.solve(gl.next)
	}
	p := gl.p.args[gl.j]
	goals, trail, guard := len(m.goals), len(m.trail), m.guard
	for k, a := range args {
		if gl.used>>k&1 != 0 || !could(p, a) {
			continue
		}
		next := -1
		if m.letter(gl.p.in[gl.j], c, k) {
			next = m.push(goal{p: gl.p, n: gl.n, next: gl.next, root: gl.root, j: gl.j + 1, used: gl.used | 1<<k, inside: gl.inside})
			next = m.push(goal{p: p, n: a, next: next, ref: -1})
		}
		if m.try(goals, trail, guard, next) || m.transposed(gl, c, k) {
			return true
		}
	}
	return m.einPart(gl)
}

// diagonal writes a multiple of the identity for the pattern of a diagonal, c(x) with a letter twice in the
// result: as the diagonal with that multiple of ones.
func (p *pattern) diagonal(n *combinators.Node) *combinators.Node {
	c := n.Ein()
	if c == nil || p.args[0].kind != patVar || !repeated(p.out.letters) {
		return n
	}
	in, out, ok := c.IsPlain()
	if !ok {
		return n
	}
	var free []int
	var dims []size.Size
	for v := range c.Vars {
		if slices.Index(out, v) < lastIndex(out, v) && !slices.ContainsFunc(in, func(g []int) bool { return slices.Contains(g, v) }) {
			free, dims = append(free, v), append(dims, c.Vars[v])
		}
	}
	if len(free) == 0 {
		return n
	}
	s := n.Store()
	return s.Contract(append(slices.Clone(in), free), out, c.Vars, append(slices.Clone(n.Args()), s.Ones(dims))...)
}

// repeated reports whether a letter stands twice in g.
func repeated(g []int) bool {
	return slices.ContainsFunc(g, func(l int) bool { return slices.Index(g, l) < lastIndex(g, l) })
}

func lastIndex(g []int, l int) int {
	for i := len(g) - 1; i >= 0; i-- {
		if g[i] == l {
			return i
		}
	}
	return -1
}

// transposed takes the transpose of operand k for the next operand of the pattern, a metavariable that
// stands for nothing yet: a normal form has no transposes, it reads the axes of operands in any order.
func (m *matcher) transposed(gl goal, c *einsum.Contraction, k int) bool {
	p, g, a := gl.p.args[gl.j], gl.p.in[gl.j], gl.n.Arg(k)
	if p.kind != patVar || m.values[p.slot] != nil || a.Order() != 2 || len(g.letters) != 2 || g.letters[0] == g.letters[1] {
		return false
	}
	goals, trail, guard := len(m.goals), len(m.trail), m.guard
	m.swapped = [2]int{g.letters[1], g.letters[0]}
	g.letters = m.swapped[:]
	next := -1
	if m.letter(g, c, k) {
		// The transpose is built when the pattern's other operands have matched.
		next = m.push(goal{p: p, n: a, transpose: true, next: gl.next, ref: -1})
		next = m.push(goal{p: gl.p, n: gl.n, next: next, root: gl.root, j: gl.j + 1, used: gl.used | 1<<k, inside: gl.inside})
	}
	return m.try(goals, trail, guard, next)
}

// letter names the axes of operand k by the letters of g: each axis is one variable over the whole
// of it.
func (m *matcher) letter(g axes, c *einsum.Contraction, k int) bool {
	acc := c.In[k]
	for i, a := range acc.Index {
		if v, ok := a.Var(); !ok || c.Vars[v] != acc.Shape[i] {
			return false
		}
	}
	free := len(acc.Index) - len(g.letters)
	nb, nr := 0, 0
	switch {
	case free < 0:
		return false
	case g.batch >= 0 && g.rest >= 0:
		if m.lists[g.batch].set {
			nb = m.lists[g.batch].n
		} else if m.lists[g.rest].set {
			nb = free - m.lists[g.rest].n
		} else {
			nb = free // nothing else says how many: all are leading
		}
		nr = free - nb
	case g.batch >= 0:
		nb = free
	case g.rest >= 0:
		nr = free
	case free > 0:
		return false
	}
	if nb < 0 || nr < 0 || !m.bindList(g.batch, list{true, c, k, 0, nb}) ||
		!m.bindList(g.rest, list{true, c, k, len(acc.Index) - nr, nr}) {
		return false
	}
	for i, l := range g.letters {
		v, _ := acc.Index[nb+i].Var()
		switch m.letters[l] {
		case v:
		case -1:
			m.letters[l] = v
			m.trail = append(m.trail, undo{'l', l})
		default:
			return false
		}
	}
	return true
}

func (m *matcher) bindList(slot int, l list) bool {
	if slot < 0 {
		return true
	}
	old := m.lists[slot]
	if !old.set {
		m.lists[slot] = l
		m.trail = append(m.trail, undo{'b', slot})
		return true
	}
	if old.n != l.n {
		return false
	}
	for i := range l.n {
		if old.at(i) != l.at(i) {
			return false
		}
	}
	return true
}

// count is how often the axes g name variable v.
func (m *matcher) count(g axes, v int) int {
	n := 0
	for _, l := range g.letters {
		if m.letters[l] == v {
			n++
		}
	}
	for _, s := range [2]int{g.batch, g.rest} {
		if s >= 0 {
			for i := range m.lists[s].n {
				if m.lists[s].at(i) == v {
					n++
				}
			}
		}
	}
	return n
}

// einDone checks what only the whole pattern can tell.
func (m *matcher) einDone(gl goal, c *einsum.Contraction, operands int) bool {
	all := bits.OnesCount64(gl.used) == operands
	if !gl.root && (!all || len(c.Eq)+len(c.Ge) > 0) {
		return false
	}
	for v := range c.Vars {
		in := 0
		for _, g := range gl.p.in {
			in += m.count(g, v)
		}
		switch {
		case in == 0 && !gl.root && (v >= 64 || gl.inside>>v&1 == 0):
			return false // a variable that the pattern does not know
		case in == 0:
		case m.names(gl.p, v) > 1 && (!gl.root || m.count(gl.p.out, v) < m.names(gl.p, v)):
			return false // two letters for one variable, one of them summed
		case m.count(gl.p.out, v) == 0 && occurs(c, v, gl.used):
			return false // summed by the pattern, yet used elsewhere
		}
	}
	if !gl.root {
		return m.outIs(gl.p.out, c)
	}
	m.used, m.root = gl.used, true
	m.access = m.outAccess(gl.p.out, c)
	return true
}

// names is the number of different letters of p that name v.
func (m *matcher) names(p *pattern, v int) int {
	n := 0
	for i, g := range p.in {
		for j, l := range g.letters {
			if m.letters[l] == v && !seenBefore(p.in, i, j, l) {
				n++
			}
		}
		for _, s := range [2]int{g.batch, g.rest} {
			first := s >= 0
			for _, h := range p.in[:i] {
				first = first && h.batch != s && h.rest != s
			}
			if first {
				n += m.count(axes{batch: s, rest: -1}, v)
			}
		}
	}
	return n
}

func seenBefore(in []axes, i, j, l int) bool {
	for a := range i + 1 {
		for b, k := range in[a].letters {
			if k == l && (a < i || b < j) {
				return true
			}
		}
	}
	return false
}

// occurs reports whether v stands in the output, the conditions or an operand that is not used.
func occurs(c *einsum.Contraction, v int, used uint64) bool {
	in := func(as []einsum.Affine) bool {
		return slices.ContainsFunc(as, func(a einsum.Affine) bool { return a.Coef(v) != 0 })
	}
	if in(c.Out.Index) || in(c.Eq) || in(c.Ge) {
		return true
	}
	for k := range c.In {
		if used>>k&1 == 0 && in(c.In[k].Index) {
			return true
		}
	}
	return false
}

// eachOut visits the variables that the axes g name, in order, until f fails.
func (m *matcher) eachOut(g axes, f func(i, v int) bool) (n int, ok bool) {
	visit := func(s int) bool {
		if s < 0 {
			return true
		}
		for i := range m.lists[s].n {
			if !f(n, m.lists[s].at(i)) {
				return false
			}
			n++
		}
		return true
	}
	if !visit(g.batch) {
		return n, false
	}
	for _, l := range g.letters {
		if !f(n, m.letters[l]) {
			return n, false
		}
		n++
	}
	return n, visit(g.rest)
}

func (m *matcher) outIs(g axes, c *einsum.Contraction) bool {
	n, ok := m.eachOut(g, func(i, v int) bool {
		if i >= len(c.Out.Index) {
			return false
		}
		w, ok := c.Out.Index[i].Var()
		return ok && v == w && c.Vars[v] == c.Out.Shape[i]
	})
	return ok && n == len(c.Out.Index)
}

func (m *matcher) outAccess(g axes, c *einsum.Contraction) (acc einsum.Access) {
	m.eachOut(g, func(_, v int) bool {
		acc.Shape = append(acc.Shape, c.Vars[v])
		acc.Index = append(acc.Index, einsum.Variable(v))
		return true
	})
	return acc
}

// shape is that of what the root pattern matched in n.
func (m *matcher) shape(n *combinators.Node) []size.Size {
	if m.root && m.addends == nil {
		return m.access.Shape
	}
	return n.Shape()
}

// replace puts v in the place of what the root pattern matched in n. v has the shape of the left
// side, or is a number for each of its entries.
func (m *matcher) replace(n, v *combinators.Node) *combinators.Node {
	shape := m.shape(n)
	if v.Order() == 0 && len(shape) > 0 {
		v = n.Store().Broadcast(v, shape)
	}
	if !m.root || !slices.Equal(v.Shape(), shape) {
		return v
	}
	if m.addends != nil {
		if left := sumOf(m.addends, m.used); left != nil {
			v = n.Store().Add(left, v)
		}
		return v
	}
	in, args := unused(n, m.used)
	c := n.Ein()
	return mustEin(n.Store(), c, append(in, m.access), c.Out, append(args, v))
}
