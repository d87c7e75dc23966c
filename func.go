package frechet

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/program"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/protocol"
	"frechet/internal/words"
	"frechet/syntax"
	"frechet/syntax/elab"
)

// A Func is a program: expressions over parameters, typed.
type Func struct {
	file *syntax.File
	prog *elab.Program
	opt  options

	closed *program.Program // of a program in combinator notation, else nil
}

// A Param is a declared variable.
type Param struct {
	Name string
	Axes []string // the sizes of its axes: numbers, or expressions in size symbols
}

// Order is the number of axes.
func (p Param) Order() int { return len(p.Axes) }

// Parse reads a program, in the Einstein language, in index notation where it defines tensors entry
// by entry, or in combinators where it gives maps with their types, unless WithLanguage says otherwise,
// and finds the orders and sizes of all its parts. An error is an *Error with its place in the text.
func Parse(src string, opts ...Option) (f *Func, err error) {
	defer guard(&err)
	o := newOptions(opts)
	t, err := parseText(src, o)
	if err != nil {
		return nil, err
	}
	if err := t.checkLanguage(o.language); err != nil {
		return nil, err
	}
	return t.elaborate(o.dims, o.sizes)
}

// A source is a program that is parsed but not yet typed: orders are known of what is
// declared, sizes are not.
type source struct {
	file   *syntax.File
	opt    options
	closed *program.Source // of a program in combinator notation, else nil
}

func parseText(src string, o options) (*source, error) {
	if o.language == "combinators" || (o.language == "" || o.language == "auto") && text.Speaks(src) {
		c, err := program.Parse(src, o.limits.syntax())
		if err != nil {
			return nil, err
		}
		return &source{c.File, o, c}, nil
	}
	if o.language != "" && !slices.Contains(Languages(), o.language) {
		return nil, placeless(codeRequest, "unknown language %s; known are %s", quoteName(o.language), strings.Join(Languages(), ", "))
	}
	file, err := syntax.Parse(src, o.limits.syntax())
	if err != nil {
		return nil, err
	}
	return &source{file, o, nil}, nil
}

// source is the program before it was typed.
func (f *Func) source() *source {
	s := &source{file: f.file, opt: f.opt}
	if f.closed != nil {
		s.closed = f.closed.Source
	}
	return s
}

// elaborate types the program: with symbolic sizes where dims and sizes are nil, else in
// numbers, all of which must then be determined.
func (t *source) elaborate(dims Dims, sizes Sizes) (*Func, error) {
	opt := elab.Options{Dims: dims, Sizes: sizes, Limits: t.opt.limits.syntax(), Nodes: t.opt.limits.Nodes, Maps: program.ReadMap}
	for _, op := range t.opt.operations {
		if op.Along != "" {
			opt.Directions = append(opt.Directions, &syntax.DerivativeRequest{Kind: op.Kind, Order: 1,
				Wrt: []syntax.Ident{{Name: op.Wrt}}, Along: syntax.Ident{Name: op.Along}})
		}
	}
	if t.closed != nil {
		p, err := t.closed.Elaborate(opt)
		if err != nil {
			return nil, err
		}
		return &Func{t.file, p.Program, t.opt, p}, nil
	}
	prog, err := elab.Elaborate(t.file, opt)
	if err != nil {
		return nil, err
	}
	return &Func{t.file, prog, t.opt, nil}, nil
}

// order is the declared order of a variable.
func (t *source) order(name string) (int, bool) {
	for _, s := range t.file.Stmts {
		for _, d := range s.Declares {
			if d.Name == name {
				if d.Sized {
					return len(d.Sizes), true
				}
				return d.Order, true
			}
		}
	}
	return 0, false
}

// Params lists the declared variables.
func (f *Func) Params() []Param {
	out := make([]Param, len(f.prog.Params))
	for i, p := range f.prog.Params {
		out[i] = Param{p.Name, sizeTexts(p.Node)}
	}
	return out
}

// Symbols lists the size symbols of the program: those that it declares, and new ones
// for sizes that it leaves open.
func (f *Func) Symbols() []string {
	var out []string
	for _, s := range f.prog.Symbols {
		out = append(out, s.Name)
	}
	return out
}

// Outputs lists the names of the expressions; one without a name is "".
func (f *Func) Outputs() []string {
	out := make([]string, len(f.prog.Outputs))
	for i, o := range f.prog.Outputs {
		out[i] = o.Name
	}
	return out
}

