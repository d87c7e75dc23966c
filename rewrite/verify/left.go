package verify

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/must"
	"frechet/rewrite"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/normal"
	"frechet/rewrite/proof"
)

// Left sides meet terms in normal form. A rule whose left side is none, such as power[2](cos(x)), which
// stands as cos(x) .* cos(x), matches nothing as it is written. It is brought to the form in which
// terms stand by the normal form itself: built of variables for its metavariables, simplified, and
// read as a term. No form is believed: at every order that the types leave open the left side's normal
// form must be the form's, and the checker of derivations must find the two equal by its own means, or
// a derivation with the rule could not be replayed.

// LeftForm is the form in which terms stand that the left side of a rule on values denotes; nil where
// they are met as the rule is written. reason says why a rule that has no such form is never applied.
func LeftForm(r *text.Rule) (form *text.Term, reason string) {
	bare := *r // conditions say nothing of the form
	bare.When = nil
	rules, err := rewrite.LoadRules(bare.String(), r.Functions)
	if err != nil {
		return nil, "" // whoever reads the file says so
	}
	g, err := newSignature(r)
	if err != nil {
		return nil, ""
	}
	choices := g.genericNumbers()
	for _, numbers := range choices {
		l := g.leftSide(combinators.NewStore(), numbers, [2]int{1, 1})
		switch {
		case l == nil: // ill-typed, which its test says
			return nil, ""
		case rules.Matches(l.normal, l.facts):
			return nil, ""
		case l.normal == l.right: // the program does what the rule says
			return nil, ""
		case l.undone:
			return nil, fmt.Sprintf("it is never applied: the program brings both sides to %s%s", show(l.normal), l.by())
		}
		var t *text.Term
		if err := must.Try(func() { t = l.term() }); err != nil {
			return nil, fmt.Sprintf("it is never applied: terms like its left side are brought to %s%s, and %v", show(l.normal), l.by(), err)
		}
		if form != nil && !text.Equal(t, form) {
			return nil, fmt.Sprintf("it is never applied: terms like its left side are brought to another form%s, which depends on the numbers", l.by())
		}
		form = t
		reason = fmt.Sprintf("it is never applied: terms like its left side are brought to %s%s; write that on the left", form, l.by())
	}
	if form == nil {
		return nil, ""
	}
	if rules.AddForm(r.Name, form) != nil || !g.holdsFor(rules, form, choices) {
		return nil, reason
	}
	return form, ""
}

// A TurnedForm is a form of a left side where metavariables stand for the transposes of matrices.
type TurnedForm struct {
	Form   *text.Term
	Turned []string
}

// TurnedForms are the forms of the left side of a rule in which transposes stand that a program has put
// elsewhere: inv(A') stands as inv(A)', so that the left side inv(A)*A of a rule has another form for the
// transpose of a matrix. One metavariable is turned, or all.
func TurnedForms(r *text.Rule) (out []TurnedForm) {
	var matrices []string
	for _, v := range r.Vars {
		if v.Type != nil && v.Type.Arrow == text.NoArrow && v.Type.Cod.Bracket && len(v.Type.Cod.Factors) == 0 && len(v.Type.Cod.Dims) == 2 &&
			v.Type.Cod.Dims[0].Name != "..." {
			matrices = append(matrices, v.Name)
		}
	}
	if slices.ContainsFunc(r.When, func(w text.Cond) bool { return w.Rel == "" && w.Args[0].Name == "same" }) {
		return nil
	}
	var sets [][]string
	sets = lists.Append(sets, matrices, func(m string) []string { return []string{m} })
	if len(matrices) > 1 {
		sets = append(sets, matrices)
	}
	for _, set := range sets {
		t := *r
		t.Vars = rewrite.Turned(r.Vars, set)
		t.Left, t.Right = turn(r.Left, set), turn(r.Right, set)
		if form, _ := LeftForm(&t); form != nil {
			out = append(out, TurnedForm{form, set})
		}
	}
	return out
}

// turn puts the transposes of metavariables for them.
func turn(t *text.Term, names []string) *text.Term {
	there, back := map[string]*text.Term{}, map[string]*text.Term{}
	x := &text.Index{In: []text.Axes{{Letters: []string{"i", "j"}}}, Out: text.Axes{Letters: []string{"j", "i"}}}
	for _, m := range names {
		there[m], back[m+"'"] = text.NewEin(x, text.NewName(m+"'")), text.NewName(m)
	}
	return text.Substitute(text.Substitute(t, there), back)
}

// holdsFor checks a form of the left side at all orders and several numbers: that it has the left side's
// normal form and is met there, and that a replay finds both to be equal.
func (g *signature) holdsFor(rules *rewrite.Rules, form *text.Term, choices [][]denote.Number) bool {
	as := *g.rule
	as.Left = form
	h := *g
	h.rule = &as
	for _, orders := range g.orders() {
		for _, numbers := range append(slices.Clone(choices), g.numberChoices(numberTrials)...) {
			s := combinators.NewStore()
			l, f := g.leftSide(s, numbers, orders), h.leftSide(s, numbers, orders)
			if l == nil && f == nil {
				continue
			}
			if l == nil || f == nil || l.normal != f.normal || !proof.Equal(s, l.built, f.built) ||
				general(numbers) && !rules.Matches(l.normal, l.facts) {
				return false
			}
		}
	}
	return true
}

