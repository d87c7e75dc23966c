package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"frechet/combinators/atom"
)

// How people who come from other systems write what this language has: hints say what to write here.

// foreign are functions of other systems, besides those of the table of operations.
var foreign = func() map[string]string {
	table := map[string]string{
		"log2": "log(x)/log(2)", "log10": "log(x)/log(10)", "exp2": "2^x", "sqr": "x^2",
		"trace": "tr(...)", "transpose": "A'", "trans": "A'", "inverse": "inv(...)", "determinant": "det(...)", "slogdet": "logdet(...)",
		"norm": "norm2(...), or norm1(...)", "inner": "x'*y", "vdot": "x'*y", "matmul": "A*B", "mm": "A*B", "mv": "A*x", "bmm": "A *(bij,bjk->bik) B",
		"hadamard": "A .* B", "multiply": "x .* y", "mul": "x .* y", "divide": "x ./ y", "add": "x + y", "subtract": "x - y",
		"plus": "x + y", "times": "x*y", "minus": "x - y", "total": "sum(...)", "average": "mean(...)", "heaviside": "step(...)",
		atom.Power.Name: "x^y", atom.Pow.Name: "x^y",
		"identity": "eye(n)", "concatenate": "concat(a, b, axis=0)", "vstack": "[a; b]", "hstack": "[a, b]", "vcat": "[a; b]", "hcat": "[a, b]", "block_diag": "[A, 0; 0, B]",
		"zeros_like": "0, which takes the order of its place", "ones_like": "1, which takes the order of its place",
		"len": "n, the symbol of the size in declare x[n]", "length": "n, the symbol of the size in declare x[n]", "size": "n, the symbol of the size in declare x[n]", "shape": "n, the symbol of the size in declare x[n]",
		"reduce_sum": "sum(...)", "reduce_mean": "mean(...)", "reduce_max": "max(...)", "expit": "sigmoid(...)", "psi": "digamma(...)", "loggamma": "lgamma(...)",
		"abs2": "x^2", "horzcat": "[A, B]", "vertcat": "[A; B]", "mtimes": "A*B", "ctranspose": "A'", "t": "A'", "cat": "concat(a, b, axis=0)",
		"diagonal": "diag(...)", "diagonalmatrix": "diag(...)", "identitymatrix": "eye(n)", "kroneckerproduct": "kron(A, B)", "variance": "var(...)", "standarddeviation": "std(...)",
		"arctanh": "log((1 + x)/(1 - x))/2", "atanh": "log((1 + x)/(1 - x))/2", "arcsinh": "log(x + sqrt(x^2 + 1))", "asinh": "log(x + sqrt(x^2 + 1))",
		"arccosh": "log(x + sqrt(x^2 - 1))", "acosh": "log(x + sqrt(x^2 - 1))", "cot": "1 ./ tan(x)", "sec": "1 ./ cos(x)", "csc": "1 ./ sin(x)",
		"coth": "1 ./ tanh(x)", "sech": "1 ./ cosh(x)", "csch": "1 ./ sinh(x)", "sinc": "sin(x) ./ x", "cbrt": "sign(x) .* abs(x)^(1/3)",
		"lse": "logsumexp(...)", "logit": "log(x ./ (1 - x))", "sigma": "sigmoid(...)", "swish": "x .* sigmoid(x)", "silu": "x .* sigmoid(x)",
		"elu": "where(x > 0, x, expm1(x))", "leaky_relu": "max(x, 0.01*x)", "leakyrelu": "max(x, 0.01*x)", "huber": "where(abs(x) <= 1, x^2/2, abs(x) - 1/2)",
		"logsigmoid": "-softplus(-x)", "log_softmax": "x - logsumexp(x)", "cross_entropy": "logsumexp(x) - y'*x", "mse_loss": "mean((x - y)^2)", "mse": "mean((x - y)^2)",
		"indicator": "x > 0, which is 1 or 0", "phi": "(1 + erf(x/sqrt(2)))/2", "normcdf": "(1 + erf(x/sqrt(2)))/2", "erfcx": "exp(x^2) .* erfc(x)",
		"gamma": "exp(lgamma(x)), for x > 0", "beta": "exp(lgamma(x) + lgamma(y) - lgamma(x + y))", "factorial": "exp(lgamma(x + 1))", "trigamma": "polygamma(1, x)",
		"diff": "x[1:] - x[:-1]; a derivative is asked for by derivative wrt x", "numel": "n, the symbol of the size in declare x[n]", "ndims": "n, the symbol of the size in declare x[n]",
		"conj": "x: all numbers are real", "real": "x: all numbers are real", "imag": "0: all numbers are real", "norminf": "max(abs(x))", "infnorm": "max(abs(x))",
		"cov": "(A - mean(A, axis=0, keepdims=True))'*(A - mean(A, axis=0, keepdims=True))/(m - 1)", "corr": "(x - mean(x))'*(y - mean(y))/(n*std(x)*std(y))",
		"diagm": "diag(...)", "view": "reshape(A, m*n)", "unsqueeze": "the value itself: A + v repeats a vector beside a matrix", "expand_dims": "the value itself: A + v repeats a vector beside a matrix",
		"squeeze": "A[0, :]", "mod": "x - y .* floor(x ./ y)", "hypot": "sqrt(x^2 + y^2)",
		"symmetric": "(A + A')/2", "ifelse": "where(c, a, b)", "if": "where(c, a, b)", "piecewise": "where(c, a, b)", "pinv": "inv(A'*A)*A'", "trapz": "sum((x[1:] + x[:-1])/2)",
		"repmat": "x*ones(n)', or A + x, which repeats x", "tile": "x*ones(n)', or A + x, which repeats x", "bsxfun": "A + x, which repeats x for every column",
		"select": "where(c, a, b)", "clamp": "clip(...)", "ravel": "reshape(A, m*n)", "flatten": "reshape(A, m*n)", "flipud": "flip(...)", "fliplr": "flip(A, axis=1)", "circshift": "roll(x, k)",
		"d": "frechet grad, a command", "grad": "frechet grad, a command", "gradient": "frechet grad, a command", "jacobian": "frechet jac, a command", "hessian": "frechet hess, a command",
		"vector": "ones(n), or a literal, which takes the order of its place", "matrix": "ones(m,n), or a literal, which takes the order of its place",
	}
	for _, r := range atom.Rows() {
		if r.Foreign != "" {
			table[r.Foreign] = r.Name + map[int]string{1: "(...)", 2: "(a, b)"}[r.Arity]
		}
	}
	return table
}()

