package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The model's arithmetic: exp and the circle are homomorphisms, and derivatives follow the product rule.
func TestModel(t *testing.T) {
	c, s := Circle(12345)
	assert.Equal(t, uint64(1), Add(Mul(c, c), Mul(s, s)))
	c2, s2 := Circle(2 * 12345)
	assert.Equal(t, c2, Sub(Mul(c, c), Mul(s, s)))
	assert.Equal(t, s2, Mul(2, Mul(c, s)))
	c, s = Circle(1 << 60)
	assert.Equal(t, uint64(Prime-1), c, "half of the circle")
	assert.Equal(t, uint64(0), s)
	for _, a := range []uint64{1, 2, 12345, Prime - 1} {
		assert.Equal(t, uint64(1), Mul(a, Inverse(a)))
	}
	// the generator's order is p-1: no power (p-1)/q of it is 1
	for _, q := range []uint64{2, 3, 5, 7, 11, 13, 31, 41, 61, 151, 331, 1321} {
		assert.NotEqual(t, uint64(1), Pow(unitGenerator, (Prime-1)/q), q)
	}
}
