package coq

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/must"
	"frechet/rewrite/proof"
)

// A readback holds what a file says: each definition n12 is read as the value with that number, which it must be, and then the
// theorems as values, which must be those of the derivation. It has the printer's names of variables and sizes, and none of its terms.
type readback struct {
	store  *combinators.Store
	values map[string]*Node // variables by name, and what is defined
	params map[string][]string
	sizes  map[string]size.Size
	along  map[string][2]*Node // lines: their points and directions
}

// A header is what stands before the term of a definition or a statement.
type header struct {
	name   string
	params []string             // tensors
	ix     []string             // indices
	below  map[string]size.Size // of these
}

var binder = regexp.MustCompile(`^ \(((?:[^()]|\([^()]*\))*)\)`)

// header reads "n12 (x : nat -> R) (i j : nat) (Hi : (i < n)%N)".
func (r *readback) header(text string) (h header, rest string) {
	h.below = map[string]size.Size{}
	h.name, rest, _ = strings.Cut(text, " ")
	for rest = " " + rest; ; {
		m := binder.FindStringSubmatch(rest)
		if m == nil {
			return h, rest
		}
		rest = rest[len(m[0]):]
		names, kind, _ := strings.Cut(m[1], " : ")
		switch {
		case kind == "nat":
			h.ix = append(h.ix, strings.Fields(names)...)
		case kind == "R" || strings.HasSuffix(kind, "-> R"):
			h.params = append(h.params, names)
		default:
			p := readTerm(kind)
			p.expect("(")
			i := p.atom()
			p.expect("<")
			h.below[i.op] = r.size(p.sum())
		}
	}
}

// readBack compares the theorems of a file with the derivation whose theorems they are.
func (s *script) readBack(d *proof.Derivation, text string) (err error) {
	r := &readback{store: d.Parts[0].Start.Nodes[0].Store(), values: map[string]*Node{}, params: map[string][]string{}, sizes: map[string]size.Size{},
		along: map[string][2]*Node{}}
	line := ""
	defer func() {
		if err != nil {
			err = fmt.Errorf("the theorem does not state what it is to state: %s: %.200s", err, line)
		}
	}()
	defer must.Recover(&err)
	for n, name := range s.names {
		must.Hold(r.values[name] == nil, "two variables have the name %s", name)
		r.values[name] = n
	}
	for symbol, name := range s.sizes {
		r.sizes[name] = size.Sym(symbol)
	}
	claims := s.claims(d)
	for line = range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch kind, rest, _ := strings.Cut(line, " "); kind {
		case "Definition":
			if !strings.HasPrefix(rest, "theorems ") {
				r.definition(rest)
			}
		case "Theorem":
			h, statement := r.header(rest)
			claim, ok := claims[h.name]
			must.Hold(ok, "a theorem that is not to be stated")
			delete(claims, h.name)
			r.statement(h, strings.TrimSuffix(strings.TrimPrefix(statement, " : "), "."), claim)
		case "Axiom", "Parameter", "Admitted.":
			panic(must.Errorf("nothing is to be presumed here"))
		}
	}
	must.Hold(len(claims) == 0, "%d theorems are missing", len(claims))
	return nil
}

var definedValue = regexp.MustCompile(`^n(\d+)$`)

// definition reads a definition, which must be of the value that it names, or of a line.
func (r *readback) definition(text string) {
	h, rest := r.header(text)
	p := readTerm(strings.TrimSuffix(strings.TrimPrefix(rest, " : R := "), "."))
	t := p.sum()
	p.expect("")
	if m := definedValue.FindStringSubmatch(h.name); m != nil {
		id, _ := strconv.Atoi(m[1])
		n := r.store.Node(id)
		r.params[h.name] = h.params
		if got := r.read(t, h.ix, n); got != n && (n.Ein() == nil || !proof.Equal(r.store, got, n)) {
			panic(must.Errorf("it is another value than %s", h.name))
		}
		r.values[h.name] = n
		return
	}
	must.Hold(t.op == "+" && t.args[1].op == "*" && t.args[1].args[0].op == "s" && slices.Equal(h.params, []string{"s"}), "it is no line")
	r.along[h.name] = [2]*Node{r.entry(t.args[0], h.ix, nil), r.entry(t.args[1].args[1], h.ix, nil)}
}

// entry is the value of which a term is the entry at the indices ix. Parameters in it stand for themselves; on lines it is about their
// points.
func (r *readback) entry(t *tree, ix []string, lines map[*Node]*Node) *Node {
	n, at := r.ref(t, lines)
	must.Hold(len(at) == len(ix), "%s has other indices", t)
	for k, i := range ix {
		must.Hold(at[k].String() == i, "%s has other indices", t)
	}
	return n
}

