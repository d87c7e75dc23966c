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
		if _, applies := model.NumberCondition(w, in.numbers); applies || w.Rel != "" { // relations are of sizes, which were chosen to hold
			continue
		}
		call := w.Args[0]
		if call.Name == "unit" {
			n, ok := in.layout.sizes[call.Args[0].Name].Int()
			if (ok && n == 1) == w.Not {
				return false
			}
			continue
		}
		if x := env[call.Args[0].Name]; x != nil {
			if holds, decided := conditionAt(call.Name, x); !holds && !w.Not || holds && w.Not && decided {
				return false
			}
		}
	}
	return true
}

// conditionAt reports whether a condition holds of a value, and whether the engine decides it, and not only shows it.
func conditionAt(name string, x *eval.Tensor) (holds, decided bool) {
	every := func(f func(float64) bool) bool {
		return !slices.ContainsFunc(x.Data, func(v float64) bool { return !f(v) })
	}
	k := len(x.Shape)
	switch name {
	case "positive":
		return every(func(v float64) bool { return v > 0 }), false
	case "nonneg":
		return every(func(v float64) bool { return v >= 0 }), false
	case "nonzero":
		return every(func(v float64) bool { return v != 0 }), false
	case "invertible":
		return invertible(x), false
	case "const":
		return every(func(v float64) bool { return v == x.Data[0] }), false
	case "notone":
		return !every(func(v float64) bool { return v == 1 }), false
	case "order0":
		return k == 0, true
	case "square":
		return k >= 2 && x.Shape[k-1] == x.Shape[k-2], true
	}
	of := atom.AttributeOf(name)
	return of == 0 || eval.Breach(of, x) == "", false
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