// Foreign says how a function of another system is written here, "" where none has the name. Of Log and
// SIN it is the function in small letters.
func Foreign(name string) string {
	lower := strings.ToLower(name)
	if _, ok := functions[lower]; ok && lower != name {
		return lower + "(...)"
	}
	return foreign[lower]
}

// absent has what other systems have and this one does not.
var absent = map[string]string{
	"eig": "eigenvalues", "eigh": "eigenvalues", "eigvals": "eigenvalues", "eigvalsh": "eigenvalues", "svd": "singular values", "svdvals": "singular values", "opnorm": "singular values",
	"chol": "factorisation; det, logdet, inv and solve take the matrix", "cholesky": "factorisation; det, logdet, inv and solve take the matrix", "qr": "factorisation; solve takes the matrix", "lu": "factorisation; solve takes the matrix",
	"expm": "matrix exponential", "logm": "matrix logarithm", "sqrtm": "matrix root", "rank": "rank of a matrix", "sort": "sorting", "argsort": "sorting", "cross": "cross product",
	"rand": "random number: a program declares its data", "randn": "random number: a program declares its data", "inf": "infinite number", "nan": "number that is none",
	"map": "function of functions: what is written of a tensor is of every element", "arange": "sequence: a sum over places is an index product or stands in a definition, f[] = sum{k}_0^4 (...)", "linspace": "sequence: declare it, and give it as data",
	"median": "sorting, and so no median", "quantile": "sorting, and so no quantile", "erfinv": "inverse of erf", "integrate": "integral", "int": "integral", "limit": "limit",
	"nuclear_norm": "singular values", "nucnorm": "singular values", "detach": "value that derivatives pass by: a variable has a value of its own", "stop_gradient": "value that derivatives pass by: a variable has a value of its own",
	"symbols": "symbol to make: a program declares its variables, declare x[n]", "sym": "symbol to make: a program declares its variables, declare x[n]", "fft": "Fourier transform", "conv2d": "convolution: y[i] = sum{k}_0^2 (x[i + k]*w[k]) defines one",
	"range": "sequence: a sum over places is an index product or stands in a definition, f[] = sum{k}_0^4 (...)", "mapslices": "function of functions: sum(A, axis=0)",
}

