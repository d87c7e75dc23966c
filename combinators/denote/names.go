package denote

import (
	"fmt"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/must"
)

// StandardMaps are the names of the linear maps of Elsman, section 2.2.3, that a text may use beside
// the atoms and constructors; ln is
// log, det is minor[0].
var StandardMaps = []string{"ln", "det", "dot", "tensor", "dup", "plus", "scan", "rep", "sum", "zip", "unzip", "transpose", "unitl", "unitr",
	"ununitl", "ununitr", "assoc", "unassoc", "distrib", "undistrib", "prod", "delta", "red"}

// isStandard: one of StandardMaps; of red its relation is part of the name.
func isStandard(name string) bool {
	return strings.HasPrefix(name, "red{") || slices.Contains(StandardMaps, name)
}

// normalIsometries are the unitary operators of Elsman, section 3.2, between spaces that have one
// normal form here: R[] (x) V is V, (U (x) V) (x) W is U (x) (V (x) W), and a tensor product of a
// product of spaces is the product of the tensor products. They are the identity.
var normalIsometries = []string{"unitl", "unitr", "ununitl", "ununitr", "assoc", "unassoc", "distrib", "undistrib"}

// standard reads one of StandardMaps:
//
//	dup        U -o U x U                 <id, id>
//	dot        U x U ->2 R[]              the inner product
//	tensor     U x V ->2 U (x) V          the tensor product, written (x) or ⊗ between its operands
//	plus       U x U -o U                 [id, id]
//	scan       R[n,..] -o R[n,..]         sums of the first entries, each with itself
//	rep[m]     R[..] -o R[m,..]           constant along the new axes
//	sum        R[..] -o R[]               the sum of all entries
//	sum[m]     R[m,..] -o R[..]           the sum along the first axes
//	zip        (U1 x ..) x (W1 x ..) -o (U1 x W1) x .., its inverse unzip
//	transpose  U (x) V -o V (x) U, with U the first axis, or the k first ones: transpose[k]
//	assoc, distrib, unitl, ...  the identity: see normalIsometries
//	red{..}    relational reduction
//
// For R[..] may stand products of such spaces: (U x V)^X is U^X x V^X.
func (r *mapReader) standard(t *text.Term, w want) combinators.Map {
	switch {
	case slices.Contains(normalIsometries, t.Name):
		return r.match.name(text.NewName("id"), w)
	case t.Name == "prod" || t.Name == "delta":
		panic(must.Errorf("%s takes maps: %s(f, g) is f x g", t.Name, t.Name))
	case t.Name == "ln":
		return r.atom(text.NewName(atom.Log.Name), make([]*combinators.Node, 1), w)
	case t.Name == "det":
		return r.atom(text.NewName(atom.Minor.Name, text.NewInt(0)), make([]*combinators.Node, 1), w)
	case w.dom == nil:
		return r.standardInto(t, w.cod)
	case w.dom.IsProduct() && byComponent(t):
		factors := w.dom.Factors()
		return r.componentwise(*w.dom, func(k int, f combinators.Space) combinators.Map {
			part := want{dom: &f}
			if w.cod != nil && len(w.cod.Factors()) == len(factors) {
				part.cod = &w.cod.Factors()[k]
			}
			return r.standard(t, part)
		})
	}
	return r.standardOn(t, *w.dom, w.cod)
}

// standardInto is a standard map of which only the space of the result is known, or nothing.
func (r *mapReader) standardInto(t *text.Term, cod *combinators.Space) (m combinators.Map) {
	if cod != nil {
		switch factors := cod.Factors(); {
		case t.Name == "plus":
			return r.s.Plus(*cod).Map
		case t.Name == "dup" && len(factors) == 2:
			return r.s.Dup(factors[0]).Map
		case t.Name == "scan" && !cod.IsProduct() && len(cod.Shape()) > 0:
			return r.s.Scan(cod.Shape()[0], cod.Shape()[1:]).Map
		}
	}
	panic(must.Errorf("the space of the argument of %s is not known", t))
}

