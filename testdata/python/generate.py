"""Values and gradients of losses.py by torch's autograd, into expected.json: python3 testdata/python/generate.py

NumPy's and JAX's functions are torch's here, with the defaults of NumPy.
"""

import inspect
import json
import math
import pathlib
import re
import types

import torch
import torch.nn.functional as F

SIZES = {"m": 5, "n": 4, "k": 3, "d": 3, "h": 3, "p": 2, "b": 2}


def tensor(x):
    return x if torch.is_tensor(x) or not isinstance(x, (int, float)) else torch.tensor(float(x), dtype=torch.float64)


def lifted(f):
    return lambda *a, **k: f(*map(tensor, a), **k)


def reduction(f, every):
    def reduce(x, axis=None, keepdims=False, **k):
        if axis is None:
            return every(x)
        return f(x, dim=axis, keepdim=keepdims, **k)

    return reduce


class Numpy:
    """torch with NumPy's names and defaults."""

    pi, e, newaxis = math.pi, math.e, None
    float64 = torch.float64
    max = staticmethod(reduction(torch.amax, torch.max))
    min = staticmethod(reduction(torch.amin, torch.min))
    var = staticmethod(lambda x, axis=None, keepdims=False: x.var(unbiased=False) if axis is None else x.var(dim=axis, unbiased=False, keepdim=keepdims))
    cumsum = staticmethod(lambda x, axis=0: torch.cumsum(x, axis))
    sort = staticmethod(lambda x: torch.sort(x)[0])
    dot = staticmethod(lambda a, b: torch.as_tensor(a) @ b)
    eye = staticmethod(lambda n: torch.eye(n, dtype=torch.float64))
    linalg = types.SimpleNamespace(inv=torch.linalg.inv, det=torch.linalg.det, slogdet=torch.linalg.slogdet, solve=torch.linalg.solve,
                                   norm=lambda x, ord=None, axis=None, keepdims=False: torch.linalg.norm(x, ord=ord, dim=axis, keepdim=keepdims),
                                   svd=torch.linalg.svd, cholesky=torch.linalg.cholesky)

    def __getattr__(self, name):
        return lifted(getattr(torch, {"abs": "abs"}.get(name, name)))


def logsumexp(x, axis=None, keepdims=False):
    return torch.logsumexp(x.reshape(-1) if axis is None else x, dim=0 if axis is None else axis, keepdim=keepdims)


np = jnp = Numpy()
special = types.SimpleNamespace(logsumexp=logsumexp, softmax=lambda x, axis=0: torch.softmax(x, axis))
scipy = types.SimpleNamespace(special=special)
jax = types.SimpleNamespace(nn=types.SimpleNamespace(log_sigmoid=F.logsigmoid, relu=F.relu, softmax=lambda x, axis=-1: torch.softmax(x, axis),
                                                     log_softmax=lambda x, axis=-1: torch.log_softmax(x, axis)), scipy=scipy)


class Annotation:
    def __class_getitem__(cls, item):
        return cls


Float = Tensor = Array = Annotation


def data(spec, generator):
    name, shape, kind = re.fullmatch(r"(\w+)\[(.*?)\](\+|\*|01)?", spec).groups()
    sizes = [SIZES.get(s) or int(s) for s in shape.split(",") if s]
    x = torch.randn(sizes, dtype=torch.float64, generator=generator)
    if kind == "+":
        x = 0.2 + 0.6 * torch.rand(sizes, dtype=torch.float64, generator=generator)
    elif kind == "*":
        x = x @ x.T + torch.eye(len(x), dtype=torch.float64)
    elif kind == "01":
        x = (x > 0).double()
    return name, torch.round(x * 1000) / 1000


torch.Tensor.dot = torch.Tensor.matmul


def main():
    here = pathlib.Path(__file__).parent
    text = (here / "losses.py").read_text()
    generator = torch.Generator().manual_seed(21)
    out = {}
    for spec, source in re.findall(r"^# (\w+\[.*)\n((?:def .*\n)(?:    .*\n|\n)*)", text, re.M):
        name = re.match(r"def (\w+)", source)[1]
        values = dict(data(s, generator) for s in spec.split())
        scope = dict(globals())
        row = {"source": source, "values": {n: x.tolist() for n, x in values.items()}, "value": None, "gradients": {}}
        try:
            exec(source, scope)
            point = {n: x.clone().requires_grad_() for n, x in values.items()}
            numpy_style = "torch" not in source and "F." not in source
            if numpy_style:  # methods have NumPy's defaults
                var, std = torch.Tensor.var, torch.Tensor.std
                torch.Tensor.var = lambda x, axis=None, **k: Numpy.var(x, axis, **k) if "unbiased" not in k and "dim" not in k else var(x, **k)
                torch.Tensor.std = lambda x, axis=None: torch.sqrt(Numpy.var(x, axis))
            try:
                value = scope[name](**point)
            finally:
                if numpy_style:
                    torch.Tensor.var, torch.Tensor.std = var, std
            value.backward()
            row["value"] = value.item()
            row["gradients"] = {n: (x.grad if x.grad is not None else torch.zeros_like(x)).tolist() for n, x in point.items()}
        except Exception as e:
            print(name, type(e).__name__, e)
        out[name] = row
    (here / "expected.json").write_text("{\n" + ",\n".join(f"{json.dumps(n)}: {json.dumps(r)}" for n, r in out.items()) + "\n}\n")
    print(len(out))


main()
