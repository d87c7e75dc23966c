package code

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/eval/plan"
)

// A loops is a language of loops over flat arrays, row by row. Element-wise values that are read once are computed where
// they are read; sums are loops over the output's entries, conditions and affine indices those of the gather form.
type loops struct {
	spelling  func(spelled) string
	real      string            // how a size # is made a floating-point number
	end       string            // of a statement
	sqrt      string            // the function
	power     string            // of # and the exponent @
	index     string            // an entry of the array # at the place @
	plusInto  string            // adds @ to #
	divides   string            // asks whether @ divides #
	divided   string            // # divided by @, which divides it
	closing   string            // ends a loop or block
	returns   bool              // helpers return the array that they fill, and get none
	each      string            // begins a loop of # from $ below @
	scalar    string            // declares the number # with the value @
	zero      string            // fills the array # of @ entries with zeros
	condition string            // begins a block that is run where # holds
	choose    string            // # where $ holds, else @
	spelled   map[string]string // of helpers, where they are not those of C
	weak      string            // the product of $ factors @, of which the bits of # are weak
	fails     string            // how a helper # is called that may run out of memory
	parallel  string            // stands before a loop that may run in parallel, over @ steps in all; "" for nothing
	constant  string            // a number # of which the compiler knows no value; "" for nothing
	products  bool              // there is a helper for products of matrices
	dots      bool              // there is a helper for inner products, which takes the places where they begin
	reserved  []string
	finish    func(*looper)
}

// A looper writes one function in a language of loops.
type looper struct {
	*writer
	*loops
	body    []string
	depth   int
	needed  []bool         // by instruction
	inline  []bool         // by instruction: it is computed where it is read
	alias   map[int]int    // by instruction: whose memory it has, in another shape
	result  map[int]string // by instruction: the result in whose memory it is computed
	failure error
}

func (l *loops) write(w *writer) error {
	p := &looper{writer: w, loops: l, alias: map[int]int{}, result: map[int]string{}, depth: 1}
	w.real = l.real
	w.declare(l.reserved)
	p.prepare()
	for k, o := range p.outputs {
		i := &p.list[o]
		if _, taken := p.result[o]; !taken && !p.isScalar(o) && variable(i) == nil && !isReshape(i) {
			p.result[o] = p.names["result "+p.Results[k].Name]
		}
	}
	for at := range p.list {
		if p.needed[at] && !p.inline[at] && variable(&p.list[at]) == nil && p.literal(at) == "" {
			p.store(at)
		}
	}
	if p.failure == nil {
		l.finish(p)
	}
	return p.failure
}

// isReshape reports whether an instruction has the entries of its operand, in their order.
func isReshape(i *plan.Instruction) bool {
	return i.Kind == plan.DoApply && (i.Node.Is(atom.Merge) || i.Node.Is(atom.Split))
}

