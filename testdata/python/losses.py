# Losses and objectives as they are written in public code with NumPy, JAX and PyTorch, rewritten. The line above each
# says the shapes of its data: x[n]+ has positive entries, S[n,n]* is positive definite, b[n]01 has zeros and ones.

# X[m,n] y[m] w[n]
def least_squares(X, y, w): return np.sum((X @ w - y) ** 2)
# X[m,n] y[m] w[n]
def mean_squared_error(X, y, w): return np.mean((y - X.dot(w)) ** 2)
# X[m,n] y[m] w[n] lam[]
def ridge(X, y, w, lam):
    r = X @ w - y
    return 0.5 * r @ r + 0.5 * lam * w @ w
# X[m,n] y[m] w[n] alpha[]
def lasso(X, y, w, alpha): return 1 / (2 * X.shape[0]) * np.linalg.norm(X @ w - y) ** 2 + alpha * np.linalg.norm(w, 1)
# X[m,n] y[m] w[n] alpha[] rho[]
def elastic_net(X, y, w, alpha, rho):
    n_samples = len(y)
    residual = y - np.dot(X, w)
    return np.sum(residual**2) / (2 * n_samples) + alpha * rho * np.abs(w).sum() + alpha * (1 - rho) / 2 * np.sum(w**2)
# X[m,n] y[m] w[n] b[]
def linear_with_bias(X: "m n", y: "m", w: "n", b: float):
    """Mean squared error of a linear model with an intercept."""
    return np.mean(np.square(np.matmul(X, w) + b - y))
# X[m,n] y[m] w[n]
def logistic(X, y, w): return np.sum(np.log1p(np.exp(-y * (X @ w))))
# X[m,n] y[m] w[n]
def logistic_logaddexp(X, y, w): return np.logaddexp(0, -y * (X @ w)).mean()
# X[m,n] y[m]01 w[n] b[]
def logistic_cross_entropy(X: "m n", y: "m", w: "n", b: "float"):
    p = 1 / (1 + np.exp(-(X @ w + b)))
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))
# X[m,n] y[m]01 w[n]
def sigmoid_cross_entropy(X, y, w):
    p = 1.0 / (1.0 + np.exp(-X @ w))
    return -np.mean(y * np.log(p) + (1.0 - y) * np.log(1.0 - p))
# X[m,n] y[m]01 w[n]
def jax_logistic(X, y, w):
    logits = jnp.dot(X, w)
    return -jnp.mean(y * jax.nn.log_sigmoid(logits) + (1 - y) * jax.nn.log_sigmoid(-logits))
# X[m,n] y[m]01 w[n]
def torch_bce_with_logits(X, y, w): return F.binary_cross_entropy_with_logits(X @ w, y)
# p[n]+ y[n]01
def torch_bce(p, y): return F.binary_cross_entropy(torch.sigmoid(p), y)
# X[m,n] y[m] w[n]
def hinge(X, y, w): return np.mean(np.maximum(0, 1 - y * (X @ w)))
# X[m,n] y[m] w[n] lam[]
def svm_primal(X, y, w, lam):
    margins = 1 - y * X.dot(w)
    return lam / 2 * np.dot(w, w) + np.mean(np.maximum(margins, 0))
# X[m,n] y[m] w[n]
def squared_hinge(X, y, w): return np.sum(np.maximum(0.0, 1.0 - y * np.dot(X, w)) ** 2)
# X[m,n] y[m] w[n]
def smooth_hinge(X, y, w):
    z = y * (X @ w)
    return np.sum(np.where(z >= 1, 0.0, np.where(z <= 0, 0.5 - z, 0.5 * (1 - z) ** 2)))
# X[m,n] y[m] w[n]
def exponential_loss(X, y, w): return np.mean(np.exp(-y * (X @ w)))
# X[m,n] y[m] w[n] delta[]+
def huber_written_out(X: "m n", y: "m", w: "n", delta: float):
    r = np.abs(X @ w - y)
    return np.sum(np.where(r <= delta, 0.5 * r**2, delta * (r - 0.5 * delta)))
