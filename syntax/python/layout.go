package python

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Functions that arrange entries: concatenations, transposes, reshapes.

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
