"""Value, gradient and Hessian of logistic regression, matrix factorisation with and without
mask, and a net of ten layers: by hand in numpy, in the best form an expert writes, and by
torch.

One JSON object a line, with the fields of `go run ./bench/hessian`; the data go to DIR as
.npz files if they are not there. Needs python3 with numpy; torch is used where it is
installed. usage: hessian_peer.py DIR [PROBLEM]
"""
import json
import os
import sys
import time

THREADS = int(os.environ.get("THREADS", "1"))
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = str(THREADS)
DIR, ONLY = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""

import numpy as np

try:
    import torch
    torch.set_num_threads(THREADS)
except ImportError:
    torch = None

SIZES = {"logistic": [10, 100, 500], "factorisation": [10, 50, 200], "masked": [10, 50, 200], "network": [10, 50]}
K, LAYERS = 5, 10


def bench(problem, n, what, impl, f, result=None):
    """Times f; result takes its value to the array that is compared."""
    value = f()
    checked = np.asarray(result(value) if result else value, dtype=float)
    batch, begin = 1, time.perf_counter()
    while True:
        start = time.perf_counter()
        for _ in range(batch):
            f()
        if time.perf_counter() - start > 0.005 or time.perf_counter() - begin > 1:
            break
        batch *= 2
    wall, cpu, begin = [], [], time.perf_counter()
    while len(wall) < 3 or time.perf_counter() - begin < 0.3:
        start, used = time.perf_counter(), time.process_time()
        for _ in range(batch):
            f()
        wall.append((time.perf_counter() - start) / batch)
        cpu.append((time.process_time() - used) / batch)
        if sum(wall) * batch > 3:
            break
    wall.sort()
    cpu.sort()
    print(json.dumps(dict(bench="hessian", problem=problem, n=n, what=what, impl=impl, threads=THREADS,
                          wall_best_s=wall[0], cpu_s=cpu[len(cpu) // 2],
                          sum=float(checked.sum()), squares=float((checked ** 2).sum()))), flush=True)


def data(problem, n):
    path = os.path.join(DIR, "%s-%d.npz" % (problem, n))
    if not os.path.exists(path):
        r = np.random.default_rng(n)
        if problem == "logistic":
            m = 2 * n
            d = dict(X=r.standard_normal((m, n)) / np.sqrt(n), y=np.where(r.random(m) < .5, -1., 1.), w=r.standard_normal(n))
        elif problem == "network":
            d = {"W%d" % (i + 1): r.standard_normal((n, n)) * np.sqrt(2 / n) for i in range(LAYERS)}
            d["x"], d["t"] = r.standard_normal(n), np.eye(n)[r.integers(n)]
        else:
            d = dict(T=r.standard_normal((n, n)), U=r.standard_normal((n, K)), V=r.standard_normal((n, K)))
            if problem == "masked":
                d["O"] = (r.random((n, n)) < .5).astype(float)
        np.savez(path, **d)
    return dict(np.load(path))


class Logistic:
    at = "w"

    def __init__(s, d): s.d = d

    def loss(s, w): return torch.log(torch.exp(-s.t["y"] * (s.t["X"] @ w)) + 1).sum()

    def value(s):
        d = s.d
        return np.log(np.exp(-d["y"] * (d["X"] @ d["w"])) + 1).sum()

    def gradient(s):
        d = s.d
        e = np.exp(-d["y"] * (d["X"] @ d["w"]))
        return np.log(e + 1).sum(), d["X"].T @ (-d["y"] * (e / (1 + e)))

    def hessian(s):
        d = s.d
        e = np.exp(-d["y"] * (d["X"] @ d["w"]))
        return (d["X"].T * (e / ((1 + e) * (1 + e)))) @ d["X"]  # y^2 = 1

    factors = hessian


class Factorisation:
    at = "U"

    def __init__(s, d): s.d, s.O = d, d.get("O")

    def loss(s, U):
        R = s.t["T"] - U @ s.t["V"].T
        return (R * R).sum() if s.O is None else (s.t["O"] * R * R).sum()

    def value(s):
        R = s.d["T"] - s.d["U"] @ s.d["V"].T
        return np.vdot(R if s.O is None else s.O * R, R)

    def gradient(s):
        R = s.d["T"] - s.d["U"] @ s.d["V"].T
        OR = R if s.O is None else s.O * R
        return np.vdot(OR, R), -2 * (OR @ s.d["V"])

    def factors(s):
        V = s.d["V"]
        if s.O is None:
            return V.T @ V
        return (s.O @ (V[:, :, None] * V[:, None, :]).reshape(len(V), -1)).reshape(len(V), K, K)

    def hessian(s):
        n = len(s.d["U"])
        H, i = np.zeros((n, K, n, K)), np.arange(n)
        H[i, :, i, :] = 2 * s.factors()
        return H


class Network:
    """The Hessian by the first matrix is M[i,k] x[j] x[l]."""
    at = "W1"

    def __init__(s, d):
        s.d, s.W = d, [d["W%d" % (i + 1)] for i in range(LAYERS)]

    def loss(s, W):
        h = torch.relu(W @ s.t["x"])
        for i in range(2, LAYERS):
            h = torch.relu(s.t["W%d" % i] @ h)
        z = s.t["W%d" % LAYERS] @ h
        return torch.logsumexp(z, 0) - s.t["t"] @ z

    def forward(s):
        h, masks = s.d["x"], []
        for w in s.W[:-1]:
            z = w @ h
            masks.append(z > 0)
            h = np.maximum(z, 0)
        z = s.W[-1] @ h
        e = np.exp(z - z.max())
        return masks, e / e.sum(), z.max() + np.log(e.sum()) - s.d["t"] @ z

    def value(s): return s.forward()[2]

    def gradient(s):
        masks, p, f = s.forward()
        g = p - s.d["t"]
        for w, m in zip(s.W[:0:-1], masks[::-1]):
            g = (w.T @ g) * m
        return f, np.multiply.outer(g, s.d["x"])

    def factors(s):
        masks, p, _ = s.forward()
        J = s.W[-1] * masks[-1]
        for w, m in zip(s.W[-2:0:-1], masks[-2::-1]):
            J = (J @ w) * m
        q = p @ J
        return (J.T * p) @ J - np.multiply.outer(q, q)

    def hessian(s):
        x = s.d["x"]
        return s.factors()[:, None, :, None] * (x[:, None, None] * x)


CLASSES = {"logistic": Logistic, "factorisation": Factorisation, "masked": Factorisation, "network": Network}

for problem, sizes in SIZES.items():
    for n in sizes:
        d = data(problem, n)
        if not problem.startswith(ONLY):
            continue
        p = CLASSES[problem](d)
        bench(problem, n, "value", "numpy", p.value)
        bench(problem, n, "gradient", "numpy", p.gradient, lambda r: r[1])
        bench(problem, n, "factors", "numpy", p.factors)
        bench(problem, n, "hessian", "numpy", p.hessian)
        if torch is None:
            continue
        p.t = {k: torch.from_numpy(v) for k, v in d.items()}
        x = p.t[p.at].clone().requires_grad_(True)
        flat = p.t[p.at]

        def both():
            y = p.loss(x)
            return y, torch.autograd.grad(y, x)[0]

        def value():
            with torch.no_grad():
                return p.loss(flat)

        bench(problem, n, "value", "torch", value)
        bench(problem, n, "gradient", "torch", both, lambda r: r[1])
        ways = [lambda v=v: torch.autograd.functional.hessian(p.loss, flat, vectorize=v) for v in (False, True)]
        times = []
        for w in ways:  # the faster of a loop and a batch
            start = time.process_time()
            w()
            times.append(time.process_time() - start)
        bench(problem, n, "hessian", "torch", ways[times.index(min(times))])
