def _size(name, x, order, axis):
    """The size of an axis of an argument, which has that many axes."""
    if x.ndim != order:
        raise ValueError(f"{name} has {x.ndim} axes, but {order} are declared")
    return x.shape[axis]


def _check_shape(name, x, shape):
    if tuple(x.shape) != shape:
        raise ValueError(f"{name} has the shape {tuple(x.shape)}, but {shape} is declared")


def _check_index(name, x, n):
    x = np.asarray(_numbers(x))
    if not np.all((x == np.floor(x)) & (0 <= x) & (x < n)):
        raise ValueError(f"{name} has whole numbers from 0 to {n - 1}")


def _check_size(name, n):
    if n < 0:
        raise ValueError(f"the size {name} = {n} is negative")


def _relu(x):
    return xp.where(x < 0, 0.0, x)


def _gelu(x):
    return 0.5 * x * _erfc(-math.sqrt(0.5) * x)


def _log1mexp(x):
    return xp.where(x > -math.log(2.0), xp.log(-xp.expm1(x)), xp.log1p(-xp.exp(x)))


def _sigmoid(x):
    e = xp.exp(-xp.abs(x))
    return xp.where(x < 0, e, 1.0) / (1.0 + e)


def _last(x, k):
    """The last k axes made one, which are all that follow."""
    n = math.prod(x.shape[x.ndim - k:])
    return xp.reshape(x, tuple(x.shape[:x.ndim - k]) + (n,))


def _amax(x, k):
    """The maximum along the last k axes, -inf over nothing."""
    x = _last(x, k)
    return _max_last(x) if x.shape[-1] else xp.sum(x, -1) - math.inf


def _amin(x, k):
    return -_amax(-x, k)


def _logsumexp(x, k):
    """log(sum(exp(x))) along the last k axes, without overflow."""
    x = _last(x, k)
    top = _amax(x, 1)
    shift = xp.where(xp.isfinite(top), top, 0.0)
    return xp.where(xp.isfinite(top), shift + xp.log(xp.sum(xp.exp(x - shift[..., None]), -1)), top)


def _softmax(x, k):
    """exp(x) over its sum along the last k axes, without overflow."""
    y = _last(x, k)
    e = xp.exp(y - _amax(y, 1)[..., None])
    return xp.reshape(e / xp.sum(e, -1)[..., None], tuple(x.shape))


def _logsumexp_softmax(x, k):
    """Both along the last k axes, with the exponentials computed once."""
    y = _last(x, k)
    top = _amax(y, 1)
    shift = xp.where(xp.isfinite(top), top, 0.0)
    e = xp.exp(y - shift[..., None])
    total = xp.sum(e, -1)
    return (xp.where(xp.isfinite(top), shift + xp.log(total), top),
            xp.reshape(e / total[..., None], tuple(x.shape)))


def _product(x, k):
    """The k-th derivative of the product along the last axis: that of all entries but k, and 0 where two of these are one."""
    if k == 0:
        return xp.prod(x, -1)
    n = x.shape[-1]
    t = np.ogrid[(slice(n),) * k]
    out = sum((t[a] == t[-1] for a in range(k - 1)), np.zeros((n,) * k, bool)) > 0
    y = xp.where(_array(out) > 0, 1.0, x[(...,) + (None,) * (k - 1) + (slice(None),)])
    one = xp.ones_like(y[..., :1])
    before = xp.cumprod(xp.concatenate((one, y[..., :-1]), -1), -1)
    after = xp.flip(xp.cumprod(xp.concatenate((one, xp.flip(y, (-1,))[..., :-1]), -1), -1), (-1,))
    apart = np.ones((n,) * k)
    for a, b in itertools.combinations(range(k), 2):
        apart = apart * (t[a] != t[b])
    return xp.where(_array(apart) > 0, before * after, 0.0)


def _norm2(x):
    """The root of the sum of squares, which neither overflow nor underflow."""
    top = _amax(xp.abs(x), x.ndim)
    scale = xp.where((top > 0) & xp.isfinite(top), top, 1.0)
    return xp.where(top == -math.inf, 0.0, scale * xp.sqrt(xp.sum((x / scale) * (x / scale))))


def _logdet(x):
    """log(det(x)); NaN where the determinant is not positive."""
    sign, log = xp.linalg.slogdet(x)
    return xp.where(sign > 0, log, math.nan)


