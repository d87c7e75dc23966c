package combinators

import (
	"math"
	"slices"

	"frechet/einsum/size"
)

// Class says how an atom depends on its arguments; the derivative follows from it.
type Class uint8

const (
	// ClassVariable is a variable: its derivative is what it is asked for.
	ClassVariable Class = iota
	// ClassConstant has no arguments: derivative 0.
	ClassConstant
	// ClassContraction is linear in every operand: the product rule.
	ClassContraction
	// ClassSum is linear in all arguments at once: the sum rule.
	ClassSum
	// ClassLinear is a linear map in its one argument that is no contraction: its
	// derivative is itself, its adjoint is the row's.
	ClassLinear
	// ClassElementwise acts entry by entry on arguments of one shape: Deriv[k] is the
	// partial derivative in argument k, a value of the same shape.
	ClassElementwise
	// ClassPrimitive is any other differentiable atom: Deriv[k] is its differential in
	// argument k applied to the tangent dx or dy.
	ClassPrimitive
)

// Atom is a row of the table of operations. The calculus columns are text in the term
// syntax of package combinators/text; x and y are the arguments, dx and dy their
// tangents, w a cotangent, one the tensor of ones of the shape of x, r the exponent and
// k the attribute. In a contraction "..." stands for the batch axes, of which there are
// BatchAxes, and "~" for all axes that are left.
type Atom struct {
	Name     string
	Arity    int
	Class    Class
	Commutes bool // a binary function with f(x, y) = f(y, x)

	// Deriv has the derivative by argument: see Class. Adjoint, for an argument in
	// which a primitive is linear, is the adjoint applied to w.
	Deriv   []string
	Adjoint []string

	// Value is the number that a constant with a name is, rounded.
	Value float64
	// F1 and F2 are the function on numbers, for element-wise atoms.
	F1 func(x float64) float64
	F2 func(x, y float64) float64

	// Domain says where the function is real and smooth; Low and High bound the sample
	// points of tests, inside the domain.
	Domain    string
	Low, High float64

	// Kink is the id of the convention at a point where the function is not smooth,
	// with KinkAt the argument's value there; "" for a smooth function.
	Kink   string
	KinkAt float64

	// LaTeX is the notation, with # for the argument.
	LaTeX string
	// Doc is a line for people.
	Doc string

	shape  func(n *Node) []size.Size
	number uint8 // of the row
}

// The atoms that the constructors name.
var (
	AtomVar   = &Atom{Name: "var", Class: ClassVariable, Doc: "a variable"}
	AtomConst = &Atom{Name: "const", Class: ClassConstant, Doc: "a rational number", shape: func(*Node) []size.Size { return nil }}
	AtomPi    = &Atom{Name: "pi", Class: ClassConstant, Value: math.Pi, LaTeX: `\pi`, Doc: "the ratio of a circle's circumference to its diameter", shape: func(*Node) []size.Size { return nil }}
	AtomEin   = &Atom{Name: "ein", Class: ClassContraction, Doc: "a contraction", shape: func(n *Node) []size.Size { return n.ein.Out.Shape }}
	AtomAdd   = &Atom{Name: "add", Arity: 2, Class: ClassSum, Commutes: true, Doc: "the sum", shape: sameShape}
	AtomPower = &Atom{
		Name: "power", Arity: 1, Class: ClassElementwise,
		// (x^r)' = r x^(r-1)
		Deriv: []string{"r .* weak(power[r-1](x))"},
		Low:   0.2, High: 2, Domain: "x > 0, x != 0 for whole r < 0, all x for whole r >= 0",
		Kink: "power-at-0", LaTeX: "#^{r}", Doc: "a constant power", shape: sameShape,
	}
)

