package python

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"frechet/internal/lists"
)

// special are the functions that no table says in a format.
var special map[string]func(*given) value

func init() {
	same := func(g *given) value {
		for n := range g.named {
			delete(g.named, n)
		}
		return g.t.tensor(g.at, g.list[0])
	}
	special = map[string]func(*given) value{
		"dot": dot, "vdot": dot, "inner": dot, "matmul": matmul, "mm": matmul, "mv": matmul, "bmm": matmul, "multi_dot": matmul,
		"multiply": multiply, "mul": multiply, "outer": outer, "ger": outer, "einsum": einsum, "tensordot": tensordot,
		"diag": diag, "diagonal": diag, "eye": eye, "identity": eye, "ones": filled("1"), "zeros": filled("0"), "full": filled(""),
		"ones_like": like("1"), "zeros_like": like("0"), "full_like": like(""), "array": same, "asarray": same, "tensor": same, "as_tensor": same,
		"astype": same, "float": same, "double": same, "copy": same, "clone": same, "contiguous": same, "item": same, "to": same, "ascontiguousarray": same,
		"norm": norm, "vector_norm": norm, "softmax": softmax, "log_softmax": logSoftmax, "where": where, "clip": clip, "clamp": clip, "hardtanh": clip,
		"cumsum": along("cumsum"), "cumprod": along("cumprod"), "flip": along("flip"), "roll": roll, "diff": diff, "tril": triangle("tril"), "triu": triangle("triu"),
		"concatenate": concat, "cat": concat, "concat": concat, "stack": stack,
		"transpose": transpose, "permute": transpose, "swapaxes": swap, "t": func(g *given) value { return g.t.attribute(g.at, g.need(0), "T") },
		"reshape": reshape, "view": reshape, "ravel": flatten, "flatten": flatten, "squeeze": squeeze, "unsqueeze": unsqueeze, "expand_dims": unsqueeze,
		"solve": solve, "matrix_power": matrixPower, "slogdet": slogdet, "kron": kron, "len": length, "numel": func(g *given) value { return g.t.sizeAll(g.need(0)) },
		"leaky_relu": leaky, "elu": elu, "huber_loss": huber, "huber": huber, "smooth_l1_loss": huber, "cross_entropy": crossEntropy, "cosine_similarity": cosine,
		"mask": same, "size": sizeMethod,
	}
}

func diag(g *given) value {
	v := g.need(0)
	switch {
	case len(v.axes) == 1 && v.order() == 1 && g.name == "diag":
		return value{text: "diag(" + v.text + ")", axes: []*dim{v.axes[0], v.axes[0]}}
	case len(v.axes) == 2 && v.order() == 2:
		unify(v.axes[0], v.axes[1])
		return value{text: "diag(" + v.text + ")", axes: v.axes[:1]}
	}
	g.fail("%s is of a vector or a matrix here", g.name)
	return value{}
}

// shape reads the sizes of a constant: a number, several, or a tuple.
func (g *given) shape(list []value) (ds []*dim) {
	if len(list) == 1 && list[0].list1 {
		list = list[0].list
	}
	for _, x := range list {
		d, ok := x.sizeOf()
		if !ok {
			g.fail("%s: a size is a whole number, or a size of an argument", g.name)
		}
		ds = append(ds, d)
	}
	return ds
}

func sizesOf(ds []*dim) string {
	var out []string
	out = lists.Append(out, ds, func(d *dim) string { return d.String() })
	return strings.Join(out, ",")
}

func eye(g *given) value {
	ds := g.shape(g.list)
	if len(ds) != 1 {
		g.fail("%s takes one size here", g.name)
	}
	return value{text: "eye(" + ds[0].String() + ")", axes: []*dim{ds[0], ds[0]}}
}

func filled(number string) func(*given) value {
	return func(g *given) value {
		list, text := g.list, number
		if number == "" {
			list, text = g.list[:1], g.need(1, "fill_value").text
		}
		return constantOf(g.shape(list), text)
	}
}

func constantOf(ds []*dim, text string) value {
	if len(ds) == 0 {
		return value{text: text}
	}
	v := value{text: "ones(" + sizesOf(ds) + ")", axes: ds}
	if text != "1" {
		v.text = "(" + text + " .* " + v.text + ")"
	}
	return v
}

