#!/usr/bin/env python3
"""Writes cases.jsonl: questions and faults reported about other systems, restated in our language.

The expected numbers come from closed forms in numpy, or from complex steps, which share no
code with the project. Run it with numpy installed; the output is deterministic.

A case holds a request of the batch protocol and what the answer must contain. Where `waits`
is given, the case is counted and not run: it names the part of the project that it needs.
`{"eye": n, "times": c}` stands for the entries of c times the n by n identity.
A waiting case that has a request is tried, to see when it need not wait any longer.
The character ¦ in an input marks where an error must point; it is taken out.
"""
import json
import math
import os

import numpy as np

RNG = np.random.default_rng(20)
ROWS = []
TOPIC = ""


def topic(name):
    global TOPIC
    TOPIC = name


def R(*shape):
    return np.round(RNG.standard_normal(shape), 4) if shape else round(float(RNG.standard_normal()), 4)


def num(x):
    x = float(x)
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return "Infinity" if x > 0 else "-Infinity"
    return int(x) if x == int(x) and abs(x) < 1e15 and not (x == 0 and math.copysign(1, x) < 0) else x


def flat(a):
    if isinstance(a, dict):
        return a
    return [num(x) for x in np.asarray(a, dtype=float).ravel()]


def tensor(a):
    if a is None:
        return None
    if isinstance(a, Eye):
        return {"shape": [a.n, a.n], "data": {"eye": a.n, "times": num(a.c)}}
    a = np.asarray(a, dtype=float)
    return {"shape": list(a.shape), "data": flat(a)}


class Eye:
    def __init__(self, n, c):
        self.n, self.c, self.shape = n, c, (n, n)


def tree(a):
    if isinstance(a, dict):
        return {k: tree(v) for k, v in a.items()}
    return tensor(a)


def case(id, input, values=None, value=None, d=None, h=None, ds=None, error=None, outputs=None,
         wrt=None, order=None, dims=None, cotangent=None, grads=None, jvp=None, hvp=None, relative=False, conventions=None,
         longest=None, tol=None, note=None, says=None, want=None):
    """One request and its answer. An error is a kind; its place is the mark in the input."""
    req, exp = {}, {}
    if error is not None:
        e = {"kind": error} if error != "any" else {}
        at = input.find("¦")
        if at >= 0:
            input = input.replace("¦", "")
            e["line"] = input.count("\n", 0, at) + 1
            e["column"] = at - (input.rfind("\n", 0, at) + 1) + 1
        if says:
            e["says"] = says
        exp["error"] = e
    req["input"] = input
    if values is not None:
        req["dims"] = {k: list(np.shape(v) if not isinstance(v, Eye) else v.shape) for k, v in values.items()}
        req["values"] = {k: ({"eye": v.n, "times": num(v.c)} if isinstance(v, Eye) else flat(v)) for k, v in values.items()}
    if dims is not None:
        req["dims"] = dims
    for k, v in (("wrt", wrt), ("order", order), ("want", want)):
        if v is not None:
            req[k] = v
    if cotangent is not None:
        req["cotangent"] = flat(cotangent)
    for k, v in (("value", value), ("derivative", d), ("hessian", h), ("derivatives", ds), ("grads", grads), ("jvp", jvp), ("hvp", hvp), ("outputs", outputs)):
        if v is not None:
            exp[k] = [tree(d) for d in v] if k == "derivatives" else tree(v)
    for k, v in (("relative", relative), ("conventions", conventions), ("longest", longest), ("tol", tol)):
        if v:
            exp[k] = v
    row = {"id": id, "topic": TOPIC, "request": req, "expect": exp}
    if note:
        row["note"] = note
    ROWS.append(row)


def index(id, text, values, output, value, cotangent=None, grads=None, wrt=None, order=None, d=None, h=None):
    """A request in index notation, whose dims also name the defined tensor's shape."""
    case(id, text, values, value, d, h, cotangent=cotangent, grads=grads, wrt=wrt, order=order)
    ROWS[-1]["request"]["language"] = "index"
    ROWS[-1]["request"]["dims"][output[0]] = list(output[1])


def waits(id, what, why):
    ROWS.append({"id": id, "topic": TOPIC, "note": what, "waits": why})


def elsewhere(id, what, where):
    ROWS.append({"id": id, "topic": TOPIC, "note": what, "elsewhere": where})


def jac(f, x):
    """D[out..., in...] of f at x by complex steps of 1e-30."""
    x = np.asarray(x, dtype=complex)
    y = np.asarray(f(x))
    D = np.zeros(y.shape + x.shape)
    for i in np.ndindex(*x.shape):
        z = x.copy()
        z[i] += 1e-30j
        D[(Ellipsis,) + i] = np.imag(f(z)) / 1e-30
    return D


def cof(A):
    """Cofactors, by minors: right at singular matrices, and at 1 by 1 and 0 by 0."""
    n = len(A)
    C = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            M = np.delete(np.delete(A, i, 0), j, 1)
            C[i, j] = (-1) ** (i + j) * (np.linalg.det(M) if n > 1 else 1.0)
    return C


def dcof(A):
    """The second derivative of det: cofactors of minors."""
    n = len(A)
    H = np.zeros((n, n, n, n))
    for i in range(n):
        for j in range(n):
            for k in range(n):
                for l in range(n):
                    if i == k or j == l:
                        continue
                    M = np.delete(np.delete(A, [i, k], 0), [j, l], 1)
                    s = (-1) ** (i + j + (k - (k > i)) + (l - (l > j)))
                    H[i, j, k, l] = s * (np.linalg.det(M) if n > 2 else 1.0)
    return H


E = np.einsum
I = np.eye
inv, det, log, exp, diag = np.linalg.inv, np.linalg.det, np.log, np.exp, np.diag

# ------------------------------------------------------------------ index products
topic("index products")
x, W = np.arange(8.0).reshape(4, 2), R(4, 4)
case("B001", "declare x 2 W 2 expression 1 *(d,d->) (x *(nd,nn->d) W) derivative wrt W", dict(x=x, W=W),
     E("nd,nn->", x, W), diag([1.0, 5, 9, 13]))
z = np.array([2.0, 3])
D3 = E("ab,ai->abi", I(2), I(2))
case("B004", "declare x 1 expression x *(i,->ii) 1 derivative wrt x", dict(x=z), diag(z), D3)
case("B004/unary", "declare x 1 expression x *(i->ii) derivative wrt x", dict(x=z), diag(z), D3)
case("B004/delta", "declare x 1 expression delta(1) *(ij,i->ij) x derivative wrt x", dict(x=z), diag(z), D3)
A, v = R(3, 2), R(2)
case("B006", "declare A 2 v 1 expression A *(ij,j->) v derivative wrt A", dict(A=A, v=v), (A @ v).sum(),
     np.tile(v, (3, 1)))