// general: no number is one that the normal form treats by itself.
func general(numbers []denote.Number) bool {
	return !slices.ContainsFunc(numbers, func(n denote.Number) bool {
		return n.Value.IsInt() && n.Value.Num().IsInt64() && n.Value.Num().Int64() >= -2 && n.Value.Num().Int64() <= 2
	})
}

// A leftSide is a rule's left side, built of variables for its metavariables.
type leftSide struct {
	*signature
	numbers []denote.Number
	layout  *layout
	facts   *assumptions.Facts
	built   *combinators.Node
	normal  *combinators.Node
	right   *combinators.Node // nil where it has no type
	undone  bool              // the right side has the same normal form
	steps   []string          // the rules and schemas by which it was simplified
}

// leftSide builds the left side under a layout of symbols, and simplifies it where the conditions on
// signs hold; nil where it has no type.
func (g *signature) leftSide(s *combinators.Store, numbers []denote.Number, orders [2]int) *leftSide {
	l := g.sides(s, numbers, orders)
	if l == nil {
		return nil
	}
	z := normal.New(s, l.facts)
	z.Trace = func(t normal.Step) {
		if !slices.Contains(l.steps, t.Rule) {
			l.steps = append(l.steps, t.Rule)
		}
	}
	l.normal = z.Simplify(l.built)[0]
	l.undone = l.right != nil && normal.New(s, l.facts).Simplify(l.right)[0] == l.normal
	return l
}

// sides builds both sides under a layout of symbols, with what the conditions on signs say; nil where the left one has no type.
func (g *signature) sides(s *combinators.Store, numbers []denote.Number, orders [2]int) *leftSide {
	l := &leftSide{signature: g, numbers: numbers, layout: g.symbolic(orders[0], orders[1]), facts: assumptions.New()}
	env, err := g.env(s, l.layout, numbers, func(_ string, x *combinators.Node) *combinators.Node { return x })
	if err != nil {
		return nil
	}
	g.tie(env)
	for _, w := range g.rule.When {
		for _, b := range env.Values {
			if !w.Not && w.Rel == "" && len(w.Args[0].Args) == 1 && w.Args[0].Args[0].Name == b.Name {
				switch w.Args[0].Name {
				case "positive":
					l.facts.Assume(s.Unary(atom.Log, b.Value))
				case "nonneg":
					l.facts.Assume(s.Power(b.Value, big.NewRat(1, 2)))
				case "nonzero":
					l.facts.Assume(s.Recip(b.Value))
				case "invertible":
					l.facts.Assume(s.Inv(b.Value))
				}
			}
		}
	}
	if l.built, err = denote.ReadNode(s, g.rule.Left, env); err != nil {
		return nil
	}
	if right, err := denote.ReadNode(s, g.rule.Right, env); err == nil {
		l.right = repeated(right, l.built)
	}
	return l
}

// A Case is the sides of a rule for some orders and numbers, with a symbol for every size, and what its conditions say.
type Case struct {
	Left, Right *combinators.Node
	Facts       *assumptions.Facts
}

// Cases are those of a rule on values, in stores of their own: for all orders that its types leave open, and choices of numbers.
func Cases(r *text.Rule) (all []Case, err error) {
	g, err := newSignature(r)
	if err != nil {
		return nil, err
	}
	for _, o := range g.orders() {
		for _, numbers := range g.numberChoices(numberTrials) {
			if l := g.sides(combinators.NewStore(), numbers, o); l != nil && l.right != nil {
				all = append(all, Case{l.built, l.right, l.facts})
			}
		}
	}
	return all, nil
}

// Metavariables are variables of s for those of a rule on values: of order 1 where the order is open, with a symbol for every
// size, or with these numbers in turn.
func Metavariables(s *combinators.Store, vars []text.Var, sizes []int64) (*denote.Env, error) {
	g, err := newSignature(&text.Rule{Vars: vars, Left: text.NewInt(0), Right: text.NewInt(0)})
	if err != nil {
		return nil, err
	}
	l := g.symbolic(1, 1)
	if sizes != nil {
		l = g.inTurn(1, 1, sizes)
	}
	return g.env(s, l, nil, func(_ string, x *combinators.Node) *combinators.Node { return x })
}

// by names the steps, of which a rule of the program says the most.
func (l *leftSide) by() string {
	if len(l.steps) == 0 {
		return ""
	}
	return ", by " + strings.Join(l.steps, ", ")
}

