package elab

import (
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/syntax"
)

// An array of whole numbers, `declare i[m] index(n)`, is known by its 0/1 matrix R[k,p] = [i[k] = p]. What it picks and
// where it adds are contractions with R, so that their laws and derivatives are those of contractions:
//
//	X[i, :]        sum over p of R[k,p]*X[p,a]
//	scatter(Y, i)  sum over k of R[k,p]*Y[k,a]

// array is the matrix of an array of whole numbers, i or i[1:]; nil where x is something else.
func (e *elaborator) array(x *syntax.Expr) *value {
	switch x.Op {
	case syntax.OpName:
		if n := e.names[x.Name]; n != nil && n.kind == variable && n.decl.Bounds() > 0 {
			return e.valueOf(x, n)
		}
	case syntax.OpIndex:
		if a := e.array(x.Args[0]); a != nil {
			return e.picks(&syntax.Expr{Op: x.Op, Args: append(x.Args[:len(x.Args):len(x.Args)], wholes(1)...), Span: x.Span, At: x.At}, a)
		}
	}
	return nil
}

// arrays are the matrices of the arrays xs, which have the axes of the first; another one is an error.
func (e *elaborator) arrays(xs []*syntax.Expr) (all []*value) {
	for _, x := range xs {
		r := e.array(x)
		if r == nil {
			e.fail(e.errorf("T019", x.Span, "%s is no array of whole numbers", e.text(x, "this")).
				Helpf("it is declared as i[m] index(n): m whole numbers from 0 to n - 1"))
		}
		e.beside(all, r)
		all = append(all, r)
	}
	return all
}

// beside checks that an array has the axes of those before.
func (e *elaborator) beside(all []*value, r *value) {
	if len(all) == 0 {
		return
	}
	a := all[0]
	for k := range max(a.order(), r.order()) - 1 {
		if a.order() != r.order() || !e.unify(a.axes[k], r.axes[k]) {
			e.fail(e.errorf("T019", r.expr.Span, "%s and %s pick pairs, but they have axes of different sizes", e.text(a.expr, "an array"), e.text(r.expr, "another")).
				Helpf("rows and columns apart are X[i, :][:, j]"))
		}
	}
}

// onehot types onehot(i): the matrix itself.
func (e *elaborator) onehot(x *syntax.Expr) *value {
	r := *e.arrays(x.Args)[0]
	r.expr = x
	return &r
}

// scatter types scatter(Y, i, ..): the sum of the parts Y[k, ..] at place i[k].
func (e *elaborator) scatter(x *syntax.Expr) *value {
	a, all := e.expr(x.Args[0]), e.arrays(x.Args[1:])
	k := all[0].order() - 1
	for at := range k {
		if a.order() < k || !e.unify(a.axes[at], all[0].axes[at]) {
			e.fail(e.errorf("T019", x.Args[0].Span, "the first axes of %s are those of %s: one part for each of its numbers", e.text(a.expr, "what is scattered"), e.text(all[0].expr, "the array")))
		}
	}
	v := &value{expr: x}
	for _, r := range all {
		v.axes = append(v.axes, r.axes[k])
	}
	v.axes = append(v.axes, a.axes[k:]...)
	v.build = func() *node {
		n := a.get()
		vars := append(n.Shape()[:n.Order():n.Order()], e.shape(v.axes[:len(all)])...)
		in, nodes := []einsum.Access{{Shape: n.Shape(), Index: variables(n.Order())}}, []*node{n}
		var out []einsum.Affine
		for i, r := range all {
			p := einsum.Variable(n.Order() + i)
			m := r.get()
			in, nodes = append(in, einsum.Access{Shape: m.Shape(), Index: append(variables(k), p)}), append(nodes, m)
			out = append(out, p)
		}
		out = append(out, variables(n.Order())[k:]...)
		return e.contraction(vars, in, einsum.Access{Shape: e.shape(v.axes), Index: out}, nodes...)
	}
	return v
}

// A picking collects the variables of a contraction that picks entries, and its operands.
type picking struct {
	vars  []size.Size
	in    []einsum.Access
	nodes []*node
	out   []einsum.Affine
	rows  []einsum.Affine // of the arrays
}

// variable is a new one of the given size.
func (p *picking) variable(d size.Size) einsum.Affine {
	p.vars = append(p.vars, d)
	return einsum.Variable(len(p.vars) - 1)
}

// array is the place that an array with matrix r picks; the axes of the first one are axes of the result.
func (p *picking) array(r *node) einsum.Affine {
	last := r.Order() - 1
	if len(p.nodes) == 0 {
		for _, d := range r.Shape()[:last] {
			p.rows = append(p.rows, p.variable(d))
		}
		p.out = append(p.out, p.rows...)
	}
	at := p.variable(r.Shape()[last])
	p.in = append(p.in, einsum.Access{Shape: r.Shape(), Index: append(p.rows[:last:last], at)})
	p.nodes = append(p.nodes, r)
	return at
}
