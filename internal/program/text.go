package program

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/export/latex"
	"frechet/internal/protocol"
	"frechet/rewrite/normal"
	"frechet/syntax"
	"frechet/syntax/elab"
	"frechet/syntax/unparse"
)

// Print prints values: one expression, or let lines and an `expression ...` for each, with the names that there are.
func (f *Program) Print(format string, names []string, ns ...*combinators.Node) (string, error) {
	notation := unparse.Auto
	switch format {
	case "text":
	case "einstein", "thesis":
		notation = unparse.Einstein
	case "matrix":
		notation = unparse.Matrix
	default:
		return "", fmt.Errorf("unknown format %q; known are %s", format, strings.Join(protocol.Formats, ", "))
	}
	stmts, err := f.statements(ns, unparse.Options{Notation: notation, Names: names})
	if err != nil {
		return "", err
	}
	if format == "thesis" {
		for i := range stmts {
			stmts[i].Expr = syntax.BinaryProducts(stmts[i].Expr)
		}
	}
	if len(stmts) == 1 && stmts[0].Name.Name == "" {
		return syntax.Print(stmts[0].Expr), nil
	}
	return strings.TrimRight(syntax.PrintFile(&syntax.File{Stmts: stmts}), "\n"), nil
}

// Equations are the LaTeX of values, with the left sides by the names that there are.
func (f *Program) Equations(lefts map[string]string, names []string, ns ...*combinators.Node) (string, error) {
	stmts, err := f.statements(ns, unparse.Options{Explicit: true, Names: names})
	if err != nil {
		return "", err
	}
	return LaTeX(lefts, stmts, ns...)
}

// Taken are the names of the program, and others that a printed text must not use for its lets.
func (f *Program) Taken(more []string) map[string]bool {
	if len(more) == 0 {
		return f.Names()
	}
	taken := maps.Clone(f.Names())
	for _, name := range more {
		taken[name] = true
	}
	return taken
}

// statements are values as the options say, with the lets of the program whose values stand in them.
func (f *Program) statements(ns []*combinators.Node, o unparse.Options) ([]syntax.Stmt, error) {
	o.Taken, o.Open, o.Known = f.Taken(o.Names), f.Unwritten(), f.KnownSizes()
	stmts, err := unparse.Program(combinators.Arrange(ns...), o)
	if err != nil {
		return nil, err
	}
	lets := f.lets(o)
	if uses := f.uses(o); uses != nil {
		again, err := unparse.Program(combinators.Arrange(ns...), o)
		if err != nil {
			return nil, err
		}
		again = syntax.Named(again, append(uses, lets...))
		if stmts = syntax.Named(stmts, lets); length(again) < length(stmts) {
			stmts = again
		}
		return stmts, nil
	}
	return syntax.Named(stmts, lets), nil
}

func length(stmts []syntax.Stmt) int { return len(syntax.PrintFile(&syntax.File{Stmts: stmts})) }

// uses are the values of uses of functions of the program in normal form, where their arguments and bodies can be written: they
// name variables and sizes alone, and lets in the arguments, which are written out.
func (f *Program) uses(o unparse.Options) (parts []syntax.Part) {
	if len(f.Uses) > mostLets || o.Explicit || o.Notation == unparse.Einstein {
		return nil
	}
	lets, functions := map[string]*syntax.Expr{}, map[string]syntax.Stmt{}
	for _, s := range f.File.Stmts {
		switch {
		case s.Kind == syntax.Let && s.Expr != nil:
			lets[s.Name.Name] = s.Expr
		case s.Kind == syntax.LetFunction:
			functions[s.Name.Name] = s
		}
	}
	names := f.Names()
	known := func(x *syntax.Expr, params []syntax.Ident) bool {
		ok := true
		syntax.Each(x, func(x *syntax.Expr) {
			switch isLet := lets[x.Name] != nil; x.Op {
			case syntax.OpName:
				ok = ok && (slices.ContainsFunc(params, func(p syntax.Ident) bool { return p.Name == x.Name }) || names[x.Name] && !isLet && functions[x.Name].Expr == nil)
			case syntax.OpCall:
				_, built := syntax.LookupFunction(x.Name)
				ok = ok && built
			}
		})
		return ok
	}
	for _, u := range f.Uses {
		s := functions[u.Call.Name]
		call := syntax.Replaced(u.Call, lets)
		if !known(s.Expr, s.Params) || slices.ContainsFunc(call.Args, func(a *syntax.Expr) bool { return !known(a, nil) }) {
			continue
		}
		if x := f.written(u.Node, o); x != nil {
			parts = append(parts, syntax.Part{Stmt: s, Value: x, As: call})
		}
	}
	return parts
}

