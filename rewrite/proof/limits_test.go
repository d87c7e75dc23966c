package proof

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
)

// chained is f(f(..x)), n times.
func chained(x *Node, f string, n int) *Node {
	for range n {
		x = x.Store().Unary(f, x)
	}
	return x
}

// derivation is a part of one step on two long terms.
func derivation(s *combinators.Store, rule string) *Derivation {
	x := s.Var("x", nil)
	before, after := Line{Nodes: []*Node{chained(x, "sin", 2000)}}, Line{Nodes: []*Node{chained(x, "cos", 2000)}}
	return &Derivation{Parts: []Part{{Kind: KindProgram, Start: before, Steps: []Step{{Rule: rule, Before: before, After: after, Line: after}}}}}
}

// A check ends soon after its store is stopped, in the middle of a step.
func TestCheckStops(t *testing.T) {
	file := Source{"own.rules", `native fuse "" fuse ""`}
	rules, err := LoadRules(file)
	require.NoError(t, err)
	s := NewStore()
	stop := make(chan struct{})
	s.Stop = stop
	d := derivation(s, "fuse")
	d.Rules = []RuleFile{file.Sum()}
	_, err = Check(s, d, rules)
	var wrong *StepError
	require.ErrorAs(t, err, &wrong)
	close(stop)
	require.PanicsWithError(t, (&combinators.Stopped{}).Error(), func() { _, _ = Check(s, d, rules) })
}

// Work counts the indices of contractions, and ends at the limit, with the limit named.
func TestWorkIsBounded(t *testing.T) {
	letters := make([]int, 100)
	sizes := make([]size.Size, 100)
	for i := range letters {
		letters[i], sizes[i] = i, size.Sym("n")
	}
	w := &work{}
	w.product(einsum.Plain([][]int{letters, letters}, letters, sizes))
	require.GreaterOrEqual(t, w.done, 400)
	w.done = maxWork
	var err error
	func() {
		defer rebuilt(&err, func(m string) error { return malformed("%s", m) })
		w.add(1)
	}()
	var limit *combinators.LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, maxWork, limit.Limit)
}

// A number that is the size of an axis is not negative.
func TestNegativeSizes(t *testing.T) {
	const head = `{"format": "frechet certificate", "version": 1, "maps": [], "values": [], "parts": [], "nodes": [`
	read := func(nodes string) error {
		c, err := Read(strings.NewReader(head + nodes + "]}"))
		require.NoError(t, err)
		_, err = c.Decode(NewStore())
		return err
	}
	for _, nodes := range []string{
		`{"op": "var", "name": "x", "shape": ["n", "-3"]}`,
		`{"op": "var", "name": "x", "shape": ["2-3"]}`,
		`{"op": "ein", "ein": {"vars": ["-5"], "in": [], "out": []}}`,
		`{"op": "ein", "ein": {"vars": ["n"], "in": [], "out": [{"terms": [[0, 1]], "off": "0"}], "shapes": [["-2"]]}}`,
		`{"op": "var", "name": "x", "shape": ["0"]}, {"op": "split", "attr": 0, "sizes": ["0", "-1"], "args": [0]}`,
	} {
		err := read(nodes)
		var f *FormatError
		require.ErrorAs(t, err, &f, nodes)
		require.Contains(t, err.Error(), "is negative", nodes)
	}
	// an offset may be negative, and a size of symbols is what they make of it
	require.NoError(t, read(`{"op": "var", "name": "x", "shape": ["n-5", "0"]},
		{"op": "ein", "ein": {"vars": ["n"], "in": [], "out": [{"terms": [[0, 1]], "off": "-2"}], "shapes": [["n"]]}}`))
}
