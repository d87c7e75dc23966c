package code

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/eval/plan"
)

// An array language is Python with a library of arrays like NumPy's.
type arrays struct {
	module   string // the name of the library's module
	imports  string
	helpers  string // the file of what the library says in its own way
	spelling func(spelled) string
	argument string // makes an argument an array
	number   string // makes a number an array, where functions take arrays only
	copied   string // a copy of an array
	permute  string // the function that permutes axes
	reshape  string // the function that changes the shape
	whole    bool   // arrays are in one piece, so that any entry can be read
	index    string // makes an array one of whole numbers
	note     string
}

var (
	numpy = &arrays{"np", "import numpy as np", "numpy.py", func(s spelled) string { return s.numpy },
		"np.asarray(#, dtype=float)", "np.float64(#)", "np.array(#)", "transpose", "np.reshape", true, "#.astype(int)", "Arguments are anything that NumPy makes arrays of; results are arrays of float64."}
	torch = &arrays{"torch", "import numpy as np\nimport torch", "torch.py", func(s spelled) string { return cmp.Or(s.torch, s.numpy) },
		"", "_number(#)", "(#).clone()", "permute", "torch.reshape", true, "#.long()", "Arguments are tensors of one type and device, in which all is computed."}
	jax = &arrays{"jnp", "import jax\nimport jax.numpy as jnp\nimport numpy as np", "jax.py", func(s spelled) string { return cmp.Or(s.jax, s.numpy) },
		"jnp.asarray(#)", "jnp.asarray(#)", "#", "transpose", "jnp.reshape", true, "#.astype(int)", "The function can be jitted. It computes in float64 where jax_enable_x64 is set."}
	dask = &arrays{"da", "import dask\nimport dask.array as da\nimport numpy as np", "dask.py", func(s spelled) string { return s.numpy },
		"da.asarray(#)", "da.asarray(np.float64(#))", "#", "transpose", "_reshape", false, "", "Results are Dask arrays: dask.compute(*f(..)) computes all of them, and once what they share."}
)

// pythonReserved are names that printed programs use for other things.
var pythonReserved = strings.Fields(`False None True and as assert async await break class continue def del elif else except

	finally for from global if import in is lambda nonlocal not or pass raise return try while with yield
	np torch jnp jax da dask math itertools namedtuple Result check abs max min sum range len tuple float print f`)

var pythonDefinition = regexp.MustCompile(`\b(_\w+)`)

// A python writes one function in an array language.
type python struct {
	*writer
	*arrays
	body   []string
	needed []bool         // by instruction
	uses   []int          // by instruction: how often it is read
	picked map[string]int // what arrays of whole numbers pick, by its text: the instruction
}

// prepare finds what is read.
func (p *python) prepare() {
	p.needed, p.uses = make([]bool, len(p.list)), make([]int, len(p.list))
	for _, i := range p.list {
		for _, a := range i.Args {
			p.uses[a]++
		}
	}
	for _, o := range p.outputs {
		p.needed[o] = true
		p.uses[o]++
	}
	for at, i := range slices.Backward(p.list) {
		if !p.needed[at] {
			continue
		}
		read := i.Args
		if i.Kind == plan.DoApply && i.Node.Is(atom.Add) {
			read = nil
			for _, a := range p.addends(&i) {
				read = append(read, a.value)
			}
		}
		for _, a := range read {
			p.needed[a] = true
		}
	}
}

func (l *arrays) write(w *writer) error {
	p := &python{writer: w, arrays: l, picked: map[string]int{}}
	w.real = "#"
	w.declare(slices.DeleteFunc(slices.Clone(pythonReserved), func(s string) bool { return s == w.Function.Name }))
	p.arguments()
	p.prepare()
	if err := p.statements(); err != nil {
		return err
	}
	p.results()
	p.printModule()
	return nil
}

