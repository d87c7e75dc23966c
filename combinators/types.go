package combinators

import (
	"math"
	"slices"
	"strings"

	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// typeRules give the shape of a node by those of its operands, by the number of the row. They panic where these
// do not fit.
var typeRules [256]func(n *Node) []size.Size

func init() {
	for _, at := range atom.Rows() {
		if at.Class == atom.ClassElementwise {
			typeRules[at.Number()] = sameShape
		}
	}
	none := func(*Node) []size.Size { return nil }
	for at, rule := range map[*atom.Row]func(n *Node) []size.Size{
		atom.Const:     none,
		atom.Pi:        none,
		atom.Ein:       func(n *Node) []size.Size { return n.ein.Out.Shape },
		atom.Add:       sameShape,
		atom.Inv:       matrixShape,
		atom.Minor:     minorShape,
		atom.LogDet:    func(n *Node) []size.Size { return matrixShape(n)[:n.Arg(0).Order()-2] },
		atom.Solve:     solveShape,
		atom.AMax:      reducedShape,
		atom.AMin:      reducedShape,
		atom.LogSumExp: reducedShape,
		atom.Prod:      productShape,
		atom.Softmax:   softmaxShape,
		atom.Norm2:     none,
		atom.Merge:     mergeShape,
		atom.Split:     splitShape,
		atom.Eigvals:   func(n *Node) []size.Size { s := matrixShape(n); return s[:len(s)-1] },
		atom.Eigvecs:   matrixShape,
		atom.Chol:      matrixShape,
		atom.Pinv:      turnedShape,
	} {
		typeRules[at.Number()] = rule
	}
	for _, at := range atom.Matfun {
		typeRules[at.Number()] = matfunShape
	}
	typeRules[atom.DeclaredNumber] = declaredShape
	for _, at := range atom.Bodied {
		typeRules[at.Number()] = bodyShape
	}
}

// BatchAxes is the number of leading axes of the first argument that a primitive only
// repeats over: all but the matrix axes, or all but the reduced ones.
func (n *Node) BatchAxes() int {
	if n.Atom().Class != atom.ClassPrimitive {
		return 0
	}
	switch n.Atom().Over {
	case atom.OverMatrices:
		return n.Arg(0).Order() - 2
	case atom.OverVectors:
		return n.Arg(0).Order() - 1
	case atom.OverLast:
		return n.Arg(0).Order() - int(n.attr)
	case atom.OverParams:
		return n.Arg(0).Order() - len(n.Atom().Signature().Params[0])
	}
	return 0
}

// Overflows reports whether the operation of n has no finite value at some finite operands, whatever these are: exp and
// x^3 have large ones, and 1/x at 0.
func (n *Node) Overflows() bool {
	at := n.Atom()
	if at == atom.Power {
		return n.Rat().Sign() < 0 || n.Rat().Num().Cmp(n.Rat().Denom()) > 0
	}
	return at.F1 != nil && (math.IsInf(at.F1(-math.MaxFloat64), 0) || math.IsInf(at.F1(math.MaxFloat64), 0))
}

// Type rules.

func sameShape(n *Node) []size.Size {
	for _, a := range n.Args()[1:] {
		if !slices.Equal(a.Shape(), n.Arg(0).Shape()) {
			panic(TypeErrorf("%s of shapes %s and %s", n.Atom().Name, size.Shape(n.Arg(0).Shape()), size.Shape(a.Shape())))
		}
	}
	return n.Arg(0).Shape()
}

// matrixShape is the shape of a function of the square matrices in the last two axes.
func matrixShape(n *Node) []size.Size {
	s := n.Arg(0).Shape()
	if len(s) < 2 || s[len(s)-1] != s[len(s)-2] {
		panic(TypeErrorf("%s of a value of shape %s", n.Atom().Name, size.Shape(s)))
	}
	return s
}

// turnedShape is that of the transposes of the matrices in the last two axes.
func turnedShape(n *Node) []size.Size {
	s := slices.Clone(n.Arg(0).Shape())
	k := len(s) - 2
	if k < 0 {
		panic(TypeErrorf("%s of a value of shape %s", n.Atom().Name, size.Shape(s)))
	}
	s[k], s[k+1] = s[k+1], s[k]
	return s
}

// matfunShape: of the matrices [batch.., n, n] and directions [batch.., n, n, more..] it is the shape of the last one. The further axes
// of a direction are the first ones of that of the next one.
func matfunShape(n *Node) []size.Size {
	out := matrixShape(n)
	if f := atom.MatrixFunction(int(n.attr)); f.Name == "" {
		panic(TypeErrorf("%s[%d]: there is no function of one number with this number", n.Atom().Name, n.attr))
	}
	for _, h := range n.Args()[1:] {
		s := h.Shape()
		if len(s) < len(out) || !slices.Equal(s[:len(out)], out) {
			panic(TypeErrorf("%s of shapes %s and %s", n.Atom().Name, size.Shape(out), size.Shape(s)))
		}
		out = s
	}
	return out
}

// maxDerivative bounds the order of a derivative of det and of prod.
const maxDerivative = 64

// minorShape: minor[k] of [batch.., n, n] is [batch.., n, n, ..] with k pairs.
func minorShape(n *Node) []size.Size { return derivativeShape(n, len(matrixShape(n))-2) }

// productShape: product[k] of [batch.., n] is [batch.., n, ..] with n k times.
func productShape(n *Node) []size.Size {
	if n.Arg(0).Order() == 0 {
		panic(TypeErrorf("product of a number"))
	}
	return derivativeShape(n, n.Arg(0).Order()-1)
}

// derivativeShape: the derivative of order k has the axes behind batch k times.
func derivativeShape(n *Node, batch int) []size.Size {
	if n.attr < 0 || n.attr > maxDerivative {
		panic(TypeErrorf("%s[%d]: the derivative is of order 0 to %d", n.Atom().Name, n.attr, maxDerivative))
	}
	s := n.Arg(0).Shape()
	out := slices.Clone(s[:batch])
	for range n.attr {
		out = append(out, s[batch:]...)
	}
	return out
}

func solveShape(n *Node) []size.Size {
	a, b := n.Arg(0).Shape(), n.Arg(1).Shape()
	k := len(a) - 2
	if k < 0 || a[k] != a[k+1] || len(b) < k+1 || !slices.Equal(a[:k+1], b[:k+1]) {
		panic(TypeErrorf("solve of shapes %s and %s", size.Shape(a), size.Shape(b)))
	}
	return b
}

func reducedShape(n *Node) []size.Size {
	s := n.Arg(0).Shape()
	if n.attr < 0 || int(n.attr) > len(s) {
		panic(TypeErrorf("%s over %d axes of a value of shape %s", n.Atom().Name, n.attr, size.Shape(s)))
	}
	return s[:len(s)-int(n.attr)]
}

// softmaxShape: softmax over the last axes keeps the shape.
func softmaxShape(n *Node) []size.Size {
	reducedShape(n)
	return n.Arg(0).Shape()
}

func mergeShape(n *Node) []size.Size {
	s, k := n.Arg(0).Shape(), int(n.attr)
	if k < 0 || k+1 >= len(s) {
		panic(TypeErrorf("merge of axes %d and %d of shape %s", k, k+1, size.Shape(s)))
	}
	out := append([]size.Size{}, s[:k]...)
	out = append(out, s[k].Mul(s[k+1]))
	return append(out, s[k+2:]...)
}

func splitShape(n *Node) []size.Size {
	s, k := n.Arg(0).Shape(), int(n.attr)
	if k < 0 || k >= len(s) || s[k] != n.Sizes()[0].Mul(n.Sizes()[1]) {
		panic(TypeErrorf("split of axis %d of shape %s into %s", k, size.Shape(s), size.Shape(n.Sizes())))
	}
	out := append([]size.Size{}, s[:k]...)
	out = append(out, n.Sizes()...)
	return append(out, s[k+1:]...)
}

// declaredShape is the shape of a declared function: an element-wise one has that of its operands, another the axes of
// its result in the place of those of the operands, behind the axes along which it is repeated. A linear one is repeated
// along as many axes in front as its attribute says, and along all behind.
func declaredShape(n *Node) []size.Size {
	g := n.Atom().Signature()
	if g.Elementwise() {
		return sameShape(n)
	}
	batch, sizes, ok := n.declaredSizes()
	if !ok {
		var shapes []string
		shapes = lists.Append(shapes, n.Args(), func(a *Node) string { return size.Shape(a.Shape()) })
		panic(TypeErrorf("%s, of type %s, of %s", n.Atom().Name, g, strings.Join(shapes, " and ")))
	}
	first := n.Arg(0).Shape()
	out := slices.Clone(first[:batch])
	out = lists.Append(out, g.Result, func(d size.Size) size.Size { return d.Subst(sizes) })
	if g.Linear {
		out = append(out, first[batch+len(g.Params[0]):]...)
	}
	return out
}

// TypeSizes are the sizes that the symbols in the type of a declared function from space to space stand for in its call n; of
// a function of square matrices, n is the number of their rows.
func (n *Node) TypeSizes() map[string]size.Size {
	if n.Atom().Over == atom.OverMatrices {
		return map[string]size.Size{"n": n.Arg(0).Shape()[n.BatchAxes()]}
	}
	if g := n.Atom().Signature(); g == nil || g.Elementwise() {
		return nil
	}
	_, sizes, _ := n.declaredSizes()
	return sizes
}

// declaredSizes are TypeSizes, and the number of axes in front along which the function is repeated; ok is false where the
// arguments are not of its type.
func (n *Node) declaredSizes() (batch int, sizes map[string]size.Size, ok bool) {
	g := n.Atom().Signature()
	batch = n.BatchAxes()
	if g.Linear {
		batch = int(n.attr)
	}
	sizes = map[string]size.Size{}
	for i, name := range g.Open() {
		sizes[name] = n.Sizes()[i]
	}
	first := n.Arg(0).Shape()
	var pattern, found []size.Size
	for k, p := range g.Params {
		s := n.Arg(k).Shape()
		if batch < 0 || len(s) < batch+len(p) || !g.Linear && len(s) > batch+len(p) || !slices.Equal(s[:batch], first[:min(batch, len(first))]) {
			return batch, sizes, false
		}
		pattern, found = append(pattern, p...), append(found, s[batch:batch+len(p)]...)
	}
	return batch, sizes, MatchSizes(pattern, found, sizes)
}

// MatchSizes finds the symbols of the pattern p, which stand for the sizes s, one by one: those that stand alone on an axis first.
// It reports whether they fit.
func MatchSizes(p, s []size.Size, symbols map[string]size.Size) bool {
	for i, d := range p {
		if name, alone := d.Symbol(); alone {
			if _, known := symbols[name]; !known {
				symbols[name] = s[i]
			}
		}
	}
	for i, d := range p {
		if d.Subst(symbols) != s[i] {
			return false
		}
	}
	return true
}
