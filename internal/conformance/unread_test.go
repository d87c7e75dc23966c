package conformance_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frechet"
	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/syntax"
	"frechet/syntax/elab"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// An entry that a program does not read says nothing of its value, nor of its derivatives: whatever stands
// there, a number outside of a domain, an infinity, or none. What the program reads is found on the program as it is
// written, entry by entry, by loops.

// TestUnreadEntriesDoNotMatter draws programs with functions of parts, and puts numbers at the entries that they do not
// read where logarithms, roots and quotients have no value and exponentials no finite one: values and derivatives stay,
// in all modes, and those of the printed texts, and the derivatives by these entries are 0. At other entries first
// derivatives are central differences.
func TestUnreadEntriesDoNotMatter(t *testing.T) {
	unread := 0
	rapid.Check(t, func(t *rapid.T) {
		if checkUnread(t, drawParts(t), []float64{-3, 0, 800}, rapid.IntRange(1, 3).Draw(t, "order"), rapid.Uint64().Draw(t, "values")) {
			unread++
		}
	})
	t.Logf("%d programs leave entries unread", unread)
}

// Programs that once read more in a derivative, or in its text.
func TestUnreadEntriesInPrograms(t *testing.T) {
	for _, src := range []string{
		"declare A[n,n]\nexpression sum(sqrt(diag(A))) + norm2(sqrt(diag(A)))",
		"declare A[n,n] x[n]\nexpression sum(sqrt(diag(A)))*sum(x .* sqrt(diag(A)))",
		"declare A[n,n]\nexpression sum(log(diag(A)))",
		"declare A[n,n]\nexpression tr(log(A)) + norm2(diag(exp(A)))",
		"declare A[n,n]\nexpression sum(exp(diag(A))) + norm2(exp(diag(A)))",
		"declare A[n,n]\nlet L = log(A)\nlet P = L .* A + 2\nexpression tr(P) + sum(diag(L) .* exp(diag(P)))",
		"declare A[n,n]\nexpression sum(max(log(A), A)*(ii->i))",
		"declare T[n,n,n]\nlet L = sqrt(T)\nexpression sum(exp(L*(iij->ij))) + L*(iii->)",
		"declare x[4]\nlet u = log(x)\nlet s[] = sum{i}_0^1 (u[2*i]*u[0])\nexpression s",
		"declare x[4]\nlet u = exp(x)\nlet y[i:2] = u[i]\nlet w[i:2] = u[2*i]\nexpression sum(y .^ 2)*norm2(sqrt(w))",
		"declare T[n,n,m]\nexpression sum(logsumexp(log(T), axis=2)*(ii->i))*sum(exp(logsumexp(log(T), axis=2)*(ii->i)))",
		"declare T[n,n,m]\nexpression norm2(softmax(log(T), axis=2)*(iij->j)) + sum(max(sqrt(T), axis=2)*(ii->i))",
		"declare A[0,0] x[2]\nlet q[i:0] = tanh([i = 1]*x[0])\nexpression (A*(ii->i))*(i,i->) q",
		"declare x[4]\nlet f[i:4] = sum{k}_0^(2 - i) (log(x[i]))\nexpression f",
		"declare x[4]\nlet f[i:4] = sum{k}_0^(2 - i) (log(x[i]))\nexpression sum(f .^ 2)",
		"declare x[n*n]\nexpression tr(split(log(x), 0, n, n))*norm2(diag(split(exp(x), 0, n, n)))",
		"declare A[3,3]\nlet u = merge(sqrt(A), 0)\nlet s[] = (sum{i}_0^2 (u[4*i]))*exp(u[4])\nexpression s",
		"declare A[3,3]\nlet L = exp(log(A) + A)\nlet s[] = sum{i}_0^2 (sum{j}_0^i (L[i;j]) + L[i;0]^2)\nexpression s",
	} {
		require.True(t, checkUnread(t, src, []float64{math.NaN()}, 3, 1), src)
	}
}

