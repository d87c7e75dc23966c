// Package definite decides whether the Hessian of a scalar is positive semidefinite, and so whether the scalar is convex: by a form of
// v'*H*v that is not negative, or by a point at which that is negative.
//
// A proof is an equality, v'*H*v = |F| for all v, with F the form that was found: it is proved, and its certificate replayed, as every
// equality is. The laws that led to F are told, and nothing is trusted of them.
package definite

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/derivation"
	"frechet/internal/equality"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/query"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/normal"
)

// A Verdict says whether the Hessian is positive semidefinite wherever the program is defined.
type Verdict struct {
	Outcome equality.Outcome `json:"outcome"`
	Wrt     []string         `json:"wrt"`
	Along   []string         `json:"along"` // the directions, one for each variable: variables of Form
	// Form is the second derivative along the directions, v'*H*v, and Squares an equal form that is not negative, where one was found.
	Form    string `json:"form"`
	Squares string `json:"squares,omitempty"`
	// Laws are those by which Squares was found, and by which it is not negative.
	Laws []Law `json:"laws,omitempty"`
	// Domain is where the program is defined, and so where the verdict holds.
	Domain []string `json:"domain"`
	// Proofs are the proof that Form is |Squares|, with its derivation and certificate; or, where that is too long, one for each addend as a
	// function of affine maps, and the verdict follows by the laws of sums and compositions.
	Proofs []*equality.Verdict `json:"proofs,omitempty"`
	// Against is the point at which Form is negative, or what was tried to find one.
	Against *equality.Verdict `json:"against,omitempty"`
}

// String is the verdict in a line.
func (v *Verdict) String() string {
	switch v.Outcome {
	case equality.Proved:
		return fmt.Sprintf("proved: the Hessian wrt %s is positive semidefinite", strings.Join(v.Wrt, ", "))
	case equality.Refuted:
		return fmt.Sprintf("refuted: the Hessian wrt %s is not positive semidefinite", strings.Join(v.Wrt, ", "))
	}
	return fmt.Sprintf("not decided: whether the Hessian wrt %s is positive semidefinite", strings.Join(v.Wrt, ", "))
}

// Decide answers for the Hessian by all of the variables together; without variables by those that the program names, or all that it
// has.
func Decide(ctx context.Context, f *program.Program, wrt []string, o equality.Options) (v *Verdict, err error) {
	f.Store.Stop = ctx.Done()
	defer func() { f.Store.Stop = nil }()
	defer fault.Guard(&err)
	if len(f.Outputs) != 1 || f.Outputs[0].Node.Order() != 0 {
		return nil, f.ErrorAt(f.Outputs[0].Span, fault.NotScalar, "a Hessian that may be definite needs one scalar expression")
	}
	v = &Verdict{Wrt: wrt, Outcome: equality.Undecided, Domain: append([]string{}, derivation.Domain(f)...)}
	if v.Wrt == nil {
		if v.Wrt = f.Wrt(); v.Wrt == nil {
			v.Wrt = f.Arguments()
		}
	}
	if len(v.Wrt) == 0 {
		return nil, fault.New(fault.Request, "it is not said by which variable the Hessian is").Helpf("give --wrt")
	}
	m := &maker{f: f, facts: assumptions.New()}
	m.facts.Assume(f.Outputs[0].Node)
	var xs, vs []*combinators.Node
	for _, name := range v.Wrt {
		x, err := f.Argument(name)
		if err != nil {
			return nil, err
		}
		d := f.Store.Member(f.Store.Fresh(direction(f, len(v.Wrt), name), x.Shape()).Name(), x.Shape(), linearPart(x))
		xs, vs, v.Along = append(xs, x), append(vs, d), append(v.Along, d.Name())
	}
	y := query.Node(query.Value(f))
	form, err := m.second(y, xs, vs)
	if err != nil {
		return nil, err
	}
	form = reflected(ctx, f, form)
	if v.Form, err = f.Print("text", nil, form); err != nil {
		return nil, err
	}
	squares, err := m.squares(unguarded(y)[0], xs, vs)
	if err != nil {
		return nil, err
	}
	if squares != nil {
		if v.Squares, err = f.Print("text", nil, squares); err != nil {
			return nil, err
		}
		for _, parts := range [][]part{{{form, squares}}, m.parts} {
			if v.Proofs, err = prove(ctx, f, parts, o); err != nil {
				return nil, err
			}
			if v.Proofs != nil {
				v.Outcome, v.Laws = equality.Proved, m.laws
				return v, nil
			}
		}
		v.Squares = ""
	}
	return v, v.refute(ctx, f, form)
}

