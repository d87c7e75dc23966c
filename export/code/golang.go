package code

import (
	"fmt"
	"go/format"
	"regexp"
	"strings"

	"frechet/einsum/size"
)

var inGo = &loops{
	spelling:  func(s spelled) string { return s.golang },
	real:      "float64(#)",
	index:     "#[@]",
	plusInto:  "# += @",
	divides:   "(#) % @ == 0",
	divided:   "(#)/@",
	closing:   "}",
	sqrt:      "math.Sqrt",
	power:     "math.Pow(#, @)",
	each:      "for # := $; # < @; #++ {",
	scalar:    "# := @",
	zero:      "clear(#)",
	condition: "if # {",
	choose:    "choose($, #, @)",
	weak:      "weakProduct(#, @)",
	spelled: map[string]string{"unless_zero": "unlessZero", "any_infinite": "anyInfinite", "floor_div": "floorDiv", "ceil_div": "ceilDiv",
		"max_of": "maxOf", "min_of": "minOf", "isinf": "math.IsInf(#, 0)", "fabs": "math.Abs"},
	products: true,
	constant: "number(#)",
	finish:   finishGo,
	reserved: strings.Fields(`break case chan const continue default defer else fallthrough for func go goto if import interface map package
		range return select struct switch type var bool byte error float64 int string uint true false nil iota
		append cap clear copy len make max min new panic print println math fmt mat blas blas64 floats init main
		square signOf relu truth gt ge lt le eq ne sigmoid logAddExp softplus log1mexp gelu lgamma unlessZero number draw move differs rand worst err h at up down d choose weakProduct anyInfinite
		floorDiv ceilDiv maxOf minOf amax amin logsumexp softmax norm2 matmul solve inv logdet minors products without`),
}

var definitionGo = regexp.MustCompile(`(?m)^func (\w+)\(`)

// packagesGo are the packages that printed programs may import.
var packagesGo = []struct{ name, path string }{{"fmt", "fmt"}, {"math", "math"}, {"rand", "math/rand/v2"}, {"", ""}, {"blas", "gonum.org/v1/gonum/blas"}, {"blas64", "gonum.org/v1/gonum/blas/blas64"},
	{"floats", "gonum.org/v1/gonum/floats"}, {"mat", "gonum.org/v1/gonum/mat"}}

// finishGo writes the file: the imports, the type of the results, the function, the helpers.
func finishGo(p *looper) {
	p.Name = exported(p.Name)
	body := p.bodyGo()
	helped := helpers([]string{"loops.go.txt"}, asItIs, definitionGo, body)
	code := body + strings.Join(helped, "\n\n")
	var file strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&file, format+"\n", args...) }
	line("// Printed by frechet export --target go.\n\npackage %s\n\nimport (", strings.ToLower(p.Name))
	for _, i := range packagesGo {
		switch {
		case i.name == "":
			line("")
		case regexp.MustCompile(`\b` + i.name + `\.`).MatchString(code):
			line("\t%q", i.path)
		}
	}
	line(")\n\n%s", body)
	if len(helped) > 0 {
		line("\n%s", strings.Join(helped, "\n\n"))
	}
	text, err := format.Source([]byte(file.String()))
	if err != nil {
		panic(err) // what is printed is a program
	}
	p.Write(text)
}

// bodyGo is the function with the type of its results.
func (p *looper) bodyGo() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("// %sResult has the results of %s.\ntype %sResult struct {", p.Name, p.Name, p.Name)
	for k, r := range p.Results {
		kind := "[]float64"
		if len(p.list[p.outputs[k]].Shape) == 0 {
			kind = "float64"
		}
		line("\t%s %s // %s", p.field(k), kind, r.Doc)
	}
	line("}\n\n// %s computes: %s", p.Name, strings.ReplaceAll(p.describe("", "Go"), "\n", "\n// "))
	line("// An error says that an argument does not have the length that the sizes give it.")
	var params []string
	for _, s := range p.symbols {
		params = append(params, p.names["size "+s.name]+" int")
	}
	for _, v := range p.Params {
		kind := " []float64"
		if v.Order() == 0 {
			kind = " float64"
		}
		params = append(params, p.names[v.Name()]+kind)
	}
	line("func %s(%s) (*%sResult, error) {", p.Name, strings.Join(params, ", "), p.Name)
	checks := p.differences()
	for _, s := range p.symbols {
		checks = append(checks, size.Sym(s.name))
	}
	for _, d := range checks {
		line("\tif %s < 0 {\n\t\treturn nil, fmt.Errorf(\"the size %s is negative\")\n\t}", p.size(d), d)
	}
	for _, v := range p.Params {
		if v.Order() > 0 {
			name := p.names[v.Name()]
			line("\tif len(%s) != %s {\n\t\treturn nil, fmt.Errorf(\"%s has %%d entries, but the shape %s\", len(%s))\n\t}", name, p.volume(v.Shape()), v.Name(), size.Shape(v.Shape()), name)
		}
	}
	for _, at := range p.arrays() {
		line("\t%s := make([]float64, %s)", p.temp(at), p.volume(p.list[at].Shape))
	}
	for k, o := range p.outputs {
		if name := p.names["result "+p.Results[k].Name]; p.result[o] == name {
			line("\t%s := make([]float64, %s)", name, p.volume(p.list[o].Shape))
		}
	}
	for _, l := range p.body {
		line("\t%s", strings.ReplaceAll(strings.TrimPrefix(l, "    "), "    ", "\t"))
	}
	fields := p.fieldsGo()
	line("\treturn &%sResult{%s}, nil\n}", p.Name, strings.Join(fields, ", "))
	b.WriteString(p.checkGo(params))
	return b.String()
}

// fieldsGo sets the fields of the results.
func (p *looper) fieldsGo() []string {
	var fields []string
	for k, o := range p.outputs {
		name := p.names["result "+p.Results[k].Name]
		value := name
		switch {
		case p.isScalar(o):
			value = p.entry(o, nil)
		case len(p.list[o].Shape) == 0:
			value = p.array(o) + "[0]"
		case p.array(o) != name:
			value = "append([]float64{}, " + p.array(o) + "...)"
		}
		fields = append(fields, p.field(k)+": "+value)
	}
	return fields
}

// field is the name of a result in the type of the results.
func (p *looper) field(k int) string {
	name := exported(p.resultName(k))
	for j := range k {
		if exported(p.resultName(j)) == name {
			name += fmt.Sprint(k) // jac_s and jac_S
			break
		}
	}
	return name
}

// exported is a name with a capital letter, without underscores before letters: grad_w is GradW.
func exported(name string) string {
	var b strings.Builder
	for _, part := range strings.Split(name, "_") {
		if part == "" {
			b.WriteString("_")
			continue
		}
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
