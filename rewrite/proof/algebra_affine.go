package proof

import (
	"slices"

	"frechet/einsum"
	"frechet/einsum/gather"
	"frechet/einsum/size"
)

// reindexed reports whether the contractions a and b, which are not plain, of the same operands are one in other
// variables: i for 3 - i, or i for j - 1. Each variable of one is then an affine form of those of the other, read
// off an index that it stands in alone; by these forms all index maps are equal, and each domain lies in the
// other one.
func (z *algebra) reindexed(v, w written) bool {
	a, b := v.node, w.node
	if !slices.Equal(a.Args(), b.Args()) || !slices.Equal(a.Shape(), b.Shape()) {
		return false
	}
	c, d := a.Ein(), b.Ein()
	there, back := variablesBy(d, c), variablesBy(c, d)
	z.work.add(2 * (len(c.Vars) + len(d.Vars)))
	if there == nil || back == nil || len(c.Vars) != len(d.Vars) {
		return false
	}
	return z.maps(c, d, there) && z.maps(d, c, back)
}

// indices lists all indices of c, of the output first.
func indices(c *einsum.Contraction) []einsum.Affine {
	all := slices.Clone(c.Out.Index)
	for _, acc := range c.In {
		all = append(all, acc.Index...)
	}
	return all
}

// variablesBy gives the variables of d as forms of those of c, by indices that are to be equal; nil where one
// stands nowhere alone.
func variablesBy(d, c *einsum.Contraction) []einsum.Affine {
	x, y := indices(d), indices(c)
	if len(x) != len(y) {
		return nil
	}
	out := make([]einsum.Affine, len(d.Vars))
	for v := range out {
		p := slices.IndexFunc(x, func(i einsum.Affine) bool {
			return len(i.Terms) == 1 && i.Terms[0].Var == v && (i.Terms[0].Coef == 1 || i.Terms[0].Coef == -1)
		})
		if p < 0 || !x[p].Moderate() || !y[p].Moderate() {
			return nil
		}
		sign := x[p].Terms[0].Coef
		out[v] = einsum.Affine{}.Plus(sign, y[p]).Plus(-sign, einsum.Affine{Off: x[p].Off})
	}
	return out
}

// maps reports whether the variables of d, as forms of those of c, make the indices of c of those of d, and stay
// in the domain of d.
func (z *algebra) maps(c, d *einsum.Contraction, by []einsum.Affine) bool {
	put := func(a einsum.Affine) einsum.Affine {
		out := einsum.Affine{Off: a.Off}
		for _, t := range a.Terms {
			out = out.Plus(t.Coef, by[t.Var])
		}
		return out
	}
	want := indices(c)
	for p, i := range indices(d) {
		if !i.Moderate() {
			return false
		}
		if diff := put(i).Plus(-1, want[p]); len(diff.Terms) > 0 || diff.Off != (size.Size{}) {
			return false
		}
	}
	known := domain(c)
	for _, f := range domain(d) {
		z.work.add(1 + len(known))
		if !f.Moderate() || !follows(len(c.Vars), known, put(f)) {
			return false
		}
	}
	return true
}

// domain are the forms that are at least 0 at the points of c: where variables, conditions and indices are in range.
func domain(c *einsum.Contraction) (forms []einsum.Affine) {
	return append(implicit(c), c.Ge...)
}

// implicit are those of domain but for the inequalities of c.
func implicit(c *einsum.Contraction) (forms []einsum.Affine) {
	for v, d := range c.Vars {
		forms = append(forms, gather.Bounds(einsum.Variable(v), d)...)
	}
	for _, e := range c.Eq {
		forms = append(forms, e, einsum.Affine{}.Plus(-1, e))
	}
	for _, acc := range append(slices.Clone(c.In), c.Out) {
		for i, a := range acc.Index {
			if v, ok := a.Var(); !ok || c.Vars[v] != acc.Shape[i] {
				forms = append(forms, gather.Bounds(a, acc.Shape[i])...)
			}
		}
	}
	return forms
}

// follows reports whether f >= 0 wherever the known forms of vars variables are.
func follows(vars int, known []einsum.Affine, f einsum.Affine) bool {
	return slices.ContainsFunc(known, func(g einsum.Affine) bool { return g.Off == f.Off && slices.Equal(g.Terms, f.Terms) }) ||
		f.Moderate() && gather.Empty(vars, append(slices.Clone(known), einsum.Affine{Off: size.Const(-1)}.Plus(-1, f)))
}

// needed is c without inequalities that its others imply.
func (z *algebra) needed(c *einsum.Contraction) *einsum.Contraction {
	ge, always := slices.Clone(c.Ge), implicit(c)
	for i := len(ge) - 1; i >= 0; i-- {
		z.work.add(1 + len(always) + len(ge))
		rest := slices.Delete(slices.Clone(ge), i, i+1)
		if follows(len(c.Vars), slices.Concat(always, rest), ge[i]) {
			ge = rest
		}
	}
	if len(ge) == len(c.Ge) {
		return c
	}
	out, err := einsum.New(c.Vars, c.In, c.Out, c.Eq, ge)
	if err != nil {
		panic(tooWide{})
	}
	return out
}
