package elab

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/words"
	"frechet/syntax"
)

// ownArguments are the functions that read their arguments themselves: some are sizes, or numbers.
var ownArguments map[string]func(*elaborator, *syntax.Expr) *value

// operations are the functions of values that act on no entries alone.
var operations map[string]func(e *elaborator, x *syntax.Expr, args []*value) *value

func init() { // not where they are declared: they type their arguments, which are calls
	ownArguments = map[string]func(*elaborator, *syntax.Expr) *value{
		"eye": (*elaborator).constantTensor, "ones": (*elaborator).constantTensor, "zeros": (*elaborator).constantTensor,
		"matpow": (*elaborator).matrixPower, "minor": (*elaborator).minor, "prodexcept": (*elaborator).productExcept,
		"merge": (*elaborator).merge, "split": (*elaborator).split, "reshape": (*elaborator).reshape,
		"concat": (*elaborator).joined, "stack": (*elaborator).joined, "cumsum": (*elaborator).cumsum,
		"tril": (*elaborator).triangle, "triu": (*elaborator).triangle,
		"onehot": (*elaborator).onehot, "scatter": (*elaborator).scatter, atom.Matfun[0].Name: (*elaborator).matfun,
	}
	one := func(f func(*elaborator, *syntax.Expr, *value) *value) func(*elaborator, *syntax.Expr, []*value) *value {
		return func(e *elaborator, x *syntax.Expr, args []*value) *value { return f(e, x, args[0]) }
	}
	two := func(f func(*elaborator, *syntax.Expr, *value, *value) *value) func(*elaborator, *syntax.Expr, []*value) *value {
		return func(e *elaborator, x *syntax.Expr, args []*value) *value { return f(e, x, args[0], args[1]) }
	}
	matrix, spectral, reduction := one((*elaborator).matrixFunction), one((*elaborator).spectral), one((*elaborator).reduction)
	operations = map[string]func(*elaborator, *syntax.Expr, []*value) *value{
		"inv": matrix, "adj": matrix, "det": matrix, "logdet": matrix, "tr": matrix,
		"eigvals": spectral, "eigvecs": spectral, "chol": spectral, "pinv": spectral,
		"solve": two((*elaborator).solve), "kron": two((*elaborator).kron), "diag": one((*elaborator).diag),
		"sum": reduction, "mean": reduction, "prod": reduction, "logsumexp": reduction, "softmax": reduction,
		"norm1": one((*elaborator).norm), "norm2": one((*elaborator).norm),
	}
}

// call types a function of the language.
func (e *elaborator) call(x *syntax.Expr) *value {
	if own := ownArguments[x.Name]; own != nil {
		return own(e, x)
	}
	if d, ok := syntax.LookupDerived(x.Name); ok {
		return e.derived(x, d)
	}
	switch n := e.names[x.Name]; {
	case n != nil && n.kind == mapping:
		return e.applied(x, n)
	case n != nil && n.kind == function:
		return e.used(x, n)
	}
	if at := e.file.Functions.Declared(x.Name); at != nil {
		return e.declaredCall(x, at)
	}
	lang, ok := syntax.LookupFunction(x.Name)
	if !ok {
		e.unknownFunction(x)
	}
	args := lists.Map(x.Args, e.expr)
	a := args[0]
	if operation := operations[x.Name]; operation != nil {
		return operation(e, x, args)
	}
	if x.Name == "square" && a.rat != nil {
		if r := ratMul(a.rat, a.rat); r != nil {
			return e.number(x, r)
		}
	}
	if k := atom.MatrixFunctionNamed(strings.TrimSuffix(x.Name, "m")); k >= 0 && atom.MatrixFunction(k).OfMatrices() == x.Name {
		return e.ofMatrices(x, k, args)
	}
	f, _ := atom.FunctionNamed(x.Name) // the element-wise functions are left
	if f.Row.Arity != len(args) {
		return e.reduction(x, a)
	}
	if len(args) == 2 {
		what := x.Name
		if lang.Axis {
			what = "a " + what // a max of two values, or of all entries of one
		}
		return e.binary(x, x.At, f.Row, what, a, args[1])
	}
	return e.mapped(x, a, func(n *node) *node { return e.store.Call(f, n) })
}

