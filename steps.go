package frechet

import (
	"fmt"
	"iter"
	"strings"

	"frechet/combinators"
	"frechet/internal/words"
	"frechet/rewrite/proof"
)

// A Derivation is a calculation: the derivative of a program's expression and its adjoint, rule by
// rule, in the style of Elsman et al.: D(f)(x) by the rules of Theorem 4.1, its adjoint by those of
// Theorem 6.5, each applied to a variable and simplified by the algebra of values.
type Derivation struct {
	f     *Func
	wrt   []string
	parts []part
}

// A part of a derivation is one calculation, from its first line on.
type part struct {
	name  string
	kind  proof.Kind
	fresh []*combinators.Node // variables that occur in no part before
	point []*combinators.Node // the argument of the program's map, in the first part on maps
	lines []Step
}

// A Step is a line of a derivation. The first line of each part has no rule.

// Steps derives the program's one expression with respect to variables, all of its arguments where
// none is named. A linear map that is given as such, without variables, is only transposed.
func (f *Func) Steps(wrt ...string) (d *Derivation, err error) {
	defer guard(&err)
	d = &Derivation{f: f, wrt: wrt}
	if f.closed == nil {
		if err := d.program(); err != nil {
			return nil, err
		}
	}
	x, err := f.by(wrt)
	if err != nil {
		return nil, err
	}
	s := f.prog.Store
	if f.closed == nil {
		// the expression is simplified before it is differentiated
		b := &combinators.Block{Store: s, Params: x.at.Leaves(), Outs: d.last()}
		x.m = combinators.Readback(b)
	}
	l, linear := x.m.Linear()
	if len(wrt) > 0 || !linear {
		l, err = d.closed(proof.KindDerivative, s.Derivative(x.m, x.at))
		if err != nil {
			return nil, err
		}
		if err := d.applied(proof.KindDerivativeAt, l.Map, "d"); err != nil {
			return nil, err
		}
	}
	if l, err = d.closed(proof.KindAdjoint, s.Adjoint(l)); err != nil {
		return nil, err
	}
	for i := range d.parts {
		if q := &d.parts[i]; q.lines[0].onMaps() {
			q.point = x.at.Leaves()
			break
		}
	}
	return d, d.applied(proof.KindAdjointAt, l.Map, "w")
}

// program simplifies the expression.
func (d *Derivation) program() error {
	if len(d.f.prog.Outputs) != 1 {
		return fmt.Errorf("the program has %s; one is needed", words.Count(len(d.f.prog.Outputs), "expression"))
	}
	return d.simplify(part{name: "program", kind: proof.KindProgram}, []*combinators.Node{d.f.prog.Outputs[0].Node})
}

// last is the last line of the last part, a line of values.
func (d *Derivation) last() []*combinators.Node {
	lines := d.parts[len(d.parts)-1].lines
	return lines[len(lines)-1].ns
}

// applied is the linear map at new variables: at 1 for the adjoint of the derivative of a scalar,
// which gives the gradient.
func (d *Derivation) applied(kind proof.Kind, m combinators.Map, base string) error {
	s := d.f.prog.Store
	if base == "w" && m.Dom().Equal(combinators.Space{}) {
		y, err := s.ApplyMap(m, s.Value(s.Int(1)))
		if err != nil {
			return err
		}
		return d.simplify(part{name: "gradient", kind: proof.KindGradient}, y.Leaves())
	}
	var names []string
	c := &ClosedMap{d.f, "", m}
	v := c.fresh(base, m.Dom(), &names)
	y, err := s.ApplyMap(m, v)
	if err != nil {
		return err
	}
	return d.simplify(part{name: string(kind) + " " + strings.Join(names, ", "), kind: kind, fresh: v.Leaves()}, y.Leaves())
}

// Steps gives the lines of all parts in order.
func (d *Derivation) Steps() iter.Seq[Step] {
	return func(yield func(Step) bool) {
		for _, p := range d.parts {
			for _, s := range p.lines {
				if !yield(s) {
					return
				}
			}
		}
	}
}