// genericNumbers are two choices of numbers that no rule mentions, where the conditions allow them.
func (g *signature) genericNumbers() (out [][]denote.Number) {
	if len(g.numbers) == 0 {
		return [][]denote.Number{nil}
	}
	for _, first := range []int64{101, 1009, -101, -1009, 10, 14, -10, -14} {
		for _, denominator := range []int64{1, 7, 2, 3} {
			choice := make([]denote.Number, len(g.numbers))
			whole := true
			for i, v := range g.numbers {
				choice[i] = denote.Number{Name: v.Name, Value: big.NewRat(first+int64(4*i), denominator)}
				whole = whole && (v.Type.Cod.Name == "Q" || choice[i].Value.IsInt())
			}
			if whole && g.allowed(choice) && len(out) < 2 {
				out = append(out, choice)
				break
			}
		}
	}
	return out
}

// maxForm bounds the terms of a form.
const maxForm = 200

// term is the normal form as a term of the rule's metavariables, in what a left side may have.
func (l *leftSide) term() *text.Term {
	left := maxForm
	return l.part(l.normal, &left)
}

func (l *leftSide) part(n *combinators.Node, left *int) *text.Term {
	if *left--; *left < 0 {
		panic(must.Errorf("that is too long for a left side"))
	}
	if r, ok := n.Filled(); ok {
		return l.number(r)
	}
	if n.Is(atom.Var) {
		return text.NewName(n.Name())
	}
	if t := l.eye(n); t != nil {
		return t
	}
	if n.Sizes() != nil {
		panic(must.Errorf("%s cannot stand on a left side", n.Atom().Name))
	}
	args := lists.Map(n.Args(), func(a *combinators.Node) *text.Term { return l.part(a, left) })
	if n.Ein() != nil {
		return l.contraction(n.Ein(), args)
	}
	if n.Atom() == atom.Add {
		return text.New(text.Add, args...)
	}
	t := text.OfRow(n.Atom(), args...)
	switch {
	case n.Rat() != nil:
		t.Attrs = []*text.Term{l.number(n.Rat())}
	case n.Atom().Attr:
		t.Attrs = []*text.Term{text.NewInt(int64(n.Attr()))}
	}
	return t
}

// eye is the identity with sizes of the rule, nil where n is none.
func (l *leftSide) eye(n *combinators.Node) *text.Term {
	sh := n.Shape()
	if n.Ein() == nil || len(n.Args()) > 0 || len(sh)%2 != 0 || len(sh) == 0 || n != n.Store().Eye(sh[:len(sh)/2]) {
		return nil
	}
	var sizes []*text.Term
next:
	for _, d := range sh[:len(sh)/2] {
		if k, ok := d.Int(); ok {
			sizes = append(sizes, text.NewInt(k))
			continue
		}
		for _, name := range l.sizes {
			if l.layout.sizes[name] == d {
				sizes = append(sizes, text.NewName(name))
				continue next
			}
		}
		return nil
	}
	return text.NewName("eye", sizes...)
}

// number is a number, or the metavariable that has it.
func (l *leftSide) number(r *big.Rat) *text.Term {
	for _, n := range l.numbers {
		if n.Value.Cmp(r) == 0 {
			return text.NewName(n.Name)
		}
	}
	return text.NewNum(r)
}

// contraction is a product of entries, or a contraction over letters. A variable over the one axis of a
// space, or of "...", stands for all of its axes.
func (l *leftSide) contraction(c *einsum.Contraction, args []*text.Term) *text.Term {
	in, out, ok := c.IsPlain()
	switch {
	case !ok:
		panic(must.Errorf("only plain contractions can stand on a left side"))
	case len(args) == 0:
		panic(must.Errorf("a contraction without operands cannot stand on a left side"))
	}
	product := len(c.Vars) == len(out)
	for i, v := range out {
		product = product && !slices.Contains(out[:i], v)
	}
	full := false
	for _, g := range in {
		product = product && (len(g) == 0 || slices.Equal(g, out))
		full = full || len(g) == len(out)
	}
	if product && full {
		t := args[0]
		for _, a := range args[1:] {
			t = text.New(text.Mul, t, a)
		}
		return t
	}
	rest, batch := l.layoutVars(c.Vars)
	group := func(g []int) (a text.Axes) {
		for i, v := range g {
			switch {
			case batch[v] && i == 0:
				a.Batch = true
			case rest[v] && i == len(g)-1:
				a.Rest = true
			case batch[v] || rest[v]:
				panic(must.Errorf("axes of unknown number stand between others"))
			default:
				a.Letters = append(a.Letters, einsum.Letter(v))
			}
		}
		return a
	}
	x := &text.Index{}
	for _, g := range in {
		x.In = append(x.In, group(g))
	}
	x.Out = group(out)
	for _, list := range []map[int]bool{rest, batch} {
		must.Hold(len(list) <= 1, "two lists of axes cannot stand in one contraction")
	}
	return text.NewEin(x, args...)
}

// layoutVars are the variables over the axis of a space, and over that of "...".
func (l *leftSide) layoutVars(vars []size.Size) (rest, batch map[int]bool) {
	rest, batch = map[int]bool{}, map[int]bool{}
	for v, d := range vars {
		for _, sh := range l.layout.spaces {
			if slices.Contains(sh, d) {
				rest[v] = true
			}
		}
		if slices.Contains(l.layout.batch, d) {
			batch[v] = true
		}
	}
	return rest, batch
}
