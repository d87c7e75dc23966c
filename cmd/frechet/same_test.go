package main

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

var number = regexp.MustCompile(`-?\d+(\.\d+)?(e[+-]?\d+)?`)

// sameOutput compares what a command printed with what is expected. The last digits of
// numbers depend on the machine, since sums are vectorised differently, and so does the
// padding; the errors that a check reports depend on nothing but these digits, and need
// only be small in both.
func sameOutput(want, got string) bool {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	if len(w) != len(g) {
		return false
	}
	for i := range w {
		if !sameLine(w[i], g[i]) {
			return false
		}
	}
	return true
}

func sameLine(want, got string) bool {
	if want == got {
		return true
	}
	frame := func(s string) string {
		return strings.ReplaceAll(strings.Join(strings.Fields(number.ReplaceAllString(s, "0")), " "), "[ ", "[")
	}
	if frame(want) != frame(got) {
		return false
	}
	if strings.HasPrefix(want, "# minimum wrt") { // how many iterations hangs on last digits too
		return true
	}
	checked := strings.Contains(want, "relative error")
	g := number.FindAllString(got, -1)
	for i, text := range number.FindAllString(want, -1) {
		a, _ := strconv.ParseFloat(text, 64)
		b, _ := strconv.ParseFloat(g[i], 64)
		small := checked && math.Abs(a) < 1e-5 && math.Abs(b) < 1e-5
		if !small && math.Abs(a-b) > 1e-9*(1+math.Abs(a)) && !(checked && math.Abs(a-b) < 0.1 && text != strconv.Itoa(int(a))) {
			return false
		}
	}
	return true
}

func TestSameOutput(t *testing.T) {
	for _, c := range []struct {
		want, got string
		same      bool
	}{
		{"[1, 2]", "[1, 2]", true},
		{"[[ 1.5,  2]]", "[[1.5000000000000002, 2]]", true},
		{"[1, 2]", "[1, 3]", false},
		{"2*x", "2*y", false},
		{"2*x", "3*x", false},
		{"a\nb", "a", false},
		{"# ok: g, 2 entries, relative error 3e-09, remainder of order 3.00", "# ok: g, 2 entries, relative error 1e-11, remainder of order 2.99", true},
		{"# ok: g, 2 entries, relative error 3e-09", "# ok: g, 3 entries, relative error 3e-09", false},
		{"# ok: g, 2 entries, relative error 3e-09", "# ok: g, 2 entries, relative error 3e-01", false},
		{"# minimum wrt w by lbfgs: converged after 9 iterations", "# minimum wrt w by lbfgs: converged after 10 iterations", true},
		{"# minimum wrt w by lbfgs: converged after 9 iterations", "# minimum wrt w by lbfgs: not converged after 9 iterations", false},
		{"# ok: g, relative error 0e+00", "# ok: g, relative error 5e-16", true},
	} {
		assert.Equal(t, c.same, sameOutput(c.want, c.got), "%s | %s", c.want, c.got)
	}
}
