package proof

import (
	"fmt"
	"math/big"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/words"
)

// A reading gives a term of a rule on values, or of a column of the table of atoms, its value.
type reading struct {
	s       *combinators.Store
	values  map[string]*Node
	numbers map[string]*big.Rat
	sizes   map[string]size.Size
	batch   int                           // how many axes "..." stands for
	guard   func(*Node) combinators.Guard // of each function; nil for none
}

func (r *reading) value(t *text.Term) (*Node, error) {
	s := r.s
	switch t.Op {
	case text.Num:
		if len(t.Attrs) == 0 {
			return s.Const(t.Rat), nil
		}
		sh, err := r.shape(t.Attrs)
		if err != nil {
			return nil, err
		}
		return s.Fill(t.Rat, sh), nil
	case text.Name:
		return r.name(t)
	case text.Let:
		inner := *r
		inner.values = map[string]*Node{}
		for n, v := range r.values {
			inner.values[n] = v
		}
		for i, n := range t.Names {
			v, err := inner.value(t.Args[i])
			if err != nil {
				return nil, err
			}
			inner.values[n] = v
		}
		return inner.value(t.Args[len(t.Args)-1])
	}
	args := make([]*Node, len(t.Args))
	for i, a := range t.Args {
		var err error
		if args[i], err = r.value(a); err != nil {
			return nil, err
		}
	}
	if x := worked(t.Op, args); x != nil {
		return s.Const(x), nil
	}
	switch t.Op {
	case text.Neg:
		return s.Neg(args[0]), nil
	case text.Add, text.Sub:
		x, y := r.alike(args[0], args[1])
		if t.Op == text.Sub {
			y = s.Neg(y)
		}
		return s.Add(x, y), nil
	case text.Mul, text.Div:
		x, y := args[0], args[1]
		if t.Op == text.Div {
			y = r.guarded(s.Recip(y))
		}
		x, y = r.alike(x, y)
		return s.Mul(x, y), nil
	case text.Pow:
		if c := args[1]; c.Is(atom.Const) {
			return r.guarded(s.Power(args[0], c.Rat())), nil
		}
		x, y := r.alike(args[0], args[1])
		return r.guarded(s.Binary(atom.Pow, x, y)), nil
	case text.Ein:
		return r.contraction(t.Index, args)
	case text.Call:
		return r.call(t, args)
	}
	return nil, fmt.Errorf("%s is no value", t)
}

// worked is the exact value of arithmetic on numbers alone, nil where it is none: (k - 1) .* x.
func worked(op text.Op, args []*Node) *big.Rat {
	for _, a := range args {
		if !a.Is(atom.Const) {
			return nil
		}
	}
	z := new(big.Rat)
	switch {
	case op == text.Neg:
		return z.Neg(args[0].Rat())
	case op == text.Add:
		return z.Add(args[0].Rat(), args[1].Rat())
	case op == text.Sub:
		return z.Sub(args[0].Rat(), args[1].Rat())
	case op == text.Mul:
		return z.Mul(args[0].Rat(), args[1].Rat())
	case op == text.Div && args[1].Rat().Sign() != 0:
		return z.Quo(args[0].Rat(), args[1].Rat())
	}
	return nil
}

// alike repeats a scalar over the shape of the other operand.
func (r *reading) alike(x, y *Node) (*Node, *Node) {
	switch {
	case x.Order() == 0 && y.Order() > 0:
		x = r.s.Broadcast(x, y.Shape())
	case y.Order() == 0 && x.Order() > 0:
		y = r.s.Broadcast(y, x.Shape())
	}
	return x, y
}

func (r *reading) guarded(n *Node) *Node {
	if r.guard == nil {
		return n
	}
	if g := r.guard(n); g != combinators.GuardNone {
		return n.WithGuard(g)
	}
	return n
}

