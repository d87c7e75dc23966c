package atom

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"frechet/einsum/size"
	"frechet/internal/lists"
)

// A Declaration is a function that a program or a rule file declares, by its type:
//
//	primitive h : R -> R derivative h1             acts entry by entry, on values of one shape
//	primitive g : R[n] -> R[m]                     from space to space
//	primitive L : R[n] -o R[m] adjoint Lt          linear
//
// The sizes of the arguments are found where it is called. Of a size of the result that no argument has, each call
// says what it is: see Signature.Open.
type Declaration struct {
	Name string
	Signature
	// Derivative has the names of the derivatives by argument, or is nil: they are then h', or l'1 and l'2 of several
	// arguments. That of g : R[n] -> R[m] is of type R[n] -> R[m,n].
	Derivative []string
	Adjoint    string // of a linear function, or "": it is then L'
}

// A Signature is the type of a declared function.
type Signature struct {
	Params [][]size.Size // the shapes of the arguments
	Result []size.Size
	Linear bool
}

// MaxParams bounds the arguments of a declared function, and MaxDerivative the order of its derivatives.
const (
	MaxParams     = 9
	MaxDerivative = 64
)

// Elementwise: a function of numbers, which acts entry by entry.
func (g *Signature) Elementwise() bool {
	return !g.Linear && len(g.Result) == 0 && !slices.ContainsFunc(g.Params, func(p []size.Size) bool { return len(p) > 0 })
}

// Open are the size symbols of the result that no argument has.
func (g *Signature) Open() (names []string) {
	for _, d := range g.Result {
		for _, n := range d.Symbols() {
			has := func(p []size.Size) bool {
				return slices.ContainsFunc(p, func(d size.Size) bool { return slices.Contains(d.Symbols(), n) })
			}
			if !slices.Contains(names, n) && !slices.ContainsFunc(g.Params, has) {
				names = append(names, n)
			}
		}
	}
	return names
}

func (g *Signature) equal(h *Signature) bool {
	return g.Linear == h.Linear && slices.Equal(g.Result, h.Result) && slices.EqualFunc(g.Params, h.Params, slices.Equal[[]size.Size])
}

func (g *Signature) String() string {
	space := func(s []size.Size) string { return "R" + size.Shape(s) }
	if g.Elementwise() {
		space = func([]size.Size) string { return "R" }
	}
	var params []string
	params = lists.Append(params, g.Params, space)
	return strings.Join(params, " x ") + map[bool]string{false: " -> ", true: " -o "}[g.Linear] + space(g.Result)
}

func (d *Declaration) String() string {
	s := "primitive " + d.Name + " : " + d.Signature.String()
	if d.Derivative != nil {
		s += " derivative " + strings.Join(d.Derivative, ", ")
	}
	if d.Adjoint != "" {
		s += " adjoint " + d.Adjoint
	}
	return s
}

// declared is what the row of a declared function has besides its columns: its type, where it was declared, and by
// which arguments, counted from 0 and sorted, a derivative is.
type declared struct {
	*Declaration
	Signature
	of *Scope
	by []int
	// adjoint: it is the adjoint of the declared function, which has none with a name.
	adjoint bool
}

// A Scope has the declared functions of a rule file, or of a program, and sees those of the parent. nil has none. It
// may be used from several goroutines once all are declared.
type Scope struct {
	parent *Scope
	mu     sync.Mutex
	rows   map[string]*Row // by name, the derivatives that were asked for among them
	names  []string        // as declared, in order
}

// NewScope is an empty set of functions, which sees those of parent; that may be nil.
func NewScope(parent *Scope) *Scope {
	return &Scope{parent: parent, rows: map[string]*Row{}}
}

// All lists the declarations, those of the parent first.
func (f *Scope) All() (out []*Declaration) {
	if f == nil {
		return nil
	}
	out = f.parent.All()
	out = lists.Append(out, f.names, func(n string) *Declaration { return f.rows[n].declared.Declaration })
	return out
}

