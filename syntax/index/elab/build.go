package elab

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
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
	n = e.tensor(v, einsum.UpTo(len(shape)))
	return n, e.open, nil
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
	nodes := lists.Map(args, func(a value) *node { return e.tensor(a, axes) })
	return at(f(nodes...), axes)
}

func (e *elaborator) call(x *index.Expr) value {
	e.function(x)
	args := lists.Map(x.Args, e.value)
	f, _ := e.functionNamed(x.Name)
	if f.Power != nil {
		return e.powerOf(args[0], f.Power)
	}
	return e.mapped(func(a ...*node) *node { return e.store.Call(f, a...) }, args...)
}

func (e *elaborator) power(x *index.Expr) value {
	base, exponent := e.value(x.Args[0]), e.value(x.Args[1])
	r, ok := exponent.constant()
	if !ok {
		return e.mapped(func(a ...*node) *node { return e.store.Binary(atom.Pow, a[0], a[1]) }, base, exponent)
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
	return e.mapped(func(a ...*node) *node { return e.store.Raised(a[0], r) }, base)
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
	return lists.Map(x.Steps, func(s index.Step) *index.Expr { return s.Arg })
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
	for _, op := range map[string][]string{"=": {"!="}, "!=": {"="}, "<": {">="}, ">": {"<="}, "<=": {">"}, ">=": {"<"}}[x.Rels[0].Op] {
		out = append(slices.Clip(out), branch(1, op)...)
	}
	if out == nil {
		return number(new(big.Rat))
	}
	return out
}

// eitherSide builds a value where left and right of relation k differ: below and above are sets of their own.
func (e *elaborator) eitherSide(rels []index.Relation, k int, build func() value) value {
	if e.sides++; e.sides > maxSides {
		e.fail(e.errorf("L003", rels[k].At, "there are more than %d conditions with != around one value", maxSides))
	}
	var out value
	for _, op := range []string{"<", ">"} {
		side := slices.Clone(rels)
		side[k].Op = op
		out = append(slices.Clip(out), e.where(side, build)...)
	}
	e.sides--
	return out
}

// maxSides bounds the conditions with != around a value, of which each doubles the sets.
const maxSides = 8

// where builds a value under conditions: it is read where they hold, and 0 elsewhere.
func (e *elaborator) where(rels []index.Relation, build func() value) value {
	if len(rels) == 0 {
		return build()
	}
	if k := slices.IndexFunc(rels, func(r index.Relation) bool { return r.Op == "!=" }); k >= 0 {
		return e.eitherSide(rels, k, build)
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
