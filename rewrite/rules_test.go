package rewrite

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
)

// world has variables of the sizes m and n, and 3.
type world struct {
	*combinators.Store
	env *denote.Env
}

func newWorld() *world {
	s := combinators.NewStore()
	m, n := size.Sym("m"), size.Sym("n")
	w := &world{s, &denote.Env{Sizes: []denote.SizeBinding{{Name: "m", Size: m}, {Name: "n", Size: n}}}}
	for _, v := range []struct {
		name  string
		shape []size.Size
	}{
		{"x", []size.Size{n}}, {"y", []size.Size{n}}, {"z", []size.Size{n}}, {"u", []size.Size{m}},
		{"A", []size.Size{m, n}}, {"B", []size.Size{n, m}}, {"C", []size.Size{n, n}}, {"D", []size.Size{n, n}}, {"E", []size.Size{n, n}},
		{"s", nil}, {"t", nil}, {"T", []size.Size{m, n, n}},
	} {
		w.env.Values = append(w.env.Values, denote.Binding{Name: v.name, Value: s.Var(v.name, v.shape)})
	}
	return w
}

func (w *world) term(t *testing.T, src string) *combinators.Node {
	tt, err := text.Parse(src)
	require.NoError(t, err, src)
	n, err := denote.ReadNode(w.Store, tt, w.env)
	require.NoError(t, err, src)
	return n
}

