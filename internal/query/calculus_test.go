package query_test

import (
	"context"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
	"frechet/combinators/text"
	"frechet/eval"
)

// ruleFiles are the files whose rules differentiate and transpose.
var ruleFiles = []string{"adjoint/rules/derivative.rules", "adjoint/rules/adjoint.rules", "adjoint/rules/chain.rules"}

// A program that needs a rule, and the verbs that use the rule there.
type needs struct {
	source string
	verbs  string
}

const (
	objective = "declare A[3,3] x[3] v[3] w[] expression sum(exp(A*x) .* sin(x)) + x'*x"
	all       = "grad hess jvp vjp"
	backward  = "grad hess vjp"
)

// needed has a program for every rule of the files. Those in combinator notation are for rules that only
// closed maps use.
var needed = map[string]needs{
	"D-linear":      {objective, all},
	"D-chain":       {objective, all},
	"D-const":       {"declare x[3] y[3] v[3] w[] expression sum(exp(x + y) .* x)", all},
	"D-multilinear": {objective, all},
	"D-product":     {"declare x[3] y[3] f : R[3] x R[3] -> R[3] x R[3] = sin x exp", "linear adjoint"},
	"D-pair":        {objective, all},
	"D-sum":         {objective, all},
	"D-atom":        {objective, all},
	"D-row":         {objective, all},
	"A-id":          {objective, backward},
	"A-zero":        {"declare x[3] y[3] w[] expression sum(exp(y))", "grad vjp"},
	"A-injection":   {"f : R[3] -o R[3] x R[3] = iota1", "adjoint"},
	"A-projection":  {"declare x[3] y[3] expression sum(exp(x) .* sin(y))", "grads pullback"},
	"A-product":     {"declare A[3,3] f : R[3] x R[3] -o R[3] x R[3] = (A *(ij,j->i) _) x (2 .* _)", "adjoint"},
	"A-pair":        {objective, backward},
	"A-copair":      {"declare A[3,3] f : R[3] x R[3] -o R[3] = [(A *(ij,j->i) _), (2 .* _)]", "adjoint"},
	"A-sum":         {objective, backward},
	"A-contraction": {objective, backward},
	"A-swap":        {objective, backward},
	"A-atom":        {"declare x[3,3] v[3,3] w[] expression sum(exp(merge(x, 0)) .* sin(merge(x, 0)))", backward},
	"A-row":         {"declare x[3,3] v[3,3] w[] expression sum(exp(merge(x, 0)) .* sin(merge(x, 0)))", backward},
	"A-compose":     {objective, backward},
	"A-copower":     {"declare A[3,3] x[3] w[3] expression exp(A*x) .* sin(x)", "jacobian"},
	"A-adjoint":     {"declare A[3,3] f : R[3] -o R[3] = adjoint(A *(ij,j->i) _)", "adjoint"},
}

// derived are the rules without which all other rules give the same, for the maps that there are.
var derived = map[string]string{
	"A-adjoint": "every map has an adjoint of its own, whose adjoint is the map",
}

// answer is what a verb gives by a calculus, as numbers.
func answer(t *testing.T, verb, source string, c *frechet.UserRules) ([]float64, error) {
	t.Helper()
	language := "auto"
	if strings.Contains(source, ": R[") {
		language = "combinators"
	}
	f, err := frechet.Parse(source, frechet.WithRules(c), frechet.WithLanguage(language))
	if err != nil {
		return nil, err
	}
	env := frechet.Env{}
	for i, p := range f.Params() {
		env[p.Name] = sample(p.Axes, i)
	}
	terms, err := derive(f, verb, env)
	if err != nil {
		return nil, err
	}
	return numbers(t, env, terms...), nil
}

// sample has fixed entries for a variable.
func sample(shape []string, seed int) *eval.Tensor {
	dims := make([]int, len(shape))
	for i := range dims {
		dims[i] = 3
	}
	x := eval.NewTensor(dims...)
	for i := range x.Data {
		x.Data[i] = 0.2 + 0.6*math.Abs(math.Sin(float64(1+7*seed+3*i)))
	}
	return x
}

