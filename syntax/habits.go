package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How people who come from other systems write what this language has: hints say what to write here.

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
	'{': "expressions are grouped by parentheses, and joined as [x; y] or [x, y]; a sum over an index stands in a definition, f[] = sum{k}_0^4 (...)", '}': "expressions are grouped by parentheses",
	'∈': "a variable is declared by its sizes: declare x[n]", 'ℝ': "a variable is declared by its sizes: declare x[n]", '⟨': "an inner product is written x'*y",
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

// openings are what a text without a token begins with, and what to write for it.
var openings = []struct{ text, hint string }{
	{"%*%", "write a matrix product as *"}, {"%o%", "write outer(x, y)"}, {"%x%", "write kron(A, B)"},
	{"...", "every axis is written: A[:, 0]"},
	{"@(", "a function is defined by let f(x) = x^2"}, {"@.", "functions and operations act on every entry: leave out @."},
	{"@ein", "an index product is written A *(ij,j->i) x, or einsum(ij,j->i; A, x)"},
}

// habits are the hints for a character that depend on what stands around it, "" where they have none.
var habits = map[rune]func(src, before string, i int) string{
	'.': dot, '{': brace, '_': underscore, '|': bar,
	'\\': func(src, _ string, i int) string { return command(src, i+1) },
	'@': func(src, before string, i int) string {
		if before == "" && wordAfter(src, i+1) != "" {
			return "write the operation itself: A + x, which repeats x for every column"
		}
		return ""
	},
}

// habit says what to write for the character at i, which begins no token.
func habit(src string, i int) string {
	r, size := utf8.DecodeRuneInString(src[i:])
	if r == '.' || r == '{' {
		if hint := bracketed(src, i); hint != "" {
			return hint
		}
	}
	for _, o := range openings {
		if strings.HasPrefix(src[i:], o.text) {
			return o.hint
		}
	}
	before := wordBefore(src, i)
	if of := habits[r]; of != nil {
		if hint := of(src, before, i); hint != "" {
			return hint
		}
	}
	switch {
	case letters[r] == "sigma" && (strings.HasPrefix(src[i+size:], "(") || strings.HasPrefix(src[i+size:], ".(")):
		return fmt.Sprintf("write sigmoid(%s)", enclosed(src, i+strings.IndexByte(src[i:], '(')))
	case letters[r] != "":
		return "write the letter as " + letters[r]
	case '₀' <= r && r <= '₉':
		return fmt.Sprintf("write %s%d", before, r-'₀')
	case signs[r] == "" && unicode.IsLetter(r):
		return "names are made of the letters a to z and A to Z, digits and _"
	}
	return signs[r]
}

// dot is the hint for A . x, np.sum(x), f.(x), x.' and x .+ y.
func dot(src, before string, i int) string {
	switch after := src[i+1:]; {
	case strings.HasPrefix(after, " ") && i > 0 && src[i-1] == ' ':
		return "a matrix product is written A*x, an inner product x'*y"
	case wordAfter(src, i+1) != "":
		return dotted(src, before, i)
	case strings.HasPrefix(after, "("):
		here := fmt.Sprintf("%s(%s)", before, enclosed(src, i+1))
		if functions[before].Name == "" {
			here = cmp.Or(Foreign(before), here)
		}
		return fmt.Sprintf("functions act on every entry: write %s", here)
	case strings.HasPrefix(after, "'"):
		return fmt.Sprintf("a transpose is written %s'", before)
	case after != "" && strings.ContainsRune("+-<>=!", rune(after[0])):
		return "write " + strings.TrimSpace(after[:min(2, len(after))]) + " without the dot: it acts on every entry"
	}
	return ""
}

// brace is the hint for x^{2}, \sin{x}, x_{1} and {1, 2}.
func brace(src, before string, i int) string {
	switch raised := i > 0 && src[i-1] == '^'; {
	case raised && wordBefore(src, i-1) == "e":
		return "write exp(x)"
	case raised && strings.Contains("T \\top t", strings.TrimSpace(group(src, i, '}'))):
		return fmt.Sprintf("a transpose is written %s'", cmp.Or(wordBefore(src, i-1), "A"))
	case raised:
		return "an exponent stands in parentheses: x^(n + 1); an inverse is inv(A), a transpose A'"
	case functions[before].Name != "" || Foreign(before) != "":
		return fmt.Sprintf("arguments of functions stand in parentheses: %s", cmp.Or(Foreign(before), before+"(...)"))
	case strings.EqualFold(before, "sum_") || strings.EqualFold(before, "prod_"):
		return juxtaposed(before, "", false)
	case strings.HasSuffix(before, "_"):
		return fmt.Sprintf("a name has no braces: %s1; an entry is written %s[i], in a definition in index notation", strings.TrimSuffix(before, "_"), strings.TrimSuffix(before, "_"))
	case before == "" && strings.HasPrefix(src[i:], "{{"):
		return "a matrix is written [1, 2; 3, 4]"
	case before == "" && i+1 < len(src) && IsDigit(src[i+1]):
		return "a vector is written [1; 2; 3], a matrix [1, 2; 3, 4]"
	}
	return ""
}

