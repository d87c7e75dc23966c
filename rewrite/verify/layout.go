package verify

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/must"
	"frechet/rewrite/verify/model"
)

// A layout gives shapes to the value metavariables of a rule: numbers or symbols for its sizes, a
// shape for each space metavariable and for "...".
type layout struct {
	sizes  map[string]size.Size
	spaces map[string][]size.Size
	batch  []size.Size
}

// kinds of the metavariables of a rule on values.
type signature struct {
	rule    *text.Rule
	values  []text.Var
	numbers []text.Var
	sizes   []string // size metavariables, in order
	spaces  []string
	batch   bool
	choice  model.Choice // of declared functions
	part    bool         // it is a rule of Attributes
}

func newSignature(r *text.Rule) (*signature, error) {
	g := &signature{rule: r}
	addTo := func(list *[]string, name string) {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for _, v := range r.Vars {
		switch {
		case v.Type == nil:
			addTo(&g.sizes, v.Name)
		case v.Type.Arrow == text.NoArrow && v.Type.Cod.IsNumber():
			g.numbers = append(g.numbers, v)
		case v.Type.Arrow != text.NoArrow || len(v.Type.Cod.Factors) > 0:
			return nil, fmt.Errorf("%s is no value: its type is %s", v.Name, v.Type)
		default:
			g.values = append(g.values, v)
			sp := v.Type.Cod
			if !sp.Bracket {
				addTo(&g.spaces, sp.Name)
				continue
			}
			for _, d := range sp.Dims {
				text.Walk(d, func(t *text.Term) bool {
					if t.Name == "..." {
						g.batch = true
					} else if t.Op == text.Name {
						addTo(&g.sizes, t.Name)
					}
					return true
				})
			}
		}
	}
	for _, side := range []*text.Term{r.Left, r.Right} {
		text.Walk(side, func(t *text.Term) bool {
			if t.Function != nil {
				for _, name := range t.Function.Signature().Open() {
					addTo(&g.sizes, name)
				}
			}
			return true
		})
	}
	return g, nil
}

// shape is the shape of a value metavariable.
func (l *layout) shape(sp *text.Space) ([]size.Size, error) {
	if !sp.Bracket {
		return l.spaces[sp.Name], nil
	}
	shape := []size.Size{}
	for _, d := range sp.Dims {
		if d.Op == text.Name && d.Name == "..." {
			shape = append(shape, l.batch...)
			continue
		}
		z, err := l.size(d)
		if err != nil {
			return nil, err
		}
		shape = append(shape, z)
	}
	return shape, nil
}

func (l *layout) size(t *text.Term) (size.Size, error) {
	switch t.Op {
	case text.Num:
		if t.Rat.IsInt() && t.Rat.Num().IsInt64() {
			return size.Const(t.Rat.Num().Int64()), nil
		}
	case text.Name:
		if z, ok := l.sizes[t.Name]; ok {
			return z, nil
		}
	case text.Add, text.Sub, text.Mul:
		a, err := l.size(t.Args[0])
		if err != nil {
			return a, err
		}
		b, err := l.size(t.Args[1])
		switch t.Op {
		case text.Add:
			return a.Add(b), err
		case text.Sub:
			return a.Sub(b), err
		}
		return a.Mul(b), err
	}
	return size.Size{}, fmt.Errorf("%s is no size", t)
}

// String lists the sizes: n=2, S=[2,3].
func (l *layout) String() string {
	var parts []string
	for n, z := range l.sizes {
		parts = append(parts, n+"="+z.String())
	}
	for n, sh := range l.spaces {
		parts = append(parts, n+"="+size.Shape(sh))
	}
	sort.Strings(parts)
	if l.batch != nil {
		parts = append(parts, "...="+size.Shape(l.batch))
	}
	return strings.Join(parts, ", ")
}

// fill makes a layout whose sizes come one after the other from next.
func (g *signature) fill(spaceOrder, batchOrder int, next func() size.Size) *layout {
	l := &layout{sizes: map[string]size.Size{}, spaces: map[string][]size.Size{}}
	several := func(n int) []size.Size {
		return lists.Make(n, func(i int) size.Size { return next() })
	}
	if g.batch {
		l.batch = several(batchOrder)
	}
	for _, n := range g.sizes {
		l.sizes[n] = g.sized(n, next())
	}
	for _, n := range g.spaces {
		l.spaces[n] = several(spaceOrder)
	}
	g.solved(l)
	return l
}

// onSizes are the conditions of the rule that compare sizes.
func (g *signature) onSizes() (out []text.Cond) {
	for _, w := range g.rule.When {
		if w.Rel != "" && slices.ContainsFunc(w.Args, func(a *text.Term) bool {
			found := false
			text.Walk(a, func(t *text.Term) bool {
				found = found || slices.Contains(g.sizes, t.Name)
				return true
			})
			return found
		}) {
			out = append(out, w)
		}
	}
	return out
}

// solved gives a size what an equation in the conditions says that it is: m = n + k.
func (g *signature) solved(l *layout) {
	for _, w := range g.onSizes() {
		for i, a := range w.Args {
			if w.Rel != "=" || w.Not || a.Op != text.Name || !slices.Contains(g.sizes, a.Name) {
				continue
			}
			if z, err := l.size(w.Args[1-i]); err == nil {
				l.sizes[a.Name] = z
				break
			}
		}
	}
}

// allows reports whether the sizes of l are not against the conditions on sizes; numbers may be in these, too.
func (g *signature) allows(l *layout, numbers []denote.Number) bool {
	all := layout{sizes: maps.Clone(l.sizes)}
	for _, n := range numbers {
		if n.Value.IsInt() && n.Value.Num().IsInt64() {
			all.sizes[n.Name] = size.Const(n.Value.Num().Int64())
		}
	}
	for _, w := range g.onSizes() {
		a, errA := all.size(w.Args[0])
		b, errB := all.size(w.Args[1])
		if errA != nil || errB != nil {
			return false
		}
		if holds, known := a.Compare(w.Rel, b); known && holds == w.Not {
			return false
		}
	}
	return true
}

// comparedLayouts are sizes of which the conditions on sizes hold, small ones and such as are near the numbers in these.
func (g *signature) comparedLayouts() (some []*layout) {
	values := []int64{1, 2, 3, 4, 5}
	for _, w := range g.onSizes() {
		for _, a := range w.Args {
			text.Walk(a, func(t *text.Term) bool {
				if t.Op == text.Num && t.Rat.IsInt() && t.Rat.Num().IsInt64() {
					next := int64(1)
					if t.Rat.Num().Int64() > 5 {
						next = 6 // m > n + 100
					}
					for d := int64(-1); d <= next; d++ {
						if v := t.Rat.Num().Int64() + d; v > 0 && v < maxEntries && !slices.Contains(values, v) {
							values = append(values, v)
						}
					}
				}
				return true
			})
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 50 * comparedShapes {
		l := g.fill(1, 1, func() size.Size { return size.Const(values[r.IntN(len(values))]) })
		if len(some) < comparedShapes && g.allows(l, nil) && !slices.ContainsFunc(some, func(o *layout) bool { return o.String() == l.String() }) {
			some = append(some, l)
		}
	}
	return some
}

// comparedShapes are how many shapes are tried beside the usual ones where conditions compare sizes.
const comparedShapes = 8

// sized is the size z for a metavariable, or what the condition unit says of it.
func (g *signature) sized(name string, z size.Size) size.Size {
	for _, w := range g.rule.When {
		if w.Rel != "" || w.Args[0].Name != "unit" || len(w.Args[0].Args) != 1 || w.Args[0].Args[0].Name != name {
			continue
		}
		switch one := size.Const(1); {
		case !w.Not:
			return one
		case z == one:
			return size.Const(2)
		}
	}
	return z
}

// symbolic is the layout in which every size is a symbol of its own.
func (g *signature) symbolic(spaceOrder, batchOrder int) *layout {
	k := 0
	l := g.fill(spaceOrder, batchOrder, func() size.Size {
		k++
		return size.Sym(fmt.Sprintf("d%d", k))
	})
	for _, n := range g.sizes {
		l.sizes[n] = g.sized(n, size.Sym(n))
	}
	g.solved(l)
	return l
}

// orders of "S" and "..." that typing and proofs go through.
func (g *signature) orders() (out [][2]int) {
	spaces, batches := []int{0}, []int{0}
	if len(g.spaces) > 0 {
		spaces = []int{0, 1, 2, 3}
	}
	if g.batch {
		batches = []int{0, 1, 2}
	}
	for _, s := range spaces {
		out = lists.Append(out, batches, func(b int) [2]int { return [2]int{s, b} })
	}
	return out
}

// layouts are the shapes of the trials: all sizes different and at least 2, in both orders, one of them 1, all
// equal and at least 2, then 1. A size of 1 accepts almost every wrong rule, equal sizes hide a wrong order of axes;
// each alone is no test. A law of matrices may hold up to some size: Hall's identity up to 2, the
// cube of a skew matrix up to 3; so equal sizes go up to 5.
func (g *signature) layouts() []*layout {
	var out []*layout
	batch := 1
	for _, order := range []int{2, 1, 0} {
		if order < 2 && len(g.spaces) == 0 {
			break
		}
		all := [][]int64{{2, 3, 4, 5, 6, 7}, {2}, {1}}
		if len(g.sizes) > 0 {
			all = [][]int64{{3, 2, 4, 5, 6, 7}, {2, 3, 4, 5, 6, 7}, {1, 3, 2, 4}, {3, 1, 2, 4}, {2}, {1}, {4}, {5}}
		}
		for _, first := range all {
			if order == 0 && first[0] == 1 {
				continue
			}
			out = append(out, g.inTurn(order, batch, first))
		}
	}
	if len(g.onSizes()) > 0 {
		out = append(out, g.comparedLayouts()...)
	}
	if g.batch {
		k := int64(1)
		out = append(out, g.fill(2, 0, func() size.Size { k++; return size.Const(k) }))
	}
	return out
}

// inTurn is the layout whose sizes are those of list, the last of them for all that come after.
func (g *signature) inTurn(order, batch int, list []int64) *layout {
	k := -1
	return g.fill(order, batch, func() size.Size {
		k++
		return size.Const(list[min(k, len(list)-1)])
	})
}

// emptyLayouts are those with one size 0, and with all.
func (g *signature) emptyLayouts() []*layout {
	order, batch := 0, 0
	if len(g.spaces) > 0 {
		order = 1
	}
	if g.batch {
		batch = 1
	}
	count := 0
	g.fill(order, batch, func() size.Size { count++; return size.Const(1) })
	if count == 0 {
		return nil
	}
	out := []*layout{g.inTurn(order, batch, []int64{0})}
	for zero := range count {
		if count == 1 {
			break
		}
		list := []int64{2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7}[:min(count, 12)]
		if zero < len(list) {
			list[zero] = 0
			out = append(out, g.inTurn(order, batch, list))
		}
	}
	return out
}

// an instance is both sides of a rule as nodes of one store.
type instance struct {
	layout      *layout
	numbers     []denote.Number
	vars        []*combinators.Node
	left, right *combinators.Node
}

// env binds the numbers, the sizes of the layout, and each value of the rule to what of makes of a
// variable of its name and shape; nil leaves it free. The error is a shape that the layout has not.
func (g *signature) env(s *combinators.Store, l *layout, numbers []denote.Number, of func(name string, x *combinators.Node) *combinators.Node) (*denote.Env, error) {
	env := &denote.Env{Numbers: numbers, Batch: len(l.batch)}
	for n, z := range l.sizes {
		env.Sizes = append(env.Sizes, denote.SizeBinding{Name: n, Size: z})
	}
	for _, v := range g.values {
		shape, err := l.shape(v.Type.Cod)
		if err != nil {
			return nil, err
		}
		if x := of(v.Name, s.Var(v.Name, shape)); x != nil {
			env.Values = append(env.Values, denote.Binding{Name: v.Name, Value: x})
		}
	}
	return env, nil
}

// asked reports whether the rule has the condition on the value.
func (g *signature) asked(condition, name string) bool {
	return slices.ContainsFunc(g.rule.When, func(w text.Cond) bool {
		return w.Rel == "" && !w.Not && w.Args[0].Name == condition && len(w.Args[0].Args) > 0 && w.Args[0].Args[0].Name == name
	})
}

// signed reports whether the rule holds only for some signs of the value.
func (g *signature) signed(name string) bool {
	return slices.ContainsFunc(g.rule.When, func(w text.Cond) bool {
		return w.Rel == "" && len(w.Args[0].Args) > 0 && w.Args[0].Args[0].Name == name && slices.Contains([]string{"positive", "nonneg", "nonzero"}, w.Args[0].Name)
	})
}

// presumed is a value in place of the variable x of which the rule's conditions hold by its form: a function
// whose values are positive, a matrix that is positive definite.
func (g *signature) presumed(s *combinators.Store, name string, x *combinators.Node, positive *atom.Row) *combinators.Node {
	switch {
	case g.signed(name):
		return s.Unary(positive, x)
	case g.asked("invertible", name) && x.Order() >= 2:
		var batch []int
		for i := range x.Order() - 2 {
			batch = append(batch, i)
		}
		i := len(batch)
		dims := append(slices.Clone(x.Shape()), x.Shape()[i])
		rows, columns, matrix := append(slices.Clone(batch), i, i+2), append(slices.Clone(batch), i+1, i+2), append(slices.Clone(batch), i, i+1)
		unit := s.Contract(nil, append(slices.Clone(batch), i, i), x.Shape()[:i+1])
		return s.Add(unit, s.Contract([][]int{rows, columns}, matrix, dims, x, x))
	}
	return x
}

// instantiate builds both sides under the layout. The error is a type error of one of them.
func (g *signature) instantiate(l *layout, numbers []denote.Number) (in *instance, err error) {
	s := combinators.NewStore()
	in = &instance{layout: l, numbers: numbers}
	env, err := g.env(s, l, numbers, func(_ string, x *combinators.Node) *combinators.Node {
		in.vars = append(in.vars, x)
		return x
	})
	if err != nil {
		return nil, err
	}
	g.tie(env)
	if in.left, err = denote.ReadNode(s, g.rule.Left, env); err != nil {
		return nil, fmt.Errorf("the left side: %w", err)
	}
	if in.right, err = denote.ReadNode(s, g.rule.Right, env); err != nil {
		return nil, fmt.Errorf("the right side: %w", err)
	}
	in.left, in.right = model.Specialise(in.left, g.choice), model.Specialise(in.right, g.choice)
	in.right = repeated(in.right, in.left)
	return in, nil
}

// repeated is a right side as the engine puts it for the left one: a number stands for each entry.
func repeated(right, left *combinators.Node) *combinators.Node {
	if right.Order() == 0 && left.Order() > 0 {
		return right.Store().Broadcast(right, left.Shape())
	}
	return right
}

// numeric is instantiate under a layout of numbers, where all values are small enough to be tried.
func (g *signature) numeric(l *layout, numbers []denote.Number) (_ *instance, err error) {
	defer must.Recover(&err)
	must.Hold(g.allows(l, numbers), "the conditions do not hold at %s", l)
	in := must.Get(g.instantiate(l, numbers))
	for _, n := range combinators.Topo(append(in.vars, in.left, in.right)...) {
		small(n.Shape())
		if c := n.Ein(); c != nil {
			quick(c.Vars)
		}
	}
	return in, nil
}

// quick reports that a contraction over sizes that are numbers is no long sum.
func quick(vars []size.Size) {
	work := int64(1)
	for _, d := range vars {
		n, ok := d.Int()
		if !ok {
			return
		}
		if work *= max(n, 0); work > maxWork {
			panic(must.Errorf("a contraction of more than %d products"+tooLarge, maxWork))
		}
	}
}

// tooLarge ends what is said of shapes that are not tried.
const tooLarge = " is too large to be tried"

// maxWork bounds the products of numbers that a contraction of an instance takes.
const maxWork = 1 << 20

// maxEntries bounds the values of an instance, and maxAxes the axes of one: minor[r] has 2*r more than its operand.
const (
	maxEntries = 1 << 16
	maxAxes    = 24
)

// small reports that a shape, where its sizes are numbers, has no negative size and not too many
// entries.
func small(shape []size.Size) {
	must.Hold(len(shape) <= maxAxes, "a value of %d axes"+tooLarge, len(shape))
	count := int64(1)
	for _, d := range shape {
		n, ok := d.Int()
		switch {
		case !ok:
			return
		case n < 0:
			panic(must.Errorf("the size %d is negative", n))
		case n > maxEntries:
			count = maxEntries + 1
		default:
			count *= n
		}
		must.Hold(count <= maxEntries, "a value of shape %s"+tooLarge, size.Shape(shape))
	}
}

// tie makes values that the condition same(x, y) compares one value.
func (g *signature) tie(env *denote.Env) {
	for _, w := range g.rule.When {
		if w.Rel == "" && !w.Not && w.Args[0].Name == "same" && len(w.Args[0].Args) == 2 {
			a, b := w.Args[0].Args[0].Name, w.Args[0].Args[1].Name
			for i := range env.Values {
				for _, o := range env.Values {
					if env.Values[i].Name == b && o.Name == a {
						env.Values[i].Value = o.Value
					}
				}
			}
		}
	}
}

// typeError, deferred, makes the panic of a constructor an error.
