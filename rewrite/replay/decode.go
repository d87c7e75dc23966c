package replay

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
)

// Decode builds the terms of a certificate in the store, which is to be empty. The error is a
// *[FormatError]: something refers to a term that is not there, or does not type-check.
func (c *Certificate) Decode(s *combinators.Store) (d *Derivation, err error) {
	defer rebuilt(&err, func(m string) error { return malformed("%s", m) })
	r := &decoder{s: s, c: c}
	for i, j := range c.Nodes {
		n, err := r.node(&j)
		if err != nil {
			return nil, malformed("node %d: %v", i, err)
		}
		r.nodes = append(r.nodes, n)
	}
	for i, j := range c.Values {
		v, err := r.value(j)
		if err != nil {
			return nil, malformed("value %d: %v", i, err)
		}
		r.values = append(r.values, v)
	}
	for i, j := range c.Maps {
		m, err := r.mapOf(&j)
		if err != nil {
			return nil, malformed("map %d: %v", i, err)
		}
		r.maps = append(r.maps, m)
	}
	d = &Derivation{Rules: c.Rules, Program: c.Program}
	for i, p := range c.Parts {
		q := Part{Kind: p.Kind}
		for _, k := range append(p.Fresh[:len(p.Fresh):len(p.Fresh)], p.Point...) {
			n, err := r.at(k)
			if err != nil || n.Name() == "" {
				return nil, malformed("part %d: node %d is no variable", i, k)
			}
			if len(q.Fresh) < len(p.Fresh) {
				q.Fresh = append(q.Fresh, n)
			} else {
				q.Point = append(q.Point, n)
			}
		}
		if q.Start, err = r.line(p.Start); err != nil {
			return nil, malformed("part %d: %v", i+1, err)
		}
		for k, t := range p.Steps {
			step, err := r.step(t)
			if err != nil {
				return nil, malformed("part %d, step %d: %v", i+1, k+1, err)
			}
			q.Steps = append(q.Steps, step)
		}
		d.Parts = append(d.Parts, q)
	}
	return d, nil
}

// NewStore is an empty store for the terms of a certificate, of bounded size.
func NewStore() *combinators.Store {
	s := combinators.NewStore()
	s.MaxNodes = 8 * maxTerms
	return s
}

// Import builds the terms of a line of another store.
func Import(s *combinators.Store, l Line) (Line, error) {
	d, err := Encode(&Derivation{Parts: []Part{{Start: l}}}).Decode(s)
	if err != nil {
		return l, err
	}
	return d.Parts[0].Start, nil
}

// rebuilt turns what constructors panic with into an error.
func rebuilt(err *error, wrap func(string) error) {
	switch p := recover().(type) {
	case nil:
	case *combinators.TypeError:
		*err = wrap(p.Error())
	case *combinators.LimitError:
		*err = malformed("the terms are too large: %v", p)
	case string: // package einsum: a coefficient left 64 bits
		*err = wrap(p)
	case *tooMuch:
		*err = malformed("checking takes too long: the limit is %d term visits", maxWork)
	default:
		panic(p)
	}
}

type decoder struct {
	s      *combinators.Store
	c      *Certificate
	nodes  []*Node
	values []*Value
	maps   []Map
}

func (r *decoder) at(i int) (*Node, error) {
	if i < 0 || i >= len(r.nodes) {
		return nil, fmt.Errorf("there is no earlier node %d", i)
	}
	return r.nodes[i], nil
}

func (r *decoder) mapAt(i int) (Map, error) {
	if i < 0 || i >= len(r.maps) {
		return Map{}, fmt.Errorf("there is no earlier map %d", i)
	}
	return r.maps[i], nil
}

func (r *decoder) valueAt(i int) (*Value, error) {
	if i < 0 || i >= len(r.values) {
		return nil, fmt.Errorf("there is no earlier value %d", i)
	}
	return r.values[i], nil
}