// underscore is the hint for ||x||_2, where the norm is written with parentheses, and 1_n.
func underscore(src, _ string, i int) string {
	switch {
	case i > 0 && src[i-1] == ')':
		return "a norm has no index here: norm2(x), norm1(x)"
	case i > 0 && IsDigit(src[i-1]):
		return "a vector of ones is written ones(n), the identity I"
	}
	return ""
}

// bar is the hint for x |> f, ||x|| and |x|.
func bar(src, _ string, i int) string {
	if after, ok := strings.CutPrefix(src[i:], "|>"); ok {
		return fmt.Sprintf("a function stands before its argument: %s(...)", cmp.Or(wordAfter(src, len(src)-len(strings.TrimLeft(after, " "))), "f"))
	}
	return bars(src, i)
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
	if i > len(src) {
		return ""
	}
	return src[i:(&Scanner{Src: src, End: len(src)}).wordEnd(i)]
}

// operandBefore is the operand in brackets that ends at i: x[1:], f(x) or (x + y); "" where it is long.
func operandBefore(src string, i int) string {
	for at := i - 1; at >= max(0, i-40); at-- {
		if c := src[at]; c == '(' && len(enclosed(src, at))+2 == i-at || c == '[' && len(group(src, at, ']'))+2 == i-at {
			return wordBefore(src, at) + src[at:i]
		}
	}
	return ""
}

// isWord reports whether s is a name.
func isWord(s string) bool { return s != "" && wordAfter(s, 0) == s }

// dotted is the hint for np.sum(x), x.sum() and x.T, of which the dot stands at i.
// It stays one list of cases, the first of which holds.
func dotted(src, before string, i int) string {
	name, end, transposed := "", i, false
	product := before // x'*A*x for x.A.x
	if before != "" && unicode.IsLower(rune(before[0])) {
		product += "'"
	}
	for end < len(src) && src[end] == '.' && wordAfter(src, end+1) != "" {
		transposed = transposed || name == "T"
		name = wordAfter(src, end+1)
		product += "*" + name
		end += 1 + len(name)
	}
	object, args := cmp.Or(before, operandBefore(src, i), "x"), enclosed(src, end)
	if hint := attribute(name, object, args, transposed); hint != "" {
		return hint
	}
	module := slices.Contains(modules, before)
	here := name + "(...)"
	if _, ok := functions[name]; !ok {
		here = Foreign(name)
	}
	switch {
	case name == "diff" && !module && isWord(args):
		return "frechet grad prints a derivative: --wrt " + args
	case name == Pi:
		return "write pi"
	case Absent(name) != "":
		return Absent(name)
	case here == "" && module:
		return fmt.Sprintf("there is no function %s here; frechet help functions lists those that there are", name)
	case here == "" && args == "" && len(name) == 1:
		return fmt.Sprintf("products are written %s", product)
	case here == "":
		return signs['.']
	}
	args = arguments(name, object, args, module)
	if args != "" && len(args) < 40 {
		here = strings.Replace(here, "(...)", "("+strings.NewReplacer("dim=", "axis=", "keepdim=", "keepdims=").Replace(args)+")", 1)
	}
	return "write " + here
}

