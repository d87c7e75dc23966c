"""Values, gradients and Hessians of functions of matrices in 50 digits, at eigenvalues (of nucnorm, opnorm and pinv: singular
values) that are separate, equal, and 1e-14 apart. Derivatives are central differences in 160 digits with steps of 1e-40.

    /usr/bin/python3 generate.py > cases.jsonl

needs mpmath. The data are numbers in double precision, and are taken as they are.
"""

import json
import re
from fractions import Fraction

from mpmath import mp, mpf

mp.dps = 160
STEP = mpf(10) ** -40


def reflected(*eigenvalues):
    """Q diag(l) Q, Q the reflection along (1, 2, 2), rounded."""
    w = [1, 2, 2]
    q = [[int(i == j) - Fraction(2 * w[i] * w[j], 9) for j in range(3)] for i in range(3)]
    return [[float(sum(q[i][k] * Fraction(l) * q[k][j] for k, l in enumerate(eigenvalues))) for j in range(3)] for i in range(3)]


NEAR = Fraction(1, 10**14)
SYMMETRIC = {
    "separate": [[2, 0.5, 0.25], [0.5, 3, -0.5], [0.25, -0.5, 1.5]],
    "equal": [[3, 2, 2], [2, 6, 4], [2, 4, 6]],  # 2, 2 and 11
    "all-equal": [[2, 0, 0], [0, 2, 0], [0, 0, 2]],
    "near": reflected(1, 1 + NEAR, 2),
    "all-near": reflected(Fraction(3, 2), Fraction(3, 2) + NEAR, Fraction(3, 2) - NEAR),
}
GENERAL = {
    "general": [[2, 1, 0.5], [-1, 1.5, 0.25], [0.5, 0.75, 3]],
    "defective": [[2, 1, 0], [0, 2, 1], [0, 0, 2]],
}
B = [[1, -0.5, 0.25], [0.75, 0.5, -1.25], [0.375, 2, -0.75]]


def part(X):
    return (X + X.T) / 2


def by_eigenvalues(f):
    def of(X):
        l, Q = mp.eigsy(part(X))
        return Q * mp.diag([f(v) for v in l]) * Q.T
    return of


def eigvecs(X):
    _, Q = mp.eigsy(part(X))
    for j in range(3):
        top = max(range(3), key=lambda i: abs(Q[i, j]))
        if Q[top, j] < 0:
            for i in range(3):
                Q[i, j] = -Q[i, j]
    return Q


def singular(X):
    return sorted(mp.svd_r(X, compute_uv=False), reverse=True)


def weighed(F):
    return lambda X: sum((mp.matrix(B) * F(X))[i, i] for i in range(X.rows))


def first(values):
    """1 v_0 + 2 v_1 + .."""
    return sum((k + 1) * v for k, v in enumerate(values))


def pinv(X):
    return mp.inverse(X.T * X) * X.T


of_all = {"expm": ("tr(B*expm(S))", weighed(mp.expm)), "logm": ("tr(B*logm(S))", weighed(mp.logm)), "sqrtm": ("tr(B*sqrtm(S))", weighed(mp.sqrtm)),
          "matpow": ("tr(B*matpow(S, 1/3))", weighed(lambda X: mp.expm(mp.logm(X) / 3))),
          "pinv": ("tr(B*pinv(S))", weighed(pinv)), "nucnorm": ("nucnorm(S)", lambda X: sum(singular(X)))}
of_symmetric = {"matfun-tanh": ("tr(B*matfun(tanh, S))", weighed(by_eigenvalues(mp.tanh))), "matfun-arctan": ("tr(B*matfun(arctan, S))", weighed(by_eigenvalues(mp.atan))),
                "chol": ("tr(B*chol(S))", weighed(lambda X: mp.cholesky(part(X)))),
                "eigvals-sum": ("tr(matfun(sin, S))", lambda X: sum(map(mp.sin, mp.eigsy(part(X), eigvals_only=True))))}
of_separate = {"eigvals": ("u'*eigvals(S)", lambda X: first(sorted(mp.eigsy(part(X), eigvals_only=True)))), "eigvecs": ("tr(B*eigvecs(S))", weighed(eigvecs)),
               "svdvals": ("u'*svdvals(S)", lambda X: first(singular(X))), "opnorm": ("opnorm(S)", lambda X: singular(X)[0])}
# the gradient alone: further derivatives of single eigenvalues are as large as the distances are small
of_gradients = {"eigvals-smooth": ("sum(sin(eigvals(S)))", of_symmetric["eigvals-sum"][1])}


def tensor(shape, data):
    return {"shape": list(shape), "data": [float(mp.nstr(v, 50)) for v in data]}


def case(name, at, body, f, data, order):
    m, n = len(data), len(data[0])
    X = mp.matrix(data)
    places = [(i, j) for i in range(m) for j in range(n)]

    def moved(*steps):
        Y = X.copy()
        for (i, j), s in steps:
            Y[i, j] += s * STEP
        return f(Y)

    expect = {"value": tensor([], [f(X)]), "derivative": tensor([m, n], [(moved((p, 1)) - moved((p, -1))) / (2 * STEP) for p in places])}
    if order > 1:
        mixed = {}
        for a, p in enumerate(places):
            for q in places[a:]:
                mixed[p, q] = mixed[q, p] = (moved((p, 1), (q, 1)) - moved((p, 1), (q, -1)) - moved((p, -1), (q, 1)) + moved((p, -1), (q, -1))) / (4 * STEP**2)
        expect["hessian"] = tensor([m, n, m, n], [mixed[p, q] for p in places for q in places])
    used = {"S": data, "B": B, "u": [1, 2, 3]}
    shapes = {"S": "[m,n]" if m != n else "[n,n]", "B": "[n,m]" if m != n else "[n,n]", "u": "[n]"}
    used = {k: v for k, v in used.items() if re.search(rf"\b{k}\b", body)}
    flat = {k: sum(v, []) if k != "u" else v for k, v in used.items()}
    dims = {k: [len(v), len(v[0])] if k != "u" else [len(v)] for k, v in used.items()}
    print(json.dumps({"id": f"{name}/{at}", "topic": "spectral",
                      "request": {"input": "declare " + " ".join(k + shapes[k] for k in used) + " expression " + body, "values": flat, "dims": dims, "wrt": "S", "order": order},
                      "expect": {**expect, "tol": 1e-12}}, separators=(",", ":")))


for at, S in {**SYMMETRIC, **GENERAL}.items():
    for name, (body, f) in of_all.items():
        case(name, at, body, f, S, 2)
    if at in SYMMETRIC:
        for name, (body, f) in of_symmetric.items():
            case(name, at, body, f, S, 2)
        for name, (body, f) in of_gradients.items():
            case(name, at, body, f, S, 1)
for name, (body, f) in of_separate.items():
    case(name, "separate", body, f, SYMMETRIC["separate"], 2)
