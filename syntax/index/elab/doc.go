// Package elab types definitions in index notation and builds their values.
//
// Every occurrence of an argument inside an element-wise function is brought to the
// indices that it uses, and those of the sums around it only, by a contraction that
// picks entries; functions act there; sums are contractions over that space (Urban and
// van der Smagt, section 5, with the derivative taken at the full sum). What is a sum
// of products of accesses is one contraction, and no value of the size of the iteration
// space is made for it:
//
//	y[i] = sum{k}_0^2 (x[2*i + k] * w[k])     y[i] += x[2*i + k] * w[k] for 0 <= k < 3
//
// Bounds that depend on outer indices, and conditions, are inequalities and equalities
// of the contraction's domain: what they exclude is not read, rather than multiplied by
// 0. Derivatives then come from exchanging index maps, as for any contraction.
//
// [Shape] finds the shape of the defined tensor, [Build] the value; Build proves every
// access in range first.
package elab
