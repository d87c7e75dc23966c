package query

import (
	"math"
	"slices"
	"strings"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/eval"
	"frechet/internal/fault"
	"frechet/internal/program"
)

// A Convention is a choice of derivative at a point where a function is not smooth.
type Convention struct {
	ID  string
	Doc string
}

// Conventions lists all conventions. A result without numbers names those of the functions
// that were differentiated; a result with numbers names those whose points the data met.
func Conventions() []Convention { return slices.Clone(conventions) }

var conventions = []Convention{
	{"abs-at-0", "abs'(0) = 0"},
	{"comparison-at-tie", "the derivative of a comparison is 0, where its sides are equal too"},
	{"log-at-0", "where log'(0) is infinite, an exactly zero factor wins over it"},
	{"max-at-tie", "the derivative of max is split evenly among the arguments that attain it"},
	{"min-at-tie", "the derivative of min is split evenly among the arguments that attain it"},
	{"norm2-at-0", "norm2'(0) = 0"},
	{"power-at-0", "where the derivative of a power (sqrt, x^-1, x^t) is infinite at 0, an exactly zero factor wins over it; x^0 has derivative 0, and x^t log(x) is 0 at 0 for t > 0"},
	{"relu-at-0", "relu'(0) = 0"},
	{"sign-at-0", "sign'(0) = 0"},
	{"step-at-0", "step'(0) = 0"},
}

// kink is a node whose function is not smooth everywhere.
type kink struct {
	id   string
	node *combinators.Node
}

// kinksOf finds the nodes with a kink that were differentiated on the way to outs: those
// whose arguments depend on wrt.
func kinksOf(outs, wrt []*combinators.Node) []kink {
	dep := combinators.Dependents(outs, wrt)
	var found []kink
	for _, n := range combinators.Topo(outs...) {
		id := kinkID(n)
		if id != "" && slices.ContainsFunc(n.Args(), func(a *combinators.Node) bool { return dep.Get(a) }) {
			found = append(found, kink{id, n})
		}
	}
	return found
}

// kinkID is the convention of the node's atom. Powers with whole exponents from 0 are
// smooth.
func kinkID(n *combinators.Node) string {
	if n.Is(atom.Power) && n.Rat().IsInt() && n.Rat().Sign() >= 0 {
		return ""
	}
	return n.Atom().Kink
}

// shownWithoutNumbers reports whether a formula names the convention. Quotients and
// logarithms have a pole at 0, outside their domain, and nearly every formula has one:
// only data that meets it makes it worth a word.
func (k kink) shownWithoutNumbers() bool {
	if k.node.Is(atom.Log) {
		return false
	}
	return k.node.Atom() != atom.Power || !k.node.Rat().IsInt()
}

// shownConventions are the conventions that formulas name.
func shownConventions(kinks []kink) []Convention {
	var ids []string
	for _, k := range kinks {
		if k.shownWithoutNumbers() {
			ids = append(ids, k.id)
		}
	}
	return conventionsByID(ids)
}

// met reports whether the arguments' values hit the kink; value is the node's own.
func (k kink) met(args []*eval.Tensor, value *eval.Tensor) bool {
	x, at := args[0].Data, k.node.Atom()
	switch {
	case at.Class == atom.ClassElementwise && at.Arity == 2 && !k.node.Is(atom.Pow): // max, min, comparisons
		for i, v := range x {
			if v == args[1].Data[i] {
				return true
			}
		}
		return false
	case k.node.Is(atom.Norm2):
		return value.Data[0] == 0
	case at.Class == atom.ClassPrimitive: // max and min over axes
		return tied(x, value.Data)
	}
	return slices.Contains(x, at.KinkAt)
}

// tied reports whether two entries of a group attain its extremum: x has the groups one
// after another, best one entry for each.
func tied(x, best []float64) bool {
	if len(best) == 0 {
		return false
	}
	group := len(x) / len(best)
	for i, b := range best {
		count := 0
		for _, v := range x[i*group : (i+1)*group] {
			if v == b && !math.IsNaN(v) {
				count++
			}
		}
		if count > 1 {
			return true
		}
	}
	return false
}

// conventionsByID sorts and documents a set of ids.
func conventionsByID(ids []string) []Convention {
	var out []Convention
	for _, c := range conventions {
		if slices.Contains(ids, c.ID) {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Convention) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// Differentiated names the conventions of the functions that are differentiated in the program's one
// expression: by the variables wrt, all where none is named, and in the derivatives that stand in it.
func Differentiated(f *program.Program, wrt ...string) (cs []Convention, err error) {
	defer fault.Guard(&err)
	x, err := f.By(wrt)
	if err != nil {
		return nil, err
	}
	var kinks []kink
	differentiated := func(m combinators.Map, at *combinators.Value) error {
		m, err := adjoint.ClosedSimplify(m, nil)
		if err != nil {
			return err
		}
		y, err := m.Store().ApplyMap(m, at)
		if err == nil {
			kinks = append(kinks, kinksOf(y.Leaves(), at.Leaves())...)
		}
		return err
	}
	for _, m := range combinators.TopoMaps(x.Map) {
		if m.Op() == combinators.MapDerivative {
			if err := differentiated(m.Maps()[0], m.Value()); err != nil {
				return nil, err
			}
		}
	}
	err = differentiated(x.Map, x.At)
	return shownConventions(kinks), err
}