func like(number string) func(*given) value {
	return func(g *given) value {
		v, text := g.need(0), number
		if number == "" {
			text = g.need(1, "fill_value").text
		}
		out := constantOf(v.present(), text)
		out.axes = v.axes
		return out
	}
}

// norm is that of a vector, the Frobenius norm of a matrix, or along an axis.
func norm(g *given) value {
	v := g.need(0, "x", "input")
	kind := "2"
	o, ok := g.arg(1, "ord", "p")
	switch {
	case !ok:
	case o.word != "":
		if kind = strings.TrimSpace(o.word); kind != "fro" {
			g.fail("norm %q has no meaning here", kind)
		}
	default:
		kind = o.text
	}
	axes, some := g.axesOf(v, 2)
	keep := g.flag("keepdims", "keepdim")
	if kind == "2" && ok && len(v.axes) == 2 && !some && !(g.t.f.torch && g.name == "norm") {
		g.fail("the largest singular value has no meaning here; norm without ord is Frobenius's")
	}
	if kind != "1" && kind != "2" && kind != "fro" || kind == "1" && len(axes) != 1 && !g.t.f.torch {
		g.fail("this norm has no meaning here; those of order 1 and 2 of vectors have")
	}
	if !some && !keep {
		return value{text: map[bool]string{true: "norm1", false: "norm2"}[kind == "1"] + "(" + v.text + ")"}
	}
	inner := *g
	inner.list, inner.named, inner.name = []value{{text: "square(" + v.text + ")", axes: v.axes}}, map[string]value{}, "sum"
	if kind == "1" {
		inner.list[0].text = "abs(" + v.text + ")"
	}
	var list []value
	list = lists.Append(list, axes, func(k int) value { return number(float64(k), strconv.Itoa(k)) })
	inner.named["axis"] = value{list: list, list1: true}
	if keep {
		inner.named["keepdims"] = number(1, "1")
	}
	out := inner.reduce("sum")
	if kind != "1" {
		out.text = "sqrt(" + out.text + ")"
	}
	return out
}

// axisOf is the one axis that a function works along.
func (g *given) axisOf(v value, i, standard int) int {
	a, ok := g.arg(i, "axis", "dim")
	k := standard
	if ok {
		k, ok = a.whole()
		if !ok {
			g.fail("%s works along one axis", g.name)
		}
	}
	if k < 0 {
		k += len(v.axes)
	}
	if k < 0 || k >= len(v.axes) || v.axes[k] == nil {
		g.fail("%s: there is no such axis", g.name)
	}
	return k
}

func softmax(g *given) value {
	v := g.need(0, "x", "input")
	return value{text: fmt.Sprintf("softmax(%s, axis=%d)", v.text, v.place(g.axisOf(v, 1, -1))), axes: v.axes}
}

func logSoftmax(g *given) value {
	v := g.need(0, "x", "input")
	k := g.axisOf(v, 1, -1)
	total := value{text: fmt.Sprintf("logsumexp(%s, axis=%d)", v.text, v.place(k)), axes: slices.Clone(v.axes)}
	total.axes[k] = nil
	return entrywise("(%s - %s)", v, total)
}

// where chooses entry by entry.
func where(g *given) value {
	c, a, b := g.need(0), g.need(1), g.need(2)
	axes := broadcast(value{axes: broadcast(c, a)}, b)
	return value{text: fmt.Sprintf("where(%s, %s, %s)", c.spread(axes), a.spread(axes), b.spread(axes)), axes: axes}
}

func clip(g *given) value {
	v := g.need(0, "input")
	low, hasLow := g.arg(1, "a_min", "min", "min_val")
	high, hasHigh := g.arg(2, "a_max", "max", "max_val")
	if g.name == "hardtanh" && !hasLow && !hasHigh {
		low, high, hasLow, hasHigh = number(-1, "(-1)"), number(1, "1"), true, true
	}
	if hasLow && low.word == "" {
		v = entrywise("max(%s, %s)", v, low)
	}
	if hasHigh && high.word == "" {
		v = entrywise("min(%s, %s)", v, high)
	}
	return v
}

