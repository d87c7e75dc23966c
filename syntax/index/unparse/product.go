package unparse

import (
	"fmt"
	"math/big"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/syntax"
	"frechet/syntax/index"
)

// factors is a product in the making.
type factors struct {
	coef  *big.Rat // nil is 1
	above []*index.Expr
	below []*index.Expr
}

func (p *factors) number(r *big.Rat) {
	if p.coef == nil {
		p.coef = big.NewRat(1, 1)
	}
	p.coef = new(big.Rat).Mul(p.coef, r)
}

// times adds a factor; signs go to the number, and the parts of a product are factors
// themselves.
func (p *factors) times(x *index.Expr) {
	if y, negative := unsigned(x); negative {
		p.number(big.NewRat(-1, 1))
		x = y
	}
	if x.Op == index.Num {
		p.number(x.Num)
		return
	}
	if x.Op == index.Product && x.Args[0].Op == index.Num && x.Steps[0].Op == '*' {
		p.number(x.Args[0].Num)
		head, rest := x.Steps[0].Arg, x.Steps[1:]
		x = head
		if len(rest) > 0 {
			x = &index.Expr{Op: index.Product, Args: []*index.Expr{head}, Steps: rest}
		}
	}
	if x.Op == index.Product && isOne(x.Args[0]) && !slices.ContainsFunc(x.Steps, func(s index.Step) bool { return s.Op != '/' }) {
		for _, s := range x.Steps { // 1/a
			p.below = append(p.below, s.Arg)
		}
		return
	}
	if x.Op == index.Product {
		p.times(x.Args[0])
		for _, s := range x.Steps {
			if s.Op == '/' {
				p.below = append(p.below, s.Arg)
			} else {
				p.times(s.Arg)
			}
		}
		return
	}
	p.above = append(p.above, x)
}

// place is where a factor stands: conditions, pi and functions of numbers, all others.
func place(x *index.Expr) int {
	switch {
	case x.Op == index.Where:
		return 0
	case numeric(x):
		return 1
	}
	return 2
}

// numeric reports whether x is made of numbers alone.
func numeric(x *index.Expr) bool {
	switch x.Op {
	case index.Num:
		return true
	case index.Name:
		return x.Name == syntax.Pi
	case index.Call, index.Power:
		return !slices.ContainsFunc(x.Args, func(a *index.Expr) bool { return !numeric(a) })
	}
	return false
}

// expr writes the product: conditions and the number first, the sign in front.
func (p *factors) expr() *index.Expr {
	coef, negative := p.coef, false
	if coef != nil && coef.Sign() == 0 {
		return index.Int(0) // a factor without a single point; nothing is read
	}
	if coef != nil && coef.Sign() < 0 {
		coef, negative = new(big.Rat).Neg(coef), true
	}
	var x *index.Expr
	put := func(y *index.Expr) {
		if x == nil {
			x = y
			return
		}
		x = index.Chain('*', x, y)
	}
	one := coef == nil || coef.Cmp(big.NewRat(1, 1)) == 0
	den := false
	if !one && !coef.IsInt() && coef.Num().IsInt64() && coef.Num().Int64() == 1 && len(p.above) > 0 {
		den = true // x/3 rather than 1/3 * x
	} else if !one {
		put(index.Number(coef))
	}
	above := squared(p.above)
	slices.SortStableFunc(above, func(a, b *index.Expr) int { return place(a) - place(b) })
	for _, y := range above {
		if y.Op == index.Product && x != nil {
			// the chain goes on: a * (b * c) is a * b * c
			put(y.Args[0])
			for _, s := range y.Steps {
				x = index.Chain(s.Op, x, s.Arg)
			}
			continue
		}
		put(y)
	}
	if x == nil {
		x = index.Int(1)
	}
	if den {
		x = index.Chain('/', x, index.Number(new(big.Rat).SetInt(coef.Denom())))
	}
	for _, y := range squared(p.below) {
		x = index.Chain('/', x, y)
	}
	if negative {
		return minus(x)
	}
	return x
}

