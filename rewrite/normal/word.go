package normal

import (
	"cmp"
	"slices"

	"frechet/einsum"
)

// A product of square matrices is a word: it is what its factors are, read along the chain of their axes.
// What stands in it twice is computed once, however the word was written:
//
//	A*B*A*B = (A*B)*(A*B) = A*(B*A)*B = P*P,  P = A*B
//
// The longest part that recurs is one value first, and of parts that are as long the first one. So A*A*A*A*A
// is P*P*A with P = A*A, and a power takes about as many products as its exponent has digits.

// letter is a factor of a word: a matrix or its transpose.
type letter struct {
	matrix     *Node
	transposed bool
}

// word is a product of square matrices: its factors as they stand along the chain.
type word struct {
	letters []letter
	ops     []int // of the product, one for each letter
	axes    []int // its variables, one before each letter and one behind the last
}

// wordOf reads p as a word. It reports false where p is no chain of square matrices of one size.
func (z *Simplifier) wordOf(p *product) (w word, ok bool) {
	if len(p.out) != 2 || p.out[0] == p.out[1] || len(p.vars) != len(p.ops)+1 || len(p.ops) > maxOperands {
		return w, false
	}
	for _, d := range p.vars {
		if d != p.vars[p.out[0]] {
			return w, false
		}
	}
	at := p.out[0]
	for last := -1; len(w.ops) < len(p.ops); {
		k := einsum.Follows(p.in, at, last)
		if k < 0 || slices.Contains(w.ops, k) {
			return w, false
		}
		g := p.in[k]
		w.ops, w.axes = append(w.ops, k), append(w.axes, at)
		w.letters = append(w.letters, letter{p.ops[k], g[0] != at && !z.symmetric(p.ops[k])})
		at, last = g[0]+g[1]-at, k
	}
	w.axes = append(w.axes, at)
	return w, at == p.out[1]
}

// inverted is the letter in the transpose of the word.
func (z *Simplifier) inverted(l letter) letter {
	return letter{l.matrix, !l.transposed && !z.symmetric(l.matrix)}
}

// transposed is the transpose of w.
func (z *Simplifier) transposed(w word) word {
	t := word{slices.Clone(w.letters), slices.Clone(w.ops), slices.Clone(w.axes)}
	for i, l := range t.letters {
		t.letters[i] = z.inverted(l)
	}
	slices.Reverse(t.letters)
	slices.Reverse(t.ops)
	slices.Reverse(t.axes)
	return t
}

// forward is w or its transpose, whichever comes first: that with fewer transposed letters, and else by the fingerprints
// of the letters. The parts of a word are then those of its transpose.
func (z *Simplifier) forward(w word) word {
	t := z.transposed(w)
	count := func(w word) (n int) {
		for _, l := range w.letters {
			if l.transposed {
				n++
			}
		}
		return n
	}
	c := cmp.Compare(count(w), count(t))
	for i := 0; c == 0 && i < len(w.letters); i++ {
		l, m := w.letters[i], t.letters[i]
		if c = cmp.Compare(z.fingerprint(l.matrix), z.fingerprint(m.matrix)); c == 0 && l.transposed != m.transposed {
			c = -1
			if l.transposed {
				c = 1
			}
		}
	}
	if c > 0 {
		return t
	}
	return w
}

// recurrent are the parts of w that stand in it twice or more, as they are or transposed, and do not overlap:
// the longest first. Each is given by the place of its first letter and that behind its last one.
func (z *Simplifier) recurrent(w word) (parts [][2]int) {
	taken := make([]bool, len(w.letters))
	free := func(i, size int) bool { return i+size <= len(taken) && !slices.Contains(taken[i:i+size], true) }
	for size := len(taken) / 2; size > 1; size-- {
		for i := 0; i+2*size <= len(taken); i++ {
			if !free(i, size) {
				continue
			}
			found := [][2]int{{i, i + size}}
			for j := i + size; j+size <= len(taken); j++ {
				if free(j, size) && z.equalParts(w.letters[i:i+size], w.letters[j:j+size]) {
					found = append(found, [2]int{j, j + size})
					j += size - 1
				}
			}
			if len(found) == 1 {
				continue
			}
			for _, f := range found {
				for k := f[0]; k < f[1]; k++ {
					taken[k] = true
				}
			}
			parts = append(parts, found...)
		}
	}
	return parts
}

