package proof

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/internal/must"
)

var drawnTerms = flag.Int("terms", 80, "how many random terms are brought to a form by each theory, in each of ten rounds")

// TestStepsAreTrue draws terms that are made of few parts, so that many of them are alike, and asks for steps between those that a theory
// brings to one form. Each step that is accepted is compared with numbers: where the term before has a value, that after has this one.
func TestStepsAreTrue(t *testing.T) {
	accepted := 0
	for seed := range uint64(10) {
		accepted += stepsAreTrue(t, seed, *drawnTerms)
	}
	t.Logf("%d steps between different terms are accepted", accepted)
}

func stepsAreTrue(t *testing.T, seed uint64, count int) (accepted int) {
	d := &termDrawer{s: combinators.NewStore(), rng: rand.New(rand.NewPCG(seed, 7)), values: map[*Node][]point{}}
	d.draw(count)
	k := &checker{s: d.s, work: &work{}, symmetric: map[*Node]bool{}}
	for name, th := range theories {
		for _, whole := range []bool{false, true} {
			groups := map[*Node][]*Node{}
			for _, n := range d.pool {
				if f := d.form(k, n, th, whole); f != nil {
					groups[f] = append(groups[f], n)
				}
			}
			for _, group := range groups {
				for range 4 * (len(group) - 1) {
					a, b := group[d.rng.IntN(len(group))], group[d.rng.IntN(len(group))]
					k.work.done = 0
					step := &Step{Before: Line{Nodes: []*Node{a}}, After: Line{Nodes: []*Node{b}}}
					if a == b || must.Try(func() { k.native(name, step) }) != nil {
						continue
					}
					if accepted++; !d.differ(a, b) {
						continue
					}
					t.Errorf("%s (seed %d): a step that is not true\n   %s\n=> %s", name, seed, show(a), show(b))
					return
				}
			}
		}
	}
	return accepted
}

// A termDrawer makes terms of terms.
type termDrawer struct {
	s      *combinators.Store
	rng    *rand.Rand
	pool   []*Node
	values map[*Node][]point // at each point; nil where there is none
}

const points = 24

var n2 = []size.Size{size.Const(2)}

func (d *termDrawer) draw(count int) {
	s := d.s
	nn := []size.Size{n2[0], n2[0]}
	d.pool = []*Node{s.Var("x", n2), s.Var("y", n2), s.Var("x", n2), s.Ones(n2), s.Zero(n2), s.Var("A", nn), s.Var("c", nil)}
	for len(d.pool) < count {
		if n := d.term(); n != nil && len(combinators.Topo(n)) < 14 {
			d.pool = append(d.pool, n)
		}
	}
}

func (d *termDrawer) pick() *Node {
	k := d.rng.IntN(len(d.pool))
	if d.rng.IntN(2) == 0 {
		k = d.rng.IntN(min(len(d.pool), 30))
	}
	return d.pool[k]
}

// like is a term of the shape of n.
func (d *termDrawer) like(n *Node) *Node {
	for range 20 {
		if m := d.pick(); fmt.Sprint(m.Shape()) == fmt.Sprint(n.Shape()) {
			return m
		}
	}
	return n
}

func (d *termDrawer) term() *Node {
	s, a := d.s, d.pick()
	guards := []combinators.Guard{combinators.GuardNone, combinators.GuardNone, combinators.GuardWeak, combinators.GuardZero}
	guard := func(n *Node) *Node {
		g := guards[d.rng.IntN(4)]
		if !n.CanBeInfinite() || g == combinators.GuardZero && !n.Is(atom.Power) {
			return n
		}
		return n.WithGuard(g)
	}
	rat := func(p, q int64) *Node { return guard(s.Power(a, s.Fraction(p, q).Rat())) }
	switch d.rng.IntN(20) {
	case 0, 1:
		return s.Add(a, d.like(a))
	case 2, 3, 4:
		return s.Mul(a, d.like(a))
	case 5, 6:
		return rat(-1, 1)
	case 7:
		return rat(2, 1)
	case 8:
		return rat(1, 2)
	case 9:
		return rat(int64(d.rng.IntN(7)-3), int64(1+d.rng.IntN(3)))
	case 10:
		return s.Unary([]*atom.Row{atom.Abs, atom.Exp, atom.Sin, atom.Sign, atom.Relu}[d.rng.IntN(5)], a)
	case 11:
		return s.Unary(atom.Log, a)
	case 12:
		return s.Sub(a, d.like(a))
	case 13:
		return s.Mul(a, s.Fill(s.Fraction(int64(d.rng.IntN(5)-2), 2).Rat(), a.Shape()))
	}
	return d.contraction(a)
}

