package query

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/internal/program"
	"frechet/internal/words"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/normal"
)

// What data meet on the way to results.
type Met struct {
	Conventions []Convention // the points where a differentiated function is not smooth
	Departures  []Departure  // where the program as it is written has no value, or numbers are too large
}

// A Departure is a place where data leave the domain of the program as it is written: numbers there follow floating-point
// arithmetic, and nothing is claimed of them.
type Departure struct {
	Kind     string  // "outside": of a function's domain; "overflow": the value is too large; "data": a variable is not finite
	Function string  // the function's application, or the variable
	Operand  string  // what it is applied to, entry by entry; "" for a variable, and of other functions
	Entry    []int   // the first entry; empty for a number
	Value    float64 // of the operand there, or of the variable
	More     int     // how many further entries there are
}

// String names function, entry and value.
func (d Departure) String() string {
	at, more := "", ""
	if len(d.Entry) > 0 {
		at = " at entry " + words.Shape(d.Entry)
	}
	if d.More > 0 {
		more = fmt.Sprintf("; and at %s more", words.Count(d.More, "entry"))
	}
	x := strconv.FormatFloat(d.Value, 'g', -1, 64)
	switch d.Kind {
	case "data":
		return d.Function + " is " + x + at + more
	case "overflow":
		at = " overflows" + at
	default:
		at = " has no value" + at
	}
	if d.Operand != "" {
		at += ": " + d.Operand + " is " + x
	}
	return d.Function + at + more
}

// A condition is what the operands of a function must satisfy for it to have a value.
type condition struct {
	of   *combinators.Node   // the function's application in the program as it is written, at the entries that are read
	in   *combinators.Node   // the output that it stands in
	args []*combinators.Node // the values that are looked at: operands in normal form, or the function's value itself
	ok   func(args []*eval.Tensor, i int) bool
}

// conditionsOf are the conditions of an output of a program; there are none where it has values everywhere.
func conditionsOf(y *combinators.Node) (found []condition) {
	facts := assumptions.New()
	partial := func(n *combinators.Node) bool {
		return n.Guard() == combinators.GuardNone && len(n.Args()) > 0 && !facts.InDomain(n)
	}
	if !slices.ContainsFunc(combinators.Topo(y), partial) {
		return nil
	}
	y = normal.Narrow(nil, y)[0]
	var operands []*combinators.Node
	for _, n := range combinators.Topo(y) {
		if partial(n) {
			found = append(found, condition{of: n, in: y})
			operands = append(operands, n.Args()...)
		}
	}
	operands = normal.Simplify(operands...)
	for i := range found {
		c := &found[i]
		k := len(c.of.Args())
		c.args, operands = operands[:k], operands[k:]
		c.decide()
	}
	return found
}

// decide says when the function has a value.
func (c *condition) decide() {
	at := c.of.Atom()
	switch {
	case at == atom.Power:
		r, _ := c.of.Rat().Float64()
		c.ok = func(args []*eval.Tensor, i int) bool { return hasPower(args[0].Data[i], r) }
	case at == atom.Pow:
		c.ok = func(args []*eval.Tensor, i int) bool { return hasPower(args[0].Data[i], args[1].Data[i]) }
	case at.Class == atom.ClassElementwise:
		c.ok = func(args []*eval.Tensor, i int) bool { return at.Domain.Has(args[0].Data[i]) }
	default: // a function of matrices, which is an error where it has no value, or NaN
		c.args = []*combinators.Node{c.of.With(c.args)}
		c.ok = func(args []*eval.Tensor, i int) bool { return !math.IsNaN(args[0].Data[i]) }
	}
}

// value is the function's value: that of a stable form may be there where its operand, rounded, is outside of the domain.
func (c *condition) value() *combinators.Node {
	if c.of.Atom().Class == atom.ClassElementwise {
		return c.of.With(c.args)
	}
	return c.args[0]
}

// hasPower reports whether x^r is a real number.
func hasPower(x, r float64) bool {
	return (x > 0 || r == math.Trunc(r)) && (x != 0 || r >= 0) || x == 0 && r > 0
}

