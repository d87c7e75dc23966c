package normal

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// Normal forms know what the table of operations says of each element-wise function: f(-x) is f(x) or -f(x), f(2 x) is a multiple of
// f(x), exact values are numbers, and a value of the sign that the range says is its own |f(x)|.
func TestNormalFormsKnowTheTable(t *testing.T) {
	for _, at := range atom.Rows() {
		if at.F1 == nil {
			continue
		}
		s := combinators.NewStore()
		x := s.Var("x", []size.Size{size.Sym("n")})
		f := func(x *combinators.Node) *combinators.Node { return s.Unary(at, x) }
		same := func(a, b *combinators.Node, law string) {
			forms := New(s, nil).Simplify(a, b)
			assert.Equal(t, forms[1], forms[0], "%s: %s", at.Name, law)
		}
		switch at.Parity {
		case atom.Even:
			same(f(s.Neg(x)), f(x), "even")
		case atom.Odd:
			same(f(s.Neg(x)), s.Neg(f(x)), "odd")
		}
		two := s.Scale(s.Int(2), x)
		switch at.Homogeneous {
		case "0":
			same(f(two), f(x), "f(2 x) = f(x)")
		case "1":
			same(f(two), s.Scale(s.Int(2), f(x)), "f(2 x) = 2 f(x)")
		}
		if at.Range.Signs().Nonneg {
			same(s.Unary(atom.Abs, f(x)), f(x), "its own absolute value")
		}
		for k := int64(-2); k <= 2; k++ {
			if at.Exact != nil {
				if v := at.Exact(big.NewRat(k, 1), nil); v != nil {
					same(f(s.Fill(big.NewRat(k, 1), x.Shape())), s.Fill(v, x.Shape()), "exact values")
				}
			}
		}
	}
}
