// Package program has a program that is parsed and typed, and what everything else asks of it: its
// variables, errors with their places, its text in the notations, its expression as a closed map, and
// the evaluation of its values. It differentiates nothing.
package program

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	closed "frechet/combinators/program"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/internal/fault"
	"frechet/internal/protocol"
	"frechet/internal/rulebook"
	"frechet/internal/words"
	"frechet/rewrite"
	"frechet/syntax"
	"frechet/syntax/elab"
)

// Env gives tensors to variables by name.
type Env map[string]*eval.Tensor

// Dims gives the sizes of variables' axes by name, Sizes numbers to size symbols.
type (
	Dims  map[string][]int64
	Sizes map[string]int64
)

// DimsOf returns the shapes of the tensors.
func DimsOf(env Env) Dims {
	dims := Dims{}
	for name, t := range env {
		d := make([]int64, len(t.Shape))
		for i, n := range t.Shape {
			d[i] = int64(n)
		}
		dims[name] = d
	}
	return dims
}

// Options adjust how a program is read and what it may cost.
type Options struct {
	Operations []Operation // that will be asked for beside those of the program: their directions get sizes
	Limits     fault.Limits
	Dims       Dims
	Sizes      Sizes
	Rules      *rulebook.Rules // the user's own, nil for none
	Language   string          // of Languages; "" for auto
	Scalar     bool            // a number is wanted of a formula that leaves its orders open
	Progress   func(done, total int)
	Functions  map[string]eval.Function // declared functions in numbers
	Single     bool                     // numbers are computed in single precision
	Declared   *atom.Scope              // functions that the program may use, beside those that it and its rules declare
}

// An Operation is a product with a derivative, or a part of it, that is found without the
// whole: nothing of the size of the Jacobian or Hessian is formed.
//
//	jvp           the derivative by Wrt along the direction Along: of the output's shape
//	vjp           the adjoint of the derivative by Wrt, at the cotangent Along: of Wrt's shape
//	hvp           the Hessian by Wrt of a scalar, times the direction Along: of Wrt's shape
//	diag-hessian  the diagonal of the Hessian by Wrt of a scalar: of Wrt's shape
//	taylor        the Taylor polynomial of degree Degree by Wrt, along the direction Along: of the output's shape
//	gauss-newton  J' H J, with J the Jacobian of the let Through by Wrt, and H the Hessian of
//	              the expression by it; without Through, of the residual r of c*<r, r>
type Operation struct {
	Kind    string
	Wrt     string // one that is given as an option may leave it open where there is one variable
	Along   string // jvp, vjp, hvp, taylor: a variable; as an option it may be a new one, of the shape that is needed
	Through string // gauss-newton: the name of a let
	Degree  int    // taylor: of the polynomial
}

// OperationKinds lists the kinds of Operation.
func OperationKinds() []string { return []string{"jvp", "vjp", "hvp", "diag-hessian", "gauss-newton"} }

// Title is what the operation's result is called.
func (o Operation) Title() string {
	switch o.Kind {
	case "jvp":
		return "derivative along " + o.Along
	case "vjp":
		return "pullback of " + o.Along
	case "hvp":
		return "Hessian times " + o.Along
	case "diag-hessian":
		return "diagonal of the Hessian"
	case "taylor":
		return fmt.Sprintf("Taylor polynomial of degree %d along %s", o.Degree, o.Along)
	}
	return "Gauss-Newton matrix"
}

// A Program is a program with types. Where neither sizes nor dims are given its sizes are symbols.
type Program struct {
	*elab.Program
	Options Options
	Closed  *closed.Program // of a program in combinator notation, else nil

	source *Source

	once  sync.Once // see Names
	names map[string]bool
}

// Calculus is the rules by which the program is differentiated.
func (p *Program) Calculus() *adjoint.Calculus { return rulebook.Calculus(p.Options.Rules) }

// Claims are those of the user's rules that were applied to the program and its derivatives so far.
func (p *Program) Claims() []rulebook.Claim { return rulebook.Claims(p.Options.Rules, p.source.used) }

