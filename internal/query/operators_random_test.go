package query_test

import (
	"context"
	"fmt"
	"frechet"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"frechet/internal/program"
	"frechet/internal/programs"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// An operated is a random program whose expression is named r, beside scalars of it, and a variable by
// which it is differentiated, with directions. Sizes are symbols or numbers.
type operated struct {
	*rapid.T
	p       *programs.Program
	x       string
	n, rows int
	env     frechet.Env
	numbers bool
}

func drawOperated(t *rapid.T) *operated {
	sizes := rapid.SampledFrom([]map[string]int64{
		{"k": 2, "m": 3, "n": 4, "o": 1, "z": 0},
		{"k": 2, "m": 2, "n": 2, "o": 1}, // equal numbers, different symbols
		{"k": 1, "m": 1, "n": 1, "o": 1},
		{"k": 1, "m": 2, "n": 1, "z": 0},
		{"k": 3, "m": 2, "n": 3},
	}).Draw(t, "sizes")
	c := &operated{T: t, p: programs.DrawOf(t, sizes)}
	c.x = rapid.SampledFrom(c.p.Vars).Draw(t, "wrt")
	c.env = frechet.Env{}
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(dims []int) *frechet.Tensor {
		x := &frechet.Tensor{Shape: dims, Data: make([]float64, program.Volume(dims))}
		for i := range x.Data {
			x.Data[i] = rng.NormFloat64()
		}
		return x
	}
	for name, v := range c.p.Values {
		c.env[name] = &frechet.Tensor{Shape: c.p.Dims[name], Data: v}
	}
	out := make([]int, len(c.p.Shape))
	for i, s := range c.p.Shape {
		out[i] = int(sizes[s])
	}
	c.env["along"], c.env["back"] = random(c.p.Dims[c.x]), random(out)
	c.n, c.rows = len(c.env["along"].Data), len(c.env["back"].Data)
	c.numbers = rapid.Bool().Draw(t, "numbers")
	return c
}

// text is the program with the given expression over its value r, and requests.
func (c *operated) text(expression string, requests ...string) string {
	body := strings.Replace(c.p.Body, "expression ", "let r = ", 1)
	axes := strings.Split(strings.TrimPrefix(c.p.Declare, "declare "), c.x+"[")[1]
	axes = axes[:strings.Index(axes, "]")]
	return fmt.Sprintf("%s along[%s] back[%s]\n%s\nexpression %s\n%s", c.p.Declare, axes, strings.Join(c.p.Shape, ","), body, expression, strings.Join(requests, "\n"))
}

func (c *operated) parse(src string) *frechet.Func {
	f, err := frechet.Parse(src)
	require.NoError(c, err, src)
	if c.numbers {
		sizes := frechet.Sizes{}
		for _, s := range f.Symbols() {
			sizes[s] = c.p.Sizes[s]
		}
		f, err = frechet.Parse(src, frechet.WithSizes(sizes))
		require.NoError(c, err, src)
	}
	return f
}

// values computes terms of one program.
func (c *operated) values(ts ...*frechet.Term) []*frechet.Tensor {
	prog, err := frechet.CompileAll(ts, c.p.Sizes)
	require.NoError(c, err)
	out, err := prog.RunAll(context.Background(), c.env)
	require.NoError(c, err)
	return out
}

// derived are the derivatives of one order by x, one for each mode.
func (c *operated) derived(f *frechet.Func, order int) (ts []*frechet.Term) {
	for _, mode := range []frechet.Mode{frechet.Planned, frechet.Reverse, frechet.Forward} {
		r, err := f.Derive(context.Background(), frechet.Query{Wrt: []string{c.x}, Order: order, Mode: mode})
		require.NoError(c, err)
		ts = append(ts, r.Outputs[0].Derivs[order-1].Term)
	}
	return ts
}

func (c *operated) operation(f *frechet.Func, op frechet.Operation) *frechet.Term {
	r, err := f.Derive(context.Background(), frechet.Query{Wrt: []string{}, Operators: []frechet.Operation{op}})
	require.NoError(c, err)
	require.Len(c, r.Outputs[0].Parts, 1)
	return r.Outputs[0].Parts[0].Term
}

// same compares numbers with those wanted, relative to the largest of these and of scale.
func (c *operated) same(want, got *frechet.Tensor, scale float64, format string, args ...any) {
	require.Equal(c, fmt.Sprint(want.Shape), fmt.Sprint(got.Shape), format, args)
	for _, v := range want.Data {
		scale = max(scale, math.Abs(v))
	}
	for i := range want.Data {
		require.LessOrEqual(c, math.Abs(want.Data[i]-got.Data[i]), 1e-8*scale, "%s: entry %d is %g, wanted %g", fmt.Sprintf(format, args...), i, got.Data[i], want.Data[i])
	}
}

// times is a matrix, rows by columns, at a vector, or a row vector at the matrix.
func times(m *frechet.Tensor, rows, columns int, v []float64, left bool) []float64 {
	out := make([]float64, rows)
	if left {
		out = make([]float64, columns)
	}
	for i := range rows {
		for j := range columns {
			if left {
				out[j] += v[i] * m.Data[i*columns+j]
			} else {
				out[i] += m.Data[i*columns+j] * v[j]
			}
		}
	}
	return out
}

func magnitude(t *frechet.Tensor) float64 {
	m := 1.0
	for _, v := range t.Data {
		m = max(m, math.Abs(v))
	}
	return m
}

// differences are central differences of a value along x, extrapolated; smooth says where they mean
// something.
func (c *operated) differences(t *frechet.Term) (d []float64, smooth []bool) {
	const h = 1e-3
	prog, err := frechet.Compile(t, c.p.Sizes)
	require.NoError(c, err)
	var at [4][]float64
	for i, k := range []float64{1, -1, 2, -2} {
		env := frechet.Env{}
		for name, v := range c.env {
			env[name] = v
		}
		moved := slices.Clone(c.env[c.x].Data)
		for j := range moved {
			moved[j] += k * h * c.env["along"].Data[j]
		}
		env[c.x] = &frechet.Tensor{Shape: c.env[c.x].Shape, Data: moved}
		v, err := prog.Run(context.Background(), env)
		require.NoError(c, err)
		at[i] = v.Data
	}
	for i := range at[0] {
		d1, d2 := (at[0][i]-at[1][i])/(2*h), (at[2][i]-at[3][i])/(4*h)
		d = append(d, (4*d1-d2)/3)
		smooth = append(smooth, math.Abs(d1-d2) <= 1e-4*max(1, math.Abs(d1), math.Abs(at[0][i])))
	}
	return d, smooth
}

func (c *operated) near(want []float64, smooth []bool, got *frechet.Tensor, scale float64, format string, args ...any) {
	for i, w := range want {
		if smooth[i] {
			require.InDelta(c, w, got.Data[i], 1e-5*max(scale, math.Abs(w)), "%s: entry %d", fmt.Sprintf(format, args...), i)
		}
	}
}

// Every operator of first order agrees with the Jacobian, in all modes, and with differences:
//
//	jvp = J v, vjp = J' u, and so for linear maps, their adjoints, and pullbacks
func TestOperatorsOfFirstOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawOperated(t)
		src := c.text("r")
		f := c.parse(src)
		ts := c.derived(f, 1)
		m, err := f.JacobianMap(c.x)
		require.NoError(t, err)
		along, err := f.Variable("along")
		require.NoError(t, err)
		back, err := f.Variable("back")
		require.NoError(t, err)
		applied, err := m.Apply(along)
		require.NoError(t, err)
		transposed, err := m.Transpose()
		require.NoError(t, err)
		pulled, err := transposed.Apply(back)
		require.NoError(t, err)
		l, err := f.Derivative(c.x)
		require.NoError(t, err)
		lin, err := l.Outputs()
		require.NoError(t, err)
		adj, err := l.Adjoint()
		require.NoError(t, err)
		adjs, err := adj.Outputs()
		require.NoError(t, err)
		p, err := f.Pullback()
		require.NoError(t, err)
		c.env[l.Inputs()[0]], c.env[adj.Inputs()[0]], c.env[p.Cotangent] = c.env["along"], c.env["back"], c.env["back"]
		twice, err := m.Add(m)
		require.NoError(t, err)
		v := c.values(append(ts, f.Value(), m.Entries(), twice.Entries(), applied, pulled, lin[0], adjs[0],
			p.Terms[slices.Index(p.Names, c.x)],
			c.operation(f, frechet.Operation{Kind: "jvp", Wrt: c.x, Along: "along"}),
			c.operation(f, frechet.Operation{Kind: "vjp", Wrt: c.x, Along: "back"}))...)
		j := v[0]
		scale := magnitude(j)
		for i, name := range []string{"reverse", "forward", "", "map"} {
			if name != "" {
				c.same(j, v[1+i], 1, "%s by %s of\n%s", name, c.x, src)
			}
		}
		for i := range j.Data {
			require.InDelta(t, 2*j.Data[i], v[5].Data[i], 1e-9*scale)
		}
		jv := &frechet.Tensor{Shape: c.env["back"].Shape, Data: times(j, c.rows, c.n, c.env["along"].Data, false)}
		ju := &frechet.Tensor{Shape: c.env["along"].Shape, Data: times(j, c.rows, c.n, c.env["back"].Data, true)}
		for _, k := range []int{6, 8, 11} {
			c.same(jv, v[k], scale, "value %d, J v by %s of\n%s", k, c.x, src)
		}
		for _, k := range []int{7, 9, 10, 12} {
			c.same(ju, v[k], scale, "value %d, J' u by %s of\n%s", k, c.x, src)
		}
		d, smooth := c.differences(f.Value())
		c.near(d, smooth, jv, max(scale, magnitude(v[3]))*float64(1+c.n), "differences by %s of\n%s", c.x, src)
	})
}

