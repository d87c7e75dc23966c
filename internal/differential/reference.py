"""Values and derivatives of a program's tree, by torch (double autograd), JAX, or mpmath in 60 digits.

The semantics are those of docs/language.md, written on gathers and scatters with explicit positions, so that
an entry that the program does not read is not touched. Conventions: torch's own at ties of max and min (an even
split) and at 0 of abs, sign and relu; an infinite derivative of a power, log or quotient loses against a factor
that is exactly 0; norm2 has derivative 0 at 0.
"""
import functools
import itertools
import math

import numpy as np

from tree import affine, extents


# Positions, as NumPy arrays

@functools.lru_cache(maxsize=4096)
def grid(sizes):
    """The coordinates of all points of a box, one array for each axis, in row-major order."""
    if not sizes:
        return []
    return [a.reshape(-1) for a in np.indices(sizes)]


def flat(shape, coordinates, count):
    """Positions of points in a tensor of the shape, in row-major order."""
    at = np.zeros(count, dtype=np.int64)
    for n, c in zip(shape, coordinates):
        at = at * n + c
    return at


@functools.lru_cache(maxsize=4096)
def contraction(strings, out, sizes):
    """Positions in each operand and in the result, for all values of the letters."""
    letters = dict(sizes)
    names = list(letters)
    points = dict(zip(names, grid(tuple(letters.values()))))
    count = math.prod(letters.values())
    where = lambda s: flat([letters[c] for c in s], [points[c] for c in s], count)
    return [where(s) for s in strings], where(out), tuple(letters[c] for c in out)


@functools.lru_cache(maxsize=64)
def expansion(n, k):
    """The k-th derivative of det of an n-matrix: positions of factors, signs, positions in the result."""
    factors, signs, out = [], [], []
    for p in itertools.permutations(range(n)):
        sign = (-1) ** sum(p[i] > p[j] for i in range(n) for j in range(i + 1, n))
        for rows in itertools.permutations(range(n), k):
            factors.append([i * n + p[i] for i in range(n) if i not in rows])
            signs.append(float(sign))
            at = 0
            for i in rows:
                at = (at * n + i) * n + p[i]
            out.append(at)
    return (np.array(factors, dtype=np.int64).reshape(len(signs), max(n - k, 0)),
            np.array(signs), np.array(out, dtype=np.int64))


