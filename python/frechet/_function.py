"""Functions, their derivatives as formulas, and as functions of NumPy arrays."""

import inspect
import os
import textwrap
import weakref

import numpy as np

from . import _process


def parse(text, language="auto", rules=""):
    """The function that a text states: a formula, or a program with declarations.

    language: "auto", "einstein", "index" or "combinators"
    rules: the text of a file of rewrite rules, which are put to the test
    Raises FrechetError, with its place in the text.

    >>> parse("declare x[n] expression sum(sin(x))")
    sum(sin(x))
    >>> parse("sum(sin(x)")
    Traceback (most recent call last):
        ...
    frechet._process.FrechetError: 1:11: `)` is missing before the end of the program
    """
    return Function(text, language, rules)


def of(function):
    """The function that a Python function or its source states in NumPy, PyTorch or JAX style: it is read, and never called.

    Sizes are those of annotations, "m n" or Float[Array, "m n"]; arguments without one are matrices, vectors or numbers as
    their letters and their use say. What has no meaning, such as a loop, is a FrechetError that names it.

    >>> print(of("def loss(X, y, w): return np.sum((X @ w - y) ** 2)").grad("w"))
    2*X'*(X*w - y)
    """
    source = function if isinstance(function, str) else textwrap.dedent(inspect.getsource(function))
    return Function(source, "numpy")


class Function:
    """A tensor-valued function of declared variables. Called with their values it computes its own.

    params: the sizes of the axes of each variable, by name, in the order of positional arguments
    assumed: the declaration that was found for a formula without one, or ""
    """

    def __init__(self, text, language="auto", rules=""):
        self.text, self.language, self.rules = text, language, rules
        self._value = Derivative(self, (), 0)
        self.params, self.assumed = self._value.params, self._value.assumed

    def derivative(self, *wrt, order=1):
        """The derivative of an order by variables; the axes of the output come first, then those of the variables.

        >>> parse("x'*A*x").derivative("x", order=2)
        A + A'
        """
        return Derivative(self, wrt, order)

    def grad(self, *wrt):
        """The gradient by variables: of the shape of the variable, a dictionary by name where there are several.

        >>> parse("x'*A*x").grad("x")
        (A + A')*x
        """
        if self._value.axes:
            raise ValueError(f"a gradient is of a number, but the value has the axes [{','.join(self._value.axes)}]; use jac")
        return Derivative(self, wrt, 1)

    def jac(self, *wrt):
        """The Jacobian by variables."""
        return Derivative(self, wrt, 1)

    def hess(self, *wrt):
        """The second derivative by variables.

        >>> parse("sum(exp(X*w))").hess("w")
        X'*diag(exp(X*w))*X
        """
        return Derivative(self, wrt, 2)

    def code(self, target, *wrt, order=1, name="f"):
        """The source of one function for a target, such as "numpy" or "torch", of the value and the derivatives.

        >>> print(parse("sum(x .^ 2)").code("numpy", "x").splitlines()[0])
        # Printed by frechet export --target numpy.
        """
        by = ["--wrt", ",".join(wrt), "--order", str(order)] if wrt else []
        return self._command("export", "--target", target, "--name", name, *by)

    def steps(self, *wrt):
        """The derivation of the derivative and its adjoint, each step with its law."""
        return self._command("steps", *(["--wrt", ",".join(wrt)] if wrt else []))

    def check(self, *wrt, order=1):
        """Compares derivatives with central differences at random points: the report as text."""
        return self._command("check", *(["--wrt", ",".join(wrt), "--order", str(order)] if wrt else []))

    def _command(self, name, *args):
        return _process.command(name, "-", "--language", self.language, *args, text=self.text)

    def bind(self, **data):
        """The function with some variables fixed; their data is handed over once.

        >>> f = parse("sum((X*w - y) .^ 2)").bind(X=[[1, 2], [3, 4]], y=[0, 0])
        >>> f.value_and_grad("w")([1.0, 1.0])
        (58.0, array([48., 68.]))
        """
        return Bound(self, data)

    def scipy(self, wrt, hess=False, **data):
        """The keyword arguments by which scipy.optimize.minimize minimises over one variable.

        >>> from scipy.optimize import minimize
        >>> f = parse("sum((X*w - y) .^ 2)")
        >>> minimize(x0=np.zeros(2), **f.scipy("w", X=[[1, 2], [3, 4]], y=[5, 6])).x.round(3)
        array([-4. ,  4.5])

        hess: the Hessian as well, for the methods that take one
        """
        return self.bind(**data).scipy(wrt, hess)

    def __call__(self, *args, **values):
        return self._value(*args, **values)

    def __str__(self):
        return str(self._value)

    def __repr__(self):
        return str(self._value)

    def _repr_latex_(self):
        return self._value._repr_latex_()


