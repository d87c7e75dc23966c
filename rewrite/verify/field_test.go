package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The model's arithmetic: exp and the circle are homomorphisms, and derivatives follow the product rule.
func TestModel(t *testing.T) {
	c, s := circle(12345)
	assert.Equal(t, uint64(1), add(mul(c, c), mul(s, s)))
	c2, s2 := circle(2 * 12345)
	assert.Equal(t, c2, sub(mul(c, c), mul(s, s)))
	assert.Equal(t, s2, mul(2, mul(c, s)))
	c, s = circle(1 << 60)
	assert.Equal(t, uint64(prime-1), c, "half of the circle")
	assert.Equal(t, uint64(0), s)
	for _, a := range []uint64{1, 2, 12345, prime - 1} {
		assert.Equal(t, uint64(1), mul(a, inverse(a)))
	}
	// the generator's order is p-1: no power (p-1)/q of it is 1
	for _, q := range []uint64{2, 3, 5, 7, 11, 13, 31, 41, 61, 151, 331, 1321} {
		assert.NotEqual(t, uint64(1), pow(unitGenerator, (prime-1)/q), q)
	}
}
