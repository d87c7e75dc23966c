package data

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"frechet/eval"
	"frechet/internal/words"
)

// ReadJSON reads a tensor as nested lists, [[1,2],[3,4]], as rows, [1, 2; 3, 4] and [1; 2] for a vector,
// as the language writes them, as a bare number, or as an object
// {"shape": [2,2], "data": [1,2,3,4]} with entries in row-major order. The strings "NaN",
// "Infinity" and "-Infinity" stand for numbers that JSON does not have. Errors give line and
// column.
func ReadJSON(r io.Reader, o Options) (*eval.Tensor, error) {
	src, err := io.ReadAll(&countingReader{r: r, limit: o.maxBytes()})
	if err != nil {
		var limit *eval.LimitError
		if errors.As(err, &limit) {
			return nil, &Error{Err: err}
		}
		return nil, &Error{Msg: "cannot be read", Err: err}
	}
	p := &jsonReader{src: src, opt: o}
	t, err := p.document()
	if err != nil {
		return nil, err
	}
	return fit(t, o.Order)
}

type jsonReader struct {
	src []byte
	pos int
	opt Options
}

// fail reports at the current position, as line and column in characters.
func (p *jsonReader) fail(format string, args ...any) error { return p.failAt(p.pos, format, args...) }

func (p *jsonReader) failAt(pos int, format string, args ...any) error {
	e := errorf(format, args...)
	p.place(e, pos)
	return e
}

func (p *jsonReader) place(e *Error, pos int) {
	before := string(p.src[:min(pos, len(p.src))])
	e.Line = 1 + strings.Count(before, "\n")
	e.Column = 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}

// peek skips blanks and returns the next byte, 0 at the end.
func (p *jsonReader) peek() byte {
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; c {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return c
		}
	}
	return 0
}

func (p *jsonReader) document() (*eval.Tensor, error) {
	p.src = []byte(strings.TrimPrefix(string(p.src), "\ufeff"))
	var t *eval.Tensor
	var err error
	if p.peek() == '{' {
		t, err = p.object()
	} else {
		t, err = p.nested()
	}
	if err != nil {
		return nil, err
	}
	if p.peek() != 0 || p.pos < len(p.src) {
		return nil, p.fail("something follows the value")
	}
	return t, nil
}

// nested reads a number, lists of lists, or rows. All lists of one depth must have one length. It
// keeps a stack of its own, of at most eval.MaxOrder lists.
func (p *jsonReader) nested() (*eval.Tensor, error) {
	t := &eval.Tensor{Shape: []int{}}
	l := lists{depth: -1}
	for {
		if p.peek() == '[' {
			if err := p.open(&l); err != nil {
				return nil, err
			}
			if p.peek() != ']' {
				continue
			}
			if l.depth < 0 && len(l.sizes) == len(l.counts) {
				l.depth = len(l.counts) // an empty list: nothing can stand deeper
			}
		} else if err := p.entry(t, &l); err != nil {
			return nil, err
		}
		for len(l.counts) > 0 && p.peek() == ']' {
			if err := p.close(&l); err != nil {
				return nil, err
			}
		}
		if len(l.counts) == 0 {
			break
		}
		if err := p.separator(&l); err != nil {
			return nil, err
		}
	}
	if l.rows && l.sizes[1] == 1 {
		l.sizes = l.sizes[:1]
	}
	t.Shape = append(t.Shape, l.sizes...)
	if _, err := eval.Elements(t.Shape, p.opt.maxElements()); err != nil {
		return nil, &Error{Err: err}
	}
	return t, nil
}

// lists are those that are open while a tensor is read.
type lists struct {
	counts []int // elements so far, of each open list
	depth  int   // how deep numbers, or empty lists, stand; -1 until known
	sizes  []int // of each depth; -1 until the first list of it has been closed
	rows   bool  // the outer list has rows, parted by semicolons, each of which counts as a list
}

func (p *jsonReader) open(l *lists) error {
	if l.depth >= 0 && len(l.counts) >= l.depth {
		return p.fail("a list where the lists before have numbers")
	}
	if len(l.counts) == eval.MaxOrder {
		return p.limit("axes of one tensor", len(l.counts)+1, eval.MaxOrder)
	}
	p.pos++
	l.counts = append(l.counts, 0)
	if len(l.sizes) < len(l.counts) {
		l.sizes = append(l.sizes, -1)
	}
	return nil
}

func (p *jsonReader) entry(t *eval.Tensor, l *lists) error {
	if l.depth >= 0 && len(l.counts) != l.depth {
		return p.fail("a number where the lists before have a list")
	}
	l.depth = len(l.counts)
	v, err := p.number()
	if err != nil {
		return err
	}
	if len(t.Data) == p.opt.maxElements() {
		return p.limit("elements in one tensor", len(t.Data)+1, p.opt.maxElements())
	}
	t.Data = append(t.Data, v)
	if k := len(l.counts); k > 0 {
		l.counts[k-1]++
	}
	return nil
}

func (p *jsonReader) limit(what string, need, limit int) error {
	e := &Error{Err: &eval.LimitError{What: what, Need: float64(need), Limit: int64(limit)}}
	p.place(e, p.pos)
	return e
}

// close ends the inner list; with rows, the last one and the list of them at one bracket.
func (p *jsonReader) close(l *lists) error {
	k := len(l.counts) - 1
	switch n := l.counts[k]; {
	case l.sizes[k] < 0:
		l.sizes[k] = n
	case l.sizes[k] != n:
		return p.fail("a list of %s where those before have %d", words.Count(n, "element"), l.sizes[k])
	case n == 0 && len(l.sizes) > k+1:
		return p.fail("an empty list where those before have elements")
	}
	if l.counts = l.counts[:k]; k > 0 {
		l.counts[k-1]++
	}
	if !l.rows || k == 0 {
		p.pos++
	}
	return nil
}

