"""Values, gradients and some Hessians of the objectives in examples/objectives, by torch in double precision.

    /usr/bin/python3 generate.py > cases.jsonl
"""

import json
import math
import pathlib

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
programs = pathlib.Path(__file__).parents[2] / "examples/objectives"
lse, norm, mean = torch.logsumexp, torch.linalg.norm, torch.mean
jacobian = torch.autograd.functional.jacobian


def case(name, f, wrt, hessian=(), positive=(), seed=0, below=None, variant="", **shapes):
    """f is a function of tensors by their names; those that are positive are drawn so, and below has bounds of whole numbers."""
    generator = torch.Generator().manual_seed(seed + sum(name.encode()))
    env = {}
    for k, s in shapes.items():
        x = torch.randn(s, generator=generator).mul(50).round().div(100)
        env[k] = x.abs() + 0.25 if k in positive else x
        if k in (below or {}):
            env[k] = torch.randint(below[k], s, generator=generator)
    text = "".join(line + "\n" for line in (programs / (name + ".fr")).read_text().splitlines()
                   if not line.startswith(("gradient", "hessian", "#")))

    def tensor(t):
        return {"shape": list(t.shape), "data": [float(f"{v:.14g}") for v in t.detach().reshape(-1).tolist()]}

    for by in wrt.split():
        def at(x):
            return f(**{**env, by: x})

        expect = {"value": tensor(at(env[by])), "derivative": tensor(jacobian(at, env[by]))}
        if by in hessian:
            expect["hessian"] = tensor(jacobian(lambda x: jacobian(at, x, create_graph=True), env[by]))
        print(json.dumps({"id": f"{name}-{by}{variant}", "topic": "objectives",
                          "request": {"input": text, "values": {k: t.reshape(-1).tolist() for k, t in env.items()},
                                      "dims": {k: list(v) for k, v in shapes.items()}, "wrt": by, "order": 2 if by in hessian else 1},
                          "expect": expect}, separators=(",", ":")))


def regressions():
    case("logistic", lambda X, y, w, lam: F.softplus(-y * (X @ w)).sum() + lam / 2 * (w @ w), "w", "w", X=[4, 3], y=[4], w=[3], lam=[])
    case("multinomial", lambda X, Y, W: lse(X @ W, 1).sum() - (Y * (X @ W)).sum(), "W", "W", X=[3, 2], Y=[3, 2], W=[2, 2])
    case("poisson", lambda X, y, w, off: (torch.exp(X @ w + off) - y * (X @ w + off)).sum(), "w", "w", X=[4, 3], y=[4], w=[3], off=[4])
    case("ridge", lambda X, y, w, lam: ((X @ w - y) ** 2).sum() + lam * (w @ w), "w", "w", X=[4, 3], y=[4], w=[3], lam=[])
    case("lasso-smooth", lambda X, y, w, lam, eps: ((X @ w - y) ** 2).sum() / 8 + lam * torch.sqrt(w ** 2 + eps ** 2).sum(), "w", "w", X=[4, 3], y=[4], w=[3], lam=[], eps=[])
    case("svm", lambda X, y, w, b, C: (w @ w) / 2 + C * torch.relu(1 - y * (X @ w + b)).sum(), "w b", X=[4, 3], y=[4], w=[3], b=[], C=[])
    case("negative-binomial", lambda X, y, w, r: (torch.lgamma(r) + torch.lgamma(y + 1) - torch.lgamma(y + r) - r * r.log() - y * (X @ w)
         + (y + r) * torch.log(r + torch.exp(X @ w))).sum(), "w r", "wr", positive="ry", X=[4, 3], y=[4], w=[3], r=[])
    case("dirichlet", lambda a, S: torch.lgamma(a).sum() - torch.lgamma(a.sum()) - (a - 1) @ S, "a", "a", positive="a", a=[4], S=[4])

    def cox(X, d, w):
        eta = X @ w
        return -(d * (eta - eta.exp().flip(0).cumsum(0).flip(0).log())).sum()
    case("cox", cox, "w", "w", X=[4, 3], d=[4], w=[3])


