package text

import (
	"slices"

	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// PrintClosed prints a closed term in point-free notation, in ASCII, or with the symbols of the
// paper where unicode is set. What is used more than once stands in a let, each binding on a line
// of its own; values (constants, fixed operands of sections, points of derivatives) share theirs.
func PrintClosed(m combinators.Map, unicode bool) string {
	return Printer{Unicode: unicode, Lines: true}.Print(Closed(m))
}

// Closed is a closed term as text's term. It is read back given its type, where the spaces of what
// stands in it show from there.
func Closed(m combinators.Map) *Term { return closed(m, false) }

// ClosedTyped is Closed with the types of those parts whose spaces might not show: injections, zero
// maps and adjoints before other maps.
func ClosedTyped(m combinators.Map) *Term { return closed(m, true) }

// SpacesShow reports whether Closed tells all spaces in m beside its type.
func SpacesShow(m combinators.Map) bool { return len(hidden(m)) == 0 }

// hidden are the maps in m, such as injections and relations, that their text and argument do not determine, and of whose result
// nothing is known where they stand: they come before another map, or are named in a let.
func hidden(m combinators.Map) map[combinators.Map]bool {
	type place struct {
		f     combinators.Map
		known bool
	}
	out := map[combinators.Map]bool{}
	seen := map[place]bool{{m, true}: true}
	_, uses := reachedMaps(m)
	for stack := []place{{m, true}}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		f := at.f
		open := f.Op() == combinators.MapInj || f.Op() == combinators.MapZero || f.Op() == combinators.MapAdjoint || isRelation(f)
		if open && !at.known {
			out[f] = true
		}
		for i, g := range f.Maps() {
			known := at.known || open // the type of what is hidden is written
			if f.Op() == combinators.MapCompose && i == 1 || uses[g] > 1 && len(g.Maps()) > 0 {
				known = false
			}
			if next := (place{g, known}); !seen[next] {
				seen[next] = true
				stack = append(stack, next)
			}
		}
	}
	return out
}

func closed(m combinators.Map, typed bool) *Term {
	p := newNamer()
	if typed {
		p.hidden = hidden(m)
	}
	return p.let(p.closed(m))
}

// Names has the names of what is shared, and of what is long, in maps that are shown one after the other: what was named in one
// has its name in those that follow.
type Names struct {
	*namer
	told int // of the names
}

// NewNames has none.
func NewNames() *Names {
	p := newNamer()
	p.links, p.deepest = map[combinators.Map]int{}, maxShown
	return &Names{namer: p}
}

// maxShown is how deep an unnamed term of [Names] may be nested: each line shows little.
const maxShown = 8

// Closed is m as a term, with a let for the names that are new.
func (n *Names) Closed(m combinators.Map) *Term {
	t, from := n.closed(m), n.told
	if n.told = len(n.names); from == n.told {
		return t
	}
	return NewLet(n.names[from:], n.bound[from:], t)
}

func (p *namer) closed(m combinators.Map) *Term {
	order, uses := p.reached(m)
	p.values(valuesOf(order)...)
	inChain := p.chained(order, uses)
	for _, f := range order {
		if inChain[f] {
			continue // written with what it is part of: a chain of compositions is flat
		}
		t, d := p.mapTerm(f, inChain)
		if p.hidden[f] {
			typ, err := ParseType(Signature(f))
			if err != nil {
				panic(err) // types print as they are read
			}
			t = &Term{Op: Typed, Args: []*Term{t}, Type: typ}
		}
		p.depth[t] = d
		if len(f.Maps()) > 0 && f != m && (uses[f] > 1 || d > p.deepest || p.links[f] > 0 && p.links[f]%p.deepest == 0) {
			t = p.name("f", t)
		}
		p.maps[f] = t
	}
	return p.maps[m]
}

// Values are the values that stand in m: constants, fixed operands of sections, points of
// derivatives.
func Values(m combinators.Map) []*combinators.Node {
	order, _ := reachedMaps(m)
	return valuesOf(order)
}

func valuesOf(maps []combinators.Map) (nodes []*combinators.Node) {
	for _, f := range maps {
		if pr := f.Proto(); pr != nil {
			for _, a := range pr.Args() {
				if a != nil {
					nodes = append(nodes, a)
				}
			}
		}
		if v := f.Value(); v != nil {
			nodes = append(nodes, v.Leaves()...)
		}
	}
	return nodes
}

// chained are the compositions that stand once, as the last part of another. Where links are counted, a chain is cut after each
// deepest of them.
func (p *namer) chained(order []combinators.Map, uses map[combinators.Map]int) map[combinators.Map]bool {
	in := map[combinators.Map]bool{}
	for _, f := range order {
		if !isChain(f) {
			continue
		}
		g := f.Maps()[1]
		if p.links != nil {
			p.links[f] = p.links[g] + 1
		}
		if isChain(g) && uses[g] == 1 && p.maps[g] == nil && (p.links == nil || p.links[g]%p.deepest != 0) {
			in[g] = true
		}
	}
	return in
}

// isChain: a composition that is not written as a negation.
func isChain(f combinators.Map) bool {
	return f.Op() == combinators.MapCompose && !isNegation(f.Maps()[0])
}

// reachedMaps lists the maps in m, parts first, and counts the places where each stands.
func reachedMaps(m combinators.Map) ([]combinators.Map, map[combinators.Map]int) {
	return newNamer().reached(m)
}

