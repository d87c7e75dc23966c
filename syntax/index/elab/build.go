package elab

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/syntax/index"
)

// Build makes the value of a definition of the given shape, over the nodes of its
// arguments. Every access is proved in range first; claims that size symbols leave open
// are returned. Errors are *[syntax.Error].
func Build(def *index.Definition, env Env, shape []size.Size, store *combinators.Store, arg func(name string) *combinators.Node) (n *combinators.Node, open []Assumption, err error) {
	defer catch(&err)
	e := newElaborator(def, env)
	e.store, e.node = store, arg
	e.declareIndices(shape)
	v := e.value(def.Expr)
	n = e.tensor(v, upTo(len(shape)))
	return n, e.open, nil
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// value is a sum of products, each a contraction in the making:
//
//	coef * sum over sums of factor1[index] * factor2[index] * ...   where eq, ge hold
type value []product

type product struct {
	coef    *big.Rat
	factors []factor
	sums    []int
	eq, ge  []einsum.Affine
}

type factor struct {
	node  *node
	index []einsum.Affine
}

var one = big.NewRat(1, 1)

func number(r *big.Rat) value { return value{{coef: r}} }

// constant is the number that a value is.
func (v value) constant() (*big.Rat, bool) {
	sum := new(big.Rat)
	for _, p := range v {
		if len(p.factors)+len(p.sums)+len(p.eq)+len(p.ge) > 0 {
			return nil, false
		}
		sum.Add(sum, p.coef)
	}
	return sum, true
}

// free are the variables that a value depends on, sorted.
func (v value) free() (out []int) {
	for _, p := range v {
		add := func(forms []einsum.Affine) {
			for _, a := range forms {
				for _, t := range a.Terms {
					if !slices.Contains(p.sums, t.Var) && !slices.Contains(out, t.Var) {
						out = append(out, t.Var)
					}
				}
			}
		}
		for _, f := range p.factors {
			add(f.index)
		}
		add(p.eq)
		add(p.ge)
	}
	slices.Sort(out)
	return out
}

func (v value) scale(r *big.Rat) value {
	out := slices.Clone(v)
	for i := range out {
		out[i].coef = new(big.Rat).Mul(r, out[i].coef)
	}
	return out
}

// tensor is the value as a node over the variables of axes. Where its products pick
// entries, they do so on the points only that the walk is on, as far as these are told
// apart by the axes: elsewhere a function might have no finite value, and its
// derivative would reach the entry.
func (e *elaborator) tensor(v value, axes []int) *node {
	shape := make([]size.Size, len(axes))
	for i, a := range axes {
		shape[i] = e.sizes[a]
	}
	if r, ok := v.constant(); ok {
		return e.store.Fill(r, shape)
	}
	var sum *node
	for _, p := range v {
		n := e.contraction(p, axes, shape)
		if sum == nil {
			sum = n
		} else {
			sum = e.store.Add(sum, n)
		}
	}
	return sum
}

func (e *elaborator) contraction(p product, axes []int, shape []size.Size) *node {
	vars := append(slices.Clone(axes), p.sums...)
	eq, ge := slices.Clone(p.eq), slices.Clone(p.ge)
	for _, c := range e.around(vars) {
		if !slices.ContainsFunc(ge, func(d einsum.Affine) bool { return same(c, d) }) {
			ge = append(ge, c)
		}
	}
	to := map[int]int{}
	dims := make([]size.Size, len(vars))
	for i, v := range vars {
		to[v], dims[i] = i, e.sizes[v]
	}
	rename := func(as []einsum.Affine) []einsum.Affine {
		out := make([]einsum.Affine, len(as))
		for i, a := range as {
			b := einsum.Affine{Off: a.Off}
			for _, t := range a.Terms {
				b = b.Plus(t.Coef, einsum.Variable(to[t.Var]))
			}
			out[i] = b
		}
		return out
	}
	var in []einsum.Access
	var args []*node
	if !p.coef.IsInt() || p.coef.Cmp(one) != 0 {
		in, args = append(in, einsum.Access{}), append(args, e.store.Const(p.coef))
	}
	for _, f := range p.factors {
		in = append(in, einsum.Access{Shape: f.node.Shape(), Index: rename(f.index)})
		args = append(args, f.node)
	}
	if len(args) == 1 && len(vars) == 0 && len(eq)+len(ge) == 0 && args[0].Order() == 0 {
		return args[0]
	}
	out := einsum.Access{Shape: shape, Index: rename(variables(axes))}
	c, err := einsum.New(dims, in, out, rename(eq), rename(ge))
	if err != nil {
		panic(err) // the variables are our own
	}
	return e.store.Ein(c.Solve(), args...)
}

func variables(vs []int) []einsum.Affine {
	out := make([]einsum.Affine, len(vs))
	for i, v := range vs {
		out[i] = einsum.Variable(v)
	}
	return out
}

// around are the conditions that hold where the walk is, on the given variables alone.
func (e *elaborator) around(vars []int) []einsum.Affine {
	if len(e.eq)+len(e.ge) == 0 {
		return nil
	}
	var gone []int
	for _, a := range append(slices.Clone(e.eq), e.ge...) {
		for _, t := range a.Terms {
			if !slices.Contains(vars, t.Var) && !slices.Contains(gone, t.Var) {
				gone = append(gone, t.Var)
			}
		}
	}
	rows, _ := e.region().eliminate(gone)
	return slices.DeleteFunc(rows, func(a einsum.Affine) bool { return len(a.Terms) == 0 })
}

// value builds an expression. It recurses as deep as the text is nested, which the
// lexer has bounded.
func (e *elaborator) value(x *index.Expr) value {
	switch x.Op {
	case index.Num:
		return number(x.Num)
	case index.Name:
		return e.name(x)
	case index.Access:
		return e.entry(x)
	case index.Call:
		return e.call(x)
	case index.Neg:
		return e.value(x.Args[0]).scale(big.NewRat(-1, 1))
	case index.Power:
		return e.power(x)
	case index.Sum:
		out := slices.Clone(e.value(x.Args[0]))
		for _, s := range x.Steps {
			b := e.value(s.Arg)
			if s.Op == '-' {
				b = b.scale(big.NewRat(-1, 1))
			}
			out = append(out, b...)
		}
		return out
	case index.Product:
		return e.product(x)
	case index.Total:
		return e.total(x)
	case index.If:
		return e.conditional(x)
	}
	return e.where(x.Rels, func() value { return number(one) })
}

// name is an index as a number, a size, or a tensor of order 0.
func (e *elaborator) name(x *index.Expr) value {
	if f, ok := e.scope[x.Name]; ok {
		return e.count(f)
	}
	if s, ok := e.env.Size(x.Name); ok {
		if n, ok := s.Int(); ok {
			return number(big.NewRat(n, 1))
		}
		return value{{coef: one, factors: []factor{{node: e.store.SizeOf(s)}}}}
	}
	return e.entry(x)
}

// count is an affine form as a number: the number of r with 0 <= r < f, for each of
// the variables and the offset. Indices are at least 0, so that is their value.
func (e *elaborator) count(f einsum.Affine) value {
	var out value
	for _, t := range f.Terms {
		r := e.declare("", e.sizes[t.Var], true)
		out = append(out, product{coef: big.NewRat(t.Coef, 1), sums: []int{r},
			ge: []einsum.Affine{{Off: size.Const(-1)}, einsum.Variable(t.Var).Plus(-1, einsum.Variable(r))}})
		last := &out[len(out)-1]
		last.ge = []einsum.Affine{last.ge[1].Plus(1, last.ge[0])} // v - r - 1 >= 0
	}
	if f.Off != (size.Size{}) || len(out) == 0 {
		if n, ok := f.Off.Int(); ok {
			out = append(out, product{coef: big.NewRat(n, 1)})
		} else {
			out = append(out, product{coef: one, factors: []factor{{node: e.store.SizeOf(f.Off)}}})
		}
	}
	return out
}

// entry is an access, proved in range.
func (e *elaborator) entry(x *index.Expr) value {
	e.access(x)
	f := factor{node: e.node(x.Name)}
	for _, a := range x.Args {
		form := e.form(a)
		if g, ok := form.affine(); ok {
			f.index = append(f.index, g)
			e.inRange(x, a, g, f.node.Shape()[len(f.index)-1])
			continue
		}
		f = e.split(x, a, f, form)
	}
	return value{{coef: one, factors: []factor{f}}}
}

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
			e.open = append(e.open, Assumption{e.text(x, x.Name) + " is in range", at.Span})
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
		case v == refuted && i == 0:
			err = e.errorf("I005", at.Span, "%s leaves %s: it gets as low as %s", what, x.Name, extreme(f, e.sizes, true))
		case v == refuted:
			err = e.errorf("I005", at.Span, "%s leaves %s: it gets as high as %s, and the axis has size %s", what, x.Name, extreme(f, e.sizes, false), axis)
		case v == open:
			err.Message += ", or cannot be proved not to"
		}
		e.fail(err.Helpf("bound the sums around it, or give %s its size: %s", e.def.Name.Name, index.PrintDefinition(sized(e.def))))
	}
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
				quot = quot.plus(c.Mul(product1(others)), l)
			} else {
				rest = rest.plus(c.Mul(product1(m.Symbols)), l)
			}
		}
	}
	for v, c := range form.coef {
		add(c, linearOf(einsum.Variable(v)))
	}
	add(form.off, constantForm(size.Const(1)))
	major, okMajor := quot.affine()
	minor, okMinor := rest.affine()
	m := product1(stride.Symbols)
	axis := len(f.index)
	shape := f.node.Shape()
	rows := size.Size{}
	okAxis := true
	for _, t := range shape[axis].Monomials() {
		others, ok := divide(t.Symbols, stride.Symbols)
		okAxis = okAxis && ok && t.Coef.IsInt64()
		if okAxis {
			rows = rows.Add(size.Const(t.Coef.Int64()).Mul(product1(others)))
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

func product1(symbols []string) size.Size {
	out := size.Const(1)
	for _, s := range symbols {
		out = out.Mul(size.Sym(s))
	}
	return out
}

// at is a node over the given variables as a value.
func at(n *node, axes []int) value {
	return value{{coef: one, factors: []factor{{n, variables(axes)}}}}
}

// mapped applies a function of nodes of one shape to values, over the variables that
// any of them has.
func (e *elaborator) mapped(f func(args ...*node) *node, args ...value) value {
	var all value
	for _, a := range args {
		all = append(all, a...)
	}
	axes := all.free()
	nodes := make([]*node, len(args))
	for i, a := range args {
		nodes[i] = e.tensor(a, axes)
	}
	return at(f(nodes...), axes)
}

func (e *elaborator) call(x *index.Expr) value {
	e.function(x)
	args := make([]value, len(x.Args))
	for i, a := range x.Args {
		args[i] = e.value(a)
	}
	switch {
	case x.Name == "sqrt":
		return e.powerOf(args[0], big.NewRat(1, 2))
	case x.Name == "square":
		return e.powerOf(args[0], big.NewRat(2, 1))
	case len(args) == 2:
		return e.mapped(func(a ...*node) *node { return e.store.Binary(x.Name, a[0], a[1]) }, args...)
	}
	return e.mapped(func(a ...*node) *node { return e.store.Unary(x.Name, a[0]) }, args...)
}

func (e *elaborator) power(x *index.Expr) value {
	base, exponent := e.value(x.Args[0]), e.value(x.Args[1])
	r, ok := exponent.constant()
	if !ok {
		return e.mapped(func(a ...*node) *node { return e.store.Binary("pow", a[0], a[1]) }, base, exponent)
	}
	if b, ok := base.constant(); ok && r.IsInt() && r.Num().IsInt64() {
		if n := r.Num().Int64(); n >= 0 && n <= 1024 && (b.Num().BitLen()+b.Denom().BitLen())*int(n) < 1<<15 {
			return number(ratPow(b, n))
		}
	}
	return e.powerOf(base, r)
}

func ratPow(b *big.Rat, n int64) *big.Rat {
	num := new(big.Int).Exp(b.Num(), big.NewInt(n), nil)
	return new(big.Rat).SetFrac(num, new(big.Int).Exp(b.Denom(), big.NewInt(n), nil))
}

func (e *elaborator) powerOf(base value, r *big.Rat) value {
	if r.Cmp(one) == 0 {
		return base
	}
	return e.mapped(func(a ...*node) *node { return e.store.Power(a[0], r) }, base)
}

// product multiplies a chain. Its conditions hold while the other factors are read.
func (e *elaborator) product(x *index.Expr) value {
	var rels []index.Relation
	var rest []index.Step
	sign := one
	for i, a := range append([]*index.Expr{x.Args[0]}, stepArgs(x)...) {
		op := byte('*')
		if i > 0 {
			op = x.Steps[i-1].Op
		}
		if w, negative := condition(a); w != nil && op == '*' {
			rels = append(rels, w.Rels...)
			if negative {
				sign = new(big.Rat).Neg(sign)
			}
		} else {
			rest = append(rest, index.Step{Op: op, Arg: a})
		}
	}
	return e.where(rels, func() value {
		out := number(sign)
		for _, s := range rest {
			b := e.value(s.Arg)
			if s.Op == '/' {
				if r, ok := b.constant(); ok && r.Sign() != 0 {
					out = out.scale(new(big.Rat).Inv(r))
					continue
				}
				b = e.powerOf(b, big.NewRat(-1, 1))
			}
			out = e.times(out, b)
		}
		return out
	})
}

// condition is the condition that x is, perhaps with a sign: -[i = j].
func condition(x *index.Expr) (w *index.Expr, negative bool) {
	for x.Op == index.Neg {
		x, negative = x.Args[0], !negative
	}
	if x.Op != index.Where {
		return nil, false
	}
	return x, negative
}

func stepArgs(x *index.Expr) []*index.Expr {
	out := make([]*index.Expr, len(x.Steps))
	for i, s := range x.Steps {
		out[i] = s.Arg
	}
	return out
}

// times multiplies two values. Products of accesses join; a sum of several is a node
// first, and so is a sum over indices that is multiplied by another one.
func (e *elaborator) times(a, b value) value {
	if r, ok := a.constant(); ok {
		return b.scale(r)
	}
	if r, ok := b.constant(); ok {
		return a.scale(r)
	}
	p, q := e.single(a), e.single(b)
	if len(p.sums) > 0 && len(q.sums) > 0 || len(p.factors)+len(q.factors) > maxFactors {
		p, q = e.summed(p), e.summed(q)
	}
	return value{{
		coef:    new(big.Rat).Mul(p.coef, q.coef),
		factors: slices.Concat(p.factors, q.factors),
		sums:    slices.Concat(p.sums, q.sums),
		eq:      slices.Concat(p.eq, q.eq),
		ge:      slices.Concat(p.ge, q.ge),
	}}
}

// maxFactors bounds how wide one contraction gets.
const maxFactors = 32

func (e *elaborator) single(v value) product {
	if len(v) == 1 {
		return v[0]
	}
	axes := v.free()
	return at(e.tensor(v, axes), axes)[0]
}

// summed is a product with its sums done.
func (e *elaborator) summed(p product) product {
	axes := value{p}.free()
	return at(e.tensor(value{p}, axes), axes)[0]
}

// total builds sum{k}_lo^hi (body): each term of the body is summed for itself.
func (e *elaborator) total(x *index.Expr) value {
	eq, ge := len(e.eq), len(e.ge)
	back := e.bind(x, false)
	v := len(e.vars) - 1
	equalities, conditions := slices.Clone(e.eq[eq:]), slices.Clone(e.ge[ge:])
	body := e.value(x.Args[2])
	back()
	out := make(value, len(body))
	for i, p := range body {
		p.sums = append(slices.Clip(p.sums), v)
		p.eq = append(slices.Clip(p.eq), equalities...)
		p.ge = append(slices.Clip(p.ge), conditions...)
		out[i] = p
	}
	return out
}

// conditional builds if {a = b} then x else y, the else part on either side of a = b.
func (e *elaborator) conditional(x *index.Expr) value {
	r := x.Rels[0]
	branch := func(k int, op string) value {
		if x.Args[k].Op == index.Num && x.Args[k].Num.Sign() == 0 {
			return nil
		}
		r.Op = op
		return e.where([]index.Relation{r}, func() value { return e.value(x.Args[k]) })
	}
	out := branch(0, r.Op)
	for _, op := range map[string][]string{"=": {"<", ">"}, "<": {">="}, ">": {"<="}, "<=": {">"}, ">=": {"<"}}[x.Rels[0].Op] {
		out = append(slices.Clip(out), branch(1, op)...)
	}
	if out == nil {
		return number(new(big.Rat))
	}
	return out
}

// where builds a value under conditions: it is read where they hold, and 0 elsewhere.
func (e *elaborator) where(rels []index.Relation, build func() value) value {
	if len(rels) == 0 {
		return build()
	}
	neq, nge := len(e.eq), len(e.ge)
	for _, r := range rels {
		d := e.mustAffine(r.Left).Plus(-1, e.mustAffine(r.Right))
		less := einsum.Affine{Off: size.Const(-1)}
		switch r.Op {
		case "=":
			e.eq = append(e.eq, d)
		case ">=":
			e.ge = append(e.ge, d)
		case "<=":
			e.ge = append(e.ge, scale(-1, d))
		case ">":
			e.ge = append(e.ge, less.Plus(1, d))
		case "<":
			e.ge = append(e.ge, less.Plus(-1, d))
		}
	}
	eq, ge := slices.Clone(e.eq[neq:]), slices.Clone(e.ge[nge:])
	out := build()
	e.eq, e.ge = e.eq[:neq], e.ge[:nge]
	res := make(value, len(out))
	for i, p := range out {
		p.eq = append(slices.Clip(p.eq), eq...)
		p.ge = append(slices.Clip(p.ge), ge...)
		res[i] = p
	}
	return res
}

// Names lists the tensors that a definition accesses, in order of appearance.
func Names(def *index.Definition) (out []*index.Expr) {
	seen := map[string]bool{}
	for _, x := range def.Indices {
		seen[x.Name] = true
	}
	var walk func(x *index.Expr, bound []string)
	walk = func(x *index.Expr, bound []string) {
		switch {
		case x.Op == index.Total:
			walk(x.Args[2], append(slices.Clip(bound), x.Name))
			return
		case x.Op == index.Access || x.Op == index.Name:
			if !seen[x.Name] && !slices.Contains(bound, x.Name) {
				seen[x.Name] = true
				out = append(out, x)
			}
			return
		}
		for _, a := range x.Args {
			walk(a, bound)
		}
		for _, s := range x.Steps {
			walk(s.Arg, bound)
		}
	}
	walk(def.Expr, nil)
	return out
}
