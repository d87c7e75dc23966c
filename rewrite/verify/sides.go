package verify

import (
	"context"
	"math"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/eval"
	"frechet/rewrite/verify/model"
)

// closeness is how far both sides may differ, in parts of the largest number that their evaluation
// meets; conditioned is by how much more than they differ where the variables change by rounding.
const (
	closeness   = 1e-11
	conditioned = 1e3
	rounding    = 1e-15
	large       = 1e7  // numbers of which a difference is no counterexample,
	rounded     = 1e-3 // unless it is so much of them
	underflown  = 1e-150
	hopeless    = 1e12 // numbers that say nothing, not even that there is one: of a matrix that is singular but for rounding
	singular    = -25  // the logarithm of the determinant of such a matrix
)

// compare evaluates both sides in floating-point numbers.
func compare(in *instance, env map[string]*eval.Tensor) model.Outcome {
	l, most := measured(in.left, env)
	r, mostR := measured(in.right, env)
	switch {
	case l == nil && r == nil, math.IsInf(math.Max(most, mostR), 1), (l == nil || r == nil) && math.Max(most, mostR) > hopeless:
		return model.NoSide
	case r == nil:
		return model.LeftOnly
	case l == nil:
		return model.RightOnly
	}
	scale := math.Max(1, math.Max(most, mostR))
	far := func(room float64) bool {
		for i := range l.Data {
			if math.Abs(l.Data[i]-r.Data[i]) > room {
				return true
			}
		}
		return false
	}
	if scale > large && !far(rounded*scale) {
		return model.NoSide // what they differ by may be rounding
	}
	if !far(closeness * scale) {
		return model.SidesEqual
	}
	moved := nudged(in, env)
	l2, r2 := number(in.left, moved), number(in.right, moved)
	if l2 == nil || r2 == nil {
		return model.NoSide
	}
	switch {
	case far(closeness*scale + conditioned*(distance(l, l2)+distance(r, r2))):
		return model.SidesDiffer
	case scale > large:
		return model.NoSide
	}
	return model.SidesEqual
}

// nudged moves each entry by about its rounding.
func nudged(in *instance, env map[string]*eval.Tensor) map[string]*eval.Tensor {
	out := map[string]*eval.Tensor{}
	sign := 1.0
	for _, v := range in.vars {
		if v.Attributes().Has(atom.Index) {
			out[v.Name()] = env[v.Name()]
			continue
		}
		x := eval.NewTensor(env[v.Name()].Shape...)
		for i, e := range env[v.Name()].Data {
			x.Data[i] = e * (1 + sign*rounding)
			sign = -sign
		}
		out[v.Name()] = x
	}
	return out
}

func distance(a, b *eval.Tensor) (d float64) {
	for i := range a.Data {
		d = math.Max(d, math.Abs(a.Data[i]-b.Data[i])) // NaN stays
	}
	return d
}

// defined is the value of a side, nil where it or a value inside of it is no finite number: 1/(1/x)
// has no value at 0.
func defined(n *combinators.Node, env map[string]*eval.Tensor) *eval.Tensor {
	out, _ := measured(n, env)
	return out
}

// measured is defined, with the largest number that the evaluation meets.
func measured(n *combinators.Node, env map[string]*eval.Tensor) (out *eval.Tensor, most float64) {
	outs, err := eval.Reference(context.Background(), combinators.Topo(n), eval.Env(env), nil, randomFunctions(n))
	if err != nil {
		return nil, 0
	}
	values := map[*combinators.Node]*eval.Tensor{}
	for i, n := range combinators.Topo(n) {
		values[n] = outs[i]
		if atPole(n, values) {
			return nil, 0
		}
	}
	for i, m := range combinators.Topo(n) { // what comes after a pole is no matter: arctan of an infinity
		out := outs[i]
		if lost(m, out, values, m == n) {
			most = math.Inf(1)
		}
		if !finite(out) {
			return nil, most
		}
		for _, v := range out.Data {
			most = math.Max(most, math.Abs(v))
		}
	}
	return outs[len(outs)-1], most
}

// lost: the value is a determinant's that is 0 but for rounding, infinite by overflow, which is no pole, or, where it is not the
// last one, 0 by underflow or what the function never is: exp(-1000) is not 0, nor is tanh(40) 1.
func lost(n *combinators.Node, out *eval.Tensor, values map[*combinators.Node]*eval.Tensor, last bool) bool {
	powers := n.Is(atom.Power) || n.Is(atom.Pow)
	overflows := powers || n.Is(atom.Exp) || n.Is(atom.Expm1) || n.Is(atom.Sinh) || n.Is(atom.Cosh)
	for i, v := range out.Data {
		switch {
		case n.Is(atom.LogDet) && v < singular, !last && n.Atom().Class == atom.ClassElementwise && n.Atom().Range.Misses(v):
			return true
		case overflows && !(powers && values[n.Arg(0)].Data[i] == 0) && !math.IsInf(values[n.Arg(0)].Data[i], 0):
			if math.IsInf(v, 0) || !last && powers && math.Abs(v) < underflown {
				return true
			}
		}
	}
	return false
}

// atPole: a tangent is larger, or what is divided by is smaller, than a number next to a pole or to a zero
// of a function of an angle makes it.
func atPole(n *combinators.Node, values map[*combinators.Node]*eval.Tensor) bool {
	const near = 1e-15
	switch {
	case n.Is(atom.Tan):
		return slices.ContainsFunc(values[n].Data, func(v float64) bool { return math.Abs(v) > 1/near })
	case n.Is(atom.Power) && n.Rat().Sign() < 0:
		at := n.Arg(0)
		return at.Atom().Period > 0 && slices.ContainsFunc(values[at].Data, func(v float64) bool { return math.Abs(v) < near })
	}
	return false
}

func finite(x *eval.Tensor) bool {
	return !slices.ContainsFunc(x.Data, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// number is the value of a side, nil where it has none: where it is singular, or an entry is no
// finite number.
func number(n *combinators.Node, env map[string]*eval.Tensor) *eval.Tensor {
	out, err := eval.Reference(context.Background(), []*combinators.Node{n}, eval.Env(env), nil, randomFunctions(n))
	if err != nil || !finite(out[0]) {
		return nil
	}
	return out[0]
}

// randomFunctions are functions for the declared ones in n: those of the model, in numbers. One of which a declaration says
// more has no value.
func randomFunctions(nodes ...*combinators.Node) map[string]eval.Function {
	var fs map[string]eval.Function
	for _, n := range combinators.Topo(nodes...) {
		at := n.Atom()
		g := at.Signature()
		if g == nil {
			continue
		}
		if fs == nil {
			fs = map[string]eval.Function{}
		}
		fs[at.Name] = func(out *eval.Tensor, args ...*eval.Tensor) error {
			each := len(out.Data)
			if g.Elementwise() {
				each = 1
			}
			for i := 0; i < len(out.Data); i += each {
				data := make([][]float64, len(args))
				for k, a := range args {
					if data[k] = a.Data; g.Elementwise() {
						data[k] = a.Data[i : i+1]
					}
				}
				y, ok := model.Evaluated(floats, at, data, each)
				if !ok {
					y = slices.Repeat([]float64{math.NaN()}, each)
				}
				copy(out.Data[i:], y)
			}
			return nil
		}
	}
	return fs
}

var floats = model.Ring[float64]{
	Plus:  func(a, b float64) float64 { return a + b },
	Times: func(a, b float64) float64 { return a * b },
	Int:   func(n int64) float64 { return float64(n) },
}
