package query_test

import (
	"context"
	"testing"
	"time"

	"frechet"

	"github.com/stretchr/testify/require"
)

// TestDeriveStops: work on terms that would take hours ends with its context, and does not
// go on unseen.
func TestDeriveStops(t *testing.T) {
	f, err := frechet.Parse("declare x 0 expression exp(sin(x)*cos(x))")
	require.NoError(t, err)
	ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer stop()
	start := time.Now()
	_, err = f.Derive(ctx, frechet.Query{Wrt: []string{"x"}, Order: 40})
	require.ErrorContains(t, err, "time limit")
	require.Less(t, time.Since(start), 20*time.Second)
	reply, err := f.Derive(context.Background(), frechet.Query{Wrt: []string{"x"}, Order: 2})
	require.NoError(t, err)
	require.Len(t, reply.Outputs[0].Derivs, 2)
}
