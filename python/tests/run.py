"""Tests of the package: its doctests, and what they do not show. FRECHET names the program where the wheel is not installed.

    python3 python/tests/run.py
"""

import doctest
import os
import pathlib
import sys
import threading
import unittest

import numpy as np

if os.environ.get("FRECHET"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import frechet
from frechet import _function, _process

LOGISTIC = "declare X[m,n] y[m] w[n] expression sum(log(1 + exp(-y .* (X*w))))"


def squares(X, y, w):
    """The sum of squared residuals."""
    r = X @ w - y
    return np.sum(r**2)


class Package(unittest.TestCase):
    def test_numbers_against_numpy(self):
        rng = np.random.default_rng(1)
        for m, n in [(3, 2), (200, 30), (0, 2), (1, 1)]:  # by JSON, by files, empty, one
            X, y, w = rng.standard_normal((m, n)), rng.standard_normal(m), rng.standard_normal(n)
            u = -y * (X @ w)
            s = 1 / (1 + np.exp(-u))
            f = frechet.parse(LOGISTIC)
            self.assertTrue(np.allclose(f(X, y, w), np.sum(np.logaddexp(0, u))))
            self.assertTrue(np.allclose(f.grad("w")(X, y, w), -X.T @ (y * s)))
            self.assertTrue(np.allclose(f.hess("w")(X=X, w=w, y=y), X.T @ ((y**2 * s * (1 - s))[:, None] * X)))
            by = f.grad("w", "X")(X, y, w)
            self.assertTrue(np.allclose(by["X"], np.outer(-y * s, w)))
            self.assertTrue(np.allclose(by["w"], -X.T @ (y * s)))

    def test_numbers_that_are_not_finite(self):
        f = frechet.parse("declare x[n] expression x .^ 2")
        for x in ([np.nan, np.inf, -np.inf, 1.0], np.full(2000, -np.inf)):
            np.testing.assert_array_equal(f(x), np.square(x))

    def test_any_memory_order_and_type(self):
        f = frechet.parse("declare A[m,n] expression A")
        for A in (np.arange(6.0).reshape(2, 3).T, np.arange(12)[::2].reshape(2, 3), np.ones((2, 3), np.float32)[:, ::-1]):
            np.testing.assert_array_equal(f(A), A)

    def test_orders(self):
        f = frechet.parse("sum(x .^ 4)")
        self.assertEqual(f.derivative("x", order=3)([2.0]).tolist(), [[[48.0]]])
        self.assertEqual(str(f.derivative("x", order=1)), str(f.grad("x")))
        with self.assertRaisesRegex(ValueError, "the value has the axes"):
            frechet.parse("declare x[n] expression x").grad("x")

    def test_arguments(self):
        f = frechet.parse(LOGISTIC)
        for args, values, message in [((1, 2, 3, 4), {}, "4 arguments"), ((1,), {"X": 2}, "X is given twice"), ((), {"z": 1}, "no variable z")]:
            with self.assertRaisesRegex(TypeError, message):
                f(*args, **values)
        with self.assertRaises(frechet.FrechetError) as e:
            f(np.ones((2, 3)), np.ones(2), np.ones(2))
        self.assertEqual(e.exception.kind, "dimension-mismatch")
        with self.assertRaisesRegex(frechet.FrechetError, "has no value"):
            f(np.ones((2, 3)))

    def test_errors_leave_no_files(self):
        f = frechet.parse(LOGISTIC)
        for _ in range(3):
            with self.assertRaises(frechet.FrechetError):
                f(np.ones((100, 100)), np.ones(3000), np.ones(2000))
        self.assertEqual(os.listdir(_process.process().folder), [])

    def test_programs_are_forgotten(self):
        for i in range(600):  # more than are kept at a time
            frechet.parse(f"declare x[n] expression sum(x) + {i}")([1.0])

    def test_threads(self):
        f, wrong = frechet.parse("declare x[n] expression 2*x"), []

        def work(i):
            for _ in range(20):
                if f(np.full(i, i)).tolist() != [2.0 * i] * i:
                    wrong.append(i)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(1, 9)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        self.assertEqual(wrong, [])

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork here")
    def test_fork(self):
        f = frechet.parse("declare x[n] expression 2*x").bind(x=[1.0])._function
        f([1.0])
        pid = os.fork()
        if pid == 0:
            os._exit(0 if f([3.0]).tolist() == [6.0] else 1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertEqual(f([2.0]).tolist(), [4.0])

    def test_a_program_that_ended_is_started_again(self):
        f = frechet.parse("declare x[n] expression 2*x")
        child = _process.process().child
        child.kill()
        child.wait()
        self.assertEqual(f([2.0]).tolist(), [4.0])

    def test_of_a_python_function(self):
        f = frechet.of(squares)
        self.assertEqual(str(f.grad("w")), "let r = X*w - y\nexpression 2*X'*r")
        X, y, w = np.array([[1.0, 2.0], [3.0, 4.0]]), np.ones(2), np.array([0.5, 0.25])
        self.assertEqual(f(X, y, w), squares(X, y, w))
        with self.assertRaisesRegex(frechet.FrechetError, "sort has no meaning here"):
            frechet.of("def f(x): return np.sort(x)")

    def test_latex(self):
        self.assertIn("X^{\\top}", frechet.parse(LOGISTIC).grad("w")._repr_latex_())
        self.assertIn("align", frechet.parse(LOGISTIC).grad("w", "y")._repr_latex_())


def load_tests(loader, tests, pattern):
    for module in (frechet, _function, _process):
        tests.addTests(doctest.DocTestSuite(module))
    tests.addTests(doctest.DocFileSuite(str(pathlib.Path(__file__).resolve().parent.parent / "README.md"), module_relative=False))
    return tests


if __name__ == "__main__":
    unittest.main()
