package combinators_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

func TestDomainsAreOfValuesWhoseEntriesAreAllUsed(t *testing.T) {
	n, none := size.Sym("n"), size.Const(0)
	s := combinators.NewStore()
	X, x := s.Var("X", []size.Size{n, n}), s.Var("x", []size.Size{n})
	y, empty := s.Var("y", []size.Size{n}), s.Var("z", []size.Size{none})
	log := s.Unary(atom.Log, X)
	positive := []combinators.Domain{{Value: X, Positive: true}}
	for name, c := range map[string]struct {
		out  *combinators.Node
		want []combinators.Domain
	}{
		"every entry":        {s.Einsum("ij->", log), positive},
		"columns and rows":   {s.Einsum("ij,j->i", log, y), positive},
		"the diagonal":       {s.Einsum("ii->", log), nil},
		"under a function":   {s.Unary(atom.Exp, s.Einsum("ii->i", log)), nil},
		"times an empty sum": {s.Einsum("ij,k->", log, empty), nil},
		"the base of a^b":    {s.Binary(atom.Pow, s.Unary(atom.Log, x), y), nil},
		"a root":             {s.Power(x, big.NewRat(1, 2)), []combinators.Domain{{Value: x, Nonneg: true}}},
		"a divisor":          {s.Power(x, big.NewRat(-1, 1)), []combinators.Domain{{Value: x, Nonzero: true}}},
		"a divided root":     {s.Power(x, big.NewRat(-1, 2)), []combinators.Domain{{Value: x, Positive: true, Nonneg: true, Nonzero: true}}},
		"a guarded divisor":  {s.Power(x, big.NewRat(-1, 1)).WithGuard(combinators.GuardZero), nil},
	} {
		assert.Equal(t, c.want, combinators.Domains(c.out), name)
	}
	invertible := []combinators.Domain{{Value: X, Invertible: true}}
	batch := s.Var("B", []size.Size{n, n, n})
	det := s.Minor(0, X)
	for name, c := range map[string]struct {
		out  *combinators.Node
		want []combinators.Domain
	}{
		"an inverse":                     {s.Inv(X), invertible},
		"an entry of an inverse":         {s.Einsum("ii->", s.Inv(X)), invertible},
		"a solution":                     {s.Solve(X, x), invertible},
		"the logarithm of a determinant": {s.LogDet(X), invertible},
		"that, written out":              {s.Unary(atom.Log, det), []combinators.Domain{{Value: det, Positive: true}, {Value: X, Invertible: true}}},
		"the reciprocal of one":          {s.Recip(det), []combinators.Domain{{Value: det, Nonzero: true}, {Value: X, Invertible: true}}},
		"a determinant":                  {det, nil},
		"all inverses of a batch":        {s.Inv(batch), []combinators.Domain{{Value: batch, Invertible: true}}},
		"one of them":                    {s.Einsum("iij->ij", s.Inv(batch)), nil},
		"times an empty sum":             {s.Einsum("ij,k->", s.Inv(X), empty), nil},
		"to the power 0":                 {s.Power(s.Inv(X), new(big.Rat)), nil},
		"a solution without columns":     {s.Solve(X, s.Var("Z", []size.Size{n, none})), nil},
	} {
		assert.Equal(t, c.want, combinators.Domains(c.out), name)
	}
	both := s.Add(s.Einsum("ii->", log), s.Einsum("ij->", log))
	assert.Equal(t, positive, combinators.Domains(both), "one use of all entries is enough")
}

func TestDomainsOfProductsAreThoseOfFactors(t *testing.T) {
	n := size.Sym("n")
	s := combinators.NewStore()
	x, y := s.Var("x", []size.Size{n}), s.Var("y", []size.Size{n})
	X := s.Var("X", []size.Size{n, n})
	minus := func(r int64) *combinators.Node { return s.Const(big.NewRat(r, 1)) }
	over := func(a *combinators.Node) *combinators.Node { return s.Power(a, big.NewRat(-1, 1)) }
	for name, c := range map[string]struct {
		arg, of *combinators.Node
		want    combinators.Domain
	}{
		"a factor":            {s.Mul(x, y), x, combinators.Domain{Nonzero: true}},
		"a dividend":          {s.Mul(x, over(y)), x, combinators.Domain{Nonzero: true}},
		"a base":              {s.Power(s.Mul(x, y), big.NewRat(3, 1)), y, combinators.Domain{Nonzero: true}},
		"a multiple":          {s.Scale(minus(2), x), x, combinators.Domain{Positive: true, Nonzero: true}},
		"a negative multiple": {s.Scale(minus(-2), x), x, combinators.Domain{Nonzero: true}},
		"a transpose":         {s.Einsum("ij->ji", X), X, combinators.Domain{Positive: true, Nonzero: true}},
		"relu":                {s.Unary(atom.Relu, x), x, combinators.Domain{Positive: true}},
		"a sum of products":   {s.Einsum("i,i->", x, y), x, combinators.Domain{}},
		"a diagonal":          {s.Einsum("ii->i", X), X, combinators.Domain{}},
		"a sum":               {s.Add(x, y), x, combinators.Domain{}},
	} {
		got := combinators.Domain{Value: c.of}
		for _, d := range combinators.Domains(s.Unary(atom.Log, c.arg)) {
			if d.Value == c.of {
				got.Positive, got.Nonneg, got.Nonzero = got.Positive || d.Positive, got.Nonneg || d.Nonneg, got.Nonzero || d.Nonzero
			}
		}
		c.want.Value = c.of
		assert.True(t, c.want == got, name)
	}
}