// reflected is the form with differences from 1 written as what they are, where that is proved to be equal by the law of it alone.
func reflected(ctx context.Context, f *program.Program, form *combinators.Node) *combinators.Node {
	other := normal.SimplifyWithin([]*combinators.Node{f.Outputs[0].Node}, complements(form))[0]
	if other == form {
		return form
	}
	q := &equality.Question{Program: f.Only(0, f.Outputs[0].Node), Left: form, Right: other}
	if p, err := q.Decide(ctx, equality.Options{Laws: []string{"sigmoid-reflection"}}); err != nil || p.Outcome != equality.Proved {
		return form
	}
	return other
}

// maxSearch bounds the terms of the search for an equality.
const maxSearch = 2000

// prove decides whether all parts are what they are claimed to be; nil where one is not.
func prove(ctx context.Context, f *program.Program, parts []part, o equality.Options) (proofs []*equality.Verdict, err error) {
	for _, p := range parts {
		if _, ok := p.form.Filled(); ok && len(parts) > 1 { // an affine addend
			continue
		}
		v, err := compare(ctx, f, p.form, p.squares, o)
		if err != nil || v.Outcome != equality.Proved {
			return nil, err
		}
		proofs = append(proofs, v)
	}
	return proofs, nil
}

// refute looks for a point at which the form is negative and the program has a value.
func (v *Verdict) refute(ctx context.Context, f *program.Program, form *combinators.Node) (err error) {
	s, g := f.Store, f.Only(0, f.Outputs[0].Node)
	g.Options.Limits.Search = 1 // only a point is looked for
	q := &equality.Question{Program: g, Left: s.Add(form, s.Scale(s.Int(0), f.Outputs[0].Node)), Right: s.Apply(atom.Abs, 0, form)}
	if v.Against, err = q.Decide(ctx, equality.Options{}); err == nil && v.Against.Outcome == equality.Refuted {
		v.Outcome = equality.Refuted
	}
	return err
}

// direction is the name of the direction of a variable: v, or dx beside others, which is free.
func direction(f *program.Program, n int, name string) string {
	to := "v"
	if n > 1 || f.Names()[to] {
		to = "d" + name
	}
	for f.Names()[to] {
		to += "_"
	}
	return to
}

// unguarded are values without the guards of their powers: a convention says what a derivative is where it has none, and nothing is
// claimed there.
func unguarded(outs ...*combinators.Node) []*combinators.Node {
	return combinators.Rebuild(outs, func(n *combinators.Node, args []*combinators.Node) *combinators.Node {
		if n.Is(atom.Power) {
			return n.Store().Power(args[0], n.Rat())
		}
		return n.With(args)
	})
}

// compare decides whether form is |squares|, as the two expressions of a program of their own.
func compare(ctx context.Context, f *program.Program, form, squares *combinators.Node, o equality.Options) (*equality.Verdict, error) {
	s := form.Store()
	var nodes []*combinators.Node
	for _, p := range f.Params {
		nodes = append(nodes, p.Node)
	}
	text := "declare"
	for _, n := range combinators.Topo(form, squares) {
		if n.Is(atom.Var) && !slices.Contains(nodes, n) {
			nodes = append(nodes, n)
		}
	}
	for _, n := range nodes {
		text += " " + n.Name() + size.Shape(n.Given())
		if of := n.Attributes().String(); of != "" {
			text += " " + of
		}
	}
	taken := []string{"form", "squares"}
	left, right := form, s.Zero(nil)
	for _, a := range sum(squares) { // by itself, so that no normal form joins addends before their signs are seen
		right = s.Add(right, s.Apply(atom.Abs, 0, a))
	}
	if len(derivation.Domain(f)) > 0 { // the sides are compared where the program is defined
		defined := s.Scale(s.Int(0), f.Outputs[0].Node)
		left, right = s.Add(left, defined), s.Add(right, defined)
	}
	both, err := f.Print("text", taken, unguarded(left, right)...)
	if err != nil {
		return nil, err
	}
	options := f.Options
	options.Dims, options.Sizes, options.Operations, options.Language = nil, nil, nil, ""
	g, err := program.Read(text+"\n"+both, options)
	if err != nil {
		return nil, err
	}
	g.Options.Limits.Search = min(g.Options.Limits.Search, maxSearch)
	return equality.Expressions(ctx, g, o)
}
