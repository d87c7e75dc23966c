package verify

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/eval"
	"frechet/rewrite/assumptions"
)

// columnPoints are numbers in the domains of most functions, away from kinks.
var columnPoints = []float64{-3.5, -2.25, -1.5, -0.9, -0.75, -0.5, -0.125, 0.125, 0.5, 0.75, 0.9, 1.5, 2.25, 3.5}

// columnValue is the value of a column's text in x and y; nil where it has none.
func columnValue(t *testing.T, src string, x, y float64) (*combinators.Node, *float64) {
	term, err := text.Parse(src)
	require.NoError(t, err, src)
	s := combinators.NewStore()
	n, err := denote.ReadNode(s, term, &denote.Env{Values: []denote.Binding{{Name: "x", Value: s.Var("x", nil)}, {Name: "y", Value: s.Var("y", nil)}}})
	require.NoError(t, err, src)
	out := number(n, map[string]*eval.Tensor{"x": eval.Scalar(x), "y": eval.Scalar(y)})
	if out == nil {
		return n, nil
	}
	return n, &out.Data[0]
}

// The derivative agrees with the other columns: it is nowhere below 0 where the function increases, is odd where the function
// is even and the other way round, has values in the domain, has the degree less 1 and the same period. What the facts say of
// its sign is so.
func TestDerivativeColumns(t *testing.T) {
	for _, at := range atom.Rows() {
		if at.F1 == nil {
			continue
		}
		value := func(x float64) *float64 { _, v := columnValue(t, at.Deriv[0], x, 0); return v }
		above := true
		for _, x := range columnPoints {
			d := value(x)
			if !at.Domain.Has(x) {
				continue
			}
			require.NotNil(t, d, "%s'(%g)", at.Name, x)
			above = above && *d >= 0
			if at.Domain.Has(-x) {
				if minus := value(-x); at.Parity == atom.Even {
					assert.InDelta(t, *d, -*minus, 1e-12, "%s'(%g)", at.Name, x)
				} else if at.Parity == atom.Odd {
					assert.InDelta(t, *d, *minus, 1e-12, "%s'(%g)", at.Name, x)
				}
			}
			switch at.Homogeneous {
			case "0":
				assert.Zero(t, *d)
			case "1":
				assert.Equal(t, *d, *value(2 * x), at.Name)
				assert.InDelta(t, at.F1(x), x*(*d), 1e-12, "%s: Euler", at.Name)
			}
			if at.Period > 0 {
				assert.InDelta(t, *d, *value(x + at.Period), 1e-9*(1+math.Abs(*d)), at.Name)
			}
		}
		assert.Equal(t, at.Increasing, above && at.Where == "", at.Name) // not over a pole
		n, _ := columnValue(t, at.Deriv[0], 1, 0)
		if assumptions.New().Nonneg(n) && at.Parity != atom.Even {
			assert.True(t, at.Increasing || at.Where != "", "%s has a derivative that is never negative", at.Name)
		}
	}
}

// A definition is the function.
func TestDefinitionColumns(t *testing.T) {
	for _, at := range atom.Rows() {
		if at.Definition == "" {
			continue
		}
		for _, x := range columnPoints {
			y := 1 - x
			var want float64
			if at.F1 != nil {
				want = at.F1(x)
			} else {
				want = at.F2(x, y)
			}
			_, got := columnValue(t, at.Definition, x, y)
			if !at.Domain.Has(x) {
				assert.Nil(t, got, "%s(%g)", at.Name, x)
				continue
			}
			require.NotNil(t, got, "%s(%g)", at.Name, x)
			assert.InDelta(t, want, *got, 1e-12*(1+math.Abs(want)), "%s(%g)", at.Name, x)
		}
	}
}
