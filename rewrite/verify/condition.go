package verify

import (
	"slices"

	"frechet/combinators/atom"
	"frechet/eval"
	"frechet/rewrite/verify/model"
)

// holds checks the conditions on values at a point. A negated condition on the signs of values says
// that the engine cannot show it, not that it is false: it restricts nothing.
func (g *signature) holds(in *instance, env map[string]*eval.Tensor) bool {
	for _, w := range g.rule.When {
		if _, applies := model.NumberCondition(w, in.numbers); applies {
			continue
		}
		if w.Rel != "" {
			continue // of sizes, which were chosen to hold
		}
		call := w.Args[0]
		if call.Name == "unit" {
			n, ok := in.layout.sizes[call.Args[0].Name].Int()
			if (ok && n == 1) == w.Not {
				return false
			}
			continue
		}
		x := env[call.Args[0].Name]
		if x == nil {
			continue
		}
		every := func(f func(float64) bool) bool {
			return !slices.ContainsFunc(x.Data, func(v float64) bool { return !f(v) })
		}
		k := len(x.Shape)
		switch call.Name {
		case "positive":
			if !w.Not && !every(func(v float64) bool { return v > 0 }) {
				return false
			}
		case "nonneg":
			if !w.Not && !every(func(v float64) bool { return v >= 0 }) {
				return false
			}
		case "nonzero":
			if !w.Not && !every(func(v float64) bool { return v != 0 }) {
				return false
			}
		case "invertible":
			if !w.Not && !invertible(x) {
				return false
			}
		case "const":
			if !w.Not && !every(func(v float64) bool { return v == x.Data[0] }) {
				return false
			}
		case "notone":
			if !w.Not && every(func(v float64) bool { return v == 1 }) {
				return false
			}
		case "order0":
			if (k == 0) == w.Not {
				return false
			}
		case "square":
			if (k >= 2 && x.Shape[k-1] == x.Shape[k-2]) == w.Not {
				return false
			}
		default:
			if of := atom.AttributeOf(call.Name); !w.Not && of != 0 && eval.Breach(of, x) != "" {
				return false
			}
		}
	}
	return true
}

// attributes are those that the conditions ask of the values of a metavariable.
func (g *signature) attributes(name string) (of atom.Attributes) {
	for _, w := range g.rule.When {
		if call := w.Args[0]; !w.Not && w.Rel == "" && len(call.Args) == 1 && call.Args[0].Name == name {
			of = of.With(atom.AttributeOf(call.Name))
		}
	}
	return of
}

// invertible reports whether the matrices of the last two axes have an inverse.
func invertible(x *eval.Tensor) bool {
	k := len(x.Shape)
	if k < 2 || x.Shape[k-1] != x.Shape[k-2] {
		return false
	}
	n := x.Shape[k-1]
	for each := n * n; each > 0 && len(x.Data) >= each; {
		if eval.Inv(make([]float64, each), n, x.Data[:each]) != nil {
			return false
		}
		x = &eval.Tensor{Shape: x.Shape, Data: x.Data[each:]}
	}
	return true
}

// restricted reports whether some condition is on values.
func (g *signature) restricted() bool {
	for _, w := range g.rule.When {
		if w.Rel == "" {
			for _, v := range g.values {
				if len(w.Args[0].Args) > 0 && w.Args[0].Args[0].Name == v.Name {
					return true
				}
			}
		}
	}
	return false
}
