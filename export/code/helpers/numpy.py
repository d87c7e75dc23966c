def _array(x, like=None):
    return np.asarray(x)


def _max_last(x):
    return np.max(x, -1)


try:
    from scipy.special import erf as _erf
except ImportError:
    _erf = np.vectorize(math.erf, otypes=[float])


try:
    from scipy.special import erfc as _erfc
except ImportError:
    _erfc = np.vectorize(math.erfc, otypes=[float])


try:
    from scipy.special import gammaln as _lgamma
except ImportError:
    _lgamma = np.vectorize(math.lgamma, otypes=[float])


def _polygamma(k, x):
    from scipy.special import polygamma
    return polygamma(np.floor(k).astype(int), x)


def _any_infinite(factors):
    return any(np.isinf(x).any() for x in factors)


def _einsum(subscripts, *factors):
    return np.einsum(subscripts, *factors, optimize=True)


def _add_at(n, index, values):
    return np.bincount(index, values, n)


def _scatter(values, shape, *index):
    """Zeros, to which values are added at places of the first axes."""
    out = np.zeros(shape)
    np.add.at(out, index, values)
    return out


def _onehot(i, n, one):
    """The matrix that is one at i[k] in row k, and 0 elsewhere."""
    return xp.where(i[..., None] == xp.arange(n), one, 0.0 * one)


def _numbers(x):
    return x


def _argument(x, like):
    return x


def _inv(x):
    """The inverse; NaN where the matrix is singular."""
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        return np.full(x.shape, np.nan) if x.ndim == 2 else np.stack([_inv(m) for m in x])


def _solve(a, b):
    """The solution of a x = b; NaN where the matrix is singular."""
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        return np.full(b.shape, np.nan) if a.ndim == 2 else np.stack([_solve(m, v) for m, v in zip(a, b)])


def _truth(holds, *of):
    """1 where a comparison holds, 0 elsewhere, NaN where one of what it compares is NaN."""
    y = np.where(holds, 1.0, 0.0)
    for x in of:
        y = xp.where(xp.isnan(x), math.nan, y)
    return y
