package linear_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet"
)

// A product of spaces is a vector space, and its copower the product of copowers (Elsman, sections
// 2.2.2 and 2.2.3): what is written for all of it is the map of its components.
func TestMapsOfProducts(t *testing.T) {
	for _, c := range []struct{ typ, written, means string }{
		{"(R x R[k])^[n] -o (R x R[k])^[n]", "scan", "scan x scan"},
		{"R x R[k] -o (R x R[k])^[n]", "rep[n]", "rep[n] x rep[n]"},
		{"(R x R[k])^[n] -o R x R[k]", "sum[n]", "sum[n] x sum[n]"},
		{"(R x (R[k] x R))^[n] -o (R x (R[k] x R))^[n]", "scan", "scan x (scan x scan)"},
		{"(R x R[k])^[n] -o (R x R[k])^[m]", "red{(i,j) | i = 2*j}", "(red{(i,j) | i = 2*j} : R[n] -o R[m]) x (red{(i,j) | i = 2*j} : R[n,k] -o R[m,k])"},
		{"(R[n] x R[m]) (x) R[l] -o R[l] (x) (R[n] x R[m])", "transpose", "transpose x transpose"},
		{"R[n]^[m] x R[k]^[m] -o (R[n] x R[k])^[m]", "zip", "id"},
		{"(R[n] x R[k])^[m] -o R[n]^[m] x R[k]^[m]", "unzip", "id"},
		{"R x R[k] -o R x R[k]", "-id", "((-1 .* _) x (-1 .* _)) . id"},
		{"R x R[k] -o R x R[k]", "id - 3 .* id", "id + ((-1 .* _) x (-1 .* _)) . ((3 .* _) x (3 .* _)) . id"},
		{"R x R[k] -o R x R[k]", "(c .* _)", "(c .* _) x (c .* _)"},
		{"R x R[k] -> R x R[k]", "(sin x exp) ./ c", "(((1 ./ c) .* _) x ((1 ./ c) .* _)) . (sin x exp)"},
		{"(R x R[k]) x (R x R[k]) -> R", "dot", "(_ .* _) . <pi1 . pi1, pi1 . pi2> + *(i,i->) . <pi2 . pi1, pi2 . pi2>"},
		{"R[m,n] x R[m,n] ->2 R", "dot", "*(ij,ij->)"},
		{"R[m] x R[n,k] ->2 R[m,n,k]", "tensor", "*(i,jk->ijk)"},
		{"R[n] -o R[n,k]", "(_ (x) a)", "(_ *(i,j->ij) a)"},
		// sections of the tensor contraction
		{"R[k,n] -o R[n]", "(a *)", "(a *(i,ij->j) _)"},
		{"R[n,k] -o R[n]", "(* a)", "(_ *(ij,j->i) a)"},
		{"R[k] -o R", "(a * _)", "(a *(i,i->) _)"},
		{"R[n] -o R[n,k]", "(_ * a)", "(_ *(i,j->ij) a)"},
		{"R -o R[k]", "(a *)", "(a .* _)"},
		{"R[m,n] -o R[m,n]", "(c *)", "(c .* _)"},
		{"R[k] -o R[k]", "((a (x) a) *) . (* 2)", "((a (x) a) *(ij,j->i) _) . (_ .* 2)"},
		{"R[k,n] x R[k] -o R[n] x R", "(a *)", "(a *(i,ij->j) _) x (a *(i,i->) _)"},
		{"R[n] -> R", "Σ ∘ π₁ ∘ ⟨id, sin⟩", "sum . pi1 . <id, sin>"},
		{"R x R[n] -o R[k] x R[k,n]", "(a ⊗ _)", "(a .* _) x (a *(i,j->ij) _)"},
		{"(R x R[k]) x R[n] -> R[n] x R[k,n]", "tensor", "<(_ .* _) . <pi1 . pi1, pi2>, *(i,j->ij) . <pi2 . pi1, pi2>>"},
		{"R[k,k] -> R", "det", "minor[0]"},
		{"R -o 0", "0", "(0 : R -o R[0])"},
		{"R[4] -o R[2]", "red{(0,1),(0,1),(3,0)}", "red{(0,1),(3,0)}"},
		{"R[n] -o R[n]", "rep[n] . (red{() | 1 <= n} : R -o R) . sum", "rep[n] . (red{( ) | 0 < n} : R -o R) . sum"},
		{"R[n,n] -o R[n]", "red{((i,j),k) | k = i + j}", "red{(i,j,k) | k == i + j}"},
		{"R[n] -o R[n]", "red{(i,j) | 0 <= i - j < 3}", "red{(i,j) | i >= j, i < j + 3}"},
		{"R[2*n+2] -o R[n]", "red{(2*(j+1),j)}", "red{(2*j+2,j)}"},
		// letters that no index is, unions of sets, inequalities
		{"R[2*n+1] -o R[n]", "red{(2*j+l,j) | 0 <= l < 3}", "red{(i,j) | 0 <= i - 2*j < 3}"},
		{"R[n] -o R[n]", "red{(i+l,2*i+l)}", "red{(i,j)}"},
		{"R[n] -o R[n]", "red{(i,j) | i != j}", "red{(i,j) | i < j; (i,j) | i > j}"},
		{"R[n] -o R[n]", "red{(i,i),(i,i+1) | i < 5}", "red{(i,i) | i < 5} + red{(i,i+1) | i < 5}"},
		{"R[n] -o R[n]", "red{(i,j) | i <= j; (k,k); (i,j) | j >= i + 2}", "red{(i,j) | i <= j}"},
		{"R[4] -o R[4]", "red{(0,0),(3,1); (i,i); (0,0)}", "red{(i,i)} + red{(3,1)}"},
		{"R[n] -o R[n]", "red{(i,i); (i,n-1-i)}", "red{(i,i)} + red{(i,n-1-i)} - red{(i,i) | n - 1 = 2*i}"},
		{"R[n] -o R[n]", "red{(i,j) | i < j, j < i}", "0"},
	} {
		text := func(term string) string {
			f, err := frechet.Parse("declare c[] a[k] f : "+c.typ+" = "+term, frechet.WithLanguage("combinators"))
			require.NoError(t, err, term)
			m, err := f.Map()
			require.NoError(t, err, term)
			return m.String()
		}
		assert.Equal(t, text(c.means), text(c.written), c.written)
	}
}

// Values of a product of spaces are added and multiplied by numbers.
func TestTupleValues(t *testing.T) {
	for src, want := range map[string][]string{
		"p : R x R[k] = 2 .* (c, a) - (1, sin(a)) + -(c, a)":                 {"c - 1", "a - sin(a)"},
		"p : R x R[k] = let q = (c, a); r = (sin x cos)(q) in r ./ c + q":    {"c + sin(c)/c", "a + cos(a)/c"},
		"q : R x R[k] = (c, a)  p : R x R[k] = (id + K(q - 2 .* q))(0 .* q)": {"-c", "-a"},
	} {
		f, err := frechet.Parse("declare c[] a[k] "+src, frechet.WithLanguage("combinators"))
		require.NoError(t, err, src)
		r, err := f.Derive(context.Background(), frechet.Query{})
		require.NoError(t, err, src)
		for i, o := range r.Outputs {
			assert.Equal(t, want[i], o.Value.String(), src)
		}
	}
}
