package elab

import (
	"fmt"
	"slices"

	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/syntax/index"
)

// region is where the walk is.
func (e *elaborator) region() region {
	r := region{sizes: e.sizes, eq: e.eq, ge: e.ge}
	for _, f := range e.scope {
		for _, t := range f.Terms {
			if !slices.Contains(r.live, t.Var) {
				r.live = append(r.live, t.Var)
			}
		}
	}
	return r
}

// inRange proves 0 <= f < axis where the walk is.
func (e *elaborator) inRange(x, at *index.Expr, f einsum.Affine, axis size.Size) {
	r := e.region()
	top := einsum.Affine{Off: axis.Sub(size.Const(1))}.Plus(-1, f)
	for i, claim := range []einsum.Affine{f, top} {
		v, point := r.prove(claim)
		if v == proved {
			continue
		}
		if v == open && !e.numeric(claim) {
			e.open = append(e.open, Assumption{Text: e.text(x, x.Name) + " is in range", Span: at.Span})
			continue
		}
		what := e.text(at, "the index")
		err := e.errorf("I005", at.Span, "%s leaves %s, whose axis has size %s", what, x.Name, axis)
		switch {
		case point != nil:
			n, _ := f.Off.Int()
			for _, t := range f.Terms {
				n += t.Coef * point[t.Var]
			}
			err = e.errorf("I005", at.Span, "%s leaves %s: it is %d at %s, and the axis has size %s", what, x.Name, n, e.values(point, e.scope), axis)
			if len(f.Terms) == 0 {
				err = e.errorf("I005", at.Span, "the index %d leaves %s, whose axis has size %s", n, x.Name, axis)
			}
		case v == refuted && len(r.eq)+len(r.ge) > 0:
			err = e.errorf("I005", at.Span, "%s leaves %s, whose axis has size %s, for some values of the indices, whatever the sizes are", what, x.Name, axis)
		case v == refuted && i == 0:
			err = e.errorf("I005", at.Span, "%s leaves %s: it gets as low as %s", what, x.Name, extreme(f, e.sizes, true))
		case v == refuted:
			err = e.errorf("I005", at.Span, "%s leaves %s: it gets as high as %s, and the axis has size %s", what, x.Name, extreme(f, e.sizes, false), axis)
		case v == open:
			err.Message += ", or cannot be proved not to"
		}
		e.fail(err.Helpf("%s", e.rangeHelp(x, at, axis, v == refuted && point == nil, i == 0)))
	}
}

// rangeHelp says what may be done about an access that leaves its axis, at its low end or at its
// high one; symbolic says that it does so whatever the sizes are.
func (e *elaborator) rangeHelp(x, at *index.Expr, axis size.Size, symbolic, low bool) string {
	if !symbolic {
		return fmt.Sprintf("bound the sums around it, or give %s its size: %s", e.def.Name.Name, index.PrintDefinition(sized(e.def)))
	}
	what := e.text(at, "the index")
	if low {
		return fmt.Sprintf("indices count from 0; a condition as a factor leaves entries out: [0 <= %s]", what)
	}
	return fmt.Sprintf("the last of %s is at %s; bound the index, or leave entries out by a condition as a factor: [%s < %s]", x.Name, axis.Sub(size.Const(1)), what, axis)
}

// sized shows the head of a definition with sizes.
func sized(d *index.Definition) *index.Definition {
	out := &index.Definition{Name: d.Name, Expr: index.Ident("...")}
	for _, x := range d.Indices {
		if x.Size == nil {
			x.Size = index.Ident("n")
		}
		out.Indices = append(out.Indices, x)
	}
	return out
}

// numeric reports whether a claim is about numbers alone.
func (e *elaborator) numeric(f einsum.Affine) bool {
	r := e.region()
	for _, v := range r.connected(f) {
		if _, ok := e.sizes[v].Int(); !ok {
			return false
		}
	}
	_, ok := f.Off.Int()
	return ok
}

// split reads an access with a symbolic stride, x[M*i + j], as one into x with that axis
// made two: x[i; j] where 0 <= j < M.
func (e *elaborator) split(x, at *index.Expr, f factor, form linear) factor {
	var stride size.Monomial
	for v := range form.coef {
		c := form.coef[v]
		ms := c.Monomials()
		if _, whole := c.Int(); whole {
			continue
		}
		if len(ms) != 1 || len(stride.Symbols) > 0 && !slices.Equal(stride.Symbols, ms[0].Symbols) {
			e.notAffine(at, form)
		}
		stride = ms[0]
	}
	if len(stride.Symbols) == 0 {
		e.notAffine(at, form)
	}
	quot, rest := linear{}, linear{}
	add := func(k size.Size, l linear) {
		for _, m := range k.Monomials() {
			if !m.Coef.IsInt64() {
				e.notAffine(at, form)
			}
			c := size.Const(m.Coef.Int64())
			if others, ok := divide(m.Symbols, stride.Symbols); ok {
				quot = quot.plus(c.Mul(symbolProduct(others)), l)
			} else {
				rest = rest.plus(c.Mul(symbolProduct(m.Symbols)), l)
			}
		}
	}
	for v, c := range form.coef {
		add(c, linearOf(einsum.Variable(v)))
	}
	add(form.off, constantForm(size.Const(1)))
	major, okMajor := quot.affine()
	minor, okMinor := rest.affine()
	m := symbolProduct(stride.Symbols)
	axis := len(f.index)
	shape := f.node.Shape()
	rows := size.Size{}
	okAxis := true
	for _, t := range shape[axis].Monomials() {
		others, ok := divide(t.Symbols, stride.Symbols)
		okAxis = okAxis && ok && t.Coef.IsInt64()
		if okAxis {
			rows = rows.Add(size.Const(t.Coef.Int64()).Mul(symbolProduct(others)))
		}
	}
	r := e.region()
	fits := func(f einsum.Affine, n size.Size) bool {
		low, _ := r.prove(f)
		high, _ := r.prove(einsum.Affine{Off: n.Sub(size.Const(1))}.Plus(-1, f))
		return low == proved && high == proved
	}
	if !okMajor || !okMinor || !okAxis || !fits(minor, m) {
		e.notAffine(at, form)
	}
	e.inRange(x, at, major, rows)
	f.node = e.store.Split(axis, rows, m, f.node)
	f.index = append(f.index, major, minor)
	return f
}

// divide takes the symbols of b out of a.
func divide(a, b []string) ([]string, bool) {
	a = slices.Clone(a)
	for _, s := range b {
		i := slices.Index(a, s)
		if i < 0 {
			return nil, false
		}
		a = slices.Delete(a, i, i+1)
	}
	return a, true
}

func symbolProduct(symbols []string) size.Size {
	out := size.Const(1)
	for _, s := range symbols {
		out = out.Mul(size.Sym(s))
	}
	return out
}
