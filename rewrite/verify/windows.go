package verify

import (
	"context"
	"math"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/eval"
	"frechet/internal/lists"
	"frechet/rewrite/verify/model"
)

// A law of functions with kinks is one of smooth functions between any two kinks that are neighbours. So it is
// decided by cases: the turns along the line of one entry are where arguments have the values that rows call
// kinks, where two operands are equal, and where a domain ends. Arguments that are affine along the line are solved for
// these, wherever they lie, others by signs at many points; and both sides are compared at the turns, between them and beyond.

// windows tries the cases along the line of each entry, with the others as env has them.
func (t *trial) windows(g *turning, entries []*float64, try func() bool) bool {
	for _, p := range entries {
		old := *p
		for _, v := range cases(g.along(p)) {
			if *p = v; try() {
				return true
			}
		}
		*p = old
	}
	return false
}

// peaks are windows around points at which an argument is as far above or below its turn as steps along the lines of
// the entries find: relu(1 - x^2 - y^2) has its window where both are small. Arguments that are seen on both sides have none.
func (t *trial) peaks(g *turning, entries []*float64, try func() bool) bool {
	if len(entries) < 2 || len(entries) > mostPeakEntries {
		return false
	}
	above, below := map[int]bool{}, map[int]bool{}
	for range peakDraws {
		for _, p := range entries {
			*p = 20*t.rand.Float64() - 10
		}
		for i, v := range g.all() {
			above[i], below[i] = above[i] || v > 0, below[i] || v < 0
		}
	}
	tried := 0
	for i := range g.count() {
		if above[i] == below[i] || tried == mostPeaks {
			continue
		}
		tried++
		for _, p := range slices.Concat(entries, entries) {
			*p = lowest(func(v float64) float64 {
				if *p = v; below[i] {
					return -g.one(i)
				}
				return g.one(i)
			}, grid())
		}
		if t.windows(g, entries, try) {
			return true
		}
	}
	return false
}

// mostPeakEntries and mostPeaks bound the entries and arguments of an instance of which peaks are sought, peakDraws the
// points that are drawn before.
const (
	mostPeakEntries = 4
	mostPeaks       = 4
	peakDraws       = 20
)

// turning are the entries of arguments of functions, and how far each is above its turn at the entries of an environment.
type turning struct {
	env   eval.Env
	turns []crossover
}

// A crossover is where the first argument is equal to the second, or to a number.
type crossover struct {
	first, second *combinators.Node // second is nil where first is compared with a number
	at            float64
	entry         int
}

// turningOf are the turns of the functions of both sides.
func turningOf(in *instance, env map[string]*eval.Tensor) *turning {
	g := &turning{env: eval.Env(env)}
	seen := map[crossover]bool{}
	add := func(t crossover) {
		for t.entry = range len(eval.NewTensor(model.ShapeOf(t.first)...).Data) {
			if !seen[t] && len(t.first.Args()) > 0 || t.first.Is(atom.Var) {
				seen[t] = true
				g.turns = append(g.turns, t)
			}
		}
	}
	for _, n := range combinators.Topo(in.left, in.right) {
		row := n.Atom()
		switch {
		case row.Kink == "" || len(n.Args()) == 0:
		case len(n.Args()) == 2 && n.Arg(0).Order() == n.Arg(1).Order():
			add(crossover{n.Arg(0), n.Arg(1), 0, 0})
		default:
			add(crossover{n.Arg(0), nil, row.KinkAt, 0})
		}
		if row.Class == atom.ClassElementwise {
			for _, end := range []float64{row.Domain.Low, row.Domain.High} {
				if !math.IsInf(end, 0) {
					add(crossover{n.Arg(0), nil, end, 0})
				}
			}
		}
		if n.Is(atom.Power) && (n.Rat().Sign() < 0 || !n.Rat().IsInt()) {
			add(crossover{n.Arg(0), nil, 0, 0})
		}
	}
	return g
}

func (g *turning) count() int { return len(g.turns) }

// one is how far the i-th argument is above its turn; NaN where there is no number.
func (g *turning) one(i int) float64 {
	t := g.turns[i]
	args := []*combinators.Node{t.first}
	if t.second != nil {
		args = append(args, t.second)
	}
	values, err := eval.Reference(context.Background(), args, g.env, nil, randomFunctions(t.first))
	if err != nil {
		return math.NaN()
	}
	v := values[0].Data[t.entry] - t.at
	if t.second != nil {
		v -= values[1].Data[t.entry]
	}
	return v
}

// all are the values of one, for each argument.
func (g *turning) all() []float64 {
	out := make([]float64, len(g.turns))
	var args []*combinators.Node
	for _, t := range g.turns {
		args = append(args, t.first)
		if t.second != nil {
			args = append(args, t.second)
		}
	}
	values, err := eval.Reference(context.Background(), args, g.env, nil, randomFunctions(combinators.Topo(args...)...))
	for i, t := range g.turns {
		if err != nil {
			out[i] = math.NaN()
			continue
		}
		out[i] = values[0].Data[t.entry] - t.at
		if values = values[1:]; t.second != nil {
			out[i] -= values[0].Data[t.entry]
			values = values[1:]
		}
	}
	return out
}

