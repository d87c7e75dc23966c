package unparse

import (
	"slices"

	"frechet/combinators"
)

// Products of a matrix with itself are powers of it, however they are bracketed: A*A*A, and A*P with P = A*A,
// are matpow(A, 3). Where they stand in a longer product, they are one factor of it.

const (
	minPower = 3       // the least exponent that is written: A*A is as short
	maxPower = 1 << 30 // as that of matpow
)

// matrixPower is base^exponent, or the transpose of that.
type matrixPower struct {
	base       *combinators.Node
	exponent   int
	transposed bool
}

// powers finds matrix powers. What is no product of one matrix is the first power of itself.
type powers struct {
	found map[*combinators.Node]matrixPower
	uses  map[*combinators.Node]int
}

func newPowers(uses map[*combinators.Node]int) powers {
	return powers{map[*combinators.Node]matrixPower{}, uses}
}

// written reports whether p is written as a power: A*A is as short, unless A is a product that stands nowhere else.
func (ps powers) written(p matrixPower) bool {
	return p.exponent >= minPower || p.exponent == 2 && ps.isProduct(p.base) && ps.uses[p.base] == 2
}

// isProduct reports whether n is a chain of two matrices or more.
func (ps powers) isProduct(n *combinators.Node) bool {
	if n.Ein() == nil || n.Order() != 2 || len(n.Args()) < 2 {
		return false
	}
	in, out, ok := n.Ein().IsPlain()
	return ok && out[0] != out[1] && len(n.Ein().Vars) == len(in)+1 && !slices.ContainsFunc(in, func(g []int) bool { return len(g) != 2 || g[0] == g[1] })
}

// of is n as a power. Its operands are looked up before it, in topological order.
func (ps powers) of(n *combinators.Node) matrixPower {
	if p, ok := ps.found[n]; ok {
		return p
	}
	p := matrixPower{base: n, exponent: 1}
	if ps.isProduct(n) {
		in, out, _ := n.Ein().IsPlain()
		if runs := ps.runs(n.Args(), in, out); len(runs) == 1 && len(runs[0].ops) == len(in) {
			p = matrixPower{runs[0].base, runs[0].exponent, runs[0].ends[0] != out[0]}
		}
	}
	ps.found[n] = p
	return p
}

// run are operands that are one power together, along the axes ends.
type run struct {
	matrixPower
	ops  []int
	ends [2]int
}

// runs joins those of operands that are powers of one matrix and follow on one another along axes that nothing else
// has, which are not among out.
func (ps powers) runs(args []*combinators.Node, in [][]int, out []int) (runs []run) {
	for k, a := range args {
		if len(in[k]) == 2 && in[k][0] != in[k][1] {
			r := run{ps.of(a), []int{k}, [2]int{in[k][0], in[k][1]}}
			if r.transposed {
				r.transposed, r.ends = false, [2]int{in[k][1], in[k][0]}
			}
			runs = append(runs, r)
		}
	}
	for again := true; again; {
		again = false
		for i := range runs {
			j := slices.IndexFunc(runs, func(r run) bool {
				v := r.ends[0]
				return r.base == runs[i].base && runs[i].ends[1] == v && r.ends[1] != runs[i].ends[0] &&
					r.exponent+runs[i].exponent <= maxPower && !slices.Contains(out, v) &&
					count(slices.Concat(in...), v) == 2
			})
			if j < 0 || j == i {
				continue
			}
			runs[i].exponent += runs[j].exponent
			runs[i].ends[1] = runs[j].ends[1]
			runs[i].ops = append(runs[i].ops, runs[j].ops...)
			runs = slices.Delete(runs, j, j+1)
			again = true
			break
		}
	}
	return runs
}

// grouped makes one operand of each run of operands of p that is a power to be written.
func (a *associator) grouped(p *problem) {
	s := &spelling{out: p.out, sizes: p.sizes}
	var rest []operand
	for _, o := range p.ops {
		if o.orig == nil {
			rest = append(rest, o)
			continue
		}
		s.ops, s.in = append(s.ops, o.orig), append(s.in, o.letters)
	}
	a.spelled(s)
	p.sizes = s.sizes
	joined := make([]bool, len(s.ops))
	var powers []operand
	for _, r := range a.powers.runs(s.ops, s.in, p.out) {
		if !a.powers.written(r.matrixPower) || len(r.ops) == 1 {
			continue
		}
		var factors []*combinators.Node
		var groups [][]int
		for _, k := range r.ops {
			factors, groups = append(factors, s.ops[k]), append(groups, s.in[k])
			joined[k] = true
		}
		n := a.store.Ein(p.contraction(groups, r.ends[:]), factors...)
		powers = append(powers, operand{orig: n, letters: r.ends[:], set: setOf(r.ends[:])})
	}
	p.ops = nil
	for k, x := range s.ops {
		if !joined[k] {
			p.ops = append(p.ops, operand{orig: x, letters: s.in[k], set: setOf(s.in[k])})
		}
	}
	p.ops = slices.Concat(p.ops, powers, rest)
}

// matpow writes n, a power of the matrix base, or its transpose.
func (w *writer) matpow(n *combinators.Node, p matrixPower) *term {
	t := w.call("matpow", p.exponent, n.Shape(), w.of[p.base])
	if p.transposed {
		return w.permute(t, []int{1, 0})
	}
	return t
}