// checkUnread checks a program at random values, with bad ones at the entries that it leaves unread; it reports whether there
// are any.
func checkUnread(t require.TestingT, src string, bad []float64, order int, seed uint64) bool {
	prog := elaborated(t, src)
	sizes := map[string]int64{"n": 3, "m": 2}
	rng := rand.New(rand.NewPCG(seed, 3))
	y := prog.Outputs[0].Node
	read := readEntries(t, y, sizes)
	clean, poisoned, any := eval.Env{}, eval.Env{}, false
	for _, q := range prog.Params {
		v := eval.NewTensor(shapeAt(t, q.Node, sizes)...)
		for i := range v.Data {
			v.Data[i] = 0.4 + 0.5*rng.Float64()
		}
		clean[q.Name] = v
		w := v.Clone()
		for i := range w.Data {
			if read[q.Node] == nil {
				read[q.Node] = make([]bool, len(w.Data))
			}
			if !read[q.Node][i] {
				w.Data[i], any = bad[rng.IntN(len(bad))], true
			}
		}
		poisoned[q.Name] = w
	}
	if !any {
		return false
	}
	at := func(env eval.Env, n ...*combinators.Node) []*eval.Tensor {
		out, err := eval.Run(context.Background(), n, env, eval.WithSizes(sizes))
		require.NoError(t, err, src)
		return out
	}
	same := func(want, got *eval.Tensor, what string) {
		require.Equal(t, want.Shape, got.Shape)
		for i, w := range want.Data {
			require.InDelta(t, w, got.Data[i], 1e-9*(1+math.Abs(w)), "%s, entry %d of\n%s\nunread entries: %v", what, i, src, poisoned)
		}
	}
	value, err := eval.Reference(context.Background(), []*combinators.Node{y}, clean, sizes)
	require.NoError(t, err)
	for i, q := range prog.Params {
		for _, mode := range []jacobian.Mode{jacobian.Planned, jacobian.Reverse, jacobian.Forward} {
			k := order
			if q.Node.Order() > 1 {
				k = min(k, 2)
			}
			d, err := jacobian.Derive(y, []*combinators.Node{q.Node}, k, mode)
			require.NoError(t, err, src)
			nodes := []*combinators.Node{d.Value}
			for _, ds := range d.ByOrder {
				nodes = append(nodes, ds...)
			}
			want, got := at(clean, nodes...), at(poisoned, nodes...)
			same(value[0], got[0], "value")
			for k := range want {
				same(want[k], got[k], fmt.Sprintf("derivative %d wrt %s in mode %d", k, q.Name, mode))
			}
			if mode == jacobian.Planned {
				differences(t, src, y, q.Name, poisoned, sizes, read[q.Node], got[1])
			}
		}
		if i == 0 {
			textsAt(t, src, q.Name, order, clean, poisoned, sizes, func(k int) *eval.Tensor {
				d, err := jacobian.Derive(y, []*combinators.Node{q.Node}, k, jacobian.Planned)
				require.NoError(t, err)
				if k == 0 {
					return at(poisoned, d.Value)[0]
				}
				return at(poisoned, d.ByOrder[k-1][0])[0]
			}, same)
		}
	}
	return true
}

// differences compares the gradient by the variable named with central differences, and with 0 at unread entries.
func differences(t require.TestingT, src string, y *combinators.Node, name string, env eval.Env, sizes map[string]int64, read []bool, gradient *eval.Tensor) {
	const h = 1e-5
	x := env[name]
	count := max(1, len(gradient.Data)/max(1, len(x.Data))) // entries of y
	for i := range x.Data {
		diff := make([]float64, count)
		for _, side := range []float64{1, -1} {
			v := x.Clone()
			v.Data[i] += side * h
			moved := eval.Env{}
			for k, w := range env {
				moved[k] = w
			}
			moved[name] = v
			out, err := eval.Reference(context.Background(), []*combinators.Node{y}, moved, sizes)
			require.NoError(t, err)
			for o := range diff {
				diff[o] += side * out[0].Data[o] / (2 * h)
			}
		}
		for o := range diff {
			g := gradient.Data[o*len(x.Data)+i]
			if !read[i] {
				require.Zero(t, g, "derivative by the unread entry %d of %s in\n%s", i, name, src)
				continue
			}
			if math.Abs(g) > 1e4 { // a tower of exponentials, of which a difference says little
				continue
			}
			require.InDelta(t, diff[o], g, 1e-5*(1+math.Abs(g)), "derivative by entry %d of %s in\n%s", i, name, src)
		}
	}
}

