package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"frechet/internal/requests"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"frechet"
)

// FuzzProgram runs a text as far as it goes: typed, differentiated, printed in every
// notation, evaluated at random points. Whatever the text, the outcome is a result or an
// error of the user's, never a bug.
func FuzzProgram(f *testing.F) {
	for _, src := range []string{
		"declare X[m,n] y[m] w[n] expression sum(log(1 + exp(-(y .* (X*w))))) + 0.5*norm2(w)^2 hessian wrt w",
		"declare A 2 b 1 expression inv(A) *(ij,j->i) b derivative wrt A",
		"declare x 1 let p = softmax(x) expression f = max(p) expression g = p *(i,j->ij) p derivative wrt x",
		"declare A[n,n] t[] expression det(A + t*eye(n)) - logdet(A'*A) + tr(matpow(A, 3)) gradient wrt A, t",
		"declare T 3 expression sum(T, axis=1) *(ij->ji) derivative wrt T order 2",
		"declare x 0 expression x^x + 2^x - abs(x)/relu(x) + (x > 1) * min(x, 3) derivative wrt x",
		"declare X[2,3] expression einsum(ij,ik,il->jkl; X, X, X) derivative wrt X",
		"declare x[n] expression diag(x) *(ii->i) + ones(n) .^ x + mean(x) * delta[n] *(ij->i) derivative wrt x",
		"declare A[m,n] x[n] map L : R[n] -o R[m] = (A *(ij,j->i) _) map N : R[n] -o R[n] = let g = adjoint(L) in g . L expression sum(sin(N(x))) derivative wrt x",
	} {
		f.Add(src)
	}
	lim := frechet.Limits{Input: 1 << 10, Nesting: 100, Order: 8, Nodes: 20_000, Digits: 50, Elements: 1 << 12, Memory: 1 << 22, Time: 5 * time.Second}
	f.Fuzz(func(t *testing.T, src string) {
		err := frechet.Bounded(context.Background(), lim, func(ctx context.Context) error { return runProgram(ctx, src, lim) })
		require.NotEqual(t, "internal", frechet.ErrorKind(err), "%v", err)
	})
}

func runProgram(ctx context.Context, src string, lim frechet.Limits) error {
	f, err := frechet.Parse(src, frechet.WithLimits(lim))
	if err != nil || len(f.Params()) == 0 || len(f.Outputs()) > 4 {
		return err
	}
	q := frechet.Query{Order: frechet.AnyOrder}
	if f.Wrt() == nil {
		q = frechet.Query{Wrt: []string{f.Params()[0].Name}, Order: 2}
	}
	r, err := f.Derive(ctx, q)
	if err != nil {
		return err
	}
	for _, out := range r.Outputs {
		for _, d := range append(out.Derivs, frechet.Deriv{Term: out.Value}) {
			for _, format := range frechet.Formats() {
				if _, err := d.Term.Text(format); frechet.ErrorKind(err) == "internal" {
					return err
				}
			}
		}
	}
	env, err := f.RandomEnv(ctx, nil, 1)
	if err != nil {
		return err
	}
	request := map[string]any{"input": src, "dims": frechet.DimsOf(env), "order": r.Order}
	if r.Order > 0 {
		request["wrt"] = r.Wrt
	}
	values := map[string][]float64{}
	for name, t := range env {
		values[name] = t.Data
	}
	request["values"] = values
	line, err := json.Marshal(request)
	if err != nil {
		return err
	}
	return batchError(ctx, line, lim)
}

// FuzzCombinators does the same with programs in combinator notation, and derives them.
func FuzzCombinators(f *testing.F) {
	for _, src := range []string{
		"declare W[m,n] b[m] layer(v) : R[n] -> R[m] = tanh^[m] . (id + K(b)) . (W *(ij,j->i) _) derivative wrt v",
		"f(x1, x2) : R x R -> R = plus . (plus x ((-1 .* _) . sin)) . <<ln . pi1, (_ .* _)>, pi2>",
		"r : R[2] -o R[3] = red{(0,0),(0,1),(1,2)} s : R[n] -o R[m] = red{(i,j) | i <= 2*j, j < i}",
		"f : R[n] -> R = let g = sin . exp in *(i,i->) . <g, g> . scan",
		"declare A[n,n] x[n] expression inv . pi1 expression y = [id, 0] . (pi1 x pi2) . <<pi1, pi1>, <pi1, pi1>>",
		"f : R[n] -> R = let x = sin . x in *(i,i->) . <g, g> . scan",
		"declare x[n] a : R[n] = 0 .* sin(x) b : R[0] -> R = D()()",
		"declare x[n] c : R[n] = 2 .* sin(x) f : R[n] -> R[n] = D(sin . (c .* _))(x) + adjoint((c .* _))",
		"declare x[n] p : R[n] x R[n] = (x, sin(x)) g : (R[n] x R[n]) (x) R -> R^[n] = pi1 .* (iota1 : R[n] -o R[n] x R[n]) . pi2 y : R[n] = D(sin)(x)(x) jvp wrt x along x",
	} {
		f.Add(src)
	}
	lim := frechet.Limits{Input: 1 << 10, Nesting: 100, Order: 8, Nodes: 20_000, Digits: 50, Elements: 1 << 12, Memory: 1 << 22, Time: 5 * time.Second}
	f.Fuzz(func(t *testing.T, src string) {
		err := frechet.Bounded(context.Background(), lim, func(ctx context.Context) error {
			p, err := frechet.Parse(src, frechet.WithLimits(lim), frechet.WithLanguage("combinators"))
			if err != nil {
				return err
			}
			printed, err := p.Value().Text("combinators")
			if err == nil {
				if _, err := frechet.Parse(printed, frechet.WithLanguage("combinators")); err != nil {
					t.Errorf("%s does not read back: %v", printed, err)
				}
			}
			if m, err := p.DerivativeMap(); err == nil {
				if back, err := m.Adjoint(); err == nil {
					_ = back.String()
				}
			}
			d, err := p.Steps()
			if err == nil {
				for s := range d.Steps() {
					s.Text("text")
					s.Text("latex")
				}
			}
			return err
		})
		require.NotEqual(t, "internal", frechet.ErrorKind(err), "%v", err)
	})
}

// batchError sends one request and returns the error of its answer.
func batchError(ctx context.Context, line []byte, lim frechet.Limits) error {
	var out bytes.Buffer
	lim.Input = 0 // values may be longer than programs
	if err := frechet.Batch(ctx, bytes.NewReader(append(line, '\n')), &out, frechet.WithLimits(lim)); err != nil {
		return err
	}
	var a map[string]any
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		return err
	}
	if kind, ok := requests.At(a, "error.kind").(string); ok {
		return &frechet.Error{Code: "X001", Kind: frechet.Kind(kind), Message: fmt.Sprint(requests.At(a, "error.message"))}
	}
	return nil
}