case("B006/v", "declare A 2 v 1 expression A *(ij,j->) v derivative wrt v", dict(A=A, v=v), (A @ v).sum(), A.sum(0))
case("B006/second", "declare A 2 v 1 expression A *(ij,j->) v derivative wrt A, v", dict(A=A, v=v), (A @ v).sum(),
     dict(A=np.tile(v, (3, 1)), v=A.sum(0)),
     dict(A=dict(A=np.zeros((3, 2, 3, 2)), v=np.tile(I(2), (3, 1, 1))),
          v=dict(A=E("kj,i->kij", I(2), np.ones(3)), v=np.zeros((2, 2)))), order=2)
B = R(2, 4)
s = (A @ B).sum()
gA, gB = np.tile(B.sum(1), (3, 1)), np.tile(A.sum(0)[:, None], (1, 4))
case("B006/both", "declare A 2 B 2 expression (A *(ij,jk->) B)^2 derivative wrt A, B", dict(A=A, B=B), s ** 2,
     dict(A=2 * s * gA, B=2 * s * gB),
     dict(A=dict(A=2 * E("ij,kl->ijkl", gA, gA),
                 B=2 * E("ij,kl->ijkl", gA, gB) + 2 * s * E("i,jk,l->ijkl", np.ones(3), I(2), np.ones(4))),
          B=dict(A=2 * E("ij,kl->ijkl", gB, gA) + 2 * s * E("j,il,k->ijkl", np.ones(4), I(2), np.ones(3)),
                 B=2 * E("ij,kl->ijkl", gB, gB))), order=2)
case("B008", "declare A 2 b 1 expression A *(ij,¦i->) b derivative wrt A", dims=dict(A=[5, 1], b=[2]),
     error="dimension-mismatch", says=["i", "5", "2"])
case("B008/one", "declare A 2 b 1 expression A *(ij,¦i->) b derivative wrt A", dims=dict(A=[1, 5], b=[2]),
     error="dimension-mismatch", says=["i", "1", "2"])
case("B010", "declare X 4 expression sin(X) derivative wrt X order 6", dict(X=np.full((1, 1, 1, 1), 0.3)),
     value=np.full((1,) * 4, math.sin(0.3)), ds=[None] * 5 + [np.full((1,) * 28, -math.sin(0.3))])
X = np.array([0.3, 0.7]).reshape(1, 2, 1, 1)
D6 = np.zeros((2,) * 7)
D6[(0,) * 7], D6[(1,) * 7] = -math.sin(0.3), -math.sin(0.7)
case("B010/sizes", "declare X 4 expression sin(X) derivative wrt X order 6", dict(X=X), value=np.sin(X),
     ds=[None] * 5 + [D6.reshape((1, 2, 1, 1) * 7)])
A, X = R(2, 3, 1), R(3, 1)
case("B010/axes", "declare A 3 X 2 expression A *(ijk,jk->i) (X^3) derivative wrt X order 3", dict(A=A, X=X),
     value=E("ijk,jk->i", A, X ** 3),
     ds=[3 * E("ijk,jk->ijk", A, X ** 2), 6 * E("ijk,jk,jl,km->ijklm", A, X, I(3), I(1)),
         6 * E("ijk,jl,km,jn,kp->ijklmnp", A, I(3), I(1), I(3), I(1))])
A, B, x = R(2, 3), R(3, 4), R(4)
case("B012", "declare A 2 B 2 x 1 expression (A *(ij,jk->ik) B) *(ij,j->i) x derivative wrt x", dict(A=A, B=B, x=x),
     A @ B @ x, A @ B)
K = R(3)
case("B012/capture", "declare K 1 expression K *(i,->i) (K *(i,i->) K) derivative wrt K", dict(K=K), (K @ K) * K,
     (K @ K) * I(3) + 2 * np.outer(K, K))
u = R(4)
case("B012/outer", "declare K 1 u 1 expression (K *(i,i->) K) *(,i->i) u derivative wrt K", dict(K=K, u=u),
     (K @ K) * u, 2 * np.outer(u, K))
A, b, C = np.arange(6.0).reshape(2, 3), np.array([1.0, 2, 3]), np.arange(6.0).reshape(3, 2)
for i, t in (("B013", "(A *(ij,j->ij) b) *(ij,jk->ik) C"), ("B013/einsum", "einsum(ij,j,jk->ik; A, b, C)"),
             ("B013/right", "A *(ij,jk->ik) (b *(j,jk->jk) C)")):
    case(i, f"declare A 2 b 1 C 2 expression {t} derivative wrt b", dict(A=A, b=b, C=C), [[28, 36], [76, 102]],
         E("ij,jk->ikj", A, C))
A, v = np.array([[1.0, 2], [3, 4]]), np.ones(2)
case("B015", "declare A 2 v 1 expression A *(ij,i->j) v derivative wrt v", dict(A=A, v=v), [4, 6], A.T)
n = diag([1.0, 1, -1])
Wt = np.zeros((3, 3, 3))
for k, c in {(0, 0, 0): 1, (0, 2, 2): 1, (1, 0, 1): 1, (1, 1, 0): -1, (2, 0, 2): -1, (2, 2, 0): 1}.items():
    Wt[k] = c
case("B015/network", "declare n 2 m 2 W 3 expression einsum(ac,fg,cfb,gda->bd; n, m, W, W) derivative wrt n",
     dict(n=n, m=n, W=Wt), diag([-1.0, 0, 0]), E("fg,cfb,gda->bdac", n, Wt, Wt))
A = R(3, 3)
x, s = R(3), 0.7
case("B017", "declare x 1 s 0 expression (x + s) *(i,i->) x derivative wrt x, s", dict(x=x, s=s), (x + s) @ x,
     dict(x=2 * x + s, s=x.sum()), note="an operand of order 0 broadcasts, variable or not")
case("B017/matrix", "declare A 2 x 1 expression A + x derivative wrt x", dict(A=A, x=x), A + x[:, None],
     E("ij,ik->ijk", np.ones((3, 3)), I(3)), note="a column is repeated for every column of a matrix")
case("B017/number", "declare x 1 expression x + 1 derivative wrt x", dict(x=x), x + 1, I(3))

# ------------------------------------------------------------------ values of derivatives
topic("values of derivatives")
X, B = R(3, 3), R(3, 3)
case("B018", "declare X 2 B 2 expression (X *(ij,jk->ik) X) *(ij,ji->) B derivative wrt X", dict(X=X, B=B),
     np.trace(X @ X @ B), (X @ B + B @ X).T)
case("B018/matrix", "declare X 2 B 2 expression tr(X*X*B) derivative wrt X", dict(X=X, B=B), np.trace(X @ X @ B),
     (X @ B + B @ X).T)
X, A = R(3, 2), R(3, 3)
case("B019", "declare X 2 A 2 expression X *(ki,ki->) (A *(kl,li->ki) X) derivative wrt X", dict(X=X, A=A),
     np.trace(X.T @ A @ X), (A + A.T) @ X)
