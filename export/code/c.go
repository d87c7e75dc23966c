package code

import (
	"fmt"
	"regexp"
	"strings"

	"frechet/einsum/size"
)

var inC = &loops{
	spelling:  func(s spelled) string { return s.c },
	real:      "(double)#",
	end:       ";",
	index:     "#[@]",
	plusInto:  "# += @",
	divides:   "(#) % @ == 0",
	divided:   "(#)/@",
	closing:   "}",
	sqrt:      "sqrt",
	power:     "pow(#, @)",
	each:      "for (long # = $; # < @; #++) {",
	scalar:    "double # = @",
	zero:      "memset(#, 0, (@) * sizeof(double))",
	condition: "if (#) {",
	choose:    "($ ? # : @)",
	weak:      "weak_product($, #u, (const double[]){@})",
	fails:     "failed |= #",
	parallel:  "#pragma omp parallel for if (@ > 10000)",
	dots:      true,
	finish:    finishC,
	reserved: strings.Fields(`auto break case char const continue default do double else enum extern float for goto if inline int long
		register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool
		memory work failed NAN INFINITY NULL malloc calloc free memcpy memset isinf isfinite main
		sin cos tan asin acos atan sinh cosh tanh exp log log1p expm1 fabs erf erfc pow sqrt gamma
		square sign_of relu gt ge lt le eq ne larger smaller sigmoid logaddexp softplus log1mexp gelu lgamma floor ceil nearbyint atan2 unless_zero draw move differs worst h dot weak_product any_infinite
		floor_div ceil_div max_of min_of amax amin logsumexp softmax norm2 lu solve inv logdet minors products without`),
}

var definitionC = regexp.MustCompile(`(?m)^static \w+ (\w+)\(`)

// finishC writes the file: the includes, the helpers, the function. Arrays that are no results lie in one block of memory.
func finishC(p *looper) {
	p.line("/* Printed by frechet export --target c. */")
	p.line("#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n")
	check := p.checkC()
	if helped := helpers([]string{"loops.c"}, asItIs, definitionC, strings.Join(p.body, "\n")+check); len(helped) > 0 {
		p.line("%s\n", strings.Join(helped, "\n\n"))
	}
	p.line("/* %s", strings.ReplaceAll(p.describe("   ", "C"), "*/", "* /"))
	p.line("   Returns 0, or 1 where memory runs out, or 2 where a size is negative. */")
	p.line("int %s(%s)\n{", p.Name, strings.Join(p.parametersC(), ", "))
	total := size.Const(0)
	arrays := p.arrays()
	for _, at := range arrays {
		n := size.Const(1)
		for _, d := range p.list[at].Shape {
			n = n.Mul(d)
		}
		total = total.Add(n)
	}
	checks := p.differences()
	for _, s := range p.symbols {
		checks = append(checks, size.Sym(s.name))
	}
	for _, d := range checks {
		p.line("    if (%s < 0)\n        return 2;", p.size(d))
	}
	p.line("    int failed = 0;")
	if len(arrays) > 0 {
		p.line("    double *memory = malloc((%s + 1) * sizeof *memory), *work = memory;", p.size(total))
		p.line("    if (!memory)\n        return 1;")
	}
	for _, at := range arrays {
		p.line("    double *%s = work;\n    work += %s;", p.temp(at), p.volume(p.list[at].Shape))
	}
	for _, l := range p.body {
		p.line("%s", l)
	}
	for k, o := range p.outputs {
		switch name := p.names["result "+p.Results[k].Name]; {
		case p.isScalar(o):
			p.line("    *%s = %s;", name, p.entry(o, nil))
		case p.array(o) != name:
			p.line("    memcpy(%s, %s, (%s) * sizeof(double));", name, p.array(o), p.volume(p.list[o].Shape))
		}
	}
	if len(arrays) > 0 {
		p.line("    free(memory);")
	}
	p.line("    return failed;\n}")
	p.WriteString(check)
}

// parametersC are the sizes, the arguments and the results.
func (p *looper) parametersC() []string {
	var params []string
	for _, s := range p.symbols {
		params = append(params, "long "+p.names["size "+s.name])
	}
	for _, v := range p.Params {
		if v.Order() == 0 {
			params = append(params, "double "+p.names[v.Name()])
		} else {
			params = append(params, "const double *"+p.names[v.Name()])
		}
	}
	for _, r := range p.Results {
		params = append(params, "double *"+p.names["result "+r.Name])
	}
	return params
}

// describe documents the function for languages in which arrays are flat.
func (p *looper) describe(indent, language string) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString("\n" + strings.TrimRight(indent+fmt.Sprintf(format, args...), " "))
	}
	b.WriteString(p.Title + "\n")
	for l := range strings.Lines(strings.TrimSpace(p.Source)) {
		line("    %s", strings.TrimRight(l, "\n"))
	}
	line("")
	line("Arrays lie row by row. Arguments:")
	for _, s := range p.symbols {
		line("    %s: a size", p.names["size "+s.name])
	}
	for _, v := range p.Params {
		line("    %s: %s", p.names[v.Name()], axes(v.Shape()))
	}
	line("Results:")
	for _, r := range p.Results {
		line("    %s: %s", p.names["result "+r.Name], r.Doc)
	}
	for _, n := range p.Notes {
		line("%s", n)
	}
	return b.String()
}
