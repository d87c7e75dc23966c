// Command index times programs in index notation and their adjoints: convolutions, the
// example of Urban and van der Smagt's section 6, running sums, gathers and scatters. It
// prints one JSON object a line, with the fields of bench/index_peer.py, so that
// bench/index.sh can set the two side by side.
//
// Every program is planned once and run many times into the same tensors, as a caller does
// who fits a model; the peers write into the same arrays too where they can. The inputs are
// the same for every implementation only in shape; results are checked by the tests of
// package eval.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/internal/processor"
	"frechet/rewrite/normal"
)

func main() {
	threads := flag.Int("threads", 1, "processors to use")
	only := flag.String("only", "", "run only cases whose name begins so")
	plans := flag.Bool("plan", false, "print the programs instead of timing them")
	flag.Parse()
	runtime.GOMAXPROCS(*threads)
	for _, c := range cases() {
		if !strings.HasPrefix(c.name, *only) {
			continue
		}
		if err := c.run(*threads, *plans); err != nil {
			fmt.Fprintln(os.Stderr, c.name+":", err)
			os.Exit(1)
		}
	}
}

// A benchmark is one or several values that are computed together.
type benchmark struct {
	name  string
	flops float64 // multiplications and additions, where that says something
	nodes []*combinators.Node
}

func (c benchmark) run(threads int, plans bool) error {
	env, shapes := eval.Env{}, map[string][]int{}
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range combinators.Topo(c.nodes...) {
		if n.Name() == "" || n.Args() != nil {
			continue
		}
		shape := []int{}
		for _, d := range n.Shape() {
			v, _ := d.Int()
			shape = append(shape, int(v))
		}
		x := eval.NewTensor(shape...)
		for i := range x.Data {
			x.Data[i] = r.Float64()*2 - 1
		}
		env[n.Name()], shapes[n.Name()] = x, shape
	}
	p, err := eval.Compile(c.nodes, shapes)
	if err != nil {
		return err
	}
	if plans {
		fmt.Printf("%s\n%v\n", c.name, p.Plan())
		return nil
	}
	outs, err := p.Run(context.Background(), env)
	if err != nil {
		return err
	}
	once := func() error { return p.RunInto(context.Background(), outs, env) }
	var times, cpu []float64
	for begin := time.Now(); len(times) < 5 || time.Since(begin) < 300*time.Millisecond && len(times) < 200; {
		start, used := time.Now(), processor.Time()
		if err := once(); err != nil {
			return err
		}
		times = append(times, time.Since(start).Seconds())
		cpu = append(cpu, (processor.Time() - used).Seconds())
	}
	slices.Sort(times)
	slices.Sort(cpu)
	line := map[string]any{"bench": "index", "case": c.name, "impl": "frechet", "threads": threads,
		"wall_s": times[len(times)/2], "wall_best_s": times[0], "cpu_s": cpu[len(cpu)/2], "bytes": p.Plan().Bytes}
	if c.flops > 0 {
		line["flops"] = c.flops
	}
	return json.NewEncoder(os.Stdout).Encode(line)
}

func dims(ns ...int64) []size.Size {
	out := make([]size.Size, len(ns))
	for i, n := range ns {
		out[i] = size.Const(n)
	}
	return out
}

// form is the affine form with these coefficients of variables 0, 1, ...
func form(off int64, coefs ...int64) einsum.Affine {
	a := einsum.Affine{Off: size.Const(off)}
	for v, c := range coefs {
		if c != 0 {
			a.Terms = append(a.Terms, einsum.Term{Var: v, Coef: c})
		}
	}
	return a
}

func access(shape []size.Size, index ...einsum.Affine) einsum.Access {
	return einsum.Access{Shape: shape, Index: index}
}

// contract builds a contraction; the arguments here are all right by construction.
func contract(s *combinators.Store, vars []size.Size, in []einsum.Access, out einsum.Access, ge []einsum.Affine, args ...*combinators.Node) *combinators.Node {
	c, err := einsum.New(vars, in, out, nil, ge)
	if err != nil {
		panic(err)
	}
	return s.Ein(c, args...)
}

func cases() (out []benchmark) {
	out = append(out, gemm(), conv(1, 8, 3, 4096, 16, 9), conv1(), conv(2, 8, 3, 64, 16, 5))
	var flat []benchmark
	for _, c := range out {
		flat = append(flat, c.split()...)
	}
	flat = append(flat, section6()...)
	flat = append(flat, prefix(1000000)...)
	return append(flat, rows(20000, 64)...)
}

// split makes a benchmark of each value.
func (c benchmark) split() (out []benchmark) {
	parts := []string{"forward", "input", "kernel"}
	if len(c.nodes) == 1 {
		parts = []string{"product"}
	}
	for i, n := range c.nodes {
		out = append(out, benchmark{c.name + "/" + parts[i], c.flops, []*combinators.Node{n}})
	}
	return out
}

// gemm is the matrix product of the size that a convolution of the two dimensions below is.
func gemm() benchmark {
	s := combinators.NewStore()
	return benchmark{"gemm", 2 * 16 * 75 * 28800, []*combinators.Node{s.Einsum("ij,jk->ik", s.Var("w", dims(16, 75)), s.Var("x", dims(75, 28800)))}}
}

