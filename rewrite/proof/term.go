package proof

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/words"
)

// A denotation gives a term of a rule on values, or of a column of the table of atoms, its value.
type denotation struct {
	s       *combinators.Store
	values  map[string]*Node
	numbers map[string]*big.Rat
	sizes   map[string]size.Size
	batch   int                           // how many axes "..." stands for
	guard   func(*Node) combinators.Guard // of each function; nil for none
}

// value is the node that t denotes.
func (r *denotation) value(t *text.Term) (*Node, error) {
	switch t.Op {
	case text.Num:
		if len(t.Attrs) == 0 {
			return r.s.Const(t.Rat), nil
		}
		sh, err := r.shape(t.Attrs)
		if err != nil {
			return nil, err
		}
		return r.s.Fill(t.Rat, sh), nil
	case text.Name:
		return r.name(t)
	case text.Let:
		return r.let(t)
	case text.Blocks, text.Copair:
		var err error
		rows := text.Cells(t, func(c *text.Term) *Node {
			n, e := r.value(c)
			err = cmp.Or(err, e)
			return n
		})
		if err != nil {
			return nil, err
		}
		return r.s.Blocks(rows), nil
	}
	args := make([]*Node, len(t.Args))
	for i, a := range t.Args {
		var err error
		if args[i], err = r.value(a); err != nil {
			return nil, err
		}
	}
	if x := constantFold(t, args); x != nil {
		return r.s.Const(x), nil
	}
	switch t.Op {
	case text.Ein:
		return r.contraction(t.Index, args)
	case text.Call:
		return r.call(t, args)
	}
	return r.operation(t, args)
}

