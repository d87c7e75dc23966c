package unparse

import (
	"slices"
	"strings"

	"frechet/einsum"
	"frechet/einsum/integer"
	"frechet/einsum/size"
)

// known reports whether what is known of the indices gives a >= 0: conditions that the
// sums around a value imply are not written again.
func (s *scope) known(a einsum.Affine) bool {
	var names []string
	column := func(m size.Monomial) int {
		name := strings.Join(m.Symbols, "*")
		i := slices.Index(names, name)
		if i < 0 {
			i = len(names)
			names = append(names, name)
		}
		return i
	}
	forms := slices.Clone(s.ge)
	for _, e := range s.eq {
		forms = append(forms, e, einsum.Affine{}.Plus(-1, e))
	}
	for v, d := range s.sizes {
		if d != (size.Size{}) && s.names[v] != "" {
			forms = append(forms, einsum.Variable(v), einsum.Affine{Off: d.Sub(size.Const(1))}.Plus(-1, einsum.Variable(v)))
		}
	}
	forms = append(forms, einsum.Affine{Off: size.Const(-1)}.Plus(-1, a))
	for _, f := range forms {
		for _, m := range f.Off.Monomials() {
			if len(m.Symbols) > 0 {
				column(m)
			}
		}
	}
	vars := len(s.names)
	sys := &integer.System{N: vars + len(names)}
	for _, f := range forms {
		row := make([]integer.Int, sys.N+1)
		for _, t := range f.Terms {
			row[t.Var] = integer.New(t.Coef)
		}
		for _, m := range f.Off.Monomials() {
			k := sys.N
			if len(m.Symbols) > 0 {
				k = vars + column(m)
			}
			row[k] = row[k].Add(integer.FromBig(m.Coef))
		}
		sys.AtLeast(row)
	}
	for i := range names {
		row := make([]integer.Int, sys.N+1)
		row[vars+i] = integer.New(1)
		sys.AtLeast(row)
	}
	some, err := sys.Feasible()
	return err == nil && !some
}

func (s *scope) knownZero(a einsum.Affine) bool {
	if len(a.Terms) == 0 && a.Off == (size.Size{}) {
		return true
	}
	if len(s.eq) == 0 && !slices.ContainsFunc(a.Terms, func(t einsum.Term) bool { return s.sizes[t.Var] == size.Const(1) }) {
		return false
	}
	return s.known(a) && s.known(einsum.Affine{}.Plus(-1, a))
}