// Absent says that there is no such thing here, "" of other names.
func Absent(name string) string {
	what := absent[strings.ToLower(name)]
	if what == "" {
		return ""
	}
	what, instead, _ := strings.Cut(what, ": ")
	hint := "there is no " + strings.Replace(what, "eigenvalues", "function for eigenvalues", 1) + " here"
	if instead != "" {
		hint += ": " + instead
	}
	return hint
}

// modules are the names before the dot of functions in other languages.
var modules = strings.Fields("np numpy jnp jax torch tf tensorflow math scipy sp linalg F nn sympy LinearAlgebra")

// signs are characters that begin no token, and what to write for them.
var signs = map[rune]string{
	'.': "a transpose is written x', a power x^2, an element-wise product x .* y",
	'−': "write the minus sign as -", '–': "write the minus sign as -",
	'·': "write a product as * or .*", '×': "write a product as * or .*", '⋅': "write a product as * or .*", '∗': "write a product as * or .*",
	'⊙': "write an element-wise product as .*", '∘': "write an element-wise product as .*", '⊗': "write kron(A, B), or x*y' for vectors", '÷': "write a quotient as /",
	'ᵀ': "write a transpose as A'", '⊤': "write a transpose as A'", '’': "write a transpose as A'", '′': "write a transpose as A'", '†': "write a transpose as A'",
	'²': "write a power as x^2", '³': "write a power as x^3", '⁻': "write an inverse as inv(A), a power as x^-1", '¹': "write an inverse as inv(A), a power as x^-1",
	'!': "write unequal as !=", '"': "a program has no quoted text", '`': "a program has no quoted text",
	'→': "write the arrow as ->", '@': "write a matrix product as *, the inner product of vectors as x'*y",
	'{': "a sum over an index stands in a definition, f[] = sum{k}_0^4 (...); expressions are grouped by parentheses", '}': "expressions are grouped by parentheses",
	'≤': "write it as <=", '≥': "write it as >=", '≠': "write it as !=",
	'∑': "write sum(x), or sum{i}_0^(n-1) (...) in a definition f[] = ...", 'Σ': "write sum(x), or a name: Sigma", '√': "write sqrt(x)", '∇': "frechet grad prints the gradient of an expression", '∂': "frechet grad prints the gradient of an expression",
	'‖': "write a norm as norm2(x)", '∥': "write a norm as norm2(x)", '½': "write 1/2", '∞': "there is no infinite number here",
	'?': "a choice is written where(x > 0, a, b), or (x > 0) .* a + (x <= 0) .* b", '&': "conditions are joined by .*: (x > 0) .* (y > 0)",
	'%': "a comment begins with #; there is no remainder of a division here", '~': "write unequal as !=", '$': "write the formula without its dollar signs",
}

// letters are the Greek letters as they are written here.
var letters = map[rune]string{
	'α': "alpha", 'β': "beta", 'γ': "gamma", 'δ': "d", 'ε': "eps", 'ϵ': "eps", 'ζ': "zeta", 'η': "eta", 'θ': "theta", 'κ': "kappa", 'λ': "lambda", 'μ': "mu", 'µ': "mu",
	'ν': "nu", 'ξ': "xi", 'ρ': "rho", 'σ': "sigma", 'τ': "tau", 'φ': "phi", 'ϕ': "phi", 'χ': "chi", 'ψ': "psi", 'ω': "omega",
	'Γ': "Gamma", 'Δ': "Delta", 'Θ': "Theta", 'Λ': "Lambda", 'Ξ': "Xi", 'Π': "Pi", 'Φ': "Phi", 'Ψ': "Psi", 'Ω': "Omega", 'ℓ': "l",
}

