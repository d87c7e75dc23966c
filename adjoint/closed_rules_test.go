package adjoint_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/adjoint"
	"frechet/adjoint/rules"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	algebra "frechet/combinators/rules"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/terms"
	"frechet/rewrite"
)

// Each row applies one rule of the closed calculus: the term, its space, and the normal form. All
// rules of the four files are in some row.
var closedRuleRows = []struct{ rule, dom, src, want string }{
	// derivative.rules: the points are x of R[n], A of R[m,n], u of R[m], s and t of R[]
	{"D-linear", "R[n]", "D(*(i->))(x)", "*(i->)"},
	{"D-linear", "R[n] x R[m]", "D(pi2)(x, u)", "pi2"},
	{"D-chain", "R[n]", "D(sin . exp)(x)", "let v1 = exp(x)\nin (cos(v1) .* _) . (v1 .* _)"},
	{"D-const", "R[n]", "D(K(u))(x)", "0"},
	{"D-multilinear", "R[m,n] x R[n]", "D(*(ij,j->i))(A, x)", "(A *(ij,j->i) _) . pi2 + (_ *(ij,j->i) x) . pi1"},
	{"D-multilinear", "R[n] x R[] x R[n]", "D(*(i,,i->))(x, s, y)",
		"ein(i,,i->; x, s, _) . pi3 + ein(i,,i->; x, _, y) . pi2 + ein(i,,i->; _, s, y) . pi1"},
	{"D-product", "R[n] x R[m]", "D(sin x exp)(x, u)", "(cos(x) .* _) x (exp(u) .* _)"},
	{"D-pair", "R[n]", "D(<sin, exp>)(x)", "<(cos(x) .* _), (exp(x) .* _)>"},
	{"D-sum", "R[n]", "D(sin + exp)(x)", "(cos(x) .* _) + (exp(x) .* _)"},
	{"D-atom", "R[n]", "D(softmax[1])(x)", ""},
	{"D-atom", "R[n] x R[n]", "D(pow)(exp(x), y)", ""},
	{"D-atom", "R[n] x R[n]", "D(max)(y, x)", ""},
	{"D-atom", "R[n] x R[n]", "D(max)(x, x)", ""},
	{"D-atom", "R[k,k]", "D(inv)(C)", ""},
	{"D-atom", "R[k,k]", "D(minor[1])(C)", ""},
	{"D-atom", "R[k,k] x R[k,n]", "D(solve)(C, B)", ""},
	{"D-atom", "R[n]", "D(norm2)(x)", ""},
	{"D-atom", "R[m,n]", "D(norm2^[m])(A)", ""},
	{"D-atom", "R[2,k,n]", "D((logsumexp[1] . merge[0])^[2])(B2)", ""},

	// adjoint.rules
	{"A-id", "R[n]", "adjoint(id)", "id"},
	{"A-zero", "R[n]", "adjoint(0)", "0"},
	{"A-injection", "R[n] x R[n]", "adjoint(iota2)", "pi2"},
	{"A-projection", "R[n]", "adjoint(pi1)", "iota1"},
	{"A-product", "R[m] x R[n]", "adjoint((A *(ij,j->i) _) x id)", "(A *(ij,i->j) _) x id"},
	{"A-pair", "R[m] x R[n]", "adjoint(<(A *(ij,j->i) _), id>)", "[(A *(ij,i->j) _), id]"},
	{"A-copair", "R[m]", "adjoint([(A *(ij,j->i) _), id])", "<(A *(ij,i->j) _), id>"},
	{"A-sum", "R[]", "adjoint(*(i->) + (x *(i,i->) _))", ""},
	{"A-contraction", "R[m]", "adjoint((A *(ij,j->i) _))", "(A *(ij,i->j) _)"},
	// the trace: k becomes k times delta, not k times ones
	{"A-contraction", "R[]", "adjoint(*(ii->))", "*(_->ii|i=n)"},
	{"A-atom", "R[k,n]", "adjoint(solve(C, _))", ""},
	{"A-atom", "R[k*n]", "adjoint(merge[0])", "split[0,k,n]"},
	{"A-copower", "R[k,m]", "adjoint((A *(ij,j->i) _)^[k])", ""},
	{"A-adjoint", "R[n]", "adjoint(adjoint((A *(ij,j->i) _)))", "(A *(ij,j->i) _)"},
	{"A-compose", "R[]", "adjoint(*(i->) . (A *(ij,j->i) _))", "(A *(ij,i->j) _) . *(_->i|i=m)"},
	{"A-compose", "R[]", "adjoint((2 .* _) . *(i->) . (A *(ij,j->i) _))", "(A *(ij,i->j) _) . *(_->i|i=m) . (2 .* _)"},

	// closed.rules and chain.rules
	{"C-assoc", "R[n]", "(sin . exp) . cos", "sin . exp . cos"},
	{"C-id-left", "R[n]", "id . sin", "sin"},
	{"C-id-right", "R[n]", "sin . id", "sin"},
	{"C-zero-left", "R[n]", "0 . (A *(ij,j->i) _)", "0"},
	{"C-plus-zero", "R[n]", "sin + 0", "sin"},
	{"C-zero-plus", "R[n]", "0 + sin", "sin"},
	{"C-const-left", "R[n]", "K(u) . sin", "K(u)"},
	{"C-const-right", "R[n]", "sin . K(u)", "K(sin(u))"},
	{"C-proj-pair", "R[n]", "pi2 . <sin, exp>", "exp"},
	{"C-proj-pair-chain", "R[n]", "pi2 . <sin, exp> . cos", "exp . cos"},
	{"C-pair-proj", "R[n] x R[m]", "(sin x exp) . <pi1, pi2>", "sin x exp"},
	{"C-copair-inj-id", "R[n] x R[m]", "[iota1, iota2]", "id"},
	{"C-prod-pair", "R[n]", "(sin x exp) . <cos, tanh>", "<sin . cos, exp . tanh>"},
	{"C-prod-prod", "R[n] x R[m]", "(sin x exp) . (cos x tanh)", "sin . cos x exp . tanh"},
	{"C-copair-prod", "R[n] x R[m]", "[*(i->), *(i->)] . ((2 .* _) x (3 .* _))", ""},
	{"C-share-pair", "R[n]", "<sin . tanh, exp . tanh>", "<sin, exp> . tanh"},
	{"C-share-pair", "R[n]", "<tanh, sin . exp . cos . tanh, tanh>", "<id, sin . exp . cos, id> . tanh"},
	{"C-share-sum", "R[n]", "sin . exp . tanh + exp . tanh", "(sin + id) . exp . tanh"},
	{"C-coshare", "R[n] x R[n]", "[(A *(ij,j->i) _) . (2 .* _), (A *(ij,j->i) _) . (3 .* _)]", "(A *(ij,j->i) _) . [(2 .* _), (3 .* _)]"},
	{"C-copower-compose", "R[k,n]", "(sin . exp)^[k]", "sin . exp"},
	{"C-copower-pair", "R[k,n]", "<sin, K(u)>^[k]", "<sin, K(ein(i->ji|j=k; u))>"},
	{"C-copower-product", "R[k,n] x R[k,m]", "(sin x exp)^[k]", "sin x exp"},
	{"C-copower-copair", "R[k,n] x R[k,n]", "[id, (2 .* _)]^[k]", "[id, (2 .* _)]"},
	{"C-copower-sum", "R[k,n]", "(sin + exp)^[k]", "sin + exp"},
	{"C-copower-leaf", "R[k,n]", "(A *(ij,j->i) _)^[k]", "(A *(ij,kj->ki) _)"},
	{"C-copower-leaf", "R[k,n,m]", "(merge[0])^[k]", "merge[1]"},
}