// elementwise has the element-wise functions, a row each.
var elementwise = []*Atom{
	{Name: "sin", Deriv: []string{"cos(x)"}, F1: math.Sin, Low: -2, High: 2, LaTeX: `\sin(#)`},
	{Name: "cos", Deriv: []string{"-sin(x)"}, F1: math.Cos, Low: -2, High: 2, LaTeX: `\cos(#)`},
	{Name: "tan", Deriv: []string{"power[-2](cos(x))"}, F1: math.Tan, Low: -1, High: 1, Domain: "cos(x) != 0", LaTeX: `\tan(#)`},
	{Name: "arcsin", Deriv: []string{"weak(power[-1/2](1 - power[2](x)))"}, F1: math.Asin, Low: -0.8, High: 0.8, Domain: "-1 <= x <= 1", LaTeX: `\arcsin(#)`},
	{Name: "arccos", Deriv: []string{"-weak(power[-1/2](1 - power[2](x)))"}, F1: math.Acos, Low: -0.8, High: 0.8, Domain: "-1 <= x <= 1", LaTeX: `\arccos(#)`},
	{Name: "arctan", Deriv: []string{"power[-1](1 + power[2](x))"}, F1: math.Atan, Low: -2, High: 2, LaTeX: `\arctan(#)`},
	{Name: "sinh", Deriv: []string{"cosh(x)"}, F1: math.Sinh, Low: -2, High: 2, LaTeX: `\sinh(#)`},
	{Name: "cosh", Deriv: []string{"sinh(x)"}, F1: math.Cosh, Low: -2, High: 2, LaTeX: `\cosh(#)`},
	{Name: "tanh", Deriv: []string{"1 - power[2](tanh(x))"}, F1: math.Tanh, Low: -2, High: 2, LaTeX: `\tanh(#)`},
	{Name: "exp", Deriv: []string{"exp(x)"}, F1: math.Exp, Low: -2, High: 2, LaTeX: `\exp(#)`},
	{Name: "log", Deriv: []string{"weak(power[-1](x))"}, F1: math.Log, Low: 0.2, High: 3, Domain: "x > 0", LaTeX: `\log(#)`},
	{Name: "abs", Deriv: []string{"sign(x)"}, F1: math.Abs, Low: 0.2, High: 2, Kink: "abs-at-0", LaTeX: `\lvert #\rvert`},
	{Name: "sign", Deriv: []string{"0"}, F1: Sign, Low: 0.2, High: 2, Kink: "sign-at-0", LaTeX: `\operatorname{sign}(#)`},
	{Name: "relu", Deriv: []string{"step(x)"}, F1: Relu, Low: 0.2, High: 2, Kink: "relu-at-0", LaTeX: `\operatorname{relu}(#)`},
	{Name: "step", Deriv: []string{"0"}, F1: Step, Low: 0.2, High: 2, Kink: "step-at-0", LaTeX: `\operatorname{step}(#)`, Doc: "1 for x > 0, else 0"},
	// erf' = 2/sqrt(pi) exp(-x^2)
	{Name: "erf", Deriv: []string{"2 .* power[-1/2](pi) .* exp(-power[2](x))"}, F1: math.Erf, Low: -2, High: 2, LaTeX: `\operatorname{erf}(#)`},
	{Name: "sigmoid", Deriv: []string{"sigmoid(x) .* (1 - sigmoid(x))"}, F1: Sigmoid, Low: -2, High: 2, LaTeX: `\sigma(#)`, Doc: "1/(1 + exp(-x))"},
	{Name: "softplus", Deriv: []string{"sigmoid(x)"}, F1: Softplus, Low: -2, High: 2, LaTeX: `\operatorname{softplus}(#)`, Doc: "log(1 + exp(x))"},
	// gelu = x Phi(x), so gelu' = Phi + x phi with phi = exp(-x^2/2)/sqrt(2 pi).
	{Name: "gelu", Deriv: []string{"1/2 + 1/2 .* erf(power[-1/2](2) .* x) + power[-1/2](2) .* power[-1/2](pi) .* x .* exp(-1/2 .* power[2](x))"}, F1: Gelu, Low: -2, High: 2, LaTeX: `\operatorname{gelu}(#)`, Doc: "x times the normal distribution function"},
	{Name: "log1p", Deriv: []string{"weak(power[-1](1 + x))"}, F1: math.Log1p, Low: -0.5, High: 2, Domain: "x > -1", LaTeX: `\log(1+#)`},
	{Name: "expm1", Deriv: []string{"exp(x)"}, F1: math.Expm1, Low: -2, High: 2, LaTeX: `(\exp(#)-1)`},

	{Name: "logaddexp", Arity: 2, Commutes: true, Deriv: []string{"sigmoid(x - y)", "sigmoid(y - x)"}, F2: LogAddExp, Low: -2, High: 2, LaTeX: `\operatorname{logaddexp}(#,#)`, Doc: "log(exp(x) + exp(y))"},

	// x^y: d/dx = y x^(y-1), d/dy = x^y log x. Both guards make 0^0 flat.
	{Name: "pow", Arity: 2, Deriv: []string{"y .* weak(pow(x, y - 1))", "pow(x, y) .* weak(log(x))"}, F2: math.Pow, Low: 0.2, High: 2, Domain: "x > 0", Kink: "power-at-0", LaTeX: `#^{#}`},
	// Ties split evenly: half of the derivative to each argument.
	{Name: "max", Arity: 2, Commutes: true, Deriv: []string{"gt(x, y) + 1/2 .* eq(x, y)", "gt(y, x) + 1/2 .* eq(x, y)"}, F2: math.Max, Low: -2, High: 2, Kink: "max-at-tie", LaTeX: `\max(#,#)`},
	{Name: "min", Arity: 2, Commutes: true, Deriv: []string{"lt(x, y) + 1/2 .* eq(x, y)", "lt(y, x) + 1/2 .* eq(x, y)"}, F2: math.Min, Low: -2, High: 2, Kink: "min-at-tie", LaTeX: `\min(#,#)`},
	comparison("gt", `>`, func(x, y float64) bool { return x > y }, false),
	comparison("ge", `\ge`, func(x, y float64) bool { return x >= y }, false),
	comparison("lt", `<`, func(x, y float64) bool { return x < y }, false),
	comparison("le", `\le`, func(x, y float64) bool { return x <= y }, false),
	comparison("eq", `=`, func(x, y float64) bool { return x == y }, true),
	comparison("ne", `\ne`, func(x, y float64) bool { return x != y }, true),
}

