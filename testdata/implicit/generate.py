"""Values and derivatives to second order of implicit functions by torch in double precision: closed forms where there are any, else
Newton's method or an iteration, of which all steps are differentiated; the implicit function theorem is not used. Sizes are 2 and 3, 1 and 0.

    /usr/bin/python3 generate.py > cases.jsonl
"""

import json
from types import SimpleNamespace

import torch

torch.set_default_dtype(torch.float64)
jacobian = torch.autograd.functional.jacobian


def newton(f, x, steps=12):
    """The root of f from x on, with all steps."""
    if not x.numel():
        return x + 0 * f(x)
    for _ in range(steps):
        d = torch.linalg.inv(jacobian(f, x, create_graph=True).reshape(x.numel(), x.numel())) @ f(x).reshape(-1)
        x = x - d.reshape(x.shape)
    return x


def iterated(g, x, steps=120):
    for _ in range(steps):
        x = g(x)
    return x


def lyapunov(A, Q):
    """X = A X A' + Q, by vec(X)."""
    n = len(A)
    return (torch.linalg.inv(torch.eye(n * n) - torch.kron(A, A)) @ Q.reshape(-1)).reshape(n, n)


def cardano(a):
    """The real root of x^3 + x = a."""
    r = torch.sqrt(a * a / 4 + 1 / 27)
    return torch.pow(a / 2 + r, 1 / 3) - torch.pow(r - a / 2, 1 / 3)


def ridge(v):
    return torch.linalg.inv(v.X.T @ v.X + v.l * torch.eye(v.X.shape[1])) @ v.X.T @ v.y


zero = torch.zeros
W = "declare W[n,n] U[n,k] x[k] y[n] "
R = "declare X[m,n] y[m] l[] c[n] "
CASES = {
    "ridge-value": ("l", R + "expression argmin(w = 0[n]) norm2(X*w - y)^2 + l*norm2(w)^2", ridge),
    "ridge-penalty": ("l", R + "expression c'*(argmin(w = 0[n]) norm2(X*w - y)^2 + l*norm2(w)^2)", lambda v: v.c @ ridge(v)),
    "ridge-data": ("X", R + "expression c'*(argmin(w = 0[n]) norm2(X*w - y)^2 + l*norm2(w)^2)", lambda v: v.c @ ridge(v)),
    "logistic": ("y", R + "expression c'*(argmin(w = 0[n]) sum(softplus(-y .* (X*w))) + l*norm2(w)^2)",
                 lambda v: v.c @ newton(lambda w: 2 * v.l * w - v.X.T @ (v.y * torch.sigmoid(-v.y * (v.X @ w))), zero(len(v.c)))),
    "softmax": ("c", R + "expression argmin(u = 0[n]) logsumexp(u) - c'*u + 0.5*norm2(u)^2",
                lambda v: newton(lambda u: torch.softmax(u, 0) - v.c + u, zero(len(v.c)))),
    "equilibrium": ("W", W + "expression norm2((fixpoint(h = 0[n]) tanh(0.5*(W*h) + U*x)) - y)^2",
                    lambda v: ((iterated(lambda h: torch.tanh(0.5 * (v.W @ h) + v.U @ v.x), zero(len(v.y))) - v.y) ** 2).sum()),
    "equilibrium-state": ("x", W + "expression fixpoint(h = y) tanh(0.5*(W*h) + U*x)",
                          lambda v: iterated(lambda h: torch.tanh(0.5 * (v.W @ h) + v.U @ v.x), zero(len(v.y)))),
    "start": ("y", W + "expression fixpoint(h = y) tanh(0.5*(W*h) + U*x)",
              lambda v: iterated(lambda h: torch.tanh(0.5 * (v.W @ h) + v.U @ v.x), zero(len(v.y))) + 0 * v.y),
    "number": ("a", "declare a[] expression root(x = 1) x^3 + x - a", lambda v: cardano(v.a)),
    "each": ("y", W + "expression root(z = ones(n)) z^3 + z - y", lambda v: cardano(v.y)),
    "coupled": ("y", W + "expression sum(root(z = y) z + sinh(z) + W*z - y)",
                lambda v: newton(lambda z: z + torch.sinh(z) + v.W @ z - v.y, zero(len(v.y))).sum()),
    "matrix": ("W", W + "expression y'*(fixpoint(X = 0[n,n]) 0.25*W*X*W' + W)*y", lambda v: v.y @ lyapunov(0.5 * v.W, v.W) @ v.y),
    "in-steps": ("y", W + "expression sum(iterate(t: 3, h = y) root(z = h) z + z^3 - W*h)",
                 lambda v: iterated(lambda h: newton(lambda z: z + z ** 3 - v.W @ h, zero(len(v.y)), 10), v.y, 3).sum()),
    "steps-in": ("y", W + "expression sum(fixpoint(z = y) y .* cos(0.5*(iterate(t: 3, h = z) sin(h))))",
                 lambda v: iterated(lambda z: v.y * torch.cos(0.5 * iterated(torch.sin, z, 3)), zero(len(v.y)), 80).sum()),
    "within": ("y", W + "let a = norm2(y)^2 expression root(u = 1) u - a*(root(z = 1) z + exp(z)*u - 3)",
               lambda v: newton(lambda u: u - (v.y @ v.y) * newton(lambda z: z + torch.exp(z) * u - 3, torch.tensor(1.0), 8), torch.tensor(1.0), 8)),
    "lets": ("y", W + "expression root(z = y) let e = z .* z in let s = sum(e) in z + 0.1*s*z - y",
             lambda v: newton(lambda z: z + 0.1 * (z * z).sum() * z - v.y, zero(len(v.y)))),
}
ERRORS = {
    "no-root": ("declare a[] expression root(x = 1) x^2 + a", {"a": 1.0}, "singular at 0"),
    "double-root": ("declare a[] expression root(x = 0) a*x^2", {"a": 1.0}, "singular at the value 0"),
    "not-convex": ("declare a[] expression argmin(x = 0) a*cos(x)", {"a": 1.0}, "not strictly convex"),
    "not-bounded": ("declare a[] expression argmin(x = 0) a*x", {"a": 1.0}, "argmin: "),
    "no-value": ("declare a[] expression root(x = a) log(x)", {"a": -1.0}, "not finite"),
    "no-fixpoint": ("declare a[] expression fixpoint(x = 0) x + a", {"a": 1.0}, "singular"),
}