// ref is a value and the indices at which it is read.
func (r *readback) ref(t *tree, lines map[*Node]*Node) (*Node, []*tree) {
	head, args := t, []*tree(nil)
	if t.op == "app" {
		head, args = t.args[0], t.args[1:]
	}
	switch { // a variable on a line
	case head.op == "app":
		return r.parameter(head, "", lines), args
	case r.along[head.op][0] != nil:
		return r.parameter(t, "", lines), nil
	}
	n := r.values[head.op]
	must.Hold(n != nil, "%s is not defined", head.op)
	if n.Is(atom.Var) {
		return r.parameter(head, head.op, lines), args
	}
	params := r.params[head.op]
	must.Hold(len(args) >= len(params), "%s lacks parameters", t)
	for k, x := range params {
		r.parameter(args[k], x, lines)
	}
	return n, args[len(params):]
}

// parameter is the variable that a term is at a point, or on its line where it is to move.
func (r *readback) parameter(t *tree, name string, lines map[*Node]*Node) *Node {
	if l, ok := r.along[t.String()]; ok || t.op == "app" {
		if l, ok = r.along[t.args[0].op]; ok && len(t.args) == 2 && t.args[1].op == "s" && lines[l[0]] == l[1] && (name == "" || r.values[name] == l[0]) {
			return l[0]
		}
		panic(must.Errorf("%s is not on the line", t))
	}
	x := r.values[name]
	must.Hold(t.op == name && lines[x] == nil, "%s is not at its point", t)
	return x
}

// number reads a rational number.
func number(t *tree) *big.Rat {
	switch {
	case t.op == "neg" && number(t.args[0]) != nil:
		return new(big.Rat).Neg(number(t.args[0]))
	case t.op == "/" && number(t.args[0]) != nil && number(t.args[1]) != nil:
		return new(big.Rat).Quo(number(t.args[0]), number(t.args[1]))
	case t.word() && isNumber(t.op):
		q, _ := new(big.Rat).SetString(t.op)
		return q
	}
	return nil
}

// size reads a size.
func (r *readback) size(t *tree) size.Size { return r.affine(t, nil).Off }

// affine reads an index, a form in variables.
func (r *readback) affine(t *tree, vars map[string]int) einsum.Affine {
	switch {
	case t.word() && isNumber(t.op):
		k, _ := strconv.ParseInt(t.op, 10, 64)
		return einsum.Affine{Off: size.Const(k)}
	case t.word():
		if v, ok := vars[t.op]; ok {
			return einsum.Variable(v)
		}
		if d, ok := r.sizes[t.op]; ok {
			return einsum.Affine{Off: d}
		}
	case t.op == "+", t.op == "-":
		k := map[string]int64{"+": 1, "-": -1}[t.op]
		return r.affine(t.args[0], vars).Plus(k, r.affine(t.args[1], vars))
	case t.op == "*":
		a, b := r.affine(t.args[0], vars), r.affine(t.args[1], vars)
		if len(b.Terms) == 0 {
			a, b = b, a
		}
		if k, ok := a.Off.Int(); ok && len(a.Terms) == 0 {
			return einsum.Affine{}.Plus(k, b)
		}
		if len(a.Terms)+len(b.Terms) == 0 {
			return einsum.Affine{Off: a.Off.Mul(b.Off)}
		}
	}
	panic(must.Errorf("%s is no index", t))
}

