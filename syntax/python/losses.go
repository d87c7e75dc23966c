package python

import (
	"fmt"
	"strings"
)

// Activations and losses of PyTorch.

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
