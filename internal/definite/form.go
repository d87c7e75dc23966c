package definite

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/program"
	"frechet/internal/query"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/normal"
)

// A Law is a step of the argument that a function is convex.
type Law struct {
	Name string `json:"name"` // as it is called: "sum", "composition with an affine map", "square"
	Says string `json:"says"` // of what
}

// maker finds a form of the second derivative along a direction that shows its sign.
type maker struct {
	f     *program.Program
	facts *assumptions.Facts
	laws  []Law
	parts []part
}

// A part is the second derivative of phi along u, and a form of it that is not negative.
type part struct{ form, squares *combinators.Node }

func (m *maker) law(name, format string, args ...any) {
	l := Law{name, fmt.Sprintf(format, args...)}
	if !slices.Contains(m.laws, l) {
		m.laws = append(m.laws, l)
	}
}

func (m *maker) text(n *combinators.Node) string {
	return strings.Join(strings.Fields(strings.Replace(query.New(m.f, normal.Simplify(n)[0], query.AxesOf(n, "")).String(), "\nexpression", " in", 1)), " ")
}

// second is the second derivative of y by xs along vs, in both arguments.
func (m *maker) second(y *combinators.Node, xs, vs []*combinators.Node) (*combinators.Node, error) {
	d := []*combinators.Node{y}
	for range 2 {
		var err error
		if d, err = m.f.Calculus().JVP(d, xs, vs); err != nil {
			return nil, err
		}
	}
	return normal.SimplifyWithin([]*combinators.Node{m.f.Outputs[0].Node}, d...)[0], nil
}

// squares is a form of the second derivative of y along vs that is not negative by its form; nil where none is found. Addends are
// looked at one by one, and each as a function of the affine maps of the variables in it.
func (m *maker) squares(y *combinators.Node, xs, vs []*combinators.Node) (*combinators.Node, error) {
	s := y.Store()
	addends := sum(y)
	if len(addends) > 1 {
		m.law("sum", "a sum of convex functions is convex: %d addends", len(addends))
	}
	var total *combinators.Node
	for _, a := range addends {
		n, err := m.composed(a, xs, vs)
		if n == nil || err != nil {
			return nil, err
		}
		if total == nil {
			total = n
		} else {
			total = s.Add(total, n)
		}
	}
	return total, nil
}

// sum are the addends of a value.
func sum(n *combinators.Node) []*combinators.Node {
	if !n.Is(atom.Add) {
		return []*combinators.Node{n}
	}
	return slices.Concat(sum(n.Arg(0)), sum(n.Arg(1)))
}

// composed finds the form for phi(z), with z the affine maps of the variables in a value: that of phi along u, with the derivative of z
// along v in the place of u.
func (m *maker) composed(y *combinators.Node, xs, vs []*combinators.Node) (*combinators.Node, error) {
	n, err := m.of(y, affine(y, xs), xs, vs)
	if n == nil && err == nil { // affine parts may depend on each other: w'*(A*w - b)
		n, err = m.of(y, xs, xs, vs)
	}
	return n, err
}

// of is composed for y as a function of the affine maps inner.
func (m *maker) of(y *combinators.Node, inner, xs, vs []*combinators.Node) (*combinators.Node, error) {
	s := y.Store()
	phi, us := []*combinators.Node{y}, make([]*combinators.Node, len(inner))
	zs := slices.Clone(inner)
	for i, z := range inner {
		us[i] = s.Member(s.Fresh("u", z.Shape()).Name(), z.Shape(), linearPart(z))
		if !z.Is(atom.Var) {
			zs[i] = s.Fresh("z", z.Shape())
			phi = combinators.Replace(phi, z, zs[i])
		}
	}
	facts := m.facts
	q, err := m.second(phi[0], zs, us)
	if err != nil {
		return nil, err
	}
	m.facts = assumptions.New()
	m.facts.Assume(m.f.Outputs[0].Node, phi[0])
	n := m.nonneg(q, us)
	m.facts = facts
	if n == nil {
		return nil, nil
	}
	m.parts = append(m.parts, part{unguarded(q)[0], n})
	for i, z := range inner {
		if !z.Is(atom.Var) {
			m.law("composition with an affine map", "%s at z = %s", m.text(phi[0]), m.text(z))
		}
		d, err := m.f.Calculus().JVP([]*combinators.Node{z}, xs, vs)
		if err != nil {
			return nil, err
		}
		n = combinators.Replace(combinators.Replace([]*combinators.Node{n}, zs[i], z), us[i], d[0])[0]
	}
	return n, nil
}

