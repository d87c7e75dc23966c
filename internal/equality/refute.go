package equality

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/words"
	"frechet/rewrite/verify"
)

// refutation is what comparing the sides at points came to.
type refutation struct {
	witness *verify.Witness
	exact   bool
	points  int // at which both sides had a value
	shapes  []string
	ruled   bool // nothing was compared: rules may say more of declared functions than that they are some
}

func (r *refutation) String() string {
	if r.ruled {
		return "no points: of functions that rules speak of no numbers are known"
	}
	if r.points == 0 {
		return "no point was found at which both sides have a value"
	}
	at := ""
	if sizes := strings.Join(r.shapes, "; "); sizes != "" {
		at = " at " + sizes
	}
	return fmt.Sprintf("%s%s, at which the sides agree", words.Count(r.points, "point"), at)
}

// sizeChoices are numbers for size symbols, in turn; the last one of a list stands for all that come after. All equal, all
// different in both orders, and 1 or 0 among them: a law of square matrices fails for others, and one of rows may hold for
// one row.
var sizeChoices = [][]int64{{2}, {3, 2}, {2, 3, 4, 5}, {1}, {1, 3, 2}, {3}, {4}, {0}, {2, 0, 1}, {0, 2, 3}}

// refute compares the sides at points of several sizes.
func (q *Question) refute(ctx context.Context) *refutation {
	r := &refutation{}
	if q.Program.Options.Rules != nil && slices.ContainsFunc(combinators.Topo(q.Left, q.Right), func(n *combinators.Node) bool { return n.Atom().Signature() != nil }) {
		r.ruled = true
		return r
	}
	symbols := sizeSymbols(q.Left, q.Right)
	draw := rand.New(rand.NewPCG(1, 2))
	seen := map[string]bool{}
	for _, list := range sizeChoices {
		known, text := map[string]size.Size{}, []string{}
		for i, name := range symbols {
			n := list[min(i, len(list)-1)]
			known[name] = size.Const(n)
			text = append(text, fmt.Sprintf("%s=%d", name, n))
		}
		at := strings.Join(text, ", ")
		if seen[at] {
			continue
		}
		seen[at] = true
		s := combinators.NewStore()
		s.Stop = q.Program.Store.Stop
		sides, err := s.AtSizes(known, q.Left, q.Right)
		if err != nil || ctx.Err() != nil {
			continue
		}
		var vars []*combinators.Node
		for _, n := range combinators.Topo(sides...) {
			if n.Is(atom.Var) {
				vars = append(vars, n)
			}
		}
		w, exact, common := verify.Apart(sides[0], sides[1], vars, draw)
		if r.points += common; common > 0 && at != "" {
			r.shapes = append(r.shapes, at)
		}
		if w != nil {
			w.Sizes = at
			r.witness, r.exact = w, exact
			return r
		}
	}
	return r
}

// sizeSymbols are the symbols in the sizes of values, those of variables first.
func sizeSymbols(outs ...*combinators.Node) (names []string) {
	seen := map[string]bool{}
	add := func(sizes []size.Size) {
		for _, d := range sizes {
			for _, name := range d.Symbols() {
				if !seen[name] {
					seen[name] = true
					names = append(names, name)
				}
			}
		}
	}
	nodes := combinators.Topo(outs...)
	for _, n := range nodes {
		if n.Is(atom.Var) {
			add(n.Shape())
		}
	}
	for _, n := range nodes {
		add(n.Sizes())
		add(n.Shape())
		if c := n.Ein(); c != nil {
			add(c.Vars)
		}
	}
	return names
}
