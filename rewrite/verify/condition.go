package verify

import (
	"math/big"

	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/eval"
)

// arith is the value of an expression in numbers, nil where it has none.
func arith(t *text.Term, numbers []denote.Number) *big.Rat {
	switch t.Op {
	case text.Num:
		return t.Rat
	case text.Name:
		for _, n := range numbers {
			if n.Name == t.Name {
				return n.Value
			}
		}
		return nil
	}
	var args []*big.Rat
	for _, a := range t.Args {
		r := arith(a, numbers)
		if r == nil {
			return nil
		}
		args = append(args, r)
	}
	switch {
	case t.Op == text.Neg:
		return new(big.Rat).Neg(args[0])
	case t.Op == text.Add:
		return new(big.Rat).Add(args[0], args[1])
	case t.Op == text.Sub:
		return new(big.Rat).Sub(args[0], args[1])
	case t.Op == text.Mul:
		return new(big.Rat).Mul(args[0], args[1])
	case t.Op == text.Div && args[1].Sign() != 0:
		return new(big.Rat).Quo(args[0], args[1])
	}
	return nil
}

// numberCondition decides a condition that is on numbers; applies is false for one on values.
func numberCondition(w text.Cond, numbers []denote.Number) (holds, applies bool) {
	if w.Rel != "" {
		a, b := arith(w.Args[0], numbers), arith(w.Args[1], numbers)
		if a == nil || b == nil {
			return false, true
		}
		c := a.Cmp(b)
		ok := map[string]bool{"=": c == 0, "!=": c != 0, "<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0}[w.Rel]
		return ok != w.Not, true
	}
	call := w.Args[0]
	if len(call.Args) != 1 {
		return false, false
	}
	r := arith(call.Args[0], numbers)
	if r == nil {
		return false, false
	}
	var ok bool
	switch call.Name {
	case "integer":
		ok = r.IsInt()
	case "even":
		ok = r.IsInt() && r.Num().Bit(0) == 0
	case "odd":
		ok = r.IsInt() && r.Num().Bit(0) == 1
	case "positive":
		ok = r.Sign() > 0
	case "nonneg":
		ok = r.Sign() >= 0
	case "nonzero":
		ok = r.Sign() != 0
	case "notone":
		ok = r.Cmp(big.NewRat(1, 1)) != 0
	case "const":
		ok = true
	}
	return ok != w.Not, true
}

// holds checks the conditions on values at a point. A negated condition on the signs of values says
// that the engine cannot show it, not that it is false: it restricts nothing.
func (g *signature) holds(in *instance, env map[string]*eval.Tensor) bool {
	for _, w := range g.rule.When {
		if _, applies := numberCondition(w, in.numbers); applies {
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
		x := env[call.Args[0].Name]
		if x == nil {
			continue
		}
		every := func(f func(float64) bool) bool {
			for _, v := range x.Data {
				if !f(v) {
					return false
				}
			}
			return true
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
		}
	}
	return true
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
