package elab

import (
	"math/big"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/syntax"
)

// matfun types matfun(f, A, H, ..): a function of matrices by a function of numbers.
func (e *elaborator) matfun(x *syntax.Expr) *value {
	f := x.Args[0]
	k := -1
	if f.Op == syntax.OpName {
		k = atom.MatrixFunctionNamed(f.Name)
	}
	if k < 0 {
		e.fail(e.errorf("T008", f.Span, "matfun takes the name of a function of one number, as in matfun(exp, A)"))
	}
	args := make([]*value, len(x.Args)-1)
	for i, a := range x.Args[1:] {
		args[i] = e.expr(a)
	}
	return e.ofMatrices(x, k, args)
}

// ofMatrices types the function of matrices with a number, or its derivative along directions: args has the matrix, then these.
func (e *elaborator) ofMatrices(x *syntax.Expr, k int, args []*value) *value {
	a := e.squares(x, args[0])
	v := &value{expr: x, axes: a.axes}
	for i, h := range args[1:] {
		h = e.ordered(h, len(v.axes))
		if h.order() < len(v.axes) {
			e.fail(e.errorf("T005", x.At, "the direction %s of %s has order %d, and is to have %d", e.text(h.expr, "H"), x.Name, h.order(), len(v.axes)).Note(h.expr.Span, "order %d", h.order()))
		}
		for j, p := range v.axes {
			if p, q := p.find(), h.axes[j].find(); !e.unify(p, q) {
				err := e.errorf("T012", x.At, "sizes differ in %s: %s has size %s and the direction %s has %s", x.Name, e.text(a.expr, "the matrix"), e.describeSize(p), e.text(h.expr, "H"), e.describeSize(q))
				e.noteOrigins(err, e.originOf(a, p), e.originOf(h, q))
				e.fail(e.helpSizes(err, p, q))
			}
		}
		args[i+1], v.axes = h, h.axes
	}
	v.build = func() *node {
		nodes := []*node{a.get()}
		if atom.MatrixFunction(k).OfMatrices() == "" {
			nodes[0] = e.symmetricPart(a)
		}
		for _, h := range args[1:] {
			nodes = append(nodes, h.get())
		}
		return e.store.Apply(atom.Matfun[len(nodes)-1], k, nodes...)
	}
	return v
}

// spectral types functions of a matrix by its eigenvalues, factors or singular values. All but pinv are of its symmetric part, by their rows.
func (e *elaborator) spectral(x *syntax.Expr, arg *value) *value {
	at := atom.Named(x.Name)
	a := arg
	if at != atom.Pinv {
		a = e.squares(x, arg)
	} else if a = e.ordered(arg, 2); a.order() < 2 {
		e.noMatrix(x, a)
	}
	n := a.order()
	v := &value{expr: x, axes: a.axes, build: func() *node { return e.store.Apply(at, 0, a.get()) }}
	switch at {
	case atom.Eigvals:
		v.axes = a.axes[:n-1]
	case atom.Pinv:
		v.axes = slices.Concat(a.axes[:n-2], []*axis{a.axes[n-1], a.axes[n-2]})
	}
	return v
}

// symmetricPart is (a + a')/2, and a itself where its form is symmetric, as is that of [0, B; B', 0].
func (e *elaborator) symmetricPart(v *value) *node {
	a := v.get()
	if rows := v.expr.Args; v.expr.Op == syntax.OpBlocks && len(rows) == 2 && len(rows[0].Args) == 2 && len(rows[1].Args) == 2 {
		b, c := rows[0].Args[1], rows[1].Args[0]
		if rows[0].Args[0].Op == syntax.OpNum && rows[1].Args[1].Op == syntax.OpNum && syntax.Print(c) == syntax.Print(syntax.Transpose(b)) {
			return a
		}
	}
	if a.IsTransposed(1) {
		return a
	}
	n := a.Order()
	perm := einsum.UpTo(n)
	perm[n-2], perm[n-1] = n-1, n-2
	return e.store.Scale(e.store.Const(big.NewRat(1, 2)), e.store.Add(a, e.permuted(a, perm)))
}

// realPower types matpow(A, r) for a number r that is not whole: exp(r log A).
func (e *elaborator) realPower(x *syntax.Expr, a, r *value) *value {
	function := func(name string, n *node) *node {
		return e.store.Apply(atom.Matfun[0], atom.MatrixFunctionNamed(name), n)
	}
	return &value{expr: x, axes: a.axes, build: func() *node {
		if r.rat != nil && r.rat.Cmp(big.NewRat(1, 2)) == 0 {
			return function("sqrt", a.get())
		}
		return function(atom.Exp.Name, e.store.Scale(r.get(), function(atom.Log.Name, a.get())))
	}}
}