// linearPart are the attributes that differences of values have as well.
func linearPart(n *combinators.Node) atom.Attributes {
	return n.Attributes() & (atom.Symmetric | atom.Antisymmetric | atom.Diagonal | atom.Lower | atom.Upper)
}

// affine are the largest parts of y that are affine in xs and depend on them.
func affine(y *combinators.Node, xs []*combinators.Node) (inner []*combinators.Node) {
	depends, flat := map[*combinators.Node]bool{}, map[*combinators.Node]bool{}
	topo := combinators.Topo(y)
	for _, n := range topo {
		count := 0
		ok := true
		for _, a := range n.Args() {
			if depends[a] {
				count++
				ok = ok && flat[a]
			}
		}
		depends[n] = count > 0 || slices.Contains(xs, n)
		linear := n.Is(atom.Add) || n.Ein() != nil && count == 1 || n.Atom().Class == atom.ClassLinear
		flat[n] = slices.Contains(xs, n) || depends[n] && ok && linear
	}
	met := map[*combinators.Node]bool{}
	add := func(n *combinators.Node) {
		if depends[n] && flat[n] && !met[n] {
			met[n] = true
			inner = append(inner, n)
		}
	}
	add(y)
	for _, n := range topo {
		for _, a := range n.Args() {
			if depends[n] && !flat[n] {
				add(a)
			}
		}
	}
	return inner
}

// nonneg is a form of q whose sign is seen: q itself, as it is or multiplied out, with differences from 1 written as what they are, or
// with a square completed; nil where there is none.
func (m *maker) nonneg(q *combinators.Node, us []*combinators.Node) *combinators.Node {
	source := []*combinators.Node{m.f.Outputs[0].Node}
	q = unguarded(q)[0]
	forms := []*combinators.Node{q}
	if e := normal.Expanded(q, true, true); e != nil {
		forms = append(forms, normal.SimplifyWithin(source, e)[0], e)
	}
	for _, n := range forms {
		for _, c := range []*combinators.Node{n, complements(n)} {
			if m.facts.Nonneg(c) {
				m.reasons(c)
				return c
			}
		}
	}
	for _, n := range forms {
		if c := m.completed(n, us); c != nil {
			return c
		}
	}
	return nil
}

// completed is q with the square completed in it: sum(w .* u^2) - c*sum(a .* u)^2 with Z = sum(a^2 ./ w) and c*Z = 1 is
// sum(w .* (u - (a ./ w)*sum(a .* u)/Z)^2), which is the inequality of Cauchy and Schwarz.
func (m *maker) completed(q *combinators.Node, us []*combinators.Node) *combinators.Node {
	s, all := q.Store(), sum(q)
	for i, a := range all {
		all[i] = normal.SimplifyWithin([]*combinators.Node{m.f.Outputs[0].Node}, a)[0]
	}
	for i, plus := range all {
		for j, minus := range all {
			for _, u := range us {
				w, c, letters := weight(plus, u)
				a, batch := slope(minus, u)
				if i == j || w == nil || a == nil || len(letters) == 0 || !m.facts.Nonneg(w) {
					continue
				}
				sh := u.Shape()
				axes := make([]int, len(sh))
				for k := range axes {
					axes[k] = k
				}
				over := slices.DeleteFunc(slices.Clone(axes), func(k int) bool { return !slices.Contains(batch, k) })
				ratio := s.Mul(a, s.Recip(w))
				total := func(x, y *combinators.Node) *combinators.Node {
					return s.Contract([][]int{axes, axes}, over, sh, x, y)
				}
				mean := s.Mul(total(a, u), s.Recip(total(a, ratio)))
				simple := func(n *combinators.Node) *combinators.Node {
					return normal.SimplifyWithin([]*combinators.Node{m.f.Outputs[0].Node, q}, n)[0]
				}
				rest := s.Sub(u, simple(s.Contract([][]int{axes, over}, axes, sh, ratio, mean)))
				w = simple(w)
				square := s.Mul(c, s.Contract([][]int{axes, axes, axes}, nil, sh, w, rest, rest))
				for k, other := range all {
					if k != i && k != j {
						square = s.Add(square, other)
					}
				}
				if m.facts.Nonneg(square) {
					m.law("Cauchy-Schwarz", "%s = %s", m.text(q), m.text(square))
					m.reasons(square)
					return square
				}
			}
		}
	}
	return nil
}

