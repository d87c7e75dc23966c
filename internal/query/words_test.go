package query_test

import (
	"context"
	"frechet"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/syntax"
)

// words are all that mean something in one of the languages.
var words = append(strings.Fields(`let in if then else rule native when domain map primitive adjoint claim source
	id D K O R x o scan rep dup plus red swap iota iota1 pi pi1 pi2 prod delta zip linear lift unlift transpose
	gradient hessian jvp vjp hvp diag hessian gauss newton order along through axis matrix text e floor ceil size ein einsum
	f df dx u s t P cotangent declare expression derivative wrt`), syntax.Functions()...)

// Every word that can name a tensor is one in all languages: what is printed of it is read.
func TestWordsAreNames(t *testing.T) {
	for _, w := range words {
		if syntax.Reserved(w) {
			for _, src := range []string{"declare x[n] " + w + "[n] expression 1", "let " + w + " = 2 expression 1", "declare x[3] f[i:3] = " + w + "[i]", "f(x, " + w + ") : R[n] x R[n] -> R[n] = pi1"} {
				_, err := frechet.Parse(src)
				if w == "declare" || w == "expression" || w == "derivative" { // these begin statements
					continue
				}
				require.Error(t, err, src)
				assert.Contains(t, []string{"reserved-name", "syntax", "missing-shape"}, frechet.ErrorKind(err), src)
				assert.ErrorContains(t, err, w, src)
			}
			continue
		}
		scalar := "declare " + w + "[] y[3] k[]\nhh[i:3] = y[i] * " + w + " let zz[i:3] = hh[i] - " + w + "\ngg[i:3] = zz[i]^" + w + " expression k * " + w
		if f, err := frechet.Parse(scalar); assert.NoError(t, err, scalar) {
			require.Len(t, f.Outputs(), 3)
		}
		declare := "declare " + w + "[n] y[n] k[]\n"
		for _, body := range []string{"expression k*exp(" + w + ") .* y + " + w, "expression y .^ " + w + "\ngradient wrt y", "hh[i:3] = " + w + "[i]*y[i] + " + w + "[i]", "let zz = y + " + w + " let qq = zz + " + w + " expression qq .* zz"} {
			src := declare + body
			if strings.HasPrefix(body, "hh[") {
				src = strings.ReplaceAll(declare, "[n]", "[3]") + body
			}
			f, err := frechet.Parse(src)
			if !assert.NoError(t, err, src) {
				continue
			}
			env, err := f.RandomEnv(context.Background(), frechet.Sizes{"n": 3}, 1)
			require.NoError(t, err)
			r, err := f.Derive(context.Background(), frechet.Query{Wrt: []string{w}, Order: 1})
			require.NoError(t, err)
			for _, term := range []*frechet.Term{r.Outputs[0].Value, r.Outputs[0].Derivs[0].Term} {
				for _, format := range []string{"text", "einstein", "index", "combinators"} {
					text, err := term.Text(format)
					require.NoError(t, err, src)
					g, err := readAgain(strings.SplitAfter(src, "\n")[0], text, format)
					if !assert.NoError(t, err, "%s: %s of\n%s: %s", w, format, src, text) {
						continue
					}
					at := frechet.Env{}
					for _, p := range g.Params() {
						at[p.Name] = env[p.Name]
					}
					require.Equal(t, valueOf(t, term, env).Data, valueOf(t, g.Value(), at).Data, text)
				}
			}
		}
	}
}

// readAgain reads a text beside the declarations that it is over: a program, or one expression.
func readAgain(declare, text, format string) (*frechet.Func, error) {
	if format == "combinators" {
		return frechet.Parse(text, frechet.WithLanguage("combinators"))
	}
	f, err := frechet.Parse(declare + text)
	if err == nil {
		return f, nil
	}
	if g, alone := frechet.Parse(declare + "expression " + text); alone == nil {
		return g, nil
	}
	return nil, err
}
