package conformance_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"frechet"

	"github.com/stretchr/testify/require"
)

var (
	meanings     = flag.Int("meanings", 300, "how many random programs are compared with what docs/semantics.md says of them")
	firstMeaning = flag.Int("first-meaning", 0, "the seed of the first of these programs")
)

// TestMeaning draws programs and data with zeros, negative, infinite and undefined numbers, over axes of 0, 1 and 2 entries, and
// compares values, gradients and messages with an evaluator that follows docs/semantics.md: what has a value is that value, what
// has none is named, and nothing else is.
func TestMeaning(t *testing.T) {
	counts := map[string]int{}
	for seed := *firstMeaning; seed < *firstMeaning+*meanings; seed++ {
		counts[drawMeaning(seed).compare(t, seed)]++
	}
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d %s", counts[k], k)
	}
	require.Less(t, counts[string(nearBoundary)]+counts[string(tooLarge)], *meanings/5)
}

// A meaningCase is a program with data.
type meaningCase struct {
	text string
	out  *term
	m    *meaning
}

func drawMeaning(seed int) *meaningCase {
	d := &drawer{rng: rand.New(rand.NewPCG(uint64(seed), 15)), vars: map[string]*term{}, n: "n", m: "m"}
	sizes := map[string]int{"n": pick(d, 0, 1, 2, 2, 2), "m": pick(d, 0, 1, 1, 2, 2)}
	if d.int(3) == 0 {
		d.n, d.m = strconv.Itoa(sizes["n"]), strconv.Itoa(sizes["m"])
	}
	axes := pick(d, nil, nil, nil, []string{d.n}, []string{d.n, d.m}, []string{d.n, d.n})
	out := d.term(axes, 1+d.int(5))
	m := &meaning{sizes: sizes, data: map[string][]float64{}, shapes: map[string][]string{},
		memo: map[string]num{}, fell: map[string][]fall{}, read: map[string]map[int]bool{}, kinks: map[string]bool{}}
	if len(d.vars) == 0 {
		d.vars["x"] = variable("x")
		out = d.pair(out, d.vars["x"])
	}
	bad := d.int(3)
	declare := "declare"
	for _, name := range slices.Sorted(maps.Keys(d.vars)) {
		v := d.vars[name]
		m.shapes[name] = v.axes
		declare += fmt.Sprintf(" %s[%s]", name, strings.Join(v.axes, ","))
		each(m.shape(v.axes), func([]int) {
			x := pick(d, 0.5, 0.25, 0.75, 1.5, 2, 1, 3, 0.375)
			switch {
			case bad > 0 && d.int(3) == 0:
				x = pick(d, 0, 0, -1, -2, -0.5, 1, -1, 0)
			case bad > 1 && d.int(6) == 0:
				x = pick(d, math.Inf(1), math.Inf(-1), math.NaN(), 800, -800)
			}
			m.data[name] = append(m.data[name], x)
		})
	}
	m.wrt = pick(d, slices.Sorted(maps.Keys(d.vars))...)
	m.slopes = len(m.data[m.wrt])
	return &meaningCase{strings.Join(append(append([]string{declare}, d.lines...), "expression "+out.text+" derivative wrt "+m.wrt), "\n"), out, m}
}

// compare says what was compared.
func (c *meaningCase) compare(t *testing.T, seed int) string {
	want, why := c.entries()
	fail := func(format string, args ...any) {
		t.Errorf("%d: %s\n%s\nat %v, sizes %v\n", seed, fmt.Sprintf(format, args...), c.text, c.m.data, c.m.sizes)
	}
	env := frechet.Env{}
	for name, axes := range c.m.shapes {
		env[name] = &frechet.Tensor{Shape: c.m.shape(axes), Data: c.m.data[name]}
	}
	f, err := frechet.Parse(c.text, frechet.WithDims(frechet.DimsOf(env)))
	if err != nil {
		fail("%v", err)
		return "failed"
	}
	reply, err := f.Derive(context.Background(), frechet.Query{Order: frechet.AnyOrder})
	if err != nil {
		fail("%v", err)
		return "failed"
	}
	terms := []*frechet.Term{reply.Outputs[0].Value, reply.Outputs[0].Derivs[0].Term}
	got, met, err := reply.Evaluate(context.Background(), terms, env)
	if e := (*frechet.Error)(nil); errors.As(err, &e) && e.Kind == "singular" { // docs/semantics.md, Numbers
		if len(c.m.fell) == 0 && why != nearBoundary {
			fail("%v", err)
		}
		return "a singular matrix is an error"
	} else if err != nil {
		fail("%v", err)
		return "failed"
	}
	if why != "" {
		if len(met.Departures) == 0 && why == tooLarge && slices.ContainsFunc(got[0].Data, func(x float64) bool { return x-x != 0 }) {
			fail("nothing is said of numbers that are too large: %v", got[0].Data)
		}
		return string(why)
	}
	c.values(want, got, met, fail)
	// a guard's product is NaN there, and log is named (docs/semantics.md, Guards)
	if len(c.m.fell) == 0 && len(met.Departures) == 1 && classOf(met.Departures[0].Function) == "log" && strings.Contains(c.text, " .^ ") && !undefined(want...) {
		return "log in the derivative of a power of a negative number"
	}
	c.messages(met, fail)
	c.conventions(met, want, fail)
	if seed%8 == 0 {
		c.checked(reply, env, want, fail)
	}
	if len(c.m.fell) > 0 {
		return "outside of the domain"
	}
	if undefined(want...) {
		return "data are not finite"
	}
	return "in the domain"
}

