// Command exports times exported code: NumPy beside functions written by hand, C beside frechet's own evaluation. Rounds take turns, and
// a ratio is the median of those of the rounds, so that what else the machine does falls on both.
//
//	go run ./bench/exports [-rounds 7]
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"frechet"
	"frechet/internal/venv"
)

// A problem is a program with sizes; hand.py has a function of its name that was written by hand.
type problem struct {
	name, program string
	sizes         frechet.Sizes
}

var problems = []problem{
	{"logistic", "declare X[m,n] w[n] y[m] expression sum(log(1 + exp(-y .* (X*w)))) gradient wrt w", frechet.Sizes{"m": 1000, "n": 50}},
	{"logistic_hessian", "declare X[m,n] w[n] y[m] expression sum(log(1 + exp(-y .* (X*w)))) hessian wrt w", frechet.Sizes{"m": 1000, "n": 50}},
	{"ridge", "declare X[m,n] w[n] y[m] lam[] expression norm2(X*w - y)^2 + lam*norm2(w)^2 gradient wrt w", frechet.Sizes{"m": 2000, "n": 50}},
	{"factorisation", "declare A[m,n] U[m,k] V[n,k] expression sum((A - U*V') .^ 2) gradient wrt U, V", frechet.Sizes{"m": 200, "n": 200, "k": 5}},
	{"poisson", "declare X[m,n] w[n] y[m] expression sum(exp(X*w) - y .* (X*w)) hessian wrt w", frechet.Sizes{"m": 1000, "n": 50}},
	{"softmax", "declare X[m,n] W[n,k] Y[m,k] expression sum(logsumexp(X*W, axis=1)) - sum(Y .* (X*W)) gradient wrt W", frechet.Sizes{"m": 500, "n": 20, "k": 10}},
	{"elementwise", "declare x[n] expression sum(tanh(x) .* exp(-x.^2)) gradient wrt x", frechet.Sizes{"n": 100000}},
}

//go:embed hand.py
var hand string

//go:embed measure.py
var timer string

func main() {
	rounds := flag.Int("rounds", 7, "how often each is measured")
	flag.Parse()
	if err := run(*rounds); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func run(rounds int) error {
	python, made := venv.Python("numpy")
	if !made {
		return fmt.Errorf("go run ./internal/venv/make numpy makes what is needed")
	}
	runtime.GOMAXPROCS(1)
	dir, err := os.MkdirTemp("", "exports")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Println("| program | sizes | NumPy ms | / by hand | C ms | / own engine |\n|---|---|---|---|---|---|")
	for _, p := range problems {
		if err := p.measure(dir, python, rounds); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

func (p problem) measure(dir, python string, rounds int) error {
	ctx := context.Background()
	f, err := frechet.Parse(p.program)
	if err != nil {
		return err
	}
	reply, err := f.Derive(ctx, frechet.Query{Order: frechet.AnyOrder})
	if err != nil {
		return err
	}
	env, err := f.RandomEnv(ctx, p.sizes, 1)
	if err != nil {
		return err
	}
	if err := p.write(dir, f, reply, env); err != nil {
		return err
	}
	var terms []*frechet.Term
	for _, out := range reply.Outputs {
		terms = append(terms, out.Value)
		for _, d := range out.Derivs {
			terms = append(terms, d.Term)
		}
	}
	program, err := frechet.CompileAll(terms, p.sizes)
	if err != nil {
		return err
	}
	cmd := exec.Command(python, "measure.py")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	answers := json.NewDecoder(out)
	var numpy, c, byHand, byEngine []float64
	for range rounds {
		if _, err := in.Write([]byte("\n")); err != nil {
			return err
		}
		var t struct{ Numpy, Hand, C float64 }
		if err := answers.Decode(&t); err != nil {
			return err
		}
		own, err := timed(func() error { _, err := program.RunAll(ctx, env); return err })
		if err != nil {
			return err
		}
		numpy, c = append(numpy, t.Numpy), append(c, t.C)
		byHand, byEngine = append(byHand, t.Numpy/t.Hand), append(byEngine, t.C/own)
	}
	if err := in.Close(); err != nil {
		return err
	}
	if err := cmd.Wait(); err != nil {
		return err
	}
	sizes := strings.Trim(strings.ReplaceAll(fmt.Sprint(p.sizes), "map", ""), "[]")
	fmt.Printf("| %s | %s | %.3f | %.2f | %.3f | %.2f |\n", p.name, strings.ReplaceAll(sizes, ":", " = "), 1e3*median(numpy), median(byHand), 1e3*median(c), median(byEngine))
	return nil
}

// write writes the exported codes, compiled where they are C, and what measure.py reads.
func (p problem) write(dir string, f *frechet.Func, reply *frechet.Reply, env frechet.Env) error {
	var names []string
	data := map[string]any{}
	for _, x := range f.Params() {
		names = append(names, x.Name)
		data[x.Name] = map[string]any{"shape": append([]int{}, env[x.Name].Shape...), "data": env[x.Name].Data}
	}
	request, err := json.Marshal(map[string]any{"function": p.name, "params": names, "data": data})
	if err != nil {
		return err
	}
	files := map[string]string{"hand.py": hand, "measure.py": timer, "request.json": string(request)}
	for target, file := range map[string]string{"numpy": "exported.py", "c": "exported.c"} {
		if files[file], err = f.Code(reply, frechet.ExportOptions{Target: target, Name: "f", Sizes: p.sizes}); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	build := exec.Command("gcc", "-std=c99", "-O3", "-march=native", "-shared", "-fPIC", "-o", filepath.Join(dir, "libcode.so"), filepath.Join(dir, "exported.c"), "-lm")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// timed is the processor time of one call, of as many as take a tenth of a second.
func timed(f func() error) (float64, error) {
	calls := 0
	start := processor()
	for processor()-start < 100*time.Millisecond {
		if err := f(); err != nil {
			return 0, err
		}
		calls++
	}
	return (processor() - start).Seconds() / float64(calls), nil
}

func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // there is always one
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(xs []float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	return xs[len(xs)/2]
}
