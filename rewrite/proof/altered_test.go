package proof_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"frechet"
)

// object is a JSON object, as it is read.
type object = map[string]any

// alterations change one thing of a certificate, which then proves nothing; they give false where
// they find nothing to change. r is the source of chance.
var alterations = map[string]func(c object, r *rand.Rand) bool{
	"rule": func(c object, r *rand.Rand) bool {
		s := anyStep(c, r)
		names := allRules()
		old := s["rule"]
		s["rule"] = names[r.IntN(len(names))]
		return s["rule"] != old
	},
	"before": func(c object, r *rand.Rand) bool { return reference(c, anyStep(c, r), "before", r) },
	"after":  func(c object, r *rand.Rand) bool { return reference(c, anyStep(c, r), "after", r) },
	"end": func(c object, r *rand.Rand) bool {
		line := anyPart(c, r)["end"].(object)
		if _, ok := line["map"]; ok {
			return other(line, "map", len(c["maps"].([]any)), r)
		}
		nodes := line["nodes"].([]any)
		i := r.IntN(len(nodes))
		old := nodes[i]
		nodes[i] = float64(r.IntN(len(c["nodes"].([]any))))
		return nodes[i] != old
	},
	"start": func(c object, r *rand.Rand) bool {
		line := anyPart(c, r)["start"].(object)
		if _, ok := line["map"]; ok {
			return other(line, "map", len(c["maps"].([]any)), r)
		}
		nodes := line["nodes"].([]any)
		old := nodes[0]
		nodes[0] = float64(r.IntN(len(c["nodes"].([]any))))
		return nodes[0] != old
	},
	"substitution": func(c object, r *rand.Rand) bool {
		u, ok := anyStep(c, r)["subst"].(object)
		if !ok {
			return false
		}
		field := pick(u, r)
		switch v := u[field].(type) {
		case object:
			name := pick(v, r)
			switch field {
			case "values":
				return other(v, name, len(c["nodes"].([]any)), r)
			case "maps":
				return other(v, name, len(c["maps"].([]any)), r)
			case "points":
				return other(v, name, len(c["values"].([]any)), r)
			case "families":
				ms := v[name].([]any)
				i := r.IntN(len(ms))
				old := ms[i]
				ms[i] = float64(r.IntN(len(c["maps"].([]any))))
				return ms[i] != old
			case "components":
				v[name] = v[name].(float64) + 1
			case "numbers":
				v[name] = "7/3"
			case "sizes":
				v[name] = v[name].(string) + "+1"
			}
		case float64:
			u[field] = v + 1
		case []any:
			u[field] = append(v, "3")
		default:
			delete(u, field)
		}
		return true
	},
	"index": func(c object, r *rand.Rand) bool {
		n := anyNode(c, r, func(n object) bool { return n["ein"] != nil })
		if n == nil {
			return false
		}
		ein := n["ein"].(object)
		groups := append(slices.Clone(ein["in"].([]any)), ein["out"])
		g, ok := groups[r.IntN(len(groups))].([]any)
		vars := len(ein["vars"].([]any))
		if !ok || len(g) == 0 || vars < 2 {
			return false
		}
		i := r.IntN(len(g))
		old := g[i]
		g[i] = float64(r.IntN(vars))
		return g[i] != old
	},
	"number": func(c object, r *rand.Rand) bool {
		n := anyNode(c, r, func(n object) bool { return n["op"] == "const" })
		if n == nil {
			return false
		}
		n["rat"] = n["rat"].(string) + "1"
		return true
	},
	"exponent": func(c object, r *rand.Rand) bool {
		n := anyNode(c, r, func(n object) bool { return n["op"] == "power" })
		if n == nil {
			return false
		}
		n["rat"] = n["rat"].(string) + "1"
		return true
	},
	"function": func(c object, r *rand.Rand) bool {
		fs := []any{"sin", "cos", "exp", "tanh", "log"}
		n := anyNode(c, r, func(n object) bool { return slices.Contains(fs, n["op"]) })
		if n == nil {
			return false
		}
		old := n["op"]
		n["op"] = fs[r.IntN(len(fs))]
		return n["op"] != old
	},
	"guard": func(c object, r *rand.Rand) bool {
		n := anyNode(c, r, func(n object) bool { return n["op"] == "power" || n["op"] == "log" })
		if n == nil {
			return false
		}
		if n["guard"] != nil {
			delete(n, "guard")
		} else {
			n["guard"] = "weak"
		}
		return true
	},
	"operands": func(c object, r *rand.Rand) bool {
		s := anyStep(c, r)
		k, ok := s["operands"].([]any)
		if !ok {
			return false
		}
		i := r.IntN(len(k))
		k[i] = k[i].(float64) + 1
		return true
	},
	"context": func(c object, r *rand.Rand) bool {
		s := anyStep(c, r)
		return s["context"] != nil && reference(c, s, []string{"context", "hole"}[r.IntN(2)], r)
	},
	"fact": func(c object, r *rand.Rand) bool {
		s := anyStep(c, r)
		fs, ok := s["facts"].([]any)
		if !ok {
			return false
		}
		f := fs[r.IntN(len(fs))].(object)
		switch r.IntN(3) {
		case 0:
			delete(s, "facts")
		case 1:
			return other(f, "node", len(c["nodes"].([]any)), r)
		default:
			f["sign"] = map[any]string{"positive": "nonneg", "nonneg": "positive", "nonzero": "nonneg"}[f["sign"]]
		}
		return true
	},
	"dropped step": func(c object, r *rand.Rand) bool {
		p := anyPart(c, r)
		steps := p["steps"].([]any)
		if len(steps) < 2 {
			return false
		}
		p["steps"] = slices.Delete(steps, 0, 1+r.IntN(len(steps)-1)) // not the last: it may end sooner
		return true
	},
	"walk": func(c object, r *rand.Rand) bool {
		w, ok := anyPart(c, r)["walk"].([]any)
		if !ok {
			return false
		}
		step := w[r.IntN(len(w))].(object)
		field := []string{"node", "gets", "law"}[r.IntN(3)]
		n := len(c["nodes"].([]any))
		if field == "law" {
			n = len(c["laws"].([]any))
		}
		return step[field] != nil && other(step, field, n, r)
	},
	"end of a law": func(c object, r *rand.Rand) bool {
		laws, ok := c["laws"].([]any)
		return ok && len(laws) > 0 && other(laws[r.IntN(len(laws))].(object), "end", len(c["maps"].([]any)), r)
	},
	"dropped part": func(c object, r *rand.Rand) bool {
		parts := c["parts"].([]any)
		c["parts"] = slices.Delete(parts, 0, 1)
		return len(parts) > 1
	},
	"part of a map": func(c object, r *rand.Rand) bool {
		ms := c["maps"].([]any)
		m := ms[r.IntN(len(ms))].(object)
		parts, ok := m["maps"].([]any)
		if !ok {
			return false
		}
		i := r.IntN(len(parts))
		old := parts[i]
		parts[i] = float64(r.IntN(len(ms)))
		return parts[i] != old
	},
	"component of a map": func(c object, r *rand.Rand) bool {
		ms := c["maps"].([]any)
		m := ms[r.IntN(len(ms))].(object)
		if m["k"] == nil {
			return false
		}
		m["k"] = 3 - m["k"].(float64)
		return true
	},
	"rule file": func(c object, r *rand.Rand) bool {
		fs := c["rules"].([]any)
		fs[r.IntN(len(fs))].(object)["sha256"] = "00"
		return true
	},
	"size": func(c object, r *rand.Rand) bool {
		n := anyNode(c, r, func(n object) bool { return n["shape"] != nil || n["ein"] != nil })
		sizes, _ := n["shape"].([]any)
		if n["ein"] != nil {
			sizes = n["ein"].(object)["vars"].([]any)
		}
		if len(sizes) == 0 {
			return false
		}
		i := r.IntN(len(sizes))
		old := sizes[i]
		sizes[i] = []any{"0", "1", "2", "n", "m", "n+1", old.(string) + "-1"}[r.IntN(7)]
		return sizes[i] != old
	},
	"name": func(c object, r *rand.Rand) bool {
		n := anyNode(c, r, func(n object) bool { return n["op"] == "var" })
		old := n["name"]
		n["name"] = []any{"x", "A", "d", "pi", "n", "#hole", "t0", "w", old.(string) + " "}[r.IntN(9)]
		return n["name"] != old
	},
	"swapped steps": func(c object, r *rand.Rand) bool {
		steps := anyPart(c, r)["steps"].([]any)
		if len(steps) < 2 {
			return false
		}
		i, j := r.IntN(len(steps)), r.IntN(len(steps))
		for _, field := range []string{"before", "after", "subst", "context", "hole"}[r.IntN(5):] {
			a, b := steps[i].(object), steps[j].(object)
			a[field], b[field] = b[field], a[field]
		}
		return i != j
	},
	"step of another part": func(c object, r *rand.Rand) bool {
		p, s := anyPart(c, r), anyStep(c, r)
		p["steps"] = append([]any{s}, p["steps"].([]any)...)
		return reference(c, s, "after", r)
	},
	"backwards": func(c object, r *rand.Rand) bool {
		s := anyStep(c, r)
		s["before"], s["after"] = s["after"], s["before"]
		if r.IntN(2) == 0 {
			s["back"] = true
		}
		return s["before"] != s["after"]
	},
	"kind": func(c object, r *rand.Rand) bool {
		p, old := anyPart(c, r), ""
		old, p["kind"] = p["kind"].(string), []string{"program", "derivative", "derivative at", "adjoint", "gradient", "entries", "left side", "difference", "quotient"}[r.IntN(9)]
		return p["kind"] != old
	},
	"program": func(c object, r *rand.Rand) bool {
		p := c["program"].(object)
		old := p["text"].(string)
		pair := [][]string{{"sin", "cos"}, {"log", "exp"}, {"+", "-"}, {"2", "3"}, {"x", "y"}, {"n]", "m]"}, {".*", "+"}, {"sqrt", "abs"}}[r.IntN(8)]
		p["text"] = strings.Replace(old, pair[0], pair[1], 1)
		if p["text"] == old {
			p["sizes"] = object{"n": 1.0}
		}
		return true
	},
	"new fact": func(c object, r *rand.Rand) bool {
		s := anyStep(c, r)
		fs, _ := s["facts"].([]any)
		s["facts"] = append(fs, object{"sign": []string{"positive", "nonneg", "nonzero"}[r.IntN(3)], "node": float64(r.IntN(len(c["nodes"].([]any))))})
		return true
	},
	"later term": func(c object, r *rand.Rand) bool {
		n := anyNode(c, r, func(n object) bool { return n["args"] != nil })
		if n == nil {
			return false
		}
		args := n["args"].([]any)
		return otherAt(args, r.IntN(len(args)), len(c["nodes"].([]any)), r)
	},
	"structure": func(c object, r *rand.Rand) bool {
		o := c
		for range r.IntN(5) { // some object in it
			switch v := o[pick(o, r)].(type) {
			case object:
				o = v
			case []any:
				if len(v) > 0 {
					if in, ok := v[r.IntN(len(v))].(object); ok {
						o = in
					}
				}
			}
			if len(o) == 0 {
				return false
			}
		}
		key := pick(o, r)
		switch r.IntN(4) {
		case 0:
			delete(o, key)
		case 1:
			o[key] = nil
		case 2:
			o[key] = []any{o[key]}
		default:
			o[strings.ToUpper(key)], o[key] = o[key], 0.0
		}
		return true
	},
	"variables": func(c object, r *rand.Rand) bool {
		p := anyPart(c, r)
		fresh, ok := p["fresh"].([]any)
		if !ok {
			return false
		}
		old := fresh[0]
		fresh[0] = float64(r.IntN(len(c["nodes"].([]any))))
		return fresh[0] != old
	},
}

