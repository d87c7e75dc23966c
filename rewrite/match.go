package rewrite

import (
	"math/big"
	"math/bits"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/rewrite/assumptions"
)

// A matcher holds the state of matching one pattern. Goals form a list that is never changed, so
// a choice is taken back by forgetting the goals pushed and the bindings made since.
type matcher struct {
	rule    *rule
	facts   *assumptions.Facts
	values  []*combinators.Node
	numbers []*big.Rat
	sizes   []size.Size
	sizeSet []bool
	spaces  [][]size.Size
	letters []int // the variable that a letter names, or -1
	lists   []list
	goals   []goal
	trail   []undo
	guard   combinators.Guard // of the nodes matched
	term    *combinators.Node // in which they stand
	found   func() bool       // told of each match, where it is not nil; the search goes on where it is false

	// What a sum, product or contraction at the root has matched: its operands, and the access to
	// what replaces them.
	used   uint64
	access einsum.Access
	root   bool

	addends []*combinators.Node // of the sum at the root

	swapped [2]int // letters of an operand that is matched transposed
}

// goal asks that p matches n. A product or contraction is matched factor by factor: j factors are
// done, used are the operands they took, ref is one of their operands that is no scalar, or -1.
type goal struct {
	p    *pattern
	n    *combinators.Node
	next int
	root bool
	j    int
	used uint64
	ref  int

	transpose bool   // p matches the transpose of n, a matrix
	inside    uint64 // the variables inside of the parts that metavariables stand for
}

// list is what "..." or "~" stands for: n axes of an operand from axis from on.
type list struct {
	set     bool
	c       *einsum.Contraction
	op      int
	from, n int
}

func (l list) at(i int) int { v, _ := l.c.In[l.op].Index[l.from+i].Var(); return v }

type undo struct {
	what byte // v n s p l b: value, number, size, space, letter, list
	slot int
}

// reset prepares m for a rule.
func (m *matcher) reset(r *rule) {
	m.rule = r
	m.values = fill(m.values, r.values, nil)
	m.numbers = fill(m.numbers, r.numbers, nil)
	m.sizes = fill(m.sizes, len(r.sizeNames), size.Size{})
	m.sizeSet = fill(m.sizeSet, len(r.sizeNames), false)
	m.spaces = fill(m.spaces, r.spaces, nil)
	m.letters = fill(m.letters, r.letters, -1)
	m.lists = fill(m.lists, r.lists, list{})
	m.goals, m.trail = m.goals[:0], m.trail[:0]
	m.guard, m.used, m.root, m.addends = combinators.GuardNone, 0, false, nil
}

func fill[T any](s []T, n int, v T) []T {
	s = slices.Grow(s[:0], n)[:n]
	for i := range s {
		s[i] = v
	}
	return s
}

// match reports whether the rule's left side matches n, and leaves the bindings in m.
func (m *matcher) match(r *rule, n *combinators.Node) bool {
	m.reset(r)
	m.term = n
	return m.solve(m.push(goal{p: r.left, n: n, next: -1, root: true, ref: -1}))
}

func (m *matcher) push(g goal) int {
	m.goals = append(m.goals, g)
	return len(m.goals) - 1
}

func (m *matcher) undo(goals, trail int, guard combinators.Guard) {
	for i := len(m.trail) - 1; i >= trail; i-- {
		s := m.trail[i].slot
		switch m.trail[i].what {
		case 'v':
			m.values[s] = nil
		case 'n':
			m.numbers[s] = nil
		case 's':
			m.sizeSet[s] = false
		case 'p':
			m.spaces[s] = nil
		case 'l':
			m.letters[s] = -1
		case 'b':
			m.lists[s] = list{}
		}
	}
	m.goals, m.trail, m.guard = m.goals[:goals], m.trail[:trail], guard
}

