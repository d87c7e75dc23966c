// Package derivation has derivatives and adjoints as calculations, rule by rule: as text, and as
// certificates that are checked without the code that found them.
package derivation

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/reading"
	"frechet/internal/words"
	"frechet/rewrite/normal"
	"frechet/rewrite/proof"
)

// A Derivation is a calculation: the derivative of a program's expression and its adjoint, rule by
// rule, in the style of Elsman et al. (Theorems 4.1 and 6.5), simplified by the algebra of values. That of a map
// works out D(f)(x) and its adjoint as maps, and applies each to a variable. That of a graph of values is
// the record of the walk by which it is differentiated: the tangent of each value by those of its operands,
// the cotangents backwards. It takes time and room in proportion to the program.
type Derivation struct {
	f     *program.Program
	parts []*part
	wrt   []string
	laws  laws
	taken map[string]bool // names that are not those of shared parts
	// printed are the derivatives by order as results have them. It is called when all else is derived: the order of operands is
	// that in which a store has them.
	printed func() ([][]*combinators.Node, error)
	// unstated says that the values of an equality are not the expressions of the program as they stand in its text.
	unstated bool
}

// A part of a derivation is one calculation, from its first line on.
type part struct {
	name  string
	kind  proof.Kind
	fresh []*combinators.Node // variables that occur in no part before
	point []*combinators.Node // by which is differentiated, in the first part on maps and where a walk does

	factor *combinators.Node // of a product

	walk       *walk // by which a graph of values comes to start
	start, end proof.Line
	steps      []proof.Step
	derived    []*combinators.Node // the end before the last steps, to the form that is printed
	toPrinted  int                 // those
	laws       []Law               // of steps
	lines      []Step              // with the whole term on each; nil where the term is long
}

// Of derives the program's one expression with respect to variables, all of its arguments where
// none is named. A linear map that is given as such, without variables, is only transposed. An order of
// 2 and more goes on with derivatives of the gradient, or of the adjoint, by the same variables. printed gives the derivatives
// by order as results have them: that of an order ends there if it is the same multiplied out.
func Of(f *program.Program, order int, printed func() ([][]*combinators.Node, error), wrt ...string) (d *Derivation, err error) {
	defer fault.Guard(&err)
	d = newDerivation(f, wrt)
	d.printed = printed
	vars, err := d.first()
	for k := 2; k <= order && err == nil; k++ {
		err = d.further(k, vars)
	}
	return d, err
}

// Higher is the derivation of a derivative of one of a program's expressions by variables in turn, of
// the expression's value where there are none. printed is the derivative as results have it.
func Higher(f *program.Program, output int, wrt []string, printed *combinators.Node) (d *Derivation, err error) {
	defer fault.Guard(&err)
	f = f.Only(output, nil)
	if len(wrt) == 0 {
		d = newDerivation(f, nil)
		return d, d.program()
	}
	d = newDerivation(f, wrt[:1])
	d.printed = func() ([][]*combinators.Node, error) {
		return append(make([][]*combinators.Node, len(wrt)-1), []*combinators.Node{printed}), nil
	}
	_, err = d.first()
	for k := 1; k < len(wrt) && err == nil; k++ {
		var x *combinators.Node
		if x, err = f.Argument(wrt[k]); err == nil {
			err = d.further(k+1, []*combinators.Node{x})
		}
	}
	return d, err
}

func newDerivation(f *program.Program, wrt []string) *Derivation {
	return &Derivation{f: f, wrt: wrt, taken: f.Names(), laws: laws{at: map[string]int{}}}
}

// first derives the first derivative and its adjoint, and gives the variables.
func (d *Derivation) first() ([]*combinators.Node, error) {
	if d.f.Closed != nil {
		return d.ofMap()
	}
	vars, err := d.f.Variables(d.wrt)
	if err != nil {
		return nil, err
	}
	if err := d.program(); err != nil {
		return nil, err
	}
	l, err := d.derivative("", vars)
	if err != nil {
		return nil, err
	}
	return vars, d.adjoint(l)
}