class Evaluator:
    """Evaluates trees over a backend with arrays and element-wise functions."""

    def __init__(self, backend, sizes, values, lets):
        self.b, self.sizes, self.values, self.lets, self.memo = backend, sizes, values, lets, {}
        self.singular = False  # whether a matrix was singular but for rounding
        self.vanishing = False  # whether a det is 0, but for rounding
        self.kinked = False  # whether a norm is 0, where no convention names its second derivative
        self.finite = True  # whether all values on the way are
        self.largest = 0  # the largest finite entry of any value
        self.reads = None  # with a list: what a contraction's operands hold, were no other empty

    def size(self, s):
        return extents(s, self.sizes)

    def shape(self, node):
        return tuple(self.size(s) for s in node.shape)

    def value(self, node):
        x = self.b.array(getattr(self, "do_" + node.op)(node))
        largest, finite = self.b.largest(x)
        self.largest, self.finite = max(self.largest, largest), self.finite and finite
        return x

    def einsum(self, strings, out, args, sizes=None):
        sizes, args = dict(sizes or {}), [self.b.array(a) for a in args]
        for s, a in zip(strings, args):
            sizes.update(zip(s, a.shape))
        if self.reads is not None:
            for s, a in zip(strings, args):
                (at,), _, _ = contraction((s,), "", tuple((c, sizes[c]) for c in dict.fromkeys(s)))
                self.reads.append(self.b.take(a, at).sum())
        ins, to, shape = contraction(tuple(strings), out, tuple(sizes.items()))
        x = None
        for at, a in zip(ins, args):
            y = self.b.take(a, at)
            x = y if x is None else x * y
        return self.b.scatter(x, to, shape)

    def like(self, a, b):
        """a and b with one shape: an operand of order 0 is repeated."""
        if a.shape == b.shape:
            return a, b
        if a.shape == ():
            return self.b.broadcast(a, b.shape), b
        return a, self.b.broadcast(b, a.shape)

    def do_var(self, e):
        return self.values[e.p["name"]]

    def do_let(self, e):
        name = e.p["name"]
        if name not in self.memo:
            self.memo[name] = self.value(self.lets[name])
        return self.memo[name]

    def do_num(self, e):
        return self.b.full(self.shape(e), self.b.number(e.p["text"]))

    def do_size(self, e):
        return self.b.full((), self.b.number(str(self.size(e.p["symbol"]))))

    def do_eye(self, e):
        return self.b.constant(np.eye(self.shape(e)[0]))

    def do_un(self, e):
        return getattr(self.b, e.p["f"])(self.value(e.args[0]))

    def do_neg(self, e):
        return -self.value(e.args[0])

    def do_bin(self, e):
        a, b = self.like(self.value(e.args[0]), self.value(e.args[1]))
        return self.arithmetic(e.p["f"], a, b)

    def arithmetic(self, f, a, b):
        if f == "+":
            return a + b
        if f == "-":
            return a - b
        if f == "*":
            return a * b
        if f == "/":
            return a * self.b.power(b, -1)
        if f in ("max", "min", "logaddexp"):
            return getattr(self.b, f)(a, b)
        if f == "^":
            return self.b.pow(a, b)
        return self.b.compare(f, a, b)

    def do_power(self, e):
        return self.b.power(self.value(e.args[0]), e.p["exponent"])

    def along(self, e, x):
        """x as a matrix whose last axis is reduced, and the shape of the rest."""
        axis, x = e.p.get("axis"), self.b.array(x)
        if axis is None:
            return self.b.reshape(x, (1, math.prod(x.shape))), ()
        axis %= len(x.shape)
        order = [i for i in range(len(x.shape)) if i != axis] + [axis]
        letters = "abcdefgh"[: len(x.shape)]
        x = self.einsum([letters], "".join(letters[i] for i in order), [x])
        rest = x.shape[:-1]
        return self.b.reshape(x, (math.prod(rest), x.shape[-1])), rest

    def rows(self, x, f):
        """A sum over the last axis of a matrix, or its product with a column."""
        return self.einsum(["ab"], "a", [x]) if f is None else self.einsum(["ab", "a"], "ab", [x, f])

    def do_reduce(self, e):
        f, x = e.p["f"], self.value(e.args[0])
        if f == "norm2":
            s = self.rows(self.along(e, x * x)[0], None).reshape(())
            self.kinked |= math.prod(x.shape) > 0 and bool(s == 0)
            return self.b.norm(s)
        if f == "norm1":
            x = self.b.abs(x)
        x, rest = self.along(e, x)
        if f in ("sum", "norm1"):
            y = self.rows(x, None)
        elif f == "mean":
            n = x.shape[-1]
            y = self.rows(x, None) * self.b.power(self.b.full((x.shape[0],), self.b.number(str(n))), -1)
        elif f == "max":
            y = self.b.amax(x)
        elif f == "min":
            y = -self.b.amax(-x)
        else:
            top = self.b.detach(self.b.amax(x))
            y = self.b.log(self.rows(self.b.exp(x - self.b.reshape(top, (x.shape[0], 1))), None)) + top
        return self.b.reshape(y, rest)

    def do_softmax(self, e):
        x = self.value(e.args[0])
        shape = x.shape
        if math.prod(shape) == 0:
            return x
        axis = e.p.get("axis", 0) % len(shape)
        m, rest = self.along(type(e)("softmax", e.args, e.shape, axis=axis), x)
        m = self.b.exp(m - self.b.reshape(self.b.detach(self.b.amax(m)), (m.shape[0], 1)))
        m = self.rows(m, self.b.power(self.rows(m, None), -1))
        m = self.b.reshape(m, rest + (shape[axis],))
        letters = "abcdefgh"[: len(shape)]
        out = letters[: axis] + letters[-1] + letters[axis:-1]
        return self.einsum([letters], out, [m])

    def minors(self, x, k):
        n = x.shape[0]
        if self.reads is not None:
            self.reads.append(x.sum())
        factors, signs, out = expansion(n, k)
        y = self.b.constant(signs)
        for i in range(factors.shape[1]):
            y = y * self.b.take(x, factors[:, i])
        return self.b.scatter(y, out, (n, n) * k)

    def inverse(self, x):
        det = self.minors(x, 0)
        if self.b.vanishes(det, x):
            raise Singular()
        adj = self.einsum(["ij"], "ji", [self.minors(x, 1)])
        return self.einsum(["ij", ""], "ij", [adj, self.b.power(det, -1)])

    def do_matrix(self, e):
        f, x = e.p["f"], self.value(e.args[0])
        if f == "det":
            det = self.minors(x, 0)
            self.vanishing |= self.b.vanishes(det, x)
            return det
        if f == "logdet":
            det = self.minors(x, 0)
            self.singular |= self.b.vanishes(det, x)
            return self.b.log(det)
        if f == "adj":
            return self.einsum(["ij"], "ji", [self.minors(x, 1)])
        if f == "inv":
            return self.inverse(x)
        if f == "minor":
            return self.minors(x, e.p["k"])
        y = self.b.constant(np.eye(x.shape[0]))
        for _ in range(e.p["k"]):
            y = self.einsum(["ij", "jk"], "ik", [y, x])
        return y

    def do_solve(self, e):
        a, b = self.inverse(self.value(e.args[0])), self.value(e.args[1])
        rest = "klmn"[: len(b.shape) - 1]
        return self.einsum(["ij", "j" + rest], "i" + rest, [a, b])

    def do_ein(self, e):
        sizes = {c: self.size(s) for c, s in e.p["sizes"].items()}
        return self.einsum(e.p["strings"], e.p["out"], [self.value(a) for a in e.args], sizes)

    def do_kron(self, e):
        y = self.einsum(["ij", "kl"], "ikjl", [self.value(a) for a in e.args])
        i, k, j, l = y.shape
        return self.b.reshape(y, (i * k, j * l))

    def do_merge(self, e):
        return self.b.reshape(self.value(e.args[0]), self.shape(e))

    do_split = do_merge

    def do_def(self, e):
        sizes = tuple(self.size(s) for _, s in e.p["axes"])
        at = dict(zip((c for c, _ in e.p["axes"]), grid(sizes)))
        args = [self.value(a) for a in e.args]
        return self.b.reshape(self.point(e.p["body"], at, math.prod(sizes), args), sizes)

    def integer(self, text, at, count):
        v = affine(text, self.sizes, at)
        return np.broadcast_to(np.asarray(v, dtype=np.int64), (count,))

    def point(self, e, at, count, args):
        """The values of an element-wise body at points: each index has an array of its values."""
        kind = e[0]
        if kind == "acc":
            x = args[e[1]]
            for text, n in zip(e[2], x.shape):
                c = self.integer(text, at, count)
                assert count == 0 or (c.min() >= 0 and c.max() < n), "an access out of range"
            return self.b.take(x, flat(x.shape, [self.integer(t, at, count) for t in e[2]], count))
        if kind == "num":
            return self.b.full((count,), self.b.number(e[1]))
        if kind == "idx":
            return self.b.constant(self.integer(e[1], at, count).astype(float))
        if kind == "un":
            x = self.point(e[2], at, count, args)
            return -x if e[1] == "-" else getattr(self.b, e[1])(x)
        if kind == "bin":
            return self.arithmetic(e[1], self.point(e[2], at, count, args), self.point(e[3], at, count, args))
        if kind == "power":
            return self.b.power(self.point(e[1], at, count, args), e[2])
        if kind == "sum":
            lo, hi = self.integer(e[2], at, count), self.integer(e[3], at, count)
            times = np.maximum(hi - lo + 1, 0)
            outer = np.repeat(np.arange(count), times)
            start = np.repeat(np.cumsum(times) - times, times)
            inner = {c: v[outer] for c, v in at.items()}
            inner[e[1]] = np.arange(len(outer)) - start + lo[outer]
            return self.b.scatter(self.point(e[4], inner, len(outer), args), outer, (count,))
        holds = np.broadcast_to(affine(e[1], self.sizes, at), (count,))
        result = None
        for side, body in zip((holds, ~holds), e[2:]):
            where = np.nonzero(side)[0]
            part = self.point(body, {c: v[where] for c, v in at.items()}, len(where), args)
            part = self.b.scatter(part, where, (count,))
            result = part if result is None else result + part
        return result


