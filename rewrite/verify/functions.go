package verify

import (
	"fmt"
	"strings"
)

// A tuple is a value of a space: a tensor over the model, or components.
type tuple struct {
	array
	parts []*tuple // of a product, not nil
}

// shapes is the shape of a space: of a tensor, or of components.
type shapes struct {
	shape []int
	parts []*shapes
}

func (s *shapes) count() int {
	if s.parts != nil {
		n := 0
		for _, p := range s.parts {
			n += p.count()
		}
		return n
	}
	n := 1
	for _, d := range s.shape {
		n *= d
	}
	return n
}

// entries lists the entries of a value, component by component.
func (v *tuple) entries() []element {
	if v.parts == nil {
		return v.data
	}
	var out []element
	for _, p := range v.parts {
		out = append(out, p.entries()...)
	}
	return out
}

// tupleOf is the value of the space whose entries are given.
func tupleOf(s *shapes, data []element) *tuple {
	v, _ := takeTuple(s, data)
	return v
}

func takeTuple(s *shapes, data []element) (*tuple, []element) {
	if s.parts == nil {
		n := s.count()
		return &tuple{array: array{s.shape, data[:n]}}, data[n:]
	}
	v := &tuple{parts: make([]*tuple, len(s.parts))}
	for i, p := range s.parts {
		v.parts[i], data = takeTuple(p, data)
	}
	return v, data
}

func zeros(s *shapes) *tuple {
	data := make([]element, s.count())
	for i := range data {
		data[i] = zeroElement
	}
	return tupleOf(s, data)
}

// A function is a map over the model.
type function struct {
	dom, cod *shapes
	apply    func(*tuple) (*tuple, error)
}

func identity(s *shapes) *function {
	return &function{s, s, func(v *tuple) (*tuple, error) { return v, nil }}
}

func zeroFunction(dom, cod *shapes) *function {
	return &function{dom, cod, func(*tuple) (*tuple, error) { return zeros(cod), nil }}
}

func composeFunctions(g, f *function) *function {
	return &function{f.dom, g.cod, func(v *tuple) (*tuple, error) {
		y, err := f.apply(v)
		if err != nil {
			return nil, err
		}
		return g.apply(y)
	}}
}

// zip combines two values entry by entry.
func zip(s *shapes, a, b *tuple, f func(x, y element) element) *tuple {
	x, y := a.entries(), b.entries()
	out := make([]element, len(x))
	for i := range x {
		out[i] = f(x[i], y[i])
	}
	return tupleOf(s, out)
}

func addFunctions(f, g *function) *function {
	return &function{f.dom, f.cod, func(v *tuple) (*tuple, error) {
		a, err := f.apply(v)
		if err != nil {
			return nil, err
		}
		b, err := g.apply(v)
		if err != nil {
			return nil, err
		}
		return zip(f.cod, a, b, element.plus), nil
	}}
}

func negate(f *function) *function {
	return &function{f.dom, f.cod, func(v *tuple) (*tuple, error) {
		a, err := f.apply(v)
		if err != nil {
			return nil, err
		}
		return zip(f.cod, a, a, func(x, _ element) element { return minusOne.times(x) }), nil
	}}
}

func eachOf(fs []*function, v func(k int) *tuple) ([]*tuple, error) {
	out := make([]*tuple, len(fs))
	for k, f := range fs {
		w, err := f.apply(v(k))
		if err != nil {
			return nil, err
		}
		out[k] = w
	}
	return out, nil
}

func domains(fs []*function) *shapes {
	s := &shapes{parts: make([]*shapes, len(fs))}
	for i, f := range fs {
		s.parts[i] = f.dom
	}
	return s
}

func codomains(fs []*function) *shapes {
	s := &shapes{parts: make([]*shapes, len(fs))}
	for i, f := range fs {
		s.parts[i] = f.cod
	}
	return s
}

func pairFunctions(fs []*function) *function {
	return &function{fs[0].dom, codomains(fs), func(v *tuple) (*tuple, error) {
		parts, err := eachOf(fs, func(int) *tuple { return v })
		return &tuple{parts: parts}, err
	}}
}

