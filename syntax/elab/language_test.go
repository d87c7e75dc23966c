package elab

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/syntax"
)

const declarations = "declare A[m,n] B[m,n] C[n,k] S[n,n] T[m,n,k] x[n] y[n] v[m] s[] t 0\n"

// Two notations of one function are one node.
func TestSameTerm(t *testing.T) {
	for _, c := range [][2]string{
		// Matrix notation: columns, rows, and what becomes of them.
		{"A'", "A *(ij->ji)"},
		{"A'", "A *(ij,->ji) 1"},
		{"A*C", "A *(ij,jk->ik) C"},
		{"A*x", "A *(ij,j->i) x"},
		{"v'*A", "v *(i,ij->j) A"},
		{"v'*A*x", "(v *(i,ij->j) A) *(i,i->) x"},
		{"v'*(A*x)", "v *(i,i->) (A *(ij,j->i) x)"},
		{"x'*y", "x *(i,i->) y"},
		{"v*x'", "v *(i,j->ij) x"},
		{"(v*x')*y", "(v *(i,j->ij) x) *(ij,j->i) y"},
		{"(A*x)'*v", "(A *(ij,j->i) x) *(i,i->) v"},
		{"(v'*A)'", "v *(i,ij->j) A"},
		{"x''", "x"},
		{"A''", "A"},
		{"-x'*y", "-x *(i,i->) y"},
		{"(x + y)'*x", "(x + y) *(i,i->) x"},
		{"(x' + y')*x", "(x + y) *(i,i->) x"},
		{"(2*x')*x", "(2*x) *(i,i->) x"},
		{"sin(x')*x", "sin(x) *(i,i->) x"},
		{"x' + y", "x + y"},
		{"s'", "s"},
		{"s*A", "s *(,ij->ij) A"},
		{"A*s", "s *(,ij->ij) A"},
		{"s*t", "s *(,->) t"},
		{"2*A", "2 *(,ij->ij) A"},
		{"A^2", "A .^ 2"},
		{"square(A)", "A^2"},
		{"sqrt(A)", "A^(1/2)"},
		{"sqrt(A)", "A^0.5"},
		// Functions on whole tensors.
		{"sum(A)", "A *(ij->)"},
		{"sum(A)", "1 *(ij,ij->) A"},
		{"sum(A)", "A *(ij,ij->) 1"},
		{"sum(s)", "s"},
		{"tr(S)", "S *(ii->)"},
		{"tr(S)", "S *(ii,->) 1"},
		{"diag(x)", "x *(i->ii)"},
		{"diag(x)", "x *(i,->ii) 1"},
		{"diag(S)", "S *(ii->i)"},
		{"norm1(A)", "sum(abs(A))"},
		{"matpow(S, 1)", "S"},
		{"matpow(S, 2)", "S*S"},
		{"matpow(S, 3)", "S*(S*S)"},
		{"matpow(S, 0)", "eye(n)"},
		{"matpow(S, -1)", "inv(S)"},
		{"matpow(S, 6/2)", "matpow(S, 3)"},
		{"eye(n)*x", "delta(1) *(ij,j->i) x"},
		{"eye(n)", "delta[n]"},
		{"ones(n)", "1[n]"},
		{"ones(m,n)", "1[m,n]"},
		{"A*ones(n)", "A *(ij,j->i) ones(n)"},
		{"A + delta[m,n] *(ijkl,kl->ij) 1", "A + delta(2) *(ijkl,kl->ij) 1"},
		{"A + 2[m,n]", "A + 2"},
		{"sum(A, axis=1)", "A *(ij->i)"},
		{"sum(A, axis=0)", "A *(ij->j)"},
		{"sum(A, axis=-1)", "A *(ij->i)"},
		{"sum(T, axis=1)", "T *(ijk->ik)"},
		{"mean(A, axis=0)", "1/m * sum(A, axis=0)"},
		{"max(A, axis=0)", "max(A', axis=1)"},
		{"max(T, axis=1)", "max(T *(ijk->ikj), axis=2)"},
		{"softmax(A, axis=0)", "softmax(A', axis=1)'"},
		{"softmax(T, axis=0)", "softmax(T *(ijk->jki), axis=-1) *(jki->ijk)"},
		{"softmax(x)", "softmax(x, axis=0)"},
		{"logsumexp(A, axis=0)", "logsumexp(A', axis=1)"},
		// Operands of order 0 are repeated, variables or not.
		{"A + s", "A + s *(->ij)"},
		{"s + A", "A + s"},
		{"A - s", "A + -s"},
		{"x + 1", "x + ones(n)"},
		{"A / s", "A ./ s"},
		{"A / s", "1/s * A"},
		{"s / A", "s * (1/A)"},
		{"A .* s", "s*A"},
		{"A / 2", "0.5*A"},
		{"max(A, 0)", "max(0, A)"},
		{"max(A, s)", "max(A, s *(->ij))"},
		{"A > s", "A > s *(->ij)"},
		{"A .^ s", "A^s"},
		{"s .^ A", "(s *(->ij)) .^ A"},
		{"x .^ 3", "x^3"},
		{"(A > 0) .* A", "A .* (A > 0)"},
		{"A + B > 0", "(A + B) > 0"},
		// Literals are exact and take their order from their place.
		{"x^(1/3)", "x^(2/6)"},
		{"x - 1.5e0", "x - 3/2"},
		{"x + 2^3", "x + 8"},
		{"x + (1 + 2)*3", "x + 9"},
		{"x + (2 > 1)", "x + 1"},
		{"x + -2^2", "x - 4"},
		{"x^2^3", "x^8"},
		{"2.*(,i->i) x", "2*x"},
		{"x + delta(0)", "x + 1"},
		{"(delta(0) + 1) *(,i->i) x", "2*x"},
		{"2 *(i,i->i) x", "2*x"},
		{"x *(i,i->i) 1", "x"},
		{"sin(1) *(i,i->i) x", "sin(1) * x"},
		{"2 *(,->) 3 *(,i->i) x", "6*x"},
		// Index products of any arity, repeated letters, primes.
		{"einsum(ij,jk,kl->il; A, C, C')", "einsum(ab,bc,cd->ad; A, C, C')"},
		{"einsum(ij,j->i; A, x)", "A*x"},
		{"einsum(ij->ji; A)", "A'"},
		{"einsum(i,i,i->; x, y, x)", "einsum(i,i,i->; x, x, y)"},
		{"A *(ij'',j''->i) x", "A*x"},
		{"A *(Zz,z->Z) x", "A*x"},
		{"A *(ij->i)", "sum(A, axis=1)"},
		// Quotients, powers and signs.
		{"A*x .* v", "(A*x) .* v"},
		{"x/y/x", "(x/y)/x"},
		{"-x^2", "-(x^2)"},
		{"kron(s, A)", "s*A"},
		{"solve(S, x)", "solve(S, x)"},
		// Size symbols are numbers.
		{"1/m * sum(v)", "mean(v)"},
		{"n*x", "n *(,i->i) x"},
	} {
		src := declarations + "expression " + c[0] + "\nexpression " + c[1]
		p, err := elaborate(src, Options{})
		if !assert.NoError(t, err, "%s and %s", c[0], c[1]) {
			t.Log("\n" + err.(*syntax.Error).Render("", src, false))
			continue
		}
		a, b := p.Outputs[0].Node, p.Outputs[1].Node
		assert.Equal(t, size.Shape(a.Shape()), size.Shape(b.Shape()), "%s and %s", c[0], c[1])
		assert.Same(t, a, b, "%s and %s", c[0], c[1])
	}
}

