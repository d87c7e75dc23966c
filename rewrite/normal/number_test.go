package normal

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Numbers do what rationals do, at the edge of 64 bits too.
func TestNumbersAreRationals(t *testing.T) {
	integer := rapid.OneOf(rapid.Int64Range(-6, 6), rapid.Int64(), rapid.SampledFrom([]int64{minInt64, minInt64 + 1, 1<<63 - 1, 1 << 62, -1 << 62, 1 << 32}))
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) *big.Rat {
			d := integer.Filter(func(d int64) bool { return d != 0 }).Draw(t, name)
			r := big.NewRat(integer.Draw(t, name), d)
			if rapid.Bool().Draw(t, name+" large") {
				r.Mul(r, big.NewRat(integer.Draw(t, name), d))
			}
			return r
		}
		x, y := draw("x"), draw("y")
		a, b := numberOf(x), numberOf(y)
		same := func(want *big.Rat, got number) {
			t.Helper()
			require.Equal(t, want.RatString(), got.rat().RatString())
			require.True(t, got.equal(numberOf(want)))
			require.Equal(t, got.equal(unit), got.isOne())
		}
		same(new(big.Rat).Add(x, y), a.plus(b))
		same(new(big.Rat).Mul(x, y), a.times(b))
		same(new(big.Rat).Neg(x), a.neg())
		same(new(big.Rat).Abs(x), a.abs())
		if y.Sign() != 0 {
			same(new(big.Rat).Quo(x, y), a.over(b))
		}
		require.Equal(t, x.Cmp(y), a.compare(b))
		require.Equal(t, x.Cmp(y) == 0, a.equal(b))
		require.Equal(t, x.Sign(), a.sign())
		require.Equal(t, x.IsInt(), a.isInt())
	})
}