// Every operator of second order agrees with the Hessian, in all modes, and with differences of the
// gradient:
//
//	hvp = H v, diag-hessian = diag H, H = H', Gauss-Newton = J' F J for a function F of r, and the
//	solution of H x = g is one
func TestOperatorsOfSecondOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawOperated(t)
		outer := rapid.SampledFrom([]string{"sum(square(r))", "sum(softplus(r))", "sum(r .* r .* back)", "sum(back .* sin(r))", "norm2(r - 7)", "sqrt(1 + sum(r .^ 4))"}).Draw(t, "outer")
		src := c.text(outer)
		f := c.parse(src)
		ts := c.derived(f, 2)
		m, err := f.HessianMap(c.x)
		require.NoError(t, err)
		along, err := f.Variable("along")
		require.NoError(t, err)
		hv, err := m.Apply(along)
		require.NoError(t, err)
		diagonal, err := m.Diagonal()
		require.NoError(t, err)
		transposed, err := m.Transpose()
		require.NoError(t, err)
		gradient, err := f.Gradient(c.x)
		require.NoError(t, err)
		gn, err := f.GaussNewtonMap(c.x, "r")
		require.NoError(t, err, src)
		gnv, err := gn.Apply(along)
		require.NoError(t, err)
		v := c.values(append(ts, gradient, m.Entries(), transposed.Entries(), hv, diagonal, gn.Entries(), gnv,
			c.operation(f, frechet.Operation{Kind: "hvp", Wrt: c.x, Along: "along"}),
			c.operation(f, frechet.Operation{Kind: "diag-hessian", Wrt: c.x}),
			c.operation(f, frechet.Operation{Kind: "gauss-newton", Wrt: c.x, Through: "r"}))...)
		h := v[0]
		scale := magnitude(h)
		for _, k := range []int{1, 2, 4, 5} {
			c.same(h, v[k], 1, "Hessian %d by %s of\n%s", k, c.x, src)
		}
		want := &frechet.Tensor{Shape: c.env["along"].Shape, Data: times(h, c.n, c.n, c.env["along"].Data, false)}
		c.same(want, v[6], scale, "H v of the map by %s of\n%s", c.x, src)
		c.same(want, v[10], scale, "hvp by %s of\n%s", c.x, src)
		d, smooth := c.differences(gradient)
		c.near(d, smooth, want, max(scale, magnitude(v[3]))*float64(1+c.n), "differences of the gradient by %s of\n%s", c.x, src)
		diag := &frechet.Tensor{Shape: want.Shape, Data: make([]float64, c.n)}
		for i := range diag.Data {
			diag.Data[i] = h.Data[i*c.n+i]
		}
		c.same(diag, v[7], scale, "diagonal of the map by %s of\n%s", c.x, src)
		c.same(diag, v[11], scale, "diag-hessian by %s of\n%s", c.x, src)

		// J' F J from the Jacobian of r, and the Hessian by a variable in the place of r
		jac := c.values(c.derived(c.parse(c.text("r")), 1)[0])[0]
		inner := c.parse(fmt.Sprintf("declare r[%s] back[%s]\nexpression %s", strings.Join(c.p.Shape, ","), strings.Join(c.p.Shape, ","), outer))
		at := c.values(c.parse(c.text("r")).Value())[0]
		outerH, err := inner.Hessian("r")
		require.NoError(t, err)
		prog, err := frechet.Compile(outerH, c.p.Sizes)
		require.NoError(t, err)
		fr, err := prog.Run(context.Background(), frechet.Env{"r": at, "back": c.env["back"]})
		require.NoError(t, err)
		product := &frechet.Tensor{Shape: v[8].Shape, Data: make([]float64, c.n*c.n)}
		for j := range c.n {
			column := make([]float64, c.rows)
			for i := range column {
				column[i] = jac.Data[i*c.n+j]
			}
			for i, x := range times(jac, c.rows, c.n, times(fr, c.rows, c.rows, column, false), true) {
				product.Data[i*c.n+j] = x
			}
		}
		gscale := magnitude(fr) * magnitude(jac) * magnitude(jac)
		c.same(product, v[8], gscale, "Gauss-Newton map by %s of\n%s", c.x, src)
		c.same(product, v[12], gscale, "gauss-newton by %s of\n%s", c.x, src)
		c.same(&frechet.Tensor{Shape: want.Shape, Data: times(product, c.n, c.n, c.env["along"].Data, false)}, v[9], gscale, "Gauss-Newton map along a direction by %s of\n%s", c.x, src)
	})
}