// equalParts reports whether a is b or the transpose of it.
func (z *Simplifier) equalParts(a, b []letter) bool {
	if slices.Equal(a, b) {
		return true
	}
	for i, l := range a {
		if z.inverted(l) != b[len(b)-1-i] {
			return false
		}
	}
	return true
}

// bracketed writes the word p with the parts that recur as one value each. Products that nothing but p needs
// are parts of the word; others are letters of it.
func (z *Simplifier) bracketed(p product, t *trace) product {
	if _, ok := z.wordOf(&p); !ok {
		return p
	}
	flat, ok := z.inlined(p)
	if !ok {
		return p
	}
	w, _ := z.wordOf(&flat)
	w = z.forward(w)
	parts := z.recurrent(w)
	if len(parts) == 0 && same(flat.ops, p.ops) {
		return p
	}
	q := z.withParts(&flat, w, parts)
	if q.build(z.s) == p.build(z.s) {
		return p
	}
	if t != nil {
		t.to(nativeFuse, flat.build(z.s))
		t.to(nativeOuter, q.build(z.s))
	}
	q.ops = slices.Clone(q.ops) // the node may have the others
	for k, x := range q.ops {
		if !slices.Contains(flat.ops, x) {
			q.ops[k] = z.within(t, x)
			at := z.known.At(q.ops[k])
			at.uses = max(at.uses, 2)
		}
	}
	return q
}

// withParts is the word p, read as w, with each of parts as one operand.
func (z *Simplifier) withParts(p *product, w word, parts [][2]int) product {
	q := product{coef: p.coef, out: p.out, vars: p.vars}
	for k := 0; k < len(w.ops); k++ {
		i := slices.IndexFunc(parts, func(part [2]int) bool { return part[0] == k })
		if i < 0 {
			q.ops, q.in = append(q.ops, p.ops[w.ops[k]]), append(q.in, p.in[w.ops[k]])
			continue
		}
		end := parts[i][1]
		x := z.part(p, w.ops[k:end], 0)
		x.coef = unit
		axes := z.forward(word{w.letters[k:end], w.ops[k:end], w.axes[k : end+1]}).axes
		x.out = []int{axes[0], axes[len(axes)-1]}
		q.in = append(q.in, x.out)
		x.compact()
		q.ops = append(q.ops, x.build(z.s))
		k = end - 1
	}
	q.compact()
	return q
}

// repeated reports whether a value stands twice among ops.
func repeated(ops []*Node) bool {
	for k, a := range ops {
		if slices.Contains(ops[:k], a) {
			return true
		}
	}
	return false
}

// inlined is the word p with the products fused of which every use is a factor of it. It reports false where
// that is too long a word.
func (z *Simplifier) inlined(p product) (flat product, ok bool) {
	c := z.s.Plain(p.in, p.out, p.vars)
	args := p.ops
	inside := map[*Node]bool{}
	for k := 0; k < len(args); {
		a := args[k]
		n := occurrences(args, a)
		if a.Ein() == nil || opaque(a) || !inside[a] && (n < 2 || z.uses(a) > int32(n)) {
			k++
			continue
		}
		q := open(a)
		if _, ok := z.wordOf(&q); !ok || !q.coef.isOne() {
			k++
			continue
		}
		if len(args)+len(a.Args())-1 > maxOperands {
			return p, false
		}
		inside[a] = true
		c, args = z.s.Fuse(c, k, a.Ein()), slices.Concat(args[:k], a.Args(), args[k+1:])
	}
	if same(args, p.ops) {
		return p, true
	}
	in, out, _ := c.IsPlain()
	return product{coef: p.coef, ops: args, in: in, out: out, vars: c.Vars}, true
}
