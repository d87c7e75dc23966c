// Package derivation has derivatives and adjoints as calculations, rule by rule: as text, and as
// certificates that are checked without the code that found them.
package derivation

import (
	"fmt"
	"iter"
	"strings"

	"frechet/combinators"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/words"
	"frechet/rewrite/proof"
)

// A Derivation is a calculation: the derivative of a program's expression and its adjoint, rule by
// rule, in the style of Elsman et al.: D(f)(x) by the rules of Theorem 4.1, its adjoint by those of
// Theorem 6.5, each applied to a variable and simplified by the algebra of values.
type Derivation struct {
	f     *program.Program
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

// Of derives the program's one expression with respect to variables, all of its arguments where
// none is named. A linear map that is given as such, without variables, is only transposed.
func Of(f *program.Program, wrt ...string) (d *Derivation, err error) {
	defer fault.Guard(&err)
	d = &Derivation{f: f, wrt: wrt}
	if f.Closed == nil {
		if err := d.program(); err != nil {
			return nil, err
		}
	}
	x, err := f.By(wrt)
	if err != nil {
		return nil, err
	}
	s := f.Store
	if f.Closed == nil {
		// the expression is simplified before it is differentiated
		b := &combinators.Block{Store: s, Params: x.At.Leaves(), Outs: d.last()}
		x.Map = combinators.Readback(b)
	}
	l, linear := x.Map.Linear()
	if len(wrt) > 0 || !linear {
		l, err = d.closed(proof.KindDerivative, s.Derivative(x.Map, x.At))
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
			q.point = x.At.Leaves()
			break
		}
	}
	return d, d.applied(proof.KindAdjointAt, l.Map, "w")
}

// program simplifies the expression.
func (d *Derivation) program() error {
	if len(d.f.Outputs) != 1 {
		return fmt.Errorf("the program has %s; one is needed", words.Count(len(d.f.Outputs), "expression"))
	}
	return d.simplify(part{name: "program", kind: proof.KindProgram}, []*combinators.Node{d.f.Outputs[0].Node})
}

// last is the last line of the last part, a line of values.
func (d *Derivation) last() []*combinators.Node {
	lines := d.parts[len(d.parts)-1].lines
	return lines[len(lines)-1].ns
}

// applied is the linear map at new variables: at 1 for the adjoint of the derivative of a scalar,
// which gives the gradient.
func (d *Derivation) applied(kind proof.Kind, m combinators.Map, base string) error {
	s := d.f.Store
	if base == "w" && m.Dom().Equal(combinators.Space{}) {
		y, err := s.ApplyMap(m, s.Value(s.Int(1)))
		if err != nil {
			return err
		}
		return d.simplify(part{name: "gradient", kind: proof.KindGradient}, y.Leaves())
	}
	v, names := d.f.Fresh(base, m.Dom())
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

// Higher is the derivation of a derivative of one of a program's expressions by variables in turn, of
// the expression's value where there are none. below gives the derivative by the first of them, in
// normal form, from which one of higher order goes on.
func Higher(f *program.Program, output int, wrt []string, below func(wrt []string) (*combinators.Node, error)) (d *Derivation, err error) {
	defer fault.Guard(&err)
	if len(wrt) == 0 {
		d = &Derivation{f: f.Only(output, nil)}
		return d, d.program()
	}
	if d, err = Of(f.Only(output, nil), wrt[0]); err != nil {
		return nil, err
	}
	for k := 1; k < len(wrt); k++ {
		n, err := below(wrt[:k])
		if err != nil {
			return nil, err
		}
		if err := d.further(f.Only(output, n), wrt[k], k+1); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// further goes on with the derivative of a program whose expression is a derivative itself.
func (d *Derivation) further(f *program.Program, wrt string, order int) error {
	next, err := Of(f, wrt)
	if err != nil {
		return err
	}
	for _, p := range next.parts {
		if p.kind != proof.KindDerivative && p.kind != proof.KindDerivativeAt {
			continue
		}
		p.name = fmt.Sprintf("order %d: %s", order, p.name)
		for i := range p.lines {
			p.lines[i].Part = p.name
		}
		d.parts = append(d.parts, p)
	}
	return nil
}
