package code

import (
	"fmt"
	"regexp"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

var inJulia = &loops{
	spelling:  func(s spelled) string { return s.julia },
	real:      "float(#)",
	index:     "#[1 + @]",
	plusInto:  "# += @",
	divides:   "mod(#, @) == 0",
	divided:   "div(#, @)",
	closing:   "end",
	returns:   true,
	sqrt:      "nan_sqrt",
	power:     "nan_pow(#, @)",
	each:      "for # in $:(@) - 1",
	scalar:    "# = @",
	zero:      "fill!(#, 0.0)",
	condition: "if #",
	choose:    "($ ? # : @)",
	weak:      "weak_product(#, (@,))",
	spelled: map[string]string{"floor_div": "fld", "ceil_div": "cld", "max_of": atom.Max.Name, "min_of": atom.Min.Name, "fabs": atom.Abs.Name,
		"inv": "inverses", "solve": "solutions", "logdet": "logdets", "softmax": "softmaxes"},
	products: true,
	finish:   finishJulia,
	reserved: strings.Fields(`abstract baremodule begin break catch const continue do else elseif end export false finally for function global if import
		in isa let local macro module mutable outer primitive quote return struct true try type using where while
		sin cos tan asin acos atan sinh cosh tanh exp log log1p expm1 abs erf erfc logabsgamma sqrt sign floor ceil round isinf mod div fld cld min max
		float fill! zeros only vec pi im Inf NaN step tolerance flat unflat axis_size check_shape check_size check_derivatives
		square nan_sin nan_cos nan_tan nan_asin nan_acos nan_log nan_log1p nan_sqrt nan_pow truth gt_ ge_ lt_ le_ eq_ ne_ larger smaller relu sigmoid
		logaddexp softplus log1mexp gelu unless_zero weak_product any_infinite amax amin logsumexp softmaxes norm2 matmul solutions inverses logdets
		minors without products LinearAlgebra SpecialFunctions mul! lu det issuccess norm`),
}

var definitionJulia = regexp.MustCompile(`(?m)^(?:function )?(\w+)\(`)

// packagesJulia are what printed programs may use, by package.
var packagesJulia = []struct{ name, uses string }{{"LinearAlgebra", "lu|det|issuccess|mul!|norm"}, {"SpecialFunctions", "erf|erfc|logabsgamma"}}

// finishJulia writes the file: what it uses, the helpers, the function, its check.
func finishJulia(p *looper) {
	body := p.bodyJulia()
	helped := strings.Join(helpers([]string{"loops.jl"}, asItIs, definitionJulia, body), "\n\n")
	p.line("# Printed by frechet export --target julia.")
	for _, u := range packagesJulia {
		var used []string
		for _, name := range strings.Split(u.uses, "|") {
			if regexp.MustCompile(`\b` + name + `\(`).MatchString(body + helped) {
				used = append(used, name)
			}
		}
		if used != nil {
			p.line("using %s: %s", u.name, strings.Join(used, ", "))
		}
	}
	if helped != "" {
		p.line("\n%s", helped)
	}
	p.line("\n%s", strings.TrimRight(body, "\n"))
}

// bodyJulia is the function and its check.
func (p *looper) bodyJulia() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	params := p.parametersJulia()
	line("\"\"\"\n%s\n\nThe results are a named tuple. A result without axes is a number, others are arrays of Float64.\n\"\"\"",
		strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`).Replace(p.describe("", "Julia")))
	line("function %s(%s)", p.Name, strings.Join(params, ", "))
	for _, s := range p.symbols {
		if s.param >= 0 {
			for _, l := range p.sizeJulia(s) {
				line("    %s", l)
			}
		}
	}
	for _, d := range p.differences() {
		line("    check_size(\"%s\", %s)", d, p.size(d))
	}
	for _, v := range p.Params {
		name := p.names[v.Name()]
		line("    %s = flat(\"%s\", %s, %s)", name, v.Name(), name, p.shapeJulia(v.Shape()))
		if v.Order() == 0 {
			line("    %s = %s[1]", name, name)
		}
	}
	for _, at := range p.arrays() {
		line("    %s = zeros(%s)", p.temp(at), p.volume(p.list[at].Shape))
	}
	var fields []string
	for k, o := range p.outputs {
		name := p.resultName(k)
		if p.result[o] == name {
			line("    %s = zeros(%s)", name, p.volume(p.list[o].Shape))
		}
		value := p.entry(o, nil)
		if !p.isScalar(o) {
			value = fmt.Sprintf("unflat(%s, %s)", p.array(o), p.shapeJulia(p.list[o].Shape))
		}
		fields = append(fields, name+" = "+value)
	}
	for _, l := range p.body {
		line("%s", l)
	}
	line("    return (%s,)\nend", strings.Join(fields, ", "))
	b.WriteString(p.checkJulia(params))
	return b.String()
}

// parametersJulia are the arguments, and by name the sizes that no shape shows.
func (p *looper) parametersJulia() []string {
	var params, sizes []string
	for _, v := range p.Params {
		params = append(params, p.names[v.Name()])
	}
	for _, s := range p.symbols {
		if s.param < 0 {
			sizes = append(sizes, p.names["size "+s.name])
		}
	}
	return append(params, sizes...)
}

// sizeJulia finds the number of a size symbol.
func (p *looper) sizeJulia(s symbol) []string {
	name, v := p.names["size "+s.name], p.Params[s.param]
	x := fmt.Sprintf(`axis_size("%s", %s, %d, %d)`, v.Name(), p.names[v.Name()], v.Order(), s.axis+1)
	if s.less != (size.Size{}) {
		x = p.plus(x, size.Size{}.Sub(s.less))
	}
	if s.factor != size.Const(1) {
		x = fmt.Sprintf("fld(%s, max(1, %s))", x, p.size(s.factor))
	}
	return []string{fmt.Sprintf("%s = %s", name, x), fmt.Sprintf(`check_size("%s", %s)`, s.name, name)}
}

func (p *looper) shapeJulia(shape []size.Size) string {
	if len(shape) == 1 {
		return "(" + p.size(shape[0]) + ",)"
	}
	return "(" + p.sizeList(shape) + ")"
}

// checkJulia writes the function that compares derivatives with differences.
func (p *looper) checkJulia(params []string) string {
	var rows []string
	place := func(v *combinators.Node) int {
		for i, x := range p.Params {
			if x == v {
				return i + 1
			}
		}
		return 0
	}
	for _, r := range p.rows() {
		rows = append(rows, fmt.Sprintf("(%d, %d, %d, %d)", r.k+1, r.of+1, place(r.wrt), place(r.along)))
	}
	if rows == nil {
		return ""
	}
	arguments := strings.Join(params, ", ")
	return fmt.Sprintf(`
"""
Compares derivatives of %[1]s with central differences of the given step along random directions: the largest difference, relative
to the derivative or to 1.
"""
function %[1]s_check(%[2]s; step = 1e-5)
    return check_derivatives(%[1]s, (%[2]s,), (%[3]s,), step)
end
`, p.Name, arguments, strings.Join(rows, ", "))
}
