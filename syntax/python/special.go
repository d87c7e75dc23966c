package python

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"frechet/internal/words"
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

func dot(g *given) value {
	a, b := g.need(0), g.need(1, "b")
	if len(a.axes) == 0 || len(b.axes) == 0 {
		return times(a, b)
	}
	if g.name == "inner" && len(b.axes) == 2 {
		b = g.t.attribute(g.at, b, "T")
	}
	if len(a.axes) > 2 || len(b.axes) > 2 {
		g.fail("%s of more than two axes has no meaning here; einsum has", g.name)
	}
	if g.name == "vdot" && (len(a.axes) != 1 || len(b.axes) != 1) {
		g.fail("vdot is of two vectors here")
	}
	return g.t.matmul(g.at, a, b)
}

func matmul(g *given) value {
	list := g.list
	if g.name == "multi_dot" {
		list = g.list[0].list
	}
	if len(list) < 2 {
		g.fail("%s lacks an argument", g.name)
	}
	v := g.t.tensor(g.at, list[0])
	for _, x := range list[1:] {
		v = g.t.matmul(g.at, v, g.t.tensor(g.at, x))
	}
	return v
}

func multiply(g *given) value { return times(g.need(0, "x1"), g.need(1, "x2")) }

func outer(g *given) value {
	a, b := g.need(0, "a"), g.need(1, "b")
	if len(a.axes) != 1 || len(b.axes) != 1 {
		g.fail("outer is of two vectors here")
	}
	v, _ := product([]value{a, b}, [][]string{{"a"}, {"b"}}, []string{"a", "b"})
	return v
}

// einsum reads the letters of Python; without an arrow the result has those that stand once, in order.
func einsum(g *given) value {
	if len(g.list) < 2 || g.list[0].word == "" {
		g.fail("einsum needs letters and operands")
	}
	spec := strings.ReplaceAll(g.list[0].word, " ", "")
	left, result, arrow := strings.Cut(spec, "->")
	groups := strings.Split(left, ",")
	if strings.Contains(spec, ".") || len(groups) != len(g.list)-1 {
		g.fail("einsum %q does not fit its %s, or has an ellipsis", spec, words.Count(len(g.list)-1, "operand"))
	}
	if !arrow {
		for c := 'A'; c <= 'z'; c++ {
			if strings.Count(left, string(c)) == 1 && c != '[' && c != ']' {
				result += string(c)
			}
		}
	}
	var ops []value
	var names [][]string
	for i, group := range groups {
		v := g.t.tensor(g.at, g.list[i+1])
		if len(v.axes) != len(group) {
			g.fail("einsum: %s has %s, but the operand has %s", group, words.Count(len(group), "letter"), words.Count(len(v.axes), "axis"))
		}
		ops, names = append(ops, v), append(names, strings.Split(group, ""))
	}
	out := strings.Split(result, "")
	if result == "" {
		out = nil
	}
	scale := value{text: "1"}
	for i := len(ops) - 1; i >= 0; i-- {
		if ops[i].order() == 0 && len(ops) > 1 {
			scale = times(scale, value{text: ops[i].text})
			ops, names = slices.Delete(ops, i, i+1), slices.Delete(names, i, i+1)
		}
	}
	v, ok := product(ops, names, out)
	if !ok {
		g.fail("einsum of numbers has no meaning here")
	}
	if scale.text != "1" {
		v.text = "(" + scale.text + " .* " + v.text + ")"
	}
	return v
}

