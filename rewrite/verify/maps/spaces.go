package maps

import (
	"fmt"
	"slices"
	"strings"

	"frechet/combinators/text"
	"frechet/internal/lists"
	"frechet/internal/must"
)

// The types of closed terms, inferred most general first: R[dims], a product, a copower of a space
// that is not known yet, or a variable. A rigid space stands for any.
type Space struct {
	kind  spaceKind
	bound *Space // of a variable, once it is known
	name  string // of a rigid space
	dims  []*Dim
	parts []*Space
	base  *Space // of a copower
	index *Dim
}

type spaceKind uint8

const (
	spaceVar spaceKind = iota
	spaceRigid
	spaceTensor
	spaceProduct
	spacePower
)

type Dim struct {
	bound *Dim
	Name  string // of a rigid size
	fixed int    // of a number
}

func (d *Dim) resolve() *Dim {
	for d.bound != nil {
		d = d.bound
	}
	return d
}

func newSpaceVar() *Space { return &Space{} }

func tensorType(dims ...*Dim) *Space { return &Space{kind: spaceTensor, dims: dims} }

func productType(parts ...*Space) *Space {
	return &Space{kind: spaceProduct, parts: parts}
}

func powerType(base *Space, index *Dim) *Space {
	return &Space{kind: spacePower, base: base, index: index}
}

// resolve follows what is known: (R[d])^X = R[X,d] and (U x V)^X = U^X x V^X.
func (t *Space) resolve() *Space {
	for t.bound != nil {
		t = t.bound
	}
	if t.kind != spacePower {
		return t
	}
	switch b := t.base.resolve(); b.kind {
	case spaceTensor:
		return tensorType(append([]*Dim{t.index}, b.dims...)...)
	case spaceProduct:
		parts := lists.Map(b.parts, func(p *Space) *Space { return powerType(p, t.index) })
		return productType(parts...)
	}
	return t
}

func (t *Space) String() string {
	t = t.resolve()
	switch t.kind {
	case spaceRigid:
		return t.name
	case spaceTensor:
		parts := lists.Map(t.dims, func(d *Dim) string { return d.String() })
		return "R[" + strings.Join(parts, ",") + "]"
	case spaceProduct:
		parts := make([]string, len(t.parts))
		for i, p := range t.parts {
			parts[i] = p.String()
			if p.resolve().kind == spaceProduct {
				parts[i] = "(" + parts[i] + ")"
			}
		}
		if len(parts) < 2 {
			return "Prod(" + strings.Join(parts, "") + ")"
		}
		return strings.Join(parts, " x ")
	case spacePower:
		return t.base.String() + "^" + t.index.String()
	}
	return "_"
}

func (d *Dim) String() string {
	switch d = d.resolve(); {
	case d.Name != "":
		return d.Name
	case d.fixed > 0:
		return fmt.Sprint(d.fixed)
	}
	return "_"
}

func mismatch(a, b *Space) must.Failure { return must.Errorf("a map of %s meets one of %s", a, b) }

// unify makes two types one.
// It stays one list of cases, the first of which holds.
func unify(a, b *Space) {
	a, b = a.resolve(), b.resolve()
	power := a.kind == spacePower && a.base.resolve().kind == spaceVar
	switch {
	case a == b:
	case a.kind == spaceVar && !occurs(a, b):
		a.bound = b
	case a.kind == spacePower && b.kind == spacePower:
		unifyDims(a.index, b.index)
		unify(a.base, b.base)
	case a.kind != spaceVar && (b.kind == spaceVar || b.kind == spacePower):
		unify(b, a)
	case power && b.kind == spaceTensor && len(b.dims) > 0:
		a.base.resolve().bound = tensorType(b.dims[1:]...)
		unifyDims(a.index, b.dims[0])
	case power && b.kind == spaceProduct:
		parts := lists.Make(len(b.parts), func(i int) *Space { return newSpaceVar() })
		a.base.resolve().bound = productType(parts...)
		unify(a, b)
	case a.kind == spaceTensor && b.kind == spaceTensor && len(a.dims) == len(b.dims):
		for i := range a.dims {
			if must.Try(func() { unifyDims(a.dims[i], b.dims[i]) }) != nil {
				panic(mismatch(a, b))
			}
		}
	case a.kind == spaceProduct && b.kind == spaceProduct && len(a.parts) == len(b.parts):
		for i := range a.parts {
			unify(a.parts[i], b.parts[i])
		}
	default:
		panic(mismatch(a, b))
	}
}

func occurs(v, t *Space) bool {
	t = t.resolve()
	if t == v {
		return true
	}
	if t.kind == spacePower {
		return occurs(v, t.base)
	}
	return slices.ContainsFunc(t.parts, func(p *Space) bool { return occurs(v, p) })
}

func unifyDims(a, b *Dim) {
	a, b = a.resolve(), b.resolve()
	known := func(d *Dim) bool { return d.Name != "" || d.fixed > 0 }
	switch {
	case a == b || a.fixed > 0 && a.fixed == b.fixed:
	case !known(a):
		a.bound = b
	case !known(b):
		b.bound = a
	default:
		panic(must.Errorf("the sizes %s and %s differ", a, b))
	}
}

// rigidify makes what is not known an arbitrary space or size.
func (c *Types) rigidify(t *Space) {
	t = t.resolve()
	switch t.kind {
	case spaceVar:
		c.fresh++
		t.kind, t.name = spaceRigid, fmt.Sprintf("T%d", c.fresh)
		for _, n := range c.order {
			if c.spaces[n].resolve() == t {
				t.name = n
				break
			}
		}
		c.rigid = append(c.rigid, t)
	case spacePower:
		c.rigidify(t.base)
		c.rigidDim(t.index)
	}
	for _, p := range t.parts {
		c.rigidify(p)
	}
	for _, d := range t.dims {
		c.rigidDim(d)
	}
}

func (c *Types) rigidDim(d *Dim) {
	if d = d.resolve(); d.Name == "" && d.fixed == 0 {
		c.fresh++
		d.Name = fmt.Sprintf("d%d", c.fresh)
		c.dimNames = append(c.dimNames, d.Name)
	}
}

// dim is the size metavariable of a name: an arbitrary size.
func (c *Types) dim(t *text.Term) *Dim {
	switch {
	case t.Op == text.Num && t.Rat.IsInt() && t.Rat.Sign() > 0 && t.Rat.Num().IsInt64():
		return &Dim{fixed: int(t.Rat.Num().Int64())}
	case t.Op == text.Name:
		if c.dims[t.Name] == nil {
			c.dims[t.Name] = &Dim{Name: t.Name}
			c.dimNames = append(c.dimNames, t.Name)
		}
		return c.dims[t.Name]
	}
	panic(must.Errorf("the size %s of a map's space is no name", t))
}

// space is the type that a declaration writes; k is the member of a family.
func (c *Types) space(t *text.Space, k int) *Space {
	switch {
	case t == nil:
		panic(must.Errorf("a space is missing"))
	case len(t.Factors) > 0:
		parts := lists.Map(t.Factors, func(f *text.Space) *Space { return c.space(f, k) })
		return productType(parts...)
	case t.Bracket && t.Name == "R":
		out := tensorType()
		for _, a := range t.Dims {
			out.dims = append(out.dims, c.dim(a))
		}
		return out
	case t.Bracket:
		return c.named(fmt.Sprintf("%s%d", t.Name, k))
	}
	return c.named(t.Name)
}

func (c *Types) named(n string) *Space {
	if c.spaces[n] == nil {
		c.spaces[n] = newSpaceVar()
		c.order = append(c.order, n)
	}
	return c.spaces[n]
}