// habit says what to write for the character at i, which begins no token.
func habit(src string, i int) string {
	r, size := utf8.DecodeRuneInString(src[i:])
	switch before := wordBefore(src, i); {
	case r == '.' && wordAfter(src, i+1) != "":
		return dotted(src, before, i)
	case r == '.' && strings.HasPrefix(src[i:], ".("):
		return fmt.Sprintf("functions act on every entry: write %s(%s)", before, enclosed(src, i+1))
	case r == '.' && strings.HasPrefix(src[i:], ".'"):
		return fmt.Sprintf("a transpose is written %s'", before)
	case r == '.' && strings.HasPrefix(src[i:], "..."):
		return "every axis is written: A[:, 0]"
	case r == '.' && i+1 < len(src) && strings.ContainsRune("+-<>=!", rune(src[i+1])):
		return "write " + strings.TrimSpace(strings.TrimLeft(src[i+1:min(i+3, len(src))], "")) + " without the dot: it acts on every entry"
	case r == '@' && strings.HasPrefix(src[i:], "@("):
		return "a function is defined by let f(x) = x^2"
	case r == '@' && before == "" && wordAfter(src, i+1) != "":
		return "write the operation itself: A + x, which repeats x for every column"
	case r == '{' && i > 1 && src[i-1] == '^' && wordBefore(src, i-1) == "e":
		return "write exp(x)"
	case r == '|' && strings.HasPrefix(src[i:], "|>"):
		return fmt.Sprintf("a function stands before its argument: %s(...)", cmp.Or(wordAfter(src, len(src)-len(strings.TrimLeft(src[i+2:], " "))), "f"))
	case r == '|':
		return bars(src, i)
	case r == '\\':
		return command(src, i+size)
	case r == '{' && i > 0 && src[i-1] == '^':
		return "an exponent stands in parentheses: x^(n + 1); an inverse is inv(A), a transpose A'"
	case r == '{' && strings.HasSuffix(before, "_"):
		return fmt.Sprintf("a name has no braces: %s1; an entry is written %s[i], in a definition in index notation", strings.TrimSuffix(before, "_"), strings.TrimSuffix(before, "_"))
	case letters[r] != "":
		return "write the letter as " + letters[r]
	case '₀' <= r && r <= '₉':
		return fmt.Sprintf("write %s%d", before, r-'₀')
	case signs[r] != "":
		return signs[r]
	case unicode.IsLetter(r):
		return "names are made of the letters a to z and A to Z, digits and _"
	}
	return ""
}

// wordBefore is the name that ends at i, and wordAfter the one that begins there.
func wordBefore(src string, i int) string {
	begin := i
	for begin > 0 && (IsLetter(src[begin-1]) || IsDigit(src[begin-1]) || src[begin-1] == '_') {
		begin--
	}
	return src[begin:i]
}

func wordAfter(src string, i int) string {
	return src[i:(&Scanner{Src: src, End: len(src)}).wordEnd(i)]
}

