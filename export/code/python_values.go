package code

// Values of the Python targets that are computed entry by entry, and how numbers and sizes are written.

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
	case n.Body() != nil:
		return p.bodied(n, args)
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
	case atom.AMax, atom.AMin, atom.LogSumExp, atom.Softmax, atom.Prod:
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
