// Package structured has linear maps as sums of products of their factors, which are applied, added,
// transposed and solved without their entries.
package structured

import (
	"math/big"
	"slices"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/rewrite/normal"
)

// Node is a value of package combinators.
type Node = combinators.Node

// Map is a linear map R[In] -o R[Out] given by its entries, a value of shape [Out.., In..]
// in normal form. Entries are a formula and no array: the map is applied, transposed,
// added, solved and looked into without ever multiplying them out. A Jacobian is a map,
// and so is a Hessian: from the directions of its argument to changes of the gradient.
type Map struct {
	Entries *Node
	Out, In []size.Size
}

// New makes a map of entries whose first out axes are the output's.
func New(entries *Node, out int) *Map {
	s := entries.Shape()
	return &Map{Entries: entries, Out: s[:out], In: s[out:]}
}

// Term is one summand of a map: Coef times the product of Factors on the entries where
// the axes of each of Deltas are equal, and 0 elsewhere. The factors are the compressed
// derivative of Laue et al., section 3.3.
type Term struct {
	Coef    *big.Rat
	Factors []Factor
	Deltas  [][]int // axes of the map that carry one index, where they are two or more
}

// Factor is a value along axes of the map, which are numbered from 0 over Out, then In.
// Where axes are equal by a delta, the first of them is named.
type Factor struct {
	Node *Node
	Axes []int
}

// product is one summand taken apart: a plain contraction and its operands.
type product struct {
	coef *big.Rat
	ops  []*Node
	in   [][]int
	out  []int
	dims []size.Size
}

// maxSummands bounds how many terms a map is opened into.
const maxSummands = 64

// products writes a value as a sum of products of values of lower order. Sums are opened,
// and products with an operand that is a sum of the order of the whole. ok is false where
// a part is a contraction with conditions, or there are too many terms.
func products(n *Node) (sum []*product, ok bool) {
	s := n.Store()
	type item struct {
		c    *einsum.Contraction
		args []*Node
	}
	all := einsum.UpTo(n.Order())
	stack := []item{{s.Plain([][]int{all}, all, n.Shape()), []*Node{n}}}
next:
	for len(stack) > 0 {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for k, a := range it.args {
			switch {
			case a.Ein() != nil && (a.Order() >= n.Order() || len(a.Args()) < 2):
				args := slices.Concat(it.args[:k], a.Args(), it.args[k+1:])
				stack = append(stack, item{s.Fuse(it.c, k, a.Ein()), args})
				continue next
			case a.Is(atom.Add) && a.Order() >= max(n.Order(), 1):
				if len(stack)+len(sum) >= maxSummands {
					return nil, false
				}
				for i := 1; i >= 0; i-- {
					args := slices.Clone(it.args)
					args[k] = a.Arg(i)
					stack = append(stack, item{it.c, args})
				}
				continue next
			}
		}
		in, out, plain := it.c.IsPlain()
		if !plain {
			return nil, false
		}
		p := &product{coef: big.NewRat(1, 1), out: out, dims: it.c.Vars}
		for k, a := range it.args {
			if a.Is(atom.Const) {
				p.coef = new(big.Rat).Mul(p.coef, a.Rat())
				continue
			}
			p.ops, p.in = append(p.ops, a), append(p.in, in[k])
		}
		// A variable that nothing uses is a number, its size.
		for v, d := range p.dims {
			used := slices.Contains(p.out, v)
			for _, g := range p.in {
				used = used || slices.Contains(g, v)
			}
			if !used {
				p.ops, p.in = append(p.ops, s.SizeOf(d)), append(p.in, nil)
			}
		}
		if p.coef.Sign() != 0 {
			sum = append(sum, p)
		}
	}
	return sum, true
}

// value is the contraction of the operands ks of p to the letters out.
func (p *product) value(s *combinators.Store, ks []int, out []int) *Node {
	var ops []*Node
	var groups [][]int
	for _, k := range ks {
		ops, groups = append(ops, p.ops[k]), append(groups, p.in[k])
	}
	in, to, dims := einsum.Restrict(groups, out, p.dims)
	return s.Contract(in, to, dims, ops...)
}

// groups collects the operands that share a letter that is no letter of the output.
// Operands of order 0 form a group of their own.
func (p *product) groups() [][]int {
	var groups [][]int
	owner := map[int]int{}
	merge := func(a, b int) {
		groups[a] = append(groups[a], groups[b]...)
		groups[b] = nil
		for v, o := range owner {
			if o == b {
				owner[v] = a
			}
		}
	}
	scalars := -1
	for k, g := range p.in {
		mine := len(groups)
		groups = append(groups, []int{k})
		if len(g) == 0 {
			if scalars >= 0 {
				merge(scalars, mine)
			} else {
				scalars = mine
			}
			continue
		}
		for _, v := range g {
			if slices.Contains(p.out, v) {
				continue
			}
			if o, ok := owner[v]; ok && o != mine {
				merge(mine, o)
			}
			owner[v] = mine
		}
	}
	groups = slices.DeleteFunc(groups, func(g []int) bool { return len(g) == 0 })
	for _, g := range groups {
		slices.Sort(g)
	}
	slices.SortFunc(groups, func(a, b []int) int { return a[0] - b[0] })
	return groups
}

