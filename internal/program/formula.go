package program

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode"

	"frechet/einsum/size"
	"frechet/syntax"
	"frechet/syntax/elab"
)

// A formula is a program that declares nothing: x'*A*x. The orders of its variables are those, of 0 to 2,
// that give every operation a type and differ least from what the letters say: a capital is a matrix, a
// small letter a vector, and a Greek name a number.

// maxAssumptions bounds how many ways to choose orders are tried, and maxAssumedText how many bytes of text
// are typed in all.
const (
	maxAssumptions = 2000
	maxAssumedText = 400_000
)

// assume finds the orders of the names in a formula; nil where the program is none, or has no types in
// any way: then the first error of typing it by its letters is the one to report.
func (t *Source) assume() (map[string]int, error) {
	names := t.formulaNames()
	if names == nil {
		return nil, nil
	}
	var first error
	var likely map[string]int // the first that has a type, where a number is wanted and it has none
	for _, orders := range assumptions(names, min(maxAssumptions, 1+maxAssumedText/(1+len(t.File.Src)))) {
		t.assumed = orders
		p, err := t.elaborate(nil, nil)
		var typed *syntax.Error
		switch {
		case err == nil && (!t.Options.Scalar || p.scalar()):
			return orders, nil
		case err == nil:
			if likely == nil {
				likely = orders
			}
		case !errors.As(err, &typed) || typed.Code[0] != 'T': // of no type: other orders do not help
			return nil, err
		case first == nil:
			first = err
		}
	}
	if t.assumed = likely; likely != nil {
		return likely, nil
	}
	return nil, first
}

// scalar reports whether the expressions are numbers.
func (f *Program) scalar() bool {
	return !slices.ContainsFunc(f.Outputs, func(o elab.Output) bool { return o.Node.Order() > 0 })
}

// formulaNames are the names of a program without declarations that are no lets, functions or numbers, in
// order; nil where the program has declarations or definitions of its own.
func (t *Source) formulaNames() []string {
	var names []string
	known := map[string]bool{syntax.Pi: true, syntax.Identity: true, "T": true}
	for i := range t.File.Stmts {
		s := &t.File.Stmts[i]
		if s.Kind == syntax.Declare && len(s.Declares) > 0 || s.Index != nil || s.Kind == syntax.Map {
			return nil
		}
		parameter := func(name string) bool {
			return slices.ContainsFunc(s.Params, func(p syntax.Ident) bool { return p.Name == name })
		}
		for _, name := range exprNames(s.Expr) {
			if !known[name] && !parameter(name) {
				known[name] = true
				names = append(names, name)
			}
		}
		known[s.Name.Name] = true
	}
	return names
}

// exprNames are the names in an expression, from left to right, each time that one stands there.
func exprNames(x *syntax.Expr) (names []string) {
	var walk func(x *syntax.Expr)
	stack := []*syntax.Expr{x}
	walk = func(x *syntax.Expr) {
		if x.Op == syntax.OpName {
			names = append(names, x.Name)
		}
		for i := len(x.Steps) - 1; i >= 0; i-- {
			stack = append(stack, x.Steps[i].Arg)
		}
		for i := len(x.Args) - 1; i >= 0; i-- {
			stack = append(stack, x.Args[i])
		}
	}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if x != nil {
			walk(x)
		}
	}
	return names
}

// assumptions are at most limit+1 ways to choose orders for names, the likeliest first, and at last a number
// for each.
func assumptions(names []string, limit int) []map[string]int {
	type choice struct {
		orders []byte
		cost   int
	}
	all := []choice{{nil, 0}}
	for _, name := range names {
		var next []choice
		for _, c := range all {
			for order := range 3 {
				next = append(next, choice{append(c.orders[:len(c.orders):len(c.orders)], byte(order)), c.cost + oddness(name, order)})
			}
		}
		slices.SortStableFunc(next, func(a, b choice) int { return cmp.Compare(a.cost, b.cost) })
		all = next[:min(len(next), limit)]
	}
	all = append(all, choice{orders: make([]byte, len(names))})
	out := make([]map[string]int, len(all))
	for i, c := range all {
		out[i] = map[string]int{}
		for j, name := range names {
			out[i][name] = int(c.orders[j])
		}
	}
	return out
}

// greek are names that stand for numbers, where nothing speaks against it.
var greek = strings.Fields("alpha beta gamma delta epsilon eps zeta eta theta iota kappa lambda lam mu nu xi rho sigma tau phi chi psi omega")

// oddness is how much speaks against an order of a name: 0 for what its letters say.
func oddness(name string, order int) int {
	first := []rune(name)[0]
	switch {
	case slices.Contains(greek, name):
		return []int{0, 2, 6}[order]
	case unicode.IsUpper(first):
		return []int{7, 5, 0}[order]
	case strings.ContainsRune("uvwxyz", first):
		return []int{4, 0, 5}[order]
	}
	return []int{3, 0, 5}[order]
}

// Assumed is the declaration that a formula does without, "declare x[n] A[n,n]"; "" for a program that
// declares its variables.
func (f *Program) Assumed() string {
	if f.source.translated {
		return f.source.declared
	}
	if f.source.assumed == nil || len(f.Params) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("declare")
	for _, p := range f.Params {
		b.WriteString(" " + p.Name)
		if p.Node.Order() == 0 {
			b.WriteString("[]")
			continue
		}
		b.WriteString(size.Shape(p.Node.Shape()))
	}
	return b.String()
}
