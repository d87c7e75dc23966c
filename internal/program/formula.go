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
// small letter a vector, and a Greek name a number. What a use makes of these counts as well
// ([elab.Program.Unusual]): in x - mu and x/t, mu is a vector beside x, and t a number.

// maxAssumptions bounds how many ways to choose orders are tried, and maxAssumedText how many bytes of text
// are typed in all.
const (
	maxAssumptions = 2000
	maxAssumedText = 400_000
)

// assumption is a way to choose the orders of names.
type assumption struct {
	orders   map[string]int
	cost     int // how much speaks against it
	capitals int // the part of cost that is of capitals, and of uses
	uses     int // the part that is of uses
}

// misread reports whether one capital is read as a number and another as a vector, as in softmax(Q*K')*V without an axis; or one of u to z, as in
// x*log(x/y), where the error of reading it as a vector is that two columns have no product.
func (a *assumption) misread(first error, scalar bool) bool {
	var e *syntax.Error
	columns := errors.As(first, &e) && e.Code == "T006"
	var have, last [2]bool
	for name, order := range a.orders {
		if order == 0 || order == 1 {
			have[order] = have[order] || unicode.IsUpper([]rune(name)[0])
			last[order] = last[order] || strings.ContainsRune("uvwxyz", []rune(name)[0])
		}
	}
	return have[0] && have[1] || columns && last[0] && last[1] && (a.uses > 0 || !scalar)
}

// notNumber is how much speaks against a value that is no number, where a gradient is asked for: A*x has none, and
// its letters are not taken for numbers.
const notNumber = 4

// assume finds the orders of the names in a formula; nil where the program is none, or has no types in
// any way: then the first error of typing it by its letters is the one to report.
func (t *Source) assume() (map[string]int, error) {
	names := t.formulaNames()
	if names == nil {
		return nil, nil
	}
	best, err := likeliest(names, len(t.File.Src), t.Options.Scalar, func(orders map[string]int) (*Program, error) {
		t.assumed = orders
		return t.elaborate(nil, nil)
	})
	t.assumed = best
	return best, err
}

// likeliest are the orders of names for which the least speaks of those for which typing has a program, where a
// number is wanted with one for its value; else the first error.
func likeliest(names []formulaName, length int, scalar bool, typed func(orders map[string]int) (*Program, error)) (map[string]int, error) {
	var first error
	var best, other *assumption // other where a number is wanted, and the value is none
	for _, c := range assumptions(names, min(maxAssumptions, 1+maxAssumedText/(1+length))) {
		if best != nil && c.cost >= best.cost {
			break
		}
		p, err := typed(c.orders)
		if err != nil {
			var e *syntax.Error
			if errors.As(err, &e) && e.Code[0] != 'T' && e.Code != "S003" && best == nil { // of no type, and of no use in Python: other orders do not help
				return nil, err
			}
			first = cmp.Or(first, err)
			continue
		}
		c.uses = p.Unusual + p.singles()
		c.cost += c.uses
		c.capitals += c.uses
		into := &best
		if scalar && !p.scalar() {
			into = &other
		}
		if *into == nil || c.cost < (*into).cost {
			*into = &c
		}
	}
	if best == nil || other != nil && other.cost+notNumber < best.capitals+min(best.cost-best.capitals, notNumber) {
		best = other
	}
	if best == nil || first != nil && best.misread(first, scalar) {
		return nil, first
	}
	return best.orders, nil
}

// single is how much speaks against a vector or matrix of one entry: in det([a, b; c, d]) they are numbers.
const single = 7

// singles is what speaks against the variables of one entry.
func (f *Program) singles() (cost int) {
	for _, p := range f.Params {
		if shape := p.Node.Shape(); len(shape) > 0 && !slices.ContainsFunc(shape, func(d size.Size) bool { return d != size.Const(1) }) {
			cost += single
		}
	}
	return cost
}

// scalar reports whether the expressions are numbers.
func (f *Program) scalar() bool {
	return !slices.ContainsFunc(f.Outputs, func(o elab.Output) bool { return o.Node.Order() > 0 })
}

// formulaNames are the names of a program without declarations that are no lets, functions or numbers, in
// order; nil where the program has declarations or definitions of its own.
func (t *Source) formulaNames() []formulaName {
	var names []formulaName
	known := map[string]bool{syntax.Pi: true, syntax.Identity: true}
	for i := range t.File.Stmts {
		s := &t.File.Stmts[i]
		if s.Kind == syntax.Declare && len(s.Declares) > 0 || s.Index != nil || s.Kind == syntax.Map {
			return nil
		}
		parameter := func(name string) bool {
			return slices.ContainsFunc(s.Params, func(p syntax.Ident) bool { return p.Name == name })
		}
		for _, n := range exprNames(s.Expr) {
			if k := slices.IndexFunc(names, func(m formulaName) bool { return m.name == n.name }); k >= 0 {
				names[k].size = names[k].size || n.size
			} else if !known[n.name] && !parameter(n.name) {
				names = append(names, n)
			}
		}
		known[s.Name.Name] = true
	}
	return names
}