def factorisations():
    case("pca", lambda X, w: ((X - torch.outer(X @ w, w) / (w @ w)) ** 2).sum(), "w", "w", X=[4, 3], w=[3])
    case("ica", lambda X, W: -torch.slogdet(W)[1] + (X @ W.T).cosh().log().sum() / 4, "W", "W", X=[4, 2], W=[2, 2], seed=3)
    case("cp", lambda T, A, B, C: ((T - torch.einsum("ir,jr,kr->ijk", A, B, C)) ** 2).sum(), "A B", "A", T=[2, 3, 2], A=[2, 2], B=[3, 2], C=[2, 2])
    case("tucker", lambda T, G, A, B, C: ((T - torch.einsum("pqr,ip,jq,kr->ijk", G, A, B, C)) ** 2).sum(), "G A", T=[2, 3, 2], G=[2, 2, 2], A=[2, 2], B=[3, 2], C=[2, 2])
    case("nmf", lambda V, W, H: (V * torch.log(V / (W @ H)) - V + W @ H).sum(), "W H", "W", V=[3, 2], W=[3, 2], H=[2, 2], positive="VWH")
    case("low-rank-covariance", lambda U, s, mu, X: 1.5 * torch.logdet(U @ U.T + torch.diag(s.exp())) + 0.5 * torch.trace(
        (X - mu) @ torch.linalg.solve(U @ U.T + torch.diag(s.exp()), (X - mu).T)), "U s mu", U=[3, 2], s=[3], mu=[3], X=[3, 3])


def probabilities():
    def gp(X, y, ell, s, sig):
        D = ((X[:, None] - X[None]) ** 2).sum(2)
        K = s ** 2 * torch.exp(-D / (2 * ell ** 2)) + sig ** 2 * torch.eye(4)
        return 0.5 * y @ torch.linalg.inv(K) @ y + 0.5 * torch.logdet(K) + 2 * math.log(2 * math.pi)
    case("gaussian-process", gp, "ell s sig", ("ell", "s", "sig"), positive=("ell", "s", "sig"), X=[4, 2], y=[4], ell=[], s=[], sig=[])

    def gmm(X, mu, logpi, L):
        E = torch.einsum("cab,icb->ica", L, X[:, None] - mu[None])
        return -lse(logpi - (E ** 2).sum(2) / 2, 1).sum()
    case("gaussian-mixture", gmm, "mu L", ("mu",), X=[4, 2], mu=[2, 2], logpi=[2], L=[2, 2, 2])

    def kalman(A, Q, H, R, m, P, y):
        S = H @ (A @ P @ A.T + Q) @ H.T + R
        v = y - H @ A @ m
        return 0.5 * torch.slogdet(2 * math.pi * S)[1] + 0.5 * v @ torch.linalg.inv(S) @ v
    case("kalman", kalman, "A Q R", positive="QR", A=[2, 2], Q=[2, 2], H=[2, 2], R=[2, 2], m=[2], P=[2, 2], y=[2])

    def crf(X, A, g, Y):
        a = X[0]
        for x in X[1:]:
            a = lse(a[:, None] + A, 0) + x
        return lse(a, 0) - (Y * X).sum() - (g * A).sum()
    case("crf", crf, "A X", X=[4, 3], A=[3, 3], g=[3, 3], Y=[4, 3])
    case("hmm", lambda p, A, B: -torch.log(p * B[:, 0] @ A @ torch.diag(B[:, 1]) @ A @ torch.diag(B[:, 2]) @ A @ B[:, 3]), "A", positive="pAB", p=[3], A=[3, 3], B=[3, 4])

    def hawkes(t, mu, al, be, T):
        lam = [mu + al * be * sum((torch.exp(-be * (t[i] - t[j])) for j in range(i)), torch.tensor(0.0)) for i in range(4)]
        return -torch.stack(lam).log().sum() + mu * T + al * (1 - torch.exp(-be * (T - t))).sum()
    case("hawkes", hawkes, "mu al be t", ("mu", "al", "be"), positive=("t", "mu", "al", "be", "T"), t=[4], mu=[], al=[], be=[], T=[])


