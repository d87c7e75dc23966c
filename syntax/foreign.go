package syntax

import (
	"strings"

	"frechet/combinators/atom"
)

// foreign are functions of other systems, besides those of the table of operations.
var foreign = func() map[string]string {
	table := map[string]string{
		"log2": "log(x)/log(2)", "log10": "log(x)/log(10)", "exp2": "2^x", "sqr": "x^2",
		"trace": "tr(...)", "transpose": "A'", "trans": "A'", "inverse": "inv(...)", "determinant": "det(...)", "slogdet": "logdet(...)",
		"norm": "norm2(...), norm1(...) or max(abs(x))", "inner": "x'*y", "vdot": "x'*y", "matmul": "A*B", "mm": "A*B", "mv": "A*x", "bmm": "A *(bij,bjk->bik) B",
		"hadamard": "A .* B", "multiply": "x .* y", "mul": "x .* y", "divide": "x ./ y", "add": "x + y", "subtract": "x - y",
		"plus": "x + y", "times": "x*y", "minus": "x - y", "total": "sum(...)", "average": "mean(...)", "heaviside": "step(...)",
		atom.Power.Name: "x^y", atom.Pow.Name: "x^y",
		"identity": "eye(n)", "maximum": "max(...), or max(a, b)", "minimum": "min(...), or min(a, b)", "any": "max(x > 0), which is 1 or 0", "all": "min(x > 0), which is 1 or 0", "requires_grad_": "frechet grad, a command", "requires_grad": "frechet grad, a command", "concatenate": "concat(a, b, axis=0)", "vstack": "[a; b]", "hstack": "[a, b]", "vcat": "[a; b]", "hcat": "[a, b]", "block_diag": "[A, 0; 0, B]",
		"zeros_like": "0, which takes the order of its place", "ones_like": "1, which takes the order of its place",
		"len": "n, the symbol of the size in declare x[n]", "length": "n, the symbol of the size in declare x[n]", "size": "n, the symbol of the size in declare x[n]", "shape": "n, the symbol of the size in declare x[n]",
		"reduce_sum": "sum(...)", "reduce_mean": "mean(...)", "reduce_max": "max(...)", "expit": "sigmoid(...)", "psi": "digamma(...)", "loggamma": "lgamma(...)",
		"abs2": "x^2", "horzcat": "[A, B]", "vertcat": "[A; B]", "mtimes": "A*B", "ctranspose": "A'", "t": "A'", "cat": "concat(a, b, axis=0)",
		"diagonal": "diag(...)", "diagonalmatrix": "diag(...)", "identitymatrix": "eye(n)", "kroneckerproduct": "kron(A, B)", "variance": "var(...)", "standarddeviation": "std(...)",
		"arctanh": "log((1 + x)/(1 - x))/2", "atanh": "log((1 + x)/(1 - x))/2", "arcsinh": "log(x + sqrt(x^2 + 1))", "asinh": "log(x + sqrt(x^2 + 1))",
		"arccosh": "log(x + sqrt(x^2 - 1))", "acosh": "log(x + sqrt(x^2 - 1))", "cot": "1 ./ tan(x)", "sec": "1 ./ cos(x)", "csc": "1 ./ sin(x)",
		"coth": "1 ./ tanh(x)", "sech": "1 ./ cosh(x)", "csch": "1 ./ sinh(x)", "sinc": "sin(x) ./ x", "cbrt": "sign(x) .* abs(x)^(1/3)",
		"lse": "logsumexp(...)", "logit": "log(x ./ (1 - x))", "sigma": "sigmoid(...)", "swish": "x .* sigmoid(x)", "silu": "x .* sigmoid(x)",
		"elu": "where(x > 0, x, expm1(x))", "leaky_relu": "max(x, 0.01*x)", "leakyrelu": "max(x, 0.01*x)", "huber": "where(abs(x) <= 1, x^2/2, abs(x) - 1/2)",
		"logsigmoid": "-softplus(-x)", "log_softmax": "x - logsumexp(x)", "cross_entropy": "logsumexp(x) - y'*x", "mse_loss": "mean((x - y)^2)", "mse": "mean((x - y)^2)",
		"indicator": "x > 0, which is 1 or 0", "phi": "(1 + erf(x/sqrt(2)))/2", "normcdf": "(1 + erf(x/sqrt(2)))/2", "erfcx": "exp(x^2) .* erfc(x)",
		"gamma": "exp(lgamma(x)), for x > 0", "beta": "exp(lgamma(x) + lgamma(y) - lgamma(x + y))", "factorial": "exp(lgamma(x + 1))", "trigamma": "polygamma(1, x)",
		"diff": "x[1:] - x[:-1]; a derivative is asked for by frechet grad, a command", "numel": "n, the symbol of the size in declare x[n]", "ndims": "n, the symbol of the size in declare x[n]",
		"conj": "x: all numbers are real", "real": "x: all numbers are real", "imag": "0: all numbers are real", "norminf": "max(abs(x))", "infnorm": "max(abs(x))",
		"cov": "(A - mean(A, axis=0, keepdims=True))'*(A - mean(A, axis=0, keepdims=True))/(m - 1)", "corr": "(x - mean(x))'*(y - mean(y))/(n*std(x)*std(y))",
		"diagm": "diag(...)", "view": "reshape(A, m*n)", "unsqueeze": "the value itself: A + v repeats a vector beside a matrix", "expand_dims": "the value itself: A + v repeats a vector beside a matrix",
		"squeeze": "A[0, :]", "mod": "x - y .* floor(x ./ y)", "hypot": "sqrt(x^2 + y^2)",
		"symmetric": "(A + A')/2", "ifelse": "where(c, a, b)", "if": "where(c, a, b)", "piecewise": "where(c, a, b)", "trapz": "sum((x[1:] + x[:-1])/2)",
		"repmat": "x*ones(n)', or A + x, which repeats x", "tile": "x*ones(n)', or A + x, which repeats x", "bsxfun": "A + x, which repeats x for every column",
		"select": "where(c, a, b)", "clamp": "clip(...)", "ravel": "reshape(A, m*n)", "flatten": "reshape(A, m*n)", "flipud": "flip(...)", "fliplr": "flip(A, axis=1)", "circshift": "roll(x, k)",
		"sum_squares": "norm2(x)^2", "sum_square": "norm2(x)^2", "sumsqr": "norm2(x)^2", "square_pos": "max(x, 0)^2; x^2 where x is not negative", "quad_form": "x'*A*x", "quad_over_lin": "x'*x/y",
		"sum_entries": "sum(...)", "pnorm": "sum(abs(x)^3)^(1/3)", "norm_inf": "max(abs(x))", "kl_div": "x .* log(x ./ y) - x + y", "rel_entr": "x .* log(x ./ y)", "entr": "-x .* log(x)", "inv_pos": "1 ./ x",
		"log_det": "logdet(...)", "log_sum_exp": "logsumexp(...)", "logistic": "softplus(x), that is log(1 + exp(x)); or sigmoid(x)", "matrix_frac": "x'*inv(A)*x",
		"crossprod": "A'*B", "tcrossprod": "A*B'", "colsums": "sum(A, axis=0)", "rowsums": "sum(A, axis=1)", "colmeans": "mean(A, axis=0)", "rowmeans": "mean(A, axis=1)", "nrow": "m, the symbol of the size in declare A[m,n]", "ncol": "n, the symbol of the size in declare A[m,n]",
		"log_2": "log(x)/log(2)", "log_10": "log(x)/log(10)", "matrixpower": "matpow(A, k)", "matrix_power": "matpow(A, k)", "mpower": "matpow(A, k)", "logisticsigmoid": "sigmoid(...)", "array": "a name that is declared: declare x[n]",
		"mseloss": "mean((x - y)^2)", "l1loss": "mean(abs(x - y))", "l1_loss": "mean(abs(x - y))", "crossentropyloss": "logsumexp(x) - y'*x", "bceloss": "-mean(y .* log(x) + (1 - y) .* log(1 - x))", "binary_cross_entropy": "-mean(y .* log(x) + (1 - y) .* log(1 - x))",
		"bcewithlogitsloss": "mean(softplus(x) - y .* x)", "binary_cross_entropy_with_logits": "mean(softplus(x) - y .* x)", "kldivloss": "sum(y .* log(y ./ x))", "huberloss": "where(abs(x) <= 1, x^2/2, abs(x) - 1/2)", "smooth_l1_loss": "where(abs(x) <= 1, x^2/2, abs(x) - 1/2)",
		"linear": "A*x + b", "item": "x", "float": "x", "sqeuclidean": "norm2(x - y)^2", "cosine_similarity": "x'*y/(norm2(x)*norm2(y))", "mean_squared_error": "mean((x - y)^2)", "inprod": "x'*y", "schurproduct": "A .* B",
		"minimize": "frechet minimize, a command; the program has the function alone", "maximize": "frechet minimize, a command, of -f", "newaxis": "the value itself: A + v repeats a vector beside a matrix",
		"eig": "eigvals(S), eigvecs(S)", "eigh": "eigvals(S), eigvecs(S)", "eigvalsh": "eigvals(...)", "svd": "svdvals(A)", "cholesky": "chol(...)", "nuclear_norm": "nucnorm(...)", "matrix_exp": "expm(...)", "matrixexp": "expm(...)", "matrixlog": "logm(...)", "eigenvalues": "eigvals(...)", "eigensystem": "eigvals(...)", "eigen": "eigvals(...)", "singularvaluedecomposition": "svdvals(A)",
		"multi_dot": "A*B*C", "reduce": "sum(...)", "reciprocal": "1 ./ x", "negative": "-x", "positive": "x", "float64": "x", "float32": "x", "asarray": "x", "double": "x", "fabs": "abs(...)",
		"i": "I, the identity of the size that fits, or eye(3)", "normpdf": "exp(-x^2/2)/sqrt(2*pi)", "conjugatetranspose": "A'", "sigmf": "sigmoid(...)", "logsig": "sigmoid(...)", "tansig": "tanh(...)", "table": "an index in a definition, f[i] = ...",
		"expand": "frechet simplify, a command", "simplify": "frechet simplify, a command", "derivative": "frechet grad, a command",
		"d": "frechet grad, a command", "grad": "frechet grad, a command", "gradient": "frechet grad, a command", "jacobian": "frechet jac, a command", "hessian": "frechet hess, a command",
		"linearsolve": "solve(A, b)", "linsolve": "solve(A, b)", "mldivide": "solve(A, b)", "lstsq": "inv(A'*A)*A'*b", "hadamardproduct": "A .* B", "normalize": "x/norm2(x)", "cbind": "[A, b]", "rbind": "[A; b]", "c_": "[A, b]", "r_": "[A; b]",
		"column_stack": "[A, b]", "row_stack": "[A; b]", "apply": "sum(A, axis=1)", "sapply": "the function itself, which acts on every entry", "lapply": "the function itself, which acts on every entry", "applyfunc": "the function itself, which acts on every entry: sin(x)",
		"vectorize": "the function itself, which acts on every entry", "arrayfun": "the function itself, which acts on every entry", "layer_norm": "(x - mean(x))/std(x)", "tensordot": "A *(ij,jk->ik) B", "diag_embed": "diag(...)", "fill_diagonal": "A - diag(diag(A))",
		"logcosh": "log(cosh(x))", "backward": "frechet grad, a command", "relu6": "clip(x, 0, 6)", "hardtanh": "clip(x, -1, 1)", "nll_loss": "-y'*x", "euclidean": "norm2(x - y)", "pdist": "norm2(x - y)", "pdist2": "norm2(x - y)", "signum": "sign(...)", "trunc": "sign(x) .* floor(abs(x))", "fix": "sign(x) .* floor(abs(x))",
		"cross": "roll(x, -1) .* roll(y, 1) - roll(x, 1) .* roll(y, -1), for three entries", "blkdiag": "[A, 0; 0, B]", "vecnorm": "sqrt(sum(A^2, axis=0))", "cdist": "sqrt(sum(X^2, axis=1) + sum(Y^2, axis=1)' - 2*X*Y')", "softmin": "softmax(-x)", "dnorm": "exp(-x^2/2)/sqrt(2*pi)", "pnorm_cdf": "(1 + erf(x/sqrt(2)))/2", "pmax": "max(a, b)", "pmin": "min(a, b)",
		"plogis": "sigmoid(...)", "qlogis": "log(x ./ (1 - x))", "logsoftmax": "x - logsumexp(x)", "outerproduct": "outer(x, y)", "squarednorm": "norm2(x)^2", "frobenius": "norm2(A)", "sumabs2": "norm2(x)^2", "mahalanobis": "sqrt((x - y)'*inv(S)*(x - y))", "weighted_norm": "sqrt(x'*A*x)",
		"vector": "ones(n), or a literal, which takes the order of its place", "matrix": "ones(m,n), or a literal, which takes the order of its place",
	}
	for _, r := range atom.Rows() {
		if r.Foreign != "" && table[r.Foreign] == "" {
			table[r.Foreign] = r.Name + map[int]string{1: "(...)", 2: "(a, b)"}[r.Arity]
		}
	}
	return table
}()

