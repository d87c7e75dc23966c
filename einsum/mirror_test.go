package einsum

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestMirrored: products that are sums of squares or quadratic forms, and such that look like them.
func TestMirrored(t *testing.T) {
	// a..z are indices. Kinds of factors, by their names: K definite, S symmetric, p not negative, others nothing.
	for text, want := range map[string]bool{
		"X ki, v i, X kj, v j":       true,
		"X ki, v i, w k, X kj, v j":  false,
		"X ki, v i, p k, X kj, v j":  true,
		"v i, K ij, v j":             true,
		"v i, S ij, v j":             false,
		"A ij, A ij":                 true,
		"A ij, A ji":                 false,
		"S ij, S ji":                 true,
		"K ij, S jk, K kl, S li":     true,
		"K ij, A jk, K kl, A li":     false,
		"K ij, A jk, K kl, A il":     true,
		"A ij, A jk, A kl, A li":     false,
		"A ij, A kj, A kl, A il":     true,
		"A ij, B jk, A il, B lk":     true,
		"v i, v j, p i":              false,
		"v i, v i, p i":              true,
		"A ij, A jk, A ki":           false,
		"K ij, v i, w j":             false,
		"v i, A ij, A kj, v k, w l":  false,
		"v i, v j, A ij, A ji":       false,
		"X ai, X bi, X bj, X aj":     true,
		"A ij, A ji, p i, v k, v k":  false,
		"K ii":                       false,
		"K ij, v i, v j, K kl, A kl": false,
	} {
		names, in, vars := product(text)
		require.Equal(t, want, asked(names, in, vars), text)
	}
}

// product reads "X ki, v i".
func product(text string) (names []byte, in [][]int, vars int) {
	var g []int
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case i == 0 || i > 1 && text[i-2] == ',':
			names, g = append(names, c), nil
		case c == ' ' || c == ',':
		default:
			g = append(g, int(c-'a'))
		}
		if i+1 == len(text) || text[i+1] == ',' {
			in = append(in, g)
		}
	}
	return names, in, 26
}

func asked(names []byte, in [][]int, vars int) bool {
	is := func(c byte) func(k int) bool { return func(k int) bool { return names[k] == c } }
	return Mirrored(in, vars, nil, 0, 0, is('p'), is('K'), func(k int) bool { return names[k] == 'S' || names[k] == 'K' },
		func(k, l int) bool { return names[k] == names[l] })
}

// TestMirroredIsNotNegative: what is found to be mirrored is not negative at random entries.
func TestMirroredIsNotNegative(t *testing.T) {
	orders := map[byte]int{'A': 2, 'K': 2, 'S': 2, 'v': 1, 'p': 1, 'X': 3}
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		const vars = 5
		var names []byte
		var in [][]int
		for range rapid.IntRange(1, 3).Draw(t, "pairs") {
			c := rapid.SampledFrom([]byte("AAKSvvpX")).Draw(t, "name")
			for range rapid.IntRange(1, 2).Draw(t, "times") {
				g := make([]int, orders[c])
				for i := range g {
					g[i] = rapid.IntRange(0, vars-1).Draw(t, "index")
				}
				names, in = append(names, c), append(in, g)
			}
		}
		if !asked(names, in, vars) {
			return
		}
		found++
		for range 20 {
			require.GreaterOrEqual(t, summed(t, names, in, vars), 0, "%s %v", names, in)
		}
	})
	require.Greater(t, found, 0)
}

// summed is the sum of the product over all indices, of two values each, at whole entries.
func summed(t *rapid.T, names []byte, in [][]int, vars int) (sum int) {
	entries := map[byte][]int{}
	for _, c := range "AKSvpX" {
		entries[byte(c)] = rapid.SliceOfN(rapid.IntRange(-3, 3), 8, 8).Draw(t, string(c))
	}
	k, s, p := entries['K'], entries['S'], entries['p']
	s[2] = s[1]
	a, b, c, d := k[0], k[1], k[2], k[3]
	k[0], k[1], k[2], k[3] = a*a+b*b, a*c+b*d, a*c+b*d, c*c+d*d
	for i := range p {
		p[i] *= p[i]
	}
	for at := range 1 << vars {
		x := 1
		for k, g := range in {
			i := 0
			for _, v := range g {
				i = 2*i + at>>v&1
			}
			x *= entries[names[k]][i]
		}
		sum += x
	}
	return sum
}
