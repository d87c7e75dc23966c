package adjoint

import (
	"fmt"
	"strings"
)

// show prints a value as nested calls.
func show(n *Node) string {
	var args []string
	for _, a := range n.Args() {
		args = append(args, show(a))
	}
	switch {
	case n.Is("var"):
		return n.Name()
	case n.Is("const"):
		return n.Rat().RatString()
	case n.Is("add"):
		return "(" + strings.Join(args, " + ") + ")"
	case n.Is("power"):
		return args[0] + "^" + n.Rat().RatString()
	case n.Ein() != nil:
		return fmt.Sprintf("{%s;%s}", n.Ein(), strings.Join(args, ", "))
	}
	return n.Atom().Name + "(" + strings.Join(args, ", ") + ")"
}
