// Package code prints a function, with the derivatives that are asked for, as a program of another system: NumPy,
// PyTorch, JAX, Julia, C, Go. One function returns all results and computes what they share once. What is printed is the list
// of instructions of eval/plan, so contractions stand in planned order; sizes stay symbols and are found when the
// printed function runs, from the shapes of its arguments where the language has these.
package code

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/eval/plan"
)

// A Function is what is printed.
type Function struct {
	Name    string
	Title   string              // a line that says what it computes
	Source  string              // the program that it was made from
	Params  []*combinators.Node // the arguments, which are variables
	Results []Result
	Notes   []string // lines of the documentation: conventions, what sizes must satisfy
	// Sizes has the numbers of size symbols as far as they are known: the order of contractions is chosen by them, and
	// what is printed holds for all.
	Sizes map[string]int64
}

// A Result is a value that the function returns.
type Result struct {
	Name  string
	Doc   string // what it is, with its axes
	Node  *combinators.Node
	Check Check
}

// A Check says of which other result, and how, a result is the derivative. The zero value says that it is not
// compared with differences.
type Check struct {
	Kind string // derivative, jvp, vjp, hvp
	Of   string // the name of the result that is differentiated
	Wrt  string // the variable
	With string // jvp, vjp, hvp: the variable that is the direction or cotangent
}

// A Refusal says that a target has no words for something.
type Refusal struct{ Target, What, Help string }

func (e *Refusal) Error() string {
	return fmt.Sprintf("the target %s cannot state %s", e.Target, e.What)
}

// A Target is a system that functions are printed for.
type Target struct {
	Name    string
	Doc     string
	write   func(*writer) error
	general bool // has arrays of whole numbers, recurrences and implicit functions
}

// Targets lists the targets.
func Targets() []Target { return slices.Clone(targets) }

var targets = []Target{
	{"numpy", "Python with NumPy", numpy.write, true},
	{"torch", "Python with PyTorch", torch.write, true},
	{"jax", "Python with JAX", jax.write, true},
	{"dask", "Python with Dask", dask.write, false},
	{"julia", "Julia", inJulia.write, false},
	{"c", "C99, one file without dependencies", inC.write, false},
	{"go", "Go with gonum", inGo.write, false},
	{"octave", "Octave and MATLAB", inOctave.write, false},
	{"sql", "SQL over tables in coordinate form", writeSQL, false},
}

// Names are the names of the targets.
func Names() []string {
	var names []string
	for _, t := range targets {
		names = append(names, t.Name)
	}
	return names
}

// Print prints f for the target of the given name. The error is a *Refusal where the target cannot state f.
func Print(target string, f *Function) (string, error) {
	at := slices.IndexFunc(targets, func(t Target) bool { return t.Name == target })
	if at < 0 {
		return "", fmt.Errorf("unknown target %q; known are %s", target, strings.Join(Names(), ", "))
	}
	nodes := make([]*combinators.Node, len(f.Results))
	for i, r := range f.Results {
		nodes[i] = r.Node
	}
	what := ""
	if k := slices.IndexFunc(f.Params, isIndex); k >= 0 {
		what = "the array of whole numbers " + f.Params[k].Name()
	} else {
		what = combinators.Bodied(nodes...)
	}
	if what != "" && !targets[at].general {
		return "", &Refusal{target, what, "the targets numpy, torch and jax state it"}
	}
	w := &writer{Function: f, target: target, poles: map[int]int8{}}
	var err error
	if w.list, w.outputs, err = plan.Instructions(nodes, f.Sizes); err != nil {
		return "", err
	}
	w.bind()
	if err := targets[at].write(w); err != nil {
		return "", err
	}
	return w.String(), nil
}

// A writer prints one function for one target.
type writer struct {
	*Function
	strings.Builder
	target  string
	list    []plan.Instruction
	outputs []int
	symbols []symbol
	names   map[string]string // of variables, size symbols and results in the target's language
	taken   map[string]bool
	real    string       // how a size # is made a floating-point number
	poles   map[int]int8 // see infinite
}

// A symbol is a size symbol, and where its number comes from.
type symbol struct {
	name   string
	param  int // the parameter whose axis gives it; -1 for none: it is an argument of its own
	axis   int
	less   size.Size // what is taken off the size of the axis
	factor size.Size // by which that is then divided
}

// bind finds where the numbers of size symbols come from: an axis that is the symbol alone, else one in which the symbol
// has a factor that is known, and the rest is known.
func (w *writer) bind() {
	known := map[string]bool{}
	give := func(s symbol) {
		if !known[s.name] {
			known[s.name] = true
			w.symbols = append(w.symbols, s)
		}
	}
	for i, p := range w.Params {
		for k, d := range shapeOf(p) {
			if s, ok := d.Symbol(); ok {
				give(symbol{s, i, k, size.Size{}, size.Const(1)})
			}
		}
	}
	for range w.Params { // an axis in which one symbol is not known yet, with a number as its factor
		for i, p := range w.Params {
			for k, d := range shapeOf(p) {
				open := slices.DeleteFunc(slices.Clone(d.Symbols()), func(s string) bool { return known[s] })
				if len(open) != 1 {
					continue
				}
				if factor, rest, ok := d.Linear(open[0]); ok {
					give(symbol{open[0], i, k, rest, factor})
				}
			}
		}
	}
	for _, d := range w.sizes() {
		for _, s := range d.Symbols() {
			give(symbol{s, -1, 0, size.Size{}, size.Size{}})
		}
	}
}