func TestApply(t *testing.T) {
	for _, c := range []struct{ rule, src, want string }{ // want "" where the rule does not match
		{"[x: S] exp(log(x)) => x", "exp(log(A))", "A"},
		{"[x: S] exp(log(x)) => x", "exp(sin(A))", ""},
		{"[x y: S] exp(x) .* exp(y) => exp(x + y)", "exp(A) .* exp(sin(A))", "exp(A + sin(A))"},
		{"[x y: S] exp(x) .* exp(y) => exp(x + y)", "ein(ij,ij,ij->ij; exp(A), A, exp(sin(A)))", "exp(A + sin(A)) .* A"},
		{"[x y: S] exp(x) .* exp(y) => exp(x + y)", "ein(i,i,i->; exp(x), y, exp(z))", "ein(i,i->; exp(x + z), y)"},
		{"[x y: S] exp(x) .* exp(y) => exp(x + y)", "ein(i,j->ij; exp(x), exp(z))", ""},
		// what symbols leave open holds neither way
		{"[x: R[n]] sin(x) => x when unit(n)", "sin(x)", ""},
		{"[x: R[n]] sin(x) => x when not unit(n)", "sin(x)", ""},
		{"[A: R[m,n]] sin(A) => A when square(A)", "sin(A)", ""},
		{"[A: R[m,n]] sin(A) => A when not square(A)", "sin(A)", ""},
		{"[A: R[m,n]] sin(A) => A when square(A)", "sin(C)", "C"},
		{"[A: R[m,n]] sin(A) => A when not square(A)", "sin(C)", ""},
		{"[A: R[m,n]] sin(A) => A when not square(A)", "sin(ein(i,j->ij; ones[2], ones[3]))", "ein(i,j->ij; ones[2], ones[3])"},
		{"[A: R[m,n]] sin(A) => A when not unit(m)", "sin(ein(i,j->ij; ones[2], x))", "ein(i,j->ij; ones[2], x)"},
		// a broadcast scalar and a tensor have two spaces
		{"[x y: S] exp(x) .* exp(y) => exp(x + y)", "exp(s) .* exp(x)", ""},
		{"[x: S, a b: Q] power[a](power[b](x)) => power[a*b](x) when integer(a)", "power[2](power[1/3](x))", "power[2/3](x)"},
		{"[x: S, a b: Q] power[a](power[b](x)) => power[a*b](x) when integer(a)", "power[1/2](power[2](x))", ""},
		{"[x: S, a b: Q] power[a](x) .* power[b](x) => power[a+b](x)", "ein(i,i,i->i; power[2](x), y, power[3](x))", "power[5](x) .* y"},
		{"[x: S] power[2](x) => x .* x", "power[3](x)", ""},
		{"[x: S] x .* x => power[2](x)", "ein(i,i,ij->j; x, x, C)", "ein(i,ij->j; power[2](x), C)"},
		{"[x y z: S] x .* y + x .* z => x .* (y + z)", "x .* y + z .* x", "x .* (y + z)"},
		{"[x y z: S] x .* y + x .* z => x .* (y + z)", "x .* y + z .* z", ""},
		// below the root the last metavariable stands for the rest of a product
		{"[x y: S] log(exp(x) .* y) => x + log(y)", "log(ein(i,i,i->i; y, exp(x), z))", "x + log(y .* z)"},
		{"[x y: S] log(exp(x) .* y) => x + log(y)", "log(ein(i,ij->i; exp(x), C))", "x + log(ein(ij->i; C))"},
		{"[x y: S] log(exp(x) .* y) => x + log(y)", "log(ein(i,ij->j; exp(x), C))", ""},
		{"[c: Q, x: S] log(c .* x) => log(c) + log(x) when positive(c)", "log(3 .* ein(ij,j->i; C, x))", "log(3) + log(ein(ij,j->i; C, x))"},
		{"[c: Q, x: S] log(c .* x) => log(c) + log(x) when positive(c)", "log(-(x .* y))", ""},
		{"[c: Q, x: R[...,n,n]] inv(c .* x) => 1/1 ./ c .* inv(x)", "inv(2 .* C)", "1/2 .* inv(C)"},
		{"[a: R[n,n], b: R[n,...], c: Q] solve(c .* a, b) => 1 ./ c .* solve(a, b)", "solve(2 .* C, D)", "1/2 .* solve(C, D)"},
		{"[a: R[n,n], b: R[n,...], c: Q] solve(c .* a, b) => 1 ./ c .* solve(a, b)", "solve(2 .* C, x)", "1/2 .* solve(C, x)"},
		{"[a: R[n,...]] sin(a) => a", "sin(s)", ""},
		{"[x y: S] x - y => x when same(x, y)", "x - y", ""},
		{"[x: S, y: S] -sin(x) .* y => x", "ein(,i,i->i; -1, sin(x), y)", "x"},
		{"[x: S, y: S] x ./ y => x", "A ./ sin(A)", "A"},
		// contractions: letters up to renaming, other operands may remain at the root
		{"[a: R[n,n]] ein(ij,jk->ik; a, inv(a)) => eye[n]", "ein(ij,jk->ik; C, inv(C))", "eye[n]"},
		{"[a: R[n,n]] ein(ij,jk->ik; a, inv(a)) => eye[n]", "ein(ij,jk,kl->il; C, inv(C), D)", "ein(ij,jk->ik; eye[n], D)"},
		{"[a: R[n,n]] ein(ij,jk->ik; a, inv(a)) => eye[n]", "ein(jk,ij->ik; C, inv(C))", ""},
		{"[a: R[n,n]] ein(ij,jk->ik; a, inv(a)) => eye[n]", "ein(ij,jk,j->ik; C, inv(C), x)", ""},
		{"[a: R[n,n]] ein(ij,jk->ik; a, inv(a)) => eye[n]", "ein(ij,jk->ijk; C, inv(C))", ""},
		{"[a: R[n,n]] ein(ij,ji->; a, inv(a)) => n", "ein(ij,ji->; C, inv(C))", "n"},
		{"[a: R[n,n]] ein(ij->ji; inv(a)) => inv(ein(ij->ji; a))", "ein(ij->ji; inv(C))", "inv(ein(ij->ji; C))"},
		{"[a: R[n,n]] inv(ein(ij->ji; a)) => ein(ij->ji; inv(a))", "inv(ein(ij->ji; C))", "ein(ij->ji; inv(C))"},
		{"[a: R[n,n]] inv(ein(ij->ji; a)) => ein(ij->ji; inv(a))", "inv(ein(ij,jk->ki; C, D))", ""},
		{"[a b: R[n,n]] minor[0](ein(ij,jk->ik; a, b)) => minor[0](a) .* minor[0](b)", "minor[0](ein(ij,jk->ik; C, D))", "minor[0](C) .* minor[0](D)"},
		{"[a b: R[n,n]] minor[0](ein(ij,jk->ik; a, b)) => minor[0](a) .* minor[0](b)", "minor[0](ein(ij,kj->ik; C, D))", "minor[0](C) .* minor[0](ein(ij->ji; D))"},
		{"[a b: R[n,n]] minor[0](ein(ij,jk->ik; a, b)) => minor[0](a) .* minor[0](b)", "minor[0](ein(ji,jk->ik; C, C))", "minor[0](ein(ij->ji; C)) .* minor[0](C)"},
		{"[a: R[n,n], x: R[n]] exp(ein(ij,j->i; a, x)) => ein(ij,j->i; a, x)", "exp(ein(ij,i->j; C, y))", "ein(ij,j->i; ein(ij->ji; C), y)"},
		// a sum meets some addends of a longer sum; below the root a metavariable stands for the rest
		{"[x: S] sin(x) + cos(x) => exp(x)", "sin(x) + y + cos(x)", "exp(x) + y"},
		{"[x: S] sin(x) + cos(x) => exp(x)", "(sin(x) + y) + (z + cos(x))", "y + z + exp(x)"},
		{"[x: S] sin(x) + cos(x) => exp(x)", "(sin(x) + y) + (z + cos(y))", ""},
		{"[x: S] sin(x) + cos(x) => exp(x)", "sin(x) + y + sin(z)", ""},
		{"[x: S] sin(x) - cos(x) => exp(x)", "sin(x) + (y - cos(x))", "exp(x) + y"},
		{"[x: S] x + sin(x) => exp(x)", "x + y + sin(x + y)", "exp(x + y)"},
		{"[x: S] x + sin(x) => exp(x)", "z + x + y + sin(x + y)", "exp(x + y) + z"},
		{"[x: S] 1 + sin(x) + cos(x) => exp(x)", "cos(x) + (x + 1[n]) + sin(x)", "exp(x) + x"},
		{"[x y: S] log(sin(x) + y) => y", "log(y + z + sin(x))", "y + z"},
		{"[x y: S] log(sin(x) + cos(y)) => y", "log(cos(y) + z + sin(x))", ""},
		{"[a: R[n,n]] inv(eye[n] + a) => a", "inv(C + eye[n])", "C"},
		{"[a: R[n,n]] inv(eye[n] + a) => a", "inv(C + ein(i,j->ij; x, x))", ""},
		{"[a: R[n,n]] inv(eye[n] + a) => a", "inv(eye[n] + D + C)", "C + D"},
		{"[a: R[m,n], b: R[n,m]] minor[0](eye[m] + ein(ij,jk->ik; a, b)) => minor[0](eye[n] + ein(ij,jk->ik; b, a))", "minor[0](eye[m] + ein(ij,jk->ik; A, B))", "minor[0](eye[n] + ein(ij,jk->ik; B, A))"},
		{"[x: S, c: R[]] x + cos(x) + c => sin(x + c)", "x + (cos(x) + y) + s", "y + sin(x + s)"},
		// a metavariable stands for a part of a longer product
		{"[a b: R[n,n]] minor[0](ein(ij,jk->ik; a, b)) => minor[0](a) .* minor[0](b)", "minor[0](ein(ij,jk,kl->il; C, D, E))", "minor[0](C) .* minor[0](ein(ij,jk->ik; D, E))"},
		{"[a b: R[n,n]] minor[0](ein(ij,jk->ik; a, b)) => minor[0](a) .* minor[0](b)", "minor[0](ein(ij,jk,kl->il; B, A, D))", "minor[0](ein(ij,jk->ik; B, A)) .* minor[0](D)"},
		{"[a b: R[n,n]] minor[0](ein(ij,jk->ik; a, b)) => minor[0](a) .* minor[0](b)", "minor[0](ein(ij,jk->ik; B, A))", ""},
		{"[a b: R[n,n]] minor[0](ein(ij,jk->ik; a, b)) => minor[0](a) .* minor[0](b)", "minor[0](ein(ij,jk,j->ik; C, D, x))", "minor[0](C) .* minor[0](ein(jk,j->jk; D, x))"},
		{"[a b: R[n,n]] minor[0](ein(ij,jk->ik; a, b)) => minor[0](a) .* minor[0](b)", "minor[0](ein(ij,jk,ik->ik; C, D, E))", ""},
		{"[a b: R[n,n]] minor[0](ein(ij,jk,kl->il; inv(a), b, a)) => minor[0](b)", "minor[0](ein(ij,jk,kl,lm,mn->in; inv(ein(ij,jk->ik; D, E)), C, C, D, E))", "minor[0](ein(ij,jk->ik; C, C))"},
		{"[a b: R[n,n]] minor[0](ein(ij,jk,kl->il; inv(a), b, a)) => minor[0](b)", "minor[0](ein(ij,jk,kl,lm->im; inv(ein(ij,jk->ik; D, E)), C, E, D))", ""},
		{"[a: R[n,n]] ein(ij,jk->ik; inv(a), a) => eye[n]", "ein(ij,jk,kl,l->i; inv(ein(ij,jk->ik; C, D)), C, D, x)", "ein(ij,j->i; eye[n], x)"},
		{"[a: R[n,n]] ein(ij,jk->ik; inv(a), a) => eye[n]", "ein(ij,jk,kl,l->i; inv(ein(ij,jk->ik; C, D)), D, C, x)", ""},
		{"[a: R[n,n]] ein(ij,jk->ik; inv(a), a) => eye[n]", "ein(ij,jk,kl,l,k->i; inv(ein(ij,jk->ik; C, D)), C, D, x, y)", ""},
		{"[a: R[n,n]] ein(ij,jk->ik; inv(a), a) => eye[n]", "ein(ij,kj->ik; inv(ein(ij->ji; C)), C)", "eye[n]"},
		{"[a: R[n,n]] ein(ij,jk->ik; inv(a), a) => eye[n]", "ein(ij,jk,kl->il; inv(ein(ij,jk->ik; C, C)), C, C)", "eye[n]"},
		{"[a: R[n,n]] log(ein(ii->; a)) => minor[0](a)", "log(ein(ij,ji->; C, C))", "minor[0](ein(ij,jk->ik; C, C))"},
		{"[a: R[n,n]] log(ein(ii->; a)) => minor[0](a)", "log(ein(ij,ji,ij->; C, D, E))", ""},
		{"[a: R[n,n]] log(ein(ii->i; a)) => ein(ij->i; a)", "log(ein(ij,ji->i; C, D))", "ein(ij->i; ein(ij,jk->ik; C, D))"},
		{"[a: R[...,n,n], b: R[...,n,n]] minor[0](ein(...ij,...jk->...ik; a, b)) => minor[0](a) .* minor[0](b)", "minor[0](ein(ij,jk,kl->il; C, D, E))", "minor[0](C) .* minor[0](ein(ij,jk->ik; D, E))"},
		{"[x: S] x .* sin(x) => cos(x)", "ein(ij,jk,ik->ik; C, D, sin(ein(ij,jk->ik; C, D)))", "cos(ein(ij,jk->ik; C, D))"},
		{"[x: S] x .* sin(x) => cos(x)", "ein(ij,jk,ik,kl->l; C, D, sin(ein(ij,jk->ik; C, D)), E)", "ein(ik,kl->l; cos(ein(ij,jk->ik; C, D)), E)"},
		{"[x: S] x .* sin(x) => cos(x)", "ein(ij,jk,ik->jk; C, D, sin(ein(ij,jk->ik; C, D)))", ""},
		{"[x: S] log(x .* sin(x)) => cos(x)", "log(ein(ij,jk,ik->ik; C, D, sin(ein(ij,jk->ik; C, D))))", "cos(ein(ij,jk->ik; C, D))"},
		{"[x y: S] ein(~,~->; exp(x), y) => 1", "ein(ij,ij->; exp(A), A)", "1"},
		{"[x y: S] ein(~,~->; exp(x), y) => 1", "ein(ij,ji->; exp(A), B)", ""},
		{"[x: R[...,n]] ein(...i->...; softmax[1](x)) => ones(ein(...i->...; x))", "ein(ij->i; softmax[1](A))", "ones[m]"},
		{"[x: S] sin(x) => 0", "sin(A)", "zeros[m,n]"},
		{"[x: S] abs(x) => x when nonneg(x)", "abs(exp(x) + power[2](y))", "exp(x) + power[2](y)"},
		{"[x: S] abs(x) => x when nonneg(x)", "abs(ein(i,i->; x, x))", "ein(i,i->; x, x)"},
		{"[x: S] abs(x) => x when nonneg(x)", "abs(x)", ""},
		{"[x: R[n]] sin(x) => cos(x)", "sin(A)", ""},
		{"[x y: S] sin(max(x, cos(y))) => x", "sin(max(cos(x), cos(y)))", "cos(x)"},
		{"[x y: S] max(x, sin(y)) => y", "max(sin(y), x)", "y"},
	} {
		w := newWorld()
		r, err := LoadRules("rule r " + c.rule)
		require.NoError(t, err, c.rule)
		n := w.term(t, c.src)
		got, name, ok := r.Apply(n, nil)
		require.Equal(t, c.want != "", ok, "%s at %s", c.rule, c.src)
		if !ok {
			continue
		}
		require.Equal(t, "r", name)
		require.True(t, slices.Equal(n.Shape(), got.Shape()))
		require.Same(t, w.term(t, c.want), got, "%s at %s", c.rule, c.src)
	}
}

