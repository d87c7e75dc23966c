package code

// Arrays of whole numbers in the Python targets. The 0/1 matrix R[k,p] = [i[k] = p] is not stored: i[k] stands in the place of
// p, where operands are read, and where is added to the result.

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/eval/plan"
)

func isIndex(v *combinators.Node) bool { return v != nil && v.Attributes().Has(atom.Index) }

// shapeOf is the shape of an argument: that of an array of whole numbers, not of its matrix.
func shapeOf(v *combinators.Node) []size.Size {
	s := v.Shape()
	if isIndex(v) {
		return s[:len(s)-1]
	}
	return s
}

// A picking is a contraction with arrays of whole numbers.
type picking struct {
	*python
	args []int
	c    *einsum.Contraction
	over map[int]int // by variable, the operand whose array finds its value
}

// relational is a contraction with arrays: the product of what they pick, and where it is added. An array that finds no single
// index of an operand, as in x[2*i[k]], stands as its matrix.
func (p *python) relational(i *plan.Instruction) (string, error) {
	g := &picking{p, i.Args, i.Contraction, map[int]int{}}
	for k := range i.Args {
		if v, ok := g.finds(k); ok {
			g.over[v] = k
		}
	}
	for v := range g.over {
		if !distinct(g.rows(v)) {
			g.over = nil // none: i[j[k], k] is rare
		}
	}
	rest := plan.Instruction{Kind: plan.DoLoops}
	in, number := []einsum.Access{}, ""
	arrays := 0
	for _, a := range i.Args {
		if isIndex(variable(&p.list[a])) {
			arrays++
		}
	}
	for k, a := range i.Args {
		acc, x, own := g.c.In[k], p.array(a), p.array(a)
		if l := p.literal(a); l != "" {
			number += l + " * "
			continue
		}
		matrix := isIndex(variable(&p.list[a]))
		if matrix {
			last := len(acc.Index) - 1
			v, _ := acc.Index[last].Var()
			if at, found := g.over[v]; found && at == k {
				continue
			}
			x = fmt.Sprintf("_onehot(%s, %s, %s)", x, p.size(acc.Shape[last]), strings.ReplaceAll(p.number, "#", "1.0"))
		}
		if x, acc = g.pick(x, acc); x != own {
			a = p.stored(x, acc)
		}
		in, rest.Args, rest.Weak = append(in, acc), append(rest.Args, a), append(rest.Weak, i.Weak[k] || !matrix && arrays > len(g.over)) // the zeros of a matrix win
	}
	if rest.Args == nil {
		rest.Args, rest.Weak, in = []int{len(p.list)}, []bool{false}, []einsum.Access{{}}
		p.list = append(p.list, plan.Instruction{Kind: plan.DoNumber, Rat: big.NewRat(1, 1), Count: size.Const(1)})
	}
	x, err := g.scatter(&rest, in)
	return number + x, err
}

// stored is the value of an instruction that is x, which is computed once.
func (p *python) stored(x string, acc einsum.Access) int {
	at, found := p.picked[x]
	if !found {
		at = len(p.list)
		p.picked[x] = at
		p.add("%s = %s", p.temp(at), x)
		p.list = append(p.list, plan.Instruction{Kind: plan.DoLoops, Shape: acc.Shape})
	}
	return at
}

// scatter multiplies what rest has, and adds it where arrays find axes of the result.
func (g *picking) scatter(rest *plan.Instruction, in []einsum.Access) (string, error) {
	vars, out := slices.Clone(g.c.Vars), g.c.Out
	var rows, places, left, letters []int // of the result
	for v := range vars {
		if _, found := g.over[v]; found {
			if vars[v] = size.Const(1); reads(out, v) {
				rows = union(rows, g.rows(v))
			}
		}
	}
	if slices.ContainsFunc(out.Index, g.found) {
		for _, a := range out.Index {
			v, _ := a.Var()
			if letters = append(letters, v); g.found(a) || slices.Contains(rows, v) {
				places = append(places, v)
			} else {
				left = append(left, v)
			}
		}
		out = g.access(slices.Concat(rows, left))
	}
	var err error
	if rest.Contraction, err = einsum.New(vars, in, out, g.c.Eq, g.c.Ge); err != nil {
		return "", err
	}
	rest.Shape = out.Shape
	x, err := g.multiplied(rest)
	if err != nil || places == nil {
		return x, err
	}
	var index []string
	for _, v := range places {
		index = append(index, g.index(v, rows))
	}
	order := slices.Concat(places, left)
	x = fmt.Sprintf("_scatter(%s, %s, %s)", x, g.shape(g.access(order).Shape), strings.Join(index, ", "))
	return g.permuted(x, order, letters), nil
}

