package elab

import (
	"maps"
	"math/big"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/syntax"
	"frechet/syntax/index"
)

// linear is an affine form whose coefficients are sizes still: sum of coef*variable + off.
type linear struct {
	coef map[int]size.Size
	off  size.Size
}

func constantForm(s size.Size) linear { return linear{off: s} }

func (a linear) plus(k size.Size, b linear) linear {
	out := linear{coef: maps.Clone(a.coef), off: a.off.Add(k.Mul(b.off))}
	if out.coef == nil {
		out.coef = map[int]size.Size{}
	}
	for v, c := range b.coef {
		if s := out.coef[v].Add(k.Mul(c)); s != (size.Size{}) {
			out.coef[v] = s
		} else {
			delete(out.coef, v)
		}
	}
	return out
}

func linearOf(a einsum.Affine) linear {
	out := linear{coef: map[int]size.Size{}, off: a.Off}
	for _, t := range a.Terms {
		out.coef[t.Var] = size.Const(t.Coef)
	}
	return out
}

// maxCoefficient bounds what a user may write, so that products of coefficients fit.
const maxCoefficient = 1 << 30

// affine is the form with whole coefficients, if it has them.
func (a linear) affine() (einsum.Affine, bool) {
	out := einsum.Affine{Off: a.off}
	for _, v := range slices.Sorted(maps.Keys(a.coef)) {
		c, ok := a.coef[v].Int()
		if !ok || c > maxCoefficient || c < -maxCoefficient {
			return out, false
		}
		out.Terms = append(out.Terms, einsum.Term{Var: v, Coef: c})
	}
	return out, true
}

// form reads an index expression; what is not affine is an error at the operator that
// makes it so.
func (e *elaborator) form(x *index.Expr) linear {
	one := size.Const(1)
	switch x.Op {
	case index.Num:
		if !x.Num.IsInt() {
			e.fail(e.errorf("I004", x.Span, "the number %s is not whole", index.Print(x)).
				Helpf("indices are sums of whole multiples of indices"))
		}
		if x.Num.Num().BitLen() > 62 {
			e.fail(e.errorf("L007", x.Span, "a number in an index is larger than 2^62"))
		}
		return constantForm(size.Const(x.Num.Num().Int64()))
	case index.Name:
		return e.indexName(x)
	case index.Neg:
		return linear{}.plus(size.Const(-1), e.form(x.Args[0]))
	case index.Sum:
		out := e.form(x.Args[0])
		for _, s := range x.Steps {
			k := one
			if s.Op == '-' {
				k = size.Const(-1)
			}
			out = out.plus(k, e.form(s.Arg))
			e.checkForm(out, x)
		}
		return out
	case index.Product:
		out := e.form(x.Args[0])
		for _, s := range x.Steps {
			if s.Op == '/' {
				e.fail(e.errorf("I004", s.At, "a quotient of indices is not affine").
					Helpf("for every second entry, turn it around: a sum over k with the condition [i = 2*k]"))
			}
			b := e.form(s.Arg)
			switch {
			case len(b.coef) == 0:
				out = linear{}.plus(b.off, out)
			case len(out.coef) == 0:
				out = linear{}.plus(out.off, b)
			default:
				e.fail(e.errorf("I004", s.At, "a product of two indices is not affine").
					Helpf("an index expression is a sum of indices with whole coefficients, such as 2*i + j"))
			}
			e.checkForm(out, x)
		}
		return out
	}
	e.fail(e.errorf("I004", x.At, "%s is no affine form of indices", e.text(x, "this")).
		Helpf("an index expression is a sum of indices with whole coefficients, such as 2*i + j"))
	return linear{}
}

// checkForm bounds sizes of forms: products of symbols have a bounded degree.
func (e *elaborator) checkForm(a linear, x *index.Expr) {
	check := func(s size.Size) {
		ms := s.Monomials()
		if len(ms) > 200 {
			e.fail(e.errorf("L007", x.Span, "an index has more than 200 terms in size symbols"))
		}
		for _, m := range ms {
			if len(m.Symbols) > e.env.Limits.Order || m.Coef.BitLen() > 62 {
				e.fail(e.errorf("L007", x.Span, "a coefficient of an index is too large"))
			}
		}
	}
	check(a.off)
	for _, c := range a.coef {
		check(c)
	}
}

// indexName is a name in an index expression: an index in scope, or a size.
func (e *elaborator) indexName(x *index.Expr) linear {
	if f, ok := e.scope[x.Name]; ok {
		return linearOf(f)
	}
	if s, ok := e.env.Size(x.Name); ok {
		return constantForm(s)
	}
	err := e.errorf("I001", x.Span, "nothing binds the index %s, and no declared variable has it as a size", x.Name)
	if names := slices.Sorted(maps.Keys(e.scope)); len(names) > 0 {
		e.fail(err.Helpf("indices in scope here are %s; a size is named where a variable is declared: declare x[%s]", joinNames(names), x.Name))
	}
	e.fail(err.Helpf("bind it: %s[%s] = ..., or sum{%s}_0^.. (...); a size is named where a variable is declared: declare x[%s]", e.def.Name.Name, x.Name, x.Name, x.Name))
	return linear{}
}