func derive(f *frechet.Func, verb string, env frechet.Env) (terms []*frechet.Term, err error) {
	ctx := context.Background()
	q := frechet.Query{Wrt: []string{"x"}, Order: 1}
	switch verb {
	case "jvp", "vjp":
		along := map[string]string{"jvp": "v", "vjp": "w"}[verb]
		q = frechet.Query{Operators: []frechet.Operation{{Kind: verb, Wrt: "x", Along: along}}}
	case "hess":
		q.Order = 2
	case "grads":
		q.Wrt = []string{"x", "y"}
	case "jacobian":
		q.Mode = frechet.Reverse
	case "pullback":
		p, err := f.Pullback()
		if err != nil {
			return nil, err
		}
		env[p.Cotangent] = sample(nil, 9)
		return p.Terms, nil
	case "linear", "adjoint":
		m, err := f.Map()
		if err == nil && !m.Linear() {
			var at []*frechet.Term
			for _, name := range []string{"x", "y"} {
				x, err := f.Variable(name)
				if err != nil {
					return nil, err
				}
				at = append(at, x)
			}
			m, err = m.Derivative(at...)
		}
		if err == nil && verb == "adjoint" {
			m, err = m.Adjoint()
		}
		if err != nil {
			return nil, err
		}
		names, results, err := m.Apply("d")
		for i, n := range names {
			env[n] = sample([]string{"3"}, 9+i)
		}
		return results, err
	}
	reply, err := f.Derive(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, d := range slices.Concat(reply.Outputs[0].Derivs, reply.Outputs[0].Parts) {
		terms = append(terms, d.Term)
	}
	return terms, nil
}

func numbers(t *testing.T, env frechet.Env, terms ...*frechet.Term) (out []float64) {
	t.Helper()
	for _, y := range terms {
		p, err := frechet.Compile(y, nil)
		require.NoError(t, err)
		v, err := p.Run(context.Background(), env)
		require.NoError(t, err)
		out = append(out, v.Data...)
	}
	return out
}

func differ(a, b []float64) bool {
	for i := range a {
		if i >= len(b) || math.Abs(a[i]-b[i]) > 1e-6*(1+math.Abs(a[i])) {
			return true
		}
	}
	return len(a) != len(b)
}

func calculus(f frechet.RuleFile) (*frechet.UserRules, error) {
	return frechet.CheckRules(context.Background(), f, true)
}

var item = regexp.MustCompile(`(?m)^(rule|native) (\S+)`)

// TestRulesDrive: of every rule of the files and every native step that they name: without it, what needs
// it is an error that names it, from each verb; with 0 for its right side, which has its type, each verb
// answers otherwise than it did, and what it did agrees with differences.
func TestRulesDrive(t *testing.T) {
	standard, err := calculus(frechet.RuleFile{Name: "none.rules"})
	require.NoError(t, err)
	checked := map[string]bool{}
	for _, file := range frechet.ShippedRules() {
		if !slices.Contains(ruleFiles, file.Name) {
			continue
		}
		parsed, err := text.ParseRules(file.Text)
		require.NoError(t, err)
		for _, n := range parsed.Natives {
			t.Run(n.Name, func(t *testing.T) {
				need, ok := needed[n.Name]
				require.True(t, ok, "no program needs %s", n.Name)
				_ = need
				checked[n.Name] = true
				_, err := calculus(frechet.RuleFile{Name: file.Name, Text: without(file.Text, n.Name)})
				require.ErrorContains(t, err, n.Step)
			})
		}
		for _, r := range parsed.Rules {
			t.Run(r.Name, func(t *testing.T) {
				need, ok := needed[r.Name]
				require.True(t, ok, "no program needs %s", r.Name)
				checked[r.Name] = true
				missing, err := calculus(frechet.RuleFile{Name: file.Name, Text: without(file.Text, r.Name)})
				require.NoError(t, err)
				other := *r
				other.Right = text.NewInt(0)
				altered, err := calculus(frechet.RuleFile{Name: file.Name, Text: without(file.Text, r.Name) + "\n" + other.String()})
				require.NoError(t, err)
				for verb := range strings.FieldsSeq(need.verbs) {
					right, err := answer(t, verb, need.source, standard)
					require.NoError(t, err, verb)
					if differences := byDifferences(t, verb, need.source); differences != nil {
						require.False(t, differ(differences, right), "%s: %v, by differences %v", verb, right, differences)
					}
					got, err := answer(t, verb, need.source, missing)
					if derived[r.Name] != "" {
						require.NoError(t, err)
						require.False(t, differ(right, got), verb)
					} else {
						require.ErrorContains(t, err, r.Name, "%s without the rule gives %v", verb, got)
					}
					if r.Right.Op == text.Num {
						continue // there is no other map of this type
					}
					got, err = answer(t, verb, need.source, altered)
					require.NoError(t, err, verb)
					require.True(t, differ(right, got), "%s by another rule gives the same, %v", verb, got)
				}
			})
		}
	}
	for name := range needed {
		require.True(t, checked[name], "there is no rule %s", name)
	}
}

// without is a rule file without one of its rules or schemas.
func without(src, name string) string {
	at := item.FindAllStringSubmatchIndex(src, -1)
	for i, m := range at {
		if src[m[4]:m[5]] == name {
			end := len(src)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			return src[:m[0]] + src[end:]
		}
	}
	return src
}

// byDifferences is what a verb gives, by central differences of the program's value, or of its gradient;
// nil for what is not compared.
func byDifferences(t *testing.T, verb, source string) []float64 {
	t.Helper()
	const h = 1e-5
	if strings.Contains(source, ": R[") {
		return nil
	}
	f, err := frechet.Parse(source)
	require.NoError(t, err)
	at := func(of *frechet.Term, name string, k int, by float64) []float64 {
		env := frechet.Env{}
		for i, p := range f.Params() {
			env[p.Name] = sample(p.Axes, i)
		}
		env[name].Data[k] += by
		return numbers(t, env, of)
	}
	// columns has the derivative of a term by an entry of a variable.
	column := func(of *frechet.Term, name string, k int) []float64 {
		up, down := at(of, name, k, h), at(of, name, k, -h)
		for i := range up {
			up[i] = (up[i] - down[i]) / (2 * h)
		}
		return up
	}
	y := f.Value()
	var out []float64
	switch verb {
	case "grad", "jacobian":
		var columns [][]float64
		for k := range at(first(t, f, "x"), "x", 0, 0) {
			columns = append(columns, column(y, "x", k))
		}
		for i := range columns[0] {
			for _, c := range columns {
				out = append(out, c[i])
			}
		}
	case "hess":
		g, err := f.Gradient("x")
		require.NoError(t, err)
		n := len(at(g, "x", 0, 0))
		out = append(out, byDifferences(t, "grad", source)...)
		for i := range n {
			for k := range n {
				out = append(out, column(g, "x", k)[i])
			}
		}
	case "jvp":
		v := at(first(t, f, "v"), "x", 0, 0)
		out = []float64{0}
		for k := range v {
			out[0] += column(y, "x", k)[0] * v[k]
		}
	case "vjp":
		w := at(first(t, f, "w"), "x", 0, 0)[0]
		for _, g := range byDifferences(t, "grad", source) {
			out = append(out, g*w)
		}
	case "grads", "pullback":
		w := 1.0
		if verb == "pullback" {
			w = sample(nil, 9).Data[0]
		}
		for _, name := range []string{"x", "y"} {
			for k := range at(first(t, f, name), "x", 0, 0) {
				out = append(out, w*column(y, name, k)[0])
			}
		}
	}
	return out
}

// first is a variable as a term.
func first(t *testing.T, f *frechet.Func, name string) *frechet.Term {
	t.Helper()
	x, err := f.Variable(name)
	require.NoError(t, err)
	return x
}

// A rule of the user's on maps takes part in every derivative, once it has passed its test.
func TestUserRulesOnMaps(t *testing.T) {
	const source = "declare x[3] expression sum(exp(x) + sin(x))"
	standard, err := answer(t, "grad", source, nil)
	require.NoError(t, err)
	wrong := frechet.RuleFile{Name: "own.rules", Text: "rule half [U V, f g: U -> V, x: U] D(f + g)(x) => D(f)(x)"}
	_, err = frechet.CheckRules(context.Background(), wrong, false)
	require.ErrorContains(t, err, "half: refuted")
	unsafe, err := calculus(wrong)
	require.NoError(t, err)
	got, err := answer(t, "grad", source, unsafe)
	require.NoError(t, err)
	require.True(t, differ(standard, got))
	right, err := frechet.CheckRules(context.Background(), frechet.RuleFile{Name: "own.rules", Text: "# both kinds\n" +
		"rule turned \"sums commute\" [U V, f g: U -> V, x: U] D(f + g)(x) => D(g)(x) + D(f)(x)\n" +
		"rule circle [x: S] power[2](cosh(x)) => 1 + power[2](sinh(x))\n"}, false)
	require.NoError(t, err)
	got, err = answer(t, "grad", source, right)
	require.NoError(t, err)
	require.False(t, differ(standard, got))
}
