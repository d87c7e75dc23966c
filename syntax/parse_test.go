package syntax

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parseKinds are the kinds that the notation alone decides.
var parseKinds = map[Kind]bool{KindLexical: true, KindSyntax: true, KindReservedName: true, KindLimit: true}

func TestErrorPlaces(t *testing.T) {
	data, err := os.ReadFile("testdata/errors.json")
	require.NoError(t, err)
	var cases []struct {
		Name, Input string
		Kind        Kind
		Pos         int
	}
	require.NoError(t, json.Unmarshal(data, &cases))
	for _, c := range cases {
		_, err := Parse(c.Input, Limits{})
		if !parseKinds[c.Kind] {
			assert.NoError(t, err, c.Input)
			continue
		}
		var e *Error
		if assert.ErrorAs(t, err, &e, c.Input) {
			assert.Equal(t, c.Kind, e.Kind, "%s: %s", c.Input, e.Message)
			assert.Equal(t, c.Pos, e.Span.Start, "%s: %s", c.Input, e.Message)
			assert.Equal(t, c.Pos+1, e.Column, c.Input)
			t.Logf("%s\n%s", c.Name, e.Render("", c.Input, false))
		}
	}
}

// The trees of expressions, written with every operation in parentheses.
func TestPrecedence(t *testing.T) {
	for _, c := range []struct{ in, tree string }{
		{"-x^2", "(-(x ^ 2))"},
		{"(-x)^2", "((-x) ^ 2)"},
		{"x^2^3", "(x ^ (2 ^ 3))"},
		{"x^-y^2", "(x ^ (-(y ^ 2)))"},
		{"2^--1", "(2 ^ (-(-1)))"},
		{"A^2'", "(A ^ (2'))"},
		{"A'^2", "((A') ^ 2)"},
		{"x''", "((x')')"},
		{"-2^2", "(-(2 ^ 2))"},
		{"x-1", "[x -1]"},
		{"x -1", "[x -1]"},
		{"3 - -1", "[3 -(-1)]"},
		{"x-1.5e-3", "[x -3/2000]"},
		{"- - x", "(-(-x))"},
		{"a - (b - c)", "[a -[b -c]]"},
		{"a - b + c", "[a -b +c]"},
		{"-a*b", "{(-a) *b}"},
		{"a*-b", "{a *(-b)}"},
		{"-y'*x", "{(-(y')) *x}"},
		{"x'*A*x", "{(x') *A *x}"},
		{"x/2 *(i,i->i) y", "{x /2 *(i,i->i)y}"},
		{"x/y/z", "{x /y /z}"},
		{"A*x .* x", "{A *x .*x}"},
		{"x .^ y .^ z", "(x .^ (y .^ z))"},
		{"-x *(i->ii)", "{(-x) *(i->ii)}"},
		{"x^2 *(i->)", "{(x ^ 2) *(i->)}"},
		{"a*b *(ij->ji)*c", "{a *b *(ij->ji) *c}"},
		{"a + b > c*d", "([a +b] > {c *d})"},
		{"(a > b) .* (c != d)", "{(a > b) .*(c != d)}"},
		{"2.*(,i->i) x", "{2 *(,i->i)x}"},
		{"2.*x", "{2 *x}"},
		{"2.^x", "(2 ^ x)"},
		{"2 .^ x", "(2 .^ x)"},
		{"2.exp", "error"},
		{".5*x", "{1/2 *x}"},
		{"2e3", "2000"},
		{"1.e2", "100"},
		{"2.5E+1", "25"},
		{"A*(x - y)", "{A *[x -y]}"},
		{"A*(sum(x, axis=1))", "{A *sum(x, axis=1)}"},
		{"A*(2[m,n])", "{A *2[m,n]}"},
		{"A*(B *(ij,jk->ik) C)", "{A *{B *(ij,jk->ik)C}}"},
		{"( A )*( ij , j -> i ) x", "{A *(ij,j->i)x}"},
		{"A * (ij,j->i)x", "{A *(ij,j->i)x}"},
		{"A *(i'j,j->i') x", "{A *(i'j,j->i')x}"},
		{"A *(Ij,j->I) x", "{A *(Ij,j->I)x}"},
		{"a *(,->) b", "{a *(,->)b}"},
		{"a *(->) ", "{a *(->)}"},
		{"a *(,- >) b", "error"},
		{"A*(B, C)", "error"},
		{"einsum(ij,jk,kl->il; A, B, C)", "einsum(ij,jk,kl->il; A, B, C)"},
		{"einsum ( i j -> ; A)", "error"},
		{"einsum", "einsum"},
		{"sum", "sum"},
		{"sum(x)", "sum(x)"},
		{"sum (x)", "sum(x)"},
		{"sum *(i,i->) sum", "{sum *(i,i->)sum}"},
		{"softmax(X, axis = -1)", "softmax(X, axis=-1)"},
		{"max(x, 0)", "max(x, 0)"},
		{"delta[m,n]", "delta[m,n]"},
		{"delta(1)", "delta(1)"},
		{"0.5[n]", "1/2[n]"},
		{"sinx + expr1 + delta1 + wrt1 + inv2", "[sinx +expr1 +delta1 +wrt1 +inv2]"},
		{"let + gradient + order + along + axis", "[let +gradient +order +along +axis]"},
		{"T *(abs,s->ab) v", "{T *(abs,s->ab)v}"},
		{"T *(wrt,->trw) 1", "{T *(wrt,->trw)1}"},
		{"x # a comment, with ( and ,\n + y", "[x +y]"},
		{"A*( # , -> \n x)", "{A *x}"},
		{"a > b > c", "error"},
		{"x = y", "error"},
		{"A *(ij,jk,kl->il) B", "error"},
		{"A *(ij->ji) B", "error"},
		{"kron(A)", "error"},
		{"sin(x, y)", "error"},
		{"tr(A, axis=0)", "error"},
		{"sum(A, 1)", "error"},
		{"sum(A, dim=1)", "error"},
		{"max(x, y, axis=1)", "error"},
		{"einsum(ij,jk->ik; A)", "error"},
		{"einsum(ij,jk->ik; A, B, C)", "error"},
		{"einsum(ij,jk->ik)", "error"},
		{"2[]", "error"},
		{"delta", "error"},
		{"delta(x)", "error"},
		{"delta(1.5)", "error"},
		{"sin", "error"},
		{"x.T", "error"},
		{"x ** 2", "error"},
		{"(x]", "error"},
		{"A *(i1,->i) 1", "error"},
		{"A *(i,->i 1", "error"},
		{"", "error"},
	} {
		e, err := ParseExpr(c.in, Limits{})
		if c.tree == "error" {
			assert.Error(t, err, c.in)
			if err != nil {
				t.Log("\n" + err.(*Error).Render("", c.in, false))
			}
			continue
		}
		if assert.NoError(t, err, c.in) {
			assert.Equal(t, c.tree, dump(e), c.in)
			again, err := ParseExpr(Print(e), Limits{})
			if assert.NoError(t, err, Print(e)) {
				assert.True(t, Equal(e, again), "%s prints as %s", c.in, Print(e))
			}
		}
	}
}

