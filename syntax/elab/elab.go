package elab

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/words"
	"frechet/syntax"
	"frechet/syntax/index"
	indexelab "frechet/syntax/index/elab"
)

// Options say what is known beyond the program's text. If Dims or Sizes is not nil,
// numbers are asked for: the sizes of all that occurs in an expression or a request
// must then follow from them and the program.
type Options struct {
	Dims   map[string][]int64 // sizes by variable
	Sizes  map[string]int64   // numbers of size symbols
	Limits syntax.Limits
	Nodes  int // limit of nodes in the store; 0 is DefaultNodes
	// Maps reads the definitions of maps; nil refuses them.
	Maps MapReader
	// Read has the definitions that were read, by their places, for all elaborations of one file.
	Read *sync.Map
	// Assume has the orders of names that are used and not declared: where it is not nil, these are
	// variables, or sizes where it is SizeName, and a name that it does not have is a variable of order 1.
	Assume map[string]int
	// Directions are operations that are asked for beside the program's: a direction gets
	// the sizes of its variable, as if the program named both.
	Directions []*syntax.DerivativeRequest
}

// SizeName stands in Options.Assume for a name that is a size.
const SizeName = -1

// DefaultNodes bounds the store of a program where Options.Nodes is 0.
const DefaultNodes = 20_000_000

// Program is a program in typed terms.
type Program struct {
	File     *syntax.File
	Store    *combinators.Store
	Params   []Param  // the declared variables, in order, occurring or not
	Outputs  []Output // the expressions, in order
	Requests []Request
	Symbols  []Symbol // the size symbols of the shapes, in order of first use
	// Assumptions are claims of index notation that size symbols leave open; they are
	// decided when the program is elaborated with numbers.
	Assumptions []indexelab.Assumption
	// Warnings are places that may mean something else than they say.
	Warnings []*syntax.Error
	// Unusual counts what speaks against Options.Assume: uses of numbers and vectors that have a type and
	// are seldom meant.
	Unusual int
	// Directions are those of operations that nothing declares: they have the axes that are needed.
	Directions []string

	// Uses are the uses of functions of the program that an expression reaches, but for those in other functions.
	Uses []Use

	lets map[string]*combinators.Node
}

// Use is a use of a function of the program, f(x, A), and its value.
type Use struct {
	Call *syntax.Expr
	Node *combinators.Node
}

// Let is the node of a let that an expression reaches, nil where there is none.
func (p *Program) Let(name string) *combinators.Node { return p.lets[name] }

// Param is a declared variable.
type Param struct {
	Name string
	Node *combinators.Node
	Span syntax.Span
}

// Output is an expression; Name is empty where the program gives none.
type Output struct {
	Name string
	Node *combinators.Node
	Span syntax.Span
}

// Request is a derivative that the program asks for, of every output.
type Request struct {
	Kind  string // derivative, gradient, hessian, jvp, vjp, hvp
	Wrt   []string
	Order int
	Along string // jvp, vjp, hvp
	Via   string // gauss-newton
	Span  syntax.Span
}

// Symbol is a size symbol: declared, or fresh for a size that the program leaves
// open. Span is its first declaration, or what has the open size. A symbol that is
// on no variable's shape is determined by no data.
type Symbol struct {
	Name       string
	Declared   bool
	Determined bool
	Span       syntax.Span
}

// Elaborate types and builds a program. Errors are *[syntax.Error]: the first one in
// the program's order.
func Elaborate(f *syntax.File, opt Options) (p *Program, err error) {
	e := &elaborator{
		file:    f,
		opt:     opt,
		limits:  opt.Limits.WithDefaults(),
		numeric: opt.Dims != nil || opt.Sizes != nil,
		names:   map[string]*entry{},
		store:   combinators.NewStore(),
	}
	e.store.MaxNodes = opt.Nodes
	if opt.Nodes == 0 {
		e.store.MaxNodes = DefaultNodes
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case bailout:
			p, err = nil, r.err
		case *combinators.LimitError:
			p, err = nil, LimitError(r)
		default:
			panic(r)
		}
	}()
	return e.program(), nil
}

// LimitError is the error of a program for a term that would grow too large.
func LimitError(e *combinators.LimitError) *syntax.Error {
	switch {
	case e.What == combinators.LimitNodes:
		return syntax.NewError("L006", "%s", e.Error()).Helpf("raise the limit on nodes")
	case strings.Contains(e.What, "visits"): // of a certificate
		return syntax.NewError("L006", "%s", e.Error())
	case strings.Contains(e.What, "size"):
		return syntax.NewError("L010", "%s", e.Error()).Helpf("give the sizes as numbers")
	}
	return syntax.NewError("L003", "%s", e.Error())
}

// bailout carries the first error up to Elaborate.
type bailout struct{ err *syntax.Error }

