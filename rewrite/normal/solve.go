package normal

import "slices"

// solve normalises solve(A, B), which is linear in B along its first axis: what does not meet that
// axis is taken out of B, a number, an outer factor, further axes; where B is diagonal in the first
// axis and another one, so that B = delta N, the solution is inv(A) N.
func (z *Simplifier) solve(n *Node, t *trace) *Node {
	a, b := n.Arg(0), n.Arg(1)
	if a.Order() != 2 || b.Ein() == nil || opaque(b) {
		return n
	}
	p := open(b)
	if p.hasFree() {
		return n // a sum over equal terms, which is a number where its size is known
	}
	q := &product{coef: p.coef, out: slices.Clone(p.out), vars: p.vars}
	row := p.out[0]
	if slices.Contains(p.out[1:], row) {
		fresh := len(p.vars)
		q.ops, q.in = append(slices.Clone(p.ops), z.s.Inv(a)), append(slices.Clone(p.in), []int{fresh, row})
		q.out[0], q.vars = fresh, append(slices.Clone(p.vars), p.vars[row])
	} else {
		var m *product
		m, q.ops, q.in = p.meeting(row)
		if p.coef.isOne() && len(q.ops) == 0 && len(m.out) == len(p.out) {
			return n
		}
		letters := slices.Clone(m.out)
		m.compact()
		q.ops, q.in = append(q.ops, z.s.Solve(a, m.build(z.s))), append(q.in, letters)
	}
	q.compact()
	x := q.build(z.s)
	t.to(nativeSolve, x)
	return x
}

// meeting is the product of the operands that have the output variable v, and of those that share
// summed variables with them; its output variables are v and their other ones. What is left are
// the other operands.
func (p *product) meeting(v int) (m *product, ops []*Node, rest [][]int) {
	m = &product{coef: unit, out: []int{v}, vars: p.vars}
	in := make([]bool, len(p.ops))
	reached := []int{v}
	for i := 0; i < len(reached); i++ {
		for k, g := range p.in {
			if in[k] || !slices.Contains(g, reached[i]) {
				continue
			}
			in[k] = true
			for _, w := range g {
				if !slices.Contains(p.out, w) {
					reached = append(reached, w)
				}
			}
		}
	}
	for k, g := range p.in {
		if in[k] {
			m.ops, m.in = append(m.ops, p.ops[k]), append(m.in, g)
		} else {
			ops, rest = append(ops, p.ops[k]), append(rest, g)
		}
	}
	for _, w := range p.out[1:] {
		if !slices.Contains(m.out, w) && slices.ContainsFunc(m.in, func(g []int) bool { return slices.Contains(g, w) }) {
			m.out = append(m.out, w)
		}
	}
	return m, ops, rest
}