// dump writes a tree without any rule of precedence: sums in [], products in {}.
func dump(e *Expr) string {
	switch e.Op {
	case OpNum:
		p := printer{}
		p.sizes(e.Sizes)
		return e.Num.RatString() + p.b.String()
	case OpNeg:
		return "(-" + dump(e.Args[0]) + ")"
	case OpTranspose:
		return "(" + dump(e.Args[0]) + "')"
	case OpPower:
		return "(" + dump(e.Args[0]) + " ^ " + dump(e.Args[1]) + ")"
	case OpElemPower:
		return "(" + dump(e.Args[0]) + " .^ " + dump(e.Args[1]) + ")"
	case OpCompare:
		return "(" + dump(e.Args[0]) + " " + e.Name + " " + dump(e.Args[1]) + ")"
	case OpSum, OpProduct:
		s := dump(e.Args[0])
		for _, step := range e.Steps {
			s += " " + strings.TrimSpace(stepText[step.Op])
			if step.Spec != nil {
				s += step.Spec.String() + ")"
			}
			if step.Arg != nil {
				s += dump(step.Arg)
			}
		}
		if e.Op == OpSum {
			return "[" + s + "]"
		}
		return "{" + s + "}"
	}
	return Print(e)
}

func TestStatements(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"declare x 1 expression x", "declare x 1\nexpression x\n"},
		{"declare X[m,n] y[m] w[] v[3] a 02 expression a", "declare X[m,n] y[m] w[] v[3] a 2\nexpression a\n"},
		{"declare sum 1 expression sum", "declare sum 1\nexpression sum\n"},
		{"declare let 1 expression let", "declare let 1\nexpression let\n"},
		{"declare gradient 1 x 0 expression gradient gradient wrt gradient", "declare gradient 1 x 0\nexpression gradient\ngradient wrt gradient\n"},
		{"declare let 0 let let = let expression let derivative wrt let", "declare let 0\nlet let = let\nexpression let\nderivative wrt let\n"},
		{"declare x 1 let p = x let q = p expression f = q expression g = p", "declare x 1\nlet p = x\nlet q = p\nexpression f = q\nexpression g = p\n"},
		{"expression 1 + 2", "expression 1 + 2\n"},
		{"declare expression 1", "declare\nexpression 1\n"},
		{"declare x 0 expression x derivative wrt x order 3", "declare x 0\nexpression x\nderivative wrt x order 3\n"},
		{"declare x 0 expression x derivative wrt x order 1 gradient wrt x hessian wrt x", "declare x 0\nexpression x\nderivative wrt x\ngradient wrt x\nhessian wrt x\n"},
		{"declare U 2 V 2 expression U derivative wrt U, V", "declare U 2 V 2\nexpression U\nderivative wrt U, V\n"},
		{"declare w 1 v 1 expression w jvp wrt w along v vjp wrt w along v hvp wrt w along v", "declare w 1 v 1\nexpression w\njvp wrt w along v\nvjp wrt w along v\nhvp wrt w along v\n"},
		{"declare order 1 along 1 expression order jvp wrt order along along", "declare order 1 along 1\nexpression order\njvp wrt order along along\n"},
		{"declare e 0 E 0 i 0 derivative2 0 expression e*E*i", "declare e 0 E 0 i 0 derivative2 0\nexpression e*E*i\n"},
		{"declare\tx\r\n1 # order\nexpression\n\n x\n", "declare x 1\nexpression x\n"},
		{"declare x 0 expression f = x == 1", "declare x 0\nexpression f = x == 1\n"},
		{"declare f 0 expression f == 1", "declare f 0\nexpression f == 1\n"},
		{"declare A[m*n,n+1] expression A", "declare A[m*n,n + 1]\nexpression A\n"},
	} {
		f, err := Parse(c.in, Limits{})
		if assert.NoError(t, err, c.in) {
			assert.Equal(t, c.out, PrintFile(f), c.in)
			again, err := Parse(PrintFile(f), Limits{})
			require.NoError(t, err, c.in)
			assert.Equal(t, c.out, PrintFile(again))
		}
	}
}