// comparison is 1 where the relation holds, 0 elsewhere, NaN where an argument is NaN.
func comparison(name, latex string, holds func(x, y float64) bool, commutes bool) *Atom {
	return &Atom{
		Name: name, Arity: 2, Commutes: commutes, Deriv: []string{"0", "0"}, Low: -2, High: 2,
		Kink: "comparison-at-tie", LaTeX: "[# " + latex + " #]",
		F2: func(x, y float64) float64 {
			switch {
			case x != x || y != y:
				return math.NaN()
			case holds(x, y):
				return 1
			}
			return 0
		},
	}
}

// primitives has the atoms that act on whole matrices or axes, and the reshapes.
var primitives = []*Atom{
	{
		Name: "inv", Arity: 1, Class: ClassPrimitive, shape: matrixShape,
		// d(X^-1) = -X^-1 dX X^-1
		Deriv: []string{"-ein(...ij,...jk,...kl->...il; inv(x), dx, inv(x))"},
		Low:   -1, High: 1, Domain: "x invertible", LaTeX: `#^{-1}`,
	},
	{
		Name: "minor", Arity: 1, Class: ClassPrimitive, shape: minorShape,
		// D minor_k = minor_{k+1}: the next derivative of det, contracted with the tangent.
		Deriv: []string{"ein(...ab~,...ab->...~; minor[k+1](x), dx)"},
		Low:   -1, High: 1, LaTeX: `\det(#)`, Doc: "the k-th derivative of det",
	},
	{
		Name: "logdet", Arity: 1, Class: ClassPrimitive, shape: func(n *Node) []size.Size { return matrixShape(n)[:n.Arg(0).Order()-2] },
		// d log det X = tr(X^-1 dX)
		Deriv: []string{"ein(...ji,...ij->...; inv(x), dx)"},
		Low:   -1, High: 1, Domain: "det x > 0", LaTeX: `\log\det(#)`,
	},
	{
		Name: "solve", Arity: 2, Class: ClassPrimitive, shape: solveShape,
		// d(A^-1 b) = A^-1 (db - dA A^-1 b)
		Deriv:   []string{"-solve(x, ein(...ij,...j~->...i~; dx, solve(x, y)))", "solve(x, dy)"},
		Adjoint: []string{"", "solve(ein(...ij->...ji; x), w)"},
		Low:     -1, High: 1, Domain: "x invertible", LaTeX: `#^{-1}#`,
	},
	{
		Name: "amax", Arity: 1, Class: ClassPrimitive, shape: reducedShape,
		// Ties split evenly: the tangent's mean over the entries that attain the maximum.
		Deriv: []string{"let m = eq(x, ein(...,...~->...~; amax[k](x), one)) in ein(...~,...~->...; m, dx) ./ ein(...~->...; m)"},
		Low:   -2, High: 2, Kink: "max-at-tie", LaTeX: `\max(#)`,
	},
	{
		Name: "amin", Arity: 1, Class: ClassPrimitive, shape: reducedShape,
		Deriv: []string{"let m = eq(x, ein(...,...~->...~; amin[k](x), one)) in ein(...~,...~->...; m, dx) ./ ein(...~->...; m)"},
		Low:   -2, High: 2, Kink: "min-at-tie", LaTeX: `\min(#)`,
	},
	{
		Name: "logsumexp", Arity: 1, Class: ClassPrimitive, shape: reducedShape,
		Deriv: []string{"ein(...~,...~->...; softmax[k](x), dx)"},
		Low:   -2, High: 2, LaTeX: `\operatorname{logsumexp}(#)`,
	},
	{
		Name: "softmax", Arity: 1, Class: ClassPrimitive, shape: softmaxShape,
		// ds = s (dx - <s, dx>)
		Deriv: []string{"softmax[k](x) .* (dx - ein(...,...~->...~; ein(...~,...~->...; softmax[k](x), dx), one))"},
		Low:   -2, High: 2, LaTeX: `\operatorname{softmax}(#)`,
	},
	{
		Name: "norm2", Arity: 1, Class: ClassPrimitive, shape: func(*Node) []size.Size { return nil },
		// d|x| = <x, dx>/|x|, and 0 at x = 0
		Deriv: []string{"zero(power[-1](norm2(x))) .* ein(~,~->; x, dx)"},
		Low:   -2, High: 2, Kink: "norm2-at-0", LaTeX: `\lVert #\rVert`,
	},
	{
		Name: "merge", Arity: 1, Class: ClassLinear, shape: mergeShape,
		Low: -2, High: 2, LaTeX: `\operatorname{vec}(#)`, Doc: "two adjacent axes made one, in C order",
	},
	{
		Name: "split", Arity: 1, Class: ClassLinear, shape: splitShape,
		Low: -2, High: 2, LaTeX: `\operatorname{unvec}(#)`, Doc: "one axis made two, in C order",
	},
}

