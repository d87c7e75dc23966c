"""The values of a program's variables, and what torch says of its derivatives."""
import itertools
import math

import numpy as np

import reference

BACKEND = reference.Torch()
FULL = 3000  # entries of a derivative that are compared one by one


def drawn(p, name):
    v = p.variables[name]
    rng = np.random.default_rng([p.data["seed"], *name.encode()])
    shape = tuple(p.dims(name))
    if p.data["integers"]:
        low, high = {"normal": (-2, 3), "positive": (1, 4), "small": (0, 1)}[v["kind"]]
        x = rng.integers(low, high, shape).astype(float)
        return x if v["kind"] != "small" else x / 2
    if v["kind"] == "positive":
        return rng.uniform(0.3, 2, shape)
    return rng.uniform(-0.9, 0.9, shape) if v["kind"] == "small" else rng.standard_normal(shape)


def numbers(p):
    """Values of the variables; entries that the program never reads are outside of every domain."""
    values = {n: drawn(p, n) for n in p.variables}
    if not p.data["unread"] or sum(v.size for v in values.values()) > 60:
        return values
    try:
        base = evaluate(p, values)
    except reference.Singular:
        return values
    if not np.isfinite(base).all():
        return values
    unread = []
    for n, x in values.items():
        for i in range(x.size):
            y = x.copy()
            y.reshape(-1)[i] = np.nan
            if np.array_equal(evaluate(p, {**values, n: y}), base):
                unread.append((n, i))
    for n, i in unread:
        values[n].reshape(-1)[i] = np.nan if p.data["unread"] == "nan" else -2.5
    return values


def evaluate(p, values):
    with BACKEND.t.no_grad():
        xs = {n: BACKEND.constant(v) for n, v in values.items()}
        roots = [p.expr] + ([p.lets[p.request["through"]]] if p.request.get("through") else [])
        # 1^NaN has read its exponent, and a product that is empty along one axis its other operands.
        e = reference.Evaluator(BACKEND, p.sizes, xs, p.lets)
        BACKEND.strict, e.reads = True, []
        values = [BACKEND.numpy(e.value(r)).reshape(-1) for r in roots]
        BACKEND.strict = False
        return np.concatenate(values + [np.array([0 * sum(map(float, e.reads))])])


