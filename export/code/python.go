package code

import (
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
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
	note     string
}

var (
	numpy = &arrays{"np", "import numpy as np", "numpy.py", func(s spelled) string { return s.numpy },
		"np.asarray(#, dtype=float)", "np.float64(#)", "np.array(#)", "transpose", "np.reshape", true, "Arguments are anything that NumPy makes arrays of; results are arrays of float64."}
	torch = &arrays{"torch", "import numpy as np\nimport torch", "torch.py", func(s spelled) string { return cmp.Or(s.torch, s.numpy) },
		"", "_number(#)", "(#).clone()", "permute", "torch.reshape", true, "Arguments are tensors of one type and device, in which all is computed."}
	jax = &arrays{"jnp", "import jax\nimport jax.numpy as jnp\nimport numpy as np", "jax.py", func(s spelled) string { return cmp.Or(s.jax, s.numpy) },
		"jnp.asarray(#)", "jnp.asarray(#)", "#", "transpose", "jnp.reshape", true, "The function can be jitted. It computes in float64 where jax_enable_x64 is set."}
	dask = &arrays{"da", "import dask\nimport dask.array as da\nimport numpy as np", "dask.py", func(s spelled) string { return s.numpy },
		"da.asarray(#)", "da.asarray(np.float64(#))", "#", "transpose", "_reshape", false, "Results are Dask arrays: dask.compute(*f(..)) computes all of them, and once what they share."}
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
	needed []bool // by instruction
	uses   []int  // by instruction: how often it is read
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

// softmaxOf is the softmax beside the logsumexp i of the same value, of which it has the exponentials; -1 for none.
func (p *python) softmaxOf(i int) int {
	in := &p.list[i]
	if in.Kind != plan.DoApply || !in.Node.Is(atom.LogSumExp) {
		return -1
	}
	return slices.IndexFunc(p.list, func(x plan.Instruction) bool {
		return x.Kind == plan.DoApply && x.Node.Is(atom.Softmax) && x.Node.Attr() == in.Node.Attr() && x.Args[0] == in.Args[0]
	})
}

// An addend is a value that is added, or taken off.
type addend struct {
	value int
	minus bool
}

// addends are what a sum adds up: a number that is repeated as a number, which the other addend repeats, and the negative of
// a value that nothing else reads as that value.
func (p *python) addends(i *plan.Instruction) []addend {
	out := make([]addend, 2)
	for k, a := range i.Args {
		out[k] = addend{a, false}
		if v := &p.list[a]; v.Kind == plan.DoView && distinct(v.Out) && p.literal(v.Args[0]) != "" && (k == 0 || out[0].value == i.Args[0]) {
			out[k].value = v.Args[0]
		} else if v.Kind == plan.DoScale && p.uses[a] == 1 && v.Count == size.Const(1) && v.Rat.Cmp(big.NewRat(-1, 1)) == 0 && p.empty(a) == nil {
			out[k] = addend{v.Args[0], true}
		}
	}
	return out
}

// sum is a sum of two values.
func (p *python) sum(i *plan.Instruction) string {
	as := p.addends(i)
	if as[0].minus && !as[1].minus {
		as[0], as[1] = as[1], as[0]
	}
	text := func(k int) string {
		if p.literal(as[k].value) != "" && len(i.Shape) > 0 {
			return p.operand(as[k].value) // the other addend is an array
		}
		return p.array(as[k].value)
	}
	x, sign := text(0), "+"
	if as[0].minus {
		x = "-" + x
	}
	if as[1].minus {
		sign = "-"
	}
	return fmt.Sprintf("%s %s %s", x, sign, text(1))
}

func (l *arrays) write(w *writer) error {
	p := &python{writer: w, arrays: l}
	w.real = "#"
	w.declare(slices.DeleteFunc(slices.Clone(pythonReserved), func(s string) bool { return s == w.Function.Name }))
	p.arguments()
	p.prepare()
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
	p.results()
	p.printModule()
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
		if len(p.Params) > 0 {
			like = p.names[p.Params[0].Name()]
		}
		p.add("_number = _numbers_like(%s)", like)
	}
	for _, s := range p.symbols {
		if s.param < 0 {
			continue
		}
		v := p.Params[s.param]
		x := fmt.Sprintf(`_size("%s", %s, %d, %d)`, v.Name(), p.names[v.Name()], v.Order(), s.axis)
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
		p.add(`_check_shape("%s", %s, %s)`, v.Name(), p.names[v.Name()], p.shape(v.Shape()))
	}
	for _, d := range p.differences() {
		p.add(`_check_size("%s", %s)`, d, p.size(d))
	}
}