// formulaName is a name in a formula: a variable, or where it stands for a size once, a size.
type formulaName struct {
	name string
	size bool
}

// exprNames are the names in an expression, from left to right, each time that one stands there.
func exprNames(x *syntax.Expr) (names []formulaName) {
	type part struct {
		x    *syntax.Expr
		size bool
	}
	stack := []part{{x: x}}
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if p.x == nil {
			continue
		}
		if p.x.Op == syntax.OpName {
			names = append(names, formulaName{p.x.Name, p.size})
		}
		for i := len(p.x.Steps) - 1; i >= 0; i-- {
			stack = append(stack, part{p.x.Steps[i].Arg, p.size})
		}
		for i := len(p.x.Args) - 1; i >= 0; i-- {
			stack = append(stack, part{p.x.Args[i], p.size || p.x.SizeAt(i)})
		}
		for i := len(p.x.Sizes) - 1; i >= 0; i-- {
			stack = append(stack, part{p.x.Sizes[i], true})
		}
	}
	return names
}

// assumptions are at most limit+1 ways to choose orders for names, the likeliest first, and at last a number
// for each.
func assumptions(names []formulaName, limit int) []assumption {
	type choice struct {
		orders         []int
		cost, capitals int
	}
	all := []choice{{}}
	for _, n := range names {
		var next []choice
		for _, c := range all {
			for order := range 3 {
				d := choice{slices.Clip(c.orders), c.cost + oddness(n.name, order), c.capitals}
				if unicode.IsUpper([]rune(n.name)[0]) {
					d.capitals += oddness(n.name, order)
				}
				if n.size {
					order, d.cost, d.capitals = elab.SizeName, c.cost, c.capitals
				}
				d.orders = append(d.orders, order)
				if next = append(next, d); n.size {
					break
				}
			}
		}
		slices.SortStableFunc(next, func(a, b choice) int { return cmp.Compare(a.cost, b.cost) })
		all = next[:min(len(next), limit)]
	}
	numbers := choice{orders: make([]int, len(names))}
	for i, n := range names {
		if numbers.cost += oddness(n.name, 0); n.size {
			numbers.orders[i] = elab.SizeName
		}
	}
	all = append(all, numbers)
	out := make([]assumption, len(all))
	for i, c := range all {
		out[i] = assumption{orders: map[string]int{}, cost: c.cost, capitals: c.capitals}
		for j, n := range names {
			out[i].orders[n.name] = c.orders[j]
		}
	}
	return out
}

// greek are names that stand for numbers, where nothing speaks against it; parameters are those of them that stand for vectors as often.
var (
	greek      = strings.Fields("gamma delta epsilon eps zeta eta iota kappa lambda lam nu rho tau chi omega")
	parameters = strings.Fields("alpha beta theta mu xi sigma phi psi")
)

// oddness is how much speaks against an order of a name: 0 for what its letters say.
func oddness(name string, order int) int {
	first := []rune(name)[0]
	switch {
	case slices.Contains(parameters, name):
		return []int{0, 2, 6}[order]
	case slices.Contains(greek, name):
		return []int{0, 7, 9}[order]
	case unicode.IsUpper(first):
		return []int{6, 7, 0}[order]
	case strings.ContainsRune("uvwxyz", first):
		return []int{4, 0, 8}[order]
	}
	return []int{3, 0, 5}[order]
}

// Assumed is the declaration that a formula does without, "declare x[n] A[n,n]", and of a program that declares its variables that
// of directions which it does not; "" where there is none.
func (f *Program) Assumed() string {
	if f.source.translated {
		return f.source.declared
	}
	var b strings.Builder
	b.WriteString("declare")
	params := slices.DeleteFunc(slices.Clone(f.Params), func(p elab.Param) bool { return f.source.assumed == nil && !slices.Contains(f.Directions, p.Name) })
	if len(params) == 0 {
		return ""
	}
	for _, p := range params {
		b.WriteString(" " + p.Name)
		if p.Node.Order() == 0 {
			b.WriteString("[]")
			continue
		}
		b.WriteString(size.Shape(p.Node.Shape()))
	}
	return b.String()
}