// Widest is that of two scopes that sees the other; nil sees none.
func (f *Scope) Widest(g *Scope) *Scope {
	if f == nil {
		return g
	}
	for h := g; h != nil; h = h.parent {
		if h == f {
			return g
		}
	}
	return f
}

// Named is the row of a declared function or of a derivative of one, else that of the table, or nil.
func (f *Scope) Named(name string) *Row {
	if r := f.Declared(name); r != nil {
		return r
	}
	return Named(name)
}

// Declared is the row of a declared function, or of a derivative of one, or nil.
func (f *Scope) Declared(name string) *Row {
	for ; f != nil; f = f.parent {
		f.mu.Lock()
		r := f.rows[name]
		f.mu.Unlock()
		if r != nil {
			return r
		}
		base, by, ok := derivativeName(name)
		if !ok {
			continue
		}
		f.mu.Lock()
		r = f.rows[base]
		f.mu.Unlock()
		if r == nil {
			continue
		}
		if len(by) == 0 && len(r.declared.Params) > 1 || len(by) > 0 && len(r.declared.Params) == 1 {
			return nil
		}
		if by == nil {
			by = make([]int, len(name)-len(base))
		}
		if r.declared.Linear {
			if len(by) > 1 {
				return nil
			}
			return r.transposed()
		}
		for _, k := range by {
			if r == nil || r.declared == nil {
				return nil
			}
			r = r.derived(k)
		}
		return r
	}
	return nil
}

// Base is the name of the function of which name may be a derivative: h of h' and of h'12.
func Base(name string) string {
	base, _, _ := strings.Cut(name, "'")
	return base
}

// derivativeName splits h' into h, and l'12 into l and the arguments 0 and 1.
func derivativeName(name string) (base string, by []int, ok bool) {
	base = Base(name)
	rest := name[len(base):]
	digits := strings.TrimLeft(rest, "'")
	primes := len(rest) - len(digits)
	if primes == 0 || max(primes, len(digits)) > MaxDerivative || digits != "" && primes > 1 {
		return "", nil, false
	}
	for i := range len(digits) {
		if digits[i] < '1' || digits[i] > '9' || i > 0 && digits[i] < digits[i-1] {
			return "", nil, false
		}
		by = append(by, int(digits[i]-'1'))
	}
	return base, by, true
}

// derivativeName is the name of the derivative of r by argument k, "" where it has none.
func (r *Row) derivativeName(k int) string {
	d := r.declared
	if k >= len(d.Params) || d.Linear || len(d.by) >= MaxDerivative {
		return ""
	}
	if len(d.by) == 0 && d.Derivative != nil {
		return d.Derivative[k]
	}
	if len(d.Params) == 1 {
		return r.Name + "'"
	}
	by := append(slices.Clone(d.by), k)
	slices.Sort(by)
	name := []byte(d.Name + "'")
	name = lists.Append(name, by, func(k int) byte { return byte('1' + k) })
	return string(name)
}