// zeros is an array of zeros of the shape of an instruction.
func (p *python) zeros(i *plan.Instruction) string {
	zero := strings.ReplaceAll(p.number, "#", "0.0")
	if len(i.Shape) == 0 {
		return zero
	}
	return fmt.Sprintf("%s.broadcast_to(%s, %s)", p.module, zero, p.shape(i.Shape))
}

// plus is a text plus a size.
func (w *writer) plus(text string, add size.Size) string {
	if x := w.size(add); strings.HasPrefix(x, "-") {
		return text + " - " + w.factor(size.Size{}.Sub(add))
	} else if x != "0" {
		return text + " + " + x
	}
	return text
}

// shape is a tuple of sizes.
func (p *python) shape(sizes []size.Size) string {
	parts := make([]string, len(sizes))
	for i, d := range sizes {
		parts[i] = p.size(d)
	}
	return tuple(parts)
}

func tuple(parts []string) string {
	if len(parts) == 1 {
		return "(" + parts[0] + ",)"
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func numbers(v []int) []string {
	out := make([]string, len(v))
	for i, n := range v {
		out[i] = fmt.Sprint(n)
	}
	return out
}

// literal is the text of an instruction that is a number, else "".
func (w *writer) literal(i int) string {
	in := &w.list[i]
	switch {
	case in.Kind == plan.DoNumber:
		return w.times(in.Rat, in.Count)
	case in.Kind == plan.DoApply && in.Node.Is(atom.Const):
		return w.times(in.Node.Rat(), size.Const(1))
	case in.Kind == plan.DoApply && in.Node.Atom().Class == atom.ClassConstant:
		return fmt.Sprintf("%.17g", in.Node.Atom().Value)
	}
	return ""
}

// times is a rational number times a size, as a factor of floating-point type.
func (w *writer) times(r *big.Rat, count size.Size) string {
	x := rational(r)
	if count == size.Const(1) {
		return x
	}
	n := strings.ReplaceAll(w.real, "#", w.factor(count))
	switch x {
	case "1.0":
		return n
	case "(-1.0)":
		return "(-" + n + ")"
	}
	return "(" + x + "*" + n + ")"
}

// rational is a number as decimals where these are exact, else as a quotient.
func rational(r *big.Rat) string {
	f, exact := r.Float64()
	if exact || !r.Num().IsInt64() || !r.Denom().IsInt64() {
		s := fmt.Sprintf("%.17g", f)
		if g := fmt.Sprintf("%g", f); exact || len(g) < len(s) {
			s = g
		}
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		if f < 0 {
			return "(" + s + ")"
		}
		return s
	}
	return fmt.Sprintf("(%s.0/%s.0)", r.Num(), r.Denom())
}

// operand is what an instruction's value is called, in arithmetic.
func (p *python) operand(i int) string {
	if v := variable(&p.list[i]); v != nil {
		return p.names[v.Name()]
	}
	if x := p.literal(i); x != "" {
		return x
	}
	return p.temp(i)
}

// array is the same as an array.
func (p *python) array(i int) string {
	if x := p.literal(i); x != "" {
		return strings.ReplaceAll(p.number, "#", x)
	}
	return p.operand(i)
}

// expression is the value of an instruction.
func (p *python) expression(i *plan.Instruction) (string, error) {
	switch i.Kind {
	case plan.DoProduct:
		return p.product(i)
	case plan.DoScale:
		x := p.array(i.Args[0])
		if i.Rat.Cmp(big.NewRat(-1, 1)) == 0 && i.Count == size.Const(1) {
			return "-" + x, nil
		}
		return p.times(i.Rat, i.Count) + " * " + x, nil
	case plan.DoNumber:
		return "", nil
	case plan.DoView:
		return p.view(i), nil
	case plan.DoLoops:
		return p.loops(i)
	case plan.DoGuarded:
		in, out, _ := i.Contraction.IsPlain()
		if !distinct(out) || !subset(out, slices.Concat(in...)) {
			loops := *i
			loops.Args = i.Args[:len(i.Weak)]
			return p.loops(&loops)
		}
		subscripts, err := p.subscripts(in, out)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf(`_guarded("%s", %s, %s)`, subscripts, p.flags(i.Weak), strings.Join(append([]string{p.array(i.Args[len(i.Args)-1])}, p.arrays_(i.Args[:len(i.Args)-1])...), ", ")), nil
	}
	return p.apply(i)
}

func (p *python) arrays_(args []int) []string {
	out := make([]string, len(args))
	for k, a := range args {
		out[k] = p.array(a)
	}
	return out
}

func (p *python) flags(of []bool) string {
	parts := make([]string, len(of))
	for i, b := range of {
		if parts[i] = "False"; b {
			parts[i] = "True"
		}
	}
	return tuple(parts)
}

// apply is an operation that is no contraction.
func (p *python) apply(i *plan.Instruction) (string, error) {
	n, at := i.Node, i.Node.Atom()
	args := p.arrays_(i.Args)
	switch {
	case at.Class == atom.ClassConstant:
		return "", nil
	case at == atom.Add:
		return p.sum(i), nil
	case at == atom.Power:
		return p.guarded(n, power(n.Rat(), args[0], p.module+".sqrt", "**"), args[0]), nil
	case at.Class == atom.ClassElementwise:
		s, ok := functions[at]
		if !ok {
			return "", p.refuse("the function "+at.Spoken(), noDefinition)
		}
		return p.guarded(n, fill(p.spelling(s), p.module, args...), args[0]), nil
	case at == atom.Merge || at == atom.Split:
		return fmt.Sprintf("%s(%s, %s)", p.reshape, args[0], p.shape(i.Shape)), nil
	}
	switch at {
	case atom.Inv:
		return fmt.Sprintf("_inv(%s)", args[0]), nil
	case atom.Solve:
		return p.solve(n, args[0], args[1]), nil
	case atom.LogDet:
		return fmt.Sprintf("_logdet(%s)", args[0]), nil
	case atom.Minor:
		if !p.whole && n.Attr() > 0 {
			return "", p.refuse("a derivative of det", "the targets numpy and c state it")
		}
		return fmt.Sprintf("_minor(%s, %d)", args[0], n.Attr()), nil
	case atom.AMax, atom.AMin, atom.LogSumExp, atom.Softmax:
		return fmt.Sprintf("_%s(%s, %d)", at.Name, args[0], n.Attr()), nil
	case atom.Norm2:
		return fmt.Sprintf("_norm2(%s)", args[0]), nil
	}
	return "", p.refuse("the operation "+at.Spoken(), "")
}

// guarded is a function that is 0 where its argument is, if the node says so.
func (p *python) guarded(n *combinators.Node, x, arg string) string {
	if n.Guard() == combinators.GuardZero {
		return fmt.Sprintf("%s.where(%s == 0, 0.0, %s)", p.module, arg, x)
	}
	return x
}

// power is x^r as people write it.
func power(r *big.Rat, x, sqrt, infix string) string {
	switch r.RatString() {
	case "2":
		return x + " * " + x
	case "-1":
		return "1.0 / " + x
	case "-2":
		return "1.0 / (" + x + " * " + x + ")"
	case "1/2":
		return sqrt + "(" + x + ")"
	case "-1/2":
		return "1.0 / " + sqrt + "(" + x + " + 0.0)" // +Inf at -0, too
	}
	return fmt.Sprintf("%s %s %s", x, infix, rational(r))
}

// solve is A^-1 b: b has the batch axes of A, the axis of its rows, and any further axes.
func (p *python) solve(n *combinators.Node, a, b string) string {
	batch := n.Arg(0).Order() - 2
	call := "_solve"
	switch rest := n.Arg(1).Shape()[batch+1:]; {
	case len(rest) == 1 || len(rest) == 0 && batch == 0:
		return fmt.Sprintf("%s(%s, %s)", call, a, b)
	case len(rest) == 0:
		return fmt.Sprintf("%s(%s, %s[..., None])[..., 0]", call, a, b)
	default:
		columns := size.Const(1)
		for _, d := range rest {
			columns = columns.Mul(d)
		}
		flat := append(slices.Clone(n.Arg(1).Shape()[:batch+1]), columns)
		return fmt.Sprintf("%[1]s(%[2]s(%[3]s, %[1]s(%[4]s, %[5]s)), %[6]s)", p.reshape, call, a, b, p.shape(flat), p.shape(n.Shape()))
	}
}

// aligned is an array with letters of its axes, all different, as one with axes for the letters out.
func (p *python) aligned(x string, letters, out []int) string {
	var present []int
	var index []string
	inserted := false
	for _, l := range out {
		if slices.Contains(letters, l) {
			present = append(present, l)
			index = append(index, ":")
		} else {
			index = append(index, "None")
			inserted = true
		}
	}
	x = p.permuted(x, letters, present)
	if !inserted || len(letters) == 0 {
		return x
	}
	for len(index) > 0 && index[len(index)-1] == ":" && slices.Contains(index, "None") { // the rest is whole
		index = index[:len(index)-1]
	}
	return x + "[" + strings.Join(index, ", ") + "]"
}

// permuted puts axes into another order.
func (p *python) permuted(x string, from, to []int) string {
	if slices.Equal(from, to) {
		return x
	}
	if len(from) == 2 {
		return x + ".T"
	}
	places := make([]int, len(to))
	for i, l := range to {
		places[i] = slices.Index(from, l)
	}
	return fmt.Sprintf("%s.%s(%s, %s)", p.module, p.permute, x, tuple(numbers(places)))
}

func distinct(letters []int) bool {
	for i, l := range letters {
		if slices.Contains(letters[:i], l) {
			return false
		}
	}
	return true
}

func subset(a, b []int) bool {
	return !slices.ContainsFunc(a, func(l int) bool { return !slices.Contains(b, l) })
}

// product is the product of two values, or the sum of one along axes.
func (p *python) product(i *plan.Instruction) (string, error) {
	if have := slices.Concat(i.In...); !subset(i.Out, have) { // what no operand has is repeated
		inner := *i
		inner.Out = slices.DeleteFunc(slices.Clone(i.Out), func(l int) bool { return !slices.Contains(have, l) })
		x, err := p.product(&inner)
		return fmt.Sprintf("%s.broadcast_to(%s, %s)", p.module, p.aligned("("+x+")", inner.Out, i.Out), p.shape(i.Shape)), err
	}
	simple := distinct(i.Out)
	for _, g := range i.In {
		simple = simple && distinct(g)
	}
	if simple {
		if x := p.simpleProduct(i); x != "" {
			return x, nil
		}
	}
	subscripts, err := p.subscripts(i.In, i.Out)
	return fmt.Sprintf(`%s.einsum("%s", %s)`, p.module, subscripts, strings.Join(p.arrays_(i.Args), ", ")), err
}

// simpleProduct is a product for which there is something better than einsum, else "".
func (p *python) simpleProduct(i *plan.Instruction) string {
	in, out := i.In, i.Out
	if len(in) == 1 {
		var axes, left []int
		for a, l := range in[0] {
			if slices.Contains(out, l) {
				left = append(left, l)
			} else {
				axes = append(axes, a)
			}
		}
		switch x := p.array(i.Args[0]); {
		case len(left) == 0:
			return fmt.Sprintf("%s.sum(%s)", p.module, x)
		case !slices.Equal(left, out):
			return ""
		case len(axes) == 1:
			return fmt.Sprintf("%s.sum(%s, %d)", p.module, x, axes[0])
		default:
			return fmt.Sprintf("%s.sum(%s, %s)", p.module, x, tuple(numbers(axes)))
		}
	}
	if subset(in[0], out) && subset(in[1], out) {
		if !subset(out, slices.Concat(in[0], in[1])) {
			return ""
		}
		return fmt.Sprintf("%s * %s", p.aligned(p.array(i.Args[0]), in[0], out), p.aligned(p.operand(i.Args[1]), in[1], out))
	}
	return p.contraction(i)
}

// contraction is a sum over axes that two operands share, where it is a matrix product or a tensordot.
func (p *python) contraction(i *plan.Instruction) string {
	a, b := i.In[0], i.In[1]
	x, y := p.array(i.Args[0]), p.array(i.Args[1])
	if p.matrices(a, b, i.Out) {
		a, b, x, y = b, a, y, x // so that the result has its axes in the order wanted
	}
	var shared, ones, twos []int
	for _, l := range a {
		if slices.Contains(b, l) {
			if slices.Contains(i.Out, l) {
				return ""
			}
			shared = append(shared, l)
		} else {
			ones = append(ones, l)
		}
	}
	for _, l := range b {
		if !slices.Contains(a, l) {
			twos = append(twos, l)
		}
	}
	left := slices.Concat(ones, twos)
	if len(shared) == 0 || !subset(left, i.Out) {
		return ""
	}
	if len(shared) == 1 && len(ones) <= 1 && len(twos) <= 1 && slices.Equal(left, i.Out) {
		return fmt.Sprintf("%s @ %s", p.permuted(x, a, slices.Concat(ones, shared)), p.permuted(y, b, slices.Concat(shared, twos)))
	}
	var first, second []int
	for _, l := range shared {
		first, second = append(first, slices.Index(a, l)), append(second, slices.Index(b, l))
	}
	return p.permuted(fmt.Sprintf("%s.tensordot(%s, %s, (%s, %s))", p.module, x, y, tuple(numbers(first)), tuple(numbers(second))), left, i.Out)
}

// matrices reports whether the result of a contraction begins with an axis of the second operand.
func (p *python) matrices(a, b, out []int) bool {
	return len(out) > 0 && !slices.Contains(a, out[0])
}

// subscripts are those of einsum.
func (p *python) subscripts(in [][]int, out []int) (string, error) {
	names := map[int]byte{}
	var failure error
	word := func(letters []int) string {
		var b []byte
		for _, l := range letters {
			if _, ok := names[l]; !ok {
				const all = "ijklmnopqrstuvwxyzabcdefghABCDEFGHIJKLMNOPQRSTUVWXYZ"
				if len(names) == len(all) {
					failure = p.refuse("a product over more than 52 axes", "")
					return ""
				}
				names[l] = all[len(names)]
			}
			b = append(b, names[l])
		}
		return string(b)
	}
	var parts []string
	for _, g := range in {
		parts = append(parts, word(g))
	}
	known := len(names)
	s := strings.Join(parts, ",") + "->" + word(out)
	if len(names) > known && failure == nil {
		failure = fmt.Errorf("export/code: an axis of a product that no operand has")
	}
	return s, failure
}

// view is an array with its axes permuted, repeated, or laid along a diagonal.
func (p *python) view(i *plan.Instruction) string {
	letters, x := i.In[0], p.array(i.Args[0])
	if !distinct(letters) { // a diagonal
		var once []int
		for _, l := range letters {
			if !slices.Contains(once, l) {
				once = append(once, l)
			}
		}
		subscripts, _ := p.subscripts([][]int{letters}, once)
		x, letters = fmt.Sprintf(`%s.einsum("%s", %s)`, p.module, subscripts, x), once
	}
	if distinct(i.Out) {
		y := p.aligned(x, letters, i.Out)
		if subset(i.Out, letters) {
			return y
		}
		return fmt.Sprintf("%s.broadcast_to(%s, %s)", p.module, y, p.shape(i.Shape))
	}
	var axes, first []int // the letters of the result, and by axis which of them
	for _, l := range i.Out {
		at := slices.Index(axes, l)
		if at < 0 {
			at = len(axes)
			axes = append(axes, l)
		}
		first = append(first, at)
	}
	return fmt.Sprintf("_diagonal(%s, %s, %s)", p.aligned(x, letters, axes), p.shape(i.Shape), tuple(numbers(first)))
}

// loops is a contraction with conditions or index maps, or with weak factors.
func (p *python) loops(i *plan.Instruction) (string, error) {
	c := i.Contraction
	if x := p.weakProduct(i); x != "" {
		return x, nil
	}
	if !p.whole {
		return "", p.refuse("a sum with conditions, or indices other than single variables", "entries of any chunk would be read; the targets numpy and c state it")
	}
	if len(c.Vars) > 26 {
		return "", p.refuse("a contraction over more than 26 indices", "")
	}
	vars := make([]string, len(c.Vars))
	for v := range vars {
		vars[v] = fmt.Sprintf("i%d", v)
	}
	index := func(acc einsum.Access) string {
		parts := make([]string, len(acc.Index))
		for k, a := range acc.Index {
			parts[k] = p.affine(a, vars)
		}
		return tuple(parts)
	}
	maps := []string{index(c.Out)}
	for _, acc := range c.In {
		maps = append(maps, index(acc))
	}
	lambda := "lambda " + strings.Join(vars, ", ") + ": "
	if len(vars) == 0 {
		lambda = "lambda: "
	}
	call := fmt.Sprintf("_loops(%s, %s, %s, %s%s", p.shape(c.Vars), p.shape(i.Shape), tuple(p.arrays_(i.Args)), lambda, tuple(maps))
	var holds []string
	for _, a := range c.Eq {
		holds = append(holds, p.affine(a, vars)+" == 0")
	}
	for _, a := range c.Ge {
		holds = append(holds, p.affine(a, vars)+" >= 0")
	}
	if len(holds) > 0 {
		call += ", where=" + lambda + tuple(holds)
	}
	if slices.Contains(i.Weak, true) {
		call += ", weak=" + p.flags(i.Weak)
	}
	return call + ")", nil
}

// weakProduct is a product entry by entry with weak factors, else "".
func (p *python) weakProduct(i *plan.Instruction) string {
	in, out, plain := i.Contraction.IsPlain()
	if !plain || !distinct(out) || len(out) != len(i.Contraction.Vars) || slices.ContainsFunc(in, func(g []int) bool { return !distinct(g) }) {
		return ""
	}
	// Weak factors stand between others, which they may be the reciprocals of: the partial products stay in range.
	var weak, others []int
	for k := range i.Args {
		if i.Weak[k] {
			weak = append(weak, k)
		} else {
			others = append(others, k)
		}
	}
	var factors []string
	var flags []bool
	for k := range max(len(weak), len(others)) {
		for _, of := range [][]int{others, weak} {
			if k < len(of) {
				factors = append(factors, p.aligned(p.array(i.Args[of[k]]), in[of[k]], out))
				flags = append(flags, i.Weak[of[k]])
			}
		}
	}
	x := fmt.Sprintf("_weak_product(%s, %s)", p.flags(flags), strings.Join(factors, ", "))
	if !subset(out, slices.Concat(in...)) || len(in) > 1 {
		return fmt.Sprintf("%s.broadcast_to(%s, %s)", p.module, x, p.shape(i.Shape))
	}
	return x
}

// affine is an affine form in variables with the given names.
func (w *writer) affine(a einsum.Affine, vars []string) string {
	var b strings.Builder
	for k, t := range a.Terms {
		c := t.Coef
		switch {
		case c < 0 && k == 0:
			b.WriteString("-")
		case c < 0:
			b.WriteString(" - ")
		case k > 0:
			b.WriteString(" + ")
		}
		if c = max(c, -c); c != 1 {
			fmt.Fprintf(&b, "%d*", c)
		}
		b.WriteString(vars[t.Var])
	}
	off := w.size(a.Off)
	switch {
	case len(a.Terms) == 0:
		return off
	case a.Off == (size.Size{}):
	case strings.HasPrefix(off, "-"):
		b.WriteString(" - " + w.factor(size.Size{}.Sub(a.Off)))
	default:
		b.WriteString(" + " + off)
	}
	return b.String()
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
		line("    %s: %s", p.names[v.Name()], axes(v.Shape()))
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
