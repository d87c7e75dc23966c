"""JAX as a second reference, in a process of its own: torch is Debian's, JAX is from PyPI, pinned.

Started with a path it is that process: it reads a program's number, values and directions, and writes gradients.
"""
import json
import os
import random
import subprocess
import sys

import numpy as np

PINNED = ["jax==0.10.2", "jaxlib==0.10.2"]


class Second:
    """Gradients by JAX of the programs of a seed. The environment is made where there is none."""

    def __init__(self):
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        venv = os.path.join(home, "frechet-" + PINNED[0].replace("==", "-"))
        python = os.path.join(venv, "bin", "python")
        if not os.path.exists(os.path.join(venv, "ready")):
            subprocess.run([sys.executable, "-m", "venv", venv], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", *PINNED], check=True)
            open(os.path.join(venv, "ready"), "w").close()
        self.process = subprocess.Popen([python, os.path.abspath(__file__), "serve"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def differs(self, seed, number, ref):
        """What JAX finds otherwise than torch at a point where all is finite; None where nothing is compared."""
        p = ref.p
        if p.request["kind"] not in ("derivative", "grads", "vjp", "hvp") or p.data["integers"] or p.data["unread"]:
            return None
        if not np.isfinite(ref.value).all() or not all(np.isfinite(want).all() for _, _, want, _ in ref.entries):
            return None
        tasks = []
        for path, directions, want, vs in ref.entries:
            ds = directions or ([ref.back] if path[0] != "hvp" else [np.ones(()), ref.along])
            tasks.append([list(vs), [d.tolist() for d in ds]])
        values = {n: v.tolist() for n, v in ref.values.items()}
        shapes = {n: v.shape for n, v in ref.values.items()}
        self.process.stdin.write(json.dumps([seed, number, values, shapes, tasks]) + "\n")
        self.process.stdin.flush()
        value, *gradients = json.loads(self.process.stdout.readline())
        wrong = []
        for path, want, got in [(("value",), ref.value, value)] + [(e[0], e[2], g) for e, g in zip(ref.entries, gradients)]:
            got = np.array(got, dtype=float).reshape(want.shape)
            if not (abs(got - want) <= 1e-7 * max(1e-3, abs(want).max(initial=0))).all():
                wrong.append((path, want.tolist(), got.tolist()))
        return wrong


def serve():
    from reference import Evaluator, Jax
    from tree import Drawer
    b = Jax()

    def gradient(s, v):
        return lambda xs: b.jax.grad(lambda x: s({**xs, v: x}))(xs[v])

    def along(g, d):
        return lambda xs: (g(xs) * d).sum()

    for line in sys.stdin:
        seed, number, values, shapes, tasks = json.loads(line)
        p = Drawer(random.Random("%s:%d" % (seed, number))).program()
        xs = {n: b.variable(np.array(v, dtype=float).reshape(shapes[n])) for n, v in values.items()}
        f = lambda xs: Evaluator(b, p.sizes, xs, p.lets).value(p.expr)
        answers = [np.asarray(f(xs)).tolist()]
        for vs, directions in tasks:
            back, *rest = [b.constant(np.array(d, dtype=float)) for d in directions]
            s = along(f, back)
            for v, d in zip(vs, rest):
                s = along(gradient(s, v), d.reshape(xs[v].shape))
            answers.append(np.asarray(gradient(s, vs[-1])(xs)).tolist())
        print(json.dumps(answers), flush=True)


if __name__ == "__main__":
    serve()
