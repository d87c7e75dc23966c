package combinators_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"

	"frechet/combinators"
	"frechet/einsum/size"
)

func TestDomainsAreOfValuesWhoseEntriesAreAllUsed(t *testing.T) {
	n, none := size.Sym("n"), size.Const(0)
	s := combinators.NewStore()
	X, x := s.Var("X", []size.Size{n, n}), s.Var("x", []size.Size{n})
	y, empty := s.Var("y", []size.Size{n}), s.Var("z", []size.Size{none})
	log := s.Unary("log", X)
	positive := []combinators.Domain{{Value: X, Positive: true}}
	for name, c := range map[string]struct {
		out  *combinators.Node
		want []combinators.Domain
	}{
		"every entry":        {s.Einsum("ij->", log), positive},
		"columns and rows":   {s.Einsum("ij,j->i", log, y), positive},
		"the diagonal":       {s.Einsum("ii->", log), nil},
		"under a function":   {s.Unary("exp", s.Einsum("ii->i", log)), nil},
		"times an empty sum": {s.Einsum("ij,k->", log, empty), nil},
		"the base of a^b":    {s.Binary("pow", s.Unary("log", x), y), nil},
		"a root":             {s.Power(x, big.NewRat(1, 2)), []combinators.Domain{{Value: x, Nonneg: true}}},
		"a divisor":          {s.Power(x, big.NewRat(-1, 1)), []combinators.Domain{{Value: x, Nonzero: true}}},
		"a divided root":     {s.Power(x, big.NewRat(-1, 2)), []combinators.Domain{{Value: x, Positive: true, Nonneg: true, Nonzero: true}}},
		"a guarded divisor":  {s.Power(x, big.NewRat(-1, 1)).WithGuard(combinators.GuardZero), nil},
	} {
		assert.Equal(t, c.want, combinators.Domains(c.out), name)
	}
	both := s.Add(s.Einsum("ii->", log), s.Einsum("ij->", log))
	assert.Equal(t, positive, combinators.Domains(both), "one use of all entries is enough")
}
