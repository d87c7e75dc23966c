package linear_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet"
)

// Operations on closed maps refuse maps and terms that do not fit.
func TestClosedMapsRefuse(t *testing.T) {
	program := func(src string) (*frechet.Func, *frechet.ClosedMap) {
		f, err := frechet.Parse(src)
		require.NoError(t, err)
		m, err := f.Map()
		require.NoError(t, err)
		return f, m
	}
	f, m := program("declare A[m,n] x[n] u[m] L(y) : R[n] -o R[m] = (A *(ij,j->i) _)")
	g, k := program("declare x[n] g : R[n] -> R[n] = sin")
	variable := func(f *frechet.Func, name string) *frechet.Term {
		v, err := f.Variable(name)
		require.NoError(t, err)
		return v
	}
	for name, do := range map[string]func() error{
		"different programs":                func() error { _, err := m.Compose(k); return err },
		"belong to different":               func() error { _, err := m.Add(k); return err },
		"gives a value of R[m]":             func() error { _, err := m.Compose(m); return err },
		"a term has axes [m]":               func() error { _, err := m.At(variable(f, "u")); return err },
		"0 terms are given":                 func() error { _, err := m.At(); return err },
		"2 terms are given":                 func() error { _, err := m.At(variable(f, "x"), variable(f, "x")); return err },
		"the terms belong":                  func() error { _, err := m.At(variable(g, "x")); return err },
		"linear map between tensors":        func() error { _, err := k.Entries(); return err },
		"only a linear map has an adjoint":  func() error { _, err := k.Adjoint(); return err },
		"takes a value of R[n], but a term": func() error { _, err := m.Derivative(variable(f, "A")); return err },
	} {
		err := do()
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), name)
	}
	constant, err := frechet.Parse("f : R[2] = 3")
	require.NoError(t, err)
	_, err = constant.Steps()
	require.ErrorContains(t, err, "no variables")
	_, err = constant.DerivativeMap()
	require.ErrorContains(t, err, "no variables")
	back, err := m.Adjoint()
	require.NoError(t, err)
	_, err = m.Add(back)
	require.ErrorContains(t, err, "the sum of L : R[n] -o R[m] and L_adj : R[m] -o R[n]")
}