func productFunctions(fs []*function) *function {
	return &function{domains(fs), codomains(fs), func(v *tuple) (*tuple, error) {
		parts, err := eachOf(fs, func(k int) *tuple { return v.parts[k] })
		return &tuple{parts: parts}, err
	}}
}

func copairFunctions(fs []*function) *function {
	return &function{domains(fs), fs[0].cod, func(v *tuple) (*tuple, error) {
		parts, err := eachOf(fs, func(k int) *tuple { return v.parts[k] })
		if err != nil {
			return nil, err
		}
		sum := parts[0]
		for _, w := range parts[1:] {
			sum = zip(fs[0].cod, sum, w, element.plus)
		}
		return sum, nil
	}}
}

func projection(s *shapes, k int) *function {
	return &function{s, s.parts[k], func(v *tuple) (*tuple, error) { return v.parts[k], nil }}
}

func injection(s *shapes, k int) *function {
	return &function{s.parts[k], s, func(v *tuple) (*tuple, error) {
		out := zeros(s)
		out.parts[k] = v
		return out, nil
	}}
}

// copowerFunction applies f at each of n indices, which are the leading axes of every component.
func copowerFunction(f *function, n int, dom, cod *shapes) *function {
	return &function{dom, cod, func(v *tuple) (*tuple, error) {
		out := zeros(cod)
		for x := range n {
			w, err := f.apply(at(v, f.dom, x))
			if err != nil {
				return nil, err
			}
			place(out, w, f.cod, x)
		}
		return out, nil
	}}
}

// at is the value at index x of a value of the copower of s.
func at(v *tuple, s *shapes, x int) *tuple {
	if s.parts == nil {
		n := s.count()
		return &tuple{array: array{s.shape, v.data[x*n : (x+1)*n]}}
	}
	out := &tuple{parts: make([]*tuple, len(s.parts))}
	for i, p := range s.parts {
		out.parts[i] = at(v.parts[i], p, x)
	}
	return out
}

func place(out, v *tuple, s *shapes, x int) {
	if s.parts == nil {
		copy(out.data[x*s.count():], v.data)
		return
	}
	for i, p := range s.parts {
		place(out.parts[i], v.parts[i], p, x)
	}
}

// matrixOf is the matrix of a linear function: its columns are the images of the basis.
func matrixOf(f *function) ([][]element, error) {
	n := f.dom.count()
	columns := make([][]element, n)
	for j := range n {
		e := zeros(f.dom).entries()
		e = append([]element{}, e...)
		e[j] = oneElement
		w, err := f.apply(tupleOf(f.dom, e))
		if err != nil {
			return nil, err
		}
		columns[j] = w.entries()
	}
	return columns, nil
}

// adjointFunction multiplies by the transposed matrix: <L v, w> = <v, adjoint(L) w>.
func adjointFunction(f *function) *function {
	var columns [][]element
	var err error
	return &function{f.cod, f.dom, func(w *tuple) (*tuple, error) {
		if columns == nil && err == nil {
			columns, err = matrixOf(f)
		}
		if err != nil {
			return nil, err
		}
		y := w.entries()
		out := make([]element, len(columns))
		for j, col := range columns {
			sum := zeroElement
			for i := range y {
				sum = sum.plus(col[i].times(y[i]))
			}
			out[j] = sum
		}
		return tupleOf(f.dom, out), nil
	}}
}

// String writes a value as nested rows, small numbers as such.
func (v *tuple) String() string {
	if v.parts != nil {
		parts := make([]string, len(v.parts))
		for i, p := range v.parts {
			parts[i] = p.String()
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return rows(v.shape, v.data, func(e element) string {
		switch {
		case !e.is(hasValue):
			return "?"
		case e.v > prime/2:
			return fmt.Sprintf("-%d", prime-e.v)
		}
		return fmt.Sprint(e.v)
	})
}

// rows writes entries as nested rows.
func rows[E any](shape []int, data []E, entry func(E) string) string {
	if len(shape) == 0 {
		return entry(data[0])
	}
	parts := make([]string, shape[0])
	step := len(data) / max(shape[0], 1)
	for i := range parts {
		parts[i] = rows(shape[1:], data[i*step:(i+1)*step], entry)
	}
	return "[" + strings.Join(parts, " ") + "]"
}
