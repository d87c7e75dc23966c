package elab

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/internal/processor"
	"frechet/syntax"
)

// Long programs take time in proportion, and nothing recurses along them.
func TestLongPrograms(t *testing.T) {
	lets := func(n int, step string) string {
		var b strings.Builder
		b.WriteString("declare x0 1 A[2,2]\n")
		for i := 1; i <= n; i++ {
			b.WriteString(strings.ReplaceAll(strings.ReplaceAll("let x# = "+step+"\n", "#", fmt.Sprint(i)), "@", fmt.Sprintf("x%d", i-1)))
		}
		fmt.Fprintf(&b, "expression x%d", n)
		return b.String()
	}
	n := 30_000
	for _, c := range []struct{ name, src string }{
		{"squares", lets(n, "@ .* @")},
		{"sines", lets(n/10, "@ + sin(@)")},
		{"products", lets(n/10, "sin(@) .* cos(@)")},
		{"index products", lets(n/10, "@ *(i,i->i) @")},
		{"sum", "declare x 1 expression x" + strings.Repeat(" + x - x", n/2)},
		{"product", "declare x 1 expression x" + strings.Repeat(" .* x", n)},
		{"matrices", "declare A 2 expression A" + strings.Repeat("*A", n)},
		{"scalars", "declare x 0 expression x" + strings.Repeat("*2 + 1", n)},
		{"literals", "expression 1" + strings.Repeat("*3 + 1/7", n/10)},
		{"long names", "declare " + strings.Repeat("y", 100_000) + " 1 expression " + strings.Repeat("y", 100_000)},
		{"variables", "declare " + strings.Repeat("x", 1) + "0 2" + manyVariables(n) + " expression x0"},
		{"nested", "declare x 1 expression " + strings.Repeat("sin(", 9000) + "x" + strings.Repeat(")", 9000)},
	} {
		f, err := syntax.Parse(c.src, syntax.Limits{})
		require.NoError(t, err, c.name)
		begin := time.Now()
		p, err := Elaborate(f, Options{})
		took := time.Since(begin)
		if assert.NoError(t, err, c.name) {
			t.Logf("%-16s %8.1f ms %8d nodes", c.name, took.Seconds()*1000, p.Store.Len())
		}
	}
}

func manyVariables(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, " x%d 2", i)
	}
	return b.String()
}

func TestHostile(t *testing.T) {
	for _, c := range []struct {
		name, src string
		code      syntax.Code // "" for a result
	}{
		{"a kron of krons", "declare A[n,n]" + doubling("A", "kron(@, @)", 60), "L010"},
		{"a kron of numbers", "declare A[9,9]" + doubling("A", "kron(@, @)", 60), "L010"},
		{"a kron of unknown sizes", "declare A 2" + doubling("A", "kron(@, @)", 60), "L010"},
		{"an outer product of outer products", "declare A[n,n] let B = A *(ij,kl->ijkl) A expression einsum(ijkl,mnop,qrst,uvwx,abcd,efgh,ABCD,EFGH,IJKL,MNOP,QRST,UVWX,i'j'k'l',a'b'c'd',e'f'g'h',m'n'o'p',q'r's't'->" +
			"ijklmnopqrstuvwxabcdefghABCDEFGHIJKLMNOPQRSTUVWXi'j'k'l'a'b'c'd'; B,B,B,B,B,B,B,B,B,B,B,B,B,B,B,B,B)", ""},
		{"9^9^9^9", "expression 9^9^9^9", "L004"},
		{"a negative power tower", "expression 9^-9^9^9", "L004"},
		{"a number beyond floating point", "declare x 0 expression 1e400 * x", "L004"},
		{"large numbers that cancel", "declare x 0 expression 1e400/1e399 * x", ""},
		{"0.5^(10^9)", "expression 0.5^(10^9)", ""},
		{"1.0000001^(10^7)", "expression 1.0000001^(10^7)", ""},
		{"(-1)^(10^18)", "expression (-1)^(10^18)", ""},
		{"factorial growth", "expression 1" + strings.Repeat("*9999999999", 10_000), "L004"},
		{"a long decimal", "expression 0." + strings.Repeat("7", 9000), ""},
		{"a huge size", "expression sum(1[9223372036854775807])", ""},
		{"a larger size", "expression sum(1[9223372036854775808])", "L010"},
		{"sizes that multiply", "declare x[n] expression 1[n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n]", "L010"},
		{"a matrix power of 10^10", "declare A 2 expression matpow(A, 10^10)", "L011"},
		{"1/0", "expression 1/0", ""},
		{"0^-1", "expression 0^-1", ""},
		{"a size that contains itself", "declare A[n,n] B[m,m] expression kron(A, B) + A", "T011"},
	} {
		begin := processor.Time()
		_, err := elaborate(c.src, Options{})
		if c.code == "" {
			assert.NoError(t, err, c.name)
		} else {
			var e *syntax.Error
			if assert.ErrorAs(t, err, &e, c.name) {
				assert.Equal(t, c.code, e.Code, "%s: %s", c.name, e.Message)
			}
		}
		assert.Less(t, processor.Time()-begin, 5*time.Second, c.name)
	}
}

// doubling is a chain of lets each of which uses the one before twice.
func doubling(start, step string, n int) string {
	var b strings.Builder
	last := start
	for i := range n {
		next := fmt.Sprintf("p%d", i)
		fmt.Fprintf(&b, " let %s = %s", next, strings.ReplaceAll(step, "@", last))
		last = next
	}
	return b.String() + " expression " + last
}