A = R(2, 3)
case("B019/trace", "declare X 2 A 2 expression tr(X*A) derivative wrt X", dict(X=X, A=A), np.trace(X @ A), A.T)
A, U, V = R(3, 4), R(3, 2), R(2, 4)
case("B021", "declare A 2 U 2 V 2 expression 0.5 *(,->) (((A - U *(ik,kj->ij) V)^2) *(ij,ij->) 1) + 0.5 *(,->) ((U^2) *(ij,ij->) 1) derivative wrt U",
     dict(A=A, U=U, V=V), 0.5 * ((A - U @ V) ** 2).sum() + 0.5 * (U ** 2).sum(), (U @ V - A) @ V.T + U)
case("B021/traces", "declare A 2 B 2 expression tr(A'*A) + tr(B'*B) derivative wrt A", dict(A=A, B=U),
     (A ** 2).sum() + (U ** 2).sum(), 2 * A)
x = R(4)
s = x @ x
case("B023", "declare x 1 expression x *(i,->i) (1 / (x *(i,i->) x)) derivative wrt x", dict(x=x), x / s,
     I(4) / s - 2 * np.outer(x, x) / s ** 2)
a, X = R(4), R(3, 2)
case("B024", "declare X 2 a 1 expression (a *(i,i->) a)^0.5 derivative wrt X", dict(X=X, a=a), math.sqrt(a @ a),
     np.zeros((3, 2)), np.zeros((3, 2, 3, 2)), order=2)
M, x = R(3, 2), R(2)
case("B026", "declare M 2 x 1 expression exp(M *(ij,j->i) x) derivative wrt x", dict(M=M, x=x), exp(M @ x),
     exp(M @ x)[:, None] * M)
A, B = R(3), R(3)
case("B027", "declare A 1 B 1 expression delta(1) *(ij,j->i) (A *(j,j->j) B) derivative wrt A", dict(A=A, B=B), A * B,
     diag(B))
case("B027/kept", "declare F 1 expression delta(1) *(at,t->at) F derivative wrt F", dict(F=A), diag(A),
     E("ab,ai->abi", I(3), I(3)))
case("B027/orthogonal", "declare e 1 f 1 expression e *(i,i->) (delta(1) *(ij,j->i) f) derivative wrt e",
     dict(e=[1, 0, 0], f=[0, 1, 0]), 0, [0, 1, 0])
Y, X = R(3, 3), R(3, 2)
case("B028", "declare Y 2 X 2 expression ((Y - X *(ik,jk->ij) X)^2) *(ij,ij->) 1 derivative wrt X", dict(Y=Y, X=X),
     ((Y - X @ X.T) ** 2).sum(), -2 * (Y + Y.T - 2 * X @ X.T) @ X)
X, Rm, Y = R(4, 3), R(3, 2), R(4, 2)
case("B031", "declare X 2 R 2 Y 2 expression ((X *(ij,jk->ik) R - Y)^2) *(ik,ik->) 1 derivative wrt R",
     dict(X=X, R=Rm, Y=Y), ((X @ Rm - Y) ** 2).sum(), 2 * X.T @ (X @ Rm - Y))
x, y, A = R(3), R(3), R(3, 3)
case("B034", "declare x 1 y 1 A 2 expression (x *(i,i->i) y) *(i,i->) (A *(ij,j->i) (x *(i,i->i) y)) derivative wrt x",
     dict(x=x, y=y, A=A), (x * y) @ A @ (x * y), y * ((A + A.T) @ (x * y)))
v, A = R(3), R(3, 2)
case("B035", "declare v 1 A 2 expression (v *(i,ij->j) A) *(j,j->) (v *(i,ij->j) A) derivative wrt A", dict(v=v, A=A),
     (v @ A) @ (v @ A), 2 * np.outer(v, v @ A))
v, M, x, u, e = R(3), R(3, 2), R(2), R(2), 1.7
q = e + u @ x
case("B037", "declare v 1 M 2 x 1 u 1 e 0 expression (e *(,i->i) v + M *(ij,j->i) x) *(i,->i) ((e + u *(i,i->) x)^(-2)) derivative wrt x",
     dict(v=v, M=M, x=x, u=u, e=e), (e * v + M @ x) / q ** 2, M / q ** 2 - 2 * np.outer(e * v + M @ x, u) / q ** 3)
case("B037/quotient", "declare v 1 M 2 x 1 u 1 e 0 expression (e*v + M*x) / (e + u'*x)^2 derivative wrt x",
     dict(v=v, M=M, x=x, u=u, e=e), (e * v + M @ x) / q ** 2, M / q ** 2 - 2 * np.outer(e * v + M @ x, u) / q ** 3)
case("B039", "declare x 0 y 0 z 0 expression x *(,->) y *(,->) z derivative wrt x", dict(x=0.0, y=2.0, z=3.0), 0, 6)
case("B039/cube", "declare x 0 expression x^3 derivative wrt x order 3", dict(x=0.0), 0, ds=[0, 0, 6])
case("B145/abs", "declare A 2 x 1 y 1 expression 1 *(i,i->) abs(A *(ij,j->i) x - y) derivative wrt x",
     **(lambda A, x, y: dict(values=dict(A=A, x=x, y=y), value=abs(A @ x - y).sum(), d=A.T @ np.sign(A @ x - y)))(R(3, 2), R(2), R(3)))
X = R(3, 3) + 2 * I(3)
case("B145/logdet", "declare X 2 expression log(det(inv(X))) derivative wrt X", dict(X=X), -log(det(X)), -inv(X).T)
A, X, B, C = R(3, 2), R(4, 2), R(4, 4), R(2, 3)
case("B145/trace", "declare A 2 X 2 B 2 C 2 expression (A *(ij,kj->ik) X) *(ik,ki->) (B *(kl,lm->km) (X *(ln,nm->lm) C)) derivative wrt X",
     dict(A=A, X=X, B=B, C=C), np.trace(A @ X.T @ B @ X @ C), B.T @ X @ A.T @ C.T + B @ X @ C @ A)
X, y, w = R(4, 2), R(4), R(2)
case("B145/logistic", "declare X 2 y 1 w 1 expression 1 *(i,i->) log(exp(-(y *(i,i->i) (X *(ij,j->i) w))) + 1) derivative wrt w",
     dict(X=X, y=y, w=w), log(exp(-y * (X @ w)) + 1).sum(), -X.T @ (y / (1 + exp(y * (X @ w)))))
A, X = R(3, 2), R(2, 3)
case("B145/linear", "declare A 2 X 2 expression A *(ij,ji->) X derivative wrt X", dict(A=A, X=X), np.trace(A @ X), A.T)

# ------------------------------------------------------------------ second derivatives
topic("second derivatives")
a, b = -0.7, 2.3
ab = exp(a - b)
case("B040", "declare a 0 b 0 expression exp(a - b) *(,->) b derivative wrt a, b", dict(a=a, b=b), ab * b,
     dict(a=ab * b, b=ab * (1 - b)),
     dict(a=dict(a=ab * b, b=ab * (1 - b)), b=dict(a=ab * (1 - b), b=ab * (b - 2))), order=2)
case("B041", "declare x 0 y 0 expression x^y derivative wrt x, y", dict(x=23.0, y=0.0), 1, dict(x=0, y=log(23)),
     dict(x=dict(x=0, y=1 / 23), y=dict(x=1 / 23, y=log(23) ** 2)), order=2)
