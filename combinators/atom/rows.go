package atom

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// The table. Rows have numbers in the order in which they stand here.

// The operations that are the constructors of terms.
var (
	Var   = row(Row{Name: "var", Class: ClassVariable, Doc: "a variable"})
	Const = row(Row{Name: "const", Class: ClassConstant, Doc: "a rational number"})
	Pi    = row(Row{Name: "pi", Class: ClassConstant, Value: math.Pi, Range: in("(3, 4)"), LaTeX: `\pi`, Precedence: 35, Doc: "the ratio of a circle's circumference to its diameter"})
	Ein   = row(Row{Name: "ein", Class: ClassContraction, Precedence: 34, Doc: "a contraction"})
	Add   = row(Row{Name: "add", Arity: 2, Class: ClassSum, Commutes: true, Precedence: 15, Doc: "the sum"})
	Power = row(Row{
		Name: "power", Arity: 1, Class: ClassElementwise,
		// (x^r)' = r x^(r-1)
		Deriv: []string{"r .* weak(power[r-1](x))"},
		Low:   0.2, High: 2, Guarded: true, Where: "nonneg(x) if not integer(r), nonzero(x) if r < 0",
		Kink: "power-at-0", LaTeX: "#^{r}", Precedence: 13, Doc: "a constant power",
	})
)