func TestLoadRulesErrors(t *testing.T) {
	for _, c := range []struct{ rule, want string }{
		{"[x: S] sin(y) => x", "1:19: rule r: y is not declared | declared in the brackets behind the rule's name: [y: S]"},
		{"[x S] sin(x) => x", "1:18: rule r: x has no type, so it is a size, not a value | [x: S] for a value of any shape"},
		{"[A: R[m,n]] sin(A') => A", "1:24: rule r: A' is not declared | ein(ij->ji; A)"},
		{"[x y: S] sin(x) => y", "1:11: rule r: y does not occur on the left side | take it out of the list"},
		{"[x: S] sin(x) => z", "1:25: rule r: z on the right side is not declared | [z: S]"},
		{"[x: S] sin(x) => foo(x)", "1:25: rule r: there is no function foo | rules list"},
		{"[x: S] x => x", "1:15: rule r: the left side is any value x | such as symmetric(x)"},
		{"[x: S] x + ones(x) => x", "1:19: rule r: ones stands on right sides only | as in 1 + exp(x)"},
		{"[x: S] foo(x) => x", "1:15: rule r: there is no function foo | rules list"},
		{"[A: R[n,n]] tr(A) => 1", "1:20: rule r: there is no function tr | ein(ii->; A)"},
		{"[x: S] sin(x, x) => x", "1:15: rule r: sin has 1 operand, but 2 are given | "},
		{"[x: S] power(x) => x", "1:15: rule r: power lacks its exponent | power[2](x)"},
		{"[x: S] sin(x) => x when maybe(x)", "1:32: rule r: there is no condition maybe | const, order0, square"},
		{"[x: S] sin(x) => x when even(x)", "1:37: rule r: even(x): the condition is on numbers, and x is a value | a whole number, and even"},
		{"[x: S, r: Q] sin(r .* x) => x when order0(r)", "1:50: rule r: order0(r): the condition is on metavariables for values | a scalar"},
		{"[x: S] sin(x) => x when same(x)", "1:32: rule r: same(x): the condition has 2 arguments | same(x, y)"},
		{"[x: S] sin(x) => x when unit(x)", "1:37: rule r: x is no size of the rule | the size is the number 1"},
		{"[A: R[n,n]] inv(eye[k] + A) => A", "1:24: rule r: eye[k]: k is no size of the rule | those of the types"},
		{"[A: R[n,n]] inv(ones[n,n] + A) => A", "1:24: rule r: ones[n,n] cannot stand on a left side | are made by right sides"},
		{"[x: S] sin(x) => x when c < 0", "1:32: rule r: c in the conditions is not declared | [c: Q]"},
		{"[x x: S] sin(x) => x", "1:11: rule r: x is declared twice | "},
		{"[x: T[n]] sin(x) => x", "1:9: rule r: x: a space is R[...] or a name, not T[n] | A: R[m,n] a matrix"},
		{"[f: S -> S] f(x) => f(x)", "1:9: rule r: f is no value: its type is S -> S | rules on values"},
		{"[x: S] ein(i->ij; x) => x", "1:15: rule r: ein(i->ij; x): the result has axes that no operand has | x + c"},
	} {
		_, err := LoadRules("rule r " + c.rule)
		want, help, ok := strings.Cut(c.want, " | ")
		require.True(t, ok)
		require.EqualError(t, err, want)
		var e *text.Error
		require.ErrorAs(t, err, &e)
		require.Contains(t, e.Help, help, c.rule)
	}
}

