package conformance_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Reported cases at sizes where a product of the wrong order, or an identity that is
// written out, takes minutes and gigabytes. The numbers are compared with what one would
// write by hand; the benchmarks below have their times.

type large struct {
	request map[string]any
	check   func(t *testing.T, a *result)
}

var largeCases = map[string]func() large{
	// A scalar that all residuals share, 500 unknowns: H = 2 J'J + two diagonals.
	"B094": func() large {
		const n = 500
		w, k := normals(1, n), make([]float64, n)
		one := make([]float64, n)
		r, s, total := make([]float64, n), float64(n), 0.0
		for i := range n {
			k[i], one[i] = float64(i+1), 1
			s -= math.Cos(w[i])
		}
		for i := range n {
			r[i] = s + k[i]*(1-math.Cos(w[i])) - math.Sin(w[i])
			total += r[i]
		}
		J := func(i, j int) float64 { // dr_i/dw_j
			d := math.Sin(w[j])
			if i == j {
				d += k[i]*math.Sin(w[i]) - math.Cos(w[i])
			}
			return d
		}
		return large{
			map[string]any{"input": "declare w 1 k 1 one 1 n 0 expression ((((n - 1 *(i,i->) cos(w)) *(,i->i) one) + k *(i,i->i) (one - cos(w)) - sin(w))^2) *(i,i->) 1 derivative wrt w",
				"order": 2, "values": map[string]any{"w": w, "k": k, "one": one, "n": float64(n)}, "want": []string{"hessian"}},
			func(t *testing.T, a *result) {
				for _, e := range [][2]int{{0, 0}, {3, 499}, {499, 3}, {250, 250}} {
					i, j := e[0], e[1]
					want := 0.0
					for l := range n {
						want += 2 * J(l, i) * J(l, j)
					}
					if i == j {
						want += 2*total*math.Cos(w[i]) + 2*r[i]*(k[i]*math.Cos(w[i])+math.Sin(w[i]))
					}
					require.InEpsilon(t, want, a.Hessian.Data[i*n+j], 1e-9, "entry %d, %d", i, j)
				}
			},
		}
	},
	// The Jacobian of an element-wise function applied to a vector is one product.
	"B136": func() large {
		const n = 100_000
		x, v := normals(1, n), normals(2, n)
		return large{
			map[string]any{"input": "declare x 1 v 1 expression sin(x) jvp wrt x along v",
				"values": map[string]any{"x": x, "v": v}, "want": []string{"jvp"}},
			func(t *testing.T, a *result) {
				for i := 0; i < n; i += 997 {
					require.InDelta(t, math.Cos(x[i])*v[i], a.Jvp.Data[i], 1e-12)
				}
			},
		}
	},
	// Logistic regression: H = X' diag(y^2 s (1 - s)) X.
	"B137": func() large {
		const m, n = 2000, 200
		X, y, w := normals(1, m*n), normals(2, m), normals(3, n)
		d := make([]float64, m)
		for i := range m {
			u := 0.0
			for j := range n {
				u += X[i*n+j] * w[j]
			}
			s := 1 / (1 + math.Exp(y[i]*u))
			d[i] = y[i] * y[i] * s * (1 - s)
		}
		return large{
			map[string]any{"input": "declare X 2 y 1 w 1 expression 1 *(i,i->) log(1 + exp(-(y *(i,i->i) (X *(ij,j->i) w)))) derivative wrt w",
				"order": 2, "dims": map[string][]int{"X": {m, n}}, "values": map[string]any{"X": X, "y": y, "w": w}, "want": []string{"hessian"}},
			func(t *testing.T, a *result) {
				for _, e := range [][2]int{{0, 0}, {3, 199}, {199, 3}, {100, 100}} {
					want := 0.0
					for i := range m {
						want += X[i*n+e[0]] * d[i] * X[i*n+e[1]]
					}
					require.InDelta(t, want, a.Hessian.Data[e[0]*n+e[1]], 1e-9*(1+math.Abs(want)))
				}
			},
		}
	},
	// Four products with one matrix, one axis at a time.
	"B154": func() large {
		const n = 12
		A, T := normals(1, n*n), normals(2, n*n*n*n)
		return large{
			map[string]any{"input": "declare A 2 T 4 expression A *(ia,abcd->ibcd) (A *(jb,abcd->ajcd) (A *(kc,abcd->abkd) (A *(ld,abcd->abcl) T)))",
				"dims": map[string][]int{"A": {n, n}, "T": {n, n, n, n}}, "values": map[string]any{"A": A, "T": T}, "want": []string{"value"}},
			func(t *testing.T, a *result) {
				want := 0.0
				for at, x := range T {
					i, j, k, l := at/(n*n*n), at/(n*n)%n, at/n%n, at%n
					want += A[1*n+i] * A[5*n+j] * A[7*n+k] * A[11*n+l] * x
				}
				require.InDelta(t, want, a.Value.Data[((1*n+5)*n+7)*n+11], 1e-9*(1+math.Abs(want)))
			},
		}
	},
}

func TestLargeCases(t *testing.T) {
	for name, make := range largeCases {
		t.Run(name, func(t *testing.T) {
			c := make()
			var in bytes.Buffer
			request(&in, c.request)
			var a result
			require.NoError(t, json.Unmarshal(batch(t, in.Bytes())[0], &a))
			require.Empty(t, string(a.Error))
			c.check(t, &a)
		})
	}
}

// TestDenseJacobianIsRefused: the Jacobian that TestLargeCases applies would need 80 GB as
// an array, which is said and not tried.
func TestDenseJacobianIsRefused(t *testing.T) {
	var in bytes.Buffer
	request(&in, map[string]any{"input": "declare x 1 expression sin(x) derivative wrt x", "values": map[string]any{"x": normals(1, 100_000)}})
	require.Contains(t, string(batch(t, in.Bytes())[0]), `"kind":"limit"`)
}

// TestFactorsStayApart: the derivative of four products with one matrix is a product of
// that matrix with itself, not an array of order 8 that is multiplied out.
func TestFactorsStayApart(t *testing.T) {
	c := largeCases["B154"]()
	delete(c.request, "values")
	delete(c.request, "dims")
	c.request["wrt"], c.request["want"], c.request["format"] = "T", []string{"text"}, "einstein"
	var in bytes.Buffer
	request(&in, c.request)
	var a result
	require.NoError(t, json.Unmarshal(batch(t, in.Bytes())[0], &a))
	require.Equal(t, "let P = A *(ik,jl->ijkl) A\nexpression P *(ijmn,klop->ijklmnop) P", a.Text["derivative"])
}

func BenchmarkLargeCases(b *testing.B) {
	for name, make := range largeCases {
		b.Run(name, func(b *testing.B) {
			var in bytes.Buffer
			request(&in, make().request)
			for b.Loop() {
				batch(b, in.Bytes())
			}
		})
	}
}

// normals draws n numbers from a normal distribution.
func normals(seed uint64, n int) []float64 { return random(rand.New(rand.NewPCG(seed, 0)), n) }