// read is the value of a definition with the operation of n, whose operands it reads.
// It stays one list of cases, the first of which holds.
func (r *readback) read(t *tree, ix []string, n *Node) *Node {
	arg := func(t *tree) *Node {
		if q := number(t); q != nil {
			return r.store.Const(q)
		}
		if t.op == "pi" {
			return r.store.Apply(atom.Pi, 0)
		}
		return r.entry(t, ix, nil)
	}
	q, base := exponent(t)
	switch f, tensor := tensorial(n); {
	case n.Ein() != nil:
		return r.contraction(t, ix, n.Shape())
	case n.Is(atom.Norm2) && t.op == "app" && t.args[0].op == "norm2" && len(t.args) == 2:
		a := n.Arg(0)
		l := lists.Make(a.Order(), func(i int) int { return i })
		if square := r.contraction(t.args[1], nil, nil); square == r.store.Contract([][]int{l, l}, nil, a.Shape(), a, a) {
			return n
		}
	case n.Is(atom.Solve):
		a, b := n.Arg(0), n.Arg(1)
		in, out := []int{0, 1}, []int{0}
		right, dims := []int{1}, slices.Clone(a.Shape())
		for k := 1; k < b.Order(); k++ {
			right, out, dims = append(right, k+1), append(out, k+1), append(dims, b.Shape()[k])
		}
		if r.contraction(t, ix, n.Shape()) == r.store.Contract([][]int{in, right}, out, dims, r.store.Inv(a), b) {
			return n
		}
	case t.op == "+" && n.Is(atom.Add):
		return n.With([]*Node{arg(t.args[0]), arg(t.args[1])})
	case n.Is(atom.Power) && q != nil && q.Cmp(n.Rat()) == 0:
		return n.With([]*Node{arg(base)})
	case tensor && t.op == "app" && t.args[0].op == f.name:
		return n.With([]*Node{r.call(t, ix)})
	case t.op == "app":
		head := strings.Fields(or2(elementwise[n.Atom()].name, binary[n.Atom()].name))
		if args := t.args[len(head):]; len(head) > 0 && len(args) == len(n.Args()) && slices.EqualFunc(head, t.args[:len(head)], func(w string, t *tree) bool { return t.op == w }) {
			var operands []*Node
			operands = lists.Append(operands, args, arg)
			return n.With(operands)
		}
	}
	panic(must.Errorf("%s is another operation", t))
}

func or2(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// exponent reads x^q: a root, an inverse, a power of these.
func exponent(t *tree) (q *big.Rat, base *tree) {
	switch {
	case t.op == "^":
		q, base = exponent(t.args[0])
		return new(big.Rat).Mul(q, number(t.args[1])), base
	case t.op == "inv":
		q, base = exponent(t.args[0])
		return new(big.Rat).Neg(q), base
	case t.op == "app" && t.args[0].op == "Num.sqrt" && len(t.args) == 2:
		return big.NewRat(1, 2), t.args[1]
	case t.op == "app" && t.args[0].op == "rpow" && len(t.args) == 3:
		return number(t.args[1]), t.args[2]
	}
	return big.NewRat(1, 1), t
}

// call reads a function of the last axes of an operand: (inv n (n8 x i) j k).
func (r *readback) call(t *tree, ix []string) *Node {
	must.Hold(len(t.args) >= 3, "%s lacks operands", t)
	a, batch := r.ref(t.args[2], nil)
	at := append(slices.Clone(batch), t.args[3:]...)
	must.Hold(len(batch) < a.Order() && a.Shape()[len(batch)] == r.size(t.args[1]) && len(at) == len(ix), "%s has other axes", t)
	for k, i := range ix {
		must.Hold(at[k].String() == i, "%s has other indices", t)
	}
	return a
}

// contraction reads sums of a product of conditions and operands.
func (r *readback) contraction(t *tree, ix []string, shape []size.Size) *Node {
	vars, dims := map[string]int{}, slices.Clone(shape)
	var out einsum.Access
	for k, i := range ix {
		vars[i] = k
		out.Index = append(out.Index, einsum.Variable(k))
	}
	out.Shape = shape
	for t.op == "sum" {
		vars[t.args[0].op] = len(dims)
		dims = append(dims, r.size(t.args[1]))
		t = t.args[2]
	}
	var in []einsum.Access
	var operands []*Node
	var eq, ge []einsum.Affine
	var factor func(t *tree)
	factor = func(t *tree) {
		switch q := number(t); {
		case t.op == "*":
			factor(t.args[0])
			factor(t.args[1])
		case t.op == "==":
			eq = append(eq, r.affine(t.args[0], vars).Plus(-1, r.affine(t.args[1], vars)))
		case t.op == "<=":
			ge = append(ge, r.affine(t.args[1], vars).Plus(-1, r.affine(t.args[0], vars)))
		case q != nil:
			in, operands = append(in, einsum.Access{}), append(operands, r.store.Const(q))
		case t.op == "pi":
			in, operands = append(in, einsum.Access{}), append(operands, r.store.Apply(atom.Pi, 0))
		default:
			a, at := (*Node)(nil), []*tree(nil)
			if t.op == "app" && t.args[0].op == "inv" && len(t.args) == 5 {
				at = t.args[3:]
				a = r.store.Inv(r.call(t, []string{at[0].String(), at[1].String()}))
			} else {
				a, at = r.ref(t, nil)
			}
			acc := einsum.Access{Shape: a.Shape()}
			for _, i := range at {
				acc.Index = append(acc.Index, r.affine(i, vars))
			}
			in, operands = append(in, acc), append(operands, a)
		}
	}
	if t.op != "1" { // the product of nothing
		factor(t)
	}
	c, err := einsum.New(dims, in, out, eq, ge)
	must.Do(err)
	return r.store.Ein(c.Solve(), operands...)
}