// conv is y[n,o,i..] = sum over c, k.. of x[n,c,i+k..] w[o,c,k..] in one or two dimensions, with
// its adjoints in x and w.
func conv(d int, n, c, h, o, k int64) benchmark {
	s := combinators.NewStore()
	i := h - k + 1
	// variables: n, o, c, then i.., then k..
	vars := dims(n, o, c)
	one := func(vs ...int) (a einsum.Affine) {
		slices.Sort(vs)
		for _, v := range vs {
			a = a.Plus(1, einsum.Variable(v))
		}
		return a
	}
	xs, ws, ys := dims(n, c), dims(o, c), dims(n, o)
	xi, wi, yi := []einsum.Affine{one(0), one(2)}, []einsum.Affine{one(1), one(2)}, []einsum.Affine{one(0), one(1)}
	flops := float64(2 * n * o * c)
	for a := range d {
		vars = append(vars, size.Const(i))
		xs, ws, ys = append(xs, size.Const(h)), append(ws, size.Const(k)), append(ys, size.Const(i))
		xi, wi, yi = append(xi, one(3+a, 3+d+a)), append(wi, one(3+d+a)), append(yi, one(3+a))
		flops *= float64(i * k)
	}
	for range d {
		vars = append(vars, size.Const(k))
	}
	xa, wa, ya := access(xs, xi...), access(ws, wi...), access(ys, yi...)
	y := contract(s, vars, []einsum.Access{xa, wa}, ya, nil, s.Var("x", xs), s.Var("w", ws))
	return benchmark{fmt.Sprintf("conv%dd", d), flops, withAdjoints(s, y, ys, "x", "w", xs, ws)}
}

// conv1 has one channel and one image: no matrix product is in it.
func conv1() benchmark {
	const n, k = 100000, 64
	s := combinators.NewStore()
	xs, ws, ys := dims(n), dims(k), dims(n-k+1)
	y := contract(s, dims(n-k+1, k), []einsum.Access{access(xs, form(0, 1, 1)), access(ws, form(0, 0, 1))}, access(ys, form(0, 1)), nil, s.Var("x", xs), s.Var("w", ws))
	return benchmark{"conv1d-single", 2 * n * k, withAdjoints(s, y, ys, "x", "w", xs, ws)}
}

// withAdjoints gives a value and its adjoints in two variables, at a variable cotangent.
func withAdjoints(s *combinators.Store, y *combinators.Node, shape []size.Size, a, b string, as, bs []size.Size) []*combinators.Node {
	back, err := adjoint.Standard().VJP([]*combinators.Node{y}, []*combinators.Node{s.Var(a, as), s.Var(b, bs)}, []*combinators.Node{s.Var("dy", shape)})
	if err != nil {
		panic(err)
	}
	return append([]*combinators.Node{y}, back...)
}

// section6 is f_ij = exp(-sum over k of ((a_ik + b_jk)^2 c_ii + d_(i+k)^3)), and f together
// with its four adjoints.
func section6() []benchmark {
	const i, j, k = 100, 120, 50
	s := combinators.NewStore()
	as, bs, cs, ds := dims(i, k), dims(j, k), dims(i, i), dims(i+k-1)
	a, b, c, d := s.Var("a", as), s.Var("b", bs), s.Var("c", cs), s.Var("d", ds)
	vars := dims(i, j, k)
	whole := access(vars, form(0, 1), form(0, 0, 1), form(0, 0, 0, 1))
	spread := func(acc einsum.Access, x *combinators.Node) *combinators.Node {
		return contract(s, vars, []einsum.Access{acc}, whole, nil, x)
	}
	square := s.Power(s.Add(spread(access(as, form(0, 1), form(0, 0, 0, 1)), a), spread(access(bs, form(0, 0, 1), form(0, 0, 0, 1)), b)), big.NewRat(2, 1))
	cube := s.Power(spread(access(ds, form(0, 1, 0, 1)), d), big.NewRat(3, 1))
	term := s.Add(contract(s, vars, []einsum.Access{whole, access(cs, form(0, 1), form(0, 1))}, whole, nil, square, c), cube)
	f := s.Unary(atom.Exp, s.Neg(s.Einsum("ijk->ij", term)))
	back, err := adjoint.Standard().VJP([]*combinators.Node{f}, []*combinators.Node{a, b, c, d}, []*combinators.Node{s.Var("dy", dims(i, j))})
	if err != nil {
		panic(err)
	}
	all := normal.Simplify(append([]*combinators.Node{f}, back...)...)
	return []benchmark{{"section6/forward", 0, all[:1]}, {"section6/gradients", 0, all}}
}

// prefix is y[i] = sum of x[k] over k <= i, and its adjoint.
func prefix(n int64) []benchmark {
	s := combinators.NewStore()
	xs := dims(n)
	x := s.Var("x", xs)
	y := contract(s, dims(n, n), []einsum.Access{access(xs, form(0, 0, 1))}, access(xs, form(0, 1)), []einsum.Affine{form(0, 1, -1)}, x)
	back, err := adjoint.Standard().VJP([]*combinators.Node{y}, []*combinators.Node{x}, []*combinators.Node{s.Var("dy", xs)})
	if err != nil {
		panic(err)
	}
	return []benchmark{{"prefix/forward", 0, []*combinators.Node{y}}, {"prefix/adjoint", 0, back}}
}

// rows is y[i,j] = x[3i+1,j], rows of a table, and its adjoint.
func rows(n, m int64) []benchmark {
	s := combinators.NewStore()
	xs, ys := dims(3*n+1, m), dims(n, m)
	x := s.Var("x", xs)
	y := contract(s, ys, []einsum.Access{access(xs, form(1, 3), form(0, 0, 1))}, access(ys, form(0, 1), form(0, 0, 1)), nil, x)
	back, err := adjoint.Standard().VJP([]*combinators.Node{y}, []*combinators.Node{x}, []*combinators.Node{s.Var("dy", ys)})
	if err != nil {
		panic(err)
	}
	return []benchmark{{"rows/gather", 0, []*combinators.Node{y}}, {"rows/scatter", 0, back}}
}