def derivative(g):
    def d(x):
        y = g(x)
        if x.numel() and y.numel() and y.requires_grad:
            return jacobian(g, x, create_graph=True)
        return zero(tuple(y.shape) + tuple(x.shape))
    return lambda x: d(x if x.requires_grad else x.clone().requires_grad_())


def rounded(t):
    return {"shape": list(t.shape), "data": [float(f"{v:.12g}") for v in t.detach().reshape(-1).tolist()]}


def case(name, sizes):
    by, text, f = CASES[name]
    generator = torch.Generator().manual_seed(sum(name.encode()))
    shapes = {"W": "nn", "U": "nk", "x": "k", "X": "mn", "y": "m" if text.startswith(R) else "n", "l": "", "c": "n", "a": ""}
    declared = [v.split("[")[0] for v in text.split(" expression ")[0].split(" let ")[0].split()[1:]]
    env = {v: torch.rand([sizes[s] for s in shapes[v]], generator=generator).mul(70).add(20).round().div(100) for v in declared}
    g = lambda x: f(SimpleNamespace(**{**env, by: x}))
    tensors = [g(env[by])]
    for _ in range(2):
        g = derivative(g)
        tensors.append(g(env[by]))
    print(json.dumps({"id": f"{name}/" + ",".join(f"{k}={v}" for k, v in sizes.items()), "topic": "implicit",
                      "request": {"input": text, "values": {k: t.reshape(-1).tolist() for k, t in env.items()},
                                  "dims": {k: list(t.shape) for k, t in env.items()}, "wrt": by, "order": 2},
                      "expect": dict(zip(["value", "derivative", "hessian"], map(rounded, tensors)))}, separators=(",", ":")))


for name in CASES:
    for m, n, k in [(3, 2, 2), (1, 1, 1), (2, 0, 1)]:
        if n == 2 or name != "number":
            case(name, {"m": m, "n": n, "k": k})
for name, (text, values, says) in ERRORS.items():
    print(json.dumps({"id": name, "topic": "implicit",
                      "request": {"input": text, "values": {k: [v] for k, v in values.items()}, "dims": {k: [] for k in values}},
                      "expect": {"error": {"kind": "singular", "says": [says]}}}, separators=(",", ":")))
