package python

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"frechet/internal/lists"
	"frechet/internal/words"
)

// entry are functions of one argument that act entry by entry: %s is the argument.
var entry = map[string]string{
	"exp": "exp(%s)", "log": "log(%s)", "sqrt": "sqrt(%s)", "sin": "sin(%s)", "cos": "cos(%s)", "tan": "tan(%s)", "sinh": "sinh(%s)",
	"cosh": "cosh(%s)", "tanh": "tanh(%s)", "arcsin": "arcsin(%s)", "asin": "arcsin(%s)", "arccos": "arccos(%s)", "acos": "arccos(%s)",
	"arctan": "arctan(%s)", "atan": "arctan(%s)", "log1p": "log1p(%s)", "expm1": "expm1(%s)", "erf": "erf(%s)", "abs": "abs(%s)",
	"absolute": "abs(%s)", "fabs": "abs(%s)", "sign": "sign(%s)", "square": "square(%s)", "sigmoid": "sigmoid(%s)", "expit": "sigmoid(%s)",
	"relu": "relu(%s)", "softplus": "softplus(%s)", "gelu": "gelu(%s)", "negative": "(-%s)", "neg": "(-%s)", "reciprocal": "(1 ./ %s)",
	"log_sigmoid": "(-softplus(-%s))", "logsigmoid": "(-softplus(-%s))", "log_expit": "(-softplus(-%s))", "silu": "(%[1]s .* sigmoid(%[1]s))", "swish": "(%[1]s .* sigmoid(%[1]s))",
	"softsign": "(%[1]s ./ (1 + abs(%[1]s)))", "tanhshrink": "(%[1]s - tanh(%[1]s))", "erfc": "(1 - erf(%s))", "exp2": "exp(log(2) .* %s)", "rsqrt": "(1 ./ sqrt(%s))",
	"log2": "(log(%s) ./ log(2))", "log10": "(log(%s) ./ log(10))", "relu6": "min(relu(%s), 6)", "mish": "(%[1]s .* tanh(softplus(%[1]s)))", "logit": "(log(%[1]s) - log(1 - %[1]s))",
}

// pair are functions of two arguments that act entry by entry.
var pair = map[string]string{
	"maximum": "max(%s, %s)", "fmax": "max(%s, %s)", "minimum": "min(%s, %s)", "fmin": "min(%s, %s)", "logaddexp": "logaddexp(%s, %s)",
	"add": "(%s + %s)", "subtract": "(%s - %s)", "sub": "(%s - %s)", "divide": "(%s ./ %s)", "true_divide": "(%s ./ %s)", "div": "(%s ./ %s)", "power": "(%s .^ %s)",
	"pow": "(%s .^ %s)", "float_power": "(%s .^ %s)", "greater": "(%s > %s)", "less": "(%s < %s)", "hypot": "sqrt(square(%s) + square(%s))",
	"xlogy": "(%s .* log(%s))", "gt": "(%s > %s)", "lt": "(%s < %s)", "ge": "(%s >= %s)", "le": "(%s <= %s)", "squared_difference": "square(%s - %s)",
}

// reductions are functions of all entries or along axes; those of the value are given the same name here.
var reductions = map[string]string{"sum": "sum", "mean": "mean", "max": "max", "amax": "max", "min": "min", "amin": "min", "logsumexp": "logsumexp", "prod": "prod",
	"var": "var", "std": "std", "nansum": "", "nanmean": "", "median": "", "argmax": "", "argmin": "", "average": "mean"}

// squares are functions of one square matrix.
var squares = map[string]string{"inv": "inv(%s)", "inverse": "inv(%s)", "det": "det(%s)", "logdet": "logdet(%s)", "trace": "tr(%s)"}

// losses are those of torch.nn.functional that are means of entries: a is the input, b the target.
var losses = map[string]string{"mse_loss": "square(%s - %s)", "l1_loss": "abs(%s - %s)",
	"binary_cross_entropy_with_logits": "(softplus(%[1]s) - %[2]s .* %[1]s)", "soft_margin_loss": "softplus(-%s .* %s)",
	"binary_cross_entropy": "(-(%[2]s .* log(%[1]s) + (1 - %[2]s) .* log(1 - %[1]s)))", "poisson_nll_loss": "(exp(%[1]s) - %[2]s .* %[1]s)"}

