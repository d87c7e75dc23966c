package einsum

import (
	"fmt"
	"slices"

	"frechet/einsum/size"
	"frechet/internal/lists"
)

// A Relation is a set of pairs (x, y) of indices: the points t at which the forms Eq are 0 and the forms
// Ge at least 0, where t has the X indices of x first and then those of y, each within its axis. Axes
// that it does not speak of come last and are kept.
type Relation struct {
	X      int
	Dims   []size.Size
	Kept   []size.Size
	Eq, Ge []Affine
	// Own marks axes whose index is to stay a variable: where an equality has others, these are solved for.
	Own []bool
}

// Contraction is relational reduction, out[y] = the sum of in[x] over (x, y) in R.
func (r Relation) Contraction() (*Contraction, error) {
	// Solve takes the last variable that it can: those of Own come first, shorter axes before longer ones
	// where their difference is a number, so that the range of what stays says most.
	to, vars := make([]int, len(r.Dims)), make([]size.Size, 0, len(r.Dims)+len(r.Kept))
	order := lists.Make(len(r.Dims), func(v int) int { return v })
	own := func(v int) bool { return v < len(r.Own) && r.Own[v] }
	slices.SortStableFunc(order, func(v, w int) int {
		switch longer, known := r.Dims[v].Sub(r.Dims[w]).Int(); {
		case own(v) != own(w) && own(v):
			return -1
		case own(v) != own(w):
			return 1
		case known && own(v):
			return int(max(-1, min(1, longer)))
		}
		return 0
	})
	for _, v := range order {
		to[v] = len(vars)
		vars = append(vars, r.Dims[v])
	}
	vars = append(vars, r.Kept...)
	access := func(from, upto int) (acc Access) {
		for v := from; v < upto; v++ {
			acc.Shape, acc.Index = append(acc.Shape, r.Dims[v]), append(acc.Index, Variable(to[v]))
		}
		for i, d := range r.Kept {
			acc.Shape, acc.Index = append(acc.Shape, d), append(acc.Index, Variable(len(r.Dims)+i))
		}
		return acc
	}
	in, out := []Access{access(0, r.X)}, access(r.X, len(r.Dims))
	eq, ge := renameAll(r.Eq, to), renameAll(r.Ge, to)
	c, err := New(vars, in, out, eq, ge)
	if err != nil || len(eq) == 0 {
		return c, err
	}
	return (&Contraction{Vars: vars, In: in, Out: out, Eq: eq, Ge: ge}).Solve(), nil // in this order of variables
}

// MaxCoefficient bounds the coefficients of affine forms that texts have.
const MaxCoefficient = 1 << 31

// Moderate: no coefficient is so large that those of a product could overflow.
func (a Affine) Moderate() bool {
	return !slices.ContainsFunc(a.Terms, func(t Term) bool { return t.Coef > MaxCoefficient || t.Coef < -MaxCoefficient })
}

// Determine removes the variables from n on: each by an equality in which its coefficient is 1 or -1, so
// that it is a whole number for all whole values of the others, and one alone. left is one that no
// equality determines, -1 where there is none; the error is a coefficient that is not moderate.
func (r Relation) Determine(n int) (out Relation, left int, err error) {
	out = r
	for {
		pivot, v := -1, -1
		left = -1
		for i, e := range out.Eq {
			for _, t := range e.Terms {
				if t.Var < n {
					continue
				}
				if left < 0 || t.Var < left {
					left = t.Var
				}
				if (t.Coef == 1 || t.Coef == -1) && pivot < 0 {
					pivot, v = i, t.Var
				}
			}
		}
		if pivot < 0 {
			for _, g := range out.Ge {
				for _, t := range g.Terms {
					if t.Var >= n && (left < 0 || t.Var < left) {
						left = t.Var
					}
				}
			}
			return out, left, nil
		}
		e := out.Eq[pivot]
		value := Affine{}.Plus(-e.Coef(v), e.Subst(v, Affine{}))
		substitute := func(fs []Affine) []Affine {
			to := make([]Affine, len(fs))
			for i, f := range fs {
				if to[i] = f.Subst(v, value); !to[i].Moderate() {
					err = fmt.Errorf("a coefficient is larger than %d", MaxCoefficient)
				}
			}
			return to
		}
		out.Eq = substitute(slices.Delete(slices.Clone(out.Eq), pivot, pivot+1))
		if out.Ge = substitute(out.Ge); err != nil {
			return out, -1, err
		}
	}
}
