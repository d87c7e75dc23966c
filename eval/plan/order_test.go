package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func setOf(vars ...int) varset {
	var s varset
	for _, v := range vars {
		s.add(v)
	}
	return s
}

// A chain of matrices before a vector is multiplied from the vector.
func TestOrderOfChains(t *testing.T) {
	for _, n := range []int{5, 9, 40} {
		size := make([]int, n+1)
		var sets []varset
		for i := range n {
			size[i] = 50
			sets = append(sets, setOf(i, i+1))
		}
		size[n] = 50
		sets = append(sets, setOf(n))
		at := n // the vector, then the product so far
		for i, p := range pairOrder(sets, setOf(0), size) {
			require.ElementsMatch(t, []int{n - 1 - i, at}, []int{p.A, p.B}, "%d matrices", n)
			at = n + 1 + i
		}
	}
}

func TestVarset(t *testing.T) {
	s := setOf(0, 63, 64, 255)
	require.True(t, s.has(0) && s.has(63) && s.has(64) && s.has(255) && !s.has(1) && !s.has(128))
	require.Equal(t, []int{0, 63, 64, 255}, s.list())
	require.Equal(t, setOf(64), s.and(setOf(64, 65)))
	require.Equal(t, setOf(0, 63, 255), s.minus(setOf(64)))
	require.True(t, s.minus(s).empty())
	size := make([]int, 256)
	for i := range size {
		size[i] = 3
	}
	require.Equal(t, 81.0, s.elems(size))
}
