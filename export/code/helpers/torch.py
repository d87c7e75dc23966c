def _numbers_like(x):
    """What makes numbers tensors of the type and device of x."""
    like = torch.zeros(0, dtype=torch.float64) if x is None else x
    return lambda number: torch.tensor(number, dtype=like.dtype, device=like.device)


def _array(x, like=None):
    like = torch.zeros(0, dtype=torch.float64) if like is None else like
    return torch.as_tensor(np.asarray(x, dtype=float), dtype=like.dtype, device=like.device)


def _max_last(x):
    return torch.amax(x, -1)


def _erfc(x):
    return torch.erfc(x)


def _polygamma(k, x):
    """The orders k are one whole number, in all entries."""
    return torch.special.polygamma(int(k.reshape(-1)[0]), x) if k.numel() and x.numel() else x


def _any_infinite(factors):
    return any(bool(torch.isinf(x).any()) for x in factors)


def _einsum(subscripts, *factors):
    return torch.einsum(subscripts, *factors)


def _add_at(n, index, values):
    return torch.zeros(n, dtype=values.dtype, device=values.device).index_add(0, torch.as_tensor(index, device=values.device), values)


def _scatter(values, shape, *index):
    """Zeros, to which values are added at places of the first axes."""
    index = tuple(torch.as_tensor(i, device=values.device) for i in index)
    return torch.zeros(shape, dtype=values.dtype, device=values.device).index_put(index, values, accumulate=True)


def _onehot(i, n, one):
    """The matrix that is one at i[k] in row k, and 0 elsewhere."""
    return xp.where(i[..., None] == xp.arange(n, device=i.device), one, 0.0 * one)


def _numbers(x):
    return x.detach().cpu().numpy()


def _argument(x, like):
    return torch.as_tensor(x, dtype=like.dtype, device=like.device)


def _inv(x):
    """The inverse; NaN where the matrix is singular."""
    y, failed = torch.linalg.inv_ex(x)
    return torch.where(failed[..., None, None] > 0, math.nan, y)


def _solve(a, b):
    """The solution of a x = b; NaN where the matrix is singular."""
    y, failed = torch.linalg.solve_ex(a, b)
    return torch.where((failed > 0).reshape(failed.shape + (1,) * (b.ndim - failed.ndim)), math.nan, y)


def _truth(holds, *of):
    """1 where a comparison holds, 0 elsewhere, NaN where one of what it compares is NaN."""
    y = holds.to(of[0].dtype)
    for x in of:
        y = xp.where(xp.isnan(x), math.nan, y)
    return y
