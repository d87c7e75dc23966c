package digits

import (
	"math/big"

	"frechet/combinators"
	"frechet/combinators/atom"
)

// increasing are the functions that are computed at both ends, those that decrease among them.
var increasing = map[*atom.Row]func(w uint, x *big.Float) *big.Float{
	atom.Log: logOf, atom.Log1p: log1pOf, atom.Expm1: expm1Of, atom.Arctan: arctanOf, atom.Sinh: sinhOf, atom.Tanh: tanhOf, atom.Arcsin: arcsinOf,
	atom.Arccos: arccosOf, atom.Erf: erfOf, atom.Erfc: erfcOf, atom.Sigmoid: sigmoidOf, atom.Softplus: softplusOf, atom.Log1mexp: log1mexpOf,
}

// function is the function of a node on intervals; nil where there is none.
func (e *evaluation) function(n *combinators.Node) func(xs []Number) Number {
	at := n.Atom()
	if f := increasing[at]; f != nil {
		return func(xs []Number) Number {
			if out, ok := e.inside(at, xs[0]); !ok {
				return out
			}
			return e.along(xs[0], f)
		}
	}
	one := func(f func(x Number) Number) func(xs []Number) Number {
		return func(xs []Number) Number { return f(xs[0]) }
	}
	switch at {
	case atom.Power:
		return one(func(x Number) Number { return e.power(x, n.Rat()) })
	case atom.Exp:
		return one(func(x Number) Number { return e.along(x, expOf) })
	case atom.Sin:
		return one(func(x Number) Number { return e.wave(x, 0) })
	case atom.Cos:
		return one(func(x Number) Number { return e.wave(x, 1) })
	case atom.Tan:
		return one(func(x Number) Number { return e.quotient(e.wave(x, 0), e.wave(x, 1)) })
	case atom.Cosh:
		return one(func(x Number) Number {
			x = e.abs(x)
			return e.along(x, coshOf)
		})
	case atom.Abs:
		return one(e.abs)
	case atom.Relu:
		return one(func(x Number) Number { return e.most(x, e.float(0)) })
	case atom.Sign, atom.Step, atom.Floor, atom.Ceil, atom.Round:
		return func(xs []Number) Number { return e.jumps(at, xs[0]) }
	case atom.Gelu: // x erfc(-x/sqrt(2))/2
		return one(func(x Number) Number {
			root := e.power(e.float(0.5), big.NewRat(1, 2))
			return e.mul(e.mul(e.float(0.5), x), e.along(e.neg(e.mul(x, root)), erfcOf))
		})
	case atom.LogAddExp:
		return func(xs []Number) Number { return e.add(xs[0], e.along(e.sub(xs[1], xs[0]), softplusOf)) }
	case atom.Pow:
		return e.pow
	case atom.Atan2:
		return e.angle
	case atom.Max:
		return func(xs []Number) Number { return e.most(xs[0], xs[1]) }
	case atom.Min:
		return func(xs []Number) Number { return e.neg(e.most(e.neg(xs[0]), e.neg(xs[1]))) }
	case atom.Gt, atom.Ge, atom.Lt, atom.Le, atom.Eq, atom.Ne:
		return func(xs []Number) Number {
			d := e.sub(xs[0], xs[1])
			s, ok := d.sign()
			if !ok || s == 0 && !(xs[0].exact() && xs[1].exact()) {
				return Number{}
			}
			return e.rat(at.Exact(big.NewRat(int64(s), 1), new(big.Rat)))
		}
	}
	return nil
}

// inside reports whether x is in the domain of the function, which is one interval; it has no value where it is outside.
func (e *evaluation) inside(at *atom.Row, x Number) (Number, bool) {
	has := func(b *big.Float) bool {
		if at == atom.Log || at == atom.Log1mexp { // of which no number is below the least double
			return b.Sign() > 0 == (at == atom.Log) && b.Sign() != 0
		}
		for _, end := range []float64{at.Domain.Low, at.Domain.High} {
			if s := b.Cmp(new(big.Float).SetFloat64(end)); s < 0 && end == at.Domain.Low || s > 0 && end == at.Domain.High || s == 0 && !at.Domain.Has(end) {
				return false
			}
		}
		return true
	}
	l, h := has(x.Low), has(x.High)
	return Number{Undefined: !l && !h}, l && h
}

