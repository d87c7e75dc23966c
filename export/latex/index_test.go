package latex

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/syntax"
)

func TestDefinitions(t *testing.T) {
	for src, want := range map[string]string{
		"f[i; j] = sum{k}_0^(n-1) (A[i; k] * B[k; j])":                         `f_{i,j} = \sum_{k=0}^{n - 1} A_{i,k} B_{k,j}`,
		"f[i] = -exp(x[2*i + 1])**2 / (1 - y[i])":                              `f_{i} = \frac{-(\exp(x_{2 i+1}))^{2}}{1 - y_{i}}`,
		"f[i] = [i = 2*j; k <= i] * sum{k}_(ceil(i/2))^(min(i, 3)) (x[k]) + 2": `f_{i} = [i = 2 j,\ k \le i] \sum_{k=\lceil i/2 \rceil}^{\min(i,\,3)} x_{k} + 2`,
		"f = if {i = 0} then sqrt(s) else s * (s + 1)":                         `f = \begin{cases} \sqrt{s} & \text{if } i = 0 \\ s (s + 1) & \text{else} \end{cases}`,
		"lam[i] = sum{k}_0^2 (x[k] + 1) * y[i]":                                `\lambda_{i} = \left(\sum_{k=0}^{2} (x_{k} + 1)\right) y_{i}`,
	} {
		got, err := Program(nil, []syntax.Stmt{{Kind: syntax.Expression, Text: src}}, nil, nil)
		require.NoError(t, err, src)
		assert.Equal(t, want, got, src)
	}
}

// A definition may use a let in matrix notation.
func TestDefinitionWithAMatrixLet(t *testing.T) {
	file, err := syntax.Parse("declare A[n,n] expression P = logdet(A)", syntax.Limits{})
	require.NoError(t, err)
	let := file.Stmts[1]
	let.Kind = syntax.Let
	got, err := Program(nil, []syntax.Stmt{let, {Kind: syntax.Expression, Text: "f[i:2] = x[i] * P"}}, map[string]int{"A": 2, "x": 1}, nil)
	require.NoError(t, err)
	require.Equal(t, `\begin{align*}
f_{i} &= x_{i} P \\
\text{where}\quad P &= \log\det(A)
\end{align*}
`, got)
}
