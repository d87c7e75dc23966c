package linear_test

import (
	"flag"
	"fmt"
	"math"
	"math/big"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet"
	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/export/latex"
	"frechet/internal/terms"
	"frechet/rewrite"
)

// The constructors of closed maps, one by one: the table of package combinators has a row for each,
// and each row has its type, text, value, derivative, adjoint and notation in LaTeX, and keeps the
// law of its class over random spaces.

// checkMap checks what holds for every map, and the law of its class.
func checkMap(t require.TestingT, m combinators.Map, z *numeric) {
	s := m.Store()
	src := text.PrintClosed(m, false) + " : " + text.Signature(m)
	require.Contains(t, latex.Closed(text.Closed(m)), "")
	require.Equal(t, strings.Count(latex.Closed(text.Closed(m)), "{"), strings.Count(latex.Closed(text.Closed(m)), "}"), src)
	mapReadBack(t, m)

	x, dx := terms.Value(s, "x", m.Dom()), terms.Value(s, "t", m.Dom())
	y := apply(t, m, x)
	require.True(t, y.Space().Equal(m.Cod()), src)

	// the derivative against differences, and its adjoint: <D v, w> = <v, D* w>
	l := workedLinear(t, s.Derivative(m, x))
	require.True(t, l.Dom().Equal(m.Dom()) && l.Cod().Equal(m.Cod()), src)
	dy := z.at(t, apply(t, l.Map, dx))
	const h = 1e-5
	z.at(t, y)
	up, down := z.moved(t, x, dx, h).at(t, y), z.moved(t, x, dx, -h).at(t, y)
	differences := make([]float64, len(up))
	scale := 1.0
	for i := range up {
		differences[i] = (up[i] - down[i]) / (2 * h)
		if !math.IsInf(up[i], 0) && !math.IsNaN(up[i]) {
			scale = max(scale, math.Abs(up[i]))
		}
	}
	requireNear(t, differences, dy, 1e-5*scale, "derivative of "+src)
	checkAdjoint(t, l, z, src)

	if linear, ok := m.Linear(); ok {
		u := terms.Value(s, "u", m.Dom())
		requireNear(t, z.at(t, combined(s, 2, y, -3, apply(t, m, u))), z.at(t, apply(t, m, combined(s, 2, x, -3, u))), 1e-9, "linearity of "+src)
		checkAdjoint(t, linear, z, src)
		requireNear(t, z.at(t, apply(t, m, dx)), dy, 1e-9, "a linear map is its own derivative: "+src)
	}
	if _, ok := m.Multilinear(); ok {
		for k := range x.Parts() {
			parts := append([]*combinators.Value{}, x.Parts()...)
			u := terms.Value(s, "u", parts[k].Space())
			parts[k] = u
			atU := apply(t, m, s.Tuple(parts...))
			parts[k] = combined(s, 2, x.Parts()[k], -3, u)
			requireNear(t, z.at(t, combined(s, 2, y, -3, atU)), z.at(t, apply(t, m, s.Tuple(parts...))), 1e-9, "multilinearity of "+src)
		}
	}
}

// workedLinear is l with its derivatives and adjoints worked out.
func workedLinear(t require.TestingT, l combinators.PointFreeLinear) combinators.PointFreeLinear {
	out, ok := worked(t, l.Map).Linear()
	require.True(t, ok)
	return out
}

// checkAdjoint: <L v, w> = <v, L* w>.
func checkAdjoint(t require.TestingT, l combinators.PointFreeLinear, z *numeric, src string) {
	s := l.Store()
	back := workedLinear(t, s.Adjoint(l))
	require.True(t, back.Dom().Equal(l.Cod()) && back.Cod().Equal(l.Dom()), src)
	v, w := terms.Value(s, "v", l.Dom()), terms.Value(s, "w", l.Cod())
	left := dot(z.at(t, apply(t, l.Map, v)), z.at(t, w))
	right := dot(z.at(t, v), z.at(t, apply(t, back.Map, w)))
	if !math.IsNaN(left) && !math.IsInf(left, 0) {
		require.InDelta(t, left, right, 1e-9*(1+math.Abs(left)), "adjoint of %s", src)
	}
}

