package code

// Products and index maps of the Python targets: matmul, einsum, views, gathers.

import (
	"fmt"
	"slices"
	"strings"

	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/eval/plan"
)

// aligned is an array with letters of its axes, all different, as one with axes for the letters out.
func (p *python) aligned(x string, letters, out []int) string {
	var present []int
	var index []string
	inserted := false
	for _, l := range out {
		if slices.Contains(letters, l) {
			present = append(present, l)
			index = append(index, ":")
		} else {
			index = append(index, "None")
			inserted = true
		}
	}
	x = p.permuted(x, letters, present)
	if !inserted || len(letters) == 0 {
		return x
	}
	for len(index) > 0 && index[len(index)-1] == ":" && slices.Contains(index, "None") { // the rest is whole
		index = index[:len(index)-1]
	}
	return x + "[" + strings.Join(index, ", ") + "]"
}

// permuted puts axes into another order.
func (p *python) permuted(x string, from, to []int) string {
	if slices.Equal(from, to) {
		return x
	}
	if len(from) == 2 {
		return x + ".T"
	}
	places := make([]int, len(to))
	for i, l := range to {
		places[i] = slices.Index(from, l)
	}
	return fmt.Sprintf("%s.%s(%s, %s)", p.module, p.permute, x, tuple(numbers(places)))
}

func distinct(letters []int) bool {
	for i, l := range letters {
		if slices.Contains(letters[:i], l) {
			return false
		}
	}
	return true
}

func subset(a, b []int) bool {
	return !slices.ContainsFunc(a, func(l int) bool { return !slices.Contains(b, l) })
}

// product is the product of two values, or the sum of one along axes.
func (p *python) product(i *plan.Instruction) (string, error) {
	if have := slices.Concat(i.In...); !subset(i.Out, have) { // what no operand has is repeated
		inner := *i
		inner.Out = slices.DeleteFunc(slices.Clone(i.Out), func(l int) bool { return !slices.Contains(have, l) })
		x, err := p.product(&inner)
		return fmt.Sprintf("%s.broadcast_to(%s, %s)", p.module, p.aligned("("+x+")", inner.Out, i.Out), p.shape(i.Shape)), err
	}
	simple := distinct(i.Out)
	for _, g := range i.In {
		simple = simple && distinct(g)
	}
	if simple {
		if x := p.simpleProduct(i); x != "" {
			return x, nil
		}
	}
	subscripts, err := p.subscripts(i.In, i.Out)
	return fmt.Sprintf(`%s.einsum("%s", %s)`, p.module, subscripts, strings.Join(p.arrays_(i.Args), ", ")), err
}

// simpleProduct is a product for which there is something better than einsum, else "".
func (p *python) simpleProduct(i *plan.Instruction) string {
	in, out := i.In, i.Out
	if len(in) == 1 {
		var axes, left []int
		for a, l := range in[0] {
			if slices.Contains(out, l) {
				left = append(left, l)
			} else {
				axes = append(axes, a)
			}
		}
		switch x := p.array(i.Args[0]); {
		case slices.Equal(in[0], out):
			return x
		case len(left) == 0:
			return fmt.Sprintf("%s.sum(%s)", p.module, x)
		case !slices.Equal(left, out):
			return ""
		case len(axes) == 1:
			return fmt.Sprintf("%s.sum(%s, %d)", p.module, x, axes[0])
		default:
			return fmt.Sprintf("%s.sum(%s, %s)", p.module, x, tuple(numbers(axes)))
		}
	}
	if subset(in[0], out) && subset(in[1], out) {
		if !subset(out, slices.Concat(in[0], in[1])) {
			return ""
		}
		return fmt.Sprintf("%s * %s", p.aligned(p.array(i.Args[0]), in[0], out), p.aligned(p.operand(i.Args[1]), in[1], out))
	}
	return p.contraction(i)
}

