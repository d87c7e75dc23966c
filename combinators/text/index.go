package text

import (
	"fmt"
	"slices"
	"strings"

	"frechet/internal/lists"
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
	after = lists.Append(after, x.Sizes, func(s Size) string { return s.Letter + "=" + printAttr(s.Size) })
	after = lists.Append(after, x.Conds, func(c Condition) string {
		return printAttr(c.Form) + map[bool]string{true: "==0", false: ">=0"}[c.Zero]
	})
	if len(after) > 0 {
		b.WriteString("|" + strings.Join(after, ","))
	}
	return b.String()
}

// index converts a group. One without operands is written with nothing before its arrow, one with a single operand of no axes as _->.
func (g *gGroup) index() *Index {
	x := &Index{Out: g.Out.axes()}
	for _, a := range g.In {
		if in := a.axes(); len(g.In) > 1 || a.Empty || !in.equal(Axes{}) {
			x.In = append(x.In, in)
		}
	}
	for _, c := range g.After {
		left, right := c.Left.term(), c.Right.term()
		switch {
		case c.Op == "=" && left.Op != Name:
			fail(place(c.Pos), "a size of a letter is written j=n")
		case c.Op == "=":
			x.Sizes = append(x.Sizes, Size{left.Name, right})
		case !isZero(right):
			fail(place(c.Pos), "a condition is written j-i==0 or j-i>=0")
		default:
			x.Conds = append(x.Conds, Condition{left, c.Op == "=="})
		}
	}
	return x
}

func isZero(t *Term) bool { return t.Op == Num && t.Rat.Sign() == 0 }

func (g *gAxes) axes() (a Axes) {
	if g.General {
		a.Forms = []Form{}
		for _, f := range g.Forms {
			a.Forms = append(a.Forms, Form{f.Index.term(), f.Size.term()})
		}
		if g.Empty || g.Batch || g.Rest || len(g.Letters) > 0 {
			fail(place(g.Pos), "axes are either forms in brackets or letters")
		}
		return a
	}
	a.Batch, a.Rest = g.Batch, g.Rest
	for _, w := range g.Letters {
		for i, r := range w.Word {
			switch {
			case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
				a.Letters = append(a.Letters, string(r))
			case r == '\'' && i > 0:
				a.Letters[len(a.Letters)-1] += "'"
			default:
				fail(place(w.Pos), "%q cannot stand in an index group", r)
			}
		}
	}
	return a
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

// Thrown: package must.
func (*Error) Thrown() {}

func errorf(pos Pos, format string, args ...any) *Error {
	return &Error{Pos: pos, Message: fmt.Sprintf(format, args...)}
}

// fail ends the reading of a text with an error, which the entry returns.
func fail(pos Pos, format string, args ...any) { panic(errorf(pos, format, args...)) }
