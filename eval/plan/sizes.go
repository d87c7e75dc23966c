package plan

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// Sizes has the numbers of size symbols. It is not safe for concurrent use.
type Sizes struct {
	env     map[string]int64
	memo    map[size.Size]int64
	unknown int64 // for symbols without a number; 0 for none
}

// assumed takes unknown for the symbols that have no number, and no number above limit.
func assumed(sizes map[string]int64, unknown, limit int64) *Sizes {
	s := &Sizes{map[string]int64{}, map[size.Size]int64{}, min(unknown, limit)}
	for name, n := range sizes {
		s.env[name] = min(n, limit)
	}
	return s
}

// eval gives the number of a size.
func (s *Sizes) eval(d size.Size) (int64, error) {
	if n, ok := d.Int(); ok {
		return n, nil
	}
	if n, ok := s.memo[d]; ok {
		return n, nil
	}
	for _, name := range d.Symbols() {
		if _, ok := s.env[name]; !ok && s.unknown > 0 {
			s.env[name] = s.unknown
		}
	}
	n, err := d.Eval(s.env)
	if err == nil {
		s.memo[d] = n
	}
	return n, err
}

// Bind finds the numbers of all size symbols in nodes: those of sizes, and those that the
// shapes of the variables determine. Every variable that occurs must have a shape, and the
// shapes must agree with the declared sizes and with each other. Errors are *MissingError
// and *SizeError.
func Bind(nodes []*combinators.Node, shapes map[string][]int, sizes map[string]int64) (*Sizes, error) {
	all := combinators.Topo(nodes...)
	env := map[string]int64{}
	bound := &Sizes{env: env, memo: map[size.Size]int64{}}
	from := map[string]string{} // where a symbol's number comes from, for messages
	for _, s := range slices.Sorted(maps.Keys(sizes)) {
		n := sizes[s]
		if n < 0 {
			return nil, &SizeError{Name: s, Msg: fmt.Sprintf("the size %d is negative", n)}
		}
		env[s], from[s] = n, "given"
	}
	var vars []*combinators.Node
	for _, n := range all {
		if n.Atom() != atom.Var {
			continue
		}
		shape, ok := shapes[n.Name()]
		if !ok {
			return nil, &MissingError{Name: n.Name()}
		}
		if len(shape) != n.Order() {
			return nil, &SizeError{Name: n.Name(), Msg: fmt.Sprintf("has order %d, but a tensor of order %d is given", n.Order(), len(shape))}
		}
		vars = append(vars, n)
		for k, d := range n.Shape() {
			s, ok := d.Symbol()
			if !ok {
				continue
			}
			where := fmt.Sprintf("axis %d of %s", k, n.Name())
			if old, ok := env[s]; ok && old != int64(shape[k]) {
				return nil, &SizeError{Name: n.Name(), Msg: fmt.Sprintf("axis %d has size %d, but %s = %d (%s)", k, shape[k], s, old, from[s])}
			}
			if _, ok := env[s]; !ok {
				env[s], from[s] = int64(shape[k]), where
			}
		}
	}
	// sizes such as n-1 give their symbol too, once nothing simpler does
	for _, n := range vars {
		for k, d := range n.Shape() {
			if s, v, ok := solveSize(d, int64(shapes[n.Name()][k])); ok {
				if _, known := env[s]; !known {
					env[s], from[s] = v, fmt.Sprintf("axis %d of %s", k, n.Name())
				}
			}
		}
	}
	for _, n := range vars {
		for k, d := range n.Shape() {
			v, err := d.Eval(env)
			if err != nil {
				return nil, &SizeError{Name: n.Name(), Msg: err.Error()}
			}
			if have := int64(shapes[n.Name()][k]); v != have {
				return nil, &SizeError{Name: n.Name(), Msg: fmt.Sprintf("axis %d has size %d, but %s is declared%s", k, have, d, valueOf(d, v))}
			}
		}
	}
	for _, n := range all {
		for _, d := range n.Shape() {
			v, err := bound.eval(d)
			if err != nil {
				return nil, &SizeError{Msg: err.Error()}
			}
			if v < 0 {
				return nil, &SizeError{Msg: fmt.Sprintf("the size %s = %d is negative", d, v)}
			}
		}
	}
	return bound, nil
}

