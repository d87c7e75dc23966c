package derivation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"slices"
	"sync"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/rulebook"
	"frechet/internal/words"
	"frechet/rewrite"
	"frechet/rewrite/normal"
	"frechet/rewrite/proof"
	"frechet/rewrite/proof/coq"
	"frechet/rewrite/proof/json"
	"frechet/rewrite/verify"
	"frechet/syntax"
)

// valueProof is a step on values with what its check needs.
func valueProof(t normal.Step) proof.Step {
	s := proof.Step{Rule: t.Rule, Back: t.Firing != nil && t.Firing.Rule.Back, Operands: t.Operands,
		Before: proof.Line{Nodes: []*combinators.Node{t.Before}}, After: proof.Line{Nodes: []*combinators.Node{t.After}}}
	f := t.Firing
	if f == nil {
		return s
	}
	s.Context, s.Hole = f.Context, f.Hole
	s.Subst = proof.Subst{Batch: f.Batch, Guard: f.Guard, Values: map[string]*combinators.Node{},
		Numbers: map[string]*big.Rat{}, Sizes: map[string]size.Size{}}
	for _, b := range f.Values {
		s.Subst.Values[b.Name] = b.Value
	}
	for _, b := range f.Numbers {
		s.Subst.Numbers[b.Name] = b.Value
	}
	for _, b := range f.Sizes {
		s.Subst.Sizes[b.Name] = b.Size
	}
	return s
}

// mapProof is a step on maps with what its check needs.
func mapProof(f rewrite.ClosedFiring) proof.Step {
	s := proof.Step{Rule: f.Rule.Name, Before: proof.Line{Map: &f.Before}, After: proof.Line{Map: &f.After}}
	s.Subst = proof.Subst{Maps: f.Maps, Families: f.Families, Components: f.Components, Index: f.Index, Count: f.Count,
		Points: map[string]*combinators.Value{}}
	for _, v := range f.Rule.Vars { // not what a let has named
		if x := f.Values[v.Name]; x != nil {
			s.Subst.Points[v.Name] = x
		}
	}
	return s
}