// norm types norm1 and norm2.
func (e *elaborator) norm(x *syntax.Expr, a *value) *value {
	if a.order() == 0 {
		e.unusual += 3
	}
	return e.scalar(x, func() *node {
		if x.Name == "norm1" {
			return e.total(e.store.Unary(atom.Abs, a.get()))
		}
		return e.store.Norm2(a.get())
	})
}

func (e *elaborator) unknownFunction(x *syntax.Expr) {
	args := e.file.Src[x.At.End:x.Span.End]
	places := strings.Contains(args, "end") || !slices.ContainsFunc(x.Args, func(a *syntax.Expr) bool { return a.Op != syntax.OpNum || a.Sizes != nil })
	if n, ok := e.names[x.Name]; ok {
		if places {
			e.fail(e.errorf("S004", x.At, "%s is %s, and no function", x.Name, n.kind).Note(n.span, "%s is %s here", x.Name, n.kind).
				Helpf("%s", syntax.Entries(x.Name, strings.Trim(args, " ()"))))
		}
		e.fail(e.errorf("S004", syntax.Span{Start: x.At.End, End: x.At.End + 1}, "an operator is missing after %s, which is %s", x.Name, n.kind).
			Note(n.span, "%s is %s here", x.Name, n.kind).Helpf("products are written out: %s*(...); entries are %s[0], counted from 0", x.Name, x.Name))
	}
	err := e.errorf("S014", x.At, "there is no function %s", x.Name)
	if base := atom.Base(x.Name); base != x.Name {
		err.Helpf("%s is the derivative of a function that is declared: primitive %s : R -> R; those of several arguments are %s'1, %s'2, %s'12", x.Name, base, base, base, base)
	} else if none := syntax.Absent(x.Name); none != "" {
		err.Helpf("%s", none)
	} else if here := syntax.Foreign(x.Name); here != "" {
		err.Helpf("here it is written %s", here)
	} else if n := words.Nearest(x.Name, syntax.Functions()); n != "" {
		err.Helpf("did you mean %s?", n)
	} else if places {
		err.Helpf("%s", syntax.Entries(x.Name, strings.Trim(args, " ()")))
	} else {
		err.Helpf("a function is defined by let %s(x) = ..., or declared by its type: primitive %s : R -> R", x.Name, x.Name)
	}
	e.fail(err)
}

// mapped types an element-wise function of one operand.
func (e *elaborator) mapped(x *syntax.Expr, a *value, f func(*node) *node) *value {
	return &value{expr: x, lit: a.lit, axes: a.axes, row: a.row, build: func() *node { return f(a.get()) }}
}

// scalar is a value of order 0.
func (e *elaborator) scalar(x *syntax.Expr, build func() *node) *value {
	return &value{expr: x, build: build}
}

// total is the sum of all entries.
func (e *elaborator) total(n *node) *node {
	if n.Order() == 0 {
		return n
	}
	return e.plain([][]int{einsum.UpTo(n.Order())}, nil, n.Shape(), n)
}

// constantTensor types eye(n), ones(m,n,...) and zeros(m,n,...).
func (e *elaborator) constantTensor(x *syntax.Expr) *value {
	if len(x.Args) > e.limits.Order {
		e.fail(e.errorf("L003", x.At, "the order of this tensor is %d; a tensor's order is at most %d", len(x.Args), e.limits.Order))
	}
	axes := e.writtenSizes(x, x.Args)
	if x.Name == "eye" {
		return &value{expr: x, axes: []*axis{axes[0], axes[0]}, build: func() *node { return e.store.Eye(e.shape(axes)) }}
	}
	entry := one
	if x.Name == "zeros" {
		entry = new(big.Rat)
	}
	return &value{expr: x, axes: axes, build: func() *node { return e.store.Fill(entry, e.shape(axes)) }}
}

// ordered gives a literal operand the order that a function needs.
func (e *elaborator) ordered(a *value, order int) *value {
	if !a.lit {
		return a
	}
	v := &value{expr: a.expr}
	for k := range order {
		v.axes = append(v.axes, e.freshAxis(a.expr.At, "the size of axis %d of %s", k, e.text(a.expr, "this literal")))
	}
	v.build = func() *node { return e.spread(a.get(), v.axes) }
	return v
}

