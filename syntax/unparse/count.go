package unparse

import (
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strconv"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/internal/lists"
	"frechet/syntax"
)

// Count is the number of nodes of the expressions of a program as they are written:
// variables, different numbers, deltas, each product and unary product, each + - / ^
// and negation, each function application. Equal subterms count once, through lets and
// over all expressions; products are equal up to the order of their operands and the
// names of their letters, sums up to order. A product of n operands counts n-1; -2 and
// 1/2 are single numbers; in matrix notation a transpose counts, but turning a vector
// into a row does not. orders has the orders of variables that the program does not
// declare. The error names what the notation alone shows to be wrong.
func Count(stmts []syntax.Stmt, orders map[string]int) (int, error) {
	c, err := counting(stmts, orders)
	if err != nil {
		return 0, err
	}
	return c.total, nil
}

func counting(stmts []syntax.Stmt, orders map[string]int) (*counter, error) {
	c := &counter{names: map[string]counted{}, seen: map[string]int{}}
	for name, order := range orders {
		c.names[name] = c.leaf("v"+name, order)
	}
	for _, s := range stmts {
		switch s.Kind {
		case syntax.Declare:
			for _, d := range s.Declares {
				order := d.Order
				if d.Sized {
					order = len(d.Sizes)
				}
				c.names[d.Name] = c.leaf("v"+d.Name, order)
			}
		case syntax.Let, syntax.Expression:
			v, err := c.expr(s.Expr)
			if err != nil {
				return nil, err
			}
			if s.Kind == syntax.Let {
				c.names[s.Name.Name] = v
				continue
			}
			c.use(v)
		}
	}
	return c, nil
}

// CountNodes is the count of nodes as they are written in the Einstein language.
func CountNodes(nodes ...*combinators.Node) (int, error) {
	c, err := countIn(Einstein, nodes)
	if err != nil {
		return 0, err
	}
	return c.total, nil
}

// CountOperations is the count of nodes as they are written in a notation, without numbers but exponents like 3/2.
func CountOperations(in Notation, nodes ...*combinators.Node) (int, error) {
	c, err := countIn(in, nodes)
	if err != nil {
		return 0, err
	}
	return c.total - c.numbers, nil
}

func countIn(in Notation, nodes []*combinators.Node) (*counter, error) {
	stmts, err := Program(nodes, Options{Notation: in, ShapesKnown: true})
	if err != nil {
		return nil, err
	}
	return counting(stmts, orders(nodes))
}

// orders has the orders of the variables of nodes.
func orders(nodes []*combinators.Node) map[string]int {
	of := map[string]int{}
	for _, n := range combinators.Topo(nodes...) {
		if n.Atom() == atom.Var {
			of[n.Name()] = n.Order()
		}
	}
	return of
}

// counted is a subterm: its identity, and what products in matrix notation need.
type counted struct {
	id    int
	order int
	row   bool     // of order 1, and written as a row
	lit   *big.Rat // a number
}

type counter struct {
	names map[string]counted
	seen  map[string]int
	parts []part // by id
	total int

	numbers int // in the total
}

// part is a subterm with its own weight; used says whether it is in the total.
type part struct {
	args   []int
	weight int
	number bool
	used   bool
}

func (c *counter) intern(key string, weight int, args ...int) int {
	if id, ok := c.seen[key]; ok {
		return id
	}
	id := len(c.parts)
	c.seen[key] = id
	c.parts = append(c.parts, part{args: args, weight: weight})
	return id
}

