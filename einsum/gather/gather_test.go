package gather

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"frechet/einsum"
	"frechet/einsum/integer"
	"frechet/einsum/size"
	"frechet/internal/processor"
)

func num(n int64) size.Size { return size.Const(n) }

// form is the affine form with these coefficients of variables 0, 1, ...
func form(off size.Size, coefs ...int64) einsum.Affine {
	a := einsum.Affine{Off: off}
	for v, c := range coefs {
		if c != 0 {
			a.Terms = append(a.Terms, einsum.Term{Var: v, Coef: c})
		}
	}
	return a
}

func access(shape []size.Size, index ...einsum.Affine) einsum.Access {
	return einsum.Access{Shape: shape, Index: index}
}

func contraction(t *testing.T, vars []size.Size, in []einsum.Access, out einsum.Access, eq, ge []einsum.Affine) *einsum.Contraction {
	t.Helper()
	c, err := einsum.New(vars, in, out, eq, ge)
	require.NoError(t, err)
	return c
}

// random draws a contraction with up to 4 variables, coefficients from -6 to 6, offsets,
// conditions, and sizes among which are 0 and 1. Some sizes are symbols.
func random(t *testing.T, r *rand.Rand) (*einsum.Contraction, []string) {
	symbols := []string{"m", "n"}
	vars := make([]size.Size, r.IntN(4)+1)
	dim := func(most int64) size.Size {
		switch r.IntN(8) {
		case 0:
			return size.Sym(symbols[r.IntN(2)])
		case 1:
			return size.Sym("m").Add(size.Sym("n"))
		case 2:
			return num(r.Int64N(2))
		}
		return num(r.Int64N(most) + 1)
	}
	for v := range vars {
		vars[v] = dim(4)
	}
	affine := func(most int64) einsum.Affine {
		coefs := make([]int64, len(vars))
		for range r.IntN(3) + 1 {
			coefs[r.IntN(len(vars))] = r.Int64N(2*most+1) - most
		}
		off := num(0)
		switch r.IntN(4) {
		case 0:
			off = num(r.Int64N(9) - 2)
		case 1:
			off = size.Sym(symbols[r.IntN(2)]).Sub(num(1))
		}
		return form(off, coefs...)
	}
	index := func() einsum.Access {
		acc := einsum.Access{}
		for range r.IntN(3) {
			if r.IntN(2) == 0 {
				v := r.IntN(len(vars))
				acc.Shape, acc.Index = append(acc.Shape, vars[v]), append(acc.Index, einsum.Variable(v))
				continue
			}
			most := int64(2)
			if r.IntN(3) == 0 {
				most = 6
			}
			acc.Shape, acc.Index = append(acc.Shape, dim(10)), append(acc.Index, affine(most))
		}
		return acc
	}
	var in []einsum.Access
	for range r.IntN(3) {
		in = append(in, index())
	}
	var eq, ge []einsum.Affine
	if r.IntN(3) == 0 {
		eq = append(eq, affine(3))
	}
	for range r.IntN(3) {
		ge = append(ge, affine(3))
	}
	return contraction(t, vars, in, index(), eq, ge), symbols
}

func TestGatherIsScatter(t *testing.T) {
	count := 10000
	if testing.Short() {
		count = 1000
	}
	r := rand.New(rand.NewPCG(11, 12))
	empty := 0
	for range count {
		c, symbols := random(t, r)
		f, err := Of(c)
		require.NoError(t, err)
		if f.Empty {
			empty++
		}
		for range 3 {
			e := env{}
			for _, s := range symbols {
				e[s] = r.Int64N(5)
			}
			agree(t, r, c, f, e)
		}
	}
	t.Logf("%d of %d were empty", empty, count)
}

// conv is the adjoint in x of y[i] = sum over k of w[k] x[stride*i + dilation*k + offset].
func conv(t *testing.T, n, k size.Size, stride, dilation, offset int64, x size.Size) *einsum.Contraction {
	return contraction(t, []size.Size{n, k},
		[]einsum.Access{access([]size.Size{n}, einsum.Variable(0)), access([]size.Size{k}, einsum.Variable(1))},
		access([]size.Size{x}, form(num(offset), stride, dilation)), nil, nil)
}