class Reference:
    """What torch says of a program: its value, and the entries that its request asks for."""

    def __init__(self, p, backend=BACKEND):
        self.p, self.b = p, backend
        self.values = numbers(p)
        self.xs = {n: backend.variable(v) for n, v in self.values.items()}
        backend.rounded = False
        e = reference.Evaluator(backend, p.sizes, self.xs, p.lets)
        self.through = e.value(p.lets[p.request["through"]]) if p.request.get("through") else None
        self.out = e.value(p.expr)
        self.rounded = backend.rounded
        self.value = backend.numpy(self.out)
        self.shape = tuple(self.value.shape)
        # What is divided by a det that vanishes is infinite, or would be without rounding.
        self.singular = e.singular or e.vanishing and not (e.finite and e.largest < 1e10)
        self.kinked, self.largest, self.finite = e.kinked, e.largest, e.finite
        rng = np.random.default_rng(p.data["seed"])
        one = lambda shape: rng.standard_normal(shape)
        self.back = one(self.shape)
        wrt = p.request["wrt"]
        self.along = one(self.values[wrt[0]].shape) if wrt else None
        self.directions = [one(v.shape) for _ in range(5) for v in [self.values[wrt[0]]]] if wrt else []
        self.others = {n: one(self.values[n].shape) for n in wrt}

    def dot(self, x, v):
        return (x * self.b.constant(v)).sum()

    def gradient(self, scalar, *names):
        return self.b.gradient(scalar, [self.xs[n] for n in names])

    def wanted(self):
        """Pairs of a path in the answer and how its entries are found: a list of (path, function of the
        tensor in the answer, the reference for it, the axes as a list of variables)."""
        p, kind, wrt = self.p, self.p.request["kind"], self.p.request["wrt"]
        b = self.b
        if kind == "value" or not wrt:
            return
        x = wrt[0]
        if kind == "derivative":
            order = p.request["order"]
            several = len(wrt) > 1
            for k in range(1, order + 1):
                name = {1: "derivative", 2: "hessian"}.get(k) if order < 3 else None
                for vs in itertools.product(wrt, repeat=k):
                    path = (name, *(vs if several else ())) if name else ("derivatives", k - 1)
                    s = self.dot(self.out, self.back)
                    for i, v in enumerate(vs[:-1]):
                        g, = self.gradient(s, v)
                        s = self.dot(g, self.directions[i] if len(wrt) == 1 else self.others[v])
                    g, = self.gradient(s, vs[-1])
                    ds = [self.directions[i] if len(wrt) == 1 else self.others[v] for i, v in enumerate(vs[:-1])]
                    yield path, [self.back, *ds], b.numpy(g), vs
        elif kind == "grads":
            gs = self.gradient(self.dot(self.out, self.back), *self.values)
            for n, g in zip(self.values, gs):
                yield ("grads", n), [], b.numpy(g), (n,)
        elif kind == "vjp":
            yield ("vjp",), [], b.numpy(self.gradient(self.dot(self.out, self.back), x)[0]), (x,)
        elif kind == "jvp":
            u = b.variable(np.zeros(self.shape))
            g, = self.gradient((self.out * u).sum(), x)
            yield ("jvp",), [], b.numpy(b.gradient(self.dot(g, self.along), [u])[0]), ()
        elif kind == "hvp":
            g, = self.gradient(self.out, x)
            yield ("hvp",), [], b.numpy(self.gradient(self.dot(g, self.along), x)[0]), (x, x)
        elif kind == "diag-hessian":
            g, = self.gradient(self.out, x)
            flat = g.reshape(-1)
            rows = [b.numpy(self.gradient(flat[i], x)[0]).reshape(-1)[i] for i in range(flat.shape[0])]
            yield ("diag-hessian",), [], np.array(rows).reshape(g.shape), (x, x)
        elif kind == "gauss-newton":
            z = self.through
            free = b.variable(b.numpy(z))
            rest = reference.Evaluator(b, p.sizes, self.xs, p.lets)
            rest.memo[p.request["through"]] = free
            f = rest.value(p.expr)
            n = self.values[x].size
            u = b.variable(np.zeros(z.shape))
            g, = self.gradient((z * u).sum(), x)
            h, = b.gradient(f, [free])
            rows = []
            for i in range(n):
                e = np.zeros(n)
                e[i] = 1
                jv, = b.gradient(self.dot(g, e.reshape(g.shape)), [u])
                hv, = b.gradient((h * jv.detach()).sum(), [free])
                rows.append(b.numpy(self.gradient((z * hv.detach()).sum(), x)[0]).reshape(-1))
            yield ("gauss-newton",), [], np.array(rows).reshape(g.shape * 2), (x, x)

    def full(self, path, vs):
        """All entries of a derivative, one gradient for each row; None where these are too many."""
        if path[0] not in ("derivative", "hessian", "derivatives"):
            return None
        count = self.value.size * math.prod(self.values[v].size for v in vs)
        if count > FULL:
            return None

        def rows(s, vs):
            g, = self.gradient(s, vs[0])
            if len(vs) == 1:
                return self.b.numpy(g).reshape(-1)
            return np.concatenate([rows(c, vs[1:]) for c in g.reshape(-1)] or [np.zeros(0)])
        out = self.out.reshape(-1)
        parts = [rows(c, vs) for c in out]
        shape = self.shape + tuple(d for v in vs for d in self.values[v].shape)
        return np.concatenate(parts or [np.zeros(0)]).reshape(shape)


def prepare(p):
    try:
        ref = Reference(p)
    except reference.Singular:
        return None
    ref.entries = list(ref.wanted())
    return ref