class Derivative:
    r"""A derivative of a function: it prints as a formula, and is a function of arrays.

    >>> g = parse("declare x[n] expression sum(x .^ 3)").grad("x")
    >>> print(g.latex)
    3 x^{\odot 2}
    >>> g([1.0, 2.0])
    array([ 3., 12.])
    """

    def __init__(self, function, wrt, order):
        self._function, self._wrt, self._order = function, list(wrt), order
        self._field = ["value", "derivative", "hessian"][order] if order < 3 else "derivatives"
        self._kept = None
        first = self._keep()
        self._texts = first["text"]
        self.params = {p["name"]: tuple(p["axes"]) for p in first.get("params", [])}
        self.assumed, self.axes = first.get("assumed", ""), tuple(first.get("axes", []))

    def _request(self):
        r = {"input": self._function.text, "language": self._function.language, "order": self._order, "want": [self._field, "text"]}
        if self._wrt:
            r["wrt"] = self._wrt if len(self._wrt) > 1 else self._wrt[0]
        elif self._order == 0:
            r["order"] = 0
        if self._function.rules:
            r["rules"] = self._function.rules
        return r

    def _keep(self):
        p = _process.process()
        name = p.name()
        answer = p.ask({**self._request(), "keep": name})
        self._kept = p, name
        weakref.finalize(self, p.dropped.append, name)
        return answer

    def _program(self):
        """The process, and the name under which it keeps the program; anew after a fork."""
        if self._kept[0] is not _process.process():
            self._keep()
        return self._kept

    @property
    def text(self):
        """The formula, or formulas by variable."""
        t = self._texts[self._field]
        return t[self._order - 1] if self._field == "derivatives" else t

    @property
    def latex(self):
        """The formula in LaTeX, or formulas by variable."""
        t = _process.process().ask({**self._request(), "want": ["text"], "format": "latex"})["text"][self._field]
        return t[self._order - 1] if self._field == "derivatives" else t

    def __str__(self):
        return _by_variable(self.text)

    def __repr__(self):
        return str(self)

    def _repr_latex_(self):
        latex = self.latex
        if isinstance(latex, dict):
            rows = " \\\\ ".join(f"{name} &: {text}" for name, text in latex.items())
            return f"$$\\begin{{align*}} {rows} \\end{{align*}}$$"
        text = latex.strip()
        return text if text.startswith("\\begin{align") else f"$\\displaystyle {text}$"

    def __call__(self, *args, **values):
        return self._run(_arguments(self.params, args, values), [self._field])[self._field]

    def _run(self, values, want):
        """The fields that are wanted, at arrays and tensors that are stored already."""
        p, name = self._program()
        files = []
        try:
            request = {"run": name, "want": want, "out": p.path()[:-4],
                       "values": {n: x.reference(p) if isinstance(x, _Stored) else p.value(x, files) for n, x in values.items()}}
            answer = p.ask(request)
        finally:
            for path in files:
                os.unlink(path)
        return {f: _numbers(p, answer[f]) for f in want}


class Bound:
    """A function with data for some of its variables, which is handed over once."""

    def __init__(self, function, data):
        self._function = function
        self._data = {n: _Stored(x) for n, x in _arguments(function.params, (), data).items()}

    def value_and_grad(self, wrt):
        """A function of one variable that computes value and gradient together."""
        g = Derivative(self._function, (wrt,), 1)
        return lambda x: tuple(g._run({**self._data, wrt: _array(x)}, ["value", "derivative"]).values())

    def grad(self, wrt):
        """The gradient as a function of the one variable that is left."""
        return self._of(wrt, 1)

    def hess(self, wrt):
        """The Hessian as a function of the one variable that is left."""
        return self._of(wrt, 2)

    def _of(self, wrt, order):
        d = Derivative(self._function, (wrt,), order)
        return lambda x: d._run({**self._data, wrt: _array(x)}, [d._field])[d._field]

    def scipy(self, wrt, hess=False):
        """The keyword arguments of scipy.optimize.minimize, which knows flat vectors: the variable may have any order."""
        axes = self._function.params[wrt]
        d = Derivative(self._function, (wrt,), 2 if hess else 1)
        shape = {}

        def at(x, want):
            if not shape:
                shape[0] = self._shape(axes, x.size)
            return d._run({**self._data, wrt: _array(x).reshape(shape[0])}, want)

        def value(x):
            r = at(x, ["value", "derivative"])
            return r["value"], np.ravel(r["derivative"])

        more = {"hess": lambda x: np.reshape(at(x, ["hessian"])["hessian"], (x.size, x.size))} if hess else {}
        return {"fun": value, "jac": True, **more}

    def _shape(self, axes, entries):
        """The shape of a variable with so many entries, by the sizes that the data shows."""
        known = {a: n for name, s in self._data.items() for a, n in zip(self._function.params[name], s.array.shape)}
        shape = [int(a) if a.isdigit() else known.get(a, -1) for a in axes]
        if shape.count(-1) > 1:
            raise ValueError(f"the shape [{','.join(axes)}] does not follow from the data that is bound")
        return shape if shape or entries == 1 else [entries]


class _Stored:
    """An array that a process keeps: handed over when it is first needed there."""

    def __init__(self, x):
        self.array, self.kept = x, None

    def reference(self, p):
        if self.kept is None or self.kept[0] is not p:
            files, name = [], p.name()
            p.ask({"store": {name: p.value(self.array, files)}})
            for path in files:
                os.unlink(path)
            self.kept = p, name
            weakref.finalize(self, p.dropped.append, name)
        return {"stored": self.kept[1]}


def _array(x):
    return np.ascontiguousarray(x, dtype=np.float64)


def _arguments(params, args, values):
    """Arrays by name, from positional and keyword arguments."""
    if len(args) > len(params):
        raise TypeError(f"{len(args)} arguments for the {len(params)} variables {', '.join(params)}")
    given = dict(zip(params, args))
    for name, x in values.items():
        if name in given:
            raise TypeError(f"{name} is given twice")
        if name not in params:
            raise TypeError(f"there is no variable {name}; there are {', '.join(params)}")
        given[name] = x
    return {name: np.asarray(x, dtype=np.float64, order="C") for name, x in given.items()}


def _by_variable(text):
    return text if isinstance(text, str) else "\n".join(f"{name}: {_by_variable(t)}" for name, t in text.items())


def _numbers(p, field):
    if isinstance(field, list):
        return _numbers(p, field[-1])
    if "shape" in field:
        return p.array(field)
    return {name: _numbers(p, t) for name, t in field.items()}
