"""The products of BenchmarkGather in eval, by SciPy: a matrix of 1,000,000 entries in rows of 10, and its transpose, times a vector.

    python3 bench/gather.py; go test ./eval -run XXX -bench Gather
"""

import time

import numpy
import scipy.sparse

m = n = 100_000
e = 1_000_000
random = numpy.random.default_rng(1)
A = scipy.sparse.csr_matrix((random.random(e), (numpy.arange(e) // 10, random.integers(0, n, e))), shape=(m, n))
x, y, T = random.random(n), random.random(m), A.T
for name, f in (("product", lambda: A @ x), ("gradient", lambda: T @ y)):
    times = []
    for _ in range(30):
        start = time.process_time()
        f()
        times.append(time.process_time() - start)
    print(f"{name}: {1e3 * min(times):.2f} ms")
