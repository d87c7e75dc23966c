package atom

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLogAddExp(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range [][3]float64{
		{0, 0, math.Ln2}, {1000, 1000, 1000 + math.Ln2}, {-1000, -1000, -1000 + math.Ln2}, {1e6, -1e6, 1e6}, {-1e6, 0.5, 0.5},
		{1, 3, math.Log(math.Exp(1) + math.Exp(3))}, {inf, 1, inf}, {inf, inf, inf}, {-inf, 2, 2}, {-inf, -inf, -inf}, {inf, -inf, inf},
	} {
		got := logAddExp(c[0], c[1])
		assert.True(t, got == c[2] || math.Abs(got-c[2]) <= 4e-16*math.Abs(c[2]), "%v: %v", c, got)
		assert.Equal(t, logAddExp(c[0], c[1]), logAddExp(c[1], c[0]))
	}
	assert.True(t, math.IsNaN(logAddExp(math.NaN(), 1)))
	assert.True(t, math.IsNaN(logAddExp(inf, math.NaN())))
}
