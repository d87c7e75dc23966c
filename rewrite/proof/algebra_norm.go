package proof

import (
	"slices"

	"frechet/einsum"
	"frechet/internal/lists"
)

// norms writes inner products of a tensor with itself as squares of its norm: x'x = |x| |x|.
func (z *algebra) norms(m monomial) monomial {
	if !z.theory.norms {
		return m
	}
	for i := 0; i < len(m.args); i++ {
		for j := i + 1; j < len(m.args); j++ {
			if m.args[i] != m.args[j] || !m.alone(i, j) {
				continue
			}
			args, in := slices.Clone(m.args), slices.Clone(m.c.In)
			for _, k := range []int{i, j} {
				args[k], in[k] = z.s.Norm2(m.args[i]), einsum.Access{}
			}
			to, vars := make([]int, len(m.c.Vars)), m.c.Vars[:0:0]
			for v, d := range m.c.Vars {
				if to[v] = len(vars); !uses(m.c.In[i], v) {
					vars = append(vars, d)
				}
			}
			renamed := func(a einsum.Affine) einsum.Affine {
				a.Terms = slices.Clone(a.Terms)
				for k := range a.Terms {
					a.Terms[k].Var = to[a.Terms[k].Var]
				}
				return a
			}
			all := func(as []einsum.Affine) (out []einsum.Affine) {
				out = lists.Append(out, as, renamed)
				return out
			}
			for k := range in {
				in[k].Index = all(in[k].Index)
			}
			out := m.c.Out
			out.Index = all(out.Index)
			c, err := einsum.New(vars, in, out, all(m.c.Eq), all(m.c.Ge))
			if err != nil {
				panic(tooWide{})
			}
			m = monomial{m.coef, c, args, m.pays}
			break
		}
	}
	return m
}

// alone reports whether the operands i and j are summed over all their axes, each a variable that stands
// nowhere else.
func (m monomial) alone(i, j int) bool {
	a := m.c.In[i]
	if len(a.Index) == 0 || !sameAccess(a, m.c.In[j]) {
		return false
	}
	for k, x := range a.Index {
		v, plain := x.Var()
		if !plain || m.c.Vars[v] != a.Shape[k] || slices.ContainsFunc(a.Index[:k], func(y einsum.Affine) bool { w, _ := y.Var(); return w == v }) {
			return false
		}
		if uses(m.c.Out, v) || uses(einsum.Access{Index: m.c.Eq}, v) || uses(einsum.Access{Index: m.c.Ge}, v) {
			return false
		}
		for l, b := range m.c.In {
			if l != i && l != j && uses(b, v) {
				return false
			}
		}
	}
	return true
}

func uses(a einsum.Access, v int) bool {
	return slices.ContainsFunc(a.Index, func(x einsum.Affine) bool {
		return slices.ContainsFunc(x.Terms, func(t einsum.Term) bool { return t.Var == v })
	})
}
