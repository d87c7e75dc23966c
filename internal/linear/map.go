// Package linear has linear maps, the derivatives of programs among them: as [Map], which is applied
// and looked into by its structure, and as closed maps in combinator notation.
package linear

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"frechet/adjoint"
	"frechet/adjoint/jacobian"
	"frechet/adjoint/structured"
	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/query"
	"frechet/internal/words"
	"frechet/rewrite/normal"
)

// A Map is a linear map between spaces of tensors: the derivative of a program at a point, a second
// derivative, or the adjoint of one. It is applied, added, solved and looked into by its structure; an
// array of its entries, which have the axes of the output and then those of the argument, exists only
// where one evaluates Entries. A derivative by several variables is a map on as many tensors: it has
// inputs, outputs and an adjoint, and no entries.
type Map struct {
	f    *program.Program
	lin  *adjoint.LinearProgram // values of tangents, or nil: the map is given by its entries
	m    *structured.Map        // its entries; of a derivative formed when they are first asked for
	form func() (*structured.Map, error)
	x    *combinators.Node // the input of a map that is given by its entries
	out  []query.Axis      // legend of the output's axes
	in   []query.Axis
}

// A MapTerm is one summand of a linear map: the number Coef times the product of Factors,
// on the entries where the axes in each list of Deltas are equal, and 0 elsewhere. This is
// the compressed form of Laue, Mitterreiter, Giesen, Computing higher order derivatives of
// matrix and tensor expressions (2018), section 3.3.
type MapTerm struct {
	Coef    *big.Rat
	Factors []MapFactor
	Deltas  [][]int

	axes []query.Axis
}

// A MapFactor is a term along axes of the map, numbered from 0: the output's, then the
// argument's. Of axes that a delta makes equal, the first is named.
type MapFactor struct {
	Term *query.Term
	Axes []int
}

// Jacobian is the derivative of the program's one expression by a variable: the map
// from changes of the variable to changes of the value.
func Jacobian(f *program.Program, wrt string) (l *Map, err error) {
	defer fault.Guard(&err)
	y, x, err := pair(f, wrt, false)
	if err != nil {
		return nil, err
	}
	m, err := query.Planner(f, jacobian.Planned, nil).Jacobian(y, x)
	return New(f, m, query.AxesOf(y, ""), query.AxesOf(x, wrt)), err
}

// Hessian is the second derivative of the program's one expression, a scalar, by a
// variable: the map from changes of the variable to changes of the gradient. Both have
// the variable's shape.
func Hessian(f *program.Program, wrt string) (l *Map, err error) {
	defer fault.Guard(&err)
	y, x, err := pair(f, wrt, true)
	if err != nil {
		return nil, err
	}
	m, err := query.Planner(f, jacobian.Planned, nil).Hessian(y, x, x)
	return New(f, m, query.AxesOf(x, wrt), query.AxesOf(x, wrt)), err
}

// GaussNewton is J' H J, with J the Jacobian of the let through by a variable, and H
// the Hessian of the program's one expression, a scalar, by it. Without through the
// expression must be c*<r, r>, and J is the Jacobian of r.
func GaussNewton(f *program.Program, wrt, through string) (l *Map, err error) {
	defer fault.Guard(&err)
	y, x, err := pair(f, wrt, true)
	if err != nil {
		return nil, err
	}
	z, err := query.SplitAt(f, program.Operation{Kind: "gauss-newton", Wrt: wrt, Through: through}, y, f.Outputs[0].Span)
	if err != nil {
		return nil, err
	}
	m, err := query.Planner(f, jacobian.Planned, nil).GaussNewton(z.Y, z.At, x)
	return New(f, m, query.AxesOf(x, wrt), query.AxesOf(x, wrt)), err
}

// pair is the program's one expression and a variable of it.
func pair(f *program.Program, wrt string, scalar bool) (y, x *combinators.Node, err error) {
	if len(f.Outputs) != 1 {
		return nil, nil, fmt.Errorf("the program has %s; a linear map is the derivative of one", words.Count(len(f.Outputs), "expression"))
	}
	if x, err = f.Argument(wrt); err != nil {
		return nil, nil, err
	}
	o := f.Outputs[0]
	if scalar && o.Node.Order() != 0 {
		return nil, nil, f.ErrorAt(o.Span, fault.NotScalar, "a Hessian map needs a scalar, but the expression has axes [%s]", strings.Join(program.SizeTexts(o.Node), ","))
	}
	return o.Node, x, nil
}

