package eval

import (
	"context"
	"errors"
	"fmt"
	"math"

	"frechet/combinators/atom"
	"frechet/eval/optimize"

	"gonum.org/v1/gonum/floats"
)

// An UnsolvedError says that an implicit function has no value that its method finds.
type UnsolvedError struct{ Op, Msg string }

func (e *UnsolvedError) Error() string { return e.Op + ": " + e.Msg }

// Limits of the search for the value of an implicit function.
const (
	maxNewton  = 200 // steps of Newton's method
	maxHalving = 40  // times that a step is halved
)

// implicit puts the value of an implicit function into x: eval computes at x what plan.Parts are.
type implicit struct {
	ctx  context.Context
	op   string
	x    []float64
	eval func(x []float64, outs [][]float64) error
	f    []float64 // what is 0 at the value
	jac  []float64 // its derivative
}

// implicitValue finds the value of the implicit function at from args[0] on.
func implicitValue(ctx context.Context, at *atom.Row, args [][]float64, out []float64, f func(in, outs [][]float64) error) error {
	n := len(out)
	copy(out, args[0])
	for _, a := range args {
		if !Finite(a) { // as of every function
			for i := range out {
				out[i] = math.NaN()
			}
			return nil
		}
	}
	in := append([][]float64{}, args...)
	m := &implicit{ctx: ctx, op: at.Name, x: out, f: make([]float64, n), jac: make([]float64, n*n), eval: func(x []float64, outs [][]float64) error {
		in[0] = x
		return f(in, outs)
	}}
	if n == 0 {
		return nil
	}
	if at == atom.Argmin {
		if err := m.descend(); err != nil {
			return err
		}
		value, solve := make([]float64, 1), m.eval
		m.eval = func(x []float64, outs [][]float64) error { return solve(x, append([][]float64{value}, outs...)) }
	}
	if err := m.newton(); err != nil {
		return err
	}
	if at == atom.Argmin && chol(make([]float64, n*n), m.jac, n) != nil {
		return m.fail("the Hessian is not positive definite at %.6g: the function is not strictly convex there", m.x)
	}
	return nil
}

func (m *implicit) fail(format string, args ...any) error {
	for i, a := range args {
		if x, ok := a.([]float64); ok && len(x) == 1 {
			args[i] = x[0]
		} else if ok && len(x) > 4 {
			args[i] = any(x[:4])
		}
	}
	return &UnsolvedError{m.op, fmt.Sprintf(format, args...)}
}

// newton is Newton's method from x on, down to rounding: a step is halved until the residual is less.
func (m *implicit) newton() error {
	n := len(m.x)
	step, next, f, jac := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n*n)
	if err := m.eval(m.x, [][]float64{m.f, m.jac}); err != nil {
		return err
	}
	if !Finite(m.f) {
		return m.fail("the value at %.6g, where the search begins, is not finite: begin elsewhere", m.x)
	}
	for range maxNewton {
		if err := m.ctx.Err(); err != nil {
			return err
		}
		before := floats.Norm(m.f, 2)
		if before == 0 {
			return m.regular()
		}
		if err := Solve(step, n, 1, m.jac, m.f); err != nil || !Finite(step) {
			return m.fail("the derivative is singular at %.6g, where the residual is %.3g", m.x, before)
		}
		size, scale := floats.Norm(step, math.Inf(1)), floats.Norm(m.x, math.Inf(1))
		t, less := 1.0, false
		for range maxHalving {
			floats.AddScaledTo(next, m.x, -t, step)
			if err := m.eval(next, [][]float64{f, jac}); err != nil {
				return err
			}
			if less = Finite(f) && floats.Norm(f, 2) < before*(1-1e-4*t); less || size <= 1e-12*scale {
				break
			}
			t /= 2
		}
		if !less {
			if size <= 1e-7*max(1, scale) { // rounding
				return m.regular()
			}
			return m.fail("Newton's method finds no step at %.6g, where the residual is %.3g", m.x, before)
		}
		copy(m.x, next)
		copy(m.f, f)
		copy(m.jac, jac)
	}
	return m.fail("Newton's method does not converge in %d steps: the residual is %.3g", maxNewton, floats.Norm(m.f, 2))
}

// regular is the error of a value at which the derivative is singular: the implicit function has no derivative there.
func (m *implicit) regular() error {
	if err := Solve(make([]float64, len(m.x)), len(m.x), 1, m.jac, m.f); err != nil {
		return m.fail("the derivative is singular at the value %.6g", m.x)
	}
	return nil
}

// descend minimises from x on.
func (m *implicit) descend() error {
	n := len(m.x)
	value := make([]float64, 1)
	at := func(x []float64) error { return m.eval(x, [][]float64{value, m.f, m.jac}) }
	p := optimize.Problem{
		Blocks: []int{n},
		Evaluate: func(x, g []float64) (float64, error) {
			err := at(x)
			copy(g, m.f)
			return value[0], err
		},
		Step: func(_ int, d, x []float64, tau float64) error {
			if err := at(x); err != nil {
				return err
			}
			for i := range n {
				m.jac[i*n+i] += tau
			}
			if Solve(d, n, 1, m.jac, m.f) != nil {
				return optimize.ErrNoStep
			}
			floats.Scale(-1, d)
			return nil
		},
	}
	res, err := optimize.Minimize(m.ctx, p, m.x, optimize.Settings{Method: optimize.Newton, Tol: 1e-6, MaxIter: maxNewton})
	var singular *SingularError
	switch {
	case err != nil && (m.ctx.Err() != nil || errors.As(err, &singular)):
		return err
	case err != nil:
		return m.fail("%v", err)
	case res.Status == optimize.Unbounded:
		return m.fail("the function is not bounded below")
	case res.Status == optimize.IterationLimit:
		return m.fail("the minimiser does not converge in %d steps: the largest entry of the gradient is %.3g", maxNewton, res.Gradient)
	}
	copy(m.x, res.X)
	return nil
}
