// Package size has the sizes of axes: polynomials with whole coefficients in size symbols.
//
// A size such as n, 3, n-k+1 or m*n is kept canonical and interned, so that two
// sizes are the same polynomial exactly when they compare equal with ==.
package size

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"frechet/internal/lists"
)

// Size is an interned polynomial. The zero value is the size 0.
type Size struct{ p *poly }

// What a polynomial may grow to. Sizes of programs are far below; a product of sums is refused before
// it is multiplied out, since polynomials live as long as the process.
const (
	maxTerms    = 1 << 12
	maxProducts = 1 << 16 // of terms, in one product
	maxDegree   = 1 << 10
	maxBits     = 1 << 14 // of a coefficient
)

// LimitError says that a term would be larger than may be: it needs more than Limit of What.
type LimitError struct {
	What  string // in the plural
	Limit int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the expression needs more than %d %s", e.Limit, e.What)
}

// poly maps a monomial, the sorted product of its symbols such as "m*n*n", to its
// coefficient; the empty monomial is the constant. No coefficient is zero.
type poly struct {
	terms map[string]*big.Int
	text  string // the canonical print, which identifies the polynomial
	deg   int    // of the monomial of highest degree
	hash  uint64 // of the text
	small int64  // the value, where the polynomial is a constant that fits
	whole bool   // the polynomial is such a constant
	id    uint32 // its number in the table
	// symbols are those that occur in it, sorted.
	symbols []string
}

var (
	tableMu sync.RWMutex
	table   = map[string]*poly{}

	constMu sync.RWMutex
	consts  = map[int64]Size{}
)

func intern(terms map[string]*big.Int) Size {
	for m, c := range terms {
		if c.Sign() == 0 {
			delete(terms, m)
		}
	}
	if len(terms) == 0 {
		return Size{}
	}
	if len(terms) > maxTerms {
		panic(&LimitError{"terms of one size", maxTerms})
	}
	deg := 0
	for m, c := range terms {
		if deg = max(deg, degree(m)); c.BitLen() > maxBits {
			panic(&LimitError{"bits of a coefficient of a size", maxBits})
		}
	}
	text := render(terms)
	tableMu.RLock()
	p := table[text]
	tableMu.RUnlock()
	if p != nil {
		return Size{p}
	}
	p = &poly{terms: terms, text: text, deg: deg, hash: 14695981039346656037}
	for i := range len(text) { // FNV-1a
		p.hash = (p.hash ^ uint64(text[i])) * 1099511628211
	}
	for m := range terms {
		if m != "" {
			p.symbols = append(p.symbols, strings.Split(m, "*")...)
		}
	}
	slices.Sort(p.symbols)
	p.symbols = slices.Compact(p.symbols)
	if c, ok := terms[""]; ok && len(terms) == 1 && c.IsInt64() {
		p.small, p.whole = c.Int64(), true
	}
	tableMu.Lock()
	defer tableMu.Unlock()
	if q := table[text]; q != nil {
		return Size{q}
	}
	p.id = uint32(len(table) + 1)
	table[text] = p
	return Size{p}
}

// render prints monomials by falling degree, then by name, the constant last: n-k+1, m*n.
func render(terms map[string]*big.Int) string {
	monos := slices.SortedFunc(maps.Keys(terms), func(a, b string) int {
		if da, db := degree(a), degree(b); da != db {
			return db - da
		}
		// A positive term goes first, so that n-k does not print as -k+n.
		if sa, sb := terms[a].Sign(), terms[b].Sign(); sa != sb {
			return sb - sa
		}
		return strings.Compare(a, b)
	})
	var b strings.Builder
	for i, m := range monos {
		c := terms[m]
		abs := new(big.Int).Abs(c)
		switch {
		case c.Sign() < 0:
			b.WriteByte('-')
		case i > 0:
			b.WriteByte('+')
		}
		switch {
		case m == "":
			b.WriteString(abs.String())
		case abs.IsInt64() && abs.Int64() == 1:
			b.WriteString(m)
		default:
			b.WriteString(abs.String() + "*" + m)
		}
	}
	return b.String()
}

func degree(mono string) int {
	if mono == "" {
		return 0
	}
	return 1 + strings.Count(mono, "*")
}

// Const is the size n.
func Const(n int64) Size {
	if n == 0 {
		return Size{}
	}
	constMu.RLock()
	s, ok := consts[n]
	constMu.RUnlock()
	if ok {
		return s
	}
	s = intern(map[string]*big.Int{"": big.NewInt(n)})
	constMu.Lock()
	defer constMu.Unlock()
	if len(consts) < 1<<12 {
		consts[n] = s
	}
	return s
}

