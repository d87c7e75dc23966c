// Package unparse writes values in index notation: every element by itself, as a
// definition
//
//	dd[i:8] = sum{k}_(max(0, i - 2))^(min(4, i)) (sum{j}_0^3 (... * d[i]**2))
//
// A contraction is written in gather form (package einsum/gather): sums with explicit
// bounds, and conditions as factors. Where an index of a factor is a quotient, a sum of
// one term stands for it, over the values from ceil to floor of the quotient; it is
// empty where the quotient is not whole. What is written elaborates to equal values.
package unparse

import (
	"fmt"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/syntax"
	"frechet/syntax/index"
)

// Node is a value.
type Node = combinators.Node

// Options say how values are written.
type Options struct {
	Names []string        // of the values; f, g, ... where missing
	Taken map[string]bool // names that nothing new may have
}

// Program writes nodes as definitions, after a `let` for each value that stands in
// several places and is not short. The error names an operation without a form in index
// notation.
func Program(nodes []*Node, o Options) (stmts []syntax.Stmt, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case noForm:
			err = r
		default:
			panic(r)
		}
	}()
	w := newWriter(nodes, o)
	let := func(n *Node) {
		d := w.define(n, w.fresh("s", "t", "u", "v", "r", "q"))
		stmts = append(stmts, statement(syntax.Let, d))
		w.lets[n] = d.Name.Name
		w.depth[n], w.weight[n] = 1, 1
	}
	for _, n := range combinators.Topo(nodes...) {
		w.depth[n], w.weight[n] = 1, 1
		switch {
		case picks(n):
			w.weight[n] = 0
		case n.Atom().Class == atom.ClassPrimitive: // written out as sums
			w.weight[n] = shortWeight
		}
		for k, a := range n.Args() {
			w.depth[n] = max(w.depth[n], w.depth[a]+1)
			if repeated(n, k) < 0 {
				w.weight[n] = min(w.weight[n]+w.weight[a], 1000)
			}
		}
		if call := whole(n); call != nil {
			// A function of whole tensors is written in the Einstein language, of names.
			var args []*syntax.Expr
			for _, a := range n.Args() {
				if w.lets[a] == "" && !a.Is(atom.Var) {
					let(a)
				}
				args = append(args, syntax.Name(w.name(a)))
			}
			name := w.fresh("P", "Q", "R", "S", "T", "U")
			stmts = append(stmts, syntax.Stmt{Kind: syntax.Let, Name: syntax.Ident{Name: name}, Expr: call(args)})
			w.lets[n] = name
			w.depth[n], w.weight[n] = 1, 1
			continue
		}
		if w.uses[n] > 1 && w.weight[n] > shortWeight || w.depth[n] > deepNest {
			let(n)
		}
	}
	for i, n := range nodes {
		name := ""
		if i < len(o.Names) {
			name = o.Names[i]
		}
		if name == "" {
			name = w.fresh("f", "g", "h")
		}
		stmts = append(stmts, statement(syntax.Expression, w.define(n, name)))
	}
	return stmts, nil
}

// noForm ends the writing of what has no form in index notation.
type noForm struct{ error }

// name is what a variable or a let is called.
func (w *writer) name(n *Node) string {
	if s := w.lets[n]; s != "" {
		return s
	}
	return n.Name()
}

// whole writes the call of a function of whole tensors that has no form by elements; nil where n is none.
// It stays one switch: a case for each function.
func whole(n *Node) func(args []*syntax.Expr) *syntax.Expr {
	at := n.Atom()
	if at == atom.AMax || at == atom.AMin {
		return func(args []*syntax.Expr) *syntax.Expr {
			return overLast(at.Spoken(), n.Attr(), n.Arg(0).Order(), args[0])
		}
	}
	if at == atom.Prod {
		return func(args []*syntax.Expr) *syntax.Expr { return products(n.Attr(), n.Arg(0).Order(), args[0]) }
	}
	if at.Class != atom.ClassPrimitive && at.Class != atom.ClassLinear || n.Arg(0).Order() > 2 && n.BatchAxes() > 0 && (at.Over != atom.OverMatrices || at == atom.Solve) {
		return nil
	}
	call := func(name string, more ...*syntax.Expr) func([]*syntax.Expr) *syntax.Expr {
		return func(args []*syntax.Expr) *syntax.Expr { return syntax.Call(name, append(args, more...)...) }
	}
	switch at {
	default:
		if at.Signature() != nil && n.Attr() == 0 && n.BatchAxes() == 0 {
			return call(at.Name)
		}
	case atom.Inv, atom.LogDet, atom.Solve:
		return call(at.Name)
	case atom.Minor:
		if n.Attr() == 0 {
			return call("det")
		}
		return call(at.Name, syntax.Int(int64(n.Attr())))
	case atom.Merge:
		return call(at.Name, syntax.Int(int64(n.Attr())))
	case atom.Split:
		k := n.Attr()
		if _, number := n.Shape()[k+1].Int(); number {
			return nil // an affine index
		}
		more := []*syntax.Expr{syntax.Int(int64(k))}
		for _, d := range n.Shape()[k : k+2] {
			x, err := syntax.ParseExpr(d.String(), syntax.Limits{})
			if err != nil {
				return nil
			}
			more = append(more, x)
		}
		return call(at.Name, more...)
	}
	return nil
}

