package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// examples are shown by the help of each command; a test runs those that can run anywhere.
var examples = map[string]string{
	"diff": `frechet diff "declare x[n] expression sum(x .^ 4)" --wrt x --order 3
frechet diff "declare x[n] A[n,n] expression x'*A*x gradient wrt x hessian wrt x"`,
	"grad": `frechet grad "norm2(X*w - y)^2 + lambda*norm2(w)^2" --wrt w
frechet grad "declare A[n,n] x[n] expression x'*A*x derivative wrt x" -d "A=[[2,1],[0,1]],x=[1,2]" --check`,
	"jac": `frechet jac "declare A[m,n] x[n] expression sin(A*x) derivative wrt x"`,
	"hess": `frechet hess "declare X[m,n] w[n] expression sum(exp(X*w))" --wrt w --format latex
frechet hess "norm2(X*w - y)^2" --wrt w,y --joint`,
	"jvp":          `frechet jvp "declare x[n] v[n] expression exp(x)" --wrt x --along v`,
	"vjp":          `frechet vjp "declare A[m,n] x[n] u[m] expression tanh(A*x)" --wrt x --along u`,
	"taylor":       `frechet taylor "exp(x'*A*x)" --wrt x --along h`,
	"hvp":          `frechet hvp "declare x[n] v[n] expression sum(exp(x))" --wrt x --along v`,
	"diag-hessian": `frechet diag-hessian "declare X[m,n] w[n] expression sum(softplus(X*w))" --wrt w`,
	"gauss-newton": `frechet gauss-newton "declare X[m,n] w[n] y[m] let r = sigmoid(X*w) - y expression sum(r .^ 2)" --wrt w --through r`,
	"linear":       `frechet linear "declare a[n] x[n] expression sin(a'*x)" --wrt x`,
	"adjoint":      `frechet adjoint "declare A[m,n] x[n] expression exp(A*x)" --wrt x`,
	"eval":         `frechet eval "declare A[m,n] x[n] expression A*x" -d "A=[[1,2],[3,4]],x=[5,6]" --digits 4`,
	"check":        `frechet check "declare X[n,n] expression logdet(X)" --wrt X --order 2`,
	"minimize":     `frechet minimize "declare x[n] expression sum((x - 1) .^ 4)" --wrt x --size n=2 --method newton`,
	"stationary": `frechet stationary "norm2(X*w - y)^2 + c*norm2(w)^2" --wrt w
frechet stationary "declare S[n,n] C[n,n] expression logdet(S) + tr(inv(S)*C)" --wrt S --check`,
	"definite": `frechet definite "declare X[m,n] w[n] lam[] nonnegative expression sum(softplus(X*w)) + lam*norm2(w)^2" --wrt w --brief
frechet definite "logsumexp(X*w)" --wrt w`,
	"simplify": `frechet simplify "declare X[n,n] expression inv(X)*X + log(exp(1))*eye(n)"`,
	"draw":     `frechet draw "declare X[m,n] w[n] y[m] expression sum((X*w - y) .^ 2)" --wrt w`,
	"plan":     `frechet plan "declare A[m,n] B[n,k] x[k] expression A*B*x" --size m=100,n=200,k=300`,
	"prove": `frechet prove "tr(kron(A,B))" "tr(A)*tr(B)" --declare "A[m,m] B[n,n]"
frechet prove "sqrt(x^2)" "x" --declare "x[]"`,
	"steps":   `frechet steps "declare a[n] x[n] expression sin(a'*x)" --wrt x`,
	"rules":   `frechet rules show D-chain`,
	"verify":  `echo 'rule r "a + b = b" [a b: R] a + b => b' | frechet rules verify -`,
	"list":    `frechet rules list`,
	"show":    `frechet rules show D-chain`,
	"find":    `frechet rules find --over "max min -"`,
	"order":   `frechet rules order examples/rules/determinants.rules`,
	"explain": `frechet explain T012`,
	"version": `frechet version`,
	"replay":  `frechet steps "sin(x)" --wrt x --certificate - | frechet replay -`,
	"repl":    `printf '%s\n' "x'*A*x" ":grad x" | frechet repl`,
	"serve": `frechet serve
frechet serve --export site`,
	"mcp": `frechet mcp`,
	"lsp": `frechet lsp`,
}

// addExamples puts the examples into the help of all commands that have none.
func addExamples(cmd *cobra.Command) {
	if text := examples[cmd.Name()]; text != "" && cmd.Example == "" && cmd.Runnable() {
		cmd.Example = "  " + strings.ReplaceAll(text, "\n", "\n  ")
	}
	for _, sub := range cmd.Commands() {
		addExamples(sub)
	}
}
