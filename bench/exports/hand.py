"""What a person writes for the same: value and derivatives, with what they share computed once."""
import numpy as np


def logistic(X, w, y):
    z = -y * (X @ w)
    s = 1 / (1 + np.exp(-z))
    return np.logaddexp(0, z).sum(), -X.T @ (y * s)


def logistic_hessian(X, w, y):
    z = -y * (X @ w)
    s = 1 / (1 + np.exp(-z))
    return np.logaddexp(0, z).sum(), -X.T @ (y * s), (X * (y * y * s * (1 - s))[:, None]).T @ X


def ridge(X, w, y, lam):
    r = X @ w - y
    return r @ r + lam * (w @ w), 2 * (X.T @ r + lam * w)


def factorisation(A, U, V):
    R = A - U @ V.T
    return np.sum(R * R), -2 * R @ V, -2 * R.T @ U


def poisson(X, w, y):
    u = X @ w
    e = np.exp(u)
    return np.sum(e - y * u), X.T @ (e - y), (X * e[:, None]).T @ X


def softmax(X, W, Y):
    Z = X @ W
    top = Z.max(axis=1, keepdims=True)
    E = np.exp(Z - top)
    S = E.sum(axis=1, keepdims=True)
    return np.sum(np.log(S) + top) - np.sum(Y * Z), X.T @ (E / S - Y)


def elementwise(x):
    t = np.tanh(x)
    e = np.exp(-x * x)
    return t @ e, (1 - t * t) * e - 2 * x * t * e
