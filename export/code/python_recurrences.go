package code

// Recurrences and implicit functions in the Python targets: the step is a function inside the function.

import (
	"fmt"
	"maps"
	"strings"

	"frechet/combinators"
	"frechet/eval/plan"
	"frechet/internal/lists"
)

// bodied has the value of n, which has a body, and operands args: all states, or what Newton's method finds.
func (p *python) bodied(n *combinators.Node, args []string) (string, error) {
	b := n.Body()
	step := &python{writer: &writer{Function: &Function{Params: b.Params(), Sizes: p.Sizes}, target: p.target, real: p.real, taken: maps.Clone(p.taken), names: maps.Clone(p.names), poles: map[int]int8{}},
		arrays: p.arrays, picked: map[string]int{}}
	params := make([]string, len(args))
	for k, x := range b.Params() {
		name := fmt.Sprint("c", k)
		switch {
		case k == 0:
			name = "h"
		case k <= b.Sliced:
			name = fmt.Sprint("x", k)
		}
		params[k] = step.name(name, pythonReserved)
		step.names[x.Name()] = params[k]
	}
	var err error
	parts := plan.Parts(b)
	if b.Implicit() {
		parts = parts[len(parts)-2:]
	}
	if step.list, step.outputs, err = plan.Instructions(parts, p.Sizes); err != nil {
		return "", err
	}
	step.prepare()
	if err := step.statements(); err != nil {
		return "", err
	}
	f := p.name("next", pythonReserved)
	p.add("def %s(%s):", f, strings.Join(params, ", "))
	for _, l := range append(step.body, "return "+strings.Join(lists.Map(step.outputs, step.array), ", ")) {
		p.add("    %s", l)
	}
	if b.Implicit() {
		return fmt.Sprintf("_newton(%s, %s)", f, strings.Join(args, ", ")), nil
	}
	call := "_states"
	if b.Reverse {
		call = "_states_back"
	}
	return fmt.Sprintf("%s(%s, %d, %s)", call, f, b.Sliced, strings.Join(args, ", ")), nil
}
