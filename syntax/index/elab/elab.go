package elab

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/words"
	"frechet/syntax"
	"frechet/syntax/index"
)

type node = combinators.Node

// Env tells what the names in a definition mean.
type Env struct {
	File *syntax.File // the text that spans refer to
	// Tensor gives the shape of an argument.
	Tensor func(name string) (shape []size.Size, ok bool)
	// Size gives the size that a size symbol stands for.
	Size func(name string) (size.Size, bool)
	// Unknown is the error for a name that is neither; nil for the one of arguments
	// without a shape.
	Unknown func(x *index.Expr) *syntax.Error
	// Map reports whether a name is a map of tensors, which index notation does not apply; it may be nil.
	Map    func(name string) bool
	Limits syntax.Limits
}

// An Assumption is a claim about sizes that their symbols leave open: that an access is
// in range. It is decided when numbers are given.
type Assumption struct {
	Text string
	Span syntax.Span
	// Least is at least 0 where the claim is one about sizes alone, else 0.
	Least size.Size
}

// variable is an index: one of the defined tensor, or of a sum.
type variable struct {
	name  string
	known bool // its size is
}

type elaborator struct {
	env   Env
	def   *index.Definition
	vars  []variable
	sizes []size.Size              // of the variables
	scope map[string]einsum.Affine // what the indices in scope stand for
	eq    []einsum.Affine          // conditions that hold where the walk is
	ge    []einsum.Affine
	sides int // conditions with != around the walk

	store *combinators.Store
	node  func(name string) *node
	open  []Assumption

	// found are the accesses of the walk that finds the shape
	found func(f einsum.Affine, axis size.Size, of, x *index.Expr)
}

// bailout carries the first error up.
type bailout struct{ err *syntax.Error }

func (e *elaborator) fail(err *syntax.Error) { panic(bailout{err}) }

func (e *elaborator) errorf(code syntax.Code, span syntax.Span, format string, args ...any) *syntax.Error {
	return e.env.File.Errorf(code, span, format, args...)
}

// text shows an expression in a message: its source where that is short, else what.
func (e *elaborator) text(x *index.Expr, what string) string {
	if x.Span.End > x.Span.Start && x.Span.End-x.Span.Start <= 24 {
		if s := e.env.File.Src[x.Span.Start:x.Span.End]; !strings.ContainsAny(s, "\n\r\t#") {
			return s
		}
	}
	return what
}

func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case bailout:
		*err = r.err
	default:
		panic(r)
	}
}

func newElaborator(def *index.Definition, env Env) *elaborator {
	env.Limits = env.Limits.WithDefaults()
	return &elaborator{env: env, def: def, scope: map[string]einsum.Affine{}}
}

// declare adds a variable.
func (e *elaborator) declare(name string, s size.Size, known bool) int {
	e.vars = append(e.vars, variable{name, known})
	e.sizes = append(e.sizes, s)
	return len(e.vars) - 1
}

// declareIndices adds the indices of the defined tensor, with the sizes of shape where
// it is not nil.
func (e *elaborator) declareIndices(shape []size.Size) {
	for i, x := range e.def.Indices {
		if _, twice := e.scope[x.Name]; twice {
			e.fail(e.errorf("I002", x.Span, "the index %s is bound twice", x.Name).
				Helpf("a diagonal is written with a condition: %s[i; j] = [i = j] * ...", e.def.Name.Name))
		}
		if _, symbol := e.env.Size(x.Name); symbol {
			e.fail(e.errorf("I003", x.Span, "the index %s has the name of a size", x.Name).Helpf("choose another name"))
		}
		s, known := size.Size{}, false
		if shape != nil {
			s, known = shape[i], true
		}
		v := e.declare(x.Name, s, known)
		e.scope[x.Name] = einsum.Variable(v)
	}
}