# a[n] b[n]
def torch_huber(a, b): return F.huber_loss(a, b, delta=0.7)
# a[n] b[n]
def torch_smooth_l1(a, b): return F.smooth_l1_loss(a, b, beta=0.5)
# a[m,n] b[m,n]
def torch_mse(a: Float[Tensor, "m n"], b: Float[Tensor, "m n"]): return F.mse_loss(a, b)
# a[n] b[n]
def torch_mse_sum(a, b): return F.mse_loss(a, b, reduction='sum')
# a[n] b[n]
def torch_l1(a, b): return F.l1_loss(a, b)
# X[m,n] y[m] w[n]
def log_cosh(X, y, w): return np.sum(np.log(np.cosh(X @ w - y)))
# X[m,n] y[m] w[n] c[]+
def cauchy_loss(X: "m n", y: "m", w: "n", c: float): return np.sum(c**2 / 2 * np.log(1 + ((X @ w - y) / c) ** 2))
# X[m,n] y[m] w[n] tau[]+
def quantile_loss(X: "m n", y: "m", w: "n", tau: float):
    e = y - X @ w
    return np.mean(np.maximum(tau * e, (tau - 1) * e))
# X[m,n] y[m] w[n]
def charbonnier(X, y, w): return np.mean(np.sqrt((X @ w - y) ** 2 + 1e-3**2))
# X[m,n] y[m] w[n]
def poisson_regression(X, y, w):
    eta = X @ w
    return np.sum(np.exp(eta) - y * eta)
# X[m,n] y[m]+ w[n]
def gamma_regression(X, y, w):
    eta = X @ w
    return (y * np.exp(-eta) + eta).sum()
# a[n] b[n]+
def torch_poisson(a, b): return F.poisson_nll_loss(a, b)
# X[m,n] Y[m,k] W[n,k]
def softmax_regression(X, Y, W):
    logits = X @ W
    log_probs = logits - scipy.special.logsumexp(logits, axis=1, keepdims=True)
    return -np.mean(np.sum(Y * log_probs, axis=1))
# X[m,n] Y[m,k] W[n,k] b[k]
def softmax_with_bias(X: "m n", Y: "m k", W: "n k", b: "k"):
    z = X @ W + b
    z = z - np.max(z, axis=1, keepdims=True)
    p = np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)
    return -np.sum(Y * np.log(p)) / X.shape[0]
# logits[m,k] targets[m,k]
def jax_softmax_xent(logits: "m k", targets: "m k"): return -jnp.mean(jnp.sum(targets * jax.nn.log_softmax(logits, axis=-1), axis=-1))
# logits[m,k] targets[m,k]
def torch_log_softmax(logits: "m k", targets: "m k"): return -(targets * F.log_softmax(logits, dim=1)).sum(dim=1).mean()
# logits[m,k] targets[m,k]
def torch_soft_targets(logits: "m k", targets: "m k"): return F.cross_entropy(logits, targets)
# z[k] y[k]
def cross_entropy_one(z, y): return logsumexp(z) - np.dot(y, z)
# logits[m,k] targets[m,k]
def label_smoothing(logits: "m k", targets: "m k"):
    eps = 0.1
    k = logits.shape[-1]
    smooth = (1 - eps) * targets + eps / k
    return -jnp.mean(jnp.sum(smooth * jax.nn.log_softmax(logits), axis=-1))
# z[m,k] y[m,k]01
def focal_loss(z: "m k", y: "m k"):
    p = torch.sigmoid(z)
    pt = p * y + (1 - p) * (1 - y)
    return -((1 - pt) ** 2 * torch.log(pt)).mean()
# student[m,k] teacher[m,k]
def distillation(student: "m k", teacher: "m k"):
    T = 2.0
    p = F.softmax(teacher / T, dim=-1)
    log_q = F.log_softmax(student / T, dim=-1)
    return -(p * log_q).sum(dim=-1).mean() * T**2
# p[n]+ q[n]+
def kl_divergence(p, q): return np.sum(p * np.log(p / q))
# p[n]+ q[n]+
def jensen_shannon(p, q):
    m = 0.5 * (p + q)
    return 0.5 * np.sum(p * np.log(p / m)) + 0.5 * np.sum(q * np.log(q / m))
