package jacobian

import (
	"slices"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/rewrite/normal"
)

// A Planner differentiates. In the modes Forward and Reverse it applies the derivative or its
// adjoint to the identity. In the mode Planned it multiplies the linear map out by segments:
// the graph of its steps is reduced to few contractions, cut at the vertices that every path
// passes, and the segments between the cuts, or their parallel parts, are found forward, in
// reverse or as products of each other, in the order that takes the fewest multiplications.
// Sizes without a number count as equal and large, so that orders decide.
type Planner struct {
	Calculus *adjoint.Calculus // nil is the standard one
	Mode     Mode
	// Sizes has the numbers of size symbols, as far as they are known.
	Sizes map[string]int64
	// Cost counts what it takes to compute values, in multiplications. Where it is set,
	// derivatives that were planned are compared with those found forward and in reverse, all
	// in normal form, and the cheapest is taken. It may be nil.
	Cost func(values []*Node) (float64, error)
	// Thorough compares all ways also where the size of a variable has no number. Otherwise
	// the direction with the smaller seed is then only compared with a plan that promises much.
	Thorough bool
	// Needed says by which sequences of variables a derivative is found, with each that such a
	// sequence begins with; nil is by all.
	Needed func(wrt []*Node) bool
	// Report, where it is set, is told of every choice.
	Report func(Choice)

	compared bool // with a plan: see Derive
}

// A Choice says how the derivatives of some values were found.
type Choice struct {
	Order int    // of the derivatives
	Taken string // one of Costs' names: planned, forward, reverse, or mixed
	Costs []ChoiceCost
	Maps  []ChoiceMap // the linear maps and their plans
}

// ChoiceCost is what the derivatives take in one of the ways that were compared.
type ChoiceCost struct {
	Way             string
	Multiplications float64
	values          []*Node
}

// ChoiceMap is one linear map with its segments, from the argument to the value.
type ChoiceMap struct {
	Value, Argument *Node
	Segments        []Segment
}

// Unknown is the number that counts for size symbols without one.
const Unknown = 1000

// margin is by how much another way has to be cheaper, where sizes are not known, to be taken
// in place of the direction with the smaller seed.
const margin = 0.99

// promise is by how much a plan has to be cheaper than both directions, where sizes are not
// known, to be looked at.
const promise = 0.75

// maxCompared bounds the steps of linear maps that are derived in several ways.
const maxCompared = 4000

// Derivatives has a value and its derivatives up to some order, all in normal form.
type Derivatives struct {
	Value *Node
	// ByOrder[k-1] has the derivatives of order k, of every sequence of k variables in
	// lexical order: for k = 1 one for each variable, for k = 2 the Hessian's blocks by rows.
	// Their axes are those of the value, then those of each variable in turn.
	ByOrder [][]*Node
}

// Derive differentiates y with respect to wrt, order times, in one of the modes.
func Derive(y *Node, wrt []*Node, order int, mode Mode) (*Derivatives, error) {
	return (&Planner{Mode: mode}).Derive(y, wrt, order)
}

// Derive differentiates y with respect to wrt, order times, as far as it is needed. The program is simplified
// before it is differentiated, and every derivative is. A planned derivative of order 2 and more is that found forward or in
// reverse where this reads better, unless sizes are known, by which costs are compared.
func (p *Planner) Derive(y *Node, wrt []*Node, order int) (d *Derivatives, err error) {
	defer adjoint.Recover(&err)
	d = p.derive(y, wrt, order)
	s := y.Store()
	if p.Mode != Planned || order < 2 || p.Thorough || p.known(wrt) || Length(y) > maxCompared {
		return d, nil
	}
	taken := make([]string, order) // another way
	for _, mode := range []Mode{Forward, Reverse} {
		if s.MaxNodes > 0 && s.Len() > s.MaxNodes/8 {
			break
		}
		q := *p
		q.Mode, q.compared = mode, true
		e := q.derive(y, wrt, order)
		for k := 1; k < order; k++ {
			if p.reads(e.ByOrder[k], d.ByOrder[k]) {
				d.ByOrder[k] = e.ByOrder[k]
				taken[k] = direct[mode]
			}
		}
	}
	for k := 1; k < order && p.Report != nil; k++ {
		if taken[k] != "" {
			p.Report(Choice{Order: k + 1, Taken: taken[k]})
		}
	}
	return d, nil
}

// dearer is by how much a derivative may cost more than another one that is longer: not an order of a size more.
const dearer = 2

// reads reports whether values read better than others: they are shorter, without intermediates of a higher order, and
// cost about as much.
func (p *Planner) reads(values, others []*Node) bool {
	order := func(values []*Node) (most int) {
		for _, n := range combinators.Topo(values...) {
			most = max(most, n.Order())
		}
		return most
	}
	if Length(values...) >= Length(others...) || order(values) > order(others) {
		return false
	}
	if p.Cost == nil {
		return true
	}
	a, err := p.Cost(values)
	if err != nil {
		return false
	}
	b, err := p.Cost(others)
	return err != nil || a <= dearer*b
}