func adjoint(t *testing.T, c *einsum.Contraction, dy, w []int64, x int64) []int64 {
	f, err := Of(c)
	require.NoError(t, err)
	return f.sum(t, env{}, [][]int64{dy, w}, [][]int64{{int64(len(dy))}, {int64(len(w))}})
}

// The stride need not divide: the last element of x is reached by nothing.
func TestStridedAdjoint(t *testing.T) {
	c := conv(t, num(2), num(3), 2, 1, 0, num(6))
	require.Equal(t, []int64{1, 10, 102, 20, 200, 0}, adjoint(t, c, []int64{1, 2}, []int64{1, 10, 100}, 6))
}

// A common factor of stride and dilation makes a condition of divisibility, with the kernel
// along (2, -3).
func TestCommonFactor(t *testing.T) {
	c := conv(t, num(2), num(3), 6, 4, 0, num(15))
	f, err := Of(c)
	require.NoError(t, err)
	require.Len(t, f.Divides, 1)
	require.Equal(t, int64(2), f.Divides[0].Den)
	want := make([]int64, 15)
	want[0], want[4], want[6], want[8], want[10], want[14] = 1, 10, 2, 100, 20, 200
	require.Equal(t, want, adjoint(t, c, []int64{1, 2}, []int64{1, 10, 100}, 15))
}

// Bounds are rounded towards the inside, for negative quotients too.
func TestNegativeQuotients(t *testing.T) {
	c := conv(t, num(3), num(4), 3, -2, 6, num(14))
	r := rand.New(rand.NewPCG(13, 14))
	f, err := Of(c)
	require.NoError(t, err)
	for range 20 {
		agree(t, r, c, f, env{})
	}
}

// The adjoint of z[i] = x[2*i + 1] is 0 at even indices and past the end.
func TestEverySecondElement(t *testing.T) {
	c := contraction(t, []size.Size{num(4)}, []einsum.Access{access([]size.Size{num(4)}, einsum.Variable(0))},
		access([]size.Size{num(9)}, form(num(1), 2)), nil, nil)
	f, err := Of(c)
	require.NoError(t, err)
	require.Empty(t, f.Loops)
	require.Equal(t, []int64{0, 5, 0, 6, 0, 7, 0, 8, 0}, f.sum(t, env{}, [][]int64{{5, 6, 7, 8}}, [][]int64{{4}}))
	require.Len(t, f.Divides, 1)
	require.NotEmpty(t, f.AtLeast, "the last element is out of reach")
}

// A convolution with symbols for sizes: dx[b] = sum over max(0, b-n+k) <= r <= min(k-1, b).
func TestSymbolicConvolution(t *testing.T) {
	n, k := size.Sym("n"), size.Sym("k")
	c := conv(t, n.Sub(k).Add(num(1)), k, 1, 1, 0, n)
	f, err := Of(c)
	require.NoError(t, err)
	require.Len(t, f.Loops, 1)
	require.Len(t, f.Loops[0].Lower, 2)
	require.Len(t, f.Loops[0].Upper, 2)
	require.Empty(t, f.Zero)
	require.Empty(t, f.Divides)
	require.Empty(t, f.AtLeast)
	r := rand.New(rand.NewPCG(15, 16))
	for range 50 {
		k := r.Int64N(6) + 1
		agree(t, r, c, f, env{"n": k + r.Int64N(8), "k": k})
	}
}