// along are the values of p at which an argument is at its turn, sorted. Between those that are
// found, arguments may be affine that are not along the whole line, as abs(x) is: these are solved then.
func (g *turning) along(p *float64) []float64 {
	if len(g.turns) == 0 || len(g.turns) > mostTurns {
		return nil
	}
	out, others := g.solved(p, math.Inf(-1), math.Inf(1))
	for _, i := range others {
		out = append(out, signChanges(func(v float64) float64 {
			*p = v
			return g.one(i)
		})...)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	for range 2 {
		ends := append(append([]float64{math.Inf(-1)}, out...), math.Inf(1))
		if len(others) == 0 || len(ends) > maxTurns {
			break
		}
		for i := 1; i < len(ends); i++ {
			more, _ := g.solved(p, ends[i-1], ends[i])
			out = append(out, more...)
		}
		slices.Sort(out)
		out = slices.Compact(out)
	}
	return out
}

// mostTurns bounds the arguments of an instance that are followed along lines.
const mostTurns = 64

// solved are the turns between low and high of the arguments that are affine there, by what they are at three points, and
// the other arguments.
func (g *turning) solved(p *float64, low, high float64) (out []float64, others []int) {
	from, step := low+1, 1.0
	switch {
	case math.IsInf(low, -1) && math.IsInf(high, 1):
		from = 0
	case math.IsInf(low, -1):
		from = high - 4
	case !math.IsInf(high, 1):
		from, step = low+(high-low)/4, (high-low)/4
	}
	at := func(v float64) []float64 {
		*p = v
		return g.all()
	}
	first, second, third := at(from), at(from+step), at(from+2*step)
	for i := range first {
		slope := second[i] - first[i]
		if !(math.Abs(third[i]-second[i]-slope) < closeness*(math.Abs(first[i])+math.Abs(slope))) {
			if slope != 0 || third[i] != second[i] {
				others = append(others, i)
			}
			continue
		}
		if root := from - step*first[i]/slope; math.Abs(root) < longest && root > low && root < high {
			out = append(out, root)
		}
	}
	return out, others
}

// grid are points of both signs and of all magnitudes.
func grid() []float64 {
	out := []float64{0}
	for _, s := range []float64{1e-3, 0.05, 0.3, 0.8, 1.6, 2.5, 4, 6, 9, 13, 20, 30, 50, 80, 130, 250, 600, 1500, 5000} {
		out = append(out, s, -s)
	}
	slices.Sort(out)
	return out
}

// signChanges are the points at which f changes its sign between two points of a grid, also where f comes near to 0 between
// three of them and crosses it twice.
func signChanges(f func(float64) float64) (out []float64) {
	at := grid()
	values := lists.Map(at, f)
	for i := 1; i < len(at); i++ {
		if values[i] == 0 {
			out = append(out, at[i])
		}
		if values[i-1]*values[i] < 0 {
			out = append(out, crossing(f, at[i-1], at[i]))
		}
		if i+1 == len(at) || !(values[i-1]*values[i] > 0 && values[i]*values[i+1] > 0) {
			continue
		}
		if near := math.Abs(values[i]); near <= math.Abs(values[i-1]) && near <= math.Abs(values[i+1]) {
			sign := math.Copysign(1, values[i])
			if v := lowest(func(v float64) float64 { return sign * f(v) }, at[i-1:i+2]); sign*f(v) < 0 {
				out = append(out, crossing(f, at[i-1], v), crossing(f, v, at[i+1]))
			}
		}
	}
	return out
}

// crossing is where f changes its sign between a and b, by halving; a number with few digits where f is 0 there.
func crossing(f func(float64) float64, a, b float64) float64 {
	sign := f(a)
	for range 50 {
		if m := (a + b) / 2; f(m)*sign > 0 {
			a = m
		} else {
			b = m
		}
	}
	if short := math.Round(b*1024) / 1024; math.Abs(short-b) < closeness && f(short) == 0 {
		return short
	}
	return b
}

// lowest is a point at which f is low: of those of at, and between the neighbours of the best one by sections.
func lowest(f func(float64) float64, at []float64) float64 {
	best, value := 0, math.Inf(1)
	for i, v := range at {
		if y := f(v); y < value {
			best, value = i, y
		}
	}
	a, b := at[max(best-1, 0)], at[min(best+1, len(at)-1)]
	for range 40 {
		c, d := a+(b-a)*0.381966, a+(b-a)*0.618034
		if f(c) < f(d) {
			b = d
		} else {
			a = c
		}
	}
	return (a + b) / 2
}

// maxTurns bounds the turns along one line.
const maxTurns = 30

// cases are the turns, the middles between neighbours, and points beyond.
func cases(turns []float64) (out []float64) {
	turns = turns[:min(len(turns), maxTurns)]
	for i, v := range turns {
		if out = append(out, v); i > 0 {
			out = append(out, (v+turns[i-1])/2)
		}
	}
	if len(turns) > 0 {
		first, last := turns[0], turns[len(turns)-1]
		out = append(out, first-1, first-100, last+1, last+100)
	}
	return out
}