// A Source is a program that is parsed but not yet typed: orders are known of what is
// declared, sizes are not.
type Source struct {
	File    *syntax.File
	Options Options
	closed  *closed.Source // of a program in combinator notation, else nil
	read    *sync.Map      // the definitions in it that were read, by their places
	// with symbols for sizes, by which those of data are found
	symbolic *symbolic
	used     *rewrite.Used  // the user's rules that were applied, whatever the sizes
	assumed  map[string]int // the orders of the variables of a formula that declares none
	// of a function in Python: File is its translation, and declared what was found for arguments without an annotation
	translated bool
	declared   string
}

// worked works out the derivatives and adjoints in a map.
func (o Options) worked(m combinators.Map) (combinators.Map, error) {
	return rulebook.Calculus(o.Rules).ClosedSimplify(m, nil)
}

// Read parses a program and types it, with the sizes of the options.
func Read(src string, o Options) (p *Program, err error) {
	defer fault.Guard(&err)
	s, err := Parse(src, o)
	if err != nil {
		return nil, err
	}
	return s.Elaborate(o.Dims, o.Sizes)
}

// isLambda reports whether a function of Python stands in a text, whose colon is none of a definition in combinators.
func isLambda(src string) bool {
	return strings.Contains(src, "lambda ") && regexp.MustCompile(`\blambda \w+(, *\w+)*:`).MatchString(src)
}

// Parse reads a program's text. An error is an *Error with its place.
func Parse(src string, o Options) (*Source, error) {
	o.Limits = fault.Filled(o.Limits)
	if o.Language == "numpy" {
		return parsePython(src, o)
	}
	var tokens *text.Lexed
	if (o.Language == "" || o.Language == "auto") && strings.Contains(src, ":") && !isLambda(src) {
		tokens = text.Lex(src)
	}
	if o.Language == "combinators" || tokens != nil && tokens.Speaks() {
		c, err := closed.Parse(src, tokens, o.declared(), fault.Syntax(o.Limits))
		if err != nil {
			return nil, err
		}
		return &Source{File: c.File, Options: o, closed: c, symbolic: &symbolic{}, used: &rewrite.Used{}}, nil
	}
	if o.Language != "" && !slices.Contains(protocol.Languages, o.Language) {
		return nil, fault.New(fault.Request, "unknown language %s; known are %s", words.Quote(o.Language), strings.Join(protocol.Languages, ", "))
	}
	file, err := syntax.Parse(src, fault.Syntax(o.Limits))
	if err != nil {
		return nil, asPython(err, src, o)
	}
	if err := closed.Declare(file, o.declared()); err != nil {
		return nil, err
	}
	s := &Source{File: file, Options: o, read: &sync.Map{}, symbolic: &symbolic{}, used: &rewrite.Used{}}
	if err := s.checkLanguage(o.Language); err != nil {
		return nil, err
	}
	s.assumed, err = s.assume()
	return s, err
}

// Source is the program before it was typed, to be typed with other options.
func (f *Program) Source() *Source {
	s := *f.source
	s.Options = f.Options
	return &s
}

// Elaborate types the program: with symbolic sizes where dims and sizes are nil, else in
// numbers, all of which must then be determined by these and the declared sizes together.
func (t *Source) Elaborate(dims Dims, sizes Sizes) (*Program, error) {
	p, err := t.bound(dims, sizes)
	if err != nil && t.translated {
		err = inTranslation(err, t.File.Src)
	}
	return p, err
}

func (t *Source) bound(dims Dims, sizes Sizes) (*Program, error) {
	if dims == nil && sizes == nil {
		return t.elaborate(nil, nil)
	}
	dims, sizes, err := t.bind(dims, sizes)
	if err != nil {
		return nil, err
	}
	return t.elaborate(dims, sizes)
}