// derive is Derive in one mode throughout.
func (p *Planner) derive(y *Node, wrt []*Node, order int) *Derivatives {
	z := normal.New(y.Store(), nil)
	level := z.Simplify(y)
	z = z.Within(level)
	d := &Derivatives{Value: level[0]}
	by := [][]*Node{nil} // the variables of each of level
	for k := range order {
		var next []*Node
		var nextBy [][]*Node
		for len(level) > 0 {
			vars, n := p.further(by[0], wrt), 1
			for n < len(level) && slices.Equal(p.further(by[n], wrt), vars) {
				n++
			}
			if len(vars) > 0 {
				next = append(next, p.derivatives(z, level[:n], vars, k+1)...)
			}
			for _, before := range by[:n] {
				nextBy = lists.Append(nextBy, vars, func(x *Node) []*Node { return append(slices.Clone(before), x) })
			}
			level, by = level[n:], by[n:]
		}
		d.ByOrder = append(d.ByOrder, next)
		level, by = next, nextBy
	}
	return d
}

// further are the variables by which a derivative by some is differentiated further.
func (p *Planner) further(by, wrt []*Node) []*Node {
	if p.Needed == nil {
		return wrt
	}
	return slices.DeleteFunc(slices.Clone(wrt), func(x *Node) bool { return !p.Needed(append(slices.Clone(by), x)) })
}

func (p *Planner) calculus() *adjoint.Calculus {
	if p.Calculus == nil {
		return adjoint.Standard()
	}
	return p.Calculus
}

// derivatives gives those of each of ys by each of wrt, in the normal form that z finds.
func (p *Planner) derivatives(z *normal.Simplifier, ys, wrt []*Node, order int) []*Node {
	var maps []*adjoint.LinearProgram
	maps = lists.Append(maps, ys, func(y *Node) *adjoint.LinearProgram { return blockOf(p.calculus(), y, wrt) })
	if p.Mode != Planned {
		out := z.Further(all(ys, wrt, maps, p.Mode)...)
		if p.compared {
			out = p.shorter(z, out)
		}
		return out
	}
	first := all(ys, wrt, maps, Planned)
	if !slices.ContainsFunc(ys, func(y *Node) bool { return y.Order() > 0 }) {
		return p.shorter(z, z.Further(first...)) // gradients
	}
	c := p.plan(ys, wrt, maps)
	ways := []ChoiceCost{{Way: smallest(ys, wrt), values: first}}
	if c.several {
		for _, mode := range []Mode{Reverse, Forward} {
			if out := all(ys, wrt, maps, mode); !slices.Equal(out, first) {
				ways = append(ways, ChoiceCost{Way: direct[mode], values: out})
			}
		}
	}
	if c.planned != nil {
		ways = append(ways, ChoiceCost{Way: "planned", values: c.planned})
	}
	for i := range ways {
		ways[i].values = z.Further(ways[i].values...)
	}
	if len(c.parts) > 0 {
		// Normal forms take common factors out of sums, which may cost more than the parts do.
		apart := z.Further(slices.Concat(c.planned, c.parts)...)[:len(c.planned)]
		ways = append(ways, ChoiceCost{Way: "planned", values: apart})
	}
	ways = differing(ways)
	taken := p.cheapest(ways)
	if p.Report != nil {
		p.Report(Choice{Order: order, Taken: ways[taken].Way, Costs: ways, Maps: c.maps})
	}
	return p.shorter(z, ways[taken].values)
}

// direct names the modes of one direction.
var direct = map[Mode]string{Reverse: "reverse", Forward: "forward"}

// all applies maps forward, in reverse, or each in the direction with the smaller seed.
func all(ys, wrt []*Node, maps []*adjoint.LinearProgram, mode Mode) (out []*Node) {
	for i, y := range ys {
		m := mode
		if y.Order() == 0 && mode != Forward {
			m = Reverse // a gradient
		}
		out = append(out, entries(maps[i], directions(y, wrt, m))...)
	}
	return out
}

// smallest names the way of the smaller seeds.
func smallest(ys, wrt []*Node) string {
	forward, reverse := false, false
	for _, y := range ys {
		for _, r := range directions(y, wrt, Planned) {
			forward, reverse = forward || !r, reverse || r
		}
	}
	switch {
	case forward && reverse:
		return "mixed"
	case forward:
		return "forward"
	}
	return "reverse"
}

// A comparison is what there is to compare for some linear maps.
type comparison struct {
	several bool    // ways may differ in cost
	planned []*Node // the planned entries, where these promise to be cheaper
	parts   []*Node // of the sums in these
	maps    []ChoiceMap
}

