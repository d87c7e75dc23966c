package text

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestParsePrints(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"a+b-c", "a + b - c"},
		{"a - (b - c)", "a - (b - c)"},
		{"a ./ b .* c", "a ./ b .* c"},
		{"-a .* b", "-a .* b"},
		{"-(a .* b)", "-(a .* b)"},
		{"-2 .^ x", "-2 .^ x"},
		{"(-2) .^ x", "(-2) .^ x"},
		{"a .^ -b .^ c", "a .^ -b .^ c"},
		{"(a .^ b) .^ c", "(a .^ b) .^ c"},
		{"--a", "--a"},
		{"2.*x", "2 .* x"},
		{"0.25 + 1e-2", "1/4 + 1/100"},
		{"power[-1/2](x)", "power[-1/2](x)"},
		{"minor[k+1](x)", "minor[k+1](x)"},
		{"power[2*(c-1)](x)", "power[2*(c-1)](x)"},
		{"power[ 1 / 2 / c ](x)", "power[1 / 2/c](x)"},
		{"ein(...ij, ...j -> ...i; a, x)", "ein(...ij,...j->...i; a, x)"},
		{"ein(~,~->; a, b)", "ein(~,~->; a, b)"},
		{"ein(_->i|i=n; 1)", "ein(_->i|i=n; 1)"},
		{"ein(->ii|i=n-k+1;)", "ein(->ii|i=n-k+1;)"},
		{"u *(ij,j->i) _ + v .* _ .* w", "(u *(ij,j->i) _) + (v .* _) .* w"},
		{"*(ij,j->i) . <f, g>", "*(ij,j->i) . <f, g>"},
		{"D(g . f)(x)", "D(g . f)(x)"},
		{"let y = f(x) in D(g)(y) . D(f)(x)", "let y = f(x) in D(g)(y) . D(f)(x)"},
		{"let y = f(x); z = y + y in z", "let y = f(x); z = y + y in z"},
		{"b(u, _) . pi2 + b(_, v) . pi1", "b(u, _) . pi2 + b(_, v) . pi1"},
		{"f x g . h x x", "f x g . h x x"},
		{"(f x g) . [iota1, iota2]", "(f x g) . [iota1, iota2]"},
		{"(f x g) x h", "(f x g) x h"},
		{"f^[m,n] . <id, K((1, 2))>", "f^[m,n] . <id, K((1, 2))>"},
		{"prod{k}(D(f[k])(pi[k](v)))", "prod{k}(D(f[k])(pi[k](v)))"},
		{"(g . f)^[n](x, y)(z)", "(g . f)^[n](x, y)(z)"},
		{"(g ∘ f × h)(⟨π1, ι2⟩)", "(g . f x h)(<pi1, iota2>)"},
		{"f()", "f()"},
		{"2[m, n-1] .* K(-1/2[3])", "2[m,n-1] .* K(-1/2[3])"},
		{"ein([2*i+j:n],[j:k]->[i:m]|i=m,j=k,i-j>=0,i==0; x, f)", "ein([2*i+j:n],[j:k]->[i:m]|i=m,j=k,i-j>=0,i==0; x, f)"},
		{"*([i:n]->[]|i=n)", "*([i:n]->[]|i=n)"},
		{"()", "()"},
		{"weak(t) .* zero(u) # a comment", "weak(t) .* zero(u)"},
	} {
		got, err := Parse(c.src)
		require.NoError(t, err, c.src)
		require.Equal(t, c.want, got.String(), c.src)
		again, err := Parse(got.String())
		require.NoError(t, err, c.src)
		require.True(t, Equal(got, again), "%s prints as %s, which is another term", c.src, got)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", "1:1: the text ends too early"},
		{"a +", "1:4: the text ends too early"},
		{"a b", `1:3: "b" cannot stand here`},
		{"f(a,\n  )", `2:3: ")" cannot stand here`},
		{"(a", "1:3: the text ends too early"},
		{"a)", "1:2: ) closes nothing"},
		{"ein(ij,j->i; a)", "1:1: the index group has 2 operands, 1 are given"},
		{"ein(ij,j; a, b)", "1:9: an index group needs an arrow: ij,j->i"},
		{"ein(i1->i; a)", "1:5: '1' cannot stand in an index group"},
		{"a ? b", "1:3: '?' cannot stand here"},
		{"1/0", "1:1: 1/0 is no number"},
		{"1e99999", "1:1: the exponent of this number is too large"},
		{strings.Repeat("(", 200_000), "1:1001: terms are nested more than 1000 deep"},
		{strings.Repeat("let a = ", 200_000), "1:8007: terms are nested more than 1000 deep"},
		{strings.Repeat("9", 100_000), "1:1: a number of 100000 characters; the limit is 10000"},
	} {
		_, err := Parse(c.src)
		var e *Error
		require.ErrorAs(t, err, &e, "%.40s", c.src)
		require.Equal(t, c.want, err.Error(), "%.40s", c.src)
	}
}

