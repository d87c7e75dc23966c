package verify_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators/text"
	"frechet/rewrite/verify"
)

// TestLeftForm: the left sides that native steps rewrite have the form in which terms stand; others say
// why they are never met.
func TestLeftForm(t *testing.T) {
	for _, c := range []struct{ rule, form, reason string }{
		// met as they are written
		{`[x: S] x .* x => power[2](abs(x))`, "", ""},
		{`[x: S, r: Q] sin(x) .^ r => cos(x)`, "", ""},
		{`[x y: S] sin(x .* (y + 1)) => cos(x)`, "", ""},
		{`[x y: S] x .* (y + sin(x)) => cos(x)`, "", ""},
		{`[x y: S] x ./ y ./ x => y`, "", ""},
		{`[x: S] sin(x) .^ 4 => x`, "", ""},
		{`[A: R[m,n]] sinh(A) + cosh(A) => exp(A) when square(A)`, "", ""},
		{`[x y: S] sin(x) .* cos(y) => 1 when same(x, y), order0(x)`, "", ""},
		{`[x: R[...,n], c: R[]] softmax[1](x + c) => softmax[1](x)`, "", ""},
		// squares stand as products
		{`[x: S] cos(x) .^ 2 => x`, "cos(x) .* cos(x)", ""},
		{`[x: S] cos(x) .^ 2 => x when order0(x)`, "cos(x) .* cos(x)", ""},
		{`[x: S] sign(x) .^ 2 => 1`, "sign(x) .* sign(x)", ""},
		{`[x: S] cosh(x) .^ 2 + sinh(x) .^ 2 => 1`, "cosh(x) .* cosh(x) + sinh(x) .* sinh(x)", ""},
		{`[x: S] 1 - tanh(x) .^ 2 => x`, "1 + tanh(x) .* tanh(x) .* -1", ""},
		{`[x: S, r: Q] sin(r .* x) .^ 2 => cos(x)`, "sin(x .* r) .* sin(x .* r)", ""},
		{`[x: S] ein(~->; sin(x) .^ 2) => 1`, "ein(~,~->; sin(x), sin(x))", ""},
		{`[x y: S] (x .* y) ./ sin(x) .^ 2 => y`, "x .* y .* power[-1](sin(x)) .* power[-1](sin(x))", ""},
		// contractions are fused, functions stand inside of transposes, like terms are counted
		{`[A B: R[n,n]] ein(ii->; ein(ij,jk->ik; A, B)) => 1`, "ein(ij,ji->; A, B)", ""},
		{`[A B: R[...,n,n]] ein(...ij->...ji; ein(...ij,...jk->...ik; A, B)) => A`, "ein(...jk,...kl->...lj; A, B)", ""},
		{`[A: R[m,n]] sin(ein(ij->ji; A)) => ein(ij->ji; cos(A))`, "ein(ij->ji; sin(A))", ""},
		{`[x: S] ein(~->; 3 .* x) => 1`, "ein(~,->; x, 3)", ""},
		{`[A: R[n,n]] inv(ein(ij->ji; A)) .* A => A`, "ein(ij,ji->ij; A, inv(A))", ""},
		{`[x: S] log(x) + log(x) => x when positive(x)`, "log(x) .* 2", ""},
		// a rule of the program comes first
		{`[x: S] sin(x) ./ cos(x) .* x => x`, "", "brought to x .* tan(x), by tan; write that on the left"},
		{`[x: S] norm2(x) .^ 2 => 1`, "", "brought to ein(~,~->; x, x), by F-power, norm2-square; write that"},
		{`[x y: S] exp(x) ./ exp(y) => 1`, "", "brought to exp(x) .* exp(y .* -1), by exp-power; write that"},
		// numbers that are worked out
		{`[x: S, r: Q] 3 .* (r .* sin(x)) => cos(x)`, "", "depends on the numbers"},
		{`[x: S, r: Q] power[r](power[2](sin(x))) => cos(x)`, "", "depends on the numbers"},
		// what the program does by itself, or undoes
		{`[x: S] x + x => 2 .* x`, "", ""},
		{`[x: S] log(exp(x)) => x`, "", ""},
		{`[x: S] 0 .* x => 0`, "", ""},
		{`[x: S] cos(x) .^ 2 + sin(x) .^ 2 => 1`, "", ""},
		{`[x: S] sin(x) ./ cos(x) => sin(x) .* power[-1](cos(x))`, "", "the program brings both sides to tan(x), by tan"},
		{`[A B: R[n,n]] ein(ij,ji->; A, B) => ein(ii->; ein(ij,jk->ik; A, B))`, "", ""},
	} {
		f, err := text.ParseRules("rule r " + c.rule)
		require.NoError(t, err, c.rule)
		form, reason := verify.LeftForm(f.Rules[0])
		if c.form == "" {
			require.Nil(t, form, "%s: %v", c.rule, form)
		} else {
			require.NotNil(t, form, "%s: %s", c.rule, reason)
			require.Equal(t, c.form, form.String(), c.rule)
		}
		if c.reason == "" {
			require.Empty(t, reason, c.rule)
		}
		require.Contains(t, reason, c.reason, c.rule)
	}
}

// TestTurnedForms: where a metavariable stands for a transpose, a left side may stand in another form.
func TestTurnedForms(t *testing.T) {
	for _, c := range []struct{ rule, forms string }{
		{`[A: R[n,n]] ein(ij,jk->ik; inv(A), A) => eye[n]`, "A: ein(ij,jk->ki; A, inv(A))"},
		{`[A B: R[n,n]] ein(ij,jk,kl->il; inv(A), B, A) => B`, "A: ein(ij,kj,kl->li; A, B, inv(A)); B: ein(ij,ik,lk->lj; A, B, inv(A)); A B: ein(ij,jk,kl->li; A, B, inv(A))"},
		{`[A: R[m,n]] sin(A) => cos(A)`, "A: ein(ij->ji; sin(A))"},
		{`[A B: R[n,n]] sin(A) .* cos(B) => 1 when same(A, B)`, ""},
		{`[x: S] sin(x) => cos(x)`, ""},
		{`[A: R[...,n,n]] minor[0](A) => 1`, ""},
	} {
		f, err := text.ParseRules("rule r " + c.rule)
		require.NoError(t, err, c.rule)
		var forms []string
		for _, g := range verify.TurnedForms(f.Rules[0]) {
			forms = append(forms, strings.Join(g.Turned, " ")+": "+g.Form.String())
		}
		require.Equal(t, c.forms, strings.Join(forms, "; "), c.rule)
	}
}
