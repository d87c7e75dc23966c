package atom

import "math"

// The table. Rows have numbers in the order in which they stand here.

// The operations that are the constructors of terms.
var (
	Var   = row(Row{Name: "var", Class: ClassVariable, Doc: "a variable"})
	Const = row(Row{Name: "const", Class: ClassConstant, Doc: "a rational number"})
	Pi    = row(Row{Name: "pi", Class: ClassConstant, Value: math.Pi, LaTeX: `\pi`, Doc: "the ratio of a circle's circumference to its diameter"})
	Ein   = row(Row{Name: "ein", Class: ClassContraction, Doc: "a contraction"})
	Add   = row(Row{Name: "add", Arity: 2, Class: ClassSum, Commutes: true, Doc: "the sum"})
	Power = row(Row{
		Name: "power", Arity: 1, Class: ClassElementwise,
		// (x^r)' = r x^(r-1)
		Deriv: []string{"r .* weak(power[r-1](x))"},
		Low:   0.2, High: 2, Domain: "x > 0, x != 0 for whole r < 0, all x for whole r >= 0",
		Kink: "power-at-0", LaTeX: "#^{r}", Doc: "a constant power",
	})
)

// The element-wise functions.
var (
	Sin    = elementwise(Row{Name: "sin", Deriv: []string{"cos(x)"}, F1: math.Sin, Low: -2, High: 2, LaTeX: `\sin(#)`})
	Cos    = elementwise(Row{Name: "cos", Deriv: []string{"-sin(x)"}, F1: math.Cos, Low: -2, High: 2, LaTeX: `\cos(#)`})
	Tan    = elementwise(Row{Name: "tan", Deriv: []string{"power[-2](cos(x))"}, F1: math.Tan, Low: -1, High: 1, Domain: "cos(x) != 0", LaTeX: `\tan(#)`})
	Arcsin = elementwise(Row{Name: "arcsin", Deriv: []string{"weak(power[-1/2](1 - power[2](x)))"}, F1: math.Asin, Low: -0.8, High: 0.8, Domain: "-1 <= x <= 1", LaTeX: `\arcsin(#)`})
	Arccos = elementwise(Row{Name: "arccos", Deriv: []string{"-weak(power[-1/2](1 - power[2](x)))"}, F1: math.Acos, Low: -0.8, High: 0.8, Domain: "-1 <= x <= 1", LaTeX: `\arccos(#)`})
	Arctan = elementwise(Row{Name: "arctan", Deriv: []string{"power[-1](1 + power[2](x))"}, F1: math.Atan, Low: -2, High: 2, LaTeX: `\arctan(#)`})
	Sinh   = elementwise(Row{Name: "sinh", Deriv: []string{"cosh(x)"}, F1: math.Sinh, Low: -2, High: 2, LaTeX: `\sinh(#)`})
	Cosh   = elementwise(Row{Name: "cosh", Deriv: []string{"sinh(x)"}, F1: math.Cosh, Low: -2, High: 2, LaTeX: `\cosh(#)`})
	Tanh   = elementwise(Row{Name: "tanh", Deriv: []string{"1 - power[2](tanh(x))"}, F1: math.Tanh, Low: -2, High: 2, LaTeX: `\tanh(#)`})
	Exp    = elementwise(Row{Name: "exp", Deriv: []string{"exp(x)"}, F1: math.Exp, Low: -2, High: 2, LaTeX: `\exp(#)`})
	Log    = elementwise(Row{Name: "log", Deriv: []string{"weak(power[-1](x))"}, F1: math.Log, Low: 0.2, High: 3, Domain: "x > 0", LaTeX: `\log(#)`})
	Abs    = elementwise(Row{Name: "abs", Deriv: []string{"sign(x)"}, F1: math.Abs, Low: 0.2, High: 2, Kink: "abs-at-0", LaTeX: `\lvert #\rvert`})
	Sign   = elementwise(Row{Name: "sign", Deriv: []string{"0"}, F1: sign, Low: 0.2, High: 2, Kink: "sign-at-0", LaTeX: `\operatorname{sign}(#)`})
	Relu   = elementwise(Row{Name: "relu", Deriv: []string{"step(x)"}, F1: relu, Low: 0.2, High: 2, Kink: "relu-at-0", LaTeX: `\operatorname{relu}(#)`})
	Step   = elementwise(Row{Name: "step", Deriv: []string{"0"}, F1: step, Low: 0.2, High: 2, Kink: "step-at-0", LaTeX: `\operatorname{step}(#)`, Doc: "1 for x > 0, else 0"})
	// erf' = 2/sqrt(pi) exp(-x^2)
	Erf      = elementwise(Row{Name: "erf", Deriv: []string{"2 .* power[-1/2](pi) .* exp(-power[2](x))"}, F1: math.Erf, Low: -2, High: 2, LaTeX: `\operatorname{erf}(#)`})
	Sigmoid  = elementwise(Row{Name: "sigmoid", Deriv: []string{"sigmoid(x) .* (1 - sigmoid(x))"}, F1: sigmoid, Low: -2, High: 2, LaTeX: `\sigma(#)`, Doc: "1/(1 + exp(-x))"})
	Softplus = elementwise(Row{Name: "softplus", Deriv: []string{"sigmoid(x)"}, F1: softplus, Low: -2, High: 2, LaTeX: `\operatorname{softplus}(#)`, Doc: "log(1 + exp(x))"})
	// gelu = x Phi(x), so gelu' = Phi + x phi with phi = exp(-x^2/2)/sqrt(2 pi).
	Gelu  = elementwise(Row{Name: "gelu", Deriv: []string{"1/2 + 1/2 .* erf(power[-1/2](2) .* x) + power[-1/2](2) .* power[-1/2](pi) .* x .* exp(-1/2 .* power[2](x))"}, F1: gelu, Low: -2, High: 2, LaTeX: `\operatorname{gelu}(#)`, Doc: "x times the normal distribution function"})
	Log1p = elementwise(Row{Name: "log1p", Deriv: []string{"weak(power[-1](1 + x))"}, F1: math.Log1p, Low: -0.5, High: 2, Domain: "x > -1", LaTeX: `\log(1+#)`})
	Expm1 = elementwise(Row{Name: "expm1", Deriv: []string{"exp(x)"}, F1: math.Expm1, Low: -2, High: 2, LaTeX: `(\exp(#)-1)`})

	LogAddExp = elementwise(Row{Name: "logaddexp", Arity: 2, Commutes: true, Deriv: []string{"sigmoid(x - y)", "sigmoid(y - x)"}, F2: logAddExp, Low: -2, High: 2, LaTeX: `\operatorname{logaddexp}(#,#)`, Doc: "log(exp(x) + exp(y))"})

	// x^y: d/dx = y x^(y-1), d/dy = x^y log x. Both guards make 0^0 flat.
	Pow = elementwise(Row{Name: "pow", Arity: 2, Infix: ".^", Deriv: []string{"y .* weak(pow(x, y - 1))", "pow(x, y) .* weak(log(x))"}, F2: math.Pow, Low: 0.2, High: 2, Domain: "x > 0", Kink: "power-at-0", LaTeX: `#^{#}`})
	// Ties split evenly: half of the derivative to each argument.
	Max = elementwise(Row{Name: "max", Arity: 2, Commutes: true, Deriv: []string{"gt(x, y) + 1/2 .* eq(x, y)", "gt(y, x) + 1/2 .* eq(x, y)"}, F2: math.Max, Low: -2, High: 2, Kink: "max-at-tie", LaTeX: `\max(#,#)`})
	Min = elementwise(Row{Name: "min", Arity: 2, Commutes: true, Deriv: []string{"lt(x, y) + 1/2 .* eq(x, y)", "lt(y, x) + 1/2 .* eq(x, y)"}, F2: math.Min, Low: -2, High: 2, Kink: "min-at-tie", LaTeX: `\min(#,#)`})
	Gt  = comparison("gt", ">", `>`, func(x, y float64) bool { return x > y }, false)
	Ge  = comparison("ge", ">=", `\ge`, func(x, y float64) bool { return x >= y }, false)
	Lt  = comparison("lt", "<", `<`, func(x, y float64) bool { return x < y }, false)
	Le  = comparison("le", "<=", `\le`, func(x, y float64) bool { return x <= y }, false)
	Eq  = comparison("eq", "==", `=`, func(x, y float64) bool { return x == y }, true)
	Ne  = comparison("ne", "!=", `\ne`, func(x, y float64) bool { return x != y }, true)
)

