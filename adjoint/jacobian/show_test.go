package jacobian

import (
	"fmt"
	"strings"

	"frechet/combinators/atom"
)

// show prints a value as nested calls.
func show(n *Node) string {
	var args []string
	for _, a := range n.Args() {
		args = append(args, show(a))
	}
	switch {
	case n.Is(atom.Var):
		return n.Name()
	case n.Is(atom.Const):
		return n.Rat().RatString()
	case n.Is(atom.Add):
		return "(" + strings.Join(args, " + ") + ")"
	case n.Is(atom.Power):
		return args[0] + "^" + n.Rat().RatString()
	case n.Ein() != nil:
		return fmt.Sprintf("{%s;%s}", n.Ein(), strings.Join(args, ", "))
	}
	return n.Atom().Name + "(" + strings.Join(args, ", ") + ")"
}