// mapReadBack: the text of a map, with the types of its parts, is read as the map.
func mapReadBack(t require.TestingT, m combinators.Map) {
	src := text.Printer{}.Print(text.ClosedTyped(m))
	tt, err := text.Parse(src)
	require.NoError(t, err, src)
	env := &denote.Env{}
	for _, n := range combinators.Topo(text.Values(m)...) {
		if n.Name() != "" {
			env.Values = append(env.Values, denote.Binding{Name: n.Name(), Value: n})
		}
	}
	for name := range terms.Sizes {
		env.Sizes = append(env.Sizes, denote.SizeBinding{Name: name, Size: size.Sym(name)})
	}
	dom, cod := m.Dom(), m.Cod()
	got, err := denote.ReadMap(m.Store(), tt, &dom, &cod, env)
	require.NoError(t, err, src)
	require.True(t, got == m, src)
}

// Every constructor keeps the law of its class, at random maps on random spaces, with sizes that
// are all different, all equal, 1, and 0.
func TestEveryConstructor(t *testing.T) {
	for _, row := range combinators.Constructors() {
		t.Run(row.Op.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				d := terms.NewMaps(t)
				d.Open = true
				m, ok := d.Build(row.Op, d.Fitting(row.Op), 2)
				require.True(t, ok, "the space does not fit")
				require.True(t, slices.ContainsFunc(combinators.TopoMaps(m), func(part combinators.Map) bool { return part.Op() == row.Op }), "the constructor is not used")
				checkMap(t, m, newNumeric(sizings[rapid.IntRange(0, len(sizings)-1).Draw(t, "sizes")]))
				checkParts(t, m)
			})
		})
	}
}

// checkParts: the value of a map from those of its parts, by the law of its constructor.
func checkParts(t require.TestingT, m combinators.Map) {
	s := m.Store()
	m = worked(t, m)
	x := terms.Value(s, "x", m.Dom())
	got := apply(t, m, x)
	at := func(k int, v *combinators.Value) *combinators.Value { return apply(t, m.Maps()[k], v) }
	var want *combinators.Value
	switch m.Op() {
	case combinators.MapID:
		want = x
	case combinators.MapCompose:
		want = at(0, at(1, x))
	case combinators.MapPair, combinators.MapProduct:
		parts := make([]*combinators.Value, len(m.Maps()))
		for k := range parts {
			if parts[k] = x; m.Op() == combinators.MapProduct {
				parts[k] = x.Parts()[k]
			}
			parts[k] = at(k, parts[k])
		}
		want = s.Tuple(parts...)
	case combinators.MapSum:
		want = combined(s, 1, at(0, x), 1, at(1, x))
	case combinators.MapCopair:
		want = at(0, x.Parts()[0])
		for k := range m.Maps()[1:] {
			want = combined(s, 1, want, 1, at(k+1, x.Parts()[k+1]))
		}
	case combinators.MapProj:
		want = x.Parts()[m.K()]
	case combinators.MapInj:
		parts := make([]*combinators.Value, len(m.Cod().Factors()))
		for k, f := range m.Cod().Factors() {
			parts[k] = s.ZeroValue(f)
		}
		parts[m.K()] = x
		want = s.Tuple(parts...)
	case combinators.MapConst:
		want = m.Value()
	case combinators.MapZero:
		want = s.ZeroValue(m.Cod())
	default:
		return
	}
	z := newNumeric(sizings[0])
	requireNear(t, z.at(t, want), z.at(t, got), 1e-12, "value of "+text.PrintClosed(m, false))
}

