package plan

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// sequence puts the lines in the order of need, depth first from the outputs, so that a
// result is read soon after it is computed. Lines that nothing needs go.
func (o *Outline) sequence() {
	place := make([]int, len(o.Lines))
	for i := range place {
		place[i] = -1
	}
	var lines []Line
	type frame struct{ line, next int }
	for _, root := range o.Outputs {
		stack := []frame{{root.Line, 0}}
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.line < 0 || place[f.line] >= 0 {
				stack = stack[:len(stack)-1]
				continue
			}
			if args := o.Lines[f.line].Args; f.next < len(args) {
				f.next++
				stack = append(stack, frame{args[f.next-1].Line, 0})
				continue
			}
			place[f.line] = len(lines)
			lines = append(lines, o.Lines[f.line])
			stack = stack[:len(stack)-1]
		}
	}
	moved := func(a Operand) Operand {
		if a.Line >= 0 {
			a.Line = place[a.Line]
		}
		return a
	}
	for i := range lines {
		args := slices.Clone(lines[i].Args)
		for k := range args {
			args[k] = moved(args[k])
			if at := args[k].Line; at >= 0 && !slices.Contains(args[:k], args[k]) {
				lines[at].Readers++
			}
		}
		lines[i].Args = args
	}
	for i := range o.Outputs {
		o.Outputs[i] = moved(o.Outputs[i])
	}
	o.Lines = lines
}

// Total adds up what some lines cost: which reports those that count; nil counts all.
func (o *Outline) Total(which func(line int) bool) Cost {
	var m, a, v, w size.Sum
	for i, l := range o.Lines {
		if which == nil || which(i) {
			m.Add(l.Mults)
			a.Add(l.Adds)
			v.Add(l.Values)
			w.Add(l.Written)
		}
	}
	return Cost{m.Size(), a.Size(), v.Size(), w.Size()}
}

// Depend reports for every line whether it depends on a variable.
func (o *Outline) Depend(name string) []bool {
	out := make([]bool, len(o.Lines))
	for i, l := range o.Lines {
		for _, a := range l.Args {
			out[i] = out[i] || a.Line >= 0 && out[a.Line] || a.Line < 0 && a.Name == name
		}
	}
	return out
}

// peak follows the lines and finds where most is stored; number is what a size counts as, to tell which sum
// is larger.
func (o *Outline) peak(number func(size.Size) (int64, error)) size.Size {
	last := make([]int, len(o.Lines))
	for i, l := range o.Lines {
		last[i] = i
		for _, a := range l.Args {
			o.touch(last, a.Line, i)
		}
	}
	for _, a := range o.Outputs {
		o.touch(last, a.Line, len(o.Lines))
	}
	ending := make([][]int, len(o.Lines)+1)
	for i, at := range last {
		ending[at] = append(ending[at], i)
	}
	// What is stored, and how many of the sizes in it have no number.
	var live big.Int
	large := 0
	put := func(line int, sign int64) {
		n, err := number(o.Lines[line].Written)
		if err != nil {
			large += int(sign)
		}
		live.Add(&live, new(big.Int).Mul(big.NewInt(n), big.NewInt(sign)))
	}
	most, peak := 0.0, -1
	for i := range o.Lines {
		put(i, 1)
		if n := counted(live.Int64(), large > 0 || !live.IsInt64()); n > most {
			most, peak = n, i
		}
		for _, e := range ending[i] {
			put(e, -1)
		}
	}
	var stored size.Sum
	for i := 0; i <= peak; i++ {
		if last[i] >= peak {
			stored.Add(o.Lines[i].Written)
		}
	}
	return stored.Size()
}

// touch notes that a line is read at a time; what it reads without storing is read then too.
func (o *Outline) touch(last []int, line, at int) {
	stack := []int{line}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if i < 0 || last[i] >= at {
			continue
		}
		last[i] = at
		if o.Lines[i].Fused {
			for _, a := range o.Lines[i].Args {
				stack = append(stack, a.Line)
			}
		}
	}
}

// write gives every line its text.
func (o *Outline) write() {
	for i := range o.Lines {
		l := &o.Lines[i]
		args := make([]string, len(l.Args))
		for k, a := range l.Args {
			args[k] = a.Name
			if a.Line >= 0 {
				args[k] = o.Name(a.Line)
			}
		}
		l.Text = l.text(args)
	}
}

func (l *Line) text(args []string) string {
	letters := func(g []int) string {
		var b strings.Builder
		for _, v := range g {
			const names = "ijklmnopqrstuvwxyzabcdefgh"
			b.WriteByte(names[v%len(names)])
			b.WriteString(strings.Repeat("'", v/len(names)))
		}
		return b.String()
	}
	switch {
	case l.Op == "product":
		text := args[0]
		for k, a := range args[1:] { // of several operands, which are multiplied entry by entry
			to := l.out
			if k+2 < len(args) {
				to = l.together(k + 2)
			}
			from := l.in[0]
			if k > 0 {
				text, from = "("+text+")", l.together(k+1)
			}
			text = fmt.Sprintf("%s *(%s,%s->%s) %s", text, letters(from), letters(l.in[k+1]), letters(to), a)
		}
		return text
	case l.Op == "view" && slices.ContainsFunc(l.out, func(v int) bool { return !slices.Contains(l.in[0], v) }):
		return l.broadcast(args[0], letters)
	case l.Op == "sum" || l.Op == "view":
		return fmt.Sprintf("%s *(%s->%s)", args[0], letters(l.in[0]), letters(l.out))
	case l.Op == "add":
		return args[0] + " + " + args[1]
	case l.Op == "minus":
		return "-" + args[0]
	case strings.HasPrefix(l.Op, "power "):
		r := strings.TrimPrefix(l.Op, "power ")
		if strings.ContainsAny(r, "-/") {
			r = "(" + r + ")"
		}
		return args[0] + " .^ " + r
	}
	if at := atom.Named(l.Op); at != nil && at.Infix != "" {
		return args[0] + " " + at.Infix + " " + args[1]
	}
	call := l.Op
	if l.call != "" {
		call = l.call
	}
	return call + "(" + strings.Join(args, ", ") + l.tail + ")"
}

// together has the letters of the first k operands.
func (l *Line) together(k int) []int {
	var out []int
	for _, v := range slices.Concat(l.in[:k]...) {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// broadcast writes a view with new letters as a product with a tensor of ones, which has
// their sizes.
func (l *Line) broadcast(arg string, letters func([]int) string) string {
	var fresh []int
	var shape []size.Size
	for k, v := range l.out {
		if !slices.Contains(l.in[0], v) && !slices.Contains(fresh, v) {
			fresh, shape = append(fresh, v), append(shape, l.Shape[k])
		}
	}
	ones := "1" + size.Shape(shape)
	switch {
	case arg != "1" || len(l.in[0]) > 0:
		return fmt.Sprintf("%s *(%s,%s->%s) %s", arg, letters(l.in[0]), letters(fresh), letters(l.out), ones)
	case slices.Equal(fresh, l.out):
		return ones
	}
	return fmt.Sprintf("%s *(%s->%s)", ones, letters(fresh), letters(l.out))
}