// separator reads a comma, or a semicolon between rows.
func (p *jsonReader) separator(l *lists) error {
	switch c := p.peek(); {
	case c == ';' && l.depth == 1 && !l.rows:
		*l = lists{rows: true, depth: 2, counts: []int{1, 0}, sizes: []int{-1, l.counts[0]}}
	case c == ';' && l.rows && l.counts[1] != l.sizes[1]:
		return p.fail("a row of %s where those before have %d", words.Count(l.counts[1], "element"), l.sizes[1])
	case c == ';' && l.rows:
		l.counts[0], l.counts[1] = l.counts[0]+1, 0
	case c != ',':
		return p.expected("a comma or ]")
	}
	p.pos++
	return nil
}

func (p *jsonReader) expected(what string) error {
	c := p.peek()
	if c == 0 && p.pos >= len(p.src) {
		return p.fail("ends where %s should follow", what)
	}
	r, _ := utf8.DecodeRune(p.src[p.pos:])
	return p.fail("%q where %s should stand", r, what)
}

// number reads a number, or one of the strings that stand for one.
func (p *jsonReader) number() (float64, error) {
	if p.peek() == '"' {
		start := p.pos
		s, err := p.str()
		if err != nil {
			return 0, err
		}
		switch s {
		case "NaN", "Infinity", "+Infinity", "-Infinity":
			v, _ := parseFloat(s)
			return v, nil
		}
		return 0, p.failAt(start, "the string %q is not a number; NaN, Infinity and -Infinity are", excerpt(s))
	}
	start := p.pos
	for p.pos < len(p.src) && strings.IndexByte("+-.0123456789eE", p.src[p.pos]) >= 0 {
		p.pos++
	}
	s := string(p.src[start:p.pos])
	if !jsonNumber(s) {
		if s == "" {
			return 0, p.expected("a number")
		}
		return 0, p.failAt(start, "%q is not a number", excerpt(s))
	}
	v, problem := parseFloat(s)
	if problem != "" {
		return 0, p.failAt(start, "%s", problem)
	}
	return v, nil
}

// jsonNumber reports whether s starts as JSON's numbers do; parseFloat checks the rest.
func jsonNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && s[0] >= '0' && s[0] <= '9' && (len(s) == 1 || s[0] != '0' || s[1] < '0' || s[1] > '9')
}

// str reads a string; the strings of this format need no escapes.
func (p *jsonReader) str() (string, error) {
	if p.peek() != '"' {
		return "", p.expected("a string")
	}
	for i := p.pos + 1; i < len(p.src); i++ {
		switch c := p.src[i]; {
		case c == '"':
			s := string(p.src[p.pos+1 : i])
			p.pos = i + 1
			return s, nil
		case c == '\\' || c < ' ':
			return "", p.failAt(i, "a string that is neither a key nor a number")
		}
	}
	return "", p.fail("a string without an end")
}

// object reads {"shape": [...], "data": [...]}, keys in either order.
func (p *jsonReader) object() (*eval.Tensor, error) {
	start := p.pos
	p.pos++
	var shape, entries *eval.Tensor
	for p.peek() != '}' {
		at := p.pos
		key, err := p.str()
		if err != nil {
			return nil, err
		}
		if p.peek() != ':' {
			return nil, p.expected("a colon")
		}
		p.pos++
		p.peek()
		value := p.pos
		t, err := p.nested()
		if err != nil {
			return nil, err
		}
		switch {
		case key == "shape" && shape == nil, key == "data" && entries == nil:
			if t.Order() != 1 {
				return nil, p.failAt(value, "%s is not a list of numbers", key)
			}
		default:
			return nil, p.failAt(at, "the key %q is unknown or stands twice; shape and data are expected", excerpt(key))
		}
		if key == "shape" {
			shape = t
		} else {
			entries = t
		}
		if p.peek() == ',' {
			p.pos++
		} else if p.peek() != '}' {
			return nil, p.expected("a comma or }")
		}
	}
	p.pos++
	if shape == nil || entries == nil {
		return nil, p.failAt(start, "an object needs both shape and data")
	}
	dims := make([]int, shape.Len())
	for i, v := range shape.Data {
		if v < 0 || v != float64(int(v)) || v > 1<<53 {
			return nil, p.failAt(start, "%s in shape is not a size", fmt.Sprint(v))
		}
		dims[i] = int(v)
	}
	n, err := eval.Elements(dims, p.opt.maxElements())
	if err != nil {
		return nil, &Error{Err: err}
	}
	if n != entries.Len() {
		return nil, p.failAt(start, "shape %s has %s, but data has %d", eval.ShapeString(dims), words.Count(n, "entry"), entries.Len())
	}
	return &eval.Tensor{Shape: dims, Data: entries.Data}, nil
}

// WriteJSON writes {"shape": [...], "data": [...]} and a line end; numbers that are not
// finite are strings.
func WriteJSON(w io.Writer, t *eval.Tensor) error {
	bw := bufio.NewWriter(w)
	fmt.Fprintf(bw, `{"shape": %s, "data": [`, eval.ShapeString(t.Shape))
	var buf []byte
	for i, v := range t.Data {
		buf = buf[:0]
		if i > 0 {
			buf = append(buf, ',')
		}
		if v-v != 0 { // NaN or infinite
			buf = append(appendNumber(append(buf, '"'), v), '"')
		} else {
			buf = appendNumber(buf, v)
		}
		if _, err := bw.Write(buf); err != nil {
			return err
		}
	}
	bw.WriteString("]}\n")
	return bw.Flush()
}
