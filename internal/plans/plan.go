// Package plans tells how results are computed and what that costs, for people: the steps of a program,
// the ways to its derivatives, and their structure as linear maps.
package plans

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"frechet/adjoint/jacobian"
	"frechet/adjoint/structured"
	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/eval/plan"
	"frechet/internal/fault"
	"frechet/internal/linear"
	"frechet/internal/program"
	"frechet/internal/query"
)

// A Plan tells how results are computed: which contractions, in which order, what is not
// stored, what it costs, and in which factors a derivative stays where one does not multiply
// it out. Counts are numbers, or polynomials in size symbols that have no number. It is made
// without any data, and needs no memory for what it describes.
type Plan struct {
	Of      string   `json:"of"` // a name of Kinds
	Results []Result `json:"results"`
	Steps   []Step   `json:"steps"`
	Total   Cost     `json:"total"`
	// Linear is the part of Total that depends on the direction of jvp, vjp and hvp: what
	// each further direction costs at the same point. Of other plans it is zero.
	Linear Cost `json:"linear"`
	// Memory is the most bytes that are stored at one time, beside the variables.
	Memory       Count         `json:"memory"`
	Alternatives []Alternative `json:"alternatives"`
	// Maps says how derivatives were found, one for each expression or planned map.
	Maps []Map `json:"maps,omitempty"`
}

// A Result is a result, where it stands, and the structure that it has as a linear map;
// that is nil for values and operations.
type Result struct {
	Title     string     `json:"title"`
	Name      string     `json:"name"` // of the step or variable
	Structure *Structure `json:"structure,omitempty"`
}

// A Step is one step of a plan.
type Step struct {
	Name  string   `json:"name"`
	Text  string   `json:"text"`  // over variables and names of steps, in the Einstein language
	Shape []string `json:"shape"` // of its result
	Cost  Cost     `json:"cost"`
	Fused bool     `json:"fused"` // computed where it is read, and not stored
	// Readers is the number of steps that read it; a contraction that several read is shared.
	Readers int  `json:"readers"`
	Product bool `json:"product"` // a product or a sum along axes
}

// Cost is what a step or a program costs.
type Cost struct {
	Multiplications Count `json:"multiplications"` // and divisions
	Additions       Count `json:"additions"`
	Functions       Count `json:"functions"` // values of functions such as exp
	Bytes           Count `json:"bytes"`     // written
}

// A Alternative is another way to the same results: a mode, or "independent", the orders
// that are best for every contraction for itself, where these take more multiplications than
// contractions that share what they have in common.
type Alternative struct {
	Name  string `json:"name"`
	Total Cost   `json:"total"`
}

// Structure is a derivative as a sum of products of factors and deltas, its compressed form.
type Structure struct {
	Name    string   `json:"name"`    // "H"
	Text    string   `json:"text"`    // "H[i,j,k,l] = 2 * F1[j,l] * delta[i,k]"
	Factors []Factor `json:"factors"` // those that are no variables
	Cost    Cost     `json:"cost"`    // of all factors together; Bytes are those of the factors alone
	Steps   []Step   `json:"steps"`   // that compute the factors
	Full    Cost     `json:"full"`    // of the derivative multiplied out; Bytes are its entries'
}

// A Factor is a factor that has to be computed.
type Factor struct {
	Name string `json:"name"`
	Axes string `json:"axes"` // letters of the derivative's axes: "[j,l]"
	Text string `json:"text"`
	Cost Cost   `json:"cost"` // alone; Bytes are its entries'
}

// A Count is a number, or a polynomial in size symbols.
type Count struct{ n size.Size }

// Number is the count where no symbol is left in it.
func (c Count) Number() (int64, bool) { return c.n.Int() }

// At is the count with numbers for the size symbols; an error names one that has none.
func (c Count) At(sizes program.Sizes) (int64, error) { return c.n.Eval(sizes) }

// String prints a number, or a polynomial such as m*n^2 + m*n.
func (c Count) String() string { return polynomial(c.n) }

// MarshalJSON writes a number, or a polynomial as a string.
func (c Count) MarshalJSON() ([]byte, error) {
	if n, ok := c.n.Int(); ok {
		return json.Marshal(n)
	}
	return json.Marshal(c.String())
}

// Kinds lists what a plan may be of: the value, derivatives, and the operations.
func Kinds() []string {
	return append([]string{"value", "gradient", "jacobian", "hessian"}, program.OperationKinds()...)
}