// written is the normal form of a value, where it is one expression and more than a name.
func (f *Program) written(n *combinators.Node, o unparse.Options) *syntax.Expr {
	stmts, err := unparse.Program(combinators.Arrange(normal.Simplify(n)[0]), o)
	if err != nil || len(stmts) != 1 {
		return nil
	}
	if x := stmts[0].Expr; x.Op != syntax.OpName && x.Op != syntax.OpNum && (x.Op != syntax.OpTranspose || x.Args[0].Op != syntax.OpName) {
		return x
	}
	return nil
}

// mostLets is how many lets a program has whose names are looked for in results.
const mostLets = 50

// lets are the values of the lets of the program in normal form, where these are one expression and more than a name.
func (f *Program) lets(o unparse.Options) (lets []syntax.Part) {
	if len(f.File.Stmts) > mostLets {
		return nil
	}
	for _, s := range f.File.Stmts {
		if s.Kind != syntax.Let || s.Params != nil || s.Name.Name == "" {
			continue
		}
		n := f.Let(s.Name.Name)
		if n == nil {
			continue
		}
		if x := f.written(n, o); x != nil {
			s := syntax.Stmt{Kind: syntax.Let, Name: syntax.Ident{Name: s.Name.Name}, Expr: x}
			lets = append(lets, syntax.Part{Stmt: s, Value: x, As: syntax.Name(s.Name.Name)})
		}
	}
	return lets
}

// ClosedEquation is the LaTeX of a value in the notation of combinators, which has every value.
func (f *Program) ClosedEquation(left string, n *combinators.Node) string {
	s := latex.Closed(text.Value(combinators.Arrange(n)[0]))
	if left != "" {
		s = left + " = " + s
	}
	return s
}

// Definition is values in combinator notation, as a definition with its type; several are a pairing:
//
//	f(A, x) : R[m,n] x R[n] -> R[m] = *(ij,j->i)
func (f *Program) Definition(name string, ns ...*combinators.Node) string {
	var params []string
	var vars []*combinators.Node
	given := f.DefinitionParams(ns...)
	ns = combinators.Arrange(ns...)
	s := ns[0].Store()
	for _, p := range given {
		params, vars = append(params, p.Name()), append(vars, s.Member(p.Name(), p.Shape(), p.Attributes()))
	}
	m := combinators.Readback(&combinators.Block{Store: s, Params: vars, Outs: ns})
	body := OnLines(text.Printer{Lines: true}.Print(f.ClosedTerm(m)))
	if len(params) == 0 && len(ns) == 1 {
		// a value, not a map
		return fmt.Sprintf("%s : %s = %s", name, m.Cod(), text.Printer{}.Print(text.Value(ns[0])))
	}
	return fmt.Sprintf("%s(%s) : %s =%s", name, strings.Join(params, ", "), text.Signature(m), body)
}

// OnLines puts a blank before a term, or begins a new line where it has several.
func OnLines(term string) string {
	if strings.Contains(term, "\n") {
		return "\n" + term
	}
	return " " + term
}

// DefinitionParams are closedParams, and a variable for each size symbol of the values that no type would show
// otherwise: it could not be read.
func (f *Program) DefinitionParams(ns ...*combinators.Node) []*combinators.Node {
	params := f.closedParams(ns...)
	shown := map[string]bool{}
	show := func(d []size.Size) {
		for _, d := range d {
			for _, s := range d.Symbols() {
				shown[s] = true
			}
		}
	}
	for _, n := range ns {
		show(n.Shape())
	}
	for _, p := range params {
		show(p.Shape())
	}
	taken := params
	for _, m := range combinators.Topo(ns...) {
		sizes := m.Shape()
		if c := m.Ein(); c != nil {
			sizes = c.Vars
		}
		for _, d := range sizes {
			for _, s := range d.Symbols() {
				if shown[s] {
					continue
				}
				has := func(d size.Size) bool { return slices.Contains(d.Symbols(), s) }
				for _, p := range f.Params {
					if !shown[s] && slices.ContainsFunc(p.Node.Shape(), has) {
						taken = append(taken[:len(taken):len(taken)], p.Node)
						show(p.Node.Shape())
					}
				}
			}
		}
	}
	if len(taken) == len(params) {
		return params
	}
	var all []*combinators.Node // in the order of the program
	for _, p := range f.Params {
		if slices.Contains(taken, p.Node) {
			all = append(all, p.Node)
		}
	}
	return all
}

