package rewrite

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/terms"
)

// A value's text builds the same value.
func TestValueTextBuilds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := terms.Block(t, 12)
		env := &Env{}
		for _, n := range combinators.Topo(b.Outs...) {
			if n.Name() != "" {
				env.Values = append(env.Values, Binding{n.Name(), n})
			}
		}
		for name := range terms.Sizes {
			env.Sizes = append(env.Sizes, SizeBinding{name, size.Sym(name)})
		}
		for _, n := range b.Outs {
			src := text.Value(n).String()
			tt, err := text.Parse(src)
			require.NoError(t, err, src)
			got, err := Build(b.Store, tt, env)
			require.NoError(t, err, src)
			require.Same(t, n, got, "%s builds %s", src, text.Value(got))
		}
	})
}
