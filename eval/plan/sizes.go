package plan

import (
	"errors"
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

// Known has the numbers by symbol.
func (s *Sizes) Known() map[string]int64 { return maps.Clone(s.env) }

// Bind finds the numbers of all size symbols in nodes: those of sizes, and those that the
// shapes of the variables determine. Every variable that occurs must have a shape, and the
// shapes must agree with the declared sizes and with each other. Errors are *MissingError
// and *SizeError.
func Bind(nodes []*combinators.Node, shapes map[string][]int, sizes map[string]int64) (*Sizes, error) {
	for _, s := range slices.Sorted(maps.Keys(sizes)) {
		if n := sizes[s]; n < 0 {
			return nil, &SizeError{Name: s, Msg: fmt.Sprintf("the size %d is negative", n)}
		}
	}
	all := combinators.Topo(nodes...)
	env, err := solve(all, shapes, sizes)
	if err != nil {
		return nil, err
	}
	bound := &Sizes{env: env, memo: map[size.Size]int64{}}
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

// solve finds the size symbols that the shapes of the variables among nodes determine.
func solve(nodes []*combinators.Node, shapes map[string][]int, sizes map[string]int64) (map[string]int64, error) {
	type axis struct {
		name string
		k    int
	}
	var eqs []size.Equation
	var axes []axis
	for _, n := range nodes {
		if n.Atom() != atom.Var {
			continue
		}
		shape, ok := shapes[n.Name()]
		if !ok {
			return nil, &MissingError{Name: n.Name()}
		}
		if len(shape) != len(n.Given()) {
			return nil, &SizeError{Name: n.Name(), Msg: fmt.Sprintf("has order %d, but a tensor of order %d is given", len(n.Given()), len(shape))}
		}
		for k, d := range n.Given() {
			eqs, axes = append(eqs, size.Equation{Size: d, Value: int64(shape[k])}), append(axes, axis{n.Name(), k})
		}
	}
	solution, err := size.Solve(eqs, sizes)
	var none *size.UnsolvableError
	if errors.As(err, &none) {
		at, q := axes[none.At], eqs[none.At]
		but := fmt.Sprintf("%s is declared: %s", q.Size, none)
		symbol, ok := q.Size.Symbol()
		v, err := q.Size.Eval(none.Known)
		switch {
		case ok && err == nil:
			where := "given"
			if i, ok := none.From[symbol]; ok {
				where = fmt.Sprintf("axis %d of %s", axes[i].k, axes[i].name)
			}
			but = fmt.Sprintf("%s = %d (%s)", symbol, v, where)
		case err == nil && len(none.Known) == 0:
			but = fmt.Sprintf("%s is declared", q.Size)
		case err == nil:
			but = fmt.Sprintf("%s is declared, which is %d", q.Size, v)
		}
		return nil, &SizeError{Name: at.name, Msg: fmt.Sprintf("axis %d has size %d, but %s", at.k, q.Value, but)}
	}
	return solution.Values, nil
}

// A MissingError says that a variable has no value.
type MissingError struct{ Name string }

func (e *MissingError) Error() string { return fmt.Sprintf("the variable %s has no value", e.Name) }

// Shape gives a node's shape as numbers.
func Shape(n *combinators.Node, sizes *Sizes) ([]int, error) { return sizes.Shape(n.Shape()) }

// Shape has the numbers of several sizes.
func (s *Sizes) Shape(sizes []size.Size) ([]int, error) {
	shape := make([]int, len(sizes))
	for k, d := range sizes {
		v, err := s.eval(d)
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