// entries are those of a map from its terms: coefficients times factors where the axes of deltas are
// equal.
func (c *operated) entries(m *frechet.LinearMap, shape []int) *frechet.Tensor {
	terms, err := m.Terms()
	require.NoError(c, err)
	var factors []*frechet.Term
	for _, u := range terms {
		for _, x := range u.Factors {
			factors = append(factors, x.Term)
		}
	}
	values := c.values(factors...)
	out := &frechet.Tensor{Shape: shape, Data: make([]float64, program.Volume(shape))}
	for _, u := range terms {
		coef, _ := u.Coef.Float64()
		index := make([]int, len(shape))
		for at := range out.Data {
			rest := at
			for a, d := range slices.Backward(shape) {
				index[a], rest = rest%d, rest/d
			}
			x := coef
			for _, d := range u.Deltas {
				for _, a := range d {
					if index[a] != index[d[0]] {
						x = 0
					}
				}
			}
			for k, f := range u.Factors {
				offset := 0
				for i, a := range f.Axes {
					offset = offset*values[k].Shape[i] + index[a]
				}
				if x != 0 {
					x *= values[k].Data[offset]
				}
			}
			out.Data[at] += x
		}
		values = values[len(u.Factors):]
	}
	return out
}

// The structure of maps is that of their entries; Newton's step solves its system; blocks of the
// Hessian by several variables are transposes of each other; closed derivatives have the entries of
// the others.
func TestStructureOfOperators(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawOperated(t)
		src := c.text("r")
		f := c.parse(src)
		m, err := f.JacobianMap(c.x)
		require.NoError(t, err)
		closed, err := f.DerivativeMap(c.x)
		require.NoError(t, err)
		ends, err := closed.Entries()
		require.NoError(t, err)
		j := c.values(m.Entries(), ends)
		c.same(j[0], c.entries(m, j[0].Shape), 1, "terms of the Jacobian by %s of\n%s", c.x, src)
		c.same(j[0], j[1], 1, "closed Jacobian by %s of\n%s", c.x, src)

		src = c.text(fmt.Sprintf("sum(back .* sin(r)) + 50 * sum(%s .* %s)", c.x, c.x))
		f = c.parse(src)
		h, err := f.HessianMap(c.x)
		require.NoError(t, err)
		along, err := f.Variable("along")
		require.NoError(t, err)
		step, _, err := h.Solve(along, c.p.Sizes)
		require.NoError(t, err)
		v := c.values(h.Entries(), step)
		c.same(v[0], c.entries(h, v[0].Shape), 1, "terms of the Hessian by %s of\n%s", c.x, src)
		scale := magnitude(v[0]) * magnitude(v[1])
		c.same(c.env["along"], &frechet.Tensor{Shape: v[1].Shape, Data: times(v[0], c.n, c.n, v[1].Data, false)}, 100*scale, "H times the solution by %s of\n%s", c.x, src)

		wrt := c.p.Vars[:min(3, len(c.p.Vars))]
		r, err := f.Derive(context.Background(), frechet.Query{Wrt: wrt, Order: 2})
		require.NoError(t, err)
		var ts []*frechet.Term
		for _, d := range r.Outputs[0].Derivs[len(wrt):] {
			ts = append(ts, d.Term)
		}
		blocks := c.values(ts...)
		for i, x := range wrt {
			for k, y := range wrt[:i] {
				a, b := blocks[i*len(wrt)+k], blocks[k*len(wrt)+i]
				n, l := len(c.p.Values[x]), len(c.p.Values[y])
				scale := 1e-8 * max(magnitude(a), magnitude(b))
				for p := range n {
					for q := range l {
						require.InDelta(t, a.Data[p*l+q], b.Data[q*n+p], scale, "by %s and %s of\n%s", x, y, src)
					}
				}
			}
		}
	})
}
