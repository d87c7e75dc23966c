package assumptions

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// Facts is what is known of the signs of values: from their form, and from the program
// whose derivative is simplified, which is undefined elsewhere. A sign is that of the entries that
// have a value: sqrt(x) is never negative, and is no number where x is. So a law that keeps a value
// may ask for its sign alone, as |x| = x does, but one that loses it asks for [Facts.Defined] too:
// relu(-sqrt(x)) is not 0 everywhere.
type Facts struct {
	known combinators.ByNode[fact]
}

// fact is what is known of one value: what the program says of it, and the sign found by its form.
type fact struct {
	positive, nonneg, nonzero, invertible bool
	found                                 bool
	sign                                  sign
	total                                 bool // it is known to be defined
}

type sign uint8

const (
	unknown sign = iota
	nonneg
	positive
)

// New knows nothing but what the form of a value says.
func New() *Facts {
	return &Facts{}
}

// Assume records that the program outs is defined: see [combinators.Domains]. It reports whether that says
// anything.
func (f *Facts) Assume(outs ...*combinators.Node) bool {
	domains := combinators.Domains(outs...)
	for _, d := range domains {
		k := f.known.At(d.Value)
		k.positive = k.positive || d.Positive
		k.nonneg = k.nonneg || d.Nonneg
		k.nonzero = k.nonzero || d.Nonzero
		k.invertible = k.invertible || d.Invertible
	}
	all := f.known.All()
	for i := range all {
		all[i].found = false
	}
	return len(domains) > 0
}

// Positive reports whether every entry of n is known to be greater than 0.
func (f *Facts) Positive(n *combinators.Node) bool { return f.sign(n) == positive }

// Nonneg reports whether no entry of n is negative.
func (f *Facts) Nonneg(n *combinators.Node) bool { return f.sign(n) >= nonneg }

// Nonzero reports whether no entry of n is known to be 0.
func (f *Facts) Nonzero(n *combinators.Node) bool {
	if r, ok := n.Filled(); ok {
		return r.Sign() != 0
	}
	if f != nil && len(n.Args()) == 1 && n.Atom().Signs(atom.Signs{Nonzero: f.known.Get(n.Arg(0)).nonzero}).Nonzero {
		return true
	}
	return f != nil && f.known.Get(n).nonzero || f.Positive(n) || n.Is(atom.Minor) && n.Attr() == 0 && f.Invertible(n.Arg(0))
}

// Defined reports whether n is known to have a value wherever its variables have one: logarithms
// of positive numbers only, roots of what is not negative, and so on. Infinities are values.
func (f *Facts) Defined(n *combinators.Node) bool {
	if f == nil {
		f = New()
	}
	return f.defined(n, signDepth)
}

// Finite reports whether the operation of n, as far as its operands have values, is known to have one that is no
// infinity either, whatever the numbers are: the sine of x, but not exp(x), which overflows, nor 1/x.
func (f *Facts) Finite(n *combinators.Node) bool {
	if f == nil {
		f = New()
	}
	return !n.Overflows() && f.InDomain(n)
}

func (f *Facts) defined(n *combinators.Node, fuel int) bool {
	if f.known.Get(n).total {
		return true
	}
	if fuel == 0 || !f.InDomain(n) {
		return false
	}
	for _, a := range n.Args() {
		if !f.defined(a, fuel-1) {
			return false
		}
	}
	f.known.At(n).total = true
	return true
}

// InDomain reports whether the operands of n, as far as they have values, are known to be in the
// domain of its operation.
func (f *Facts) InDomain(n *combinators.Node) bool {
	switch n.Atom() {
	case atom.Power:
		root, inverse := !n.Rat().IsInt(), n.Rat().Sign() < 0
		return (!root || f.Nonneg(n.Arg(0))) && (!inverse || f.Nonzero(n.Arg(0)) || n.Guard() == combinators.GuardZero)
	case atom.Inv, atom.Solve:
		return f.Invertible(n.Arg(0))
	case atom.LogDet:
		return f.definite(n.Arg(0), signDepth) == positive
	}
	x := atom.Signs{}
	if at := n.Atom(); at.Class == atom.ClassElementwise && at.Domain.Bounded() {
		s := f.sign(n.Arg(0))
		x = atom.Signs{Positive: s == positive, Nonneg: s >= nonneg}
	}
	return n.Atom().Defined(x)
}

// signDepth bounds how far a sign is looked for: deeper terms have an unknown sign.
const signDepth = 12

// sign decides by the form of n. Each node is visited once; the recursion is bounded
// since deep nodes are decided when their users ask, bottom-up.
func (f *Facts) sign(n *combinators.Node) sign {
	if f == nil {
		f = New()
	}
	if k := f.known.Get(n); k.found {
		return k.sign
	}
	s := f.decide(n, signDepth)
	k := f.known.At(n)
	k.sign, k.found = s, true
	return s
}