class Singular(Exception):
    pass


# mpmath: object arrays of numbers of 60 digits

class Exact:
    """Values in many digits, on NumPy arrays of mpf; derivatives are central differences."""

    def __init__(self, digits=60):
        import mpmath
        mpmath.mp.dps = digits
        self.m = mpmath

    def _map(self, f, *xs):
        out = np.empty(xs[0].shape, dtype=object)
        flat = out.reshape(-1)
        for i, v in enumerate(zip(*(x.reshape(-1) for x in xs))):
            flat[i] = self._real(f, *v)
        return out

    def _real(self, f, *v):
        m = self.m
        if f.__name__ == "pole" and (len(v) > 1 and v[1] == 0 or v[0] == 1):
            return m.mpf(1)  # whatever the other is
        if any(m.isnan(x) for x in v):
            return m.nan
        try:
            y = f(*v)
        except (ValueError, ZeroDivisionError, OverflowError):
            return m.inf if f.__name__ == "pole" else m.nan
        if isinstance(y, m.mpc):
            return y.real if y.imag == 0 else m.nan
        return m.mpf(y)

    def array(self, x):
        return np.asarray(x, dtype=object)

    def largest(self, x):
        return 0, True

    def number(self, text):
        return +self.m.pi if text == "pi" else self.m.mpf(text)

    def full(self, shape, v):
        out = np.empty(shape, dtype=object)
        out.fill(v)
        return out

    def constant(self, a):
        return self._map(lambda v: self.m.mpf(float(v)), np.asarray(a, dtype=object))

    def take(self, x, at):
        return x.reshape(-1)[at]

    def scatter(self, x, to, shape):
        out = self.full((math.prod(shape),), self.m.mpf(0))
        np.add.at(out, to, x)
        return out.reshape(shape)

    def broadcast(self, x, shape):
        return self.full(shape, x.reshape(-1)[0])

    def reshape(self, x, shape):
        return x.reshape(shape)

    def detach(self, x):
        return x

    def vanishes(self, det, x):
        return self.array(det)[()] == 0

    def power(self, x, p):
        m = self.m
        e = m.mpf(p.numerator) / p.denominator if not isinstance(p, int) else p

        if p == 0:
            return self.full(x.shape, m.mpf(1))

        def pole(v):
            return v ** e
        return self._map(pole, x)

    def pow(self, x, y):
        def pole(a, b):
            return a ** b if b != int(b) else a ** int(b)
        return self._map(pole, x, y)

    def amax(self, x):
        return np.array([max(r, key=lambda v: (self.m.isnan(v), v if not self.m.isnan(v) else 0)) for r in x] + [None],
                        dtype=object)[:-1]

    def max(self, a, b):
        return self._map(lambda x, y: max(x, y), a, b)

    def min(self, a, b):
        return self._map(lambda x, y: min(x, y), a, b)

    def logaddexp(self, a, b):
        return self._map(lambda x, y: self.m.log(self.m.exp(x) + self.m.exp(y)), a, b)

    def compare(self, f, a, b):
        from operator import eq, ge, gt, le, lt, ne
        g = {">": gt, ">=": ge, "<": lt, "<=": le, "==": eq, "!=": ne}[f]
        return self._map(lambda x, y: int(g(x, y)), a, b)

    def norm(self, s):
        return self._map(self.m.sqrt, s)

    def __getattr__(self, f):
        m = self.m
        table = {
            "arcsin": m.asin, "arccos": m.acos, "arctan": m.atan, "square": lambda x: x * x,
            "log1p": lambda x: m.log(1 + x) if x != -1 else -m.inf, "expm1": lambda x: m.exp(x) - 1,
            "log": lambda x: m.log(x) if x != 0 else -m.inf,
            "sigmoid": lambda x: 1 / (1 + m.exp(-x)), "softplus": lambda x: m.log(1 + m.exp(x)),
            "gelu": lambda x: x * (1 + m.erf(x / m.sqrt(2))) / 2, "abs": abs,
            "sign": lambda x: (x > 0) - (x < 0), "relu": lambda x: max(x, m.mpf(0)), "step": lambda x: int(x > 0),
            **{f: getattr(m, f) for f in "sin cos tan sinh cosh tanh exp sqrt erf".split()},
        }
        return lambda x: self._map(table[f], x)

    def variable(self, a):
        return self._map(lambda v: self.m.mpf(float(v)), np.asarray(a, dtype=object))

    def numpy(self, x):
        return np.array([float(v) for v in x.reshape(-1)]).reshape(x.shape)


