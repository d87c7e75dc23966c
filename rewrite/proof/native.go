package proof

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/must"
)

// theories are the laws by which each native schema of the normal form may rewrite.
var theories = map[string]theory{
	"fuse":       {},
	"outer":      {},
	"number":     {},
	"zero":       {},
	"powers":     {powers: true},
	"norms":      {norms: true, powers: true},
	"symmetric":  {symmetric: true},
	"distribute": {sums: true, symmetric: true},
	"factor":     {sums: true, powers: true}, // whole powers are repeated factors
	"collect":    {sums: true},
	"fold":       {fold: true},
	"pick":       {pick: true, symmetric: true},
	"power":      {powers: true},
	"reshape":    {reshape: true},
	"inverse":    {},
	"axes":       {},
	"right":      {},
	"softmax":    {},
	"turn":       {transpose: true, symmetric: true},
}

// native checks a step by a schema of the normal form.
func (k *checker) native(step string, s *Step) {
	t, ok := theories[step]
	must.Hold(ok, "the schema %s does not rewrite values", step)
	before, after := s.Before.Nodes[0], s.After.Nodes[0]
	switch {
	case step == "fuse" && len(s.Operands) > 0:
		must.Hold(k.fused(before, s.Operands) == after, "the operands, fused, are another contraction")
		return
	case (step == "pick" || step == "reshape") && k.picked(before) == after:
		return
	case step == "inverse":
		must.Hold(inverse(before, after), "merge and split do not meet")
		return
	}
	if step == "softmax" {
		if n := k.summed(before); n != nil {
			before, k.widens = n, true
		}
	}
	if step == "axes" {
		u, v := k.unmergedTop(before), k.unmergedTop(after)
		must.Hold(slices.Equal(u.width, v.width), "the axes are merged in another way")
		before, after = u.n, v.n
	}
	if step == "right" && before.Is(atom.Solve) {
		before, after = k.solved(before, after)
		t = theory{sums: true}
	}
	must.Hold(len(s.Operands) == 0, "no operands are named for %s", s.Rule)
	signs := newSigns(s.Facts, k.work)
	same := sameForm(before.Shape())
	if step == "factor" {
		plain := same
		same = func(z *algebra, x, y *form) bool { return plain(z, x, y) || z.factored(x, y) }
	}
	if before == after || k.related(before, after, t, signs, same) {
		return
	}
	panic(must.Errorf("the two terms have no common form by this schema"))
}

// fused is n with operands substituted, one after the other.
func (k *checker) fused(n *Node, operands []int) *Node {
	must.Hold(n.Ein() != nil, "only a contraction is fused")
	c, args := n.Ein(), n.Args()
	for _, i := range operands {
		if i < 0 || i >= len(args) || args[i].Ein() == nil || len(args) > maxFactors {
			panic(must.Errorf("operand %d is no contraction", i))
		}
		a := args[i]
		k.work.product(c, a.Ein())
		c = c.Fuse(i, a.Ein()).Solve()
		args = slices.Concat(args[:i], a.Args(), args[i+1:])
	}
	return k.s.Ein(c, args...)
}

// picked is c(f(M, ..)) as f(c(M), ..) at the entries that c has, where each of these is one of f(M, ..); nil where
// n is no such value.
func (k *checker) picked(n *Node) *Node {
	if len(n.Args()) != 1 {
		return nil
	}
	c, f := n.Ein(), n.Arg(0)
	if (n.Is(atom.Merge) || n.Is(atom.Split)) && (f.Atom().Class == atom.ClassElementwise || f.Is(atom.Add)) {
		args := make([]*Node, len(f.Args()))
		for i, a := range f.Args() {
			args[i] = n.With([]*Node{a})
			if r, ok := fill(a); ok {
				args[i] = k.s.Fill(r, n.Shape())
			}
		}
		return guarded(f.With(args), f.Guard())
	}
	if c == nil {
		return nil
	}
	batch := f.BatchAxes()
	if f.Atom().Class != atom.ClassElementwise && batch == 0 {
		return nil
	}
	seen := make([]bool, len(c.Vars))
	for i, a := range c.Out.Index {
		v, ok := a.Var()
		if !ok || seen[v] || c.Vars[v] != c.Out.Shape[i] {
			return nil
		}
		seen[v] = true
	}
	if slices.Contains(seen, false) {
		return nil
	}
	args := make([]*Node, len(f.Args()))
	for i, a := range f.Args() {
		on := c
		if batch > 0 { // matrices or rows are picked
			if on = c.Leading(f.Order()-batch, a.Shape()[batch:]); on == nil {
				return nil
			}
		}
		args[i] = k.s.Ein(on, a)
	}
	return k.s.Ein(c.Entries(), guarded(f.With(args), f.Guard()))
}