// Two dimensions, with stride and dilation, every size a symbol.
func TestSymbolicConvolution2D(t *testing.T) {
	sym := size.Sym
	r := rand.New(rand.NewPCG(25, 26))
	for _, c := range [][4]int64{{1, 1, 1, 1}, {2, 1, 1, 3}, {2, 3, 2, 2}, {3, 2, 6, 4}} {
		// variables i, j, k, l: x[si*i + dk*k, sj*j + dl*l] w[k,l] dy[i,j]
		x := access([]size.Size{sym("h"), sym("w")}, form(num(0), c[0], 0, c[1]), form(num(0), 0, c[2], 0, c[3]))
		w := access([]size.Size{sym("k"), sym("l")}, form(num(0), 0, 0, 1), form(num(0), 0, 0, 0, 1))
		y := access([]size.Size{sym("m"), sym("n")}, form(num(0), 1), form(num(0), 0, 1))
		vars := []size.Size{sym("m"), sym("n"), sym("k"), sym("l")}
		dx := contraction(t, vars, []einsum.Access{y, w}, x, nil, nil)
		dw := contraction(t, vars, []einsum.Access{y, x}, w, nil, nil)
		fx, err := Of(dx)
		require.NoError(t, err)
		fw, err := Of(dw)
		require.NoError(t, err)
		for range 50 {
			e := env{"h": r.Int64N(9), "w": r.Int64N(9), "k": r.Int64N(4), "l": r.Int64N(4), "m": r.Int64N(5), "n": r.Int64N(5)}
			agree(t, r, dx, fx, e)
			agree(t, r, dw, fw, e)
		}
	}
}

// A locally connected layer, y[s,t] = sum of W[s,t,i,j] x[s+i,t+j], in x: the bounds come from
// the ranges of both the output and the sum.
func TestLocallyConnected(t *testing.T) {
	two := num(2)
	c := contraction(t, []size.Size{two, two, two, two},
		[]einsum.Access{access([]size.Size{two, two}, form(num(0), 1), form(num(0), 0, 1)),
			access([]size.Size{two, two, two, two}, form(num(0), 1), form(num(0), 0, 1), form(num(0), 0, 0, 1), form(num(0), 0, 0, 0, 1))},
		access([]size.Size{num(3), num(3)}, form(num(0), 1, 0, 1), form(num(0), 0, 1, 0, 1)), nil, nil)
	f, err := Of(c)
	require.NoError(t, err)
	require.Len(t, f.Loops, 2)
	for l, loop := range f.Loops { // max(0, b-1) <= z <= min(1, b)
		b := make([]int64, 2)
		b[l] = 1
		require.ElementsMatch(t, []Quotient{{form(num(0)), 1}, {form(num(-1), b...), 1}}, loop.Lower)
		require.ElementsMatch(t, []Quotient{{form(num(1)), 1}, {form(num(0), b...), 1}}, loop.Upper)
	}
	agree(t, rand.New(rand.NewPCG(27, 28)), c, f, env{})
}