// linearRows are built, since their spaces do not show in a text: injections after and before
// other maps.
func linearRows(s *combinators.Store) map[string]combinators.Map {
	n, m := size.Sym("n"), size.Sym("m")
	un, um := combinators.TensorSpace([]size.Size{n}), combinators.TensorSpace([]size.Size{m})
	both := combinators.ProductSpace(un, um)
	x := s.Var("x", []size.Size{n})
	sin := s.OpenMap(s.Unary(atom.Sin, x), func(int) bool { return true })
	sum := s.SumOver(nil, []size.Size{n})
	copair := s.Copair(sum, s.SumOver(nil, []size.Size{m})).Map
	return map[string]combinators.Map{
		"C-proj-inj":             s.Compose(s.Proj(both, 0).Map, s.Inj(both, 0).Map),
		"C-proj-inj-chain":       s.Compose(s.Proj(both, 0).Map, s.Compose(s.Inj(both, 0).Map, sin)),
		"C-proj-inj-other":       s.Compose(s.Proj(both, 1).Map, s.Inj(both, 0).Map),
		"C-proj-inj-other-chain": s.Compose(s.Proj(both, 1).Map, s.Compose(s.Inj(both, 0).Map, sin)),
		"C-zero-right":           s.Compose(sum.Map, s.ZeroMap(um, un).Map),
		"C-copair-inj":           s.Compose(copair, s.Inj(both, 0).Map),
		"C-copair-inj-chain":     s.Compose(copair, s.Compose(s.Inj(both, 0).Map, sin)),
	}
}

