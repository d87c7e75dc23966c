package program

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/internal/fault"
	"frechet/syntax"
	"frechet/syntax/elab"
)

// symbolic is the program of a source with symbols for sizes, made once when it is first needed; nil
// where it has an error.
type symbolic struct {
	once    sync.Once
	program *Program
}

func (t *Source) symbolicProgram() *Program {
	t.symbolic.once.Do(func() {
		if p, err := t.elaborate(nil, nil); err == nil {
			t.symbolic.program = p
		}
	})
	return t.symbolic.program
}

// bind solves the equations between the declared sizes and those that are given, and returns what is then
// known: sizes of all variables whose axes are determined, and numbers of the declared symbols. Sizes may
// name the symbols of axes that the program leaves open, too, as results show them.
func (t *Source) bind(dims Dims, sizes Sizes) (Dims, Sizes, error) {
	p := t.symbolicProgram()
	if p == nil {
		return dims, sizes, nil
	}
	known, err := p.solve(dims, sizes)
	if err != nil || known == nil {
		return dims, sizes, err
	}
	if err := p.leftOpen(dims, known); err != nil {
		return nil, nil, err
	}
	bound := Dims{}
	maps.Copy(bound, dims)
	for _, q := range p.Params {
		if _, ok := dims[q.Name]; ok {
			continue
		}
		if d, ok := numbers(q.Node, known); ok {
			bound[q.Name] = d
		}
	}
	open := p.Open()
	given := Sizes{}
	for name, n := range known {
		if !slices.Contains(open, name) {
			given[name] = n
		}
	}
	for name, n := range sizes { // those that the program does not have are an error of its own
		if !slices.ContainsFunc(p.Symbols, func(s elab.Symbol) bool { return s.Name == name && s.Determined }) {
			given[name] = n
		}
	}
	return bound, given, nil
}

// leftOpen is the error for a variable whose size is given and leaves symbols open: 6 entries of x[m*n].
func (f *Program) leftOpen(dims Dims, known map[string]int64) error {
	_, axes := f.equations(dims)
	for _, a := range axes {
		var open []string
		for _, symbol := range a.size.Symbols() {
			if _, ok := known[symbol]; !ok {
				open = append(open, symbol)
			}
		}
		if open != nil {
			return f.File.Errorf(fault.Undetermined, f.axisSpan(a), "axis %d of %s has size %d, but %s = %d leaves %s open",
				a.k, f.Params[a.param].Name, a.given, a.size, a.given, strings.Join(open, " and ")).
				Helpf("give a number for %s, or the sizes of a variable that has it", open[0])
		}
	}
	return nil
}

// numbers are the sizes of a node's axes, where all of them are known.
func numbers(n *combinators.Node, known map[string]int64) ([]int64, bool) {
	d := make([]int64, len(n.Given()))
	for k, s := range n.Given() {
		v, err := s.Eval(known)
		if err != nil || v < 0 {
			return nil, false
		}
		d[k] = v
	}
	return d, true
}

// solve finds the size symbols that dims and sizes determine; it has none where typing the program with
// numbers tells better what is wrong.
func (f *Program) solve(dims Dims, sizes Sizes) (map[string]int64, error) {
	eqs, axes := f.equations(dims)
	solution, err := size.Solve(eqs, sizes)
	var none *size.UnsolvableError
	if errors.As(err, &none) {
		return nil, f.unsolvable(none, axes)
	}
	return solution.Values, nil
}

// equations say what the given sizes are in the program: an equation for each axis, and which axis it is.
func (f *Program) equations(dims Dims) (eqs []size.Equation, axes []axis) {
	for i, p := range f.Params {
		d, ok := dims[p.Name]
		if !ok || len(d) != len(p.Node.Given()) || slices.ContainsFunc(d, func(n int64) bool { return n < 0 }) {
			continue // an error of its own
		}
		for k, s := range p.Node.Given() {
			eqs, axes = append(eqs, size.Equation{Size: s, Value: d[k]}), append(axes, axis{i, k, s, d[k]})
		}
	}
	return eqs, axes
}

// axis is axis k of a variable, with its size in the program and the one that is given.
type axis struct {
	param, k int
	size     size.Size
	given    int64
}

// unsolvable is the error for sizes that do not fit; nil where single symbols differ, or those that the
// program leaves open: then typing it with numbers says which operation does not fit.
func (f *Program) unsolvable(none *size.UnsolvableError, axes []axis) error {
	at := axes[none.At]
	p := f.Params[at.param]
	e := f.File.Errorf(fault.GivenSize, f.axisSpan(at), "axis %d of %s is %s in the program, but the size given is %d", at.k, p.Name, at.size, at.given).
		Helpf("%s", none.Error())
	simple := true
	for _, s := range at.size.Symbols() {
		if slices.Contains(f.Open(), s) {
			return nil
		}
		if i, ok := none.From[s]; ok {
			q := axes[i]
			e.Note(f.axisSpan(q), "axis %d of %s is %s = %d, so %s = %d", q.k, f.Params[q.param].Name, q.size, q.given, s, none.Known[s])
			_, symbol := q.size.Symbol()
			simple = simple && symbol
		}
	}
	if _, symbol := at.size.Symbol(); symbol && simple || len(at.size.Symbols()) == 0 {
		return nil
	}
	return e
}

// axisSpan is where the size of an axis is declared.
func (f *Program) axisSpan(a axis) syntax.Span {
	p := f.Params[a.param]
	for _, s := range f.File.Stmts {
		for _, d := range s.Declares {
			if d.Name == p.Name && len(d.Sizes) > a.k {
				return d.Sizes[a.k].Span
			}
		}
	}
	return p.Span
}

// SizeEnv has the numbers of size symbols, as far as values determine them.
func (f *Program) SizeEnv(env Env) map[string]int64 {
	known, err := f.solve(DimsOf(env), nil)
	if err != nil || known == nil {
		return map[string]int64{} // evaluation tells which value does not fit
	}
	return known
}
