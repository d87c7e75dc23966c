package eval

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The derivatives of prod beside the definition, for each order and size, with zeros among the entries.
func TestProd(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 5 {
		for k := range 4 {
			shape := []int{2}
			for range k {
				shape = append(shape, n)
			}
			x, out := NewTensor(2, n), NewTensor(shape...)
			for i := range x.Data {
				x.Data[i] = float64(r.IntN(5) - 2)
			}
			prod(k, x, out)
			for o, got := range out.Data {
				b, left, rest := o*2/len(out.Data), map[int]bool{}, o
				for range k {
					left[rest%n] = true
					rest /= n
				}
				want := 1.0
				for i, v := range x.Data[b*n : (b+1)*n] {
					if !left[i] {
						want *= v
					}
				}
				if len(left) < k {
					want = 0
				}
				assert.Equal(t, want, got+0, fmt.Sprintf("order %d of %v at %d", k, x.Data, o))
			}
		}
	}
}
