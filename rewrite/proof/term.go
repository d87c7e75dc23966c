package proof

import (
	"maps"
	"math/big"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/must"
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
func (r *denotation) value(t *text.Term) *Node {
	switch t.Op {
	case text.Num:
		if len(t.Attrs) == 0 {
			return r.s.Const(t.Rat)
		}
		return r.s.Fill(t.Rat, r.shape(t.Attrs))
	case text.Name:
		return r.name(t)
	case text.Let:
		return r.let(t)
	case text.Blocks, text.Copair:
		return r.s.Blocks(text.Cells(t, r.value))
	}
	args := lists.Map(t.Args, r.value)
	if x := constantFold(t, args); x != nil {
		return r.s.Const(x)
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
func (r *denotation) let(t *text.Term) *Node {
	inner := *r
	inner.values = maps.Clone(r.values)
	if inner.values == nil {
		inner.values = map[string]*Node{}
	}
	for i, n := range t.Names {
		inner.values[n] = inner.value(t.Args[i])
	}
	return inner.value(t.Args[len(t.Args)-1])
}

// operation is the sum, product, quotient or power of values.
func (r *denotation) operation(t *text.Term, args []*Node) *Node {
	s := r.s
	switch t.Op {
	case text.Neg:
		return s.Neg(args[0])
	case text.Add, text.Sub:
		x, y := r.broadcast(args[0], args[1])
		if t.Op == text.Sub {
			y = s.Neg(y)
		}
		switch zero := s.Zero(x.Shape()); zero {
		case x:
			return y
		case y:
			return x
		}
		return s.Add(x, y)
	case text.Mul, text.Div:
		x, y := args[0], args[1]
		if t.Op == text.Div {
			y = r.guarded(s.Recip(y))
		}
		switch s.Int(1) {
		case x:
			return y
		case y:
			return x
		}
		x, y = r.broadcast(x, y)
		return s.Mul(x, y)
	case text.Pow:
		if c := args[1]; c.Is(atom.Const) {
			return r.guarded(s.Power(args[0], c.Rat()))
		}
		x, y := r.broadcast(args[0], args[1])
		return r.guarded(s.Binary(atom.Pow, x, y))
	}
	panic(must.Errorf("%s is no value", t))
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

func (r *denotation) name(t *text.Term) *Node {
	if len(t.Attrs) > 0 {
		return r.filled(t.Name, r.shape(t.Attrs))
	}
	if v := r.values[t.Name]; v != nil {
		return v
	}
	if x := r.numbers[t.Name]; x != nil {
		return r.s.Const(x)
	}
	if d, ok := r.sizes[t.Name]; ok {
		return r.s.SizeOf(d)
	}
	if t.Name == atom.Pi.Name { // all that a rule declares is in the substitution
		return r.s.Pi()
	}
	panic(must.Errorf("the substitution has no %s", t.Name))
}

func (r *denotation) filled(name string, shape []size.Size) *Node {
	switch name {
	case "ones":
		return r.s.Ones(shape)
	case "zeros":
		return r.s.Zero(shape)
	case "eye":
		return r.s.Eye(shape)
	}
	panic(must.Errorf("%s takes no sizes", name))
}

func (r *denotation) call(t *text.Term, args []*Node) *Node {
	s := r.s
	switch t.Name {
	case "weak", "zero":
		g := combinators.GuardWeak
		if t.Name == "zero" {
			g = combinators.GuardZero
		}
		inner := denotation{s: s, guard: infinite(g)}
		return inner.guarded(args[0])
	case "ones", "zeros", "eye":
		return r.filled(t.Name, args[0].Shape())
	}
	at := t.Row()
	must.Hold(at != nil && at.Arity == len(args) && at.Class >= atom.ClassLinear, "%s of %s is no function", t.Name, words.Count(len(args), "operand"))
	var attr *big.Rat
	if len(t.Attrs) > 0 {
		attr = r.number(t.Attrs[0])
	}
	if at == atom.Power {
		must.Hold(attr != nil, "a power without its exponent")
		return r.guarded(s.Power(args[0], attr))
	}
	k := 0
	if attr != nil {
		must.Hold(attr.IsInt() && attr.Num().IsInt64(), "%s[%s]", t.Name, attr.RatString())
		k = int(attr.Num().Int64())
	}
	switch {
	case t.Name == "split":
		must.Hold(len(t.Attrs) == 3, "split without its sizes")
		sh := r.shape(t.Attrs[1:])
		return s.Split(k, sh[0], sh[1], args[0])
	case t.Function != nil:
		if at.Class == atom.ClassElementwise {
			r.level(args)
		}
		return s.Declared(at, k, combinators.OpenSizes(at, r.sizes), args...)
	case at.Class == atom.ClassElementwise && at.Arity == 2:
		x, y := r.broadcast(args[0], args[1])
		return r.guarded(s.Binary(at, x, y))
	}
	return r.guarded(s.Apply(at, k, args...))
}

// number is arithmetic on the numbers of the substitution.
func (r *denotation) number(t *text.Term) *big.Rat {
	switch t.Op {
	case text.Num:
		return t.Rat
	case text.Name:
		if x := r.numbers[t.Name]; x != nil {
			return x
		}
		panic(must.Errorf("the substitution has no number %s", t.Name))
	}
	var args []*big.Rat
	args = lists.Append(args, t.Args, r.number)
	if x := arithmetic(t.Op, args); x != nil {
		return x
	}
	panic(must.Errorf("%s is no number", t))
}

func (r *denotation) shape(ts []*text.Term) []size.Size {
	var shape []size.Size
	shape = lists.Append(shape, ts, r.size)
	return shape
}

func (r *denotation) size(t *text.Term) (d size.Size) {
	switch t.Op {
	case text.Num:
		if t.Rat.IsInt() && t.Rat.Num().IsInt64() {
			return size.Const(t.Rat.Num().Int64())
		}
	case text.Name:
		if d, ok := r.sizes[t.Name]; ok {
			return d
		}
		if x := r.numbers[t.Name]; x != nil && x.IsInt() && x.Num().IsInt64() {
			return size.Const(x.Num().Int64())
		}
	case text.Add, text.Sub, text.Mul:
		x := r.size(t.Args[0])
		y := r.size(t.Args[1])
		switch t.Op {
		case text.Add:
			return x.Add(y)
		case text.Sub:
			return x.Sub(y)
		}
		return x.Mul(y)
	}
	panic(must.Errorf("%s is no size", t))
}

// contraction is the product of args over letters. "..." stands for the first axes of an operand,
// "~" for those that its letters leave; both are the same variables in all groups.
func (r *denotation) contraction(x *text.Index, args []*Node) *Node {
	if x.Out.Forms != nil && len(x.In) == len(args) {
		return r.general(x, args)
	}
	must.Hold(len(x.In) == len(args), "%s does not fit %s", x, words.Count(len(args), "operand"))
	vars := &variables{of: map[string][]int{}}
	in := make([][]int, len(args))
	for i, a := range x.In {
		must.Within(func() { in[i] = vars.operand(i, a, args[i].Shape(), r.batch) }, "%s", x)
	}
	for _, z := range x.Sizes {
		if vars.of[z.Letter] == nil {
			d := r.size(z.Size)
			must.Within(func() { vars.named(z.Letter, []size.Size{d}) }, "%s", x)
		}
	}
	var out []int
	for _, l := range outLetters(x.Out) {
		vs, ok := vars.of[l]
		must.Hold(ok, "%s: no operand has %s", x, l)
		out = append(out, vs...)
	}
	return r.s.Ein(einsum.Plain(in, out, vars.dims), args...)
}

// variables are those of a contraction, as its operands name them.
type variables struct {
	dims []size.Size
	of   map[string][]int // by letters, one each; several by "..." and "~"
}

// named are the variables of a name, for axes of the shape sh.
func (v *variables) named(name string, sh []size.Size) []int {
	vars, ok := v.of[name]
	if !ok {
		vars = []int{}
		for _, d := range sh {
			vars = append(vars, len(v.dims))
			v.dims = append(v.dims, d)
		}
		v.of[name] = vars
	}
	must.Hold(len(vars) == len(sh), "%s is of two orders", name)
	for i, w := range vars {
		must.Hold(v.dims[w] == sh[i], "%s is of two sizes", name)
	}
	return vars
}

// operand are the variables of operand i, of the shape sh, of which batch axes come before all letters.
func (v *variables) operand(i int, a text.Axes, sh []size.Size, batch int) []int {
	order := len(sh)
	vars := []int(nil)
	take := func(name string, n int) {
		must.Hold(n <= len(sh), "operand %d is of order %d", i+1, order)
		vars, sh = append(vars, v.named(name, sh[:n])...), sh[n:]
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
	must.Hold(len(sh) == 0, "operand %d is of order %d", i+1, order)
	return vars
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
