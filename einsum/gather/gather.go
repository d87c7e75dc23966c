// Package gather brings contractions to gather form: loops over the elements of the output,
// each of which is computed by a sum with explicit bounds and written once.
//
// A contraction scatters: every point t of its domain adds to out[O(t)]. The gather form
// answers, for an output index b, which t have O(t) = b. By the Smith normal form these
// are
//
//	t = I b + K z    for whole z,    where C b = 0 and I b is whole,
//
// and what bounds t, put in terms of z, gives by Fourier-Motzkin elimination
//
//	max(ceil(..), ..) <= z_j <= min(floor(..), ..)
//
// with sides that are affine in b, the sizes and the outer z. This is Urban and van der
// Smagt, "Automatic Differentiation for Tensor Algebras", equations (16) to (19) and (45)
// to (47), with two conditions that (47) leaves out: that I b is whole (without it, the
// adjoint of x[2*i] sums at half-integers), and that the inequalities which hold no z at
// all are satisfied (without them the adjoint of x[i+1] reads before the first element).
// Offsets and bounds may hold size symbols; coefficients are numbers.
package gather

import (
	"fmt"
	"slices"

	"frechet/einsum"
	"frechet/einsum/integer"
	"frechet/einsum/size"
)

// Quotient is Num/Den with Den > 0. Where it stands says how it is rounded.
type Quotient struct {
	Num einsum.Affine
	Den int64
}

// A Loop is the range of one summed variable:
//
//	max over Lower of ceil(Num/Den) <= z <= min over Upper of floor(Num/Den)
//
// Both lists have at least one entry. The range may be empty.
type Loop struct{ Lower, Upper []Quotient }

// Form is a contraction in gather form. Its variables are the output's indices first:
// variable k is index k, 0 <= b_k < Out[k], and then those of the loops, the outermost
// first. For every output index that meets the conditions,
//
//	out[b] = sum over the loops of in1[In[0]] * ... * inn[In[n-1]]
//
// and out[b] = 0 for all others. Every quotient in Vars and In is exact wherever the
// conditions hold; no access is out of range.
type Form struct {
	Out   []size.Size
	Loops []Loop

	// Empty says that no output element has a point: the result is 0.
	Empty bool
	// Zero has forms in the output's indices and the sizes that must be 0.
	Zero []einsum.Affine
	// Divides has forms Num that Den > 1 must divide.
	Divides []Quotient
	// AtLeast has forms that must be at least 0.
	AtLeast []einsum.Affine

	// In has the index of each operand.
	In [][]Quotient
	// Vars has the contraction's own variables.
	Vars []Quotient
}

// Of brings a contraction to gather form. The error says that a coefficient leaves 64 bits, or
// is integer.ErrWork where there would be thousands of bounds.
func Of(c *einsum.Contraction) (*Form, error) {
	b := &builder{c: c, symbols: symbolsOf(c)}
	b.params = len(c.Out.Index) + len(b.symbols)
	f := &Form{Out: c.Out.Shape}
	b.solve(f)
	if !f.Empty {
		b.bounds(f)
	}
	if b.err != nil {
		return nil, b.err
	}
	return f, nil
}

// builder works on rows over the parameters: the output's indices, then the monomials in
// size symbols that occur, then the constant.
type builder struct {
	c       *einsum.Contraction
	symbols []size.Size // monomials of degree at least 1
	params  int
	err     error

	// t[k] = (start[k] + den * sum of basis[j][k]*z_j) / den
	start [][]integer.Int
	basis [][]integer.Int
	den   integer.Int
}