func (f *Facts) decide(n *combinators.Node, fuel int) sign {
	k, of := f.known.Get(n), n.Attributes()
	switch {
	case k.positive || of.Has(atom.Positive):
		return positive
	case k.found:
		return k.sign
	case k.nonneg && k.nonzero:
		return positive
	}
	s := unknown
	if k.nonneg || of.Has(atom.Nonneg) {
		s = nonneg
	}
	if fuel == 0 {
		return s
	}
	return max(s, f.derived(n, fuel))
}

// derived is the sign that follows from those of the operands.
// It stays one switch: a case for each function.
func (f *Facts) derived(n *combinators.Node, fuel int) sign {
	arg := func(k int) sign { return f.decide(n.Arg(k), fuel-1) }
	switch n.Atom() {
	case atom.AMax:
		if slices.Contains(n.Arg(0).Shape(), size.Size{}) { // then it is -inf
			return unknown
		}
	case atom.Max:
		return max(arg(0), arg(1))
	case atom.Min:
		return min(arg(0), arg(1))
	case atom.Const:
		switch n.Rat().Sign() {
		case 1:
			return positive
		case 0:
			return nonneg
		}
	case atom.Power:
		switch a := arg(0); {
		case a == nonneg && n.Rat().Sign() < 0 && n.Guard() != combinators.GuardZero:
			return positive // where it is defined at all, and not made 0
		case a != unknown:
			return a
		case !n.Rat().IsInt() || n.Rat().Num().Bit(0) == 0:
			return nonneg
		}
	case atom.Pow:
		return arg(0)
	case atom.Add:
		if a, b := arg(0), arg(1); a != unknown && b != unknown {
			return max(a, b)
		}
	case atom.Ein:
		return f.product(n, fuel)
	case atom.Minor:
		if n.Attr() == 0 && f.definite(n.Arg(0), fuel-1) == positive {
			return positive
		}
	}
	return f.tabled(n, fuel)
}

// tabled is the sign that the table has of a function, by that of its one operand.
func (f *Facts) tabled(n *combinators.Node, fuel int) sign {
	at, x := n.Atom(), atom.Signs{}
	if len(n.Args()) == 1 && !at.Signs(x).Positive {
		a := f.decide(n.Arg(0), fuel-1)
		x = atom.Signs{Positive: a == positive, Nonneg: a >= nonneg, Nonzero: a == positive || f.known.Get(n.Arg(0)).nonzero}
	}
	switch y := at.Signs(x); {
	case y.Positive:
		return positive
	case y.Nonneg:
		return nonneg
	}
	return unknown
}

// product: squares at one index map are non-negative, so are products of non-negative
// factors; they are positive where nothing is summed and nothing is off a diagonal.
func (f *Facts) product(n *combinators.Node, fuel int) sign {
	in, out, ok := n.Ein().IsPlain()
	if !ok {
		return unknown
	}
	res := positive
	if !einsum.Permutation(out, len(n.Ein().Vars)) {
		res = nonneg
	}
	for k := range in {
		a := f.factor(n, in, k, fuel-1)
		if a == unknown && f.paired(n, in, k) {
			return f.mirrored(n, in, out, 0, 0, fuel)
		}
		if a == unknown {
			return unknown
		}
		res = min(res, a)
	}
	return res
}

// paired reports whether factor k, of an unknown sign, may be one of two images, or a matrix between them.
func (f *Facts) paired(n *combinators.Node, in [][]int, k int) bool {
	a := n.Arg(k)
	return slices.Contains(n.Args()[k+1:], a) || len(in[k]) == 2 && a.Shape()[0] == a.Shape()[1] && f.definite(a, kernelDepth) != unknown
}

// kernelDepth bounds how deep it is looked that a matrix between two factors is definite.
const kernelDepth = 2

// mirrored is nonneg for a sum of squares or of quadratic forms, and for a semidefinite matrix of the axes row and column: see
// [einsum.Mirrored].
func (f *Facts) mirrored(n *combinators.Node, in [][]int, out []int, row, column, fuel int) sign {
	if einsum.Mirrored(in, len(n.Ein().Vars), out, row, column,
		func(k int) bool { return f.decide(n.Arg(k), fuel-1) != unknown },
		func(k int) bool { return f.definite(n.Arg(k), min(fuel-1, kernelDepth)) != unknown },
		func(k int) bool { return f.Has(atom.Symmetric, n.Arg(k)) },
		func(k, l int) bool { return n.Arg(k) == n.Arg(l) }) {
		return nonneg
	}
	return unknown
}

// factor is the sign that factor k of a product adds to it: one with itself at the same indices is a square.
func (f *Facts) factor(n *combinators.Node, in [][]int, k, fuel int) sign {
	a := f.decide(n.Arg(k), fuel)
	if a != unknown {
		return a
	}
	twins := 0
	for l := range in {
		if n.Arg(k) == n.Arg(l) && slices.Equal(in[k], in[l]) {
			twins++
		}
	}
	switch {
	case twins%2 == 1:
		return unknown
	case f.known.Get(n.Arg(k)).nonzero:
		return positive
	}
	return nonneg
}