// What hints say can be written.
func TestHints(t *testing.T) {
	for name, term := range written {
		vars := "A: R[m,n], B: R[k,l], x y: R[n]"
		switch name {
		case "tr", "trace", "det", "adj", "diag":
			vars = "A: R[n,n]"
		case "matmul":
			vars = "A: R[m,k], B: R[k,n]"
		}
		var used []string
		for part := range strings.SplitSeq(vars, ", ") {
			names, typ, _ := strings.Cut(part, ": ")
			for n := range strings.FieldsSeq(names) {
				if strings.Contains(term, n+")") || strings.Contains(term, n+",") {
					used = append(used, n+": "+typ)
				}
			}
		}
		_, err := LoadRules("rule r [" + strings.Join(used, ", ") + "] sin(" + term + ") => " + term)
		require.NoError(t, err, name)
	}
}

// Guards of what is matched carry over to the result.
func TestGuardsCarryOver(t *testing.T) {
	w := newWorld()
	r := MustLoadRules("rule r [x: S, a b: Q] power[a](x) .* power[b](x) => power[a+b](x)")
	n := w.term(t, "weak(power[-1/2](x)) .* power[-1/2](x)")
	got, _, ok := r.Apply(n, nil)
	require.True(t, ok)
	require.Equal(t, combinators.GuardWeak, got.Guard())
	require.Equal(t, 0, got.Rat().Cmp(big.NewRat(-1, 1)))
}