// call is a call of a helper.
func (l *loops) call(name string, args ...string) string {
	if own, ok := l.spelled[name]; ok {
		name = own
	}
	if strings.Contains(name, "#") {
		return strings.ReplaceAll(name, "#", args[0])
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// arrays lists the instructions whose values need memory of their own.
func (p *looper) arrays() []int {
	var out []int
	for at := range p.list {
		if _, shared := p.alias[at]; p.needed[at] && !p.inline[at] && !p.isScalar(at) && !shared && p.result[at] == "" && variable(&p.list[at]) == nil {
			out = append(out, at)
		}
	}
	return out
}

// inParallel marks the loop that follows.
func (p *looper) inParallel(steps []size.Size) {
	if p.parallel != "" && len(steps) > 0 {
		p.body = append(p.body, strings.ReplaceAll(p.parallel, "@", p.volume(steps)))
	}
}

const many = 1000

// prepare decides what is computed where it is read.
func (p *looper) prepare() {
	p.needed, p.inline = make([]bool, len(p.list)), make([]bool, len(p.list))
	reads := make([]int, len(p.list)) // how often an entry is read
	stored := make([]bool, len(p.list))
	for _, o := range p.outputs {
		p.needed[o], stored[o] = true, true
	}
	for at, i := range slices.Backward(p.list) {
		if !p.needed[at] {
			continue
		}
		entrywise := p.entrywise(&i)
		cheap := i.Kind == plan.DoView || i.Kind == plan.DoNumber || i.Kind == plan.DoApply && i.Node.Atom().Class == atom.ClassConstant
		p.inline[at] = entrywise && !stored[at] && (cheap || reads[at] == 1)
		times := 1
		if p.inline[at] {
			times = reads[at]
		}
		for k, a := range i.Args {
			p.needed[a] = true
			n := many
			switch {
			case i.Kind == plan.DoApply && entrywise:
				n = times
				if i.Node.Guard() == combinators.GuardZero || i.Node.Is(atom.Power) && i.Node.Rat().Cmp(big.NewRat(3, 1)) == 0 {
					n = 2 * times // the text has it twice
				}
			case i.Kind == plan.DoApply:
				stored[a] = true
			case i.Kind == plan.DoScale:
				n = times
			case i.Kind == plan.DoGuarded:
				stored[a] = true
			case i.Kind == plan.DoProduct || i.Kind == plan.DoView:
				if subset(slices.Concat(append(slices.Clone(i.In), i.Out)...), i.In[k]) {
					n = times
				}
			}
			reads[a] += n
		}
	}
}

// entrywise reports whether each entry of an instruction's value is made of one entry of each operand.
func (p *looper) entrywise(i *plan.Instruction) bool {
	switch i.Kind {
	case plan.DoScale, plan.DoNumber, plan.DoView:
		return true
	case plan.DoProduct:
		return distinct(i.Out) && subset(slices.Concat(i.In...), i.Out)
	case plan.DoApply:
		c := i.Node.Atom().Class
		return c == atom.ClassElementwise || c == atom.ClassSum || c == atom.ClassConstant
	}
	return false
}

func (p *looper) add(format string, args ...any) {
	p.body = append(p.body, strings.Repeat("    ", p.depth)+fmt.Sprintf(format, args...))
}

func (p *looper) begin(format string, args ...any) {
	p.add(format, args...)
	p.depth++
}

func (p *looper) close(n int) {
	for range n {
		p.depth--
		p.add("%s", p.closing)
	}
}

// loop begins a loop of v from 0 below n.
func (p *looper) loop(v string, n size.Size) { p.begin("%s", p.eachOf(v, "0", p.size(n))) }

func (l *loops) eachOf(v, from, below string) string {
	return strings.NewReplacer("#", v, "$", from, "@", below).Replace(l.each)
}

// flat is the place of an entry: its indices, row by row.
func (p *looper) flat(idx []string, shape []size.Size) string {
	if len(idx) == 0 {
		return "0"
	}
	text := idx[0]
	for k, i := range idx[1:] {
		if strings.ContainsAny(text, "+-") {
			text = "(" + text + ")"
		}
		text = fmt.Sprintf("%s*%s + %s", text, p.factor(shape[k+1]), i)
	}
	return text
}

// array is the memory of a value, which is stored.
func (p *looper) array(i int) string {
	if to, ok := p.alias[i]; ok {
		return p.array(to)
	}
	if v := variable(&p.list[i]); v != nil {
		return p.names[v.Name()]
	}
	if r, ok := p.result[i]; ok {
		return r
	}
	return p.temp(i)
}

// entry is an entry of a value.
func (p *looper) entry(i int, idx []string) string {
	in := &p.list[i]
	if x := p.literal(i); x != "" {
		return x
	}
	if p.inline[i] {
		return p.expression(i, idx)
	}
	if len(in.Shape) == 0 && p.isScalar(i) {
		return p.array(i)
	}
	return p.at(p.array(i), p.flat(idx, in.Shape))
}

// isScalar reports whether a value without axes is a number of the language, not an array of one, as helpers fill.
func (p *looper) isScalar(i int) bool {
	in := &p.list[i]
	filled := in.Kind == plan.DoApply && !p.entrywise(in) && !in.Node.Is(atom.Norm2) && variable(in) == nil
	return len(in.Shape) == 0 && !filled
}

// expression is an entry of an element-wise value.
func (p *looper) expression(at int, idx []string) string {
	x := p.formula(&p.list[at], idx)
	if over := p.empty(at); over != nil {
		return strings.NewReplacer("$", strings.Join(over, " > 0 && ")+" > 0", "#", x, "@", "0.0").Replace(p.choose)
	}
	return x
}

// formula is the same where no axis that is summed over is empty.
func (p *looper) formula(i *plan.Instruction, idx []string) string {
	switch i.Kind {
	case plan.DoScale:
		x := p.entry(i.Args[0], idx)
		if i.Rat.Cmp(big.NewRat(-1, 1)) == 0 && i.Count == size.Const(1) {
			return "(-" + x + ")"
		}
		return "(" + p.times(i.Rat, i.Count) + " * " + x + ")"
	case plan.DoNumber:
		return p.times(i.Rat, i.Count)
	case plan.DoView, plan.DoProduct:
		return p.productEntry(i, idx)
	}
	n := i.Node
	args := make([]string, len(i.Args))
	for k, a := range i.Args {
		args[k] = p.entry(a, idx)
	}
	at := n.Atom()
	switch {
	case at.Class == atom.ClassConstant:
		return fmt.Sprintf("%.17g", at.Value)
	case at == atom.Add:
		return "(" + args[0] + " + " + args[1] + ")"
	case at == atom.Power:
		if p.constant != "" && p.literal(i.Args[0]) != "" { // 1/0 is no constant of Go
			args[0] = strings.ReplaceAll(p.constant, "#", args[0])
		}
		return p.unlessZero(n, args[0], p.powerOf(n.Rat(), args[0]))
	}
	s, ok := functions[at]
	switch {
	case !ok:
		p.failure = p.refuse("the function "+at.Spoken(), noDefinition)
		return ""
	case p.spelling(s) == "":
		p.failure = p.refuse("the function "+at.Spoken(), "the language has no such function")
		return ""
	}
	return p.unlessZero(n, args[0], fill(p.spelling(s), "", args...))
}

func (p *looper) unlessZero(n *combinators.Node, x, y string) string {
	if n.Guard() == combinators.GuardZero {
		return p.call("unless_zero", x, y)
	}
	return y
}

func (p *looper) powerOf(r *big.Rat, x string) string {
	switch r.RatString() {
	case "2":
		return p.call("square", x)
	case "-1":
		return "(1.0 / " + x + ")"
	case "-2":
		return "(1.0 / " + p.call("square", x) + ")"
	case "1/2":
		return p.sqrt + "(" + x + ")"
	case "-1/2":
		return "(1.0 / " + p.sqrt + "(" + x + " + 0.0))"
	case "3":
		return "(" + p.call("square", x) + " * " + x + ")"
	}
	return strings.NewReplacer("#", x, "@", rational(r)).Replace(p.power)
}

// productEntry is an entry of a product over the letters of the result, or of a view.
func (p *looper) productEntry(i *plan.Instruction, idx []string) string {
	at := map[int]string{}
	var equal []string
	for k, l := range i.Out {
		if have, ok := at[l]; !ok {
			at[l] = idx[k]
		} else if have != idx[k] {
			equal = append(equal, have+" == "+idx[k])
		}
	}
	factors := make([]string, len(i.Args))
	for k, a := range i.Args {
		sub := make([]string, len(i.In[k]))
		for j, l := range i.In[k] {
			sub[j] = at[l]
		}
		factors[k] = p.entry(a, sub)
	}
	x := strings.Join(factors, " * ")
	if len(factors) > 1 {
		x = "(" + x + ")"
	}
	if equal != nil {
		return strings.NewReplacer("$", strings.Join(equal, " && "), "#", x, "@", "0.0").Replace(p.choose)
	}
	return x
}

// store computes a value that is stored.
func (p *looper) store(at int) {
	i := &p.list[at]
	switch {
	case i.Kind == plan.DoApply && !p.entrywise(i):
		p.primitive(at)
	case p.entrywise(i):
		if p.isScalar(at) {
			p.declareValue(at, p.expression(at, nil))
			return
		}
		idx := p.indices(len(i.Shape))
		p.inParallel(i.Shape)
		for k, d := range i.Shape {
			p.loop(idx[k], d)
		}
		p.add("%s = %s%s", p.entryOf(at, idx), p.expression(at, idx), p.end)
		p.close(len(idx))
	case i.Kind == plan.DoProduct:
		p.sum(at)
	default:
		p.gather(at)
	}
}

func (p *looper) entryOf(at int, idx []string) string {
	if p.isScalar(at) {
		return p.array(at)
	}
	return p.at(p.array(at), p.flat(idx, p.list[at].Shape))
}

// at is an entry of an array.
func (l *loops) at(array, place string) string {
	return strings.NewReplacer("#", array, "@", place).Replace(l.index)
}

// increase adds x to y.
func (p *looper) increase(y, x string) {
	p.add("%s%s", strings.NewReplacer("#", y, "@", x).Replace(p.plusInto), p.end)
}

func (p *looper) indices(n int) []string {
	idx := make([]string, n)
	for k := range idx {
		idx[k] = fmt.Sprintf("i%d", k)
	}
	return idx
}

// declareValue declares a number, or nothing for an array.
func (p *looper) declareValue(at int, value string) {
	if p.isScalar(at) {
		if value == "" {
			value = "0.0"
		}
		p.add("%s%s", strings.NewReplacer("#", p.array(at), "@", value).Replace(p.scalar), p.end)
	}
}

// primitive is a function of matrices or along axes.
func (p *looper) primitive(at int) {
	i := &p.list[at]
	n := i.Node
	row := n.Atom()
	if row == atom.Merge || row == atom.Split {
		p.alias[at] = i.Args[0]
		return
	}
	x := n.Arg(0).Shape()
	name, fails := row.Name, false
	var args []string
	switch row {
	case atom.Norm2:
		if len(x) == 0 {
			p.declareValue(at, p.call("fabs", p.entry(i.Args[0], nil)))
			return
		}
		p.declareValue(at, p.call("norm2", p.volume(x), p.array(i.Args[0])))
		return
	case atom.AMax, atom.AMin, atom.LogSumExp, atom.Softmax:
		k := len(x) - n.Attr()
		args = []string{p.volume(x[:k]), p.volume(x[k:]), p.array(i.Args[0])}
	case atom.Prod:
		k := len(x) - 1
		name, args = "products", []string{p.volume(x[:k]), p.size(x[k]), fmt.Sprint(n.Attr()), p.array(i.Args[0])}
	case atom.Inv, atom.LogDet:
		args, fails = []string{p.volume(x[:len(x)-2]), p.size(x[len(x)-1]), p.array(i.Args[0])}, true
	case atom.Minor:
		name, args, fails = "minors", []string{p.volume(x[:len(x)-2]), p.size(x[len(x)-1]), fmt.Sprint(n.Attr()), p.array(i.Args[0])}, true
	case atom.Solve:
		rest := n.Arg(1).Shape()[len(x)-1:]
		args, fails = []string{p.volume(x[:len(x)-2]), p.size(x[len(x)-1]), p.volume(rest), p.array(i.Args[0]), p.array(i.Args[1])}, true
	default:
		p.failure = p.refuse("the operation "+row.Spoken(), "")
		return
	}
	if p.returns {
		p.add("%s = %s%s", p.array(at), p.call(name, args...), p.end)
		return
	}
	call := p.call(name, append(args, p.array(at))...)
	if fails && p.fails != "" {
		call = strings.ReplaceAll(p.fails, "#", call)
	}
	p.add("%s%s", call, p.end)
}
