// Package check compares derivatives with finite differences and tests adjoints.
package check

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
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/words"
)

// A Report tells how derivatives compare with finite differences of what they are
// derivatives of, and whether adjoints satisfy <L v, w> = <v, L* w>.
type Report struct {
	Dims  program.Dims `json:"dims"` // of the values at which it was made
	Items []Item       `json:"items"`
}

// A Item is one comparison.
type Item struct {
	What    string  `json:"what"`              // "gradient wrt w", "adjoint of the derivative wrt w"
	OK      bool    `json:"ok"`                // all was compared, and agrees
	Open    bool    `json:"open,omitempty"`    // what was compared agrees, and not all was
	Error   float64 `json:"error"`             // the largest relative error
	Entries int     `json:"entries,omitempty"` // how many were compared
	Order   float64 `json:"order,omitempty"`   // of the Taylor remainder, near 3; 0 where it is lost in rounding
	Note    string  `json:"note,omitempty"`
}

// OK reports whether all was compared, and agrees.
func (c *Report) OK() bool {
	return !slices.ContainsFunc(c.Items, func(i Item) bool { return !i.OK })
}

// MarshalJSON writes ok beside the items.
func (c *Report) MarshalJSON() ([]byte, error) {
	type plain Report
	return json.Marshal(struct {
		OK bool `json:"ok"`
		*plain
	}{c.OK(), (*plain)(c)})
}

