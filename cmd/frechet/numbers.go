package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"frechet"
	"frechet/internal/words"
)

// A tensor of more than shownAll entries is printed with the first and last
// shownEdge of each axis, one of more than shownMost even so with its size alone;
// files and JSON hold it whole.
const (
	shownAll  = 400
	shownEdge = 3
	shownMost = 4000
)

// precisions are the values of --precision.
var precisions = []string{"double", "single"}

// shortestSingle, for a number of digits, stands for as many as read back in single precision.
const shortestSingle = -1

// single reports whether numbers are computed in single precision.
func (a *app) single() bool { return a.precision == "single" }

// digitsFlag is the flag of the commands that print numbers.
func (a *app) digitsFlag(cmd *cobra.Command) {
	cmd.Flags().IntVar(&a.digits, "digits", 0, "significant digits of the numbers that are printed; files and JSON have all; 0: as many as read back")
}

// formatTensor prints a dense tensor with brackets, columns aligned, numbers with so many digits; 0: as
// short as they read back.
func formatTensor(shape []int, data []float64, digits int) string {
	if len(shape) == 0 {
		return formatDigits(data[0], digits)
	}
	for _, n := range shape {
		if n == 0 {
			return "[] (" + words.Shape(shape) + ", no entries)"
		}
	}
	p := &printer{shape: shape, data: data, all: len(data) <= shownAll, digits: digits}
	if count := p.count(); count > shownMost {
		return tooMany(shape, len(data))
	}
	p.walk(0, 0, func(x string) { p.width = max(p.width, len(x)) })
	p.out = new(strings.Builder)
	p.print(0, 0)
	return p.out.String()
}

// tooMany stands for the entries of a tensor that is not printed.
func tooMany(shape []int, n int) string {
	return fmt.Sprintf("[...] (%s, %s; --out or --json give them all)", words.Shape(shape), words.Count(n, "entry"))
}

type printer struct {
	shape []int
	data  []float64
	all   bool
	width int
	out   *strings.Builder

	digits int
}

// shown calls f for the positions of an axis that are printed, -1 for the gap.
func (p *printer) shown(n int, f func(i int)) {
	if p.all || n <= 2*shownEdge+1 {
		for i := range n {
			f(i)
		}
		return
	}
	for i := range shownEdge {
		f(i)
	}
	f(-1)
	for i := n - shownEdge; i < n; i++ {
		f(i)
	}
}

func (p *printer) count() int {
	if p.all {
		return len(p.data)
	}
	n := 1
	for _, d := range p.shape {
		n = min(n*min(d, 2*shownEdge+1), len(p.data))
	}
	return n
}

func (p *printer) walk(axis, off int, f func(string)) {
	if axis == len(p.shape) {
		f(formatDigits(p.data[off], p.digits))
		return
	}
	p.shown(p.shape[axis], func(i int) {
		if i >= 0 {
			p.walk(axis+1, off*p.shape[axis]+i, f)
		}
	})
}

func (p *printer) print(axis, off int) {
	n, last := p.shape[axis], axis == len(p.shape)-1
	p.out.WriteByte('[')
	first := true
	p.shown(n, func(i int) {
		if !first {
			if last {
				p.out.WriteString(", ")
			} else {
				// one blank line for each axis beyond the last two
				p.out.WriteString("," + strings.Repeat("\n", len(p.shape)-1-axis) + strings.Repeat(" ", axis+1))
			}
		}
		first = false
		switch {
		case i < 0:
			p.out.WriteString("...")
		case last:
			s := formatDigits(p.data[off*n+i], p.digits)
			p.out.WriteString(strings.Repeat(" ", p.width-len(s)) + s)
		default:
			p.print(axis+1, off*n+i)
		}
	})
	p.out.WriteByte(']')
}

// literal writes a tensor as -d reads it, in one line.
func literal(shape []int, data []float64) string {
	switch {
	case len(shape) == 0:
		return formatNumber(data[0])
	case len(data) == 0:
		return string(frechet.AppendJSON(nil, &frechet.Tensor{Shape: shape, Data: data}))
	case len(data) > shownAll:
		return tooMany(shape, len(data))
	}
	parts, part := make([]string, shape[0]), len(data)/shape[0]
	for i := range parts {
		parts[i] = literal(shape[1:], data[i*part:(i+1)*part])
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func formatNumber(x float64) string { return formatDigits(x, 0) }

func formatDigits(x float64, digits int) string {
	if digits == shortestSingle {
		return strconv.FormatFloat(x, 'g', -1, 32)
	}
	if digits <= 0 {
		digits = -1
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}
