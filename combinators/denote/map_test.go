package denote_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/terms"
)

// environment has the variables of nodes and the sizes of package terms.
func environment(nodes ...*combinators.Node) *denote.Env {
	env := &denote.Env{}
	for _, n := range combinators.Topo(nodes...) {
		if n.Name() != "" {
			env.Values = append(env.Values, denote.Binding{Name: n.Name(), Value: n})
		}
	}
	for name := range terms.Sizes {
		env.Sizes = append(env.Sizes, denote.SizeBinding{Name: name, Size: size.Sym(name)})
	}
	return env
}

// What is printed of a program as a closed map reads back as the same map, exactly.
func TestReadMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := terms.Block(t, 12)
		m := combinators.Readback(b)
		src := text.PrintClosed(m, rapid.Bool().Draw(t, "unicode"))
		tt, err := text.Parse(src)
		require.NoError(t, err, src)
		dom, cod := m.Dom(), m.Cod()
		got, err := denote.ReadMap(b.Store, tt, &dom, &cod, environment(b.Outs...))
		require.NoError(t, err, src)
		require.Equal(t, text.PrintClosed(m, false), text.PrintClosed(got, false))
		require.True(t, m == got, src)
	})
}

func TestReadMapDeep(t *testing.T) {
	s := combinators.NewStore()
	x := s.Var("x", nil)
	y := x
	for range 5_000 {
		y = s.Add(y, s.Unary(atom.Sin, y))
	}
	b := &combinators.Block{Store: s, Params: []*combinators.Node{x}, Outs: []*combinators.Node{y}}
	m := combinators.Readback(b)
	tt, err := text.Parse(text.PrintClosed(m, false))
	require.NoError(t, err)
	dom := m.Dom()
	got, err := denote.ReadMap(s, tt, &dom, nil, environment())
	require.NoError(t, err)
	require.Equal(t, m, got)
}

func TestReadMapErrors(t *testing.T) {
	s := combinators.NewStore()
	n, m := size.Sym("n"), size.Sym("m")
	vec := combinators.TensorSpace([]size.Size{n})
	both := combinators.ProductSpace(vec, combinators.TensorSpace([]size.Size{m}))
	env := environment(s.Var("A", []size.Size{m, n}))
	for _, c := range []struct {
		src  string
		dom  combinators.Space
		want string
	}{
		{"foo", vec, "foo is no map: it is neither defined above nor a known function"},
		{"sin . foo", vec, "foo is no map: it is neither defined above nor a known function"},
		{"iota1", vec, "the space of iota1 is not known"},
		{"0", vec, "the spaces of 0 are not known"},
		{"pi3", both, "pi3 of R[n] x R[m], which has two components"},
		{"(A *(ij,j->i) _)", both, "(A *(ij,j->i) _): 1 open operand, but the argument is of R[n] x R[m]"},
		{"(A *(ij,i->j) _)", vec, "ij,i->j: i is m, but axis 0 of [n] has size n"},
		{"(A .* _)", vec, "a product of shapes [m,n] and [n]"},
		{"inv", vec, "inv of a value of shape [n]"},
		{"[sin, sin]", both, "sin is no linear map: it has no place in a copairing"},
		{"(_ .* _)", both, "a product of shapes [n] and [m]"},
		{"sin . <id, id>", vec, "sin: 1 open operand, but the argument is of R[n] x R[n]"},
		{"id + *(i->)", vec, "sum of maps R[n] -> R[n] and R[n] -> R[]"},
		{"x .* y", vec, "x is no map: it is neither defined above nor a known function"},
		{"2 + sin", vec, "2 is a value, where a map is needed: K(2) is the constant map"},
		{"sin + 1[n]", vec, "1[n] is a value, where a map is needed: K(1[n]) is the constant map"},
		{"A .* A", vec, "A .* A is a value, where a map is needed: K(A .* A) is the constant map"},
		{"sin .^ A", vec, "the exponent of a map is a number, not A"},
		{"K(sin)", vec, "sin is a map, where a value is needed: sin(x) is its value at x"},
		{"K((A, A) .* 2)", vec, "(A, A) is a tuple, of R[m,n] x R[m,n], where one tensor is needed: (pi1 . f)(x) is its first component"},
		{"delta(sin, cos)", both, "delta gathers linear maps; prod(f, g) is the product of any"},
		{"transpose", vec, "transpose of a value of R[n], which has fewer than two axes"},
		{"transpose[2]", vec, "transpose[2] of a value of R[n]: transpose[k] puts the first k axes behind the others"},
		{"unzip", both, "unzip takes a tuple of pairs, not a value of R[n] x R[m]"},
		{"K(D(sin)(A)(A))", vec, "D(sin)(A) is not worked out: it cannot be applied"},
		{"let b = cos .* sine in K(b)", vec, "cos is a map, where a value is needed: cos(x) is its value at x"},
		{"merge[0]", vec, "merge of axes 0 and 1 of shape [n]"},
	} {
		tt, err := text.Parse(c.src)
		require.NoError(t, err)
		_, err = denote.ReadMap(s, tt, &c.dom, nil, env)
		var placed *text.Error
		require.ErrorAs(t, err, &placed, c.src)
		require.Equal(t, c.want, placed.Message, c.src)
		require.NotZero(t, placed.Pos, c.src)
	}
}