// String has a line for each comparison.
func (c *Report) String() string {
	var b strings.Builder
	for _, i := range c.Items {
		verdict := "FALSE"
		switch {
		case i.OK:
			verdict = "ok"
		case i.Open:
			verdict = "NOT COMPARED"
		}
		fmt.Fprintf(&b, "%s: %s", verdict, i.What)
		if i.Entries > 0 {
			fmt.Fprintf(&b, ", %s", words.Count(i.Entries, "entry"))
		}
		if !i.Open || i.Entries > 0 {
			fmt.Fprintf(&b, ", relative error %.0e", i.Error)
		}
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

// Derivative compares a derivative by x with central differences of base at the values of env.
func Derivative(ctx context.Context, f *program.Program, base, deriv, x *combinators.Node, env program.Env) (Item, error) {
	return compare(ctx, eval.Check, f, base, deriv, x, env)
}

// Diagonal compares the diagonal of a derivative by x, where base has the shape of x.
func Diagonal(ctx context.Context, f *program.Program, base, diagonal, x *combinators.Node, env program.Env) (Item, error) {
	return compare(ctx, eval.CheckDiagonal, f, base, diagonal, x, env)
}

type comparison = func(ctx context.Context, y, x, deriv *combinators.Node, env eval.Env, opts ...eval.Option) (*eval.Report, error)

func compare(ctx context.Context, differences comparison, f *program.Program, base, deriv, x *combinators.Node, env program.Env) (Item, error) {
	if err := f.Missing([]*combinators.Node{base, deriv}, env); err != nil {
		return Item{}, err
	}
	base = adjoint.Restrict([]*combinators.Node{base}, []*combinators.Node{x}, nil)[0] // differences along the subspace
	got, err := differences(ctx, base, x, deriv, eval.Env(env), f.EvalOptions(f.SizeEnv(env))...)
	if err != nil {
		return Item{}, f.Explain(err)
	}
	item := Item{OK: got.Verdict == eval.Agrees && got.Skipped == 0, Error: got.MaxError, Entries: got.Entries}
	if !math.IsNaN(got.Order) {
		item.Order = got.Order
	}
	item.Open = !item.OK && got.Verdict != eval.Differs
	if math.IsNaN(item.Error) || math.IsInf(item.Error, 0) { // JSON has no such number
		item.Error = math.MaxFloat64
	}
	var notes []string
	switch {
	case got.Verdict == eval.Differs:
		item.Order = 0
		notes = append(notes, fmt.Sprintf("entry %s is %.9g, by central differences %.9g",
			words.Shape(entry(f, base, x, got.Output, got.Argument, env)), got.Claimed, got.Measured))
	case got.Verdict == eval.Inconclusive && got.Skipped == 0:
		notes = append(notes, "nothing was compared, the derivative has no entries: give other sizes")
	}
	if got.Kinks > 0 {
		notes = append(notes, fmt.Sprintf("%d at kinks, between the one-sided derivatives", got.Kinks))
	}
	if got.Skipped > 0 {
		notes = append(notes, fmt.Sprintf("%s not compared, the first is %s: the function is not finite around it, give other values",
			words.Count(got.Skipped, "entry"), words.Shape(entry(f, base, x, got.SkippedOutput, got.SkippedArgument, env))))
	}
	item.Note = strings.Join(notes, "; ")
	return item, nil
}

// entry gives the indices of an entry of a derivative.
func entry(f *program.Program, base, x *combinators.Node, output, argument int, env program.Env) []int {
	index := []int{output, argument}
	if shape, err := f.NumericShape(base, env); err == nil {
		index = append(eval.Index(output, shape), eval.Index(argument, env[x.Name()].Shape)...)
	}
	return index
}

// Adjoint compares <L v, w> with <v, L* w> for random v and w, L being the
// derivative by one variable.
func Adjoint(ctx context.Context, f *program.Program, y, x *combinators.Node, env program.Env) (Item, error) {
	l, err := f.Calculus().D(&combinators.Block{Store: f.Store, Params: []*combinators.Node{x}, Outs: []*combinators.Node{y}}, []*combinators.Node{x})
	if err != nil {
		return Item{}, err
	}
	a, err := l.Adjoint()
	if err != nil {
		return Item{}, err
	}
	forward, backward := l.Apply(l.In), a.Apply(a.In)
	got, err := eval.CheckAdjoint(ctx, forward[0], l.In[0], backward[0], a.In[0], eval.Env(env), f.EvalOptions(f.SizeEnv(env))...)
	if err != nil {
		return Item{}, f.Explain(err)
	}
	item := Item{OK: got.Agree, Error: got.Error}
	if finite := finite(got.Left) && finite(got.Right); !finite || got.Entries == 0 {
		item = Item{Open: true, Note: "nothing was compared, there are no entries: give other sizes"}
		if !finite {
			item.Note = "nothing was compared, the derivative is not finite: give other values"
		}
	}
	return item, nil
}

// RandomSizes gives a number to every size symbol that has none: 2, 3, .. where these fit, others where
// the program would have an empty axis, or an access out of range.
func RandomSizes(f *program.Program, sizes program.Sizes, seed uint64) program.Sizes {
	var open []string
	for _, p := range f.Params {
		for _, d := range p.Node.Shape() {
			for _, s := range d.Symbols() {
				if _, ok := sizes[s]; !ok && !slices.Contains(open, s) {
					open = append(open, s)
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	var first program.Sizes
	for attempt := range sizeAttempts {
		drawn := program.Sizes{}
		maps.Copy(drawn, sizes)
		smallest := int64(2) // an axis of one entry shows less
		if attempt > sizeAttempts/2 {
			smallest = 1
		}
		for i, s := range open {
			drawn[s] = int64(2 + i)
			if attempt > 0 {
				drawn[s] = smallest + rng.Int64N(int64(4+attempt/4))
			}
		}
		if first == nil {
			first = drawn
		}
		if len(open) == 0 || inhabited(f, drawn) {
			return drawn
		}
	}
	return first
}

// sizeAttempts is how often sizes are drawn.
const sizeAttempts = 64

// inhabited reports whether no tensor of the program is empty at these sizes, no sum is over nothing, and
// all accesses are in range.
func inhabited(f *program.Program, sizes program.Sizes) bool {
	positive := func(d size.Size) bool {
		n, err := d.Eval(sizes)
		return err == nil && n > 0
	}
	for _, n := range combinators.Topo(outputs(f)...) {
		axes := n.Shape()
		if c := n.Ein(); c != nil {
			axes = c.Vars
		}
		if !slices.ContainsFunc(axes, func(d size.Size) bool { return !positive(d) }) {
			continue
		}
		return false
	}
	for _, p := range f.Params {
		for _, d := range p.Node.Shape() {
			if n, err := d.Eval(sizes); err != nil || n < 0 {
				return false
			}
		}
	}
	if len(f.Assumptions) == 0 {
		return true
	}
	_, err := f.Source().Elaborate(nil, sizes)
	return err == nil
}

func outputs(f *program.Program) (out []*combinators.Node) {
	for _, o := range f.Outputs {
		out = append(out, o.Node)
	}
	return out
}

// RandomEnv draws values for all parameters, at RandomSizes: between 0.1 and 0.9, where every function of
// the table is smooth, or where that is outside the domain of the whole with other signs, and a heavy
// diagonal; and makes of these such as are declared.
func RandomEnv(ctx context.Context, f *program.Program, sizes program.Sizes, seed uint64) (env program.Env, err error) {
	defer fault.Guard(&err)
	rng := rand.New(rand.NewPCG(seed, 1))
	sizes = RandomSizes(f, sizes, seed)
	for attempt := range 12 {
		env = program.Env{}
		for _, p := range f.Params {
			shape := make([]int, len(p.Node.Given()))
			for i, d := range p.Node.Given() {
				n, err := d.Eval(sizes)
				if err != nil || n < 0 {
					return nil, f.Undetermined(d)
				}
				shape[i] = int(n)
			}
			if program.Volume(shape) > 1<<20 {
				return nil, fault.New(fault.Size, "random values of %s would have shape %s", p.Name, words.Shape(shape))
			}
			env[p.Name] = randomTensor(shape, attempt, rng)
			if p.Node.Attributes().Has(atom.Index) {
				n, err := p.Node.Shape()[len(shape)].Eval(sizes)
				if err != nil || n <= 0 {
					return nil, f.Undetermined(p.Node.Shape()[len(shape)])
				}
				for i := range env[p.Name].Data {
					env[p.Name].Data[i] = float64(rng.Int64N(n))
				}
				continue
			}
			eval.Attribute(p.Node.Attributes(), env[p.Name])
		}
		values, err := f.Run(ctx, outputs(f), env, sizes)
		if err != nil && fault.KindOf(err) != "singular" {
			return nil, err
		}
		if err == nil && !slices.ContainsFunc(values, func(t *eval.Tensor) bool {
			return slices.ContainsFunc(t.Data, func(x float64) bool { return !finite(x) })
		}) {
			break
		}
	}
	return env, nil
}

func randomTensor(shape []int, attempt int, rng *rand.Rand) *eval.Tensor {
	t := &eval.Tensor{Shape: shape, Data: make([]float64, program.Volume(shape))}
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
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
