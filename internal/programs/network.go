package programs

import (
	"fmt"
	"strings"
)

// Network is the softmax cross-entropy of a net of some layers with ReLU, by x, the targets t and the
// matrices W1, W2, ...
func Network(layers int) string {
	var b strings.Builder
	b.WriteString("declare x[n] t[n]")
	for i := 1; i <= layers; i++ {
		fmt.Fprintf(&b, " W%d[n,n]", i)
	}
	z := "x"
	for i := 1; i < layers; i++ {
		fmt.Fprintf(&b, "\nlet h%d = relu(W%d*%s)", i, i, z)
		z = fmt.Sprintf("h%d", i)
	}
	fmt.Fprintf(&b, "\nlet z = W%d*%s\nexpression logsumexp(z) - t'*z", layers, z)
	return b.String()
}