// further goes on with the derivative of what the last part ends with, and with its entries.
func (d *Derivation) further(order int, vars []*combinators.Node) error {
	prefix := fmt.Sprintf("order %d: ", order)
	if _, err := d.derivative(prefix, vars); err != nil {
		return err
	}
	entries, err := combinators.Entries(d.last().end.Nodes, d.last().fresh)
	if err != nil {
		return err
	}
	p := &part{name: prefix + "entries", kind: proof.KindEntries}
	if order == 2 && slices.ContainsFunc(d.parts, func(q *part) bool { return q.kind == proof.KindGradient }) {
		p.name = "Hessian"
	}
	if err := d.simplify(p, entries); err != nil {
		return err
	}
	return p.asPrinted(d, order)
}

// asPrinted goes on to the derivatives of an order as results have them, where these are the same multiplied out.
func (p *part) asPrinted(d *Derivation, order int) error {
	if d.printed == nil {
		return nil
	}
	all, err := d.printed()
	if err != nil || order > len(all) || len(all[order-1]) != len(p.end.Nodes) {
		return err
	}
	printed := slices.Clone(all[order-1])
	source := d.parts[0].end.Nodes
	var steps []normal.Step
	for i, end := range p.end.Nodes {
		if to := printed[i]; to == end || to == nil || to.Store() != d.f.Store || !reading.Same(source, end, to) {
			printed[i] = end
		} else {
			steps = append(steps, normal.Step{Rule: normal.Factor, Before: end, After: to})
		}
	}
	p.derived, p.toPrinted = p.end.Nodes, len(steps)
	return p.extend(d, steps, printed, true)
}

// ofMap derives a program that is a map.
func (d *Derivation) ofMap() ([]*combinators.Node, error) {
	x, err := d.f.By(d.wrt)
	if err != nil {
		return nil, err
	}
	l, linear := x.Map.Linear()
	if len(d.wrt) > 0 || !linear {
		if l, err = d.closed(proof.KindDerivative, d.f.Store.Derivative(x.Map, x.At)); err != nil {
			return nil, err
		}
		if err := d.applied(proof.KindDerivativeAt, l.Map, "d"); err != nil {
			return nil, err
		}
	}
	if l, err = d.closed(proof.KindAdjoint, d.f.Store.Adjoint(l)); err != nil {
		return nil, err
	}
	d.parts[0].point = x.At.Leaves()
	return d.parts[0].point, d.applied(proof.KindAdjointAt, l.Map, "w")
}

// program simplifies the expression.
func (d *Derivation) program() error {
	if n := len(d.f.Outputs); n != 1 {
		return fmt.Errorf("the program has %s; one is needed", words.Count(n, "expression"))
	}
	return d.simplify(&part{name: "program", kind: proof.KindProgram}, []*combinators.Node{d.f.Outputs[0].Node})
}

// last is what the last part ends with.
func (d *Derivation) last() *part { return d.parts[len(d.parts)-1] }

// applied is the linear map at new variables: at 1 for the adjoint of the derivative of a scalar,
// which gives the gradient.
func (d *Derivation) applied(kind proof.Kind, m combinators.Map, base string) error {
	s := d.f.Store
	if base == "w" && m.Dom().Equal(combinators.Space{}) {
		y, err := s.ApplyMap(m, s.Value(s.Int(1)))
		if err != nil {
			return err
		}
		p := &part{name: "gradient", kind: proof.KindGradient}
		if err := d.simplify(p, y.Leaves()); err != nil {
			return err
		}
		return p.asPrinted(d, 1)
	}
	v, names := d.f.Fresh(base, m.Dom())
	y, err := s.ApplyMap(m, v)
	if err != nil {
		return err
	}
	return d.simplify(&part{name: string(kind) + " " + strings.Join(names, ", "), kind: kind, fresh: v.Leaves()}, y.Leaves())
}

// Steps gives the lines of all parts in order.
func (d *Derivation) Steps() iter.Seq[Step] {
	return func(yield func(Step) bool) {
		for g := range d.groups() {
			for i := range g.count {
				for _, s := range g.at(i, i == 0) {
					if !yield(s) {
						return
					}
				}
			}
		}
	}
}