func along(name string) func(*given) value {
	return func(g *given) value {
		v := g.need(0, "a", "x", "input")
		if len(v.axes) == 1 {
			g.arg(1, "axis", "dim")
			return value{text: name + "(" + v.text + ")", axes: v.axes}
		}
		return value{text: fmt.Sprintf("%s(%s, axis=%d)", name, v.text, v.place(g.axisOf(v, 1, len(v.axes)))), axes: v.axes}
	}
}

func roll(g *given) value {
	v, by := g.need(0, "a", "input"), g.need(1, "shift", "shifts")
	return value{text: fmt.Sprintf("roll(%s, %s, axis=%d)", v.text, sizeText(by), v.place(g.axisOf(v, 2, len(v.axes)-1))), axes: v.axes}
}

// diff is the differences of neighbours along an axis.
func diff(g *given) value {
	v := g.need(0, "a")
	k := g.axisOf(v, -1, -1)
	part := func(r string) string {
		var parts []string
		for i, d := range v.axes {
			switch {
			case i == k:
				parts = append(parts, r)
			case d != nil:
				parts = append(parts, ":")
			}
		}
		return v.text + "[" + strings.Join(parts, ", ") + "]"
	}
	axes := slices.Clone(v.axes)
	axes[k] = derived(func() string { return "(" + v.axes[k].String() + " - 1)" }, v.axes[k])
	return value{text: "(" + part("1:") + " - " + part(":-1") + ")", axes: axes}
}

func triangle(name string) func(*given) value {
	return func(g *given) value {
		v := g.need(0)
		text := v.text
		if k, ok := g.arg(1, "k", "diagonal"); ok {
			text += ", " + k.text
		}
		return value{text: name + "(" + text + ")", axes: v.axes}
	}
}

func solve(g *given) value {
	a, b := g.need(0, "a"), g.need(1, "b")
	if len(a.axes) != 2 || a.order() != 2 || len(b.axes) == 0 || b.order() != len(b.axes) {
		g.fail("solve is of a matrix and a vector or matrix here")
	}
	unify(a.axes[0], a.axes[1])
	unify(a.axes[0], b.axes[0])
	return value{text: "solve(" + a.text + ", " + b.text + ")", axes: b.axes}
}

func matrixPower(g *given) value {
	a := g.need(0)
	n, ok := g.need(1, "n").whole()
	if !ok || len(a.axes) != 2 {
		g.fail("matrix_power is of a matrix, to a whole power")
	}
	unify(a.axes[0], a.axes[1])
	return value{text: fmt.Sprintf("matpow(%s, %d)", a.text, n), axes: a.axes}
}

// slogdet is a pair: the sign cannot be used, the logarithm is that of a positive determinant.
func slogdet(g *given) value {
	a := g.need(0)
	if len(a.axes) != 2 {
		g.fail("slogdet is of a matrix here")
	}
	unify(a.axes[0], a.axes[1])
	return value{list1: true, list: []value{{word: "the sign of a determinant"}, {text: "logdet(" + a.text + ")"}}}
}

func kron(g *given) value {
	a, b := g.need(0), g.need(1)
	if len(a.axes) != 2 || len(b.axes) != 2 {
		g.fail("kron is of two matrices here")
	}
	size := func(i int) *dim {
		return derived(func() string { return "(" + a.axes[i].String() + "*" + b.axes[i].String() + ")" }, a.axes[i], b.axes[i])
	}
	return value{text: "kron(" + a.text + ", " + b.text + ")", axes: []*dim{size(0), size(1)}}
}

func length(g *given) value {
	v := g.need(0)
	if len(v.axes) == 0 {
		g.fail("len is of a tensor with axes")
	}
	return sizeValue(v.axes[0])
}

// sizeMethod is PyTorch's x.size() and x.size(0).
func sizeMethod(g *given) value {
	v := g.need(0)
	shape := g.t.attribute(g.at, v, "shape")
	if len(g.list) == 1 {
		return shape
	}
	return sizeValue(v.axes[g.axisOf(v, 1, 0)])
}
