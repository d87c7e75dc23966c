package data

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"frechet/eval"
	"frechet/internal/words"
)

// maxLine bounds one line of text, so that a file without line ends is not read as one.
const maxLine = 1 << 26

// ReadCSV reads numbers in rows. Cells are separated by commas (or by semicolons or tabs, if
// the first line has these and no comma), may stand in double quotes, and may be NaN or
// +-Infinity. Empty lines and lines that start with # are skipped; a first line none of whose
// cells is a number is a header. All rows have the same number of cells. One column or one row
// is a vector, unless the options want a matrix. Errors give line and column.
func ReadCSV(r io.Reader, o Options) (*eval.Tensor, error) {
	p := &csvReader{opt: o}
	br := bufio.NewReaderSize(&countingReader{r: r, limit: o.maxBytes()}, 1<<16)
	for {
		text, err := readLine(br)
		if text == "" && err == io.EOF {
			break
		}
		if err != nil && err != io.EOF {
			var limit *eval.LimitError
			if errors.As(err, &limit) {
				return nil, &Error{Err: err}
			}
			return nil, &Error{Line: p.line + 1, Column: 1, Msg: "cannot be read", Err: err}
		}
		p.line++
		if e := p.row(strings.TrimRight(text, "\r\n")); e != nil {
			return nil, e
		}
		if err == io.EOF {
			break
		}
	}
	return p.tensor()
}

type csvReader struct {
	opt     Options
	line    int
	started bool // the separator is known
	comma   byte
	cols    int // -1 + 1: 0 until the first row or header
	rows    int
	data    []float64
}

// row takes one line.
func (p *csvReader) row(text string) error {
	if p.line == 1 {
		text = strings.TrimPrefix(text, "\ufeff")
	}
	if t := strings.TrimSpace(text); t == "" || t[0] == '#' {
		return nil
	}
	first := !p.started
	if first {
		p.started, p.comma = true, separator(text)
	}
	start := len(p.data)
	cells, names, column := 0, 0, 1
	var bad *Error
	for rest, more := text, true; more; cells++ {
		var cell string
		cell, rest, more = cut(rest, p.comma)
		v, err := number(cell)
		if err != "" {
			names++
			if bad == nil {
				bad = &Error{Line: p.line, Column: column + leading(cell), Msg: err}
			}
		}
		if len(p.data) == p.opt.maxElements() {
			return &Error{Line: p.line, Column: column, Err: &eval.LimitError{What: "elements in one tensor",
				Need: float64(len(p.data) + 1), Limit: int64(p.opt.maxElements())}}
		}
		p.data = append(p.data, v)
		column += utf8.RuneCountInString(cell) + 1
	}
	switch {
	case first && names == cells: // a header
		p.data = p.data[:start]
		p.cols = cells
		return nil
	case bad != nil:
		return bad
	case p.cols == 0:
		p.cols = cells
	case p.cols != cells:
		return &Error{Line: p.line, Column: 1, Msg: fmt.Sprintf("has %s where the rows above have %d", words.Count(cells, "cell"), p.cols)}
	}
	p.rows++
	return nil
}

// tensor gives the rows the order that is wanted.
func (p *csvReader) tensor() (*eval.Tensor, error) {
	if !p.started {
		return nil, errorf("holds no numbers")
	}
	shape := []int{p.rows, p.cols}
	if p.opt.Order == Natural && (p.cols == 1 || p.rows == 1) {
		shape = []int{len(p.data)}
	}
	return fit(&eval.Tensor{Shape: shape, Data: p.data}, p.opt.Order)
}

// fit gives a tensor the order that is wanted where only axes of size 1 stand between: a
// vector as a column, a matrix of one column or row as a vector, a single number at any order.
func fit(t *eval.Tensor, o Order) (*eval.Tensor, error) {
	want := int(o) - 1
	if o == Natural || want == t.Order() {
		return t, nil
	}
	switch {
	case want == 0 && t.Len() == 1:
		return &eval.Tensor{Shape: []int{}, Data: t.Data}, nil
	case want == 1 && t.Order() == 2 && (t.Shape[0] == 1 || t.Shape[1] == 1):
		return &eval.Tensor{Shape: []int{t.Len()}, Data: t.Data}, nil
	case want == 1 && t.Order() == 0:
		return &eval.Tensor{Shape: []int{1}, Data: t.Data}, nil
	}
	return t, nil // the order differs; whoever knows the declaration reports it
}

func separator(line string) byte {
	for _, c := range []byte{',', ';', '\t'} {
		if strings.IndexByte(line, c) >= 0 {
			return c
		}
	}
	return ','
}

// cut splits off the first cell, quotes included; a separator inside quotes does not count.
func cut(s string, comma byte) (cell, rest string, more bool) {
	quoted := false
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == comma && !quoted:
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

func leading(cell string) int { return len(cell) - len(strings.TrimLeft(cell, " \t")) }

// number reads a cell; problem is empty where it is a number.
func number(cell string) (v float64, problem string) {
	s := strings.TrimSpace(cell)
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	if s == "" {
		return 0, "an empty cell; write NaN for a missing number"
	}
	return parseFloat(s)
}

// parseFloat reads a decimal number, NaN or Infinity, in any case; hexadecimal numbers and
// underscores, which strconv would take, are refused.
func parseFloat(s string) (v float64, problem string) {
	if strings.ContainsAny(s, "xX_pP") {
		return 0, fmt.Sprintf("%q is not a number", excerpt(s))
	}
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) && math.IsInf(v, 0):
		return 0, fmt.Sprintf("%q is too large for a float64", excerpt(s))
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, fmt.Sprintf("%q is not a number", excerpt(s))
	}
	return v, ""
}

// readLine reads up to and with the next line end; io.EOF comes with the last line.
func readLine(br *bufio.Reader) (string, error) {
	var b []byte
	for {
		part, err := br.ReadSlice('\n')
		b = append(b, part...)
		if len(b) > maxLine {
			return "", &eval.LimitError{What: "bytes in one line", Need: float64(len(b)), Limit: maxLine}
		}
		if err != bufio.ErrBufferFull {
			return string(b), err
		}
	}
}

// A countingReader fails with a *eval.LimitError once more than limit bytes have been read.
type countingReader struct {
	r           io.Reader
	read, limit int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.read += int64(n)
	if c.read > c.limit {
		return 0, &eval.LimitError{What: "bytes in one file", Need: float64(c.read), Limit: c.limit}
	}
	return n, err
}

// WriteCSV writes a tensor of order at most 2: a scalar as one cell, a vector as one column,
// a matrix row by row. Numbers are as short as they round-trip.
func WriteCSV(w io.Writer, t *eval.Tensor) error {
	if t.Order() > 2 {
		return errorf("a tensor of order %d does not fit a .csv file; use .npy or .json", t.Order())
	}
	cols := 1
	if t.Order() == 2 {
		cols = t.Shape[1]
	}
	bw := bufio.NewWriter(w)
	var buf []byte
	for i, v := range t.Data {
		buf = appendNumber(buf[:0], v)
		if (i+1)%cols == 0 {
			buf = append(buf, '\n')
		} else {
			buf = append(buf, ',')
		}
		if _, err := bw.Write(buf); err != nil {
			return err
		}
	}
	return bw.Flush()
}

// appendNumber prints NaN, Infinity and -Infinity by these names, and others as short as they round-trip.
func appendNumber(b []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return append(b, "NaN"...)
	case math.IsInf(v, 1):
		return append(b, "Infinity"...)
	case math.IsInf(v, -1):
		return append(b, "-Infinity"...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}