// New is a linear map of a program; out and in are the legends of its axes.
func New(f *program.Program, m *structured.Map, out, in []query.Axis) *Map {
	if m == nil {
		return nil
	}
	return &Map{f: f, m: m, out: out, in: in}
}

// Derivative is the derivative of the program's one expression by variables: the map from changes of
// the variables to the change of the value. Nothing is formed but its value at tangents.
func Derivative(f *program.Program, wrt ...string) (l *Map, err error) {
	defer fault.Guard(&err)
	if len(f.Outputs) != 1 {
		return nil, fmt.Errorf("the program has %s; Derive answers for all of them", words.Count(len(f.Outputs), "expression"))
	}
	y := query.Node(query.Value(f))
	l = &Map{f: f, out: query.AxesOf(y, "")}
	vars, err := f.Named(wrt)
	if err != nil {
		return nil, err
	}
	for i, name := range wrt {
		l.in = append(l.in, query.AxesOf(vars[i], name)...)
	}
	if len(vars) == 1 {
		l.form = func() (*structured.Map, error) {
			return query.Planner(f, jacobian.Planned, nil).Jacobian(y, vars[0])
		}
	}
	l.lin, err = f.Calculus().D(&combinators.Block{Store: f.Store, Params: vars, Outs: []*combinators.Node{y}}, vars)
	return l, err
}

// entries is the map by its entries.
func (l *Map) entries() (m *structured.Map, err error) {
	if l.m == nil {
		if l.form == nil {
			return nil, fault.New(fault.ValueShape, "the map is from %s to %s; a map from one tensor to one has entries",
				words.Count(len(l.lin.In), "tensor"), words.Count(len(l.lin.Outs), "tensor"))
		}
		l.m, err = l.form()
	}
	return l.m, err
}

// input is the variable that the map's outputs are terms in, where it is given by its entries.
func (l *Map) input() *combinators.Node {
	if l.x == nil {
		l.x = l.f.Store.Fresh("v", l.m.In)
	}
	return l.x
}

// Inputs names the tangents or cotangents that the map takes: free variables of Outputs.
func (l *Map) Inputs() []string {
	if l.lin == nil {
		return []string{l.input().Name()}
	}
	names := make([]string, len(l.lin.In))
	for i, n := range l.lin.In {
		names[i] = n.Name()
	}
	return names
}

// Outputs are the values of the map as terms in its inputs, in normal form.
func (l *Map) Outputs() (ts []*query.Term, err error) {
	defer fault.Guard(&err)
	var values []*combinators.Node
	if l.lin != nil {
		values = l.lin.Apply(l.lin.In)
	} else {
		values = []*combinators.Node{l.m.Apply(l.input())}
	}
	for _, n := range normal.Simplify(values...) {
		ts = append(ts, query.New(l.f, n, query.AxesOf(n, "")))
	}
	return ts, nil
}

// Adjoint is the map L* with <L v, w> = <v, L* w>, from the output's space to the argument's.
func (l *Map) Adjoint() (a *Map, err error) {
	defer fault.Guard(&err)
	if l.lin == nil {
		return New(l.f, l.m.Transpose(), l.in, l.out), nil
	}
	a = &Map{f: l.f, out: l.in, in: l.out}
	if l.form != nil {
		a.form = func() (*structured.Map, error) {
			m, err := l.entries()
			if err != nil {
				return nil, err
			}
			return m.Transpose(), nil
		}
	}
	a.lin, err = l.lin.Adjoint()
	return a, err
}

// Terms gives the summands of the map. A map that does not come apart has one, with its
// entries as the one factor.
func (l *Map) Terms() (terms []MapTerm, err error) {
	defer fault.Guard(&err)
	m, err := l.entries()
	if err != nil {
		return nil, err
	}
	axes := l.Axes()
	for _, t := range m.Terms() {
		u := MapTerm{Coef: t.Coef, Deltas: t.Deltas, axes: axes}
		for _, x := range t.Factors {
			n := normal.Simplify(x.Node)[0]
			legend := make([]query.Axis, len(x.Axes))
			for i, a := range x.Axes {
				legend[i] = axes[a]
			}
			u.Factors = append(u.Factors, MapFactor{query.New(l.f, n, legend), x.Axes})
		}
		terms = append(terms, u)
	}
	return terms, nil
}

