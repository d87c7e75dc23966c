package syntax

import (
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
		"select": "where(c, a, b)", "clamp": "clip(x, a, b)", "ravel": "reshape(A, m*n)", "flatten": "reshape(A, m*n)", "flipud": "flip(...)", "fliplr": "flip(A, axis=1)", "circshift": "roll(x, k)",
		"grad": "frechet grad, a command", "gradient": "frechet grad, a command", "jacobian": "frechet jac, a command", "hessian": "frechet hess, a command",
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
	'→': "write the arrow as ->", '@': "write a matrix product as *",
	'{': "a sum over an index stands in a definition, f[] = sum{k}_0^4 (...); expressions are grouped by parentheses", '}': "expressions are grouped by parentheses",
	'≤': "write it as <=", '≥': "write it as >=", '≠': "write it as !=",
	'∑': "write sum(x), or sum{i}_0^(n-1) (...) in a definition f[] = ...", 'Σ': "write sum(x), or a name: Sigma", '√': "write sqrt(x)", '∇': "frechet grad prints the gradient of an expression", '∂': "frechet grad prints the gradient of an expression",
	'‖': "write a norm as norm2(x)", '∥': "write a norm as norm2(x)", '½': "write 1/2", '∞': "there is no infinite number here",
	'?': "a choice is made by a condition as a factor: (x > 0) .* a + (x <= 0) .* b", '&': "conditions are joined by .*: (x > 0) .* (y > 0)",
	'%': "there is no remainder of a division here", '~': "write unequal as !=", '$': "write the formula without its dollar signs",
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
	for begin > 0 && (isLetter(src[begin-1]) || isDigit(src[begin-1]) || src[begin-1] == '_') {
		begin--
	}
	return src[begin:i]
}

func wordAfter(src string, i int) string { return src[i:(&Lexer{src: src}).wordEnd(i)] }

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
	case here == "" && slices.Contains(modules, before):
		return fmt.Sprintf("functions have no module before them: %s(...)", name)
	case here == "":
		return signs['.']
	case !slices.Contains(modules, before) && (args == "" || strings.Contains(args, "=")):
		args = object
	}
	if args != "" && len(args) < 40 {
		here = strings.Replace(here, "(...)", "("+strings.ReplaceAll(args, "dim=", "axis=")+")", 1)
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
	"sum": "write sum(x), or sum{i}_0^(n-1) (...) in a definition f[] = ...", "sqrt": "write sqrt(x)", "left": "write ( and )", "right": "write ( and )", "|": "write a norm as norm2(x)", "Vert": "write a norm as norm2(x)", "lVert": "write a norm as norm2(x)",
	"operatorname": "write functions by their names: tr(A)", "mathrm": "write functions by their names: tr(A)", "text": "write functions by their names: tr(A)",
	"mathbf": "write names as they are: x", "boldsymbol": "write names as they are: x", "bm": "write names as they are: x", "vec": "write names as they are: x", "hat": "write the name as y_hat", "bar": "write the name as x_bar", "tilde": "write the name as x_tilde",
	"ln": "write log(x)", "leq": "write it as <=", "le": "write it as <=", "geq": "write it as >=", "ge": "write it as >=", "neq": "write it as !=", "ne": "write it as !=",
}

// command is the hint for a backslash before i: LaTeX, or MATLAB's division from the left.
func command(src string, i int) string {
	name := wordAfter(src, i)
	if strings.HasPrefix(src[i:], "|") {
		name = "|"
	}
	if before := wordBefore(src, i-1); before != "" && len(name) == 1 && i-1-len(before) >= 0 {
		return fmt.Sprintf("write inv(%s)*%s", before, name)
	}
	for _, greek := range letters {
		if strings.TrimPrefix(name, "var") == greek {
			return "write the letter as " + greek
		}
	}
	if _, ok := functions[name]; ok {
		return fmt.Sprintf("write %s(...)", name)
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
		return "a choice is made by a condition as a factor: (x > 0) .* a + (x <= 0) .* b"
	case slices.Contains([]string{"and", "or", "not"}, right):
		return "conditions are joined by .*: (x > 0) .* (y > 0)"
	case number:
		return fmt.Sprintf("products are written out: %s*%s", left, right)
	}
	return fmt.Sprintf("products are written out: %s*%s, or %s *(i,i->) %s with indices", left, right, left, right)
}