func (r *reading) name(t *text.Term) (*Node, error) {
	if len(t.Attrs) > 0 {
		sh, err := r.shape(t.Attrs)
		if err != nil {
			return nil, err
		}
		return r.filled(t.Name, sh)
	}
	if v := r.values[t.Name]; v != nil {
		return v, nil
	}
	if x := r.numbers[t.Name]; x != nil {
		return r.s.Const(x), nil
	}
	if d, ok := r.sizes[t.Name]; ok {
		return r.s.SizeOf(d), nil
	}
	if t.Name == atom.Pi.Name { // all that a rule declares is in the substitution
		return r.s.Pi(), nil
	}
	return nil, fmt.Errorf("the substitution has no %s", t.Name)
}

func (r *reading) filled(name string, shape []size.Size) (*Node, error) {
	switch name {
	case "ones":
		return r.s.Ones(shape), nil
	case "zeros":
		return r.s.Zero(shape), nil
	case "eye":
		return r.s.Eye(shape), nil
	}
	return nil, fmt.Errorf("%s takes no sizes", name)
}

func (r *reading) call(t *text.Term, args []*Node) (*Node, error) {
	s := r.s
	switch t.Name {
	case "weak", "zero":
		g := combinators.GuardWeak
		if t.Name == "zero" {
			g = combinators.GuardZero
		}
		inner := reading{s: s, guard: infinite(g)}
		return inner.guarded(args[0]), nil
	case "ones", "zeros", "eye":
		return r.filled(t.Name, args[0].Shape())
	}
	at := atom.Named(t.Name)
	if at == nil || at.Arity != len(args) || at.Class < atom.ClassLinear {
		return nil, fmt.Errorf("%s of %s is no function", t.Name, words.Count(len(args), "operand"))
	}
	var attr *big.Rat
	if len(t.Attrs) > 0 {
		var err error
		if attr, err = r.number(t.Attrs[0]); err != nil {
			return nil, err
		}
	}
	if at == atom.Power {
		if attr == nil {
			return nil, fmt.Errorf("a power without its exponent")
		}
		return r.guarded(s.Power(args[0], attr)), nil
	}
	k := 0
	if attr != nil {
		if !attr.IsInt() || !attr.Num().IsInt64() {
			return nil, fmt.Errorf("%s[%s]", t.Name, attr.RatString())
		}
		k = int(attr.Num().Int64())
	}
	switch {
	case t.Name == "split":
		if len(t.Attrs) != 3 {
			return nil, fmt.Errorf("split without its sizes")
		}
		sh, err := r.shape(t.Attrs[1:])
		if err != nil {
			return nil, err
		}
		return s.Split(k, sh[0], sh[1], args[0]), nil
	case at.Class == atom.ClassElementwise && at.Arity == 2:
		x, y := r.alike(args[0], args[1])
		return r.guarded(s.Binary(at, x, y)), nil
	}
	return r.guarded(s.Apply(at, k, args...)), nil
}

// number is arithmetic on the numbers of the substitution.
func (r *reading) number(t *text.Term) (*big.Rat, error) {
	switch t.Op {
	case text.Num:
		return t.Rat, nil
	case text.Name:
		if x := r.numbers[t.Name]; x != nil {
			return x, nil
		}
		return nil, fmt.Errorf("the substitution has no number %s", t.Name)
	}
	var args []*big.Rat
	for _, a := range t.Args {
		x, err := r.number(a)
		if err != nil {
			return nil, err
		}
		args = append(args, x)
	}
	z := new(big.Rat)
	switch t.Op {
	case text.Neg:
		return z.Neg(args[0]), nil
	case text.Add:
		return z.Add(args[0], args[1]), nil
	case text.Sub:
		return z.Sub(args[0], args[1]), nil
	case text.Mul:
		return z.Mul(args[0], args[1]), nil
	case text.Div:
		if args[1].Sign() != 0 {
			return z.Quo(args[0], args[1]), nil
		}
	}
	return nil, fmt.Errorf("%s is no number", t)
}