// Of plans the evaluation of what of names, by the variables and in the mode of the query,
// whose Order is not looked at. sizes has numbers for size symbols, as far as they are known;
// where they are not, orders are chosen as if all symbols were equal. It may be nil.
func Of(ctx context.Context, f *program.Program, of string, q query.Query, sizes program.Sizes) (p *Plan, err error) {
	defer fault.Guard(&err)
	order := map[string]int{"gradient": 1, "jacobian": 1, "hessian": 2}[of]
	switch {
	case !slices.Contains(Kinds(), of):
		return nil, fmt.Errorf("there is no plan of %q; known are %s", of, join(Kinds()))
	case slices.Contains(program.OperationKinds(), of):
		if q.Operators == nil {
			for _, op := range f.Operations() {
				if op.Kind == of {
					q.Operators = append(q.Operators, op)
				}
			}
		}
		if q.Operators == nil {
			return nil, fmt.Errorf("the program does not say what to differentiate by; give the variable")
		}
	default:
		q.Operators = nil
	}
	m := &planner{f: f, sizes: sizes, of: of, order: order}
	q.Order, q.Denominator, q.Sizes, q.Thorough = order, false, sizes, true
	results, err := m.results(ctx, q)
	if err != nil {
		return nil, err
	}
	if p, err = m.plan(results, q); err != nil {
		return nil, err
	}
	alone, err := m.outline(results, false)
	if err != nil {
		return nil, err
	}
	if total := m.total(alone, nil); total.Multiplications != p.Total.Multiplications {
		p.Alternatives = append(p.Alternatives, Alternative{"independent", total})
	}
	if order == 0 {
		return p, nil
	}
	p.Maps = m.linearMaps()
	for _, mode := range []jacobian.Mode{jacobian.Forward, jacobian.Reverse} {
		if mode == q.Mode {
			continue
		}
		q.Mode = mode
		other, err := m.results(ctx, q)
		if err != nil {
			return nil, err
		}
		o, err := m.outline(other, true)
		if err != nil {
			return nil, err
		}
		p.Alternatives = append(p.Alternatives, Alternative{query.ModeNames[mode], m.total(o, nil)})
	}
	return p, nil
}

// A planner makes the plans of one Func.
type planner struct {
	f     *program.Program
	sizes program.Sizes
	of    string
	order int
	// choices says how the derivatives of the last results were found
	choices []query.Choice
}

// result is a derivative with its title.
type result struct {
	title string
	d     query.Deriv
	out   int // axes of the expression
}

func (m *planner) results(ctx context.Context, q query.Query) ([]result, error) {
	if m.order > 0 && q.Wrt == nil && len(m.f.Wrt()) == 0 && len(m.f.Arguments()) == 0 {
		return nil, fmt.Errorf("the program names no variable to differentiate by; give it")
	}
	if m.order == 0 && q.Operators == nil {
		q.Wrt = []string{}
	}
	reply, err := query.Derive(ctx, m.f, q)
	if err != nil {
		return nil, err
	}
	if m.of == "gradient" {
		if err := reply.RequireScalar(); err != nil {
			return nil, err
		}
	}
	m.choices = query.Choices(reply)
	var out []result
	for _, o := range reply.Outputs {
		for _, d := range slices.Concat([]query.Deriv{{Term: o.Value}}, o.Derivs, o.Parts) {
			if d.Order != m.order && d.Operation == nil || (d.Operation != nil) != slices.Contains(program.OperationKinds(), m.of) {
				continue
			}
			title := d.Name()
			if o.Name != "" {
				title += " of " + o.Name
			}
			if len(d.Wrt) > 0 {
				title += " wrt " + join(slices.Compact(slices.Clone(d.Wrt)))
			}
			out = append(out, result{title, d, o.Value.Order()})
		}
	}
	return out, nil
}

func (m *planner) outline(rs []result, shared bool) (*plan.Outline, error) {
	nodes := make([]*combinators.Node, len(rs))
	for i, r := range rs {
		nodes[i] = query.Node(r.d.Term)
	}
	return plan.MakeOutline(nodes, m.sizes, shared)
}