// IsName reports whether s is an identifier, as which a size symbol may be read: letters, digits, _ and
// primes, with no digit first. Texts that hold sizes rely on it to be told apart.
func IsName(s string) bool {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || r != '\'' && !unicode.IsDigit(r)) {
			return false
		}
	}
	return s != ""
}

// Sym is the size symbol name. A name must be an identifier.
func Sym(name string) Size { return intern(map[string]*big.Int{name: big.NewInt(1)}) }

// Hash is a number that equal sizes share, in every run of the program.
func (a Size) Hash() uint64 {
	if a.p == nil {
		return 1
	}
	return a.p.hash
}

// Add is a + b. It panics with a *[LimitError] where the sum has too many terms.
func (a Size) Add(b Size) Size { return a.plus(b, 1) }

// Sub is a - b.
func (a Size) Sub(b Size) Size { return a.plus(b, -1) }

// A Sum adds up many sizes: each partial sum would be a size of its own. The zero value is 0.
type Sum struct{ terms map[string]*big.Int }

// Add adds a.
func (s *Sum) Add(a Size) {
	if a.p == nil {
		return
	}
	if s.terms == nil {
		s.terms = map[string]*big.Int{}
	}
	for m, c := range a.p.terms {
		if old, ok := s.terms[m]; ok {
			old.Add(old, c)
		} else {
			s.terms[m] = new(big.Int).Set(c)
		}
	}
}

// Size is the sum, with which the Sum ends. It panics with a *[LimitError] where it has too many terms.
func (s *Sum) Size() Size {
	terms := s.terms
	s.terms = nil
	return intern(terms)
}

func (a Size) plus(b Size, sign int64) Size {
	if x, ok := a.Int(); ok {
		if y, ok := b.Int(); ok {
			if s := x + sign*y; !addOverflows(x, sign*y, s) && y != -1<<63 {
				return Const(s)
			}
		}
	}
	if b.p == nil {
		return a
	}
	out := a.copyTerms()
	for m, c := range b.p.terms {
		t := new(big.Int).Mul(c, big.NewInt(sign))
		if old, ok := out[m]; ok {
			t.Add(t, old)
		}
		out[m] = t
	}
	return intern(out)
}

func addOverflows(x, y, s int64) bool { return (x > 0 && y > 0 && s < 0) || (x < 0 && y < 0 && s >= 0) }

func (a Size) copyTerms() map[string]*big.Int {
	if a.p == nil {
		return map[string]*big.Int{}
	}
	return maps.Clone(a.p.terms)
}

// Mul is a * b. It panics with a *[LimitError] where the product would be too large a polynomial.
func (a Size) Mul(b Size) Size {
	switch {
	case a.p == nil || b.p == nil:
		return Size{}
	case len(a.p.terms)*len(b.p.terms) > maxProducts:
		panic(&LimitError{"terms of one size", maxTerms})
	case a.p.deg+b.p.deg > maxDegree:
		panic(&LimitError{"factors in a term of a size", maxDegree})
	}
	out := map[string]*big.Int{}
	for ma, ca := range a.p.terms {
		for mb, cb := range b.p.terms {
			m := joinMonomials(ma, mb)
			t := new(big.Int).Mul(ca, cb)
			if old, ok := out[m]; ok {
				t.Add(t, old)
			}
			out[m] = t
		}
	}
	return intern(out)
}

func joinMonomials(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	parts := append(strings.Split(a, "*"), strings.Split(b, "*")...)
	slices.Sort(parts)
	return strings.Join(parts, "*")
}

// Int is the value of a constant size; ok is false where symbols remain or the
// value does not fit.
func (a Size) Int() (n int64, ok bool) {
	if a.p == nil {
		return 0, true
	}
	return a.p.small, a.p.whole
}

// Same reports whether a and b are one number; known is false where the symbols leave it open.
func (a Size) Same(b Size) (same, known bool) {
	d, ok := a.Sub(b).Int()
	return ok && d == 0, ok
}

// Compare reports whether a is =, !=, <, <=, > or >= b; known is false where the symbols leave it open, or rel is none of these.
func (a Size) Compare(rel string, b Size) (holds, known bool) {
	below := func(a, b Size) (is, known bool) { // a <= b
		is = b.Sub(a).Nonnegative()
		return is, is || a.Sub(b).Sub(Const(1)).Nonnegative()
	}
	switch rel {
	case "=":
		above, knownAbove := below(b, a)
		holds, known = below(a, b)
		return holds && above, known && knownAbove || known && !holds || knownAbove && !above
	case "<=":
		return below(a, b)
	case ">=":
		return below(b, a)
	case "!=", ">", "<":
		holds, known = a.Compare(map[string]string{"!=": "=", ">": "<=", "<": ">="}[rel], b)
		return !holds, known
	}
	return false, false
}

