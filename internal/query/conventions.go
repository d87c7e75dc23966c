package query

import (
	"math"
	"math/big"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/eval"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/normal"
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
	{"eigenvalues-at-tie", "the derivative of equal eigenvalues is that of the eigenvectors that were found, in that of eigenvectors the pair counts nothing; matfun(f, S) has its derivative there"},
	{"max-at-tie", "the derivative of max is split evenly among the arguments that attain it"},
	{"min-at-tie", "the derivative of min is split evenly among the arguments that attain it"},
	{"norm2-at-0", "norm2'(0) = 0"},
	{"power-at-0", "where the derivative of a power (sqrt, x^-1, x^t) is infinite at 0, an exactly zero factor wins over it; x^0 has derivative 0, and x^t log(x) is 0 at 0 for t > 0"},
	{"relu-at-0", "relu'(0) = 0"},
	{"rounding-at-jump", "the derivatives of floor, ceil and round are 0, at their jumps too"},
	{"sign-at-0", "sign'(0) = 0"},
	{"step-at-0", "step'(0) = 0"},
}

// kink is a node whose function is not smooth everywhere.
type kink struct {
	id   string
	node *combinators.Node
	of   *combinators.Node // the value that was differentiated
}

// kinksOf finds the nodes with a kink that were differentiated on the way to y: those
// whose arguments depend on wrt.
func kinksOf(y *combinators.Node, wrt []*combinators.Node) []kink {
	order := combinators.Topo(y)
	dep := combinators.Dependents(order, wrt)
	var found []kink
	for _, n := range order {
		id := kinkID(n)
		if id != "" && slices.ContainsFunc(n.Args(), func(a *combinators.Node) bool { return dep.Get(a) }) {
			found = append(found, kink{id, n, y})
		}
	}
	return found
}