// lettersOf lists the output letters that the operands ks carry, in the output's order.
func (p *product) lettersOf(ks []int) []int {
	var out []int
	for _, v := range p.out {
		if slices.Contains(out, v) {
			continue
		}
		for _, k := range ks {
			if slices.Contains(p.in[k], v) {
				out = append(out, v)
				break
			}
		}
	}
	return out
}

// Terms gives the summands of the map, each with its factors and equalities. Maps that do
// not come apart have one term with one factor, the entries.
func (m *Map) Terms() []Term {
	s := m.Entries.Store()
	sum, ok := products(m.Entries)
	if !ok {
		return []Term{{Coef: big.NewRat(1, 1), Factors: []Factor{{m.Entries, einsum.UpTo(m.Entries.Order())}}}}
	}
	var terms []Term
	for _, p := range sum {
		t := Term{Coef: p.coef}
		for _, g := range p.groups() {
			letters := p.lettersOf(g)
			f := Factor{Node: p.value(s, g, letters)}
			for _, v := range letters {
				f.Axes = append(f.Axes, slices.Index(p.out, v))
			}
			t.Factors = append(t.Factors, f)
		}
		seen := map[int]bool{}
		for _, v := range p.out {
			var axes []int
			for a, w := range p.out {
				if w == v {
					axes = append(axes, a)
				}
			}
			if len(axes) > 1 && !seen[v] {
				t.Deltas = append(t.Deltas, axes)
			}
			seen[v] = true
		}
		terms = append(terms, t)
	}
	return terms
}

// each applies f to every summand and adds the results, simplified. zero is the value
// where there are none, whole what to do with a map that does not come apart.
func (m *Map) each(f func(p *product) *Node, whole func() *Node, zero []size.Size) *Node {
	sum, ok := products(m.Entries)
	if !ok {
		return normal.Simplify(whole())[0]
	}
	parts := []*Node{}
	parts = lists.Append(parts, sum, f)
	if len(parts) == 0 {
		parts = append(parts, m.Entries.Store().Zero(zero))
	}
	return normal.Simplify(adjoint.Total(m.Entries.Store(), parts...))[0]
}

// with is the term with the further operands ops at the letters in, to the letters out.
func (p *product) with(s *combinators.Store, ops []*Node, in [][]int, out []int) *Node {
	q := *p
	q.ops, q.in = slices.Concat(p.ops, ops), slices.Concat(p.in, in)
	if p.coef.Cmp(big.NewRat(1, 1)) != 0 {
		q.ops, q.in = append(q.ops, s.Const(p.coef)), append(q.in, nil)
	}
	return q.value(s, einsum.UpTo(len(q.ops)), out)
}

// Apply is the map at v, of shape [In.., batch..]; the result has shape [Out.., batch..].
// Each term is contracted with v at once: nothing of the size of the map is formed.
func (m *Map) Apply(v *Node) *Node {
	s := m.Entries.Store()
	extra := v.Shape()[len(m.In):]
	k := len(m.Out)
	return m.each(func(p *product) *Node {
		q := *p
		q.dims = slices.Concat(p.dims, extra)
		batch := lists.Make(len(extra), func(i int) int { return len(p.dims) + i })
		return q.with(s, []*Node{v}, [][]int{slices.Concat(p.out[k:], batch)}, slices.Concat(p.out[:k], batch))
	}, func() *Node {
		a, n := einsum.UpTo(m.Entries.Order()+len(extra)), m.Entries.Order()
		return s.Contract([][]int{a[:n], a[k:]}, slices.Concat(a[:k], a[n:]), slices.Concat(m.Entries.Shape(), extra), m.Entries, v)
	}, slices.Concat(m.Out, extra))
}

// Transpose is the adjoint map R[Out] -o R[In].
func (m *Map) Transpose() *Map {
	return &Map{Entries: normal.Simplify(Rotate(m.Entries, len(m.Out)))[0], Out: m.In, In: m.Out}
}

// Add is the sum of two maps between the same spaces.
func (m *Map) Add(o *Map) *Map {
	return &Map{Entries: normal.Simplify(m.Entries.Store().Add(m.Entries, o.Entries))[0], Out: m.Out, In: m.In}
}

// Diagonal has the entries whose output and input indices are equal, of a map from a
// space to itself. Nothing of the size of the map is formed.
func (m *Map) Diagonal() *Node {
	s := m.Entries.Store()
	k := len(m.Out)
	return m.each(func(p *product) *Node {
		// Identify the letters of axis a of the output and of the input.
		q := *p
		q.in = slices.Clone(p.in)
		out := slices.Clone(p.out)
		for a := range k {
			from, to := out[k+a], out[a]
			if from == to {
				continue
			}
			sub := func(g []int) []int {
				g = slices.Clone(g)
				for i, v := range g {
					if v == from {
						g[i] = to
					}
				}
				return g
			}
			for i, g := range q.in {
				q.in[i] = sub(g)
			}
			out = sub(out)
		}
		return q.with(s, nil, nil, out[:k])
	}, func() *Node {
		a := einsum.UpTo(k)
		return s.Contract([][]int{slices.Concat(a, a)}, a, m.Out, m.Entries)
	}, m.Out)
}

// Rotate moves the first k axes of a behind the others.
func Rotate(a *Node, k int) *Node {
	n := a.Order()
	if k == 0 || k == n {
		return a
	}
	in, out := make([]int, n), make([]int, 0, n)
	for i := range in {
		in[i] = i
	}
	out = append(append(out, in[k:]...), in[:k]...)
	return a.Store().Contract([][]int{in}, out, a.Shape(), a)
}