// minus writes -x, the sign at the first factor of a product.
func minus(x *index.Expr) *index.Expr {
	if x.Op != index.Product {
		return index.Minus(x)
	}
	return &index.Expr{Op: index.Product, Args: []*index.Expr{minus(x.Args[0])}, Steps: x.Steps}
}

// unsigned takes the sign off x.
func unsigned(x *index.Expr) (*index.Expr, bool) {
	switch x.Op {
	case index.Neg:
		return x.Args[0], true
	case index.Product:
		if head, ok := unsigned(x.Args[0]); ok {
			return &index.Expr{Op: index.Product, Args: []*index.Expr{head}, Steps: x.Steps}, true
		}
	}
	return x, false
}

// squared joins equal factors to powers, and conditions to one.
func squared(xs []*index.Expr) (out []*index.Expr) {
	count := map[*index.Expr]int64{}
	var where *index.Expr
	for _, x := range xs {
		if x.Op == index.Where {
			if where == nil {
				where = &index.Expr{Op: index.Where}
				out = append(out, where)
			}
			where.Rels = append(where.Rels, x.Rels...)
			continue
		}
		if i := slices.IndexFunc(out, func(y *index.Expr) bool { return y.Op != index.Power && index.Equal(x, y) }); i >= 0 {
			count[out[i]]++
			continue
		}
		out = append(out, x)
	}
	for i, x := range out {
		if n := count[x]; n > 0 {
			out[i] = index.Pow(x, index.Int(n+1))
		}
	}
	return out
}

// add writes a + b, a difference where one side is negative.
func add(a, b *index.Expr) *index.Expr {
	switch {
	case isZero(a):
		return b
	case isZero(b):
		return a
	}
	if _, first := unsigned(a); first {
		if _, second := unsigned(b); !second {
			a, b = b, a
		}
	}
	if y, negative := unsigned(b); negative {
		return extend(a, '-', y)
	}
	if x := twice(a, b); x != nil {
		return x
	}
	if b.Op == index.Sum {
		x := add(a, b.Args[0])
		for _, s := range b.Steps {
			x = extend(x, s.Op, s.Arg)
		}
		return x
	}
	return extend(a, '+', b)
}

const maxCompared = 64 // addends that are compared with one more

// twice is a + b where b stands in a already, 2*b + .. for b + .. + b; else nil. What is equal need not be
// one value: contractions differ where their formulas do not.
func twice(a, b *index.Expr) *index.Expr {
	coef, core := numbered(b)
	merge := func(x *index.Expr) *index.Expr {
		c, y := numbered(x)
		if !index.Equal(y, core) || y.Op == index.Num {
			return nil
		}
		p := factors{}
		p.number(c)
		p.number(new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).Quo(coef, c)))
		p.times(y)
		return p.expr()
	}
	switch {
	case a.Op != index.Sum:
		return merge(a)
	case len(a.Steps) > maxCompared:
		return nil
	}
	terms := append([]index.Step{{Op: '+', Arg: a.Args[0]}}, a.Steps...)
	for i, s := range terms {
		if s.Op != '+' {
			continue
		}
		if x := merge(s.Arg); x != nil {
			terms[i].Arg = x
			return &index.Expr{Op: index.Sum, Args: []*index.Expr{terms[0].Arg}, Steps: terms[1:]}
		}
	}
	return nil
}

// numbered takes the number off a product of it.
func numbered(x *index.Expr) (*big.Rat, *index.Expr) {
	if x.Op != index.Product || x.Args[0].Op != index.Num || x.Args[0].Num.Sign() <= 0 || x.Steps[0].Op != '*' {
		return big.NewRat(1, 1), x
	}
	if len(x.Steps) == 1 {
		return x.Args[0].Num, x.Steps[0].Arg
	}
	return x.Args[0].Num, &index.Expr{Op: index.Product, Args: []*index.Expr{x.Steps[0].Arg}, Steps: x.Steps[1:]}
}

