package verify

import (
	"fmt"
	"math"
	"math/rand/v2"

	"frechet/combinators"
	"frechet/eval"
	"frechet/rewrite/normal"
	"frechet/rewrite/verify/model"
)

// passSteps are the native steps of the normal form, with values at which they are made: x, y : R[3],
// A, B : R[3,3], C : R[2,3], s : R[].
var passSteps = map[string][]string{
	"outer":      {"let p = ein(i,j->ij; x, y) in ein(ij,jk->ik; p, B) + exp(p)", "let p = ein(i,j->ij; exp(x), ein(jk,k->j; A, y)) in p .* exp(p)"},
	"number":     {"2 .* (3 .* x)", "-(2/3 .* (s .* x))", "ein(i->i|j=3; x) .* (2 .* x)", "ein(i,->i; x, -1) .* (-y)"},
	"zero":       {"0 .* exp(x)", "ein(ij,j->i; A, 0 .* y)"},
	"powers":     {"x .* (x .* x)", "power[-2](x) .* power[-1](x)", "exp(x) ./ exp(x) .* x", "power[1/2](exp(x)) .* exp(x)"},
	"norms":      {"norm2(x) .* ein(i,i->; x, x)", "ein(i,,j,j->i; x, power[-3](norm2(x)), x, x)", "norm2(x) .* power[-1](ein(i,i->; x, x))"},
	"symmetric":  {"ein(ji,j->i; sin(A + ein(ij->ji; A)), x)", "ein(ji,jk->ik; inv(A + ein(ij->ji; A)), B)"},
	"distribute": {"ein(ij->ji; ein(ij,jk->ik; A, B) + ein(ji,jk->ik; A, B))", "ein(ij->ji; ein(ij,jk->ik; sin(A), B) - ein(i,j->ij; x, y))"},
	"factor": {"ein(ij,j->i; A, x) + ein(ij,j->i; A, y)", "x .* y - x .* exp(x)", "ein(ij->ji; sin(A)) + ein(ij->ji; cos(A))", "s .* x + s .* y",
		"exp(x) .* (y + 1) - exp(x)", "power[-1](x .* x + 1) - x .* x .* power[-2](x .* x + 1)", "power[-1/2](x .* x + 1) - x .* x .* power[-3/2](x .* x + 1)"},
	"collect": {"x + 2 .* x", "sin(x) - sin(x)", "x + (y + (x + 0))", "3 .* x + 6 .* exp(y)"},
	"fold":    {"abs(-2) .* x", "max(1, 2) .* x", "power[1/2](4/9) .* x", "power[-3](2) .* x", "relu(-1) + x"},
	"pick":    {"exp(ein(ij->ji; A))", "sin(ein(ii->i; A))", "exp(ein(i,->ij|j=2; x, s))"},
	"power":   {"power[2](exp(x))", "power[3](power[3](x))", "power[3](2 .* x)", "power[-3](exp(x) .* y)", "power[1/2](power[4](x))", "power[3/2](sin(x) .* sin(x))", "abs(power[-1](x))", "abs(power[3](x))"},
	"reshape": {"merge[0](2 .* C)", "split[0,2,3](-merge[0](sin(C)))"},
	"softmax": {"s .* ein(i->; softmax[1](x))", "ein(ij,ik->k; softmax[1](A), B)", "ein(i,jk->i; x, softmax[2](C))"},
	"turn":    {"ein(ij->ji; inv(A .* sin(B)))", "ein(jk,ji->ik; inv(ein(ij,jk->ki; A, B)), A)", "ein(ij->ji; minor[1](ein(ij,kj->ik; A, B)))", "minor[0](-2 .* ein(ij->ji; A))"},
	"right":   {"solve(A, 2 .* x)", "solve(A, ein(i,j->ij; x, y))", "solve(A, ein(i,j->iij; x, y))", "solve(A, ein(ij,jk,l->ilk; B, A, x))", "solve(A, ein(i,j->ij; power[0](x), y))", "solve(A, ein(ij,jk,k->ik; B, A, y))"},
	"axes": {"ein(ii->; merge[1](merge[0](ein(ij,kl->ikjl; A, B))))", "ein(i,i->; merge[0](C), merge[0](sin(C)))", "2 .* ein(i,i,->i; merge[0](C), merge[0](C), s)", "split[0,2,3](ein(,j->ii|i=6; s, x))", "merge[0](merge[1](ein(ij,k->ijk; C, x)))",
		"ein(ij,jk->ki; merge[1](merge[0](ein(ij,kl->ikjl; A, B))), merge[1](merge[0](ein(ij,kl->ikjl; B, A))))", "split[1,2,3](merge[0](ein(i,j,k->ijk; x, y, merge[0](exp(C)))))"},
	"inverse": {"split[0,2,3](merge[0](sin(C)))", "merge[0](split[0,3,2](merge[0](C)))"},
}

