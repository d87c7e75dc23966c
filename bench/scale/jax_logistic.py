"""Logistic regression by exported code on a mesh of eight simulated devices, its rows sharded over them.

    bench/scale/run jax [--rows 400000]

Value, gradient and Hessian are compared with one device; the Hessian's program is shown to hold no array of all rows on one device.
"""

import argparse
import os
import subprocess
import time

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

jax.config.update("jax_enable_x64", True)
PROGRAM = "declare X[m,n] y[m] w[n] lam[] expression sum(log(1 + exp(-y .* (X*w)))) + 0.5*lam*(w'*w) hessian wrt w"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rows", type=int, default=400_000)
    o = p.parse_args()
    code = subprocess.run([os.environ["FRECHET"], "export", "--target", "jax", "--name", "loss", PROGRAM], check=True, capture_output=True,
                          text=True).stdout
    scope = {}
    exec(compile(code, "<loss>", "exec"), scope)
    loss = jax.jit(scope["loss"])
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((o.rows, 20)), rng.standard_normal(20) / 5
    y = np.sign(rng.standard_normal(o.rows))
    devices = jax.devices()
    assert len(devices) == 8
    mesh = Mesh(np.array(devices), ("rows",))
    by_rows, whole = NamedSharding(mesh, PartitionSpec("rows")), NamedSharding(mesh, PartitionSpec())
    args = [jax.device_put(X, by_rows), jax.device_put(w, whole), jax.device_put(y, by_rows), jax.device_put(1.0, whole)]
    order = [("X", args[0]), ("y", args[2]), ("w", args[1]), ("lam", args[3])]
    sharded = loss.lower(**dict(order)).compile()
    text = sharded.as_text()
    # arrays of all rows would show that data were gathered
    assert f"[{o.rows}," not in text and f"[{o.rows}]" not in text, "an array of all rows is on one device"
    assert "all-reduce" in text
    start = time.time()
    got = jax.block_until_ready(sharded(**dict(order)))
    print(f"8 devices: {time.time() - start:.2f} s; {text.count('all-reduce(')} all-reduce, rows of a device: {o.rows // 8}")
    start = time.time()
    want = jax.block_until_ready(loss(X=X, y=y, w=w, lam=1.0))
    print(f"one device, compilation included: {time.time() - start:.2f} s")
    for name, a, b in zip(got._fields, got, want):
        error = float(np.max(np.abs(np.asarray(a) - np.asarray(b))) / max(1, np.max(np.abs(b))))
        print(f"{name}: relative difference {error:.1e}")
        assert error < 1e-12


if __name__ == "__main__":
    main()
