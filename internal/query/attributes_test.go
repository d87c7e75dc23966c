package query_test

import (
	"context"
	"fmt"
	"testing"

	"frechet/combinators/atom"
	"frechet/internal/check"
	"frechet/internal/program"
	"frechet/internal/query"

	"github.com/stretchr/testify/require"
)

// TestDerivativesByAttributes: by a variable with any two attributes that go together, first and second derivatives agree with
// differences along its subspace, and what is drawn is as declared.
func TestDerivativesByAttributes(t *testing.T) {
	tried := 0
	for _, r := range atom.AttributeRows {
		for _, s := range atom.AttributeRows {
			of := atom.AttributeNamed(r.Name).With(atom.AttributeNamed(s.Name))
			_, _, clash := of.Clash()
			_, misfit := of.Misfit(2, true, true)
			if r.Set > s.Set || clash || misfit || of.Has(atom.Index) {
				continue // nothing is differentiated by an array of whole numbers
			}
			src := fmt.Sprintf("declare S[3,3] %s X[3,3] y[3] V[3,3] expression tr(S*X*S) + y'*S*y*sum(S .* X) + sum(sin(X*S)) derivative wrt S order 2 jvp wrt S along V hvp wrt S along V", of)
			f, err := program.Read(src, program.Options{})
			require.NoError(t, err, src)
			reply, err := query.Derive(context.Background(), f, query.Query{Order: query.AnyOrder})
			require.NoError(t, err, src)
			env, err := check.RandomEnv(context.Background(), f, nil, 1)
			if err != nil { // few values have both: an orthogonal matrix of positive entries
				continue
			}
			report, err := reply.Check(context.Background(), env)
			require.NoError(t, err, src)
			require.True(t, report.OK(), "%s\n%s", src, report)
			tried++
		}
	}
	require.Greater(t, tried, 20)
}