func valueOf(d size.Size, v int64) string {
	if _, ok := d.Int(); ok {
		return ""
	}
	return fmt.Sprintf(", which is %d", v)
}

// solveSize solves d = have where d is one symbol plus a number.
func solveSize(d size.Size, have int64) (symbol string, value int64, ok bool) {
	for _, m := range d.Monomials() {
		switch {
		case len(m.Symbols) == 0 && m.Coef.IsInt64():
			have -= m.Coef.Int64()
		case len(m.Symbols) == 1 && symbol == "" && m.Coef.IsInt64() && m.Coef.Int64() == 1:
			symbol = m.Symbols[0]
		default:
			return "", 0, false
		}
	}
	return symbol, have, symbol != "" && have >= 0
}

// A MissingError says that a variable has no value.
type MissingError struct{ Name string }

func (e *MissingError) Error() string { return fmt.Sprintf("the variable %s has no value", e.Name) }

// Shape gives a node's shape as numbers.
func Shape(n *combinators.Node, sizes *Sizes) ([]int, error) {
	shape := make([]int, n.Order())
	for k, d := range n.Shape() {
		v, err := sizes.eval(d)
		switch {
		case err != nil:
			return nil, &SizeError{Msg: err.Error()}
		case v < 0:
			return nil, &SizeError{Msg: fmt.Sprintf("the size %s = %d is negative", d, v)}
		case v > math.MaxInt:
			return nil, &LimitError{What: "entries along one axis", Need: float64(v), Limit: math.MaxInt}
		}
		shape[k] = int(v)
	}
	return shape, nil
}

// Concrete gives a contraction with numbers for its sizes.
func Concrete(c *einsum.Contraction, env *Sizes) (*einsum.Contraction, error) {
	var failure error
	number := func(d size.Size) size.Size {
		v, err := env.eval(d)
		if err != nil && failure == nil {
			failure = &SizeError{Msg: err.Error()}
		}
		return size.Const(v)
	}
	if isConcrete(c) {
		return c, nil
	}
	sizes := func(ds []size.Size) []size.Size {
		out := make([]size.Size, len(ds))
		for i, d := range ds {
			out[i] = number(d)
		}
		return out
	}
	forms := func(as []einsum.Affine) []einsum.Affine {
		out := slices.Clone(as)
		for i := range out {
			if out[i].Off != (size.Size{}) {
				out[i].Off = number(out[i].Off)
			}
		}
		return out
	}
	access := func(a einsum.Access) einsum.Access {
		return einsum.Access{Shape: sizes(a.Shape), Index: forms(a.Index)}
	}
	in := make([]einsum.Access, len(c.In))
	for k := range in {
		in[k] = access(c.In[k])
	}
	vars, out, eq, ge := sizes(c.Vars), access(c.Out), forms(c.Eq), forms(c.Ge)
	if failure != nil {
		return nil, failure
	}
	d, err := einsum.New(vars, in, out, eq, ge)
	if err != nil {
		return nil, &SizeError{Msg: err.Error()}
	}
	return d, nil
}

func isConcrete(c *einsum.Contraction) bool {
	for _, d := range c.Vars {
		if _, ok := d.Int(); !ok {
			return false
		}
	}
	numbers := func(as []einsum.Affine) bool {
		for _, a := range as {
			if _, ok := a.Off.Int(); !ok {
				return false
			}
		}
		return true
	}
	access := func(a einsum.Access) bool {
		for _, d := range a.Shape {
			if _, ok := d.Int(); !ok {
				return false
			}
		}
		return numbers(a.Index)
	}
	for _, a := range c.In {
		if !access(a) {
			return false
		}
	}
	return access(c.Out) && numbers(c.Eq) && numbers(c.Ge)
}