for i, t in (("B042", "exp(-(x^2))"), ("B042/product", "exp(-(x *(,->) x))")):
    case(i, f"declare x 0 expression {t} derivative wrt x order 6", dict(x=0.0), 1, ds=[0, -2, 0, 12, 0, -120])
a, l = R(3), 1.5
q = "((a - b) *(i,->i) (1/l)) *(i,i->) ((a - b) *(i,->i) (1/l))"
for i, t in (("B044", f"exp(-({q}))"), ("B044/root", f"exp(-((({q})^0.5)^2))")):
    J = 2 / l ** 2 * I(3)
    case(i, f"declare a 1 b 1 l 0 expression {t} derivative wrt a, b", dict(a=a, b=a, l=l), 1,
         dict(a=np.zeros(3), b=np.zeros(3)), dict(a=dict(a=-J, b=J), b=dict(a=J, b=-J)), order=2)
for i, A in (("B045", I(3)), ("B045/rank2", diag([1.0, 1, 0])), ("B045/rank1", diag([1.0, 0, 0])),
             ("B045/zero", np.zeros((3, 3))), ("B045/full", R(4, 4)),
             ("B045/four", np.outer([1.0, 2, 3, 4], [1.0, -1, 2, 1]) + np.outer([0, 1.0, 1, 0], [2.0, 0, 0, 1]))):
    case(i, "declare A 2 expression det(A) derivative wrt A", dict(A=A), det(A), cof(A), dcof(A), order=2)
x, y = 0.419, 0.887
g = exp(-(x * x + y * y) / 0.2)
p = 0.5 * (x * x - y * y)
case("B047", "declare x 0 y 0 expression 0.5 *(,->) (x^2 - y^2) *(,->) exp(-(x^2 + y^2) / 0.2) derivative wrt x, y",
     dict(x=x, y=y), p * g, dict(x=g * (x - 10 * x * p), y=g * (-y - 10 * y * p)),
     dict(x=dict(x=g * (1 - 10 * p - 10 * x * x - 10 * x * (x - 10 * x * p)), y=g * (10 * x * y - 10 * y * (x - 10 * x * p))),
          y=dict(x=g * (10 * x * y - 10 * y * (x - 10 * x * p)), y=g * (-1 - 10 * p + 10 * y * y - 10 * y * (-y - 10 * y * p)))), order=2)
Q, x = R(3, 3), R(3)
case("B049", "declare Q 2 x 1 expression x *(i,i->) (Q *(ij,j->i) x) derivative wrt x", dict(Q=Q, x=x), x @ Q @ x,
     (Q + Q.T) @ x, Q + Q.T, order=2)
case("B049/product", "declare Q 2 x 1 expression x'*Q*x derivative wrt x", dict(Q=[[0, 1], [0, 0]], x=[2, 5]), 10, [5, 2],
     [[0, 1], [1, 0]], order=2)
v = R(3)
case("B049/vector", "declare Q 2 x 1 v 1 expression x'*Q*x hvp wrt x along v", dict(Q=Q, x=x, v=v), x @ Q @ x, hvp=(Q + Q.T) @ v)
x = np.array([1.0, 2, 3])
p = exp(x) / exp(x).sum()
case("B053", "declare x 1 expression log(1 *(i,i->) exp(x)) derivative wrt x", dict(x=x), log(exp(x).sum()), p,
     diag(p) - np.outer(p, p), order=2)

# ------------------------------------------------------------------ matrix functions
topic("matrix functions")
X = R(3, 3) + 2 * I(3)
case("B032", "declare X 2 expression inv(X) *(ii,->) 1 derivative wrt X", dict(X=X), np.trace(inv(X)), -(inv(X) @ inv(X)).T)
Ai = inv(X)
case("B054", "declare A 2 expression inv(A) derivative wrt A", dict(A=X), Ai, -E("ac,db->abcd", Ai, Ai))
for i, A in (("B055", np.array([[1.0, 2], [2, 4]])), ("B055/zeros", np.zeros((4, 4))), ("B055/one", np.zeros((1, 1)))):
    case(i, "declare A 2 expression det(A) derivative wrt A", dict(A=A), 0, cof(A))
case("B057/small", "declare A 2 expression log(det(A)) derivative wrt A", dict(A=Eye(200, 1e-3)), 200 * log(1e-3), Eye(200, 1000))
case("B057/large", "declare A 2 expression log(det(A)) derivative wrt A", dict(A=Eye(300, 100)), 300 * log(100.0), Eye(300, 0.01))
case("B057/atom", "declare A 2 expression logdet(A) derivative wrt A", dict(A=Eye(200, 1e-3)), 200 * log(1e-3), Eye(200, 1000))
B, X = R(3, 3), R(3, 3) + 3 * I(3)
Xi = inv(X)
case("B059", "declare B 2 X 2 expression (B *(ij,ji->) inv(X)) - log(det(X)) derivative wrt X", dict(B=B, X=X),
     np.trace(B @ Xi) - log(det(X)), -(Xi @ B @ Xi).T - Xi.T)
A, b = np.array([[1.0, -1], [-1, 2]]), np.ones(2)
Ai = inv(A)
D = -E("ia,b->iab", Ai, Ai @ b)
assert np.allclose(E("iab,ab->i", D, np.array([[0, 1.0], [0, 0]])), [-4, -2])
case("B060", "declare A 2 b 1 expression inv(A) *(ij,j->i) b derivative wrt A", dict(A=A, b=b), [3, 2], D,
     note="contracted with C = [[0,1],[0,0]] over both argument axes this is (-4,-2)")
case("B060/direction", "declare A 2 b 1 C 2 expression inv(A) *(ij,j->i) b jvp wrt A along C", dict(A=A, b=b, C=[[0, 1], [0, 0]]), [3, 2],
     jvp=[-4, -2])
case("B060/solve", "declare A 2 b 1 expression solve(A, b) derivative wrt A", dict(A=A, b=b), [3, 2], D)
case("B063", "declare A 2 expression ¦inv(A)", dict(A=[[0, 0], [0, 1]]), error="singular")
M = np.zeros((4, 4))
M[2:, 2:] = 20
case("B063/block", "declare A 2 expression ¦inv(A)", dict(A=M), error="singular")
case("B063/tiny", "declare A 2 expression inv(A)", dict(A=Eye(4, 1e-12)), Eye(4, 1e12))
C, S, x, A, m = R(2, 3), R(3, 3), R(2), R(2, 4), R(4)
S = np.round(S @ S.T + 2 * I(3), 4)
V, r = C @ S @ C.T, x - A @ m
Vi = inv(V)
txt = "-(log(det(C *(ij,jk->ik) (S *(jl,kl->jk) C)))) - (x - A *(ij,j->i) m) *(i,i->) (inv(C *(ij,jk->ik) (S *(jl,kl->jk) C)) *(ij,j->i) (x - A *(ij,j->i) m))"
case("B143", f"declare C 2 S 2 x 1 A 2 m 1 expression {txt} derivative wrt C, S, A", dict(C=C, S=S, x=x, A=A, m=m),
     -log(det(V)) - r @ Vi @ r,
     dict(C=-2 * Vi @ C @ S + 2 * Vi @ np.outer(r, r) @ Vi @ C @ S,
          S=-C.T @ Vi @ C + C.T @ Vi @ np.outer(r, r) @ Vi @ C, A=2 * np.outer(Vi @ r, m)))