// A definition in index notation, in the line that has the value.
var definition = regexp.MustCompile(`^[A-Za-z_0-9]+\[.*\] = `)

// textsAt reads printed derivatives as programs, and evaluates these as they are written: bad numbers at unread entries change none of
// their digits. Index notation writes a logsumexp out, which overflows sooner: there a text has no finite value at good numbers, either.
func textsAt(t require.TestingT, src, wrt string, order int, clean, poisoned eval.Env, sizes map[string]int64, want func(k int) *eval.Tensor, same func(want, got *eval.Tensor, what string)) {
	f, err := frechet.Parse(src)
	require.NoError(t, err, src)
	r, err := f.Derive(context.Background(), frechet.Query{Wrt: []string{wrt}, Order: order})
	require.NoError(t, err, src)
	declare, _, _ := strings.Cut(src, "\n")
	terms := []*frechet.Term{r.Outputs[0].Value}
	for _, d := range r.Outputs[0].Derivs {
		terms = append(terms, d.Term)
	}
	for k, term := range terms {
		text := asProgram(declare, term.String())
		prog := elaborated(t, text)
		at := func(env eval.Env) *eval.Tensor {
			got, err := eval.Reference(context.Background(), []*combinators.Node{prog.Outputs[len(prog.Outputs)-1].Node}, env, sizes)
			require.NoError(t, err, text)
			return got[0]
		}
		good, expected, scale := at(clean), want(k), 1.0
		same(good, at(poisoned), "printed\n"+text+"\n")
		for _, v := range expected.Data {
			scale = max(scale, math.Abs(v))
		}
		for i, v := range good.Data { // entries of a tower of exponentials may cancel
			if v-v == 0 {
				require.InDelta(t, expected.Data[i], v, 1e-9*(1+math.Abs(v))+1e-13*scale, "printed\n%s\n, entry %d of\n%s", text, i, src)
			}
		}
	}
}

// asProgram is a printed text as a program of its value.
func asProgram(declare, text string) string {
	lines := strings.Split(text, "\n")
	if last := len(lines) - 1; !strings.HasPrefix(lines[last], "expression ") && !definition.MatchString(lines[last]) {
		lines[last] = "expression " + lines[last]
	}
	return declare + "\n" + strings.Join(lines, "\n")
}

func elaborated(t require.TestingT, text string) *elab.Program {
	file, err := syntax.Parse(text, syntax.Limits{})
	require.NoError(t, err, text)
	prog, err := elab.Elaborate(file, elab.Options{})
	require.NoError(t, err, text)
	return prog
}

func numberAt(t require.TestingT, d size.Size, sizes map[string]int64) int {
	v, err := d.Eval(sizes)
	require.NoError(t, err)
	return int(v)
}

func shapeAt(t require.TestingT, n *combinators.Node, sizes map[string]int64) []int {
	shape := make([]int, n.Order())
	for i, d := range n.Shape() {
		shape[i] = numberAt(t, d, sizes)
	}
	return shape
}

// readEntries says which entries of each value the value y reads, all of its own.
func readEntries(t require.TestingT, y *combinators.Node, sizes map[string]int64) map[*combinators.Node][]bool {
	shapeOf := func(n *combinators.Node) []int { return shapeAt(t, n, sizes) }
	count := func(shape []int) int {
		n := 1
		for _, d := range shape {
			n *= d
		}
		return n
	}
	read := map[*combinators.Node][]bool{}
	order := combinators.Topo(y)
	for _, n := range order {
		read[n] = make([]bool, count(shapeOf(n)))
	}
	for i := range read[y] {
		read[y][i] = true
	}
	for _, n := range slices.Backward(order) {
		mine := read[n]
		switch {
		case n.Ein() != nil:
			shapes := make([][]int, len(n.Args()))
			for k, a := range n.Args() {
				shapes[k] = shapeOf(a)
			}
			box := make([]int, len(n.Ein().Vars))
			for v, d := range n.Ein().Vars {
				box[v] = numberAt(t, d, sizes)
			}
			points(n.Ein(), box, shapes, shapeOf(n), func(a einsum.Affine, point []int) int {
				v := numberAt(t, a.Off, sizes)
				for _, s := range a.Terms {
					v += int(s.Coef) * point[s.Var]
				}
				return v
			}, func(in []int, out int) {
				for k, i := range in {
					read[n.Arg(k)][i] = read[n.Arg(k)][i] || mine[out]
				}
			})
		case n.Atom().Class != atom.ClassPrimitive: // entry by entry, a sum, another shape
			for _, a := range n.Args() {
				for i := range mine {
					read[a][i] = read[a][i] || mine[i]
				}
			}
		default: // a row of an axis, a matrix
			for _, a := range n.Args() {
				each := len(read[a]) / max(1, count(shapeOf(n)[:n.BatchAxes()]))
				for i := range read[a] {
					b := i / max(1, each)
					per := len(mine) / max(1, count(shapeOf(n)[:n.BatchAxes()]))
					read[a][i] = read[a][i] || slices.Contains(mine[b*per:(b+1)*per], true)
				}
			}
		}
	}
	return read
}