// given are the arguments of a call, by place and by name.
type given struct {
	t     *translator
	at    lexer.Position
	name  string
	jax   bool // it is one of JAX's
	list  []value
	named map[string]value
}

// call is a function of a library, or a method: self is what stands before its dot.
func (t *translator) call(at lexer.Position, name string, self *value, a *arguments) value {
	g := &given{t: t, at: at, name: last(name), jax: strings.HasPrefix(name, "jax."), named: map[string]value{}}
	if self != nil {
		g.list = append(g.list, *self)
	}
	for _, x := range a.List {
		switch {
		case x.Star != "":
			t.fail(x.Pos, "arguments in any number have no meaning here")
		case x.Named != nil:
			name := ""
			if x.First.Ternary != nil {
				name = x.First.Ternary.Then.First.Left.Left.Left.Power.Base.Atom.Name
			}
			g.named[name] = t.expr(x.Named)
		default:
			g.list = append(g.list, t.expr(x.First))
		}
	}
	return g.value()
}

// arg takes an argument by its place or one of its names.
func (g *given) arg(i int, names ...string) (value, bool) {
	if i >= 0 && i < len(g.list) {
		return g.list[i], true
	}
	for _, n := range names {
		if v, ok := g.named[n]; ok {
			delete(g.named, n)
			return v, v.word != "None "
		}
	}
	return value{}, false
}

func (g *given) need(i int, names ...string) value {
	v, ok := g.arg(i, names...)
	if !ok {
		g.fail("%s lacks an argument", g.name)
	}
	return g.t.tensor(g.at, v)
}

func (g *given) fail(format string, args ...any) { g.t.fail(g.at, format, args...) }

// value finds the function in the tables.
func (g *given) value() value {
	if f, ok := entry[g.name]; ok {
		return g.entry(f)
	}
	if f, ok := pair[g.name]; ok {
		return g.rest(entrywise(f, g.need(0, "x1"), g.need(1, "x2", "exponent")))
	}
	if f, ok := squares[g.name]; ok {
		return g.square(f)
	}
	if f, ok := losses[g.name]; ok {
		return g.loss(f)
	}
	if r := reductions[g.name]; r != "" {
		if len(g.list) == 2 && (r == "max" || r == "min") && g.list[1].order() > 0 {
			return g.rest(entrywise(r+"(%s, %s)", g.list[0], g.list[1]))
		}
		return g.reduce(r)
	}
	if f, ok := special[g.name]; ok {
		return g.rest(f(g))
	}
	known := slices.Concat(keys(entry), keys(pair), keys(squares), keys(losses), keys(special), []string{"sum", "mean", "prod", "max", "min", "logsumexp", "var", "std"})
	sort.Strings(known)
	near := ""
	if best := words.Nearest(g.name, known); best != "" {
		near = "; did you mean " + best + "?"
	}
	g.fail("%s has no meaning here%s", g.name, near)
	return value{}
}

// entry is a function of one argument that acts entry by entry.
func (g *given) entry(format string) value {
	x := g.need(0, "x", "input", "a")
	w, ok := g.arg(-1, "approximate")
	if ok && w.word != "none " && (w.num == nil || *w.num != 0) || !ok && g.jax && g.name == "gelu" {
		g.fail("the approximation of gelu by tanh has to be written out")
	}
	return g.rest(value{text: fmt.Sprintf(format, x.text), axes: x.axes})
}

// square is a function of one square matrix.
func (g *given) square(format string) value {
	x := g.need(0, "a")
	if len(x.axes) != 2 || x.order() != 2 {
		g.fail("%s is of a matrix here, but there are %s", g.name, words.Count(len(x.axes), "axis"))
	}
	unify(x.axes[0], x.axes[1])
	out := value{text: fmt.Sprintf(format, x.text)}
	if strings.HasPrefix(format, "inv") {
		out.axes = x.axes
	}
	return g.rest(out)
}

func keys[T any](m map[string]T) (names []string) {
	for k := range m {
		names = append(names, k)
	}
	return names
}

