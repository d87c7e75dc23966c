package elab_test

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/eval"
	"frechet/syntax"
	"frechet/syntax/index"
	"frechet/syntax/index/unparse"
)

// jet is a number with two infinitesimals e and d, e*e = d*d = 0: the parts of f(x) hold
// f, its derivatives along two directions, and the mixed second derivative.
type jet struct{ v, e, d, ed float64 }

func (a jet) add(b jet) jet { return jet{a.v + b.v, a.e + b.e, a.d + b.d, a.ed + b.ed} }
func (a jet) mul(b jet) jet {
	return jet{a.v * b.v, a.v*b.e + a.e*b.v, a.v*b.d + a.d*b.v, a.v*b.ed + a.e*b.d + a.d*b.e + a.ed*b.v}
}

// interpreter evaluates a definition by reading it, one element after the other: an
// account of what index notation means that shares nothing with elaboration.
type interpreter struct {
	args   map[string][]jet
	shapes map[string][]int64
}

func (p *interpreter) whole(x *index.Expr, at map[string]int64) int64 {
	switch x.Op {
	case index.Num:
		return x.Num.Num().Int64()
	case index.Name:
		return at[x.Name]
	case index.Neg:
		return -p.whole(x.Args[0], at)
	case index.Sum, index.Product:
		v := p.whole(x.Args[0], at)
		for _, s := range x.Steps {
			switch w := p.whole(s.Arg, at); s.Op {
			case '+':
				v += w
			case '-':
				v -= w
			case '*':
				v *= w
			}
		}
		return v
	case index.Call:
		a := x.Args[0]
		switch x.Name {
		case "max":
			v := p.whole(a, at)
			for _, b := range x.Args[1:] {
				v = max(v, p.whole(b, at))
			}
			return v
		case "min":
			v := p.whole(a, at)
			for _, b := range x.Args[1:] {
				v = min(v, p.whole(b, at))
			}
			return v
		case "floor":
			return floorDiv(p.whole(a.Args[0], at), p.whole(a.Steps[0].Arg, at))
		case "ceil":
			return -floorDiv(-p.whole(a.Args[0], at), p.whole(a.Steps[0].Arg, at))
		}
	}
	panic("no whole number")
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func (p *interpreter) holds(r index.Relation, at map[string]int64) bool {
	a, b := p.whole(r.Left, at), p.whole(r.Right, at)
	return map[string]bool{"=": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[r.Op]
}

func (p *interpreter) value(x *index.Expr, at map[string]int64) jet {
	switch x.Op {
	case index.Num:
		v, _ := x.Num.Float64()
		return jet{v: v}
	case index.Access:
		k := int64(0)
		for d, a := range x.Args {
			i := p.whole(a, at)
			if n := p.shapes[x.Name][d]; i < 0 || i >= n {
				panic(fmt.Sprintf("%s: index %d of %d", x.Name, i, n))
			}
			k = k*p.shapes[x.Name][d] + i
		}
		return p.args[x.Name][k]
	case index.Neg:
		return p.value(x.Args[0], at).mul(jet{v: -1})
	case index.Power:
		v := jet{v: 1}
		for range x.Args[1].Num.Num().Int64() {
			v = v.mul(p.value(x.Args[0], at))
		}
		return v
	case index.Sum:
		v := p.value(x.Args[0], at)
		for _, s := range x.Steps {
			w := p.value(s.Arg, at)
			if s.Op == '-' {
				w = w.mul(jet{v: -1})
			}
			v = v.add(w)
		}
		return v
	case index.Product:
		// what a condition excludes is not read
		for _, a := range append([]*index.Expr{x.Args[0]}, args(x)...) {
			if a.Op == index.Where && !p.holds(a.Rels[0], at) {
				return jet{}
			}
		}
		v := p.value(x.Args[0], at)
		for _, s := range x.Steps {
			v = v.mul(p.value(s.Arg, at))
		}
		return v
	case index.Total:
		lo, hi := p.whole(x.Args[0], at), p.whole(x.Args[1], at)
		var v jet
		at = maps.Clone(at)
		for k := lo; k <= hi; k++ {
			at[x.Name] = k
			v = v.add(p.value(x.Args[2], at))
		}
		return v
	case index.If:
		if p.holds(x.Rels[0], at) {
			return p.value(x.Args[0], at)
		}
		return p.value(x.Args[1], at)
	case index.Where:
		if p.holds(x.Rels[0], at) {
			return jet{v: 1}
		}
		return jet{}
	}
	panic("no value")
}

func args(x *index.Expr) (out []*index.Expr) {
	for _, s := range x.Steps {
		out = append(out, s.Arg)
	}
	return out
}

// each visits the points of a box.
func each(shape []int64, f func(at []int64)) {
	at := make([]int64, len(shape))
	var visit func(k int)
	visit = func(k int) {
		if k == len(shape) {
			f(at)
			return
		}
		for at[k] = 0; at[k] < shape[k]; at[k]++ {
			visit(k + 1)
		}
	}
	visit(0)
}

func (p *interpreter) all(d *index.Definition, shape []int64) (out []jet) {
	each(shape, func(at []int64) {
		names := map[string]int64{}
		for k, x := range d.Indices {
			names[x.Name] = at[k]
		}
		out = append(out, p.value(d.Expr, names))
	})
	return out
}

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

// Gradients and second derivatives of random definitions are those that exact
// infinitesimals give, in whole numbers: as built and in normal form, by both
// evaluators, and after being printed in index notation and read back.
func TestRandomDefinitions(t *testing.T) {
	rounds := 1000
	if testing.Short() {
		rounds = 300
	}
	ctx := context.Background()
	compared, skipped := 0, 0
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		d, shapes := randomDefinition(r)
		text := index.PrintDefinition(d)
		again, err := index.ParseText(text, syntax.Limits{})
		require.NoError(t, err, text)
		require.True(t, index.EqualDefinitions(d, again), "%s\n%s", text, index.PrintDefinition(again))
		p, err := elaborate(text, shapes, nil)
		require.NoError(t, err, "%s %v", text, shapes)
		in := &interpreter{args: map[string][]jet{}, shapes: shapes}
		values := map[string][]float64{}
		for _, name := range slices.Sorted(maps.Keys(shapes)) {
			n := volume(shapes[name])
			if name == "f" {
				continue
			}
			values[name] = make([]float64, n)
			in.args[name] = make([]jet, n)
			for i := range n {
				v := float64(r.IntN(5) - 2)
				values[name][i], in.args[name][i] = v, jet{v: v}
			}
		}
		df := make([]float64, volume(shapes["f"]))
		for i := range df {
			df[i] = float64(r.IntN(5) - 2)
		}
		value := parts(in.all(d, shapes["f"]), func(j jet) float64 { return j.v })
		y := p.Outputs[0].Node
		require.Equal(t, ints(shapes["f"]), shapeOf(y))
		w := p.Store.Var("df", y.Shape())
		var wrt []*combinators.Node
		want := [][]float64{value}
		for _, v := range p.Params {
			wrt = append(wrt, v.Node)
			g := make([]float64, len(values[v.Name]))
			for i := range g {
				in.args[v.Name][i].e = 1
				g[i] = dot(df, parts(in.all(d, shapes["f"]), func(j jet) float64 { return j.e }))
				in.args[v.Name][i].e = 0
			}
			want = append(want, g)
		}
		back, err := adjoint.Pullback([]*combinators.Node{y}, wrt, []*combinators.Node{w})
		require.NoError(t, err, text)
		nodes := append([]*combinators.Node{y}, back...)
		// the second derivative by the first variable, of the gradient by it along a direction
		if len(wrt) > 0 && len(values[p.Params[0].Name]) <= 24 {
			name := p.Params[0].Name
			dir := make([]float64, len(values[name]))
			for i := range dir {
				dir[i] = float64(r.IntN(3) - 1)
				in.args[name][i].d = dir[i]
			}
			u := p.Store.Var("u", wrt[0].Shape())
			second, err := adjoint.Pullback([]*combinators.Node{back[0]}, wrt[:1], []*combinators.Node{u})
			require.NoError(t, err, text)
			nodes = append(nodes, second[0])
			g := make([]float64, len(dir))
			for i := range g {
				in.args[name][i].e = 1
				g[i] = dot(df, parts(in.all(d, shapes["f"]), func(j jet) float64 { return j.ed }))
				in.args[name][i].e = 0
			}
			want = append(want, g)
			values["u"] = dir
			shapes["u"] = shapes[name]
		}
		values["df"], shapes["df"] = df, shapes["f"]
		env := eval.Env{}
		for name, v := range values {
			env[name] = &eval.Tensor{Shape: ints(shapes[name]), Data: v}
		}
		simple := adjoint.Simplify(nodes...)
		for which, ns := range map[string][]*combinators.Node{"built": nodes, "simplified": simple} {
			ref, err := eval.Reference(ctx, ns, env, nil)
			require.NoError(t, err, text)
			fast, err := eval.Run(ctx, ns, env)
			require.NoError(t, err, text)
			for i := range ns {
				exact(t, want[i], ref[i].Data, "reference", which, i, text, shapes, values)
				exact(t, want[i], fast[i].Data, "fast", which, i, text, shapes, values)
				compared++
			}
		}
		for i, n := range simple {
			stmts, err := unparse.Program([]*combinators.Node{n}, unparse.Options{Names: []string{"result"}})
			require.NoError(t, err, text)
			printed := syntax.PrintFile(&syntax.File{Stmts: stmts})
			q, err := elaborate(printed, occurring(n, shapes, printed), nil)
			require.NoError(t, err, "%s\n%s %v", text, printed, shapes)
			if boxes(q.Outputs[0].Node) > 1e6 {
				skipped++ // the reference visits whole boxes
				continue
			}
			out, err := eval.Reference(ctx, []*combinators.Node{q.Outputs[0].Node}, env, nil)
			require.NoError(t, err, printed)
			exact(t, want[i], out[0].Data, "printed", i, text, printed, shapes, values)
		}
	}
	t.Logf("%d values of %d definitions; %d were not read back", compared, rounds, skipped)
}

// boxes is the largest number of points that the loops of a contraction visit.
func boxes(n *combinators.Node) (most float64) {
	for _, m := range combinators.Topo(n) {
		if c := m.Ein(); c != nil {
			points := 1.0
			for _, d := range c.Vars {
				k, _ := d.Int()
				points *= float64(k)
			}
			most = max(most, points)
		}
	}
	return most
}

// An access is out of range exactly where reading the definition leaves its tensor.
func TestRandomRanges(t *testing.T) {
	rounds := 1500
	if testing.Short() {
		rounds = 600
	}
	outside := 0
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		d, shapes := randomDefinition(r)
		for _, name := range []string{"x", "y"} {
			for k := range shapes[name] {
				if r.IntN(2) == 0 {
					shapes[name][k] = max(shapes[name][k]-int64(r.IntN(4)), 0)
				}
			}
		}
		in := &interpreter{args: map[string][]jet{}, shapes: shapes}
		for name, s := range shapes {
			in.args[name] = make([]jet, volume(s))
		}
		leaves := func() (out any) {
			defer func() { out = recover() }()
			in.all(d, shapes["f"])
			return nil
		}()
		text := index.PrintDefinition(d)
		_, err := elaborate(text, shapes, nil)
		var e *syntax.Error
		switch {
		case leaves == nil:
			require.NoError(t, err, "%s %v", text, shapes)
		default:
			outside++
			require.ErrorAs(t, err, &e, "%s %v: %v", text, shapes, leaves)
			require.Equal(t, syntax.KindOutOfRange, e.Kind, e.Message)
		}
	}
	t.Logf("%d of %d leave their tensors", outside, rounds)
}

func occurring(n *combinators.Node, shapes map[string][]int64, text string) map[string][]int64 {
	out := map[string][]int64{}
	for _, m := range combinators.Topo(n) {
		if m.Is("var") && regexp.MustCompile(`\b`+m.Name()+`\b`).MatchString(text) {
			out[m.Name()] = shapes[m.Name()]
		}
	}
	return out
}

func exact(t *testing.T, want, have []float64, msg ...any) {
	t.Helper()
	if !slices.Equal(want, have) {
		t.Fatalf("want %v\nhave %v\n%s", want, have, strings.TrimSpace(fmt.Sprintln(msg...)))
	}
}

func parts(js []jet, f func(jet) float64) []float64 {
	out := make([]float64, len(js))
	for i, j := range js {
		out[i] = f(j)
	}
	return out
}

func dot(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func volume(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

func ints(shape []int64) []int {
	out := make([]int, len(shape))
	for i, d := range shape {
		out[i] = int(d)
	}
	return out
}
