package frechet

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/eval"
)

// A CheckReport tells how derivatives compare with finite differences of what they are
// derivatives of, and whether the adjoint satisfies <L v, w> = <v, L* w>.
type CheckReport struct {
	Dims  Dims        `json:"dims"` // of the values at which it was made
	Items []CheckItem `json:"items"`
}

// A CheckItem is one comparison.
type CheckItem struct {
	What     string  `json:"what"` // "gradient wrt w", "adjoint of the derivative wrt w"
	OK       bool    `json:"ok"`
	Error    float64 `json:"error"`             // the largest |difference|/(1 + |entry|)
	Where    []int   `json:"where,omitempty"`   // the entry that has it
	Entries  int     `json:"entries,omitempty"` // how many were compared
	Order    float64 `json:"order,omitempty"`   // of the Taylor remainder, near 2; 0 if it is lost in rounding
	Note     string  `json:"note,omitempty"`
	expected float64 // the entry and what the differences give there
	found    float64
}

// OK reports whether all comparisons agree.
func (c *CheckReport) OK() bool {
	return !slices.ContainsFunc(c.Items, func(i CheckItem) bool { return !i.OK })
}

// MarshalJSON writes ok beside the items.
func (c *CheckReport) MarshalJSON() ([]byte, error) {
	type plain CheckReport
	return json.Marshal(struct {
		OK bool `json:"ok"`
		*plain
	}{c.OK(), (*plain)(c)})
}

