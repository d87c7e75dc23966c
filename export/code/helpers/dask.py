def _array(x, like=None):
    return da.asarray(x)


def _max_last(x):
    return da.max(x, -1) if x.size else da.zeros(x.shape[:-1])


def _scipy(name):
    """A function of scipy.special, or of math, entry by entry."""
    try:
        from scipy import special
        return getattr(special, name)
    except ImportError:
        return np.vectorize(getattr(math, name), otypes=[float])


def _erf(x):
    return da.map_blocks(_scipy("erf"), x, dtype=float)


def _erfc(x):
    return da.map_blocks(_scipy("erfc"), x, dtype=float)


def _lgamma(x):
    return da.map_blocks(np.vectorize(math.lgamma, otypes=[float]), x, dtype=float)


def _polygamma(k, x):
    from scipy.special import polygamma
    return da.map_blocks(lambda k, x: polygamma(np.floor(k).astype(int), x), k, x, dtype=float)


def _any_infinite(factors):
    return True  # it is not known yet


def _einsum(subscripts, *factors):
    return da.einsum(subscripts, *factors)


def _numbers(x):
    return np.asarray(x)


def _argument(x, like):
    return da.from_array(x, chunks=getattr(like, "chunks", "auto"))


def _truth(holds, *of):
    """1 where a comparison holds, 0 elsewhere, NaN where one of what it compares is NaN."""
    y = da.where(holds, 1.0, 0.0)
    for x in of:
        y = da.where(da.isnan(x), math.nan, y)
    return y


def _in_one(f, shape, *of):
    """f of whole arrays, in one worker: for matrices that fit there."""
    return da.from_delayed(dask.delayed(f)(*of), shape, float)


def _inv(x):
    """The inverse; NaN where the matrix is singular."""
    def inv(x):
        try:
            return np.linalg.inv(x)
        except np.linalg.LinAlgError:
            return np.full(x.shape, np.nan) if x.ndim == 2 else np.stack([inv(m) for m in x])
    return _in_one(inv, x.shape, x)


def _solve(a, b):
    """The solution of a x = b; NaN where the matrix is singular."""
    def solve(a, b):
        try:
            return np.linalg.solve(a, b)
        except np.linalg.LinAlgError:
            return np.full(b.shape, np.nan) if a.ndim == 2 else np.stack([solve(m, v) for m, v in zip(a, b)])
    return _in_one(solve, b.shape, a, b)


def _logdet(x):
    """log(det(x)); NaN where the determinant is not positive."""
    def logdet(x):
        sign, log = np.linalg.slogdet(x)
        return np.where(sign > 0, log, math.nan)
    return _in_one(logdet, x.shape[:-2], x)


def _minor(x, k):
    return _in_one(np.linalg.det, x.shape[:-2], x)


def _reshape(x, shape):
    return da.reshape(x, shape) if x.size else da.zeros(shape)
