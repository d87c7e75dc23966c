package combinators

import (
	"slices"
	"strconv"

	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// The closed combinators: functions in point-free form (Elsman et al., section 3). A term has no
// variables; the values inside it (constants, the fixed operands of sections, points at which a
// derivative is taken) are nodes of the same store.
//
// There are four sorts. A [Value] lies in a space. A [Map] f : U -> W is any function, a [PointFreeLinear]
// L : U -o W is a map that is linear by construction, and a [Multilinear] b : U1 x ... x Un ->2 W
// one that is linear in each component by itself; with two components it is the paper's bilinear
// map. Linear and multilinear maps are maps. A constructor returns the least sort: the composition
// of linear maps is linear, their product, pairing, sum and copower are, and the constant map of
// the value 0 is the linear map 0. Sums and pairings of multilinear maps are multilinear,
// and so is L . b for a linear L, and b . h for a linear h that takes each component of its argument
// to one component of b: L1 x L2, <pi2, pi1>, <L2 . pi2, L1 . pi1>. [Map.Linear] and
// [Map.Multilinear] ask for the sort.

// Map is a closed function term. Maps are hash-consed: equal terms are identical, and == compares
// them.
type Map struct{ t *closedTerm }

// PointFreeLinear is a map that is linear by construction.
type PointFreeLinear struct{ Map }

// Multilinear is a map of at least two components that is linear in each of them.
type Multilinear struct{ Map }

// MapOp says how a map is built.
type MapOp uint8

// The constructors of maps.
const (
	MapID         MapOp = iota // id : U -o U
	MapCompose                 // g . f : U -> W
	MapPair                    // <f1, ..., fn> : U -> W1 x ... x Wn
	MapProduct                 // f1 x ... x fn : U1 x ... x Un -> W1 x ... x Wn
	MapCopair                  // [L1, ..., Ln] : U1 x ... x Un -o W, the sum of the Lk at the components
	MapSum                     // f + g : U -> W
	MapProj                    // pi_k : U1 x ... x Un -o Uk
	MapInj                     // iota_k : Uk -o U1 x ... x Un
	MapConst                   // K(w) : U -> W
	MapZero                    // 0 : U -o W
	MapEin                     // a contraction in the operands that are not fixed
	MapAtom                    // any other atom in the operands that are not fixed
	MapCopower                 // f^X : U^X -> W^X
	MapDerivative              // D(f)(x) : U -o W, to be worked out by rules
	MapAdjoint                 // adjoint(L) : W -o U, to be worked out by rules
	mapOps
)

// MapOps lists the constructors.
func MapOps() []MapOp {
	return lists.Make(int(mapOps), func(i int) MapOp { return MapOp(i) })
}

// LinearOps lists the constructors that can give a linear map.
func LinearOps() []MapOp {
	return []MapOp{MapID, MapCompose, MapPair, MapProduct, MapCopair, MapSum, MapProj, MapInj, MapZero,
		MapEin, MapAtom, MapCopower, MapDerivative, MapAdjoint}
}

var mapOpNames = [...]string{"id", "compose", "pair", "product", "copair", "sum", "pi", "iota", "K", "zero", "ein",
	"atom", "copower", "D", "adjoint", "unknown"}

func (o MapOp) String() string { return mapOpNames[o] }

type sort uint8

const (
	sortMap sort = iota
	sortLinear
	sortMultilinear
)

// closedTerm is the hash-consed term behind a Map.
type closedTerm struct {
	store    *Store
	id       int32
	op       MapOp
	sort     sort
	dom, cod Space
	maps     []Map
	value    *Value      // MapConst, MapDerivative
	k        int         // MapProj, MapInj: the component, from 0
	from     int32       // of L . pi_k with a linear L: k, counted from 1; else 0
	aligned  bool        // linear, from a product to one with as many components, each of them L . pi_k, for each k once
	shape    []size.Size // MapCopower: X
	proto    *Node       // MapEin, MapAtom: a node with holes in its arguments
	holes    []int       // which arguments are open
}

// closedStore is the part of a store that holds closed terms.
type closedStore struct {
	terms   map[string]*closedTerm
	values  map[string]*Value
	applied map[applyKey]*Value
	batches map[string]int32
	spaces  map[string]int32
}

func (s *Store) closedTerms() *closedStore {
	if s.closed == nil {
		s.closed = &closedStore{map[string]*closedTerm{}, map[string]*Value{}, map[applyKey]*Value{}, map[string]int32{}, map[string]int32{}}
	}
	return s.closed
}

// Dom is the space of the arguments.
func (m Map) Dom() Space { return m.t.dom }

// Cod is the space of the results.
func (m Map) Cod() Space { return m.t.cod }

// Op is the map's constructor.
func (m Map) Op() MapOp { return m.t.op }

// ID numbers the maps of a store; those inside a map have smaller numbers.
func (m Map) ID() int { return int(m.t.id) }

// Store is the store in which the map lives.
func (m Map) Store() *Store { return m.t.store }

// Maps are the maps from which m is built, in the order in which it is written. The slice must
// not be changed.
func (m Map) Maps() []Map { return m.t.maps }

// Value is the value of a constant map, or the point of a derivative, else nil.
func (m Map) Value() *Value { return m.t.value }

// K is the component of a projection or injection, from 0.
func (m Map) K() int { return m.t.k }

// Power is the index set of a copower.
func (m Map) Power() []size.Size { return m.t.shape }

// Atom is the row of a contraction or other atom, else nil.
func (m Map) Atom() *atom.Row {
	if m.t.proto == nil {
		return nil
	}
	return m.t.proto.Atom()
}

// Proto describes a map of the operations ein and atom: a node with their attributes, and their
// operands, nil where the operand is open; else nil. It is no node of the store.
func (m Map) Proto() *Node { return m.t.proto }

// Holes lists the open operands of a contraction or other atom, in order: the components of the
// argument.
func (m Map) Holes() []int { return m.t.holes }

// Linear gives the map as a linear one where it is linear by construction.
func (m Map) Linear() (PointFreeLinear, bool) { return PointFreeLinear{m}, m.t.sort == sortLinear }

// Multilinear gives the map as a multilinear one where it is one.
func (m Map) Multilinear() (Multilinear, bool) { return Multilinear{m}, m.t.sort == sortMultilinear }

// internMap returns the term that equals t. The key holds everything but the spaces of what
// determines them.
func (s *Store) internMap(t closedTerm) Map {
	b := []byte{byte('a' + t.op)}
	b = strconv.AppendInt(b, int64(t.k), 10)
	for _, m := range t.maps {
		if m.t.store != s {
			panic(TypeErrorf("a map of another store"))
		}
		b = strconv.AppendInt(append(b, ' '), int64(m.t.id), 10)
	}
	if t.value != nil {
		b = strconv.AppendInt(append(b, '@'), int64(t.value.id), 10)
	}
	if t.proto != nil {
		b = append(b, protoKey(t.proto)...)
	}
	b = strconv.AppendInt(append(b, '|'), int64(s.spaceNumber(t.dom)), 10)
	b = strconv.AppendInt(append(b, '>'), int64(s.spaceNumber(t.cod)), 10)
	c := s.closedTerms()
	key := string(b)
	if old, ok := c.terms[key]; ok {
		return Map{old}
	}
	room := len(t.maps)
	if t.op == MapCopower {
		room = len(t.dom.factors) + len(t.cod.factors)
	}
	s.chargeTerm(len(key), room)
	t.store, t.id = s, int32(len(c.terms))
	c.terms[key] = &t
	return Map{&t}
}

// spaceNumber tells spaces apart: the space of many parameters is that of each map that is read back, and
// its text would be as often in keys.
func (s *Store) spaceNumber(sp Space) int32 {
	c := s.closedTerms()
	n, ok := c.spaces[sp.key]
	if !ok {
		s.chargeTerm(len(sp.key), len(sp.factors))
		n = int32(len(c.spaces))
		c.spaces[sp.key] = n
	}
	return n
}

// protoKey identifies an atom with some of its operands.
func protoKey(n *Node) string {
	b := append([]byte{'#'}, n.Atom().Name...)
	b = strconv.AppendInt(append(b, ' '), int64(n.attr), 10)
	b = strconv.AppendInt(append(b, ' '), int64(n.guard), 10)
	if n.Rat() != nil {
		b = append(append(b, ' '), n.Rat().RatString()...)
	}
	if n.ein != nil {
		b = append(append(b, ' '), n.ein.Key()...)
	}
	for _, d := range n.Sizes() {
		b = append(append(b, ' '), d.String()...)
	}
	if n.Body() != nil {
		b = append(append(b, ' '), n.Body().key...)
	}
	for _, a := range n.Args() {
		if a == nil {
			b = append(b, " _"...)
		} else {
			b = strconv.AppendInt(append(b, ' '), int64(a.id), 10)
		}
	}
	return string(b)
}

// leastSort is the sort of a sum or pairing: linear or multilinear where all parts are. The map
// 0 is both.
func leastSort(maps []Map) sort {
	linear, multi := true, true
	for _, m := range maps {
		linear = linear && m.t.sort == sortLinear
		multi = multi && (m.t.sort == sortMultilinear || m.t.op == MapZero)
	}
	switch {
	case linear:
		return sortLinear
	case multi:
		return sortMultilinear
	}
	return sortMap
}

// ID is the identity on a space.
func (s *Store) ID(u Space) PointFreeLinear {
	return PointFreeLinear{s.internMap(closedTerm{op: MapID, sort: sortLinear, aligned: u.IsProduct(), dom: u, cod: u})}
}

// Compose is g . f, g after f.
func (s *Store) Compose(g, f Map) Map {
	if !g.Dom().Equal(f.Cod()) {
		panic(TypeErrorf("composition of a map on %s with one to %s", g.Dom(), f.Cod()))
	}
	t := closedTerm{op: MapCompose, dom: f.Dom(), cod: g.Cod(), maps: []Map{g, f}}
	switch {
	case g.t.sort == sortLinear:
		if t.sort = f.t.sort; t.sort == sortLinear {
			t.from, t.aligned = f.t.from, g.t.aligned && f.t.aligned
		}
	case g.t.sort == sortMultilinear && f.t.aligned:
		t.sort = sortMultilinear
	}
	return s.internMap(t)
}

// Pair is <f1, ..., fn>, the map that gives the tuple of the results at one argument.
func (s *Store) Pair(fs ...Map) Map {
	if len(fs) == 0 {
		panic(TypeErrorf("a pairing of no maps"))
	}
	cods := make([]Space, len(fs))
	from := make([]int32, len(fs))
	for i, f := range fs {
		if !f.Dom().Equal(fs[0].Dom()) {
			panic(TypeErrorf("pairing of maps on %s and on %s", fs[0].Dom(), f.Dom()))
		}
		cods[i], from[i] = f.Cod(), f.t.from
	}
	t := closedTerm{op: MapPair, sort: leastSort(fs), dom: fs[0].Dom(), cod: ProductSpace(cods...), maps: fs}
	if slices.Sort(from); from[0] > 0 && len(from) == len(t.dom.factors) {
		t.aligned = len(slices.Compact(from)) == len(fs)
	}
	return s.internMap(t)
}

// Product is f1 x ... x fn, the maps side by side: Elsman's zipped apply.
func (s *Store) Product(fs ...Map) Map {
	doms, cods := make([]Space, len(fs)), make([]Space, len(fs))
	t := closedTerm{op: MapProduct, sort: sortLinear, aligned: true, maps: fs}
	for i, f := range fs {
		doms[i], cods[i] = f.Dom(), f.Cod()
		if f.t.sort != sortLinear {
			t.sort, t.aligned = sortMap, false
		}
	}
	t.dom, t.cod = ProductSpace(doms...), ProductSpace(cods...)
	return s.internMap(t)
}

// Delta gathers linear maps into one that applies each to its component. For a family that is
// given map by map, Delta(L1, ..., Ln) = L1 x ... x Ln.
func (s *Store) Delta(ls ...PointFreeLinear) PointFreeLinear {
	maps := lists.Map(ls, func(l PointFreeLinear) Map { return l.Map })
	return PointFreeLinear{s.Product(maps...)}
}

// Copair is [L1, ..., Ln], the sum of the linear maps, each at its component.
func (s *Store) Copair(ls ...PointFreeLinear) PointFreeLinear {
	if len(ls) == 0 {
		panic(TypeErrorf("a copairing of no maps"))
	}
	maps, doms := make([]Map, len(ls)), make([]Space, len(ls))
	for i, l := range ls {
		if !l.Cod().Equal(ls[0].Cod()) {
			panic(TypeErrorf("copairing of maps to %s and to %s", ls[0].Cod(), l.Cod()))
		}
		maps[i], doms[i] = l.Map, l.Dom()
	}
	return PointFreeLinear{s.internMap(closedTerm{op: MapCopair, sort: sortLinear, dom: ProductSpace(doms...), cod: ls[0].Cod(), maps: maps})}
}

// SumMaps is f + g, the sum of the results.
func (s *Store) SumMaps(f, g Map) Map {
	if !f.Dom().Equal(g.Dom()) || !f.Cod().Equal(g.Cod()) {
		panic(TypeErrorf("sum of maps %s -> %s and %s -> %s", f.Dom(), f.Cod(), g.Dom(), g.Cod()))
	}
	maps := []Map{f, g}
	return s.internMap(closedTerm{op: MapSum, sort: leastSort(maps), dom: f.Dom(), cod: f.Cod(), maps: maps})
}

// Proj is the projection of a product to its component k, counted from 0.
func (s *Store) Proj(u Space, k int) PointFreeLinear {
	if k < 0 || k >= len(u.factors) {
		panic(TypeErrorf("component %d of %s", k+1, u))
	}
	return PointFreeLinear{s.internMap(closedTerm{op: MapProj, sort: sortLinear, from: int32(k + 1), dom: u, cod: u.factors[k], k: k})}
}

// Inj is the injection of component k, counted from 0, into a product.
func (s *Store) Inj(u Space, k int) PointFreeLinear {
	if k < 0 || k >= len(u.factors) {
		panic(TypeErrorf("component %d of %s", k+1, u))
	}
	return PointFreeLinear{s.internMap(closedTerm{op: MapInj, sort: sortLinear, dom: u.factors[k], cod: u, k: k})}
}

// ConstMap is K(w), on the space u. K(0) is the linear map 0.
func (s *Store) ConstMap(u Space, w *Value) Map {
	if isZeroValue(w) {
		return s.ZeroMap(u, w.space).Map
	}
	return s.internMap(closedTerm{op: MapConst, dom: u, cod: w.space, value: w})
}

// ZeroMap is the linear map 0 : U -o W.
func (s *Store) ZeroMap(u, w Space) PointFreeLinear {
	return PointFreeLinear{s.internMap(closedTerm{op: MapZero, sort: sortLinear, dom: u, cod: w})}
}

// Copower is f^X, f at each index of X: Elsman's map.
func (s *Store) Copower(f Map, x []size.Size) Map {
	if len(x) == 0 {
		return f
	}
	sort := sortMap // that of a multilinear map shows when the copower is brought to its leaves
	if f.t.sort == sortLinear {
		sort = sortLinear
	}
	return s.internMap(closedTerm{op: MapCopower, sort: sort, dom: f.Dom().Power(x), cod: f.Cod().Power(x), maps: []Map{f}, shape: x})
}

// Derivative is D(f)(x), the derivative of f at the point x, as a linear map that is yet to be
// worked out.
func (s *Store) Derivative(f Map, x *Value) PointFreeLinear {
	if !x.space.Equal(f.Dom()) {
		panic(TypeErrorf("the derivative of a map on %s at a point of %s", f.Dom(), x.space))
	}
	return PointFreeLinear{s.internMap(closedTerm{op: MapDerivative, sort: sortLinear, dom: f.Dom(), cod: f.Cod(), maps: []Map{f}, value: x})}
}

// Adjoint is adjoint(L), the linear map with <L v, w> = <v, adjoint(L) w>, yet to be worked out.
func (s *Store) Adjoint(l PointFreeLinear) PointFreeLinear {
	return PointFreeLinear{s.internMap(closedTerm{op: MapAdjoint, sort: sortLinear, dom: l.Cod(), cod: l.Dom(), maps: []Map{l.Map}})}
}

// TopoMaps lists the maps of which tops are made, these included, parts first.
func TopoMaps(tops ...Map) []Map {
	seen := map[Map]bool{}
	var found []Map
	add := func(maps []Map) {
		for _, f := range maps {
			if !seen[f] {
				seen[f] = true
				found = append(found, f)
			}
		}
	}
	add(tops)
	for i := 0; i < len(found); i++ {
		add(found[i].t.maps)
	}
	SortMaps(found)
	return found
}

// MapNodes are the values that stand in maps: constants, points and fixed operands.
func MapNodes(tops ...Map) (out []*Node) {
	for _, m := range TopoMaps(tops...) {
		if v := m.Value(); v != nil {
			out = append(out, v.Leaves()...)
		}
		if p := m.Proto(); p != nil {
			out = append(out, slices.DeleteFunc(slices.Clone(p.Args()), func(a *Node) bool { return a == nil })...)
		}
	}
	return out
}

// ReplaceMap is m with f replaced by g wherever it stands.
func ReplaceMap(m, f, g Map) Map {
	return rebuildMap(m, func(h Map) (Map, bool) { return g, h == f })
}

// ReplaceOperands is m with other values of the same shapes for the fixed operands and the constants in it.
func ReplaceOperands(m Map, image func(*Node) *Node) Map {
	return rebuildMap(m, func(h Map) (Map, bool) {
		if h.t.value != nil && len(h.t.maps) == 0 { // a constant
			return h.t.store.ConstMap(h.t.dom, h.t.store.replaceLeaves(h.t.value, image)), true
		}
		if h.t.proto == nil {
			return h, false
		}
		t, p := *h.t, *h.t.proto
		args := slices.Clone(p.Args())
		for k, a := range args {
			if a != nil {
				args[k] = image(a)
			}
		}
		p.setArgs(args)
		t.proto = &p
		return h.t.store.internMap(t), true
	})
}

func (s *Store) replaceLeaves(v *Value, image func(*Node) *Node) *Value {
	if v.node != nil {
		return s.Value(image(v.node))
	}
	parts := lists.Map(v.parts, func(p *Value) *Value { return s.replaceLeaves(p, image) })
	return s.Tuple(parts...)
}

// rebuildMap builds m anew with the maps that replaced gives for some that stand in it.
func rebuildMap(m Map, replaced func(Map) (Map, bool)) Map {
	image := map[Map]Map{}
	for _, h := range TopoMaps(m) {
		if g, ok := replaced(h); ok {
			image[h] = g
			continue
		}
		parts := h.t.maps
		for k, p := range h.t.maps {
			if q := image[p]; q != p {
				if &parts[0] == &h.t.maps[0] {
					parts = slices.Clone(parts)
				}
				parts[k] = q
			}
		}
		image[h] = h.With(parts)
	}
	return image[m]
}

// SortMaps sorts maps so that those inside others come first.
func SortMaps(maps []Map) {
	slices.SortFunc(maps, func(a, b Map) int { return int(a.t.id) - int(b.t.id) })
}

// String shows the map's constructor and type, for people who debug; package combinators/text
// prints terms.
func (m Map) String() string {
	return m.t.op.String() + " : " + m.t.dom.String() + " -> " + m.t.cod.String()
}
