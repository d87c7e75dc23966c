package proof

import (
	"math/big"
	"slices"

	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// A view is a monomial whose result has distinct plain axes; vary says along which it varies.
type view struct {
	monomial
	in   [][]int
	out  []int
	vary []bool
}

// view is operand k of n as a monomial, or as an atom where it is none.
func (z *algebra) view(n *Node, k int) view {
	f := z.forms[n.Arg(k)].terms
	if len(f) == 0 {
		sh := n.Shape()
		f = []monomial{{new(big.Rat), einsum.Plain(nil, einsum.UpTo(len(sh)), sh), nil, nil}}
	}
	v := view{}
	if len(f) == 1 {
		v.monomial = f[0]
		in, out, ok := v.c.IsPlain()
		v.in, v.out = in, out
		switch {
		case !ok || !einsum.Distinct(out):
			f = nil
		case len(v.args) == 0 && len(out) != len(v.c.Vars):
			v.monomial = z.points(v.monomial, out)
			v.in, v.out, _ = v.c.IsPlain()
		}
	}
	if len(f) != 1 {
		v.monomial = z.atom(z.operand(n, k))[0]
		v.in, v.out, _ = v.c.IsPlain()
	}
	for _, w := range v.out {
		v.vary = append(v.vary, slices.ContainsFunc(v.in, func(g []int) bool { return slices.Contains(g, w) }))
	}
	return v
}

// points is a monomial without operands that sums over variables of sizes that are not known, as a
// number of points in each entry: a scalar operand, which is not the number 1.
func (z *algebra) points(m monomial, out []int) monomial {
	var summed, dims []size.Size
	for v, d := range m.c.Vars {
		if !slices.Contains(out, v) {
			summed = append(summed, d)
		}
	}
	dims = lists.Append(dims, out, func(v int) size.Size { return m.c.Vars[v] })
	n := z.s.Ein(einsum.Plain(nil, nil, summed))
	return monomial{m.coef, einsum.Plain([][]int{{}}, einsum.UpTo(len(out)), dims), []*Node{n}, m.pays}
}

// picked is f(M x, ..) as M f(x, ..), where M picks entries: axes along which no operand varies, and
// a map that all operands have.
func (z *algebra) picked(n *Node) []monomial {
	views := make([]view, len(n.Args()))
	vary := make([]bool, n.Order())
	for k := range views {
		views[k] = z.view(n, k)
		for i, v := range views[k].vary {
			vary[i] = vary[i] || v
		}
	}
	// repeated spreads the axes that vary over those of n
	axes, dims := []int{}, []size.Size{}
	for i, v := range vary {
		if v {
			axes, dims = append(axes, i), append(dims, n.Shape()[i])
		}
	}
	repeated := einsum.Plain([][]int{axes}, einsum.UpTo(n.Order()), n.Shape())
	for k := range views {
		views[k] = views[k].restricted(axes)
	}
	m := sharedMap(views)
	if m == nil {
		return z.transposed(n, views, repeated, dims)
	}
	inner, all := m.args[0].Shape(), einsum.UpTo(m.args[0].Order())
	args := make([]*Node, len(views))
	for k, v := range views {
		if v.uniform() {
			args[k] = z.node([]monomial{v.over(inner)}, inner)
		} else {
			args[k] = z.node([]monomial{{v.coef, einsum.Plain([][]int{all}, all, inner), v.args, nil}}, inner)
		}
	}
	return atomAlong(repeated.Fuse(0, m.c).Solve(), z.applied(n, args))
}

// sharedMap is the view whose index map all views have that are no numbers, each of one tensor; nil where
// there is none.
func sharedMap(views []view) (m *view) {
	for k := range views {
		v := &views[k]
		switch {
		case v.uniform():
			continue
		case len(v.args) > 1 || len(v.out) != len(v.c.Vars) || len(views) > 1 && !einsum.Distinct(v.in[0]),
			m != nil && (!slices.Equal(m.in[0], v.in[0]) || !slices.Equal(m.out, v.out)):
			return nil
		}
		m = v
	}
	return m
}

// transposed takes a transpose out of n that all operands have: the axes are put into the order of the first
// one. Which one is first says nothing where they may be exchanged; then that of each is tried, for the node
// that is oldest. What is symmetric has its axes in both orders.
func (z *algebra) transposed(n *Node, views []view, repeated *einsum.Contraction, dims []size.Size) []monomial {
	var best *Node
	c := repeated
	for _, v := range views {
		if v.uniform() || best != nil && !n.Atom().Commutes || z.theory.symmetric && z.isSymmetric(z.s.Ein(v.c, v.args...)) {
			continue
		}
		order := z.order(v)
		if f := z.along(n, views, order); best == nil || f.ID() < best.ID() {
			back, shape := make([]int, len(order)), make([]size.Size, len(order))
			for i, k := range order {
				back[k], shape[i] = i, dims[k]
			}
			best, c = f, repeated.Fuse(0, einsum.Plain([][]int{einsum.UpTo(len(order))}, back, shape)).Solve()
		}
	}
	if best == nil {
		best = z.along(n, views, einsum.UpTo(len(dims)))
	}
	return atomAlong(c, best)
}

// along is n on views along axes, in their order.
func (z *algebra) along(n *Node, views []view, axes []int) *Node {
	args := make([]*Node, len(views))
	for k, v := range views {
		v = v.restricted(axes)
		if args[k] = z.s.Fill(v.coef, v.c.Out.Shape); len(v.args) > 0 {
			args[k] = z.node([]monomial{v.monomial}, v.c.Out.Shape)
		}
	}
	return z.applied(n, args)
}

// applied is the element-wise function n on other operands.
func (z *algebra) applied(n *Node, args []*Node) *Node {
	if len(args) == 2 {
		return guarded(z.s.Binary(n.Atom(), args[0], args[1]), n.Guard())
	}
	return guarded(n.With(args), n.Guard())
}

// atomAlong is n as an atom, along the map c.
func atomAlong(c *einsum.Contraction, n *Node) []monomial {
	return []monomial{product(c, n)}
}

// order lists the axes of a view as its operands have them.
func (z *algebra) order(v view) []int {
	axes := einsum.UpTo(len(v.out))
	n := z.s.Ein(v.c, v.args...)
	if n.Ein() == nil {
		return axes
	}
	if _, out, ok := n.Ein().IsPlain(); ok {
		slices.SortFunc(axes, func(i, j int) int { return out[i] - out[j] })
	}
	return axes
}

// uniform reports whether all entries of v are one.
func (v view) uniform() bool {
	return !slices.ContainsFunc(v.out, func(w int) bool {
		return slices.ContainsFunc(v.in, func(g []int) bool { return slices.Contains(g, w) })
	})
}

// over is v, which is uniform, over other axes.
func (v view) over(shape []size.Size) monomial {
	v = v.restricted(nil)
	dims := append(slices.Clone(v.c.Vars), shape...)
	return monomial{v.coef, einsum.Plain(v.in, einsum.UpTo(len(dims))[len(v.c.Vars):], dims), v.args, nil}
}

// restricted is the view along some of its axes, in their order; it does not vary along the others.
func (v view) restricted(axes []int) view {
	out := lists.Map(axes, func(i int) int { return v.out[i] })
	to, dims := make([]int, len(v.c.Vars)), []size.Size{}
	for w, d := range v.c.Vars {
		to[w] = len(dims)
		if !slices.Contains(v.out, w) || slices.Contains(out, w) {
			dims = append(dims, d)
		}
	}
	rename := func(g []int) []int {
		return lists.Map(g, func(w int) int { return to[w] })
	}
	in := lists.Map(v.in, rename)
	r := view{monomial: monomial{v.coef, einsum.Plain(in, rename(out), dims), v.args, nil}}
	r.in, r.out, _ = r.c.IsPlain()
	return r
}