// The shape of an expression, where the declarations leave sizes open too.
func TestShapes(t *testing.T) {
	for _, c := range []struct{ src, shape string }{
		{"declare A 2 x 1 expression A *(ij,j->i) x", "[m]"},
		{"declare A 2 B 2 expression A *(ij,jk->ik) B", "[m,p]"},
		{"declare A 2 expression inv(A)", "[m,m]"},
		{"declare A 2 B 2 expression A*B + B'", "[m,m]"},
		{"declare A 2 x[n] expression A*x", "[m]"},
		{"declare m 0 A 2 expression m*A", "[n,p]"},
		{"declare A 2 B 2 expression kron(A, B)", "[m*p,n*q]"},
		{"declare x 1 y 1 expression kron(x, y)", "[m*n]"},
		{"declare A[2,3] B[m,4] expression kron(A, B)", "[2*m,12]"},
		{"declare A[m,n] B[p,q] C 2 expression kron(A, B) + C", "[m*p,n*q]"},
		{"declare A[m,n] B[p,q] C[r,s] expression kron(A, B) + C", "[m*p,n*q]"},
		{"declare A[m*p,n + 1] x[n + 1] expression A*x", "[m*p]"},
		{"declare x 1 expression x *(i->ij)", "[m,n]"},
		{"declare x 1 expression x *(i->iji)", "[m,n,m]"},
		{"declare x 1 expression 1 *(i,j->ij) x", "[n,m]"},
		{"expression delta(1)", "[m,m]"},
		{"expression delta(2)", "[m,n,m,n]"},
		{"declare v[3] expression delta[3,3] *(ijkl,k->ijl) v", "[3,3,3]"},
		{"declare v 1 w 1 expression (v + 1) *(i,j->ij) (w + 1)", "[m,n]"},
		{"declare v 1 w 1 expression (delta(1)*v) *(i,j->ij) (delta(1)*w)", "[m,n]"},
		{"declare v 1 w 1 let I = delta(1) expression (I*v) *(i,j->ij) (I*w)", "[m,n]"},
		{"declare v 1 w 1 let c = 2 expression (c + v) *(i,j->ij) (c *(i,i->i) w)", "[m,n]"},
		{"declare x[n] let e = x > 0 let f = e' expression f*x", "[]"},
		{"declare A[2,2] expression matpow(A, 1000000000)", "[2,2]"},
		{"declare T 3 expression max(T, axis=-2)", "[m,p]"},
		{"declare T 3 expression T *(iij->ji)", "[n,m]"},
		{"declare A 2 b 2 expression solve(A, b)", "[m,n]"},
		{"declare A 2 expression solve(A, 1)", "[m]"},
		{"declare A 2 B 3 expression solve(A, B)", "[m,n,p]"},
		{"declare X 2 expression det(X + 1)", "[]"},
		{"declare X 2 w 1 expression sum(X, axis=1) + X*w", "[m]"},
		{"expression 1 + 2", "[]"},
		{"expression sum(2)", "[]"},
		{"declare sum 1 expression sum(sum) * sum", "[m]"},
	} {
		p, err := elaborate(c.src, Options{})
		if assert.NoError(t, err, c.src) {
			assert.Equal(t, c.shape, size.Shape(p.Outputs[0].Node.Shape()), c.src)
		}
	}
}