// contraction is a sum over axes that two operands share, where it is a matrix product or a tensordot.
func (p *python) contraction(i *plan.Instruction) string {
	a, b := i.In[0], i.In[1]
	x, y := p.array(i.Args[0]), p.array(i.Args[1])
	if p.matrices(a, b, i.Out) {
		a, b, x, y = b, a, y, x // so that the result has its axes in the order wanted
	}
	var shared, ones, twos []int
	for _, l := range a {
		if slices.Contains(b, l) {
			if slices.Contains(i.Out, l) {
				return ""
			}
			shared = append(shared, l)
		} else {
			ones = append(ones, l)
		}
	}
	for _, l := range b {
		if !slices.Contains(a, l) {
			twos = append(twos, l)
		}
	}
	left := slices.Concat(ones, twos)
	if len(shared) == 0 || !subset(left, i.Out) {
		return ""
	}
	if len(shared) == 1 && len(ones) <= 1 && len(twos) <= 1 && slices.Equal(left, i.Out) {
		return fmt.Sprintf("%s @ %s", p.permuted(x, a, slices.Concat(ones, shared)), p.permuted(y, b, slices.Concat(shared, twos)))
	}
	var first, second []int
	for _, l := range shared {
		first, second = append(first, slices.Index(a, l)), append(second, slices.Index(b, l))
	}
	return p.permuted(fmt.Sprintf("%s.tensordot(%s, %s, (%s, %s))", p.module, x, y, tuple(numbers(first)), tuple(numbers(second))), left, i.Out)
}

// matrices reports whether the result of a contraction begins with an axis of the second operand.
func (p *python) matrices(a, b, out []int) bool {
	return len(out) > 0 && !slices.Contains(a, out[0])
}

// subscripts are those of einsum.
func (p *python) subscripts(in [][]int, out []int) (string, error) {
	names := map[int]byte{}
	var failure error
	word := func(letters []int) string {
		var b []byte
		for _, l := range letters {
			if _, ok := names[l]; !ok {
				const all = "ijklmnopqrstuvwxyzabcdefghABCDEFGHIJKLMNOPQRSTUVWXYZ"
				if len(names) == len(all) {
					failure = p.refuse("a product over more than 52 axes", "")
					return ""
				}
				names[l] = all[len(names)]
			}
			b = append(b, names[l])
		}
		return string(b)
	}
	var parts []string
	for _, g := range in {
		parts = append(parts, word(g))
	}
	known := len(names)
	s := strings.Join(parts, ",") + "->" + word(out)
	if len(names) > known && failure == nil {
		failure = fmt.Errorf("export/code: an axis of a product that no operand has")
	}
	return s, failure
}

// view is an array with its axes permuted, repeated, or laid along a diagonal.
func (p *python) view(i *plan.Instruction) string {
	letters, x := i.In[0], p.array(i.Args[0])
	if !distinct(letters) { // a diagonal
		var once []int
		for _, l := range letters {
			if !slices.Contains(once, l) {
				once = append(once, l)
			}
		}
		subscripts, _ := p.subscripts([][]int{letters}, once)
		x, letters = fmt.Sprintf(`%s.einsum("%s", %s)`, p.module, subscripts, x), once
	}
	if distinct(i.Out) {
		y := p.aligned(x, letters, i.Out)
		if subset(i.Out, letters) {
			return y
		}
		return fmt.Sprintf("%s.broadcast_to(%s, %s)", p.module, y, p.shape(i.Shape))
	}
	var axes, first []int // the letters of the result, and by axis which of them
	for _, l := range i.Out {
		at := slices.Index(axes, l)
		if at < 0 {
			at = len(axes)
			axes = append(axes, l)
		}
		first = append(first, at)
	}
	return fmt.Sprintf("_diagonal(%s, %s, %s)", p.aligned(x, letters, axes), p.shape(i.Shape), tuple(numbers(first)))
}

