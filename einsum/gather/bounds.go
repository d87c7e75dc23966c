package gather

import (
	"slices"

	"frechet/einsum"
	"frechet/einsum/integer"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// wide gives a form in the contraction's variables, times den, as a row over the parameters,
// the loops and the constant.
func (b *builder) wide(a einsum.Affine, sign int64) []integer.Int {
	nz := len(b.basis)
	row := make([]integer.Int, b.params+nz+1)
	for _, t := range a.Terms {
		k := integer.New(t.Coef).Mul(integer.New(sign))
		for p, v := range b.start[t.Var] {
			if p == b.params {
				p += nz
			}
			row[p] = row[p].Add(k.Mul(v))
		}
		for j, vec := range b.basis {
			row[b.params+j] = row[b.params+j].Add(k.Mul(b.den).Mul(vec[t.Var]))
		}
	}
	b.sizeRow(row, len(b.c.Out.Index), b.den.Mul(integer.New(sign)), a.Off)
	return row
}

// parts splits a wide row into the parameters with the constant, and the loops.
func (b *builder) parts(row []integer.Int) (params, loops []integer.Int) {
	params = append(slices.Clone(row[:b.params]), row[len(row)-1])
	return params, row[b.params : len(row)-1]
}

// quotient is a wide row over den, in lowest terms.
func (b *builder) quotient(row []integer.Int, den integer.Int) Quotient {
	g := den
	for _, v := range row {
		g = g.Gcd(v)
	}
	out := lists.Map(row, func(v integer.Int) integer.Int { return v.Exact(g) })
	p, l := b.parts(out)
	return Quotient{b.affine(p, l), b.int64(den.Exact(g))}
}

// bounds finds the loops' ranges and what bounds the output's indices, and expresses the
// operands' indices.
func (b *builder) bounds(f *Form) {
	c := b.c
	nb, nz := len(c.Out.Index), len(b.basis)
	s := &integer.System{N: b.params + nz}
	atLeast := func(a einsum.Affine) { s.AtLeast(b.wide(a, 1)) }
	atMost := func(a einsum.Affine, n size.Size) { // a <= n-1
		row := b.wide(a, -1)
		b.sizeRow(row, nb, b.den, n.Sub(size.Const(1)))
		s.AtLeast(row)
	}
	for v, n := range c.Vars {
		atLeast(einsum.Variable(v))
		atMost(einsum.Variable(v), n)
	}
	for _, acc := range c.In {
		for k, a := range acc.Index {
			atLeast(a)
			atMost(a, acc.Shape[k])
		}
	}
	for _, a := range c.Ge {
		atLeast(a)
	}
	context := b.context()
	loops, guard, empty, err := s.Loops(b.params, context)
	if err != nil {
		b.err = err
		return
	}
	if empty {
		f.Empty = true
		return
	}
	for _, r := range guard {
		p, _ := b.parts(r)
		f.AtLeast = append(f.AtLeast, b.affine(p, nil))
	}
	for _, l := range loops {
		var out Loop
		side := func(bs []integer.Bound) (qs []Quotient) {
			qs = lists.Append(qs, bs, func(q integer.Bound) Quotient { return b.quotient(q.Row, q.Den) })
			return qs
		}
		out.Lower, out.Upper = side(l.Lower), side(l.Upper)
		f.Loops = append(f.Loops, out)
	}
	quotients := func(as []einsum.Affine) []Quotient {
		return lists.Map(as, func(a einsum.Affine) Quotient { return b.quotient(b.wide(a, 1), b.den) })
	}
	for _, acc := range c.In {
		f.In = append(f.In, quotients(acc.Index))
	}
	vars := lists.Make(len(c.Vars), func(v int) einsum.Affine { return einsum.Variable(v) })
	f.Vars = quotients(vars)
}

// context states what is known: output indices are in range, and sizes are not negative.
func (b *builder) context() *integer.System {
	nb := len(b.c.Out.Index)
	s := &integer.System{N: b.params}
	unit := func(v int) []integer.Int {
		row := make([]integer.Int, b.params+1)
		row[v] = integer.New(1)
		return row
	}
	for k, n := range b.c.Out.Shape {
		s.AtLeast(unit(k))
		row := make([]integer.Int, b.params+1)
		row[k] = integer.New(-1)
		b.sizeRow(row, nb, integer.New(1), n.Sub(size.Const(1)))
		s.AtLeast(row)
	}
	for i := range b.symbols {
		s.AtLeast(unit(nb + i))
	}
	return s
}
