package rewrite

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/words"
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
func (r *mapReader) standard(t *text.Term, w want) (m combinators.Map, ok bool, err error) {
	relation, isRed := strings.CutPrefix(t.Name, "red{")
	if !isStandard(t.Name) {
		return m, false, nil
	}
	if slices.Contains(normalIsometries, t.Name) {
		m, err = r.match.name(text.NewName("id"), w)
		return m, true, err
	}
	if t.Name == "prod" || t.Name == "delta" {
		return m, true, fmt.Errorf("%s takes maps: %s(f, g) is f x g", t.Name, t.Name)
	}
	if t.Name == "ln" || t.Name == "det" {
		at := text.NewName("log")
		if t.Name == "det" {
			at = text.NewName("minor", text.NewInt(0))
		}
		m, err = r.atom(at, make([]*combinators.Node, 1), w)
		return m, true, err
	}
	if w.dom == nil {
		if w.cod != nil {
			// what the result says
			switch factors := w.cod.Factors(); {
			case t.Name == "plus":
				return r.s.Plus(*w.cod).Map, true, nil
			case t.Name == "dup" && len(factors) == 2:
				return r.s.Dup(factors[0]).Map, true, nil
			case t.Name == "scan" && !w.cod.IsProduct() && len(w.cod.Shape()) > 0:
				return r.s.Scan(w.cod.Shape()[0], w.cod.Shape()[1:]).Map, true, nil
			}
		}
		return m, true, fmt.Errorf("the space of the argument of %s is not known", t)
	}
	dom := *w.dom
	factors := dom.Factors()
	if dom.IsProduct() && byComponent(t) {
		m, err = r.componentwise(dom, func(k int, f combinators.Space) (combinators.Map, error) {
			part := want{dom: &f}
			if w.cod != nil && len(w.cod.Factors()) == len(factors) {
				part.cod = &w.cod.Factors()[k]
			}
			m, _, err := r.standard(t, part)
			return m, err
		})
		return m, true, err
	}
	var axes []size.Size
	if t.Name != "transpose" {
		if axes, err = r.shape(t.Attrs); err != nil {
			return m, true, err
		}
	}
	switch {
	case isRed:
		if w.cod == nil || w.cod.IsProduct() {
			return m, true, fmt.Errorf("the space of the result of %s is not known; write it with its type: (%s : R[n] -o R[m])", t, t)
		}
		m, err = r.relation(strings.TrimSuffix(relation, "}"), dom.Shape(), w.cod.Shape())
		return m, true, err
	case t.Name == "dup":
		return r.s.Dup(dom).Map, true, nil
	case t.Name == "plus":
		if len(factors) != 2 || !factors[0].Equal(factors[1]) {
			return m, true, fmt.Errorf("plus takes two values of one space, not a value of %s", dom)
		}
		return r.s.Plus(factors[0]).Map, true, nil
	case t.Name == "dot":
		if len(factors) != 2 || !factors[0].Equal(factors[1]) {
			return m, true, fmt.Errorf("dot takes two values of one space, not a value of %s", dom)
		}
		return r.dot(factors[0]), true, nil
	case t.Name == "tensor":
		if len(factors) != 2 {
			return m, true, fmt.Errorf("the tensor product takes two operands, not a value of %s", dom)
		}
		return r.tensor(factors[0], factors[1]), true, nil
	case (t.Name == "zip" || t.Name == "unzip") && arrays(factors):
		// U^[n] x V^[n] is (U x V)^[n] here
		return r.s.ID(dom).Map, true, nil
	case t.Name == "zip":
		if len(factors) != 2 || !factors[0].IsProduct() || len(factors[0].Factors()) != len(factors[1].Factors()) {
			return m, true, fmt.Errorf("zip takes two tuples or two arrays of one length, not a value of %s", dom)
		}
		return r.s.Zip(factors[0], factors[1]).Map, true, nil
	case t.Name == "unzip":
		m, err := r.unzip(t, dom)
		return m, true, err
	}
	if dom.IsProduct() {
		return m, true, fmt.Errorf("%s takes a tensor, not a value of %s", t, dom)
	}
	shape := dom.Shape()
	switch t.Name {
	case "transpose":
		k := 1
		if len(t.Attrs) > 0 {
			e, err := r.attr(t, 0)
			if err != nil || !e.IsInt() || !e.Num().IsInt64() || e.Sign() < 0 || e.Num().Int64() > int64(len(shape)) || len(t.Attrs) > 1 {
				return m, true, fmt.Errorf("%s of a value of %s: transpose[k] puts the first k axes behind the others", t, dom)
			}
			k = int(e.Num().Int64())
		} else if len(shape) < 2 {
			return m, true, fmt.Errorf("%s of a value of %s, which has fewer than two axes", t, dom)
		}
		axes := upTo(len(shape))
		return r.s.Transpose(shape, slices.Concat(axes[k:], axes[:k])).Map, true, nil
	case "rep":
		return r.s.Rep(shape, axes).Map, true, nil
	case "sum":
		if len(t.Attrs) == 0 {
			axes = shape
		}
		if len(axes) > len(shape) || !slices.Equal(axes, shape[:len(axes)]) {
			return m, true, fmt.Errorf("%s of a value of %s: it sums along the first axes, whose sizes stand in brackets", t, dom)
		}
		return r.s.SumOver(shape[len(axes):], axes).Map, true, nil
	}
	// scan
	if len(shape) == 0 || len(axes) > 1 || len(axes) == 1 && axes[0] != shape[0] {
		return m, true, fmt.Errorf("%s of a value of %s: it runs along the first axis", t, dom)
	}
	return r.s.Scan(shape[0], shape[1:]).Map, true, nil
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
func (r *mapReader) unzip(t *text.Term, dom combinators.Space) (m combinators.Map, err error) {
	us, ws := make([]combinators.Space, len(dom.Factors())), make([]combinators.Space, len(dom.Factors()))
	for k, f := range dom.Factors() {
		if len(f.Factors()) != 2 {
			return m, fmt.Errorf("%s takes a tuple of pairs, not a value of %s", t, dom)
		}
		us[k], ws[k] = f.Factors()[0], f.Factors()[1]
	}
	if len(us) == 0 {
		return m, fmt.Errorf("%s takes a tuple of pairs, not a value of %s", t, dom)
	}
	return r.s.Unzip(combinators.ProductSpace(us...), combinators.ProductSpace(ws...)).Map, nil
}

// unknown is the error for a name that means no map.
func (r *mapReader) unknown(t *text.Term) error {
	if r.env.value(t.Name) != nil {
		return fmt.Errorf("%s is a value, where a map is needed: K(%s) is the constant map", t, t)
	}
	return fmt.Errorf("%s is no map: it is neither defined above nor a known function", t)
}

// maxRelation bounds the pairs of a relation that is given as a list.
const maxRelation = 10_000

// relation reads what stands in red{...}: pairs of indices, counted from 0, each a list of the
// indices of x and then of y; or one such list of affine forms, with conditions after a bar.
//
//	(red_R(v))_y = the sum of v_x over (x, y) in R
//
// R is a set: a pair that is listed twice is in it once.
// Axes that the relation does not speak of come last and are kept.
func (r *mapReader) relation(src string, dom, cod []size.Size) (m combinators.Map, err error) {
	head, conds, affine := strings.Cut(src, "|")
	tuples, err := tuplesOf(strings.TrimSpace(head))
	if err != nil {
		return m, err
	}
	if len(tuples) > maxRelation {
		return m, fmt.Errorf("a relation of %d pairs; the limit is %d", len(tuples), maxRelation)
	}
	if affine && len(tuples) != 1 {
		return m, fmt.Errorf("red{%s}: one list of indices stands before the bar", src)
	}
	if len(tuples) == 0 {
		return r.s.ZeroMap(combinators.TensorSpace(dom), combinators.TensorSpace(cod)).Map, nil
	}
	seen := map[string]bool{}
	for i, tuple := range tuples {
		key := fmt.Sprint(tuple)
		if seen[key] {
			continue
		}
		seen[key] = true
		if len(tuples) > 1 && slices.ContainsFunc(tuple, func(t *text.Term) bool { return t.Op != text.Num }) {
			return m, fmt.Errorf("red{%s}: a list of pairs has numbers; a relation with letters is one pair, and conditions after a bar", src)
		}
		one, err := r.related(tuple, conds, affine, dom, cod)
		if err != nil {
			return m, fmt.Errorf("red{%s}: %w", src, err)
		}
		if i == 0 {
			m = one
		} else {
			m = r.s.SumMaps(m, one)
		}
	}
	return m, nil
}

// related is the contraction of one list of affine forms.
func (r *mapReader) related(tuple []*text.Term, conds string, affine bool, dom, cod []size.Size) (m combinators.Map, err error) {
	kept := len(dom) + len(cod) - len(tuple)
	if kept < 0 || kept%2 != 0 || kept/2 > len(dom) || kept/2 > len(cod) {
		return m, fmt.Errorf("%s for a map R%s -o R%s", words.Count(len(tuple), "index"), size.Shape(dom), size.Shape(cod))
	}
	kept /= 2
	p := len(dom) - kept // axes of x
	if !slices.Equal(dom[p:], cod[len(cod)-kept:]) {
		return m, fmt.Errorf("the axes that the relation keeps differ")
	}
	x := &text.Index{In: make([]text.Axes, 1)}
	letters := map[string]bool{}
	for _, form := range tuple {
		if form.Op == text.Name && len(form.Attrs) == 0 {
			letters[form.Name] = true
		}
	}
	for i, form := range tuple {
		tuple[i] = r.withSizes(form, letters)
	}
	if err := r.letters(tuple, letters); err != nil {
		return m, err
	}
	bound := map[string]bool{}
	place := func(axes *text.Axes, form *text.Term, d size.Size) error {
		sz, err := text.ParseAttr(d.String())
		if err != nil {
			return err
		}
		axes.Forms = append(axes.Forms, text.Form{Index: form, Size: sz})
		switch {
		case form.Op == text.Name && len(form.Attrs) == 0 && !bound[form.Name]:
			bound[form.Name] = true
			x.Sizes = append(x.Sizes, text.Size{Letter: form.Name, Size: sz})
		case form.Op == text.Num:
			n, known := d.Int()
			if !known || !form.Rat.IsInt() || form.Rat.Sign() < 0 || form.Rat.Num().Cmp(big.NewInt(n)) >= 0 {
				return fmt.Errorf("the index %s is not in range: it is at least 0 and below %s", form, d)
			}
		default:
			// 0 <= form < d
			x.Conds = append(x.Conds, text.Condition{Form: form},
				text.Condition{Form: text.New(text.Sub, text.New(text.Sub, text.NewCall("size", sz), text.NewInt(1)), form)})
		}
		return nil
	}
	x.In[0].Forms, x.Out.Forms = []text.Form{}, []text.Form{}
	for i, form := range tuple {
		axes, d := &x.In[0], slices.Concat(dom[:p], cod)[i]
		if i >= p {
			axes = &x.Out
		}
		if err := place(axes, form, d); err != nil {
			return m, err
		}
	}
	for i := range kept {
		letter := text.NewName(fmt.Sprintf("e%d'", i))
		if err := place(&x.In[0], letter, dom[p+i]); err != nil {
			return m, err
		}
		sz := x.Sizes[len(x.Sizes)-1].Size
		x.Out.Forms = append(x.Out.Forms, text.Form{Index: letter, Size: sz})
	}
	if affine {
		first := len(x.Conds)
		if err := conditions(x, conds); err != nil {
			return m, err
		}
		for i := range x.Conds[first:] {
			c := &x.Conds[first+i]
			c.Form = r.withSizes(c.Form, letters)
			if err := r.letters([]*text.Term{c.Form}, letters); err != nil {
				return m, err
			}
		}
	}
	c, err := r.contraction(x, [][]size.Size{dom})
	if err != nil {
		return m, err
	}
	return r.s.EinMap(c, make([]*combinators.Node, 1)), nil
}

// letters checks that the letters of affine forms are among those that are an index by themselves.
func (r *mapReader) letters(forms []*text.Term, known map[string]bool) (err error) {
	for _, form := range forms {
		text.Walk(form, func(t *text.Term) bool {
			if t.Op == text.Name && len(t.Attrs) == 0 && !known[t.Name] && err == nil {
				err = fmt.Errorf("%s is no index: a letter of a relation stands for an index of x or of y by itself, as in (i, 2*i)", t.Name)
			}
			return t.Op != text.Call
		})
	}
	return err
}

// withSizes marks the names in an affine form that are sizes and no indices: n-1-i.
func (r *mapReader) withSizes(t *text.Term, letters map[string]bool) *text.Term {
	if t.Op == text.Name && len(t.Attrs) == 0 && !letters[t.Name] && r.env.hasSize(t.Name) {
		return text.NewCall("size", t)
	}
	if len(t.Args) == 0 || t.Op == text.Call {
		return t
	}
	u := *t
	u.Args = make([]*text.Term, len(t.Args))
	for i, a := range t.Args {
		u.Args[i] = r.withSizes(a, letters)
	}
	return &u
}

// conditions reads i <= j, 0 <= i - j < 3, i = j: comparisons of affine forms.
func conditions(x *text.Index, src string) error {
	for _, s := range text.SplitTop(src) {
		sides, rels := chain(s)
		if len(rels) == 0 {
			return fmt.Errorf("%q is no condition: i <= j, i = j", strings.TrimSpace(s))
		}
		forms := make([]*text.Term, len(sides))
		for i, side := range sides {
			f, err := text.ParseAttr(side)
			if err != nil {
				return fmt.Errorf("in the condition %s: %s", strings.TrimSpace(s), reason(err))
			}
			forms[i] = f
		}
		for i, rel := range rels {
			l, u := forms[i], forms[i+1]
			if strings.HasPrefix(rel, ">") {
				l, u = u, l
			}
			form := text.New(text.Sub, u, l) // l <= u
			if rel == "<" || rel == ">" {
				form = text.New(text.Sub, form, text.NewInt(1))
			}
			x.Conds = append(x.Conds, text.Condition{Form: form, Zero: strings.HasPrefix(rel, "=")})
		}
	}
	return nil
}

// chain splits 0 <= i - j < 3 into its sides and the relations between them.
func chain(s string) (sides, rels []string) {
	for {
		i := strings.IndexAny(s, "<>=")
		if i < 0 {
			return append(sides, s), rels
		}
		n := 1
		if i+1 < len(s) && s[i+1] == '=' {
			n = 2
		}
		sides, rels = append(sides, s[:i]), append(rels, s[i:i+n])
		s = s[i+n:]
	}
}

// reason is what an error in a part of a text says, without the place in that part.
func reason(err error) string {
	if e := (*text.Error)(nil); errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// tuplesOf reads (a,b),(c,d) or nothing. An index that is itself a tuple counts with its parts:
// ((i,j),k) is (i,j,k).
func tuplesOf(src string) (out [][]*text.Term, err error) {
	if strings.TrimSpace(src) == "" {
		return nil, nil
	}
	for _, pair := range text.SplitTop(src) {
		parts, ok := partsOf(pair)
		if !ok {
			return nil, fmt.Errorf("red{%s}: a relation is a list of pairs: (0,0),(0,1)", src)
		}
		var tuple []*text.Term
		for _, s := range parts {
			f, err := text.ParseAttr(s)
			if err != nil {
				return nil, fmt.Errorf("red{%s}: in the index %s: %s", src, strings.TrimSpace(s), reason(err))
			}
			tuple = append(tuple, f)
		}
		out = append(out, tuple)
	}
	return out, nil
}

// partsOf are the indices in (a,b), with those of the tuples in it.
func partsOf(src string) (parts []string, ok bool) {
	src = strings.TrimSpace(src)
	if !strings.HasPrefix(src, "(") || !strings.HasSuffix(src, ")") {
		return nil, false
	}
	for _, s := range text.SplitTop(src[1 : len(src)-1]) {
		inner, tuple := partsOf(s)
		if !tuple || len(inner) == 1 {
			inner = []string{s}
		}
		parts = append(parts, inner...)
	}
	return parts, true
}
