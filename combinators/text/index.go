package text

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Axes names the axes of one operand or of the result: "...ij~" is batch axes, then i and j, then
// all that are left. In a general contraction the axes are affine forms in the letters, each with
// the size of its axis: [2*i+j:n,k:m].
type Axes struct {
	Batch   bool     // a leading "..."
	Letters []string // single letters, primed if need be
	Rest    bool     // a trailing "~"
	Forms   []Form   // instead of all these; not nil in a general contraction
}

// Form is one axis of a general contraction.
type Form struct{ Index, Size *Term }

// Index is what stands in a contraction before its operands: ij,jk->ik, with the sizes of letters
// that no operand has, and with conditions: i->ij|j=n, [i:n]->[j:n]|i=n,j=n,j-i>=0.
type Index struct {
	In    []Axes
	Out   Axes
	Sizes []Size      // in the order written
	Conds []Condition // of a general contraction
}

// Size gives a letter's size, an attribute expression.
type Size struct {
	Letter string
	Size   *Term
}

// Condition says that an affine form is 0, or is at least 0: i-j==0, j-i>=0.
type Condition struct {
	Form *Term
	Zero bool
}

func (a Axes) equal(b Axes) bool {
	return a.Batch == b.Batch && a.Rest == b.Rest && slices.Equal(a.Letters, b.Letters) &&
		(a.Forms == nil) == (b.Forms == nil) && slices.EqualFunc(a.Forms, b.Forms, func(f, g Form) bool {
		return Equal(f.Index, g.Index) && Equal(f.Size, g.Size)
	})
}

// Equal reports whether two index groups are written the same.
func (x *Index) Equal(y *Index) bool {
	return x == y || x != nil && y != nil && x.Out.equal(y.Out) && slices.EqualFunc(x.In, y.In, Axes.equal) &&
		slices.EqualFunc(x.Sizes, y.Sizes, func(a, b Size) bool {
			return a.Letter == b.Letter && Equal(a.Size, b.Size)
		}) && slices.EqualFunc(x.Conds, y.Conds, func(a, b Condition) bool {
		return a.Zero == b.Zero && Equal(a.Form, b.Form)
	})
}

func (a Axes) String() string {
	var b strings.Builder
	if a.Forms != nil {
		b.WriteByte('[')
		for i, f := range a.Forms {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(printAttr(f.Index) + ":" + printAttr(f.Size))
		}
		b.WriteByte(']')
		return b.String()
	}
	if a.Batch {
		b.WriteString("...")
	}
	for _, l := range a.Letters {
		b.WriteString(l)
	}
	if a.Rest {
		b.WriteByte('~')
	}
	return b.String()
}

// String prints the group as it is read: ij,jk->ik.
func (x *Index) String() string {
	var b strings.Builder
	for i, a := range x.In {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(a.String())
	}
	if b.Len() == 0 && len(x.In) == 1 {
		b.WriteByte('_')
	}
	b.WriteString("->")
	b.WriteString(x.Out.String())
	var after []string
	for _, s := range x.Sizes {
		after = append(after, s.Letter+"="+printAttr(s.Size))
	}
	for _, c := range x.Conds {
		after = append(after, printAttr(c.Form)+map[bool]string{true: "==0", false: ">=0"}[c.Zero])
	}
	if len(after) > 0 {
		b.WriteString("|" + strings.Join(after, ","))
	}
	return b.String()
}