// statements computes what is needed.
func (p *python) statements() error {
	w := p.writer
	for i := range w.list {
		if variable(&w.list[i]) != nil || !p.needed[i] {
			continue
		}
		if pair := p.softmaxOf(i); pair >= 0 && p.needed[pair] {
			p.add("%s, %s = _logsumexp_softmax(%s, %d)", w.temp(i), w.temp(pair), p.array(w.list[i].Args[0]), w.list[i].Node.Attr())
			p.needed[pair] = false
			continue
		}
		x, err := p.expression(&w.list[i])
		if err != nil {
			return err
		}
		if w.literal(i) == "" {
			if over := w.empty(i); over != nil {
				x = fmt.Sprintf("%s if %s else %s", x, strings.Join(over, " and "), p.zeros(&w.list[i]))
			}
			p.add("%s = %s", w.temp(i), x)
		}
	}
	return nil
}

func (p *python) add(format string, args ...any) {
	p.body = append(p.body, fmt.Sprintf(format, args...))
}

// arguments makes the arguments arrays, and checks their shapes.
func (p *python) arguments() {
	for _, v := range p.Params {
		if name := p.names[v.Name()]; p.argument != "" {
			p.add("%s = %s", name, strings.ReplaceAll(p.argument, "#", name))
		}
	}
	if strings.HasPrefix(p.number, "_") {
		like := "None"
		if at := slices.IndexFunc(p.Params, func(v *combinators.Node) bool { return !isIndex(v) }); at >= 0 {
			like = p.names[p.Params[at].Name()]
		}
		p.add("_number = _numbers_like(%s)", like)
	}
	for _, s := range p.symbols {
		if s.param < 0 {
			continue
		}
		v := p.Params[s.param]
		x := fmt.Sprintf(`_size("%s", %s, %d, %d)`, v.Name(), p.names[v.Name()], len(shapeOf(v)), s.axis)
		if s.less != (size.Size{}) {
			x = p.plus(x, size.Size{}.Sub(s.less))
		}
		if s.factor != size.Const(1) {
			x = fmt.Sprintf("(%s) // max(1, %s)", x, p.size(s.factor))
		}
		p.add("%s = %s", p.names["size "+s.name], x)
		if s.less != (size.Size{}) {
			p.add(`_check_size("%s", %s)`, s.name, p.names["size "+s.name])
		}
	}
	for _, v := range p.Params {
		name := p.names[v.Name()]
		if p.add(`_check_shape("%s", %s, %s)`, v.Name(), name, p.shape(shapeOf(v))); isIndex(v) {
			p.add(`_check_index("%s", %s, %s)`, v.Name(), name, p.size(v.Shape()[v.Order()-1]))
			p.add("%s = %s", name, strings.ReplaceAll(p.index, "#", name))
		}
	}
	for _, d := range p.differences() {
		p.add(`_check_size("%s", %s)`, d, p.size(d))
	}
}

// results returns the results. What shares memory with an argument, or repeats entries, is copied.
func (p *python) results() {
	args := make([]string, len(p.Results))
	for k, r := range p.Results {
		at := p.outputs[k]
		x := p.array(at)
		if i := &p.list[at]; variable(i) != nil || i.Kind == plan.DoView || slices.Contains(p.outputs[:k], at) {
			x = strings.ReplaceAll(p.copied, "#", x)
		}
		args[k] = p.names["result "+r.Name] + "=" + x
	}
	p.add("return Result(%s)", strings.Join(args, ", "))
}

// printModule writes the module: imports, helpers, the function, check.
func (p *python) printModule() {
	rows := p.checks()
	files := []string{p.helpers, "arrays.py"}
	edit := strings.NewReplacer("xp.reshape", p.reshape, "xp.", p.module+".")
	before := helpers(files, edit, pythonDefinition, strings.Join(p.body, "\n"))
	code := strings.Join(before, "\n\n\n")
	p.line("# Printed by frechet export --target %s.", p.target)
	if strings.Contains(code, "itertools.") {
		p.line("import itertools")
	}
	if strings.Contains(code, "math.") {
		p.line("import math")
	}
	p.line("from collections import namedtuple\n")
	p.line("%s\n", p.imports)
	var fields []string
	for _, r := range p.Results {
		fields = append(fields, p.names["result "+r.Name])
	}
	p.line(`Result = namedtuple("Result", "%s")`+"\n\n", strings.Join(fields, " "))
	if code != "" {
		p.line("%s\n\n", code)
	}
	if p.arrays == numpy {
		p.line(`@np.errstate(all="ignore")  # infinities and NaN are values`)
	}
	p.line("def %s(%s):", p.Name, strings.Join(p.parameters(), ", "))
	p.line(`    """%s`, p.documentation("    "))
	p.line(`    """`)
	for _, l := range p.body {
		p.line("    %s", l)
	}
	if rows == nil {
		return
	}
	after := slices.DeleteFunc(helpers(files, edit, pythonDefinition, "_compare("), func(b string) bool { return slices.Contains(before, b) })
	p.checkFunction(rows)
	p.line("\n\n%s", strings.Join(after, "\n\n\n"))
}