def nets():
    def vae(x, e, W1, b1, Wm, bm, Ws, bs, V, c, U, u):
        hid = torch.tanh(W1 @ x + b1)
        mu, ls = Wm @ hid + bm, Ws @ hid + bs
        o = U @ torch.tanh(V @ (mu + torch.exp(ls / 2) * e) + c) + u
        return (F.softplus(o) - x * o).sum() + 0.5 * (ls.exp() + mu ** 2 - 1 - ls).sum()
    case("vae", vae, "Wm Ws U bm", ("bm",), x=[3], e=[2], W1=[3, 3], b1=[3], Wm=[2, 3], bm=[2], Ws=[2, 3], bs=[2], V=[3, 2], c=[3], U=[3, 3], u=[3])

    def lstm(x, h0, c0, Wi, Ui, bi, Wf, Uf, bf, Wo, Uo, bo, Wg, Ug, bg, t):
        i, f, o = (torch.sigmoid(W @ x + U @ h0 + b) for W, U, b in ((Wi, Ui, bi), (Wf, Uf, bf), (Wo, Uo, bo)))
        h = o * torch.tanh(f * c0 + i * torch.tanh(Wg @ x + Ug @ h0 + bg))
        return ((h - t) ** 2).sum() / 2
    W, U = [2, 3], [2, 2]
    case("lstm", lstm, "Wf Ug", ("Wf",), x=[3], h0=[2], c0=[2], Wi=W, Ui=U, bi=[2], Wf=W, Uf=U, bf=[2], Wo=W, Uo=U, bo=[2], Wg=W, Ug=U, bg=[2], t=[2])
    case("attention", lambda X, Wq, Wk, Wv, T: ((torch.softmax(X @ Wq @ (X @ Wk).T / math.sqrt(2), 1) @ (X @ Wv) - T) ** 2).sum(), "Wq Wk Wv", ("Wq",),
         X=[3, 3], Wq=[3, 2], Wk=[3, 2], Wv=[3, 2], T=[3, 2])

    def heads(X, Wq, Wk, Wv, Wo, T):
        Q, K, V = (torch.einsum("nd,hdk->hnk", X, W) for W in (Wq, Wk, Wv))
        P = torch.softmax(torch.einsum("hnk,hmk->hnm", Q, K) / math.sqrt(2), 2)
        return ((torch.einsum("hnm,hmk,hkd->nd", P, V, Wo) - T) ** 2).sum()
    case("multi-head-attention", heads, "Wq Wo", X=[3, 2], Wq=[2, 2, 2], Wk=[2, 2, 2], Wv=[2, 2, 2], Wo=[2, 2, 2], T=[3, 2])
    case("layer-norm", lambda x, g, b, t, eps: ((g * (x - x.mean()) / torch.sqrt(x.var(unbiased=False) + eps) + b - t) ** 2).sum(), "x g", "x", positive=("eps",),
         x=[4], g=[4], b=[4], t=[4], eps=[])
    case("batch-norm", lambda X, g, b, T, eps: (((X - X.mean(0)) / torch.sqrt(X.var(0, unbiased=False) + eps) * g + b - T) ** 2).sum(), "X g b", positive=("eps",),
         X=[4, 2], g=[2], b=[2], T=[4, 2], eps=[])
    case("convolution-max-pool", lambda x, k, t: ((F.max_pool2d(F.relu(F.conv2d(x[None, None], k[None, None])), 2)[0, 0] - t) ** 2).sum(), "k", x=[12, 12], k=[3, 3], t=[5, 5])

    def ode(W, b, V, c, x, y, dt):
        for _ in range(3):
            x = x + dt * (V @ torch.tanh(W @ x))
        return ((x - y) ** 2).sum()
    case("neural-ode", ode, "W V", W=[3, 2], b=[3], V=[2, 3], c=[2], x=[2], y=[2], dt=[])
    case("concat", lambda x, h, W: ((W @ torch.cat([x, h])) ** 2).sum(), "W x", "x", x=[2], h=[2], W=[2, 4])


