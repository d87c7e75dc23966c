package gather

import (
	"slices"

	"frechet/einsum"
	"frechet/einsum/integer"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// Resolve removes the equalities of a contraction whose sizes are numbers: its variables are
// written as t = x + K z with whole z, a lattice on which all equalities hold, and z from 0
// on becomes the contraction's variables. The bounds of t become inequalities. ok is false
// where no whole point satisfies the equalities and the bounds: then the contraction is 0.
// Where the coefficients leave 64 bits, c itself is returned.
func Resolve(c *einsum.Contraction) (resolved *einsum.Contraction, ok bool) {
	if len(c.Eq) == 0 {
		return c, true
	}
	a := integer.NewMatrix(len(c.Eq), len(c.Vars))
	b := make([]integer.Int, len(c.Eq))
	for i, e := range c.Eq {
		for _, t := range e.Terms {
			a.Set(i, t.Var, integer.New(t.Coef))
		}
		n, whole := e.Off.Int()
		if !whole {
			return c, true
		}
		b[i] = integer.New(n).Neg()
	}
	smith := integer.SmithForm(a)
	x, ok := smith.Solve(b)
	if !ok {
		return nil, false
	}
	r := &resolver{c: c, x: x, k: smith.Kernel()}
	return r.contraction()
}

type resolver struct {
	c   *einsum.Contraction
	x   []integer.Int   // t = x + k z
	k   *integer.Matrix // its columns are a basis of the lattice
	bad bool            // a number leaves 64 bits
}

func (r *resolver) int64(v integer.Int) int64 {
	n, ok := v.Int64()
	// Room for the arithmetic on sizes and offsets that follows.
	r.bad = r.bad || !ok || n > 1<<53 || n < -1<<53
	return n
}

// row is a form in t as a row over z.
func (r *resolver) row(a einsum.Affine, sign int64) []integer.Int {
	nz := r.k.Cols
	out := make([]integer.Int, nz+1)
	n, whole := a.Off.Int()
	r.bad = r.bad || !whole
	out[nz] = integer.New(n)
	for _, t := range a.Terms {
		f := integer.New(t.Coef)
		out[nz] = out[nz].Add(f.Mul(r.x[t.Var]))
		for j := range nz {
			out[j] = out[j].Add(f.Mul(r.k.At(t.Var, j)))
		}
	}
	for i := range out {
		out[i] = out[i].Mul(integer.New(sign))
	}
	return out
}

func (r *resolver) contraction() (*einsum.Contraction, bool) {
	c, nz := r.c, r.k.Cols
	s := &integer.System{N: nz}
	for v, n := range c.Vars {
		d, whole := n.Int()
		r.bad = r.bad || !whole
		s.AtLeast(r.row(einsum.Variable(v), 1))
		upper := r.row(einsum.Variable(v), -1)
		upper[nz] = upper[nz].Add(integer.New(d - 1))
		s.AtLeast(upper)
	}
	// z is shifted to begin at 0.
	vars := make([]size.Size, nz)
	shift := make([]integer.Int, nz)
	for j := range vars {
		unit := make([]integer.Int, nz+1)
		unit[j] = integer.New(1)
		lo, hi, empty, err := s.Range(unit)
		switch {
		case empty:
			return nil, false
		case err != nil || r.bad:
			return c, true
		}
		shift[j] = lo
		vars[j] = size.Const(r.int64(hi.Sub(lo).Add(integer.New(1))))
	}
	if nz == 0 {
		if yes, _ := s.Feasible(); !yes {
			return nil, false
		}
	}
	form := func(row []integer.Int) einsum.Affine {
		off := integer.Value(row, shift)
		a := einsum.Affine{Off: size.Const(r.int64(off))}
		for j, v := range row[:nz] {
			if !v.IsZero() {
				a.Terms = append(a.Terms, einsum.Term{Var: j, Coef: r.int64(v)})
			}
		}
		return a
	}
	access := func(acc einsum.Access) einsum.Access {
		out := einsum.Access{Shape: acc.Shape}
		for _, a := range acc.Index {
			out.Index = append(out.Index, form(r.row(a, 1)))
		}
		return out
	}
	var in []einsum.Access
	in = lists.Append(in, c.In, access)
	out := access(c.Out)
	var ge []einsum.Affine
	ge = lists.Append(ge, s.Rows, form)
	ge = lists.Append(ge, c.Ge, func(a einsum.Affine) einsum.Affine { return form(r.row(a, 1)) })
	if r.bad {
		return c, true
	}
	d, err := einsum.New(vars, in, out, nil, slices.Clip(ge))
	if err != nil {
		return c, true
	}
	return d, true
}