// dotted is the hint for np.sum(x), x.sum() and x.T, of which the dot stands at i.
func dotted(src, before string, i int) string {
	name, end := "", i
	for end < len(src) && src[end] == '.' && wordAfter(src, end+1) != "" {
		name = wordAfter(src, end+1)
		end += 1 + len(name)
	}
	object := before
	if object == "" {
		object = "x"
	}
	if name == "T" || name == "mT" || name == "H" {
		return fmt.Sprintf("a transpose is written %s'", object)
	}
	here := name + "(...)"
	if _, ok := functions[name]; !ok {
		here = Foreign(name)
	}
	args := enclosed(src, end)
	switch {
	case name == Pi:
		return "write pi"
	case name == "dot":
		return "write a matrix product as A*x, the inner product of vectors as x'*y"
	case name == "einsum" && args != "":
		spec, operands, _ := strings.Cut(strings.NewReplacer("'", "", `"`, "", " ", "").Replace(args), ",")
		for strings.Contains(operands, "->") {
			next, rest, _ := strings.Cut(operands, ",")
			spec, operands = spec+","+next, rest
		}
		return fmt.Sprintf("write einsum(%s; %s)", spec, strings.ReplaceAll(operands, ",", ", "))
	case Absent(name) != "":
		return Absent(name)
	case here == "" && slices.Contains(modules, before):
		return fmt.Sprintf("functions have no module before them: %s(...)", name)
	case here == "" && args == "" && len(name) == 1:
		return fmt.Sprintf("a matrix product is written %s*%s, an inner product %s'*%s", object, name, object, name)
	case here == "":
		return signs['.']
	case !slices.Contains(modules, before) && strings.Contains(args, "="):
		args = object + ", " + args
	case !slices.Contains(modules, before) && len(args) == 1 && IsDigit(args[0]):
		args = object + ", axis=" + args
	case !slices.Contains(modules, before) && args == "":
		args = object
	}
	if args != "" && len(args) < 40 {
		here = strings.Replace(here, "(...)", "("+strings.NewReplacer("dim=", "axis=", "keepdim=", "keepdims=").Replace(args)+")", 1)
	}
	return "write " + here
}

// enclosed is what stands between the parenthesis at i and its partner, "" where there is none.
func enclosed(src string, i int) string {
	depth := 0
	for at := i; at < len(src); at++ {
		switch src[at] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return src[i+1 : at]
			}
		}
		if depth == 0 {
			break
		}
	}
	return ""
}

// bars is the hint for ||x|| and |x|.
func bars(src string, i int) string {
	if strings.HasPrefix(src[i:], "|| ") && i > 0 && src[i-1] == ' ' && strings.Count(src, "||") == 1 {
		return "one of two conditions holds where max(x > 0, y > 0) is 1"
	}
	bar, function := "|", "abs"
	if strings.HasPrefix(src[i:], "||") {
		bar, function = "||", "norm2"
	}
	inner, rest, ok := strings.Cut(src[i+len(bar):], bar)
	if !ok || inner == "" || len(inner) > 40 {
		inner = "x"
	}
	hint := fmt.Sprintf("write %s(%s)", function, strings.TrimSpace(inner))
	if function == "norm2" && (strings.HasPrefix(rest, "_1") || strings.HasPrefix(rest, "_{1}")) {
		hint = fmt.Sprintf("write norm1(%s)", strings.TrimSpace(inner))
	}
	return hint
}

// commands are those of LaTeX, and what to write for them.
var commands = map[string]string{
	"cdot": "write a product as *", "times": "write a product as *", "odot": "write an element-wise product as .*", "circ": "write an element-wise product as .*", "otimes": "write kron(A, B), or x*y' for vectors",
	"top": "write a transpose as A'", "intercal": "write a transpose as A'", "mathsf": "write a transpose as A'", "frac": "write a quotient as a/b", "tfrac": "write a quotient as a/b", "dfrac": "write a quotient as a/b",
	"sum": "write sum(x), or sum{i}_0^(n-1) (...) in a definition f[] = ...", "sqrt": "write sqrt(x)", "left": "write parentheses alone: ( and )", "right": "write parentheses alone: ( and )", "|": "write a norm as norm2(x)", "Vert": "write a norm as norm2(x)", "lVert": "write a norm as norm2(x)",
	"operatorname": "write functions by their names: tr(A)", "mathrm": "write functions by their names: tr(A)", "text": "write functions by their names: tr(A)",
	"mathbf": "write names as they are: x", "boldsymbol": "write names as they are: x", "bm": "write names as they are: x", "vec": "write names as they are: x", "hat": "write the name as y_hat", "bar": "write the name as x_bar", "tilde": "write the name as x_tilde",
	"lvert": "write abs(x)", "langle": "write an inner product as x'*y", "mathbb": "write the mean of all entries as mean(x)", "infty": "there is no infinite number here", "prime": "write a transpose as x'",
	"nabla": "frechet grad prints the gradient of an expression", "partial": "frechet grad prints the gradient of an expression", "prod": "write prod(x)",
	"ln": "write log(x)", "leq": "write it as <=", "le": "write it as <=", "geq": "write it as >=", "ge": "write it as >=", "neq": "write it as !=", "ne": "write it as !=",
}