func rulesOf(t *testing.T, src string) (names []string) {
	f, err := text.ParseRules(src)
	require.NoError(t, err)
	for _, r := range f.Rules {
		names = append(names, r.Name)
	}
	return names
}

func TestClosedRules(t *testing.T) {
	s := combinators.NewStore()
	k, m, n := size.Sym("k"), size.Sym("m"), size.Sym("n")
	env := &denote.Env{Sizes: []denote.SizeBinding{{Name: "k", Size: k}, {Name: "m", Size: m}, {Name: "n", Size: n}}}
	for name, sh := range map[string][]size.Size{
		"x": {n}, "y": {n}, "u": {m}, "A": {m, n}, "C": {k, k}, "B": {k, n}, "s": nil, "B2": {size.Const(2), k, n},
	} {
		env.Values = append(env.Values, denote.Binding{Name: name, Value: s.Var(name, sh)})
	}
	space := func(src string) *combinators.Space {
		t.Helper()
		v, err := readSpace(src, env)
		require.NoError(t, err)
		return &v
	}
	fired := map[string]bool{}
	check := func(rule string, before combinators.Map, want string) {
		seen := map[string]bool{}
		after, err := adjoint.Standard().ClosedSimplify(before, func(f rewrite.ClosedFiring) { seen[f.Rule.Name], fired[f.Rule.Name] = true, true })
		require.NoError(t, err, rule)
		assert.True(t, seen[rule], "%s did not fire at %s, which became %s", rule, before, after)
		if want != "" {
			assert.Equal(t, want, text.PrintClosed(after, false), rule)
		}
		// derivatives and adjoints have no value of their own; TestBothRoads compares those
		if contains(before, combinators.MapDerivative) || contains(before, combinators.MapAdjoint) {
			return
		}
		v := terms.Value(s, "v", before.Dom())
		a, err := s.ApplyMap(before, v)
		require.NoError(t, err)
		b, err := s.ApplyMap(after, v)
		require.NoError(t, err)
		requireClose(t, evaluate(t, a.Leaves()...), evaluate(t, b.Leaves()...), rule)
	}
	codomains := map[string]string{
		"adjoint(id)": "R[n]", "adjoint(0)": "R[m]", "adjoint(pi1)": "R[n] x R[m]", "adjoint(iota2)": "R[n]",
		"D(K(u))(x)": "R[m]", "0 . (A *(ij,j->i) _)": "R[k]",
		"[iota1, iota2]": "R[n] x R[m]", "adjoint(*(i->) + (x *(i,i->) _))": "R[n]",
		"adjoint((A *(ij,j->i) _) x id)": "R[n] x R[n]", "adjoint(<(A *(ij,j->i) _), id>)": "R[n]",
		"adjoint([(A *(ij,j->i) _), id])": "R[n] x R[m]", "adjoint((A *(ij,j->i) _))": "R[n]", "adjoint(*(ii->))": "R[n,n]",
		"adjoint(solve(C, _))": "R[k,n]", "adjoint(merge[0])": "R[k,n]", "adjoint((A *(ij,j->i) _)^[k])": "R[k,n]",
		"adjoint(adjoint((A *(ij,j->i) _)))": "R[m]", "adjoint(*(i->) . (A *(ij,j->i) _))": "R[n]",
		"adjoint((2 .* _) . *(i->) . (A *(ij,j->i) _))": "R[n]",
	}
	for _, c := range closedRuleRows {
		dom := space(c.dom)
		var cod *combinators.Space
		if src := codomains[c.src]; src != "" {
			cod = space(src)
		}
		tt, err := text.Parse(c.src)
		require.NoError(t, err, c.src)
		before, err := denote.ReadMap(s, tt, dom, cod, env)
		require.NoError(t, err, c.src)
		check(c.rule, before, c.want)
	}
	for rule, before := range linearRows(s) {
		check(rule, before, "")
	}
	for _, src := range []string{rules.Derivative, rules.Adjoint, rules.Chain, algebra.Closed, algebra.Chain} {
		for _, name := range rulesOf(t, src) {
			require.True(t, fired[name], "no row applies %s", name)
		}
	}
}

// contains reports whether a constructor stands somewhere in m.
func contains(m combinators.Map, op combinators.MapOp) bool {
	if m.Op() == op {
		return true
	}
	for _, f := range m.Maps() {
		if contains(f, op) {
			return true
		}
	}
	return false
}

// readSpace reads R[m,n] x R[n].
func readSpace(src string, env *denote.Env) (combinators.Space, error) {
	typ, err := text.ParseType(src)
	if err != nil {
		return combinators.Space{}, err
	}
	return denote.ReadSpace(typ.Cod, env)
}
