package elab

import (
	"encoding/json"
	"fmt"

	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"frechet/einsum/size"
	"frechet/internal/corpus"
	"frechet/syntax"
)

// FuzzElaborate: no program stops elaboration but by an error with a place, and a
// program that is printed means the same.
func FuzzElaborate(f *testing.F) {
	paths, err := filepath.Glob("../../testdata/einstein/*.jsonl")
	require.NoError(f, err)
	cases, err := corpus.Load(paths...)
	require.NoError(f, err)
	for _, c := range cases {
		var input string
		if json.Unmarshal(c.Request["input"], &input) == nil {
			f.Add(input)
		}
	}
	for _, d := range syntax.Codes {
		f.Add(d.Example)
	}
	for _, src := range []string{
		declarations + "let p = kron(A, C') let q = matpow(S, -3) expression f = sum(p) + tr(q) derivative wrt A, S order 2",
		declarations + "expression einsum(ij,jk->ik; A, C) *(ij->ji) .* -delta[k,m] *(ijkl,ij->kl) 1 >= 2[k,m]^-s",
		declarations + "expression softmax(A, axis=-1) - max(A, s) ./ mean(T, axis=0) *(ij->) + logdet(S) jvp wrt x along y",
		"declare x[n] w[k] let y[i:n-k+1] = sum{r}_0^(k-1) (x[i + r] * w[r]) expression y'*y gradient wrt w",
		"f[i; j] = exp(-sum{k}_0^4 ((a[i; k] + b[j; k])**2 * c[i; i] + d[i + k]**3)) derivative wrt d",
		"declare x[M*N] f[i:N; j:M] = if {i = 2*j} then x[M*i + j] else sum{k}_(max(0, i - 1))^(floor(j/2)) ([k <= i] * k / x[k])",
		"declare A[2*m,n - 1] x[3] expression solve(eye(3) + x*x', A *(ij->j) + 1/m)",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		watch := time.AfterFunc(4*time.Second, func() { panic(fmt.Sprintf("no end: %q", src)) })
		defer watch.Stop()
		file, err := syntax.Parse(src, syntax.Limits{Nesting: 200})
		if err != nil {
			return
		}
		dims := map[string][]int64{}
		for _, s := range file.Stmts {
			for _, d := range s.Declares {
				for range d.Order {
					dims[d.Name] = append(dims[d.Name], 2)
				}
			}
		}
		for _, opt := range []Options{{}, {Dims: dims}, {Dims: map[string][]int64{}}} {
			opt.Nodes = 10_000
			p, err := Elaborate(file, opt)
			if err != nil {
				e, ok := err.(*syntax.Error)
				if !ok || e.Kind == "" || e.Message == "" || e.Span.Start > len(src) || e.Span.End < e.Span.Start {
					t.Fatalf("%q: %#v", src, err)
				}
				e.Render("f", src, false)
				continue
			}
			text := syntax.PrintFile(file)
			again, err := syntax.Parse(text, syntax.Limits{Nesting: 400})
			if err != nil {
				t.Fatalf("%q prints as %q: %v", src, text, err)
			}
			q, err := Elaborate(again, opt)
			if err != nil {
				t.Fatalf("%q prints as %q: %v", src, text, err)
			}
			for i, o := range p.Outputs {
				if a, b := size.Shape(o.Node.Shape()), size.Shape(q.Outputs[i].Node.Shape()); a != b {
					t.Fatalf("%q has shape %s, printed as %q shape %s", src, a, text, b)
				}
			}
		}
	})
}