// Shape finds the shape of the defined tensor: from the sizes that the definition
// writes, from given, where that is not nil, and from the accesses. It reports what is
// wrong with the definition whatever the sizes are. Errors are *[syntax.Error].
func Shape(def *index.Definition, env Env, given []size.Size) (shape []size.Size, err error) {
	defer catch(&err)
	e := newElaborator(def, env)
	if given != nil && len(given) != len(def.Indices) {
		e.fail(e.errorf("I008", def.Name.Span, "%s has %s, but %s for it", def.Name.Name, words.Count(len(def.Indices), "index"), words.Given(len(given), "size")))
	}
	written := make([]bool, len(def.Indices))
	e.declareIndices(nil)
	for i, x := range def.Indices {
		if given != nil {
			e.sizes[i], e.vars[i].known = given[i], true
		}
		if x.Size == nil {
			continue
		}
		s := e.sizeOf(x)
		if g, ok := givenNumber(given, i); ok {
			if n, ok := s.Int(); ok && n != g {
				e.fail(e.errorf("I008", x.Size.Span, "the size of axis %d of %s is %d here, but %d is given", i, def.Name.Name, n, g))
			}
		}
		e.sizes[i], e.vars[i].known, written[i] = s, true, true
	}
	for range len(def.Indices) + 1 {
		if !e.infer() {
			break
		}
	}
	for i, x := range def.Indices {
		if !e.vars[i].known {
			e.fail(e.errorf("I006", def.Name.Span, "the shape of %s is not given, and nothing determines the range of %s", def.Name.Name, x.Name).
				Helpf("write its size: %s[%s:n]", def.Name.Name, x.Name))
		}
	}
	return slices.Clone(e.sizes[:len(def.Indices)]), nil
}

func givenNumber(given []size.Size, i int) (int64, bool) {
	if given == nil {
		return 0, false
	}
	return given[i].Int()
}

// sizeOf reads the size that a definition writes for an axis.
func (e *elaborator) sizeOf(x index.Declared) size.Size {
	f := e.form(x.Size)
	if len(f.coef) > 0 {
		e.fail(e.errorf("I007", x.Size.Span, "a size is a whole number, a size symbol, or a sum or product of these"))
	}
	if n, ok := f.off.Int(); ok && n < 0 {
		e.fail(e.errorf("I008", x.Size.Span, "the size of %s is %d; it must not be negative", x.Name, n))
	}
	return f.off
}

// infer walks the definition once; it reports whether an index got a size. An index is
// as large as all accesses allow whose other indices have known ranges.
func (e *elaborator) infer() bool {
	n := len(e.def.Indices)
	type candidate struct {
		size size.Size
		at   *index.Expr
		bare bool
	}
	best := make([]*candidate, n)
	clash := make([]bool, n)
	e.found = func(f einsum.Affine, axis size.Size, of, x *index.Expr) {
		for _, t := range f.Terms {
			if t.Var >= n || e.vars[t.Var].known {
				continue
			}
			rest := f.Plus(-t.Coef, einsum.Variable(t.Var))
			if slices.ContainsFunc(rest.Terms, func(u einsum.Term) bool { return !e.vars[u.Var].known }) {
				continue
			}
			if _, number := axis.Int(); !number && t.Coef > 0 && len(rest.Terms) == 0 && rest.Off.Sub(axis).Nonnegative() {
				e.fail(e.errorf("I005", x.Span, "%s leaves %s at every %s: the axis has size %s", e.text(x, "the index"), of.Name, e.vars[t.Var].name, axis).
					Helpf("indices count from 0, so the last of %s is at %s", of.Name, axis.Sub(size.Const(1))))
			}
			s, ok := largest(t.Coef, rest, axis, e.sizes)
			if !ok {
				continue
			}
			_, bare := f.Var()
			c := &candidate{s, x, bare}
			switch old := best[t.Var]; {
			case old == nil:
				best[t.Var] = c
			default:
				diff, decided := s.Sub(old.size).Int()
				if old.bare && bare && diff != 0 && decided {
					e.fail(e.errorf("I008", x.Span, "the index %s runs over axes of sizes %s and %s", e.vars[t.Var].name, old.size, s).
						Note(old.at.Span, "size %s here", old.size).
						Helpf("if it is to stop at the shorter one, write its size: %s[%s:%s]", e.def.Name.Name, e.vars[t.Var].name, old.size))
				}
				if !decided {
					clash[t.Var] = true
				} else if diff < 0 {
					best[t.Var] = c
				}
			}
		}
	}
	e.check(e.def.Expr)
	e.found = nil
	e.vars, e.sizes = e.vars[:n], e.sizes[:n]
	grew := false
	for v := range n {
		if best[v] != nil && !clash[v] && !e.vars[v].known {
			e.vars[v].known, e.sizes[v] = true, best[v].size
			grew = true
		}
	}
	return grew
}

// largest is the largest size of a variable with which coef*v + rest stays within an
// axis.
func largest(coef int64, rest einsum.Affine, axis size.Size, sizes []size.Size) (size.Size, bool) {
	room := axis.Sub(size.Const(1)).Sub(extreme(rest, sizes, false)) // coef*v <= room
	if coef < 0 {
		room, coef = extreme(rest, sizes, true), -coef // -coef*v + rest >= 0
	}
	if n, ok := room.Int(); ok {
		return size.Const(max(floorDiv(n, coef)+1, 0)), true
	}
	return room.Add(size.Const(1)), coef == 1
}