func (d *termDrawer) contraction(a *Node) *Node {
	s, b := d.s, d.like(d.pool[0])
	switch a.Order() {
	case 0:
		return s.Mul(s.Broadcast(a, n2), b)
	case 1:
		return []*Node{s.Einsum("i,i->", a, b), s.Einsum("i->", a), s.Einsum("i,j->ij", a, b), s.Einsum("i->ii", a), s.Norm2(a)}[d.rng.IntN(5)]
	}
	return []*Node{s.Einsum("ij->ji", a), s.Einsum("ij,j->i", a, b), s.Einsum("ii->i", a), s.Einsum("ij->", a), s.Einsum("ij,jk->ik", a, d.like(a))}[d.rng.IntN(5)]
}

// form is the node of a term's form by a theory, nil where that is too wide.
func (d *termDrawer) form(k *checker, n *Node, t theory, whole bool) (f *Node) {
	defer func() {
		if recover() != nil {
			f = nil
		}
	}()
	k.work.done = 0
	z := &algebra{s: k.s, theory: t, signs: newSigns(nil, k.work), work: k.work, until: fewVisits, whole: whole, symmetric: k.symmetric}
	return z.node(z.formOf(n).terms, n.Shape())
}

// differ: at some point a has a value and b has another one, or none.
func (d *termDrawer) differ(a, b *Node) bool {
	x, y := d.evaluate(a), d.evaluate(b)
	for k := range x {
		if !x[k].defined || y[k].Tensor == nil || y[k].lost {
			continue
		}
		if len(x[k].Shape) != len(y[k].Shape) {
			return true
		}
		for i, v := range x[k].Data {
			if !(math.Abs(v-y[k].Data[i]) <= 1e-6*(1+math.Abs(v))) {
				return true
			}
		}
	}
	return false
}

// A number is a value at a point; it is defined where all that it is made of is, but for guarded factors of products.
type point struct {
	*eval.Tensor
	defined bool
	lost    bool // a guarded factor is NaN, which loses beside an exact 0 as an infinity does
}

func (d *termDrawer) evaluate(n *Node) []point {
	if v, ok := d.values[n]; ok {
		return v
	}
	rng := rand.New(rand.NewPCG(1, 2))
	numbers := []float64{-2, -1, -0.5, 0, 0, 0.25, 0.5, 1, 2, 3}
	nodes := combinators.Topo(n)
	out := make([]point, points)
	for k := range out {
		env := eval.Env{"x": eval.NewTensor(2), "y": eval.NewTensor(2), "A": eval.NewTensor(2, 2), "c": eval.NewTensor()}
		for _, name := range []string{"x", "y", "A", "c"} {
			for i := range env[name].Data {
				env[name].Data[i] = numbers[rng.IntN(len(numbers))]
			}
		}
		vs, err := eval.Reference(context.Background(), nodes, env, nil)
		if err != nil {
			continue
		}
		out[k] = point{vs[len(vs)-1], strict(nodes, vs), slices.ContainsFunc(nodes, func(m *Node) bool {
			return m.Guard() != combinators.GuardNone && slices.ContainsFunc(vs[slices.Index(nodes, m)].Data, math.IsNaN)
		})}
	}
	d.values[n] = out
	return out
}

// strict reports whether no function is taken of what is no number.
func strict(nodes []*Node, vs []*eval.Tensor) bool {
	bad := map[*Node]bool{}
	for i, n := range nodes {
		bad[n] = !eval.Finite(vs[i].Data)
		for _, a := range n.Args() {
			if bad[a] && n.Ein() == nil {
				return false
			}
		}
	}
	return !bad[nodes[len(nodes)-1]]
}

func show(n *Node) string {
	if n.Name() != "" {
		return n.Name()
	}
	text := n.Atom().Name
	if n.Rat() != nil {
		text += "[" + n.Rat().RatString() + "]"
	}
	if n.Ein() != nil {
		text = n.Ein().String()
	}
	if n.Guard() != combinators.GuardNone {
		text = fmt.Sprintf("guard%d ", n.Guard()) + text
	}
	for i, a := range n.Args() {
		text += []string{"(", ", "}[min(i, 1)] + show(a)
	}
	if len(n.Args()) > 0 {
		text += ")"
	}
	return text
}
