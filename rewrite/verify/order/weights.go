package order

import (
	"slices"
	"strings"

	"frechet/combinators/text"
	"frechet/internal/lists"
)

// ClosedWeights says how closed terms are weighed first, for people; see interpretation.
const ClosedWeights = "A(g . f) = A(g) + A(f), A(f + g) = A(f) + A(g) + 1, A(<f, g>) = A([f, g]) = A(f x g) = A(f) + A(g) + 2, " +
	"A(D(f)(x)) = A(f^X) = A(f)^2 + 1, A(adjoint(f)) = A(f)^3 + 1"

// interpretation orders closed terms by three polynomials in the weights of their parts, compared
// from left to right. Every weight is at least 1.
//
//	A(g . f) = A(g) + A(f)                      A(f + g) = A(f) + A(g) + 1
//	A(<f1, .., fn>) = A([f1, .., fn]) = A(f1 x .. x fn) = A(f1) + .. + A(fn) + n
//	A(D(f)(x)) = A(f^X) = A(f)^2 + 1            A(adjoint(f)) = A(f)^3 + 1
//	A of all else is 1; that of a contraction with n open operands is above 2n, n > 1
//
// B adds the A of all parts of pairings, copairings, products and sums, and C that of all left parts
// of compositions. A grows with each part; so does B where A stays, and C where both stay. So a rule
// whose right side is below its left one decreases every term that it is applied in, by an order
// without infinite descent.
//
// What a native step makes has at most the weight of its argument: swap and transpose exchange
// parts of one operation, lift gives it more axes, derivative(p, x) holds no D, and the weight of an
// operation p is taken as large as that of its derivative's parts. share(f) is the composition that
// f is: the members of f are g . s, and g is what is left of them. join(c, d) is one section for two, and
// push(f, d) is f without d. gather(f + g) has one sign less, with (u .* _) before what stands twice:
// A((u .* _) . f) = 1 + A(f) < A(f) + A(f) + 1. select(f + g, h) is without two projections and without h's
// pairing. A section of k numbers counts 2*k more, unless it is (r .* _): extract(c) is (r .* _) and one number less.
type interpretation struct{ a, b, c polynomial }

// weigher finds the interpretation of terms. Within a family the variables of members end in [k];
// the sum over all members of a monomial m is a variable too, sum(m).
type weigher struct {
	vars     map[string]*text.Type
	binder   string // of the family that is open
	selected []string
	share    bool // members are g . s with one s
	shared   bool // s is taken out
}

// leafWeight is the weight of a metavariable: at least 1, and more where it has several open operands.
func (w *weigher) leafWeight(name string, typ *text.Type) polynomial {
	least := whole(1)
	if typ != nil && typ.Arrow == text.BilinearTo {
		n := variable("#operands")
		if len(typ.Dom.Factors) > 0 {
			n = whole(int64(len(typ.Dom.Factors)) - 1)
		}
		least = n.plus(whole(1)).times(whole(2)).plus(whole(1))
	}
	return least.plus(variable(name))
}

func (w *weigher) variable(name, member string, typ *text.Type) interpretation {
	suffix := ""
	if member != "" {
		suffix = "[" + member + "]"
	}
	v := interpretation{w.leafWeight(name+suffix, typ), variable(name + ".b" + suffix), variable(name + ".c" + suffix)}
	if w.share && !w.shared {
		s := interpretation{whole(1).plus(variable("#s")), variable("#s.b"), variable("#s.c")}
		return composeWeights(v, s)
	}
	return v
}

func composeWeights(g, f interpretation) interpretation {
	return interpretation{g.a.plus(f.a), g.b.plus(f.b), g.c.plus(f.c).plus(g.a)}
}

func leaf() interpretation { return interpretation{whole(1), polynomial{}, polynomial{}} }

// of is the interpretation of t; ok is false for a term that has none.
func (w *weigher) of(t *text.Term) (v interpretation, ok bool) {
	part := func(u *text.Term) interpretation {
		p, fine := w.of(u)
		ok = ok && fine
		return p
	}
	ok = true
	switch t.Op {
	case text.Num, text.Ein, text.Mul:
		return leaf(), true
	case text.Name:
		if typ := w.vars[t.Name]; typ != nil && len(t.Attrs) < 2 {
			member := ""
			if len(t.Attrs) == 1 {
				member = t.Attrs[0].String()
			}
			return w.variable(t.Name, member, typ), true
		}
		return leaf(), true
	case text.Let:
		return w.of(t.Args[len(t.Args)-1])
	case text.Compose:
		v = part(t.Args[len(t.Args)-1])
		for i := len(t.Args) - 2; i >= 0; i-- {
			v = composeWeights(part(t.Args[i]), v)
		}
		return v, ok
	case text.Add, text.Pair, text.Copair, text.Product:
		v = interpretation{whole(int64(len(t.Args))), polynomial{}, polynomial{}}
		if t.Op == text.Add {
			v.a = whole(int64(len(t.Args) - 1))
		}
		for _, u := range t.Args {
			p := part(u)
			v = interpretation{v.a.plus(p.a), v.b.plus(p.b).plus(p.a), v.c.plus(p.c)}
		}
		return v, ok
	case text.Family:
		return w.family(t)
	case text.Copower:
		v = part(t.Args[0])
		v.a = v.a.power(2).plus(whole(1))
		return v, ok
	case text.Apply:
		if d := t.Args[0]; d.Op == text.Call && d.Name == "D" && len(d.Args) == 1 {
			v = part(d.Args[0])
			v.a = v.a.power(2).plus(whole(1))
			return v, ok
		}
	case text.Call:
		return w.called(t)
	}
	return v, false
}

