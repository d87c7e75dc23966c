package adjoint

import (
	"frechet/combinators"
	"frechet/combinators/denote"
	"frechet/rewrite"
)

// The last form of linear maps: what the rules for D and adjoint leave as a chain of factors is joined, collected
// and sorted by component.

// linearSteps are the native steps of the algebra of linear maps.
var linearSteps = map[string]denote.Native{
	"join": stepOfTwo((*combinators.Store).JoinLinear), "extract": stepOfOne((*combinators.Store).NumberOut),
	"gather": stepOfOne((*combinators.Store).CollectLinear), "select": stepOfTwo((*combinators.Store).SelectLinear),
	"push": stepOfTwo((*combinators.Store).PushLinear), "front": stepOfTwo((*combinators.Store).FrontLinear),
}

func stepOfOne(step func(*combinators.Store, combinators.Map) (combinators.Map, bool)) denote.Native {
	return func(s *combinators.Store, args []denote.Argument) (combinators.Map, error) {
		if m, ok := step(s, args[0].Map); ok {
			return m, nil
		}
		return combinators.Map{}, denote.ErrNoStep
	}
}

func stepOfTwo(step func(s *combinators.Store, f, g combinators.Map) (combinators.Map, bool)) denote.Native {
	return func(s *combinators.Store, args []denote.Argument) (combinators.Map, error) {
		if m, ok := step(s, args[0].Map, args[1].Map); ok {
			return m, nil
		}
		return combinators.Map{}, denote.ErrNoStep
	}
}

// ClosedForm is the last form of a closed map: derivatives and adjoints in it are worked out, and what is left is
// simplified by the algebra of closed combinators and, where it is linear, by combinators/rules/linear.rules to the
// end. trace, where it is not nil, gets each step.
func (c *Calculus) ClosedForm(m combinators.Map, trace func(rewrite.ClosedFiring)) (combinators.Map, error) {
	m, err := c.ClosedSimplify(m, trace)
	if err != nil {
		return m, err
	}
	e := &rewrite.ClosedEngine{Rules: []*rewrite.ClosedRules{c.rules(closedRules), c.rules(linearRules)}, Outer: []*rewrite.ClosedRules{c.rules(closedChain)}, Trace: trace}
	return e.Normalize(m)
}
