package json

import (
	"fmt"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/internal/lists"
	"frechet/internal/must"
	"frechet/rewrite/proof"
)

// Decode builds the terms of a certificate in the store, which is to be empty. The error is a
// *[FormatError]: something refers to a term that is not there, or does not type-check; or a
// *[combinators.LimitError].
func (c *Certificate) Decode(s *combinators.Store) (d *proof.Derivation, err error) {
	table, row := "", 0 // what is built
	r := &decoder{s: s, c: c, functions: Functions(s)}
	at := func(m string) error {
		if r.stepping > 0 {
			m = fmt.Sprintf("step %d: %s", r.stepping, m)
		}
		return malformed("%s %d: %s", table, row, m)
	}
	defer combinators.Recover(&err, at)
	if err := r.declare(); err != nil {
		return nil, malformed("%v", err)
	}
	defer func() {
		if err != nil {
			err = at(err.Error())
		}
	}()
	defer must.Recover(&err)
	for i, j := range c.Nodes {
		table, row = "node", i
		r.nodes = append(r.nodes, r.node(&j))
	}
	for i, j := range c.Values {
		table, row = "value", i
		r.values = append(r.values, r.value(j))
	}
	for i, j := range c.Maps {
		table, row = "map", i
		r.maps = append(r.maps, r.mapOf(&j))
	}
	d = &proof.Derivation{Rules: c.Rules, Program: c.Program}
	for i, j := range c.Laws {
		table, row = "law", i+1
		d.Laws = append(d.Laws, proof.Law{Points: each(j.Points, r.variable), Start: r.mapAt(j.Start), End: r.mapAt(j.End), Steps: r.steps(j.Steps, true)})
	}
	for i, j := range c.Parts {
		table, row = "part", i+1
		d.Parts = append(d.Parts, r.part(j))
	}
	return d, nil
}

func (r *decoder) part(j partJSON) proof.Part {
	p := proof.Part{Kind: j.Kind, Fresh: each(j.Fresh, r.variable), Point: each(j.Point, r.variable), Start: r.line(j.Start), End: r.line(j.End)}
	for _, w := range j.Walk {
		p.Walk = append(p.Walk, proof.WalkStep{Law: w.Law, Node: r.at(w.Node), Gets: r.atAny(w.Gets)})
	}
	p.Factor = r.atAny(j.Factor)
	p.Steps = r.steps(j.Steps, p.Start.Map != nil)
	return p
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
	stepping  int // the number of the step that is read, from 1
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

// earlier is entry i of a table, which has to be there.
func earlier[T any](table []T, i int, what string) T {
	must.Hold(i >= 0 && i < len(table), "there is no earlier %s %d", what, i)
	return table[i]
}

func (r *decoder) at(i int) *proof.Node       { return earlier(r.nodes, i, "node") }
func (r *decoder) mapAt(i int) proof.Map      { return earlier(r.maps, i, "map") }
func (r *decoder) valueAt(i int) *proof.Value { return earlier(r.values, i, "value") }

// atAny is at where there is a number, else nil.
func (r *decoder) atAny(i *int) *proof.Node {
	if i == nil {
		return nil
	}
	return r.at(*i)
}

func (r *decoder) variable(i int) *proof.Node {
	n := r.at(i)
	must.Hold(n.Name() != "", "node %d is no variable", i)
	return n
}

func each[A, B any](in []A, f func(A) B) (out []B) {
	must.Hold(len(in) <= maxArgs, "a list of more than %d entries", maxArgs)
	out = lists.Append(out, in, f)
	return out
}

func eachOf[A, B any](in map[string]A, f func(A) B) map[string]B {
	out := map[string]B{}
	for k, a := range in {
		out[k] = f(a)
	}
	return out
}