// check walks an expression for what is wrong with it whatever the sizes are, and
// reports accesses to found.
func (e *elaborator) check(x *index.Expr) {
	switch x.Op {
	case index.Name:
		if _, ok := e.scope[x.Name]; ok {
			return
		}
		if _, ok := e.env.Size(x.Name); ok {
			return
		}
		e.access(x)
	case index.Access:
		shape := e.access(x)
		for k, a := range x.Args {
			if f, ok := e.form(a).affine(); ok {
				e.found(f, shape[k], x, a)
			}
		}
	case index.Call:
		e.function(x)
	case index.Total:
		back := e.bind(x, true)
		e.check(x.Args[2])
		back()
		return
	case index.If, index.Where:
		for _, r := range x.Rels {
			e.mustAffine(r.Left)
			e.mustAffine(r.Right)
		}
	}
	if x.Op != index.Access {
		for _, a := range x.Args {
			e.check(a)
		}
	}
	for _, s := range x.Steps {
		e.check(s.Arg)
	}
}

// access checks the name of an access and the number of its indices; it returns the
// tensor's shape.
func (e *elaborator) access(x *index.Expr) []size.Size {
	shape, ok := e.env.Tensor(x.Name)
	if !ok {
		if _, bound := e.scope[x.Name]; bound {
			e.fail(e.errorf("I007", x.Span, "%s is an index, not a tensor", x.Name))
		}
		if e.env.Unknown != nil {
			e.fail(e.env.Unknown(x))
		}
		e.fail(e.errorf("I006", x.At, "the shape of %s is not given", x.Name).
			Helpf("declare it: declare %s%s, or give its dims", x.Name, exampleShape(len(x.Args))))
	}
	if len(x.Args) != len(shape) {
		e.fail(e.errorf("T002", x.At, "%s has order %d, but %s here", x.Name, len(shape), countIndices(len(x.Args))))
	}
	return shape
}

func exampleShape(order int) string {
	names := strings.Split("m n p q r", " ")
	return "[" + strings.Join(names[:min(order, len(names))], ",") + "]"
}

func countIndices(n int) string {
	if n == 1 {
		return "it has one index"
	}
	return "it has " + words.Count(n, "index")
}

// function checks the name of a function and the number of its arguments.
func (e *elaborator) function(x *index.Expr) {
	f, ok := e.functionNamed(x.Name)
	if !ok {
		err := e.errorf("S014", x.At, "there is no function %s of numbers", x.Name)
		if f.Row != nil {
			e.fail(err.Helpf("%s is a function of tensors: apply it outside and name the value, let y = %s(x), then y[i]", x.Name, x.Name))
		}
		if _, tensor := e.env.Tensor(x.Name); tensor {
			e.fail(err.Helpf("a tensor's indices stand in brackets: %s[i]", x.Name))
		}
		if e.env.Map != nil && e.env.Map(x.Name) {
			e.fail(err.Helpf("%s is a map of tensors: apply it outside and name the value, let y = %s(x), then y[i]", x.Name, x.Name))
		}
		if here, ok := strings.CutSuffix(syntax.Foreign(x.Name), "(...)"); ok && slices.Contains(functionNames(), here) {
			err.Helpf("here it is written %s(...)", here)
		} else if n := words.Nearest(x.Name, functionNames()); n != "" {
			err.Helpf("did you mean %s?", n)
		}
		e.fail(err)
	}
	if len(x.Args) != f.Row.Arity {
		e.fail(e.errorf("S013", x.At, "%s takes %s, here are %d", x.Name, words.Count(f.Row.Arity, "argument"), len(x.Args)))
	}
}

// functionNamed is the element-wise function of a name, a declared one or of the table.
func (e *elaborator) functionNamed(name string) (f atom.Function, ok bool) {
	at := e.env.File.Functions.Declared(name)
	if at == nil {
		return atom.FunctionNamed(name)
	}
	return atom.Function{Name: name, Row: at}, at.Signature().Elementwise()
}

func functionNames() []string {
	names := []string{"sum"}
	names = lists.Append(names, atom.Functions(), func(f atom.Function) string { return f.Name })
	return names
}

// values shows index values, sorted by name.
func (e *elaborator) values(point map[int]int64, scope map[string]einsum.Affine) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(scope)) {
		f := scope[name]
		n, ok := f.Off.Int()
		for _, t := range f.Terms {
			x, set := point[t.Var]
			n += t.Coef * x
			ok = ok && set
		}
		if ok && len(f.Terms) > 0 {
			parts = append(parts, fmt.Sprintf("%s = %d", name, n))
		}
	}
	return strings.Join(parts, ", ")
}