// entries are those of the value, or why they are not known.
func (c *meaningCase) entries() (want []num, why unsettled) {
	defer func() {
		if r := recover(); r != nil {
			why = r.(unsettled)
		}
	}()
	each(c.m.shape(c.out.axes), func(i []int) { want = append(want, c.out.entry(c.m, i...)) })
	return want, ""
}

// checked compares what frechet check says: where the program has no value nothing is compared, and else no right derivative is wrong.
func (c *meaningCase) checked(reply *frechet.Reply, env frechet.Env, want []num, fail func(string, ...any)) {
	check, err := reply.Check(context.Background(), env)
	switch {
	case err != nil:
	case len(c.m.fell) > 0 && check.OK():
		fail("is checked outside of its domain")
	}
}

// values compares the entries that have a value, and their slopes.
func (c *meaningCase) values(want []num, got []*frechet.Tensor, met frechet.Met, fail func(string, ...any)) {
	for i, w := range want {
		if w.none {
			continue
		}
		if v := got[0].Data[i]; !(math.Abs(v-w.v) <= 1e-9*max(1, math.Abs(w.v))+1e4*w.e) {
			fail("value %d is %v, not %v", i, v, w.v)
			return
		}
		for j, s := range w.d {
			v := got[1].Data[i*c.m.slopes+j]
			// what is not finite is said, and follows floating point (docs/semantics.md, Numbers)
			if beside := len(met.Departures) > 0 && v-v != 0; !s.pole && !s.open && !beside && !(math.Abs(v-s.v) <= 1e-8*max(1, s.size)) {
				fail("derivative of %d by %d is %v, not %v", i, j, v, s.v)
				return
			}
		}
	}
}

// classOf is the name of the function that a text applies; quotients and powers are of one class.
func classOf(text string) string {
	name, rest, ok := strings.Cut(text, "(")
	if !ok || name == "" || name == "sqrt" || name == "pow" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789") != "" || !strings.HasSuffix(rest, ")") {
		return "power"
	}
	depth := 1
	for k, c := range rest {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && k < len(rest)-1 {
			return "power"
		}
	}
	return name
}

// messages compares what is said with the functions that have no value and the data that are not finite, of what is read.
func (c *meaningCase) messages(met frechet.Met, fail func(string, ...any)) {
	said := map[string]bool{}
	for _, d := range met.Departures {
		class := classOf(d.Function)
		switch d.Kind {
		case "data":
			class = d.Function
			var all []int
			for i, x := range c.m.data[class] {
				if x-x != 0 && c.m.read[class][i] {
					all = append(all, i)
				}
			}
			if len(all) == 0 || flatten(c.m.shape(c.m.shapes[class]), d.Entry) != all[0] || d.More != len(all)-1 {
				fail("said: %v; the entries that are read and not finite are %v", d, all)
			}
		case "overflow":
			fail("said: %v", d)
		default:
			var values []float64
			for place, falls := range c.m.fell {
				for _, f := range falls {
					if classOf(place) == class && (f.unknown || math.IsNaN(f.value) || d.Operand == "" || math.Abs(f.value-d.Value) <= 1e-9*max(1, math.Abs(f.value))) {
						values = append(values, f.value)
					}
				}
			}
			of := slices.DeleteFunc(slices.Clone(c.m.fell[d.Function]), func(f fall) bool { return f.unknown })
			slices.SortFunc(of, func(a, b fall) int { return slices.Compare(a.entry, b.entry) })
			if len(of) > 0 && !strings.Contains(c.text, "let ") && (!slices.Equal(of[0].entry, d.Entry) || d.More != len(of)-1) {
				fail("said: %v; without a value are %v", d, of)
			}
			if len(values) == 0 {
				fail("said: %v; without a value are %v", d, c.m.fell)
			}
		}
		said[class] = true
	}
	for place, falls := range c.m.fell {
		if slices.ContainsFunc(falls, func(f fall) bool { return !f.unknown }) && !said[classOf(place)] {
			fail("%s has no value at %v, and is not named: %v", place, falls, met.Departures)
		}
	}
	for name, data := range c.m.data {
		for i, x := range data {
			if x-x != 0 && c.m.read[name][i] && !said[name] {
				fail("%s is not finite at %d, which is not said: %v", name, i, met.Departures)
			}
		}
	}
}

// conventions compares the conventions that are named with the kinks that the data meet.
func (c *meaningCase) conventions(met frechet.Met, want []num, fail func(string, ...any)) {
	if len(c.m.fell) > 0 || len(met.Departures) > 0 {
		return
	}
	c.m.memo, c.m.tilt = map[string]num{}, 0.375
	tilted, _ := c.entries()
	same := slices.EqualFunc(want, tilted, func(a, b num) bool {
		return slices.EqualFunc(a.d, b.d, func(s, t slope) bool { return math.Abs(s.v-t.v) <= 1e-9*(s.size+t.size) })
	})
	if len(met.Conventions) == 0 && !same {
		fail("no convention is named of %v", c.m.kinks)
	}
	for _, k := range met.Conventions { // those of the functions in the normal form: step(x) .* x is relu(x) (docs/semantics.md, A derivative)
		if len(c.m.kinks) == 0 && k.ID != "power-at-0" && k.ID != "log-at-0" && k.ID != "abs-at-0" { // sqrt(x^2) is abs(x)
			fail("%s is named and not met: %v", k.ID, c.m.kinks)
		}
	}
}