// derived is the row of the derivative of r by argument k: a declared one, or one of its own.
func (r *Row) derived(k int) *Row {
	name, f := r.derivativeName(k), r.declared.of
	switch {
	case name == "" || k >= len(r.declared.Params):
		return nil
	case len(r.declared.by) == 0 && r.declared.Derivative != nil:
		return f.Named(name)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rows[name] == nil {
		d := *r.declared
		d.Signature = r.derivativeType(k)
		d.by = append(slices.Clone(d.by), k)
		slices.Sort(d.by)
		f.rows[name] = newDeclared(name, &d)
	}
	return f.rows[name]
}

// transposed is the row of the adjoint of a linear function that is declared.
func (r *Row) transposed() *Row {
	f, name := r.declared.of, r.adjointName()
	if r.declared.Adjoint != "" {
		return f.Declared(name)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rows[name] == nil {
		d := *r.declared
		d.adjoint, d.Signature = true, Signature{Params: [][]size.Size{d.Result}, Result: d.Params[0], Linear: true}
		f.rows[name] = newDeclared(name, &d)
	}
	return f.rows[name]
}

// adjointName is the name of the adjoint of a linear function.
func (r *Row) adjointName() string {
	d := r.declared
	switch {
	case d.adjoint:
		return d.Name
	case d.Declaration.Adjoint != "":
		return d.Declaration.Adjoint
	}
	return r.Name + "'"
}

// derivativeType is the type of the derivative by argument k: its axes stand behind those of the result, and of the
// derivatives by arguments up to k.
func (r *Row) derivativeType(k int) Signature {
	d := r.declared
	g := Signature{Params: d.Params, Result: d.Result}
	if !d.Elementwise() {
		at := r.behind(k)
		g.Result = slices.Concat(d.Result[:at], d.Params[k], d.Result[at:])
	}
	return g
}

// behind is where in the result of the derivative by argument k the axes of k begin.
func (r *Row) behind(k int) int {
	d := r.declared
	at := len(d.Result)
	for _, j := range d.by {
		if j > k {
			at -= len(d.Params[j])
		}
	}
	return at
}

// Declare adds a function. One that is declared in the same words in the parent is that.
func (f *Scope) Declare(d *Declaration) error {
	if r := f.Declared(d.Name); r != nil {
		if old := r.declared; f.rows[d.Name] == nil && old.Declaration.String() == d.String() {
			return nil
		}
		return fmt.Errorf("%s is declared already: %s", d.Name, r.declared.Declaration)
	}
	f.rows[d.Name] = newDeclared(d.Name, &declared{Declaration: d, Signature: d.Signature, of: f})
	f.names = append(f.names, d.Name)
	return nil
}

// Check reports what is wrong with the derivatives and the adjoint that the declared function with a name has.
func (f *Scope) Check(name string) error {
	r := f.Declared(name)
	d := r.declared.Declaration
	for k, of := range d.Derivative {
		want := r.derivativeType(k)
		if err := f.is(of, &want, "the derivative of "+name); err != nil {
			return err
		}
	}
	if d.Adjoint == "" {
		return nil
	}
	want := Signature{Params: [][]size.Size{d.Result}, Result: d.Params[0], Linear: true}
	if err := f.is(d.Adjoint, &want, "the adjoint of "+name); err != nil {
		return err
	}
	if back := f.Declared(d.Adjoint); back.declared.Adjoint == "" {
		back.Adjoint = []string{name + "[k](w)"} // the adjoint of the adjoint
	}
	return nil
}

// is reports an error where the function with a name is not of the type want.
func (f *Scope) is(name string, want *Signature, what string) error {
	r := f.Named(name)
	switch {
	case r == nil:
		return fmt.Errorf("there is no function %s: %s is to be of type %s", name, what, want)
	case r.declared != nil && !r.declared.Signature.equal(want):
		return fmt.Errorf("%s is of type %s, but %s is of type %s", name, &r.declared.Signature, what, want)
	case r.declared == nil && (!want.Elementwise() || r.Class != ClassElementwise || r.Arity != len(want.Params) || r == Power):
		return fmt.Errorf("%s is no function of type %s, as %s is", name, want, what)
	}
	return nil
}

// DeclaredNumber is the number of the rows of all declared functions.
const DeclaredNumber = 255

// newDeclared is the row of a declared function. It is defined everywhere; more is not known of it.
func newDeclared(name string, d *declared) *Row {
	r := &Row{Name: name, Arity: len(d.Params), Class: ClassPrimitive, Over: OverParams, declared: d, number: DeclaredNumber, LaTeX: Notation(name, len(d.Params))}
	switch {
	case d.Linear:
		r.Class, r.Attr = ClassLinear, true
		r.Adjoint = []string{r.adjointName() + "[k](w)"}
		return r
	case d.Elementwise():
		r.Class, r.Over, r.Turns = ClassElementwise, OverAll, true
		r.Domain, r.Range = in("(-inf, inf)"), in("(-inf, inf)")
	}
	args := strings.Join(operands[:r.Arity], ", ")
	for k := range d.Params {
		of := r.derivativeName(k)
		if of == "" {
			break
		}
		column := of + "(" + args + ")"
		if r.Class == ClassPrimitive {
			at, p := r.behind(k), len(d.Params[k])
			out, ok := letters(len(d.Result) + p)
			if !ok {
				break
			}
			by := out[at : at+p]
			column = "ein(..." + out + ",..." + by + "->..." + out[:at] + out[at+p:] + "; " + column + ", " + Tangent(k) + ")"
		}
		r.Deriv = append(r.Deriv, column)
	}
	return r
}

// letters are the first n letters of the alphabet.
func letters(n int) (string, bool) {
	const all = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if n > len(all) {
		return "", false
	}
	return all[:n], true
}

// operands are the names of the arguments in the columns of a row.
var operands = [MaxParams]string{"x", "y", "z", "x4", "x5", "x6", "x7", "x8", "x9"}

// Operand is the name of argument k in the columns of a row, and Tangent that of its tangent.
func Operand(k int) string { return operands[k] }

// Tangent is the name of the tangent of argument k.
func Tangent(k int) string { return "d" + operands[k] }

// Signature is the type of a declared function or of its derivative, nil of those of the table.
func (r *Row) Signature() *Signature {
	if r.declared == nil {
		return nil
	}
	return &r.declared.Signature
}

// DerivativeOf is the declaration of which the row is the function or a derivative, and the arguments, counted from 0, by
// which it is.
func (r *Row) DerivativeOf() (d *Declaration, by []int) {
	return r.declared.Declaration, r.declared.by
}

// Root is a declared function of which that of the row is the derivative by the arguments by, or, where transposed holds,
// the adjoint. ok is false where a declaration along the way names a derivative that tells more than this: itself, a function of
// the table, or the derivative of another function.
func (r *Row) Root() (name string, by []int, transposed, ok bool) {
	d := r.declared
	name, by, transposed = d.Name, slices.Clone(d.by), d.adjoint
	all := d.of.All()
	for range len(all) {
		i := slices.IndexFunc(all, func(p *Declaration) bool { return p.Adjoint == name || slices.Contains(p.Derivative, name) })
		if i < 0 {
			break
		}
		p := all[i]
		if p.Adjoint == name {
			if j := slices.IndexFunc(all, func(q *Declaration) bool { return q.Name == name }); j < i {
				break // each is the adjoint of the other
			}
			transposed = !transposed
		} else {
			by = slices.Insert(by, 0, slices.Index(p.Derivative, name))
		}
		name = p.Name
	}
	return name, by, transposed, d.of.free(name)
}

// free: the derivatives that the declarations of a function and of its derivatives name are declared functions, of which
// each is the derivative of one function alone.
func (f *Scope) free(name string) bool {
	all := f.All()
	named := map[string]bool{}
	for next := []string{name}; len(next) > 0; next = next[1:] {
		if named[next[0]] {
			return false
		}
		named[next[0]] = true
		i := slices.IndexFunc(all, func(p *Declaration) bool { return p.Name == next[0] })
		if i < 0 {
			return false
		}
		for _, of := range all[i].Derivative {
			first := slices.IndexFunc(all, func(p *Declaration) bool { return slices.Contains(p.Derivative, of) })
			if first != i {
				return false
			}
			next = append(next, of)
		}
	}
	return true
}

// Scope are the functions among which that of the row is declared, nil for those of the table.
func (r *Row) Scope() *Scope {
	if r.declared == nil {
		return nil
	}
	return r.declared.of
}

// Notation is the LaTeX of a declared function, by its name, or of a derivative of it, with # for each of n arguments: h(#),
// h'(#), h^{(3)}(#), l'_{12}(#,#).
func Notation(name string, n int) string {
	base := Base(name)
	s := base
	if len(s) > 1 {
		s = `\operatorname{` + strings.ReplaceAll(s, "_", `\_`) + "}"
	}
	digits := strings.TrimLeft(name[len(base):], "'")
	switch primes := len(name) - len(base) - len(digits); {
	case digits != "":
		s += "'_{" + digits + "}"
	case primes > 2:
		s += fmt.Sprintf("^{(%d)}", primes)
	default:
		s += strings.Repeat("'", primes)
	}
	return s + "(" + strings.Repeat(",#", n)[1:] + ")"
}
