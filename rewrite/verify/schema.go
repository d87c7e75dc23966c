package verify

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/rewrite/verify/model"
)

// schemas are rules that call a native step and nothing else: what the step must satisfy.
var schemas = map[string]string{
	"swap":       "rule swap [U V, c: U -o V] adjoint(contraction(c)) => swap(c)",
	"transpose":  "rule transpose [U V, p: U -o V] adjoint(atom(p)) => transpose(p)",
	"derivative": "rule derivative [U V, p: U -> V, x: U] D(atom(p))(x) => derivative(p, x)",
	"lift":       "rule lift [U V, f: U -> V] leaf(f)^[X] => lift(f^[X])",
	"share":      "rule share [U V, f: U -> V[k]] pair{k}(f[k]) => share(pair{k}(f[k]))",
	"join":       "rule join [U V W, c: V -o W, d: U -o V] contraction(c) . contraction(d) => join(c, d)",
	"front":      "rule front [U V W, f: V -o W, d: U -o V] f . contraction(d) => front(f, d)",
	"extract":    "rule extract [U V, c: U -o V] contraction(c) => extract(c)",
	"gather":     "rule gather [U V, f g: U -o V] f + g => gather(f + g)",
	"select":     "rule select [U V W, f g: V -o W, h: U -o V[k]] (f + g) . pair{k}(h[k]) => select(f + g, pair{k}(h[k]))",
	"push":       "rule push [U V W, f g: V -o W, d: U -o V] (f + g) . contraction(d) => push(f + g, d)",
}

// Native checks a native step: its schema is instantiated by contractions drawn at random, by every
// atom, or by compositions.
func Native(n *text.Native) *Report {
	rep := &Report{Name: n.Name, Source: n.Source, Statement: n.Law}
	if n.Step == "fuse" {
		return fusion(rep)
	}
	if passSteps[n.Step] != nil {
		return passStep(n.Step, rep)
	}
	src, ok := schemas[n.Step]
	if !ok {
		rep.Equality = Assumed
		for line := range strings.Lines(n.Doc) {
			if _, reason, ok := strings.Cut(line, "assumed:"); ok {
				rep.Reason = strings.TrimSpace(reason)
			}
		}
		return rep
	}
	f, err := text.ParseRules(src)
	if err != nil {
		rep.Typing, rep.Reason = IllTyped, err.Error()
		return rep
	}
	nativeRule(f.Rules[0], n.Step, rep)
	if rep.Typing == Typed {
		rep.Typing = ""
	}
	return rep
}

// fusion checks that a contraction with another for an operand is the fused one with its equalities
// solved.
func fusion(rep *Report) *Report {
	r := rand.New(rand.NewPCG(9, 10))
	const count = 60
	for range count {
		s := combinators.NewStore()
		p := &pool{s: s, r: r, env: map[string]*model.Array{}}
		inner, args := p.plain(0, nil)
		outer, more := p.plain(1, append([]size.Size{}, inner.Out.Shape...))
		nested := s.Ein(outer, append([]*combinators.Node{s.Ein(inner, args...)}, more...)...)
		once := s.Ein(outer.Fuse(0, inner).Solve(), append(args, more...)...)
		for range modularTrials {
			clear(p.env)
			a, errA := p.evaluate(s.Value(nested), map[string]*model.Array{})
			b, errB := p.evaluate(s.Value(once), map[string]*model.Array{})
			if errA != nil || errB != nil {
				continue
			}
			for i := range a.Data {
				if equal, ok := model.Agree(a.Data[i], b.Data[i]); ok && !equal {
					rep.Equality = Refuted
					rep.Witness = &Witness{Values: []Named{{"the contraction", show(nested)}}, Left: a.String(), Right: b.String()}
					return rep
				}
			}
		}
	}
	rep.Equality, rep.Trials, rep.Degree, rep.Shapes = TestedMod, modularTrials, 12, []string{counted(count, "map")}
	return rep
}

// plain draws a contraction of variables, whose first operand has the shape given where it is not
// nil and is left out of the variables.
func (p *pool) plain(level int, first []size.Size) (*einsum.Contraction, []*combinators.Node) {
	dims := []size.Size{size.Const(2), size.Const(3), size.Const(2)}
	letters := func(n int) (out []int) {
		for range n {
			out = append(out, p.r.IntN(len(dims)))
		}
		return out
	}
	var in [][]int
	if first != nil {
		var l []int
		for _, d := range first {
			v := p.r.IntN(len(dims))
			if dims[v] != d {
				v = len(dims)
				dims = append(dims, d)
			}
			l = append(l, v)
		}
		in = append(in, l)
	}
	var args []*combinators.Node
	for i := range 1 + p.r.IntN(2) {
		l := letters(p.r.IntN(3))
		shape := lists.Map(l, func(v int) size.Size { return dims[v] })
		in = append(in, l)
		args = append(args, p.s.Var(fmt.Sprintf("v%d_%d", level, i), shape))
	}
	out := letters(p.r.IntN(3))
	c := einsum.Plain(in, out, dims)
	return c, args
}