// extend writes a + b or a - b; a number behind a number is added to it: i - 1 - 1 is i - 2.
func extend(a *index.Expr, op byte, b *index.Expr) *index.Expr {
	if last := len(a.Steps) - 1; a.Op == index.Sum && b.Op == index.Num && a.Steps[last].Arg.Op == index.Num {
		n := new(big.Rat).Set(a.Steps[last].Arg.Num)
		if a.Steps[last].Op == op {
			n.Add(n, b.Num)
		} else {
			n.Sub(n, b.Num)
		}
		sum := a.Args[0]
		for _, s := range a.Steps[:last] {
			sum = index.Chain(s.Op, sum, s.Arg)
		}
		switch op = a.Steps[last].Op; {
		case n.Sign() == 0:
			return sum
		case n.Sign() < 0:
			n.Neg(n)
			op = '+' + '-' - op
		}
		return index.Chain(op, sum, index.Number(n))
	}
	return index.Chain(op, a, b)
}

func isOne(x *index.Expr) bool {
	return x.Op == index.Num && x.Num.IsInt() && x.Num.Num().IsInt64() && x.Num.Num().Int64() == 1
}

func isZero(x *index.Expr) bool { return x.Op == index.Num && x.Num.Sign() == 0 }

// power writes x to a constant.
func power(x *index.Expr, r *big.Rat) *index.Expr {
	half := big.NewRat(1, 2)
	switch {
	case r.Cmp(big.NewRat(1, 1)) == 0:
		return x
	case r.Cmp(half) == 0:
		return index.Fn("sqrt", x)
	case r.Sign() < 0:
		return index.Chain('/', index.Int(1), power(x, new(big.Rat).Neg(r)))
	case x.Op == index.Call && x.Name == "sqrt" && squares(x.Args[0]): // a norm
		return power(x.Args[0], new(big.Rat).Mul(half, r))
	}
	return index.Pow(x, index.Number(r))
}

// squares reports whether x is a square, or a sum of squares: only then is sqrt(x)**4 = x**2 for every x.
func squares(x *index.Expr) bool {
	for x.Op == index.Total {
		x = x.Args[2]
	}
	return x.Op == index.Power && index.Equal(x.Args[1], index.Int(2))
}

// primitive writes reductions and reshapes by their definitions.
func (s *scope) primitive(n *Node, at []einsum.Affine) *index.Expr {
	a := n.Arg(0)
	// reduce is the sum of f(element) over the last k axes of a, behind the indices lead.
	reduce := func(lead []einsum.Affine, k int, f func(*index.Expr) *index.Expr) *index.Expr {
		mark, eq, ge := len(s.names), len(s.eq), len(s.ge)
		defer s.release(mark, eq, ge)
		i := append([]einsum.Affine{}, lead...)
		shape := a.Shape()[a.Order()-k:]
		var vs []int
		for _, d := range shape {
			v := s.bind(d)
			vs = append(vs, v)
			i = append(i, einsum.Variable(v))
		}
		x := f(s.element(a, i))
		for j := len(vs) - 1; j >= 0; j-- {
			x = index.SumOver(s.names[vs[j]], index.Int(0), sizeExpr(shape[j].Sub(size.Const(1))), x)
		}
		return x
	}
	exp := func(x *index.Expr) *index.Expr { return index.Fn(atom.Exp.Name, x) }
	switch n.Atom() {
	case atom.LogSumExp:
		return index.Fn(atom.Log.Name, reduce(at, n.Attr(), exp))
	case atom.Softmax:
		return index.Chain('/', exp(s.element(a, at)), reduce(at[:len(at)-n.Attr()], n.Attr(), exp))
	case atom.Norm2:
		return index.Fn("sqrt", reduce(nil, a.Order(), func(x *index.Expr) *index.Expr { return index.Pow(x, index.Int(2)) }))
	case atom.Split:
		// y[i; j] = x[n*i + j]
		k := n.Attr()
		d, ok := n.Shape()[k+1].Int()
		if !ok {
			break
		}
		i := append([]einsum.Affine{}, at[:k]...)
		i = append(append(i, einsum.Affine{}.Plus(d, at[k]).Plus(1, at[k+1])), at[k+2:]...)
		return s.element(a, i)
	}
	panic(noForm{fmt.Errorf("%s has no form in index notation", n.Atom().Name)})
}