// try solves g and takes everything back where that fails.
func (m *matcher) try(goals, trail int, guard combinators.Guard, g int) bool {
	if g >= 0 && m.solve(g) {
		return true
	}
	m.undo(goals, trail, guard)
	return false
}

// solve works off the goals from g on, then the rule's conditions. Its depth is that of the
// pattern.
// It stays one switch: a case for each kind of pattern.
func (m *matcher) solve(g int) bool {
	for g >= 0 {
		gl := m.goals[g]
		n := gl.n
		switch gl.p.kind {
		case patVar:
			if gl.transpose {
				n = n.Store().Einsum("ij->ji", n)
			}
			if !m.bindValue(gl.p.slot, n) {
				return false
			}
			g = gl.next
		case patScalar:
			if x := repeatedScalar(n); x != nil {
				n = x
			}
			if !m.bindValue(gl.p.slot, n) {
				return false
			}
			g = gl.next
		case patNumber, patConst:
			if !m.number(gl.p, n) {
				return false
			}
			g = gl.next
		case patEye:
			if !m.eye(gl.p, n) {
				return false
			}
			g = gl.next
		case patCall:
			if !m.calls(gl.p, n) {
				return false
			}
			if len(n.Args()) == 2 && gl.p.atom.Commutes {
				goals, trail, guard := len(m.goals), len(m.trail), m.guard
				if m.try(goals, trail, guard, m.operands(gl, 0)) {
					return true
				}
				g = m.operands(gl, 1)
				continue
			}
			g = m.operands(gl, 0)
		case patSum:
			return m.sum(gl)
		case patProduct:
			return m.product(gl)
		case patBlocks:
			return m.blocks(gl)
		case patEin:
			return !gl.p.affine && m.ein(gl)
		}
	}
	return m.rule.holds(m) && (m.found == nil || m.found())
}

// number reports whether n is the number that p says, or one that it may stand for.
func (m *matcher) number(p *pattern, n *combinators.Node) bool {
	r, ok := n.Filled()
	if p.kind == patConst {
		return ok && r.Cmp(p.rat) == 0
	}
	return ok && m.bindNumber(p.slot, r)
}

// eye reports whether n is the identity of the sizes of p.
func (m *matcher) eye(p *pattern, n *combinators.Node) bool {
	sh, k := n.Shape(), len(p.dims)
	return len(sh) == 2*k && n.Ein() != nil && len(n.Args()) == 0 && n == n.Store().Eye(sh[:k]) && m.bindDims(p.dims, sh[:k])
}

// calls reports whether n is a call of the function of p, with its attribute and sizes, and notes its guard.
func (m *matcher) calls(p *pattern, n *combinators.Node) bool {
	if n.Atom() != p.atom || p.attr != nil && !m.bindAttr(p, n) || !m.bindDims(p.dims, n.Sizes()) {
		return false
	}
	if p.attr == nil && p.atom.Signature() != nil && n.Attr() > 0 {
		return false // a linear function repeated along axes in front
	}
	m.guard = max(m.guard, n.Guard())
	return true
}

// operands pushes the goals for the arguments of a call, of two exchanged ones where swap is 1.
func (m *matcher) operands(gl goal, swap int) int {
	g := gl.next
	for k := len(gl.p.args) - 1; k >= 0; k-- {
		g = m.push(goal{p: gl.p.args[k], n: gl.n.Arg(k ^ swap), next: g, ref: -1})
	}
	return g
}

// repeatedScalar is the scalar of which n is a tensor, nil where it is none.
func repeatedScalar(n *combinators.Node) *combinators.Node {
	c := n.Ein()
	if c == nil || n.Order() == 0 || len(n.Args()) != 1 || n.Arg(0).Order() > 0 || len(c.Vars) != n.Order() || !c.Out.Distinct() || len(c.Eq)+len(c.Ge) > 0 {
		return nil
	}
	return n.Arg(0)
}

var one = big.NewRat(1, 1)

