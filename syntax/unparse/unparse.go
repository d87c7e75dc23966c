package unparse

import (
	"slices"
	"strconv"
	"strings"

	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/syntax"
)

// Notation is the surface notation to write.
type Notation uint8

const (
	// Auto is matrix notation where every part of the result has one, else Einstein, or both mixed
	// where that is shorter.
	Auto Notation = iota
	// Einstein writes products with their index strings.
	Einstein
	// Matrix writes matrix notation, and index products for the parts that have none.
	Matrix
)

// Options say how nodes are written.
type Options struct {
	Notation Notation
	// Names are names of the outputs, for `expression f = ...`; none where it is short.
	Names []string
	// Taken are names that a let must not use, beside those of the variables and sizes
	// that occur.
	Taken map[string]bool
	// Open are size symbols that no text can name, since the program does not declare
	// them: the sizes of `declare X 2`. Constants are written without them.
	Open []string
	// Known are at least 0 wherever the nodes are meant: what subscripts of the program claim of sizes.
	Known []size.Size
	// Explicit repeats a vector beside a matrix by a product with ones.
	Explicit bool
	// ShapesKnown says that the reader knows the shape of the outputs, so that constants
	// whose sizes follow from it need none.
	ShapesKnown bool
}

// Program writes nodes as statements: a let for what stands in several places and is
// not short, and an expression for each node, in their order. The statements elaborate,
// beside the declarations of the variables that occur, to values equal to the nodes.
// The error names an operation that has no textual form.
func Program(nodes []*combinators.Node, o Options) ([]syntax.Stmt, error) {
	nodes = prepared(nodes, o.Known)
	stmts, err := program(nodes, o)
	other := arranged(nodes)
	if err != nil || slices.Equal(nodes, other) {
		return stmts, err
	}
	with, err := program(other, o)
	if err != nil {
		return nil, err
	}
	before, err := Count(stmts, orders(nodes))
	if err != nil {
		return stmts, nil
	}
	if after, err := Count(with, orders(nodes)); err == nil && after < before {
		return with, nil
	}
	return stmts, nil
}

// program writes nodes as they are.
func program(nodes []*combinators.Node, o Options) ([]syntax.Stmt, error) {
	w, outs, err := lower(Associate(nodes))
	if err != nil {
		return nil, err
	}
	outs = w.polish(outs)
	r := &renderer{terms: reachable(w.list, outs), outs: outs, opts: o, size: len(w.list)}
	r.lexicon = &lexicon{open: map[string]bool{}, pi: newNames(r.terms, o.Taken).has(syntax.Pi), explicit: o.Explicit}
	for _, s := range o.Open {
		r.lexicon.open[s] = true
	}
	context(r.terms, outs, o.ShapesKnown)
	var mixed []syntax.Stmt
	if o.Notation != Einstein {
		stmts, complete := r.render(true)
		if complete || o.Notation == Matrix {
			return stmts, nil
		}
		mixed = stmts
	}
	r.outs = w.inIndices(r.terms, outs)
	r.terms, r.size = reachable(w.list, r.outs), len(w.list)
	context(r.terms, r.outs, o.ShapesKnown)
	stmts, _ := r.render(false)
	if mixed != nil && textLength(mixed) < textLength(stmts) {
		return mixed, nil
	}
	return stmts, nil
}

// textLength is the length of statements as they are printed.
func textLength(stmts []syntax.Stmt) int {
	return len(syntax.PrintFile(&syntax.File{Stmts: stmts}))
}

// reachable lists the terms below outs, arguments first, and counts their uses.
func reachable(list, outs []*term) []*term {
	for _, o := range outs {
		o.uses++
		o.free = true
	}
	var found []*term
	for i := len(list) - 1; i >= 0; i-- {
		t := list[i]
		if t.uses == 0 {
			continue
		}
		found = append(found, t)
		for _, a := range t.args {
			a.uses++
			a.free = a.free || t.op != opProd
		}
		if t.body != nil {
			uses := combinators.Uses(t.body.Out())
			for k, p := range t.body.Params()[1:] {
				t.args[k+1].uses += uses[p] - 1
			}
		}
	}
	slices.Reverse(found)
	return found
}