// points visits the points of a contraction: the entries of its operands, and that of its result.
func points(c *einsum.Contraction, box []int, in [][]int, out []int, value func(einsum.Affine, []int) int, visit func(in []int, out int)) {
	point := make([]int, len(box))
	offset := func(acc einsum.Access, shape []int) int {
		at := 0
		for i, a := range acc.Index {
			v := value(a, point)
			if v < 0 || v >= shape[i] {
				return -1
			}
			at = at*shape[i] + v
		}
		return at
	}
	var step func(v int)
	step = func(v int) {
		if v < len(box) {
			for point[v] = 0; point[v] < box[v]; point[v]++ {
				step(v + 1)
			}
			return
		}
		if slices.ContainsFunc(c.Eq, func(a einsum.Affine) bool { return value(a, point) != 0 }) ||
			slices.ContainsFunc(c.Ge, func(a einsum.Affine) bool { return value(a, point) < 0 }) {
			return
		}
		at := make([]int, len(in))
		for k := range in {
			if at[k] = offset(c.In[k], in[k]); at[k] < 0 {
				return
			}
		}
		if o := offset(c.Out, out); o >= 0 {
			visit(at, o)
		}
	}
	step(0)
}

// partsOf draws programs with functions of parts. All values are positive.
type partsOf struct {
	*rapid.T
	n       string // the size of all axes: a symbol, or a number where indices are used
	declare map[string]string
	lets    []string
	known   map[int][]string // names of lets by order
}

func drawParts(t *rapid.T) string {
	g := &partsOf{T: t, n: rapid.SampledFrom([]string{"n", "3"}).Draw(t, "size"), declare: map[string]string{}, known: map[int][]string{}}
	for i := range g.pick("lets", 4) {
		order := 1 + g.pick("order", 2)
		e := g.expr(order, 2)
		name := fmt.Sprintf("p%d", i)
		switch {
		case g.n == "3" && g.pick("index", 3) == 0:
			name, order = fmt.Sprintf("q%d", i), 1
			g.lets = append(g.lets, fmt.Sprintf("let %s = %s", "r"+name, g.expr(2, 2)), fmt.Sprintf("let %s%s", name, strings.ReplaceAll(
				g.one("access", "[i:3] = sum{j}_0^(i) (R[i; j])", "[i:3] = R[i; 2 - i]", "[i:3] = R[0; i]", "[i:3] = sum{j}_0^2 (R[i; j] * [j != i])", "[i:3] = sum{j}_0^1 (R[j + 1; i] * R[j; j])"), "R", "r"+name)))
		case g.n == "3" && g.pick("index", 3) == 0:
			order = 1
			g.lets = append(g.lets, fmt.Sprintf("let r%s = %s", name, g.expr(1, 2)), fmt.Sprintf("let %s%s", name, strings.ReplaceAll(
				g.one("access", "[i:3] = sum{j}_0^1 (R[2*j]) + R[0]", "[i:3] = R[1] * R[0]", "[i:3] = sum{j}_0^1 (R[j + 1])"), "R", "r"+name)))
		default:
			g.lets = append(g.lets, fmt.Sprintf("let %s = %s", name, e))
		}
		g.known[order] = append(g.known[order], name)
	}
	e := g.expr(g.pick("result", 2), 4)
	decl := "declare"
	for _, v := range []string{"A", "B", "T", "x", "y", "s"} {
		if shape, ok := g.declare[v]; ok {
			decl += " " + v + shape
		}
	}
	return decl + "\n" + strings.Join(append(g.lets, "expression "+e), "\n")
}

