package verify

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"frechet/combinators/text"
)

// Precedence orders the symbols of terms, greatest first, for the recursive path ordering by which
// rules decrease: s > t where an argument of s is at least t, or where the head of s is greater and
// s is greater than every argument of t, or where the heads are equal and the arguments of s are
// greater: as multisets for sums and contractions, from left to right for all others. The order is
// well founded whatever the precedence.
var Precedence = []string{
	"D", "adjoint", "copower",
	"log", "log1p", "logdet", "minor", "sign", "step", "pow", "power", "add", "inv", "exp", "sin", "cos", "sinh", "cosh", "tan", "tanh",
	"arcsin", "arctan", "erf", "relu", "abs", "softmax", "logsumexp", "softplus", "sigmoid", "ein", "norm2",
	"compose", "copair", "pair", "prod", "sum", "delta", "share", "lift",
}

// term is a text term as the ordering sees it.
type term struct {
	head     string
	exponent string     // of a power
	level    [2]float64 // of a power: the denominator, and the size, of its exponent
	variable bool
	args     []*term
}

// rank is the place of the head in the precedence. Powers are above each other by the denominator
// and then by the size of their exponents; unknown exponents, as r and -r, are at one place.
func (t *term) rank() []float64 {
	i := slices.Index(Precedence, t.head)
	if i < 0 {
		i = len(Precedence)
	}
	return []float64{float64(-i), t.level[0], t.level[1]}
}

// orderTerm writes differences, negations and quotients out as the sums and products that they are.
func orderTerm(t *text.Term, vars map[string]bool, let map[string]*term) *term {
	args := func(head string, ts ...*text.Term) *term {
		u := &term{head: head}
		for _, a := range ts {
			u.args = append(u.args, orderTerm(a, vars, let))
		}
		return u
	}
	switch t.Op {
	case text.Num:
		return &term{head: "number"}
	case text.Name:
		if v := let[t.Name]; v != nil {
			return v
		}
		return &term{head: t.Name, variable: vars[t.Name]}
	case text.Let:
		inner := map[string]*term{}
		for n, v := range let {
			inner[n] = v
		}
		for i, n := range t.Names {
			inner[n] = orderTerm(t.Args[i], vars, inner)
		}
		return orderTerm(t.Args[len(t.Args)-1], vars, inner)
	case text.Neg:
		return args("ein", text.NewInt(-1), t.Args[0])
	case text.Sub:
		return args("add", t.Args[0], text.NewNeg(t.Args[1]))
	case text.Add:
		return args("add", t.Args...)
	case text.Mul:
		return args("ein", t.Args...)
	case text.Div:
		return args("ein", t.Args[0], &text.Term{Op: text.Call, Name: "power", Attrs: []*text.Term{text.NewInt(-1)}, Args: t.Args[1:]})
	case text.Ein:
		return args("ein", t.Args...)
	case text.Compose:
		u := orderTerm(t.Args[len(t.Args)-1], vars, let)
		for i := len(t.Args) - 2; i >= 0; i-- {
			u = &term{head: "compose", args: []*term{orderTerm(t.Args[i], vars, let), u}}
		}
		return u
	case text.Call:
		if vars[t.Name] {
			u := args("apply", t.Args...)
			u.args = append([]*term{{head: t.Name, variable: true}}, u.args...)
			return u
		}
		u := args(t.Name, t.Args...)
		if t.Name == "power" && len(t.Attrs) == 1 {
			u.exponent = t.Attrs[0].String()
			if r := arith(t.Attrs[0], nil); r != nil {
				size, _ := new(big.Rat).Abs(r).Float64()
				den, _ := new(big.Float).SetInt(r.Denom()).Float64()
				u.level = [2]float64{den, size}
			}
			return u
		}
		for _, a := range t.Attrs {
			u.args = append(u.args, orderTerm(a, vars, let))
		}
		return u
	case text.Apply:
		u := args("D", t.Args[0].Args...)
		u.args = append(u.args, args("tuple", t.Args[1:]...).args...)
		return u
	case text.Family:
		return args(t.Name, t.Args...)
	case text.Copower:
		return args("copower", t.Args...)
	}
	return args(map[text.Op]string{text.Pair: "pair", text.Copair: "copair", text.Product: "prod", text.Tuple: "tuple"}[t.Op], t.Args...)
}

func sameTerm(a, b *term) bool {
	return a.head == b.head && a.exponent == b.exponent && len(a.args) == len(b.args) && slices.EqualFunc(a.args, b.args, sameTerm)
}

func atLeast(a, b *term) bool { return sameTerm(a, b) || greater(a, b) }

// greater is the recursive path ordering.
func greater(s, t *term) bool {
	if s.variable {
		return false
	}
	for _, a := range s.args {
		if atLeast(a, t) {
			return true
		}
	}
	if t.variable {
		return false
	}
	for _, b := range t.args {
		if !greater(s, b) {
			return false
		}
	}
	switch c := slices.Compare(s.rank(), t.rank()); {
	case c != 0:
		return c > 0
	case s.head != t.head:
		return false
	case s.head == "ein" || s.head == "add":
		return greaterMultiset(s.args, t.args)
	}
	for i := range s.args {
		if i >= len(t.args) {
			return true
		}
		if !sameTerm(s.args[i], t.args[i]) {
			return greater(s.args[i], t.args[i])
		}
	}
	return false
}

