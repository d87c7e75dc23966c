package plans_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
	"frechet/internal/query"
)

// Jacobians with a narrow layer, at the sizes n and k, against the best order by hand. Each
// count has what the products of matrices take, and some products of n by k entries.
func TestCountSegments(t *testing.T) {
	const n, k = 500, 5
	for name, c := range map[string]struct {
		decl, expr string
		hand       int64
	}{
		// R^n -> R^k -> R^n: k cotangents from the middle back, k tangents from it on, a product
		"bottleneck": {
			"A[k,n] B[n,k] x[n]", "softmax(B*softmax(A*softmax(x)))",
			k*n*n + 14*k*n,
		},
		"bottleneck of four": {
			"A[k,n] B[n,k] C[n,n] D[n,n] x[n]", "softmax(D*softmax(B*softmax(A*softmax(C*x))))",
			2*n*n + 3*k*n*n + 16*k*n,
		},
		// A chain of contractions needs no cut: the order of the product finds it.
		"tanh net": {
			"A[k,n] B[n,k] C[n,n] D[n,n] x[n]", "tanh(D*tanh(B*tanh(A*tanh(C*x))))",
			3*k*n*n + 3*n*n + 10*k*n,
		},
		// J = I + U2 (V2' + V2' U1 V1') + U1 V1'
		"residual": {
			"A[k,n] B[n,k] x[n]", "h + tanh(B*tanh(A*h))",
			2*k*n*n + 2*k*k*n + 16*k*n,
		},
		// k cotangents back from each middle, one product at the end
		"two hourglasses": {
			"A[k,n] B[n,k] C[n,n] D[k,n] E[n,k] x[n]", "softmax(C*softmax(E*softmax(D*softmax(C*softmax(B*softmax(A*softmax(x)))))))",
			3*k*n*n + 2*n*n + 2*k*k*n + 30*k*n,
		},
		// each path is cut in its own middle
		"two paths": {
			"A[k,n] B[n,k] C[n,n] D[k,n] E[n,k] x[n]", "softmax(B*softmax(A*softmax(C*x))) + softmax(E*softmax(D*softmax(C*x)))",
			n*n + 4*k*n*n + 30*k*n,
		},
	} {
		src := "declare " + c.decl + "\n"
		if name == "residual" {
			src += "let h = x + tanh(B*tanh(A*x))\n"
		}
		p := counted(t, src+"expression "+c.expr, "jacobian", "x", frechet.Sizes{"n": n, "k": k})
		require.LessOrEqual(t, number(t, p.Total.Multiplications), c.hand+5*n, name)
		for _, a := range p.Alternatives {
			require.GreaterOrEqual(t, number(t, a.Total.Multiplications), number(t, p.Total.Multiplications), "%s %s", name, a.Name)
		}
	}
}

// Without sizes, orders decide, and no layer is narrow.
func TestSegmentsBySizes(t *testing.T) {
	src := "declare A[k,n] B[n,k] x[n]\nlet z = A*softmax(x)\nexpression softmax(B*softmax(z))"
	p := counted(t, src, "jacobian", "x", nil)
	require.Len(t, p.Maps, 1)
	require.Equal(t, "n", p.Maps[0].Segments[0].Seeds.String())
	p = counted(t, src, "jacobian", "x", frechet.Sizes{"n": 1000, "k": 10})
	require.Len(t, p.Maps, 1)
	m := p.Maps[0]
	require.Equal(t, "planned", m.Direction)
	require.Equal(t, "x", m.Argument)
	first, last := m.Segments[0], m.Segments[len(m.Segments)-1]
	require.Equal(t, "x", first.From.Text)
	require.Equal(t, "z", first.To.Text)
	require.Equal(t, "reverse", first.How)
	require.Equal(t, "10", first.Seeds.String())
	require.Equal(t, "forward", last.How)
	require.Equal(t, "10", last.Seeds.String())
	// a wide middle is no place to cut
	p = counted(t, src, "jacobian", "x", frechet.Sizes{"n": 10, "k": 1000})
	for _, s := range p.Maps[0].Segments {
		require.NotEqual(t, "z", s.From.Text)
	}
}

// Hessians against the best order by hand.
func TestCountHessians(t *testing.T) {
	const m, n = 200, 30
	// A' diag(v) A, v of the second derivatives of g and h
	p := counted(t, "declare A[m,n] x[n] expression sum(tanh(sin(A*x)))", "hessian", "x", frechet.Sizes{"m": m, "n": n})
	require.LessOrEqual(t, number(t, p.Total.Multiplications), int64(2*m*n+m*n*n+10*m))
	// delta[i,i'] sum_j O[i,j]^2 V[j,k] V[j,l], the products of columns once
	const r = 5
	p = counted(t, "declare T[m,n] O[m,n] U[m,k] V[n,k] expression norm2(O .* (T - U*V'))^2", "hessian", "U", frechet.Sizes{"m": m, "n": n, "k": r})
	require.LessOrEqual(t, number(t, p.Results[0].Structure.Cost.Multiplications), int64(m*n+n*r*r+m*n*r*r))
	// W' (D1 + P V' D2 V P) W, the inner matrix added up first
	p = counted(t, "declare W[n,n] V[n,n] x[n] expression sum(tanh(V*tanh(W*x)))", "hessian", "x", frechet.Sizes{"n": n})
	require.LessOrEqual(t, number(t, p.Total.Multiplications), int64(3*n*n*n+8*n*n))
}

// Planned derivatives have the values of those found in reverse.
func TestSegmentsCompute(t *testing.T) {
	for _, src := range []string{
		"declare A[k,n] B[n,k] x[n] expression softmax(B*softmax(A*softmax(x)))",
		"declare A[k,n] B[n,k] x[n]\nlet h = x + tanh(B*tanh(A*x))\nexpression h + tanh(B*tanh(A*h))",
		"declare A[k,n] B[n,k] C[n,n] D[k,n] E[n,k] x[n]\nlet u = softmax(C*x)\nexpression softmax(B*softmax(A*u)) + softmax(E*softmax(D*softmax(u)))",
		"declare A[k,n] B[n,k] C[n,n] x[n]\nlet u = softmax(C*x) + x\nexpression inv(C)*softmax(B*softmax(A*u))",
		"declare A[k,n] B[n,k] X[n,n] expression softmax(B*softmax(A*softmax(X, axis=1), axis=1), axis=1)",
	} {
		f, err := frechet.Parse(src, frechet.WithSizes(frechet.Sizes{"n": 20, "k": 2}))
		require.NoError(t, err)
		env, err := f.RandomEnv(context.Background(), nil, 7)
		require.NoError(t, err)
		x := f.Params()[len(f.Params())-1].Name
		var values []*frechet.Tensor
		for _, mode := range []frechet.Mode{frechet.Planned, frechet.Reverse} {
			r, err := f.Derive(context.Background(), frechet.Query{Wrt: []string{x}, Order: 1, Mode: mode})
			require.NoError(t, err)
			if mode == frechet.Planned {
				require.Equal(t, "planned", query.Choices(r)[0].Taken, src)
			}
			p, err := frechet.Compile(r.Outputs[0].Derivs[0].Term, nil)
			require.NoError(t, err)
			v, err := p.Run(context.Background(), env)
			require.NoError(t, err)
			values = append(values, v)
		}
		near(t, src, values[1].Data, values[0].Data, values[1].Data)
	}
}
