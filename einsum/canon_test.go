package einsum

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/einsum/size"
)

// Products of many operands, of which many are equal, have one form, in whatever order they stand: chains,
// trees with some closed rings, operands of several axes.
func TestWideProductsHaveOneForm(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		n := 5 + r.IntN(30)
		kinds, rings := 1+r.IntN(4), r.IntN(3)
		var in [][]int
		var labels []int
		letters := 1
		for range n {
			v := letters - 1
			if r.IntN(4) == 0 {
				v = r.IntN(letters)
			}
			g := []int{v}
			for range r.IntN(3) {
				if rings > 0 && r.IntN(8) == 0 {
					rings--
					g = append(g, r.IntN(letters))
				} else {
					g = append(g, letters)
					letters++
				}
			}
			if r.IntN(2) == 0 {
				g[0], g[len(g)-1] = g[len(g)-1], g[0]
			}
			in, labels = append(in, g), append(labels, r.IntN(kinds)*4+len(g))
		}
		out := []int{r.IntN(letters)}
		dims := make([]size.Size, letters)
		for v := range dims {
			dims[v] = size.Sym("n")
		}
		c := Plain(in, out, dims)
		form, perm := c.Canon(labels)
		require.Equal(t, form.Key(), c.Permute(perm).Key())
		in2, labels2 := make([][]int, n), make([]int, n)
		for k, o := range r.Perm(n) {
			in2[k], labels2[k] = in[o], labels[o]
		}
		d := Plain(in2, out, dims)
		other, _ := d.Canon(labels2)
		require.Equal(t, form.Key(), other.Key(), "%s with %v", c.Key(), labels)
		all := NewTable()
		table, perm := all.Canon(d, labels2)
		require.Equal(t, form.Key(), table.Key())
		sorted := make([]int, n)
		for k, p := range perm {
			sorted[k] = labels2[p]
		}
		again, _ := all.Canon(table, sorted)
		require.Same(t, table, again, "the form of a form is itself")
	}
}
