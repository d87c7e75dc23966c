package combinators

import (
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// Relation reports whether n is the 0/1 matrix of an array of whole numbers, R[k,p] = [i[k] = p], or some rows of it: each row
// has one 1, which its last axis finds.
func (n *Node) Relation() bool {
	if n.Attributes().Has(atom.Index) {
		return true
	}
	c := n.Ein()
	if c == nil || len(n.Args()) != 1 || len(c.Vars) != n.Order() || !c.Out.Distinct() || len(c.Eq)+len(c.Ge) > 0 || !n.Arg(0).Relation() {
		return false
	}
	in := c.In[0].Index
	p, ok := in[len(in)-1].Var()
	q, _ := c.Out.Index[n.Order()-1].Var()
	return ok && p == q && !slices.ContainsFunc(in[:len(in)-1], func(f einsum.Affine) bool { return f.Coef(p) != 0 })
}

// A picker is a relation R[k,p] among the operands of a plain contraction.
type picker struct {
	n    *Node
	rows []int // the letters k
	at   int   // and p
	done bool
}

// A gathering is a plain contraction with relations apart.
type gathering struct {
	s       *Store
	dims    []size.Size
	args    []*Node
	in      [][]int
	out     []int
	pickers []picker
	free    []size.Size // of variables that nothing uses
}

// Gathered is n, a plain contraction with relations, made of what these pick from one value each, and of what they scatter:
//
//	sum over k, p, a of R[k,p]*X[p,a]*W[a,b]*S[k,q] at q,b  is  scatter(X[i, :]*W, j)
//
// n itself where there is nothing to take apart.
func (n *Node) Gathered() *Node {
	if n.Ein() == nil || !slices.ContainsFunc(n.Args(), (*Node).Relation) {
		return n
	}
	in, out, plain := n.Ein().IsPlain()
	if !plain {
		return n
	}
	g := &gathering{s: n.store, dims: n.Ein().Vars, out: out, free: unusedVars(in, out, n.Ein().Vars)}
	for k, a := range n.Args() {
		last := len(in[k]) - 1
		if a.Relation() && !slices.Contains(in[k][:last], in[k][last]) {
			g.pickers = append(g.pickers, picker{n: a, rows: in[k][:last], at: in[k][last]})
		} else {
			g.args, g.in = append(g.args, a), append(g.in, in[k])
		}
	}
	var left []picker
	for i, r := range g.pickers {
		switch {
		case g.pickers[i].done:
		case g.meets(i) || count(out, r.at) > 0 || slices.ContainsFunc(g.in, func(l []int) bool { return !r.picks(l) && slices.Contains(l, r.at) }) || !slices.ContainsFunc(g.in, r.picks):
			left = append(left, r)
		default: // its places are sought in operands alone
			for k := range g.in {
				if r.picks(g.in[k]) {
					g.pick(k, r)
				}
			}
		}
	}
	g.pickers = left
	return g.scattered()
}

func count(letters []int, l int) (n int) {
	for _, m := range letters {
		if m == l {
			n++
		}
	}
	return n
}

// picks reports whether the relation finds places of one axis, and no axis is its row.
func (r picker) picks(letters []int) bool {
	return count(letters, r.at) == 1 && !slices.ContainsFunc(letters, func(l int) bool { return slices.Contains(r.rows, l) })
}

// meets reports whether the places of relation i are rows or places of another one.
func (g *gathering) meets(i int) bool {
	for j, r := range g.pickers {
		if j != i && (r.at == g.pickers[i].at || slices.Contains(r.rows, g.pickers[i].at)) {
			return true
		}
	}
	return false
}

// pick puts what r, and the others of its rows, pick of operand k into its place.
func (g *gathering) pick(k int, first picker) {
	args, in := []*Node{g.args[k]}, [][]int{g.in[k]}
	var out []int
	for _, l := range g.in[k] {
		i := slices.IndexFunc(g.pickers, func(r picker) bool {
			return r.at == l && (l == first.at || slices.Equal(r.rows, first.rows) && r.picks(g.in[k]) && count(g.out, l) == 0)
		})
		if i < 0 || g.meets(i) || slices.ContainsFunc(g.in, func(m []int) bool { return !g.pickers[i].picks(m) && slices.Contains(m, l) }) {
			out = append(out, l)
			continue
		}
		if len(args) == 1 {
			out = append(out, first.rows...)
		}
		g.pickers[i].done = true
		args, in = append(args, g.pickers[i].n), append(in, append(slices.Clone(first.rows), l))
	}
	g.args[k], g.in[k] = g.contract(in, out, args), out
}

// contract is the contraction of args that has no other letters.
func (g *gathering) contract(in [][]int, out []int, args []*Node) *Node {
	rin, rout, dims := einsum.Restrict(in, out, g.dims)
	return g.s.Contract(rin, rout, dims, args...)
}

// scattered is the contraction of what is left, of which relations scatter the result.
func (g *gathering) scattered() *Node {
	args, in, free := slices.Clone(g.args), slices.Clone(g.in), g.free
	var by []picker
	for i, r := range g.pickers {
		if r.picks(g.out) && !g.meets(i) && len(g.args) > 0 && (by == nil || slices.Equal(r.rows, by[0].rows)) &&
			!slices.ContainsFunc(g.in, func(l []int) bool { return slices.Contains(l, r.at) }) {
			by = append(by, r)
			continue
		}
		args, in = append(args, r.n), append(in, append(slices.Clone(r.rows), r.at))
	}
	whole := func(out []int) *Node {
		rin, rout, dims := einsum.Restrict(in, out, g.dims)
		return g.s.Contract(rin, rout, append(dims, free...), args...)
	}
	if by == nil {
		return whole(g.out)
	}
	var number *Node // stands outside
	if k := slices.IndexFunc(args, func(a *Node) bool { return a.Is(atom.Const) }); k >= 0 && len(args) > 1 {
		number = args[k]
		args, in = slices.Delete(args, k, k+1), slices.Delete(in, k, k+1)
	}
	inner, out := slices.Clone(by[0].rows), []int{}
	for _, l := range g.out {
		if slices.ContainsFunc(by, func(r picker) bool { return r.at == l }) {
			out = append(out, l)
		} else {
			inner = append(inner, l)
		}
	}
	out = append(out, inner[len(by[0].rows):]...)
	value := whole(inner).Gathered()
	args, in = []*Node{value}, [][]int{inner}
	for _, r := range by {
		args, in = append(args, r.n), append(in, append(slices.Clone(r.rows), r.at))
	}
	scattered := g.contract(in, out, args)
	if number != nil {
		return g.contract([][]int{nil, out}, g.out, []*Node{number, scattered})
	}
	return g.contract([][]int{out}, g.out, []*Node{scattered})
}

// Picked says how n is X[i, :, j], entries of operand x that relations pick: by has for each axis of X the operand that finds
// its place, or -1.
func (n *Node) Picked() (x int, by []int, ok bool) {
	return n.operandOf(func(in [][]int, out []int, x int) (by []int, ok bool) {
		var rows, left []int
		used := 1
		for _, l := range in[x] {
			r := finds(in, x, l)
			if r < 0 || !n.Arg(r).Relation() || count(in[x], l) > 1 {
				by, left = append(by, -1), append(left, l)
				continue
			}
			own := in[r][:len(in[r])-1]
			if used == 1 {
				rows, left = own, append(left, own...)
			} else if !slices.Equal(rows, own) {
				return nil, false
			}
			used++
			by = append(by, r)
		}
		return by, used == len(in) && used > 1 && slices.Equal(left, out) && einsum.Distinct(out)
	})
}

// Scattered says how n is scatter(Y, i, j), sums of the parts of operand y at places that the relations by find, for the first
// axes of n.
func (n *Node) Scattered() (y int, by []int, ok bool) {
	return n.operandOf(func(in [][]int, out []int, y int) (by []int, ok bool) {
		k := len(in) - 1
		if k == 0 || len(out) < k {
			return nil, false
		}
		for _, l := range out[:k] {
			r := finds(in, y, l)
			if r < 0 || !n.Arg(r).Relation() || slices.Contains(by, r) {
				return nil, false
			}
			rows := in[r][:len(in[r])-1]
			if len(in[y]) < len(rows) || !slices.Equal(in[y], slices.Concat(rows, out[k:])) {
				return nil, false
			}
			by = append(by, r)
		}
		return by, einsum.Distinct(out) && einsum.Distinct(in[y])
	})
}

// finds is the operand, another one than x, whose last axis alone has letter l; -1 where none has.
func finds(in [][]int, x, l int) int {
	for r, g := range in {
		if r != x && len(g) > 0 && g[len(g)-1] == l && count(g, l) == 1 {
			return r
		}
	}
	return -1
}

// operandOf finds the operand for which a plain contraction has a form.
func (n *Node) operandOf(is func(in [][]int, out []int, k int) ([]int, bool)) (k int, by []int, ok bool) {
	if n.Ein() == nil || !slices.ContainsFunc(n.Args(), (*Node).Relation) {
		return 0, nil, false
	}
	in, out, plain := n.Ein().IsPlain()
	for k := range in {
		if by, ok := is(in, out, k); plain && ok {
			return k, by, true
		}
	}
	return 0, nil, false
}
