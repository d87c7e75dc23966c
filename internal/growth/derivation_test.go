package growth

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
	"text/tabwriter"
	"time"

	"frechet/internal/derivation"
	"frechet/internal/processor"
	"frechet/internal/program"

	"github.com/stretchr/testify/require"
)

// derivationTable measures derivations and certificates of programs of at most so many steps.
func derivationTable(t *testing.T, most int) string {
	var b bytes.Buffer
	b.WriteString(derivationPreface)
	tw := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	fmt.Fprintln(tw, "| program\t| steps\t| lines\t| bytes shown\t| bytes in full\t| us\t| certificate\t| steps checked\t| us\t|")
	fmt.Fprintln(tw, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	for _, f := range []Family{Families()[0], Families()[2]} {
		for n := 100; n <= min(10_000, most); n *= 10 {
			start := processor.Time()
			p, err := program.Read(f.Text(n), program.Options{})
			require.NoError(t, err)
			d, err := derivation.Of(p, 1, nil)
			require.NoError(t, err)
			var shown, proof bytes.Buffer
			require.NoError(t, d.Write(&shown, "text", false, false))
			derived := processor.Time() - start
			full, lines := len(d.Text("text", false)), 0
			for range d.Steps() {
				lines++
			}
			require.NoError(t, d.Certificate(&proof))
			size := proof.Len()
			start = processor.Time()
			sum, err := derivation.Replay(context.Background(), io.Reader(&proof))
			require.NoError(t, err)
			fmt.Fprintf(tw, "| `%s`\t| %d\t| %d\t| %d\t| %d\t| %s\t| %d\t| %d\t| %s\t|\n", f.What, n, lines, shown.Len(), full,
				micros(derived/time.Duration(n)), size, sum.Steps, micros((processor.Time()-start)/time.Duration(n)))
		}
	}
	require.NoError(t, tw.Flush())
	return b.String()
}

const derivationPreface = `
## Derivations

What ` + "`steps`" + ` prints, and its certificate. Times are microseconds of processor time for each step of the
program: to read it, to derive it and to print what is shown; to replay the certificate.

`