// passStep makes a native step of the normal form on the values of its row, and compares what it
// rewrites with what it makes of it, in the model and in floats.
func passStep(step string, rep *Report) *Report {
	p := &pool{s: combinators.NewStore(), r: rand.New(rand.NewPCG(11, 12)), env: map[string]*model.Array{}}
	env := passValues(p.s)
	var made []normal.Step
	for _, src := range passSteps[step] {
		steps, err := stepsOf(p.s, src, env, rep.Name)
		if err != nil {
			rep.Typing, rep.Reason = IllTyped, fmt.Sprintf("%s: %v", src, err)
			return rep
		}
		made = append(made, steps...)
	}
	modular, floats := 0, 0
	for _, s := range made {
		for range modularTrials {
			clear(p.env)
			a, errA := p.evaluate(p.s.Value(s.Before), map[string]*model.Array{})
			b, errB := p.evaluate(p.s.Value(s.After), map[string]*model.Array{})
			if errA != nil || errB != nil {
				break
			}
			for i := range a.Data {
				equal, ok := model.Agree(a.Data[i], b.Data[i])
				if ok && !equal {
					return refutedStep(rep, s, a.String(), b.String())
				}
				if ok {
					modular++
				}
			}
		}
		for range floatTrials {
			vals := map[string]*eval.Tensor{}
			for _, n := range combinators.Topo(s.Before, s.After) {
				if n.Name() == "" {
					continue
				}
				v := eval.NewTensor(model.ShapeOf(n)...)
				for i := range v.Data {
					v.Data[i] = 4*p.r.Float64() - 2
				}
				vals[n.Name()] = v
			}
			a, b := number(s.Before, vals), number(s.After, vals)
			if a != nil && len(vals) > 0 && gained(s, vals) {
				rep.Domain, rep.Declared, rep.Lost = Kept, Kept, "every operand"
			}
			if (a == nil) != (b == nil) || a != nil && !closeTensors(a, b) {
				return refutedStep(rep, s, matrix(a), matrix(b))
			}
			if a != nil {
				floats++
			}
		}
	}
	rep.Shapes = []string{counted(len(made), "term")}
	switch {
	case len(made) == 0 || modular+floats == 0:
		rep.Equality, rep.Reason, rep.Shapes = Assumed, "", nil
	case modular > 0:
		rep.Equality, rep.Trials, rep.Degree = TestedMod, modularTrials, 12
	default:
		rep.Equality, rep.Trials = FloatTested, floatTrials
	}
	return rep
}

func refutedStep(rep *Report, s normal.Step, left, right string) *Report {
	rep.Equality = Refuted
	rep.Witness = &Witness{Values: []Named{{"before", show(s.Before)}, {"after", show(s.After)}}, Left: left, Right: right}
	return rep
}

func closeTensors(a, b *eval.Tensor) bool {
	for i, x := range a.Data {
		d := x - b.Data[i]
		if d < 0 {
			d = -d
		}
		if d > 1e-9*(1+max(x, -x)) {
			return false
		}
	}
	return true
}

// gained reports whether a step gives a value to what has none: at some variable of which entries are
// no numbers, only what it made has a value.
func gained(s normal.Step, vals map[string]*eval.Tensor) bool {
	for name, v := range vals {
		hole := eval.NewTensor(v.Shape...)
		for i := range hole.Data {
			hole.Data[i] = math.NaN()
		}
		vals[name] = hole
		found := number(s.Before, vals) == nil && number(s.After, vals) != nil
		vals[name] = v
		if found {
			return true
		}
	}
	return false
}