# p[n]+
def entropy(p): return -np.sum(p * np.log(p))
# z[n]
def entropy_of_softmax(z):
    p = scipy.special.softmax(z)
    return -np.sum(p * np.log(p))
# mu[n] logvar[n]
def vae_kl(mu: "n", logvar: "n"): return -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
# x[m,n] r[m,n] mu[m,k] logvar[m,k]
def vae_loss(x: "m n", r: "m n", mu: "m k", logvar: "m k"):
    recon = F.mse_loss(r, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu**2 - torch.exp(logvar))
    return recon + kld
# x[n] mu[n] sigma[n]+
def gaussian_nll(x: "n", mu: "n", sigma: "n"): return np.sum(0.5 * ((x - mu) / sigma) ** 2 + np.log(sigma) + 0.5 * np.log(2 * np.pi))
# x[n] mu[] log_sigma[]
def gaussian_nll_scalars(x: "n", mu: float, log_sigma: float):
    return 0.5 * np.sum(((x - mu) / np.exp(log_sigma)) ** 2) + x.shape[0] * log_sigma
# x[n] mu[n] S[n,n]*
def multivariate_normal(x, mu: "n", S):
    d = x - mu
    return 0.5 * d @ np.linalg.inv(S) @ d + 0.5 * np.linalg.slogdet(S)[1]
# x[n] mu[n] S[n,n]*
def multivariate_normal_solve(x, mu: "n", S):
    d = x - mu
    n = x.shape[0]
    return 0.5 * (d @ np.linalg.solve(S, d) + np.log(np.linalg.det(S)) + n * np.log(2 * np.pi))
# y[n] K[n,n]* sigma[]+
def gp_marginal_likelihood(y, K, sigma):
    A = K + sigma**2 * np.eye(len(y))
    return 0.5 * y.T @ np.linalg.solve(A, y) + 0.5 * np.linalg.slogdet(A)[1]
# X[m,d] y[m] ell[]+
def gp_rbf(X, y, ell: float):
    D = np.sum((X[:, None, :] - X[None, :, :]) ** 2, axis=-1)
    K = np.exp(-0.5 * D / ell**2) + 0.1 * np.eye(X.shape[0])
    return y @ np.linalg.solve(K, y)
# S[n,n]* Theta[n,n]*
def graphical_lasso(S, Theta: "n n"): return np.trace(S @ Theta) - np.linalg.slogdet(Theta)[1] + 0.1 * np.sum(np.abs(Theta))
# x[n] df[]+
def student_t(x: "n", df: float): return np.sum((df + 1) / 2 * np.log(1 + x**2 / df))
# x[n]+ k[]+ lam[]+
def weibull(x: "n", k: float, lam: float): return -np.sum(np.log(k / lam) + (k - 1) * np.log(x / lam) - (x / lam) ** k)
# x[n]+ lam[]+
def exponential_nll(x, lam): return -(len(x) * np.log(lam) - lam * np.sum(x))
# y[n] mu[n] b[]+
def laplace_nll(y, mu: "n", b: float): return np.sum(np.abs(y - mu) / b + np.log(2 * b))
# X[m,n] U[m,k] V[n,k]
def matrix_factorisation(X, U, V): return np.sum((X - U @ V.T) ** 2)
# X[m,n] M[m,n]01 U[m,k] V[n,k] lam[]
def masked_factorisation(X, M, U, V, lam):
    return np.sum(M * (X - np.matmul(U, V.T)) ** 2) + lam * (np.sum(U**2) + np.sum(V**2))
# X[m,n] W[m,k] H[k,n]
def nmf_frobenius(X, W, H): return 0.5 * np.linalg.norm(X - W @ H, 'fro') ** 2
# X[m,n]+ W[m,k]+ H[k,n]+
def nmf_kl(X, W, H):
    WH = W @ H
    return np.sum(X * np.log(X / WH) - X + WH)
