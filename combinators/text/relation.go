package text

import (
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/gather"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// relation is a contraction of one operand written as a relation, red{(i,j) | i <= j}, "" where it has no
// such form that is read as the same contraction: where an index has a number for an axis of an unknown
// size, a letter is no index by itself, or points of the contraction stand for one pair.
func relation(c *einsum.Contraction) string {
	if _, _, plain := c.IsPlain(); plain || len(c.In) != 1 {
		return ""
	}
	forms := slices.Concat(c.In[0].Index, c.Out.Index)
	dims := slices.Concat(c.In[0].Shape, c.Out.Shape)
	n := len(forms)
	alone := make([]bool, len(c.Vars))
	shift := func(a einsum.Affine) einsum.Affine {
		out := einsum.Affine{Terms: slices.Clone(a.Terms), Off: a.Off}
		for i := range out.Terms {
			out.Terms[i].Var += n
		}
		return out
	}
	r := einsum.Relation{X: len(c.In[0].Index), Dims: dims}
	for v, f := range forms {
		w, ok := f.Var()
		if ok {
			alone[w] = true
		}
		r.Own = append(r.Own, ok)
		if k, number := f.Off.Int(); number && len(f.Terms) == 0 {
			if d, known := dims[v].Int(); !known || k < 0 || k >= d {
				return ""
			}
		}
		r.Eq = append(r.Eq, einsum.Variable(v).Plus(-1, shift(f)))
	}
	if slices.Contains(alone, false) {
		return ""
	}
	for _, e := range c.Eq {
		r.Eq = append(r.Eq, shift(e))
	}
	reads := func(conditions []einsum.Affine) (einsum.Relation, bool) {
		r := r
		for _, g := range conditions {
			r.Ge = append(r.Ge, shift(g))
		}
		r, left, err := r.Determine(n)
		if err != nil || left >= 0 {
			return r, false
		}
		read, err := r.Contraction()
		return r, err == nil && read.Key() == c.Key()
	}
	if whole, ok := reads(c.Ge); !ok || gather.Empty(n, bounded(whole)) {
		return ""
	}
	written := c.Ge // without those that the ranges of the indices imply: reading adds these
	for i := len(c.Ge) - 1; i >= 0; i-- {
		fewer := slices.Delete(slices.Clone(written), i, i+1)
		if _, ok := reads(fewer); ok {
			written = fewer
		}
	}
	return spellRelation(c, forms, written)
}

// bounded are the inequalities of a relation with the bounds of its axes.
func bounded(r einsum.Relation) []einsum.Affine {
	forms := slices.Clone(r.Ge)
	for _, e := range r.Eq {
		forms = append(forms, e, einsum.Affine{}.Plus(-1, e))
	}
	for v, d := range r.Dims {
		forms = append(forms, gather.Bounds(einsum.Variable(v), d)...)
	}
	return forms
}

func spellRelation(c *einsum.Contraction, forms, ge []einsum.Affine) string {
	names := c.Names()
	var parts, conds []string
	parts = lists.Append(parts, forms, func(f einsum.Affine) string { return spell(positive(f, 1), names) + less(f, names) })
	conds = lists.Append(conds, c.Eq, func(e einsum.Affine) string {
		return spell(positive(e, -1), names) + " = " + spell(positive(e, 1), names)
	})
	for _, g := range ge {
		// below <= above, or below < above + 1
		below, above, rel := positive(g, -1), positive(g, 1), " <= "
		rest := below.Off.Sub(size.Const(1))
		if len(rest.Monomials()) < len(below.Off.Monomials()) && len(below.Terms)+len(rest.Monomials()) > 0 {
			below.Off, rel = rest, " < "
		}
		conds = append(conds, spell(below, names)+rel+spell(above, names))
	}
	out := "red{(" + strings.Join(parts, ",") + ")"
	if len(conds) > 0 {
		out += " | " + strings.Join(conds, ", ")
	}
	return out + "}"
}

// positive is the part of a form with the sign, made positive: of i - j + n - 1 it is i + n or j + 1. An
// offset whose terms have both signs is one part.
func positive(a einsum.Affine, sign int64) (out einsum.Affine) {
	for _, t := range a.Terms {
		if t.Coef*sign > 0 {
			out.Terms = append(out.Terms, einsum.Term{Var: t.Var, Coef: t.Coef * sign})
		}
	}
	for _, m := range a.Off.Monomials() {
		if m.Coef.Sign() == int(sign) {
			d := size.Const(m.Coef.Int64() * sign)
			for _, s := range m.Symbols {
				d = d.Mul(size.Sym(s))
			}
			out.Off = out.Off.Add(d)
		}
	}
	return out
}

// spell writes a form without negative coefficients: 2*i+j+n.
func spell(a einsum.Affine, names []string) string {
	var parts []string
	for _, t := range a.Terms {
		s := names[t.Var]
		if t.Coef != 1 {
			s = printAttr(NewInt(t.Coef)) + "*" + s
		}
		parts = append(parts, s)
	}
	if a.Off != (size.Size{}) || len(parts) == 0 {
		parts = append(parts, a.Off.String())
	}
	return strings.Join(parts, "+")
}

// less is what a form subtracts: -i-1.
func less(a einsum.Affine, names []string) string {
	neg := positive(a, -1)
	if len(neg.Terms) == 0 && neg.Off == (size.Size{}) {
		return ""
	}
	return "-" + strings.ReplaceAll(spell(neg, names), "+", "-")
}

// isRelation reports whether a map is written as a relation.
func isRelation(f combinators.Map) bool {
	return f.Op() == combinators.MapEin && len(f.Holes()) == 1 && len(f.Proto().Args()) == 1 && relation(f.Proto().Ein()) != ""
}
