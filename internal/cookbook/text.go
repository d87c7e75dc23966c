package cookbook

// preface has places for the entries, those whose answer is no longer than the book's form, all again, and those that are longer.
const preface = `# Cookbook

Derivatives of two books, each with our answer and the book's form where it is another one. ` + "`go test ./internal/cookbook -update`" + ` writes
this page; the test derives all anew, compares each derivative with central differences and with the book's form at random points of two
sizes, and fails where the page is another.

%d entries. In %d of %d our answer has no more nodes than the book's form, counted as the closed forms of the tests are, with a part that
stands twice counted once; %d are longer, and say so.

- A derivative of a number by a matrix has the shape of the matrix, as in the Matrix Cookbook; Magnus and Neudecker write its row
  vec(G)'. Other derivatives have the axes of the output, then those of the argument, where the books write matrices of vec, Kronecker
  products, or entries: ` + "`A *(ik,lj->ijkl) B`" + ` is their kron(B', A).
- "holds where" is the domain of the function, in which the derivative is claimed. Numbers of the Matrix Cookbook are those of the edition
  of November 2012; the forms were written down from memory of the books, and are true by the comparison alone.
`

const epilogue = `
## What is not stated

- Matrix Cookbook, section 4, is about complex matrices: there are no complex numbers here.
- (38) to (45), (65) to (68): rules of differentials and derivatives of eigenvalues; the first are laws here, which frechet steps names.
- (56), (80), (89), (93), (94), (128): a pseudoinverse as a function, sums over general powers p, unknown scalar functions of
  matrices, and a function of a matrix by its eigenvalues.
- (133) to (141), (143), (144): structure. Declare a variable symmetric or diagonal: the gradient is then the one in the subspace, the symmetric part, where
  the book takes the entries of a triangle for independent and adds: 2*S - diag(diag(S)) of a symmetric S in its place. Toeplitz matrices are
  not declared.
- Magnus and Neudecker, commutation and duplication matrices: their products with vec stand as exchanges of axes.
`
