package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/internal/programs"
)

// everyCommand are the commands that print what is made of a program, with what they are given
// beside it.
var everyCommand = []string{
	"simplify", "simplify --format combinators", "grad", "grad --json", "grad --format latex", "grad --format dot", "grad --format index",
	"jac", "jac --mode forward", "jac --mode reverse", "jac --format combinators", "jac --json", "hess", "hess --mode forward", "hess --mode reverse",
	"hess --json", "diff --order 2", "steps", "steps --all --format latex", "steps --json", "steps --certificate FILE", "plan", "plan --json",
	"plan --of jacobian", "plan --of hessian", "linear", "linear --json", "adjoint", "check --seed 3", "hvp --wrt x --along p", "jvp --wrt x --along p", "vjp --wrt x --along s", "gauss-newton --wrt w --through r", "diag-hessian --wrt x",
}

var repeated = []string{
	programs.Network(3),
	"declare X[m,n] w[n] y[m] b 0\nlet r = X*w + b - y\nexpression sum(r.^2) derivative wrt w, b",
	"declare A[n,n] B[n,n] x[n] s 0\nlet K = A*A' + s*B\nexpression log(det(K)) + x'*inv(K)*x + tr(A*B*A') derivative wrt A, B, s",
	"declare x[n] y[n] a[n]\nexpression softmax(x .* y) .* exp(-a) ./ (1 + exp(x)) + norm2(y)*a derivative wrt x, y, a",
	"declare A[m,n] B[n,k] C[k,m]\nexpression sum(sin(A*B*C) .^ 2) derivative wrt A, B, C",
	"declare A[n,n] x[n] p[n] s 0\nexpression x'*A*x + sum(exp(x)) derivative wrt x",
	"declare x[9] w[4]\nf[i] = sum{j}_0^3 (x[i+j] * w[j]) * exp(x[2*i])\nderivative wrt x, w",
}

// What a command prints depends on its input alone: not on what ran before, and not on the order in
// which Go goes through a map.
func TestRepeated(t *testing.T) {
	file := filepath.Join(t.TempDir(), "proof.json")
	type printed struct {
		status          int
		out, err, proof string
	}
	answer := func(command, program string) printed {
		args := strings.Fields(command)
		if k := slices.Index(args, "FILE"); k >= 0 {
			args[k] = file
		}
		var out, errs bytes.Buffer
		status := run(context.Background(), slices.Insert(args, 1, program), streams{strings.NewReader(""), &out, &errs})
		proof, _ := os.ReadFile(file)
		_ = os.Remove(file)
		return printed{status, out.String(), errs.String(), string(proof)}
	}
	var first []printed
	done := map[string]int{}
	for round := range 2 {
		k := 0
		for _, program := range repeated {
			for _, command := range everyCommand {
				got := answer(command, program)
				if round == 0 {
					first = append(first, got)
					done[command] += 1 - min(got.status, 1)
					require.True(t, got.status == 0 || command != "simplify", "%s\n%s", got.err, program)
				}
				require.Equal(t, first[k].out, got.out, "%s\n%s", command, program)
				require.True(t, first[k] == got, "%s\n%s", command, program)
				k++
			}
		}
	}
	for _, command := range everyCommand {
		require.NotZero(t, done[command], command)
	}
}