// kinkID is the convention of the node's atom. The derivative of a power is finite at 0 where the exponent is 1 or
// more, or 0.
func kinkID(n *combinators.Node) string {
	if n.Is(atom.Power) && (n.Rat().Sign() == 0 || n.Rat().Cmp(big.NewRat(1, 1)) >= 0) {
		return ""
	}
	if f := atom.MatrixFunction(n.Attr()).Row; f != nil && slices.Contains(atom.Matfun[:], n.Atom()) {
		return f.Kink
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

// shownConventions are the conventions that formulas name: of kinks that some values may hit. They are looked at
// in batches that double, each brought to normal form at once, and of an id none is after one that may be hit.
func shownConventions(kinks []kink) []Convention {
	var ids []string
	kinks = slices.DeleteFunc(slices.Clone(kinks), func(k kink) bool { return !k.shownWithoutNumbers() })
	for size := 1; len(kinks) > 0; size *= 2 {
		size = min(size, len(kinks))
		ids = append(ids, reachable(kinks[:size])...)
		kinks = slices.DeleteFunc(kinks[size:], func(k kink) bool { return slices.Contains(ids, k.id) })
	}
	return conventionsByID(ids)
}

// reachable gives the ids of the kinks that some values may hit: not the 0 of a power where the base is known not
// to be 0, nor the tie of a maximum where the difference of the operands is not.
func reachable(kinks []kink) (ids []string) {
	facts, s := assumptions.New(), kinks[0].node.Store()
	gaps := make([]*combinators.Node, len(kinks)) // are 0 at the kink
	for i, k := range kinks {
		gaps[i] = k.node.Arg(0)
		if at := k.node.Atom(); at.Class == atom.ClassElementwise && at.Arity == 2 && at != atom.Pow {
			gaps[i] = s.Sub(gaps[i], k.node.Arg(1))
		}
	}
	z := normal.New(s, nil)
	positive := z.Simplify(gaps...)
	var negative []*combinators.Node
	for _, x := range positive {
		negative = append(negative, s.Neg(x))
	}
	negative = z.Further(negative...)
	for i, k := range kinks {
		at, x := k.node.Atom(), positive[i]
		ties := at.Class == atom.ClassPrimitive && at != atom.Norm2
		if ties || !facts.Nonzero(x) && !facts.Positive(negative[i]) {
			ids = append(ids, k.id)
		}
	}
	return ids
}

// met reports whether the arguments' values hit the kink at an entry that is read; value is the node's own, read how
// often each of its entries is, nil where all count.
func (k kink) met(args []*eval.Tensor, value, read *eval.Tensor) bool {
	x, at := args[0].Data, k.node.Atom()
	hits := func(i int) bool { return x[i] == at.KinkNear(x[i]) }
	switch {
	case at.Class == atom.ClassElementwise && at.Arity == 2 && !k.node.Is(atom.Pow): // max, min, comparisons
		hits = func(i int) bool { return x[i] == args[1].Data[i] }
	case k.node.Is(atom.Norm2):
		hits = func(int) bool { return value.Data[0] == 0 && len(x) > 0 }
	case at.Over == atom.OverMatrices:
		hits = k.spectral(args[0], value)
	case at.Class == atom.ClassPrimitive: // max and min over axes
		hits = func(i int) bool { return tied(x, value.Data, i) }
	}
	for i := range value.Data {
		if (read == nil || read.Data[i] > 0) && hits(i) {
			return true
		}
	}
	return false
}

// spectral reports whether an entry of a function of the matrices x meets its kink: belongs to one of two equal eigenvalues or, of a
// function of numbers, to a matrix with an eigenvalue at the kink of that.
func (k kink) spectral(x, value *eval.Tensor) func(i int) bool {
	n := x.Shape[len(x.Shape)-1]
	each, known := len(value.Data)*n*n/max(1, len(x.Data)), map[int][]float64{}
	return func(i int) bool {
		b := i / each
		l, ok := known[b]
		if !ok {
			l = eval.Eigenvalues(x.Data[b*n*n:(b+1)*n*n], n)
			known[b] = l
		}
		if l == nil {
			return false
		}
		j, near := i%n, 1e-15*float64(n)*math.Max(math.Abs(l[0]), math.Abs(l[n-1]))
		if k.node.Is(atom.Eigvals) || k.node.Is(atom.Eigvecs) {
			return j > 0 && l[j]-l[j-1] <= near || j < n-1 && l[j+1]-l[j] <= near
		}
		f := atom.MatrixFunction(k.node.Attr()).Row
		return slices.ContainsFunc(l, func(v float64) bool { return math.Abs(v-f.KinkNear(v)) <= near })
	}
}

// tied reports whether two entries of group i attain its extremum: x has the groups one after another, best one
// entry for each.
func tied(x, best []float64, i int) bool {
	group := len(x) / len(best)
	count := 0
	for _, v := range x[i*group : (i+1)*group] {
		if v == best[i] && !math.IsNaN(v) {
			count++
		}
	}
	return count > 1
}

// readings says how often y reads each entry of every value that it is made of, 0 for entries that are not read: of
// log(A) in tr(log(A)) the diagonal is.
func readings(y *combinators.Node) map[*combinators.Node]*combinators.Node {
	s := y.Store()
	counts := map[*combinators.Node]*combinators.Node{}
	read := func(n, count *combinators.Node) {
		if before := counts[n]; before != nil {
			count = s.Add(before, count)
		}
		counts[n] = count
	}
	read(y, s.Ones(y.Shape()))
	for _, n := range slices.Backward(combinators.Topo(y)) {
		count := counts[n]
		for k, a := range n.Args() {
			switch {
			case n.Ein() != nil: // the adjoint, at ones for the other operands
				args := make([]*combinators.Node, len(n.Args()))
				for j, b := range n.Args() {
					args[j] = s.Ones(b.Shape())
				}
				args[k] = count
				read(a, s.Ein(n.Ein().Swap(k), args...))
			case n.Is(atom.Merge):
				read(a, s.Split(n.Attr(), a.Shape()[n.Attr()], a.Shape()[n.Attr()+1], count))
			case n.Is(atom.Split):
				read(a, s.Merge(n.Attr(), count))
			case n.Atom().Class == atom.ClassPrimitive: // matrices or rows as a whole
				all, batch := einsum.UpTo(n.Order()), n.BatchAxes()
				total := s.Contract([][]int{all}, all[:batch], n.Shape(), count)
				all = einsum.UpTo(a.Order())
				read(a, s.Contract([][]int{all[:batch]}, all, a.Shape(), total))
			default:
				read(a, count)
			}
		}
	}
	return counts
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
		m, err := f.Calculus().ClosedSimplify(m, nil)
		if err != nil {
			return err
		}
		y, err := m.Store().ApplyMap(m, at)
		if err == nil {
			for _, n := range y.Leaves() {
				kinks = append(kinks, kinksOf(n, at.Leaves())...)
			}
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