var atomsByName = map[string]*Atom{}

// atomsByNumber has them by their numbers: a node has a number in place of a pointer.
var atomsByNumber [256]*Atom

func init() {
	for _, a := range elementwise {
		a.Class, a.shape = ClassElementwise, sameShape
		if a.Arity == 0 {
			a.Arity = 1
		}
	}
	for i, a := range Atoms() {
		a.number, atomsByNumber[i] = uint8(i), a
		atomsByName[a.Name] = a
	}
}

// Number is the place of the row in the table: of [Atoms].
func (a *Atom) Number() int { return int(a.number) }

// Kind is a bit for the atom, which few others have; only variables have theirs.
func (a *Atom) Kind() uint32 {
	if a == AtomVar {
		return 1
	}
	return 2 << (a.number % 31)
}

// BatchAxes is the number of leading axes of the first argument that a primitive only
// repeats over: all but the matrix axes, or all but the reduced ones.
func (n *Node) BatchAxes() int {
	if n.Atom().Class != ClassPrimitive {
		return 0
	}
	switch n.Atom().Name {
	case "inv", "minor", "logdet", "solve":
		return n.Arg(0).Order() - 2
	case "norm2":
		return 0
	}
	return n.Arg(0).Order() - int(n.attr)
}

// Atoms lists the rows of the table.
func Atoms() []*Atom {
	out := []*Atom{AtomVar, AtomConst, AtomPi, AtomEin, AtomAdd, AtomPower}
	return append(append(out, elementwise...), primitives...)
}

