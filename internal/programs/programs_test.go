package programs

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestProgramsDeclareWhatTheyUse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Draw(t, true)
		require.NotEmpty(t, p.Vars)
		for _, v := range p.Vars {
			require.Contains(t, p.Declare, " "+v+"[")
			require.Contains(t, p.Values, v)
		}
	})
}