// (f^[X])(v) is f at each index of X.
func TestCopowerIsPointwise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := terms.NewMaps(t)
		m, ok := d.Build(combinators.MapCopower, d.Fitting(combinators.MapCopower), 2)
		require.True(t, ok && m.Op() == combinators.MapCopower, "the space does not fit")
		s, z := d.Store(), newNumeric(sizings[0])
		x := terms.Value(s, "x", m.Dom())
		f := m.Maps()[0]
		rows := m.Power()[0]
		n, err := rows.Eval(z.sizes)
		require.NoError(t, err)
		whole := splitEntries(z.at(t, apply(t, m, x)), m.Cod(), z, t)
		for i := range int(n) {
			// the i-th entry of each component, as new variables
			point := terms.Value(s, "row", f.Dom())
			for k, leaf := range point.Leaves() {
				all := z.variable(t, x.Leaves()[k])
				part := eval.NewTensor(all.Shape[1:]...)
				copy(part.Data, all.Data[i*len(part.Data):])
				z.env[leaf.Name()] = part
			}
			one := splitEntries(z.at(t, apply(t, f, point)), f.Cod(), z, t)
			for k := range one {
				requireNear(t, one[k], whole[k][i*len(one[k]):(i+1)*len(one[k])], 1e-9, text.PrintClosed(m, false))
			}
		}
	})
}

// Every operation of the table of atoms is a map in each of its operands and in all of them.
func TestEveryAtomAsMap(t *testing.T) {
	k, m, n := size.Sym("k"), size.Sym("m"), size.Sym("n")
	for _, at := range atom.Rows() {
		if at.Class < atom.ClassLinear || at.Name == "chol" {
			continue // sums and contractions are constructors of their own; chol has no value at matrices that are drawn here
		}
		t.Run(at.Name, func(t *testing.T) {
			assert.NotEmpty(t, at.LaTeX, "notation")
			s := combinators.NewStore()
			x, y := s.Var("a", []size.Size{m, n}), s.Var("b", []size.Size{m, n})
			square := s.Var("S", []size.Size{k, n, n})
			var nodes []*combinators.Node
			switch {
			case at == atom.Power:
				nodes = append(nodes, s.Power(x, big.NewRat(3, 1)), s.Power(x, big.NewRat(-1, 2)))
			case at.Class == atom.ClassElementwise && at.Arity == 2:
				nodes = append(nodes, s.Binary(at, x, y))
			case at.Class == atom.ClassElementwise:
				nodes = append(nodes, s.Unary(at, x))
			case at.Name == "inv" || at.Name == "logdet":
				nodes = append(nodes, s.Apply(at, 0, square))
			case at.Name == "minor":
				nodes = append(nodes, s.Minor(0, square), s.Minor(1, square), s.Minor(2, square))
			case at.Name == "solve":
				nodes = append(nodes, s.Solve(square, s.Var("b", []size.Size{k, n, m})), s.Solve(square, s.Var("b", []size.Size{k, n})))
			case at.Name == "norm2":
				nodes = append(nodes, s.Norm2(x))
			case at.Name == "merge":
				nodes = append(nodes, s.Merge(0, square), s.Merge(1, square))
			case at.Name == "split":
				nodes = append(nodes, s.Split(1, m, n, s.Var("a", []size.Size{k, m.Mul(n)})))
			case at.Called == "matfun" && at.Deriv[0] == "": // the last of them
			case at.Called == "matfun":
				nodes = append(nodes, s.Apply(at, atom.MatrixFunctionNamed("exp"), slices.Repeat([]*combinators.Node{square}, at.Arity)...))
			case at.Over == atom.OverMatrices:
				nodes = append(nodes, s.Apply(at, 0, square))
			default:
				nodes = append(nodes, s.Apply(at, 1, x), s.Apply(at, 2, x))
			}
			for _, node := range nodes {
				require.Equal(t, at, node.Atom())
				maps := []combinators.Map{s.OpenMap(node, func(int) bool { return true })}
				for k := range node.Args() {
					if len(node.Args()) > 1 {
						maps = append(maps, s.OpenMap(node, func(i int) bool { return i == k }))
					}
				}
				for i, sizes := range sizings {
					if i >= 3 && (at.Name == "amax" || at.Name == "amin" || at.Name == "logsumexp") {
						continue // of no entries: infinite
					}
					for _, f := range maps {
						z := newNumeric(sizes)
						if at.Low != 0 || at.High != 0 {
							z.low, z.high = at.Low, at.High
						}
						inDomain(t, f, z)
						checkMap(t, f, z)
					}
				}
			}
		})
	}
}

