"""Summarises rounds of bench/index.sh: best times, and frechet's time over each peer's as the
median over the rounds of the ratio inside one round."""
import collections
import json
import sys

best = collections.defaultdict(lambda: float("inf"))
rounds = collections.defaultdict(dict)
rate = {}
order = []
for path in sys.argv[1:]:
    number = path.split("/")[-1].split(".")[0]
    for line in open(path):
        r = json.loads(line)
        key = r["case"], r["impl"]
        if r["case"] not in order:
            order.append(r["case"])
        best[key] = min(best[key], r["wall_best_s"])
        rounds[key][number] = r["wall_best_s"]
        if "gflops" in r:
            rate[key] = max(rate.get(key, 0), r["gflops"])


def ratio(case, peer):
    own, other = rounds[case, "frechet"], rounds.get((case, peer), {})
    q = sorted(own[n] / other[n] for n in own if n in other)
    return q[len(q) // 2] if q else None


def show(v, form="%.2f"):
    return "-" if v is None else form % v


print("%-24s %12s %9s %14s %14s" % ("case", "frechet ms", "GFLOP/s", "frechet/numpy", "frechet/torch"))
for case in order:
    print("%-24s %12.3f %9s %14s %14s" % (case, 1e3 * best[case, "frechet"], show(rate.get((case, "frechet")), "%.1f"),
          show(ratio(case, "numpy")), show(ratio(case, "torch"))))