func TestMisspelledKeywords(t *testing.T) {
	for src, help := range map[string]string{
		"Declare x 1 expression x":                    "did you mean declare?",
		"declare x 1 expresion x":                     "did you mean expression?",
		"declare x 1 expression x derivativ wrt x":    "did you mean derivative?",
		"declare x 1 expression x gradeint wrt x":     "did you mean gradient?",
		"declare x 1 expression x Derivative wrt x":   "did you mean derivative?",
		"declare x 1 expression x\nhessain wrt x":     "did you mean hessian?",
		"declare x 1 expression x x":                  "products are written out: x*x, or x *(i,i->) x with indices",
		"declare x 1 expression x hessian of x":       "a request is written hessian wrt x",
		"declare variable expression variable":        "write variable 0 for a number, variable 2 for a matrix, or its sizes: variable[m,n]",
		"declare x 1 expression f = x expression g 1": "",
	} {
		_, err := Parse(src, Limits{})
		var e *Error
		if assert.ErrorAs(t, err, &e, src) && help != "" {
			assert.Equal(t, help, e.Help, src)
		}
	}
}

func TestStatementErrors(t *testing.T) {
	for _, c := range []struct {
		in   string
		code Code
		at   int
	}{
		{"", "S008", 0},
		{"  \n", "S008", 2},
		{"declare x 1 \n", "S008", 12},
		{"declare x, y", "S007", 9},
		{"declare x 1, y 1 expression x", "S002", 11},
		{"declare x 1.5 expression x", "S007", 10},
		{"declare x 1e1 expression x", "S007", 10},
		{"declare x 65 expression x", "L003", 10},
		{"declare x 999999999 expression x", "L003", 10},
		{"declare x 99999999999999999999 expression x", "L003", 10},
		{"declare x[n expression x", "S004", 12},
		{"declare expression 1 derivative 1", "S009", 32},
		{"declare wrt 1 expression wrt", "S010", 8},
		{"declare derivative 1 expression x", "S010", 8},
		{"let sin = 2 expression sin(1)", "S010", 4},
		{"let expression = 2 expression 1", "S010", 4},
		{"declare sin 1 x", "S010", 8},
		{"declare x 1 delta 0 y expression x", "S010", 12},
		{"let exp = (2 expression x", "S010", 4},
		{"let p 2 expression p", "S002", 6},
		{"declare x 0 let p x expression p", "S002", 18},
		{"declare x 0 let = x expression p", "S002", 16},
		{"expression exp = 2", "S010", 11},
		{"expression 1 derivative wrt", "S009", 27},
		{"expression 1 derivative wrt sin", "S009", 28},
		{"expression 1 derivative wrt x,", "S009", 30},
		{"declare x 0 expression x derivative wrt x order", "S011", 47},
		{"declare x 0 expression x derivative wrt x order 0", "S011", 48},
		{"declare x 0 expression x gradient wrt x order 2", "S011", 46},
		{"declare x 0 expression x derivative wrt x along x", "S011", 48},
		{"declare x 0 expression x jvp wrt x", "S011", 34},
		{"declare x 0 expression x jvp wrt x along", "S009", 40},
		{"declare x 0 expression x hessian x", "S004", 25},
		{"declare x 0 expression x; x", "S002", 24},
		{"declare x 0 expression −x", "S001", 23},
		{"declare x 0 expression \xff", "S001", 23},
		{"declare x 0 expression x x $", "S004", 25},
		{"declare x 0 expression x $ + +", "S001", 25},
	} {
		_, err := Parse(c.in, Limits{})
		var e *Error
		if assert.ErrorAs(t, err, &e, c.in) {
			assert.Equal(t, c.code, e.Code, "%q: %s", c.in, e.Message)
			assert.Equal(t, c.at, e.Span.Start, "%q: %s", c.in, e.Message)
			t.Log("\n" + e.Render("", c.in, false))
		}
	}
}

