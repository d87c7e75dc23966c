package elab

import (
	"math/big"
	"slices"

	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// value is a sum of products, each a contraction in the making:
//
//	coef * sum over sums of factor1[index] * factor2[index] * ...   where eq, ge hold
type value []product

type product struct {
	coef    *big.Rat
	factors []factor
	sums    []int
	eq, ge  []einsum.Affine
}

type factor struct {
	node  *node
	index []einsum.Affine
}

var one = big.NewRat(1, 1)

func number(r *big.Rat) value { return value{{coef: r}} }

// constant is the number that a value is.
func (v value) constant() (*big.Rat, bool) {
	sum := new(big.Rat)
	for _, p := range v {
		if len(p.factors)+len(p.sums)+len(p.eq)+len(p.ge) > 0 {
			return nil, false
		}
		sum.Add(sum, p.coef)
	}
	return sum, true
}

// free are the variables that a value depends on, sorted.
func (v value) free() (out []int) {
	for _, p := range v {
		add := func(forms []einsum.Affine) {
			for _, a := range forms {
				for _, t := range a.Terms {
					if !slices.Contains(p.sums, t.Var) && !slices.Contains(out, t.Var) {
						out = append(out, t.Var)
					}
				}
			}
		}
		for _, f := range p.factors {
			add(f.index)
		}
		add(p.eq)
		add(p.ge)
	}
	slices.Sort(out)
	return out
}

func (v value) scale(r *big.Rat) value {
	out := slices.Clone(v)
	for i := range out {
		out[i].coef = new(big.Rat).Mul(r, out[i].coef)
	}
	return out
}

// tensor is the value as a node over the variables of axes. Where its products pick
// entries, they do so on the points only that the walk is on, as far as these are told
// apart by the axes: elsewhere a function might have no finite value, and its
// derivative would reach the entry.
func (e *elaborator) tensor(v value, axes []int) *node {
	shape := lists.Map(axes, func(a int) size.Size { return e.sizes[a] })
	if r, ok := v.constant(); ok {
		return e.store.Fill(r, shape)
	}
	var sum *node
	for _, p := range v {
		n := e.contraction(p, axes, shape)
		if sum == nil {
			sum = n
		} else {
			sum = e.store.Add(sum, n)
		}
	}
	return sum
}

func (e *elaborator) contraction(p product, axes []int, shape []size.Size) *node {
	vars := append(slices.Clone(axes), p.sums...)
	eq, ge := slices.Clone(p.eq), slices.Clone(p.ge)
	for _, c := range e.around(vars) {
		if !slices.ContainsFunc(ge, func(d einsum.Affine) bool { return same(c, d) }) {
			ge = append(ge, c)
		}
	}
	to := map[int]int{}
	dims := make([]size.Size, len(vars))
	for i, v := range vars {
		to[v], dims[i] = i, e.sizes[v]
	}
	rename := func(as []einsum.Affine) []einsum.Affine {
		out := make([]einsum.Affine, len(as))
		for i, a := range as {
			b := einsum.Affine{Off: a.Off}
			for _, t := range a.Terms {
				b = b.Plus(t.Coef, einsum.Variable(to[t.Var]))
			}
			out[i] = b
		}
		return out
	}
	var in []einsum.Access
	var args []*node
	if !p.coef.IsInt() || p.coef.Cmp(one) != 0 {
		in, args = append(in, einsum.Access{}), append(args, e.store.Const(p.coef))
	}
	for _, f := range p.factors {
		in = append(in, einsum.Access{Shape: f.node.Shape(), Index: rename(f.index)})
		args = append(args, f.node)
	}
	if len(args) == 1 && len(vars) == 0 && len(eq)+len(ge) == 0 && args[0].Order() == 0 {
		return args[0]
	}
	out := einsum.Access{Shape: shape, Index: rename(variables(axes))}
	c, err := einsum.New(dims, in, out, rename(eq), rename(ge))
	if err != nil {
		panic(err) // the variables are our own
	}
	return e.store.Ein(c.Solve(), args...)
}

func variables(vs []int) []einsum.Affine {
	return lists.Map(vs, einsum.Variable)
}

// around are the conditions that hold where the walk is, on the given variables alone.
func (e *elaborator) around(vars []int) []einsum.Affine {
	if len(e.eq)+len(e.ge) == 0 {
		return nil
	}
	var gone []int
	for _, a := range append(slices.Clone(e.eq), e.ge...) {
		for _, t := range a.Terms {
			if !slices.Contains(vars, t.Var) && !slices.Contains(gone, t.Var) {
				gone = append(gone, t.Var)
			}
		}
	}
	rows, _ := e.region().eliminate(gone)
	return slices.DeleteFunc(rows, func(a einsum.Affine) bool { return len(a.Terms) == 0 })
}
