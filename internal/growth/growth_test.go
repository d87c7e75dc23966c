package growth

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/internal/processor"
	"frechet/rewrite/normal"
	"frechet/syntax"
	"frechet/syntax/elab"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "measure all lengths and write docs/growth.md")

// A row is what differentiation makes of one program. Times are for each node of the
// result.
type row struct {
	family                Family
	steps                 int
	source, first, second Size // the program, its derivatives
	simplified            Size // the first derivative in normal form
	firstTime             time.Duration
	secondTime            time.Duration
	simplifyTime          time.Duration
	text                  int           // bytes of the program as text
	readTime              time.Duration // to parse and elaborate it, for each byte
}

// measure differentiates the family's program of n steps, twice where twice is set.
func measure(t testing.TB, f Family, n int, twice bool) row {
	t.Helper()
	s := combinators.NewStore()
	x, y := f.Build(s, n)
	r := row{family: f, steps: n, source: Measure(y)}
	g, took := derive(t, y, x)
	r.first = Measure(g)
	r.firstTime = took / time.Duration(r.first.Nodes)
	start := processor.Time()
	short := normal.New(s, nil).Simplify(y)[0]
	g1, _ := derive(t, short, x)
	r.simplified = Measure(normal.New(s, nil).Simplify(g1)[0])
	r.simplifyTime = (processor.Time() - start) / time.Duration(r.first.Nodes)
	if twice {
		h, took := derive(t, g, x)
		r.second = Measure(h)
		r.secondTime = took / time.Duration(r.second.Nodes)
	}
	src := f.Text(n)
	start = processor.Time()
	parsed := read(t, src)
	r.text, r.readTime = len(src), (processor.Time()-start)/time.Duration(len(src))
	require.Equal(t, r.source, Measure(parsed), "the text of %s is the term of %d steps", f.Name, n)
	return r
}

// read is the expression of a program.
func read(t testing.TB, src string) *Node {
	t.Helper()
	file, err := syntax.Parse(src, syntax.Limits{})
	require.NoError(t, err)
	prog, err := elab.Elaborate(file, elab.Options{})
	require.NoError(t, err)
	return prog.Outputs[0].Node
}

func derive(t testing.TB, y, x *Node) (*Node, time.Duration) {
	t.Helper()
	start := processor.Time()
	g, err := adjoint.Standard().Gradient(y, []*Node{x})
	require.NoError(t, err)
	return g[0], processor.Time() - start
}

// A derivative has at most four times the nodes and edges of its function, at every
// length, and so has the derivative of the derivative; simplification adds nothing.
func TestDerivativesGrowLinearly(t *testing.T) {
	lengths := []int{10, 100, 1000}
	if !testing.Short() {
		lengths = append(lengths, 10_000)
	}
	for _, f := range Families() {
		for _, n := range lengths {
			r := measure(t, f, n, true)
			if n < 100 { // mostly the seed and the constants
				continue
			}
			require.LessOrEqual(t, r.first.Over(r.source), 4.0, "%s of %d steps: %v, derivative %v", f.Name, n, r.source, r.first)
			require.LessOrEqual(t, r.second.Over(r.first), 4.0, "%s of %d steps: derivative %v, second %v", f.Name, n, r.first, r.second)
			require.LessOrEqual(t, r.simplified.Over(r.first), 1.0, "%s of %d steps: derivative %v, simplified %v", f.Name, n, r.first, r.simplified)
		}
	}
}

const doc = "../../docs/growth.md"

// What docs/growth.md says of sizes is measured again, for the shorter programs; times are not. With
// -update it is written, at all lengths.
func TestTable(t *testing.T) {
	if *update {
		require.NoError(t, os.WriteFile(doc, []byte(table(t, math.MaxInt)), 0o644))
	}
	most := 100
	if !testing.Short() {
		most = 1000
	}
	written, err := os.ReadFile(doc)
	require.NoError(t, err)
	require.Equal(t, sizesOf(string(written), most), sizesOf(table(t, most), most))
}

// sizesOf are the lines of a document and of its tables the rows of at most so many steps, without times.
func sizesOf(doc string, most int) (lines []string) {
	var head []string
	for line := range strings.Lines(doc) {
		cells := strings.Split(line, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case len(cells) < 3:
			head = nil
		case head == nil:
			head = cells
		default:
			if steps, err := strconv.Atoi(cells[slices.Index(head, "steps")]); err == nil && steps > most {
				continue
			}
			for i, name := range head {
				if name == "us" || name == "ns/byte" {
					cells[i] = ""
				}
			}
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return lines
}

// table is the document, with programs of at most so many steps.
func table(t *testing.T, most int) string {
	var b bytes.Buffer
	fmt.Fprint(&b, preface)
	tw := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	fmt.Fprintln(tw, "| program\t| steps\t| nodes, edges\t| derivative\t| ratio\t| us\t| second\t| ratio\t| us\t| simplified\t| ratio\t| us\t| text\t| ns/byte\t|")
	fmt.Fprintln(tw, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	for _, f := range Families() {
		for n := 10; n <= min(f.Steps, most); n *= 10 {
			r := measure(t, f, n, n <= 10_000)
			second := "\t| \t| "
			if r.second.Nodes > 0 {
				second = fmt.Sprintf("%s\t| %.2f\t| %s", r.second, r.second.Over(r.first), micros(r.secondTime))
			}
			fmt.Fprintf(tw, "| `%s`\t| %d\t| %s\t| %s\t| %.2f\t| %s\t| %s\t| %s\t| %.2f\t| %s\t| %d\t| %d\t|\n", f.What, n, r.source,
				r.first, r.first.Over(r.source), micros(r.firstTime), second, r.simplified, r.simplified.Over(r.source), micros(r.simplifyTime), r.text, r.readTime.Nanoseconds())
		}
	}
	require.NoError(t, tw.Flush())
	b.WriteString(vectorTable(t, most))
	b.WriteString(derivationTable(t, most))
	return b.String()
}

func micros(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/float64(time.Microsecond)) }

const preface = `# Growth

A derivative shares its parts with its function, so it grows with the number of operations
of the function, not with the size of its tree. The programs below have one ` + "`let`" + ` a step;
as trees, all but the first and the last double with every step.

Nodes and edges are counted once however often they are used; the exponent of a power is a
constant with an edge of its own. The ratio of a derivative is the larger of the ratios of
nodes and edges to those of the program (the second derivative: to those of the first); a
test keeps it at 4 or below. The second derivative is that of the first as differentiation
leaves it. The simplified one is what a user sees: the program is brought to normal form,
differentiated, and brought to normal form again; its ratio is to the program. Times are
microseconds of processor time for each node of the derivative, collecting garbage included. The last columns are the
bytes of the program as text, with one ` + "`let`" + ` a step, and the time to parse and elaborate a
byte of it; the term it gives is the built one.

Regenerate with ` + "`go test ./internal/growth -run TestTable -update`" + `.

`

func BenchmarkDifferentiate(b *testing.B) {
	for _, f := range Families() {
		b.Run(f.Name, func(b *testing.B) {
			for b.Loop() {
				s := combinators.NewStore()
				x, y := f.Build(s, 10_000)
				if _, err := adjoint.Standard().Gradient(y, []*Node{x}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSimplifyDerivative(b *testing.B) {
	for _, f := range Families() {
		b.Run(f.Name, func(b *testing.B) {
			s := combinators.NewStore()
			x, y := f.Build(s, 1000)
			g, err := adjoint.Standard().Gradient(y, []*Node{x})
			require.NoError(b, err)
			for b.Loop() {
				normal.New(s, nil).Simplify(g...)
			}
		})
	}
}
