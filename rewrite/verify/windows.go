package verify

import (
	"context"
	"math"
	"slices"

	"frechet/combinators"
	"frechet/eval"
)

// A law of functions with kinks is one of smooth functions between any two kinks that are neighbours. So it is
// decided by cases: the kinks along the line of one entry are where arguments have the values that rows call
// kinks, or where two operands are equal. Arguments that are affine along the line are solved for these,
// wherever they lie; and both sides are compared at the kinks, between them and beyond.

// windows tries the cases along the line of each entry, with the others as env has them.
func (t *trial) windows(in *instance, env map[string]*eval.Tensor, entries []*float64, try func() bool) bool {
	kinked := combinators.Topo(in.left, in.right)
	kinked = slices.DeleteFunc(kinked, func(n *combinators.Node) bool { return n.Atom().Kink == "" })
	if len(kinked) == 0 {
		return false
	}
	for _, p := range entries {
		old := *p
		for _, v := range cases(kinks(kinked, env, p)) {
			if *p = v; try() {
				return true
			}
		}
		*p = old
	}
	return false
}

// kinks are the values of p at which an argument of a function of nodes is at a kink, sorted. Between those that are
// found, arguments may be affine that are not along the whole line, as abs(x) is: these are solved then.
func kinks(nodes []*combinators.Node, env map[string]*eval.Tensor, p *float64) []float64 {
	out := solved(nodes, env, p, math.Inf(-1), math.Inf(1))
	for range 2 {
		ends := append(append([]float64{math.Inf(-1)}, out...), math.Inf(1))
		if len(ends) > maxKinks {
			break
		}
		for i := 1; i < len(ends); i++ {
			out = append(out, solved(nodes, env, p, ends[i-1], ends[i])...)
		}
		slices.Sort(out)
		out = slices.Compact(out)
	}
	return out
}

// solved are the kinks between low and high of the arguments that are affine there, by what they are at three points.
func solved(nodes []*combinators.Node, env map[string]*eval.Tensor, p *float64, low, high float64) (out []float64) {
	var args []*combinators.Node
	for _, n := range nodes {
		args = append(args, n.Args()...)
	}
	from, step := low+1, 1.0
	switch {
	case math.IsInf(low, -1) && math.IsInf(high, 1):
		from = 0
	case math.IsInf(low, -1):
		from = high - 4
	case !math.IsInf(high, 1):
		from, step = low+(high-low)/4, (high-low)/4
	}
	var at [3][]*eval.Tensor
	for k := range at {
		*p = from + float64(k)*step
		var err error
		if at[k], err = eval.Reference(context.Background(), args, eval.Env(env), nil); err != nil {
			return nil
		}
	}
	first := 0
	for _, n := range nodes {
		for i := range at[0][first].Data {
			var g [3]float64
			for k := range g {
				g[k] = at[k][first].Data[i] - n.Atom().KinkAt
				if len(n.Args()) == 2 && len(at[k][first+1].Data) == len(at[k][first].Data) {
					g[k] = at[k][first].Data[i] - at[k][first+1].Data[i]
				}
			}
			slope := g[1] - g[0]
			root := from - step*g[0]/slope
			if math.Abs(g[2]-g[1]-slope) < closeness*(math.Abs(g[0])+math.Abs(slope)) && math.Abs(root) < longest && root > low && root < high {
				out = append(out, root)
			}
		}
		first += len(n.Args())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// maxKinks bounds the kinks along one line.
const maxKinks = 30

// cases are the kinks, the middles between neighbours, and points beyond.
func cases(kinks []float64) (out []float64) {
	kinks = kinks[:min(len(kinks), maxKinks)]
	for i, v := range kinks {
		if out = append(out, v); i > 0 {
			out = append(out, (v+kinks[i-1])/2)
		}
	}
	if len(kinks) > 0 {
		first, last := kinks[0], kinks[len(kinks)-1]
		out = append(out, first-1, first-100, last+1, last+100)
	}
	return out
}
