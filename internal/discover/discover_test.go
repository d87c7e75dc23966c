package discover

import (
	"context"
	"testing"

	"frechet/combinators/rules"
	"frechet/internal/rulebook"
	"frechet/rewrite/verify"

	"github.com/stretchr/testify/require"
)

// found are the laws over a signature, with the rules that are left out, as a file.
func found(t *testing.T, o Options, without ...string) string {
	known, err := NewKnown(rules.Algebra, rules.Laws, without...)
	require.NoError(t, err, o)
	o.Known = known
	f, err := Laws(context.Background(), o)
	require.NoError(t, err, o)
	require.Empty(t, f.Limit, o)
	return f.String()
}

// TestLaws: laws that were left out, and some that were never stated, are found, in their weakest form; each file of them is
// accepted as a file of rules, and is the same at each run.
func TestLaws(t *testing.T) {
	for _, c := range []struct {
		o       Options
		without []string
		want    []string
	}{
		{Options{Over: "max min -", Vars: "x y: S", Size: 5}, nil, []string{"r .* min(x, y) => max(r .* x, r .* y)  when r < 0"}},
		{Options{Over: "sign abs", Size: 3}, []string{"sign-sign"}, []string{"sign(sign(x)) => sign(x)\n"}},
		{Options{Over: "abs", Size: 2}, []string{"abs-nonneg"}, []string{"abs(x) => x  when nonneg(x)"}},
		{Options{Over: "tan arctan", Size: 3}, []string{"tan-arctan"}, []string{"tan(arctan(x)) => x\n"}},
		{Options{Over: "inv *", Vars: "x y: R[n,n]", Size: 5}, []string{"inv-of-product"}, []string{
			"inv(inv(x)) => x  when invertible(x)", "inv(ein(ij,jk->ik; x, y)) => ein(ij,jk->ik; inv(y), inv(x))\n"}},
		{Options{Over: "sign abs power[3]", Vars: "x: S", Size: 4}, []string{"sign-of-power", "sign-odd-power"}, []string{"sign(power[r](x)) => sign(x)  when odd(r), r > 0"}},
	} {
		file := found(t, c.o, c.without...)
		for _, law := range c.want {
			require.Contains(t, file, law)
		}
		require.Equal(t, file, found(t, c.o, c.without...))
		_, err := rulebook.Check(context.Background(), verify.File{Name: "found.rules", Text: file}, false)
		require.NoError(t, err, file)
	}
}

// TestNothing: what the program proves is not found.
func TestNothing(t *testing.T) {
	for _, o := range []Options{{Over: "exp log + .*", Vars: "x y: S"}, {Over: "logsumexp[1] sum exp", Vars: "x: R[m,n]"}, {Over: "' .* ij,ij-> ii->", Vars: "x y: R[n,n]"}} {
		require.NotContains(t, found(t, o), "rule", o)
	}
}

// TestRank: a law that shortens a program of the corpus comes first.
func TestRank(t *testing.T) {
	known, err := NewKnown(rules.Algebra, rules.Laws, "tan-arctan", "round-round")
	require.NoError(t, err)
	f, err := Laws(context.Background(), Options{Known: known, Over: "tan arctan round", Vars: "x: S", Size: 3, Corpus: []string{"declare x[n] expression sum(round(round(x)))"}})
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(f.Laws), 2)
	require.Contains(t, f.Laws[0].Rule.String(), "round(round(x)) => round(x)")
	require.Equal(t, []int{1, 0}, []int{f.Laws[0].Shortens, f.Laws[1].Shortens})
}

// TestLimits: what was found before a limit is there, and the limit is named.
func TestLimits(t *testing.T) {
	known, err := NewKnown(rules.Algebra, rules.Laws, "tan-arctan")
	require.NoError(t, err)
	o := Options{Known: known, Over: "tan arctan sin cos", Vars: "x: S", Size: 6, Terms: 40}
	f, err := Laws(context.Background(), o)
	require.NoError(t, err)
	require.Contains(t, f.String(), "tan(arctan(x)) => x")
	require.Contains(t, f.String(), "# incomplete: 40 terms were looked at")
	ctx, stop := context.WithCancel(context.Background())
	o.Progress = func(terms, _ int) {
		if terms == 30 {
			stop()
		}
	}
	f, err = Laws(ctx, o)
	require.NoError(t, err)
	require.Contains(t, f.String(), "tan(arctan(x)) => x")
	require.Contains(t, f.Limit, "it was stopped after 3")
}

// TestOptions: what cannot be read is an error that says why.
func TestOptions(t *testing.T) {
	for _, c := range []struct{ over, vars, want string }{
		{"exq", "", "exq in the signature is no function; is eq meant?"}, {"", "", "names nothing"}, {"exp", "x: Z", "x is no value"}, {"exp", "a: S", "is called a"},
		{"exp", "x:", "does not declare metavariables"}, {"exp ?", "", "? in the signature"}, {"ij,jk,kl->il", "", "ij,jk,kl->il in the signature"},
	} {
		_, err := Laws(context.Background(), Options{Over: c.over, Vars: c.vars})
		require.ErrorContains(t, err, c.want)
	}
	_, err := Laws(context.Background(), Options{Over: "exp", Size: 100})
	require.ErrorContains(t, err, "at most 12")
}
