"""Derivatives of tensor expressions: as formulas, as numbers, checked.

>>> import frechet, numpy as np
>>> f = frechet.parse("norm2(X*w - y)^2 + lambda*norm2(w)^2")
>>> print(f.grad("w"))
2*(X'*(X*w - y) + lambda*w)
>>> X, y = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 1.0])
>>> f.grad("w")(X=X, w=[0.5, 0.5], y=y, **{"lambda": 1})
array([17., 23.])

A function is parsed and differentiated by a program that is part of the package; formulas are its text, numbers are computed by it.
"""

from ._function import Bound, Derivative, Function, of, parse
from ._process import FrechetError, version

__all__ = ["Bound", "Derivative", "FrechetError", "Function", "of", "parse", "version"]
