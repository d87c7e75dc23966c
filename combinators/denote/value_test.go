package denote_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/terms"
)

// A value's text builds the same value.
func TestValueTextBuilds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := terms.Block(t, 12)
		env := &denote.Env{}
		for _, n := range combinators.Topo(b.Outs...) {
			if n.Name() != "" {
				env.Values = append(env.Values, denote.Binding{n.Name(), n})
			}
		}
		for name := range terms.Sizes {
			env.Sizes = append(env.Sizes, denote.SizeBinding{name, size.Sym(name)})
		}
		for _, n := range b.Outs {
			src := text.Value(n).String()
			tt, err := text.Parse(src)
			require.NoError(t, err, src)
			got, err := denote.ReadNode(b.Store, tt, env)
			require.NoError(t, err, src)
			require.Same(t, n, got, "%s builds %s", src, text.Value(got))
		}
	})
}

// The number 1 in every entry is the tensor of ones: they are one node, as they have one text.
func TestTextOfNumbers(t *testing.T) {
	s := combinators.NewStore()
	shape := []size.Size{size.Sym("n")}
	require.Same(t, s.Ones(shape), s.Broadcast(s.Int(1), shape))
	for _, n := range []*combinators.Node{s.Ones(shape), s.Broadcast(s.Int(2), shape), s.Einsum("i->ii", s.Ones(shape))} {
		tt, err := text.Parse(text.Value(n).String())
		require.NoError(t, err)
		got, err := denote.ReadNode(s, tt, &denote.Env{Sizes: []denote.SizeBinding{{"n", shape[0]}}})
		require.NoError(t, err)
		require.Same(t, n, got, text.Value(n).String())
	}
}