# X[m,n] W[n,k]
def pca_reconstruction(X, W): return np.mean(np.sum((X - X @ W @ W.T) ** 2, axis=1))
# A[m,n] x[n]
def rayleigh(A, x): return (x @ A.T @ A @ x) / (x @ x)
# A[n,n] x[n] b[n]
def quadratic(A, x, b): return 0.5 * x.T @ A @ x - b @ x
# A[n,n] x[n]
def quadratic_einsum(A, x): return np.einsum('i,ij,j->', x, A, x)
# A[n,n] x[n]
def quadratic_implicit(A, x): return jnp.einsum("i,ij,j", x, A, x)
# A[m,n] B[n,k]
def trace_of_product(A, B): return np.trace((A @ B).T @ (A @ B))
# A[n,n]*
def log_det(A): return np.log(np.linalg.det(A))
# A[n,n]*
def trace_of_inverse(A): return np.trace(np.linalg.inv(A))
# X[m,n] Y[m,n]
def kernel_mmd(X: "m n", Y: "m n"):
    def_ = 0.5
    Kxx = np.exp(-def_ * np.sum((X[:, None] - X[None]) ** 2, axis=2))
    Kyy = np.exp(-def_ * np.sum((Y[:, None] - Y[None]) ** 2, axis=2))
    Kxy = np.exp(-def_ * np.sum((X[:, None] - Y[None]) ** 2, axis=2))
    return Kxx.mean() + Kyy.mean() - 2 * Kxy.mean()
# X[m,d] C[k,d]
def soft_kmeans(X, C):
    D = ((X[:, None, :] - C[None, :, :]) ** 2).sum(axis=-1)
    return -np.sum(logsumexp(-D, axis=1))
# X[m,d] C[k,d]
def kmeans(X, C): return np.sum(np.min(np.sum((X[:, np.newaxis] - C[np.newaxis]) ** 2, axis=2), axis=1))
# x[n,d] mu[k,d] log_pi[k]
def mixture_of_gaussians(x: "n d", mu: "k d", log_pi: "k"):
    sq = -0.5 * jnp.sum((x[:, None, :] - mu[None, :, :]) ** 2, axis=-1)
    return -jnp.sum(jax.scipy.special.logsumexp(sq + jax.nn.log_softmax(log_pi), axis=1))
# a[n] p[n] q[n]
def triplet(a, p, q): return np.maximum(np.sum((a - p) ** 2) - np.sum((a - q) ** 2) + 1.0, 0)
# A[m,d] P[m,d] N[m,d]
def triplet_batch(A: "m d", P: "m d", N: "m d"):
    dp = torch.norm(A - P, dim=1)
    dn = torch.norm(A - N, dim=1)
    return torch.clamp(dp - dn + 0.5, min=0).mean()
# a[m,d] b[m,d] y[m]01
def contrastive(a: "m d", b: "m d", y: "m"):
    d = np.linalg.norm(a - b, axis=1)
    return np.mean(y * d**2 + (1 - y) * np.maximum(0, 2.0 - d) ** 2)
# a[n] b[n]
def cosine_distance(a, b): return 1 - np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b))
# a[m,d] b[m,d]
def cosine_rows(a: "m d", b: "m d"):
    an = a / np.linalg.norm(a, axis=1, keepdims=True)
    bn = b / np.linalg.norm(b, axis=1, keepdims=True)
    return 1 - np.mean(np.sum(an * bn, axis=1))
# Z[m,d] W[m,d]
def info_nce(Z, W):
    z = Z / jnp.linalg.norm(Z, axis=-1, keepdims=True)
    w = W / jnp.linalg.norm(W, axis=-1, keepdims=True)
    logits = z @ w.T / 0.1
    return -jnp.mean(jnp.diag(jax.nn.log_softmax(logits, axis=1)))
# U[m,d] V[m,d]
def clip_loss(U, V):
    logits = U @ V.T
    a = -torch.diagonal(F.log_softmax(logits, dim=1)).mean()
    b = -torch.diagonal(F.log_softmax(logits, dim=0)).mean()
    return (a + b) / 2
# A[m,d] B[m,d]
def barlow_twins(A, B):
    n = A.shape[0]
    a = (A - A.mean(axis=0)) / A.std(axis=0)
    b = (B - B.mean(axis=0)) / B.std(axis=0)
    C = a.T @ b / n
    I_ = np.eye(A.shape[1])
    return np.sum((C - I_) ** 2 * (I_ + 0.01 * (1 - I_)))