// AtomNamed is the row with the given name, or nil.
func AtomNamed(name string) *Atom { return atomsByName[name] }

// Type rules.

func sameShape(n *Node) []size.Size {
	for _, a := range n.Args()[1:] {
		if !slices.Equal(a.Shape(), n.Arg(0).Shape()) {
			panic(typeErrorf("%s of shapes %s and %s", n.Atom().Name, size.Shape(n.Arg(0).Shape()), size.Shape(a.Shape())))
		}
	}
	return n.Arg(0).Shape()
}

// matrixShape is the shape of a function of the square matrices in the last two axes.
func matrixShape(n *Node) []size.Size {
	s := n.Arg(0).Shape()
	if len(s) < 2 || s[len(s)-1] != s[len(s)-2] {
		panic(typeErrorf("%s of a value of shape %s", n.Atom().Name, size.Shape(s)))
	}
	return s
}

// maxMinor bounds the order of a derivative of det, which has two axes for each.
const maxMinor = 64

// minorShape: minor[k] of [batch.., n, n] is [batch.., n, n, ..] with k pairs.
func minorShape(n *Node) []size.Size {
	s := matrixShape(n)
	if n.attr < 0 || n.attr > maxMinor {
		panic(typeErrorf("minor[%d]: the derivative is of order 0 to %d", n.attr, maxMinor))
	}
	out := append([]size.Size{}, s[:len(s)-2]...)
	for range n.attr {
		out = append(out, s[len(s)-2:]...)
	}
	return out
}

func solveShape(n *Node) []size.Size {
	a, b := n.Arg(0).Shape(), n.Arg(1).Shape()
	k := len(a) - 2
	if k < 0 || a[k] != a[k+1] || len(b) < k+1 || !slices.Equal(a[:k+1], b[:k+1]) {
		panic(typeErrorf("solve of shapes %s and %s", size.Shape(a), size.Shape(b)))
	}
	return b
}

func reducedShape(n *Node) []size.Size {
	s := n.Arg(0).Shape()
	if n.attr < 0 || int(n.attr) > len(s) {
		panic(typeErrorf("%s over %d axes of a value of shape %s", n.Atom().Name, n.attr, size.Shape(s)))
	}
	return s[:len(s)-int(n.attr)]
}

// softmaxShape: softmax over the last axes keeps the shape.
func softmaxShape(n *Node) []size.Size {
	reducedShape(n)
	return n.Arg(0).Shape()
}

func mergeShape(n *Node) []size.Size {
	s, k := n.Arg(0).Shape(), int(n.attr)
	if k < 0 || k+1 >= len(s) {
		panic(typeErrorf("merge of axes %d and %d of shape %s", k, k+1, size.Shape(s)))
	}
	out := append([]size.Size{}, s[:k]...)
	out = append(out, s[k].Mul(s[k+1]))
	return append(out, s[k+2:]...)
}

func splitShape(n *Node) []size.Size {
	s, k := n.Arg(0).Shape(), int(n.attr)
	if k < 0 || k >= len(s) || s[k] != n.Sizes()[0].Mul(n.Sizes()[1]) {
		panic(typeErrorf("split of axis %d of shape %s into %s", k, size.Shape(s), size.Shape(n.Sizes())))
	}
	out := append([]size.Size{}, s[:k]...)
	out = append(out, n.Sizes()...)
	return append(out, s[k+1:]...)
}