// The condition unguarded holds of no guarded function, but where it is known to be finite.
func TestUnguarded(t *testing.T) {
	w := newWorld()
	r := MustLoadRules("rule r [x: S] sign(x) .* power[-1](x) => power[-1](abs(x)) when unguarded(x)")
	for src, fires := range map[string]bool{
		"sign(x) .* power[-1](x)":                 true,
		"sign(x) .* weak(power[-1](x))":           false,
		"sign(exp(x)) .* weak(power[-1](exp(x)))": true,
	} {
		_, _, ok := r.Apply(w.term(t, src), nil)
		require.Equal(t, fires, ok, src)
	}
}

func TestNoAllocationWithoutMatch(t *testing.T) {
	w := newWorld()
	r := MustLoadRules(`
rule a [x y: S] exp(x) .* exp(y) => exp(x + y)
rule b [x y z: S] x .* y + x .* z => x .* (y + z)
rule c [a: R[n,n]] ein(ij,jk->ik; a, inv(a)) => eye[n]
rule d [x: S, a b: Q] power[a](x) .* power[b](x) => power[a+b](x)
rule e [x: S] sin(x) .* sin(x) => x`)
	for _, src := range []string{"ein(ij,jk,kl->il; C, inv(D), E)", "sin(x) + cos(y)", "power[2](x) .* power[3](y)", "sin(x) .* sin(y)"} {
		n := w.term(t, src)
		r.Apply(n, nil)
		require.Zero(t, testing.AllocsPerRun(20, func() {
			if _, _, ok := r.Apply(n, nil); ok {
				t.Fatal("matched")
			}
		}), src)
	}
}

