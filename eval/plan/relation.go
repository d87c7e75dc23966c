package plan

import (
	"math"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
)

// The 0/1 matrix R[k,p] = [i[k] = p] of an array of whole numbers is never stored: a contraction with it is a loop over k in
// which p is found.

// related gives nodes, in a store of their own, in which a contraction with arrays is one that is computed in one loop, or is
// made of what they pick, of a product of this, and of what they scatter; nil where there are no arrays.
func related(nodes []*combinators.Node) []*combinators.Node {
	all := combinators.Topo(nodes...)
	if !slices.ContainsFunc(all, (*combinators.Node).Relation) {
		return nil
	}
	r := &relater{s: combinators.NewStore()}
	var image combinators.ByNode[*combinators.Node]
	for _, n := range all {
		args := make([]*combinators.Node, len(n.Args()))
		for k, a := range n.Args() {
			if args[k] = image.Get(a); n.Ein() == nil && !n.Is(atom.Add) {
				args[k] = r.entries(args[k])
			}
		}
		m := r.s.Copy(n, args, n.Ein())
		if n.Ein() != nil && !m.Relation() {
			m = r.contraction(m)
		}
		image.Set(n, m)
	}
	out := make([]*combinators.Node, len(nodes))
	for i, n := range nodes {
		out[i] = r.entries(image.Get(n))
	}
	return out
}

type relater struct{ s *combinators.Store }

// entries is n as it is read by what is no contraction: the matrix of an array has entries.
func (r *relater) entries(n *combinators.Node) *combinators.Node {
	switch {
	case n.Relation():
		axes := einsum.UpTo(n.Order())
		return r.s.Contract([][]int{axes, nil}, axes, n.Shape(), n, r.s.Int(1))
	case n.Is(atom.Add):
		return n.With([]*combinators.Node{r.entries(n.Arg(0)), r.entries(n.Arg(1))})
	}
	return n
}

// contraction is one as it is computed. One of a sum of arrays, (onehot(i) - onehot(j))*x, is multiplied out.
func (r *relater) contraction(n *combinators.Node) *combinators.Node {
	for k, a := range n.Args() {
		if !a.Is(atom.Add) {
			continue
		}
		if !ofArrays(a) {
			if b := r.entries(a); b != a {
				args := slices.Clone(n.Args())
				args[k] = b
				return r.contraction(n.With(args))
			}
			continue
		}
		var parts []*combinators.Node
		for _, b := range a.Args() {
			args := slices.Clone(n.Args())
			args[k] = b
			m := n.With(args)
			if !b.Is(atom.Add) && !b.Relation() { // an array, times a number
				at := slices.Index(m.Args(), b)
				m = r.s.Ein(m.Ein().Fuse(at, b.Ein()).Solve(), slices.Concat(m.Args()[:at], b.Args(), m.Args()[at+1:])...)
			}
			parts = append(parts, r.contraction(m))
		}
		return r.s.Add(parts[0], parts[1])
	}
	if relational(n) && !oneLoop(n) {
		return n.Gathered()
	}
	return n
}

// ofArrays reports whether n is a sum of matrices of arrays, each times a number.
func ofArrays(n *combinators.Node) bool {
	if n.Is(atom.Add) {
		return ofArrays(n.Arg(0)) && ofArrays(n.Arg(1))
	}
	return n.Relation() || relational(n) && len(n.Args()) == 2 && slices.ContainsFunc(n.Args(), isNumber)
}

// relational reports whether n is a contraction with arrays, and no array itself.
func relational(n *combinators.Node) bool {
	return n.Ein() != nil && !n.Relation() && slices.ContainsFunc(n.Args(), (*combinators.Node).Relation)
}

// oneLoop reports whether all points of a contraction are those of one operand, or of the result, once places are found: then
// nothing is gained by storing parts.
func oneLoop(n *combinators.Node) bool {
	in, out, plain := n.Ein().IsPlain()
	if !plain {
		return true
	}
	rows := map[int][]int{}
	for k, a := range n.Args() {
		if last := len(in[k]) - 1; a.Relation() {
			rows[in[k][last]] = in[k][:last]
		}
	}
	return slices.ContainsFunc(append(slices.Clone(in), out), func(g []int) bool {
		have := map[int]bool{}
		for _, l := range g {
			have[l] = true
			for _, k := range rows[l] {
				have[k] = true
			}
		}
		for l := range n.Ein().Vars {
			if _, found := rows[l]; !found && !have[l] {
				return false
			}
		}
		return true
	})
}

// Indexed is a contraction with arrays as loops: at each point of the loops each array finds a place, and
//
//	out[Out] += Scale * in1[In1] * ... * inn[Inn]
//
// where all offsets are affine in the loops' variables and in the places, which are the variables behind those of the loops.
type Indexed struct {
	Size       []int // of the loops: Outer ones, then Rows that the arrays have, then the others
	Outer, Row int
	In         []Walk
	Out        Walk
	Find       []Finder // each reads the loops and those before
	Eq, Ge     []Bound
	Scale      float64
}

