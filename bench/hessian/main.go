// Command hessian times value, gradient and Hessian of the three experiments of Laue,
// Mitterreiter and Giesen: logistic regression, matrix factorisation with and without mask,
// and a net of ten layers. It prints one JSON object a line, with the fields of
// bench/hessian_peer.py, whose data it reads, so that bench/hessian.sh can set the two side
// by side.
//
// A Hessian is computed in full, and as the factors in which it stays.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"frechet"
	"frechet/internal/processor"
	"frechet/internal/programs"
)

func main() {
	threads := flag.Int("threads", 1, "processors to use")
	dir := flag.String("data", ".", "folder with the files of hessian_peer.py")
	only := flag.String("only", "", "run only problems whose name begins so")
	flag.Parse()
	runtime.GOMAXPROCS(*threads)
	files, err := filepath.Glob(filepath.Join(*dir, *only+"*.npz"))
	if err != nil || len(files) == 0 {
		fail(*dir, fmt.Errorf("no data: run hessian_peer.py first"))
	}
	slices.Sort(files)
	for _, file := range files {
		if err := problem(file, *threads); err != nil {
			fail(file, err)
		}
	}
}

func fail(what string, err error) {
	fmt.Fprintln(os.Stderr, what+":", err)
	os.Exit(1)
}

// problems has the text of every problem, and the variable.
var problems = map[string][2]string{
	"logistic":      {"declare X[m,n] y[m] w[n] expression sum(log(exp(-y .* (X*w)) + 1))", "w"},
	"factorisation": {"declare T[n,n] U[n,k] V[n,k] expression norm2(T - U*V')^2", "U"},
	"masked":        {"declare T[n,n] O[n,n] U[n,k] V[n,k] expression sum(O .* (T - U*V').^2)", "U"},
	"network":       {programs.Network(10), "W1"},
}

func problem(file string, threads int) error {
	name, size, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".npz"), "-")
	n, err := strconv.Atoi(size)
	if err != nil {
		return err
	}
	tensors, err := frechet.ReadTensors(file, frechet.DefaultLimits())
	if err != nil {
		return err
	}
	env := frechet.Env{}
	for _, t := range tensors {
		env[t.Name] = t.Tensor
	}
	p := problems[name]
	f, err := frechet.Parse(p[0], frechet.WithDims(frechet.DimsOf(env)))
	if err != nil {
		return err
	}
	gradient, err := f.Gradient(p[1])
	if err != nil {
		return err
	}
	h, err := f.HessianMap(p[1])
	if err != nil {
		return err
	}
	terms, err := h.Terms()
	if err != nil {
		return err
	}
	var factors []*frechet.Term
	for _, t := range terms {
		for _, x := range t.Factors {
			factors = append(factors, x.Term)
		}
	}
	cases := []struct {
		what  string
		terms []*frechet.Term
	}{
		{"value", []*frechet.Term{f.Value()}},
		{"gradient", []*frechet.Term{f.Value(), gradient}},
		{"factors", factors},
		{"hessian", []*frechet.Term{h.Entries()}},
	}
	for _, c := range cases {
		prog, err := frechet.CompileAll(c.terms, nil)
		if err != nil {
			return err
		}
		var out []*frechet.Tensor
		once := func() error {
			var err error
			out, err = prog.RunAll(context.Background(), env)
			return err
		}
		if err := measure(once, map[string]any{"bench": "hessian", "problem": name, "n": n, "what": c.what, "impl": "frechet", "threads": threads}, func() (sum, squares float64) {
			for _, v := range out[len(out)-1].Data {
				sum += v
				squares += v * v
			}
			return sum, squares
		}); err != nil {
			return err
		}
	}
	return nil
}

// measure runs once over and over, for at most a second, and prints its times. Fast runs are
// timed many at a time.
func measure(once func() error, line map[string]any, check func() (sum, squares float64)) error {
	if err := once(); err != nil {
		return err
	}
	batch := 1
	for begin := time.Now(); ; batch *= 2 {
		start := time.Now()
		for range batch {
			if err := once(); err != nil {
				return err
			}
		}
		if time.Since(start) > 5*time.Millisecond || time.Since(begin) > time.Second {
			break
		}
	}
	var wall, cpu []float64
	for begin := time.Now(); len(wall) < 3 || time.Since(begin) < 300*time.Millisecond; {
		start, used := time.Now(), processor.Time()
		for range batch {
			if err := once(); err != nil {
				return err
			}
		}
		wall = append(wall, time.Since(start).Seconds()/float64(batch))
		cpu = append(cpu, (processor.Time()-used).Seconds()/float64(batch))
	}
	slices.Sort(wall)
	slices.Sort(cpu)
	line["wall_best_s"], line["cpu_s"] = wall[0], cpu[len(cpu)/2]
	line["sum"], line["squares"] = check()
	return json.NewEncoder(os.Stdout).Encode(line)
}