// Foreign says how a function of another system is written here, "" where none has the name. Of Log and
// SIN it is the function in small letters.
func Foreign(name string) string {
	lower := strings.ToLower(name)
	if _, ok := functions[lower]; ok && lower != name {
		return lower + "(...)"
	}
	return foreign[lower]
}

// absent has what other systems have and this one does not.
var absent = map[string]string{
	"qr": "factorisation; solve takes the matrix", "lu": "factorisation; solve takes the matrix", "integral": "integral", "topk": "sorting", "rank": "rank of a matrix", "sort": "sorting", "argsort": "sorting",
	"rand": "random number: a program declares its data", "randn": "random number: a program declares its data", "inf": "infinite number", "nan": "number that is none",
	"gather": "lookup by places that are data", "index_select": "lookup by places that are data", "take": "lookup by places that are data", "scatter": "lookup by places that are data", "histogram": "histogram", "meshgrid": "grid: y + x' has an entry for each pair", "dropout": "random number: a program declares its data",
	"map": "function of functions: what is written of a tensor is of every element", "arange": "sequence: a sum over places is an index product or stands in a definition, f[] = sum{k}_0^4 (...)", "linspace": "sequence: declare it, and give it as data",
	"median": "sorting, and so no median", "quantile": "sorting, and so no quantile", "erfinv": "inverse of erf", "integrate": "integral", "int": "integral", "limit": "limit",
	"detach": "value that derivatives pass by: a variable has a value of its own", "stop_gradient": "value that derivatives pass by: a variable has a value of its own",
	"symbols": "symbol to make: a program declares its variables, declare x[n]", "sym": "symbol to make: a program declares its variables, declare x[n]", "fft": "Fourier transform", "conv2d": "convolution: y[i] = sum{k}_0^2 (x[i + k]*w[k]) defines one",
	"range": "sequence: a sum over places is an index product or stands in a definition, f[] = sum{k}_0^4 (...)", "mapslices": "function of functions: sum(A, axis=0)",
}

// Absent says that there is no such thing here, "" of other names.
func Absent(name string) string {
	what := absent[strings.ToLower(name)]
	if what == "" {
		return ""
	}
	what, instead, _ := strings.Cut(what, ": ")
	hint := "there is no " + what + " here"
	if instead != "" {
		hint += ": " + instead
	}
	return hint
}

// modules are the names before the dot of functions in other languages.
var modules = strings.Fields("np numpy jnp jax torch tf tensorflow math scipy sp linalg F nn sympy LinearAlgebra")