// products is the product over the last axis, or its derivative of order k.
func products(k, order int, x *syntax.Expr) *syntax.Expr {
	if k == 0 {
		return overLast(atom.Prod.Spoken(), 1, order, x)
	}
	x = syntax.Call("prodexcept", x)
	if k > 1 {
		x.Args = append(x.Args, syntax.Int(int64(k)))
	}
	if order > 1 {
		x.Axis = &syntax.Axis{Value: order - 1}
	}
	return x
}

// overLast reduces the last k axes of a tensor: all of them at once, or one after the other.
func overLast(name string, k, order int, x *syntax.Expr) *syntax.Expr {
	if k == order {
		return syntax.Call(name, x)
	}
	for range k {
		order--
		x = syntax.Call(name, x)
		x.Axis = &syntax.Axis{Value: order}
	}
	return x
}

const (
	shortWeight = 4  // nodes of a value that may be written in several places
	deepNest    = 40 // depth at which a value gets a let
)

func statement(kind syntax.StmtKind, d *index.Definition) syntax.Stmt {
	text := index.PrintDefinition(d)
	if len(d.Indices) == 0 {
		text = d.Name.Name + "[] = " + index.Print(d.Expr)
	}
	return syntax.Stmt{Kind: kind, Name: d.Name, Index: &syntax.Span{}, Text: text}
}

// writer has what is known of all values that are written.
type writer struct {
	uses           map[*Node]int
	depth          map[*Node]int
	weight         map[*Node]int
	lets           map[*Node]string
	taken, program map[string]bool
	next           int
}

func newWriter(nodes []*Node, o Options) *writer {
	w := &writer{uses: map[*Node]int{}, depth: map[*Node]int{}, weight: map[*Node]int{}, lets: map[*Node]string{}, taken: map[string]bool{}, program: o.Taken}
	for _, s := range append(slices.Clone(o.Names), "sum", "if", "then", "else", atom.Max.Name, atom.Min.Name, atom.Floor.Name, atom.Ceil.Name, "let", "expression", "declare", "derivative", "e") {
		w.taken[s] = true
	}
	see := func(d size.Size) {
		for _, s := range d.Symbols() {
			w.taken[s] = true
		}
	}
	twice := map[*Node]bool{} // values with a softmax, which writes its operand above and below
	for _, n := range combinators.Topo(nodes...) {
		if n.Is(atom.Var) {
			w.taken[n.Name()] = true
		}
		for _, d := range n.Shape() {
			see(d)
		}
		if c := n.Ein(); c != nil {
			for _, d := range c.Vars {
				see(d)
			}
		}
		for k, a := range n.Args() {
			if repeated(n, k) < 0 {
				w.uses[a]++
			}
			if n.Is(atom.Softmax) && twice[a] {
				w.uses[a]++
			}
			twice[n] = twice[n] || twice[a]
		}
		twice[n] = twice[n] || n.Is(atom.Softmax)
	}
	for _, n := range nodes {
		w.uses[n]++
	}
	return w
}

// picks reports whether n is entries of one tensor, at other indices.
func picks(n *Node) bool {
	c := n.Ein()
	return c != nil && len(n.Args()) == 1 && len(c.Vars) == n.Order() && len(c.Eq)+len(c.Ge) == 0
}