// A Finder is an array of whole numbers below N, read at At.
type Finder struct {
	At Walk
	N  int
}

// indexed makes the value of a product with arrays.
func (b *builder) indexed(f form, n int) (*Value, error) {
	c, err := Concrete(f.c, b.sizes)
	if err != nil {
		return nil, err
	}
	x, args, err := lowerIndexed(c, f.args)
	if err != nil {
		return nil, err
	}
	if x == nil || n == 0 {
		return b.zeros(n), nil
	}
	v := Value{Kind: KindIndexed, N: n, Indexed: x, Scale: x.Scale, WeakArgs: make([]bool, len(x.In))}
	for k, a := range args {
		v.Args = append(v.Args, whole(b.made(a)))
		if k < len(x.In) {
			v.WeakArgs[k] = b.isWeak(a)
		}
	}
	if !slices.Contains(v.WeakArgs, true) {
		v.WeakArgs = nil
	}
	points := 1.0
	for _, s := range x.Size {
		points *= float64(s)
	}
	b.flops += points * float64(max(1, len(x.In)))
	return b.add(v), nil
}

// lowerIndexed flattens a contraction whose sizes are numbers; args are the operands and then the arrays. It is nil where there are
// no points.
func lowerIndexed(c *einsum.Contraction, nodes []*combinators.Node) (x *Indexed, args []*combinators.Node, err error) {
	vars := make([]int, len(c.Vars)) // sizes
	for v, d := range c.Vars {
		s, _ := d.Int()
		if vars[v] = int(s); s == 0 {
			return nil, nil, nil
		}
	}
	x = &Indexed{Scale: 1}
	var arrays []*combinators.Node
	var reads []einsum.Access
	eq := slices.Clone(c.Eq)
	to := map[int]int{} // places by the variables that they are
	for k, a := range nodes {
		if !a.Is(atom.Var) || !a.Relation() {
			args = append(args, a)
			continue
		}
		last := a.Order() - 1
		place := len(vars) + len(arrays)
		p, ok := c.In[k].Index[last].Var()
		if _, taken := to[p]; ok && !taken && !dependsOn(c, nodes, k, p) {
			to[p] = place
		} else { // it is compared
			eq = append(eq, c.In[k].Index[last].Plus(-1, einsum.Variable(place)))
		}
		arrays = append(arrays, a)
		reads = append(reads, einsum.Access{Shape: c.In[k].Shape[:last], Index: c.In[k].Index[:last]})
		d, _ := c.In[k].Shape[last].Int()
		x.Find = append(x.Find, Finder{N: int(d)})
	}
	for _, f := range x.Find {
		if vars = append(vars, f.N); f.N == 0 {
			return nil, nil, nil
		}
	}
	order := inOrder(reads, to, len(c.Vars))
	l := &indexLowering{vars: vars, to: to, loops: len(c.Vars)}
	k := 0
	for j, a := range nodes {
		if !a.Is(atom.Var) || !a.Relation() {
			x.In = append(x.In, l.walk(c.In[j]))
			k++
		}
	}
	for r := range x.Find {
		x.Find[r].At = l.walk(reads[r])
	}
	x.Out = l.walk(c.Out)
	for _, f := range eq {
		x.Eq = append(x.Eq, l.bound(f))
	}
	for _, f := range c.Ge {
		l.least(l.bound(f))
	}
	x.Ge = l.ge
	if l.err != nil {
		return nil, nil, l.err
	}
	l.sort(x)
	finders := x.Find
	x.Find = nil
	for _, r := range order {
		x.Find, args = append(x.Find, finders[r]), append(args, arrays[r])
	}
	x.places(order)
	return x, args, nil
}

// inOrder puts arrays behind those that find their rows.
func inOrder(reads []einsum.Access, to map[int]int, loops int) (order []int) {
	var put func(r int)
	put = func(r int) {
		if slices.Contains(order, r) {
			return
		}
		for _, f := range reads[r].Index {
			for _, t := range f.Terms {
				if p, found := to[t.Var]; found {
					put(p - loops)
				}
			}
		}
		order = append(order, r)
	}
	for r := range reads {
		put(r)
	}
	return order
}

// places puts the places in a new order.
func (x *Indexed) places(order []int) {
	at := einsum.UpTo(len(x.Size))
	for _, r := range order {
		at = append(at, len(x.Size)+r)
	}
	for k := range x.In {
		x.In[k].Stride = pickInts(x.In[k].Stride, at)
	}
	x.Out.Stride = pickInts(x.Out.Stride, at)
	for r := range x.Find {
		x.Find[r].At.Stride = pickInts(x.Find[r].At.Stride, at)
	}
	for _, bs := range [][]Bound{x.Eq, x.Ge} {
		for i := range bs {
			bs[i].Coef = pickInts(bs[i].Coef, at)
		}
	}
}

