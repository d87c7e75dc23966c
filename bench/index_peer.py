"""Index notation in numpy and torch: convolutions with both adjoints, the example of Urban
and van der Smagt's section 6 with its gradients, running sums, gathers and scatters.

One JSON object a line, with the fields of `go run ./bench/index`. Needs python3 with numpy;
torch is used where it is installed. Nothing is installed or written.
"""
import json
import os
import sys
import time

THREADS = int(os.environ.get("THREADS", "1"))
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = str(THREADS)
ONLY = sys.argv[1] if len(sys.argv) > 1 else ""

import numpy as np

try:
    import torch
    import torch.nn.functional as F
    torch.set_num_threads(THREADS)
except ImportError:
    torch = None

rng = np.random.default_rng(0)


def data(*shape):
    return rng.uniform(-1, 1, shape)


def bench(case, impl, f, flops=0.0):
    if not case.startswith(ONLY):
        return
    f()
    times, cpu, begin = [], [], time.perf_counter()
    while len(times) < 5 or time.perf_counter() - begin < 0.3 and len(times) < 200:
        start, used = time.perf_counter(), time.process_time()
        f()
        times.append(time.perf_counter() - start)
        cpu.append(time.process_time() - used)
        if sum(times) > 5 and len(times) >= 2:
            break
    times.sort()
    cpu.sort()
    line = dict(bench="index", case=case, impl=impl, threads=THREADS, wall_s=times[len(times) // 2], wall_best_s=times[0], cpu_s=cpu[len(cpu) // 2])
    if flops:
        line["flops"] = flops
    print(json.dumps(line), flush=True)


def tensor(x):
    return torch.from_numpy(np.ascontiguousarray(x))


def same(case, *values):
    """The implementations agree, or the comparison means nothing."""
    first = np.asarray(values[0])
    for v in values[1:]:
        assert np.allclose(first, np.asarray(v), rtol=1e-9, atol=1e-9), case


def product():
    w, x = data(16, 75), data(75, 28800)
    bench("gemm/product", "numpy", lambda: w @ x, 2 * 16 * 75 * 28800)
    if torch:
        tw, tx = tensor(w), tensor(x)
        bench("gemm/product", "torch", lambda: tw @ tx, 2 * 16 * 75 * 28800)


def conv(d, n, c, h, o, k):
    """Windows as a view, contracted by tensordot: what one writes in numpy."""
    case, i = "conv%dd" % d, h - k + 1
    flops = 2.0 * n * o * c * (i * k) ** d
    x, w, dy = data(n, c, *[h] * d), data(o, c, *[k] * d), data(n, o, *[i] * d)
    axes = tuple(range(2, 2 + d))
    window = lambda v: np.lib.stride_tricks.sliding_window_view(v, (k,) * d, axis=axes)

    def forward():
        y = np.tensordot(window(x), w, ((1, *range(2 + d, 2 + 2 * d)), (1, *axes)))
        return np.ascontiguousarray(np.moveaxis(y, -1, 1))

    def kernel():
        g = np.tensordot(dy, window(x), ((0, *axes), (0, *axes)))
        return g

    def adjoint():  # the full correlation with the kernel turned round
        p = np.pad(dy, [(0, 0), (0, 0)] + [(k - 1, k - 1)] * d)
        g = np.tensordot(window(p), np.flip(w, axes), ((1, *range(2 + d, 2 + 2 * d)), (0, *axes)))
        return np.ascontiguousarray(np.moveaxis(g, -1, 1))

    if torch:
        tx, tw, tdy = tensor(x), tensor(w), tensor(dy)
        f = F.conv1d if d == 1 else F.conv2d
        gi = torch.nn.grad.conv1d_input if d == 1 else torch.nn.grad.conv2d_input
        vw = tensor(w).requires_grad_(True)
        gw = lambda: torch.autograd.grad(f(tx, vw), vw, tdy)[0]
        same(case, forward(), f(tx, tw))
        same(case, adjoint(), gi(tx.shape, tw, tdy))
        same(case, kernel(), gw())
        # A graph that is kept: its backward pass alone is timed.
        y = f(tx, vw)
        back = lambda: torch.autograd.grad(y, vw, tdy, retain_graph=True)
        vx = tensor(x).requires_grad_(True)
        z = f(vx, tw)
        backx = lambda: torch.autograd.grad(z, vx, tdy, retain_graph=True)
        bench(case + "/forward", "torch", lambda: f(tx, tw), flops)
        bench(case + "/input", "torch", backx, flops)
        bench(case + "/kernel", "torch", back, flops)
    bench(case + "/forward", "numpy", forward, flops)
    bench(case + "/input", "numpy", adjoint, flops)
    bench(case + "/kernel", "numpy", kernel, flops)


def conv_single():
    n, k = 100000, 64
    x, w, dy = data(n), data(k), data(n - k + 1)
    flops = 2.0 * n * k
    bench("conv1d-single/forward", "numpy", lambda: np.correlate(x, w, "valid"), flops)
    bench("conv1d-single/input", "numpy", lambda: np.convolve(dy, w, "full"), flops)
    bench("conv1d-single/kernel", "numpy", lambda: np.correlate(x, dy, "valid"), flops)
    if torch:
        tx, tw, tdy = (tensor(v)[None, None] for v in (x, w, dy))
        same("conv1d-single", np.correlate(x, w, "valid"), F.conv1d(tx, tw)[0, 0])
        vx, vw = tx.clone().requires_grad_(True), tw.clone().requires_grad_(True)
        y, z = F.conv1d(tx, vw), F.conv1d(vx, tw)
        bench("conv1d-single/forward", "torch", lambda: F.conv1d(tx, tw), flops)
        bench("conv1d-single/input", "torch", lambda: torch.autograd.grad(z, vx, tdy, retain_graph=True), flops)
        bench("conv1d-single/kernel", "torch", lambda: torch.autograd.grad(y, vw, tdy, retain_graph=True), flops)


def section6():
    i, j, k = 100, 120, 50
    a, b, c, d, dy = data(i, k), data(j, k), data(i, i), data(i + k - 1), data(i, j)
    at = np.arange(i)[:, None] + np.arange(k)

    def forward():
        s = ((a[:, None, :] + b[None, :, :]) ** 2).sum(2) * np.diag(c)[:, None]
        return np.exp(-(s + (d ** 3)[at].sum(1)[:, None]))

    def gradients():
        ab = a[:, None, :] + b[None, :, :]
        f = np.exp(-((ab ** 2).sum(2) * np.diag(c)[:, None] + (d ** 3)[at].sum(1)[:, None]))
        g = -f * dy
        gab = 2 * np.diag(c)[:, None] * g
        da, db = np.einsum("ij,ijk->ik", gab, ab), np.einsum("ij,ijk->jk", gab, ab)
        dc = np.diag((g * (ab ** 2).sum(2)).sum(1))
        dd = np.zeros_like(d)
        np.add.at(dd, at, np.broadcast_to(g.sum(1)[:, None], at.shape))
        return f, da, db, dc, 3 * d ** 2 * dd

    bench("section6/forward", "numpy", forward)
    bench("section6/gradients", "numpy", gradients)
    if torch:
        ta, tb, tc, td = (tensor(v).requires_grad_(True) for v in (a, b, c, d))
        tdy, tat = tensor(dy), torch.from_numpy(at)

        def value():
            s = ((ta[:, None, :] + tb[None, :, :]) ** 2).sum(2) * torch.diagonal(tc)[:, None]
            return torch.exp(-(s + (td ** 3)[tat].sum(1)[:, None]))

        def both():
            f = value()
            return (f.detach(), *torch.autograd.grad(f, (ta, tb, tc, td), tdy))

        def detached():
            with torch.no_grad():
                return value()

        for x, y in zip(gradients(), both()):
            same("section6", x, y)
        bench("section6/forward", "torch", detached)
        bench("section6/gradients", "torch", both)


def prefix():
    x = data(1000000)
    y = np.empty_like(x)
    bench("prefix/forward", "numpy", lambda: np.cumsum(x, out=y))
    bench("prefix/adjoint", "numpy", lambda: np.cumsum(x[::-1], out=y[::-1]))
    if torch:
        t = tensor(x)
        u = torch.empty_like(t)
        bench("prefix/forward", "torch", lambda: torch.cumsum(t, 0, out=u))
        bench("prefix/adjoint", "torch", lambda: torch.cumsum(t.flip(0), 0).flip(0))


def rows():
    n, m = 20000, 64
    x, dy = data(3 * n + 1, m), data(n, m)
    at = 3 * np.arange(n) + 1

    y, g = np.empty_like(dy), np.empty_like(x)

    def scatter():
        g.fill(0)
        g[1::3] = dy
        return g

    bench("rows/gather", "numpy", lambda: np.copyto(y, x[1::3]))
    bench("rows/scatter", "numpy", scatter)
    if torch:
        tx, tdy, tat = tensor(x), tensor(dy), torch.from_numpy(at)

        ty, tg = torch.empty_like(tdy), torch.empty_like(tx)

        def add():
            return tg.zero_().index_add_(0, tat, tdy)

        same("rows", x[1::3], torch.index_select(tx, 0, tat))
        same("rows", scatter(), add())
        bench("rows/gather", "torch", lambda: torch.index_select(tx, 0, tat, out=ty))
        bench("rows/scatter", "torch", add)


product()
conv(1, 8, 3, 4096, 16, 9)
conv_single()
conv(2, 8, 3, 64, 16, 5)
section6()
prefix()
rows()
