package index

import (
	"errors"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/syntax"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"f[i;j]=x[i,j]", "f[i; j] = x[i; j]"},
		{"f = x", "f = x"},
		{"f[] = x[]", "f = x[]"},
		{"f[i] = x[ 2 * i+1 ]", "f[i] = x[2*i + 1]"},
		{"f[i:n-k+1] = sum{r}_0^(k-1) (x[i + r] * w[r])", "f[i:n - k + 1] = sum{r}_0^(k - 1) (x[i + r] * w[r])"},
		{"f = sum{k}_0^n (x[k])", "f = sum{k}_0^n (x[k])"},
		{"f = sum{k}_0^4 x[k] + 1", "f = sum{k}_0^4 (x[k]) + 1"},
		{"f = sum{k}_0^4 (x[k]) ** 2", "f = sum{k}_0^4 (x[k])**2"},
		{"f[i] = -x[i]^2", "f[i] = -x[i]**2"},
		{"f[i] = (-x[i])^2", "f[i] = (-x[i])**2"},
		{"f[i] = x[i]**-2**y[i]", "f[i] = x[i]**-2**y[i]"},
		{"f[i] = (x[i]**2)**3", "f[i] = (x[i]**2)**3"},
		{"f[i] = a[i] - (b[i] - c[i]) / (d[i] * 2)", "f[i] = a[i] - (b[i] - c[i]) / (d[i] * 2)"},
		{"f[i] = [i = 2*j, k <= i] * x[i]", "f[i] = [i = 2*j; k <= i] * x[i]"},
		{"f[i] = if {i == 0} then x[i] else (0)", "f[i] = if {i = 0} then x[i] else 0"},
		{"f[i] = (if {i = 0} then 1 else 2) + 1", "f[i] = (if {i = 0} then 1 else 2) + 1"},
		{"f[b] = sum{k}_(max [0; -2 + b])^(min [4; b]) (x[k])", "f[b] = sum{k}_(max[0; -2 + b])^(min[4; b]) (x[k])"},
		{"f[b] = sum{k}_(ceil(b/2))^(floor((b + 1)/2)) (x[k])", "f[b] = sum{k}_(ceil(b/2))^(floor((b + 1)/2)) (x[k])"},
		{"f[i'] = x[i'] # comment", "f[i'] = x[i']"},
		{"f[dd_0] = exp (x[dd_0])", "f[dd_0] = exp(x[dd_0])"},
		{"f = 1e-3 * .5 + 2.", "f = 0.001 * 0.5 + 2"},
	} {
		d, err := ParseText(c.in, syntax.Limits{})
		if assert.NoError(t, err, c.in) {
			assert.Equal(t, c.out, PrintDefinition(d))
			again, err := ParseText(c.out, syntax.Limits{})
			require.NoError(t, err, c.out)
			assert.True(t, EqualDefinitions(d, again), c.out)
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		in   string
		kind syntax.Kind
		pos  int
	}{
		{"f[i] = ", syntax.KindSyntax, 7},
		{"f[i] = x[i", syntax.KindSyntax, 10},
		{"f[i] = x[i] y[i]", syntax.KindSyntax, 12},
		{"f[i] = x[i])", syntax.KindSyntax, 11},
		{"f[i] = (x[i]", syntax.KindSyntax, 12},
		{"f[i] = x[i] + ", syntax.KindSyntax, 14},
		{"f[i] = x[i] * * y[i]", syntax.KindSyntax, 14},
		{"f[i] = exp()", syntax.KindSyntax, 11},
		{"f[i] = sum{k} (x[k])", syntax.KindSyntax, 14},
		{"f[i] = sum{k}_0 (x[k])", syntax.KindSyntax, 16},
		{"f[i] = if {i = 0} x[i] else 0", syntax.KindSyntax, 18},
		{"f[i] = if {i} then 1 else 0", syntax.KindSyntax, 12},
		{"f[i] = x[i] $ 2", syntax.KindLexical, 12},
		{"f[i] <= x[i]", syntax.KindSyntax, 5},
		{"= x[i]", syntax.KindSyntax, 0},
		{"f[i] = x[i] = 2", syntax.KindSyntax, 12},
	} {
		_, err := ParseText(c.in, syntax.Limits{})
		var e *syntax.Error
		if assert.True(t, errors.As(err, &e), "%s: %v", c.in, err) {
			assert.Equal(t, c.kind, e.Kind, c.in)
			assert.Equal(t, c.pos, e.Span.Start, "%s: %s", c.in, e.Message)
			t.Log("\n" + e.Render("", c.in, false))
		}
	}
}