// attribute is the hint for A.I, A.T, x.dot(y) and np.einsum, which no function is called by, "" for another name.
func attribute(name, object, args string, transposed bool) string {
	switch {
	case name == "I":
		return fmt.Sprintf("an inverse is written inv(%s)", object)
	case name == "T" || name == "mT" || name == "H" || transposed && (name == "conj" || name == "real"):
		return fmt.Sprintf("a transpose is written %s'", object)
	case (name == "dot" || name == "matmul") && transposed && args != "":
		return fmt.Sprintf("write %s'*%s", object, over(args))
	case name == "dot":
		return "write a matrix product as A*x, the inner product of vectors as x'*y"
	case name == "einsum" && args != "":
		spec, operands, _ := strings.Cut(strings.NewReplacer("'", "", `"`, "", " ", "").Replace(args), ",")
		for strings.Contains(operands, "->") {
			next, rest, _ := strings.Cut(operands, ",")
			spec, operands = spec+","+next, rest
		}
		return fmt.Sprintf("write einsum(%s; %s)", spec, strings.ReplaceAll(operands, ",", ", "))
	}
	return ""
}

// arguments are those of x.sum(1), which is sum(x, axis=1), and of a module's function.
func arguments(name, object, args string, module bool) string {
	f := functions[name]
	switch {
	case !module && (strings.Contains(args, "=") || args != "" && f.Min > 1):
		return object + ", " + args
	case !module && isInt(args):
		return object + ", axis=" + args
	case f.Axis && strings.Count(args, ",") == 1 && isInt(strings.TrimSpace(args[strings.Index(args, ",")+1:])):
		return strings.Replace(args, ", ", ", axis=", 1)
	case !module && args == "":
		return object
	}
	return args
}

// enclosed is what stands between the parenthesis at i and its partner, "" where there is none.
func enclosed(src string, i int) string {
	if i >= len(src) || src[i] != '(' {
		return ""
	}
	return group(src, i, ')')
}