func TestNormalize(t *testing.T) {
	w := newWorld()
	rs := MustLoadRules(`
rule exp-mul [x y: S] exp(x) .* exp(y) => exp(x + y)
rule log-exp [x: S] log(exp(x)) => x
rule square [x: S] x .* x => power[2](x)
rule power-power [x: S, a b: Q] power[a](power[b](x)) => power[a*b](x) when integer(a)`)
	var names []string
	e := &Engine{Rules: []*Rules{rs}, Trace: func(f Firing) { names = append(names, f.Rule.Name) }}
	n := w.term(t, "let p = exp(x) .* exp(y) in log(p) + power[2](sin(p) .* sin(p))")
	got := e.Normalize(n)[0]
	require.Same(t, w.term(t, "x + y + power[4](sin(exp(x + y)))"), got)
	require.Equal(t, []string{"exp-mul", "log-exp", "square", "power-power"}, names)
	require.False(t, e.Exhausted)

	e = &Engine{Rules: []*Rules{rs}, Budget: 1}
	got = e.Normalize(n)[0]
	require.True(t, e.Exhausted)
	require.Same(t, w.term(t, "let p = exp(x + y) in log(p) + power[2](sin(p) .* sin(p))"), got)

	// two rules that undo each other end
	e = &Engine{Rules: []*Rules{MustLoadRules(`
rule a [x: S] sin(x) => cos(x)
rule b [x: S] cos(x) => sin(x)`)}}
	e.Normalize(w.term(t, "sin(x)"))
	require.Less(t, e.Fired, 5)
}

