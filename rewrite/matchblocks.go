package rewrite

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// A piece is an addend of a matrix, that is 0 but in some rows and columns: from those of begin to those before end.
type piece struct {
	n          *combinators.Node
	begin, end [2]size.Size
}

func pieceOf(n *combinators.Node) piece {
	p := piece{n: n, end: [2]size.Size(n.Shape())}
	c := n.Ein()
	if c == nil {
		return p
	}
	for k, at := range c.Out.Index {
		v := size.Const(1)
		switch {
		case len(at.Terms) == 1 && at.Terms[0].Coef == 1:
			v = c.Vars[at.Terms[0].Var]
		case len(at.Terms) > 0:
			continue
		}
		p.begin[k], p.end[k] = at.Off, at.Off.Add(v)
	}
	return p
}

// in is the piece as a part of a matrix that begins at a row and a column, of a shape.
func (p piece) in(begin [2]size.Size, shape []size.Size) *combinators.Node {
	c := p.n.Ein()
	if c == nil {
		return p.n
	}
	out := einsum.Access{Shape: shape}
	for k, at := range c.Out.Index {
		out.Index = append(out.Index, at.Plus(-1, einsum.Affine{Off: begin[k]}))
	}
	return mustEin(p.n.Store(), c, c.In, out, p.n.Args())
}

// maxCuts bounds the ways in which a matrix is cut into blocks.
const maxCuts = 256

// blocks cuts the matrix gl.n into the blocks of the pattern, where its addends begin and end.
func (m *matcher) blocks(gl goal) bool {
	if !gl.n.Is(atom.Add) || gl.n.Order() != 2 || gl.n.Addends() > maxAddends {
		return false
	}
	var pieces []piece
	for _, a := range addends(gl.n) {
		pieces = append(pieces, pieceOf(a))
	}
	left := maxCuts
	return eachCut(pieces, 0, len(gl.p.args)/gl.p.width, gl.n.Shape()[0], &left, func(rows []size.Size) bool {
		return eachCut(pieces, 1, gl.p.width, gl.n.Shape()[1], &left, func(columns []size.Size) bool {
			goals, trail, guard := len(m.goals), len(m.trail), m.guard
			return m.try(goals, trail, guard, m.cells(gl, pieces, rows, columns))
		})
	})
}

// cells pushes a goal for each block: the sum of the pieces that lie in it.
func (m *matcher) cells(gl goal, pieces []piece, rows, columns []size.Size) int {
	next := gl.next
	for k := len(gl.p.args) - 1; k >= 0; k-- {
		i, j := k/gl.p.width, k%gl.p.width
		begin := [2]size.Size{rows[i], columns[j]}
		shape := []size.Size{rows[i+1].Sub(rows[i]), columns[j+1].Sub(columns[j])}
		cell := gl.n.Store().Zero(shape)
		for _, p := range pieces {
			if !within(p, 0, rows[i], rows[i+1]) || !within(p, 1, columns[j], columns[j+1]) {
				continue
			}
			if n := p.in(begin, shape); combinators.IsZero(cell) {
				cell = n
			} else {
				cell = n.Store().Add(cell, n)
			}
		}
		next = m.push(goal{p: gl.p.args[k], n: cell, next: next, ref: -1})
	}
	return next
}

func within(p piece, k int, begin, end size.Size) bool {
	return atMost(begin, p.begin[k]) && atMost(p.end[k], end)
}

func atMost(a, b size.Size) bool {
	holds, known := a.Compare("<=", b)
	return known && holds
}

// eachCut visits the ways to cut an axis of the given size into parts so that each piece lies in one, until visit is true.
func eachCut(pieces []piece, axis, parts int, whole size.Size, left *int, visit func([]size.Size) bool) bool {
	var places []size.Size
	for _, p := range pieces {
		for _, at := range []size.Size{p.begin[axis], p.end[axis]} {
			if at != (size.Size{}) && at != whole && !slices.Contains(places, at) {
				places = append(places, at)
			}
		}
	}
	var rec func(cuts []size.Size) bool
	rec = func(cuts []size.Size) bool {
		if *left--; *left < 0 {
			return false
		}
		if len(cuts) < parts {
			return slices.ContainsFunc(places, func(at size.Size) bool {
				return !slices.Contains(cuts, at) && atMost(cuts[len(cuts)-1], at) && rec(append(slices.Clone(cuts), at))
			})
		}
		cuts = append(slices.Clone(cuts), whole)
		for _, p := range pieces {
			if !slices.ContainsFunc(cuts[:parts], func(at size.Size) bool { return within(p, axis, at, cuts[slices.Index(cuts, at)+1]) }) {
				return false
			}
		}
		return visit(cuts)
	}
	return rec([]size.Size{{}})
}
