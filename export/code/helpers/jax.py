def _array(x, like=None):
    return jnp.asarray(x)


def _max_last(x):
    return jnp.max(x, -1)


def _erfc(x):
    return jax.scipy.special.erfc(x)


def _any_infinite(factors):
    return True  # under jit it is not known yet


def _einsum(subscripts, *factors):
    return jnp.einsum(subscripts, *factors)


def _add_at(n, index, values):
    return jnp.zeros(n, values.dtype).at[index].add(values)


def _check_index(name, x, n):
    """Under jit the numbers are not known yet."""
    if not isinstance(x, jax.core.Tracer) and not np.all((x == np.floor(x)) & (0 <= x) & (x < n)):
        raise ValueError(f"{name} has whole numbers from 0 to {n - 1}")


def _scatter(values, shape, *index):
    """Zeros, to which values are added at places of the first axes."""
    return jnp.zeros(shape, values.dtype).at[index].add(values)


def _onehot(i, n, one):
    """The matrix that is one at i[k] in row k, and 0 elsewhere."""
    return xp.where(i[..., None] == xp.arange(n), one, 0.0 * one)


def _states(step, sliced, b, *of):
    """All states: b[0] is the first, and b[t + 1] + step(state, x[t], .., c, ..) stands behind state t."""
    def move(h, at):
        h = at[0] + step(h, *at[1:], *of[sliced:])
        return h, h
    return jnp.concatenate([b[:1], jax.lax.scan(move, b[0], (b[1:],) + of[:sliced])[1]])


def _states_back(step, sliced, b, *of):
    """The same from the end: b[-1] is the last state, and b[t] + step(state, x[t], .., c, ..) stands before state t + 1."""
    return _states(step, sliced, b[::-1], *(x[::-1] for x in of[:sliced]), *of[sliced:])[::-1]


def _newton(step, x, *of):
    """The x at which the first result of step is 0, by its derivative, the second; NaN where it is not found in 200 steps."""
    def norm(y):
        return jnp.sum(y * y)
    def halve(at):
        t, x, d, least = at
        return t / 2, x, d, least
    def worse(at):
        t, x, d, least = at
        return (t > 1e-12) & ~(norm(step(x - t * d, *of)[0]) < least)
    def move(at):
        k, x, _ = at
        y, jac = step(x, *of)
        d = _solve(jac.reshape(y.size, y.size), y.reshape(-1)).reshape(x.shape)
        t = jax.lax.while_loop(worse, halve, (jnp.ones_like(norm(y)), x, d, norm(y)))[0]
        small = jnp.max(jnp.abs(d), initial=0.0) <= 1e-5 * jnp.maximum(1.0, jnp.max(jnp.abs(x), initial=0.0))
        done = (norm(y) == 0) | (t <= 1e-12)
        z = jnp.where(done, jnp.where((norm(y) == 0) | small, x, math.nan), x - t * d)
        return k + 1, z, done
    k, x, done = jax.lax.while_loop(lambda at: (at[0] < 200) & ~at[2], move, (0, x, jnp.array(False)))
    return jnp.where(done, x, math.nan)


def _numbers(x):
    return np.asarray(x)


def _argument(x, like):
    return jnp.asarray(x)


def _inv(x):
    return jnp.linalg.inv(x)


def _solve(a, b):
    return jnp.linalg.solve(a, b)


def _truth(holds, *of):
    """1 where a comparison holds, 0 elsewhere, NaN where one of what it compares is NaN."""
    y = jnp.where(holds, 1.0, 0.0)
    for x in of:
        y = xp.where(xp.isnan(x), math.nan, y)
    return y