// square checks that a is a square matrix; it returns a with its axes united.
func (e *elaborator) square(x *syntax.Expr, a *value) *value {
	if a = e.ordered(a, 2); a.order() > 2 {
		e.noMatrix(x, a)
	}
	return e.squares(x, a)
}

// noMatrix reports that an argument is no matrix.
func (e *elaborator) noMatrix(x *syntax.Expr, a *value) {
	what := e.text(a.expr, "the argument")
	e.fail(e.errorf("T005", x.At, "%s needs a matrix, but %s has order %d", x.Name, what, a.order()).
		Note(a.expr.Span, "order %d", a.order()).
		Helpf("%s", map[int]string{0: "a number times the identity is " + parens(what) + "*I", 1: "the matrix with a vector on its diagonal is diag(" + what + ")"}[min(a.order(), 2)]+
			map[bool]string{true: "a matrix of a tensor is " + parens(what) + "[0, :, :]"}[a.order() > 2]))
}

// squares checks that the last two axes of a are those of square matrices.
func (e *elaborator) squares(x *syntax.Expr, a *value) *value {
	a = e.ordered(a, 2)
	what, n := e.text(a.expr, "the argument"), a.order()
	if n < 2 {
		e.noMatrix(x, a)
	}
	p, q := a.axes[n-2].find(), a.axes[n-1].find()
	if !e.unify(p, q) {
		sp, sq := e.describeSize(p), e.describeSize(q)
		err := e.errorf("T013", x.At, "%s needs a square matrix, but %s has sizes %s and %s", x.Name, what, sp, sq)
		e.noteOrigins(err, e.originOf(a, p), e.originOf(a, q))
		e.fail(e.helpSizes(err, p, q))
	}
	return a
}

func (e *elaborator) matrixFunction(x *syntax.Expr, arg *value) *value {
	if x.Name == "tr" {
		a := e.square(x, arg)
		return e.scalar(x, func() *node { return e.plain([][]int{{0, 0}}, nil, e.shape(a.axes[:1]), a.get()) })
	}
	a := e.squares(x, arg)
	batch := a.axes[:a.order()-2]
	switch x.Name {
	case "inv":
		return &value{expr: x, axes: a.axes, build: func() *node { return e.store.Inv(a.get()) }}
	case "adj":
		return &value{expr: x, axes: a.axes, build: func() *node { return e.store.Adj(a.get()) }}
	case "det":
		return &value{expr: x, axes: batch, build: func() *node { return e.store.Det(a.get()) }}
	}
	return &value{expr: x, axes: batch, build: func() *node { return e.store.LogDet(a.get()) }}
}

// matrixPower types matpow(A, k) by repeated squaring; a negative k inverts.
func (e *elaborator) matrixPower(x *syntax.Expr) *value {
	a := e.square(x, e.expr(x.Args[0]))
	k := e.expr(x.Args[1])
	if k.order() > 0 {
		e.fail(e.errorf("T008", k.expr.Span, "the power of matpow is a number, but %s has order %d", e.text(k.expr, "this"), k.order()).
			Helpf("for an element-wise power write A^x"))
	}
	if k.rat == nil || !k.rat.IsInt() {
		return e.realPower(x, a, k)
	}
	const most = 1 << 30
	if !k.rat.Num().IsInt64() || k.rat.Num().Int64() > most || k.rat.Num().Int64() < -most {
		e.fail(e.errorf("L011", k.expr.Span, "the power of matpow is larger than %d", most))
	}
	return &value{expr: x, axes: a.axes, build: func() *node {
		base, n := a.get(), k.rat.Num().Int64()
		if n < 0 {
			base, n = e.store.Inv(base), -n
		}
		times := func(p, q *node) *node {
			return e.plain([][]int{{0, 1}, {1, 2}}, []int{0, 2}, []size.Size{p.Shape()[0], p.Shape()[0], p.Shape()[0]}, p, q)
		}
		var power *node
		for ; n > 0; n >>= 1 {
			if n&1 == 1 {
				if power == nil {
					power = base
				} else {
					power = times(power, base)
				}
			}
			if n > 1 {
				base = times(base, base)
			}
		}
		if power == nil {
			return e.store.Eye(e.shape(a.axes[:1]))
		}
		return power
	}}
}

