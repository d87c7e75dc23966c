package elab_test

import (
	"math/big"
	"math/rand/v2"

	"frechet/syntax"
	"frechet/syntax/index"
)

// generator makes random definitions whose accesses are in range.
type generator struct {
	r      *rand.Rand
	def    *index.Definition
	shapes map[string][]int64
	lo, hi map[string]int64 // ranges of the indices in scope, of the names
	scope  []string
	next   int
}

func randomDefinition(r *rand.Rand) (*index.Definition, map[string][]int64) {
	g := &generator{r: r, shapes: map[string][]int64{}, lo: map[string]int64{}, hi: map[string]int64{}}
	g.def = &index.Definition{Name: syntax.Ident{Name: "f"}}
	shape := []int64{}
	for range r.IntN(4) {
		name := g.name()
		n := int64([]int{0, 1, 2, 2, 3, 3, 4}[r.IntN(7)])
		if r.IntN(3) > 0 {
			n = max(n, 1)
		}
		shape = append(shape, n)
		g.scope = append(g.scope, name)
		g.lo[name], g.hi[name] = 0, max(n-1, 0)
		g.def.Indices = append(g.def.Indices, index.Declared{Ident: syntax.Ident{Name: name}})
	}
	g.def.Expr = g.expr(3)
	g.shapes["f"] = shape
	return g.def, g.shapes
}

func (g *generator) name() string {
	g.next++
	return "ijklmnopqrstuv"[g.next-1 : g.next]
}

// form is a random affine form of the indices in scope with values from 0 on; hi is the
// largest.
func (g *generator) form() (x *index.Expr, hi int64) {
	type term struct {
		name string
		c    int64
	}
	var terms []term
	lo := int64(0)
	for _, name := range g.scope {
		if g.r.IntN(3) == 0 {
			continue
		}
		c := int64(g.r.IntN(13) - 6)
		if g.r.IntN(2) == 0 {
			c = 1
		}
		if c == 0 {
			continue
		}
		terms = append(terms, term{name, c})
		a, b := c*g.lo[name], c*g.hi[name]
		lo += min(a, b)
		hi += max(a, b)
	}
	off := -lo + int64(g.r.IntN(2))
	hi += off
	for _, t := range terms {
		y := index.Ident(t.name)
		if t.c != 1 {
			y = index.Chain('*', index.Number(big.NewRat(t.c, 1)), y)
		}
		if x == nil {
			x = y
		} else {
			x = index.Chain('+', x, y)
		}
	}
	switch {
	case x == nil:
		return index.Int(off), hi
	case off != 0:
		x = index.Chain('+', x, index.Number(big.NewRat(off, 1)))
	}
	return x, hi
}

func (g *generator) access() *index.Expr {
	name := []string{"x", "y", "z"}[g.r.IntN(3)]
	order := map[string]int{"x": 1, "y": 2, "z": 0}[name]
	if g.shapes[name] == nil {
		g.shapes[name] = make([]int64, order)
		for k := range order {
			g.shapes[name][k] = 1
		}
	}
	x := index.At(name)
	for k := range order {
		i, hi := g.form()
		x.Args = append(x.Args, i)
		g.shapes[name][k] = max(g.shapes[name][k], hi+1)
	}
	return x
}

func (g *generator) expr(depth int) *index.Expr {
	if depth == 0 {
		if g.r.IntN(6) == 0 {
			return index.Int(int64(g.r.IntN(4)))
		}
		return g.access()
	}
	switch k := g.r.IntN(12); {
	case k < 3:
		return index.Chain('*', g.expr(depth-1), g.expr(depth-1))
	case k < 5:
		return index.Chain("+-"[g.r.IntN(2)], g.expr(depth-1), g.expr(depth-1))
	case k == 5:
		return index.Pow(g.expr(depth-1), index.Int(int64(2+g.r.IntN(2))))
	case k == 6:
		return index.Minus(g.expr(depth - 1))
	case k < 9 && len(g.scope) < 6:
		return g.total(depth)
	case k == 9 && len(g.scope) > 0:
		a, _ := g.form()
		b, _ := g.form()
		w := index.Holds(a, []string{"=", "<=", "<", ">=", ">", "!="}[g.r.IntN(6)], b)
		return index.Chain('*', w, g.expr(depth-1))
	case k == 10 && len(g.scope) > 0:
		a, _ := g.form()
		b, _ := g.form()
		return &index.Expr{Op: index.If, Rels: []index.Relation{{Op: "=", Left: a, Right: b}}, Args: []*index.Expr{g.expr(depth - 1), g.expr(depth - 1)}}
	}
	return g.access()
}

// total is a sum with constant bounds, or bounds that hang on outer indices.
func (g *generator) total(depth int) *index.Expr {
	name := g.name()
	lo, hi := index.Int(0), index.Int(int64(g.r.IntN(4)))
	g.lo[name], g.hi[name] = 0, hi.Num.Num().Int64()
	if len(g.scope) > 0 && g.r.IntN(2) == 0 {
		i := g.scope[g.r.IntN(len(g.scope))]
		switch g.r.IntN(4) {
		case 0:
			hi = index.Ident(i)
			g.hi[name] = max(g.hi[i], 0)
		case 1:
			lo = index.Ident(i)
			g.lo[name] = g.lo[i]
			hi = index.Chain('+', index.Ident(i), index.Int(int64(g.r.IntN(3))))
			g.hi[name] = g.hi[i] + 2
		case 2:
			lo = index.Fn("max", index.Int(0), index.Chain('-', index.Ident(i), index.Int(1)))
			hi = index.Fn("min", index.Int(2), index.Ident(i))
			g.hi[name] = 2
		case 3:
			hi = index.Fn("floor", index.Chain('/', index.Ident(i), index.Int(2)))
			g.hi[name] = max(floorDiv(g.hi[i], 2), 0)
		}
	}
	g.scope = append(g.scope, name)
	body := g.expr(depth - 1)
	g.scope = g.scope[:len(g.scope)-1]
	return index.SumOver(name, lo, hi, body)
}
