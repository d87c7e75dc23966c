package syntax

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Hostile programs are refused at once, long ones are read.
func TestHostile(t *testing.T) {
	program := func(expr string) string { return "declare x 0 expression " + expr + " derivative wrt x" }
	nest := func(open, shut string, n int) string {
		return program(strings.Repeat(open, n) + "x" + strings.Repeat(shut, n))
	}
	for _, c := range []struct {
		name, src string
		code      Code // "" if it parses
	}{
		{"1,000 parentheses", nest("(", ")", 1000), ""},
		{"9,999 parentheses", nest("(", ")", 9999), ""},
		{"200,000 parentheses", nest("(", ")", 200_000), "L002"},
		{"200,000 open parentheses", program(strings.Repeat("(", 200_000)), "L002"},
		{"1,000 signs", nest("-", "", 1000), ""},
		{"200,000 signs", nest("-", "", 200_000), "L002"},
		{"200,000 primes", nest("", "'", 200_000), "L002"},
		{"200,000 powers", nest("x^", "", 200_000), "L002"},
		{"9,000 powers", nest("x^", "", 9000), ""},
		{"200,000 calls", nest("sin(", ")", 200_000), "L002"},
		{"9,999 calls", nest("sin(", ")", 9999), ""},
		{"9,000 broken groups", nest("x*(", ",)", 9000), "S005"},
		{"200,000 products", nest("x*(", ")", 200_000), "L002"},
		{"200,000 brackets", program(strings.Repeat("2[", 200_000)), "L002"},
		{"200,000 einsums", program(strings.Repeat("einsum(->;", 200_000)), "L002"},
		{"100,000 terms", program(strings.Repeat("x + x - ", 50_000) + "x"), ""},
		{"100,000 factors", program(strings.Repeat("x * x .* ", 50_000) + "x"), ""},
		{"100,000 minus signs between operands", program(strings.Repeat("x-", 100_000) + "x"), ""},
		{"100,000 digits", program(strings.Repeat("7", 100_000)), "L004"},
		{"9,000 digits", program(strings.Repeat("7", 9000)), ""},
		{"an exponent of 10^9", program("1e1000000000"), "L004"},
		{"an exponent of 10^5 zeros", program("1e" + strings.Repeat("0", 100_000) + "1"), ""},
		{"an order of 1,000", "declare x 1000 expression x", "L003"},
		{"1,000 indices", program("x *(" + strings.Repeat("i", 1000) + "->) "), "L003"},
		{"1,000 index strings", program("einsum(" + strings.Repeat(",", 1000) + "->; x)"), "L003"},
		{"1,000 sizes", program("2[" + strings.Repeat("1,", 1000) + "1]"), "L003"},
		{"a delta of order 1,000", program("delta(500)"), "L003"},
		{"2,000,000 tokens and more", program(strings.Repeat("x+", 2_000_000) + "x"), "L005"},
		{"a list longer than a million", program("x" + strings.Repeat(" *(->)", 1_500_000)), "L005"},
		{"100 MB", strings.Repeat("x", 100<<20), "L001"},
		{"a long name", program(strings.Repeat("y", 10_000_000)), ""},
		{"a long comment", program("#" + strings.Repeat("(", 10_000_000) + "\n x"), ""},
	} {
		if testing.Short() && len(c.src) > 1<<20 && c.code != "L001" {
			continue
		}
		begin := time.Now()
		_, err := Parse(c.src, Limits{})
		took := time.Since(begin)
		if c.code == "" {
			assert.NoError(t, err, c.name)
		} else {
			var e *Error
			if assert.ErrorAs(t, err, &e, c.name) {
				assert.Equal(t, c.code, e.Code, "%s: %s", c.name, e.Message)
				assert.Less(t, len(e.Render("", c.src, false)), 2000, c.name)
			}
		}
		t.Logf("%-40s %8.1f ms %9d bytes", c.name, took.Seconds()*1000, len(c.src))
	}
}
