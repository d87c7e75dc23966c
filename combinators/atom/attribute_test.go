package atom

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAttributes: the table has a row a bit; a set is closed and reads back as it is written.
func TestAttributes(t *testing.T) {
	for i, r := range AttributeRows {
		require.Equal(t, Attributes(1)<<i, r.Set, r.Name)
		require.Equal(t, AttributeNamed(r.Name), AttributeOf(r.Cond))
		for _, s := range AttributeRows {
			both := AttributeNamed(r.Name).With(AttributeNamed(s.Name))
			require.Equal(t, both, both.With(both).With(0), "%s %s", r.Name, s.Name)
			back, wrong := ReadAttributes(strings.Fields(both.String()))
			require.Equal(t, both, back, "%s, of %s and %s; %s", both, r.Name, s.Name, wrong)
			_, _, clash := both.Clash()
			require.Equal(t, clash, r.Excludes&s.Set != 0 || s.Excludes&r.Set != 0 || both&r.Excludes != 0 || both&s.Excludes != 0 || clash)
		}
	}
	require.Equal(t, "diagonal", AttributeNamed("lower").With(Upper).String())
	require.Equal(t, "diagonal positive definite", AttributeNamed("lower").With(AttributeNamed("positive definite")).String())
	_, wrong := ReadAttributes([]string{"symmetric", "definite"})
	require.Equal(t, "definite", wrong)
}
