package einsum

import (
	"cmp"
	"slices"
	"strconv"

	"frechet/einsum/size"
	"frechet/internal/lists"
)

// Term is Coef times the iteration variable Var.
type Term struct {
	Var  int
	Coef int64
}

// Affine is the affine form sum of Terms plus Off. Terms are sorted by variable and
// have no zero coefficient.
type Affine struct {
	Terms []Term
	Off   size.Size
}

// Variable is the affine form t_v.
func Variable(v int) Affine {
	if v < len(variables) {
		return variables[v]
	}
	return Affine{Terms: []Term{{v, 1}}}
}

// variables has the forms of the first few variables: forms are immutable and shared.
var variables = func() (out [32]Affine) {
	for v := range out {
		out[v] = Affine{Terms: []Term{{v, 1}}}
	}
	return out
}()

// Var reports whether the form is one variable alone, and which.
func (a Affine) Var() (v int, ok bool) {
	if len(a.Terms) == 1 && a.Terms[0].Coef == 1 && a.Off == (size.Size{}) {
		return a.Terms[0].Var, true
	}
	return 0, false
}

// Coef is the coefficient of variable v.
func (a Affine) Coef(v int) int64 {
	for _, t := range a.Terms {
		if t.Var == v {
			return t.Coef
		}
	}
	return 0
}

// Plus is a + k*b.
func (a Affine) Plus(k int64, b Affine) Affine {
	out := Affine{Off: a.Off.Add(size.Const(k).Mul(b.Off))}
	i, j := 0, 0
	for i < len(a.Terms) || j < len(b.Terms) {
		switch {
		case j == len(b.Terms) || i < len(a.Terms) && a.Terms[i].Var < b.Terms[j].Var:
			out.Terms = append(out.Terms, a.Terms[i])
			i++
		case i == len(a.Terms) || b.Terms[j].Var < a.Terms[i].Var:
			if c := mul(k, b.Terms[j].Coef); c != 0 {
				out.Terms = append(out.Terms, Term{b.Terms[j].Var, c})
			}
			j++
		default:
			if c := add(a.Terms[i].Coef, mul(k, b.Terms[j].Coef)); c != 0 {
				out.Terms = append(out.Terms, Term{a.Terms[i].Var, c})
			}
			i++
			j++
		}
	}
	return out
}

// Subst replaces variable v by the form b, which must not hold v.
func (a Affine) Subst(v int, b Affine) Affine {
	c := a.Coef(v)
	if c == 0 {
		return a
	}
	rest := Affine{Off: a.Off}
	for _, t := range a.Terms {
		if t.Var != v {
			rest.Terms = append(rest.Terms, t)
		}
	}
	return rest.Plus(c, b)
}

func (a Affine) rename(to []int) Affine {
	if v, ok := a.Var(); ok {
		return Variable(to[v])
	}
	out := Affine{Terms: make([]Term, len(a.Terms)), Off: a.Off}
	for i, t := range a.Terms {
		out.Terms[i] = Term{to[t.Var], t.Coef}
	}
	slices.SortFunc(out.Terms, func(x, y Term) int { return x.Var - y.Var })
	return out
}

func (a Affine) append(b []byte) []byte {
	for _, t := range a.Terms {
		if t.Coef != 1 {
			b = strconv.AppendInt(b, t.Coef, 10)
			b = append(b, '*')
		}
		b = append(b, '~')
		b = strconv.AppendInt(b, int64(t.Var), 10)
		b = append(b, '+')
	}
	if a.Off != (size.Size{}) || len(a.Terms) == 0 {
		b = append(b, a.Off.String()...)
	} else {
		b = b[:len(b)-1]
	}
	return b
}

// sortedForms puts conditions into an order of their own, which may be any.
func sortedForms(as []Affine) []Affine {
	if len(as) < 2 {
		return as
	}
	as = slices.Clone(as)
	slices.SortStableFunc(as, func(a, b Affine) int {
		for k := 0; k < len(a.Terms) && k < len(b.Terms); k++ {
			x, y := a.Terms[k], b.Terms[k]
			if c := cmp.Or(x.Var-y.Var, cmp.Compare(y.Coef, x.Coef)); c != 0 {
				return c
			}
		}
		return cmp.Or(len(a.Terms)-len(b.Terms), cmp.Compare(a.Off.String(), b.Off.String()))
	})
	return as
}

// strongest leaves out each inequality that another one of the same terms implies, of an offset that is not larger.
func strongest(as []Affine) []Affine {
	if len(as) < 2 {
		return as
	}
	out := as[:0:0]
	for _, a := range as {
		known := slices.IndexFunc(out, func(b Affine) bool {
			_, comparable := a.Off.Sub(b.Off).Int()
			return comparable && slices.Equal(a.Terms, b.Terms)
		})
		if known < 0 {
			out = append(out, a)
		} else if more, _ := a.Off.Sub(out[known].Off).Int(); more < 0 {
			out[known] = a
		}
	}
	return out
}

func renameAll(as []Affine, to []int) []Affine {
	if len(as) == 0 {
		return nil
	}
	return lists.Map(as, func(a Affine) Affine { return a.rename(to) })
}

// add and mul are exact; a coefficient that leaves 64 bits is a bug of the caller,
// which bounds the coefficients that a user may write.
func add(a, b int64) int64 {
	s := a + b
	if (a > 0 && b > 0 && s < 0) || (a < 0 && b < 0 && s >= 0) {
		panic("einsum: coefficient overflow")
	}
	return s
}

func mul(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	p := a * b
	if p/b != a || (a == -1 && b == -1<<63) || (b == -1 && a == -1<<63) {
		panic("einsum: coefficient overflow")
	}
	return p
}
