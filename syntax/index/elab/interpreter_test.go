package elab_test

import (
	"fmt"
	"maps"

	"frechet/syntax/index"
)

// jet is a number with two infinitesimals e and d, e*e = d*d = 0: the parts of f(x) hold
// f, its derivatives along two directions, and the mixed second derivative.
type jet struct{ v, e, d, ed float64 }

func (a jet) add(b jet) jet { return jet{a.v + b.v, a.e + b.e, a.d + b.d, a.ed + b.ed} }

func (a jet) mul(b jet) jet {
	return jet{a.v * b.v, a.v*b.e + a.e*b.v, a.v*b.d + a.d*b.v, a.v*b.ed + a.e*b.d + a.d*b.e + a.ed*b.v}
}

// interpreter evaluates a definition by reading it, one element after the other: an
// account of what index notation means that shares nothing with elaboration.
type interpreter struct {
	args   map[string][]jet
	shapes map[string][]int64
}

func (p *interpreter) whole(x *index.Expr, at map[string]int64) int64 {
	switch x.Op {
	case index.Num:
		return x.Num.Num().Int64()
	case index.Name:
		return at[x.Name]
	case index.Neg:
		return -p.whole(x.Args[0], at)
	case index.Sum, index.Product:
		v := p.whole(x.Args[0], at)
		for _, s := range x.Steps {
			switch w := p.whole(s.Arg, at); s.Op {
			case '+':
				v += w
			case '-':
				v -= w
			case '*':
				v *= w
			}
		}
		return v
	case index.Call:
		a := x.Args[0]
		switch x.Name {
		case "max":
			v := p.whole(a, at)
			for _, b := range x.Args[1:] {
				v = max(v, p.whole(b, at))
			}
			return v
		case "min":
			v := p.whole(a, at)
			for _, b := range x.Args[1:] {
				v = min(v, p.whole(b, at))
			}
			return v
		case "floor":
			return floorDiv(p.whole(a.Args[0], at), p.whole(a.Steps[0].Arg, at))
		case "ceil":
			return -floorDiv(-p.whole(a.Args[0], at), p.whole(a.Steps[0].Arg, at))
		}
	}
	panic("no whole number")
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func (p *interpreter) holds(r index.Relation, at map[string]int64) bool {
	a, b := p.whole(r.Left, at), p.whole(r.Right, at)
	return map[string]bool{"=": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[r.Op]
}

func (p *interpreter) value(x *index.Expr, at map[string]int64) jet {
	switch x.Op {
	case index.Num:
		v, _ := x.Num.Float64()
		return jet{v: v}
	case index.Access:
		k := int64(0)
		for d, a := range x.Args {
			i := p.whole(a, at)
			if n := p.shapes[x.Name][d]; i < 0 || i >= n {
				panic(fmt.Sprintf("%s: index %d of %d", x.Name, i, n))
			}
			k = k*p.shapes[x.Name][d] + i
		}
		return p.args[x.Name][k]
	case index.Neg:
		return p.value(x.Args[0], at).mul(jet{v: -1})
	case index.Power:
		v := jet{v: 1}
		for range x.Args[1].Num.Num().Int64() {
			v = v.mul(p.value(x.Args[0], at))
		}
		return v
	case index.Sum:
		v := p.value(x.Args[0], at)
		for _, s := range x.Steps {
			w := p.value(s.Arg, at)
			if s.Op == '-' {
				w = w.mul(jet{v: -1})
			}
			v = v.add(w)
		}
		return v
	case index.Product:
		// what a condition excludes is not read
		for _, a := range append([]*index.Expr{x.Args[0]}, args(x)...) {
			if a.Op == index.Where && !p.holds(a.Rels[0], at) {
				return jet{}
			}
		}
		v := p.value(x.Args[0], at)
		for _, s := range x.Steps {
			v = v.mul(p.value(s.Arg, at))
		}
		return v
	case index.Total:
		lo, hi := p.whole(x.Args[0], at), p.whole(x.Args[1], at)
		var v jet
		at = maps.Clone(at)
		for k := lo; k <= hi; k++ {
			at[x.Name] = k
			v = v.add(p.value(x.Args[2], at))
		}
		return v
	case index.If:
		if p.holds(x.Rels[0], at) {
			return p.value(x.Args[0], at)
		}
		return p.value(x.Args[1], at)
	case index.Where:
		if p.holds(x.Rels[0], at) {
			return jet{v: 1}
		}
		return jet{}
	}
	panic("no value")
}

func args(x *index.Expr) (out []*index.Expr) {
	for _, s := range x.Steps {
		out = append(out, s.Arg)
	}
	return out
}

// each visits the points of a box.
func each(shape []int64, f func(at []int64)) {
	at := make([]int64, len(shape))
	var visit func(k int)
	visit = func(k int) {
		if k == len(shape) {
			f(at)
			return
		}
		for at[k] = 0; at[k] < shape[k]; at[k]++ {
			visit(k + 1)
		}
	}
	visit(0)
}

func (p *interpreter) all(d *index.Definition, shape []int64) (out []jet) {
	each(shape, func(at []int64) {
		names := map[string]int64{}
		for k, x := range d.Indices {
			names[x.Name] = at[k]
		}
		out = append(out, p.value(d.Expr, names))
	})
	return out
}
