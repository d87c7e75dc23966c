package confluence

import (
	"math/big"
	"math/rand/v2"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// drawer draws terms: later terms use earlier ones, so that parts are shared.
type drawer struct {
	*rand.Rand
	dims []size.Size
	pool []*Term
	Options
}

// Draw is a random term of at most steps operations: every atom, sums and products of up to
// four operands, contractions with repeated and missing indices, with strides and bounds,
// guards, matrix functions, reductions and reshapes. Its sizes are symbols or numbers, which
// coincide now and then. In a plain term every index map picks single variables.
func Draw(r *rand.Rand, o Options) *Term {
	d := &drawer{Rand: r, Options: o}
	all := []size.Size{size.Sym("m"), size.Sym("n"), size.Sym("k"), size.Const(3), size.Sym("m").Mul(size.Sym("n")), size.Sym("n").Sub(size.Const(1)), size.Const(1)}
	for range 1 + d.IntN(3) {
		d.dims = append(d.dims, all[min(d.IntN(len(all)), d.IntN(len(all)))])
	}
	for i := range 2 + d.IntN(4) {
		d.pool = append(d.pool, &Term{Op: Variable, Name: string(rune('a' + i)), Shape: d.shape(2)})
	}
	for range 1 + d.IntN(o.Steps) {
		d.pool = append(d.pool, d.step())
	}
	return d.pool[len(d.pool)-1]
}

func (d *drawer) shape(most int) []size.Size {
	out := []size.Size{}
	for range d.IntN(most + 1) {
		out = append(out, d.dims[d.IntN(len(d.dims))])
	}
	return out
}

// any is a value of the pool, more often a late one.
func (d *drawer) any() *Term {
	return d.pool[max(d.IntN(len(d.pool)), d.IntN(len(d.pool)))]
}

func (d *drawer) coef() *big.Rat {
	if d.IntN(2) == 0 {
		return ratio(1, 1)
	}
	return []*big.Rat{ratio(-1, 1), ratio(2, 1), ratio(-1, 2), ratio(3, 1), ratio(2, 3)}[d.IntN(5)]
}

func (d *drawer) step() *Term {
	if d.Redexes && d.IntN(2) == 0 {
		if t := d.redex(); t != nil {
			return t
		}
	}
	a := d.any()
	switch d.IntN(12) {
	case 0, 1, 2:
		return d.sum(a)
	case 3, 4:
		return d.elementwise(a)
	case 5, 6, 7, 8:
		return d.product(a)
	case 9:
		return d.general(a)
	case 10:
		return d.primitive(a)
	}
	return d.entrywise(a)
}

// like is a value of the shape of a.
func (d *drawer) like(a *Term) *Term {
	var same []*Term
	for _, b := range d.pool {
		if slices.Equal(a.Shape, b.Shape) {
			same = append(same, b)
		}
	}
	switch d.IntN(6) {
	case 0:
		return &Term{Op: Number, Coef: d.coef(), Shape: a.Shape}
	case 1:
		// the transpose of one, where that has its shape, or a broadcast
		for _, b := range d.pool {
			if len(b.Shape) == 2 && len(a.Shape) == 2 && b.Shape[0] == a.Shape[1] && b.Shape[1] == a.Shape[0] {
				return transposed(b, []int{1, 0})
			}
		}
		for _, b := range d.pool {
			if len(b.Shape) == 0 {
				return &Term{Op: Product, Coef: ratio(1, 1), Args: []*Term{b}, In: [][]int{nil}, Out: einsum.UpTo(len(a.Shape)), Dims: a.Shape, Shape: a.Shape}
			}
		}
	}
	return same[d.IntN(len(same))]
}

func (d *drawer) sum(a *Term) *Term {
	t := &Term{Op: Sum, Shape: a.Shape, Args: []*Term{a}, Coefs: []*big.Rat{d.coef()}}
	for range 1 + d.IntN(3) {
		t.Args, t.Coefs = append(t.Args, d.like(a)), append(t.Coefs, d.coef())
	}
	return t
}

// entrywise is the element-wise product of values of one shape.
func (d *drawer) entrywise(a *Term) *Term {
	t := &Term{Op: Product, Coef: d.coef(), Shape: a.Shape, Args: []*Term{a}, Out: einsum.UpTo(len(a.Shape)), Dims: a.Shape}
	for range 1 + d.IntN(2) {
		t.Args = append(t.Args, d.like(a))
	}
	for range t.Args {
		t.In = append(t.In, t.Out)
	}
	return t
}

// product is a contraction of one to four values: any letters that fit the sizes, repeated
// or not, summed or not, and now and then one that no operand has.
func (d *drawer) product(a *Term) *Term {
	t := &Term{Op: Product, Coef: d.coef(), Args: []*Term{a}}
	for range d.IntN(4) {
		t.Args = append(t.Args, d.any())
	}
	for _, x := range t.Args {
		g := []int{}
		for _, n := range x.Shape {
			l := -1
			for v, m := range t.Dims {
				if m == n && d.IntN(3) > 0 && (!slices.Contains(g, v) || d.IntN(6) == 0) {
					l = v
				}
			}
			if l < 0 {
				l = len(t.Dims)
				t.Dims = append(t.Dims, n)
			}
			g = append(g, l)
		}
		t.In = append(t.In, g)
	}
	if d.IntN(8) == 0 {
		t.Dims = append(t.Dims, d.dims[d.IntN(len(d.dims))])
	}
	for _, v := range d.Perm(len(t.Dims)) {
		if len(t.Out) < 3 && d.IntN(2) == 0 {
			t.Out = append(t.Out, v)
			if len(t.Out) < 3 && d.IntN(10) == 0 {
				t.Out = append(t.Out, v)
			}
		}
	}
	t.Shape = []size.Size{}
	for _, v := range t.Out {
		t.Shape = append(t.Shape, t.Dims[v])
	}
	return t
}

// general is a contraction that is not plain: a window y[i] = sum x[i+k] w[k], a stride,
// a running sum, a reversal.
func (d *drawer) general(a *Term) *Term {
	var vectors []*Term
	for _, b := range d.pool {
		if len(b.Shape) == 1 {
			vectors = append(vectors, b)
		}
	}
	if len(vectors) == 0 || d.Plain {
		return d.product(a)
	}
	x, w := vectors[d.IntN(len(vectors))], vectors[d.IntN(len(vectors))]
	n, m := x.Shape[0], w.Shape[0]
	plus := func(i, j int64, off size.Size) einsum.Affine {
		f := einsum.Affine{Off: off}
		if i != 0 {
			f.Terms = append(f.Terms, einsum.Term{Var: 0, Coef: i})
		}
		if j != 0 {
			f.Terms = append(f.Terms, einsum.Term{Var: 1, Coef: j})
		}
		return f
	}
	access := func(n size.Size, f einsum.Affine) einsum.Access {
		return einsum.Access{Shape: []size.Size{n}, Index: []einsum.Affine{f}}
	}
	zero := size.Size{}
	var vars []size.Size
	var in []einsum.Access
	var ge []einsum.Affine
	var out einsum.Access
	args := []*Term{x}
	switch d.IntN(4) {
	case 0: // a window
		k := n.Sub(m).Add(size.Const(1))
		vars = []size.Size{k, m}
		in = []einsum.Access{access(n, plus(1, 1, zero)), access(m, plus(0, 1, zero))}
		out = access(k, plus(1, 0, zero))
		args = []*Term{x, w}
	case 1: // every second entry, spread
		vars = []size.Size{n}
		in = []einsum.Access{access(n, plus(1, 0, zero))}
		out = access(n.Mul(size.Const(2)), plus(2, 0, zero))
	case 2: // a running sum
		vars = []size.Size{n, n}
		in = []einsum.Access{access(n, plus(0, 1, zero))}
		out = access(n, plus(1, 0, zero))
		ge = []einsum.Affine{plus(1, -1, zero)}
	default: // the entries in reverse
		vars = []size.Size{n}
		in = []einsum.Access{access(n, plus(-1, 0, n.Sub(size.Const(1))))}
		out = access(n, plus(1, 0, zero))
	}
	c, err := einsum.New(vars, in, out, nil, ge)
	if err != nil {
		panic(err)
	}
	return &Term{Op: General, Ein: c, Args: args, Shape: out.Shape}
}

func (d *drawer) elementwise(a *Term) *Term {
	if d.IntN(3) == 0 {
		e := []*big.Rat{ratio(2, 1), ratio(-1, 1), ratio(1, 2), ratio(-1, 2), ratio(3, 1), ratio(-2, 1), ratio(3, 2), ratio(4, 1)}[d.IntN(8)]
		t := &Term{Op: Elementwise, Coef: e, Args: []*Term{a}, Shape: a.Shape}
		if e.Sign() < 0 && d.IntN(4) == 0 {
			t.Guard = combinators.GuardWeak
		}
		return t
	}
	var unary, binary []*atom.Row
	for _, at := range atom.Rows() {
		if at.Class == atom.ClassElementwise && at != atom.Power {
			if at.Arity == 1 {
				unary = append(unary, at)
			} else {
				binary = append(binary, at)
			}
		}
	}
	if d.IntN(4) == 0 {
		return &Term{Op: Elementwise, Name: binary[d.IntN(len(binary))].Name, Args: []*Term{a, d.like(a)}, Shape: a.Shape}
	}
	if d.IntN(2) == 0 {
		unary = []*atom.Row{atom.Exp, atom.Log, atom.Abs, atom.Sin, atom.Sigmoid, atom.Sign, atom.Relu}
	}
	return &Term{Op: Elementwise, Name: unary[d.IntN(len(unary))].Name, Args: []*Term{a}, Shape: a.Shape}
}

func (d *drawer) primitive(a *Term) *Term {
	n := len(a.Shape)
	if d.IntN(2) == 0 {
		for _, b := range d.pool {
			if k := len(b.Shape); k >= 2 && b.Shape[k-1] == b.Shape[k-2] && d.IntN(2) == 0 {
				a, n = b, k
			}
		}
	}
	if n >= 2 && a.Shape[n-1] == a.Shape[n-2] && d.IntN(3) > 0 {
		switch d.IntN(5) {
		case 0:
			return &Term{Op: Primitive, Name: "inv", Args: []*Term{a}, Shape: a.Shape}
		case 1:
			return &Term{Op: Primitive, Name: "minor", Args: []*Term{a}, Shape: a.Shape[:n-2]}
		case 2:
			return &Term{Op: Primitive, Name: "minor", Attr: 1, Args: []*Term{a}, Shape: a.Shape}
		case 3:
			return &Term{Op: Primitive, Name: "logdet", Args: []*Term{a}, Shape: a.Shape[:n-2]}
		}
		for _, b := range d.pool {
			if len(b.Shape) >= n-1 && slices.Equal(b.Shape[:n-1], a.Shape[:n-1]) {
				return &Term{Op: Primitive, Name: "solve", Args: []*Term{a, b}, Shape: b.Shape}
			}
		}
	}
	k := 0
	if n > 0 {
		k = 1 + d.IntN(n)
	}
	switch d.IntN(6) {
	case 0:
		return &Term{Op: Primitive, Name: "norm2", Args: []*Term{a}, Shape: []size.Size{}}
	case 1:
		if n >= 2 {
			i := d.IntN(n - 1)
			shape := slices.Concat(a.Shape[:i], []size.Size{a.Shape[i].Mul(a.Shape[i+1])}, a.Shape[i+2:])
			return &Term{Op: Primitive, Name: "merge", Attr: i, Args: []*Term{a}, Shape: shape}
		}
	case 2:
		for _, p := range d.dims {
			for _, q := range d.dims {
				for i, m := range a.Shape {
					if p.Mul(q) == m {
						return &Term{Op: Primitive, Name: "split", Attr: i, Args: []*Term{a}, Dims: []size.Size{p, q},
							Shape: slices.Concat(a.Shape[:i], []size.Size{p, q}, a.Shape[i+1:])}
					}
				}
			}
		}
	case 3:
		return &Term{Op: Primitive, Name: "softmax", Attr: k, Args: []*Term{a}, Shape: a.Shape}
	}
	name := []string{"amax", "amin", "logsumexp"}[d.IntN(3)]
	return &Term{Op: Primitive, Name: name, Attr: k, Args: []*Term{a}, Shape: a.Shape[:n-k]}
}

// transposed is x with its axes in the order perm.
func transposed(x *Term, perm []int) *Term {
	t := &Term{Op: Product, Coef: ratio(1, 1), Args: []*Term{x}, In: [][]int{einsum.UpTo(len(perm))}, Out: perm, Dims: x.Shape}
	for _, v := range perm {
		t.Shape = append(t.Shape, x.Shape[v])
	}
	return t
}