// inDomain gives the argument x of a map square matrices that have an inverse.
func inDomain(t *testing.T, f combinators.Map, z *numeric) {
	s := f.Store()
	x := terms.Value(s, "x", f.Dom())
	for _, n := range x.Leaves() {
		v := z.variable(t, n)
		if k := len(v.Shape); k >= 2 && v.Shape[k-1] == v.Shape[k-2] && f.Atom().Class == atom.ClassPrimitive {
			for i := range v.Data {
				if i/v.Shape[k-1]%v.Shape[k-2] == i%v.Shape[k-1] {
					v.Data[i] += 3
				}
			}
		}
	}
}

// Every constructor has a type rule: parts that do not fit are refused when a map is built.
func TestConstructorsRefuse(t *testing.T) {
	s := combinators.NewStore()
	n, m := size.Sym("n"), size.Sym("m")
	u, w := combinators.TensorSpace([]size.Size{n}), combinators.TensorSpace([]size.Size{m})
	x := s.Var("x", []size.Size{n})
	sin := s.OpenMap(s.Unary(atom.Sin, x), func(int) bool { return true })
	other := s.OpenMap(s.Unary(atom.Sin, s.Var("z", []size.Size{m})), func(int) bool { return true })
	wrong := map[combinators.MapOp]func(){
		combinators.MapCompose: func() { s.Compose(sin, other) },
		combinators.MapPair:    func() { s.Pair(sin, other) },
		combinators.MapCopair:  func() { s.Copair(s.ID(u), s.ID(w)) },
		combinators.MapSum:     func() { s.SumMaps(sin, other) },
		combinators.MapProj:    func() { s.Proj(u, 0) },
		combinators.MapInj:     func() { s.Inj(combinators.ProductSpace(u, w), 2) },
		combinators.MapEin:     func() { s.EinMap(s.Einsum("i,i->", x, x).Ein(), make([]*combinators.Node, 1)) },
		combinators.MapAtom: func() {
			s.AtomMap(atom.Inv, 0, nil, nil, make([]*combinators.Node, 1), [][]size.Size{{n}})
		},
		combinators.MapDerivative: func() { s.Derivative(sin, s.Value(s.Var("z", []size.Size{m}))) },
	}
	total := map[combinators.MapOp]bool{ // of parts of any type
		combinators.MapID: true, combinators.MapProduct: true, combinators.MapConst: true, combinators.MapZero: true,
		combinators.MapCopower: true, combinators.MapAdjoint: true, // of a Linear, which is a Go type
	}
	for _, op := range combinators.MapOps() {
		require.True(t, total[op] != (wrong[op] != nil), "%s: a wrong use, or none is possible", op)
		if wrong[op] != nil {
			func() {
				defer func() {
					_, ok := recover().(*combinators.TypeError)
					require.True(t, ok, "%s accepts parts that do not fit", op)
				}()
				wrong[op]()
			}()
		}
	}
}

var updateConstructors = flag.Bool("update-constructors", false, "rewrite the table of constructors in docs/combinators.md")