// symbolsOf lists the monomials of all sizes of a contraction.
func symbolsOf(c *einsum.Contraction) []size.Size {
	seen := map[size.Size]bool{}
	var out []size.Size
	see := func(d size.Size) {
		for _, m := range d.Monomials() {
			if s := monomial(m); len(m.Symbols) > 0 && !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	forms := func(as []einsum.Affine) {
		for _, a := range as {
			see(a.Off)
		}
	}
	for _, acc := range append(slices.Clone(c.In), c.Out) {
		for _, d := range acc.Shape {
			see(d)
		}
		forms(acc.Index)
	}
	for _, d := range c.Vars {
		see(d)
	}
	forms(c.Eq)
	forms(c.Ge)
	return out
}

// monomial is the product of a monomial's symbols, without its coefficient.
func monomial(m size.Monomial) size.Size {
	s := size.Const(1)
	for _, name := range m.Symbols {
		s = s.Mul(size.Sym(name))
	}
	return s
}

// sizeRow adds k*d to a row, whose columns before the monomials are at from.
func (b *builder) sizeRow(row []integer.Int, from int, k integer.Int, d size.Size) {
	for _, m := range d.Monomials() {
		at := len(row) - 1
		if len(m.Symbols) > 0 {
			at = from + slices.Index(b.symbols, monomial(m))
		}
		row[at] = row[at].Add(k.Mul(integer.FromBig(m.Coef)))
	}
}

// solve finds all t with O(t) = b and E(t) = 0.
func (b *builder) solve(f *Form) {
	c := b.c
	nb := len(c.Out.Index)
	forms := append(slices.Clone(c.Out.Index), c.Eq...)
	a := integer.NewMatrix(len(forms), len(c.Vars))
	rhs := make([][]integer.Int, len(forms)) // b_i less the offset
	for i, form := range forms {
		for _, t := range form.Terms {
			a.Set(i, t.Var, integer.New(t.Coef))
		}
		rhs[i] = make([]integer.Int, b.params+1)
		if i < nb {
			rhs[i][i] = integer.New(1)
		}
		b.sizeRow(rhs[i], nb, integer.New(-1), form.Off)
	}
	smith := integer.SmithForm(a)
	combine := func(weights []integer.Int) []integer.Int {
		out := make([]integer.Int, b.params+1)
		for i, w := range weights {
			for j, v := range rhs[i] {
				out[j] = out[j].Add(w.Mul(v))
			}
		}
		return out
	}
	cokernel := smith.Cokernel()
	for i := range cokernel.Rows {
		b.zero(f, combine(cokernel.Row(i)))
	}
	b.den = integer.New(1)
	for i := range smith.Rank {
		b.den = smith.Divisor(i)
		b.divides(f, combine(smith.U.Row(i)), b.den)
	}
	num, den := smith.Inverse()
	for k := range c.Vars {
		row := combine(num.Row(k))
		scale := b.den.Exact(den[k])
		for j := range row {
			row[j] = row[j].Mul(scale)
		}
		b.start = append(b.start, row)
	}
	b.kernel(smith.Kernel())
}

// kernel chooses a basis of the kernel in which as many loops as possible are variables of
// the contraction: the Hermite form with the last variables first; where a pivot is 1, the
// start of the loop is moved so that the variable is the loop's.
func (b *builder) kernel(k *integer.Matrix) {
	n := k.Rows
	t := integer.NewMatrix(k.Cols, n)
	for i := range n {
		for j := range k.Cols {
			t.Set(j, n-1-i, k.At(i, j))
		}
	}
	h, _, rank := integer.HermiteForm(t)
	for j := rank - 1; j >= 0; j-- {
		vec := make([]integer.Int, n)
		pivot := -1
		for i := range n {
			vec[n-1-i] = h.At(j, i)
			if pivot < 0 && !h.At(j, i).IsZero() {
				pivot = n - 1 - i
			}
		}
		b.basis = append(b.basis, vec)
		if !vec[pivot].IsOne() {
			continue
		}
		shift := slices.Clone(b.start[pivot])
		for i, w := range vec {
			for p := range shift {
				b.start[i][p] = b.start[i][p].Sub(w.Mul(shift[p]))
			}
		}
	}
}

// zero adds the condition row = 0.
func (b *builder) zero(f *Form, row []integer.Int) {
	var g integer.Int
	last := len(row) - 1
	for _, v := range row[:last] {
		g = g.Gcd(v)
	}
	switch {
	case g.IsZero():
		f.Empty = f.Empty || !row[last].IsZero()
		return
	case !g.Divides(row[last]):
		f.Empty = true
		return
	}
	sign := g
	for _, v := range row {
		if !v.IsZero() {
			if v.Sign() < 0 {
				sign = g.Neg()
			}
			break
		}
	}
	for i := range row {
		row[i] = row[i].Exact(sign)
	}
	f.Zero = append(f.Zero, b.affine(row, nil))
}

// divides adds the condition that d divides row, with coefficients from 0 to d less one.
func (b *builder) divides(f *Form, row []integer.Int, d integer.Int) {
	g := d
	for i, v := range row {
		row[i] = v.Sub(d.Mul(v.Floor(d)))
		g = g.Gcd(row[i])
	}
	if d = d.Exact(g); d.IsOne() {
		return
	}
	fixed := true
	for i := range row {
		row[i] = row[i].Exact(g)
		fixed = fixed && (i == len(row)-1 || row[i].IsZero())
	}
	if fixed { // a number that d does not divide
		f.Empty = true
		return
	}
	f.Divides = append(f.Divides, Quotient{b.affine(row, nil), b.int64(d)})
}

// affine turns a row over the parameters, and coefficients of the loops, into a form.
func (b *builder) affine(row, loops []integer.Int) einsum.Affine {
	nb := len(b.c.Out.Index)
	var a einsum.Affine
	for v := range nb + len(loops) {
		var c integer.Int
		if v < nb {
			c = row[v]
		} else {
			c = loops[v-nb]
		}
		if !c.IsZero() {
			a.Terms = append(a.Terms, einsum.Term{Var: v, Coef: b.int64(c)})
		}
	}
	for i, s := range b.symbols {
		if v := row[nb+i]; !v.IsZero() {
			a.Off = a.Off.Add(size.Const(b.int64(v)).Mul(s))
		}
	}
	a.Off = a.Off.Add(size.Const(b.int64(row[len(row)-1])))
	return a
}

func (b *builder) int64(v integer.Int) int64 {
	n, ok := v.Int64()
	if !ok && b.err == nil {
		b.err = fmt.Errorf("einsum/gather: the coefficient %v does not fit 64 bits", v)
	}
	return n
}