// repeated is the first operand of a contraction that is operand k at the same indices, -1 where none before k is:
// the two are written as a square.
func repeated(n *Node, k int) int {
	c := n.Ein()
	if c == nil {
		return -1
	}
	same := func(a, b einsum.Affine) bool { return a.Off == b.Off && slices.Equal(a.Terms, b.Terms) }
	for j, a := range n.Args()[:k] {
		if a == n.Arg(k) && slices.EqualFunc(c.In[j].Index, c.In[k].Index, same) {
			return j
		}
	}
	return -1
}

func (w *writer) has(name string) bool { return w.taken[name] || w.program[name] }

// fresh is a name that nothing has yet.
func (w *writer) fresh(pool ...string) string {
	for _, s := range pool {
		if !w.has(s) {
			w.taken[s] = true
			return s
		}
	}
	for {
		w.next++
		if s := fmt.Sprintf("%s%d", pool[0], w.next); !w.has(s) {
			w.taken[s] = true
			return s
		}
	}
}

// pi is the number pi, as 4 arctan(1) where something else has its name.
func (w *writer) pi() *index.Expr {
	if w.has(syntax.Pi) {
		return index.Chain('*', index.Int(4), index.Fn(atom.Arctan.Name, index.Int(1)))
	}
	return index.Ident(syntax.Pi)
}

// scope is one definition in the making: the indices in use, and what is known of them.
type scope struct {
	w      *writer
	names  []string // by number; the forms in this package are over these
	sizes  []size.Size
	eq, ge []einsum.Affine
}

// letters are the names of indices, in order of preference.
const letters = "ijklmnopqrstuvabcdgh"

// bind adds an index.
func (s *scope) bind(d size.Size) int {
	name := ""
	for k := 0; name == ""; k++ {
		c := letters[k%len(letters) : k%len(letters)+1]
		if k >= len(letters) {
			c = fmt.Sprintf("%s%d", c, k/len(letters))
		}
		if !s.w.has(c) && !slices.Contains(s.names, c) {
			name = c
		}
	}
	s.names, s.sizes = append(s.names, name), append(s.sizes, d)
	return len(s.names) - 1
}

// release takes back the indices from number n on, and what is known of them.
func (s *scope) release(n, eq, ge int) {
	for k := n; k < len(s.names); k++ {
		s.names[k] = "" // free for others; numbers are not used again
	}
	s.eq, s.ge = s.eq[:eq], s.ge[:ge]
}

func (w *writer) define(n *Node, name string) *index.Definition {
	d := &index.Definition{Name: syntax.Ident{Name: name}}
	s := &scope{w: w}
	at := make([]einsum.Affine, n.Order())
	for k, dim := range n.Shape() {
		v := s.bind(dim)
		at[k] = einsum.Variable(v)
		d.Indices = append(d.Indices, index.Declared{Ident: syntax.Ident{Name: s.names[v]}, Size: sizeExpr(dim)})
	}
	d.Expr = s.element(n, at)
	return d
}

// element writes the element of n at the given indices.
func (s *scope) element(n *Node, at []einsum.Affine) *index.Expr {
	if name, ok := s.w.lets[n]; ok {
		return index.At(name, s.exprs(at)...)
	}
	return s.body(n, at)
}

func (s *scope) exprs(at []einsum.Affine) []*index.Expr {
	return lists.Map(at, s.expr)
}

func (s *scope) body(n *Node, at []einsum.Affine) *index.Expr {
	args := func() []*index.Expr {
		return lists.Map(n.Args(), func(a *combinators.Node) *index.Expr { return s.element(a, at) })
	}
	switch n.Atom().Class {
	case atom.ClassVariable:
		if len(at) == 0 {
			return index.Ident(n.Name())
		}
		return index.At(n.Name(), s.exprs(at)...)
	case atom.ClassConstant:
		if n.Rat() == nil {
			return s.w.pi()
		}
		return index.Number(n.Rat())
	case atom.ClassContraction:
		return s.contraction(n, at)
	case atom.ClassSum:
		xs := args()
		return add(xs[0], xs[1])
	case atom.ClassElementwise:
		switch xs := args(); {
		case n.Is(atom.Power):
			return power(xs[0], n.Rat())
		case n.Is(atom.Pow):
			return index.Pow(xs[0], xs[1])
		default:
			return index.Fn(n.Atom().Name, xs...)
		}
	}
	return s.primitive(n, at)
}