// written is the text of a term where it is used: its tree, or the name of its let.
type written struct {
	expr   *syntax.Expr
	length int // of the text, roughly
	depth  int // of the tree
	apps   int // products and functions in the text
}

type renderer struct {
	opts  Options
	terms []*term
	outs  []*term
	size  int // of all terms, reachable or not

	lexicon  *lexicon
	matrix   bool
	complete bool      // everything so far had a form in matrix notation
	exprs    []written // by id
	forms    []form    // by id, in matrix notation
	lets     []syntax.Stmt
	named    []written      // of each let: its name where it is used, and how deep its tree is
	orders   map[string]int // of what lets name
	names    *names
	bound    []string // names within recurrences
}

const (
	shortText = 12 // characters of a text that may stand in several places
	deepText  = 48 // levels of a tree that is cut by a let
)

// render writes the terms in one notation. It reports whether all of them have a form
// in it; where one has none in matrix notation, its product is written in indices.
func (r *renderer) render(matrix bool) ([]syntax.Stmt, bool) {
	r.matrix, r.complete, r.lets, r.named, r.orders = matrix, true, nil, nil, map[string]int{}
	r.exprs = make([]written, r.size)
	if matrix {
		r.forms = make([]form, r.size)
	}
	r.names, r.bound = newNames(r.terms, r.opts.Taken), nil
	for _, t := range r.terms {
		r.term(t)
	}
	r.inline()
	stmts := r.lets
	for i, t := range r.outs {
		s := syntax.Stmt{Kind: syntax.Expression, Expr: r.exprs[t.id].expr}
		if i < len(r.opts.Names) {
			s.Name = syntax.Ident{Name: r.opts.Names[i]}
		}
		stmts = append(stmts, s)
	}
	return stmts, r.complete
}

// tree writes t, whose operands are written.
func (r *renderer) tree(t *term) *syntax.Expr {
	if t.op == opScan {
		e := r.scan(t)
		if r.matrix {
			r.forms[t.id] = single(t, oriented{expr: e})
		}
		return e
	}
	if r.matrix {
		if f, ok := r.lexicon.matrixForm(t, func(a *term) form { return r.forms[a.id] }); ok {
			r.forms[t.id] = f
			return f.plain.expr
		}
		r.complete = false
		if f, ok := r.lexicon.anyOrder(t, func(a *term) form { return r.forms[a.id] }); ok {
			r.forms[t.id] = f
			return f.plain.expr
		}
	}
	e := r.lexicon.einstein(t, func(a *term) *syntax.Expr { return r.exprs[a.id].expr })
	if r.matrix {
		r.forms[t.id] = single(t, oriented{expr: e})
	}
	return e
}

// term writes t, or gives it a let where it stands in several places and is not short.
func (r *renderer) term(t *term) {
	e := r.tree(t)
	out := written{expr: e}
	for k, a := range t.args {
		x := r.exprs[a.id]
		out.length += x.length
		if k == 0 && (t.op == opAdd || t.op == opSub) && x.expr.Op == syntax.OpSum {
			out.depth = max(out.depth, x.depth) // one chain
		} else {
			out.depth = max(out.depth, x.depth+1)
		}
		out.apps += x.apps
	}
	if t.array() {
		r.exprs[t.id] = out
		return
	}
	switch t.op {
	case opVar, opNum, opSize, opPi, opFill, opDelta:
		out.length = len(syntax.Print(e))
		r.exprs[t.id] = out
		return
	case opNeg:
		out.length++
	default:
		out.apps++
		if out.length < 3*shortText {
			out.length = len(syntax.Print(e))
		} else {
			out.length += 4
		}
	}
	if t.uses > 1 && (out.length > shortText || out.apps > 1) || out.depth > deepText {
		name := r.names.fresh(t.order())
		r.lets = append(r.lets, syntax.Stmt{Kind: syntax.Let, Name: syntax.Ident{Name: name}, Expr: e})
		use := syntax.Name(name)
		r.orders[name] = t.order()
		r.named = append(r.named, written{use, out.length, out.depth, out.apps})
		out = written{expr: use, length: len(name)}
		if r.matrix {
			r.forms[t.id] = single(t, oriented{expr: out.expr})
		}
	}
	r.exprs[t.id] = out
}