// plan plans the linear maps of ys by wrt.
func (p *Planner) plan(ys, wrt []*Node, maps []*adjoint.LinearProgram) *comparison {
	additive, c := adjoint.Must(p.calculus().Additive()), &comparison{}
	steps, several := 0, 0
	var all []*series
	straight, best := 0.0, 0.0
	for i, y := range ys {
		if y.Order() == 0 {
			all = append(all, make([]*series, len(wrt))...)
			continue
		}
		for k := range wrt {
			var q *series
			if maps[i].Outs[0] != nil {
				q = p.series(maps[i].Outs[0], maps[i].In[k], !additive)
			}
			all = append(all, q)
			if q == nil {
				continue
			}
			steps += q.g.steps
			if several++; !q.single() {
				several++
			}
			f, r := q.straight(byForward), q.straight(byBackward)
			straight, best = straight+min(f, r), best+q.cost()
		}
	}
	// A chain of contractions is the same in every way, but several of them may share parts.
	c.several = several > 1
	s := ys[0].Store()
	if p.Cost == nil || !p.Thorough && !p.known(ys) || steps > maxCompared || s.MaxNodes > 0 && s.Len() > s.MaxNodes/8 {
		c.several = false
	}
	least := margin
	if !p.known(ys) {
		least = promise
	}
	if best >= least*straight { // nothing to gain
		return c
	}
	for i, y := range ys {
		if y.Order() == 0 {
			c.planned = append(c.planned, entries(maps[i], slices.Repeat([]bool{true}, len(wrt)))...)
			continue
		}
		for k, x := range wrt {
			q := all[i*len(wrt)+k]
			if q == nil {
				c.planned = append(c.planned, s.Zero(slices.Concat(y.Shape(), x.Shape())))
				continue
			}
			c.planned = append(c.planned, q.build(0, len(q.segments)))
			c.parts = append(c.parts, q.g.parts...)
			c.maps = append(c.maps, ChoiceMap{Value: y, Argument: x, Segments: q.report(maps[i])})
		}
	}
	return c
}

// series plans the map from the tangent dx to the output y, nil where it is zero; of a whole one
// no steps are joined and no sums taken apart.
func (p *Planner) series(y, dx *Node, whole bool) *series {
	g := newGraph(p.calculus(), y, dx, p.number())
	if g == nil || len(g.vertex) < 2 {
		return nil
	}
	if g.whole = whole; !whole {
		g.reduce()
	}
	var edges []*edge
	for _, v := range g.vertex {
		edges = append(edges, v.in...)
	}
	return newSeries(g, edges, g.source(), g.sink(), 0)
}

// number gives a number to every size.
func (p *Planner) number() func(size.Size) float64 {
	known := map[size.Size]float64{}
	return func(d size.Size) float64 {
		if n, ok := d.Int(); ok {
			return float64(n)
		}
		if n, ok := known[d]; ok {
			return n
		}
		env := map[string]int64{}
		for _, s := range d.Symbols() {
			env[s] = Unknown
			if n, ok := p.Sizes[s]; ok {
				env[s] = n
			}
		}
		n, err := d.Eval(env)
		if err != nil {
			n = 1 << 62
		}
		if n < 0 { // as n - 2000 is at Unknown
			n = 1
		}
		known[d] = float64(n)
		return float64(n)
	}
}

// differing drops ways that come to the values of an earlier one.
func differing(ways []ChoiceCost) []ChoiceCost {
	var out []ChoiceCost
	for _, w := range ways {
		if !slices.ContainsFunc(out, func(o ChoiceCost) bool { return slices.Equal(o.values, w.values) }) {
			out = append(out, w)
		}
	}
	return out
}

// cheapest compares ways in normal form. The first is taken where no other is cheaper.
func (p *Planner) cheapest(ways []ChoiceCost) int {
	if len(ways) == 1 {
		return 0
	}
	if p.Cost == nil {
		return max(0, slices.IndexFunc(ways, func(w ChoiceCost) bool { return w.Way == "planned" }))
	}
	taken := -1
	for i := range ways {
		c, err := p.Cost(ways[i].values)
		if err != nil {
			continue // cannot be computed in this way
		}
		ways[i].Multiplications = c
		least := 1.0
		if taken == 0 && !p.known(ways[i].values) {
			least = margin
		}
		if taken < 0 || c < least*ways[taken].Multiplications {
			taken = i
		}
	}
	return max(taken, 0)
}

// known reports whether all sizes of the variables of values have numbers.
func (p *Planner) known(values []*Node) bool {
	for _, n := range combinators.Topo(values...) {
		if n.Name() == "" {
			continue
		}
		for _, d := range n.Shape() {
			for _, s := range d.Symbols() {
				if _, ok := p.Sizes[s]; !ok {
					return false
				}
			}
		}
	}
	return true
}
