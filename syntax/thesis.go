package syntax

import (
	"math/big"
	"slices"
)

// BinaryProducts writes every index product of e with two operands and no repeated output
// letter, as the grammar of the thesis has them: a sum, transpose or broadcast becomes a
// product with ones (the repair of a missing index, thesis 4.6.2), and a diagonal that is
// embedded a product with delta(1).
//
//	X *(ij->ji)  is  X *(ij,->ji) 1        x *(i->ij)  is  x *(i,j->ij) 1
//	x *(i->ii)   is  x *(i,ij->ij) delta(1)
//
// Trees are as deep as the nesting that a reader allows.
func BinaryProducts(e *Expr) *Expr {
	if e == nil {
		return nil
	}
	out := *e
	out.Args = make([]*Expr, len(e.Args))
	for i, a := range e.Args {
		out.Args[i] = BinaryProducts(a)
	}
	out.Steps = nil
	for _, s := range e.Steps {
		s.Arg = BinaryProducts(s.Arg)
		if s.Op != StepUnary && s.Op != StepIndex {
			out.Steps = append(out.Steps, s)
			continue
		}
		out.Steps = append(out.Steps, binarySteps(s)...)
	}
	return &out
}

// binarySteps is an index product or unary index product as products of two operands.
func binarySteps(s Step) []Step {
	in := make([][]string, len(s.Spec.In))
	var known []string
	for k, g := range s.Spec.In {
		in[k] = g.Letters
		known = append(known, g.Letters...)
	}
	// A repeated output letter gets a partner; deltas make them equal afterwards.
	next := 0
	fresh := func() string {
		for slices.Contains(known, Letter(next)) || slices.Contains(s.Spec.Out.Letters, Letter(next)) {
			next++
		}
		l := Letter(next)
		known = append(known, l)
		return l
	}
	var final, first []string
	var pairs [][]string
	for _, l := range s.Spec.Out.Letters {
		if slices.Contains(first, l) {
			p := fresh()
			pairs = append(pairs, []string{l, p})
			final = append(final, p)
			continue
		}
		first, final = append(first, l), append(final, l)
	}
	if len(pairs) == 0 {
		first = final
	}
	var steps []Step
	if s.Op == StepIndex {
		steps = append(steps, Step{Op: StepIndex, Spec: NewSpec(in, first), Arg: s.Arg})
	} else if len(pairs) == 0 || !slices.Equal(in[0], first) {
		var more []string
		for _, l := range first {
			if !slices.Contains(in[0], l) {
				more = append(more, l)
			}
		}
		ones := &Expr{Op: OpNum, Num: big.NewRat(1, 1)}
		steps = append(steps, Step{Op: StepIndex, Spec: NewSpec([][]string{in[0], more}, first), Arg: ones})
	}
	at := first
	for i, p := range pairs {
		to := append(slices.Clone(at), p[1])
		if i == len(pairs)-1 {
			to = final
		}
		steps = append(steps, Step{Op: StepIndex, Spec: NewSpec([][]string{at, p}, to), Arg: &Expr{Op: OpDelta, Order: 1}})
		at = to
	}
	return steps
}