// What is printed is read back as the same tree.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &Definition{Name: syntax.Ident{Name: "f"}, Expr: randomExpr(t, 4)}
		for _, name := range rapid.SampledFrom([][]string{nil, {"i"}, {"i", "j"}}).Draw(t, "indices") {
			d.Indices = append(d.Indices, Declared{Ident: syntax.Ident{Name: name}})
		}
		text := PrintDefinition(d)
		again, err := ParseText(text, syntax.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !EqualDefinitions(d, again) {
			t.Fatalf("%s\n%s", text, PrintDefinition(again))
		}
	})
}

func randomExpr(t *rapid.T, depth int) *Expr {
	kid := func() *Expr { return randomExpr(t, depth-1) }
	kinds := 3
	if depth > 0 {
		kinds = 12
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return Number(big.NewRat(int64(rapid.IntRange(0, 50).Draw(t, "n")), int64(rapid.SampledFrom([]int{1, 2, 5}).Draw(t, "d"))))
	case 1:
		return Ident(rapid.SampledFrom([]string{"i", "j", "n", "s"}).Draw(t, "name"))
	case 2:
		return At("x", Chain('+', Chain('*', Int(2), Ident("i")), Int(1)))
	case 3:
		return At("x", kid(), kid())
	case 4:
		return Fn("max", kid(), kid())
	case 5:
		return Minus(kid())
	case 6:
		return Pow(kid(), kid())
	case 7, 8:
		op := "+-*/"[rapid.IntRange(0, 3).Draw(t, "op")]
		return Chain(op, kid(), kid())
	case 9:
		return SumOver("k", kid(), kid(), kid())
	case 10:
		return Holds(kid(), rapid.SampledFrom([]string{"=", "!=", "<=", "<"}).Draw(t, "rel"), kid())
	}
	return &Expr{Op: If, Rels: []Relation{{Op: "=", Left: kid(), Right: kid()}}, Args: []*Expr{kid(), kid()}}
}

// Inputs that would exhaust a naive reader are refused, or read, at once.
func TestHostile(t *testing.T) {
	repeat := func(s string, n int) string {
		b := make([]byte, 0, len(s)*n)
		for range n {
			b = append(b, s...)
		}
		return string(b)
	}
	for _, in := range []string{
		"f = " + repeat("(", 200_000) + "x" + repeat(")", 200_000),
		"f = " + repeat("-", 200_000) + "x",
		"f = " + repeat("sum{k}_0^", 100_000) + "1 x",
		"f = " + repeat("x**", 100_000) + "x",
		"f = " + repeat("if {i = 0} then ", 100_000) + "x",
		"f = x[" + repeat("x[", 100_000) + "i",
		"f = " + repeat("9", 100_000),
		"f = 1e999999999999",
	} {
		_, err := ParseText(in, syntax.Limits{})
		var e *syntax.Error
		assert.True(t, errors.As(err, &e))
	}
	_, err := ParseText("f = x"+repeat(" + x", 100_000), syntax.Limits{})
	assert.NoError(t, err)
}

func FuzzParse(f *testing.F) {
	f.Add("f[i; j] = exp(-sum{k}_0^4 ((a[i; k] + b[j; k])**2 * c[i; i] + d[i + k]**3))")
	f.Add("f[i] = if {i = 2*j} then [k <= i] * x[i] else sum{k}_(max [0; i])^(floor(i/2)) (x[k])")
	f.Fuzz(func(t *testing.T, src string) {
		d, err := ParseText(src, syntax.Limits{Nesting: 200, Digits: 100})
		if err != nil {
			var e *syntax.Error
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			return
		}
		text := PrintDefinition(d)
		again, err := ParseText(text, syntax.Limits{})
		if err != nil || !EqualDefinitions(d, again) {
			t.Fatalf("%q\n%q: %v", src, text, err)
		}
	})
}