# torch

class Torch:
    """Values on tensors of doubles that autograd follows to any order."""

    def __init__(self):
        import torch
        torch.set_num_threads(1)
        self.t = torch
        self.positions = {}
        t = torch

        def guarded(g, d):
            # g*d, where an infinite or undefined d loses against a g that is exactly 0.
            finite = t.isfinite(d)
            if bool(finite.all()):
                return g * d
            lost = (g == 0) & ~finite
            return t.where(lost, t.zeros_like(g), g * t.where(lost, t.zeros_like(d), d))

        class Power(t.autograd.Function):
            @staticmethod
            def forward(ctx, x, p):
                ctx.save_for_backward(x)
                ctx.p = p
                return x.reciprocal() if p == -1 else x.sqrt() if p == 0.5 else x.pow(float(p))

            @staticmethod
            def backward(ctx, g):
                x, = ctx.saved_tensors
                return guarded(g, float(ctx.p) * power(x, ctx.p - 1)), None

        def power(x, p):
            return x.pow(float(p)) if p >= 0 and p == int(p) else Power.apply(x, p)

        def pole(f, derivative):
            class Pole(t.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.save_for_backward(x)
                    return f(x)

                @staticmethod
                def backward(ctx, g):
                    return guarded(g, derivative(*ctx.saved_tensors))
            return Pole.apply

        nan = float("nan")
        keep = lambda x, y: t.where(t.isnan(x), x.detach() * nan, y)
        self.power = power
        self.log = pole(t.log, lambda x: power(x, -1))
        self.log1p = pole(t.log1p, lambda x: power(1 + x, -1))
        self.arcsin = pole(t.arcsin, lambda x: power(1 - x * x, -0.5))
        self.arccos = pole(t.arccos, lambda x: -power(1 - x * x, -0.5))
        self.sqrt = lambda x: power(x, 0.5)
        self.square = lambda x: x * x
        self.gelu = lambda x: x * (1 + t.erf(x / math.sqrt(2))) / 2
        self.softplus = lambda x: t.logaddexp(x, t.zeros_like(x))
        self.rounded = False  # whether a kink is met but for rounding

        def kink(x):
            d = abs(x.detach())
            self.rounded |= bool(((d > 0) & (d < 1e-11)).any())
            return x
        self.kink = kink
        self.abs, self.relu = lambda x: t.abs(kink(x)), lambda x: t.relu(kink(x))
        self.sign = lambda x: keep(x, t.sign(kink(x).detach()))
        self.step = lambda x: keep(x, (kink(x).detach() > 0).double())
        self.max = lambda a, b: (kink(a - b), t.maximum(a, b))[1]
        self.min = lambda a, b: (kink(a - b), t.minimum(a, b))[1]
        self.arctan, self.erf, self.sigmoid, self.logaddexp = t.arctan, t.erf, t.sigmoid, t.logaddexp
        for f in "sin cos tan sinh cosh tanh exp expm1".split():
            setattr(self, f, getattr(t, f))

        class Pow(t.autograd.Function):
            @staticmethod
            def forward(ctx, x, y):
                ctx.save_for_backward(x, y)
                return t.pow(x, y)

            @staticmethod
            def backward(ctx, g):
                # y*x^(y-1), which is 0 for y = 0, and x^y*log(x), which is 0 at x = 0 for y > 0
                x, y = ctx.saved_tensors
                none, zero = y == 0, (x == 0) & (y > 0)
                dx = t.where(none, t.zeros_like(x), y * pow(t.where(none, t.ones_like(x), x), y - 1))
                inner = t.where(zero, t.ones_like(x), x)
                dy = t.where(zero, t.zeros_like(x), pow(inner, y) * self.log(inner))
                return guarded(g, dx), guarded(g, dy)

        def pow(x, y):
            z = Pow.apply(x, y)
            return z if not self.strict else t.where(t.isnan(x) | t.isnan(y), x + y, z)
        self.pow, self.strict = pow, False

        def compare(f, a, b):
            a, b = a.detach(), b.detach()
            kink(a - b)
            g = {">": t.gt, ">=": t.ge, "<": t.lt, "<=": t.le, "==": t.eq, "!=": t.ne}[f]
            return t.where(t.isnan(a) | t.isnan(b), t.full_like(a, nan), g(a, b).double())
        self.compare = compare

    def array(self, x):
        return x

    def largest(self, x):
        x = abs(x.detach().numpy())
        finite = np.isfinite(x)
        return x.max(initial=0, where=finite), finite.all()

    def number(self, text):
        return math.pi if text == "pi" else float(text)

    def full(self, shape, v):
        return self.t.full(shape, v, dtype=self.t.float64)

    def constant(self, a):
        return self.t.as_tensor(a, dtype=self.t.float64)

    def index(self, at):
        # Arrays of positions that the caches above hold keep their identity.
        known = self.positions.get(id(at))
        if known is None or known[0] is not at:
            if len(self.positions) > 20000:
                self.positions.clear()
            known = self.positions[id(at)] = (at, self.t.as_tensor(np.ascontiguousarray(at)))
        return known[1]

    def take(self, x, at):
        return x.reshape(-1).index_select(0, self.index(at))

    def scatter(self, x, to, shape):
        out = self.t.zeros(math.prod(shape), dtype=self.t.float64)
        return out.index_add(0, self.index(to), x).reshape(shape)

    def broadcast(self, x, shape):
        return x.expand(shape)

    def reshape(self, x, shape):
        return x.reshape(shape)

    def detach(self, x):
        return x.detach()

    def vanishes(self, det, x):
        return x.shape[0] > 0 and not abs(det.item()) > 1e-12 * max(1e-300, x.abs().max().item() ** x.shape[0])

    def amax(self, x):
        top = x.amax(dim=1)
        self.kink(x - top[:, None])
        return top

    def norm(self, s):
        zero = s == 0
        return self.t.where(zero, self.t.zeros_like(s), self.t.where(zero, self.t.ones_like(s), s).sqrt())

    def variable(self, a):
        return self.t.tensor(np.asarray(a, dtype=float), dtype=self.t.float64, requires_grad=True)

    def numpy(self, x):
        return x.detach().numpy()

    def gradient(self, scalar, xs):
        """The gradient of a number by each of xs, to be differentiated again."""
        if not scalar.requires_grad:
            return [self.t.zeros_like(x) for x in xs]
        gs = self.t.autograd.grad(scalar, xs, create_graph=True, allow_unused=True)
        return [self.t.zeros_like(x) if g is None else g for g, x in zip(gs, xs)]


class Jax:
    """Values on JAX arrays of doubles; poles have no guards, so regular points only."""

    def __init__(self):
        import jax
        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_platforms", "cpu")
        import jax.numpy as jnp
        from jax.scipy.special import erf
        self.jax, self.n = jax, jnp
        n = jnp
        self.erf, self.sqrt, self.log = erf, n.sqrt, n.log
        self.square, self.relu = (lambda x: x * x), jax.nn.relu
        self.sigmoid, self.softplus = jax.nn.sigmoid, jax.nn.softplus
        self.gelu = lambda x: x * (1 + erf(x / math.sqrt(2))) / 2
        self.step = lambda x: (x > 0).astype(float)
        self.max, self.min, self.logaddexp, self.pow = n.maximum, n.minimum, n.logaddexp, n.power
        for f in "sin cos tan sinh cosh tanh exp expm1 log1p arcsin arccos arctan abs sign".split():
            setattr(self, f, getattr(n, f))

    array, number, largest = Torch.array, Torch.number, Exact.largest

    def full(self, shape, v):
        return self.n.full(shape, v)

    def constant(self, a):
        return self.n.asarray(a, dtype=float)

    def take(self, x, at):
        return x.reshape(-1)[self.n.asarray(at, dtype=int)]

    def scatter(self, x, to, shape):
        return self.n.zeros(math.prod(shape)).at[self.n.asarray(to, dtype=int)].add(x).reshape(shape)

    def broadcast(self, x, shape):
        return self.n.broadcast_to(x, shape)

    def reshape(self, x, shape):
        return x.reshape(shape)

    def detach(self, x):
        return self.jax.lax.stop_gradient(x)

    def vanishes(self, det, x):
        return False

    def power(self, x, p):
        return x ** p if isinstance(p, int) else self.n.power(x, float(p))

    def amax(self, x):
        return x.max(axis=1)

    def compare(self, f, a, b):
        n = self.n
        g = {">": n.greater, ">=": n.greater_equal, "<": n.less, "<=": n.less_equal, "==": n.equal, "!=": n.not_equal}[f]
        return g(a, b).astype(float)

    def norm(self, s):
        zero = s == 0
        return self.n.where(zero, 0.0, self.n.sqrt(self.n.where(zero, 1.0, s)))

    def variable(self, a):
        return self.n.asarray(a, dtype=float)

    def numpy(self, x):
        return np.asarray(x)