// command is the hint for a backslash before i: LaTeX, or MATLAB's division from the left.
func command(src string, i int) string {
	name := wordAfter(src, i)
	if strings.HasPrefix(src[i:], "|") {
		return commands["|"]
	}
	left := strings.TrimRight(src[:i-1], " ")
	if before := wordBefore(left, len(left)); before != "" && (len(name) == 1 || strings.HasPrefix(src[i:], " ")) {
		right := wordAfter(src, i+len(src[i:])-len(strings.TrimLeft(src[i:], " ")))
		return fmt.Sprintf("write inv(%s)*%s, or solve(%s, %s)", before, right, before, right)
	}
	braced := func(at int) string { // the group in braces that begins there
		if inner, _, ok := strings.Cut(strings.TrimPrefix(src[at:], "{"), "}"); ok && strings.HasPrefix(src[at:], "{") {
			return inner
		}
		return ""
	}
	first := braced(i + len(name))
	switch {
	case strings.HasSuffix(name, "frac") && first != "":
		if second := braced(i + len(name) + len(first) + 2); second != "" {
			return fmt.Sprintf("write a quotient as a/b: %s/%s", first, second)
		}
	case first == "1" && strings.HasPrefix(name, "math"):
		return "write ones(n)"
	case first != "" && functions[first].Name != "":
		return fmt.Sprintf("write functions by their names: %s(...)", first)
	}
	for _, greek := range letters {
		if strings.TrimPrefix(name, "var") == greek {
			return "write the letter as " + greek
		}
	}
	if _, ok := functions[name]; ok {
		arg := cmp.Or(first, enclosed(src, i+len(name)), wordAfter(src, i+len(name)+1), "...")
		return fmt.Sprintf("write %s(%s), that is %s(...)", name, arg, name)
	}
	if hint := commands[name]; hint != "" {
		return hint
	}
	return "LaTeX is not read here: write x'*A*x, sum(log(1 + exp(x)))"
}

// juxtaposed is the hint where an operator is missing between left and right.
func juxtaposed(left, right string, number bool) string {
	switch {
	case strings.HasPrefix(left, "sum_") || strings.HasPrefix(left, "Sum_"):
		return "a sum over an index is written in index notation, s[] = sum{i}_0^(n-1) (x[i]); that of all entries is sum(x)"
	case left == "if" || right == "if" || right == "else":
		return "a choice is written where(x > 0, a, b), or (x > 0) .* a + (x <= 0) .* b"
	case left == "lambda":
		return "a function is defined by let f(x) = x^2; a product is " + left + "*" + right
	case slices.ContainsFunc([]string{"minimize", "argmin", "min_"}, func(word string) bool { return strings.HasPrefix(left+"_", word) }):
		return "frechet minimize finds a minimum; the program has the function alone"
	case left == "dx" || left == "d" || left == "D":
		return "a derivative is asked for behind the expression: derivative wrt x"
	case left == "T":
		return fmt.Sprintf("a transpose is written A': x'*%s", right)
	case left == "not":
		return fmt.Sprintf("it is 1 where a value is 0: %s == 0", right)
	case right == "or":
		return "one of two conditions holds where max(x > 0, y > 0) is 1; both are joined by .*"
	case slices.Contains([]string{"and", "or", "not"}, right):
		return "conditions are joined by .*: (x > 0) .* (y > 0)"
	case number:
		return fmt.Sprintf("products are written out: %s*%s", left, right)
	}
	return fmt.Sprintf("products are written out: %s*%s, or %s *(i,i->) %s with indices", left, right, left, right)
}