func tensordot(g *given) value {
	a, b := g.need(0), g.need(1)
	n := 2
	if v, ok := g.arg(2, "axes", "dims"); ok {
		if n, ok = v.whole(); !ok {
			g.fail("tensordot takes a number of axes here; einsum says more")
		}
	}
	if n < 0 || n > len(a.axes) || n > len(b.axes) {
		g.fail("tensordot over %d axes: there are %d and %d", n, len(a.axes), len(b.axes))
	}
	l := letters(len(a.axes) + len(b.axes) - n)
	from := len(a.axes) - n
	v, ok := product([]value{a, b}, [][]string{l[:len(a.axes)], l[from:]}, slices.Concat(l[:from], l[len(a.axes):]))
	if !ok {
		return times(a, b)
	}
	return v
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
	for _, d := range ds {
		out = append(out, d.String())
	}
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
	for _, k := range axes {
		list = append(list, number(float64(k), strconv.Itoa(k)))
	}
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

// parts are the tensors of a list.
func (g *given) parts() (vs []value, texts []string) {
	if len(g.list) == 0 || !g.list[0].list1 || len(g.list[0].list) == 0 {
		g.fail("%s takes a list of tensors", g.name)
	}
	for _, x := range g.list[0].list {
		v := g.t.tensor(g.at, x)
		if v.order() != len(v.axes) || len(v.axes) != len(g.list[0].list[0].axes) {
			g.fail("%s: tensors of one order, without axes of size 1, can be joined here", g.name)
		}
		vs, texts = append(vs, v), append(texts, v.text)
	}
	return vs, texts
}

func concat(g *given) value {
	vs, texts := g.parts()
	k := g.axisOf(vs[0], 1, 0)
	axes := slices.Clone(vs[0].axes)
	for _, v := range vs[1:] {
		for i := range axes {
			if i != k {
				unify(axes[i], v.axes[i])
			}
		}
	}
	var along []*dim
	for _, v := range vs {
		along = append(along, v.axes[k])
	}
	axes[k] = derived(func() string { return strings.ReplaceAll("("+sizesOf(along)+")", ",", " + ") }, along...)
	return value{text: fmt.Sprintf("concat(%s, axis=%d)", strings.Join(texts, ", "), k), axes: axes}
}

func stack(g *given) value {
	vs, texts := g.parts()
	for _, v := range vs[1:] {
		broadcast(vs[0], v)
	}
	k := 0
	if a, ok := g.arg(1, "axis", "dim"); ok {
		if k, ok = a.whole(); !ok {
			g.fail("stack works along one axis")
		}
	}
	if k < 0 {
		k += len(vs[0].axes) + 1
	}
	if k < 0 || k > len(vs[0].axes) {
		g.fail("stack: there is no such axis")
	}
	if len(vs[0].axes) == 0 {
		return value{text: "[" + strings.Join(texts, "; ") + "]", axes: []*dim{fixed(strconv.Itoa(len(vs)))}}
	}
	return value{text: fmt.Sprintf("stack(%s, axis=%d)", strings.Join(texts, ", "), k), axes: slices.Insert(slices.Clone(vs[0].axes), k, fixed(strconv.Itoa(len(vs))))}
}

// transpose is np.transpose, permute, and PyTorch's transpose of two axes.
func transpose(g *given) value {
	v := g.need(0)
	list := g.list[1:]
	if a, ok := g.arg(-1, "axes"); ok {
		list = a.list
	}
	if len(list) == 1 && list[0].list1 {
		list = list[0].list
	}
	if len(list) == 0 {
		return g.t.attribute(g.at, v, "T")
	}
	var order []int
	for _, x := range list {
		k, ok := x.whole()
		if !ok {
			g.fail("%s: an axis is a whole number", g.name)
		}
		if k < 0 {
			k += len(v.axes)
		}
		order = append(order, k)
	}
	if g.name == "transpose" && g.t.f.torch && len(order) == 2 && order[0] >= 0 && order[1] >= 0 {
		order = swapped(len(v.axes), order[0], order[1])
	}
	return g.t.permute(g.at, v, order)
}

func swap(g *given) value {
	v := g.need(0)
	i, iok := g.need(1).whole()
	j, jok := g.need(2).whole()
	if n := len(v.axes); !iok || !jok || i < -n || j < -n || i >= n || j >= n {
		g.fail("swapaxes: there is no such axis")
	}
	return g.t.permute(g.at, v, swapped(len(v.axes), i, j))
}

// reshape keeps the entries in their order, in sizes that are given; one may be -1 where the rest are those of the tensor's axes.
func reshape(g *given) value {
	v := g.need(0)
	list := g.list[1:]
	if len(list) == 1 && list[0].list1 {
		list = list[0].list
	}
	if len(list) == 1 && list[0].num != nil && *list[0].num == -1 {
		return flat(v)
	}
	if len(list) == 2 && len(v.axes) == 1 { // a column or a row
		for i, axes := range [][]*dim{{v.axes[0], nil}, {nil, v.axes[0]}} {
			one, _ := list[1-i].whole()
			if n, ok := list[i].whole(); one == 1 && ok && n == -1 {
				return value{text: v.text, axes: axes}
			}
		}
	}
	ds := g.shape(list)
	return value{text: "reshape(" + v.text + ", " + sizesOf(ds) + ")", axes: ds}
}

func flatten(g *given) value { return flat(g.need(0)) }

func flat(v value) value {
	if v.order() < 2 {
		return value{text: v.text, axes: v.present()}
	}
	d := derived(func() string { return strings.ReplaceAll("("+sizesOf(v.present())+")", ",", "*") }, v.present()...)
	return value{text: "reshape(" + v.text + ", " + d.String() + ")", axes: []*dim{d}}
}

func squeeze(g *given) value {
	v := g.need(0)
	axes, some := g.axesOf(v, 1)
	out := value{text: v.text}
	for k, d := range v.axes {
		if d != nil && some && slices.Contains(axes, k) {
			g.fail("squeeze: the axis is not of size 1")
		}
		if d != nil || some && !slices.Contains(axes, k) {
			out.axes = append(out.axes, d)
		}
	}
	return out
}

func unsqueeze(g *given) value {
	v := g.need(0)
	k, ok := g.need(1, "axis", "dim").whole()
	if k < 0 {
		k += len(v.axes) + 1
	}
	if !ok || k < 0 || k > len(v.axes) {
		g.fail("%s: there is no such axis", g.name)
	}
	return value{text: v.text, axes: slices.Insert(slices.Clone(v.axes), k, nil)}
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

func leaky(g *given) value {
	v, s := g.need(0), "0.01"
	if a, ok := g.arg(1, "negative_slope"); ok {
		s = a.text
	}
	return value{text: fmt.Sprintf("where(%[1]s > 0, %[1]s, %[2]s .* %[1]s)", v.text, s), axes: v.axes}
}

func elu(g *given) value {
	v, s := g.need(0), "1"
	if a, ok := g.arg(1, "alpha"); ok {
		s = a.text
	}
	return value{text: fmt.Sprintf("where(%[1]s > 0, %[1]s, %[2]s .* expm1(min(%[1]s, 0)))", v.text, s), axes: v.axes}
}

// huber is the mean of Huber's function of the differences: smooth_l1_loss is divided by its beta.
func huber(g *given) value {
	a, b, delta := g.need(0, "input"), g.need(1, "target"), "1"
	if d, ok := g.arg(-1, "delta", "beta"); ok {
		delta = d.text
	}
	f := "where(abs(%%s - %%s) <= %[1]s, square(%%[1]s - %%[2]s) ./ 2, %[1]s .* (abs(%%[1]s - %%[2]s) - %[1]s ./ 2))"
	if g.name == "smooth_l1_loss" {
		f = "where(abs(%%s - %%s) <= %[1]s, square(%%[1]s - %%[2]s) ./ (2 .* %[1]s), abs(%%[1]s - %%[2]s) - %[1]s ./ 2)"
	}
	g.list = []value{a, b}
	return g.loss(fmt.Sprintf(f, delta))
}

// crossEntropy is that of logits and probabilities; classes by number are indices, and have no meaning here.
func crossEntropy(g *given) value {
	z, y := g.need(0, "input"), g.need(1, "target")
	if len(z.axes) != len(y.axes) || len(z.axes) == 0 || len(z.axes) > 2 {
		g.fail("cross_entropy with classes by number has no meaning here; give their probabilities, one column for each class")
	}
	broadcast(z, y)
	k := len(z.axes) - 1
	sums := fmt.Sprintf("(sum(%[1]s, axis=%[2]d) .* logsumexp(%[3]s, axis=%[2]d) - sum(%[1]s .* %[3]s, axis=%[2]d))", y.text, k, z.text)
	how := "mean"
	if r, ok := g.arg(-1, "reduction"); ok {
		how = strings.TrimSpace(r.word)
	}
	if k == 0 {
		return value{text: sums}
	}
	if how == "none" {
		return value{text: sums, axes: z.axes[:1]}
	}
	return value{text: how + sums}
}

func cosine(g *given) value {
	a, b := g.need(0), g.need(1)
	if len(a.axes) != 1 || len(b.axes) != 1 {
		g.fail("cosine_similarity is of two vectors here")
	}
	unify(a.axes[0], b.axes[0])
	return value{text: fmt.Sprintf("(dot(%[1]s, %[2]s) / (norm2(%[1]s) * norm2(%[2]s)))", a.text, b.text)}
}