type elaborator struct {
	file    *syntax.File
	opt     Options
	limits  syntax.Limits
	numeric bool
	names   map[string]*entry
	store   *combinators.Store
	params  []*entry
	bodies  []*body // lets and expressions, in order
	current *body
	axes    []*axis // every class that was ever made, by number
	defs    map[*syntax.Stmt]*index.Definition
	// arguments of definitions in index notation need no declaration
	implicit bool
	assumed  []indexelab.Assumption
	warnings []*syntax.Error
	unusual  int // see Program.Unusual

	directions []string    // see Program.Directions
	uses       int         // of functions of the program, in all
	calls      []*value    // the uses that stand in no function
	depth      int         // of uses within uses
	loops      int         // the recurrences around what is typed
	scanned    int         // how many there are, with what they read
	pi         syntax.Span // where the number pi stands, if it does
}

// fail ends elaboration with an error.
func (e *elaborator) fail(err *syntax.Error) { panic(bailout{err}) }

func (e *elaborator) errorf(code syntax.Code, span syntax.Span, format string, args ...any) *syntax.Error {
	return e.file.Errorf(code, span, format, args...)
}

// entryKind says what a name stands for.
type entryKind uint8

const (
	variable entryKind = iota
	sizeSymbol
	definition // let, or a named expression
	mapping    // map
	function   // let f(x)
	parameter  // of a function, while a use of it is typed
	counter    // of a recurrence, while its step is typed
)

func (k entryKind) String() string {
	return [...]string{"a variable", "a size symbol", "defined", "a map", "a function", "a parameter", "the number of a step"}[k]
}

type entry struct {
	kind entryKind
	name string
	span syntax.Span
	axes []*axis // variable: its axes; size symbol: its class
	decl *syntax.Declaration
	val  *value
	body *body // where a definition is made, or a variable was seen last
	node *combinators.Node
	used bool // a variable that occurs in what is built, or in a request
	of   *mapEntry
	stmt *syntax.Stmt // of a function
	open bool         // a use of the function is being typed
	loop *loop        // of a counter
}

// body is the right side of a let or an expression. uses are the bodies and vars the
// variables that it names: what no expression reaches is typed, but never built.
type body struct {
	stmt  *syntax.Stmt
	val   *value
	uses  []*body
	vars  []*entry
	used  bool
	fresh []*axis // classes of sizes that it leaves to be found
	def   *entry  // of a map
}

// define adds a name; what it is already must not be anything else.
func (e *elaborator) define(id syntax.Ident, kind entryKind) *entry {
	if e.file.Functions.Declared(id.Name) != nil {
		e.fail(e.errorf("N001", id.Span, "%s is a declared function, so it cannot also be %s", id.Name, kind))
	}
	if old, ok := e.names[id.Name]; ok {
		what := old.kind.String()
		err := e.errorf("N001", id.Span, "%s is already %s", id.Name, what)
		if kind == sizeSymbol || old.kind == sizeSymbol {
			err.Message = fmt.Sprintf("%s is %s, so it cannot also be %s", id.Name, what, kind)
		}
		e.fail(err.Note(old.span, "%s is %s here", id.Name, what).Helpf("choose another name, such as %s1", id.Name))
	}
	if id.Name == syntax.Pi && e.pi != (syntax.Span{}) {
		e.fail(e.errorf("N001", id.Span, "pi is the number, so it cannot also be %s", kind).Note(e.pi, "pi stands for the number here").
			Helpf("define the name before it is used, or choose another one"))
	}
	n := &entry{kind: kind, name: id.Name, span: id.Span}
	e.names[id.Name] = n
	return n
}

func (e *elaborator) program() *Program {
	p := &Program{File: e.file, Store: e.store, lets: map[string]*combinators.Node{}}
	e.readDefinitions()
	for i := range e.file.Stmts {
		s := &e.file.Stmts[i]
		switch s.Kind {
		case syntax.Declare:
			for j := range s.Declares {
				e.declare(&s.Declares[j])
			}
		case syntax.Let, syntax.Expression:
			b := &body{stmt: s}
			e.bodies = append(e.bodies, b)
			e.current = b
			if s.Index != nil {
				b.val = e.definition(s)
			} else {
				b.val = e.expr(s.Expr)
			}
			if s.Name.Name != "" {
				n := e.define(s.Name, definition)
				n.val, n.body = b.val, b
			}
		case syntax.LetFunction:
			e.functionStatement(s)
		case syntax.Map:
			e.mapStatement(s)
		case syntax.Primitive:
			if e.file.Functions.Declared(s.Name.Name) == nil {
				e.fail(e.errorf("P001", s.Span, "functions are not declared here"))
			}
		case syntax.Request:
			p.Requests = append(p.Requests, e.request(s.Request))
		}
	}
	for i := range e.file.Stmts {
		if r := e.file.Stmts[i].Request; r != nil && r.Operation() {
			e.direction(r)
		}
	}
	for _, r := range e.opt.Directions {
		e.declareDirection(r)
		if e.declared(r) {
			e.direction(r)
		}
	}
	e.checkGiven()
	e.markUsed()
	p.Symbols = e.settle()
	e.build(p)
	p.Assumptions, p.Warnings, p.Unusual, p.Directions = e.assumed, e.warnings, e.unusual, e.directions
	return p
}

