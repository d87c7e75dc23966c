package optimize

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rosenbrock is (1-x)^2 + 100 (y-x^2)^2, with its minimum 0 at (1, 1).
func rosenbrock() Problem {
	grad := func(x, g []float64) float64 {
		a, b := 1-x[0], x[1]-x[0]*x[0]
		g[0], g[1] = -2*a-400*x[0]*b, 200*b
		return a*a + 100*b*b
	}
	return Problem{
		Evaluate: func(x, g []float64) (float64, error) { return grad(x, g), nil },
		Blocks:   []int{2},
		Step: func(_ int, d, x []float64, tau float64) error {
			g := make([]float64, 2)
			grad(x, g)
			a, b, c := 2-400*(x[1]-3*x[0]*x[0])+tau, -400*x[0], 200+tau
			det := a*c - b*b
			if det == 0 {
				return ErrNoStep
			}
			d[0], d[1] = -(c*g[0]-b*g[1])/det, -(a*g[1]-b*g[0])/det
			return nil
		},
	}
}

func TestMethodsFindTheMinimum(t *testing.T) {
	for method, most := range map[Method]int{LBFGS: 60, Newton: 30, Gradient: 30000} {
		seen := 0
		r, err := Minimize(context.Background(), rosenbrock(), []float64{-1.2, 1},
			Settings{Method: method, Tol: 1e-8, MaxIter: most, Progress: func(i Iteration) { seen++ }})
		require.NoError(t, err)
		assert.Equal(t, Converged, r.Status, method)
		assert.InDeltaSlice(t, []float64{1, 1}, r.X, 1e-6, "method %d", method)
		assert.Equal(t, r.Number, seen)
		assert.LessOrEqual(t, r.Gradient, 1e-8)
	}
}

func TestCurvatureThatIsNotPositiveIsRegularised(t *testing.T) {
	// x^4/4 - x^2/2: a maximum at 0, where the curvature is -1; minima at 1 and -1
	double := func(step func(d, x []float64, tau float64) error) Problem {
		return Problem{Blocks: []int{1},
			Evaluate: func(x, g []float64) (float64, error) {
				g[0] = x[0]*x[0]*x[0] - x[0]
				return math.Pow(x[0], 4)/4 - x[0]*x[0]/2, nil
			},
			Step: func(_ int, d, x []float64, tau float64) error { return step(d, x, tau) }}
	}
	r, err := Minimize(context.Background(), double(func(d, x []float64, tau float64) error {
		d[0] = -(x[0]*x[0]*x[0] - x[0]) / (3*x[0]*x[0] - 1 + tau)
		return nil
	}), []float64{0.1}, Settings{Method: Newton, Tol: 1e-10, MaxIter: 50})
	require.NoError(t, err)
	assert.Equal(t, Converged, r.Status)
	assert.InDelta(t, 1, math.Abs(r.X[0]), 1e-9)
	assert.Positive(t, r.Regularised)
	assert.Zero(t, r.Steepest)

	r, err = Minimize(context.Background(), double(func([]float64, []float64, float64) error { return ErrNoStep }),
		[]float64{0.1}, Settings{Method: Newton, Tol: 1e-8, MaxIter: 200})
	require.NoError(t, err)
	assert.Equal(t, Converged, r.Status)
	assert.Positive(t, r.Steepest)
}

func TestBlocksMoveInTurn(t *testing.T) {
	// (x y - 2)^2/2 + (x^2 + y^2)/2 has its minima at x = y = 1 and -1
	p := Problem{Blocks: []int{1, 1},
		Evaluate: func(x, g []float64) (float64, error) {
			r := x[0]*x[1] - 2
			g[0], g[1] = r*x[1]+x[0], r*x[0]+x[1]
			return r*r/2 + (x[0]*x[0]+x[1]*x[1])/2, nil
		},
		Step: func(b int, d, x []float64, tau float64) error {
			o := x[1-b]
			d[0] = -((x[0]*x[1]-2)*o + x[b]) / (o*o + 1 + tau)
			return nil
		}}
	r, err := Minimize(context.Background(), p, []float64{3, 0.5}, Settings{Method: Newton, Tol: 1e-10, MaxIter: 200})
	require.NoError(t, err)
	assert.Equal(t, Converged, r.Status)
	assert.InDeltaSlice(t, []float64{1, 1}, r.X, 1e-8)
}

func TestRunsSayWhyTheyEnd(t *testing.T) {
	ctx := context.Background()
	line := Problem{Evaluate: func(x, g []float64) (float64, error) { g[0] = 1; return x[0], nil }}
	for _, m := range []Method{LBFGS, Gradient} {
		r, err := Minimize(ctx, line, []float64{0}, Settings{Method: m, MaxIter: 20})
		require.NoError(t, err)
		assert.Contains(t, []Status{IterationLimit, Stalled}, r.Status)
		assert.Less(t, r.Value, -1e10)
	}
	r, err := Minimize(ctx, rosenbrock(), []float64{-1.2, 1}, Settings{MaxIter: 3})
	require.NoError(t, err)
	assert.Equal(t, IterationLimit, r.Status)
	assert.Equal(t, 3, r.Number)

	kink := Problem{Evaluate: func(x, g []float64) (float64, error) { g[0] = math.Copysign(1, x[0]); return math.Abs(x[0]), nil }}
	r, err = Minimize(ctx, kink, []float64{0.3}, Settings{MaxIter: 100, Tol: 1e-8})
	require.NoError(t, err)
	assert.Equal(t, Stalled, r.Status)
	assert.Less(t, r.Value, 1e-8)

	cancelled, cancel := context.WithCancel(ctx)
	r, err = Minimize(cancelled, rosenbrock(), []float64{-1.2, 1}, Settings{MaxIter: 100, Progress: func(i Iteration) {
		if i.Number == 5 {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, Interrupted, r.Status)
	assert.Equal(t, 5, r.Number)

	broken := errors.New("broken")
	_, err = Minimize(ctx, Problem{Evaluate: func(x, g []float64) (float64, error) { return 0, broken }}, []float64{1}, Settings{})
	require.ErrorIs(t, err, broken)
	_, err = Minimize(ctx, Problem{Evaluate: func(x, g []float64) (float64, error) { panic("no") }}, []float64{1}, Settings{})
	require.ErrorContains(t, err, "no")
	_, err = Minimize(ctx, Problem{Evaluate: func(x, g []float64) (float64, error) { return math.NaN(), nil }}, []float64{1}, Settings{})
	require.ErrorContains(t, err, "not finite")
	// a value that falls without end does not make its gradient small
	r, err = Minimize(ctx, Problem{Evaluate: func(x, g []float64) (float64, error) { g[0] = 1; return x[0], nil }}, []float64{1}, Settings{})
	require.NoError(t, err)
	assert.NotEqual(t, Converged, r.Status)
	at := rosenbrock()
	r, err = Minimize(ctx, at, []float64{1, 1}, Settings{MaxIter: 10})
	require.NoError(t, err)
	assert.Equal(t, Converged, r.Status)
	assert.Zero(t, r.Number)
}