// loops is a contraction with conditions or index maps, or with weak factors.
func (p *python) loops(i *plan.Instruction) (string, error) {
	c := i.Contraction
	if slices.ContainsFunc(i.Args, func(a int) bool { return isIndex(variable(&p.list[a])) }) {
		return p.relational(i)
	}
	if x := p.weakProduct(i); x != "" {
		return x, nil
	}
	if !p.whole {
		return "", p.refuse("a sum with conditions, or indices other than single variables", "entries of any chunk would be read; the targets numpy and c state it")
	}
	if len(c.Vars) > 26 {
		return "", p.refuse("a contraction over more than 26 indices", "")
	}
	vars := make([]string, len(c.Vars))
	for v := range vars {
		vars[v] = fmt.Sprintf("i%d", v)
	}
	index := func(acc einsum.Access) string {
		parts := make([]string, len(acc.Index))
		for k, a := range acc.Index {
			parts[k] = p.affine(a, vars)
		}
		return tuple(parts)
	}
	maps := []string{index(c.Out)}
	for _, acc := range c.In {
		maps = append(maps, index(acc))
	}
	lambda := "lambda " + strings.Join(vars, ", ") + ": "
	if len(vars) == 0 {
		lambda = "lambda: "
	}
	call := fmt.Sprintf("_loops(%s, %s, %s, %s%s", p.shape(c.Vars), p.shape(i.Shape), tuple(p.arrays_(i.Args)), lambda, tuple(maps))
	var holds []string
	for _, a := range c.Eq {
		holds = append(holds, p.affine(a, vars)+" == 0")
	}
	for _, a := range c.Ge {
		holds = append(holds, p.affine(a, vars)+" >= 0")
	}
	if len(holds) > 0 {
		call += ", where=" + lambda + tuple(holds)
	}
	if slices.Contains(i.Weak, true) {
		call += ", weak=" + p.flags(i.Weak)
	}
	return call + ")", nil
}

// weakProduct is a product entry by entry with weak factors, else "".
func (p *python) weakProduct(i *plan.Instruction) string {
	in, out, plain := i.Contraction.IsPlain()
	if !plain || !distinct(out) || len(out) != len(i.Contraction.Vars) || slices.ContainsFunc(in, func(g []int) bool { return !distinct(g) }) {
		return ""
	}
	// Weak factors stand between others, which they may be the reciprocals of: the partial products stay in range.
	var weak, others []int
	for k := range i.Args {
		if i.Weak[k] {
			weak = append(weak, k)
		} else {
			others = append(others, k)
		}
	}
	var factors []string
	var flags []bool
	for k := range max(len(weak), len(others)) {
		for _, of := range [][]int{others, weak} {
			if k < len(of) {
				factors = append(factors, p.aligned(p.array(i.Args[of[k]]), in[of[k]], out))
				flags = append(flags, i.Weak[of[k]])
			}
		}
	}
	x := fmt.Sprintf("_weak_product(%s, %s)", p.flags(flags), strings.Join(factors, ", "))
	if !subset(out, slices.Concat(in...)) || len(in) > 1 {
		return fmt.Sprintf("%s.broadcast_to(%s, %s)", p.module, x, p.shape(i.Shape))
	}
	return x
}

// affine is an affine form in variables with the given names.
func (w *writer) affine(a einsum.Affine, vars []string) string {
	var b strings.Builder
	for k, t := range a.Terms {
		c := t.Coef
		switch {
		case c < 0 && k == 0:
			b.WriteString("-")
		case c < 0:
			b.WriteString(" - ")
		case k > 0:
			b.WriteString(" + ")
		}
		if c = max(c, -c); c != 1 {
			fmt.Fprintf(&b, "%d*", c)
		}
		b.WriteString(vars[t.Var])
	}
	off := w.size(a.Off)
	switch {
	case len(a.Terms) == 0:
		return off
	case a.Off == (size.Size{}):
	case strings.HasPrefix(off, "-"):
		b.WriteString(" - " + w.factor(size.Size{}.Sub(a.Off)))
	default:
		b.WriteString(" + " + off)
	}
	return b.String()
}