// parseIndex reads an index group: ij,jk->ik or i->ij|j=n. A group without operands is written
// with nothing before its arrow.
func parseIndex(src string, pos Pos) (*Index, error) {
	group, sizes, sized := strings.Cut(src, "|")
	left, right, ok := strings.Cut(group, "->")
	if !ok {
		return nil, errorf(pos, "an index group needs an arrow: ij,j->i")
	}
	x := &Index{}
	if strings.TrimSpace(left) != "" || strings.Contains(left, ",") {
		for _, s := range SplitTop(left) {
			a, err := parseAxes(s, pos)
			if err != nil {
				return nil, err
			}
			x.In = append(x.In, a)
		}
	}
	out, err := parseAxes(right, pos)
	if err != nil {
		return nil, err
	}
	x.Out = out
	if sized {
		for _, s := range SplitTop(sizes) {
			s = strings.TrimSpace(s)
			if form, zero := strings.CutSuffix(s, "==0"); zero || strings.HasSuffix(s, ">=0") {
				t, err := ParseAttr(strings.TrimSuffix(form, ">=0"))
				if err != nil {
					return nil, errorf(pos, "in the condition %s: %v", s, err)
				}
				x.Conds = append(x.Conds, Condition{t, zero})
				continue
			}
			l, e, ok := strings.Cut(s, "=")
			if !ok {
				return nil, errorf(pos, "a size of a letter is written j=n")
			}
			t, err := ParseAttr(e)
			if err != nil {
				return nil, errorf(pos, "in the size of %s: %v", strings.TrimSpace(l), err)
			}
			x.Sizes = append(x.Sizes, Size{strings.TrimSpace(l), t})
		}
	}
	return x, nil
}

// SplitTop splits at the commas outside of parentheses and brackets.
func SplitTop(s string) (parts []string) {
	depth, start := 0, 0
	for i := range len(s) {
		switch {
		case s[i] == '(' || s[i] == '[':
			depth++
		case s[i] == ')' || s[i] == ']':
			depth--
		case s[i] == ',' && depth == 0:
			parts, start = append(parts, s[start:i]), i+1
		}
	}
	return append(parts, s[start:])
}

// A group with an operand of no axes and a group without operands look alike before the arrow
// only when there is one operand: "->" has none, ",->" two. A single operand of no axes is
// written "_->": the underscore stands for nothing and is dropped.
func parseAxes(s string, pos Pos) (Axes, error) {
	s = strings.TrimSpace(s)
	if s == "_" {
		s = ""
	}
	var a Axes
	if inner, ok := strings.CutPrefix(s, "["); ok && strings.HasSuffix(inner, "]") {
		return parseForms(strings.TrimSuffix(inner, "]"), pos)
	}
	if rest, ok := strings.CutPrefix(s, "..."); ok {
		a.Batch, s = true, rest
	}
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
		case r == '~' && strings.TrimSpace(s[n:]) == "":
			a.Rest = true
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			for n < len(s) && s[n] == '\'' {
				n++
			}
			a.Letters = append(a.Letters, s[:n])
		default:
			return a, errorf(pos, "%q cannot stand in an index group", r)
		}
		s = s[n:]
	}
	return a, nil
}

func parseForms(s string, pos Pos) (Axes, error) {
	a := Axes{Forms: []Form{}}
	if strings.TrimSpace(s) == "" {
		return a, nil
	}
	for _, f := range SplitTop(s) {
		index, size, ok := strings.Cut(f, ":")
		if !ok {
			return a, errorf(pos, "the form %s needs the size of its axis: i+j:n", strings.TrimSpace(f))
		}
		i, err := ParseAttr(index)
		if err != nil {
			return a, errorf(pos, "in the form %s: %v", f, err)
		}
		n, err := ParseAttr(size)
		if err != nil {
			return a, errorf(pos, "in the form %s: %v", f, err)
		}
		a.Forms = append(a.Forms, Form{i, n})
	}
	return a, nil
}

// Error is an error in a text, with its place.
type Error struct {
	Pos     Pos
	Width   int // characters of what is wrong; 0 where that is not known
	Message string
	Help    string // what may have been meant, or ""
	Code    string // of the error, "" where it follows from where the text stands
}

func (e *Error) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Pos.Line, e.Pos.Column, e.Message)
}

func errorf(pos Pos, format string, args ...any) *Error {
	return &Error{Pos: pos, Message: fmt.Sprintf(format, args...)}
}
