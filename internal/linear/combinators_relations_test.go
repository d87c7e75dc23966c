package linear_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
)

// A random union of affine sets is, pair by pair, the set that its letters describe, whatever overlaps.
func TestRelationsAreSets(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	type pair struct{ x, y int }
	const far = 12 // letters from -far to far reach every pair
	for range 300 {
		m, n := 1+r.IntN(4), 1+r.IntN(4)
		want := map[pair]bool{}
		var parts []string
		for range 1 + r.IntN(4) {
			a, b := []int{-2, -1, 1, 2}[r.IntN(4)], r.IntN(5)-2
			var tuple string
			var at func(i, k int) pair
			switch r.IntN(5) {
			case 0:
				tuple, at = "(i,k)", func(i, k int) pair { return pair{i, k} }
			case 1:
				tuple, at = fmt.Sprintf("(i,%d*i+%d)", a, b), func(i, k int) pair { return pair{i, a*i + b} }
			case 2:
				tuple, at = fmt.Sprintf("(i+k,i+%d)", b), func(i, k int) pair { return pair{i + k, i + b} }
			case 3:
				c := r.IntN(2) * 2
				tuple, at = fmt.Sprintf("(i+k,%d*i+k)", c), func(i, k int) pair { return pair{i + k, c*i + k} }
			default:
				c, d := r.IntN(m), r.IntN(n)
				tuple, at = fmt.Sprintf("(%d,%d)", c, d), func(i, k int) pair { return pair{c, d} }
			}
			letters := strings.Contains(tuple, "i")
			both := strings.Contains(tuple, "k")
			holds, cond := func(i, k int) bool { return true }, ""
			c := r.IntN(4) - 1
			switch choice := r.IntN(6); {
			case choice == 0 && letters:
				cond, holds = fmt.Sprintf(" | i <= %d", c), func(i, k int) bool { return i <= c }
			case choice == 1 && both:
				cond, holds = fmt.Sprintf(" | i != k + %d", c), func(i, k int) bool { return i != k+c }
			case choice == 2 && both:
				cond, holds = fmt.Sprintf(" | 0 <= k - i < %d", c+2), func(i, k int) bool { return 0 <= k-i && k-i < c+2 }
			case choice == 3 && both:
				cond, holds = " | 2*i = k", func(i, k int) bool { return 2*i == k }
			case choice == 4 && letters:
				cond, holds = fmt.Sprintf(" | i = %d, i = %d", c, c), func(i, k int) bool { return i == c }
			}
			parts = append(parts, tuple+strings.ReplaceAll(cond, "+ -", "- "))
			for i := -far; i <= far; i++ {
				for k := -far; k <= far; k++ {
					if p := at(i, k); holds(i, k) && 0 <= p.x && p.x < m && 0 <= p.y && p.y < n {
						want[p] = true
					}
				}
			}
		}
		relation := strings.ReplaceAll(strings.Join(parts, "; "), "+-", "-")
		src := fmt.Sprintf("f(x) : R[%d] -> R[%d] = red{%s}", m, n, relation)
		f, err := frechet.Parse(src)
		require.NoError(t, err, src)
		for _, program := range []string{src, fmt.Sprintf("f(x) : R[%d] -> R[%d] = sin . (red{%s} : R[%d] -o R[%d]) . exp", m, n, relation, m, n)} {
			printed := mapText(t, program)
			require.Equal(t, printed, mapText(t, printed), "what is printed reads back")
		}
		x := &frechet.Tensor{Shape: []int{m}, Data: make([]float64, m)}
		for i := range x.Data {
			x.Data[i] = float64(int(1) << (3 * i)) // a sum tells which and how often
		}
		d, err := f.Derive(context.Background(), frechet.Query{})
		require.NoError(t, err, src)
		got, _, err := d.Evaluate(context.Background(), []*frechet.Term{d.Outputs[0].Value}, frechet.Env{"x": x})
		require.NoError(t, err, src)
		for y := range n {
			sum := 0.0
			for i := range m {
				if want[pair{i, y}] {
					sum += x.Data[i]
				}
			}
			require.Equal(t, sum, got[0].Data[y], "%s: entry %d", src, y)
		}
	}
}

func mapText(t *testing.T, src string) string {
	f, err := frechet.Parse(src)
	require.NoError(t, err, src)
	m, err := f.Map()
	require.NoError(t, err, src)
	return m.String()
}

// Relations are printed as such wherever they are read as what they were.
func TestRelationsPrinted(t *testing.T) {
	for src, want := range map[string]string{
		"f : R[n] -o R[n] = scan":                                          "f : R[n] -o R[n] = red{(i,j) | i <= j}",
		"f : R[i] -o R[j] = red{(k,l) | k + i < 2*l + j}":                  "f : R[i] -o R[j] = red{(k,l) | k+i < 2*l+j}",
		"f : R[n] -o R[m] = red{(i,2*i+1) | i < 5}":                        "f : R[n] -o R[m] = red{(i,2*i+1) | i <= 4}",
		"f : R[n] -o R[n] = red{(i+1,i)}":                                  "f : R[n] -o R[n] = red{(i+1,i)}",
		"f : R[n] -o R[n] = red{(i,i-1)}":                                  "f : R[n] -o R[n] = red{(i,i-1)}",
		"f : R[n] -> R[n] = sin . (red{(i,j) | 2*i = 3*j} : R[n] -o R[n])": "f : R[n] -> R[n] = sin . red{(i,j) | 2*i = 3*j}",
		"f : R[n] -o R[m] = *([i:n]->[j:m]|i=n,j=m,k=3)":                   "f : R[n] -o R[m] = *([i:n]->[j:m]|i=n,j=m,k=3)",
		"f : R[n] -o R[m] = *([i+2*j:n]->[i+4*j:m]|i=n,j=n,i-2*j==0)":      "",
		"f : R[n,k] -o R[m,k] = (red{(i,j) | i <= j} : R[n,k] -o R[m,k])":  "f : R[n,k] -o R[m,k] = red{(i,j,l,j) | i <= l}",
	} {
		got := mapText(t, src)
		if want != "" {
			require.Equal(t, want, got)
		}
		require.Equal(t, got, mapText(t, got))
	}
	f, err := frechet.Parse("f : R[m,n] -o R[p] = red{(i,i+2,i+1) | i < 5}")
	require.NoError(t, err)
	m, err := f.Map()
	require.NoError(t, err)
	adjoint, err := m.Adjoint()
	require.NoError(t, err)
	require.Contains(t, adjoint.String(), " : R[p] -o R[m,n] = red{(i+1,i,i+2) | i <= 4}")
}
