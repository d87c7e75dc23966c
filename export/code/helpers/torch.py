def _numbers_like(x):
    """What makes numbers tensors of the type and device of x."""
    like = torch.zeros(0, dtype=torch.float64) if x is None else x
    return lambda number: torch.tensor(number, dtype=like.dtype, device=like.device)
