package frechet

import (
	"math/big"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/eval/plan"
)

// planner plans derivatives in a mode, and compares them by what plans say that they cost.
func (f *Func) planner(mode Mode, sizes Sizes) *adjoint.Planner {
	return &adjoint.Planner{Mode: mode, Sizes: sizes, Cost: func(values []*combinators.Node) (float64, error) {
		mults, err := plan.Multiplications(values, sizes)
		return approximate(mults, sizes), err
	}}
}

// approximate is a count as a number, however large. Symbols without a number count as
// adjoint.Unknown.
func approximate(d size.Size, sizes Sizes) float64 {
	total := 0.0
	for _, m := range d.Monomials() {
		c, _ := new(big.Float).SetInt(m.Coef).Float64()
		for _, s := range m.Symbols {
			if n, ok := sizes[s]; ok {
				c *= float64(n)
			} else {
				c *= adjoint.Unknown
			}
		}
		total += c
	}
	return total
}