// group is what stands between the bracket at i and its partner, "" where there is none.
func group(src string, i int, closing byte) string {
	depth := 0
	for at := i; at < len(src); at++ {
		switch src[at] {
		case src[i]:
			depth++
		case closing:
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

// written says how a function of another system and the products in its brackets are written.
func written(name string) string {
	return fmt.Sprintf("%s: here it is %s; products are written *, an inner product x'*y", name, Foreign(name))
}

// bracketed is the hint for Tr[A.B], Transpose[A].x and Transpose(b).A, where the dot stands at i: of the function whose brackets are
// around it or before it.
func bracketed(src string, i int) string {
	depth := 0
	if i > 0 && src[i-1] == ')' {
		open := strings.LastIndexByte(src[:i], '(')
		for open > 0 && open+len(enclosed(src, open))+2 != i {
			open = strings.LastIndexByte(src[:open], '(')
		}
		if name := wordBefore(src, max(open, 0)); name != "" && functions[name].Name == "" && Foreign(name) != "" && len(wordAfter(src, i+1)) == 1 {
			return written(name)
		}
		return ""
	}
	for at := i - 1; at >= 0; at-- {
		switch src[at] {
		case ']':
			depth++
		case '[':
			name := wordBefore(src, at)
			if depth--; depth <= 0 && name != "" && unicode.IsUpper(rune(name[0])) && Foreign(name) != "" {
				return written(name)
			}
		}
	}
	return ""
}

// entries is how A(:, 1), of which the text of the arguments is given, is written here: A[:, 0].
func entries(name, args string) string {
	if strings.TrimSpace(args) == ":" {
		return fmt.Sprintf("vec(%s)", name)
	}
	place := func(s string, below int) string {
		if k, err := strconv.Atoi(s); err == nil {
			return strconv.Itoa(k - below)
		}
		if rest, ok := strings.CutPrefix(s, "end"); ok {
			k, _ := strconv.Atoi(strings.ReplaceAll(rest, " ", ""))
			if below == 0 && k == 0 {
				return ""
			}
			return strconv.Itoa(k - below)
		}
		return s
	}
	parts := strings.Split(args, ",")
	for k, p := range parts {
		from, to, isRange := strings.Cut(strings.TrimSpace(p), ":")
		step, last, stepped := strings.Cut(to, ":")
		switch {
		case !isRange:
			parts[k] = place(from, 1)
		case stepped && from+step+last == "end-11":
			parts[k] = "::-1"
		case stepped:
			parts[k] = place(from, 1) + ":" + place(last, 0) + ":" + step
		default:
			parts[k] = place(from, 1) + ":" + place(to, 0)
		}
	}
	return fmt.Sprintf("%s[%s]", name, strings.Join(parts, ", "))
}

// Entries is the hint for x(1), A(:, 1) and x(end), where x is no function: entries stand in brackets and are counted from 0.
func Entries(name, args string) string {
	return "entries and slices stand in brackets and count from 0: " + entries(name, args)
}

// bars is the hint for ||x|| and |x|.
func bars(src string, i int) string {
	if strings.HasPrefix(src[i:], "|| ") && i > 0 && src[i-1] == ' ' && strings.Count(src, "||") == 1 {
		return "one of two conditions holds where max(x > 0, y > 0) is 1"
	}
	bar, function := "|", "abs"
	if strings.HasSuffix(wordBefore(src, i), "log") || strings.HasSuffix(wordBefore(src, i), "ln") {
		function = "log(det"
	}
	if strings.HasPrefix(src[i:], "||") {
		bar, function = "||", "norm2"
	}
	inner, rest, ok := strings.Cut(src[i+len(bar):], bar)
	if !ok || inner == "" || len(inner) > 40 {
		inner = "x"
	}
	hint := fmt.Sprintf("write %s(%s)", function, strings.TrimSpace(inner))
	if function == "log(det" {
		return fmt.Sprintf("write logdet(%[1]s) for the determinant, log(abs(%[1]s)) for the absolute value", strings.TrimSpace(inner))
	}
	if strings.HasPrefix(rest, "_2") {
		hint = fmt.Sprintf("write norm2(%s)", strings.TrimSpace(inner))
	}
	if strings.HasPrefix(rest, "_1") || strings.HasPrefix(rest, "_{1}") {
		hint = fmt.Sprintf("write norm1(%s)", strings.TrimSpace(inner))
	}
	return hint
}

const leastHint = "frechet minimize finds a minimum of a program; argmin(x = 0[n]) f is where f is least, as a part of one"

// commands are those of LaTeX, and what to write for them.
var commands = map[string]string{
	"cdot": "write a product as *", "times": "write a product as *", "odot": "write an element-wise product as .*", "circ": "write an element-wise product as .*", "otimes": "write kron(A, B), or x*y' for vectors",
	"top": "write a transpose as A'", "intercal": "write a transpose as A'", "mathsf": "write a transpose as A'", "frac": "write a quotient as a/b", "tfrac": "write a quotient as a/b", "dfrac": "write a quotient as a/b",
	"sum": "write sum(x), or sum{i}_0^(n-1) (...) in a definition f[] = ...", "sqrt": "write sqrt(x)", "left": "write parentheses alone: ( and )", "right": "write parentheses alone: ( and )", "|": "write a norm as norm2(x)", "Vert": "write a norm as norm2(x)", "lVert": "write a norm as norm2(x)",
	"operatorname": "write functions by their names: tr(A)", "mathrm": "write functions by their names: tr(A)", "text": "write functions by their names: tr(A)",
	"mathbf": "write names as they are: x", "boldsymbol": "write names as they are: x", "bm": "write names as they are: x", "vec": "write names as they are: x", "hat": "write the name as y_hat", "bar": "write the name as x_bar", "tilde": "write the name as x_tilde",
	"lvert": "write abs(x)", "langle": "write an inner product as x'*y", "lambda": "write the letter as lambda", "pi": "write pi", "log": "write log(x)", "exp": "write exp(x)", "det": "write det(A)", "max": "write max(x)", "min": "write min(x)", "begin": "a matrix is written [a, b; c, d]", "quad": "leave blanks out", "mathbb": "write the mean of all entries as mean(x)", "infty": "there is no infinite number here", "prime": "write a transpose as x'",
	"arg": leastHint, "argmin": leastHint,
	"nabla": "frechet grad prints the gradient of an expression", "partial": "frechet grad prints the gradient of an expression", "prod": "write prod(x)",
	"ln": "write log(x)", "leq": "write it as <=", "le": "write it as <=", "geq": "write it as >=", "ge": "write it as >=", "neq": "write it as !=", "ne": "write it as !=",
}

// over is a text as a factor.
func over(part string) string {
	if strings.ContainsAny(part, "+-*/ ") {
		return "(" + part + ")"
	}
	return part
}

func isInt(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// leftDivision is the hint for A \ b, "" where the backslash begins a command of LaTeX.
func leftDivision(left, name, right string) string {
	if before := wordBefore(left, len(left)); before != "" && (len(name) == 1 || strings.HasPrefix(right, " ")) {
		by := wordAfter(strings.TrimLeft(right, " "), 0)
		return fmt.Sprintf("write inv(%s)*%s, or solve(%s, %s)", before, by, before, by)
	}
	if strings.HasSuffix(left, "'") || strings.HasSuffix(left, ")") && (strings.HasPrefix(right, "(") || strings.HasPrefix(right, " ")) {
		return "write solve(A, b), or inv(A)*b"
	}
	return ""
}

// command is the hint for a backslash before i: LaTeX, or MATLAB's division from the left.
// It stays one list of cases, the first of which holds.
func command(src string, i int) string {
	name := wordAfter(src, i)
	if rest, ok := strings.CutPrefix(src[i:], "left\\"); ok {
		return command(src, len(src)-len(rest))
	}
	if strings.HasPrefix(src[i:], "|") {
		return bars(strings.ReplaceAll(src[i-1:], `\|`, "||"), 0)
	}
	if hint := leftDivision(strings.TrimRight(src[:i-1], " "), name, src[i:]); hint != "" {
		return hint
	}
	braced := func(at int) string { // the group in braces that begins there
		if at > len(src) || !strings.HasPrefix(src[at:], "{") {
			return ""
		}
		return group(src, at, '}')
	}
	first := braced(i + len(name))
	switch {
	case strings.HasSuffix(name, "frac") && strings.Contains(first, "partial"):
		return commands["partial"]
	case strings.HasSuffix(name, "frac") && first != "":
		if second := braced(i + len(name) + len(first) + 2); second != "" {
			return fmt.Sprintf("write a quotient as a/b: %s/%s", over(first), over(second))
		}
	case first == "1" && strings.HasPrefix(name, "math"):
		return "write ones(n)"
	case first != "" && functions[first].Name != "":
		return fmt.Sprintf("write functions by their names: %s(...)", first)
	}
	name, index, _ := strings.Cut(name, "_")
	for _, greek := range letters {
		if strings.TrimPrefix(name, "var") == greek {
			if arg := enclosed(src, i+len(name)); greek == "sigma" && arg != "" {
				return fmt.Sprintf("write sigmoid(%s)", arg)
			}
			return "write the letter as " + greek
		}
	}
	if hint := commands[name]; hint != "" && (index != "" || strings.HasPrefix(src[i+len(name):], "_") || name == "vec") {
		return hint
	}
	if _, ok := functions[name]; ok {
		arg := cmp.Or(first, enclosed(src, i+len(name)), wordAfter(src, i+len(name)+1), "...")
		if arg == "left" {
			arg = "..."
		}
		return fmt.Sprintf("write %s(%s)", name, arg)
	}
	if hint := commands[name]; hint != "" {
		return hint
	}
	return "LaTeX is not read here: write x'*A*x, sum(log(1 + exp(x)))"
}

// subscripted reports a name like x_i or A_ij.
func subscripted(name string) bool {
	_, index, ok := strings.Cut(name, "_")
	return ok && index != "" && strings.Trim(index, "ijkl") == ""
}

// juxtaposed is the hint where an operator is missing between left and right: a list, the first that fits, which stays one switch.
func juxtaposed(left, right string, number bool) string {
	switch {
	case strings.HasPrefix(left, "sum_") || strings.HasPrefix(left, "Sum_"):
		return "a sum over an index is written in index notation, s[] = sum{i}_0^(n-1) (x[i]); that of all entries is sum(x)"
	case left == "if" || right == "if" || right == "else":
		return "a choice is written where(x > 0, a, b), or (x > 0) .* a + (x <= 0) .* b"
	case left == "function" || left == "def":
		return "a function is defined by let f(x) = x^2"
	case left == "lambda":
		return "a function is defined by let f(x) = x^2, and --language numpy reads one of Python; a product is " + left + "*" + right
	case slices.ContainsFunc([]string{"minimize", "argmin", "min_"}, func(word string) bool { return strings.HasPrefix(left+"_", word) }):
		return leastHint
	case left == "for" || right == "for":
		return "functions act on every entry: x^2; a sum over places stands in a definition, f[] = sum{i}_0^(n - 1) (x[i]^2)"
	case functions[left].Name != "":
		return "arguments of a function stand in parentheses: " + functions[left].usage()
	case subscripted(left) && subscripted(right):
		return "indices stand in products, A *(ij,j->i) x, or in a definition, y[i] = sum{j}_0^(n - 1) (A[i; j]*x[j])"
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
	case left == ")" || left == "]":
		return fmt.Sprintf("products are written out: (...)*%s", right)
	case number:
		return fmt.Sprintf("products are written out: %s*%s", left, right)
	}
	return fmt.Sprintf("products are written out: %s*%s, or %s *(i,i->) %s with indices", left, right, left, right)
}