// greaterMultiset: what is common is taken out; each rest of b is below some rest of a.
func greaterMultiset(a, b []*term) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	for i := 0; i < len(a); {
		j := slices.IndexFunc(b, func(t *term) bool { return sameTerm(a[i], t) })
		if j < 0 {
			i++
			continue
		}
		a, b = slices.Delete(a, i, i+1), slices.Delete(b, j, j+1)
	}
	for _, t := range b {
		if !slices.ContainsFunc(a, func(s *term) bool { return greater(s, t) }) {
			return false
		}
	}
	return len(a) > 0
}

// Decrease says by which order a rule's right side is below its left one: the path ordering, or the
// weights of closed terms; "" where neither shows it.
func Decrease(r *text.Rule) string {
	vars, numbers := map[string]bool{}, map[string]*term{}
	for _, v := range r.Vars {
		switch {
		case v.Type == nil:
		case isNumber(v.Type):
			numbers[v.Name] = &term{head: "number"}
		default:
			vars[v.Name] = true
		}
	}
	if greater(orderTerm(r.Left, vars, numbers), orderTerm(r.Right, vars, numbers)) {
		return "path ordering"
	}
	if onMaps(r) && decreasesWeight(r) {
		return "weights"
	}
	return ""
}

// weights of a closed term, compared from left to right:
//
//	w(g . f) = (w(g) + 1)(w(f) + 1) - 1        w(f + g) = w(f) + w(g)
//	w(<f1, .., fn>) = w([f1, .., fn]) = the sum of the w(fk), and one more for f1 x .. x fn
//	w(f^X) = (w(f) + 1)^2 - 2                  w(id) = w(0) = w(K) = 1, w(pi) = w(iota) = 2
//
// then the weights of all parts of pairings and copairings, then the weights of all left parts of
// compositions: reassociation to the right keeps the first two.
type weights [3]int

func decreasesWeight(r *text.Rule) bool {
	random := rand.New(rand.NewPCG(7, 8))
	for trial := range 400 {
		n := 1 + trial%4
		w := &weigher{n: n, vars: map[string]weights{}, ks: map[string]int{}, draw: func() weights {
			most := []int{1, 3, 30}[trial%3]
			return weights{1 + random.IntN(most), random.IntN(5), random.IntN(5)}
		}, share: nativeStep(r) == "share"}
		left := w.of(r.Left)
		w.shared = true
		right := w.of(r.Right)
		if slices.Compare(left[:], right[:]) <= 0 {
			return false
		}
	}
	return true
}

type weigher struct {
	n      int // members of a family
	vars   map[string]weights
	ks     map[string]int
	draw   func() weights
	share  bool // members are g . s with one s
	shared bool // s is taken out
}

func (w *weigher) variable(name string) weights {
	if _, ok := w.vars[name]; !ok {
		w.vars[name] = w.draw()
	}
	return w.vars[name]
}

func composeWeights(g, f weights) weights {
	return weights{(g[0]+1)*(f[0]+1) - 1, g[1] + f[1], g[2] + f[2] + g[0]}
}

func (w *weigher) of(t *text.Term) weights {
	switch t.Op {
	case text.Num:
		return weights{1}
	case text.Name:
		head, _ := component(t)
		switch {
		case t.Name == "id":
			return weights{1}
		case head != "":
			return weights{2}
		}
		name := t.Name
		if len(t.Attrs) == 1 {
			name = fmt.Sprint(name, "#", w.ks[t.Attrs[0].Name])
		}
		v := w.variable(name)
		if w.share && !w.shared {
			return composeWeights(v, w.variable("s"))
		}
		return v
	case text.Compose:
		v := w.of(t.Args[len(t.Args)-1])
		for i := len(t.Args) - 2; i >= 0; i-- {
			v = composeWeights(w.of(t.Args[i]), v)
		}
		return v
	case text.Add:
		a, b := w.of(t.Args[0]), w.of(t.Args[1])
		return weights{a[0] + b[0], a[1] + b[1] + a[0] + b[0], a[2] + b[2]}
	case text.Family:
		var sum weights
		for k := range w.n {
			w.ks[t.Names[0]] = k + 1
			v := w.of(t.Args[0])
			sum = weights{sum[0] + v[0], sum[1] + v[1] + v[0], sum[2] + v[2]}
		}
		if t.Name == "prod" {
			sum[0]++
		}
		return sum
	case text.Copower:
		v := w.of(t.Args[0])
		v[0] = (v[0]+1)*(v[0]+1) - 2
		return v
	case text.Call:
		switch t.Name {
		case "leaf":
			return w.of(t.Args[0])
		case "lift":
			return w.of(t.Args[0].Args[0])
		case "share":
			return composeWeights(w.of(t.Args[0]), w.variable("s"))
		}
	}
	return weights{1}
}