func allRules() (names []string) {
	for _, f := range frechet.ShippedRules() {
		rs, _ := frechet.ListRules(f)
		for _, n := range rs {
			names = append(names, n.Name)
		}
	}
	return names
}

func pick(o object, r *rand.Rand) string {
	keys := slices.Sorted(maps.Keys(o))
	return keys[r.IntN(len(keys))]
}

func anyPart(c object, r *rand.Rand) object {
	parts := c["parts"].([]any)
	return parts[r.IntN(len(parts))].(object)
}

func anyStep(c object, r *rand.Rand) object {
	steps := stepsOn(c, "nodes")
	all := append(steps, stepsOn(c, "maps")...)
	return all[r.IntN(len(all))].(object)
}

// stepsOn are the steps on the terms of a table.
func stepsOn(c object, table string) (steps []any) {
	lists, _ := c["laws"].([]any)
	if table == "nodes" {
		lists = nil
	}
	for _, p := range c["parts"].([]any) {
		if (p.(object)["start"].(object)["map"] != nil) == (table == "maps") {
			lists = append(lists, p)
		}
	}
	for _, p := range lists {
		steps = append(steps, p.(object)["steps"].([]any)...)
	}
	return steps
}

func anyNode(c object, r *rand.Rand, is func(object) bool) object {
	var found []object
	for _, n := range c["nodes"].([]any) {
		if is(n.(object)) {
			found = append(found, n.(object))
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found[r.IntN(len(found))]
}

// other changes a reference to one of n terms.
func other(o object, key string, n int, r *rand.Rand) bool {
	old := o[key]
	o[key] = float64(r.IntN(n))
	return o[key] != old
}

// otherAt is other for an entry of a list.
func otherAt(list []any, at, n int, r *rand.Rand) bool {
	old := list[at]
	list[at] = float64(r.IntN(n))
	return list[at] != old
}

func reference(c, s object, key string, r *rand.Rand) bool {
	table := "nodes"
	for _, t := range stepsOn(c, "maps") {
		if reflect.ValueOf(t).Pointer() == reflect.ValueOf(s).Pointer() {
			table = "maps"
		}
	}
	return other(s, key, len(c[table].([]any)), r)
}

var alteredCount = flag.Int("altered", 300, "how many altered certificates are to be rejected, and a tenth of them of those assembled from legal steps")

var ofValues = []string{
	"declare p[n] expression sum(p .* log(p)) derivative wrt p",
	"declare X[m,n] w[n] y[m] expression norm2(X*w - y)^3 + sum(abs(w)) derivative wrt w",
	"declare A[n,n] x[n] expression x'*A*x / (x'*x) + log(det(A)) derivative wrt x",
	"declare x[n] expression sum(sqrt(x .* x .* x) + (2*x).^3 + x ./ x.^3 - exp(-log(x))) derivative wrt x",
	"declare A[m,n] B[n,m] v[m] expression tr(A*B) + v'*(A*B*v) + sum(exp((A*B)')) derivative wrt A",
	"declare x[n] y[n] expression sum(relu(x) .* step(x) + abs(x) .* sign(x) + max(x, y)) derivative wrt x",
	"declare A[n,n] x[n] expression x'*inv(A)*x + sum(softmax(x) .* x) + logsumexp(2*x) derivative wrt x",
	"declare x[n] expression sum(sin(x).^2 + cos(x).^2 + sigmoid(x) .* (1 - sigmoid(x)) + 0*exp(x)) derivative wrt x",
}

// originals are the certificates that are altered, each with what it proves.
func originals(t *testing.T) (certs [][]byte, proves []*frechet.ReplaySummary) {
	files, err := filepath.Glob("../../testdata/steps/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		require.NoError(t, err)
		if c := certificate(t, string(ar.Files[0].Data)); len(c) < 40_000 {
			certs = append(certs, c)
		}
	}
	for _, src := range ofValues {
		c := certificate(t, src)
		require.NotEmpty(t, c, src)
		certs = append(certs, c)
	}
	for _, cert := range certs { // read and written again, they replay
		var c object
		require.NoError(t, json.Unmarshal(cert, &c))
		b, err := json.Marshal(c)
		require.NoError(t, err)
		sum, err := replayed(b)
		require.NoError(t, err)
		proves = append(proves, sum)
	}
	return certs, proves
}

// Certificates that are altered so that a step no longer follows are rejected. An alteration that makes the same terms, or that
// does not matter to the step, is accepted, and then what is proved is true.
func TestAlteredCertificates(t *testing.T) {
	certs, proves := originals(t)
	want := *alteredCount
	if testing.Short() {
		want = min(want, 150)
	}
	r := rand.New(rand.NewPCG(1, 2))
	names := slices.Sorted(maps.Keys(alterations))
	rejected, reasons, accepted := 0, 0, map[string]int{}
	for i := 0; rejected < want; i++ {
		require.Less(t, i, 20*want+1000, "most alterations change nothing")
		which := r.IntN(len(certs))
		var c object
		require.NoError(t, json.Unmarshal(certs[which], &c))
		name := names[i%len(names)]
		if !alterations[name](c, r) {
			continue
		}
		b, err := json.Marshal(c)
		require.NoError(t, err)
		sum, err := replayed(b)
		var wrong *frechet.ReplayError
		if errors.As(err, &wrong) {
			reasons++
		}
		if err == nil {
			require.True(t, holds(t, sum, proves[which]), "%s: %s\nproves\n%v\ninstead of\n%v", name, difference(certs[which], b), sum.Conclusions, proves[which].Conclusions)
			accepted[name]++
			continue
		}
		rejected++
	}
	total := 0
	for _, n := range accepted {
		total += n
	}
	t.Logf("%d rejected, %d of them at a step; %d prove what is true: %v", rejected, reasons, total, accepted)
}

// Certificates assembled from legal steps, of all parts and in any order and direction, with another term at the end of a part:
// what is accepted is true.
func TestAssembledCertificates(t *testing.T) {
	certs, proves := originals(t)
	last := len(certs) - len(ofValues) // conclusions that are values have numbers to compare
	certs, proves = certs[last:], proves[last:]
	want := max(1, *alteredCount/10)
	r := rand.New(rand.NewPCG(3, 4))
	rejected, accepted := 0, 0
	for i := 0; rejected < want; i++ {
		require.Less(t, i, 20*want+1000, "most assemblies are accepted")
		which := r.IntN(len(certs))
		var c object
		require.NoError(t, json.Unmarshal(certs[which], &c))
		part := anyPart(c, r)
		end := part["end"].(object)
		table, pool := "nodes", stepsOn(c, "nodes")
		if end["map"] != nil {
			table, pool = "maps", stepsOn(c, "maps")
		}
		for range 1 + r.IntN(4) {
			if len(pool) == 0 {
				break
			}
			s := maps.Clone(pool[r.IntN(len(pool))].(object))
			if r.IntN(3) == 0 {
				s["before"], s["after"] = s["after"], s["before"]
			}
			steps := part["steps"].([]any)
			part["steps"] = slices.Insert(slices.Clone(steps), r.IntN(len(steps)+1), any(s))
		}
		n := len(c[table].([]any))
		if table == "maps" {
			if !other(end, "map", n, r) {
				continue
			}
		} else if nodes := end["nodes"].([]any); len(nodes) == 0 || !otherAt(nodes, r.IntN(len(nodes)), n, r) {
			continue
		}
		b, err := json.Marshal(c)
		require.NoError(t, err)
		if sum, err := replayed(b); err == nil {
			require.True(t, holds(t, sum, proves[which]), "%s\nproves\n%v\ninstead of\n%v", difference(certs[which], b), sum.Conclusions, proves[which].Conclusions)
			accepted++
			continue
		}
		rejected++
	}
	t.Logf("%d rejected, %d prove what is true", rejected, accepted)
}

// holds reports whether a certificate proves what is true, beside one that does: it proves the same of the same program, or its
// conclusions have the same numbers where the program has a value.
func holds(t *testing.T, sum, beside *frechet.ReplaySummary) bool {
	program := sum.Program
	program.Language, program.Wrt = beside.Program.Language, beside.Program.Wrt
	if fmt.Sprint(program) != fmt.Sprint(beside.Program) || fmt.Sprint(sum.Domain) != fmt.Sprint(beside.Domain) {
		return false
	}
	for _, c := range sum.Conclusions {
		of := func(part string) (kind string, fresh []string) {
			words := strings.Fields(strings.ReplaceAll(part, ",", ""))
			if at := slices.Index(words, "at"); at >= 0 {
				return words[0], words[at+1:]
			}
			return part, nil
		}
		kind, fresh := of(c.Part)
		found := false
		for _, d := range beside.Conclusions {
			other, names := of(d.Part)
			if kind != other || len(names) != len(fresh) {
				continue
			}
			text := c.Text
			for i, name := range fresh { // which names they have does not matter
				text = regexp.MustCompile(`\b`+regexp.QuoteMeta(name)+`\b`).ReplaceAllString(text, names[i])
			}
			found = found || text == d.Text || equalNumbers(t, sum, text, d.Text)
		}
		if !found {
			return false
		}
	}
	return true
}

// tuple are the parts of (a, b).
func tuple(text string) (parts []string) {
	in, ok := strings.CutPrefix(text, "(")
	if !ok || !strings.HasSuffix(in, ")") {
		return nil
	}
	in = in[:len(in)-1]
	depth, from := 0, 0
	for i, c := range in {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				parts, from = append(parts, strings.TrimSpace(in[from:i])), i+1
			}
		}
		if depth < 0 {
			return nil
		}
	}
	return append(parts, strings.TrimSpace(in[from:]))
}