// solved has the solutions of A X = B with the A of n, and the inverse of A, written as contractions
// with one new matrix, the inverse.
func (k *checker) solved(n, after *Node) (*Node, *Node) {
	a := n.Arg(0)
	inverse := k.variable(combinators.TensorSpace(a.Shape()))
	m := a.Order() - 2 // batch axes
	out := combinators.Rebuild([]*Node{n, after}, func(n *Node, args []*Node) *Node {
		switch {
		case n.Is(atom.Inv) && args[0] == a:
			return inverse
		case n.Is(atom.Solve) && args[0] == a:
			// X[b, i, ~] = sum over j of inverse[b, i, j] B[b, j, ~]
			sh := append(slices.Clone(a.Shape()), args[1].Shape()[m+1:]...)
			all := einsum.UpTo(len(sh))
			rest := all[m+2:]
			right := slices.Concat(all[:m], []int{m + 1}, rest)
			return k.s.Contract([][]int{all[: m+2 : m+2], right}, slices.Concat(all[:m+1], rest), sh, inverse, args[1])
		}
		return n.With(args)
	})
	return out[0], out[1]
}

// summed is n without the factors that are softmax summed over its axes, which is 1; nil where there
// is none. Over no entries the sum is 0, so no such axis may be known to be empty; a size that is not
// known is taken to be at least 1, as the schema says.
func (k *checker) summed(n *Node) *Node {
	if n.Ein() == nil {
		return nil
	}
	in, out, ok := n.Ein().IsPlain()
	if !ok {
		return nil
	}
	counts := map[int]int{}
	for _, g := range append(slices.Clone(in), out) {
		for _, v := range g {
			counts[v]++
		}
	}
	gone := map[int]bool{}
	var left []*Node
	var groups [][]int
	for i, a := range n.Args() {
		axes := in[i][max(0, len(in[i])-a.Attr()):]
		if !a.Is(atom.Softmax) || len(axes) == 0 || slices.ContainsFunc(axes, func(v int) bool {
			d, known := n.Ein().Vars[v].Int()
			return counts[v] > 1 || known && d <= 0
		}) {
			left, groups = append(left, a), append(groups, in[i])
			continue
		}
		for _, v := range axes {
			gone[v] = true
		}
	}
	if len(gone) == 0 {
		return nil
	}
	to, dims := map[int]int{}, []size.Size{}
	for v, d := range n.Ein().Vars {
		if !gone[v] {
			to[v] = len(dims)
			dims = append(dims, d)
		}
	}
	rename := func(g []int) []int {
		return lists.Map(g, func(v int) int { return to[v] })
	}
	for i, g := range groups {
		groups[i] = rename(g)
	}
	return k.s.Contract(groups, rename(out), dims, left...)
}

// inverse: split after merge, or merge after split, at one axis and of the same sizes.
func inverse(n, after *Node) bool {
	if !n.Is(atom.Split) && !n.Is(atom.Merge) {
		return false
	}
	x := n.Arg(0)
	if !x.Is(atom.Split) && !x.Is(atom.Merge) || x.Is(n.Atom()) || x.Attr() != n.Attr() || x.Arg(0) != after {
		return false
	}
	return slices.Equal(after.Shape(), n.Shape())
}