// weight is w, along the axes of u, and the number c of a value c*sum(w .* u^2); nil for other values.
func weight(n, u *combinators.Node) (w, c *combinators.Node, letters []int) {
	ops, in, out, coef := factors(n)
	if len(out) > 0 || coef.Sign() <= 0 {
		return nil, nil, nil
	}
	c = u.Store().Const(coef)
	var rest []*combinators.Node
	var restIn [][]int
	count := 0
	for k, op := range ops {
		switch {
		case op != u && len(in[k]) == 0:
			c = u.Store().Mul(c, op)
		case op != u:
			rest, restIn = append(rest, op), append(restIn, in[k])
		case letters == nil || slices.Equal(letters, in[k]):
			letters = in[k]
			count++
		default:
			return nil, nil, nil
		}
	}
	if count != 2 || !distinct(letters) {
		return nil, nil, nil
	}
	return along(u, rest, restIn, letters), c, letters
}

// slope is a, but for its numbers, of a value -sum over the batch axes of sum(a .* u)^2, with the axes of u that are batch axes; nil for
// other values.
func slope(n, u *combinators.Node) (a *combinators.Node, batch []int) {
	ops, in, out, coef := factors(n)
	if len(out) > 0 || coef.Sign() >= 0 {
		return nil, nil
	}
	// the square: a power, or one factor twice; what else there is belongs to c, which the completed square finds again.
	for k, op := range ops {
		inner := op
		if op.Is(atom.Power) && op.Rat().Cmp(big.NewRat(2, 1)) == 0 {
			inner = op.Arg(0)
		} else if l := slices.Index(ops[k+1:], op); op == u || l < 0 || !slices.Equal(in[k], in[k+1+l]) {
			continue
		}
		if ops2, in2, out2, _ := factors(inner); slices.Contains(ops2, u) {
			l := in2[slices.Index(ops2, u)]
			var rest []*combinators.Node
			var restIn [][]int
			for i, o := range ops2 {
				if o != u && len(in2[i]) > 0 {
					rest, restIn = append(rest, o), append(restIn, in2[i])
				}
			}
			if !distinct(l) || slices.Contains(ops2[slices.Index(ops2, u)+1:], u) {
				return nil, nil
			}
			for i, v := range l {
				if slices.Contains(out2, v) {
					batch = append(batch, i)
				}
			}
			return along(u, rest, restIn, l), batch
		}
	}
	// multiplied out: u twice, at different letters, with equal factors on both sides.
	var at [][]int
	for k, op := range ops {
		if op == u {
			at = append(at, in[k])
		}
	}
	if len(at) != 2 || slices.Equal(at[0], at[1]) || !distinct(at[0]) {
		return nil, nil
	}
	var rest []*combinators.Node
	var restIn [][]int
	for k, op := range ops {
		if op != u && !slices.ContainsFunc(in[k], func(v int) bool { return slices.Contains(at[1], v) && !slices.Contains(at[0], v) }) && len(in[k]) > 0 {
			rest, restIn = append(rest, op), append(restIn, in[k])
		}
	}
	for i, v := range at[0] {
		if slices.Contains(at[1], v) {
			batch = append(batch, i)
		}
	}
	return along(u, rest, restIn, at[0]), batch
}

func factors(n *combinators.Node) (ops []*combinators.Node, in [][]int, out []int, coef *big.Rat) {
	if n.Ein() == nil {
		return []*combinators.Node{n}, [][]int{upTo(n.Order())}, upTo(n.Order()), big.NewRat(1, 1)
	}
	if _, _, plain := n.Ein().IsPlain(); !plain {
		return nil, nil, nil, new(big.Rat)
	}
	return normal.Factors(n)
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func distinct(l []int) bool { return len(slices.Compact(slices.Sorted(slices.Values(l)))) == len(l) }

// along is the product of factors with the axes of u, whose letters are given; nil where a factor has other letters.
func along(u *combinators.Node, ops []*combinators.Node, in [][]int, letters []int) *combinators.Node {
	s := u.Store()
	ops, in = append(slices.Clip(ops), s.Ones(u.Shape())), append(slices.Clip(in), letters)
	local := make([][]int, len(in))
	for k, g := range in {
		for _, v := range g {
			i := slices.Index(letters, v)
			if i < 0 {
				return nil
			}
			local[k] = append(local[k], i)
		}
	}
	return normal.Simplify(s.Contract(local, upTo(u.Order()), append([]size.Size{}, u.Shape()...), ops...))[0]
}