// Long chains are no nesting.
func TestParseLong(t *testing.T) {
	for _, src := range []string{
		"a" + strings.Repeat(" + a", 10_000),
		"f" + strings.Repeat(" . f", 10_000),
		strings.Repeat("-", 10_000) + "a",
		"a" + strings.Repeat(" .^ a", 10_000),
		"let a = b" + strings.Repeat("; a = a .* a", 10_000) + " in a",
	} {
		got, err := Parse(src)
		require.NoError(t, err)
		require.Equal(t, src, got.String())
	}
}

// parse(print(t)) = t for terms made at random by the package's constructors.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := genTerm(t, 4)
		got, err := Parse(want.String())
		require.NoError(t, err, want.String())
		require.True(t, Equal(want, got), "%s reads back as %s", want, got)
		u := Printer{Unicode: true, Lines: true}.Print(want)
		got, err = Parse(u)
		require.NoError(t, err, u)
		require.True(t, Equal(want, got), "%s reads back as %s", u, got)
	})
}

var genName = rapid.SampledFrom([]string{"x", "y", "f", "sin", "pi1", "iota2", "delta", "e1", "u'", "D"})

func genNum(t *rapid.T) *Term {
	return NewNum(big.NewRat(rapid.Int64Range(-9, 9).Draw(t, "num"), rapid.Int64Range(1, 5).Draw(t, "den")))
}

func genAttr(t *rapid.T, depth int) *Term {
	if depth == 0 {
		return rapid.OneOf(rapid.Custom(genNum), rapid.Custom(func(t *rapid.T) *Term {
			return NewName(genName.Draw(t, "name"))
		})).Draw(t, "leaf")
	}
	a := genAttr(t, depth-1)
	op := rapid.SampledFrom([]Op{Add, Sub, Mul, Div, Neg, Num}).Draw(t, "attr")
	switch op {
	case Neg:
		return NewNeg(a)
	case Num:
		return a
	}
	return New(op, a, genAttr(t, depth-1))
}

func genAttrs(t *rapid.T) []*Term {
	var out []*Term
	for range rapid.IntRange(0, 2).Draw(t, "attrs") {
		out = append(out, genAttr(t, 2))
	}
	return out
}

func genAxes(t *rapid.T) Axes {
	if rapid.IntRange(0, 4).Draw(t, "general") == 0 {
		a := Axes{Forms: []Form{}}
		for range rapid.IntRange(0, 2).Draw(t, "forms") {
			a.Forms = append(a.Forms, Form{genAttr(t, 2), genAttr(t, 1)})
		}
		return a
	}
	return Axes{
		Batch:   rapid.Bool().Draw(t, "batch"),
		Letters: rapid.SliceOfN(rapid.SampledFrom([]string{"i", "j", "k'", "A"}), 0, 3).Draw(t, "letters"),
		Rest:    rapid.Bool().Draw(t, "rest"),
	}
}