// ID is a number that no other size has while the process runs: for hashing.
func (a Size) ID() uint32 {
	if a.p == nil {
		return 0
	}
	return a.p.id
}

// Symbol is the name of a size that is one symbol alone.
func (a Size) Symbol() (string, bool) {
	if a.p == nil || len(a.p.terms) != 1 {
		return "", false
	}
	for m, c := range a.p.terms {
		if m != "" && degree(m) == 1 && c.IsInt64() && c.Int64() == 1 {
			return m, true
		}
	}
	return "", false
}

// Symbols lists the symbols that occur, sorted.
func (a Size) Symbols() []string {
	if a.p == nil {
		return nil
	}
	return a.p.symbols
}

// Eval gives the number that a size has when its symbols have the given values.
// The error names a symbol without a value, or a value that does not fit.
func (a Size) Eval(env map[string]int64) (int64, error) {
	if n, ok := a.Int(); ok {
		return n, nil
	}
	sum := new(big.Int)
	for m, c := range a.p.terms {
		t := new(big.Int).Set(c)
		if m != "" {
			for s := range strings.SplitSeq(m, "*") {
				v, ok := env[s]
				if !ok {
					return 0, fmt.Errorf("size symbol %s has no value", s)
				}
				t.Mul(t, big.NewInt(v))
			}
		}
		sum.Add(sum, t)
	}
	if !sum.IsInt64() {
		return 0, fmt.Errorf("size %s = %s is too large", a, sum)
	}
	return sum.Int64(), nil
}

// Subst replaces symbols by sizes.
func (a Size) Subst(env map[string]Size) Size {
	if _, ok := a.Int(); ok || len(env) == 0 {
		return a
	}
	sum := Size{}
	for m, c := range a.p.terms {
		t := intern(map[string]*big.Int{"": c})
		if m != "" {
			for s := range strings.SplitSeq(m, "*") {
				v, ok := env[s]
				if !ok {
					v = Sym(s)
				}
				t = t.Mul(v)
			}
		}
		sum = sum.Add(t)
	}
	return sum
}

// String prints the canonical form: n, 3, n-k+1, m*n.
func (a Size) String() string {
	if a.p == nil {
		return "0"
	}
	if a.p.whole {
		return strconv.FormatInt(a.p.small, 10)
	}
	return a.p.text
}

// Shape prints a list of sizes as [m,n].
func Shape(sizes []Size) string {
	parts := lists.Map(sizes, Size.String)
	return "[" + strings.Join(parts, ",") + "]"
}

// Linear is a as factor * symbol + rest, where neither of these has the symbol; ok is false where a is not linear in it.
func (a Size) Linear(symbol string) (factor, rest Size, ok bool) {
	for _, m := range a.Monomials() {
		t, times := intern(map[string]*big.Int{"": m.Coef}), 0
		for _, s := range m.Symbols {
			if s == symbol {
				times++
			} else {
				t = t.Mul(Sym(s))
			}
		}
		switch times {
		case 0:
			rest = rest.Add(t)
		case 1:
			factor = factor.Add(t)
		default:
			return Size{}, Size{}, false
		}
	}
	return factor, rest, factor != (Size{})
}

// Monomial is one term of a polynomial: Coef times the product of Symbols.
type Monomial struct {
	Coef    *big.Int
	Symbols []string
}

// Monomials lists the terms in the order in which the size prints.
func (a Size) Monomials() []Monomial {
	if a.p == nil {
		return nil
	}
	var out []Monomial
	for m, c := range a.p.terms {
		t := Monomial{Coef: new(big.Int).Set(c)}
		if m != "" {
			t.Symbols = strings.Split(m, "*")
		}
		out = append(out, t)
	}
	slices.SortFunc(out, func(x, y Monomial) int {
		if len(x.Symbols) != len(y.Symbols) {
			return len(y.Symbols) - len(x.Symbols)
		}
		if sx, sy := x.Coef.Sign(), y.Coef.Sign(); sx != sy {
			return sy - sx
		}
		return slices.Compare(x.Symbols, y.Symbols)
	})
	return out
}

// Nonnegative reports whether no coefficient is negative, so that a is at least 0 whatever its symbols stand for.
func (a Size) Nonnegative() bool {
	return !slices.ContainsFunc(a.Monomials(), func(m Monomial) bool { return m.Coef.Sign() < 0 })
}
