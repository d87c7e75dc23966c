package proof_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
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

func reference(c, s object, key string, r *rand.Rand) bool {
	table := "nodes"
	for _, t := range stepsOn(c, "maps") {
		if reflect.ValueOf(t).Pointer() == reflect.ValueOf(s).Pointer() {
			table = "maps"
		}
	}
	return other(s, key, len(c[table].([]any)), r)
}

// Certificates that are altered so that a step no longer follows are rejected. An alteration that
// makes the same terms, or that does not matter to the step, is accepted and counted: these are few.
func TestAlteredCertificates(t *testing.T) {
	var certs [][]byte
	files, err := filepath.Glob("../../testdata/steps/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		require.NoError(t, err)
		if c := certificate(t, string(ar.Files[0].Data)); len(c) < 40_000 {
			certs = append(certs, c)
		}
	}
	for _, src := range []string{
		"declare p[n] expression sum(p .* log(p)) derivative wrt p",
		"declare X[m,n] w[n] y[m] expression norm2(X*w - y)^3 + sum(abs(w)) derivative wrt w",
		"declare A[n,n] x[n] expression x'*A*x / (x'*x) + log(det(A)) derivative wrt x",
		"declare x[n] expression sum(sqrt(x .* x .* x) + (2*x).^3 + x ./ x.^3 - exp(-log(x))) derivative wrt x",
		"declare A[m,n] B[n,m] v[m] expression tr(A*B) + v'*(A*B*v) + sum(exp((A*B)')) derivative wrt A",
	} {
		c := certificate(t, src)
		require.NotEmpty(t, c, src)
		certs = append(certs, c)
	}
	for _, cert := range certs { // read and written again, they replay
		var c object
		require.NoError(t, json.Unmarshal(cert, &c))
		b, err := json.Marshal(c)
		require.NoError(t, err)
		_, err = replayed(b)
		require.NoError(t, err)
	}
	want := 1000
	if testing.Short() {
		want = 150
	}
	r := rand.New(rand.NewPCG(1, 2))
	names := slices.Sorted(maps.Keys(alterations))
	rejected, reasons, accepted := 0, 0, map[string]int{}
	for i := 0; rejected < want; i++ {
		require.Less(t, i, 20*want, "most alterations change nothing")
		cert := certs[r.IntN(len(certs))]
		var c object
		require.NoError(t, json.Unmarshal(cert, &c))
		name := names[i%len(names)]
		if !alterations[name](c, r) {
			continue
		}
		b, err := json.Marshal(c)
		require.NoError(t, err)
		_, err = replayed(b)
		var wrong *frechet.ReplayError
		if errors.As(err, &wrong) {
			reasons++
		}
		if err == nil {
			accepted[name]++
			if testing.Verbose() {
				fmt.Println(name, difference(cert, b))
			}
			continue
		}
		rejected++
	}
	total := 0
	for _, n := range accepted {
		total += n
	}
	t.Logf("%d rejected, %d of them at a step; %d change nothing of the proof: %v", rejected, reasons, total, accepted)
	require.LessOrEqual(t, total, want/20)
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
