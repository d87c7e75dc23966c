package gather

import (
	"slices"
	"strings"

	"frechet/einsum"
	"frechet/einsum/integer"
	"frechet/einsum/size"
)

// Bounds states 0 <= a < n.
func Bounds(a einsum.Affine, n size.Size) []einsum.Affine {
	return []einsum.Affine{a, einsum.Affine{Off: n.Sub(size.Const(1))}.Plus(-1, a)}
}

// Empty reports whether no whole numbers t_0, ..., t_(vars-1) make all forms at least 0, whatever sizes
// the size symbols stand for. A product of symbols counts as a symbol of its own; where the question is
// too hard, the answer is false.
func Empty(vars int, forms []einsum.Affine) bool {
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
	for _, f := range forms {
		for _, m := range f.Off.Monomials() {
			if len(m.Symbols) > 0 {
				column(m)
			}
		}
	}
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