// The element-wise functions.
var (
	Sin = elementwise(Row{Name: "sin", Reserved: true, LaTeX: `\sin(#)`, Precedence: 16,
		Deriv: []string{"cos(x)"}, F1: math.Sin, Low: -2, High: 2,
		Range: in("[-1, 1]"), Parity: Odd, Period: 2 * math.Pi, Exact: at(0, 0)})
	Cos = elementwise(Row{Name: "cos", Reserved: true, LaTeX: `\cos(#)`, Precedence: 17,
		Deriv: []string{"-sin(x)"}, F1: math.Cos, Low: -2, High: 2,
		Range: in("[-1, 1]"), Parity: Even, Period: 2 * math.Pi, Exact: at(0, 1)})
	Tan = elementwise(Row{Name: "tan", Reserved: true, LaTeX: `\tan(#)`, Precedence: 20,
		Deriv: []string{"power[-2](cos(x))"}, Definition: "sin(x) .* power[-1](cos(x))", F1: math.Tan, Low: -1, High: 1,
		Where: "nonzero(cos(x))", Parity: Odd, Period: math.Pi, Exact: at(0, 0)})
	Arcsin = elementwise(Row{Name: "arcsin", Reserved: true, Foreign: "asin", LaTeX: `\arcsin(#)`, Precedence: 22,
		Deriv: []string{"weak(power[-1/2](1 - power[2](x)))"}, F1: math.Asin, Low: -0.8, High: 0.8,
		Domain: in("[-1, 1]"), Range: in("[-pi/2, pi/2]"), Zeros: in("[0, 0]"), Increasing: true, Parity: Odd, Exact: at(0, 0)})
	Arccos = elementwise(Row{Name: "arccos", Reserved: true, Foreign: "acos", LaTeX: `\arccos(#)`,
		Deriv: []string{"-weak(power[-1/2](1 - power[2](x)))"}, F1: math.Acos, Low: -0.8, High: 0.8,
		Domain: in("[-1, 1]"), Range: in("[0, pi]"), Zeros: in("[1, 1]"), Exact: at(1, 0)})
	Arctan = elementwise(Row{Name: "arctan", Reserved: true, Foreign: "atan", LaTeX: `\arctan(#)`, Precedence: 23,
		Deriv: []string{"power[-1](1 + power[2](x))"}, F1: math.Atan, Low: -2, High: 2,
		Range: in("(-pi/2, pi/2)"), Zeros: in("[0, 0]"), Increasing: true, Parity: Odd, Exact: at(0, 0)})
	Sinh = elementwise(Row{Name: "sinh", LaTeX: `\sinh(#)`, Precedence: 18,
		Deriv: []string{"cosh(x)"}, Definition: "1/2 .* exp(x) - 1/2 .* exp(-x)", F1: math.Sinh, Low: -2, High: 2,
		Zeros: in("[0, 0]"), Increasing: true, Parity: Odd, Exact: at(0, 0)})
	Cosh = elementwise(Row{Name: "cosh", LaTeX: `\cosh(#)`, Precedence: 19,
		Deriv: []string{"sinh(x)"}, Definition: "1/2 .* exp(x) + 1/2 .* exp(-x)", F1: math.Cosh, Low: -2, High: 2,
		Range: in("[1, inf)"), Parity: Even, Exact: at(0, 1)})
	Tanh = elementwise(Row{Name: "tanh", Reserved: true, LaTeX: `\tanh(#)`, Precedence: 21,
		Deriv: []string{"1 - power[2](tanh(x))"}, Definition: "(exp(x) .* exp(x) - 1) .* power[-1](exp(x) .* exp(x) + 1)", F1: math.Tanh, Low: -2, High: 2,
		Range: in("(-1, 1)"), Zeros: in("[0, 0]"), Increasing: true, Parity: Odd, Exact: at(0, 0)})
	Exp = elementwise(Row{Name: "exp", Reserved: true, LaTeX: `\exp(#)`, Precedence: 14,
		Deriv: []string{"exp(x)"}, F1: math.Exp, Low: -2, High: 2,
		Range: in("(0, inf)"), Increasing: true, Exact: at(0, 1)})
	Log = elementwise(Row{Name: "log", Reserved: true, Foreign: "ln", LaTeX: `\log(#)`, Precedence: 6,
		Deriv: []string{"weak(power[-1](x))"}, F1: math.Log, Low: 0.2, High: 3,
		Domain: in("(0, inf)"), Guarded: true, Zeros: in("[1, 1]"), Increasing: true, Exact: at(1, 0), Kink: "log-at-0"})
	Abs = elementwise(Row{Name: "abs", Reserved: true, LaTeX: `\lvert #\rvert`, Precedence: 27,
		Deriv: []string{"sign(x)"}, F1: math.Abs, Low: 0.2, High: 2,
		Range: in("[0, inf)"), Zeros: in("[0, 0]"), Parity: Even, Homogeneous: "1", Exact: func(x, _ *big.Rat) *big.Rat { return new(big.Rat).Abs(x) }, Kink: "abs-at-0"})
	Sign = elementwise(Row{Name: "sign", Reserved: true, LaTeX: `\operatorname{sign}(#)`, Precedence: 8,
		Deriv: []string{"0"}, F1: sign, Low: 0.2, High: 2,
		Range: in("[-1, 1]"), Zeros: in("[0, 0]"), Increasing: true, Parity: Odd, Homogeneous: "0", Exact: func(x, _ *big.Rat) *big.Rat { return big.NewRat(int64(x.Sign()), 1) }, Kink: "sign-at-0"})
	Relu = elementwise(Row{Name: "relu", Reserved: true, LaTeX: `\operatorname{relu}(#)`, Precedence: 25,
		Deriv: []string{"step(x)"}, F1: relu, Low: 0.2, High: 2,
		Range: in("[0, inf)"), Zeros: in("(-inf, 0]"), Increasing: true, Homogeneous: "1", Exact: func(x, _ *big.Rat) *big.Rat { return larger(x, new(big.Rat)) }, Kink: "relu-at-0"})
	Step = elementwise(Row{Name: "step", Doc: "1 for x > 0, else 0", LaTeX: `\operatorname{step}(#)`, Precedence: 9,
		Deriv: []string{"0"}, F1: step, Low: 0.2, High: 2,
		Range: in("[0, 1]"), Zeros: in("(-inf, 0]"), Increasing: true, Homogeneous: "0", Exact: func(x, _ *big.Rat) *big.Rat { return truth(x.Sign() > 0) }, Kink: "step-at-0"})
	// erf' = 2/sqrt(pi) exp(-x^2)
	Erf = elementwise(Row{Name: "erf", LaTeX: `\operatorname{erf}(#)`, Precedence: 24,
		Deriv: []string{"2 .* power[-1/2](pi) .* exp(-power[2](x))"}, F1: math.Erf, Low: -2, High: 2,
		Range: in("(-1, 1)"), Zeros: in("[0, 0]"), Increasing: true, Parity: Odd, Exact: at(0, 0)})
	Erfc = elementwise(Row{Name: "erfc", Doc: "1 - erf(x)", LaTeX: `\operatorname{erfc}(#)`,
		Deriv: []string{"-2 .* power[-1/2](pi) .* exp(-power[2](x))"}, F1: math.Erfc, Low: -2, High: 2,
		Range: in("(0, 2)"), Exact: at(0, 1)})
	Sigmoid = elementwise(Row{Name: "sigmoid", Foreign: "logistic", Doc: "1/(1 + exp(-x))", LaTeX: `\sigma(#)`, Precedence: 32,
		Deriv: []string{"sigmoid(x) .* (1 - sigmoid(x))"}, Definition: "power[-1](1 + exp(-x))", F1: sigmoid, Low: -2, High: 2,
		Range: in("(0, 1)"), Increasing: true, Exact: at(0, 1, 2)})
	Softplus = elementwise(Row{Name: "softplus", Doc: "log(1 + exp(x))", LaTeX: `\operatorname{softplus}(#)`, Precedence: 31,
		Deriv: []string{"sigmoid(x)"}, Definition: "log(1 + exp(x))", F1: softplus, Low: -2, High: 2,
		Range: in("(0, inf)"), Increasing: true})
	// gelu = x Phi(x), so gelu' = Phi + x phi with phi = exp(-x^2/2)/sqrt(2 pi).
	Gelu = elementwise(Row{Name: "gelu", Doc: "x times the normal distribution function", LaTeX: `\operatorname{gelu}(#)`,
		Deriv: []string{"1/2 + 1/2 .* erf(power[-1/2](2) .* x) + power[-1/2](2) .* power[-1/2](pi) .* x .* exp(-1/2 .* power[2](x))"}, Definition: "x .* (1/2 + 1/2 .* erf(power[-1/2](2) .* x))", F1: gelu, Low: -2, High: 2,
		Range: in("[-0.17, inf)"), Zeros: in("[0, 0]"), Exact: at(0, 0)})
	Log1p = elementwise(Row{Name: "log1p", LaTeX: `\log(1+#)`, Precedence: 7,
		Deriv: []string{"weak(power[-1](1 + x))"}, Definition: "log(1 + x)", F1: math.Log1p, Low: -0.5, High: 2,
		Domain: in("(-1, inf)"), Zeros: in("[0, 0]"), Increasing: true, Exact: at(0, 0)})
	Expm1 = elementwise(Row{Name: "expm1", LaTeX: `(\exp(#)-1)`,
		Deriv: []string{"exp(x)"}, Definition: "exp(x) - 1", F1: math.Expm1, Low: -2, High: 2,
		Range: in("(-1, inf)"), Zeros: in("[0, 0]"), Increasing: true, Exact: at(0, 0)})
	// the derivative is -e^x/(1 - e^x), which neither overflows nor cancels as it stands here
	Log1mexp = elementwise(Row{Name: "log1mexp", Doc: "log(1 - exp(x))", LaTeX: `\log(1-e^{#})`, Precedence: 36,
		Deriv: []string{"-exp(x - log1mexp(x))"}, Definition: "log(1 - exp(x))", F1: log1mexp, Low: -3, High: -0.2,
		Domain: in("(-inf, 0)"), Range: in("(-inf, 0)")})
	Lgamma = elementwise(Row{Name: "lgamma", Foreign: "gammaln", Doc: "log of the absolute value of the gamma function", LaTeX: `\log\Gamma(#)`,
		Deriv: []string{"polygamma(0, x)"}, F1: lgamma, Low: 0.2, High: 3, Where: "nonzero(sin(pi .* x)) if not positive(x)",
		Exact: whole(1, 0, 2, 0)})
	Floor = rounding("floor", "the largest whole number that is not larger", `\lfloor #\rfloor`, "[0, 1)", 0, math.Floor, floorOf, NoParity, 0)
	Ceil  = rounding("ceil", "the smallest whole number that is not smaller", `\lceil #\rceil`, "(-1, 0]", 0, math.Ceil, ceilOf, NoParity, 0)
	Round = rounding("round", "the nearest whole number, of two the even one", `\operatorname{round}(#)`, "[-0.5, 0.5]", 0.5, math.RoundToEven, roundOf, Odd, 33)

	// The angle of the point (y, x): d/dx of x -> atan2(x, y) is y/(x^2 + y^2).
	Atan2 = elementwise(Row{Name: "atan2", Arity: 2, Foreign: "arctan2", Doc: "the angle between the first axis and (y, x)", LaTeX: `\operatorname{atan2}(#,#)`,
		Deriv: []string{"y .* power[-1](power[2](x) + power[2](y))", "-x .* power[-1](power[2](x) + power[2](y))"}, F2: math.Atan2, Low: 0.2, High: 2,
		Range: in("[-pi, pi]"), Homogeneous: "0", Exact: func(x, y *big.Rat) *big.Rat {
			if x.Sign() == 0 && y.Sign() >= 0 {
				return new(big.Rat)
			}
			return nil
		}})
	// The order k, the first operand, is a whole number: rounded down, so that the derivative by it is 0.
	Polygamma = elementwise(Row{Name: "polygamma", Arity: 2, Doc: "polygamma(k, x), the derivative of lgamma of order k + 1", LaTeX: `\psi^{(#)}(#)`,
		Deriv: []string{"0", "polygamma(x + 1, y)"}, F2: polygamma, Low: 0.2, High: 3, Where: "nonneg(x), nonzero(sin(pi .* y)) if not positive(y)"})

	LogAddExp = elementwise(Row{Name: "logaddexp", Arity: 2, Commutes: true, Doc: "log(exp(x) + exp(y))", LaTeX: `\operatorname{logaddexp}(#,#)`, Precedence: 30,
		Deriv: []string{"sigmoid(x - y)", "sigmoid(y - x)"}, Definition: "log(exp(x) + exp(y))", F2: logAddExp, Low: -2, High: 2})

	// x^y: d/dx = y x^(y-1), d/dy = x^y log x. Both guards make 0^0 flat.
	Pow = elementwise(Row{Name: "pow", Arity: 2, Infix: ".^", LaTeX: `#^{#}`, Precedence: 12,
		Deriv: []string{"y .* weak(pow(x, y - 1))", "pow(x, y) .* weak(log(x))"}, F2: math.Pow, Low: 0.2, High: 2,
		Domain: in("(0, inf)"), Guarded: true, Exact: RatPow, Kink: "power-at-0"})
	// Ties split evenly: half of the derivative to each argument.
	Max = elementwise(Row{Name: "max", Arity: 2, Commutes: true, Foreign: "maximum", LaTeX: `\max(#,#)`,
		Deriv: []string{"gt(x, y) + 1/2 .* eq(x, y)", "gt(y, x) + 1/2 .* eq(x, y)"}, F2: func(x, y float64) float64 { return max(x, y) }, Low: -2, High: 2,
		Homogeneous: "1", Exact: larger, Kink: "max-at-tie"})
	Min = elementwise(Row{Name: "min", Arity: 2, Commutes: true, Foreign: "minimum", LaTeX: `\min(#,#)`,
		Deriv: []string{"lt(x, y) + 1/2 .* eq(x, y)", "lt(y, x) + 1/2 .* eq(x, y)"}, F2: func(x, y float64) float64 { return min(x, y) }, Low: -2, High: 2,
		Homogeneous: "1", Exact: smaller, Kink: "min-at-tie"})
	Gt = comparison("gt", ">", `>`, func(sign int) bool { return sign > 0 }, false)
	Ge = comparison("ge", ">=", `\ge`, func(sign int) bool { return sign >= 0 }, false)
	Lt = comparison("lt", "<", `<`, func(sign int) bool { return sign < 0 }, false)
	Le = comparison("le", "<=", `\le`, func(sign int) bool { return sign <= 0 }, false)
	Eq = comparison("eq", "==", `=`, func(sign int) bool { return sign == 0 }, true)
	Ne = comparison("ne", "!=", `\ne`, func(sign int) bool { return sign != 0 }, true)
)