func TestLanguageErrors(t *testing.T) {
	for _, c := range []struct {
		src  string
		code syntax.Code
		at   string // the text at the error's place
		says string // part of message and help
	}{
		{"expression x*y", "T006", "*", "x'*y for the inner product, x*y' for the outer product, or x .* y"},
		{"expression x'*y'", "T006", "*", "x'*y for the inner product"},
		{"expression x*S", "T006", "*", "x'*S"},
		{"expression S*x'", "T006", "*", "S*x for the column"},
		{"expression (A*x)*v", "T006", "*", "(A*x)'*v"},
		{"expression T*x", "T006", "*", "orders 3 and 1"},
		{"declare Q 4 expression (Q + Q)'", "T007", "'", "(Q + Q) *(ijkl->lkji)"},
		{"expression T'", "T007", "'", "T *(ijk->kji)"},
		{"expression A*v", "T012", "*", "A' * v would fit"},
		{"expression A*B", "T012", "*", "A' * B would fit"},
		{"expression A + T", "T001", "+", "order"},
		{"expression A + x", "T011", "+", "sizes differ in a sum: x is repeated for each column of A"},
		{"expression A > T", "T001", ">", "comparison"},
		{"expression max(A, T)", "T001", "max", "a max"},
		{"expression A .^ T", "T001", ".^", "order"},
		{"expression x^y", "T004", "y", "x .^ y"},
		{"expression 2.^x", "T004", "x", "2 .^ x"},
		{"expression A*C + A", "T011", "+", "axis 1 is k in A*C and n in A"},
		{"expression x + v", "T011", "+", "if n and m are the same size"},
		{"expression inv(A)", "T013", "inv", "sizes m and n"},
		{"expression diag(A)", "T013", "diag", "square"},
		{"expression tr(x)", "T005", "tr", "order 1"},
		{"expression matpow(x, 2)", "T005", "matpow", "order 1"},
		{"expression matpow(S, x)", "T008", "x", "order 1"},
		{"expression matfun(q, S)", "T008", "q", "matfun(exp, A)"},
		{"expression expm(A)", "T013", "expm", "square"},
		{"expression expm(S, C)", "T012", "expm", "direction"},
		{"expression chol(x)", "T005", "chol", "matrix"},
		{"expression pinv(x)", "T005", "pinv", "matrix"},
		{"expression diag(T)", "T007", "diag", "order 3"},
		{"expression diag(2)", "T007", "diag", "order 0"},
		{"expression softmax(A)", "T007", "softmax", "softmax(A, axis=1)"},
		{"expression sum(A, axis=2)", "T007", "axis=2", "order is 2"},
		{"expression sum(A, axis=-3)", "T007", "axis=-3", "from the end"},
		{"expression sum(s, axis=0)", "T007", "axis=0", "order is 0"},
		{"expression kron(T, x)", "T007", "kron", "orders 3 and 1"},
		{"expression solve(S, v)", "T012", "solve", "n and v has m"},
		{"expression solve(S, s)", "T007", "s", "s is a number"},
		{"expression x'*softmax(x'*S)", "T006", "*", "x'*softmax(x'*S)' for the inner product, x*softmax(x'*S) for the outer product, or x .* softmax(x'*S)'"},
		{"expression S*softmax(x'*S)", "T006", "*", "softmax(x'*S)*S' for the row"},
		{"expression exp(x + x + x + x + x + x)*x", "T006", "*", "a column has no product with a column on its right"},
		{"expression A *(ij,ik->jk) x", "T002", "ik", "x has order 1, but 2 indices"},
		{"expression 1 *(ij,->) A", "T002", "-", "A has order 2, but no index"},
		{"expression s *(ij,ij->) A", "T002", "ij", "s has order 0"},
		{"expression T *(ij->i)", "T002", "ij", "order 3"},
		{"expression x *(i,i->ij) y", "T003", "j", "occurs in no operand"},
		{"expression einsum(i,i,i->k; x, y, x)", "T003", "k", "occurs in no operand"},
		{"expression A *(ii,i->) x", "T012", "i", "stands for axes of sizes m and n"},
		{"expression A *(ij,i->j) x", "T012", "i", "A *(ji,i->j) x"},
		{"expression einsum(ij,jk->ik; A, A)", "T012", "j", "j is n in A (operand 1) and m in A (operand 2)"},
		{"expression eye(2.5)", "T008", "2.5", "whole"},
		{"expression eye(0 - 1)", "T008", "0 - 1", "negative"},
		{"expression eye(q)", "N002", "q", "declare v[q]"},
		{"expression eye(x)", "T008", "x", "x is a variable"},
		{"expression 2[x]", "T008", "x", "not a size"},
		{"expression 2[n/2]", "T008", "n/2", "whole"},
		{"expression q", "N002", "q", "not declared"},
		{"expression sum", "N002", "sum", "sum(...)"},
		{"expression sine(x)", "S014", "sine", "sin"},
		{"expression atan(x)", "S014", "atan", "written arctan(...)"},
		{"expression trace(S)", "S014", "trace", "written tr(...)"},
		{"expression x(y)", "S004", "(", "x*(...)"},
		{"declare x 1 expression x", "N001", "x", "already a variable"},
		{"declare n 1 expression x", "N001", "n", "size symbol"},
		{"declare z[x] expression x", "N001", "x", "cannot also be a size symbol"},
		{"declare z[z] expression x", "N001", "z", "cannot also be a size symbol"},
		{"let x = y expression x", "N001", "x", "already a variable"},
		{"let p = y let p = y expression x", "N001", "p", "defined"},
		{"expression f = x expression f = y", "N001", "f", "defined"},
		{"let p = p expression x", "N002", "p", "not declared"},
		{"expression q let q = x", "N002", "q", "not declared"},
		{"let p = x + v expression x", "T011", "+", "sum"},
		{"expression x derivative wrt z", "N003", "z", "not declared"},
		{"expression x derivative wrt n", "N003", "n", "size symbol"},
		{"let p = x expression p derivative wrt p", "N003", "p", "not a declared variable"},
		{"expression x jvp wrt x along z", "N003", "z", "not declared"},
		{"expression x gradient wrt x, y, x", "S011", "x", "twice"},
		{"expression f = x gradient wrt x, f", "N003", "f", "not a declared variable"},
		{"declare w[n] expression w + 3[4]", "T011", "+", "n in w and 4"},
		{"expression kron(A, A) + 2[5,6]", "T011", "+", "m*m"},
		{"expression 9^9^9^9", "L004", "^", "digits"},
		{"expression T *(ijk,lmn->ijklmn) T *(ijklmn,opqrst->ijklmnopqrst) 1 * 2[m,m,m,m,m,m,m,m,m,m,m,m]", "T006", "*", ""},
	} {
		src := declarations + c.src
		_, err := elaborate(src, Options{})
		var e *syntax.Error
		if !assert.ErrorAs(t, err, &e, c.src) {
			continue
		}
		assert.Equal(t, c.code, e.Code, "%s: %s", c.src, e.Message)
		assert.Equal(t, c.at, strings.TrimSpace(src[e.Span.Start:max(e.Span.End, e.Span.Start)]), "%s: %s", c.src, e.Message)
		assert.Contains(t, e.Message+" "+e.Help, c.says, c.src)
		t.Log("\n" + e.Render("", src, false))
	}
}