// Certificate writes the derivation as a proof: its terms, and for each step the rule, what it
// rewrites and makes, and the substitution. [Replay] checks it. Nothing is written where the
// derivation has a step that the checker does not follow, or is too large for it: the error says so.
func (d *Derivation) Certificate(w io.Writer) (err error) {
	defer fault.Guard(&err)
	checked, _, err := d.checked()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Encode(checked).Write(&b); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// Coq writes the derivation as theorems for all sizes, which coqc checks with the files of coq.Prelude. Nothing is written
// where the derivation has no certificate, or something in it has no term there: the error says so.
func (d *Derivation) Coq(w io.Writer) (err error) {
	defer fault.Guard(&err)
	checked, rules, err := d.checked()
	if err != nil {
		return err
	}
	text, err := coq.Print(checked, rules)
	var no *coq.Withheld
	if errors.As(err, &no) {
		return fault.New(fault.NoTheorem, "there is no theorem: %s", no.Reason).
			Helpf("docs/theorems.md says what can be stated; --certificate writes a proof that frechet replay checks")
	}
	if err != nil {
		return fault.New(fault.Internal, "internal error: %v", err)
	}
	_, err = io.WriteString(w, text)
	return err
}

// checked is the derivation with the facts that its steps need, in a store of its own, and the rules by which it was made.
func (d *Derivation) checked() (*proof.Derivation, *proof.Rules, error) {
	if d.unstated {
		return nil, nil, fault.New(fault.Request, "a certificate states an equality of the two expressions of one program, and no derivative").
			Helpf("declare the variables once, for both sides, and write both in one language")
	}
	if what := d.f.Bodied(); what != "" {
		return nil, nil, fault.New(fault.NoProof, "no certificate is written: the rules for %s are none that the checker states", what).
			Helpf("the derivation itself is printed without --certificate; a recurrence with its steps written out has one")
	}
	p := &proof.Derivation{Program: d.statement()}
	rules, err := replayRules()
	if u := d.f.Options.Rules; u != nil && err == nil {
		rules, err = rules.With(nil, ruleSource(rulebook.FileOf(u)))
	}
	if err != nil {
		return nil, nil, err
	}
	p.Laws = d.laws.list
	for _, q := range d.parts {
		r := proof.Part{Kind: q.kind, Fresh: q.fresh, Point: q.point, Factor: q.factor, Start: q.start, Steps: q.steps, End: q.end}
		if q.walk != nil {
			for i, t := range q.walk.steps {
				w := proof.WalkStep{Node: t.Node, Law: q.walk.laws[i], Gets: t.Tangent}
				if q.walk.from != nil {
					w.Gets = t.Inputs[0]
				}
				r.Walk = append(r.Walk, w)
			}
		}
		p.Parts = append(p.Parts, r)
	}
	p.Rules = rules.Used(p)
	s := json.NewStore()
	checked, err := json.Encode(p).Decode(s)
	if err != nil {
		return nil, nil, err
	}
	if u := d.f.Options.Rules; u != nil { // their functions are now those of the certificate
		known, _ := replayRules()
		if rules, err = known.With(json.Functions(s), ruleSource(rulebook.FileOf(u))); err != nil {
			return nil, nil, err
		}
	}
	_, err = proof.Complete(s, checked, rules)
	var at *proof.StepError
	if errors.As(err, &at) && at.Step > 0 && d.parts[at.Part-1].forgetPrinted(at.Step) {
		return d.checked()
	}
	if err != nil {
		return nil, nil, uncertified(err)
	}
	return checked, rules, nil
}

// forgetPrinted has the part end as it was derived where a step to the form that is printed is not followed: then this form is no
// part of the proof.
func (p *part) forgetPrinted(step int) bool {
	if p.derived == nil || step <= len(p.steps)-p.toPrinted {
		return false
	}
	p.steps, p.end.Nodes, p.derived = p.steps[:len(p.steps)-p.toPrinted], p.derived, nil
	p.laws, p.lines = p.laws[:len(p.steps)], nil
	return true
}

// uncertified says why a derivation has no certificate.
func uncertified(err error) error {
	var step *proof.StepError
	if !errors.As(err, &step) {
		return err
	}
	return fault.New(fault.NoProof, "there is no certificate: the checker does not follow %v", err).
		Helpf("without --certificate the derivation is printed; one of a part of the program may have a certificate")
}

// ruleSource is a user's file as certificates name it: wherever it lies.
func ruleSource(f verify.File) proof.Source {
	return proof.Source{Name: filepath.Base(f.Name), Text: f.Text}
}

// replayRules are the rules of the program.
var replayRules = sync.OnceValues(func() (*proof.Rules, error) {
	var files []proof.Source
	for _, f := range append(verify.Shipped(), verify.Laws(), verify.Attributes()) {
		files = append(files, proof.Source{Name: f.Name, Text: f.Text})
	}
	return proof.LoadRules(files...)
})

// statement is the program as a certificate has it.
func (d *Derivation) statement() proof.Program {
	p := proof.Program{Language: d.f.Options.Language, Text: d.f.File.Src, Wrt: d.wrt, Dims: d.f.Options.Dims, Sizes: d.f.Options.Sizes}
	if d.f.Closed != nil {
		p.Language = "combinators"
	} else if p.Language == "" {
		p.Language = "auto"
	}
	return p
}

// Replay checks a certificate that [Derivation.Certificate] wrote: that the derivation begins with
// the program whose text it holds, and that each of its lines follows from the one before. It uses
// neither the matcher nor the normal form. rules are the user's rules with which the derivation was
// made; those of files that the certificate does not name are not used. The error is a *proof.StepError
// for a step that does not follow, a *json.FormatError where the file is no certificate, a
// *proof.RulesError where rules are missing, an *Error at a limit, and that of ctx when it ends.
func Replay(ctx context.Context, r io.Reader, rules ...verify.File) (*Proved, error) {
	return fault.Within(ctx, func() (*Proved, error) { return replayed(ctx, r, rules) })
}

func replayed(ctx context.Context, r io.Reader, rules []verify.File) (*Proved, error) {
	c, err := json.Read(r)
	if err != nil {
		return nil, err
	}
	s := json.NewStore()
	s.Stop = ctx.Done()
	d, err := c.Decode(s)
	if err != nil {
		return nil, err
	}
	known, err := replayRules()
	for _, f := range rules {
		named := slices.ContainsFunc(d.Rules, func(r proof.RuleFile) bool { return r.Name == ruleSource(f).Name })
		if err == nil && named {
			known, err = known.With(json.Functions(s), ruleSource(f))
		}
	}
	if err != nil {
		return nil, err
	}
	got, err := proof.Check(s, d, known)
	if err != nil {
		return nil, err
	}
	f, err := beginsWith(s, d)
	if err != nil {
		var e *fault.Error
		if errors.As(err, &e) && e.Kind == syntax.KindLimit { // its place is in another file
			return nil, fault.New(e.Code, "the program: %s", e.Message)
		}
		return nil, &proof.StepError{Part: 1, Kind: d.Parts[0].Kind, Reason: err.Error()}
	}
	if err := namesOf(s, f, d); err != nil {
		return nil, err
	}
	return proves(f, d, got, rules)
}

// namesOf checks that conclusions have the variables of the program f, and those that parts take as fresh, whose names are none of the
// program's: a name is read as what the program says that it is.
func namesOf(s *combinators.Store, f *program.Program, d *proof.Derivation) error {
	var own []*combinators.Node
	for _, p := range f.Params {
		own = append(own, p.Node)
	}
	line, err := json.Import(s, proof.Line{Nodes: own})
	if err != nil {
		return err
	}
	known := map[*combinators.Node]bool{}
	for _, n := range line.Nodes {
		known[n] = true
	}
	for i := range d.Parts {
		p := &d.Parts[i]
		wrong := func(format string, n *combinators.Node) error {
			return &proof.StepError{Part: i + 1, Kind: p.Kind, Reason: fmt.Sprintf(format, n.Name())}
		}
		for _, n := range p.Fresh {
			if known[n] = true; f.Names()[n.Name()] {
				return wrong("the variable %s is not fresh: the program has the name", n)
			}
		}
		nodes := p.End.Nodes
		if p.End.Map != nil {
			nodes = combinators.MapNodes(*p.End.Map)
		}
		for _, n := range combinators.Topo(nodes...) {
			if n.Is(atom.Var) && !known[n] {
				return wrong("its last line has a variable %s that is none of the program", n)
			}
		}
	}
	return nil
}

// beginsWith checks that the derivation begins with its program, and gives it.
func beginsWith(s *combinators.Store, d *proof.Derivation) (*program.Program, error) {
	p := d.Program
	f, err := program.Read(p.Text, program.Options{Language: p.Language, Dims: p.Dims, Sizes: p.Sizes, Declared: json.Functions(s)})
	if err != nil {
		return nil, fmt.Errorf("the program cannot be read: %w", err)
	}
	if d.Parts[0].Kind == proof.KindLeft {
		return f, beginsWithSides(s, f, d)
	}
	if f.Closed == nil && len(f.Outputs) != 1 {
		return nil, fmt.Errorf("the program has %s; one is proved", words.Count(len(f.Outputs), "expression"))
	}
	first, vars, err := firstLine(f, p.Wrt)
	if err != nil {
		return nil, err
	}
	points, err := json.Import(s, proof.Line{Nodes: vars})
	if err != nil {
		return nil, err
	}
	want, err := json.Import(s, first)
	if err != nil {
		return nil, err
	}
	if !sameLines(want, d.Parts[0].Start) {
		return nil, fmt.Errorf("it does not begin with the program")
	}
	i, kind := 0, proof.KindDerivative // the part that differentiates
	switch {
	case f.Closed == nil:
		i, kind = 1, proof.KindDerivativeAt
	case len(p.Wrt) == 0 && d.Parts[0].Kind == proof.KindAdjoint: // a linear map that is given as such is only transposed
		kind = proof.KindAdjoint
	}
	if i >= len(d.Parts) || d.Parts[i].Kind != kind {
		return nil, fmt.Errorf("the program is not differentiated")
	}
	if at := d.Parts[i].Point; !slices.Equal(at, points.Nodes) {
		return nil, fmt.Errorf("it is differentiated by other variables than those named")
	}
	return f, nil
}

// firstLine is that of a derivation by variables, and these.
func firstLine(f *program.Program, wrt []string) (l proof.Line, vars []*combinators.Node, err error) {
	if f.Closed == nil {
		vars, err = f.Variables(wrt)
		if err == nil {
			l.Nodes = []*combinators.Node{f.Outputs[0].Node}
		}
		return l, vars, err
	}
	x, err := f.By(wrt)
	if err != nil {
		return l, nil, err
	}
	m := f.Store.Derivative(x.Map, x.At).Map
	if linear, ok := x.Map.Linear(); ok && len(wrt) == 0 {
		m = f.Store.Adjoint(linear).Map
	}
	return proof.Line{Map: &m}, x.At.Leaves(), nil
}

func sameLines(a, b proof.Line) bool {
	if a.Map != nil && b.Map != nil {
		return *a.Map == *b.Map
	}
	return a.Map == nil && b.Map == nil && slices.Equal(a.Nodes, b.Nodes)
}
