package eval

import (
	"context"
	"math"
	"math/big"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// A generator builds random well-typed values over variables of all-distinct sizes, with axes
// of size 0 and 1 among them.
type generator struct {
	t     *rapid.T
	s     *combinators.Store
	env   Env
	nodes []*combinators.Node
}

var axisSizes = []int64{2, 3, 4, 5, 1, 0}

func newGenerator(t *rapid.T) *generator {
	g := &generator{t: t, s: combinators.NewStore(), env: Env{}}
	for i := range rapid.IntRange(1, 4).Draw(t, "variables") {
		shape := g.shape(3)
		if i == 0 {
			shape = []int64{3, 3}
		}
		name := string(rune('A' + i))
		g.nodes = append(g.nodes, g.s.Var(name, dims(shape...)))
		ints := make([]int, len(shape))
		for k, d := range shape {
			ints[k] = int(d)
		}
		x := NewTensor(ints...)
		for j := range x.Data {
			x.Data[j] = rapid.SampledFrom([]float64{0, 1, -1, 0.5, 2, -0.3, 0.7, 1.3}).Draw(t, "entry") + 1e-3*float64(j)
		}
		g.env[name] = x
	}
	for _, name := range []string{"i", "j"}[:rapid.IntRange(0, 2).Draw(t, "arrays")] { // of whole numbers below n
		rows, n := rapid.SampledFrom(axisSizes).Draw(t, "rows"), rapid.SampledFrom(axisSizes[:5]).Draw(t, "bound")
		g.nodes = append(g.nodes, g.s.Member(name, dims(rows, n), atom.Index.With(0)))
		x := NewTensor(int(rows))
		for k := range x.Data {
			x.Data[k] = float64(rapid.Int64Range(0, n-1).Draw(t, "place"))
		}
		g.env[name] = x
	}
	return g
}

func (g *generator) shape(most int) []int64 {
	shape := make([]int64, rapid.IntRange(0, most).Draw(g.t, "order"))
	for k := range shape {
		shape[k] = rapid.SampledFrom(axisSizes).Draw(g.t, "size")
	}
	return shape
}

func (g *generator) node() *combinators.Node {
	// recent nodes more often, so that programs get deep
	n := len(g.nodes)
	return g.nodes[max(rapid.IntRange(0, n-1).Draw(g.t, "node"), rapid.IntRange(0, n-1).Draw(g.t, "node"))]
}

// like finds a node of one shape, which may be the only one.
func (g *generator) like(a *combinators.Node) *combinators.Node {
	var same []*combinators.Node
	for _, n := range g.nodes {
		if slices.Equal(n.Shape(), a.Shape()) {
			same = append(same, n)
		}
	}
	return rapid.SampledFrom(same).Draw(g.t, "like")
}

// bounded keeps values in a range where nothing overflows.
func (g *generator) bounded(a *combinators.Node) *combinators.Node { return g.s.Unary(atom.Tanh, a) }

func (g *generator) grow() {
	s, a := g.s, g.node()
	switch rapid.SampledFrom([]string{"unary", "power", "binary", "add", "mul", "neg", "ein", "ein", "ein", "ein", "affine", "matrix", "reduce", "reshape", "constant", "guard"}).Draw(g.t, "operation") {
	case "unary":
		var ats []*atom.Row
		for _, at := range atom.Rows() {
			if at.F1 != nil {
				ats = append(ats, at)
			}
		}
		a = s.Unary(rapid.SampledFrom(ats).Draw(g.t, "function"), a)
	case "power":
		a = s.Power(a, rapid.SampledFrom([]*big.Rat{big.NewRat(2, 1), big.NewRat(-1, 1), big.NewRat(1, 2), big.NewRat(-1, 2), big.NewRat(3, 1), big.NewRat(-2, 1), big.NewRat(5, 3)}).Draw(g.t, "exponent"))
	case "binary":
		var ats []*atom.Row
		for _, at := range atom.Rows() {
			if at.F2 != nil {
				ats = append(ats, at)
			}
		}
		a = s.Binary(rapid.SampledFrom(ats).Draw(g.t, "function"), a, g.like(a))
	case "add":
		a = s.Add(a, g.like(a))
	case "mul":
		a = s.Mul(a, g.like(a))
	case "neg":
		a = s.Neg(a)
	case "ein":
		a = g.plain()
	case "affine":
		a = g.affine()
	case "matrix":
		k := a.Order()
		if k < 2 || a.Shape()[k-1] != a.Shape()[k-2] {
			return
		}
		switch rapid.SampledFrom([]string{"inv", "minor", "logdet", "solve"}).Draw(g.t, "function") {
		case "inv":
			a = s.Inv(g.regular(a))
		case "minor":
			m := rapid.IntRange(0, 2).Draw(g.t, "derivative")
			if k+2*m > 6 {
				return
			}
			a = s.Minor(m, a)
		case "logdet":
			a = s.LogDet(a)
		case "solve":
			a = s.Solve(g.regular(a), a)
		}
	case "reduce":
		n := rapid.IntRange(0, a.Order()).Draw(g.t, "axes")
		switch f := rapid.SampledFrom([]string{"max", "min", "logsumexp", "softmax", "norm2"}).Draw(g.t, "function"); f {
		case "softmax":
			a = s.Softmax(n, a)
		case "norm2":
			a = s.Norm2(a)
		default:
			a = s.Reduce(f, n, a)
		}
	case "reshape":
		if a.Order() < 2 {
			return
		}
		k := rapid.IntRange(0, a.Order()-2).Draw(g.t, "axis")
		m := s.Merge(k, a)
		if rapid.Bool().Draw(g.t, "split") {
			m = s.Split(k, a.Shape()[k], a.Shape()[k+1], s.Unary(atom.Sin, m))
		}
		a = m
	case "constant":
		sizes := dims(g.shape(2)...)
		switch rapid.SampledFrom([]string{"delta", "ones", "fill", "number"}).Draw(g.t, "constant") {
		case "delta":
			a = s.Eye(sizes)
		case "ones":
			a = s.Ones(sizes)
		case "fill":
			a = s.Broadcast(s.Const(big.NewRat(3, 7)), sizes)
		case "number":
			a = s.Const(big.NewRat(-5, 3))
		}
	case "guard":
		guard := rapid.SampledFrom([]combinators.Guard{combinators.GuardWeak, combinators.GuardZero}).Draw(g.t, "guard")
		a = s.Power(a, big.NewRat(-1, 2)).WithGuard(guard)
	}
	if entriesOf(a) <= 4000 && a.Order() <= 6 {
		g.nodes = append(g.nodes, a)
	}
}

func entriesOf(n *combinators.Node) int64 {
	p := int64(1)
	for _, d := range n.Shape() {
		v, _ := d.Int()
		p *= v
	}
	return p
}

// regular is a + 5 times the identity, over the last two axes, with a bounded.
func (g *generator) regular(a *combinators.Node) *combinators.Node {
	s := g.s
	k := a.Order()
	shape := a.Shape()
	letters, out := make([]int, 0, k), make([]int, 0, k)
	for i := range k - 2 {
		out = append(out, i)
	}
	out = append(out, k-2, k-2)
	eye := s.Ein(einsum.Plain([][]int{letters}, out, shape[:k-1]), s.Int(5))
	return s.Add(g.bounded(a), eye)
}

// plain is a product with random index strings: repeated, missing, summed and new letters.
func (g *generator) plain() *combinators.Node {
	var args []*combinators.Node
	var in [][]int
	var sizes []size.Size
	letter := func(d size.Size) int {
		for l, e := range sizes {
			if e == d && rapid.Bool().Draw(g.t, "same letter") {
				return l
			}
		}
		sizes = append(sizes, d)
		return len(sizes) - 1
	}
	for range rapid.IntRange(1, 4).Draw(g.t, "operands") {
		a := g.node()
		if rapid.Bool().Draw(g.t, "bounded") {
			a = g.bounded(a)
		}
		var letters []int
		for _, d := range a.Shape() {
			letters = append(letters, letter(d))
		}
		args, in = append(args, a), append(in, letters)
	}
	var out []int
	for l := range sizes {
		for range rapid.SampledFrom([]int{0, 0, 1, 1, 1, 2}).Draw(g.t, "outputs") {
			out = append(out, l)
		}
	}
	for rapid.IntRange(0, 5).Draw(g.t, "new") == 0 {
		sizes = append(sizes, size.Const(rapid.SampledFrom(axisSizes).Draw(g.t, "size")))
		out = append(out, len(sizes)-1)
	}
	out = rapid.Permutation(out).Draw(g.t, "order")
	if len(out) > 4 {
		out = out[:4]
	}
	points := int64(1)
	for _, d := range sizes {
		v, _ := d.Int()
		points *= v
	}
	if points > 50000 {
		return args[0]
	}
	return g.s.Ein(einsum.Plain(in, out, sizes), args...)
}

// affine is a contraction with affine index maps and conditions.
func (g *generator) affine() *combinators.Node {
	vars := make([]size.Size, rapid.IntRange(1, 4).Draw(g.t, "loops"))
	for v := range vars {
		vars[v] = size.Const(rapid.Int64Range(0, 5).Draw(g.t, "size"))
	}
	form := func() einsum.Affine {
		a := einsum.Affine{Off: size.Const(rapid.Int64Range(-2, 2).Draw(g.t, "offset"))}
		for v := range vars {
			if rapid.IntRange(0, 2).Draw(g.t, "use") == 0 {
				a = a.Plus(rapid.SampledFrom([]int64{1, 1, -1, 2, -3}).Draw(g.t, "coefficient"), einsum.Variable(v))
			}
		}
		return a
	}
	forms := func(n int) []einsum.Affine {
		var out []einsum.Affine
		for range n {
			out = append(out, form())
		}
		return out
	}
	var args []*combinators.Node
	var in []einsum.Access
	for range rapid.IntRange(0, 3).Draw(g.t, "operands") {
		a := g.node()
		args = append(args, a)
		in = append(in, einsum.Access{Shape: a.Shape(), Index: forms(a.Order())})
	}
	shape := dims(g.shape(3)...)
	c, err := einsum.New(vars, in, einsum.Access{Shape: shape, Index: forms(len(shape))},
		forms(rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(g.t, "equalities")),
		forms(rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(g.t, "inequalities")))
	if err != nil {
		panic(err)
	}
	return g.s.Ein(c, args...)
}

// close compares two tensors: rounding apart, and where reference values overflow.
func requireClose(t require.TestingT, want, got *Tensor, msg string) {
	require.Equal(t, want.Shape, got.Shape, msg)
	for i, w := range want.Data {
		v := got.Data[i]
		if math.IsNaN(w) && math.IsNaN(v) || w == v {
			continue
		}
		if !(math.Abs(v-w) <= 1e-8*(1+math.Abs(w))) {
			require.Failf(t, "values differ", "%s: entry %d is %g, not %g", msg, i, v, w)
		}
	}
}

// The fast evaluator agrees with the reference on random programs.
func TestFastIsReference(t *testing.T) {
	t.Run("one goroutine", testFastIsReference)
	defer func(work float64, procs int) { parallelWork = work; runtime.GOMAXPROCS(procs) }(parallelWork, runtime.GOMAXPROCS(4))
	parallelWork = 1
	t.Run("several", testFastIsReference)
}

func testFastIsReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := newGenerator(t)
		for range rapid.IntRange(1, 12).Draw(t, "operations") {
			g.grow()
		}
		outs := []*combinators.Node{g.nodes[len(g.nodes)-1], g.node(), g.node()}
		want, werr := Reference(context.Background(), outs, g.env, nil)
		got, gerr := Run(context.Background(), outs, g.env)
		if werr != nil || gerr != nil {
			if werr == nil || gerr == nil {
				t.Fatalf("errors differ: %v, %v", werr, gerr)
			}
			return
		}
		// Sums are reordered, which may turn an infinity into NaN or back; programs in which one
		// arises are compared where that cannot happen, in TestGuards.
		topo := combinators.Topo(outs...)
		all, err := Reference(context.Background(), topo, g.env, nil)
		require.NoError(t, err)
		if jumps(topo, all) {
			return
		}
		for _, x := range all {
			for _, v := range x.Data {
				if v-v != 0 || math.Abs(v) > 1e8 {
					return
				}
			}
		}
		for i := range outs {
			requireClose(t, want[i], got[i], describe(outs[i]))
		}
	})
}