// Numbers given from outside meet what is declared.
func TestGivenSizes(t *testing.T) {
	type dims = map[string][]int64
	type sizes = map[string]int64
	for _, c := range []struct {
		src   string
		dims  dims
		sizes sizes
		want  string // the shape, or a code and the text at its place
	}{
		{"declare A 2 x 1 expression A*x", dims{"A": {2, 3}}, nil, "[2]"},
		{"declare A 2 x 1 expression A*x", dims{"A": {2, 3}, "x": {3}}, nil, "[2]"},
		{"declare A 2 x 1 expression A*x", dims{"x": {3}}, nil, "T015 A"},
		{"declare A 2 x 1 expression x", dims{"x": {3}}, nil, "[3]"},
		{"declare A 2 x 1 let p = A expression x", dims{"x": {3}}, nil, "[3]"},
		{"declare A 2 x 1 let p = A let q = p*x expression q", dims{"x": {3}}, nil, "T015 A"},
		{"declare A 2 x 1 expression x derivative wrt A", dims{"x": {3}}, nil, "T015 A"},
		{"declare A 2 x 1 expression A*x", dims{"A": {2, 3}, "x": {2}}, nil, "T012 *"},
		{"declare A[m,n] x[n] expression A*x", nil, sizes{"m": 2, "n": 3}, "[2]"},
		{"declare A[m,n] x[n] expression A*x", nil, sizes{"m": 2}, "T015 A"},
		{"declare A[m,n] x[n] expression A*x", dims{"A": {2, 3}}, sizes{"m": 2}, "[2]"},
		{"declare A[m,n] x[n] expression A*x", dims{"A": {2, 3}}, sizes{"m": 4}, "T014 m"},
		{"declare A[m,n] x[n] expression A*x", dims{"A": {2, 3}, "x": {4}}, nil, "T014 n"},
		{"declare A[m,n] expression inv(A)", dims{"A": {3, 3}}, nil, "[3,3]"},
		{"declare A[m,n] expression inv(A)", dims{"A": {3, 4}}, nil, "T013 inv"},
		{"declare A[2,3] expression A", dims{"A": {2, 3}}, nil, "[2,3]"},
		{"declare A[2,3] expression A", dims{}, nil, "[2,3]"},
		{"declare A[2,3] expression A", dims{"A": {2, 4}}, nil, "T014 3"},
		{"declare A[2*n,n + 1] expression A", dims{"A": {4, 3}}, sizes{"n": 2}, "[4,3]"},
		{"declare A[2*n,n + 1] expression A", dims{"A": {4, 4}}, sizes{"n": 2}, "T014 n + 1"},
		{"declare A[n - 5] expression A", nil, sizes{"n": 2}, "T008 n - 5"},
		{"declare A 2 expression A", dims{"A": {2}}, nil, "T016 A"},
		{"declare A 2 expression A", dims{"A": {2, -1}}, nil, "T014 A"},
		{"declare A[n] expression A", nil, sizes{"n": -1}, "T014 n"},
		{"declare A 2 expression A", dims{"A": {2, 2}, "B": {1}}, nil, "T017 "},
		{"declare A[n] expression A", nil, sizes{"n": 1, "q": 1}, "T017 "},
		{"declare x 0 expression delta(1) *(ii,->) x", dims{"x": {}}, nil, "T015 delta"},
		{"declare x 0 expression delta[4] *(ii,->) x", dims{"x": {}}, nil, "[]"},
		{"declare x 1 expression 1 *(i,j->ij) x", dims{"x": {2}}, nil, "T015 1"},
		{"declare x 1 expression x *(i->ij)", dims{"x": {2}}, nil, "T015 j"},
		{"declare x 1 let p = x *(i->ij) expression x", dims{"x": {2}}, nil, "[2]"},
		{"declare x 1 let p = x *(i->ij) expression p + 1[2,3]", dims{"x": {2}}, nil, "[2,3]"},
		{"declare A 2 B 2 C 2 expression kron(A, B) + C", dims{"A": {2, 3}, "B": {4, 5}}, nil, "[8,15]"},
		{"declare A 2 B 2 C 2 expression kron(A, B) + C", dims{"A": {2, 3}, "B": {4, 5}, "C": {8, 14}}, nil, "T011 +"},
		{"declare A[m,n] B[p,q] C[r,s] expression kron(A, B) + C", dims{"A": {2, 3}, "B": {4, 5}, "C": {8, 15}}, nil, "[8,15]"},
		{"declare A[m,n] B[p,q] C[r,s] expression kron(A, B) + C", dims{"A": {2, 3}, "B": {4, 5}, "C": {9, 15}}, nil, "T011 +"},
		{"declare A 2 x 1 expression A*x", dims{"A": {3, 0}, "x": {0}}, nil, "[3]"},
		{"declare A 2 b 1 expression A *(ij,i->) b", dims{"A": {1, 5}, "b": {2}}, nil, "T012 i"},
	} {
		p, err := elaborate(c.src, Options{Dims: c.dims, Sizes: c.sizes})
		got := ""
		if err == nil {
			got = size.Shape(p.Outputs[0].Node.Shape())
			for _, n := range combinators.Topo(p.Outputs[0].Node) {
				for _, d := range n.Shape() {
					_, ok := d.Int()
					assert.True(t, ok, c.src)
				}
			}
		} else {
			e := err.(*syntax.Error)
			got = string(e.Code) + " " + c.src[e.Span.Start:e.Span.End]
			t.Log("\n" + e.Render("", c.src, false))
		}
		assert.Equal(t, c.want, got, "%s %v %v", c.src, c.dims, c.sizes)
	}
}

