package derivation

import (
	"fmt"

	"frechet/combinators"
	"frechet/internal/program"
	"frechet/rewrite/assumptions"
	"frechet/syntax"
	"frechet/syntax/unparse"
)

// Domain says where the program is defined, and so where what is derived of it holds: conditions that all
// entries meet, "p > 0"; for functions of which some entries only are read, that these have values. It is empty
// where the program is defined for all numbers. Of a map it is said at its arguments; with a derivative inside,
// nothing is.
func Domain(f *program.Program) (conditions []string) {
	var outs []*combinators.Node
	for _, o := range f.Outputs {
		outs = append(outs, o.Node)
	}
	if f.Closed != nil {
		if x, err := f.Expression(); err == nil {
			if y, err := f.Store.ApplyMap(x.Map, x.At); err == nil {
				outs = y.Leaves()
			}
		}
	}
	return DomainOf(f, outs...)
}

// DomainOf says where values of a program's store are defined, all of them.
func DomainOf(f *program.Program, outs ...*combinators.Node) (conditions []string) {
	seen, form := map[string]bool{}, assumptions.New()
	add := func(c string) {
		if !seen[c] {
			seen[c] = true
			conditions = append(conditions, c)
		}
	}
	sizes := treeSizes(outs)
	for _, d := range combinators.Domains(outs...) {
		if !d.Invertible && (d.Positive && form.Positive(d.Value) || d.Nonneg && form.Nonneg(d.Value) || d.Nonzero && form.Nonzero(d.Value)) {
			continue
		}
		v := fmt.Sprintf("the operand of one %s", d.Value.Atom().Name)
		if sizes.Get(d.Value) < longCondition {
			v = formula(f, d.Value, v)
		}
		switch {
		case d.Invertible:
			add(v + " is invertible")
		case d.Positive, d.Nonneg && d.Nonzero:
			add(v + " > 0")
		case d.Nonneg && !seen[v+" > 0"]:
			add(v + " >= 0")
		case d.Nonzero && !seen[v+" > 0"]:
			add(v + " != 0")
		}
	}
	facts := assumptions.New()
	facts.Assume(outs...)
	for _, n := range outs {
		if !facts.Defined(n) {
			add("every function has a value at the entries that are read")
			break
		}
	}
	return conditions
}

// longCondition is the size of a tree that no condition shows.
const longCondition = 200

// treeSizes are the nodes of the trees of the values that outs are made of, up to longCondition.
func treeSizes(outs []*combinators.Node) (sizes combinators.ByNode[uint8]) {
	for _, n := range combinators.Topo(outs...) {
		size := 1
		for _, a := range n.Args() {
			size += int(sizes.Get(a))
		}
		sizes.Set(n, uint8(min(size, longCondition)))
	}
	return sizes
}

// formula is a value as text, its lets written out, or other where it has none.
func formula(f *program.Program, n *combinators.Node, other string) string {
	stmts, err := unparse.Program([]*combinators.Node{n}, unparse.Options{Taken: f.Names(), Open: f.Unwritten()})
	if err != nil {
		return other
	}
	lets, last := map[string]*syntax.Expr{}, len(stmts)-1
	for _, s := range stmts[:last] {
		lets[s.Name.Name] = s.Expr
	}
	return syntax.Print(syntax.Replaced(stmts[last].Expr, lets))
}
