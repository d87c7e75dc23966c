package query_test

import (
	"context"
	"fmt"
	"testing"

	"frechet/combinators/atom"
	"frechet/eval"
	"frechet/internal/check"
	"frechet/internal/program"
	"frechet/internal/query"

	"github.com/stretchr/testify/require"
)

// geodesics has for each manifold of the table a variable, a tangent vector V made of Z, that vector lowered by the metric, and the
// geodesic from x along V at the time s.
var geodesics = map[atom.Attributes]struct{ shape, tangent, lowered, curve string }{
	atom.Unit:       {"[3]", "Z - x*(x'*Z)", "V", "x*cos(s*norm2(V)) + V*(sin(s*norm2(V))/norm2(V))"},
	atom.Orthogonal: {"[3,3]", "Z - x*Z'*x", "V", "x*expm(s*x'*V)"},
	atom.Simplex: {"[3]", "Z - x*sum(Z)", "V ./ x",
		"(sqrt(x)*cos(s*norm2(V ./ (2*sqrt(x)))) + V ./ (2*sqrt(x))*(sin(s*norm2(V ./ (2*sqrt(x))))/norm2(V ./ (2*sqrt(x)))))^2"},
	atom.Definite: {"[3,3]", "Z + Z'", "inv(x)*V*inv(x)", "x*expm(s*inv(x)*V)"},
}

// TestRiemannian: gradient and Hessian along a tangent vector are the first and the second derivative of the function along the geodesic,
// by differences.
func TestRiemannian(t *testing.T) {
	ctx := context.Background()
	for _, r := range atom.AttributeRows {
		if r.Tangent == "" {
			continue
		}
		g := geodesics[r.Set]
		require.NotEmpty(t, g.shape, r.Name)
		f := map[string]string{"[3]": "sum(exp(%[1]s .* a)) + (%[1]s)'*B*(%[1]s)", "[3,3]": "tr(B*(%[1]s)*C*(%[1]s)) + sum(sin(B .* (%[1]s))) + a'*(%[1]s)*a"}[g.shape]
		declare := fmt.Sprintf("declare x%s %s Z%s B[3,3] C[3,3] a[3] s[] let V = %s ", g.shape, r.Name, g.shape, g.tangent)
		all, err := program.Read(declare+"expression "+fmt.Sprintf(f, "("+g.curve+")")+" expression V + 0*Z expression "+g.lowered, program.Options{})
		require.NoError(t, err, r.Name)
		p, err := program.Read(declare+"expression "+fmt.Sprintf(f, "x"), program.Options{})
		require.NoError(t, err, r.Name)
		env, err := check.RandomEnv(ctx, all, nil, 3)
		require.NoError(t, err, r.Name)

		curve, err := query.Derive(ctx, all, query.Query{})
		require.NoError(t, err, r.Name)
		at := func(s float64, k int) []float64 {
			env["s"] = &eval.Tensor{Data: []float64{s}}
			values, _, err := curve.Evaluate(ctx, []*query.Term{curve.Outputs[k].Value}, env)
			require.NoError(t, err, r.Name)
			return values[0].Data
		}
		const h = 0.01
		along := func(s float64) float64 { return at(s, 0)[0] }
		first := (8*(along(h)-along(-h)) - along(2*h) + along(-2*h)) / (12 * h)
		second := (16*(along(h)+along(-h)) - along(2*h) - along(-2*h) - 30*along(0)) / (12 * h * h)
		v, lowered := at(0, 1), at(0, 2)

		reply, err := query.Derive(ctx, p, query.Query{Wrt: []string{"x"}, Order: 2, Riemannian: true})
		require.NoError(t, err, r.Name)
		values, _, err := reply.Evaluate(ctx, []*query.Term{reply.Outputs[0].Derivs[0].Term, reply.Outputs[0].Derivs[1].Term}, env)
		require.NoError(t, err, r.Name)
		gradient, hessian := 0.0, 0.0
		for i, w := range lowered {
			gradient += w * values[0].Data[i]
			for j, u := range v {
				hessian += w * values[1].Data[i*len(v)+j] * u
			}
		}
		require.InEpsilon(t, first, gradient, 1e-6, r.Name)
		require.InEpsilon(t, second, hessian, 1e-5, r.Name)
	}
}

// What is no scalar, a third derivative, and attributes that have no manifold together are errors.
func TestRiemannianErrors(t *testing.T) {
	for src, says := range map[string]string{
		"declare x[n] unit A[n,n] expression A*x":                        "of a scalar",
		"declare Q[n,n] orthogonal symmetric expression sum(exp(Q))":     "is not known",
		"declare Q[n,n] positive definite diagonal expression logdet(Q)": "is not known",
	} {
		f, err := program.Read(src, program.Options{})
		require.NoError(t, err, src)
		_, err = query.Derive(context.Background(), f, query.Query{Wrt: []string{f.Params[0].Name}, Order: 1, Riemannian: true})
		require.ErrorContains(t, err, says, src)
	}
	f, err := program.Read("declare x[n] unit a[n] expression exp(a'*x)", program.Options{})
	require.NoError(t, err)
	_, err = query.Derive(context.Background(), f, query.Query{Wrt: []string{"x"}, Order: 3, Riemannian: true})
	require.ErrorContains(t, err, "order 2")
}

// TestFree: derivatives of the function of all entries are those of the program without attributes, at values that have them.
func TestFree(t *testing.T) {
	ctx := context.Background()
	for of, expression := range map[string]string{
		"symmetric": "tr(S*X) + y'*S*X*S'*y", "positive definite": "logdet(S) + tr(X*inv(S))", "lower": "sum(exp(S*X))", "orthogonal": "tr(S'*S) + tr(X*S)^2", "diagonal": "det(S + X)",
	} {
		var got [2][]*eval.Tensor
		var env program.Env
		for i, attributes := range []string{of, ""} {
			f, err := program.Read("declare S[3,3] "+attributes+" X[3,3] y[3] expression "+expression+" + 0*sum(y)*sum(X)", program.Options{})
			require.NoError(t, err)
			if env == nil {
				env, err = check.RandomEnv(ctx, f, nil, 2)
				require.NoError(t, err)
			}
			reply, err := query.Derive(ctx, f, query.Query{Wrt: []string{"S"}, Order: 2, Free: true})
			require.NoError(t, err, of)
			got[i], _, err = reply.Evaluate(ctx, []*query.Term{reply.Outputs[0].Derivs[0].Term, reply.Outputs[0].Derivs[1].Term}, env)
			require.NoError(t, err, of)
		}
		for k := range got[0] {
			require.InDeltaSlice(t, got[1][k].Data, got[0][k].Data, 1e-9, of)
		}
	}
}