// called is the interpretation of what an operation of rules makes.
func (w *weigher) called(t *text.Term) (v interpretation, ok bool) {
	ok = true
	arg := func(k int) interpretation {
		p, fine := w.of(t.Args[k])
		ok = ok && fine
		return p
	}
	switch t.Name {
	case "adjoint":
		v = arg(0)
		v.a = v.a.power(3).plus(whole(1))
		return v, ok
	case "leaf", "contraction", "atom", "swap", "transpose", "derivative", "push":
		return w.of(t.Args[0])
	case "lift":
		return w.of(t.Args[0].Args[0])
	case "share":
		return composeWeights(arg(0), interpretation{whole(1).plus(variable("#s")), variable("#s.b"), variable("#s.c")}), ok
	case "section", "K", "join":
		return leaf(), true
	case "front": // of the multiples behind maps there is one less
		f, d := arg(0), arg(1)
		return interpretation{f.a.plus(d.a), f.b.plus(d.b), f.c.plus(d.c).minus(whole(1))}, ok
	case "gather", "extract":
		v = arg(0)
		v.a = v.a.minus(whole(1))
		return v, ok
	case "select":
		f, h := arg(0), arg(1)
		return interpretation{f.a.plus(h.a).minus(whole(3)), f.b.plus(h.b), f.c.plus(h.c)}, ok
	}
	if typ := w.vars[t.Name]; typ != nil && typ.Arrow == text.BilinearTo {
		return leaf(), true // b(u, _): one open operand
	}
	return v, false
}

// family sums over the members, of which there is at least one.
func (w *weigher) family(t *text.Term) (interpretation, bool) {
	if w.binder != "" {
		return interpretation{}, false
	}
	w.binder = t.Names[0]
	p, ok := w.of(t.Args[0])
	w.binder = ""
	sum := func(q polynomial) polynomial {
		out := polynomial{}
		for m, c := range q {
			var inside, outside []string
			for _, f := range factors(m) {
				if name, isMember := strings.CutSuffix(f, "["+t.Names[0]+"]"); isMember {
					inside = append(inside, name)
				} else {
					outside = append(outside, f)
				}
			}
			out = out.plus(w.sumOver(inside).times(polynomial{monomial(outside...): c}))
		}
		return out
	}
	v := interpretation{sum(p.a), sum(p.b).plus(sum(p.a)), sum(p.c)}
	v.a = v.a.plus(w.sumOver(nil))
	if t.Name == "sum" { // of n summands by n-1 signs
		v.a = v.a.minus(whole(1))
	}
	return v, ok
}

// sumOver is the sum over all members of a monomial in their variables: that of the members which
// the rule selects, and the rest.
func (w *weigher) sumOver(names []string) polynomial {
	out := variable(sumName(names))
	if len(names) == 0 {
		out = variable("#operands").plus(whole(1)) // the number of members
	}
	for _, k := range w.selected {
		if len(names) == 0 {
			continue // one of those counted
		}
		var at []string
		at = lists.Append(at, names, func(n string) string { return n + "[" + k + "]" })
		out = out.plus(polynomial{monomial(at...): 1})
	}
	return out
}

// decreasesWeight proves that the right side of a rule is below its left side.
func decreasesWeight(r *text.Rule) bool {
	w := &weigher{vars: map[string]*text.Type{}}
	text.Walk(r.Right, func(t *text.Term) bool {
		w.share = w.share || t.Op == text.Call && t.Name == "share" // the native step
		return true
	})
	for _, v := range r.Vars {
		if v.Type != nil && v.Type.Arrow != text.NoArrow {
			w.vars[v.Name] = v.Type
		}
	}
	bound := map[string]bool{}
	text.Walk(r.Left, func(t *text.Term) bool {
		if t.Op == text.Family {
			bound[t.Names[0]] = true
		}
		return true
	})
	text.Walk(r.Left, func(t *text.Term) bool {
		if _, k := text.Component(t); k != nil && !bound[k.String()] && !slices.Contains(w.selected, k.String()) {
			w.selected = append(w.selected, k.String())
		}
		return true
	})
	if len(w.selected) > 1 {
		w.selected = w.selected[:1] // two may be one member
	}
	left, okL := w.of(r.Left)
	w.shared = true
	right, okR := w.of(r.Right)
	if !okL || !okR {
		return false
	}
	for _, d := range []polynomial{left.a.minus(right.a), left.b.minus(right.b), left.c.minus(right.c)} {
		if d.positive() {
			return true
		}
		if !d.nonneg() {
			return false
		}
	}
	return false
}