// inline puts what a let names where the name is written once after all, as u .* u is u^2. A tree
// that a let cuts stays cut.
func (r *renderer) inline() {
	count := map[string]int{}
	walk := func(e *syntax.Expr, visit func(name string)) {
		var rec func(e *syntax.Expr)
		rec = func(e *syntax.Expr) {
			if e == nil {
				return
			}
			if e.Op == syntax.OpName {
				visit(e.Name)
			}
			for _, a := range e.Args {
				rec(a)
			}
			for _, s := range e.Steps {
				rec(s.Arg)
			}
		}
		rec(e)
	}
	tally := func(name string) { count[name]++ }
	for _, s := range r.lets {
		walk(s.Expr, tally)
	}
	for _, t := range r.outs {
		walk(r.exprs[t.id].expr, tally)
	}
	kept := r.lets[:0:0]
	gone := map[string]int{} // the depth of what has taken the place of a name
	for i, s := range r.lets {
		depth := 0
		walk(s.Expr, func(name string) { depth = max(depth, gone[name]) })
		if depth += r.named[i].depth + 1; count[s.Name.Name] == 1 && depth <= deepText {
			gone[s.Name.Name] = depth
			continue
		}
		kept = append(kept, s)
	}
	for i, s := range r.lets {
		if gone[s.Name.Name] > 0 {
			*r.named[i].expr = *s.Expr
		}
	}
	if len(kept) < len(r.lets) {
		r.lets = kept
		r.rename()
	}
}

// rename gives the lets their names anew, without gaps.
func (r *renderer) rename() {
	fresh := newNames(r.terms, r.taken())
	to := map[string]string{}
	for i := range r.lets {
		old := r.lets[i].Name.Name
		to[old] = fresh.fresh(r.orders[old])
		r.lets[i].Name.Name = to[old]
	}
	seen := map[*syntax.Expr]bool{}
	var rec func(e *syntax.Expr)
	rec = func(e *syntax.Expr) {
		if e == nil || seen[e] {
			return
		}
		seen[e] = true
		if n := to[e.Name]; e.Op == syntax.OpName && n != "" {
			e.Name = n
		}
		for _, a := range e.Args {
			rec(a)
		}
		for _, s := range e.Steps {
			rec(s.Arg)
		}
	}
	for _, s := range r.lets {
		rec(s.Expr)
	}
	for _, t := range r.outs {
		rec(r.exprs[t.id].expr)
	}
}

// names gives names to lets.
type names struct {
	program map[string]bool // may be many more than the text has
	taken   map[string]bool
	next    int
}

func newNames(terms []*term, taken map[string]bool) *names {
	n := &names{program: taken, taken: map[string]bool{}}
	sizes := func(ds []size.Size) {
		for _, d := range ds {
			for _, s := range d.Symbols() {
				n.taken[s] = true
			}
		}
	}
	for _, t := range terms {
		if t.op == opVar {
			n.taken[t.name] = true
			sizes(t.shape)
		}
		sizes(t.sizes)
		if t.op == opFill {
			sizes(t.shape)
		}
	}
	return n
}

func (n *names) has(name string) bool { return n.taken[name] || n.program[name] }

// fresh is a name that fits the order: s, t for numbers, u, v for vectors, capitals for
// the rest; then t1, t2, ...
func (n *names) fresh(order int) string {
	pool := "PQRSTUVWMNGHKLABCDEF"
	switch order {
	case 0:
		pool = "stcdabgh"
	case 1:
		pool = "uvpqrwdabcz"
	}
	for _, c := range strings.Split(pool, "") {
		if !n.has(c) {
			n.taken[c] = true
			return c
		}
	}
	for {
		n.next++
		name := "t" + strconv.Itoa(n.next)
		if !n.has(name) {
			n.taken[name] = true
			return name
		}
	}
}
