package syntax

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

const (
	colorReset = "\x1b[0m"
	colorError = "\x1b[1;31m"
	colorNote  = "\x1b[1;34m"
	colorBold  = "\x1b[1m"
)

// Render shows the error with the lines of src that it speaks of, a mark under
// each place, and the help:
//
//	error[T012]: sizes differ in a product: j is 3 in A and 2 in x
//	 --> model.fr:2:19
//	  |
//	2 | expression A *(ij,j->i) x
//	  |                   ^ j = 2 here
//	help: ...
//
// Long lines are cut around the marks. color adds terminal colours.
func (e *Error) Render(filename, src string, color bool) string {
	paint := func(c, s string) string {
		if !color || s == "" {
			return s
		}
		return c + s + colorReset
	}
	var b strings.Builder
	head := "error"
	if e.Warning {
		head = "warning"
	}
	if e.Code != "" {
		head = fmt.Sprintf("error[%s]", e.Code)
	}
	fmt.Fprintf(&b, "%s%s\n", paint(colorError, head), paint(colorBold, ": "+e.Message))
	if e.Line > 0 {
		e.renderPlaces(&b, filename, src, paint)
	}
	if e.Help != "" {
		fmt.Fprintf(&b, "%s: %s\n", paint(colorNote, "help"), e.Help)
	}
	return b.String()
}

// mark is a place to underline; column counts characters of the shown line.
type mark struct {
	line, column, width int
	primary             bool
	text                string
}

func (e *Error) renderPlaces(b *strings.Builder, filename, src string, paint func(c, s string) string) {
	marks := []mark{newMark(src, e.Span, true, "")}
	for _, n := range e.Notes {
		marks = append(marks, newMark(src, n.Span, false, n.Text))
	}
	if len(e.Notes) > 0 && e.Notes[0].Span == e.Span {
		// The first note speaks of the error's own place.
		marks[0].text = e.Notes[0].Text
		marks = append(marks[:1], marks[2:]...)
	}
	sort.SliceStable(marks, func(i, j int) bool { return marks[i].line < marks[j].line })
	lines := lineTexts(src, marks)
	gutter := len(fmt.Sprint(marks[len(marks)-1].line))
	bar := strings.Repeat(" ", gutter) + paint(colorNote, " |")
	if filename == "" {
		filename = "input"
	}
	fmt.Fprintf(b, "%s%s %s:%d:%d\n%s\n", strings.Repeat(" ", gutter), paint(colorNote, "-->"), filename, e.Line, e.Column, bar)
	for i := 0; i < len(marks); {
		j := i
		for j < len(marks) && marks[j].line == marks[i].line {
			j++
		}
		if i > 0 && marks[i].line > marks[i-1].line+1 {
			fmt.Fprintf(b, "%s\n", paint(colorNote, "..."))
		}
		text, shift := cut(lines[marks[i].line], marks[i:j])
		fmt.Fprintf(b, "%s %s\n", paint(colorNote, fmt.Sprintf("%*d |", gutter, marks[i].line)), text)
		for _, m := range marks[i:j] {
			c, sign := colorNote, "-"
			if m.primary {
				c, sign = colorError, "^"
			}
			label := strings.Repeat(sign, m.width)
			if m.text != "" {
				label += " " + m.text
			}
			fmt.Fprintf(b, "%s %s%s\n", bar, strings.Repeat(" ", max(m.column-1-shift, 0)), paint(c, label))
		}
		i = j
	}
}

// newMark locates a span; it marks no further than its line's end, and at least
// one column.
func newMark(src string, span Span, primary bool, text string) mark {
	start := min(max(span.Start, 0), len(src))
	end := min(max(span.End, start), len(src))
	line, column := Position(src, start)
	marked := src[start:end]
	if i := strings.IndexByte(marked, '\n'); i >= 0 {
		marked = marked[:i]
	}
	return mark{line, column, max(utf8.RuneCountInString(marked), 1), primary, text}
}

// lineTexts finds the lines that marks (sorted by line) are on, blanks shown as
// one column each.
func lineTexts(src string, marks []mark) map[int]string {
	texts := map[int]string{}
	n, rest := 1, strings.TrimPrefix(src, "\ufeff")
	for _, m := range marks {
		for n < m.line {
			_, rest, _ = strings.Cut(rest, "\n")
			n++
		}
		text, _, _ := strings.Cut(rest, "\n")
		texts[m.line] = strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f || r == utf8.RuneError {
				return ' '
			}
			return r
		}, strings.TrimSuffix(text, "\r"))
	}
	return texts
}

// shownWidth is how much of a line is shown at most.
const shownWidth = 100

// cut shortens a long line around its first mark; shift is by how many columns
// the marks move to the left. Later marks are cut to what is shown.
func cut(text string, marks []mark) (string, int) {
	runes := []rune(text)
	if len(runes) <= shownWidth {
		return text, 0
	}
	from, to := marks[0].column-1, 0
	for _, m := range marks {
		from, to = min(from, m.column-1), max(to, m.column)
	}
	if to-from > shownWidth-20 {
		for _, m := range marks {
			if m.primary {
				from = m.column - 1
			}
		}
	}
	from = max(0, min(from-20, len(runes)-shownWidth))
	to = min(from+shownWidth, len(runes))
	head, tail := "", ""
	if from > 0 {
		head = "... "
	}
	if to < len(runes) {
		tail = " ..."
	}
	for i := range marks {
		m := &marks[i]
		m.column = min(m.column, to+1)
		m.width = max(1, min(m.width, to-m.column+1))
	}
	return head + string(runes[from:to]) + tail, from - len(head)
}