// Functions of whole matrices or axes, and the reshapes.
var (
	Inv = row(Row{
		Name: "inv", Reserved: true, Arity: 1, Class: ClassPrimitive,
		// d(X^-1) = -X^-1 dX X^-1
		Deriv: []string{"-ein(...ij,...jk,...kl->...il; inv(x), dx, inv(x))"},
		Low:   -1, High: 1, Over: OverMatrices, Turns: true, Where: "invertible(x)", Parity: Odd, Homogeneous: "-1", Precedence: 11, LaTeX: `#^{-1}`,
	})
	Minor = row(Row{
		Name: "minor", Arity: 1, Class: ClassPrimitive,
		// D minor_k = minor_{k+1}: the next derivative of det, contracted with the tangent.
		Deriv: []string{"ein(...ab~,...ab->...~; minor[k+1](x), dx)"},
		Low:   -1, High: 1, Over: OverMatrices, Turns: true, Attr: true, Precedence: 4, LaTeX: `\det(#)`, Doc: "the k-th derivative of det",
	})
	LogDet = row(Row{
		Name: "logdet", Arity: 1, Class: ClassPrimitive,
		// d log det X = tr(X^-1 dX)
		Deriv: []string{"ein(...ji,...ij->...; inv(x), dx)"},
		Low:   -1, High: 1, Over: OverMatrices, Where: "positive(minor[0](x))", Precedence: 5, LaTeX: `\log\det(#)`,
	})
	Solve = row(Row{
		Name: "solve", Arity: 2, Class: ClassPrimitive,
		// d(A^-1 b) = A^-1 (db - dA A^-1 b)
		Deriv:   []string{"-solve(x, ein(...ij,...j~->...i~; dx, solve(x, y)))", "solve(x, dy)"},
		Adjoint: []string{"", "solve(ein(...ij->...ji; x), w)"},
		Low:     -1, High: 1, Over: OverMatrices, Where: "invertible(x)", Parity: Odd, Precedence: 10, LaTeX: `#^{-1}#`,
	})
	AMax = row(Row{
		Name: "amax", Called: Max.Name, Arity: 1, Class: ClassPrimitive,
		// Ties split evenly: the tangent's mean over the entries that attain the maximum.
		Deriv: []string{"let m = eq(x, ein(...,...~->...~; amax[k](x), one)) in ein(...~,...~->...; m, dx) ./ ein(...~->...; m)"},
		Low:   -2, High: 2, Kink: "max-at-tie", Over: OverLast, Attr: true, Picks: true, Homogeneous: "1", LaTeX: `\max(#)`,
	})
	AMin = row(Row{
		Name: "amin", Called: Min.Name, Arity: 1, Class: ClassPrimitive,
		Deriv: []string{"let m = eq(x, ein(...,...~->...~; amin[k](x), one)) in ein(...~,...~->...; m, dx) ./ ein(...~->...; m)"},
		Low:   -2, High: 2, Kink: "min-at-tie", Over: OverLast, Attr: true, Picks: true, Homogeneous: "1", LaTeX: `\min(#)`,
	})
	LogSumExp = row(Row{
		Name: "logsumexp", Arity: 1, Class: ClassPrimitive,
		Deriv: []string{"ein(...~,...~->...; softmax[k](x), dx)"},
		Low:   -2, High: 2, Over: OverLast, Attr: true, Precedence: 29, LaTeX: `\operatorname{logsumexp}(#)`,
	})
	Softmax = row(Row{
		Name: "softmax", Arity: 1, Class: ClassPrimitive,
		// ds = s (dx - <s, dx>)
		Deriv: []string{"softmax[k](x) .* (dx - ein(...,...~->...~; ein(...~,...~->...; softmax[k](x), dx), one))"},
		Low:   -2, High: 2, Over: OverLast, Attr: true, Range: in("(0, 1]"), Precedence: 28, LaTeX: `\operatorname{softmax}(#)`,
	})
	Norm2 = row(Row{
		Name: "norm2", Arity: 1, Class: ClassPrimitive,
		// d|x| = <x, dx>/|x|, and 0 at x = 0
		Deriv: []string{"zero(power[-1](norm2(x))) .* ein(~,~->; x, dx)"},
		Low:   -2, High: 2, Kink: "norm2-at-0", Range: in("[0, inf)"), Parity: Even, Homogeneous: "1", Precedence: 26, LaTeX: `\lVert #\rVert`,
	})
	Merge = row(Row{
		Name: "merge", Arity: 1, Class: ClassLinear,
		// The reshapes are isometries: the adjoint is the inverse.
		Adjoint: []string{"split[k,m,n](w)"},
		Low:     -2, High: 2, Attr: true, Picks: true, Homogeneous: "1", LaTeX: `\operatorname{vec}(#)`, Doc: "two adjacent axes made one, in C order",
	})
	Split = row(Row{
		Name: "split", Arity: 1, Class: ClassLinear,
		Adjoint: []string{"merge[k](w)"},
		Low:     -2, High: 2, Picks: true, Homogeneous: "1", LaTeX: `\operatorname{unvec}(#)`, Doc: "one axis made two, in C order",
	})
	Prod = row(Row{
		Name: "product", Called: "prod", Arity: 1, Class: ClassPrimitive,
		// As that of det: product_k[i1,..,ik] is the product of all entries but those k, and 0 where two are one.
		Deriv: []string{"ein(...a~,...a->...~; product[k+1](x), dx)"},
		Low:   -2, High: 2, Over: OverVectors, Attr: true, LaTeX: `\operatorname{prod}(#)`, Doc: "the k-th derivative of the product of a vector",
	})
)