// jumps reports whether some function with a jump is near it, by rounding perhaps on the other side.
func jumps(nodes []*combinators.Node, values []*Tensor) bool {
	of := map[*combinators.Node]*Tensor{}
	for i, n := range nodes {
		of[n] = values[i]
		switch n.Atom() {
		case atom.Ge, atom.Gt, atom.Le, atom.Lt, atom.Eq, atom.Ne, atom.Step, atom.Sign:
		default:
			continue
		}
		for k, x := range of[n.Arg(0)].Data {
			y := 0.0
			if len(n.Args()) == 2 {
				y = of[n.Arg(1)].Data[k]
			}
			computed := slices.ContainsFunc(n.Args(), func(a *combinators.Node) bool { return len(a.Args()) > 0 })
			if computed && math.Abs(x-y) <= 1e-9*(1+math.Abs(x)) {
				return true
			}
		}
	}
	return false
}

func describe(n *combinators.Node) string {
	var b []byte
	for _, m := range combinators.Topo(n) {
		b = append(b, "\n"...)
		b = append(b, size.Const(int64(m.ID())).String()...)
		b = append(b, " = "+m.Atom().Name+" "+m.Name()...)
		if m.Rat() != nil {
			b = append(b, m.Rat().RatString()...)
		}
		if m.Ein() != nil {
			b = append(b, m.Ein().Key()...)
		}
		if m.Guard() != 0 {
			b = append(b, " guard "...)
		}
		for _, a := range m.Args() {
			b = append(b, " #"+size.Const(int64(a.ID())).String()...)
		}
		b = append(b, " : "+size.Shape(m.Shape())...)
	}
	return string(b)
}