U = R(3, 3) + 2 * I(3)
case("B122", "declare U 2 expression U *(ij,jk->ik) inv(U) derivative wrt U", dict(U=U), I(3), np.zeros((3,) * 4))
case("B122/left", "declare U 2 expression inv(U) *(ij,jk->ik) U derivative wrt U", dict(U=U), I(3), np.zeros((3,) * 4))
Ui = inv(U)
case("B122/transposed", "declare U 2 expression U *(ij,kj->ik) inv(U) derivative wrt U", dict(U=U), U @ Ui.T,
     E("ia,kb->ikab", I(3), Ui) - E("ij,ka,bj->ikab", U, Ui, Ui),
     note="a product with the transposed inverse does not cancel")

# ------------------------------------------------------------------ sizes, constants, broadcasting
topic("sizes and broadcasting")
case("B065", "declare A 2 x 1 expression A *(ij,j->i) x derivative wrt x", dict(A=np.zeros((3, 0)), x=np.zeros(0)),
     np.zeros(3), np.zeros((3, 0)))
case("B065/det", "declare A 2 expression det(A) derivative wrt A", dict(A=np.zeros((0, 0))), 1, np.zeros((0, 0)))
case("B065/inv", "declare A 2 expression inv(A) derivative wrt A", dict(A=np.zeros((0, 0))), np.zeros((0, 0)),
     np.zeros((0,) * 4))
case("B065/sum", "declare x 1 expression sum(x) + 1 derivative wrt x", dict(x=np.zeros(0)), 1, np.zeros(0))
case("B066", "declare c 1 v 0 expression 1 *(i,i->) (c *(i,->i) v) derivative wrt v", dict(c=[1, 1], v=0.3), 0.6, 2)
X = R(3, 3)
case("B068", "declare X 2 expression det(X + 1) derivative wrt X", dict(X=X), det(X + 1), cof(X + 1))
case("B068/after", "declare X 2 expression 1 + det(X) derivative wrt X", dict(X=X), 1 + det(X), cof(X))
X = R(2, 3)
case("B068/log", "declare X 2 expression X + log(2) derivative wrt X", dict(X=X), X + log(2),
     E("ik,jl->ijkl", I(2), I(3)))
case("B068/undetermined", "declare x 1 expression ¦1 *(i,j->ij) x derivative wrt x", dict(x=R(3)), error="undetermined-dimension")
a, x, U = R(2), R(3), R(2, 3)
case("B152", "declare a 1 x 1 expression a *(i,j->ij) x derivative wrt x", dict(a=a, x=x), np.outer(a, x),
     E("i,jk->ijk", a, I(3)))
case("B152/pullback", "declare a 1 x 1 expression a *(i,j->ij) x", dict(a=a, x=x), cotangent=U,
     grads=dict(a=U @ x, x=a @ U))
case("B152/seed", "declare a 1 x 1 expression a *(i,j->ij) x", dict(a=a, x=x), cotangent=[1], error="any")

# ------------------------------------------------------------------ points without a derivative
topic("kinks and infinities")
case("B069", "declare x 1 expression relu(x) derivative wrt x", dict(x=[0, 1, -1]), [0, 1, 0], diag([0.0, 1, 0]),
     conventions=["relu-at-0"])
case("B069/abs", "declare x 1 expression 0.5 *(,i->i) (x + abs(x)) derivative wrt x", dict(x=[0, 1, -1]), [0, 1, 0],
     diag([0.5, 1, 0]))
case("B069/max", "declare x 1 expression max(x, 0) derivative wrt x", dict(x=[0, 1, -1]), [0, 1, 0], diag([0.5, 1, 0]),
     note="ties of max split evenly")
case("B069/sign", "declare x 1 expression relu(sign(x))", dict(x=[-0.0, 5e-324, -5e-324]), [0, 1, 0])
case("B072", "declare x 1 expression relu(x) + log(1 + exp(-(abs(x)))) derivative wrt x", dict(x=[0, 2]),
     log(1 + exp(np.array([0.0, 2]))), diag(1 / (1 + exp(-np.array([0.0, 2])))))
t = "((a *(,i->i) x) *(i,i->) (a *(,i->i) x))^0.5"
case("B073", f"declare a 0 x 1 expression {t} derivative wrt a, x", dict(a=1.3, x=[0, 0]), 0, dict(a=0, x=[0, 0]))
case("B073/norm2", "declare a 0 x 1 expression norm2(a * x) derivative wrt a, x", dict(a=1.3, x=[0, 0]), 0, dict(a=0, x=[0, 0]))
case("B073/factored", "declare a 0 x 1 expression abs(a) * norm2(x) derivative wrt a, x", dict(a=1.3, x=[0, 0]), 0,
     dict(a=0, x=[0, 0]))
case("B076", "declare x 0 expression ((x - x)^2)^0.5 derivative wrt x", dict(x=1.7), 0, 0)
case("B077", "declare x 1 expression x^0 derivative wrt x", dict(x=[0, 2]), [1, 1], np.zeros((2, 2)))
case("B077/variable", "declare x 1 a 0 expression x^a derivative wrt x", dict(x=[0, 2], a=0.0), [1, 1], np.zeros((2, 2)))
case("B080", "declare A 2 t 0 expression ((((A^t)^0.5) - A)^2 *(ij,ij->) 1)^0.5 derivative wrt t",
     dict(A=[[1, 0], [0, 3]], t=4.0), 6, 9 * log(3) / 2)
case("B088", "declare m 1 q 1 expression 1 *(i,i->) (m *(i,i->i) (q^0.5)) derivative wrt q", dict(m=[1, 0], q=[4, 0]), 2,
     [0.25, 0])
case("B088/condition", "declare q 1 expression sum((q > 0) .* sqrt(q)) derivative wrt q", dict(q=[4, 0]), 2, [0.25, 0])
e = np.zeros((6, 4))
e[0, 0] = 1
X, Y = np.tile(np.arange(4.0) - 2, (6, 1)), np.tile((np.arange(6.0) - 3)[:, None], (1, 4))
case("B090", "declare a 0 X 2 Y 2 e 2 expression e *(ij,ij->) ((X^2 + a *(,ij->ij) (Y^2))^0.5) derivative wrt a",
     dict(a=1.0, X=X, Y=Y, e=e), math.sqrt(13), 9 / (2 * math.sqrt(13)))