// Every documented code of this package is given by its example.
func TestCodeExamples(t *testing.T) {
	for _, d := range Codes {
		if d.Typed || strings.HasPrefix(d.Example, "{") { // a request
			continue
		}
		_, err := Parse(d.Example, d.Limits)
		var e *Error
		if assert.ErrorAs(t, err, &e, "%s: %s", d.Code, d.Example) {
			assert.Equal(t, d.Code, e.Code, e.Message)
			assert.Equal(t, d.Kind, e.Kind)
		}
	}
}

func TestRender(t *testing.T) {
	src := "declare A[2,3] x[2]\nexpression A *(ij,j->i) x"
	e := newError(src, "T012", Span{38, 39}, "sizes differ in a product: j is 3 in A and 2 in x").
		Note(Span{38, 39}, "j = 2 here").Note(Span{8, 14}, "A has axes [2,3], so j = 3").
		Helpf("declare x[3]")
	assert.Equal(t, `error[T012]: sizes differ in a product: j is 3 in A and 2 in x
 --> model.fr:2:19
  |
1 | declare A[2,3] x[2]
  |         ------ A has axes [2,3], so j = 3
2 | expression A *(ij,j->i) x
  |                   ^ j = 2 here
help: declare x[3]
`, e.Render("model.fr", src, false))
	assert.Contains(t, e.Render("model.fr", src, true), colorError)

	long := "expression " + strings.Repeat("x + ", 1000) + "$" + strings.Repeat(" + x", 1000)
	_, err := Parse(long, Limits{})
	for _, line := range strings.Split(err.(*Error).Render("", long, false), "\n") {
		assert.Less(t, len(line), 120)
	}
	// Lines and columns count characters.
	_, err = Parse("# äöü\nexpression\t\"ä", Limits{})
	assert.Equal(t, 2, err.(*Error).Line)
	assert.Equal(t, 12, err.(*Error).Column)
}
