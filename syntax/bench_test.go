package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// letChain is a program of n lets, one a line.
func letChain(n int) string {
	var b strings.Builder
	b.WriteString("declare x0 1\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "let x%d = sin(x%d) .* cos(x%d)\n", i, i-1, i-1)
	}
	fmt.Fprintf(&b, "expression x%d\nderivative wrt x0\n", n)
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	for _, c := range []struct{ name, src string }{
		{"logistic", "declare X 2 y 1 w 1\nexpression 1 *(i,i->) log(exp(-y *(i,i->i) (X *(ij,j->i) w)) + 1)\nderivative wrt w\n"},
		{"lets", letChain(10_000)},
		{"sum", "declare x 0 expression x" + strings.Repeat(" + x", 100_000)},
		{"nested", "declare x 0 expression " + strings.Repeat("(", 5000) + "x" + strings.Repeat(")", 5000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(c.src, Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPrint(b *testing.B) {
	f, err := Parse(letChain(10_000), Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		PrintFile(f)
	}
}
