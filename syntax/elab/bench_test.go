package elab

import (
	"fmt"
	"strings"
	"testing"

	"frechet/syntax"
)

func BenchmarkElaborate(b *testing.B) {
	var lets strings.Builder
	lets.WriteString("declare x0 1\n")
	for i := range 10_000 {
		fmt.Fprintf(&lets, "let x%d = sin(x%d) .* cos(x%d)\n", i+1, i, i)
	}
	lets.WriteString("expression x10000")
	for _, c := range []struct{ name, src string }{
		{"quadratic", "declare A[n,n] x[n] expression x'*A*x"},
		{"logistic", "declare X 2 y 1 w 1 expression 1 *(i,i->) log(exp(-y *(i,i->i) (X *(ij,j->i) w)) + 1)"},
		{"softmax", "declare X[m,n] W[n,k] Y[m,k] expression sum(logsumexp(X*W, axis=1)) - sum(Y .* (X*W))"},
		{"lets", lets.String()},
	} {
		b.Run(c.name, func(b *testing.B) {
			f, err := syntax.Parse(c.src, syntax.Limits{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Elaborate(f, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