var declaration = regexp.MustCompile(`(\w+)\[([^\]]*)\]`)

// equalNumbers compares two values in a program's variables at random data.
func equalNumbers(t *testing.T, sum *frechet.ReplaySummary, a, b string) bool {
	declare, _, ok := strings.Cut(sum.Program.Text, "expression")
	of, _, _ := strings.Cut(declare, "let ")
	if by := regexp.MustCompile(`wrt (\w+)`).FindStringSubmatch(sum.Program.Text); ok && by != nil {
		of += " d[" + regexp.MustCompile(`\b` + by[1] + `\[([^\]]*)\]`).FindStringSubmatch(of)[1] + "] "
	} else { // a map of numbers
		of = "declare x[] x1[] x2[] x3[] d[] d1[] d2[] d3[] w[] w1[] w2[] w3[] "
	}
	components := func(text string) []string { // each with what the parts of the text are named
		value, where, named := strings.Cut(text, "\nwhere ")
		parts := tuple(value)
		for i := range parts {
			if named {
				parts[i] += "\nwhere " + where
			}
		}
		return parts
	}
	if parts, others := components(a), components(b); len(parts) == len(others) && len(parts) > 1 {
		for i, part := range parts {
			if part != others[i] && !equalNumbers(t, sum, part, others[i]) {
				return false
			}
		}
		return true
	}
	r := rand.New(rand.NewPCG(5, 6))
	env := frechet.Env{}
	for _, v := range declaration.FindAllStringSubmatch(of, -1) {
		x := &frechet.Tensor{Shape: []int{}, Data: []float64{0}}
		for axis := range strings.SplitSeq(v[2], ",") {
			if axis != "" {
				n := map[string]int{"m": 2, "n": 3}[axis]
				x.Shape, x.Data = append(x.Shape, n), slices.Repeat(x.Data, n)
			}
		}
		for i := range x.Data {
			x.Data[i] = 0.5 + r.Float64()
		}
		env[v[1]] = x
	}
	var values [2]*frechet.Tensor
	for k, text := range []string{a, b} {
		if value, where, ok := strings.Cut(text, "\nwhere "); ok {
			lets := ""
			for line := range strings.Lines(strings.ReplaceAll(where, "where", "")) { // not what has several guards
				if line = strings.TrimSpace(line); regexp.MustCompile(`^\w+ = `).MatchString(line) {
					lets += "let " + line + "\n"
				}
			}
			text = lets + "expression " + value
		}
		if !strings.Contains(text, "expression ") {
			text = "expression " + text
		}
		f, err := frechet.Parse(of + "\n" + text)
		if err != nil {
			t.Logf("%v: %s", err, text)
			return false
		}
		p, err := frechet.Compile(f.Value(), frechet.Sizes{"m": 2, "n": 3})
		if err != nil {
			t.Logf("%v: %s", err, text)
			return false
		}
		if values[k], err = p.Run(context.Background(), env); err != nil {
			return false
		}
	}
	for i, x := range values[0].Data {
		if y := values[1].Data[i]; math.Abs(x-y) > 1e-9*(1+math.Abs(y)) {
			return false
		}
	}
	return slices.Equal(values[0].Shape, values[1].Shape)
}

// difference shows where two certificates differ first.
func difference(a, b []byte) string {
	var x, y any
	_ = json.Unmarshal(a, &x)
	_ = json.Unmarshal(b, &y)
	a, _ = json.Marshal(x)
	b, _ = json.Marshal(y)
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	from := max(0, i-150)
	return string(a[from:min(len(a), i+60)]) + "  ->  " + string(b[max(from, i-20):min(len(b), i+40)])
}