// parameters are the function's: variables, and sizes that no shape gives.
func (p *python) parameters() []string {
	var params []string
	for _, v := range p.Params {
		params = append(params, p.names[v.Name()])
	}
	star := false
	for _, s := range p.symbols {
		if s.param < 0 {
			if !star {
				params = append(params, "*")
			}
			star = true
			params = append(params, p.names["size "+s.name])
		}
	}
	return params
}

// documentation is the text that describes the function: its arguments, its results, what holds.
func (p *python) documentation(indent string) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString("\n" + strings.TrimRight(indent+fmt.Sprintf(format, args...), " "))
	}
	b.WriteString(p.Title + "\n")
	for l := range strings.Lines(strings.TrimSpace(p.Source)) {
		line("    %s", strings.ReplaceAll(strings.TrimRight(l, "\n"), `\`, `\\`))
	}
	line("")
	line("Arguments:")
	for _, v := range p.Params {
		text := axes(shapeOf(v))
		if isIndex(v) {
			text += ", whole numbers from 0 to below " + v.Shape()[v.Order()-1].String()
		}
		line("    %s: %s", p.names[v.Name()], text)
	}
	for _, s := range p.symbols {
		if s.param < 0 {
			line("    %s: a size", p.names["size "+s.name])
		}
	}
	line("Returns a Result of:")
	for _, r := range p.Results {
		line("    %s: %s", p.names["result "+r.Name], r.Doc)
	}
	for _, n := range append(slices.Clone(p.Notes), p.note) {
		line("%s", strings.ReplaceAll(n, `\`, `\\`))
	}
	return b.String()
}

// axes describes a shape.
func axes(shape []size.Size) string {
	if len(shape) == 0 {
		return "a number"
	}
	return size.Shape(shape)
}

// checks are the rows of the comparison with differences; nil for none.
func (p *python) checks() []string {
	var rows []string
	for _, r := range p.Results {
		c := r.Check
		if c.Kind == "" {
			continue
		}
		with := "None"
		if c.With != "" {
			with = `"` + p.names[c.With] + `"`
		}
		rows = append(rows, fmt.Sprintf(`("%s", "%s", "%s", "%s", %s)`, c.Kind, p.names["result "+r.Name], p.names["result "+c.Of], p.names[c.Wrt], with))
	}
	return rows
}

// checkFunction writes check.
func (p *python) checkFunction(rows []string) {
	params := p.parameters()
	if !slices.Contains(params, "*") {
		params = append(params, "*")
	}
	var names, sizes []string
	for _, x := range p.parameters() {
		switch {
		case x == "*":
		case len(names) < len(p.Params):
			names = append(names, fmt.Sprintf(`"%s": %s`, x, x))
		default:
			sizes = append(sizes, fmt.Sprintf(`"%s": %s`, x, x))
		}
	}
	p.line("\n\ndef check(%s, step=1e-5, tolerance=1e-3, seed=0):", strings.Join(params, ", "))
	p.line(`    """Compares each derivative of %s with central differences along random directions.`, p.Name)
	p.line("\n    Returns the relative errors by result, and raises ValueError where one exceeds the tolerance.\n" + `    """`)
	p.line("    rows = [%s]", strings.Join(rows, ",\n            "))
	p.line("    return _compare(%s, {%s}, {%s}, rows, step, tolerance, seed)", p.Name, strings.Join(names, ", "), strings.Join(sizes, ", "))
}