// asked leaves out conditions that the evaluation of nodes decides: a matrix that is singular is an error of its own.
func asked(conditions []condition, nodes []*combinators.Node) []condition {
	inverted := map[*combinators.Node]bool{}
	for _, n := range combinators.Topo(nodes...) {
		if n.Is(atom.Inv) || n.Is(atom.Solve) {
			inverted[bare(n.Arg(0))] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(conditions), func(c condition) bool {
		return (c.of.Is(atom.Inv) || c.of.Is(atom.Solve)) && inverted[bare(c.args[0].Arg(0))]
	})
}

// bare is a value without its transposes and numbers.
func bare(n *combinators.Node) *combinators.Node {
	for n.Ein() != nil {
		values := slices.DeleteFunc(slices.Clone(n.Args()), func(a *combinators.Node) bool { return a.Is(atom.Const) })
		if len(values) != 1 {
			break
		}
		n = values[0]
	}
	return n
}

// departures are the entries that are read and do not satisfy the conditions; values has the values that are looked at.
func (r *Reply) departures(ctx context.Context, conditions []condition, values []*eval.Tensor, env program.Env) (out []Departure, err error) {
	var hit []condition
	var data [][]*eval.Tensor
	for _, c := range conditions {
		args := values[:len(c.args)]
		values = values[len(c.args):]
		if c.failing(args, 0) >= 0 {
			hit, data = append(hit, c), append(data, args)
		}
	}
	if len(hit) == 0 {
		return nil, nil
	}
	var counts []*combinators.Node
	read := map[*combinators.Node]map[*combinators.Node]*combinators.Node{}
	for _, c := range hit {
		if read[c.in] == nil {
			read[c.in] = readings(c.in)
		}
		counts = append(counts, read[c.in][c.of], c.value())
	}
	often, err := r.f.Run(ctx, counts, env, nil)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	for k, c := range hit {
		d := Departure{Kind: "outside", Function: r.called(c.of)}
		if c.of.Atom().Class == atom.ClassElementwise {
			d.Operand = r.called(c.of.Arg(0))
		}
		args, seen := data[k], 0
		for i := c.failing(args, 0); i >= 0; i = c.failing(args, i+1) {
			if often != nil && len(often[2*k].Data) == len(args[0].Data) && (often[2*k].Data[i] == 0 || eval.Finite(often[2*k+1].Data[i:i+1])) {
				continue
			}
			if seen++; seen == 1 {
				d.Entry, d.Value = eval.Index(i, args[0].Shape), args[0].Data[i]
			}
		}
		if d.More = seen - 1; seen > 0 {
			out = append(out, d)
		}
	}
	return out, nil
}

// failing is the first entry from i on at which the function has no value, or -1.
func (c *condition) failing(args []*eval.Tensor, i int) int {
	for ; i < len(args[0].Data); i++ {
		if c.fails(args, i) {
			return i
		}
	}
	return -1
}

// fails reports whether the function has no value at entry i, where its operands are numbers.
func (c *condition) fails(args []*eval.Tensor, i int) bool {
	if c.of.Atom().Class == atom.ClassElementwise {
		for _, a := range args {
			if x := a.Data[i]; x-x != 0 {
				return false
			}
		}
	}
	return !c.ok(args, i)
}

// maxCalled is the length of a text beyond which a function is only named.
const maxCalled = 60

// called is a value as it is written, or the function's name where that is long.
func (r *Reply) called(n *combinators.Node) string {
	text, err := New(r.f, n, AxesOf(n, "")).Text("text")
	if _, entry, ok := strings.Cut(text, "] = "); ok { // in index notation, the entry
		text = entry
	}
	if err != nil || len(text) > maxCalled || slices.Contains([]byte(text), '\n') {
		return n.Atom().Spoken() + "(..)"
	}
	return text
}

// bad are the values that outputs read and whose entries are none: variables whose data are not finite, and the greatest or least
// of nothing. It costs nothing where there are none.
func (r *Reply) bad(ctx context.Context, outputs []*combinators.Node, env program.Env) (out []Departure, err error) {
	var found, counts []*combinators.Node
	sizes := r.f.SizeEnv(env)
	for _, y := range outputs {
		var read map[*combinators.Node]*combinators.Node
		for _, n := range combinators.Topo(y) {
			if t := env[n.Name()]; (!n.Is(atom.Var) || t == nil || eval.Finite(t.Data)) && !ofNothing(n, sizes) {
				continue
			}
			if read == nil {
				read = readings(y)
			}
			if k := slices.Index(found, n); k >= 0 {
				counts[k] = n.Store().Add(counts[k], read[n])
			} else {
				found, counts = append(found, n), append(counts, read[n])
			}
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	often, err := r.f.Run(ctx, counts, env, nil)
	if err != nil {
		return nil, err
	}
	for k, n := range found {
		d := Departure{Kind: "outside", More: -1}
		value := func(int) float64 { return math.NaN() }
		if n.Is(atom.Var) {
			d.Kind, value = "data", func(i int) float64 { return env[n.Name()].Data[i] }
		}
		for i, count := range often[k].Data {
			if x := value(i); count != 0 && x-x != 0 {
				if d.More++; d.More == 0 {
					d.Entry, d.Value = eval.Index(i, often[k].Shape), x
				}
			}
		}
		if d.More >= 0 {
			d.Function = r.called(n)
			out = append(out, d)
		}
	}
	return out, nil
}

// ofNothing reports whether n is the greatest or the least of no numbers, or the logarithm of a sum of none.
func ofNothing(n *combinators.Node, sizes map[string]int64) bool {
	if !n.Is(atom.AMax) && !n.Is(atom.AMin) && !n.Is(atom.LogSumExp) {
		return false
	}
	return slices.ContainsFunc(n.Arg(0).Shape()[n.Order():], func(s size.Size) bool {
		v, err := s.Eval(sizes)
		return err == nil && v == 0
	})
}

// overflow finds the first function among those of nodes whose value is not finite, where its operands are and are in its domain, or else
// the first one whose value is NaN, as log(x) in the derivative of x .^ relu(x) at -1. It is looked for where a result is not finite.
func (r *Reply) overflow(ctx context.Context, nodes []*combinators.Node, env program.Env) ([]Departure, error) {
	facts := assumptions.New()
	all := combinators.Topo(nodes...)
	var without []Departure
	values, err := r.f.Run(ctx, all, env, nil)
	if err != nil {
		return nil, ctx.Err() // it may take more than the limits allow
	}
	finite := map[*combinators.Node]bool{}
	for k, n := range all {
		bad := slices.IndexFunc(values[k].Data, func(x float64) bool { return x-x != 0 })
		finite[n] = bad < 0
		if bad < 0 || len(n.Args()) == 0 || slices.ContainsFunc(n.Args(), func(a *combinators.Node) bool { return !finite[a] }) ||
			slices.Contains(values[slices.Index(all, n.Arg(0))].Shape, 0) {
			continue
		}
		d := Departure{Kind: "overflow", Function: r.called(n), Entry: eval.Index(bad, values[k].Shape)}
		if n.Atom().Class == atom.ClassElementwise {
			d.Operand, d.Value = r.called(n.Arg(0)), values[slices.Index(all, n.Arg(0))].Data[bad]
		}
		if c := (condition{of: n}); !facts.InDomain(n) && n.Atom().Class == atom.ClassElementwise {
			args := make([]*eval.Tensor, len(n.Args()))
			for j, a := range n.Args() {
				args[j] = values[slices.Index(all, a)]
			}
			if c.decide(); c.fails(args, bad) {
				if d.Kind = "outside"; math.IsNaN(values[k].Data[bad]) && len(without) == 0 {
					without = []Departure{d}
				}
				continue
			}
		}
		if n.Guard() == combinators.GuardNone {
			return []Departure{d}, nil
		}
	}
	return without, nil
}
