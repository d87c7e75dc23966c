package proof

import (
	"math/big"

	"frechet/einsum"
)

// folded is the value of a function of numbers where that is exact, else nil.
func (z *algebra) folded(n *Node) *big.Rat {
	args := make([]*big.Rat, len(n.Args()))
	for i, a := range n.Args() {
		f := z.forms[a].terms
		switch {
		case len(f) == 0:
			args[i] = new(big.Rat)
			continue
		case len(f) > 1 || len(f[0].args) > 0:
			return nil
		}
		_, out, ok := f[0].c.IsPlain()
		if !ok || !einsum.Permutation(out, len(f[0].c.Vars)) {
			return nil
		}
		args[i] = f[0].coef
	}
	return n.Exact(args)
}
