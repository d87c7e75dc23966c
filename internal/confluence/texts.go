package confluence

import (
	"math/rand/v2"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/rewrite/normal"
	"frechet/syntax"
	index "frechet/syntax/index/unparse"
	"frechet/syntax/unparse"
)

// termFormats write a value that is arranged.
var termFormats = []struct {
	name  string
	write func(n *Node) (string, error)
}{
	{"term", func(n *Node) (string, error) { return text.Printer{}.Print(text.Value(n)), nil }},
	{"text", func(n *Node) (string, error) {
		return file(unparse.Program([]*Node{n}, unparse.Options{}))
	}},
	{"einstein", func(n *Node) (string, error) {
		return file(unparse.Program([]*Node{n}, unparse.Options{Notation: unparse.Einstein}))
	}},
	{"index", func(n *Node) (string, error) { return file(index.Program([]*Node{n}, index.Options{})) }},
}

func file(stmts []syntax.Stmt, err error) (string, error) {
	return syntax.PrintFile(&syntax.File{Stmts: stmts}), err
}

// RunTexts counts how often writings of a random term whose normal forms are the same have different
// texts. The variables have one order in all of them.
func RunTexts(o Options) []Printed {
	var out []Printed
	for _, f := range termFormats {
		out = append(out, Printed{What: "term", Format: f.name})
	}
	for n := range o.Terms {
		seed := o.Seed + uint64(n)
		t := Draw(rand.New(rand.NewPCG(seed, 1)), o)
		forms := NewForms()
		first := newTermWriting(t, nil, forms)
		var others []*writing
		for v := range o.Writings {
			others = append(others, newTermWriting(t, rand.New(rand.NewPCG(seed, uint64(v)+2)), forms))
		}
		for i := range out {
			out[i].compare(first, others, 0, i, o.Show)
		}
	}
	return out
}

func newTermWriting(t *Term, r *rand.Rand, forms *Forms) *writing {
	s := combinators.NewStore()
	for _, u := range t.Topo() {
		if u.Op == Variable {
			s.Var(u.Name, u.Shape)
		}
	}
	n := normal.New(s, nil).Simplify(t.Build(s, r))[0]
	w := &writing{program: t.String(), forms: [][]*Node{{forms.Of(n)}}, texts: [][]string{nil}}
	for _, f := range termFormats {
		text, err := f.write(combinators.Arrange(n)[0])
		if err != nil {
			text = err.Error()
		}
		w.texts[0] = append(w.texts[0], text)
	}
	return w
}
