package unparse

import (
	"errors"
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// product writes a contraction. One of more than two operands, which has too many
// letters to be associated, is written as it is.
func (w *writer) product(n *combinators.Node, args []*term) (*term, error) {
	in, out, ok := n.Ein().IsPlain()
	if !ok {
		if t := w.affine(n.Ein(), args); t != nil {
			return t, nil
		}
		return nil, errors.New("a sum over affine indices has no form in the Einstein language; it has one in index notation")
	}
	if t := w.arrays(n, args); t != nil {
		return t, nil
	}
	if p := w.powers.of(n); w.powers.written(p) {
		return w.matpow(n, p), nil
	}
	sizes := n.Ein().Vars
	if len(args) > 2 {
		all, names := renumber(in, out)
		return w.intern(term{op: opProd, args: args, in: all, out: names, shape: n.Shape()}), nil
	}
	switch len(args) {
	case 0:
		return w.constant(out, sizes), nil
	case 1:
		return w.unary(args[0], in[0], out, sizes), nil
	}
	for k := range args {
		a, b := args[k], args[1-k]
		if a.op == opNum && a.rat.Cmp(minusOne) == 0 {
			return w.neg(w.unary(b, in[1-k], out, sizes)), nil
		}
	}
	for k, a := range args {
		if a.op == opNeg && w.uses[n.Arg(k)] == 1 { // its sign stands outside
			return w.neg(w.binary(a.args[0], args[1-k], in[k], in[1-k], out, sizes)), nil
		}
	}
	if a, b := n.Arg(0), n.Arg(1); reciprocal(a) && reciprocal(b) && a.Rat().IsInt() && a.Rat().Cmp(b.Rat()) == 0 && a.Rat().Cmp(minusOne) < 0 && coversAll(in, out) {
		return w.power(w.binary(w.of[a.Arg(0)], w.of[b.Arg(0)], in[0], in[1], out, sizes), a.Rat()), nil
	}
	for k := range args {
		if den := n.Arg(k); reciprocal(den) {
			if t := w.quotient(args[1-k], args[k], in[1-k], in[k], out, sizes); t != nil {
				return t, nil
			}
		}
	}
	return w.binary(args[0], args[1], in[0], in[1], out, sizes), nil
}

var minusOne = big.NewRat(-1, 1)

// coversAll reports whether a product sums nothing, and has all axes of its operands.
func coversAll(in [][]int, out []int) bool {
	for _, g := range in {
		if !distinct(g) || slices.ContainsFunc(g, func(v int) bool { return !slices.Contains(out, v) }) {
			return false
		}
	}
	return distinct(out)
}

// quotient writes a * (1/d) as a division where the axes allow it.
func (w *writer) quotient(a, recip *term, inA, inD, out []int, sizes []size.Size) *term {
	if recip.op != opDiv {
		return nil
	}
	d := recip.args[1]
	switch {
	case len(inD) == 0:
		return w.div(w.unary(a, inA, out, sizes), d)
	case slices.Equal(inD, out) && distinct(out) && (len(inA) == 0 || slices.Equal(inA, out)):
		return w.div(a, d)
	}
	return nil
}

// constant writes a contraction without operands: a size as a number, ones, delta, and
// products of them. Letters that the output does not have count as numbers.
func (w *writer) constant(out []int, sizes []size.Size) *term {
	number := size.Const(1)
	for v, d := range sizes {
		if !slices.Contains(out, v) {
			number = number.Mul(d)
		}
	}
	var t *term
	switch {
	case len(out) == 0:
		return w.sizeOf(number)
	case distinct(out):
		t = w.fill(big.NewRat(1, 1), pick(out, sizes))
	default:
		t = w.embedding(out, sizes)
	}
	if number != size.Const(1) {
		order := einsum.UpTo(len(out))
		return w.binary(w.sizeOf(number), t, nil, order, order, t.shape)
	}
	return t
}

func (w *writer) sizeOf(d size.Size) *term {
	if n, ok := d.Int(); ok {
		return w.int(n)
	}
	return w.intern(term{op: opSize, name: d.String(), sizes: []size.Size{d}})
}

// embedding writes the tensor that is 1 where equal letters of out have equal values:
// delta where every letter occurs twice; else a product of ones that repeats letters.
func (w *writer) embedding(out []int, sizes []size.Size) *term {
	var first, second []int // positions of each letter
	for p, v := range out {
		switch count(out, v) {
		case 2:
			if q := slices.Index(out, v); q == p {
				first = append(first, p)
				second = append(second, p+1+slices.Index(out[p+1:], v))
			}
		default:
			one := w.fill(big.NewRat(1, 1), pick(letters(out), sizes))
			return w.intern(term{op: opProd, args: []*term{one}, in: [][]int{letters(out)}, out: out, shape: pick(out, sizes)})
		}
	}
	half := lists.Map(first, func(p int) size.Size { return sizes[out[p]] })
	all := einsum.UpTo(len(out))
	order := append(first, second...)
	delta := func(half []size.Size) *term {
		if slices.Equal(half, []size.Size{unit}) {
			return w.fill(one, []size.Size{unit, unit})
		}
		return w.intern(term{op: opDelta, sizes: half, shape: append(slices.Clone(half), half...)})
	}
	if len(half) == 2 && !slices.Equal(order, all) {
		// Two of order 2 in place of one of order 4 and its transpose.
		return w.binary(delta(half[:1]), delta(half[1:]), []int{order[0], order[2]}, []int{order[1], order[3]}, all, pick(out, sizes))
	}
	return w.unary(delta(half), order, all, pick(out, sizes))
}

// unary writes a product of one operand: transpose, diagonal, sum, broadcast. Factors
// are made of a delta for letters that only the output has, and has twice.
func (w *writer) unary(a *term, in, out []int, sizes []size.Size) *term {
	a, in = absorb(a, in)
	if slices.Equal(in, out) && distinct(out) || a.op == opCall && a.turns(in, out) ||
		a.sym && len(out) == 2 && in[0] != in[1] && in[0] == out[1] && in[1] == out[0] {
		return a
	}
	fresh := slices.DeleteFunc(letters(out), func(v int) bool { return slices.Contains(in, v) })
	if c := a; len(fresh) > 0 && distinct(out) && c.op == opProd && len(c.args) == 2 && c.args[0].op == opNum {
		// A broadcast multiple: the number takes the new axes, 2 *(ij,k->ijk) x.
		number := w.fill(c.args[0].rat, pick(fresh, sizes))
		letter := map[int]int{}
		for axis, v := range c.out {
			letter[v] = in[axis]
		}
		all := slices.Clone(sizes)
		inner := make([]int, len(c.in[1]))
		for axis, v := range c.in[1] {
			if _, ok := letter[v]; !ok { // a letter that c sums
				letter[v] = len(all)
				all = append(all, c.args[1].shape[axis])
			}
			inner[axis] = letter[v]
		}
		return w.binary(number, c.args[1], fresh, inner, out, all)
	}
	if len(in) == 0 {
		switch {
		case a.op == opNum && distinct(out):
			return w.fill(a.rat, pick(out, sizes))
		case a.op == opNum && a.rat.Sign() < 0:
			return w.neg(w.unary(w.num(new(big.Rat).Neg(a.rat)), in, out, sizes)) // -eye(n), -2*eye(n)
		case !distinct(out):
			t := w.embedding(out, sizes)
			if a.op == opNum && a.rat.Cmp(big.NewRat(1, 1)) == 0 {
				return t
			}
			order := einsum.UpTo(len(out))
			return w.binary(a, t, nil, order, order, t.shape)
		}
		return w.intern(term{op: opProd, args: []*term{a}, in: [][]int{nil}, out: einsum.UpTo(len(out)), shape: pick(out, sizes)})
	}
	if slices.ContainsFunc(fresh, func(v int) bool { return count(out, v) > 1 }) {
		// delta *(i j, ..) a for the new letters, each position with a letter of its own.
		pos := slices.Clone(out)
		all := slices.Clone(sizes)
		var rest []int
		for p, v := range pos {
			if slices.Contains(fresh, v) {
				if q := slices.Index(out, v); q < p {
					pos[p] = len(all)
					all = append(all, sizes[v])
				}
				rest = append(rest, v)
			}
		}
		t := w.embedding(rest, sizes)
		var inT []int
		for p, v := range out {
			if slices.Contains(fresh, v) {
				inT = append(inT, pos[p])
			}
		}
		return w.binary(t, a, inT, in, pos, all)
	}
	in2, out2 := renumber([][]int{in}, out)
	return w.intern(term{op: opProd, args: []*term{a}, in: in2, out: out2, shape: pick(out, sizes)})
}

// turns reports whether out has the letters of in with those of the derivatives of det or prod permuted, of which
// there are two and one for each: that does not change these.
func (t *term) turns(in, out []int) bool {
	each := 1
	if t.name == "minor" {
		each = 2
	} else if t.name != "prodexcept" || t.attr != 0 {
		return false
	}
	if len(in) != len(out) || !distinct(in) || !distinct(out) {
		return false
	}
	for p := 0; p < len(in); p += each {
		if q := slices.Index(out, in[p]); q < 0 || q%each != 0 || out[q+each-1] != in[p+each-1] {
			return false
		}
	}
	return true
}

// binary writes a product of two operands, which it puts into the order of the text.
func (w *writer) binary(a, b *term, inA, inB, out []int, sizes []size.Size) *term {
	a, inA = absorb(a, inA)
	b, inB = absorb(b, inB)
	if later(a, b, inA, inB, out) {
		a, b, inA, inB = b, a, inB, inA
	}
	// Equal axes of a symmetric matrix change places where it reads better: the letters
	// of a matrix product meet in the middle.
	meets := func(v int, other []int) bool { return slices.Contains(other, v) && !slices.Contains(out, v) }
	if a.sym && meets(inA[0], inB) && !meets(inA[1], inB) {
		inA = []int{inA[1], inA[0]}
	}
	if b.sym && meets(inB[1], inA) && !meets(inB[0], inA) {
		inB = []int{inB[1], inB[0]}
	}
	in, out2 := renumber([][]int{inA, inB}, out)
	return w.intern(term{op: opProd, args: []*term{a, b}, in: in, out: out2, shape: pick(out, sizes)})
}

// later reports whether a reads better behind b: factors of order 0 stand first,
// numbers before them, and of the others names before functions before inner products, a
// product of them as its last factor, then as its first; then the factor that has the
// output's first axis, the one of lower order where both have it.
func later(a, b *term, inA, inB, out []int) bool {
	key := func(t *term, in []int) [4]int {
		k := [4]int{2, len(out), len(in), t.id}
		switch {
		case t.op == opNum, t.op == opFill:
			k[0] = 0
		case len(in) == 0:
			k[0] = 1
			k[2], k[3] = t.rank, t.first
		}
		for p, v := range out {
			if slices.Contains(in, v) {
				k[1] = p
				break
			}
		}
		return k
	}
	x, y := key(a, inA), key(b, inB)
	return slices.Compare(x[:], y[:]) > 0
}

// absorb takes the transposes off an operand: its letters are permuted instead.
func absorb(a *term, in []int) (*term, []int) {
	for a.permutes() {
		inner := make([]int, len(in))
		for axis, v := range a.in[0] {
			inner[axis] = in[slices.Index(a.out, v)]
		}
		a, in = a.args[0], inner
	}
	return a, in
}

// permutes reports whether t is its operand with the axes in another order.
func (t *term) permutes() bool {
	return t.op == opProd && len(t.args) == 1 && len(t.in[0]) == len(t.out) &&
		distinct(t.in[0]) && distinct(t.out) && !slices.ContainsFunc(t.out, func(v int) bool { return !slices.Contains(t.in[0], v) })
}

// permute is a with axis order[p] of a as axis p.
func (w *writer) permute(a *term, order []int) *term {
	return w.unary(a, einsum.UpTo(a.order()), order, a.shape)
}

// renumber names letters by first occurrence.
func renumber(in [][]int, out []int) ([][]int, []int) {
	to := map[int]int{}
	name := func(ls []int) []int {
		r := make([]int, len(ls))
		for i, v := range ls {
			n, ok := to[v]
			if !ok {
				n = len(to)
				to[v] = n
			}
			r[i] = n
		}
		return r
	}
	r := lists.Map(in, name)
	return r, name(out)
}

func pick(letters []int, sizes []size.Size) []size.Size {
	return lists.Map(letters, func(v int) size.Size { return sizes[v] })
}

// letters lists the different letters in order of first occurrence.
func letters(ls []int) []int {
	var out []int
	for _, v := range ls {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

func distinct(ls []int) bool { return len(letters(ls)) == len(ls) }

func count[T comparable](ls []T, v T) (n int) {
	for _, u := range ls {
		if u == v {
			n++
		}
	}
	return n
}