// reached is reachedMaps without those that have terms, and without what only these are made of.
func (p *namer) reached(m combinators.Map) ([]combinators.Map, map[combinators.Map]int) {
	if p.maps[m] != nil {
		return nil, nil
	}
	uses := map[combinators.Map]int{m: 1}
	stack := []combinators.Map{m}
	var found []combinators.Map
	for len(stack) > 0 {
		f := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		found = append(found, f)
		for _, g := range f.Maps() {
			if uses[g]++; uses[g] == 1 && p.maps[g] == nil {
				stack = append(stack, g)
			}
		}
	}
	combinators.SortMaps(found)
	return found, uses
}

func (p *namer) tuple(v *combinators.Value) *Term {
	if v.Node() != nil {
		return p.value[v.Node()]
	}
	parts := lists.Map(v.Parts(), p.tuple)
	if len(parts) == 1 {
		return NewCall("tuple", parts...) // (x) is x
	}
	return New(Tuple, parts...)
}

// mapTerm is the term of one map, given those of its parts, and how deep it is nested.
func (p *namer) mapTerm(f combinators.Map, inChain map[combinators.Map]bool) (*Term, int) {
	maps := f.Maps()
	if isChain(f) {
		// g . (h . (...)): all of the chain at once
		maps = nil
		for {
			maps = append(maps, f.Maps()[0])
			if f = f.Maps()[1]; !inChain[f] {
				maps = append(maps, f)
				break
			}
		}
		parts, d := p.parts(maps)
		return New(Compose, parts...), d
	}
	parts, d := p.parts(maps)
	return p.oneMap(f, parts), d
}

func (p *namer) parts(maps []combinators.Map) ([]*Term, int) {
	parts := lists.Map(maps, func(g combinators.Map) *Term { return p.maps[g] })
	return parts, p.level(parts...)
}

// oneMap is the term of a map that is no chain.
func (p *namer) oneMap(f combinators.Map, parts []*Term) *Term {
	switch f.Op() {
	case combinators.MapID:
		return NewName("id")
	case combinators.MapCompose:
		return NewNeg(parts[1])
	case combinators.MapPair:
		return New(Pair, parts...)
	case combinators.MapProduct:
		if len(parts) < 2 {
			return NewCall("prod", parts...)
		}
		return New(Product, parts...)
	case combinators.MapCopair:
		return New(Copair, parts...)
	case combinators.MapSum:
		if parts[1].Op == Neg {
			return New(Sub, parts[0], parts[1].Args[0])
		}
		return New(Add, parts...)
	case combinators.MapProj:
		return NewName("pi" + itoa(f.K()+1))
	case combinators.MapInj:
		return NewName("iota" + itoa(f.K()+1))
	case combinators.MapConst:
		return NewCall("K", p.tuple(f.Value()))
	case combinators.MapZero:
		return NewInt(0)
	case combinators.MapUnknown:
		name := "f"
		if v := f.Value().Node(); v != nil {
			name += v.Name() // fx is x at the point of interest
		}
		return NewName(name)
	case combinators.MapCopower:
		return &Term{Op: Copower, Attrs: sizeTerms(f.Power()), Args: parts}
	case combinators.MapDerivative:
		if at := p.tuple(f.Value()); at.Op == Tuple {
			return NewApply(NewCall("D", parts...), at.Args...)
		} else {
			return NewApply(NewCall("D", parts...), at)
		}
	case combinators.MapAdjoint:
		return NewCall("adjoint", parts...)
	}
	return p.open(f)
}

// isNegation: the section (-1 .* _).
func isNegation(g combinators.Map) bool {
	pr := g.Proto()
	if g.Op() != combinators.MapEin || len(pr.Args()) != 2 {
		return false
	}
	t := product(pr.Ein(), pr.Args(), []*Term{New(Hole), New(Hole)})
	return t != nil && t.Op == Neg
}

// open is a contraction or another atom in its open operands: by its name alone where all are
// open, else with "_" for each that is.
func (p *namer) open(f combinators.Map) *Term {
	pr := f.Proto()
	args := make([]*Term, len(pr.Args()))
	for k, a := range pr.Args() {
		if args[k] = New(Hole); a != nil {
			args[k] = p.value[a]
		}
	}
	all := len(f.Holes()) == len(args)
	if f.Op() == combinators.MapEin {
		if len(args) == 2 {
			if t := product(pr.Ein(), pr.Args(), args); t != nil && t.Op == Neg {
				return New(Mul, NewInt(-1), New(Hole)) // -f needs an f
			} else if t != nil {
				return t
			}
		}
		if len(args) == 1 {
			if r := relation(pr.Ein()); r != "" {
				return NewName(r)
			}
		}
		if x := IndexOf(pr.Ein()); !all {
			return NewEin(x, args...)
		} else {
			return NewEin(x)
		}
	}
	if all {
		args = nil
	}
	t := OfRow(pr.Atom(), args...)
	t.Attrs = attributes(pr)
	return t
}

// Signature prints the type of a map: R[m,n] x R[n] -> R[m], with -o for a linear map and ->2 for
// a multilinear one.
func Signature(m combinators.Map) string {
	arrow := " -> "
	if _, ok := m.Linear(); ok {
		arrow = " -o "
	} else if _, ok := m.Multilinear(); ok {
		arrow = " ->2 "
	}
	return m.Dom().String() + arrow + m.Cod().String()
}

func itoa(n int) string { return size.Const(int64(n)).String() }

// Unworked reports whether derivatives or adjoints stand in m, yet to be worked out.
func Unworked(m combinators.Map) bool {
	order, _ := reachedMaps(m)
	return slices.ContainsFunc(order, func(f combinators.Map) bool {
		return f.Op() == combinators.MapDerivative || f.Op() == combinators.MapAdjoint
	})
}