case("B118", "declare x 1 expression 0 *(,i->i) x derivative wrt x", dict(x=[1, 2]), [0, 0], np.zeros((2, 2)))
case("B118/infinite", "declare x 1 expression 0 *(,i->i) x derivative wrt x", dict(x=[math.inf, 2]), d=np.zeros((2, 2)))
case("B118/difference", "declare x 1 expression x - x derivative wrt x", dict(x=[1, 2]), [0, 0], np.zeros((2, 2)))

# ------------------------------------------------------------------ large arguments
topic("large arguments")
for i, x, v, g in (("B081", [1000, 1000], 1000 + log(2), [0.5, 0.5]), ("B081/low", [-1000, -1000], -1000 + log(2), [0.5, 0.5]),
                   ("B081/apart", [1000, 0], 1000, [1, 0])):
    g = np.array(g, dtype=float)
    case(i, "declare x 1 expression log(1 *(i,i->) exp(x)) derivative wrt x", dict(x=x), v, g, diag(g) - np.outer(g, g), order=2)
    case(i.replace("B081", "B081/atom"), "declare x 1 expression logsumexp(x) derivative wrt x", dict(x=x), v, g, diag(g) - np.outer(g, g), order=2)
x = np.array([1000.0, 50, 0, -50, -1000])
sp = np.logaddexp(0, x)
sg = np.where(x >= 0, 1 / (1 + exp(-np.abs(x))), exp(-np.abs(x)) / (1 + exp(-np.abs(x))))
case("B083", "declare x 1 expression log(1 + exp(x)) derivative wrt x", dict(x=x), sp, diag(sg), relative=True)
case("B083/atom", "declare x 1 expression softplus(x) derivative wrt x", dict(x=x), sp, diag(sg), relative=True)
a = np.array([30.0, -800])
v = np.logaddexp(0, -a)
g = diag([-exp(-30.0) / (1 + exp(-30.0)), -1])
case("B085", "declare a 1 expression -(log(1 / (1 + exp(-a)))) derivative wrt a", dict(a=a), v, g, relative=True)
case("B085/hidden", "declare a 1 expression -(log((1 / (1 + exp(-a))) *(i,->i) 1)) derivative wrt a", dict(a=a), v, g, relative=True)
case("B085/transposed", "declare a 2 expression -(log(1 / (1 + exp(-(a'))))) derivative wrt a", dict(a=a.reshape(1, 2)),
     v.reshape(2, 1), g.reshape(2, 1, 1, 2),
     relative=True)

# ------------------------------------------------------------------ sharing
topic("sharing")


def tower(n, s, a):
    """e <- sqrt(s_k) + log(s_k)/e - e^2, with its derivative in e_0."""
    e, d = a, 1.0
    for k in range(n):
        e, d = math.sqrt(s[k]) + log(s[k]) / e - e * e, -log(s[k]) / e ** 2 * d - 2 * e * d
    return e, d


def towertext(n):
    lets = "\n".join(f"let e{k + 1} = s{k}^0.5 + log(s{k}) / e{k} - e{k} *(,->) e{k}".replace("e0", "a") for k in range(n - 1))
    last = f"s{n - 1}^0.5 + log(s{n - 1}) / e{n - 1} - e{n - 1} *(,->) e{n - 1}"
    return "declare a 0 " + " ".join(f"s{k} 0" for k in range(n)) + f"\n{lets}\nexpression {last}\nderivative wrt a"


for n in (3, 5):
    s = [2 + k / 10 for k in range(n)]
    v, d = tower(n, s, 1.5)
    case(f"B093/{n}", towertext(n), dict(a=1.5, **{f"s{k}": s[k] for k in range(n)}), v, d)
case("B093/17", towertext(17), dims=dict(a=[]), want=["text"], longest=20000,
     note="as a tree the derivative has millions of nodes; it prints with shared lines")
v = R(3)
case("B141", "declare v 1 expression sin(v) + cos(sin(v)) derivative wrt v", dict(v=v), np.sin(v) + np.cos(np.sin(v)),
     diag(np.cos(v) * (1 - np.sin(np.sin(v)))))
case("B141/shared", "declare x 0 a 0 expression x *(,->) (x *(,->) a) + (x *(,->) x) *(,->) a + x *(,->) (x *(,->) a) derivative wrt x",
     dict(x=1.0, a=1.0), 3, 6)
case("B141/doubling", "declare x 0 let b = x + x let c = b + b expression b *(,->) c derivative wrt x", dict(x=1.7), 8 * 1.7 ** 2, 16 * 1.7)
case("B141/diamond", "declare a 0 b 0 expression (a + b) + (a * b) + (a + b) * (a * b) derivative wrt a, b", dict(a=2.0, b=3.0),
     41, dict(a=25, b=19))
a, b, c, d = R(3), R(3), R(3), R(3)
case("B096", "declare a 1 b 1 c 1 d 1 expression a + (b + (-(a))) + c - d + d - c derivative wrt b", dict(a=a, b=b, c=c, d=d), b, I(3))

# ------------------------------------------------------------------ soundness of simplification
topic("soundness")
case("B115", "declare x 0 expression x / x derivative wrt x", dict(x=2.0), 1, 0)
case("B115/zero", "declare x 0 expression x / x", dict(x=0.0), math.nan)
case("B115/difference", "declare x 0 expression (x - x) / (x - x)", dict(x=2.0), math.nan)
case("B115/product", "declare x 0 expression x *(,->) (1/x) derivative wrt x", dict(x=2.0), 1, 0)
case("B115/product-zero", "declare x 0 expression x *(,->) (1/x)", dict(x=0.0), math.nan)
t = "(1.1540262529490819e-7 *(5.011872336272725e-8 + a)* 10^(-x)) / (2.511886431509582e-15 *(a + 10^(-x))^2) + (-2.302585092994046 *(5.011872336272725e-8 + a)* 10^(-x)) / (5.011872336272725e-8 *(a + 10^(-x)))"


def titration(a, x):
    t = 10.0 ** (-x)
    return (1.1540262529490819e-7 * (5.011872336272725e-8 + a) * t) / (2.511886431509582e-15 * (a + t) ** 2) \
        + (-2.302585092994046 * (5.011872336272725e-8 + a) * t) / (5.011872336272725e-8 * (a + t))


case("B116", f"declare a 0 x 0 expression {t} derivative wrt a, x", dict(a=1.0, x=1.0), titration(1.0, 1.0),
     dict(a=jac(lambda a: titration(a, 1.0), 1.0), x=jac(lambda x: titration(1.0, x), 1.0)), relative=True)
assert abs(titration(1.0, 1.0) + 379691.03250567336) < 1e-4
case("B120", "declare x 0 expression (x^2)^0.5 derivative wrt x", dict(x=-3.0), 3, -1)
case("B120/reciprocal", "declare x 0 expression (x^(-2))^0.5 derivative wrt x", dict(x=-2.0), 0.5, 0.25)
case("B120/product", "declare x 0 y 0 expression (x *(,->) y)^0.5 derivative wrt x, y", dict(x=-2.0, y=-8.0), 4, dict(x=-1, y=-0.25))
x = np.array([-2.0])
case("B147", "declare x 1 a 0 expression x^a derivative wrt x, a", dict(x=x, a=3.0), [-8], dict(x=[[12]], a=[math.nan]))
case("B147/square", "declare x 1 a 0 expression x^a derivative wrt x", dict(x=x, a=2.0), [4], [[-4]])
case("B147/constant", "declare x 1 expression x^3 derivative wrt x", dict(x=x), [-8], [[12]])
case("B147/fraction", "declare x 1 expression x^2.5", dict(x=x), [math.nan])