// The space of a result goes through maps that keep the shape to what nothing else tells it.
func TestSpacesGoThroughMaps(t *testing.T) {
	s := combinators.NewStore()
	n, m := size.Sym("n"), size.Sym("m")
	dom, cod := combinators.TensorSpace([]size.Size{n}), combinators.TensorSpace([]size.Size{m})
	env := environment(s.Var("a", []size.Size{m}))
	read := func(src string) combinators.Map {
		tt, err := text.Parse(src)
		require.NoError(t, err)
		f, err := denote.ReadMap(s, tt, &dom, &cod, env)
		require.NoError(t, err, src)
		return f
	}
	const red, typed = "red{(i,i)}", "(red{(i,i)} : R[n] -o R[m])"
	sources := []string{"sin . exp . %s", "(2 .* _) . %s", "(a .* _) . %s", "2 .* (sin . %s)", "(sin . %[1]s) ./ (exp . %[1]s)",
		"a .* (sin . %[1]s)", "(sin . %s) .^ 2", "-(cos . %s)", "softmax[1] . %s", "(_ .* _) . <%[1]s, sin . %[1]s>"}
	for _, at := range atom.Rows() {
		switch {
		case at.Class != atom.ClassElementwise || at == atom.Power:
		case at.Arity == 1:
			sources = append(sources, at.Name+" . %s")
		default:
			sources = append(sources, at.Name+" . <%[1]s, %[1]s>")
		}
	}
	for _, src := range sources {
		require.Equal(t, read(fmt.Sprintf(src, typed)), read(fmt.Sprintf(src, red)), src)
	}
}

// Maps of every constructor, derivatives and adjoints that are not worked out among them, read back
// exactly from their text and type.
func TestReadMapsExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := terms.NewMaps(t)
		d.Open = true
		m := d.On(d.Space(), 4)
		unicode := rapid.Bool().Draw(t, "unicode")
		src := text.Printer{Unicode: unicode, Lines: true}.Print(text.ClosedTyped(m))
		tt, err := text.Parse(src)
		require.NoError(t, err, src)
		require.True(t, text.Equal(text.ClosedTyped(m), tt), src)
		dom, cod := m.Dom(), m.Cod()
		got, err := denote.ReadMap(d.Store(), tt, &dom, &cod, environment(text.Values(m)...))
		require.NoError(t, err, "%s : %s", src, text.Signature(m))
		require.Equal(t, src, text.Printer{Unicode: unicode, Lines: true}.Print(text.ClosedTyped(got)))
		require.True(t, m == got, src)
	})
}