// dependsOn reports whether the rows of array k, or of one whose place they are, depend on p.
func dependsOn(c *einsum.Contraction, nodes []*combinators.Node, k, p int) bool {
	seen := map[int]bool{}
	var rec func(k int) bool
	rec = func(k int) bool {
		if seen[k] {
			return false
		}
		seen[k] = true
		last := len(c.In[k].Index) - 1
		for _, f := range c.In[k].Index[:last] {
			if f.Coef(p) != 0 {
				return true
			}
			for j, a := range nodes {
				if q, ok := c.In[j].Index[max(0, a.Order()-1):], a.Relation(); ok && len(q) > 0 {
					if v, plain := q[0].Var(); plain && f.Coef(v) != 0 && rec(j) {
						return true
					}
				}
			}
		}
		return false
	}
	return rec(k)
}

// An indexLowering flattens index maps in loop variables and places.
type indexLowering struct {
	vars  []int // sizes
	to    map[int]int
	loops int
	ge    []Bound
	err   error
}

func (l *indexLowering) bound(a einsum.Affine) Bound {
	b := Bound{Coef: make([]int, len(l.vars))}
	off, _ := a.Off.Int()
	b.Off = int(off)
	for _, t := range a.Terms {
		v := t.Var
		if p, found := l.to[v]; found {
			v = p
		}
		b.Coef[v] += int(t.Coef)
		if t.Coef > maxCoefficient || t.Coef < -maxCoefficient {
			l.err = &LimitError{What: "as an index coefficient", Need: math.Abs(float64(t.Coef)), Limit: maxCoefficient}
		}
	}
	if off > 1<<53 || off < -1<<53 {
		l.err = &LimitError{What: "as an index offset", Need: math.Abs(float64(off)), Limit: 1 << 53}
	}
	return b
}

// least keeps a condition that the ranges of the variables do not imply.
func (l *indexLowering) least(b Bound) {
	if low, _ := (&Nest{Size: l.vars}).interval(b); low < 0 {
		l.ge = append(l.ge, b)
	}
}

func (l *indexLowering) walk(acc einsum.Access) Walk {
	w, stride := Walk{Stride: make([]int, len(l.vars))}, 1
	for k := len(acc.Index) - 1; k >= 0; k-- {
		d, _ := acc.Shape[k].Int()
		i := l.bound(acc.Index[k])
		l.least(i)
		l.least(Bound{Coef: negated(i.Coef), Off: int(d) - 1 - i.Off}) // 0 <= i < d
		w.Base += stride * i.Off
		for v, f := range i.Coef {
			w.Stride[v] += stride * f
		}
		stride *= int(d)
	}
	return w
}

// sort puts the loops in order and leaves out those of one point, and those that nothing uses, which scale the result.
func (l *indexLowering) sort(x *Indexed) {
	walks := append(slices.Clone(x.In), x.Out)
	least := func(v int) int { // the least stride
		m := math.MaxInt
		for _, w := range walks {
			if s := max(w.Stride[v], -w.Stride[v]); s > 0 {
				m = min(m, s)
			}
		}
		return m
	}
	places := math.MaxInt
	for r := range x.Find {
		places = min(places, least(l.loops+r))
	}
	var groups [3][]int // outer, rows, inner
	for v, s := range l.vars[:l.loops] {
		_, found := l.to[v]
		uses := func(b Bound) bool { return b.Coef[v] != 0 }
		row := slices.ContainsFunc(x.Find, func(f Finder) bool { return f.At.Stride[v] != 0 })
		switch {
		case found || s == 1:
		case row:
			groups[1] = append(groups[1], v)
		case least(v) == math.MaxInt && !slices.ContainsFunc(x.Eq, uses) && !slices.ContainsFunc(x.Ge, uses):
			x.Scale *= float64(s)
		case least(v) > places:
			groups[0] = append(groups[0], v)
		default:
			groups[2] = append(groups[2], v)
		}
	}
	for _, g := range [][]int{groups[0], groups[2]} {
		slices.SortStableFunc(g, func(a, b int) int { return least(b) - least(a) })
	}
	order := slices.Concat(groups[0], groups[1], groups[2])
	x.Outer, x.Row = len(groups[0]), len(groups[0])+len(groups[1])
	x.Size = pickInts(l.vars, order)
	for r := range x.Find {
		order = append(order, l.loops+r)
	}
	pick := func(w *Walk) { w.Stride = pickInts(w.Stride, order) }
	for k := range x.In {
		pick(&x.In[k])
	}
	pick(&x.Out)
	for r := range x.Find {
		pick(&x.Find[r].At)
	}
	for _, bs := range [][]Bound{x.Eq, x.Ge} {
		for i := range bs {
			bs[i].Coef = pickInts(bs[i].Coef, order)
		}
	}
}