// String has a line for each comparison.
func (c *CheckReport) String() string {
	var b strings.Builder
	for _, i := range c.Items {
		verdict := "ok"
		if !i.OK {
			verdict = "FALSE"
		}
		fmt.Fprintf(&b, "%s: %s", verdict, i.What)
		if i.Entries > 0 {
			fmt.Fprintf(&b, ", %d entries, largest relative error %.0e", i.Entries, i.Error)
			if !i.OK {
				fmt.Fprintf(&b, " at %s: the formula gives %.10g, central differences %.10g", shapeText(i.Where), i.expected, i.found)
			}
			if i.Order > 0 {
				fmt.Fprintf(&b, ", remainder of order %.2f", i.Order)
			}
		} else if i.Note == "" {
			fmt.Fprintf(&b, ", relative error %.0e", i.Error)
		}
		if i.Note != "" {
			b.WriteString("; " + i.Note)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

const (
	// checkedEntries bounds how many entries of a variable are moved.
	checkedEntries = 100
	// tolerance of the relative error of a central difference.
	tolerance = 1e-6
	// adjointTolerance of the relative difference of <L v, w> and <v, L* w>.
	adjointTolerance = 1e-9
	epsilon          = 0x1p-52
)

// Check compares every derivative of the reply with central differences of the
// derivative of one order less, at the values of env, and tests the adjoint of the first
// derivative in directions drawn from the seed. RandomEnv draws values.
//
// A central difference with step h has an error of order h^2 from the third derivative
// and one of order epsilon/h from rounding: the step is cbrt(epsilon) max(1, |x|), and an
// entry that disagrees is tried with larger and smaller steps before it counts.
func (r *Reply) Check(ctx context.Context, env Env, seed uint64) (c *CheckReport, err error) {
	defer guard(&err)
	c = &CheckReport{Dims: DimsOf(env), Items: []CheckItem{}}
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, out := range r.plain {
		for _, d := range out.Derivs {
			base := out.Value
			for _, b := range out.Derivs {
				if b.Order == d.Order-1 && slices.Equal(b.Wrt, d.Wrt[:b.Order]) {
					base = b.Term
				}
			}
			item, err := r.compare(ctx, base, d, env, rng)
			if err != nil {
				return nil, err
			}
			item.What = describe(out.Name, d)
			c.Items = append(c.Items, item)
		}
		item, err := r.checkAdjoint(ctx, out, env, rng)
		if err != nil {
			return nil, err
		}
		c.Items = append(c.Items, item)
	}
	return c, nil
}

func describe(output string, d Deriv) string {
	s := d.Name()
	if output != "" {
		s += " of " + output
	}
	return s + " wrt " + strings.Join(d.Wrt, ", ")
}

// compare tests one derivative: column j of it against base at x + h e_j and x - h e_j.
func (r *Reply) compare(ctx context.Context, base *Term, d Deriv, env Env, rng *rand.Rand) (CheckItem, error) {
	name := d.Wrt[d.Order-1]
	values, met, err := r.Evaluate(ctx, []*Term{base, d.Term}, env)
	if err != nil {
		return CheckItem{}, err
	}
	y, dy := values[0], values[1]
	x := env[name]
	if x == nil { // a variable that does not occur and has no value
		return CheckItem{OK: true, Note: name + " has no value, and does not occur"}, nil
	}
	plan, err := r.f.compile([]*combinators.Node{base.node}, env, nil)
	if err != nil {
		return CheckItem{}, err
	}
	p := &probe{ctx, plan, r.f, env, name, x}
	item := CheckItem{OK: true, Entries: 0, Where: nil}
	skipped := 0
	for _, j := range someEntries(len(x.Data), rng) {
		entries, err := p.column(j, y, dy)
		if err != nil {
			return item, err
		}
		for i, e := range entries {
			switch {
			case e.skip:
				skipped++
				continue
			case e.raw >= item.Error:
				item.Error, item.expected, item.found = e.raw, e.formula, e.difference
				item.Where = append(unravel(i, y.Shape), unravel(j, x.Shape)...)
			}
			item.Entries++
			item.OK = item.OK && e.beyond <= tolerance
		}
	}
	switch {
	case !item.OK && len(met) > 0:
		item.OK = true
		item.Note = "at a kink, where central differences do not apply: " + met[0].ID
	case item.Entries == 0 && len(y.Data) == 0 || len(x.Data) == 0:
		item.Note = "no entries"
	case item.Entries == 0:
		item.Note = "not finite at these values, nothing compared"
	case skipped > 0:
		item.Note = fmt.Sprintf("%d entries not finite, not compared", skipped)
	}
	if item.OK && item.Entries > 0 && item.Note == "" {
		item.Order, err = p.remainderOrder(y, dy, rng)
	}
	return item, err
}

// someEntries are all of n positions, or a random choice of checkedEntries of them.
func someEntries(n int, rng *rand.Rand) []int {
	if n <= checkedEntries {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all
	}
	seen := map[int]bool{}
	for len(seen) < checkedEntries {
		seen[rng.IntN(n)] = true
	}
	var some []int
	for i := range seen {
		some = append(some, i)
	}
	slices.Sort(some)
	return some
}

// probe evaluates a term while one variable moves.
type probe struct {
	ctx  context.Context
	plan *eval.Program // of what is differentiated
	f    *Func
	env  Env
	name string
	x    *Tensor
}

func (p *probe) at(move func(data []float64)) (*Tensor, error) {
	moved := p.x.Clone()
	move(moved.Data)
	out, err := p.plan.Run(p.ctx, eval.Env(withEntry(p.env, p.name, moved)))
	if err != nil {
		return nil, p.f.explain(err)
	}
	return out[0], nil
}

// steps are the factors of the step that are tried, the usual one first.
var steps = []float64{1, 1.0 / 16, 16, 1.0 / 256, 256}

// An entry is one comparison: raw is |difference - formula| / (1 + |formula|), beyond is
// what of that rounding cannot explain.
type entry struct {
	formula, difference float64
	raw, beyond         float64
	skip                bool // not finite, so that there is nothing to compare
}

// column compares column j of the derivative, all entries of it in one pair of
// evaluations, with further steps while some entry disagrees.
func (p *probe) column(j int, y, dy *Tensor) ([]entry, error) {
	n := len(p.x.Data)
	out := make([]entry, len(y.Data))
	for i := range out {
		out[i] = entry{formula: dy.Data[i*n+j], raw: math.Inf(1), beyond: math.Inf(1)}
	}
	for _, s := range steps {
		h := s * math.Cbrt(epsilon) * max(1, math.Abs(p.x.Data[j]))
		hi, lo := p.x.Data[j]+h, p.x.Data[j]-h
		up, err := p.at(func(d []float64) { d[j] = hi })
		if err != nil {
			return nil, err
		}
		down, err := p.at(func(d []float64) { d[j] = lo })
		if err != nil {
			return nil, err
		}
		done := true
		for i := range out {
			e := &out[i]
			difference := (up.Data[i] - down.Data[i]) / (hi - lo)
			raw := math.Abs(difference-e.formula) / (1 + math.Abs(e.formula))
			rounding := 16 * epsilon * math.Abs(y.Data[i]) / h / (1 + math.Abs(e.formula))
			if beyond := max(0, raw-rounding); beyond < e.beyond {
				e.difference, e.raw, e.beyond = difference, raw, beyond
			}
			done = done && e.beyond <= tolerance
		}
		if done {
			break
		}
	}
	for i := range out {
		e := &out[i]
		e.skip = math.IsInf(e.beyond, 1) // at no step a finite difference and a finite formula
	}
	return out, nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// remainderOrder measures the order of y(x + t v) - y(x) - t D(v) in t along a random
// direction, which is 2 for a right derivative; 0 where rounding hides it.
func (p *probe) remainderOrder(y, dy *Tensor, rng *rand.Rand) (float64, error) {
	n := len(p.x.Data)
	v := make([]float64, n)
	for j := range v {
		v[j] = rng.NormFloat64() * max(1, math.Abs(p.x.Data[j])) / math.Sqrt(float64(n))
	}
	remainder := func(t float64) (size, noise float64, err error) {
		moved, err := p.at(func(d []float64) {
			for j := range d {
				d[j] += t * v[j]
			}
		})
		if err != nil {
			return 0, 0, err
		}
		for i := range y.Data {
			lin := 0.0
			for j := range v {
				lin += dy.Data[i*n+j] * v[j]
			}
			size += math.Abs(moved.Data[i] - y.Data[i] - t*lin)
			noise += epsilon * math.Abs(y.Data[i])
		}
		return size, noise, nil
	}
	const t = 1e-2
	big, noise, err := remainder(t)
	if err != nil {
		return 0, err
	}
	small, _, err := remainder(t / 8)
	if err != nil || !finite(big) || !finite(small) || small < 1e4*noise || big == 0 {
		return 0, err
	}
	return math.Log2(big/small) / 3, nil
}

// checkAdjoint compares <L v, w> with <v, L* w> for random v and w.
func (r *Reply) checkAdjoint(ctx context.Context, out Output, env Env, rng *rand.Rand) (CheckItem, error) {
	item := CheckItem{What: "adjoint of the derivative wrt " + strings.Join(r.Wrt, ", ")}
	if out.Name != "" {
		item.What = "adjoint of the derivative of " + out.Name + " wrt " + strings.Join(r.Wrt, ", ")
	}
	var vars []*combinators.Node
	for _, name := range r.Wrt {
		vars = append(vars, r.f.param(name))
	}
	y := out.Value.node
	l, err := adjoint.D(&combinators.Block{Store: r.f.prog.Store, Params: vars, Outs: []*combinators.Node{y}}, vars)
	if err != nil {
		return item, err
	}
	a, err := l.Adjoint()
	if err != nil {
		return item, err
	}
	ins := slices.Concat(l.In, a.In)
	for _, n := range ins {
		shape, err := r.f.numericShapeAt(n, env)
		if err != nil {
			return item, err
		}
		t := &Tensor{Shape: shape, Data: make([]float64, volume(shape))}
		for i := range t.Data {
			t.Data[i] = rng.NormFloat64()
		}
		env = withEntry(env, n.Name(), t)
	}
	nodes := slices.Concat(l.Apply(l.In), a.Apply(a.In))
	values, err := r.f.run(ctx, nodes, env, nil)
	if err != nil {
		return item, err
	}
	dot := func(a, b *Tensor) (sum, size float64) {
		for i := range a.Data {
			sum += a.Data[i] * b.Data[i]
			size += math.Abs(a.Data[i] * b.Data[i])
		}
		return sum, size
	}
	left, size := dot(values[0], env[a.In[0].Name()])
	right := 0.0
	for i, v := range l.In {
		s, abs := dot(values[1+i], env[v.Name()])
		right += s
		size += abs
	}
	if size > 0 {
		item.Error = math.Abs(left-right) / size
	}
	item.OK = item.Error <= adjointTolerance
	if math.IsNaN(item.Error) {
		item.OK, item.Error, item.Note = true, 0, "not finite at these values, nothing compared"
	}
	return item, nil
}

// RandomEnv draws values for all parameters, with sizes 2, 3, ... for symbols that have
// none: between 0.1 and 0.9, where every function of the table is smooth, or where that
// is outside the domain of the whole with other signs, and a heavy diagonal.
func (f *Func) RandomEnv(ctx context.Context, sizes Sizes, seed uint64) (env Env, err error) {
	defer guard(&err)
	rng := rand.New(rand.NewPCG(seed, 1))
	sizes = maps.Clone(sizes)
	if sizes == nil {
		sizes = Sizes{}
	}
	next := int64(2)
	for _, p := range f.prog.Params {
		for _, d := range p.Node.Shape() {
			for _, s := range d.Symbols() {
				if _, ok := sizes[s]; !ok {
					sizes[s] = next
					next++
				}
			}
		}
	}
	var outputs []*combinators.Node
	for _, o := range f.prog.Outputs {
		outputs = append(outputs, o.Node)
	}
	for attempt := range 12 {
		env = Env{}
		for _, p := range f.prog.Params {
			shape := make([]int, p.Node.Order())
			for i, d := range p.Node.Shape() {
				n, err := d.Eval(sizes)
				if err != nil || n < 0 {
					return nil, f.undetermined(d)
				}
				shape[i] = int(n)
			}
			if volume(shape) > 1<<20 {
				return nil, placeless(codeSize, "random values of %s would have shape %s", p.Name, shapeText(shape))
			}
			env[p.Name] = randomTensor(shape, attempt, rng)
		}
		values, err := f.run(ctx, outputs, env, sizes)
		if err != nil && ErrorKind(err) != "singular" {
			return nil, err
		}
		if err == nil && !slices.ContainsFunc(values, func(t *Tensor) bool {
			return slices.ContainsFunc(t.Data, func(x float64) bool { return !finite(x) })
		}) {
			break
		}
	}
	return env, nil
}

func randomTensor(shape []int, attempt int, rng *rand.Rand) *Tensor {
	t := &Tensor{Shape: shape, Data: make([]float64, volume(shape))}
	for i := range t.Data {
		t.Data[i] = 0.1 + 0.8*rng.Float64()
		if attempt%3 == 1 && rng.IntN(2) == 0 {
			t.Data[i] = -t.Data[i]
		}
	}
	if k := len(shape); attempt%3 == 2 && k == 2 && shape[0] == shape[1] {
		for i := range shape[0] {
			t.Data[i*(shape[0]+1)] += float64(shape[0])
		}
	}
	return t
}

// unravel turns a position in row-major order into indices.
func unravel(at int, shape []int) []int {
	index := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		index[k] = at % shape[k]
		at /= shape[k]
	}
	return index
}