// closedParams are the variables that occur in values, or all where none does.
func (f *Program) closedParams(ns ...*combinators.Node) []*combinators.Node {
	used := map[*combinators.Node]bool{}
	for _, m := range combinators.Topo(ns...) {
		used[m] = true
	}
	var all, occurring []*combinators.Node
	for _, p := range f.RealParams() {
		all = append(all, p.Node)
		if used[p.Node] {
			occurring = append(occurring, p.Node)
		}
	}
	if occurring == nil {
		return all
	}
	return occurring
}

// LaTeX writes statements over the variables of values; one expression alone comes without an
// environment around it. lefts are left sides by the names of expressions.
func LaTeX(lefts map[string]string, stmts []syntax.Stmt, values ...*combinators.Node) (string, error) {
	orders := map[string]int{}
	var functions *atom.Scope
	for _, n := range combinators.Topo(values...) {
		if n.Is(atom.Var) {
			orders[n.Name()] = n.Order()
		}
		if of := n.Atom().Scope(); of != nil {
			functions = of.Widest(functions)
		}
	}
	return latex.Program(lefts, stmts, orders, functions)
}

// Open are the size symbols that stand for sizes which the program leaves open.
func (f *Program) Open() []string {
	var open []string
	for _, s := range f.Symbols {
		if !s.Declared {
			open = append(open, s.Name)
		}
	}
	return open
}

// Unwritten are the size symbols that stand neither in the program nor in the declaration that it does without.
func (f *Program) Unwritten() []string {
	open := f.Open()
	if len(open) == 0 || f.Assumed() == "" {
		return open
	}
	return slices.DeleteFunc(open, func(name string) bool {
		return slices.ContainsFunc(f.Params, func(p elab.Param) bool {
			return slices.ContainsFunc(p.Node.Shape(), func(d size.Size) bool { return slices.Contains(d.Symbols(), name) })
		})
	})
}

// Names are the names that a printed term must not use for its lets. They are found once.
func (f *Program) Names() map[string]bool {
	f.once.Do(func() {
		f.names = map[string]bool{}
		for _, name := range f.allNames() {
			f.names[name] = true
		}
	})
	return f.names
}

func (f *Program) allNames() (names []string) {
	for _, p := range f.Params {
		names = append(names, p.Name)
		for _, d := range p.Node.Shape() {
			names = append(names, d.Symbols()...)
		}
	}
	for _, s := range f.File.Stmts { // a let of the program has its name in results, for the same value, and nothing else has
		if s.Name.Name != "" {
			names = append(names, s.Name.Name)
		}
		for _, p := range s.Params {
			names = append(names, p.Name)
		}
		for _, d := range s.Declares {
			for _, x := range d.Sizes {
				names = appendNames(names, x)
			}
		}
	}
	return names
}

// appendNames adds the names in a size: the symbols of a program, whatever numbers they have.
func appendNames(names []string, x *syntax.Expr) []string {
	if x == nil { // of a map's parameter, whose sizes stand in its type
		return names
	}
	if x.Op == syntax.OpName {
		names = append(names, x.Name)
	}
	for _, a := range x.Args {
		names = appendNames(names, a)
	}
	for _, s := range x.Steps {
		names = appendNames(names, s.Arg)
	}
	return names
}

// SizeTexts are the sizes of a node's axes as texts.
func SizeTexts(n *combinators.Node) []string {
	out := make([]string, n.Order())
	for i, d := range n.Shape() {
		out[i] = d.String()
	}
	return out
}

// KnownSizes are at least 0 wherever the program has a value: what its subscripts claim of sizes.
func (f *Program) KnownSizes() (known []size.Size) {
	for _, a := range f.Assumptions {
		if a.Least != (size.Size{}) {
			known = append(known, a.Least)
		}
	}
	return known
}
