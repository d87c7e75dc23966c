package model

import (
	"fmt"
	"strings"

	"frechet/internal/lists"
)

// A Tuple is a value of a space: a tensor over the model, or components.
type Tuple struct {
	Array
	Parts []*Tuple // of a product, not nil
}

// Shapes is the shape of a space: of a tensor, or of components.
type Shapes struct {
	Shape []int
	Parts []*Shapes
}

func (s *Shapes) Count() int {
	if s.Parts != nil {
		n := 0
		for _, p := range s.Parts {
			n += p.Count()
		}
		return n
	}
	n := 1
	for _, d := range s.Shape {
		n *= d
	}
	return n
}

// Power is the shape of the copower: n is the leading axis of every component.
func (s *Shapes) Power(n int) *Shapes {
	if s.Parts == nil {
		return &Shapes{Shape: append([]int{n}, s.Shape...)}
	}
	out := &Shapes{Parts: make([]*Shapes, len(s.Parts))}
	for i, p := range s.Parts {
		out.Parts[i] = p.Power(n)
	}
	return out
}

// Entries lists the entries of a value, component by component.
func (v *Tuple) Entries() []Element {
	if v.Parts == nil {
		return v.Data
	}
	var out []Element
	for _, p := range v.Parts {
		out = append(out, p.Entries()...)
	}
	return out
}

// TupleOf is the value of the space whose entries are given.
func TupleOf(s *Shapes, data []Element) *Tuple {
	v, _ := takeTuple(s, data)
	return v
}

func takeTuple(s *Shapes, data []Element) (*Tuple, []Element) {
	if s.Parts == nil {
		n := s.Count()
		return &Tuple{Array: Array{s.Shape, data[:n]}}, data[n:]
	}
	v := &Tuple{Parts: make([]*Tuple, len(s.Parts))}
	for i, p := range s.Parts {
		v.Parts[i], data = takeTuple(p, data)
	}
	return v, data
}

func zeros(s *Shapes) *Tuple {
	data := lists.Make(s.Count(), func(i int) Element { return Zero })
	return TupleOf(s, data)
}

// A Function is a map over the model.
type Function struct {
	Dom, Cod *Shapes
	Apply    func(*Tuple) (*Tuple, error)
}

func Identity(s *Shapes) *Function {
	return &Function{s, s, func(v *Tuple) (*Tuple, error) { return v, nil }}
}

func ZeroFunction(dom, cod *Shapes) *Function {
	return &Function{dom, cod, func(*Tuple) (*Tuple, error) { return zeros(cod), nil }}
}

func Compose(g, f *Function) *Function {
	return &Function{f.Dom, g.Cod, func(v *Tuple) (*Tuple, error) {
		y, err := f.Apply(v)
		if err != nil {
			return nil, err
		}
		return g.Apply(y)
	}}
}

// Zip combines two values entry by entry.
func Zip(s *Shapes, a, b *Tuple, f func(x, y Element) Element) *Tuple {
	x, y := a.Entries(), b.Entries()
	out := lists.Make(len(x), func(i int) Element { return f(x[i], y[i]) })
	return TupleOf(s, out)
}

func SumOf(f, g *Function) *Function {
	return &Function{f.Dom, f.Cod, func(v *Tuple) (*Tuple, error) {
		a, err := f.Apply(v)
		if err != nil {
			return nil, err
		}
		b, err := g.Apply(v)
		if err != nil {
			return nil, err
		}
		return Zip(f.Cod, a, b, Element.Plus), nil
	}}
}

func Negate(f *Function) *Function {
	return &Function{f.Dom, f.Cod, func(v *Tuple) (*Tuple, error) {
		a, err := f.Apply(v)
		if err != nil {
			return nil, err
		}
		return Zip(f.Cod, a, a, func(x, _ Element) Element { return minusOne.Times(x) }), nil
	}}
}

func eachOf(fs []*Function, v func(k int) *Tuple) ([]*Tuple, error) {
	out := make([]*Tuple, len(fs))
	for k, f := range fs {
		w, err := f.Apply(v(k))
		if err != nil {
			return nil, err
		}
		out[k] = w
	}
	return out, nil
}

func domains(fs []*Function) *Shapes {
	s := &Shapes{Parts: make([]*Shapes, len(fs))}
	for i, f := range fs {
		s.Parts[i] = f.Dom
	}
	return s
}

func codomains(fs []*Function) *Shapes {
	s := &Shapes{Parts: make([]*Shapes, len(fs))}
	for i, f := range fs {
		s.Parts[i] = f.Cod
	}
	return s
}