# Z[m,d]
def vicreg_variance(Z): return torch.mean(F.relu(1 - torch.sqrt(Z.var(dim=0) + 1e-4)))
# s[n] t[n]
def pairwise_ranking(s: "n", t: "n"): return np.sum(np.log1p(np.exp(-(s[:, None] - t[None, :]))))
# p[n] q[n]
def bpr(p, q): return -np.sum(np.log(1 / (1 + np.exp(-(p - q)))))
# x[n] W1[h,n] b1[h] W2[k,h] b2[k] y[k]
def mlp(x, W1: "h n", b1: "h", W2: "k h", b2: "k", y):
    h = np.tanh(W1 @ x + b1)
    out = W2 @ h + b2
    return np.sum((out - y) ** 2)
# X[m,n] W1[n,h] b1[h] W2[h,k] Y[m,k]
def mlp_batch(X, W1: "n h", b1: "h", W2: "h k", Y: "m k"):
    H = np.maximum(0, X @ W1 + b1)
    return np.mean((H @ W2 - Y) ** 2)
# x[n] W[n,n] y[n]
def residual_block(x, W, y):
    h = x + jax.nn.relu(W @ x)
    h = h + jax.nn.relu(W @ h)
    return jnp.sum((h - y) ** 2)
# X[m,n] W[n,h] v[h] y[m]
def gelu_net(X, W, v, y): return F.mse_loss(F.gelu(X @ W) @ v, y)
# X[m,n] W[n,h] v[h] y[m]
def silu_net(X, W, v, y): return torch.mean((F.silu(X @ W) @ v - y) ** 2)
# X[m,n] W[n,h] v[h]
def elu_net(X, W, v): return F.elu(X @ W).matmul(v).pow(2).mean()
# X[m,n] W[n,h] v[h]
def leaky_net(X, W, v): return torch.sum((F.leaky_relu(X @ W, 0.1) @ v) ** 2)
# X[m,n] W[n,h] v[h] y[m]
def softplus_net(X, W, v, y): return torch.sum(torch.square(F.softplus(torch.mm(X, W)) @ v - y))
# x[n] g[n] b[n]
def layer_norm(x: "n", g: "n", b: "n"):
    mu = np.mean(x)
    s = np.sqrt(np.var(x) + 1e-5)
    return np.sum(np.tanh(g * (x - mu) / s + b))
# X[m,n] gamma[n] beta[n]
def layer_norm_rows(X, gamma: "n", beta: "n"):
    mean = jnp.mean(X, axis=-1, keepdims=True)
    var = jnp.var(X, axis=-1, keepdims=True)
    return jnp.sum(((X - mean) / jnp.sqrt(var + 1e-5) * gamma + beta) ** 3)
# X[m,n] g[n]
def rms_norm(X: "m n", g: "n"): return torch.sum((X * torch.rsqrt(X.pow(2).mean(-1, keepdim=True) + 1e-6) * g) ** 3)
# X[m,n] gamma[n] beta[n]
def batch_norm(X, gamma: "n", beta: "n"):
    Z = (X - X.mean(axis=0)) / np.sqrt(X.var(axis=0) + 1e-5)
    return np.sum(np.sin(gamma * Z + beta))