func (r *reading) shape(ts []*text.Term) ([]size.Size, error) {
	var shape []size.Size
	for _, t := range ts {
		d, err := r.size(t)
		if err != nil {
			return nil, err
		}
		shape = append(shape, d)
	}
	return shape, nil
}

func (r *reading) size(t *text.Term) (d size.Size, err error) {
	switch t.Op {
	case text.Num:
		if t.Rat.IsInt() && t.Rat.Num().IsInt64() {
			return size.Const(t.Rat.Num().Int64()), nil
		}
	case text.Name:
		if d, ok := r.sizes[t.Name]; ok {
			return d, nil
		}
	case text.Add, text.Sub, text.Mul:
		x, err := r.size(t.Args[0])
		if err != nil {
			return d, err
		}
		y, err := r.size(t.Args[1])
		if err != nil {
			return d, err
		}
		switch t.Op {
		case text.Add:
			return x.Add(y), nil
		case text.Sub:
			return x.Sub(y), nil
		}
		return x.Mul(y), nil
	}
	return d, fmt.Errorf("%s is no size", t)
}

// contraction is the product of args over letters. "..." stands for the first axes of an operand,
// "~" for those that its letters leave; both are the same variables in all groups.
func (r *reading) contraction(x *text.Index, args []*Node) (*Node, error) {
	if len(x.In) != len(args) || x.Out.Forms != nil {
		return nil, fmt.Errorf("%s does not fit %s", x, words.Count(len(args), "operand"))
	}
	var dims []size.Size
	names := map[string][]int{}
	group := func(name string, sh []size.Size) ([]int, error) {
		vars, ok := names[name]
		if !ok {
			for _, d := range sh {
				vars = append(vars, len(dims))
				dims = append(dims, d)
			}
			names[name] = vars
		}
		if len(vars) != len(sh) {
			return nil, fmt.Errorf("%s: %s is of two orders", x, name)
		}
		for i, v := range vars {
			if dims[v] != sh[i] {
				return nil, fmt.Errorf("%s: %s is of two sizes", x, name)
			}
		}
		return vars, nil
	}
	var in [][]int
	for i, a := range x.In {
		sh := args[i].Shape()
		var vars []int
		take := func(name string, n int) error {
			if n < 0 || n > len(sh) {
				return fmt.Errorf("%s: operand %d is of order %d", x, i+1, args[i].Order())
			}
			vs, err := group(name, sh[:n])
			vars, sh = append(vars, vs...), sh[n:]
			return err
		}
		if a.Batch {
			if err := take("...", r.batch); err != nil {
				return nil, err
			}
		}
		for _, l := range a.Letters {
			if err := take(l, 1); err != nil {
				return nil, err
			}
		}
		if a.Rest {
			if err := take("~", len(sh)); err != nil {
				return nil, err
			}
		}
		if len(sh) > 0 {
			return nil, fmt.Errorf("%s: operand %d is of order %d", x, i+1, args[i].Order())
		}
		in = append(in, vars)
	}
	for _, z := range x.Sizes {
		if _, ok := names[z.Letter]; !ok {
			d, err := r.size(z.Size)
			if err != nil {
				return nil, err
			}
			if _, err := group(z.Letter, []size.Size{d}); err != nil {
				return nil, err
			}
		}
	}
	var out []int
	for _, l := range outLetters(x.Out) {
		vars, ok := names[l]
		if !ok {
			return nil, fmt.Errorf("%s: no operand has %s", x, l)
		}
		out = append(out, vars...)
	}
	return r.s.Ein(einsum.Plain(in, out, dims), args...), nil
}

func outLetters(a text.Axes) (out []string) {
	if a.Batch {
		out = append(out, "...")
	}
	out = append(out, a.Letters...)
	if a.Rest {
		out = append(out, "~")
	}
	return out
}