func genTerm(t *rapid.T, depth int) *Term {
	if depth == 0 {
		switch rapid.IntRange(0, 3).Draw(t, "leaf") {
		case 0:
			n := genNum(t)
			n.Attrs = genAttrs(t)
			return n
		case 1:
			return New(Hole)
		}
		return NewName(genName.Draw(t, "name"), genAttrs(t)...)
	}
	args := func(lo, hi int) (out []*Term) {
		for range rapid.IntRange(lo, hi).Draw(t, "n") {
			out = append(out, genTerm(t, depth-1))
		}
		return out
	}
	op := Op(rapid.IntRange(int(Call), int(Family)).Draw(t, "op"))
	switch op {
	case Call:
		c := NewCall(genName.Draw(t, "head"), args(0, 3)...)
		c.Attrs = genAttrs(t)
		return c
	case Apply:
		return NewApply(genTerm(t, depth-1), args(0, 2)...)
	case Ein:
		x := &Index{Out: genAxes(t)}
		ops := args(0, 3)
		for range ops {
			x.In = append(x.In, genAxes(t))
		}
		if len(ops) > 0 && rapid.Bool().Draw(t, "map") {
			ops = nil
		}
		if rapid.Bool().Draw(t, "sized") {
			x.Sizes = []Size{{"i", genAttr(t, 1)}, {"k'", genAttr(t, 2)}}
			x.Conds = []Condition{{genAttr(t, 2), rapid.Bool().Draw(t, "zero")}}
		}
		return NewEin(x, ops...)
	case Neg:
		return NewNeg(genTerm(t, depth-1))
	case Add, Sub, Mul, Div, Pow:
		return New(op, args(2, 2)...)
	case Let:
		n := rapid.IntRange(1, 2).Draw(t, "bindings")
		return NewLet([]string{"a", "b"}[:n], args(n, n), genTerm(t, depth-1))
	case Hole:
		return New(Hole)
	case Tuple:
		if a := args(0, 3); len(a) != 1 {
			return New(Tuple, a...)
		}
		return New(Tuple)
	case Compose, Product:
		return New(op, args(2, 3)...)
	case Pair, Copair:
		return New(op, args(1, 3)...)
	case Copower:
		return &Term{Op: Copower, Attrs: append(genAttrs(t), genAttr(t, 1)), Args: args(1, 1)}
	}
	return &Term{Op: Family, Name: genName.Draw(t, "family"), Names: []string{"k"}, Args: args(1, 1)}
}

func TestParseRules(t *testing.T) {
	src := `# A file of rules.

# D-chain: the derivative of a composition is the composition of the derivatives,
# the outer one at the inner one's value.
rule D-chain "Elsman 4.1(1)" [U V W, f: U -> V, g: V -> W, x: U]
  D(g . f)(x) => let y = f(x) in D(g)(y) . D(f)(x)
rule D-bil "Elsman 4.1(4)" [U V W, b: U x V ->2 W, u: U, v: V]  # not above the next
  D(b)(u, v) => b(u, _) . pi2 + b(_, v) . pi1
rule power-power "" [S, x: S, a b: Q]
  power[b](power[a](x)) => power[a*b](x) when integer(b), not even(a), a*b != 0 domain widened
native E-fuse "fusion" fuse "ein(c; ein(d; M), N) = ein(c + d; M, N)"
rule A-lin "derived" [L: R[m,n] -o R[...,n-1]] adjoint(L) => L
`
	f, err := ParseRules(src)
	require.NoError(t, err)
	require.Len(t, f.Rules, 4)
	require.Len(t, f.Natives, 1)
	require.Equal(t, "D-chain: the derivative of a composition is the composition of the derivatives,\nthe outer one at the inner one's value.", f.Rules[0].Doc)
	require.Equal(t, "", f.Rules[2].Doc)
	require.Equal(t, "U x V ->2 W", f.Rules[1].Vars[3].Type.String())
	require.Equal(t, "widened", f.Rules[2].Domain)
	require.Equal(t, []string{"integer(b)", "not even(a)", "a*b != 0"},
		[]string{f.Rules[2].When[0].String(), f.Rules[2].When[1].String(), f.Rules[2].When[2].String()})
	for _, r := range f.Rules {
		again, err := ParseRules(r.String())
		require.NoError(t, err, r.String())
		require.Equal(t, r.String(), again.Rules[0].String())
		require.True(t, Equal(r.Left, again.Rules[0].Left) && Equal(r.Right, again.Rules[0].Right))
	}
	for _, c := range []struct{ src, want string }{
		{"rule a [] x => x rule a [] x => x", "1:18: the rule a is given twice"},
		{"rule a [] x x", "1:14: the text ends too early"},
		{"rule a [] x => x when y", "1:23: y is no condition: it is a predicate of arguments, or a comparison"},
		{"rule a [] x => x domain big", "1:25: a rule's domain is kept, widened or narrowed, not big"},
		{"x => y", `1:1: "x" cannot stand here`},
	} {
		_, err := ParseRules(c.src)
		require.EqualError(t, err, c.want)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a + b", "let y = f(x) in D(g)(y) . pi1", "ein(ij,j->i|k=n; a, b)", "<f, g>^[n]", "*(i->)", "-1/2e3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := Parse(s)
		if err != nil {
			return
		}
		b, err := Parse(a.String())
		if err != nil || !Equal(a, b) {
			t.Fatalf("%q prints as %q, which reads back as %v, %v", s, a, b, err)
		}
	})
}
