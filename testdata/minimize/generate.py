#!/usr/bin/env python3
"""Writes the data of the minimisations, and their minima found in another way: optimum.json.

Logistic regression (the data of ../logistic) by scipy's trust region with the Hessian,
ridge by the normal equations. The masked factorisation is, where k is at least the rank of
the solution, the convex problem  sum((M .* (A - Z))^2) + 2 lam |Z|_*, solved by soft
thresholding of singular values. The targets of the net are values of a net of the same
form, so its minimum is 0. Deterministic.
"""
import json
import os

import numpy as np
from scipy.optimize import minimize

here = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(11)


def save(name, a, fmt="%.4f"):
    np.savetxt(os.path.join(here, name), a, fmt=fmt, delimiter=",")


# ridge
X = rng.normal(size=(50, 4)).round(4)
y = (X @ [1.5, -2, 0.5, 0] + rng.normal(0, 0.3, 50)).round(4)
save("ridge_X.csv", X)
save("ridge_y.csv", y)
lam = 2.0
w = np.linalg.solve(X.T @ X + lam * np.eye(4), X.T @ y)
optimum = {"ridge": {"value": ((X @ w - y) ** 2).sum() + lam * w @ w, "w": list(w)}}

# logistic
X = np.load(os.path.join(here, "../logistic/X.npy"))
y = np.loadtxt(os.path.join(here, "../logistic/y.csv"))
lam = 0.1


def value(w):
    return np.logaddexp(0, -y * (X @ w)).sum() + 0.5 * lam * w @ w


def gradient(w):
    return lam * w - X.T @ (y / (1 + np.exp(y * (X @ w))))


def hessian(w):
    p = 1 / (1 + np.exp(-X @ w))
    return lam * np.eye(len(w)) + X.T @ ((p * (1 - p))[:, None] * X)


r = minimize(value, np.zeros(6), jac=gradient, hess=hessian, method="trust-exact", options={"gtol": 1e-11})
optimum["logistic"] = {"value": r.fun, "w": list(r.x)}

# masked factorisation
A = (rng.normal(size=(12, 2)) @ rng.normal(size=(2, 9)) + rng.normal(0, 0.1, (12, 9))).round(4)
M = (rng.random((12, 9)) < 0.7).astype(float)
save("masked_A.csv", A)
save("masked_M.csv", M, "%d")
lam, Z = 1.0, np.zeros_like(A)
for _ in range(20000):
    u, s, v = np.linalg.svd(Z + M * (A - Z), full_matrices=False)
    Z = u * np.maximum(s - lam, 0) @ v
s = np.linalg.svd(Z, compute_uv=False)
optimum["masked"] = {"value": ((M * (A - Z)) ** 2).sum() + 2 * lam * s.sum()}
print("rank", (s > 1e-9).sum())

# net
X = rng.normal(size=(40, 2)).round(4)
W, b, a = np.array([[1.0, -0.5], [0.5, 1.5]]), np.array([0.2, -0.3]), np.array([1.0, -0.7])
np.save(os.path.join(here, "net_X.npy"), X)
np.save(os.path.join(here, "net_y.npy"), np.tanh(X @ W.T + b) @ a)
optimum["net"] = {"value": 0.0}

with open(os.path.join(here, "optimum.json"), "w") as f:
    json.dump(optimum, f, indent=1)
    f.write("\n")