// request checks that the variables of a request are declared.
func (e *elaborator) request(r *syntax.DerivativeRequest) Request {
	out := Request{Kind: r.Kind, Order: r.Order, Along: r.Along.Name, Via: r.Via.Name, Span: r.Span}
	ids := r.Wrt
	for _, w := range r.Wrt {
		out.Wrt = append(out.Wrt, w.Name)
	}
	if r.Along.Name != "" {
		ids = append(slices.Clone(ids), r.Along)
	}
	seen := map[string]bool{}
	for i, id := range ids {
		if i < len(r.Wrt) && seen[id.Name] {
			e.fail(e.errorf("S011", id.Span, "%s is named twice in this request", id.Name))
		}
		seen[id.Name] = true
		n, ok := e.names[id.Name]
		if ok && n.kind == variable {
			n.used = true
			continue
		}
		err := e.errorf("N003", id.Span, "%s is not declared", id.Name)
		if ok {
			err.Message = fmt.Sprintf("%s is %s, not a declared variable", id.Name, n.kind)
			err.Note(n.span, "%s is %s here", id.Name, n.kind)
		}
		e.fail(err.Helpf("%s", e.suggest(id.Name, e.variableNames())))
	}
	return out
}

func (e *elaborator) variableNames() (names []string) {
	names = lists.Append(names, e.params, func(p *entry) string { return p.name })
	return names
}

// product writes a name that is several others side by side as their product: Ax as A*x.
func product(name string, names []string) string {
	var factors []string
	for rest := name; rest != ""; {
		longest := ""
		for _, n := range names {
			if strings.HasPrefix(rest, n) && len(n) > len(longest) {
				longest = n
			}
		}
		if longest == "" {
			return ""
		}
		factors, rest = append(factors, longest), rest[len(longest):]
	}
	if len(factors) < 2 {
		return ""
	}
	return strings.Join(factors, "*")
}

// suggest proposes a name of similar spelling, or shows all where there are few.
func (e *elaborator) suggest(name string, names []string) string {
	if p := product(name, names); p != "" {
		return "products are written out: " + p
	}
	if n := words.Nearest(name, names); n != "" {
		return "did you mean " + n + "?"
	}
	switch {
	case len(names) == 0:
		return "nothing is declared; write declare " + name + " 1 before the expression"
	case len(names) <= 8:
		return fmt.Sprintf("declared are %s", list(names))
	}
	return ""
}

func list(names []string) string {
	out := names[0]
	for i, n := range names[1:] {
		if i == len(names)-2 {
			out += " and " + n
		} else {
			out += ", " + n
		}
	}
	return out
}

// markUsed finds the bodies that expressions reach; a body names earlier ones only.
func (e *elaborator) markUsed() {
	for i := len(e.bodies) - 1; i >= 0; i-- {
		b := e.bodies[i]
		if b.used = b.used || b.stmt.Kind == syntax.Expression || b.stmt.Kind == syntax.Map && !e.numeric; b.used {
			for _, u := range b.uses {
				u.used = true
			}
			for _, v := range b.vars {
				v.used = true
			}
		}
	}
}

// build makes the nodes: variables first, then every body in order, so that a body
// finds those that it names already built.
func (e *elaborator) build(p *Program) {
	for _, n := range e.params {
		n.node = e.store.Member(n.name, e.shape(n.axes), e.attributes(n))
		p.Params = append(p.Params, Param{n.name, n.node, n.span})
	}
	for _, b := range e.bodies {
		if !b.used {
			continue
		}
		if b.def != nil {
			e.buildMap(b.def)
			continue
		}
		node := b.val.get()
		if b.stmt.Kind == syntax.Let {
			p.lets[b.stmt.Name.Name] = node
		}
		if b.stmt.Kind == syntax.Expression {
			p.Outputs = append(p.Outputs, Output{b.stmt.Name.Name, node, b.val.expr.Span})
		}
	}
	for _, v := range e.calls {
		if v.built != nil {
			p.Uses = append(p.Uses, Use{v.expr, v.built})
		}
	}
}

func (e *elaborator) shape(axes []*axis) []size.Size {
	return lists.Map(axes, e.size)
}

// checkGiven refuses sizes for names that the program does not have.
func (e *elaborator) checkGiven() {
	e.checkNames(slices.Sorted(maps.Keys(e.opt.Dims)), "variable", func(k entryKind) bool { return k == variable || k == definition })
	e.checkNames(slices.Sorted(maps.Keys(e.opt.Sizes)), "size symbol", func(k entryKind) bool { return k == sizeSymbol })
}

func (e *elaborator) checkNames(given []string, what string, is func(entryKind) bool) {
	for _, name := range given {
		if n, ok := e.names[name]; ok && is(n.kind) {
			continue
		}
		err := syntax.NewError("T017", "a size is given for %s, which is no %s of the program", name, what)
		var known []string
		for _, n := range e.names {
			if is(n.kind) {
				known = append(known, n.name)
			}
		}
		slices.Sort(known)
		if n := words.Nearest(name, known); n != "" {
			err.Helpf("did you mean %s?", n)
		}
		e.fail(err)
	}
}