func (t *Source) elaborate(dims Dims, sizes Sizes) (*Program, error) {
	o := t.Options
	o.Dims, o.Sizes = dims, sizes
	opt := elab.Options{Dims: dims, Sizes: sizes, Limits: fault.Syntax(o.Limits), Nodes: o.Limits.Nodes, Read: t.read, Assume: t.assumed,
		Maps: func(f *syntax.File, at syntax.Span) (elab.MapDefinition, error) {
			return closed.ReadMap(o.worked, f, at)
		}}
	for _, op := range o.Operations {
		if op.Along != "" {
			opt.Directions = append(opt.Directions, &syntax.DerivativeRequest{Kind: op.Kind, Order: 1,
				Wrt: []syntax.Ident{{Name: op.Wrt}}, Along: syntax.Ident{Name: op.Along}})
		}
	}
	if t.closed != nil {
		p, err := t.closed.Elaborate(opt, o.worked)
		if err != nil {
			return nil, err
		}
		rewrite.UsedIn(p.Store).Into(t.used)
		return &Program{Program: p.Program, Options: o, Closed: p, source: t}, nil
	}
	prog, err := elab.Elaborate(t.File, opt)
	if err != nil {
		return nil, err
	}
	rewrite.UsedIn(prog.Store).Into(t.used)
	return &Program{Program: prog, Options: o, source: t}, nil
}

func (f *Program) Param(name string) *combinators.Node {
	for _, p := range f.Params {
		if p.Name == name {
			return p.Node
		}
	}
	return nil
}

// Argument is the variable of the name, by which one may differentiate: it is declared, and has real entries.
func (f *Program) Argument(name string) (*combinators.Node, error) {
	xs, err := f.Named([]string{name})
	if err != nil {
		return nil, err
	}
	return xs[0], nil
}

// Named are the variables of the names, by which one may differentiate: see [Program.Argument].
func (f *Program) Named(names []string) ([]*combinators.Node, error) {
	byName := make(map[string]*combinators.Node, len(f.Params))
	for _, p := range f.Params {
		byName[p.Name] = p.Node
	}
	xs := make([]*combinators.Node, len(names))
	for i, name := range names {
		switch xs[i] = byName[name]; {
		case xs[i] == nil:
			return nil, f.Undeclared(name)
		case xs[i].Attributes().Has(atom.Index):
			return nil, fault.New(fault.UndeclaredArgument, "%s is an array of whole numbers, so nothing can be differentiated by it", name)
		}
	}
	return xs, nil
}

// RealParams are the variables by which one may differentiate, and that the program or its reader has declared.
func (f *Program) RealParams() []elab.Param {
	return slices.DeleteFunc(slices.Clone(f.Params), func(p elab.Param) bool {
		return p.Node.Attributes().Has(atom.Index) || slices.Contains(f.Directions, p.Name)
	})
}

// declared are the functions that a program may use without declaring them.
func (o Options) declared() *atom.Scope {
	if o.Rules != nil {
		return rulebook.Functions(o.Rules)
	}
	return o.Declared
}

// Undeclared is the error for a variable of a query that the program does not declare.
func (f *Program) Undeclared(name string) *fault.Error {
	var names []string
	for _, p := range f.Params {
		names = append(names, p.Name)
	}
	for _, r := range f.Requests {
		if slices.Contains(r.Wrt, name) {
			return f.File.Errorf(fault.UndeclaredArgument, r.Span, "%s is not declared", name)
		}
	}
	e := fault.New(fault.UndeclaredArgument, "%s is not declared, so nothing can be differentiated by it", words.Quote(name))
	if near := words.Nearest(name, names); near != "" {
		return e.Helpf("did you mean %s?", near)
	}
	return e.Helpf("declared are %s", words.List(names))
}

// NumericShape evaluates the sizes of a node's axes, of a variable those along which it is given, where the shapes of values give more sizes; env may
// be nil. Sizes that no number is known for are an error.
func (f *Program) NumericShape(n *combinators.Node, env Env) ([]int, error) {
	sizes := f.SizeEnv(env)
	shape := make([]int, len(n.Given()))
	for i, d := range n.Given() {
		v, err := d.Eval(sizes)
		if err != nil {
			return nil, f.Undetermined(d)
		}
		if v < 0 || v > math.MaxInt32*int64(1<<20) {
			return nil, fault.New(fault.Size, "an axis of size %d", v)
		}
		shape[i] = int(v)
	}
	return shape, nil
}

