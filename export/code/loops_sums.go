package code

// Sums of the targets that are loops: products of matrices, and affine sums in gather form.

import (
	"fmt"
	"slices"
	"strings"

	"frechet/einsum/gather"
	"frechet/einsum/size"
	"frechet/eval/plan"
)

// sum is a product that is summed over letters. The innermost loop runs along the last axes of most of what is read and
// written.
func (p *looper) sum(at int) {
	i := &p.list[at]
	names := map[int]string{}
	var summed []int
	for k, l := range i.Out {
		names[l] = fmt.Sprintf("i%d", k)
	}
	for _, l := range slices.Concat(i.In...) {
		if _, ok := names[l]; !ok {
			names[l] = fmt.Sprintf("k%d", len(summed))
			summed = append(summed, l)
		}
	}
	p.declareValue(at, "")
	if p.products && p.matrixProduct(at, summed) {
		return
	}
	var factors []string
	for k, a := range i.Args {
		idx := make([]string, len(i.In[k]))
		for j, l := range i.In[k] {
			idx[j] = names[l]
		}
		factors = append(factors, p.entry(a, idx))
	}
	x := strings.Join(factors, " * ")
	outer, inner := p.order(i, summed)
	last := inner
	if inner < 0 {
		p.sumInto(at, outer, summed, names, x)
		return
	}
	p.add("%s%s", strings.NewReplacer("#", p.array(at), "@", p.volume(i.Shape)).Replace(p.zero), p.end)
	all := append(append(outer, summed...), last)
	if len(outer) > 0 {
		p.inParallel(i.Dims)
	}
	for _, l := range all {
		p.loop(names[l], i.Dims[l])
	}
	p.increase(p.entryOf(at, p.indices(len(i.Shape))), x)
	p.close(len(all))
}

// sumInto is a sum whose innermost loop is over what is summed: into a number, for each entry of the result.
func (p *looper) sumInto(at int, outer, summed []int, names map[int]string, x string) {
	i := &p.list[at]
	if len(outer) > 0 {
		p.inParallel(i.Dims)
	}
	for _, l := range outer {
		p.loop(names[l], i.Dims[l])
	}
	s := "s"
	if p.isScalar(at) {
		s = p.array(at)
	} else {
		p.add("%s%s", strings.NewReplacer("#", s, "@", "0.0").Replace(p.scalar), p.end)
	}
	if d := p.innermost(i, summed, names); d != "" {
		summed, x = summed[:len(summed)-1], d
	}
	for _, l := range summed {
		p.loop(names[l], i.Dims[l])
	}
	p.increase(s, x)
	p.close(len(summed))
	if !p.isScalar(at) {
		p.add("%s = %s%s", p.entryOf(at, p.indices(len(i.Shape))), s, p.end)
	}
	p.close(len(outer))
}

// innermost is the innermost sum as a call of the helper for inner products, where it is one of two arrays along their last axes: ""
// where it is not. Compilers may not change the order of a sum, and so add one number after the other.
func (p *looper) innermost(i *plan.Instruction, summed []int, names map[int]string) string {
	if !p.dots || len(i.Args) != 2 || len(summed) == 0 {
		return ""
	}
	last := summed[len(summed)-1]
	args := []string{p.size(i.Dims[last])}
	for k, a := range i.Args {
		in := i.In[k]
		if len(in) == 0 || slices.Index(in, last) != len(in)-1 || p.inline[a] || p.literal(a) != "" {
			return ""
		}
		idx := make([]string, len(in))
		for j, l := range in {
			idx[j] = names[l]
		}
		idx[len(in)-1] = "0"
		args = append(args, "&"+p.entry(a, idx))
	}
	return p.call("dot", args...)
}

// matrixProduct calls the helper for products of matrices, where that is what an instruction is.
func (p *looper) matrixProduct(at int, summed []int) bool {
	i := &p.list[at]
	if len(i.Args) != 2 || len(summed) != 1 || len(i.Out) != 2 || len(i.In[0]) != 2 || len(i.In[1]) != 2 || p.inline[i.Args[0]] || p.inline[i.Args[1]] {
		return false
	}
	a, b := 0, 1
	if !slices.Contains(i.In[a], i.Out[0]) {
		a, b = 1, 0
	}
	k := summed[0]
	m, n := i.Out[0], i.Out[1]
	has := func(g []int, x, y int) bool { return slices.Equal(g, []int{x, y}) || slices.Equal(g, []int{y, x}) }
	if !has(i.In[a], m, k) || !has(i.In[b], k, n) {
		return false
	}
	p.add("%s%s", p.call("matmul", p.size(i.Dims[m]), p.size(i.Dims[n]), p.size(i.Dims[k]), fmt.Sprint(i.In[a][0] == k), fmt.Sprint(i.In[b][0] == n),
		p.array(i.Args[a]), p.array(i.Args[b]), p.array(at)), p.end)
	return true
}

// order has the letters of the result as loops, and the one that is innermost, or -1 where that is a sum.
func (p *looper) order(i *plan.Instruction, summed []int) (outer []int, inner int) {
	score := map[int]int{}
	for _, g := range append(slices.Clone(i.In), i.Out) {
		if len(g) > 0 {
			score[g[len(g)-1]]++
		}
	}
	inner = -1
	best := 0
	for _, l := range summed {
		best = max(best, score[l])
	}
	for _, l := range i.Out {
		if score[l] > best {
			best, inner = score[l], l
		}
	}
	for _, l := range i.Out {
		if l != inner {
			outer = append(outer, l)
		}
	}
	return outer, inner
}