// Functions of matrices by their eigenvalues, singular values and factors.
var (
	// Matfun are f(A) of a square matrix A and a function f of numbers, the one with the number k among [Functions], and its derivatives:
	// row d is that of order d along d directions H, in which it is linear and symmetric. Each is the sum over all orders of the
	// directions of f[a, .., z] P_a H .. H P_z, with the divided differences of f at the eigenvalues and the projections P on their
	// spaces; for A that is not symmetric it is the block of f([A, H; 0, A]) above the diagonal, and so on. So
	// D row d = row d+1 at the tangent as the last direction, and the adjoint in a direction is the row of A'. A direction may have
	// further axes, those of the ones before it first, along which these are repeated: the last direction has those of the value.
	Matfun  = matrixFunctions()
	Eigvals = row(Row{
		Name: "eigvals", Arity: 1, Class: ClassPrimitive,
		// dl_i = v_i' dS v_i
		Deriv: []string{"ein(...ai,...ab,...bi->...i; eigvecs(x), dx, eigvecs(x))"},
		Low:   -1, High: 1, Over: OverMatrices, Kink: "eigenvalues-at-tie", Homogeneous: "1", Precedence: 3, LaTeX: `\lambda(#)`,
	})
	Eigvecs = row(Row{
		Name: "eigvecs", Arity: 1, Class: ClassPrimitive,
		// of the symmetric part S: dV = V (F .* (V' dS V)), F_ij = 1/(l_j - l_i) off the diagonal; 0 at a tie
		Deriv: []string{"let v = eigvecs(x); i = ein(...i->...ii; ones(ein(...ij->...i; x))); g = ein(...j,...ij->...ij; eigvals(x), one) - ein(...i,...ij->...ij; eigvals(x), one) in " +
			"ein(...ai,...ij,...ij,...bi,...bc,...cj->...aj; v, zero(power[-1](g + i)), one - i, v, 1/2 .* (dx + ein(...ij->...ji; dx)), v)"},
		Low: -1, High: 1, Over: OverMatrices, Kink: "eigenvalues-at-tie", LaTeX: `\operatorname{eigvecs}(#)`,
	})
	Chol = row(Row{
		Name: "chol", Arity: 1, Class: ClassPrimitive,
		// of the symmetric part S: dL = L phi(L^-1 dS L'^-1), phi the lower triangle with half of the diagonal
		Deriv: []string{"let l = chol(x); k = inv(l) in ein(...ij,...jk,jk->...ik; l, ein(...ij,...jk,...lk->...il; k, 1/2 .* (dx + ein(...ij->...ji; dx)), k), ein([]->[i:n,j:n]|i=n,j=n,i-j>=0; 1) - 1/2 .* eye[n])"},
		Low:   -1, High: 1, Over: OverMatrices, Where: "definite(x)", LaTeX: `\operatorname{chol}(#)`,
	})
	Pinv = row(Row{
		Name: "pinv", Arity: 1, Class: ClassPrimitive,
		// dP = -P dA P + P P' dA' (1 - A P) + (1 - P A) dA' P' P, where the rank stays
		Deriv: []string{"let p = pinv(x) in -ein(...ij,...jk,...kl->...il; p, dx, p) + ein(...ij,...kj,...lk->...il; p, p, dx) - ein(...ij,...kj,...lk,...lm,...mp->...ip; p, p, dx, x, p)" +
			" + ein(...ji,...kj,...kl->...il; dx, p, p) - ein(...ai,...ij,...kj,...lk,...lb->...ab; p, x, dx, p, p)"},
		Low: -1, High: 1, Over: OverMatrices, Turns: true, Homogeneous: "-1", Parity: Odd, LaTeX: `#^{+}`,
	})
)

