package rewrite_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/terms"
	"frechet/rewrite"
)

// environment has the variables of nodes and the sizes of package terms.
func environment(nodes ...*combinators.Node) *rewrite.Env {
	env := &rewrite.Env{}
	for _, n := range combinators.Topo(nodes...) {
		if n.Name() != "" {
			env.Values = append(env.Values, rewrite.Binding{Name: n.Name(), Value: n})
		}
	}
	for name := range terms.Sizes {
		env.Sizes = append(env.Sizes, rewrite.SizeBinding{Name: name, Size: size.Sym(name)})
	}
	return env
}

// What is printed of a program as a closed map reads back as a map with the same values: the same
// nodes when it is applied. (The order of the operands of a section may differ.)
func TestReadMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := terms.Block(t, 12)
		m := combinators.Readback(b)
		src := text.PrintClosed(m, rapid.Bool().Draw(t, "unicode"))
		tt, err := text.Parse(src)
		require.NoError(t, err, src)
		dom, cod := m.Dom(), m.Cod()
		got, err := rewrite.ReadMap(b.Store, tt, &dom, &cod, environment(b.Outs...))
		require.NoError(t, err, src)
		y, err := b.Store.ApplyMap(got, b.ParamsValue())
		require.NoError(t, err)
		require.Same(t, b.OutsValue(), y, src)
	})
}

func TestReadMapDeep(t *testing.T) {
	s := combinators.NewStore()
	x := s.Var("x", nil)
	y := x
	for range 5_000 {
		y = s.Add(y, s.Unary("sin", y))
	}
	b := &combinators.Block{Store: s, Params: []*combinators.Node{x}, Outs: []*combinators.Node{y}}
	m := combinators.Readback(b)
	tt, err := text.Parse(text.PrintClosed(m, false))
	require.NoError(t, err)
	dom := m.Dom()
	got, err := rewrite.ReadMap(s, tt, &dom, nil, environment())
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
		{"pi3", both, "the space of pi3 is not known"},
		{"(A *(ij,j->i) _)", both, "(A *(ij,j->i) _): 1 operands are open, the argument is of R[n] x R[m]"},
		{"(A *(ij,i->j) _)", vec, "ij,i->j: sizes differ in [n]"},
		{"(A .* _)", vec, "a product of shapes [m,n] and [n]"},
		{"inv", vec, "inv of a value of shape [n]"},
		{"[sin, sin]", both, "sin is no linear map: it has no place in a copairing"},
		{"(_ .* _)", both, "a product of shapes [n] and [m]"},
		{"sin . <id, id>", vec, "sin: 1 operands are open, the argument is of R[n] x R[n]"},
		{"id + *(i->)", vec, "sum of maps R[n] -> R[n] and R[n] -> R[]"},
		{"x .* y", vec, "x stands for no value"},
		{"merge[0]", vec, "merge of axes 0 and 1 of shape [n]"},
	} {
		tt, err := text.Parse(c.src)
		require.NoError(t, err)
		_, err = rewrite.ReadMap(s, tt, &c.dom, nil, env)
		var placed *text.Error
		require.ErrorAs(t, err, &placed, c.src)
		require.Equal(t, c.want, placed.Message, c.src)
		require.NotZero(t, placed.Pos, c.src)
	}
}