// standardOn is a standard map on a space: those on pairs and tuples here, those on one tensor in
// [mapReader.standardOnTensor].
func (r *mapReader) standardOn(t *text.Term, dom combinators.Space, cod *combinators.Space) (m combinators.Map) {
	var axes []size.Size
	if t.Name != "transpose" {
		axes = r.shape(t.Attrs)
	}
	factors := dom.Factors()
	switch t.Name {
	case "dup":
		return r.s.Dup(dom).Map
	case "plus", "dot":
		must.Hold(len(factors) == 2 && factors[0].Equal(factors[1]), "%s takes two values of one space, not a value of %s", t.Name, dom)
		if t.Name == "plus" {
			return r.s.Plus(factors[0]).Map
		}
		return r.dot(factors[0])
	case "tensor":
		must.Hold(len(factors) == 2, "the tensor product takes two operands, not a value of %s", dom)
		return r.tensor(factors[0], factors[1])
	case "zip", "unzip":
		if arrays(factors) { // U^[n] x V^[n] is (U x V)^[n] here
			return r.s.ID(dom).Map
		}
		if t.Name == "unzip" {
			return r.unzip(t, dom)
		}
		must.Hold(len(factors) == 2 && factors[0].IsProduct() && len(factors[0].Factors()) == len(factors[1].Factors()), "zip takes two tuples or two arrays of one length, not a value of %s", dom)
		return r.s.Zip(factors[0], factors[1]).Map
	}
	return r.standardOnTensor(t, dom, cod, axes)
}

// standardOnTensor is a relation, transpose, rep, sum or scan on a tensor; axes are the sizes in its brackets.
func (r *mapReader) standardOnTensor(t *text.Term, dom combinators.Space, cod *combinators.Space, axes []size.Size) (m combinators.Map) {
	shape := dom.Shape()
	if relation, isRed := strings.CutPrefix(t.Name, "red{"); isRed {
		must.Hold(cod != nil && !cod.IsProduct(), "the space of the result of %s is not known; write it with its type: (%s : R[n] -o R[m])", t, t)
		return r.relation(strings.TrimSuffix(relation, "}"), shape, cod.Shape())
	}
	must.Hold(!dom.IsProduct(), "%s takes a tensor, not a value of %s", t, dom)
	switch t.Name {
	case "transpose":
		return r.transpose(t, dom)
	case "rep":
		return r.s.Rep(shape, axes).Map
	case "sum":
		if len(t.Attrs) == 0 {
			axes = shape
		}
		must.Hold(len(axes) <= len(shape) && slices.Equal(axes, shape[:len(axes)]), "%s of a value of %s: it sums along the first axes, whose sizes stand in brackets", t, dom)
		return r.s.SumOver(shape[len(axes):], axes).Map
	}
	// scan
	must.Hold(len(shape) != 0 && len(axes) <= 1 && (len(axes) != 1 || axes[0] == shape[0]), "%s of a value of %s: it runs along the first axis", t, dom)
	return r.s.Scan(shape[0], shape[1:]).Map
}

// transpose puts the first k axes behind the others, 1 where the term has no number.
func (r *mapReader) transpose(t *text.Term, dom combinators.Space) (m combinators.Map) {
	shape, k := dom.Shape(), 1
	if len(t.Attrs) > 0 {
		e, err := ReadNumber(t.Attrs[0], r.env.Numbers)
		if err != nil || !e.IsInt() || !e.Num().IsInt64() || e.Sign() < 0 || e.Num().Int64() > int64(len(shape)) || len(t.Attrs) > 1 {
			panic(must.Errorf("%s of a value of %s: transpose[k] puts the first k axes behind the others", t, dom))
		}
		k = int(e.Num().Int64())
	} else {
		must.Hold(len(shape) >= 2, "%s of a value of %s, which has fewer than two axes", t, dom)
	}
	axes := einsum.UpTo(len(shape))
	return r.s.Transpose(shape, slices.Concat(axes[k:], axes[:k])).Map
}

// arrays: two tensors with one first axis, the arrays of length n that zip makes an array of pairs.
func arrays(us []combinators.Space) bool {
	if len(us) != 2 {
		return false
	}
	for _, u := range us {
		if u.IsProduct() || len(u.Shape()) == 0 {
			return false
		}
	}
	return us[0].Shape()[0] == us[1].Shape()[0]
}

// unzip is the inverse of zip.
func (r *mapReader) unzip(t *text.Term, dom combinators.Space) (m combinators.Map) {
	us, ws := make([]combinators.Space, len(dom.Factors())), make([]combinators.Space, len(dom.Factors()))
	for k, f := range dom.Factors() {
		must.Hold(len(f.Factors()) == 2, "%s takes a tuple of pairs, not a value of %s", t, dom)
		us[k], ws[k] = f.Factors()[0], f.Factors()[1]
	}
	must.Hold(len(us) != 0, "%s takes a tuple of pairs, not a value of %s", t, dom)
	return r.s.Unzip(combinators.ProductSpace(us...), combinators.ProductSpace(ws...)).Map
}

// unknown is the error for a name that means no map.
func (r *mapReader) unknown(t *text.Term) error {
	if r.env.value(t.Name) != nil {
		return fmt.Errorf("%s is a value, where a map is needed: K(%s) is the constant map", t, t)
	}
	return fmt.Errorf("%s is no map: it is neither defined above nor a known function", t)
}