// solve types solve(A, b), the x with A x = b along the first axis of b; the others are
// further right sides.
func (e *elaborator) solve(x *syntax.Expr, m, b *value) *value {
	m, b = e.square(x, m), e.ordered(b, 1)
	if b.order() == 0 {
		e.fail(e.errorf("T007", b.expr.Span, "the right side of solve is a vector or a matrix, but %s is a number", e.text(b.expr, "this")).
			Helpf("write %s*inv(%s)", parens(e.text(b.expr, "s")), e.text(m.expr, "A")))
	}
	p, q := m.axes[1].find(), b.axes[0].find()
	if !e.unify(p, q) {
		err := e.errorf("T012", x.At, "sizes differ in solve: %s has size %s and %s has %s", e.text(m.expr, "the matrix"), e.describeSize(p), e.text(b.expr, "the right side"), e.describeSize(q))
		e.noteOrigins(err, e.originOf(m, p), e.originOf(b, q))
		e.fail(e.helpSizes(err, p, q))
	}
	return &value{expr: x, axes: b.axes, build: func() *node { return e.store.Solve(m.get(), b.get()) }}
}

// kron types the Kronecker product of two matrices or two vectors: axes of sizes m
// and p become one of size m*p. A side of order 0 scales; a vector beside a matrix is a column, or a row.
func (e *elaborator) kron(x *syntax.Expr, a, b *value) *value {
	if a.order() == 0 || b.order() == 0 {
		return e.elementProduct(x, x.At, a, b)
	}
	if a.order() > 2 || b.order() > 2 {
		e.fail(e.errorf("T007", x.At, "kron takes two matrices or two vectors; here are orders %d and %d", a.order(), b.order()).
			Note(a.expr.Span, "order %d", a.order()).Note(b.expr.Span, "order %d", b.order()).
			Helpf("tensors are multiplied by index products, such as T *(ijk,l->ijkl) x; merge(T, 0) makes one axis of two"))
	}
	n := max(a.order(), b.order())
	sides := [2][]*axis{a.axes, b.axes} // by axis of the result, nil for none
	for i, s := range []*value{a, b} {
		switch {
		case s.order() == n:
		case s.row:
			sides[i] = []*axis{nil, s.axes[0]}
		default:
			sides[i] = []*axis{s.axes[0], nil}
		}
	}
	v := &value{expr: x, row: n == 1 && a.row && b.row}
	for k := range n {
		p, q := sides[0][k], sides[1][k]
		if p != nil && q != nil {
			p = e.product(p, q, origin{x.At, "the size of axis " + string(rune('0'+k)) + " of kron is a product"})
		}
		v.axes = append(v.axes, cmp.Or(p, q))
	}
	v.build = func() *node {
		var in [2][]int
		var out, merged []int
		var sizes []size.Size
		for k := range n {
			for i := range sides {
				if sides[i][k] != nil {
					in[i], out, sizes = append(in[i], len(sizes)), append(out, len(sizes)), append(sizes, e.size(sides[i][k]))
				}
			}
			if sides[0][k] != nil && sides[1][k] != nil {
				merged = append(merged, k)
			}
		}
		p := e.plain(in[:], out, sizes, a.get(), b.get())
		for _, k := range merged {
			p = e.store.Merge(k, p)
		}
		return p
	}
	return v
}

// diag types the diagonal matrix of a vector, and the diagonal of a matrix.
func (e *elaborator) diag(x *syntax.Expr, a *value) *value {
	switch {
	case a.order() == 1:
		return &value{expr: x, axes: []*axis{a.axes[0], a.axes[0]}, build: func() *node {
			return e.plain([][]int{{0}}, []int{0, 0}, e.shape(a.axes), a.get())
		}}
	case a.order() == 2:
		a = e.square(x, a)
		return &value{expr: x, axes: a.axes[:1], build: func() *node {
			return e.plain([][]int{{0, 0}}, []int{0}, e.shape(a.axes[:1]), a.get())
		}}
	}
	e.fail(e.errorf("T007", x.At, "diag takes a vector or a matrix, but %s has order %d", e.text(a.expr, "its argument"), a.order()).
		Note(a.expr.Span, "order %d", a.order()).
		Helpf("the matrix with s on its diagonal is s*I; axes of a tensor are named, as in T *(iij->ij)"))
	return nil
}