// multiplied is a contraction without arrays.
func (p *python) multiplied(i *plan.Instruction) (string, error) {
	in, out, plain := i.Contraction.IsPlain()
	have := slices.Concat(in...)
	unused := func(v int) bool {
		return !slices.Contains(have, v) && !slices.Contains(out, v) && i.Contraction.Vars[v] != size.Const(1)
	}
	switch {
	case !plain || !distinct(out) || slices.Contains(i.Weak, true) || slices.ContainsFunc(einsum.UpTo(len(i.Contraction.Vars)), unused):
		return p.loops(i)
	case len(in) <= 2:
		return p.product(&plan.Instruction{Kind: plan.DoProduct, Args: i.Args, In: in, Out: out, Dims: i.Contraction.Vars, Shape: i.Shape})
	case !subset(out, have):
		return p.loops(i)
	}
	subscripts, err := p.subscripts(in, out)
	return fmt.Sprintf(`_einsum("%s", %s)`, subscripts, strings.Join(p.arrays_(i.Args), ", ")), err
}

// finds is the variable whose value operand k, an array, finds.
func (g *picking) finds(k int) (v int, ok bool) {
	acc := g.c.In[k]
	last := len(acc.Index) - 1
	if !isIndex(variable(&g.list[g.args[k]])) {
		return 0, false
	}
	v, ok = acc.Index[last].Var()
	if _, taken := g.over[v]; !ok || taken || slices.ContainsFunc(slices.Concat(g.c.Eq, g.c.Ge), func(a einsum.Affine) bool { return a.Coef(v) != 0 }) {
		return 0, false
	}
	for _, x := range append(slices.Clone(g.c.In), g.c.Out) {
		for n, a := range x.Index {
			if single, ok := a.Var(); a.Coef(v) != 0 && (!ok || single != v || x.Shape[n] != g.c.Vars[v]) {
				return 0, false
			}
		}
	}
	if reads(g.c.Out, v) && !(g.c.Out.Distinct() && g.whole(g.c.Out)) {
		return 0, false
	}
	rows := einsum.Access{Shape: acc.Shape[:last], Index: acc.Index[:last]}
	if !g.whole(rows) && !(last == 1 && g.inside(rows)) {
		return 0, false
	}
	var circular func(x einsum.Access) bool
	circular = func(x einsum.Access) bool {
		return slices.ContainsFunc(x.Index, func(a einsum.Affine) bool {
			return slices.ContainsFunc(a.Terms, func(t einsum.Term) bool {
				at, found := g.over[t.Var]
				return t.Var == v || found && circular(einsum.Access{Index: g.c.In[at].Index[:len(g.c.In[at].Index)-1]})
			})
		})
	}
	return v, !circular(rows)
}

// reads reports whether v stands in an index.
func reads(x einsum.Access, v int) bool {
	return slices.ContainsFunc(x.Index, func(a einsum.Affine) bool { return a.Coef(v) != 0 })
}

// whole reports whether the indices are variables, each over its whole axis.
func (g *picking) whole(x einsum.Access) bool {
	for n, a := range x.Index {
		if v, ok := a.Var(); !ok || g.c.Vars[v] != x.Shape[n] {
			return false
		}
	}
	return true
}