# ------------------------------------------------------------------ reading
topic("reading")
elsewhere("B124", "deep nesting of parentheses, functions and signs", "TestDeepNesting")
for i, t, x, v, d in (("B126", "-x^2", 3.0, -9, -6), ("B126/literal", "x - x + (-2^2)", 3.0, -4, 0), ("B126/paren", "(-2)^2 + 0*x", 3.0, 4, 0),
                      ("B126/negative-exponent", "2^-1 * x", 3.0, 1.5, 0.5), ("B126/minus-minus", "x - -x", 3.0, 6, 2),
                      ("B126/twice", "- - x", 3.0, 3, 1), ("B127", "x-1", 3.0, 2, 1), ("B127/space", "x -1", 3.0, 2, 1),
                      ("B127/numbers", "(2-1)*x", 3.0, 3, 1), ("B127/exponent", "x-1.5e-3", 3.0, 2.9985, 1),
                      ("B127/power", "x^2-1", 3.0, 8, 6), ("B127/sign", "(3 - -1)*x", 3.0, 12, 4)):
    case(i, f"declare x 0 expression {t} derivative wrt x", dict(x=x), v, d)
case("B126/only", "declare x 0 expression -2^2", dict(x=1.0), -4)
case("B127/only", "declare x 0 expression 2-1", dict(x=1.0), 1)
s, t = R(3), R(3)
case("B129", "declare sinx 1 expr1 1 inverse 2 delta1 1 detX 0 wrt1 0 expression sinx + expr1 derivative wrt sinx",
     dict(sinx=s, expr1=t, inverse=R(2, 2), delta1=R(2), detX=1.0, wrt1=2.0), s + t, I(3))
case("B129/short", "declare e 0 E 0 i 1 inv2 0 derivative2 0 expression e * E + inv2 * derivative2 + i *(i,i->) i derivative wrt i",
     dict(e=2.0, E=3.0, i=s, inv2=5.0, derivative2=7.0), 41 + s @ s, 2 * s)
case("B129/function", "declare ¦sin 1 expression sin + sin derivative wrt sin", error="reserved-name")
case("B129/keyword", "declare expression 1 expression expression derivative wrt expression", error="any")
case("B131", "declare X 2 expression 1*(ij,¦->)X derivative wrt X", error="index-count-mismatch")
case("B131/meant", "declare X 2 expression X *(ij,->) 1 derivative wrt X", dict(X=U), U.sum(), np.ones((2, 3)))
case("B132", "declare X 2 expression sin(delta(1)) *(ij,ij->) X derivative wrt ¦a", error="undeclared-argument")
case("B132/twice", "declare x 1 ¦x 2 expression x derivative wrt x", error="duplicate-declaration")
case("B132/order", "declare x ¦999999999 expression x derivative wrt x", error="limit")
case("B132/overflow", "declare x ¦99999999999999999999 expression x derivative wrt x", error="limit")
x, y, z = 1.3, 0.7, -0.4
for i, t, v in (("B135", "x - (y - z)", x - (y - z)), ("B135/quotient", "x / (y / z)", x / (y / z)), ("B135/power", "x ^ (y ^ 2)", x ** (y ** 2)),
                ("B135/left", "(x ^ y) ^ 2", (x ** y) ** 2), ("B135/sign", "(-x)^2 - (-(x^2))", 2 * x * x), ("B135/literal", "2 ^ (-1) + z", 0.5 + z),
                ("B135/chain", "x - y - z", x - y - z), ("B135/divide", "x / y / z", x / y / z)):
    case(i, f"declare x 0 y 0 z 0 expression {t}", dict(x=x, y=y, z=z), v)
case("B149", "declare X 5 Y 3 expression X *(aabc¦b,abc->) Y", dims=dict(X=[3, 3, 4, 5, 6], Y=[3, 4, 5]),
     error="dimension-mismatch", says=["b", "4", "6"])
case("B149/matrix", "declare X 2 Y 2 expression X *(ij,¦jk->ik) Y", dims=dict(X=[2, 3], Y=[2, 2]),
     error="dimension-mismatch", says=["j", "3", "2"])
case("B149/order", "declare A 2 v 1 expression A *(¦ijk,j->i) v", error="index-count-mismatch", says=["2", "3"])

# ------------------------------------------------------------------ later parts
topic("index notation")
x, W, dy = R(3, 3), R(2, 2, 2, 2), R(2, 2)
y, dx, dW = np.zeros((2, 2)), np.zeros((3, 3)), np.zeros((2,) * 4)
for s, t, i, j in np.ndindex(2, 2, 2, 2):
    y[s, t] += W[s, t, i, j] * x[s + i, t + j]
    dx[s + i, t + j] += dy[s, t] * W[s, t, i, j]
    dW[s, t, i, j] = dy[s, t] * x[s + i, t + j]
index("B099", "y[s;t] = sum{i}_0^1 (sum{j}_0^1 (W[s;t;i;j] * x[s + i;t + j]))", dict(W=W, x=x), ("y", (2, 2)), y, dy,
      dict(W=dW, x=dx))
x = np.array([[1.0, 2, 4], [3, 3, 5], [0, 1, 2]])
v, dx = 0.0, np.zeros((3, 3))
for i, j in np.ndindex(2, 2):
    a, b = x[i, j] - x[i + 1, j], x[i, j] - x[i, j + 1]
    r = math.hypot(a, b)
    v += r
    dx[i, j] += (a + b) / r
    dx[i + 1, j] -= a / r
    dx[i, j + 1] -= b / r
index("B100", "f = sum{i}_0^1 (sum{j}_0^1 (((x[i;j] - x[i + 1;j]) ** 2 + (x[i;j] - x[i;j + 1]) ** 2) ** 0.5))", dict(x=x),
      ("f", ()), v, 1.0, dict(x=dx))


def strided(id, text, n, m, terms, x, w, dy, values=True):
    """y[i] = sum of w[k] x[at(i, k)], and its adjoint by scattering."""
    y, dx, dw = np.zeros(n), np.zeros(m), np.zeros(len(w))
    for i in range(n):
        for k in range(len(w)):
            y[i] += w[k] * x[terms(i, k)]
            dx[terms(i, k)] += w[k] * dy[i]
            dw[k] += dy[i] * x[terms(i, k)]
    index(id, text, dict(w=w, x=x), ("y", (n,)), y, dy, dict(w=dw, x=dx))