def similarities():
    def unit(A):
        return A / torch.sqrt((A ** 2).sum(1, keepdim=True))
    case("infonce", lambda A, B, tau: (lse(unit(A) @ unit(B).T / tau, 1).sum() - torch.trace(unit(A) @ unit(B).T / tau)) / 3, "A", "A", positive=("tau",), A=[3, 2], B=[3, 2], tau=[])

    def tsne(P, Y):
        D = ((Y[:, None] - Y[None]) ** 2).sum(2)
        return (P * torch.log1p(D)).sum() + P.sum() * torch.log(((1 - torch.eye(4)) / (1 + D)).sum())
    case("tsne", tsne, "Y", positive="P", P=[4, 4], Y=[4, 2])
    case("triplet", lambda W, a, p, n, margin: torch.relu(((W @ (a - p)) ** 2).sum() - ((W @ (a - n)) ** 2).sum() + margin), "W", "W", positive=("margin",), W=[2, 2], a=[2], p=[2], n=[2], margin=[])
    case("laplacian", lambda W, F, Y, lam: ((F - Y) ** 2).sum() + lam * torch.trace(F.T @ (torch.diag(W.sum(1)) - W) @ F), "F W", "F", W=[3, 3], F=[3, 2], Y=[3, 2], lam=[])

    def sinkhorn(C, a, b, eps):
        K = torch.exp(-C / eps)
        v = torch.ones(2)
        for _ in range(2):
            u = a / (K @ v)
            v = b / (K.T @ u)
        return (torch.diag(u) @ K @ torch.diag(v) * C).sum()
    case("sinkhorn", sinkhorn, "C", positive=("a", "b", "eps"), C=[3, 2], a=[3], b=[2], eps=[])


def arrays():
    """Rows that are shuffled, taken often and never; no rows, one row, and more rows than there are."""
    for variant, (v, b, e) in {"": (4, 5, 6), "-none": (3, 0, 0), "-one": (1, 1, 1), "-many": (2, 9, 9)}.items():
        def embedding(E, W, t, y):
            Z = E[t] @ W
            return lse(Z, 1).sum() - (Z * F.one_hot(y, 3)).sum() if b else 0 * (E.sum() + W.sum())
        case("embedding", embedding, "E W", "E", below={"t": v, "y": 3}, variant=variant, E=[v, 2], W=[2, 3], t=[b], y=[b])
        case("observed-factorisation", lambda U, V, i, j, r, lam: ((r - (U[i] * V[j]).sum(1)) ** 2).sum() + lam * ((U ** 2).sum() + (V ** 2).sum()),
             "U V", "U", below={"i": v, "j": 3}, variant=variant, U=[v, 2], V=[3, 2], i=[e], j=[e], r=[e], lam=[])
        case("graph-laplacian", lambda F, Y, i, j, w, lam: ((F - Y) ** 2).sum() + lam * (w[:, None] * (F[i] - F[j]) ** 2).sum(),
             "F", "F", below={"i": v, "j": v}, variant=variant, F=[v, 2], Y=[v, 2], i=[e], j=[e], w=[e], lam=[])
        case("potts", lambda P, A, C, i, j, w: (A * P).sum() + w @ ((P[i] @ C) * P[j]).sum(1),
             "P C", "P", below={"i": v, "j": v}, variant=variant, P=[v, 2], A=[v, 2], C=[2, 2], i=[e], j=[e], w=[e])
        case("pagerank", lambda x, i, j, d, a: ((x - a * torch.zeros(v).index_add(0, j, x[i] / d[i]) - (1 - a) / v) ** 2).sum() / 2,
             "x", "x", below={"i": v, "j": v}, positive=("d",), variant=variant, x=[v], i=[e], j=[e], d=[v], a=[])


regressions()
factorisations()
probabilities()
nets()
similarities()
arrays()
