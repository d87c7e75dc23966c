// Package eval computes with numbers: dense tensors, two evaluators of value nodes, and checks
// of derivatives.
//
// A [Tensor] has a shape and its entries in row-major order. [Reference] follows the
// definitions, one node at a time, every contraction by nested loops over its iteration
// variables: slow, and obviously right. [Compile] makes a [Program], which gives the same
// numbers up to rounding, faster: package plan decides, from the sizes, in which order products
// are multiplied, what is fused and where everything lies, and the files of this package run
// what it decided:
//
//   - group.go: element-wise values that feed each other, block by block, in cache;
//   - gemm.go: matrix products, by the kernel of package matmul, or gonum's BLAS where the
//     processor has none of its instructions, and matrix-vector products by BLAS;
//   - tile.go: products over windows, such as convolutions and their adjoints, as products of
//     small blocks that are packed on the way;
//   - reduce.go: sums of element-wise values that are not stored;
//   - scan.go: running sums, in linear time;
//   - nest.go: all other products and sums, as strided loops. Goroutines write different
//     entries of the result, so there are no locks;
//   - linalg.go and minor.go: inverses, systems of equations, determinants and their derivatives.
//
// For instance, for x of size n the nodes
//
//	d = delta *(ba,a->ba) cos(x)     the Jacobian of sin(x), of n*n entries
//	y = d *(ba,a->b) v               its product with a vector
//
// become, when y alone is asked for, one element-wise step cos(x[i])*v[i]: the product is one
// contraction of delta, cos(x) and v, and solving delta's equality b = a leaves a single index.
//
// # Zeros and infinities
//
// A product has exactly the factors that its definition has: 0*NaN and 0*Inf are NaN, and a
// point outside a contraction's domain is not read at all. Guarded nodes, which only derivatives
// make, are the exception. An infinity of a weak node (a partial derivative such as that of
// sqrt at 0) loses against an exact zero of the other factors; so do the infinities of products
// and sums of weak nodes, so that the result does not depend on how products are nested. Sums
// are reordered, so where terms overflow the result may be an infinity in one evaluator and NaN
// in the other.
//
// # Sizes, limits, errors
//
// All sizes are checked, and the memory of a run is computed and compared with the limits,
// before anything is allocated or computed. See [SizeError], [LimitError], [SingularError] and
// [plan.MissingError].
package eval