// Programs keep statements, names and sizes as they are written.
func TestProgram(t *testing.T) {
	p := mustElaborate(t, `
		declare X[m,n] y[m] w 1 unused[3] b 2
		let r = X*w - y
		expression f = 1/m * sum(r .^ 2)
		expression r
		derivative wrt w order 3
		gradient wrt X, w
		hvp wrt w along w
	`, Options{})
	names := []string{}
	for _, q := range p.Params {
		names = append(names, q.Name+size.Shape(q.Node.Shape()))
	}
	assert.Equal(t, []string{"X[m,n]", "y[m]", "w[n]", "unused[3]", "b[p,q]"}, names)
	assert.Equal(t, "f", p.Outputs[0].Name)
	assert.Equal(t, "", p.Outputs[1].Name)
	assert.Equal(t, "[m]", size.Shape(p.Outputs[1].Node.Shape()))
	require.Len(t, p.Requests, 3)
	assert.Equal(t, []string{"w"}, p.Requests[0].Wrt)
	assert.Equal(t, 3, p.Requests[0].Order)
	assert.Equal(t, []string{"X", "w"}, p.Requests[1].Wrt)
	assert.Equal(t, "w", p.Requests[2].Along)
	symbols := []string{}
	for _, s := range p.Symbols {
		symbols = append(symbols, fmt.Sprintf("%s %v %v", s.Name, s.Declared, s.Determined))
	}
	assert.Equal(t, []string{"m true true", "n true true", "p false true", "q false true"}, symbols)

	p = mustElaborate(t, "expression delta(1) *(ii->)", Options{})
	assert.Equal(t, []Symbol{{Name: "m", Span: syntax.Span{Start: 11, End: 16}}}, p.Symbols)
}