func Pair(fs []*Function) *Function {
	return &Function{fs[0].Dom, codomains(fs), func(v *Tuple) (*Tuple, error) {
		parts, err := eachOf(fs, func(int) *Tuple { return v })
		return &Tuple{Parts: parts}, err
	}}
}

func Product(fs []*Function) *Function {
	return &Function{domains(fs), codomains(fs), func(v *Tuple) (*Tuple, error) {
		parts, err := eachOf(fs, func(k int) *Tuple { return v.Parts[k] })
		return &Tuple{Parts: parts}, err
	}}
}

func Copair(fs []*Function) *Function {
	return &Function{domains(fs), fs[0].Cod, func(v *Tuple) (*Tuple, error) {
		parts, err := eachOf(fs, func(k int) *Tuple { return v.Parts[k] })
		if err != nil {
			return nil, err
		}
		sum := parts[0]
		for _, w := range parts[1:] {
			sum = Zip(fs[0].Cod, sum, w, Element.Plus)
		}
		return sum, nil
	}}
}

func Projection(s *Shapes, k int) *Function {
	return &Function{s, s.Parts[k], func(v *Tuple) (*Tuple, error) { return v.Parts[k], nil }}
}

func Injection(s *Shapes, k int) *Function {
	return &Function{s.Parts[k], s, func(v *Tuple) (*Tuple, error) {
		out := zeros(s)
		out.Parts[k] = v
		return out, nil
	}}
}

// Copower applies f at each of n indices, which are the leading axes of every component.
func Copower(f *Function, n int, dom, cod *Shapes) *Function {
	return &Function{dom, cod, func(v *Tuple) (*Tuple, error) {
		out := zeros(cod)
		for x := range n {
			w, err := f.Apply(at(v, f.Dom, x))
			if err != nil {
				return nil, err
			}
			place(out, w, f.Cod, x)
		}
		return out, nil
	}}
}

// at is the value at index x of a value of the copower of s.
func at(v *Tuple, s *Shapes, x int) *Tuple {
	if s.Parts == nil {
		n := s.Count()
		return &Tuple{Array: Array{s.Shape, v.Data[x*n : (x+1)*n]}}
	}
	out := &Tuple{Parts: make([]*Tuple, len(s.Parts))}
	for i, p := range s.Parts {
		out.Parts[i] = at(v.Parts[i], p, x)
	}
	return out
}

func place(out, v *Tuple, s *Shapes, x int) {
	if s.Parts == nil {
		copy(out.Data[x*s.Count():], v.Data)
		return
	}
	for i, p := range s.Parts {
		place(out.Parts[i], v.Parts[i], p, x)
	}
}

// matrixOf is the matrix of a linear function: its columns are the images of the basis.
func matrixOf(f *Function) ([][]Element, error) {
	n := f.Dom.Count()
	columns := make([][]Element, n)
	for j := range n {
		e := zeros(f.Dom).Entries()
		e = append([]Element{}, e...)
		e[j] = One
		w, err := f.Apply(TupleOf(f.Dom, e))
		if err != nil {
			return nil, err
		}
		columns[j] = w.Entries()
	}
	return columns, nil
}

// AdjointOf multiplies by the transposed matrix: <L v, w> = <v, adjoint(L) w>.
func AdjointOf(f *Function) *Function {
	var columns [][]Element
	var err error
	return &Function{f.Cod, f.Dom, func(w *Tuple) (*Tuple, error) {
		if columns == nil && err == nil {
			columns, err = matrixOf(f)
		}
		if err != nil {
			return nil, err
		}
		y := w.Entries()
		out := make([]Element, len(columns))
		for j, col := range columns {
			sum := Zero
			for i := range y {
				sum = sum.Plus(col[i].Times(y[i]))
			}
			out[j] = sum
		}
		return TupleOf(f.Dom, out), nil
	}}
}

// String writes a value as nested rows, small numbers as such.
func (v *Tuple) String() string {
	if v.Parts != nil {
		parts := lists.Map(v.Parts, func(p *Tuple) string { return p.String() })
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return Rows(v.Shape, v.Data, func(e Element) string {
		switch {
		case !e.Is(HasValue):
			return "?"
		case e.V > Prime/2:
			return fmt.Sprintf("-%d", Prime-e.V)
		}
		return fmt.Sprint(e.V)
	})
}

// Rows writes entries as nested rows.
func Rows[E any](shape []int, data []E, entry func(E) string) string {
	if len(shape) == 0 {
		return entry(data[0])
	}
	parts := make([]string, shape[0])
	step := len(data) / max(shape[0], 1)
	for i := range parts {
		parts[i] = Rows(shape[1:], data[i*step:(i+1)*step], entry)
	}
	return "[" + strings.Join(parts, " ") + "]"
}