// A rule whose right side holds its left side has no end, and the engine says so at once.
func TestEndless(t *testing.T) {
	w := newWorld()
	for _, src := range []string{
		"rule r [a: R[n,n]] inv(a) => ein(ij,jk,kl->il; inv(a), a, inv(a))",
		"rule r [x: S] sin(x) => cos(sin(x))",
		"rule r [x: S] sin(x) => cos(exp(x))\nrule s [x: S] exp(x) => tanh(sin(x))",
	} {
		rs, err := LoadRules(src)
		require.NoError(t, err)
		e := &Engine{Rules: []*Rules{rs}, Budget: 1000}
		e.Normalize(w.term(t, "inv(C)"), w.term(t, "sin(x)"))
		require.True(t, e.Exhausted, src)
		require.Less(t, e.Fired, 5, src)
	}
	// what comes back to itself stays, and what is shared is no circle
	rs, err := LoadRules("rule r [x y: S] sin(x) + cos(y) => cos(y) + sin(x)\nrule s [x: S] exp(x) => tanh(x) .* tanh(x)")
	require.NoError(t, err)
	e := &Engine{Rules: []*Rules{rs}, Budget: 1000}
	e.Normalize(w.term(t, "sin(exp(x)) + cos(exp(x)) .* exp(exp(x))"), w.term(t, "exp(x) + tanh(exp(x))"))
	require.False(t, e.Exhausted)
}

// A chain of 10^5 shared steps takes as many firings, whatever the number of paths.
func TestNormalizeDeep(t *testing.T) {
	w := newWorld()
	rs := MustLoadRules("rule a [x: S] log(exp(x)) => x\nrule b [x y: S] sin(x) + cos(y) => x + y")
	n := w.term(t, "x")
	for range 100_000 {
		n = w.Add(w.Unary(atom.Sin, n), w.Unary(atom.Cos, n))
	}
	e := &Engine{Rules: []*Rules{rs}}
	e.Normalize(n)
	require.Equal(t, 100_000, e.Fired)
}

func BenchmarkApplyNoMatch(b *testing.B) {
	s := combinators.NewStore()
	x := s.Var("x", []size.Size{size.Sym("n")})
	n := s.Mul(s.Power(x, big.NewRat(2, 1)), s.Unary(atom.Exp, x))
	r := MustLoadRules("rule a [x y: S] exp(x) .* exp(y) => exp(x + y)\nrule d [x: S, a b: Q] power[a](x) .* power[b](x) => power[a+b](x)")
	for b.Loop() {
		r.Apply(n, nil)
	}
}
