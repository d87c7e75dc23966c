#!/usr/bin/env python3
"""Random programs, differentiated by `frechet batch` and by torch, and compared.

    go build -o /tmp/frechet ./cmd/frechet && /usr/bin/python3 internal/differential/fuzz.py /tmp/frechet --count 2000

Each program is asked for in three notations by three modes, its formulas are read again, and a failure is
shrunk to a small program and printed with the command that repeats it. See CONTRIBUTING.md.
"""
import argparse
import collections
import concurrent.futures
import json
import random
import sys
import time

import numpy as np

import certificate
import known
from expected import prepare
from judge import Failure, Judge
from protocol import Batch, lines
from second import Second
from shrink import shrink
from tree import Drawer


def draw(seed, i):
    return Drawer(random.Random("%s:%d" % (seed, i))).program()


def report(seed, i, p, failure, out):
    line = failure.line
    print("FAILURE %s  (--seed %s --only %d)" % (failure.kind, seed, i), file=out)
    print("  " + failure.message.replace("\n", "\n  "), file=out)
    print("  " + line["input"].replace("\n", "\n  "), file=out)
    print("  echo '%s' | frechet batch" % json.dumps(line).replace("'", "'\\''"), file=out)
    out.flush()


def main():
    np.seterr(all="ignore")
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    ap.add_argument("frechet", help="the command to test")
    ap.add_argument("--count", type=int, default=1000, help="programs to draw")
    ap.add_argument("--first", type=int, default=0, help="number of the first program")
    ap.add_argument("--seed", default="1")
    ap.add_argument("--only", type=int, help="one program, shown")
    ap.add_argument("--timeout", type=float, default=20, help="seconds for one answer")
    ap.add_argument("--shrink", type=float, default=30, help="seconds to shrink a failure, 0 for none")
    ap.add_argument("--block", type=int, default=50, help="programs sent together")
    ap.add_argument("--jax", action="store_true", help="compare one program in 20 with JAX as well")
    args = ap.parse_args()
    counts, kinds, rows = collections.Counter(), collections.Counter(), collections.Counter()
    batch, spare = Batch(args.frechet, args.timeout), Batch(args.frechet, args.timeout)
    first, count = (args.only, 1) if args.only is not None else (args.first, args.count)
    began = time.time()
    second = Second() if args.jax else None
    pool = concurrent.futures.ThreadPoolExecutor(1)
    waiting = []  # formulas to be read again, from the block before
    failed = 0

    def failure(i, p, f):
        nonlocal failed
        row = known.row(p, f)
        if row:
            rows[row] += 1
            return
        failed += 1
        kinds[f.kind] += 1
        q, g = p, f
        if args.shrink and f.kind not in ("references differ", "derivation") and kinds[f.kind] <= 8:
            q, g = shrink(p, f, spare, args.shrink)
            row = known.row(q, g)
            if row:
                rows[row] += 1
                kinds[f.kind] -= 1
                failed -= 1
                return
        report(args.seed, i, q, g, sys.stdout)

    def block(start):
        refs = []
        for i in range(start, min(start + args.block, first + count)):
            p = draw(args.seed, i)
            try:
                r = prepare(p)
            except Exception:
                print("the fuzzer itself fails: --seed %s --only %d" % (args.seed, i))
                raise
            if r is None:
                counts["singular in the reference"] += 1
                continue
            if second and (i % 20 == 0 or args.only is not None):
                wrong = second.differs(args.seed, i, r)
                counts["compared with JAX"] += wrong is not None
                if wrong:
                    failure(i, p, Failure("references differ", lines(r)[0], str(wrong)))
            if i % 50 == 0 or args.only is not None:
                wrong = certificate.failure(args.frechet, p, args.timeout)
                counts["derivations checked"] += 1
                if wrong:
                    failure(i, p, Failure("derivation", {"input": wrong[0]}, wrong[1]))
            refs.append((i, p, r, lines(r)))
        return refs

    def settle(refs, waiting, answers):
        """Judges a block's answers, and those to the formulas of the block before; returns the formulas to read again."""
        done = [answers[4 * k: 4 * k + 4] for k in range(len(refs))]
        for (i, p, r, path, line, want), a in zip(waiting, answers[4 * len(refs):]):
            try:
                judge.again(r, path, line, want, a)
            except Failure as f:
                f.ref = r
                failure(i, p, f)
        formulas = []
        for (i, p, r, ls), a in zip(refs, done):
            counts["programs"] += 1
            try:
                formulas += [(i, p, r, *w) for w in judge.judge(r, ls, a)]
            except Failure as f:
                f.ref = r
                failure(i, p, f)
            except Exception:
                print("the fuzzer itself fails: --seed %s --only %d" % (args.seed, i))
                raise
        return formulas

    judge = Judge(counts)
    refs = block(first)
    starts = iter(range(first + args.block, first + count, args.block))
    while refs or waiting:
        asked = [l for _, _, _, ls in refs for l in ls] + [l for _, _, _, _, l, _ in waiting]
        if args.only is not None:
            for l in asked:
                print(l["input"], {k: v for k, v in l.items() if k != "input"}, sep="\n")
        future = pool.submit(batch.ask, asked)
        start = next(starts, None)
        following = block(start) if start is not None else []
        waiting = settle(refs, waiting, future.result())
        refs = following
        if batch.memory() > 2 << 30:
            print("FAILURE memory: over 2 GB before program %s" % start)
            failed += 1
            batch.stop()
    seconds = time.time() - began
    print("%d programs, %.1f a second" % (counts["programs"], counts["programs"] / seconds))
    for name, n in sorted(counts.items()):
        print("  %-40s %d" % (name, n))
    for name, n in sorted(rows.items()):
        print("  known: %-33s %d" % (name, n))
    for name, n in sorted(kinds.items()):
        print("  FAILURES: %-30s %d" % (name, n))
    batch.stop()
    spare.stop()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
