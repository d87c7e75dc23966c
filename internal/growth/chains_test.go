package growth

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"frechet/internal/derivation"
	"frechet/internal/program"
	"frechet/internal/query"

	"github.com/stretchr/testify/require"
)

// chains are programs of one let a step, made of the one before it, $v. They are quadratic where something is done for
// each value and for all that it is made of.
var chains = []string{
	"sin($v) .* $v/(1 + norm2($v))", // kinks
	"sin($v) ./ (2 + cos($v) .* $v)",
	"$v/norm2($v + w)",
	"$v - logsumexp($v)",
	"softmax($v) .* $v + sum($v)*w",          // centred values
	"($v - mean($v))/sqrt(1 + var($v)) .* w", // that are made of centred values
	"max(relu($v + w), tanh($v))",            // ties
	"max(1 + $v .^ 2, -(w .^ 2))",            // that nothing meets
	"tr(inv(x*w' + $v*w'))*x",                // conditions on matrices
	"log(1 + $v .^ 2) .* sqrt(1 + $v .^ 2)",  // that hold
	"$v + A'*softmax(A*$v)",                  // residual steps
	"A*$v/($v'*A*$v)",                        // scalars and vectors
	"where($v > w, sin($v), $v .* w)",        // branches
	"sin($v)/norm2($v) + cos($v) .* exp($v)", // diamonds
	"sin($v) + dots_$k",                      // sums over all before
}

// chain is a program of n steps.
func chain(step string, n int) string {
	var b strings.Builder
	b.WriteString("declare x[n] w[n] A[n,n] d[n]\n")
	v := "x"
	for k := range n {
		if fmt.Fprintf(&b, "let dots_%d = %s", k, v); k > 0 {
			fmt.Fprintf(&b, " + dots_%d", k-1)
		}
		fmt.Fprintf(&b, "\nlet v_%d = %s\n", k, strings.NewReplacer("$v", v, "$k", strconv.Itoa(k)).Replace(step))
		v = fmt.Sprintf("v_%d", k)
	}
	fmt.Fprintf(&b, "expression sum(%s)\nderivative wrt x\n", v)
	return b.String()
}

// Gradients, products with Jacobians and derivations of long programs, with their texts, what they assume and where they
// hold, take room in proportion to the length of the program.
func TestChainsGrowLinearly(t *testing.T) {
	verbs := map[string]func(f *program.Program) error{
		"grad": func(f *program.Program) error {
			r, err := query.Derive(context.Background(), f, query.Query{Wrt: []string{"x"}, Order: 1})
			if err != nil {
				return err
			}
			r.Conventions()
			_, err = r.Outputs[0].Derivs[0].Text("text")
			return err
		},
		"steps": func(f *program.Program) error {
			d, err := derivation.Of(f, 1, nil)
			if err != nil {
				return err
			}
			derivation.Domain(f)
			return d.Write(io.Discard, "text", false, false)
		},
	}
	for verb, run := range verbs {
		for _, step := range chains {
			room := func(n int) float64 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				f, err := program.Read(chain(step, n), program.Options{})
				require.NoError(t, err, step)
				require.NoError(t, run(f), step)
				runtime.ReadMemStats(&after)
				return float64(after.TotalAlloc - before.TotalAlloc)
			}
			room(10)
			short, long := room(30), room(120)
			t.Logf("%-5s %-55s %5.2f", verb, step, long/short)
			require.LessOrEqual(t, long, 4.8*short, "%s %s", verb, step)
		}
	}
}