// sizes lists the sizes that occur.
func (w *writer) sizes() []size.Size {
	var all []size.Size
	for _, p := range w.Params {
		all = append(all, p.Shape()...)
	}
	for _, i := range w.list {
		all = append(append(append(all, i.Shape...), i.Dims...), i.Count)
		if i.Kind == plan.DoApply && i.Node.Body() != nil {
			for _, n := range combinators.Topo(plan.Parts(i.Node.Body())...) {
				all = append(all, n.Shape()...)
			}
		}
		if c := i.Contraction; c != nil {
			all = append(all, c.Vars...)
			for _, a := range slices.Concat(c.Eq, c.Ge, c.Out.Index) {
				all = append(all, a.Off)
			}
			for _, acc := range c.In {
				for _, a := range acc.Index {
					all = append(all, a.Off)
				}
			}
		}
	}
	return all
}

// differences lists the sizes of axes that may be negative, where symbols are too small: n-k+1.
func (w *writer) differences() []size.Size {
	var found []size.Size
	for _, i := range w.list {
		for _, d := range i.Shape {
			for _, m := range d.Monomials() {
				if m.Coef.Sign() < 0 && !slices.Contains(found, d) {
					found = append(found, d)
				}
			}
		}
	}
	return found
}

// noDefinition is the help where a function has no spelling.
const noDefinition = "it has no such function, and a function that a program declares has no definition that could be printed"

func (w *writer) refuse(what, help string) error { return &Refusal{w.target, what, help} }

// line writes a line.
func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.Builder, format+"\n", args...) }

// temporary matches the names of values, loop variables and numbers in what is printed.
var temporary = regexp.MustCompile(`^(s|[tikz][0-9]+)$`)

// name makes an identifier of a program's name that is not among the reserved ones or taken.
func (w *writer) name(name string, reserved []string) string {
	id := strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, name)
	for slices.Contains(reserved, id) || w.taken[id] || temporary.MatchString(id) {
		id += "_"
	}
	w.taken[id] = true
	return id
}

// declare chooses the names of all that the function names: its parameters and size symbols, itself, its results.
func (w *writer) declare(reserved []string) {
	w.names, w.taken = map[string]string{}, map[string]bool{}
	for _, p := range w.Params {
		w.names[p.Name()] = w.name(p.Name(), reserved)
	}
	for _, s := range w.symbols {
		w.names["size "+s.name] = w.name(s.name, reserved)
	}
	w.Name = w.name(w.Name, reserved)
	for _, r := range w.Results {
		w.names["result "+r.Name] = w.name(r.Name, reserved)
	}
}

// size is a size as an expression.
func (w *writer) size(d size.Size) string {
	var b strings.Builder
	for i, m := range d.Monomials() {
		c := m.Coef
		switch {
		case c.Sign() < 0 && i == 0:
			b.WriteString("-")
		case c.Sign() < 0:
			b.WriteString(" - ")
		case i > 0:
			b.WriteString(" + ")
		}
		text := strings.TrimPrefix(c.String(), "-")
		var parts []string
		if text != "1" || len(m.Symbols) == 0 {
			parts = append(parts, text)
		}
		for _, s := range m.Symbols {
			parts = append(parts, w.names["size "+s])
		}
		b.WriteString(strings.Join(parts, "*"))
	}
	if b.Len() == 0 {
		return "0"
	}
	return b.String()
}

// factor is a size as a factor of a product.
func (w *writer) factor(d size.Size) string {
	if len(d.Monomials()) > 1 {
		return "(" + w.size(d) + ")"
	}
	return w.size(d)
}

// empty are the sizes one of which makes the value of instruction i 0 where it is 0, if a factor may have no finite value:
// else it is 0 by itself.
func (w *writer) empty(i int) []string {
	var over []string
	if slices.ContainsFunc(w.list[i].Args, w.infinite) {
		for _, d := range w.list[i].Over {
			over = append(over, w.factor(d))
		}
	}
	return over
}

// infinite reports whether the value of an instruction may be infinite or NaN at finite arguments, overflow aside.
func (w *writer) infinite(i int) bool {
	if known := w.poles[i]; known != 0 {
		return known > 0
	}
	in := &w.list[i]
	found := slices.ContainsFunc(in.Args, w.infinite)
	if in.Kind == plan.DoApply {
		at := in.Node.Atom()
		r := in.Node.Rat()
		entire := at == atom.Power && r.IsInt() && r.Sign() >= 0
		found = found || in.Node.Body() != nil || !entire && (at.Where != "" || at.Class == atom.ClassElementwise && at.Domain.Bounded()) || at.Over == atom.OverLast
	}
	if w.poles[i] = -1; found {
		w.poles[i] = 1
	}
	return found
}

// temp is the name of the value of an instruction that is no variable.
func (w *writer) temp(i int) string {
	return fmt.Sprintf("t%d", i)
}

// variable is the variable that an instruction is, or nil.
func variable(i *plan.Instruction) *combinators.Node {
	if i.Kind == plan.DoApply && i.Node.Is(atom.Var) {
		return i.Node
	}
	return nil
}
