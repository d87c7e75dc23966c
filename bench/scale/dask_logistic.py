"""Logistic regression on a cluster of Dask, on more data than its workers have memory, by exported code.

    bench/scale/run dask [--gigabytes 1.5] [--workers 2] [--memory 400MB]

Data are made on the spot, in chunks of .npy files. Value, gradient and Hessian are compared with NumPy, chunk by chunk; then Newton's
method is run. What is printed are times, and the peak of memory of each worker.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

import dask
import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster

PROGRAM = "declare X[m,n] y[m] w[n] lam[] expression sum(log(1 + exp(-y .* (X*w)))) + 0.5*lam*(w'*w) hessian wrt w"
COLUMNS, ROWS = 20, 100_000  # of a chunk: 16 MB


def exported(target, program, name):
    code = subprocess.run([os.environ["FRECHET"], "export", "--target", target, "--name", name, program], check=True,
                          capture_output=True, text=True).stdout
    scope = {}
    exec(compile(code, f"<{name}>", "exec"), scope)
    return scope[name]


def write(folder, chunks):
    truth = np.linspace(-1, 1, COLUMNS)
    for k in range(chunks):
        rng = np.random.default_rng(k)
        X = rng.standard_normal((ROWS, COLUMNS))
        np.save(f"{folder}/X{k}.npy", X)
        np.save(f"{folder}/y{k}.npy", np.where(rng.random(ROWS) < 1 / (1 + np.exp(-X @ truth)), 1.0, -1.0))


def read(folder, chunks, name, *columns):
    load = dask.delayed(np.load)
    return da.concatenate([da.from_delayed(load(f"{folder}/{name}{k}.npy"), (ROWS, *columns), float) for k in range(chunks)])


def by_numpy(folder, chunks, w, lam):
    value, grad, hess = 0.5 * lam * w @ w, lam * w, lam * np.eye(COLUMNS)
    for k in range(chunks):
        X, y = np.load(f"{folder}/X{k}.npy"), np.load(f"{folder}/y{k}.npy")
        z = -y * (X @ w)
        s = 1 / (1 + np.exp(-z))
        value, grad = value + np.logaddexp(0, z).sum(), grad - X.T @ (y * s)
        hess = hess + (X * (s * (1 - s))[:, None]).T @ X
    return value, grad, hess


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gigabytes", type=float, default=1.5)
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--memory", default="400MB")
    o = p.parse_args()
    chunks = max(1, round(o.gigabytes * 1e9 / (ROWS * COLUMNS * 8)))
    loss = exported("dask", PROGRAM, "loss")
    dask.config.set({"distributed.worker.profile.enabled": False})
    with tempfile.TemporaryDirectory() as folder:
        start = time.time()
        write(folder, chunks)
        print(f"{chunks} chunks, {chunks * ROWS * COLUMNS * 8 / 1e9:.2f} GB, written in {time.time() - start:.1f} s")
        with LocalCluster(n_workers=o.workers, threads_per_worker=1, memory_limit=o.memory, host="127.0.0.1", dashboard_address=None,
                          local_directory=folder) as cluster, Client(cluster) as client:
            idle = client.run(peak)
            X, y = read(folder, chunks, "X", COLUMNS), read(folder, chunks, "y")

            def at(w):
                return dask.compute(*loss(X, y, w, 1.0))

            w = np.full(COLUMNS, 0.1)
            start = time.time()
            got = at(w)
            print(f"value, gradient and Hessian in {time.time() - start:.1f} s")
            start = time.time()
            want = by_numpy(folder, chunks, w, 1.0)
            print(f"NumPy, chunk by chunk, in {time.time() - start:.1f} s")
            for name, a, b in zip(("value", "gradient", "Hessian"), got, want):
                error = np.max(np.abs(np.asarray(a) - b)) / max(1, np.max(np.abs(b)))
                print(f"{name}: relative difference {error:.1e}")
                assert error < 1e-9, name
            start, w = time.time(), np.zeros(COLUMNS)
            for step in range(1, 20):
                value, grad, hess = at(w)
                w = w - np.linalg.solve(hess, grad)
                if np.abs(grad).max() < 1e-9 * chunks * ROWS:
                    break
            print(f"Newton: {step} steps, {time.time() - start:.1f} s, value {float(value):.6f}, largest entry of the gradient {np.abs(grad).max():.1e}")
            assert step < 19
            peaks = client.run(peak)
            print("peaks of the workers:", ", ".join(f"{m:.0f} MB ({idle[k]:.0f} idle)" for k, m in peaks.items()), f"of {o.memory}")
            assert all(m < 1.05 * dask.utils.parse_bytes(o.memory) / 2**20 for m in peaks.values())


if __name__ == "__main__":
    sys.exit(main())