// rest refuses named arguments that nothing has looked at, but those that say how numbers are stored.
func (g *given) rest(v value) value {
	for n := range g.named {
		if !slices.Contains([]string{"dtype", "device", "out", "precision", "axis", "dim"}, n) || n == "axis" || n == "dim" {
			g.fail("the argument %s of %s has no meaning here", n, g.name)
		}
	}
	return v
}

// axesOf are the axes that an argument names, in order; all where it names none.
func (g *given) axesOf(v value, i int) ([]int, bool) {
	a, ok := g.arg(i, "axis", "dim")
	if !ok || a.word == "None " {
		all := lists.Make(len(v.axes), func(k int) int { return k })
		return all, false
	}
	list := a.list
	if !a.list1 {
		list = []value{a}
	}
	var axes []int
	for _, x := range list {
		k, ok := x.whole()
		if k < 0 {
			k += len(v.axes)
		}
		if !ok || k < 0 || k >= len(v.axes) || slices.Contains(axes, k) {
			g.fail("%s: there is no such axis", g.name)
		}
		axes = append(axes, k)
	}
	sort.Ints(axes)
	return axes, true
}

func (g *given) flag(names ...string) bool {
	v, ok := g.arg(-1, names...)
	return ok && v.num != nil && *v.num != 0
}

// reduce is a function of all entries or along axes.
func (g *given) reduce(name string) value {
	v := g.need(0, "a", "input", "x")
	axes, some := g.axesOf(v, 1)
	keep := g.flag("keepdims", "keepdim")
	if g.name == "logsumexp" && g.t.f.torch && !some {
		g.fail("logsumexp needs dim")
	}
	correction := g.correction(name)
	out := v
	if !some || len(axes) > 1 && len(axes) == len(v.axes) {
		out.text = name + "(" + v.text + ")"
	} else if len(axes) > 1 && !slices.Contains([]string{"sum", "mean", "prod", "max", "min", "logsumexp"}, name) {
		g.fail("%s along several axes has no meaning here", g.name)
	} else if some {
		for _, k := range slices.Backward(axes) {
			if v.axes[k] != nil {
				out.text = fmt.Sprintf("%s(%s, axis=%d)", name, out.text, v.place(k))
			}
		}
	}
	if correction != 0 {
		n := "1"
		for _, k := range axes {
			if v.axes[k] != nil {
				n += "*" + v.axes[k].String()
			}
		}
		factor := fmt.Sprintf("((%s) / ((%s) - %d))", n, n, correction)
		if name == "std" {
			factor = "sqrt(" + factor + ")"
		}
		out.text = "(" + factor + " .* " + out.text + ")"
	}
	out.axes = nil
	for k, d := range v.axes {
		switch {
		case !slices.Contains(axes, k):
			out.axes = append(out.axes, d)
		case keep:
			out.axes = append(out.axes, nil)
		}
	}
	return g.rest(out)
}

// correction is what a variance takes from the number of entries: 1 in PyTorch where nothing is said.
func (g *given) correction(name string) int {
	if name != "var" && name != "std" {
		return 0
	}
	if v, ok := g.arg(-1, "ddof", "correction"); ok {
		n, whole := v.whole()
		if !whole {
			g.fail("%s: a correction is a whole number", g.name)
		}
		return n
	}
	if v, ok := g.arg(-1, "unbiased"); ok && v.num != nil {
		return int(*v.num)
	}
	if g.t.f.torch {
		return 1
	}
	return 0
}

// loss is a function of torch.nn.functional: the mean of its entries, or as reduction says.
func (g *given) loss(f string) value {
	a, b := g.need(0, "input"), g.need(1, "target")
	axes := broadcast(a, b)
	v := value{text: fmt.Sprintf(f, a.spread(axes), b.spread(axes)), axes: axes}
	how := "mean "
	if r, ok := g.arg(-1, "reduction"); ok {
		how = r.word
	}
	switch {
	case how == "none " || v.order() == 0:
	case how == "mean " || how == "sum ":
		v = value{text: strings.TrimSpace(how) + "(" + v.text + ")"}
	default:
		g.fail("reduction is mean, sum or none")
	}
	return g.rest(v)
}