func (e *evaluation) abs(x Number) Number {
	if s, ok := x.sign(); ok && s >= 0 {
		return x
	}
	minus := e.neg(x)
	if x.High.Sign() <= 0 {
		return minus
	}
	return Number{Low: e.low(), High: e.most(x, minus).High}
}

func (e *evaluation) most(x, y Number) Number {
	if y.Low.Cmp(x.Low) > 0 {
		x.Low = y.Low
	}
	if y.High.Cmp(x.High) > 0 {
		x.High = y.High
	}
	return x
}

// jumps is a function that is constant between its jumps, where both ends are at numbers of one value.
func (e *evaluation) jumps(at *atom.Row, x Number) Number {
	if exponent(x.Low) > longestAngle || exponent(x.High) > longestAngle {
		return Number{}
	}
	value := func(b *big.Float) *big.Rat {
		r, _ := b.Rat(nil)
		if b.Sign() != 0 && exponent(b) < -longestAngle {
			r = big.NewRat(int64(b.Sign()), 1<<62)
		}
		return at.Exact(r, nil)
	}
	l, h := value(x.Low), value(x.High)
	s, ok := x.sign()
	if !x.exact() && (l.Cmp(h) != 0 || at.KinkEvery == 0 && (!ok || s == 0)) {
		return Number{}
	}
	return e.rat(l)
}

// wave is sin(x + quarters pi/2), whose slope is at most 1.
func (e *evaluation) wave(x Number, quarters int) Number {
	out := e.around(sinOf(e.bits+guardBits, x.Low, quarters), quarters > 0 || exponent(x.Low) > 0)
	if x.exact() || !out.known() {
		return out
	}
	width := e.high().Sub(x.High, x.Low)
	return e.add(out, Number{Low: new(big.Float).Neg(width), High: width})
}

func (e *evaluation) quotient(x, y Number) Number {
	if !x.known() || !y.known() {
		return Number{}
	}
	if y = e.inverse(y); !y.known() {
		return y
	}
	return e.mul(x, y)
}

func (e *evaluation) pow(xs []Number) Number {
	x, y := xs[0], xs[1]
	s, ok := x.sign()
	t, certain := y.sign()
	switch {
	case y.zero():
		return e.float(1)
	case y.exact() && y.Low.IsInt() && exponent(y.Low) < 12:
		r, _ := y.Low.Rat(nil)
		return e.power(x, r)
	case !ok || !certain:
		return Number{}
	case s == 0:
		return Number{Low: e.low(), High: e.high(), Undefined: t < 0}.checked()
	case s < 0:
		return Number{Undefined: y.exact() && !y.Low.IsInt()}
	}
	return e.along(e.mul(y, e.along(x, logOf)), expOf)
}

// angle is atan2(y, x).
func (e *evaluation) angle(yx []Number) Number {
	y, x := yx[0], yx[1]
	sy, oky := y.sign()
	sx, okx := x.sign()
	pi := e.around(piOf(e.bits+guardBits), false)
	half := e.mul(pi, e.float(0.5))
	switch {
	case okx && sx > 0:
		return e.along(e.quotient(y, x), arctanOf)
	case !oky:
		return Number{}
	case sy != 0 && (x.zero() || !okx || sx < 0): // sign(y) pi/2 - arctan(x/y)
		if sy < 0 {
			half = e.neg(half)
		}
		return e.sub(half, e.along(e.quotient(x, y), arctanOf))
	case okx && sx < 0 && y.zero():
		return pi
	case x.zero() && y.zero():
		return e.float(0)
	}
	return Number{}
}
