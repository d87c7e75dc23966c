"""Summarises rounds of bench/hessian.sh: times, and frechet's time over each peer's as the
median over the rounds of the ratio inside one round. With one thread that is processor time,
with several the best elapsed time. Factors are set beside torch's full Hessian, since torch
has no other. Results that differ end the summary with an error."""
import collections
import json
import sys

rounds, order, results = collections.defaultdict(dict), [], {}
for path in sys.argv[1:]:
    number = path.split("/")[-1].split(".")[0]
    for line in open(path):
        r = json.loads(line)
        case = r["problem"], r["n"], r["what"]
        if case not in order:
            order.append(case)
        rounds[case, r["impl"]][number] = r["cpu_s"] if r["threads"] == 1 else r["wall_best_s"]
        results[case, r["impl"]] = r["sum"], r["squares"]


def middle(values):
    values = sorted(values)
    return values[len(values) // 2] if values else None


def ratio(case, peer):
    own, other = rounds[case, "frechet"], rounds.get((case, peer), {})
    if case[2] == "factors" and peer == "torch":
        other = rounds.get((case[:2] + ("hessian",), peer), {})
    return middle([own[n] / other[n] for n in own if other.get(n)])


for (case, impl), (total, squares) in results.items():
    if case[2] == "factors":  # factored differently, with the same Hessian
        continue
    a, b = results[case, "frechet"]
    scale = max(squares, 1e-300)
    assert abs(b - squares) <= 1e-8 * scale and abs(a - total) <= 1e-6 * max(abs(total), scale ** .5), (case, impl, (a, b), (total, squares))


def show(v):
    return "-" if v is None else "%.3g" % v


print("%-22s %5s %-9s %12s %14s %14s" % ("problem", "n", "what", "frechet ms", "frechet/numpy", "frechet/torch"))
for case in sorted(order, key=lambda c: (order.index(next(o for o in order if o[0] == c[0])), c[1], ["value", "gradient", "factors", "hessian"].index(c[2]))):
    t = middle(rounds[case, "frechet"].values())
    print("%-22s %5d %-9s %12.4g %14s %14s" % (*case, 1e3 * t, show(ratio(case, "numpy")), show(ratio(case, "torch"))))