// use adds what v reaches to the total.
func (c *counter) use(v counted) {
	stack := []int{v.id}
	for len(stack) > 0 {
		p := &c.parts[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		if !p.used {
			p.used = true
			if c.total += p.weight; p.number {
				c.numbers++
			}
			stack = append(stack, p.args...)
		}
	}
}

func (c *counter) leaf(key string, order int) counted {
	return counted{id: c.intern(key, 1), order: order}
}

func (c *counter) num(r *big.Rat, order int) counted {
	id := c.intern("#"+r.RatString(), 1)
	c.parts[id].number = true
	return counted{id: id, order: order, lit: r}
}

// node is an operation; args whose order does not matter are sorted by the caller.
func (c *counter) node(op string, like counted, args ...counted) counted {
	key := op
	ids := make([]int, len(args))
	for k, a := range args {
		ids[k] = a.id
		key += "@" + strconv.Itoa(a.id)
	}
	return counted{id: c.intern(key, 1, ids...), order: like.order, row: like.row}
}

func (c *counter) exprs(es []*syntax.Expr) ([]counted, error) {
	out := make([]counted, len(es))
	for i, e := range es {
		var err error
		if out[i], err = c.expr(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// expr is one switch: a case for each operation.
func (c *counter) expr(e *syntax.Expr) (counted, error) {
	switch e.Op {
	case syntax.OpNum:
		return c.num(e.Num, len(e.Sizes)), nil
	case syntax.OpName:
		if v, ok := c.names[e.Name]; ok {
			return v, nil
		}
		return c.leaf("v"+e.Name, 0), nil // a size as a number
	case syntax.OpDelta:
		return c.leaf("delta"+strconv.Itoa(e.Order), 2*e.Order), nil
	case syntax.OpCall:
		return c.call(e)
	}
	if e.Op == syntax.OpIndex || e.Op == syntax.OpBlocks {
		return c.part(e)
	}
	first := 0
	if e.Implicit() {
		first = 1 // no number of steps
	}
	args, err := c.exprs(e.Args[first:])
	if err != nil {
		return counted{}, err
	}
	switch e.Op {
	case syntax.OpScan:
		like := args[1-first]
		like.order = e.ScanOrder(like.order)
		return c.node("scan", like, args...), nil
	case syntax.OpEinsum:
		return c.product(e.Spec, args), nil
	case syntax.OpNeg:
		if args[0].lit != nil {
			return c.num(new(big.Rat).Neg(args[0].lit), args[0].order), nil
		}
		return c.node("-", args[0], args[0]), nil
	case syntax.OpTranspose:
		return c.transpose(args[0])
	case syntax.OpPower, syntax.OpElemPower:
		if r := args[1].lit; r != nil && !r.IsInt() {
			c.parts[args[1].id].number = false
		}
		return c.node("^", wider(args[0], args[1]), args...), nil
	case syntax.OpCompare:
		return c.node(e.Name, wider(args[0], args[1]), args...), nil
	}
	// A chain, from the left.
	v := args[0]
	for _, s := range e.Steps {
		if s.Arg == nil {
			v = c.product(s.Spec, []counted{v})
			continue
		}
		w, err := c.expr(s.Arg)
		if err != nil {
			return counted{}, err
		}
		if v, err = c.step(s, v, w); err != nil {
			return counted{}, err
		}
	}
	return v, nil
}

// part is a part of a value, or blocks: one operation, known by its text.
func (c *counter) part(e *syntax.Expr) (counted, error) {
	key := "blocks"
	cells := e.Args[:1]
	order := 0
	if e.Op == syntax.OpBlocks {
		cells = nil
		for _, r := range e.Args {
			key += ";" + strconv.Itoa(len(r.Args))
			cells = append(cells, r.Args...)
		}
	} else {
		for _, s := range e.Args[1:] {
			key += "," + syntax.Print(s)
		}
		order = syntax.IndexOrder(e, func(name string) int { return c.names[name].order })
	}
	args, err := c.exprs(cells)
	if err != nil {
		return counted{}, err
	}
	like := counted{order: order}
	if e.Op == syntax.OpBlocks {
		like = joinedOrder(e, args)
	}
	return c.node(key, like, args...), nil
}

// joinedOrder is the order of blocks, and whether they are a row.
func joinedOrder(e *syntax.Expr, cells []counted) counted {
	rows, columns := len(e.Args) > 1, slices.ContainsFunc(e.Args, func(r *syntax.Expr) bool { return len(r.Args) > 1 })
	for _, c := range cells {
		rows = rows || c.order == 2 || c.order == 1 && !c.row
		columns = columns || c.order == 2 || c.row
	}
	out := counted{row: columns && !rows}
	for _, is := range []bool{rows, columns} {
		if is {
			out.order++
		}
	}
	return out
}

// wider is the operand of the higher order.
func wider(a, b counted) counted {
	if a.order < b.order {
		return b
	}
	return a
}

func (c *counter) step(s syntax.Step, a, b counted) (counted, error) {
	like := wider(a, b)
	switch s.Op {
	case syntax.StepIndex:
		return c.product(s.Spec, []counted{a, b}), nil
	case syntax.StepAdd:
		if b.id < a.id {
			a, b = b, a
		}
		return c.node("+", like, a, b), nil
	case syntax.StepSub:
		return c.node("sub", like, a, b), nil
	case syntax.StepDiv, syntax.StepElemDiv:
		if a.lit != nil && b.lit != nil && b.lit.Sign() != 0 {
			return c.num(new(big.Rat).Quo(a.lit, b.lit), like.order), nil
		}
		return c.node("/", like, a, b), nil
	case syntax.StepElemMul:
		all := einsum.UpTo(like.order)
		v := c.ein([][]int{all[:a.order], all[:b.order]}, all, []counted{a, b})
		v.row = like.row
		return v, nil
	}
	return c.matrixProduct(a, b)
}

// matrixProduct is a*b: an order-1 value is a column, or a row where it is transposed.
func (c *counter) matrixProduct(a, b counted) (counted, error) {
	const i, j, k = 0, 1, 2
	ein := func(in [][]int, out []int, row bool) (counted, error) {
		v := c.ein(in, out, []counted{a, b})
		v.row = row
		return v, nil
	}
	all := einsum.UpTo(max(a.order, b.order))
	switch {
	case a.order == 0 || b.order == 0:
		return ein([][]int{all[:a.order], all[:b.order]}, all, wider(a, b).row)
	case a.order == 2 && b.order == 2:
		return ein([][]int{{i, j}, {j, k}}, []int{i, k}, false)
	case a.order == 2 && b.order == 1 && !b.row:
		return ein([][]int{{i, j}, {j}}, []int{i}, false)
	case a.order == 1 && b.order == 2 && a.row:
		return ein([][]int{{i}, {i, j}}, []int{j}, true)
	case a.order == 1 && b.order == 1 && a.row && !b.row:
		return ein([][]int{{i}, {i}}, nil, false)
	case a.order == 1 && b.order == 1 && !a.row && b.row:
		return ein([][]int{{i}, {j}}, []int{i, j}, false)
	}
	return counted{}, fmt.Errorf("no matrix product of orders %d and %d", a.order, b.order)
}

func (c *counter) transpose(a counted) (counted, error) {
	switch a.order {
	case 0:
		return a, nil
	case 1:
		a.row = !a.row
		return a, nil
	case 2:
		return c.ein([][]int{{0, 1}}, []int{1, 0}, []counted{a}), nil
	}
	return counted{}, fmt.Errorf("the transpose of a tensor of order %d", a.order)
}

// product is an index product in letters.
func (c *counter) product(spec *syntax.Spec, args []counted) counted {
	number := map[string]int{}
	read := func(ix syntax.Indices) []int {
		out := make([]int, len(ix.Letters))
		for i, l := range ix.Letters {
			v, ok := number[l]
			if !ok {
				v = len(number)
				number[l] = v
			}
			out[i] = v
		}
		return out
	}
	in := lists.Map(spec.In, read)
	return c.ein(in, read(spec.Out), args)
}

// ein is a product, equal to others up to the order of the operands and the letters.
func (c *counter) ein(in [][]int, out []int, args []counted) counted {
	if len(args) == 1 && slices.Equal(in[0], out) && distinct(out) {
		return args[0]
	}
	perm := einsum.UpTo(len(args))
	sort.SliceStable(perm, func(i, j int) bool { return args[perm[i]].id < args[perm[j]].id })
	best := ""
	var try func(at int)
	try = func(at int) {
		if at == len(perm) {
			ops := lists.Map(perm, func(p int) []int { return in[p] })
			ops, o := renumber(ops, out)
			if key := fmt.Sprint(ops, o); best == "" || key < best {
				best = key
			}
			return
		}
		for i := at; i < len(perm) && args[perm[i]].id == args[perm[at]].id; i++ {
			perm[at], perm[i] = perm[i], perm[at]
			try(at + 1)
			perm[at], perm[i] = perm[i], perm[at]
		}
	}
	try(0)
	key := "ein" + best
	ids := make([]int, len(args))
	for k, p := range perm {
		ids[k] = args[p].id
		key += "@" + strconv.Itoa(args[p].id)
	}
	return counted{id: c.intern(key, max(1, len(args)-1), ids...), order: len(out)}
}