func (m *matcher) bindValue(slot int, n *combinators.Node) bool {
	if m.values[slot] != nil {
		return m.values[slot] == n
	}
	m.values[slot] = n
	m.trail = append(m.trail, undo{'v', slot})
	return m.rule.types[slot].fits(m, n.Shape())
}

func (m *matcher) bindNumber(slot int, r *big.Rat) bool {
	if m.numbers[slot] != nil {
		return m.numbers[slot].Cmp(r) == 0
	}
	if m.rule.whole[slot] && !r.IsInt() {
		return false
	}
	m.numbers[slot] = r
	m.trail = append(m.trail, undo{'n', slot})
	return !slices.ContainsFunc(m.rule.early[slot], func(c condition) bool { return !c(m) })
}

// bindAttr binds the metavariable that stands for the attribute of n: attributes that are no
// metavariable were given one, and a condition.
func (m *matcher) bindAttr(p *pattern, n *combinators.Node) bool {
	if r := n.Rat(); r != nil {
		return m.bindNumber(p.slot, r)
	}
	if k := n.Attr(); k >= 0 && k < len(smallNumbers) {
		return m.bindNumber(p.slot, smallNumbers[k])
	}
	return m.bindNumber(p.slot, big.NewRat(int64(n.Attr()), 1))
}

var smallNumbers = func() (out [17]*big.Rat) {
	for i := range out {
		out[i] = big.NewRat(int64(i), 1)
	}
	return out
}()

// could says that p is not certain to fail on n.
func could(p *pattern, n *combinators.Node) bool {
	switch p.kind {
	case patCall:
		return n.Atom() == p.atom
	case patProduct:
		return n.Ein() != nil && (!p.closed || len(n.Args()) == len(p.args))
	case patEin:
		return n.Ein() != nil && !p.affine
	case patSum, patBlocks:
		return n.Is(atom.Add)
	case patEye:
		return n.Ein() != nil && len(n.Args()) == 0
	case patConst, patNumber:
		_, ok := n.Filled()
		return ok
	}
	return true
}

// product takes an operand of the contraction gl.n for the next factor. The factors meet entry by
// entry: their operands have one access, or are scalars. At the root other operands may remain;
// below it all must be taken, or the last metavariable stands for the product of the rest.
func (m *matcher) product(gl goal) bool {
	c, args := gl.n.Ein(), gl.n.Args()
	if c == nil || len(args) > 64 {
		return false
	}
	left := len(args) - bits.OnesCount64(gl.used)
	if gl.j == len(gl.p.args) {
		if gl.root {
			m.used, m.access, m.root = gl.used, einsum.Access{}, true
			if gl.ref >= 0 {
				m.access = c.In[gl.ref]
			}
			return m.solve(gl.next)
		}
		return left == 0 && m.wholeOut(c, gl.ref, gl.inside) && m.solve(gl.next)
	}
	p := gl.p.args[gl.j]
	goals, trail, guard := len(m.goals), len(m.trail), m.guard
	if !gl.root && gl.j == len(gl.p.args)-1 && p.kind == patVar {
		if left == 0 {
			return false
		}
		return m.try(goals, trail, guard, m.push(goal{p: p, n: rest(gl.n, gl.used), next: gl.next, ref: -1}))
	}
	for k, a := range args {
		if gl.used>>k&1 != 0 || !could(p, a) {
			continue
		}
		ref, ok := gl.meeting(k)
		if !ok {
			continue
		}
		next := m.push(goal{p: gl.p, n: gl.n, next: gl.next, root: gl.root, j: gl.j + 1, used: gl.used | 1<<k, inside: gl.inside, ref: ref})
		if m.try(goals, trail, guard, m.push(goal{p: p, n: a, next: next, ref: -1})) {
			return true
		}
	}
	return p.kind == patVar && m.productPart(gl)
}