// Wrt lists the variables that the program asks to differentiate by.
func (f *Func) Wrt() []string {
	var out []string
	for _, r := range f.prog.Requests {
		if slices.Contains(OperationKinds(), r.Kind) {
			continue
		}
		for _, name := range r.Wrt {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// Order is the order of the derivative that the program asks for, 0 if it asks for none.
func (f *Func) Order() int {
	order := 0
	for _, r := range f.prog.Requests {
		if !slices.Contains(OperationKinds(), r.Kind) {
			order = max(order, r.Order)
		}
	}
	return order
}

// Value is the first expression of the program as a term, in normal form.
func (f *Func) Value() *Term {
	n := simplify(f.prog.Outputs[0].Node)[0]
	return &Term{f: f, node: n, axes: axesOf(n, ""), from: &lineage{}}
}

// Gradient is the gradient of the program's one scalar expression: a term of the shape
// of the variable.
func (f *Func) Gradient(wrt string) (*Term, error) {
	r, err := f.one(Query{Wrt: []string{wrt}, Order: 1, Mode: Reverse})
	if err != nil {
		return nil, err
	}
	return r.Outputs[0].Derivs[0].Term, r.RequireScalar()
}

// Jacobian is the first derivative of the program's one expression as a tensor: the
// axes of the output, then those of the variable.
func (f *Func) Jacobian(wrt string, mode Mode) (*Term, error) {
	r, err := f.one(Query{Wrt: []string{wrt}, Order: 1, Mode: mode})
	if err != nil {
		return nil, err
	}
	return r.Outputs[0].Derivs[0].Term, nil
}

// Hessian is the second derivative of the program's one expression.
func (f *Func) Hessian(wrt string) (*Term, error) {
	r, err := f.one(Query{Wrt: []string{wrt}, Order: 2})
	if err != nil {
		return nil, err
	}
	return r.Outputs[0].Derivs[1].Term, nil
}

func (f *Func) one(q Query) (*Reply, error) {
	if len(f.prog.Outputs) != 1 {
		return nil, fmt.Errorf("the program has %s; Derive answers for all of them", words.Count(len(f.prog.Outputs), "expression"))
	}
	return f.Derive(background, q)
}

func (f *Func) param(name string) *combinators.Node {
	for _, p := range f.prog.Params {
		if p.Name == name {
			return p.Node
		}
	}
	return nil
}

// undeclared is the error for a variable of a query that the program does not declare.
func (f *Func) undeclared(name string) *Error {
	var names []string
	for _, p := range f.prog.Params {
		names = append(names, p.Name)
	}
	for _, r := range f.prog.Requests {
		if slices.Contains(r.Wrt, name) {
			return f.file.Errorf(codeUndeclaredArgument, r.Span, "%s is not declared", name)
		}
	}
	e := placeless(codeUndeclaredArgument, "%s is not declared, so nothing can be differentiated by it", quoteName(name))
	if near := words.Nearest(name, names); near != "" {
		return e.Helpf("did you mean %s?", near)
	}
	return e.Helpf("declared are %s", strings.Join(names, ", "))
}

// shapeOf is the shape of a variable in numbers.
func (f *Func) shapeOf(name string) ([]int, error) { return f.numericShape(f.param(name)) }

// numericShape evaluates the sizes of a node's axes; those that no number is known for
// are an error.
func (f *Func) numericShape(n *combinators.Node) ([]int, error) {
	return f.numericShapeAt(n, nil)
}

// numericShapeAt is numericShape where the shapes of values give more sizes.
func (f *Func) numericShapeAt(n *combinators.Node, env Env) ([]int, error) {
	sizes := f.sizeEnv(env)
	shape := make([]int, n.Order())
	for i, d := range n.Shape() {
		v, err := d.Eval(sizes)
		if err != nil {
			return nil, f.undetermined(d)
		}
		if v < 0 || v > math.MaxInt32*int64(1<<20) {
			return nil, placeless(codeSize, "an axis of size %d", v)
		}
		shape[i] = int(v)
	}
	return shape, nil
}

func (f *Func) undetermined(d size.Size) *Error {
	for _, p := range f.prog.Params {
		for i, s := range p.Node.Shape() {
			if s == d {
				return f.file.Errorf(codeUndetermined, p.Span, "the size of axis %d of %s, %s, is not known", i, p.Name, d).
					Helpf("give values or sizes: dims or sizes in a request, -d or --size on the command line")
			}
		}
	}
	return placeless(codeUndetermined, "the size %s is not known", d).
		Helpf("give it: sizes in a request, --size on the command line")
}

func product(dims []int64) (int64, bool) {
	n := int64(1)
	for _, d := range dims {
		if d != 0 && n > math.MaxInt64/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

func volume(shape []int) int {
	n := 1
	for _, d := range shape {
		if d != 0 && n > math.MaxInt/d {
			return math.MaxInt
		}
		n *= d
	}
	return n
}

func shapeText[T int | int64](shape []T) string {
	parts := make([]string, len(shape))
	for i, d := range shape {
		parts[i] = fmt.Sprint(d)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func quoteName(name string) string {
	if len(name) > 40 {
		name = name[:40] + "..."
	}
	return fmt.Sprintf("%q", name)
}

// firstWithout is the error for the first declared variable that has neither values nor
// dims, nil if there is none.
func (t *source) firstWithout(values map[string]protocol.Numbers, dims Dims) *Error {
	for _, s := range t.file.Stmts {
		for _, d := range s.Declares {
			_, valued := values[d.Name]
			if _, sized := dims[d.Name]; !valued && !sized && !d.Sized {
				return missingValue(t.file, d.Name, d.Span)
			}
		}
	}
	return nil
}

func missingValue(file *syntax.File, name string, span syntax.Span) *Error {
	e := file.Errorf(codeMissingValue, span, "%s has no value", name)
	e.Kind = kindOf(codeMissingValue)
	return e.Helpf("give it: values in a request, -d %s=FILE on the command line", name)
}
