package latex

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/syntax"
	"frechet/syntax/index"
)

func TestDefinitions(t *testing.T) {
	for src, want := range map[string]string{
		"f[i; j] = sum{k}_0^(n-1) (A[i; k] * B[k; j])":                         `f_{i,j} = \sum_{k=0}^{n - 1} A_{i,k} B_{k,j}`,
		"f[i] = -exp(x[2*i + 1])**2 / (1 - y[i])":                              `f_{i} = \frac{-(\exp(x_{2 i+1}))^{2}}{1 - y_{i}}`,
		"f[i] = [i = 2*j; k <= i] * sum{k}_(ceil(i/2))^(min(i, 3)) (x[k]) + 2": `f_{i} = [i = 2 j,\ k \le i] \sum_{k=\lceil i/2 \rceil}^{\min(i,\,3)} x_{k} + 2`,
		"f = if {i = 0} then sqrt(s) else s * (s + 1)":                         `f = \begin{cases} \sqrt{s} & \text{if } i = 0 \\ s (s + 1) & \text{else} \end{cases}`,
		"lam[i] = sum{k}_0^2 (x[k] + 1) * y[i]":                                `\lambda_{i} = \left(\sum_{k=0}^{2} (x_{k} + 1)\right) y_{i}`,
	} {
		d, err := index.ParseText(src, syntax.Limits{})
		require.NoError(t, err, src)
		assert.Equal(t, want, Definitions([]*index.Definition{d}, nil), src)
	}
}