// Directions bounds the order of the derivatives of functions of matrices.
const Directions = 4

// matrixFunctions are the rows of [Matfun].
func matrixFunctions() (rows [Directions + 1]*Row) {
	name := func(d int) string { return "matfun" + strings.Repeat("'", d) }
	for d := range rows {
		at := func(d int, args ...string) string { return name(d) + "[k](" + strings.Join(args, ", ") + ")" }
		args, turned := operands[:d+1], []string{"ein(...ij->...ji; x)"}
		for _, h := range args[1:] {
			turned = append(turned, "ein(...ij~->...ji~; "+h+")")
		}
		r := Row{Name: name(d), Called: "matfun", Arity: d + 1, Class: ClassPrimitive, Over: OverMatrices, Turns: true, Attr: true, Low: -1, High: 1,
			Where: "definite(x)", LaTeX: "f(#" + strings.Repeat(",#", d) + ")", Doc: "the derivative of a function of matrices of order " + strconv.Itoa(d),
			Deriv: []string{""}, Adjoint: []string{""}}
		along := func(t string) string { // a tangent along the axes of the last direction
			if d == 0 {
				return t
			}
			return "ein(...ij,...ij~->...ij~; " + t + ", ones(" + args[d] + "))"
		}
		if d < Directions {
			r.Deriv[0] = at(d+1, append(slices.Clone(args), along("dx"))...)
		}
		for k := 1; k <= d; k++ {
			t, back := Tangent(k), at(d, append(slices.Delete(slices.Clone(turned), k, k+1), "w")...)
			if k < d {
				t, back = along(t), "ein(...ij~->...ij; "+back+")"
			}
			r.Deriv = append(r.Deriv, at(d, append(slices.Delete(slices.Clone(args), k, k+1), t)...))
			r.Adjoint = append(r.Adjoint, back)
		}
		if d < 2 {
			r.Precedence = 2 - d
		}
		rows[d] = row(r)
	}
	return rows
}