// The derivative of exp(-sum((a_ik + b_jk)^2 c_ii + d_(i+k)^3)) in its arguments: the bounds
// are those of Urban and van der Smagt, section 6.
func TestSectionSix(t *testing.T) {
	i, j, k := num(3), num(4), num(5)
	df := access([]size.Size{i, j}, einsum.Variable(0), einsum.Variable(1))
	vars := []size.Size{i, j, k}
	da := contraction(t, vars, []einsum.Access{df}, access([]size.Size{i, k}, form(num(0), 1), form(num(0), 0, 0, 1)), nil, nil)
	f, err := Of(da)
	require.NoError(t, err)
	require.Equal(t, []Loop{{[]Quotient{{form(num(0)), 1}}, []Quotient{{form(num(3)), 1}}}}, f.Loops)
	dc := contraction(t, vars, []einsum.Access{df}, access([]size.Size{i, i}, form(num(0), 1), form(num(0), 1)), nil, nil)
	f, err = Of(dc)
	require.NoError(t, err)
	require.Equal(t, []einsum.Affine{form(num(0), 1, -1)}, f.Zero)
	require.Len(t, f.Loops, 2)
	dd := contraction(t, vars, []einsum.Access{df}, access([]size.Size{num(8)}, form(num(0), 1, 0, 1)), nil, nil)
	f, err = Of(dd)
	require.NoError(t, err)
	require.Len(t, f.Loops, 2)
	bound := func(qs []Quotient) (out []einsum.Affine) {
		for _, q := range qs {
			require.Equal(t, int64(1), q.Den)
			out = append(out, q.Num)
		}
		return out
	}
	// loops j, then k from max(0, dd_0 - 2) to min(4, dd_0)
	require.ElementsMatch(t, []einsum.Affine{form(num(0)), form(num(-2), 1)}, bound(f.Loops[1].Lower))
	require.ElementsMatch(t, []einsum.Affine{form(num(4)), form(num(0), 1)}, bound(f.Loops[1].Upper))
	require.Equal(t, []Quotient{{form(num(0), 1, 0, -1), 1}, {form(num(0), 0, 1), 1}}, f.In[0])
	r := rand.New(rand.NewPCG(17, 18))
	agree(t, r, dd, f, env{})
	out := f.sum(t, env{}, [][]int64{{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}, [][]int64{{3, 4}})
	require.Zero(t, out[7], "the largest index that is read is 6")
}

// y[i,j] = sum over 6 indices of w[..] x[i+2a+3b+5c, j+7d+11e+13f], in x: a kernel of
// dimension 6.
func TestLargeKernel(t *testing.T) {
	n := []size.Size{num(2), num(2), num(2), num(2), num(2), num(2), num(2), num(2)}
	w := access(n[2:], form(num(0), 0, 0, 1), form(num(0), 0, 0, 0, 1), form(num(0), 0, 0, 0, 0, 1),
		form(num(0), 0, 0, 0, 0, 0, 1), form(num(0), 0, 0, 0, 0, 0, 0, 1), form(num(0), 0, 0, 0, 0, 0, 0, 0, 1))
	y := access(n[:2], form(num(0), 1), form(num(0), 0, 1))
	x := access([]size.Size{num(12), num(33)}, form(num(0), 1, 0, 2, 3, 5), form(num(0), 0, 1, 0, 0, 0, 7, 11, 13))
	c := contraction(t, n, []einsum.Access{y, w}, x, nil, nil)
	start := processor.Time()
	f, err := Of(c)
	require.NoError(t, err)
	require.Less(t, processor.Time()-start, time.Second)
	require.Len(t, f.Loops, 6)
	rows := 0
	for _, l := range f.Loops {
		rows += len(l.Lower) + len(l.Upper)
	}
	require.Less(t, rows, 60)
	agree(t, rand.New(rand.NewPCG(19, 20)), c, f, env{})
}

// A contraction on the lattice of its equalities is the same contraction.
func TestResolve(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	none := 0
	for range 2000 {
		c, symbols := random(t, r)
		e := env{}
		for _, s := range symbols {
			e[s] = r.Int64N(5)
		}
		numbers := func(as []einsum.Affine) (out []einsum.Affine) {
			for _, a := range as {
				out = append(out, einsum.Affine{Terms: a.Terms, Off: num(e.size(t, a.Off))})
			}
			return out
		}
		sizes := func(ds []size.Size) (out []size.Size) {
			for _, n := range e.shape(t, ds) {
				out = append(out, num(n))
			}
			return out
		}
		concrete := func(acc einsum.Access) einsum.Access { return access(sizes(acc.Shape), numbers(acc.Index)...) }
		var in []einsum.Access
		for _, acc := range c.In {
			in = append(in, concrete(acc))
		}
		c = contraction(t, sizes(c.Vars), in, concrete(c.Out), numbers(c.Eq), numbers(c.Ge))
		d, ok := Resolve(c)
		var data [][]int64
		for _, acc := range c.In {
			x := make([]int64, total(e.shape(t, acc.Shape)))
			for i := range x {
				x[i] = r.Int64N(19) - 9
			}
			data = append(data, x)
		}
		want := scatter(t, c, e, data)
		if !ok {
			none++
			require.Equal(t, make([]int64, len(want)), want)
			continue
		}
		require.Empty(t, d.Eq)
		require.Equal(t, want, scatter(t, d, e, data), "%v and %v", c, d)
	}
	require.Greater(t, none, 10)
}

// Many variables in dense forms are refused in time.
func TestTooManyBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	vars := make([]size.Size, 11)
	for v := range vars {
		vars[v] = num(r.Int64N(6) + 2)
	}
	coefs := func() []int64 {
		c := make([]int64, len(vars))
		for i := range c {
			c[i] = r.Int64N(13) - 6
		}
		return c
	}
	c := contraction(t, vars, nil, access([]size.Size{num(40), num(50)}, form(num(20), coefs()...), form(num(20), coefs()...)),
		nil, []einsum.Affine{form(num(9), coefs()...)})
	_, err := Of(c)
	require.ErrorIs(t, err, integer.ErrWork)
}