def _minor(x, k):
    """The k-th derivative of det at x, with axes row, column, row, column, ..

    By the singular values s of x = u diag(s) v it is det(u) det(v) times the sum, over the permutations p of k
    places, of sign(p) times the product of all s but k of them, carried to the axes by u and v.
    """
    n = x.shape[-1]
    if k == 0:
        return xp.linalg.det(x)
    u, s, v = xp.linalg.svd(x)
    sign = xp.linalg.det(u) * xp.linalg.det(v)
    t = np.ogrid[(slice(n),) * k]
    rest = 1.0
    for i in range(n):  # the product of all s but those at t
        out = sum((t[a] == i for a in range(k)), np.zeros((n,) * k, bool)) > 0
        rest = rest * xp.where(_array(out) > 0, 1.0, s[(...,) + (i,) + (None,) * k])
    apart = np.ones((n,) * k)
    for a, b in itertools.combinations(range(k), 2):
        apart = apart * (t[a] != t[b])
    rest = rest * _array(apart, x)
    places, axes = "abcdefgh"[:k], "ijklmnopqrstuvwx"
    total = 0.0
    for p in itertools.permutations(range(k)):
        odd = sum(p[a] > p[b] for a, b in itertools.combinations(range(k), 2)) % 2
        terms = ["..." + places]
        for a in range(k):
            terms += ["..." + axes[2*a] + places[a], "..." + places[p[a]] + axes[2*a + 1]]
        y = xp.einsum(",".join(terms) + "->..." + axes[:2*k], rest, *(u, v) * k)
        total = total + (-y if odd else y)
    return sign[(...,) + (None,) * (2*k)] * total


def _diagonal(x, shape, axes):
    """The array of a shape that is x where all its axes with one number in axes have one index, 0 elsewhere."""
    t = _mesh(shape)
    on = np.ones((1,) * len(shape), bool)
    index, seen = [], set()
    for k, a in enumerate(axes):
        on = on & (t[k] == t[axes.index(a)])
        index.append(None if a in seen else slice(None))
        seen.add(a)
    y = x[tuple(index)] if x.ndim else x
    return xp.where(_array(on) > 0, y, 0.0)


def _mesh(sizes):
    return [np.arange(n).reshape((1,) * k + (n,) + (1,) * (len(sizes) - 1 - k)) for k, n in enumerate(sizes)]


def _weak_product(weak, *factors):
    """The product of factors entry by entry; where a weak one is infinite and the others are exactly 0, it is 0."""
    infinite, others = 1.0, 1.0
    for x, w in zip(factors, weak):
        if w:
            infinite = infinite * xp.where(xp.isinf(x), x, 1.0)
            x = xp.where(xp.isinf(x), 1.0, x)
        others = others * x
    return xp.where((others == 0) & (infinite != 1), 0.0, infinite * others)


def _guarded(subscripts, weak, plain, *factors):
    """A contraction in which infinities of weak factors lose against exact zeros; plain is that of einsum.

    Where an infinity counts, the result is infinite by the signs of its products: these are counted.
    """
    if not _any_infinite([x for x, w in zip(factors, weak) if w]):
        return plain
    finite = [xp.where(xp.isinf(x), 0.0, x) if w else x for x, w in zip(factors, weak)]
    signs = [xp.sign(x) for x in factors]
    without = [xp.where(xp.isinf(x), 0.0, s) if w else s for x, s, w in zip(factors, signs, weak)]
    count = _einsum(subscripts, *map(xp.abs, signs)) - _einsum(subscripts, *map(xp.abs, without))
    sign = _einsum(subscripts, *signs) - _einsum(subscripts, *without)
    infinite = xp.where(sign == count, math.inf, xp.where(sign == -count, -math.inf, math.nan))
    return xp.where(count > 0, infinite, _einsum(subscripts, *finite))


def _loops(sizes, shape, factors, index, where=None, weak=None):
    """out[o] += product of factors[k][i_k] with o, i_0, i_1, .. = index(t), for all t below sizes.

    Points where a condition of where(t) does not hold, or an index is out of range, are left out.
    """
    if 0 in sizes or 0 in shape or any(0 in x.shape for x in factors):
        return _array(np.zeros(shape), *factors[:1]) + sum(0.0 * xp.sum(x) for x in factors if 0 in x.shape)
    t = _mesh(sizes)
    one = np.ones((1,) * len(sizes), int)
    out, *maps = index(*t)
    joint = one > 0
    for holds in where(*t) if where else ():
        joint = joint & holds
    out, inside = _in_range(out, shape, one)
    joint = joint & inside
    values, kept = [], []
    for x, at in zip(factors, maps):
        at, inside = _in_range(at, x.shape, one)
        y = x[tuple(at)] if x.ndim else xp.reshape(x, one.shape)
        values.append(y if inside.all() else xp.where(_array(inside) > 0, y, 0.0))
    spans = lambda y: {a for a, n in enumerate(y.shape) if n != 1}
    if not joint.all() or weak:
        near = [y for y in values if weak or spans(y) & spans(joint)]
        kept = [y for y in values if not any(y is z for z in near)]
        product = _weak_product(weak, *values) if weak else math.prod(near, start=_array(1.0, *factors[:1]))
        values = [xp.where(_array(joint) > 0, product, 0.0)] + kept
    index = [np.broadcast_to(i, np.broadcast_shapes(*(np.shape(i) for i in out), one.shape)) for i in out]
    keep = sorted(set().union(*map(spans, index))) if index else []
    have = set().union(*map(spans, values)) if values else set()
    values += [_array(np.ones(t[a].shape), *factors[:1]) for a in range(len(sizes)) if sizes[a] != 1 and a not in have]
    letters = lambda axes: "".join(chr(97 + a) for a in sorted(axes))
    terms = [xp.reshape(y, tuple(n for n in y.shape if n != 1)) for y in values]
    subscripts = ",".join(letters(spans(y)) for y in values) + "->" + letters(keep)
    sums = _einsum(subscripts, *terms) if terms else _array(1.0, *factors[:1])
    if not index:
        return sums
    flat = np.ravel_multi_index(tuple(index), shape).reshape(-1)
    if np.array_equal(flat, np.arange(math.prod(shape))):
        return xp.reshape(sums, shape)
    return xp.reshape(_add_at(math.prod(shape), flat, xp.reshape(sums, (-1,))), shape)