strided("B102", "y[i] = sum{k}_0^2 (w[k] * x[2*i + k])", 2, 6, lambda i, k: 2 * i + k, np.arange(1.0, 7), [1, 10, 100], [1, 2])
strided("B103", "y[i] = sum{k}_0^2 (w[k] * x[6*i + 4*k])", 2, 15, lambda i, k: 6 * i + 4 * k, R(15), [1, 10, 100], [1, 2])
strided("B104", "y[i] = sum{k}_0^3 (w[k] * x[3*i - 2*k + 6])", 3, 13, lambda i, k: 3 * i - 2 * k + 6, R(13), R(4), R(3))
w, x, dy = R(*(2,) * 6), R(12, 33), R(2, 2)
y, dx = np.zeros((2, 2)), np.zeros((12, 33))
for i, j, a, b, c, d, e, f in np.ndindex(*(2,) * 8):
    p, q = i + 2 * a + 3 * b + 5 * c, j + 7 * d + 11 * e + 13 * f
    y[i, j] += w[a, b, c, d, e, f] * x[p, q]
    dx[p, q] += w[a, b, c, d, e, f] * dy[i, j]
index("B108", "y[i;j] = sum{a}_0^1 (sum{b}_0^1 (sum{c}_0^1 (sum{d}_0^1 (sum{e}_0^1 (sum{g}_0^1 (w[a;b;c;d;e;g] * x[i + 2*a + 3*b + 5*c;j + 7*d + 11*e + 13*g]))))))",
      dict(w=w, x=x), ("y", (2, 2)), y, dy, dict(x=dx))
elsewhere("B109", "Smith form: divisibility", "TestSmithKnown")
elsewhere("B110", "Smith form: unimodular and without overflow", "TestSmithOfSparseMultiples")
elsewhere("B113", "Smith form: rank deficient shapes", "TestSmithKnown")
a, b, c, d = (0.5 * R(*t) for t in ((3, 5), (4, 5), (3, 3), (8,)))
u = np.zeros((3, 4))
for i, j, k in np.ndindex(3, 4, 5):
    u[i, j] += (a[i, k] + b[j, k]) ** 2 * c[i, i] + d[i + k] ** 3
f = exp(-u)
dy = R(3, 4)
da, db, dc, dd = np.zeros((3, 5)), np.zeros((4, 5)), np.zeros((3, 3)), np.zeros(8)
for i, j, k in np.ndindex(3, 4, 5):
    g = -dy[i, j] * f[i, j]
    da[i, k] += g * 2 * (a[i, k] + b[j, k]) * c[i, i]
    db[j, k] += g * 2 * (a[i, k] + b[j, k]) * c[i, i]
    dc[i, i] += g * (a[i, k] + b[j, k]) ** 2
    dd[i + k] += g * 3 * d[i + k] ** 2
assert dd[7] == 0
text = "f[i; j] = exp (-sum{k}_0^4 (((a[i; k] + b[j; k]) ** 2 * c[i; i] + d[i + k] ** 3)))"
index("B114", text, dict(a=a, b=b, c=c, d=d), ("f", (3, 4)), f, dy, dict(a=da, b=db, c=dc, d=dd))
D, H = np.zeros((3, 4, 8)), np.zeros((3, 4, 8, 8))
for i, j in np.ndindex(3, 4):
    g = np.array([3 * d[p] ** 2 if i <= p <= i + 4 else 0 for p in range(8)])
    D[i, j] = -f[i, j] * g
    H[i, j] = f[i, j] * (np.outer(g, g) - diag([6 * d[p] if i <= p <= i + 4 else 0 for p in range(8)]))
index("B114/second", text, dict(a=a, b=b, c=c, d=d), ("f", (3, 4)), f, wrt="d", order=2, d=D, h=H)
x, dz = R(9), R(4)
dx = np.zeros(9)
dx[1:8:2] = dz
index("B157", "z[i] = x[2*i + 1]", dict(x=x), ("z", (4,)), x[1:8:2], dz, dict(x=dx))
x, dy = R(5), R(4)
index("B159", "y[i] = x[i + 1] - x[i]", dict(x=x), ("y", (4,)), np.diff(x), dy,
      dict(x=[-dy[0], dy[0] - dy[1], dy[1] - dy[2], dy[2] - dy[3], dy[3]]))
topic("structured derivatives")
n, w = 4.0, R(5)
k, one = np.arange(1.0, 6), np.ones(5)
txt = "((((n - 1 *(i,i->) cos(w)) *(,i->i) one) + k *(i,i->i) (one - cos(w)) - sin(w))^2) *(i,i->) 1"
r = n - np.cos(w).sum() + k * (1 - np.cos(w)) - np.sin(w)
J = np.outer(one, np.sin(w)) + diag(k * np.sin(w) - np.cos(w))
H = 2 * J.T @ J + diag(2 * r.sum() * np.cos(w)) + diag(2 * r * (k * np.cos(w) + np.sin(w)))
case("B094/value", f"declare w 1 k 1 one 1 n 0 expression {txt} derivative wrt w", dict(w=w, k=k, one=one, n=n), (r ** 2).sum(),
     2 * J.T @ r, H, order=2)
elsewhere("B094", "the same with 500 unknowns, in quadratic time", "TestLargeCases")
elsewhere("B136", "the Jacobian of an element-wise function of 1e5 elements stays diagonal", "TestLargeCases")
X, y, w = R(6, 3), R(6), R(3)
u = y * (X @ w)
sg = 1 / (1 + exp(u))
case("B137/value", "declare X 2 y 1 w 1 expression 1 *(i,i->) log(1 + exp(-(y *(i,i->i) (X *(ij,j->i) w)))) derivative wrt w",
     dict(X=X, y=y, w=w), log(1 + exp(-u)).sum(), -X.T @ (y * sg), X.T @ diag(y * y * sg * (1 - sg)) @ X, order=2)
elsewhere("B137", "logistic regression's Hessian at 2000 by 200 without a large temporary", "TestLargeCases")
A, T = R(3, 2), R(2, 2, 2, 2)
case("B154/value", "declare A 2 T 4 expression A *(ia,abcd->ibcd) (A *(jb,abcd->ajcd) (A *(kc,abcd->abkd) (A *(ld,abcd->abcl) T))) derivative wrt T",
     dict(A=A, T=T), E("ia,jb,kc,ld,abcd->ijkl", A, A, A, A, T), E("ia,jb,kc,ld->ijklabcd", A, A, A, A))
elsewhere("B154", "the derivative of four products with one matrix stays factored", "TestLargeCases")
topic("rules")
elsewhere("B155", "verdicts on sixteen candidate rules", "TestCandidates")
elsewhere("B160", "adjoints of the linear constructors", "TestRightRules")
topic("checking")
elsewhere("B140", "scaled steps: right derivatives pass, a wrong factor 1.03 does not", "TestCheck")

if __name__ == "__main__":
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.jsonl")
    seen = set()
    with open(path, "w", encoding="utf-8") as f:
        for r in ROWS:
            assert r["id"] not in seen, r["id"]
            seen.add(r["id"])
            f.write(json.dumps(r, ensure_ascii=False, separators=(",", ":")) + "\n")
    print(len(ROWS), "cases,", os.path.getsize(path), "bytes")