// let is the value of the term that follows, in which values have names.
func (r *denotation) let(t *text.Term) (*Node, error) {
	inner := *r
	inner.values = maps.Clone(r.values)
	if inner.values == nil {
		inner.values = map[string]*Node{}
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

// operation is the sum, product, quotient or power of values.
func (r *denotation) operation(t *text.Term, args []*Node) (*Node, error) {
	s := r.s
	switch t.Op {
	case text.Neg:
		return s.Neg(args[0]), nil
	case text.Add, text.Sub:
		x, y := r.broadcast(args[0], args[1])
		if t.Op == text.Sub {
			y = s.Neg(y)
		}
		switch zero := s.Zero(x.Shape()); zero {
		case x:
			return y, nil
		case y:
			return x, nil
		}
		return s.Add(x, y), nil
	case text.Mul, text.Div:
		x, y := args[0], args[1]
		if t.Op == text.Div {
			y = r.guarded(s.Recip(y))
		}
		switch s.Int(1) {
		case x:
			return y, nil
		case y:
			return x, nil
		}
		x, y = r.broadcast(x, y)
		return s.Mul(x, y), nil
	case text.Pow:
		if c := args[1]; c.Is(atom.Const) {
			return r.guarded(s.Power(args[0], c.Rat())), nil
		}
		x, y := r.broadcast(args[0], args[1])
		return r.guarded(s.Binary(atom.Pow, x, y)), nil
	}
	return nil, fmt.Errorf("%s is no value", t)
}

// constantFold is the exact value of arithmetic and functions on numbers alone, nil where it is none: (k - 1) .* x, abs(k) .* x.
func constantFold(t *text.Term, args []*Node) *big.Rat {
	numbers := make([]*big.Rat, len(args))
	for i, a := range args {
		if !a.Is(atom.Const) {
			return nil
		}
		numbers[i] = a.Rat()
	}
	if at := t.Row(); t.Op == text.Call && at != nil && at.Exact != nil && at.Arity == len(args) {
		return at.Exact(numbers[0], numbers[len(args)-1])
	}
	return arithmetic(t.Op, numbers)
}

// arithmetic is the exact value of an operation, nil where it has none.
func arithmetic(op text.Op, args []*big.Rat) *big.Rat {
	z := new(big.Rat)
	switch op {
	case text.Neg:
		return z.Neg(args[0])
	case text.Add:
		return z.Add(args[0], args[1])
	case text.Sub:
		return z.Sub(args[0], args[1])
	case text.Mul:
		return z.Mul(args[0], args[1])
	case text.Div:
		if args[1].Sign() != 0 {
			return z.Quo(args[0], args[1])
		}
	}
	return nil
}

// broadcast repeats a scalar over the shape of the other operand.
func (r *denotation) broadcast(x, y *Node) (*Node, *Node) {
	switch {
	case x.Order() == 0 && y.Order() > 0:
		x = r.s.Broadcast(x, y.Shape())
	case y.Order() == 0 && x.Order() > 0:
		y = r.s.Broadcast(y, x.Shape())
	}
	return x, y
}

// level gives scalars among the operands of an element-wise function the shape of the others.
func (r *denotation) level(args []*Node) {
	for i := range args {
		for j := range args {
			args[i], args[j] = r.broadcast(args[i], args[j])
		}
	}
}

func (r *denotation) guarded(n *Node) *Node {
	if r.guard == nil {
		return n
	}
	if g := r.guard(n); g != combinators.GuardNone {
		return n.WithGuard(g)
	}
	return n
}

func (r *denotation) name(t *text.Term) (*Node, error) {
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

func (r *denotation) filled(name string, shape []size.Size) (*Node, error) {
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

func (r *denotation) call(t *text.Term, args []*Node) (*Node, error) {
	s := r.s
	switch t.Name {
	case "weak", "zero":
		g := combinators.GuardWeak
		if t.Name == "zero" {
			g = combinators.GuardZero
		}
		inner := denotation{s: s, guard: infinite(g)}
		return inner.guarded(args[0]), nil
	case "ones", "zeros", "eye":
		return r.filled(t.Name, args[0].Shape())
	}
	at := t.Row()
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
	case t.Function != nil:
		if at.Class == atom.ClassElementwise {
			r.level(args)
		}
		return s.Declared(at, k, combinators.OpenSizes(at, r.sizes), args...), nil
	case at.Class == atom.ClassElementwise && at.Arity == 2:
		x, y := r.broadcast(args[0], args[1])
		return r.guarded(s.Binary(at, x, y)), nil
	}
	return r.guarded(s.Apply(at, k, args...)), nil
}

// number is arithmetic on the numbers of the substitution.
func (r *denotation) number(t *text.Term) (*big.Rat, error) {
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
	if x := arithmetic(t.Op, args); x != nil {
		return x, nil
	}
	return nil, fmt.Errorf("%s is no number", t)
}

func (r *denotation) shape(ts []*text.Term) ([]size.Size, error) {
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

func (r *denotation) size(t *text.Term) (d size.Size, err error) {
	switch t.Op {
	case text.Num:
		if t.Rat.IsInt() && t.Rat.Num().IsInt64() {
			return size.Const(t.Rat.Num().Int64()), nil
		}
	case text.Name:
		if d, ok := r.sizes[t.Name]; ok {
			return d, nil
		}
		if x := r.numbers[t.Name]; x != nil && x.IsInt() && x.Num().IsInt64() {
			return size.Const(x.Num().Int64()), nil
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
func (r *denotation) contraction(x *text.Index, args []*Node) (*Node, error) {
	if x.Out.Forms != nil && len(x.In) == len(args) {
		return r.general(x, args)
	}
	if len(x.In) != len(args) {
		return nil, fmt.Errorf("%s does not fit %s", x, words.Count(len(args), "operand"))
	}
	vars := &variables{of: map[string][]int{}}
	in := make([][]int, len(args))
	for i, a := range x.In {
		var err error
		if in[i], err = vars.operand(i, a, args[i].Shape(), r.batch); err != nil {
			return nil, fmt.Errorf("%s: %w", x, err)
		}
	}
	for _, z := range x.Sizes {
		if vars.of[z.Letter] == nil {
			d, err := r.size(z.Size)
			if err != nil {
				return nil, err
			}
			if _, err := vars.named(z.Letter, []size.Size{d}); err != nil {
				return nil, fmt.Errorf("%s: %w", x, err)
			}
		}
	}
	var out []int
	for _, l := range outLetters(x.Out) {
		vs, ok := vars.of[l]
		if !ok {
			return nil, fmt.Errorf("%s: no operand has %s", x, l)
		}
		out = append(out, vs...)
	}
	return r.s.Ein(einsum.Plain(in, out, vars.dims), args...), nil
}

// variables are those of a contraction, as its operands name them.
type variables struct {
	dims []size.Size
	of   map[string][]int // by letters, one each; several by "..." and "~"
}

// named are the variables of a name, for axes of the shape sh.
func (v *variables) named(name string, sh []size.Size) ([]int, error) {
	vars, ok := v.of[name]
	if !ok {
		vars = []int{}
		for _, d := range sh {
			vars = append(vars, len(v.dims))
			v.dims = append(v.dims, d)
		}
		v.of[name] = vars
	}
	if len(vars) != len(sh) {
		return nil, fmt.Errorf("%s is of two orders", name)
	}
	for i, w := range vars {
		if v.dims[w] != sh[i] {
			return nil, fmt.Errorf("%s is of two sizes", name)
		}
	}
	return vars, nil
}

// operand are the variables of operand i, of the shape sh, of which batch axes come before all letters.
func (v *variables) operand(i int, a text.Axes, sh []size.Size, batch int) (vars []int, err error) {
	order := len(sh)
	take := func(name string, n int) {
		if err == nil && n > len(sh) {
			err = fmt.Errorf("operand %d is of order %d", i+1, order)
		}
		if err == nil {
			var vs []int
			vs, err = v.named(name, sh[:n])
			vars, sh = append(vars, vs...), sh[n:]
		}
	}
	if a.Batch {
		take("...", batch)
	}
	for _, l := range a.Letters {
		take(l, 1)
	}
	if a.Rest {
		take("~", len(sh))
	}
	if err == nil && len(sh) > 0 {
		err = fmt.Errorf("operand %d is of order %d", i+1, order)
	}
	return vars, err
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