func (f *Program) Undetermined(d size.Size) *fault.Error {
	for _, p := range f.Params {
		for i, s := range p.Node.Shape() {
			if s == d {
				return f.File.Errorf(fault.Undetermined, p.Span, "the size of axis %d of %s, %s, is not known", i, p.Name, d).
					Helpf("give values or sizes: dims or sizes in a request, -d or --size on the command line")
			}
		}
	}
	return fault.New(fault.Undetermined, "the size %s is not known", d).
		Helpf("give it: sizes in a request, --size on the command line")
}

// Volume is the number of entries of a shape, the largest number where there are more.
func Volume[T int | int64](shape []T) T {
	n := T(1)
	for _, d := range shape {
		if d != 0 && n > math.MaxInt/d {
			return math.MaxInt
		}
		n *= d
	}
	return n
}

func MissingValue(file *syntax.File, name string, span syntax.Span) *fault.Error {
	return fault.At(file, span, fault.MissingValue, "%s has no value", name).
		Helpf("give it: values in a request, -d %s=FILE on the command line", name)
}

// ErrorAt makes an error at a place of the program's text.
func (f *Program) ErrorAt(span syntax.Span, code syntax.Code, format string, args ...any) *fault.Error {
	return fault.At(f.File, span, code, format, args...)
}

// Operations lists those that the program names.
func (f *Program) Operations() []Operation {
	var ops []Operation
	for _, r := range f.Requests {
		if slices.Contains(OperationKinds(), r.Kind) {
			ops = append(ops, Operation{Kind: r.Kind, Wrt: r.Wrt[0], Along: r.Along, Through: r.Via})
		}
	}
	return ops
}

// InIndexNotation reports whether all expressions of a program are definitions in index
// notation: their arguments need no declaration, and derivatives are written alike.
func InIndexNotation(file *syntax.File) bool {
	return !slices.ContainsFunc(file.Stmts, func(s syntax.Stmt) bool { return s.Kind == syntax.Expression && s.Index == nil })
}

// checkLanguage refuses a program that is not in the language that a request names.
func (t *Source) checkLanguage(name string) error {
	index := InIndexNotation(t.File)
	for _, s := range t.File.Stmts {
		switch {
		case s.Kind != syntax.Expression || name == "auto" || name == "":
		case name == "index" && !index:
			return t.File.Errorf("S002", s.Span, "an expression of the Einstein language stands in a request for index notation").
				Helpf("a definition is written f[i] = ..., or ask for language auto")
		case name == "einstein" && s.Index != nil:
			return t.File.Errorf("S002", s.Span, "a definition in index notation stands in a request for the Einstein language").
				Helpf("ask for language index or auto")
		}
	}
	return nil
}

// OutputName is the name of an expression; those of several that have none are numbered. It is "" for
// one alone.
func (f *Program) OutputName(i int) string {
	name := f.Outputs[i].Name
	for n := i + 1; name == "" && len(f.Outputs) > 1; n += len(f.Outputs) {
		if free := fmt.Sprintf("f%d", n); !f.Names()[free] {
			name = free
		}
	}
	return name
}

// Order is the order of a variable, as it is declared or assumed.
func (t *Source) Order(name string) (int, bool) {
	if order, assumed := t.assumed[name]; assumed {
		return order, true
	}
	for _, s := range t.File.Stmts {
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

// Wrt lists the variables that the program asks to differentiate by.
func (f *Program) Wrt() []string {
	var out []string
	seen := map[string]bool{}
	for _, r := range f.Requests {
		if slices.Contains(OperationKinds(), r.Kind) {
			continue
		}
		for _, name := range r.Wrt {
			if !seen[name] {
				out, seen[name] = append(out, name), true
			}
		}
	}
	return out
}

// Order is the order of the derivative that the program asks for, 0 if it asks for none.
func (f *Program) Order() int {
	order := 0
	for _, r := range f.Requests {
		if !slices.Contains(OperationKinds(), r.Kind) {
			order = max(order, r.Order)
		}
	}
	return order
}