// Functions of whole matrices or axes, and the reshapes.
var (
	Inv = row(Row{
		Name: "inv", Arity: 1, Class: ClassPrimitive,
		// d(X^-1) = -X^-1 dX X^-1
		Deriv: []string{"-ein(...ij,...jk,...kl->...il; inv(x), dx, inv(x))"},
		Low:   -1, High: 1, Domain: "x invertible", LaTeX: `#^{-1}`,
	})
	Minor = row(Row{
		Name: "minor", Arity: 1, Class: ClassPrimitive,
		// D minor_k = minor_{k+1}: the next derivative of det, contracted with the tangent.
		Deriv: []string{"ein(...ab~,...ab->...~; minor[k+1](x), dx)"},
		Low:   -1, High: 1, LaTeX: `\det(#)`, Doc: "the k-th derivative of det",
	})
	LogDet = row(Row{
		Name: "logdet", Arity: 1, Class: ClassPrimitive,
		// d log det X = tr(X^-1 dX)
		Deriv: []string{"ein(...ji,...ij->...; inv(x), dx)"},
		Low:   -1, High: 1, Domain: "det x > 0", LaTeX: `\log\det(#)`,
	})
	Solve = row(Row{
		Name: "solve", Arity: 2, Class: ClassPrimitive,
		// d(A^-1 b) = A^-1 (db - dA A^-1 b)
		Deriv:   []string{"-solve(x, ein(...ij,...j~->...i~; dx, solve(x, y)))", "solve(x, dy)"},
		Adjoint: []string{"", "solve(ein(...ij->...ji; x), w)"},
		Low:     -1, High: 1, Domain: "x invertible", LaTeX: `#^{-1}#`,
	})
	AMax = row(Row{
		Name: "amax", Arity: 1, Class: ClassPrimitive,
		// Ties split evenly: the tangent's mean over the entries that attain the maximum.
		Deriv: []string{"let m = eq(x, ein(...,...~->...~; amax[k](x), one)) in ein(...~,...~->...; m, dx) ./ ein(...~->...; m)"},
		Low:   -2, High: 2, Kink: "max-at-tie", LaTeX: `\max(#)`,
	})
	AMin = row(Row{
		Name: "amin", Arity: 1, Class: ClassPrimitive,
		Deriv: []string{"let m = eq(x, ein(...,...~->...~; amin[k](x), one)) in ein(...~,...~->...; m, dx) ./ ein(...~->...; m)"},
		Low:   -2, High: 2, Kink: "min-at-tie", LaTeX: `\min(#)`,
	})
	LogSumExp = row(Row{
		Name: "logsumexp", Arity: 1, Class: ClassPrimitive,
		Deriv: []string{"ein(...~,...~->...; softmax[k](x), dx)"},
		Low:   -2, High: 2, LaTeX: `\operatorname{logsumexp}(#)`,
	})
	Softmax = row(Row{
		Name: "softmax", Arity: 1, Class: ClassPrimitive,
		// ds = s (dx - <s, dx>)
		Deriv: []string{"softmax[k](x) .* (dx - ein(...,...~->...~; ein(...~,...~->...; softmax[k](x), dx), one))"},
		Low:   -2, High: 2, LaTeX: `\operatorname{softmax}(#)`,
	})
	Norm2 = row(Row{
		Name: "norm2", Arity: 1, Class: ClassPrimitive,
		// d|x| = <x, dx>/|x|, and 0 at x = 0
		Deriv: []string{"zero(power[-1](norm2(x))) .* ein(~,~->; x, dx)"},
		Low:   -2, High: 2, Kink: "norm2-at-0", LaTeX: `\lVert #\rVert`,
	})
	Merge = row(Row{
		Name: "merge", Arity: 1, Class: ClassLinear,
		// The reshapes are isometries: the adjoint is the inverse.
		Adjoint: []string{"split[k,m,n](w)"},
		Low:     -2, High: 2, LaTeX: `\operatorname{vec}(#)`, Doc: "two adjacent axes made one, in C order",
	})
	Split = row(Row{
		Name: "split", Arity: 1, Class: ClassLinear,
		Adjoint: []string{"merge[k](w)"},
		Low:     -2, High: 2, LaTeX: `\operatorname{unvec}(#)`, Doc: "one axis made two, in C order",
	})
)

func elementwise(r Row) *Row {
	r.Class = ClassElementwise
	if r.Arity == 0 {
		r.Arity = 1
	}
	return row(r)
}

// comparison is 1 where the relation holds, 0 elsewhere, NaN where an argument is NaN.
func comparison(name, infix, latex string, holds func(x, y float64) bool, commutes bool) *Row {
	return elementwise(Row{
		Name: name, Arity: 2, Commutes: commutes, Infix: infix, Deriv: []string{"0", "0"}, Low: -2, High: 2,
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
	})
}