// pick draws a number below n.
func (g *partsOf) pick(what string, n int) int { return rapid.IntRange(0, n-1).Draw(g.T, what) }

func (g *partsOf) one(what string, from ...string) string { return from[g.pick(what, len(from))] }

func (g *partsOf) variable(order int) string {
	if names := g.known[order]; len(names) > 0 && g.pick("let", 2) == 0 {
		return g.one("name", names...)
	}
	return g.declared(order)
}

func (g *partsOf) declared(order int) string {
	name := g.one("variable", map[int][]string{0: {"s"}, 1: {"x", "y"}, 2: {"A", "B"}, 3: {"T"}}[order]...)
	g.declare[name] = "[" + strings.Join(slices.Repeat([]string{g.n}, order), ",") + "]"
	return name
}

// expr draws a positive expression of the order.
func (g *partsOf) expr(order, depth int) string {
	if depth == 0 {
		return g.variable(order)
	}
	sub := func() string { return g.expr(order, depth-1) }
	switch g.pick("form", 8) {
	case 0, 1, 2:
		return strings.ReplaceAll(g.one("function", "sqrt(_)", "log(_ + 1)", "(-log(_/(1 + _)))", "exp(_)", "(1 ./ _)", "(_ .^ 1.5)", "(_ .^ -0.5)",
			"arcsin(_/(1 + _))", "tan(_/(1 + _))", "abs(_)", "tanh(_)", "log1p(_)", "max(_, 0.1)", "logaddexp(_, 2*_)", "expm1(_)", "(_ .^ 3)", "sigmoid(_)", "relu(_)"), "_", sub())
	case 3:
		return "(" + sub() + g.one("operator", " + ", " .* ", " ./ ") + sub() + ")"
	case 4:
		return g.variable(order)
	}
	switch order {
	case 0:
		v := g.expr(1, depth-1)
		switch g.pick("scalar", 7) {
		case 0:
			return "norm2(" + v + ")"
		case 1:
			return "logsumexp(" + v + ")"
		case 2:
			return "max(" + v + ")"
		case 3:
			return "tr(" + g.expr(2, depth-1) + ")"
		case 4:
			return "(" + v + "'*" + g.expr(1, depth-1) + ")"
		case 5:
			return "(" + g.expr(2, depth-1) + " *(ii,i->) " + v + ")"
		}
		return "sum(" + v + ")"
	case 1:
		switch g.pick("vector", 7) {
		case 3:
			if g.n == "3" { // a part of a row is not told apart from a part of the rows
				return g.variable(1)
			}
			return strings.ReplaceAll(g.one("rows", "(logsumexp(_, axis=2) *(ii->i))", "(max(_, axis=2) *(ii->i))", "(softmax(_, axis=2) *(iij->j))", "(sum(_, axis=1) *(ii->i))"), "_", g.expr(3, depth-1))
		case 0:
			return "softmax(" + g.expr(1, depth-1) + ")"
		case 1:
			return "(" + g.variable(3) + " *(iji->j))"
		case 2:
			return "(" + g.expr(2, depth-1) + " *(ii,i->i) " + g.expr(1, depth-1) + ")"
		}
		return "diag(" + g.expr(2, depth-1) + ")"
	case 2:
		switch g.pick("matrix", 5) {
		case 3:
			return fmt.Sprintf("split(%s, 0, %s, %s)", strings.ReplaceAll(g.one("reshaped", "sqrt(_)", "log(_ + 1)", "exp(_)", "(1 ./ _)", "max(_, 0.1)"), "_", "merge("+g.declared(2)+", 0)"), g.n, g.n)
		case 0:
			return "(" + g.expr(3, depth-1) + " *(iij->ij))"
		case 1:
			return g.expr(2, depth-1) + "'"
		case 2:
			return "(" + g.expr(1, depth-1) + "*" + g.expr(1, depth-1) + "')"
		}
		return g.variable(2)
	}
	return g.variable(3)
}