def _in_range(index, shape, one):
    """The indices with 0 in place of those that are out of range, and where none is."""
    inside = one > 0
    clipped = []
    for i, n in zip(index, shape):
        ok = (0 <= i * one) & (i * one < n)
        clipped.append(np.where(ok, i, 0))
        inside = inside & ok
    return clipped, inside


def _states(step, sliced, b, *of):
    """All states: b[0] is the first, and b[t + 1] + step(state, x[t], .., c, ..) stands behind state t."""
    states = [b[0]]
    for t in range(b.shape[0] - 1):
        states.append(b[t + 1] + step(states[-1], *(x[t] for x in of[:sliced]), *of[sliced:]))
    return xp.stack(states)


def _states_back(step, sliced, b, *of):
    """The same from the end: b[-1] is the last state, and b[t] + step(state, x[t], .., c, ..) stands before state t + 1."""
    states = [b[-1]]
    for t in reversed(range(b.shape[0] - 1)):
        states.append(b[t] + step(states[-1], *(x[t] for x in of[:sliced]), *of[sliced:]))
    return xp.stack(states[::-1])


def _newton(step, x, *of):
    """The x at which the first result of step is 0, by its derivative, the second; NaN where it is not found in 200 steps."""
    y, jac = step(x, *of)
    for _ in range(200):
        flat = y.reshape(-1)
        if not xp.any(flat != 0):
            return x
        d = _solve(jac.reshape(len(flat), len(flat)), flat).reshape(x.shape)
        t, norm = 1.0, xp.sum(flat * flat)
        while True:
            z, jac_z = step(x - t * d, *of)
            if xp.sum(z * z) < norm:
                break
            t = t / 2
            if t < 1e-12:
                small = xp.max(xp.abs(d)) <= 1e-5 * max(1.0, xp.max(xp.abs(x)))
                return x if small else x * math.nan
        x, y, jac = x - t * d, z, jac_z
    return x * math.nan


def _compare(f, arguments, sizes, rows, step, tolerance, seed):
    """Compares results of f with central differences of others along random directions: see check."""
    rng = np.random.default_rng(seed)
    point = {name: np.array(_numbers(x), dtype=float) for name, x in arguments.items()}

    def result(name, moves={}):
        at = {n: _argument(x + moves.get(n, 0.0), arguments[n]) for n, x in point.items()}
        return np.array(_numbers(getattr(f(**at, **sizes), name)))

    errors = {}
    for kind, name, of, by, along in rows:
        d = point[along] if kind == "jvp" else rng.standard_normal(point[by].shape)
        h = step * max(1.0, np.max(np.abs(point[by]), initial=0.0)) / max(1.0, np.max(np.abs(d), initial=0.0))
        got = result(name)
        if kind == "hvp":
            h, v = 100 * h, point[along]
            want = sum(s * t * result(of, {by: h * (s * d + t * v)}) for s in (-1, 1) for t in (-1, 1)) / (4 * h * h)
        else:
            want = (result(of, {by: h * d}) - result(of, {by: -h * d})) / (2 * h)
        if kind == "vjp":
            want = np.sum(want * point[along])
        if kind != "jvp":
            got = np.tensordot(got, d, d.ndim)
        errors[name] = float(np.max(np.abs(got - want), initial=0.0) / max(1.0, np.max(np.abs(want), initial=0.0)))
        if not errors[name] <= tolerance:
            raise ValueError(f"{name} differs from differences of {of} by {errors[name]:.1e}")
    return errors