func elementwise(r Row) *Row {
	r.Class, r.Turns = ClassElementwise, true
	if r.Arity == 0 {
		r.Arity = 1
	}
	for _, i := range []*Interval{&r.Domain, &r.Range} {
		if !i.stated {
			*i = in("(-inf, inf)")
		}
	}
	return row(r)
}

// rounding is a function that jumps from one whole number to the next: its derivative is 0, by convention at the jumps, too.
func rounding(name, doc, latex, zeros string, jump float64, f func(float64) float64, exact func(*big.Rat) *big.Int, parity Parity, precedence int) *Row {
	return elementwise(Row{
		Name: name, Doc: doc, LaTeX: latex, Deriv: []string{"0"}, F1: func(x float64) float64 { return f(x) + 0 }, Low: -2, High: 2,
		Zeros: in(zeros), Increasing: true, Parity: parity, Precedence: precedence, Kink: "rounding-at-jump", KinkAt: jump, KinkEvery: 1,
		Exact: func(x, _ *big.Rat) *big.Rat { return new(big.Rat).SetInt(exact(x)) },
	})
}

// comparison is 1 where the relation holds of the sign of x - y, 0 elsewhere, NaN where an argument is NaN.
func comparison(name, infix, latex string, holds func(sign int) bool, commutes bool) *Row {
	return elementwise(Row{
		Name: name, Arity: 2, Commutes: commutes, Infix: infix,
		Deriv: []string{"0", "0"},
		F2: func(x, y float64) float64 {
			sign := 0
			switch {
			case x > y:
				sign = 1
			case x < y:
				sign = -1
			case x != y: // NaN
				return math.NaN()
			}
			if holds(sign) {
				return 1
			}
			return 0
		},
		Low: -2, High: 2,
		Range: in("[0, 1]"), Homogeneous: "0", Kink: "comparison-at-tie",
		Exact: func(x, y *big.Rat) *big.Rat { return truth(holds(x.Cmp(y))) },
		LaTeX: "[# " + latex + " #]",
	})
}
