package syntax

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A definition in index notation reaches to the next statement, whatever stands in it.
func TestDefinitions(t *testing.T) {
	for _, c := range []struct {
		src  string
		defs []string
		n    int // statements
	}{
		{"f[i] = x[i]", []string{"f[i] = x[i]"}, 1},
		{"f = x[0]", []string{"f = x[0]"}, 1},
		{"declare x[3] y[3] f[i] = x[i] g[j] = f[j] * 2 # end", []string{"f[i] = x[i]", "g[j] = f[j] * 2"}, 3},
		{"declare x[3] f[i; j] = [i = 2*j] * x[i] derivative wrt x", []string{"f[i; j] = [i = 2*j] * x[i]"}, 3},
		{"declare x[n] let y[i:n] = sum{k}_0^i (x[k])\nexpression y'*y gradient wrt x", []string{"y[i:n] = sum{k}_0^i (x[k])"}, 4},
		{"expression f[i] = x[i]", []string{"f[i] = x[i]"}, 1},
		{"f[i] = if {i = 0} then x[i] else 1e3 + y[i] let s[] = x[0]", []string{"f[i] = if {i = 0} then x[i] else 1e3 + y[i]", "s[] = x[0]"}, 2},
		{"f = x[0] g = f**2 h[i] = g", []string{"f = x[0]", "g = f**2", "h[i] = g"}, 3},
		{"f[i'] = x[i'] # then g[i] = 2\n* 2", []string{"f[i'] = x[i'] # then g[i] = 2\n* 2"}, 1},
	} {
		f, err := Parse(c.src, Limits{})
		require.NoError(t, err, c.src)
		require.Len(t, f.Stmts, c.n, c.src)
		var defs []string
		for _, s := range f.Stmts {
			if s.Index != nil {
				defs = append(defs, s.Text)
				assert.Equal(t, s.Text, c.src[s.Index.Start:s.Index.End])
			}
		}
		assert.Equal(t, c.defs, defs, c.src)
		again, err := Parse(PrintFile(f), Limits{})
		require.NoError(t, err, PrintFile(f))
		assert.Equal(t, PrintFile(f), PrintFile(again))
	}
	for _, src := range []string{
		"declare x 1 y = x expression x",       // a bare name is no definition beside expressions
		"sin[i] = x[i]",                        // reserved
		"declare x 1 expression (f[i] = x[i])", // inside parentheses
	} {
		_, err := Parse(src, Limits{})
		assert.Error(t, err, src)
	}
}

// A definition with which a program begins is told from a statement by its bracket, so
// what it lacks is named.
func TestBrokenDefinitions(t *testing.T) {
	for _, c := range []struct {
		src, message string
		column       int
	}{
		{"f[i] == x[i]", "`=` is missing before `==`", 6},
		{"f[i", "`]` is missing before the end of the program", 4},
		{"f[i = x[i]", "`]` is missing before `=`", 5},
	} {
		_, err := Parse(c.src, Limits{})
		var e *Error
		require.ErrorAs(t, err, &e, c.src)
		assert.Equal(t, c.message, e.Message, c.src)
		assert.Equal(t, c.column, e.Column, c.src)
		assert.Equal(t, KindSyntax, e.Kind, c.src)
	}
}

func TestKeywordAsTensor(t *testing.T) {
	for _, src := range []string{
		"declare expression 1 expression expression derivative wrt expression",
		"declare expression 1 expression x",
		"declare expression[n] expression x",
		"declare derivative 1 expression derivative",
		"declare wrt 1 expression wrt",
	} {
		_, err := Parse(src, Limits{})
		var e *Error
		require.ErrorAs(t, err, &e, src)
		assert.Equal(t, KindReservedName, e.Kind, src)
		assert.Equal(t, len("declare "), e.Span.Start, src)
	}
	_, err := Parse("declare expression 1 + 2", Limits{})
	assert.NoError(t, err)
}
