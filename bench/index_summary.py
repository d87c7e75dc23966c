"""Summarises rounds of bench/index.sh: times, and frechet's time over each peer's as the median
over the rounds of the ratio inside one round. With one thread that is processor time, which
what else the machine does disturbs less; with several, the best elapsed time."""
import collections
import json
import sys

rounds, flops, order = collections.defaultdict(dict), {}, []
for path in sys.argv[1:]:
    number = path.split("/")[-1].split(".")[0]
    for line in open(path):
        r = json.loads(line)
        if r["case"] not in order:
            order.append(r["case"])
        rounds[r["case"], r["impl"]][number] = r["cpu_s"] if r["threads"] == 1 else r["wall_best_s"]
        flops[r["case"]] = r.get("flops", 0)


def middle(values):
    values = sorted(values)
    return values[len(values) // 2] if values else None


def ratio(case, peer):
    own, other = rounds[case, "frechet"], rounds.get((case, peer), {})
    return middle(own[n] / other[n] for n in own if other.get(n))


def show(v, form="%.2f"):
    return "-" if not v else form % v


print("%-24s %12s %9s %14s %14s" % ("case", "frechet ms", "GFLOP/s", "frechet/numpy", "frechet/torch"))
for case in order:
    t = middle(rounds[case, "frechet"].values())
    rate = flops[case] / t / 1e9 if t and flops[case] else None
    print("%-24s %12.3f %9s %14s %14s" % (case, 1e3 * t, show(rate, "%.1f"), show(ratio(case, "numpy")), show(ratio(case, "torch"))))