// constructorTable is the table of constructors for people: the derivative and the adjoint are the
// right sides of the rules.
func constructorTable(t *testing.T) string {
	type law struct{ name, right string }
	derivative, adjoints, lifts := map[combinators.MapOp][]law{}, map[combinators.MapOp][]law{}, map[combinators.MapOp][]law{}
	for _, f := range adjoint.RuleFiles() {
		rules, err := text.ParseRules(f.Text)
		require.NoError(t, err)
		for _, r := range rules.Rules {
			l := law{r.Name, r.Right.String()}
			op, _ := rewrite.PatternOp(r.Left)
			switch {
			case strings.HasPrefix(r.Name, "C-copower"):
				lifts[op] = append(lifts[op], l)
			case r.Left.Op == text.Apply:
				if inner, ok := rewrite.PatternOp(r.Left.Args[0].Args[0]); ok {
					derivative[inner] = append(derivative[inner], l)
				} else {
					// b : U x V ->2 W is a contraction
					derivative[combinators.MapEin] = append(derivative[combinators.MapEin], l)
				}
			case r.Left.Op == text.Call && op == combinators.MapAdjoint:
				if inner, ok := rewrite.PatternOp(r.Left.Args[0]); ok {
					adjoints[inner] = append(adjoints[inner], l)
				}
			}
		}
	}
	require.NotEmpty(t, lifts)
	linear := map[combinators.MapOp]bool{}
	for _, op := range combinators.LinearOps() {
		linear[op] = true
	}
	var b strings.Builder
	b.WriteString("| written | type | value | derivative at u | adjoint |\n|---|---|---|---|---|\n")
	cell := func(laws []law) string {
		var parts []string
		for _, l := range laws {
			if l.name != "D-linear" {
				parts = append(parts, "`"+l.right+"` ("+l.name+")")
			}
		}
		return strings.Join(parts, ", ")
	}
	for _, row := range combinators.Constructors() {
		require.NotEmpty(t, row.Text, row.Op)
		require.NotEmpty(t, row.Type, row.Op)
		require.NotEmpty(t, row.Value, row.Op)
		d, a := cell(derivative[row.Op]), cell(adjoints[row.Op])
		switch {
		case row.Op == combinators.MapCopower:
			d = "f^X is brought to the leaves of f, which are lifted (C-copower-compose, C-copower-leaf)"
		case row.Op == combinators.MapDerivative:
			d, a = "itself (D-linear)", "after the rules for D"
		case d == "":
			d = "itself (D-linear)"
		}
		if row.Op != combinators.MapConst {
			require.NotEmpty(t, a, "no adjoint of %s", row.Op)
		} else {
			a = "not linear, but for `K(0)`, which is `0`"
		}
		value := row.Value
		if strings.Contains(value, " = ") {
			value = "`" + value + "`"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %s |\n", row.Text, row.Type, value, d, a)
	}
	return b.String()
}

// docs/combinators.md has the table of constructors, with their derivatives and adjoints from the
// rule files.
func TestConstructorDocument(t *testing.T) {
	b, err := os.ReadFile("../../docs/combinators.md")
	require.NoError(t, err)
	const open, end = "<!-- constructors -->\n", "<!-- end of constructors -->\n"
	before, rest, ok := strings.Cut(string(b), open)
	require.True(t, ok)
	have, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	want := constructorTable(t)
	if *updateConstructors {
		require.NoError(t, os.WriteFile("../../docs/combinators.md", []byte(before+open+want+end+after), 0o644))
		return
	}
	require.Equal(t, want, have, "go test ./internal/linear -run TestConstructorDocument -update-constructors")

	// the rules that the page names are there
	var known []string
	for _, f := range frechet.ShippedRules() {
		rules, err := frechet.ListRules(f)
		require.NoError(t, err)
		for _, r := range rules {
			known = append(known, r.Name)
		}
	}
	for _, name := range regexp.MustCompile(`\b[ACDEFMRS]-[a-z][a-z-]*`).FindAllString(string(b), -1) {
		require.Contains(t, known, name)
	}
}