// letter names an axis of a map: i, j, k, ..., then a1, a2, ...
func letter(a int) string {
	const names = "ijklmnopqrstuvwxyz"
	if a < len(names) {
		return names[a : a+1]
	}
	return fmt.Sprintf("a%d", a-len(names)+1)
}

// IndexList writes axes as letters: "[i,k]", "" for none.
func IndexList(axes []int) string {
	if len(axes) == 0 {
		return ""
	}
	names := make([]string, len(axes))
	for i, a := range axes {
		names[i] = letter(a)
	}
	return "[" + strings.Join(names, ",") + "]"
}

// String writes the term over the letters i, j, k of the map's axes, in order:
// "2 * (V'*V)[j,l] * delta[i,k]". What a factor names by let stands before it in its
// parentheses.
func (t MapTerm) String() string {
	return t.product(t.Coef, func(x *query.Term) string {
		s := strings.ReplaceAll(strings.ReplaceAll(x.String(), "\nexpression ", "; "), "\n", "; ")
		if strings.ContainsAny(s, " *+-/") {
			s = "(" + s + ")"
		}
		return s
	})
}

// product writes the term with another coefficient, and names for its factors.
func (t MapTerm) product(coef *big.Rat, name func(*query.Term) string) string {
	var parts []string
	if coef.Cmp(big.NewRat(1, 1)) != 0 {
		parts = append(parts, coef.RatString())
	}
	for _, f := range t.Factors {
		parts = append(parts, name(f.Term)+IndexList(f.Axes))
	}
	for _, d := range t.Deltas {
		parts = append(parts, "delta"+IndexList(d))
	}
	if len(parts) == 0 {
		return "1"
	}
	return strings.Join(parts, " * ")
}

// SumText writes the sum of terms with names for their factors; "0" where there are none.
func SumText(terms []MapTerm, name func(*query.Term) string) string {
	if len(terms) == 0 {
		return "0"
	}
	var b strings.Builder
	for i, t := range terms {
		switch negative := t.Coef.Sign() < 0; {
		case i > 0 && negative:
			b.WriteString(" - ")
		case i > 0:
			b.WriteString(" + ")
		case negative:
			b.WriteString("-")
		}
		b.WriteString(t.product(new(big.Rat).Abs(t.Coef), name))
	}
	return b.String()
}

// String writes the sum of the map's terms; "0" where there are none.
func (l *Map) String() string {
	terms, err := l.Terms()
	if err != nil {
		return "!(" + err.Error() + ")"
	}
	parts := make([]string, len(terms))
	for i, t := range terms {
		parts[i] = t.String()
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, " + ")
}

// Axes is the legend of the map's axes: the output's, then the argument's.
func (l *Map) Axes() []query.Axis { return slices.Concat(l.out, l.in) }

// Entries is the map as a term, with the axes of Axes. Evaluating it forms all entries,
// after the check of sizes and memory that every evaluation makes. It is nil for a map that has none.
func (l *Map) Entries() *query.Term {
	m, err := l.entries()
	if err != nil {
		return nil
	}
	return query.New(l.f, m.Entries, l.Axes())
}

// Apply is the map at v, a term of the argument's shape [In..]; the result has shape
// [Out..]. v may have further axes, [In.., batch..], which the result then has too. A derivative is
// applied without its entries, else each term of the map is contracted with v at once.
func (l *Map) Apply(v *query.Term) (t *query.Term, err error) {
	defer fault.Guard(&err)
	if query.Of(v) != l.f {
		return nil, errOtherProgram
	}
	n, k := query.Node(v), len(l.in)
	in, err := l.argument()
	if err != nil {
		return nil, err
	}
	if v.Order() < k || size.Shape(n.Shape()[:k]) != size.Shape(in) {
		return nil, fault.New(fault.ValueShape, "the map takes axes %s, but the term has %s", size.Shape(in), size.Shape(n.Shape()))
	}
	y, err := l.at(n)
	return query.New(l.f, y, slices.Concat(l.out, v.Axes()[k:])), err
}

