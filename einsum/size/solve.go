package size

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"frechet/internal/lists"
)

// An Equation says that a size has a value: the axis of n+1 entries has 3 of them.
type Equation struct {
	Size  Size
	Value int64
}

// A Solution has the symbols that equations determine.
type Solution struct {
	Values map[string]int64
	// From tells which equation gave a symbol its value; a given symbol has none.
	From map[string]int
}

// An UnsolvableError says that no whole numbers, 0 or more, satisfy the equations: that of number At,
// alone or together with those before it.
type UnsolvableError struct {
	At     int
	Open   []string         // the symbols that would have to be found; none where all are known
	Known  map[string]int64 // what the symbols of the equation had to be
	From   map[string]int
	reason string
}

func (e *UnsolvableError) Error() string { return e.reason }

// Solve finds the symbols of which equations leave only one value, whatever the order of the equations:
// 2*n = 4 gives n = 2, and k*n = 6 and n = 2 give k = 3. Symbols are whole numbers, 0 or more; given are
// values that are known before. What the equations leave open is not in the solution.
//
// Values that are known are put in; equations are reduced as linear ones in their monomials; an equation in
// one symbol is solved exactly. What is left then, as m*n = 6 with m + n = 5, is searched, where all
// coefficients have one sign and bound the symbols, up to maxSearch steps. The error is an *UnsolvableError.
func Solve(eqs []Equation, given map[string]int64) (*Solution, error) {
	s := &solver{eqs: make([]polynomial, len(eqs)), values: map[string]*big.Int{}, from: map[string]int{}, steps: new(int)}
	for name, n := range given {
		s.values[name] = big.NewInt(n)
	}
	for i, e := range eqs {
		s.eqs[i] = polynomialOf(e.Size).plus("", big.NewInt(-e.Value))
	}
	if at := s.propagate(); at >= 0 {
		return nil, s.unsolvable(at, eqs)
	}
	if open := s.open(); len(open) > 0 {
		if err := s.search(eqs); err != nil {
			return nil, err
		}
	}
	out := &Solution{Values: map[string]int64{}, From: s.from}
	for name, n := range s.values {
		if n.IsInt64() {
			out.Values[name] = n.Int64()
		}
	}
	return out, nil
}

// maxRootDegree is the highest degree of an equation in one symbol that is solved; others are left open.
const maxRootDegree = 16

// maxSearch bounds the search for symbols that no equation gives by itself.
const maxSearch = 1 << 14

// solver solves polynomials = 0.
type solver struct {
	eqs    []polynomial
	values map[string]*big.Int
	from   map[string]int
	steps  *int // of the search
}

// polynomial maps monomials, as those of poly, to coefficients that are not 0.
type polynomial map[string]*big.Int

func polynomialOf(a Size) polynomial {
	p := polynomial{}
	for _, m := range a.Monomials() {
		p[strings.Join(m.Symbols, "*")] = m.Coef
	}
	return p
}

// plus adds c times a monomial, in place.
func (p polynomial) plus(mono string, c *big.Int) polynomial {
	sum := new(big.Int).Set(c)
	if old, ok := p[mono]; ok {
		sum.Add(sum, old)
	}
	p[mono] = sum
	if sum.Sign() == 0 {
		delete(p, mono)
	}
	return p
}

// put puts values for symbols.
func (p polynomial) put(values map[string]*big.Int) polynomial {
	out := polynomial{}
	for mono, c := range p {
		var rest []string
		c := new(big.Int).Set(c)
		for s := range strings.SplitSeq(mono, "*") {
			switch v, ok := values[s]; {
			case s == "": // the constant
			case ok:
				c.Mul(c, v)
			default:
				rest = append(rest, s)
			}
		}
		out.plus(strings.Join(rest, "*"), c)
	}
	return out
}

func (p polynomial) degree() (d int) {
	for mono := range p {
		d = max(d, degree(mono))
	}
	return d
}

