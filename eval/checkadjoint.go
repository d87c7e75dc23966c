package eval

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"

	"frechet/combinators"
)

// An AdjointReport is the result of CheckAdjoint.
type AdjointReport struct {
	Left, Right float64 // <L v, w> and <v, L* w>
	Error       float64 // their difference, relative to the sum of the absolute terms
	Entries     int     // of v and w; 0 where one of them has none
	Agree       bool
}

// CheckAdjoint compares <L v, w> with <v, L* w> for random v and w: forward is a value linear
// in the variable v, and backward one linear in the variable w, of v's shape. env has the
// other variables, and may have shapes for v and w, whose entries are not used.
func CheckAdjoint(ctx context.Context, forward, v, backward, w *combinators.Node, env Env, opts ...Option) (*AdjointReport, error) {
	rng := rand.New(rand.NewPCG(3, 4))
	all := Env{}
	for name, t := range env {
		all[name] = t
	}
	o := collect(opts)
	for _, n := range []*combinators.Node{v, w} {
		shape, err := shapeIn(n, env, o.sizes)
		if err != nil {
			return nil, err
		}
		t := NewTensor(shape...)
		for i := range t.Data {
			t.Data[i] = rng.NormFloat64()
		}
		all[n.Name()] = t
	}
	sides := func(env Env, of ...*combinators.Node) (left, right, size float64, err error) {
		for k, n := range of {
			out, err := Run(ctx, []*combinators.Node{n}, env, opts...)
			if err != nil {
				return 0, 0, 0, err
			}
			by, sum := env[[]*combinators.Node{w, v}[k].Name()], []*float64{&left, &right}[k]
			if len(out[0].Data) != by.Len() {
				return 0, 0, 0, &SizeError{Msg: "the adjoint's shapes are not those of the map, exchanged"}
			}
			for i, a := range out[0].Data {
				*sum += a * by.Data[i]
				size += math.Abs(a * by.Data[i])
			}
		}
		return left, right, size, nil
	}
	left, right, size, err := sides(all, forward, backward)
	if err != nil {
		return nil, err
	}
	r := &AdjointReport{Left: left, Right: right, Error: math.Abs(left-right) / math.Max(size, 1e-300)}
	if p, q := all[v.Name()].Len(), all[w.Name()].Len(); p > 0 && q > 0 {
		r.Entries = p + q
	}
	least := 1e-10
	if o.single {
		least = singleTolerance
	}
	r.Agree = r.Error <= least || left == right
	// A map may be zero but for rounding, as softmax along equal changes of all entries. How large that is
	// shows where the last digits of all variables change, and of all that is computed on the way.
	values, factors := []*combinators.Node{forward, backward}, []*combinators.Node(nil)
	for noise, k := 0.0, 0; !r.Agree && k < 2*trials; k++ {
		near := maps.Clone(all)
		if k == trials {
			values, factors = rounded(values...)
		}
		if k < trials {
			shake(near, rng, values...)
		}
		drawRounding(near, rng, factors)
		l, n, _, err := sides(near, values...)
		if err != nil {
			return nil, err
		}
		noise = math.Max(noise, math.Max(math.Abs(l-left), math.Abs(n-right)))
		r.Agree = math.Abs(left-right) <= 64*noise
	}
	return r, nil
}

// shapeIn finds a variable's shape from env or from the sizes that env determines.
func shapeIn(n *combinators.Node, env Env, sizes map[string]int64) ([]int, error) {
	if t, ok := env[n.Name()]; ok {
		return t.Shape, nil
	}
	p, err := Compile([]*combinators.Node{n.Store().Zero(n.Shape())}, nil, WithSizes(sizes))
	if err != nil {
		return nil, err
	}
	return p.plan.Outputs[0].Shape, nil
}
