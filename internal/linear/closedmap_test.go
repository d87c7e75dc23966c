package linear_test

import (
	"strings"
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

// The last form of a linear map has multiples in front, and its values in normal form: equal maps that are
// written otherwise have one text.
func TestLastForm(t *testing.T) {
	form := func(src string, adjoint bool) string {
		f, err := frechet.Parse(src)
		require.NoError(t, err, src)
		m, err := f.Map()
		require.NoError(t, err, src)
		if !m.Linear() {
			m, err = f.DerivativeMap(f.Wrt()...)
		} else if adjoint {
			m, err = m.Adjoint()
		} else {
			m, err = m.Simplify()
		}
		require.NoError(t, err, src)
		_, body, _ := strings.Cut(m.String(), "=")
		return body
	}
	for relation, back := range map[string]string{
		"red{(i,i)}": "red{(i,i)}", "red{(i+1,i)}": "red{(i,i+1)}", "red{(i,j) | i <= j}": "red{(i,j) | j <= i}",
		"(A *(ij,j->i) _)": "(A *(ji,j->i) _)", "red{(i,n-1-i)}": "red{(n-1-i,i)}", "id": "id",
	} {
		for _, multiple := range []string{"(-1 .* _)", "(2 .* _)", "(1/3 .* _)", "(s .* _)", "(exp(s) .* _)"} {
			head := "declare A[n,n] s[] f : R[n] -o R[n] = "
			want := form(head+multiple+" . "+back, false)
			require.Equal(t, want, form(head+multiple+" . "+relation, true))
			require.Equal(t, want, form(head+relation+" . "+multiple, true))
			require.Equal(t, want, form(head+back+" . "+multiple, false))
		}
	}
	for factor, multiple := range map[string]string{"c*": "(c .* _) . ", "3*": "(3 .* _) . ", "-": "-", "-c*": "(-c .* _) . ", "c*c*": "(c .* c .* _) . "} {
		for read, relation := range map[string]string{"i+1": "red{(i+1,i)}", "n-1-i": "red{(n-i-1,i)}"} {
			require.Equal(t, " "+multiple+relation, form("declare x[n] c[] a[i:n-1] = "+factor+"x["+read+"] derivative wrt x", false))
		}
	}
	for written, short := range map[string]string{
		"log(exp(x))": "x", "sin(x).^2 + cos(x).^2 + 3*x": "3*x", "exp(x) .* exp(-x) + x": "x",
	} {
		require.Equal(t, form("declare x[n] expression "+short+" derivative wrt x", false), form("declare x[n] expression "+written+" derivative wrt x", false))
	}
}
