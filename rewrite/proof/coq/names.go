package coq

import "strings"

// reserved are the names that the program's variables may not take: keywords, and what the files use of libraries and the prelude.
var reserved = func() map[string]bool {
	out := map[string]bool{}
	words := "D R S O s as at cofix else end exists exists2 fix for forall fun if in let match mod of return then where with Prop Set Type SProp " +
		"pi Num GRing nat is_derive erefl etrans esym eq_bigr f_equal f_equal2 ltn_ord funext isT sums derived derivation " +
		"norm2 gelu erf_law value derivative adjoint gradient entries along pow rpow gt ge lt le eq ne det"
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	for _, f := range elementwise {
		out[f.name], out[f.law] = true, true
	}
	for _, f := range binary {
		out[f.name], out[f.law] = true, true
	}
	for _, fs := range tensors {
		for _, f := range fs {
			out[f.name], out[f.law] = true, true
		}
	}
	return out
}()
