package words

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNearest(t *testing.T) {
	names := []string{"softmax", "softplus", "sin", "sum"}
	assert.Equal(t, "softmax", Nearest("sofmax", names))
	assert.Equal(t, "sin", Nearest("sni", names))
	assert.Equal(t, "", Nearest("quux", names))
	assert.Equal(t, "", Nearest("q", names))
	assert.Equal(t, "tan", Nearest("tanx", []string{"tanh", "tan"}))
	assert.Equal(t, "tan", Nearest("tanx", []string{"tan", "tanh"}))
}

func TestCount(t *testing.T) {
	assert.Equal(t, "0 operands", Count(0, "operand"))
	assert.Equal(t, "1 operand", Count(1, "operand"))
	assert.Equal(t, "2 entries", Count(2, "entry"))
	assert.Equal(t, "1 index", Count(1, "index"))
	assert.Equal(t, "3 indices", Count(3, "index"))
	assert.Equal(t, "1 size is given", Given(1, "size"))
	assert.Equal(t, "2 sizes are given", Given(2, "size"))
	assert.Equal(t, "no axes", Spelled(0, "axis"))
	assert.Equal(t, "one axis", Spelled(1, "axis"))
	assert.Equal(t, "three terms", Spelled(3, "term"))
	assert.Equal(t, "4 terms", Spelled(4, "term"))
}