func (m *planner) plan(rs []result, q query.Query) (*Plan, error) {
	o, err := m.outline(rs, true)
	if err != nil {
		return nil, err
	}
	p := &Plan{Of: m.of, Alternatives: []Alternative{}, Steps: m.steps(o), Total: m.total(o, nil), Memory: m.bytes(o.Peak)}
	for i, r := range rs {
		at := o.Outputs[i]
		pr := Result{Title: r.title, Name: at.Name}
		if at.Line >= 0 {
			pr.Name = o.Name(at.Line)
		}
		if m.order > 0 {
			if pr.Structure, err = m.structure(r); err != nil {
				return nil, err
			}
		}
		p.Results = append(p.Results, pr)
	}
	for _, op := range q.Operators {
		if op.Along != "" {
			depends := o.Depend(op.Along)
			p.Linear = m.total(o, func(line int) bool { return depends[line] })
		}
	}
	return p, nil
}

func (m *planner) steps(o *plan.Outline) []Step {
	steps := make([]Step, len(o.Lines))
	for i, l := range o.Lines {
		steps[i] = Step{o.Name(i), l.Text, make([]string, len(l.Shape)), m.cost(l.Cost), l.Fused, l.Readers, l.Op == "product" || l.Op == "sum"}
		for k, d := range l.Shape {
			steps[i].Shape[k] = m.count(d).String()
		}
	}
	return steps
}

func (m *planner) total(o *plan.Outline, which func(line int) bool) Cost {
	return m.cost(o.Total(which))
}

func (m *planner) cost(c plan.Cost) Cost {
	return Cost{m.count(c.Mults), m.count(c.Adds), m.count(c.Values), m.bytes(c.Written)}
}

func (m *planner) bytes(numbers size.Size) Count { return m.count(numbers.Mul(size.Const(8))) }

// count puts the known numbers into a count.
func (m *planner) count(n size.Size) Count {
	known := map[string]size.Size{}
	for s, v := range m.sizes {
		known[s] = size.Const(v)
	}
	return Count{n.Subst(known)}
}

// structure takes a derivative apart: its last variable's axes are the argument's, the
// others the output's.
func (m *planner) structure(r result) (*Structure, error) {
	t := r.d.Term
	last := m.f.Param(r.d.Wrt[len(r.d.Wrt)-1])
	out := t.Order() - last.Order()
	l := linear.New(m.f, structured.New(query.Node(t), out), t.Axes()[:out], t.Axes()[out:])
	terms, err := l.Terms()
	if err != nil {
		return nil, err
	}
	s := &Structure{Factors: []Factor{}, Name: map[string]string{"gradient": "g", "Jacobian": "J", "Hessian": "H"}[r.d.Name()]}
	var nodes []*combinators.Node
	var entries size.Size
	names := map[*combinators.Node]string{}
	for _, u := range terms {
		for _, x := range u.Factors {
			n := query.Node(x.Term)
			if _, seen := names[n]; seen {
				continue
			}
			if n.Name() != "" {
				names[n] = n.Name()
				continue
			}
			name := fmt.Sprintf("F%d", len(nodes)+1)
			names[n] = name
			nodes = append(nodes, n)
			o, err := plan.MakeOutline([]*combinators.Node{n}, m.sizes, true)
			if err != nil {
				return nil, err
			}
			volume := size.Const(1)
			for _, d := range n.Shape() {
				volume = volume.Mul(d)
			}
			entries = entries.Add(volume)
			c := m.total(o, nil)
			c.Bytes = m.bytes(volume)
			s.Factors = append(s.Factors, Factor{name, linear.IndexList(x.Axes), x.Term.String(), c})
		}
	}
	all, err := plan.MakeOutline(nodes, m.sizes, true)
	if err != nil {
		return nil, err
	}
	s.Steps, s.Cost = m.steps(all), m.total(all, nil)
	s.Cost.Bytes = m.bytes(entries)
	full, err := plan.MakeOutline([]*combinators.Node{query.Node(t)}, m.sizes, true)
	if err != nil {
		return nil, err
	}
	s.Full = m.total(full, nil)
	whole := size.Const(1)
	for _, d := range query.Node(t).Shape() {
		whole = whole.Mul(d)
	}
	s.Full.Bytes = m.bytes(whole)
	s.Text = s.Name + linear.IndexList(einsum.UpTo(t.Order())) + " = " + linear.SumText(terms, func(x *query.Term) string { return names[query.Node(x)] })
	return s, nil
}
