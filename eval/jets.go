package eval

import (
	"fmt"
	"math"
	"math/big"
	"sync"

	"frechet/combinators/atom"
	"frechet/combinators/text"
)

// A jet has the coefficients c of a function near a point, c[0] + c[1] t + c[2] t^2 + ..
type jet []float64

// jets finds those of the functions in the table by their derivatives there: f(u)' = f'(u) u', where f' is a term in functions
// of the table, whose jets with one coefficient less are found likewise.
type jets struct{ known map[jetKey]jet }

// jetKey is a function, for one of two operands at the first one, of a jet: by its storage, of which prefixes are taken.
type jetKey struct {
	of    *atom.Row
	first float64
	u     *float64
	n     int
}

// derivativeTerms are the derivatives of the table by the last operand.
var derivativeTerms = sync.OnceValue(func() map[*atom.Row]*text.Term {
	out := map[*atom.Row]*text.Term{}
	for _, f := range atom.Functions() {
		if f.Power == nil {
			out[f.Row] = text.MustParse(f.Row.Deriv[f.Row.Arity-1])
		}
	}
	return out
})

// of is the jet of f at u.
func (j *jets) of(f atom.Function, u jet) jet {
	if f.Power != nil {
		r, _ := f.Power.Float64()
		return u.power(r)
	}
	return j.call(f.Row, 0, u)
}

func (j *jets) call(at *atom.Row, first float64, u jet) jet {
	key := jetKey{at, first, &u[0], len(u)}
	if g := j.known[key]; g != nil {
		return g
	}
	g := make(jet, len(u))
	env := map[string]jet{"x": u[:len(u)-1]}
	if at.Arity == 1 {
		g[0] = at.F1(u[0])
	} else {
		g[0] = at.F2(first, u[0])
		env = map[string]jet{"x": constant(first, len(u)-1), "y": u[:len(u)-1]}
	}
	if len(u) > 1 {
		d := j.term(derivativeTerms()[at], env)
		for k := 1; k < len(u); k++ {
			for i := 1; i <= k; i++ {
				g[k] += float64(i) * u[i] * d[k-i]
			}
			g[k] /= float64(k)
		}
	}
	j.known[key] = g
	return g
}

// term is the jet of a derivative in the table.
func (j *jets) term(t *text.Term, env map[string]jet) jet {
	n := len(env["x"])
	args := make([]jet, len(t.Args))
	for i, a := range t.Args {
		args[i] = j.term(a, env)
	}
	switch t.Op {
	case text.Num:
		r, _ := t.Rat.Float64()
		return constant(r, n)
	case text.Name:
		if t.Name == atom.Pi.Name {
			return constant(math.Pi, n)
		}
		return env[t.Name]
	case text.Neg:
		return args[0].plus(-2, args[0])
	case text.Add:
		return args[0].plus(1, args[1])
	case text.Sub:
		return args[0].plus(-1, args[1])
	case text.Mul:
		return args[0].times(args[1])
	case text.Div:
		return args[0].times(args[1].power(-1))
	case text.Call:
		switch at := atom.Named(t.Name); {
		case at == nil && len(args) == 1: // a guard
			return args[0]
		case at == atom.Power:
			return args[0].power(number(t.Attrs[0]))
		case at.Arity == 1:
			return j.call(at, 0, args[0])
		default:
			return j.call(at, args[0][0], args[1])
		}
	}
	panic(fmt.Sprintf("eval: the derivative %s", t))
}

// number is that of an attribute of the table: -1/2.
func number(t *text.Term) float64 {
	r, ok := new(big.Rat).SetString(text.Attr(t))
	if !ok {
		panic(fmt.Sprintf("eval: the exponent %s", text.Attr(t)))
	}
	v, _ := r.Float64()
	return v
}

func constant(c float64, n int) jet {
	u := make(jet, max(n, 1))
	u[0] = c
	return u[:n]
}

// plus is u + c v.
func (u jet) plus(c float64, v jet) jet {
	w := make(jet, len(u))
	for k := range u {
		w[k] = u[k] + c*v[k]
	}
	return w
}

func (u jet) times(v jet) jet {
	w := make(jet, len(u))
	for i, a := range u {
		for k := i; k < len(u); k++ {
			w[k] += a * v[k-i]
		}
	}
	return w
}

// power is u^r: w = u^r has u w' = r u' w.
func (u jet) power(r float64) jet {
	if len(u) == 0 {
		return u
	}
	if r == 2 { // also where u[0] is 0
		return u.times(u)
	}
	w := make(jet, len(u))
	w[0] = math.Pow(u[0], r)
	for k := 1; k < len(u); k++ {
		for i := 1; i <= k; i++ {
			w[k] += (r*float64(i) - float64(k-i)) * u[i] * w[k-i]
		}
		w[k] /= float64(k) * u[0]
	}
	return w
}
