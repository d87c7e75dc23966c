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
	"frechet/internal/words"
)

// A CheckReport tells how derivatives compare with finite differences of what they are
// derivatives of, and whether adjoints satisfy <L v, w> = <v, L* w>.
type CheckReport struct {
	Dims  Dims        `json:"dims"` // of the values at which it was made
	Items []CheckItem `json:"items"`
}

// A CheckItem is one comparison.
type CheckItem struct {
	What    string  `json:"what"` // "gradient wrt w", "adjoint of the derivative wrt w"
	OK      bool    `json:"ok"`
	Error   float64 `json:"error"`             // the largest relative error
	Entries int     `json:"entries,omitempty"` // how many were compared
	Order   float64 `json:"order,omitempty"`   // of the Taylor remainder, near 3; 0 where it is lost in rounding
	Note    string  `json:"note,omitempty"`
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
			fmt.Fprintf(&b, ", %s", words.Count(i.Entries, "entry"))
		}
		fmt.Fprintf(&b, ", relative error %.0e", i.Error)
		if i.Order > 0 {
			fmt.Fprintf(&b, ", remainder of order %.2f", i.Order)
		}
		if i.Note != "" {
			b.WriteString("; " + i.Note)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Check compares every derivative of the reply with central differences of the
// derivative of one order less, at the values of env, and tests the adjoint of the first
// derivative by each variable. RandomEnv draws values.
func (r *Reply) Check(ctx context.Context, env Env) (c *CheckReport, err error) {
	defer guard(&err)
	c = &CheckReport{Dims: DimsOf(env), Items: []CheckItem{}}
	for _, out := range r.plain {
		for _, d := range out.Derivs {
			base := out.Value
			for _, b := range out.Derivs {
				if b.Order == d.Order-1 && slices.Equal(b.Wrt, d.Wrt[:b.Order]) {
					base = b.Term
				}
			}
			item, err := r.compare(ctx, base, d, env)
			if err != nil {
				return nil, err
			}
			item.What = describe(d.Name(), out.Name, d.Wrt)
			c.Items = append(c.Items, item)
		}
		for _, name := range r.Wrt {
			item, err := r.checkAdjoint(ctx, out.Value, name, env)
			if err != nil {
				return nil, err
			}
			item.What = describe("adjoint of the derivative", out.Name, []string{name})
			c.Items = append(c.Items, item)
		}
	}
	return c, nil
}

func describe(what, output string, wrt []string) string {
	if output != "" {
		what += " of " + output
	}
	return what + " wrt " + strings.Join(wrt, ", ")
}

// compare tests one derivative against central differences of base.
func (r *Reply) compare(ctx context.Context, base *Term, d Deriv, env Env) (CheckItem, error) {
	x := r.f.param(d.Wrt[d.Order-1])
	if err := r.f.missing([]*combinators.Node{base.node, d.Term.node}, env); err != nil {
		return CheckItem{}, err
	}
	got, err := eval.Check(ctx, base.node, x, d.Term.node, eval.Env(env), r.f.evalOptions(r.f.sizeEnv(env))...)
	if err != nil {
		return CheckItem{}, r.f.explain(err)
	}
	item := CheckItem{OK: got.Verdict != eval.Differs, Error: got.MaxError, Entries: got.Entries}
	if !math.IsNaN(got.Order) {
		item.Order = got.Order
	}
	if math.IsNaN(item.Error) || math.IsInf(item.Error, 0) { // JSON has no such number
		item.Error = math.MaxFloat64
	}
	var notes []string
	switch got.Verdict {
	case eval.Differs:
		item.Order = 0
		notes = append(notes, fmt.Sprintf("entry %s is %.9g, by central differences %.9g",
			shapeText(r.f.entry(base, x, got.Output, got.Argument, env)), got.Claimed, got.Measured))
	case eval.Inconclusive:
		notes = append(notes, "nothing could be compared at these values")
	}
	if got.Kinks > 0 {
		notes = append(notes, fmt.Sprintf("%d at kinks, between the one-sided derivatives", got.Kinks))
	}
	if got.Skipped > 0 {
		notes = append(notes, fmt.Sprintf("%d skipped, the function is not finite around them", got.Skipped))
	}
	item.Note = strings.Join(notes, "; ")
	return item, nil
}

// entry gives the indices of an entry of a derivative.
func (f *Func) entry(base *Term, x *combinators.Node, output, argument int, env Env) []int {
	index := []int{output, argument}
	if shape, err := f.numericShapeAt(base.node, env); err == nil {
		index = append(unravel(output, shape), unravel(argument, env[x.Name()].Shape)...)
	}
	return index
}

// checkAdjoint compares <L v, w> with <v, L* w> for random v and w, L being the
// derivative by one variable.
func (r *Reply) checkAdjoint(ctx context.Context, y *Term, name string, env Env) (CheckItem, error) {
	x := r.f.param(name)
	l, err := adjoint.D(&combinators.Block{Store: r.f.prog.Store, Params: []*combinators.Node{x}, Outs: []*combinators.Node{y.node}}, []*combinators.Node{x})
	if err != nil {
		return CheckItem{}, err
	}
	a, err := l.Adjoint()
	if err != nil {
		return CheckItem{}, err
	}
	forward, backward := l.Apply(l.In), a.Apply(a.In)
	got, err := eval.CheckAdjoint(ctx, forward[0], l.In[0], backward[0], a.In[0], eval.Env(env), r.f.evalOptions(r.f.sizeEnv(env))...)
	if err != nil {
		return CheckItem{}, r.f.explain(err)
	}
	item := CheckItem{OK: got.Agree, Error: got.Error}
	if math.IsNaN(got.Left) || math.IsNaN(got.Right) {
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

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