func joinNames(names []string) string {
	out := names[0]
	for i, n := range names[1:] {
		if i == len(names)-2 {
			out += " and " + n
		} else {
			out += ", " + n
		}
	}
	return out
}

// mustAffine is the form of x with whole coefficients.
func (e *elaborator) mustAffine(x *index.Expr) einsum.Affine {
	f := e.form(x)
	a, ok := f.affine()
	if !ok {
		e.notAffine(x, f)
	}
	return a
}

func (e *elaborator) notAffine(x *index.Expr, f linear) {
	for _, v := range slices.Sorted(maps.Keys(f.coef)) {
		c := f.coef[v]
		if n, ok := c.Int(); ok && n <= maxCoefficient && n >= -maxCoefficient {
			continue
		}
		if _, ok := c.Int(); ok {
			e.fail(e.errorf("L007", x.Span, "the coefficient %s of %s is larger than 2^30", c, e.vars[v].name))
		}
		e.fail(e.errorf("I004", e.operatorOf(x), "the coefficient %s of %s is no whole number", c, e.vars[v].name).
			Helpf("give %s as a number, or flatten an axis: x[%s*%s + j] for 0 <= j < %s, with x of size %s times another", c, c, e.vars[v].name, c, c))
	}
}

// operatorOf points at the first product in an index expression.
func (e *elaborator) operatorOf(x *index.Expr) (at syntax.Span) {
	at = x.Span
	var walk func(x *index.Expr) bool
	walk = func(x *index.Expr) bool {
		if x.Op == index.Product {
			at = x.At
			return true
		}
		if slices.ContainsFunc(x.Args, walk) {
			return true
		}
		return slices.ContainsFunc(x.Steps, func(s index.Step) bool { return walk(s.Arg) })
	}
	walk(x)
	return at
}

// ratio is num/den, den at least 1: a bound of a sum before rounding.
type ratio struct {
	num einsum.Affine
	den int64
}

// bounds reads a bound of a sum: k >= ceil(num/den) for every ratio of a lower bound,
// k <= floor(num/den) for every one of an upper bound.
func (e *elaborator) bounds(x *index.Expr, lower bool) []ratio {
	wrong := func() {
		side, fit := "lower", "max and ceil"
		if !lower {
			side, fit = "upper", "min and floor"
		}
		e.fail(e.errorf("I007", x.At, "%s cannot stand in the %s bound of a sum", x.Name, side).
			Helpf("a %s bound takes %s", side, fit))
	}
	if x.Op == index.Call || x.Op == index.Access {
		switch x.Name {
		case atom.Max.Name, atom.Min.Name:
			if len(x.Args) > 1 && (x.Name == atom.Max.Name) != lower {
				wrong()
			}
			var out []ratio
			for _, a := range x.Args {
				out = append(out, e.bounds(a, lower)...)
			}
			if len(out) > 64 {
				e.fail(e.errorf("I007", x.At, "a bound of more than 64 parts"))
			}
			if len(out) > 0 {
				return out
			}
		case atom.Ceil.Name, atom.Floor.Name:
			if len(x.Args) == 1 && x.Op == index.Call {
				r := e.quotient(x.Args[0])
				// k >= floor(f/d) is d*k >= f-d+1; k <= ceil(f/d) is d*k <= f+d-1.
				switch {
				case lower && x.Name == atom.Floor.Name:
					r.num.Off = r.num.Off.Sub(size.Const(r.den - 1))
				case !lower && x.Name == atom.Ceil.Name:
					r.num.Off = r.num.Off.Add(size.Const(r.den - 1))
				}
				return []ratio{r}
			}
		}
		wrong()
	}
	return []ratio{{e.mustAffine(x), 1}}
}

// quotient reads affine/number, or an affine form alone.
func (e *elaborator) quotient(x *index.Expr) ratio {
	if x.Op != index.Product || x.Steps[len(x.Steps)-1].Op != '/' {
		return ratio{e.mustAffine(x), 1}
	}
	last := x.Steps[len(x.Steps)-1].Arg
	if last.Op != index.Num || !last.Num.IsInt() || last.Num.Sign() <= 0 || last.Num.Cmp(big.NewRat(maxCoefficient, 1)) > 0 {
		e.fail(e.errorf("I007", last.Span, "the divisor in a bound is a whole number from 1 to 2^30"))
	}
	head := x.Args[0]
	if len(x.Steps) > 1 {
		head = &index.Expr{Op: index.Product, Span: x.Span, At: x.At, Args: x.Args, Steps: x.Steps[:len(x.Steps)-1]}
	}
	return ratio{e.mustAffine(head), last.Num.Num().Int64()}
}