// inside reports whether the only index, of one variable or none, never leaves its axis.
func (g *picking) inside(x einsum.Access) bool {
	a := x.Index[0]
	if len(a.Terms) > 1 {
		return false
	}
	low, high := a.Off, a.Off
	for _, t := range a.Terms {
		if end := size.Const(t.Coef).Mul(g.c.Vars[t.Var].Sub(size.Const(1))); t.Coef < 0 {
			low = low.Add(end)
		} else {
			high = high.Add(end)
		}
	}
	return low.Nonnegative() && x.Shape[0].Sub(size.Const(1)).Sub(high).Nonnegative()
}

func (g *picking) found(a einsum.Affine) bool {
	v, ok := a.Var()
	_, found := g.over[v]
	return ok && found
}

// access is that of an array with letters of its axes.
func (g *picking) access(letters []int) (x einsum.Access) {
	for _, l := range letters {
		x.Shape, x.Index = append(x.Shape, g.c.Vars[l]), append(x.Index, einsum.Variable(l))
	}
	return x
}

// places is the array that finds v, with the letters of its axes.
func (g *picking) places(v int) (x string, letters []int) {
	k := g.over[v]
	x = g.array(g.args[k])
	last := len(g.c.In[k].Index) - 1
	acc := einsum.Access{Shape: g.c.In[k].Shape[:last], Index: g.c.In[k].Index[:last]}
	if !g.whole(acc) { // of one axis
		ranges := make([]string, len(g.c.Vars))
		for l, d := range g.c.Vars {
			ranges[l] = fmt.Sprintf("np.arange(%s)", g.size(d))
		}
		x = fmt.Sprintf("%s[%s]", x, g.affine(acc.Index[0], ranges))
		for _, t := range acc.Index[0].Terms {
			letters = append(letters, t.Var)
		}
		return x, letters
	}
	x, acc = g.pick(x, acc)
	for _, a := range acc.Index {
		l, _ := a.Var()
		letters = append(letters, l)
	}
	return x, letters
}

func (g *picking) rows(v int) []int {
	_, letters := g.places(v)
	return letters
}

// index is what finds v, or v itself, as an array with axes for letters.
func (g *picking) index(v int, letters []int) string {
	if _, found := g.over[v]; !found {
		return g.aligned(fmt.Sprintf("np.arange(%s)", g.size(g.c.Vars[v])), []int{v}, letters)
	}
	x, own := g.places(v)
	return g.aligned(x, own, letters)
}

// pick is what arrays pick of x, X[i[k], k] at once: the axes of the arrays stand in the place of the first one, or in front
// where others stand between.
func (g *picking) pick(x string, acc einsum.Access) (string, einsum.Access) {
	var rows []int
	for _, a := range acc.Index {
		if v, _ := a.Var(); g.found(a) {
			rows = union(rows, g.rows(v))
		}
	}
	var at []int // axes that are indexed
	for n, a := range acc.Index {
		if v, ok := a.Var(); g.found(a) || ok && slices.Contains(rows, v) && g.c.Vars[v] == acc.Shape[n] {
			at = append(at, n)
		}
	}
	if rows == nil && !slices.ContainsFunc(acc.Index, g.found) {
		return x, acc
	}
	first, last := at[0], at[len(at)-1]
	if last-first >= len(at) {
		first = 0
	}
	out, index := einsum.Access{}, make([]string, last+1)
	for n := range len(acc.Index) + 1 {
		if n == first {
			own := g.access(rows)
			out.Shape, out.Index = append(out.Shape, own.Shape...), append(out.Index, own.Index...)
		}
		switch {
		case slices.Contains(at, n):
			v, _ := acc.Index[n].Var()
			index[n] = g.index(v, rows)
		case n < len(acc.Index):
			if out.Shape, out.Index = append(out.Shape, acc.Shape[n]), append(out.Index, acc.Index[n]); n < last {
				index[n] = ":"
			}
		}
	}
	return x + "[" + strings.Join(index, ", ") + "]", out
}

func union(a, b []int) []int {
	for _, l := range b {
		if !slices.Contains(a, l) {
			a = append(a, l)
		}
	}
	return a
}
