package json

import (
	"fmt"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/rewrite/proof"
)

// Decode builds the terms of a certificate in the store, which is to be empty. The error is a
// *[FormatError]: something refers to a term that is not there, or does not type-check; or a
// *[combinators.LimitError].
func (c *Certificate) Decode(s *combinators.Store) (d *proof.Derivation, err error) {
	table, row := "", 0 // what is built
	defer combinators.Recover(&err, func(m string) error { return malformed("%s %d: %s", table, row, m) })
	r := &decoder{s: s, c: c, functions: Functions(s)}
	if err := r.declare(); err != nil {
		return nil, malformed("%v", err)
	}
	for i, j := range c.Nodes {
		table, row = "node", i
		n, err := r.node(&j)
		if err != nil {
			return nil, malformed("node %d: %v", i, err)
		}
		r.nodes = append(r.nodes, n)
	}
	for i, j := range c.Values {
		table, row = "value", i
		v, err := r.value(j)
		if err != nil {
			return nil, malformed("value %d: %v", i, err)
		}
		r.values = append(r.values, v)
	}
	for i, j := range c.Maps {
		table, row = "map", i
		m, err := r.mapOf(&j)
		if err != nil {
			return nil, malformed("map %d: %v", i, err)
		}
		r.maps = append(r.maps, m)
	}
	d = &proof.Derivation{Rules: c.Rules, Program: c.Program}
	for i, j := range c.Laws {
		table, row = "law", i+1
		l, err := r.law(j)
		if err != nil {
			return nil, malformed("law %d: %v", i+1, err)
		}
		d.Laws = append(d.Laws, l)
	}
	for i, j := range c.Parts {
		table, row = "part", i+1
		p, err := r.part(j)
		if err != nil {
			return nil, malformed("part %d: %v", i+1, err)
		}
		d.Parts = append(d.Parts, p)
	}
	return d, nil
}

func (r *decoder) law(j lawJSON) (l proof.Law, err error) {
	if l.Points, err = each(j.Points, r.variable); err != nil {
		return l, err
	}
	if l.Start, err = r.mapAt(j.Start); err != nil {
		return l, err
	}
	if l.End, err = r.mapAt(j.End); err != nil {
		return l, err
	}
	l.Steps, err = r.steps(j.Steps, true)
	return l, err
}

func (r *decoder) part(j partJSON) (p proof.Part, err error) {
	p.Kind = j.Kind
	if p.Fresh, err = each(j.Fresh, r.variable); err != nil {
		return p, err
	}
	if p.Point, err = each(j.Point, r.variable); err != nil {
		return p, err
	}
	for _, w := range j.Walk {
		s := proof.WalkStep{Law: w.Law}
		if s.Node, err = r.at(w.Node); err == nil && w.Gets != nil {
			s.Gets, err = r.at(*w.Gets)
		}
		if err != nil {
			return p, err
		}
		p.Walk = append(p.Walk, s)
	}
	if j.Factor != nil {
		if p.Factor, err = r.at(*j.Factor); err != nil {
			return p, err
		}
	}
	if p.Start, err = r.line(j.Start); err != nil {
		return p, err
	}
	if p.End, err = r.line(j.End); err != nil {
		return p, err
	}
	p.Steps, err = r.steps(j.Steps, p.Start.Map != nil)
	return p, err
}

// NewStore is an empty store for the terms of a certificate, of bounded size.
func NewStore() *combinators.Store {
	s := combinators.NewStore()
	s.MaxNodes = 8 * maxTerms
	return s
}

// Import builds the terms of a line of another store.
func Import(s *combinators.Store, l proof.Line) (proof.Line, error) {
	d, err := Encode(&proof.Derivation{Parts: []proof.Part{{Start: l}}}).Decode(s)
	if err != nil {
		return l, err
	}
	return d.Parts[0].Start, nil
}

type decoder struct {
	s      *combinators.Store
	c      *Certificate
	nodes  []*proof.Node
	values []*proof.Value
	maps   []proof.Map

	functions *atom.Scope
}

type functionsKey struct{}

// Functions are the declared functions that certificates in the store have.
func Functions(s *combinators.Store) *atom.Scope {
	return combinators.Memo(s, functionsKey{}, func() *atom.Scope { return atom.NewScope(nil) })
}

// declare declares the certificate's functions, those aside that one in the store has declared in the same words.
func (r *decoder) declare() error {
	var added []*text.Primitive
	for _, src := range r.c.Primitives {
		if slices.ContainsFunc(r.functions.All(), func(d *atom.Declaration) bool { return d.String() == src }) {
			continue
		}
		p, err := text.ParsePrimitive(src)
		if err != nil {
			return err
		}
		added = append(added, p)
	}
	return text.DeclareAll(added, r.functions, func(string) string { return "" })
}

func (r *decoder) at(i int) (*proof.Node, error) {
	if i < 0 || i >= len(r.nodes) {
		return nil, fmt.Errorf("there is no earlier node %d", i)
	}
	return r.nodes[i], nil
}

func (r *decoder) variable(i int) (*proof.Node, error) {
	n, err := r.at(i)
	if err == nil && n.Name() == "" {
		err = fmt.Errorf("node %d is no variable", i)
	}
	return n, err
}

func (r *decoder) mapAt(i int) (proof.Map, error) {
	if i < 0 || i >= len(r.maps) {
		return proof.Map{}, fmt.Errorf("there is no earlier map %d", i)
	}
	return r.maps[i], nil
}

func (r *decoder) valueAt(i int) (*proof.Value, error) {
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