// meeting reports whether operand k of a product meets those that were taken entry by entry, and gives one of these that
// is no scalar, or -1.
func (gl *goal) meeting(k int) (ref int, ok bool) {
	c := gl.n.Ein()
	switch {
	case gl.n.Arg(k).Order() == 0:
		return gl.ref, true
	case gl.ref >= 0:
		return gl.ref, sameAccess(c.In[gl.ref], c.In[k])
	}
	return k, gl.root || sameAccess(c.In[k], c.Out)
}

// wholeOut: the contraction is the entry by entry product of its operands, nothing summed nor repeated;
// without one of some order, ref, a product of scalars. Variables inside of parts do not count.
func (m *matcher) wholeOut(c *einsum.Contraction, ref int, inside uint64) bool {
	if ref < 0 {
		return len(c.Vars) == 0 && len(c.Out.Index) == 0
	}
	return sameAccess(c.In[ref], c.Out) && len(c.Vars) == len(c.Out.Index)+bits.OnesCount64(inside) && c.Out.Distinct() && len(c.Eq)+len(c.Ge) == 0
}

func sameAccess(a, b einsum.Access) bool {
	return slices.Equal(a.Shape, b.Shape) && slices.EqualFunc(a.Index, b.Index, func(x, y einsum.Affine) bool {
		return x.Off == y.Off && slices.Equal(x.Terms, y.Terms)
	})
}

// rest is the contraction n without the operands used.
func rest(n *combinators.Node, used uint64) *combinators.Node {
	in, args := unused(n, used)
	c := n.Ein()
	return mustEin(n.Store(), c, in, c.Out, args)
}

// unused lists the operands that are not used, with their accesses.
func unused(n *combinators.Node, used uint64) (in []einsum.Access, args []*combinators.Node) {
	for k, a := range n.Args() {
		if used>>k&1 == 0 {
			in, args = append(in, n.Ein().In[k]), append(args, a)
		}
	}
	return in, args
}

// mustEin is the contraction under the conditions of c with other accesses, which were those of
// c. Variables of c that no longer stand anywhere were summed inside what has been replaced: they
// go. (A variable that stood nowhere in c stays: it multiplies by its size.)
func mustEin(s *combinators.Store, c *einsum.Contraction, in []einsum.Access, out einsum.Access, args []*combinators.Node) *combinators.Node {
	to, kept := make([]int, len(c.Vars)), 0
	var vars []size.Size
	for v, d := range c.Vars {
		if !stands(v, in, out, c) && stands(v, c.In, c.Out, c) {
			continue
		}
		to[v] = kept
		kept++
		vars = append(vars, d)
	}
	eq, ge := c.Eq, c.Ge
	if kept < len(c.Vars) {
		rename := func(as []einsum.Affine) []einsum.Affine {
			out := make([]einsum.Affine, len(as))
			for i, a := range as {
				out[i].Off = a.Off
				for _, t := range a.Terms {
					out[i].Terms = append(out[i].Terms, einsum.Term{Var: to[t.Var], Coef: t.Coef})
				}
			}
			return out
		}
		ins := lists.Map(in, func(acc einsum.Access) einsum.Access {
			return einsum.Access{Shape: acc.Shape, Index: rename(acc.Index)}
		})
		in, out = ins, einsum.Access{Shape: out.Shape, Index: rename(out.Index)}
		eq, ge = rename(eq), rename(ge)
	}
	d, err := einsum.New(vars, in, out, eq, ge)
	if err != nil {
		panic(err) // the accesses are over the variables kept
	}
	return s.Ein(d, args...)
}

// stands reports whether v occurs in the accesses or in the conditions of c.
func stands(v int, in []einsum.Access, out einsum.Access, c *einsum.Contraction) bool {
	holds := func(as []einsum.Affine) bool {
		return slices.ContainsFunc(as, func(a einsum.Affine) bool { return a.Coef(v) != 0 })
	}
	return holds(out.Index) || holds(c.Eq) || holds(c.Ge) ||
		slices.ContainsFunc(in, func(acc einsum.Access) bool { return holds(acc.Index) })
}
