package frechet

import (
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/query"
)

// A Func is a program: expressions over parameters, typed.
type Func struct{ prog *program.Program }

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
func Parse(src string, opts ...Option) (*Func, error) {
	p, err := program.Read(src, newOptions(opts))
	if err != nil {
		return nil, err
	}
	return &Func{p}, nil
}

// Claims says, for each rule of [WithRules] that was applied to the program or to derivatives of it so far, what is claimed
// of it.
func (f *Func) Claims() []RuleClaim { return f.prog.Claims() }

// Elaborate types the program anew with further options, such as the sizes of data; its text is not
// parsed again. Dims and sizes given before do not stay.
func (f *Func) Elaborate(opts ...Option) (g *Func, err error) {
	defer fault.Guard(&err)
	s := f.prog.Source()
	s.Options.Dims, s.Options.Sizes = nil, nil
	for _, opt := range opts {
		opt(&s.Options)
	}
	p, err := s.Elaborate(s.Options.Dims, s.Options.Sizes)
	if err != nil {
		return nil, err
	}
	return &Func{p}, nil
}

// Params lists the declared variables.
func (f *Func) Params() []Param {
	out := make([]Param, len(f.prog.Params))
	for i, p := range f.prog.Params {
		out[i] = Param{p.Name, program.SizeTexts(p.Node)}
	}
	return out
}

// Arguments lists the variables by which one may differentiate: those with real entries.
func (f *Func) Arguments() (names []string) {
	for _, p := range f.prog.RealParams() {
		names = append(names, p.Name)
	}
	return names
}

// Assumed is the declaration of the variables of a formula that declares none, "declare x[n] A[n,n]", as it was
// found from their use and from their letters: a capital is a matrix, a small letter a vector, a Greek name a
// number. It is "" for a program with declarations.
func (f *Func) Assumed() string { return f.prog.Assumed() }

// Warnings are places of the program that may mean something else than they say, as A^2 for a square matrix.
func (f *Func) Warnings() []*Error { return f.prog.Warnings }

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
func (f *Func) Wrt() []string { return f.prog.Wrt() }

// Order is the order of the derivative that the program asks for, 0 if it asks for none.
func (f *Func) Order() int { return f.prog.Order() }

// Operations lists the operations that the program names.
func (f *Func) Operations() []Operation { return f.prog.Operations() }

// Variable is a declared variable as a term: the direction of Apply, the right side of
// Solve.
func (f *Func) Variable(name string) (*Term, error) {
	x := f.prog.Param(name)
	if x == nil {
		return nil, f.prog.Undeclared(name)
	}
	return query.New(f.prog, x, query.AxesOf(x, "")), nil
}