# Q[m,d] K[n,d] V[n,p]
def attention(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    weights = np.exp(scores) / np.sum(np.exp(scores), axis=-1, keepdims=True)
    return np.sum((weights @ V) ** 2)
# Q[m,d] K[n,d] V[n,p]
def attention_torch(Q, K, V):
    d_k = Q.size(-1)
    scores = torch.matmul(Q, K.transpose(-2, -1)) / d_k**0.5
    return torch.matmul(F.softmax(scores, dim=-1), V).pow(2).sum()
# Q[b,m,d] K[b,n,d] V[b,n,p]
def attention_batched(Q: Float[Array, "b m d"], K: Float[Array, "b n d"], V: Float[Array, "b n p"]):
    scores = jnp.einsum('bmd,bnd->bmn', Q, K) / jnp.sqrt(Q.shape[-1])
    return jnp.sum(jnp.einsum('bmn,bnp->bmp', jax.nn.softmax(scores, axis=-1), V) ** 2)
# X[n,d] A[n,n] W[d,k]
def graph_convolution(X, A, W):
    deg = np.sum(A**2, axis=1)
    H = np.maximum(A @ X @ W, 0) / (1 + deg)[:, None]
    return np.sum(H**2)
# x[n] W[h,n] U[h,h] h0[h]
def two_steps_of_rnn(x, W: "h n", U: "h h", h0: "h"):
    h = np.tanh(W @ x + U @ h0)
    h = np.tanh(W @ x + U @ h)
    return np.sum(h**2)
# x[n] h[k] Wz[k,n] Uz[k,k]
def gate(x, h: "k", Wz: "k n", Uz: "k k"):
    z = 1 / (1 + np.exp(-(Wz @ x + Uz @ h)))
    return np.sum(((1 - z) * h + z * np.tanh(Wz @ x)) ** 2)
# u[n] x[n]
def total_variation(u, x): return 0.5 * np.sum((u - x) ** 2) + 0.3 * np.sum(np.sqrt(np.diff(u) ** 2 + 1e-6))
# U[m,n]
def total_variation_image(U):
    dx = U[1:, :] - U[:-1, :]
    dy = U[:, 1:] - U[:, :-1]
    return np.sum(dx**2) + np.sum(dy**2)
# x[n]
def rosenbrock(x): return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
# x[n]
def rastrigin(x): return 10 * len(x) + np.sum(x**2 - 10 * np.cos(2 * np.pi * x))
# x[n]
def ackley(x):
    a = -20 * np.exp(-0.2 * np.sqrt(np.mean(x**2)))
    return a - np.exp(np.mean(np.cos(2 * np.pi * x))) + 20 + np.e
# x[n]
def styblinski_tang(x): return 0.5 * np.sum(x**4 - 16 * x**2 + 5 * x)
# x[n]
def sphere(x): return (x * x).sum()
# x[4]
def powell(x: "4"): return (x[0] + 10 * x[1]) ** 2 + 5 * (x[2] - x[3]) ** 2 + (x[1] - 2 * x[2]) ** 4 + 10 * (x[0] - x[3]) ** 4
# x[2]
def himmelblau(x: "2"): return (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2
# x[n]
def second_differences(x): return np.sum((x[2:] - 2 * x[1:-1] + x[:-2]) ** 2)
# w[n] mu[n] S[n,n]*
def markowitz(w, mu: "n", S): return 0.5 * w @ S @ w - 0.3 * mu @ w
# w[n] mu[n] S[n,n]*
def sharpe_ratio(w, mu: "n", S): return -np.dot(w, mu) / np.sqrt(np.dot(w.T, np.dot(S, w)))
# w[n] R[m,n]
def log_wealth(w, R): return -np.mean(np.log(1 + 0.01 * (R @ w)))
# w[n] S[n,n]*
def risk_parity(w: "n", S: "n n"):
    rc = w * (S @ w)
    return np.sum((rc - np.mean(rc)) ** 2)
# x[n] A[m,n] b[m]
def log_barrier(x, A, b: "m"): return np.sum(x) - np.sum(np.log(20 + b - A @ x))
# x[n] A[m,n] b[m] lam[m] rho[]
def augmented_lagrangian(x, A, b: "m", lam: "m", rho: float):
    h = A @ x - b
    return np.sum(x**2) + lam @ h + rho / 2 * h @ h
# P[m,n]+ C[m,n]
def sinkhorn_objective(P, C): return np.sum(P * C) + 0.1 * np.sum(P * (np.log(P) - 1))
# f[m] g[n] C[m,n]
def dual_transport(f: "m", g: "n", C): return f.mean() + g.mean() - 0.5 * np.mean(np.exp((f[:, None] + g[None, :] - C) / 0.5))
# X[m,n] Y[m,k] W[n,k]
def multi_task(X, Y, W): return 0.5 * np.sum((X @ W - Y) ** 2) + 0.1 * np.sum(np.sqrt(np.sum(W**2, axis=1)))
# X[m,n] w[n] y[m] s[m]+
def weighted_least_squares(X, w, y, s): return np.sum(s * (X @ w - y) ** 2) / np.sum(s)
# X[m,n] y[m] W[m,m]*
def generalised_least_squares(X: "m n", y: "m", W: "m m"):
    beta = np.linalg.solve(X.T @ W @ X + np.eye(X.shape[1]), X.T @ W @ y)
    r = y - X @ beta
    return r @ W @ r
# X[m,n] y[m] t[m]01 w[n]
def cox_like(X, y, t, w):
    eta = X @ w
    return -np.sum(t * (eta - logsumexp(eta))) + np.sum(y * eta)
# X[m,n] T[m] w[n]
def survival_exponential(X, T: "m", w):
    rate = np.exp(X @ w)
    return np.sum(rate * T**2) - np.sum(np.log(rate))
# r[n] v[n] w[n]
def ppo_clip(r: "n", v: "n", w: "n"):
    ratio = torch.exp(r - w)
    clipped = torch.clamp(ratio, 0.8, 1.2)
    return -torch.min(ratio * v, clipped * v).mean()
# logp[n] adv[n]
def policy_gradient(logp: "n", adv: "n"): return -(logp * adv).mean()
# q[n] r[n] nextq[n]
def td_error(q: "n", r: "n", nextq: "n"): return jnp.mean((r + 0.99 * nextq - q) ** 2)
# real[n] fake[n]
def gan_discriminator(real: "n", fake: "n"): return F.softplus(-real).mean() + F.softplus(fake).mean()
# fake[n]
def gan_generator(fake: "n"): return torch.mean(F.softplus(-fake))
# real[n] fake[n]
def wgan(real: "n", fake: "n"): return fake.mean() - real.mean()
# real[n] fake[n]
def lsgan(real: "n", fake: "n"): return 0.5 * (torch.mean((real - 1) ** 2) + torch.mean(fake**2))
# p[n]+ y[n]01
def dice(p: "n", y: "n"):
    intersection = (p * y).sum()
    return 1 - (2.0 * intersection + 1) / (p.sum() + y.sum() + 1)
# p[n]+ y[n]01
def jaccard(p: "n", y: "n"):
    inter = np.sum(p * y)
    return 1 - inter / (np.sum(p) + np.sum(y) - inter + 1e-7)
# x[n] D[n,k] z[k]
def sparse_coding(x, D, z): return 0.5 * np.sum((x - D @ z) ** 2) + 0.1 * np.sum(np.abs(z))
# X[m,n] W[n,h]
def tied_autoencoder(X, W):
    H = 1 / (1 + np.exp(-X @ W))
    return np.mean((X - H @ W.T) ** 2)
# X[m,n] W[n,n]
def ica(X, W): return np.mean(np.log(np.cosh(X @ W.T))) - 0.01 * np.sum(W**2)
# W[n,n] X[m,n]
def notears(W, X):
    E = X - X @ W
    return 0.5 / X.shape[0] * np.sum(E**2) + np.trace(W * W @ (W * W))
# X[m,d] Y[n,d]
def hausdorff_soft(X, Y):
    D = np.sqrt(np.sum((X[:, None] - Y[None, :]) ** 2, axis=-1) + 1e-9)
    return np.mean(np.min(D, axis=1)) + np.mean(np.min(D, axis=0))
# E[n,d] A[n,n]01
def graph_embedding(E: "n d", A: "n n"):
    S = E @ E.T
    return np.sum(np.logaddexp(0, S) - A * S)
# w[n] c[n] W[k,n]
def word2vec_negative(w, c, W): return -np.log(1 / (1 + np.exp(-w @ c))) - np.sum(np.log(1 / (1 + np.exp(W @ w))))
# U[m,k] V[n,k] a[m] b[n] X[m,n]
def glove(U: "m k", V: "n k", a: "m", b: "n", X: "m n"): return np.sum((U @ V.T + a[:, None] + b[None, :] - X) ** 2)
# h[n] r[n] t[n]
def transe(h, r, t): return np.linalg.norm(h + r - t)
# h[n] r[n] t[n]
def distmult(h, r, t): return -np.log(1 / (1 + np.exp(-np.sum(h * r * t))))
# X[m,n] v[n,k] w[n]
def factorisation_machine(X: "m n", v: "n k", w: "n"):
    linear = X @ w
    pairs = 0.5 * np.sum((X @ v) ** 2 - (X**2) @ (v**2), axis=1)
    return np.sum(np.log1p(np.exp(-(linear + pairs))))
# x[n] y[n] z[n]
def lennard_jones(x: "n", y: "n", z: "n"):
    r2 = 1 + x**2 + y**2 + z**2
    return np.sum(4 * (1 / r2**6 - 1 / r2**3))
# x[n,d]
def coulomb(x: "n d"):
    diff = x[:, None, :] - x[None, :, :]
    r = np.sqrt(np.sum(diff**2, axis=-1) + 0.5)
    return 0.5 * np.sum(1 / r)
# x[n]
def ising_mean_field(x): return -0.5 * np.sum(x[1:] * x[:-1]) - np.sum(np.log(2 * np.cosh(x)))
# theta[n]
def kuramoto(theta: "n"): return -np.mean(np.cos(theta[:, None] - theta[None, :]))
# W[n,k]
def orthogonality(W): return np.linalg.norm(W.T @ W - np.eye(W.shape[1])) ** 2
# W[m,n] x[n]
def jacobian_penalty(W, x): return torch.sum((1 - torch.tanh(W @ x) ** 2)[:, None] ** 2 * W**2)
# X[m,n] y[m] w[n]
def sam_like(X, y, w):
    g = 2 * X.T @ (X @ w - y)
    v = w + 0.05 * g / np.linalg.norm(g)
    return np.sum((X @ v - y) ** 2)
# x[n] s[n]
def correlation(x, s):
    a = x - np.mean(x)
    b = s - np.mean(s)
    return 1 - np.sum(a * b) / np.sqrt(np.sum(a**2) * np.sum(b**2))
# x[n] y[n]
def explained_variance(x, y): return np.var(y - x) / np.var(y)
# x[n]
def center_of_mass(x): return np.sum(np.cumsum(x) ** 2)
# A[m,n] B[m,n]
def frobenius_inner(A: "m n", B: "m n"): return np.vdot(np.ravel(A), np.ravel(B))
# x[n] y[n]
def smape(x: "n", y: "n"): return np.mean(2 * np.abs(x - y) / (np.abs(x) + np.abs(y)))
# x[n]+ y[n]+
def msle(x: "n", y: "n"): return np.mean((np.log1p(x) - np.log1p(y)) ** 2)
# x[n]+ y[n]+
def itakura_saito(x: "n", y: "n"): return np.sum(x / y - np.log(x / y) - 1)
# x[n] y[n]
def tukey_like(x: "n", y: "n"):
    u = np.clip((x - y) / 4.0, -1.0, 1.0)
    return np.sum(1 - (1 - u**2) ** 3)
# A[n,n]* x[n]
def mahalanobis(A, x): return np.sqrt(x @ np.linalg.inv(A) @ x)
# W[k,n] X[m,n] y[m,k]
def kernel_free_gaussian_log_likelihood(W: "k n", X: "m n", y: "m k"):
    r = y - X @ W.T
    return 0.5 * np.sum(np.einsum('ij,ij->i', r, r))
# A[n,n] B[n,n]
def commutator(A, B): return np.sum((A @ B - B @ A) ** 2)
# X[m,n] y[m] w[n]
def sorted_residuals(X, y, w): return np.sum(np.sort(np.abs(X @ w - y))[:2])
# logits[m,k] labels[m]
def indexed_cross_entropy(logits: "m k", labels: "m"): return -np.mean(np.log(logits)[np.arange(3), labels])
# x[n]
def loop_of_steps(x):
    total = 0
    for v in x:
        total += v**2
    return total
# A[n,n]*
def nuclear_norm(A): return np.sum(np.linalg.svd(A)[1])
# A[n,n]*
def cholesky_log_det(A): return 2 * np.sum(np.log(np.diag(np.linalg.cholesky(A))))
