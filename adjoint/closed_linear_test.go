package adjoint

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Every shipped file can be given again as one's own, in its place.
func TestShippedFilesLoadAgain(t *testing.T) {
	for _, f := range RuleFiles()[onValues:] {
		_, err := NewCalculus(nil, f)
		require.NoError(t, err, f.Name)
	}
}