// reduction types a function over one axis, or over all entries. max, min and
// logsumexp are atoms over the last axes, so the axis is moved there.
func (e *elaborator) reduction(x *syntax.Expr, a *value) *value {
	n := a.order()
	if x.Axis == nil && x.Name == "softmax" && n != 1 {
		e.fail(e.errorf("T007", x.At, "softmax without an axis takes a vector, but %s has order %d", e.text(a.expr, "its argument"), n).
			Helpf("%s", map[bool]string{true: "softmax of a number is 1: declare a vector, as x[n]", false: fmt.Sprintf("name the axis: softmax(%s, axis=%d)", e.text(a.expr, "X"), n-1)}[n == 0]))
	}
	along := n
	v := &value{expr: x}
	if x.Axis != nil {
		along = e.axisOf(x, e.text(a.expr, "the argument"), n)
		v.axes = slices.Concat(a.axes[:along], a.axes[along+1:])
	}
	if n == 0 {
		e.unusual += 8
		v.build = a.get
		return v
	}
	if x.Name == "softmax" {
		v.axes, v.row = a.axes, a.row
	}
	v.build = func() *node { return e.reduce(x.Name, a.get(), along) }
	if x.Name == "softmax" {
		return v
	}
	return e.kept(x, a, v)
}

// axisOf is the axis that a call names, of what has order n.
func (e *elaborator) axisOf(x *syntax.Expr, what string, n int) int {
	k := x.Axis.Value
	if k < 0 {
		k += n
	}
	if k < 0 || k >= n {
		e.fail(e.errorf("T007", x.Axis.Span, "%s has no axis %d: its order is %d", what, x.Axis.Value, n).
			Helpf("axes are counted from 0, negative ones from the end"))
	}
	return k
}

// recipSizes is 1 over the product of sizes.
func (e *elaborator) recipSizes(sizes []size.Size) *node {
	product, terms := size.Const(1), 1
	recip := e.store.Int(1)
	for _, d := range sizes {
		if terms = terms * len(d.Monomials()); terms > maxTerms {
			recip, product, terms = e.mul(recip, e.recip(e.store.SizeOf(product))), size.Const(1), 1
		}
		product = product.Mul(d)
	}
	return e.mul(recip, e.recip(e.store.SizeOf(product)))
}

// reduce builds a reduction along one axis, or over all axes where along is the
// order.
func (e *elaborator) reduce(name string, n *node, along int) *node {
	order := n.Order()
	counted := n.Shape()
	if along < order {
		counted = n.Shape()[along : along+1]
	}
	switch name {
	case "sum", "mean":
		all := einsum.UpTo(order)
		var out []int
		if along < order {
			out = slices.Concat(all[:along], all[along+1:])
		}
		sum := e.plain([][]int{all}, out, n.Shape(), n)
		if name == "sum" {
			return sum
		}
		if slices.Contains(counted, size.Const(0)) {
			none := e.mul(e.store.Int(0), e.store.Recip(e.store.Int(0)))
			return e.plain([][]int{nil}, einsum.UpTo(sum.Order()), sum.Shape(), none)
		}
		return e.mul(e.recipSizes(counted), sum)
	}
	if name == atom.Prod.Spoken() && along == order {
		for n.Order() > 0 {
			n = e.store.Prod(0, n)
		}
		return n
	}
	k := order // how many axes the atom takes
	var back []int
	if along < order {
		k = 1
		if along < order-1 {
			all := einsum.UpTo(order)
			n = e.permuted(n, slices.Concat(all[:along], all[along+1:], all[along:along+1]))
			back = slices.Concat(all[:along], []int{order - 1}, all[along:order-1])
		}
	}
	if name == atom.Prod.Spoken() {
		return e.store.Prod(0, n)
	}
	if name != "softmax" {
		return e.store.Reduce(name, k, n)
	}
	n = e.store.Softmax(1, n)
	if back != nil {
		n = e.permuted(n, back)
	}
	return n
}