func (p polynomial) symbols() []string {
	seen := map[string]bool{}
	for mono := range p {
		for s := range strings.SplitSeq(mono, "*") {
			if s != "" {
				seen[s] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

func (s *solver) open() []string {
	seen := map[string]bool{}
	for _, p := range s.eqs {
		for _, name := range p.symbols() {
			seen[name] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// propagate finds what single equations and sums of them give, until nothing more follows. It returns the
// first equation that has no solution, or -1.
func (s *solver) propagate() int {
	for {
		found := false
		for i := range s.eqs {
			if len(s.eqs[i]) == 0 {
				continue
			}
			s.eqs[i] = s.eqs[i].put(s.values)
			ok, one := s.solveOne(s.eqs[i], i)
			if !ok {
				return i
			}
			found = found || one
		}
		if found {
			continue
		}
		rows, at := s.reduced()
		if at >= 0 {
			return at
		}
		for _, r := range rows {
			ok, one := s.solveOne(r.p, r.last)
			if !ok {
				return r.last
			}
			if found = found || one; one {
				break
			}
		}
		if !found {
			return -1
		}
	}
}

// solveOne looks at one equation: ok is false where it has no solution, found tells that it gave a symbol.
func (s *solver) solveOne(p polynomial, at int) (ok, found bool) {
	names := p.symbols()
	switch len(names) {
	case 0:
		return len(p) == 0, false
	case 1:
		if p.degree() > maxRootDegree {
			return true, false
		}
		roots := naturalRoots(p)
		if len(roots) == 1 {
			s.values[names[0]], s.from[names[0]] = roots[0], at
		}
		return len(roots) > 0, len(roots) == 1
	}
	return true, false
}

// row is a sum of equations, up to number last.
type row struct {
	p    polynomial
	last int
}

// reduced are the equations as linear ones in their monomials, in reduced echelon form; at is an equation
// that contradicts those before it, or -1.
func (s *solver) reduced() (rows []row, at int) {
	for i, p := range s.eqs {
		r := row{maps.Clone(p), i}
		for _, old := range rows {
			r = eliminate(r, old)
		}
		if len(r.p) == 0 {
			continue
		}
		if leading(r.p) == "" {
			return nil, i
		}
		for j := range rows {
			rows[j] = eliminate(rows[j], r)
		}
		rows = append(rows, r)
	}
	return rows, -1
}

// leading is the monomial by which a row is eliminated: one of the highest degree.
func leading(p polynomial) (lead string) {
	for mono := range p {
		if d, e := degree(mono), degree(lead); d > e || d == e && mono < lead {
			lead = mono
		}
	}
	return lead
}

// eliminate takes the leading monomial of old out of r.
func eliminate(r, old row) row {
	lead := leading(old.p)
	c, ok := r.p[lead]
	if !ok {
		return r
	}
	d := old.p[lead]
	out := row{polynomial{}, max(r.last, old.last)}
	for mono, x := range r.p {
		out.p.plus(mono, new(big.Int).Mul(x, d))
	}
	for mono, x := range old.p {
		out.p.plus(mono, new(big.Int).Neg(new(big.Int).Mul(x, c)))
	}
	return out
}

// search tries the values of the symbol that has the fewest, and keeps what all solutions agree on.
func (s *solver) search(eqs []Equation) error {
	var agreed map[string]*big.Int
	complete := s.solutions(func(values map[string]*big.Int) {
		if agreed == nil {
			agreed = maps.Clone(values)
		}
		for name, n := range agreed {
			if m, ok := values[name]; !ok || m.Cmp(n) != 0 {
				delete(agreed, name)
			}
		}
	})
	if !complete {
		return nil // left open
	}
	last := 0
	for i, p := range s.eqs {
		if len(p) > 0 {
			last = i
		}
	}
	if agreed == nil {
		return s.unsolvable(last, eqs)
	}
	for name, n := range agreed {
		if _, ok := s.values[name]; !ok {
			s.values[name], s.from[name] = n, last
		}
	}
	return nil
}

// solutions calls found with the values of each solution; false means that the search did not see all.
func (s *solver) solutions(found func(map[string]*big.Int)) bool {
	if len(s.open()) == 0 {
		found(s.values)
		return true
	}
	name, values := s.fewest()
	if values == nil {
		found(s.values)
		return true
	}
	for _, v := range values {
		if *s.steps++; *s.steps > maxSearch {
			return false
		}
		t := &solver{slices.Clone(s.eqs), maps.Clone(s.values), maps.Clone(s.from), s.steps}
		t.values[name] = v
		if t.propagate() >= 0 {
			continue
		}
		if !t.solutions(found) {
			return false
		}
	}
	return true
}

// fewest is the symbol that an equation bounds to the fewest values; nil where none is bounded.
func (s *solver) fewest() (name string, values []*big.Int) {
	limit := big.NewInt(maxSearch)
	for _, p := range s.eqs {
		for _, symbol := range p.symbols() {
			if top := p.bound(symbol); top != nil && top.Cmp(limit) < 0 {
				limit, name = top, symbol
			}
		}
	}
	if name == "" {
		return "", nil
	}
	values = []*big.Int{}
	for n := int64(0); n <= limit.Int64(); n++ {
		values = append(values, big.NewInt(n))
	}
	return name, values
}

// bound is the largest value that a symbol can have in p = 0, or nil: of c*s + .. = d with coefficients of
// one sign, d/c; of c*s*t = d with d > 0, too; -1 where d has the other sign.
func (p polynomial) bound(symbol string) *big.Int {
	d := new(big.Int)
	if c, ok := p[""]; ok {
		d.Neg(c)
	}
	sign := 0
	var own *big.Int
	for mono, c := range p {
		if mono == "" {
			continue
		}
		if sign != 0 && c.Sign() != sign {
			return nil
		}
		sign = c.Sign()
		names := strings.Split(mono, "*")
		alone := !slices.ContainsFunc(names, func(s string) bool { return s != symbol })
		only := len(p) == 2 && d.Sign() != 0 && slices.Contains(names, symbol)
		if alone || only {
			own = c
		}
	}
	switch {
	case own == nil:
		return nil
	case d.Sign() != 0 && d.Sign() != sign:
		return big.NewInt(-1)
	}
	return new(big.Int).Quo(d, own)
}

// unsolvable is the error for equation at.
func (s *solver) unsolvable(at int, eqs []Equation) error {
	e := &UnsolvableError{At: at, Known: map[string]int64{}, From: s.from}
	for _, name := range eqs[at].Size.Symbols() {
		if v, ok := s.values[name]; ok && v.IsInt64() {
			e.Known[name] = v.Int64()
		} else {
			e.Open = append(e.Open, name)
		}
	}
	verb := "has"
	if len(e.Open) > 1 {
		verb = "have"
	}
	e.reason = fmt.Sprintf("no %s %s %s", strings.Join(e.Open, " and "), verb, beside(at, eqs, e.Open))
	if len(e.Known) > 0 {
		var known []string
		for _, name := range slices.Sorted(maps.Keys(e.Known)) {
			known = append(known, fmt.Sprintf("%s = %d", name, e.Known[name]))
		}
		e.reason += " with " + strings.Join(known, " and ")
	}
	if len(e.Open) == 0 {
		n, err := eqs[at].Size.Eval(e.Known)
		e.reason = fmt.Sprintf("%s is %d, not %d", eqs[at].Size, n, eqs[at].Value)
		if err != nil {
			e.reason = err.Error()
		}
	}
	return e
}

// beside writes equation at behind those before it that have one of the open symbols.
func beside(at int, eqs []Equation, open []string) string {
	var out []string
	for _, q := range eqs[:at+1] {
		if slices.ContainsFunc(q.Size.Symbols(), func(s string) bool { return slices.Contains(open, s) }) {
			out = append(out, fmt.Sprintf("%s = %d", q.Size, q.Value))
		}
	}
	return strings.Join(slices.Compact(out), " and ")
}

// naturalRoots are the whole numbers n >= 0 at which p, a polynomial in one symbol, is 0.
func naturalRoots(p polynomial) []*big.Int {
	coef := lists.Make(p.degree()+1, func(i int) *big.Int { return new(big.Int) })
	top := new(big.Int)
	for mono, c := range p {
		coef[degree(mono)] = c
		if a := new(big.Int).Abs(c); a.Cmp(top) > 0 {
			top = a
		}
	}
	top.Add(top, big.NewInt(1)) // no root is larger (Cauchy)
	var roots []*big.Int
	for _, n := range signChanges(coef, top) {
		if at(coef, n).Sign() == 0 {
			roots = append(roots, n)
		}
	}
	return roots
}

// signChanges are numbers n in 0..top, sorted, such that between two neighbours, and on both ends, the
// polynomial has one sign, but at the numbers themselves. Between sign changes of its difference
// p(n+1) - p(n), a polynomial is monotonic, and bisection finds its own.
func signChanges(coef []*big.Int, top *big.Int) []*big.Int {
	if len(coef) <= 1 {
		return nil
	}
	var out []*big.Int
	low := new(big.Int)
	ends := append(signChanges(difference(coef), top), top)
	for _, high := range ends {
		// the difference may change sign behind high: high+1 begins the next piece
		out = append(out, bisect(coef, low, high)...)
		low = new(big.Int).Add(high, big.NewInt(1))
		out = append(out, bisect(coef, high, minBig(low, top))...)
	}
	slices.SortFunc(out, (*big.Int).Cmp)
	return slices.CompactFunc(out, func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
}

func minBig(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// bisect finds the change of sign of a polynomial that is monotonic on low..high: the last number before
// it and the first one behind it.
func bisect(coef []*big.Int, low, high *big.Int) []*big.Int {
	if low.Cmp(high) > 0 {
		return nil
	}
	a, b := new(big.Int).Set(low), new(big.Int).Set(high)
	first, last := at(coef, a).Sign(), at(coef, b).Sign()
	if first == last && first != 0 {
		return nil
	}
	for one := big.NewInt(1); new(big.Int).Sub(b, a).Cmp(one) > 0; {
		mid := new(big.Int).Rsh(new(big.Int).Add(a, b), 1)
		switch sign := at(coef, mid).Sign(); {
		case sign == 0:
			return []*big.Int{a, mid, b}
		case sign == first:
			a = mid
		default:
			b = mid
		}
	}
	return []*big.Int{a, b}
}

// at is the value of a polynomial (Horner).
func at(coef []*big.Int, n *big.Int) *big.Int {
	sum := new(big.Int)
	for _, c := range slices.Backward(coef) {
		sum.Add(sum.Mul(sum, n), c)
	}
	return sum
}

// difference is p(n+1) - p(n).
func difference(coef []*big.Int) []*big.Int {
	out := lists.Make(len(coef)-1, func(i int) *big.Int { return new(big.Int) })
	for d, c := range coef { // c*((n+1)^d - n^d)
		for i := range d {
			out[i].Add(out[i], new(big.Int).Mul(c, new(big.Int).Binomial(int64(d), int64(i))))
		}
	}
	return out
}