// volume is the number of entries of a shape.
func (p *looper) volume(shape []size.Size) string {
	n := size.Const(1)
	for _, d := range shape {
		n = n.Mul(d)
	}
	return p.size(n)
}

// gather is a contraction with conditions, index maps or weak factors, in gather form.
func (p *looper) gather(at int) {
	i := &p.list[at]
	p.declareValue(at, "")
	if i.Kind == plan.DoGuarded {
		base := i.Args[len(i.Weak)]
		idx := p.indices(len(i.Shape))
		for k, d := range i.Shape {
			p.loop(idx[k], d)
		}
		p.add("%s = %s%s", p.entryOf(at, idx), p.entry(base, idx), p.end)
		p.close(len(idx))
		var weak []string
		for k, w := range i.Weak {
			if w {
				weak = append(weak, p.infiniteEntry(i.Args[k]))
			}
		}
		p.begin("%s", strings.ReplaceAll(p.condition, "#", strings.Join(weak, " || ")))
		defer p.close(1)
	}
	f, err := gather.Of(i.Contraction)
	if err != nil {
		p.failure = p.refuse("a contraction whose loops are too many", "")
		return
	}
	vars := p.indices(len(f.Out))
	p.inParallel(f.Out)
	for k, d := range f.Out {
		p.loop(vars[k], d)
	}
	s := "s"
	if p.isScalar(at) {
		s = p.array(at)
		p.add("%s = 0.0%s", s, p.end)
	} else {
		p.add("%s%s", strings.NewReplacer("#", s, "@", "0.0").Replace(p.scalar), p.end)
	}
	opened := 0
	if !f.Empty {
		opened = p.gatherLoops(f, i, vars, s)
	}
	p.close(opened)
	if !p.isScalar(at) {
		p.add("%s = %s%s", p.entryOf(at, p.indices(len(f.Out))), s, p.end)
	}
	p.close(len(f.Out))
}

// gatherLoops opens the conditions and loops of a gather form, and adds up in s. It returns how many blocks are open.
func (p *looper) gatherLoops(f *gather.Form, i *plan.Instruction, vars []string, s string) (opened int) {
	var holds []string
	for _, a := range f.Zero {
		holds = append(holds, p.affine(a, vars)+" == 0")
	}
	for _, q := range f.Divides {
		holds = append(holds, strings.NewReplacer("#", p.affine(q.Num, vars), "@", fmt.Sprint(q.Den)).Replace(p.divides))
	}
	for _, a := range f.AtLeast {
		holds = append(holds, p.affine(a, vars)+" >= 0")
	}
	if holds != nil {
		p.begin("%s", strings.ReplaceAll(p.condition, "#", strings.Join(holds, " && ")))
		opened++
	}
	for k, l := range f.Loops {
		v := fmt.Sprintf("z%d", k)
		below := p.bound(l.Upper, vars, "floor_div", "min_of")
		p.begin("%s", p.eachOf(v, p.bound(l.Lower, vars, "ceil_div", "max_of"), p.plus(below, size.Const(1))))
		vars = append(vars, v)
		opened++
	}
	var factors []string
	var weak uint
	for _, k := range interleaved(i.Weak) {
		idx := make([]string, len(f.In[k]))
		for j, q := range f.In[k] {
			idx[j] = p.quotient(q, vars)
		}
		if i.Weak[k] {
			weak |= 1 << len(factors)
		}
		factors = append(factors, p.entry(i.Args[k], idx))
	}
	x := strings.Join(append([]string{"1.0"}, factors...), " * ")
	switch {
	case weak != 0:
		x = strings.NewReplacer("#", fmt.Sprint(weak), "$", fmt.Sprint(len(factors)), "@", strings.Join(factors, ", ")).Replace(p.weak)
	case len(factors) > 0:
		x = strings.Join(factors, " * ")
	}
	p.increase(s, x)
	return opened
}

// interleaved has weak factors between others, which they may be the reciprocals of: partial products stay in range.
func interleaved(weak []bool) []int {
	var of [2][]int
	for k, w := range weak {
		if w {
			of[1] = append(of[1], k)
		} else {
			of[0] = append(of[0], k)
		}
	}
	var out []int
	for k := range max(len(of[0]), len(of[1])) {
		for _, list := range of {
			if k < len(list) {
				out = append(out, list[k])
			}
		}
	}
	return out
}

// quotient is an affine form over a number, which divides it.
func (p *looper) quotient(q gather.Quotient, vars []string) string {
	x := p.affine(q.Num, vars)
	if q.Den == 1 {
		if len(q.Num.Terms) > 1 || len(q.Num.Terms) == 1 && q.Num.Off != (size.Size{}) {
			return "(" + x + ")"
		}
		return x
	}
	return strings.NewReplacer("#", x, "@", fmt.Sprint(q.Den)).Replace(p.divided)
}

// bound is the largest or least of bounds.
func (p *looper) bound(qs []gather.Quotient, vars []string, round, pick string) string {
	text := ""
	for _, q := range qs {
		x := p.affine(q.Num, vars)
		if q.Den != 1 {
			x = p.call(round, x, fmt.Sprint(q.Den))
		}
		if text == "" {
			text = x
		} else {
			text = p.call(pick, text, x)
		}
	}
	return text
}

// infiniteEntry asks whether a value has an infinite entry.
func (p *looper) infiniteEntry(i int) string {
	if x := p.literal(i); x != "" || p.isScalar(i) {
		return p.call("isinf", p.entry(i, nil))
	}
	return p.call("any_infinite", p.volume(p.list[i].Shape), p.array(i))
}