func each[A, B any](in []A, f func(A) (B, error)) ([]B, error) {
	if len(in) > maxArgs {
		return nil, fmt.Errorf("a list of more than %d entries", maxArgs)
	}
	var out []B
	for _, a := range in {
		b, err := f(a)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

func eachOf[A, B any](in map[string]A, f func(A) (B, error)) (map[string]B, error) {
	out := map[string]B{}
	for k, a := range in {
		b, err := f(a)
		if err != nil {
			return nil, err
		}
		out[k] = b
	}
	return out, nil
}

func rational(s string) (*big.Rat, error) {
	if len(s) == 0 || len(s) > 4096 || strings.ContainsAny(s, "eE.xpP_") {
		return nil, fmt.Errorf("%.40q is no rational number", s)
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, fmt.Errorf("%.40q is no rational number", s)
	}
	return r, nil
}

// parseSize reads what Size.String prints: a polynomial without parentheses.
func parseSize(s string) (size.Size, error) {
	if len(s) == 0 || len(s) > 512 {
		return size.Size{}, fmt.Errorf("%.40q is no size", s)
	}
	sum, sign := size.Const(0), int64(1)
	for at := 0; at < len(s); {
		if at > 0 || s[at] == '-' {
			switch s[at] {
			case '-':
				sign = -1
			case '+':
				sign = 1
			default:
				return size.Size{}, fmt.Errorf("%.40q is no size", s)
			}
			at++
		}
		end := at
		for end < len(s) && s[end] != '+' && s[end] != '-' {
			end++
		}
		term := size.Const(sign)
		for _, f := range strings.Split(s[at:end], "*") {
			if n, err := strconv.ParseInt(f, 10, 63); err == nil {
				term = term.Mul(size.Const(n))
			} else if f == "" || f[0] >= '0' && f[0] <= '9' || strings.ContainsAny(f, " \t\n/^()[]{},") {
				return size.Size{}, fmt.Errorf("%.40q is no size", s)
			} else {
				term = term.Mul(size.Sym(f))
			}
		}
		sum = sum.Add(term)
		at = end
	}
	return sum, nil
}

func shape(ss []string) ([]size.Size, error) { return each(ss, parseSize) }

func guardNamed(s string) (combinators.Guard, error) {
	for g, name := range guards {
		if name == s {
			return g, nil
		}
	}
	return 0, fmt.Errorf("there is no guard %.40q", s)
}

func (r *decoder) node(j *nodeJSON) (*Node, error) {
	s := r.s
	args, err := each(j.Args, r.at)
	if err != nil {
		return nil, err
	}
	at := combinators.AtomNamed(j.Op)
	if at == nil {
		return nil, fmt.Errorf("there is no operation %.40q", j.Op)
	}
	if at != combinators.AtomEin && len(args) != at.Arity {
		return nil, fmt.Errorf("%s of %d operands", j.Op, len(args))
	}
	if j.Attr < 0 || j.Attr > maxArgs {
		return nil, fmt.Errorf("%s[%d]", j.Op, j.Attr)
	}
	var n *Node
	switch at {
	case combinators.AtomVar:
		sh, err := shape(j.Shape)
		if err != nil || j.Name == "" {
			return nil, fmt.Errorf("a variable without a name or shape")
		}
		return s.Var(j.Name, sh), nil
	case combinators.AtomConst:
		x, err := rational(j.Rat)
		if err != nil {
			return nil, err
		}
		return s.Const(x), nil
	case combinators.AtomEin:
		c, err := parseContraction(j.Ein)
		if err != nil {
			return nil, err
		}
		return s.Ein(c, args...), nil
	case combinators.AtomAdd:
		return s.Add(args[0], args[1]), nil
	case combinators.AtomPower:
		x, err := rational(j.Rat)
		if err != nil {
			return nil, err
		}
		n = s.Power(args[0], x)
	default:
		switch {
		case at.Name == "split":
			d, err := shape(j.Sizes)
			if err != nil || len(d) != 2 {
				return nil, fmt.Errorf("split into %d sizes", len(d))
			}
			n = s.Split(j.Attr, d[0], d[1], args[0])
		case at.Class == combinators.ClassElementwise && at.Arity == 2:
			n = s.Binary(at.Name, args[0], args[1])
		case at.Class >= combinators.ClassLinear:
			n = s.Apply(at, j.Attr, args...)
		default:
			return nil, fmt.Errorf("%s is no operation on values", j.Op)
		}
	}
	g, err := guardNamed(j.Guard)
	if err != nil {
		return nil, err
	}
	if g != combinators.GuardNone && !n.Is("power") && !n.Is("pow") && !n.Is("log") {
		return nil, fmt.Errorf("a guard on %s", j.Op)
	}
	return n.WithGuard(g), nil
}

func parseContraction(j *contractionJSON) (*einsum.Contraction, error) {
	if j == nil {
		return nil, fmt.Errorf("a contraction without index maps")
	}
	if len(j.Vars) > maxVars || len(j.Eq)+len(j.Ge) > maxVars || len(j.In) > maxArgs {
		return nil, fmt.Errorf("a contraction with more than %d variables or conditions", maxVars)
	}
	vars, err := shape(j.Vars)
	if err != nil {
		return nil, err
	}
	forms := func(in []affine) ([]einsum.Affine, error) {
		return each(in, func(a affine) (f einsum.Affine, err error) {
			if f.Off, err = parseSize(a.Off); err != nil {
				return f, err
			}
			last := -1
			for _, t := range a.Terms {
				if t[0] <= int64(last) || t[0] >= int64(len(vars)) || t[1] == 0 || t[1] > 1<<31 || t[1] < -1<<31 {
					return f, fmt.Errorf("%d times variable %d in an index", t[1], t[0])
				}
				last = int(t[0])
				f.Terms = append(f.Terms, einsum.Term{Var: last, Coef: t[1]})
			}
			return f, nil
		})
	}
	var in []einsum.Access
	for k, f := range append(j.In[:len(j.In):len(j.In)], j.Out) {
		acc := einsum.Access{}
		if acc.Index, err = forms(f); err != nil {
			return nil, err
		}
		if j.Shapes != nil {
			if k >= len(j.Shapes) {
				return nil, fmt.Errorf("a contraction of %d operands with %d shapes", len(j.In), len(j.Shapes))
			}
			if acc.Shape, err = shape(j.Shapes[k]); err != nil {
				return nil, err
			}
		} else {
			for _, a := range acc.Index {
				v, ok := a.Var()
				if !ok {
					return nil, fmt.Errorf("an index that is no variable, without the shape of its operand")
				}
				acc.Shape = append(acc.Shape, vars[v])
			}
		}
		in = append(in, acc)
	}
	eq, err := forms(j.Eq)
	if err != nil {
		return nil, err
	}
	ge, err := forms(j.Ge)
	if err != nil {
		return nil, err
	}
	return einsum.New(vars, in[:len(in)-1], in[len(in)-1], eq, ge)
}

func (r *decoder) value(j valueJSON) (*Value, error) {
	if j.Node != nil {
		n, err := r.at(*j.Node)
		if err != nil {
			return nil, err
		}
		return r.s.Value(n), nil
	}
	parts, err := each(j.Parts, r.valueAt)
	if err != nil {
		return nil, err
	}
	return r.s.Tuple(parts...), nil
}

func parseSpace(j *spaceJSON) (combinators.Space, error) {
	if j == nil {
		return combinators.Space{}, fmt.Errorf("a map without its space")
	}
	if j.Product {
		fs, err := each(j.Factors, func(f spaceJSON) (combinators.Space, error) { return parseSpace(&f) })
		return combinators.ProductSpace(fs...), err
	}
	sh, err := shape(j.Shape)
	return combinators.TensorSpace(sh), err
}

// mapParts is the number of parts of each constructor, -1 for any positive number.
var mapParts = map[string]int{"id": 0, "compose": 2, "pair": -1, "product": -1, "copair": -1, "sum": 2, "pi": 0, "iota": 0,
	"K": 0, "zero": 0, "ein": 0, "atom": 0, "copower": 1, "D": 1, "adjoint": 1}

func (r *decoder) mapOf(j *mapJSON) (m Map, err error) {
	s := r.s
	fs, err := each(j.Maps, r.mapAt)
	if err != nil {
		return m, err
	}
	want, ok := mapParts[j.Op]
	if !ok || want >= 0 && len(fs) != want || want < 0 && len(fs) == 0 {
		return m, fmt.Errorf("%.40q of %d maps", j.Op, len(fs))
	}
	linear := make([]combinators.Linear, len(fs))
	for i, f := range fs {
		if linear[i], ok = f.Linear(); !ok && (j.Op == "copair" || j.Op == "adjoint") {
			return m, fmt.Errorf("%s of a map that is not linear", j.Op)
		}
	}
	var v *Value
	if j.Op == "K" || j.Op == "D" {
		if j.Value == nil {
			return m, fmt.Errorf("%s without a value", j.Op)
		}
		if v, err = r.valueAt(*j.Value); err != nil {
			return m, err
		}
	}
	switch j.Op {
	case "compose":
		return s.Compose(fs[0], fs[1]), nil
	case "pair":
		return s.Pair(fs...), nil
	case "product":
		return s.Product(fs...), nil
	case "copair":
		return s.Copair(linear...).Map, nil
	case "sum":
		return s.SumMaps(fs[0], fs[1]), nil
	case "D":
		return s.Derivative(fs[0], v).Map, nil
	case "adjoint":
		return s.Adjoint(linear[0]).Map, nil
	case "copower":
		x, err := shape(j.Power)
		return s.Copower(fs[0], x), err
	case "ein", "atom":
		return r.leaf(j)
	case "iota":
		w, err := parseSpace(j.Cod)
		if err != nil {
			return m, err
		}
		return s.Inj(w, j.K-1).Map, nil
	}
	u, err := parseSpace(j.Dom)
	if err != nil {
		return m, err
	}
	switch j.Op {
	case "id":
		return s.ID(u).Map, nil
	case "pi":
		return s.Proj(u, j.K-1).Map, nil
	case "K":
		return s.ConstMap(u, v), nil
	}
	w, err := parseSpace(j.Cod)
	return s.ZeroMap(u, w).Map, err
}

// leaf is a contraction or another atom in its open operands.
func (r *decoder) leaf(j *mapJSON) (m Map, err error) {
	n := j.Node
	if n == nil {
		return m, fmt.Errorf("%s without its operation", j.Op)
	}
	fixed, err := each(n.Args, func(i int) (*Node, error) {
		if i == -1 {
			return nil, nil
		}
		return r.at(i)
	})
	if err != nil {
		return m, err
	}
	if j.Op == "ein" {
		c, err := parseContraction(n.Ein)
		if err != nil {
			return m, err
		}
		return r.s.EinMap(c, fixed), nil
	}
	at := combinators.AtomNamed(n.Op)
	if at == nil || at.Class < combinators.ClassLinear || at.Arity != len(fixed) || n.Attr < 0 || n.Attr > maxArgs {
		return m, fmt.Errorf("%.40q of %d operands", n.Op, len(fixed))
	}
	shapes := make([][]size.Size, len(fixed))
	open := 0
	for k, a := range fixed {
		if a != nil {
			shapes[k] = a.Shape()
			continue
		}
		if open >= len(j.Shapes) {
			return m, fmt.Errorf("an open operand without its shape")
		}
		if shapes[k], err = shape(j.Shapes[open]); err != nil {
			return m, err
		}
		open++
	}
	var x *big.Rat
	if at == combinators.AtomPower {
		if x, err = rational(n.Rat); err != nil {
			return m, err
		}
	}
	var d []size.Size
	if at.Name == "split" {
		if d, err = shape(n.Sizes); err != nil || len(d) != 2 {
			return m, fmt.Errorf("split into %d sizes", len(d))
		}
	}
	g, err := guardNamed(n.Guard)
	if err != nil {
		return m, err
	}
	return r.s.AtomMap(at, n.Attr, x, d, fixed, shapes).WithGuard(g), nil
}

func (r *decoder) line(j lineJSON) (l Line, err error) {
	if j.Map != nil {
		if len(j.Nodes) > 0 {
			return l, fmt.Errorf("a line of a map and of values")
		}
		m, err := r.mapAt(*j.Map)
		l.Map = &m
		return l, err
	}
	// a line without values is of the space with one point
	l.Nodes, err = each(j.Nodes, r.at)
	return l, err
}

func (r *decoder) step(j stepJSON) (s Step, err error) {
	s.Rule, s.Operands = j.Rule, j.Operands
	if s.Line, err = r.line(j.Line); err != nil {
		return s, err
	}
	one := func(i int) (Line, error) {
		if s.Line.Map != nil {
			return r.line(lineJSON{Map: &i})
		}
		return r.line(lineJSON{Nodes: []int{i}})
	}
	if s.Before, err = one(j.Before); err != nil {
		return s, err
	}
	if s.After, err = one(j.After); err != nil {
		return s, err
	}
	if (j.Context == nil) != (j.Hole == nil) {
		return s, fmt.Errorf("a context and a hole belong together")
	}
	if j.Context != nil {
		if s.Context, err = r.at(*j.Context); err != nil {
			return s, err
		}
		if s.Hole, err = r.at(*j.Hole); err != nil {
			return s, err
		}
	}
	if s.Facts, err = each(j.Facts, func(f factJSON) (Fact, error) {
		n, err := r.at(f.Node)
		return Fact{f.Sign, n}, err
	}); err != nil || j.Subst == nil {
		return s, err
	}
	t, u := j.Subst, &s.Subst
	u.Batch, u.Count, u.Components = t.Batch, t.Count, t.Components
	if u.Batch < 0 || u.Batch > maxArgs || u.Count < 0 || u.Count > maxArgs {
		return s, fmt.Errorf("a substitution of %d axes and %d members", u.Batch, u.Count)
	}
	if u.Guard, err = guardNamed(t.Guard); err != nil {
		return s, err
	}
	if u.Values, err = eachOf(t.Values, r.at); err != nil {
		return s, err
	}
	if u.Numbers, err = eachOf(t.Numbers, rational); err != nil {
		return s, err
	}
	if u.Sizes, err = eachOf(t.Sizes, parseSize); err != nil {
		return s, err
	}
	if u.Maps, err = eachOf(t.Maps, r.mapAt); err != nil {
		return s, err
	}
	if u.Points, err = eachOf(t.Points, r.valueAt); err != nil {
		return s, err
	}
	if u.Families, err = eachOf(t.Families, func(ks []int) ([]Map, error) { return each(ks, r.mapAt) }); err != nil {
		return s, err
	}
	u.Index, err = shape(t.Index)
	return s, err
}