// argument is the shape of the one tensor that the map takes.
func (l *Map) argument() ([]size.Size, error) {
	if l.lin != nil && len(l.lin.In) == 1 {
		return l.lin.In[0].Shape(), nil
	}
	m, err := l.entries()
	if err != nil {
		return nil, err
	}
	return m.In, nil
}

// at is the map at a value of the argument's shape, which may have further axes.
func (l *Map) at(v *combinators.Node) (*combinators.Node, error) {
	if l.lin != nil && len(l.lin.In) == 1 && len(l.lin.Outs) == 1 && v.Order() == len(l.in) {
		return normal.Simplify(l.lin.Apply([]*combinators.Node{v})...)[0], nil
	}
	m, err := l.entries()
	if err != nil {
		return nil, err
	}
	return m.Apply(v), nil
}

var errOtherProgram = fmt.Errorf("the terms belong to different programs")

// ApplyTo is the map, at the values of env, applied to a tensor of the argument's shape.
func (l *Map) ApplyTo(ctx context.Context, v *eval.Tensor, env program.Env) (t *eval.Tensor, err error) {
	defer fault.Guard(&err)
	in, err := l.argument()
	if err != nil {
		return nil, err
	}
	x := l.f.Store.Fresh("v", in)
	y, err := l.at(x)
	if err != nil {
		return nil, err
	}
	full := program.Env{x.Name(): v}
	for name, value := range env {
		full[name] = value
	}
	out, err := l.f.Run(ctx, []*combinators.Node{y}, full, nil)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// Transpose is [Map.Adjoint].
//
// Deprecated: it is the same map.
func (l *Map) Transpose() (t *Map, err error) { return l.Adjoint() }

// Add is the sum of two maps of one program between the same spaces.
func (l *Map) Add(o *Map) (sum *Map, err error) {
	defer fault.Guard(&err)
	if o.f != l.f {
		return nil, errOtherProgram
	}
	m, err := l.entries()
	if err != nil {
		return nil, err
	}
	p, err := o.entries()
	if err != nil {
		return nil, err
	}
	if size.Shape(m.Out) != size.Shape(p.Out) || size.Shape(m.In) != size.Shape(p.In) {
		return nil, fault.New(fault.ValueShape, "maps between different spaces: %s from %s, and %s from %s",
			size.Shape(m.Out), size.Shape(m.In), size.Shape(p.Out), size.Shape(p.In))
	}
	return New(l.f, m.Add(p), l.out, l.in), nil
}

// Diagonal has the entries where output and argument indices are equal: a term of the
// argument's shape, of a map from a space to itself.
func (l *Map) Diagonal() (d *query.Term, err error) {
	defer fault.Guard(&err)
	m, err := l.entries()
	if err != nil {
		return nil, err
	}
	if size.Shape(m.Out) != size.Shape(m.In) {
		return nil, fault.New(fault.ValueShape, "a map from %s to %s has no diagonal", size.Shape(m.In), size.Shape(m.Out))
	}
	return query.New(l.f, m.Diagonal(), l.in), nil
}

// Solve is the term x with l(x) = b, for b of shape [Out..] and a map between spaces of
// equal size, and how it is found. Structure is used: a core times an identity is
// factorised alone, in O(k^3 + n k^2) for the n k unknowns of matrix factorisation;
// Kronecker products factor by factor, block diagonals block by block, a diagonal with a
// term of low rank by Woodbury's formula where sizes show that this is smaller. sizes may
// be nil. Whether the map is singular shows in the evaluation.
func (l *Map) Solve(b *query.Term, sizes program.Sizes) (x *query.Term, how string, err error) {
	defer fault.Guard(&err)
	if query.Of(b) != l.f {
		return nil, "", errOtherProgram
	}
	m, err := l.entries()
	if err != nil {
		return nil, "", err
	}
	if size.Shape(query.Node(b).Shape()) != size.Shape(m.Out) {
		return nil, "", fault.New(fault.ValueShape, "the right side has axes %s, but the map gives %s", size.Shape(query.Node(b).Shape()), size.Shape(m.Out))
	}
	if sizes == nil {
		sizes = program.Sizes{}
	}
	s, err := m.Solve(query.Node(b), sizes)
	if err != nil {
		return nil, "", err
	}
	return query.New(l.f, s.Value, l.in), s.How, nil
}
