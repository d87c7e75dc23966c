package proof

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// chained is f(f(..x)), n times.
func chained(x *Node, f *atom.Row, n int) *Node {
	for range n {
		x = x.Store().Unary(f, x)
	}
	return x
}

// derivation is a part of one step on two long terms.
func derivation(s *combinators.Store, rule string) *Derivation {
	x := s.Var("x", nil)
	before, after := Line{Nodes: []*Node{chained(x, atom.Sin, 2000)}}, Line{Nodes: []*Node{chained(x, atom.Cos, 2000)}}
	return &Derivation{Parts: []Part{{Kind: KindProgram, Start: before, Steps: []Step{{Rule: rule, Before: before, After: after}}, End: after}}}
}

// A check ends soon after its store is stopped, in the middle of a step.
func TestCheckStops(t *testing.T) {
	file := Source{"own.rules", `native fuse "" fuse ""`}
	rules, err := LoadRules(file)
	require.NoError(t, err)
	s := combinators.NewStore()
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
		defer combinators.Recover(&err, func(m string) error { return errors.New(m) })
		w.add(1)
	}()
	var limit *combinators.LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, maxWork, limit.Limit)
}
