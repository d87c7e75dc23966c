"""Compares the answers to the requests of a program with the reference."""
import itertools
import json
import math
import random

import numpy as np

import reference
from protocol import decode, reread

TOLERANCE = 1e-9


def contracted(t, directions, last):
    """A tensor with its first axes contracted with directions."""
    t = t.reshape([d.size for d in directions] + [last])
    for d in directions:
        t = np.tensordot(d.reshape(-1), t, 1)
    return t


class Failure(Exception):
    """A difference: its kind, the request that shows it, and what is wrong."""

    def __init__(self, kind, line, message, **facts):
        super().__init__(message)
        self.kind, self.line, self.message, self.facts = kind, line, message, facts


def reach(answer, path):
    for k in path:
        if isinstance(answer, list):
            answer = answer[k] if isinstance(k, int) and k < len(answer) else None
        else:
            answer = answer.get(k) if isinstance(answer, dict) else None
        if answer is None:
            return None
    return answer


class Judge:
    def __init__(self, counts):
        self.counts = counts

    def judge(self, ref, asked, answers):
        """Compares the answers to all requests of a program with the reference."""
        text = answers[-1]
        for line, a in zip(asked, answers):
            self.error(ref, line, a)
        if ref.singular:
            self.counts["a matrix that is singular but for rounding"] += 1
            return []
        for line, a in zip(asked[:-1], answers[:-1]):
            if "error" in a:
                continue
            wanted = ref.entries
            got = decode(a["value"])
            self.equal(ref, line, ("value",), got, ref.value, ())
            for path, directions, want, vs in wanted:
                t = reach(a, path)
                if t is None:
                    raise Failure("missing", line, "no %s in the answer" % "/".join(map(str, path)))
                t = decode(t)
                if path[0] in ("derivative", "hessian", "derivatives"):
                    self.tensor(ref, line, path, t, directions, want, vs)
                else:
                    self.equal(ref, line, path, t, want, vs)
        if text.get("error") or "error" in answers[0]:
            return []
        return reread(ref, answers[0], text)

    def error(self, ref, line, a):
        if "crash" in a:
            raise Failure("crash", line, a["crash"][:1500])
        if "hang" in a:
            raise Failure("hang", line, "no answer in %g s" % a["hang"])
        if "error" not in a:
            return
        e = a["error"]
        if e.get("kind") == "singular" and ref.singular:
            return
        if "format" in line and "has no form" in e["message"] and line["format"] in ("matrix", "einstein", "thesis"):
            self.counts["no form in the notation asked for"] += 1
            return
        raise Failure("error " + e.get("code", e.get("kind")), line, json.dumps(e))

    def tensor(self, ref, line, path, t, directions, want, vs):
        shape = ref.shape + tuple(d for v in vs for d in ref.values[v].shape)
        if t.shape != shape:
            raise Failure("shape", line, "%s has shape %s, wanted %s" % (path, t.shape, shape))
        self.counts["tensors compared"] += 1
        if np.isfinite(t).all() and np.isfinite(want).all():
            got = contracted(t, directions, want.size)
            scale = contracted(abs(t), [abs(d) for d in directions], want.size)
            if want.size == 0 or (abs(got - want.reshape(-1)) <= TOLERANCE * max(scale.max(), abs(want).max(), 1e-4)).all():
                return
        full = ref.full(path, vs)
        if full is None:
            if np.isfinite(t).all() and np.isfinite(want).all():
                raise Failure("value", line, "%s differs from the reference" % (path,))
            self.counts["not finite, too large to compare"] += 1
            return
        self.equal(ref, line, path, t, full, vs)

    def equal(self, ref, line, path, t, want, vs):
        if t.shape != want.shape:
            raise Failure("shape", line, "%s has shape %s, wanted %s" % (path, t.shape, want.shape))
        self.counts["tensors compared"] += 1
        if t.size == 0:
            return
        defined = np.isfinite(want)
        # Where the value is none, nothing is said of its derivatives.
        value = np.isfinite(ref.value)
        if path[0] in ("derivative", "hessian", "derivatives"):
            defined &= value.reshape(value.shape + (1,) * (want.ndim - value.ndim))
        elif path[0] != "value" and not value.all():
            defined &= False
        if ref.kinked and (len(vs) > 1 or path[0] == "gauss-newton") and not np.isfinite(t).all():
            self.counts["second derivatives of norm2 at 0"] += 1
            defined &= np.isfinite(t)
        if not defined.all() and (np.isfinite(t) & ~defined).any():
            self.counts["finite outside of the domain"] += 1
        # Data are of the size of 1: what cancels leaves the last digits of that, or of a value on the way.
        scale = abs(want[defined]).max() if defined.any() else 0
        floor = 1e-4 * min(max(1, ref.largest), 1e4)
        wrong = defined & ~(abs(t - want) <= TOLERANCE * max(scale, floor))
        if not wrong.any():
            return
        bad = np.argwhere(wrong)
        index = tuple(bad[np.argmax([np.inf if not math.isfinite(t[tuple(i)]) else abs(t[tuple(i)] - want[tuple(i)]) for i in bad])])
        self.settle(ref, line, path, t, want, index, vs, scale)

    def settle(self, ref, line, path, t, want, index, vs, scale):
        """Digits decide where doubles differ."""
        got, said = float(t[index]), float(want[index])
        facts = {"path": path, "index": [int(i) for i in index], "got": got, "torch": said}
        exact, spread, smooth = settled(ref, path, index, vs)
        facts.update(exact=exact, smooth=smooth)
        if ref.rounded and (exact is None or not smooth or path[0] == "value"):
            self.counts["kinks that are met but for rounding"] += 1
            return
        kind = "value" if math.isfinite(got) else "nan"
        if exact is None or not smooth or not math.isfinite(exact):
            if exact is not None and abs(exact) > 1e300 and math.isfinite(got) is False:
                self.counts["overflow"] += 1
                return
            if abs(got - said) <= 1e-6 * max(scale, 1e-30):
                self.counts["close, and not settled"] += 1
                return
            raise Failure(kind, line, "%s at %s: %r, torch %r, not smooth there" % (path, facts["index"], got, said), **facts)
        allowed = 1e-9 * abs(exact) + 100 * abs(said - exact) + 1000 * spread + 1e-12 * scale + 1e-13 * min(max(1, ref.largest), 1e4)
        if math.isfinite(got) and abs(got - exact) <= allowed:
            self.counts["settled by more digits"] += 1
            return
        if not math.isfinite(said) or abs(said - exact) > 1e-6 * max(abs(exact), scale):
            facts["reference"] = "doubted"
        facts["settled"] = True
        raise Failure(kind, line, "%s at %s: %r, torch %r, in 100 digits %r" % (path, facts["index"], got, said, exact), **facts)

    def again(self, ref, path, line, want, a):
        """What a printed formula gives when it is read again."""
        self.counts["formulas read again"] += 1
        if "crash" in a or "hang" in a:
            self.error(ref, line, a)
        if "error" in a:
            raise Failure("reread error " + a["error"].get("code", a["error"].get("kind")), line, json.dumps(a["error"]))
        got = decode(a["value"])
        if got.shape != want.shape:
            raise Failure("reread shape", line, "%s has shape %s, wanted %s" % (path, got.shape, want.shape))
        if not ref.finite and not np.isfinite(got).all():
            # Guards, which act at poles, do not print.
            self.counts["formulas read again at a pole"] += 1
            return
        scale = abs(want[np.isfinite(want)]).max(initial=1e-30)
        wrong = np.isfinite(want) & ~(abs(got - want) <= 1e-7 * max(scale, 1e-3))
        if wrong.any():
            i = tuple(np.argwhere(wrong)[0])
            raise Failure("reread value", line, "%s at %s: %r, and %r when it was printed" % (path, list(map(int, i)), got[i], want[i]), got=got[i])


def settled(ref, path, index, vs):
    """An entry in 100 digits by central differences, how much it moves with the last digit of the data,
    and whether differences from one side agree."""
    p = ref.p
    exact = reference.Exact(100)
    order = len(vs)
    m = exact.m
    h = m.mpf(10) ** -14

    def function(values):
        e = reference.Evaluator(exact, p.sizes, values, p.lets)
        return e.value(p.expr)

    def entry(values, steps):
        kind = path[0]
        if kind == "value":
            return function(values)[index]
        if kind in ("derivative", "hessian", "derivatives"):
            k = len(ref.shape)
            place, rest = index[:k], index[k:]
            moves = []
            for v in vs:
                d = len(ref.values[v].shape)
                moves.append((v, rest[:d], None))
                rest = rest[d:]
            out = lambda y: y[place]
        elif kind in ("vjp", "grads"):
            moves = [(vs[0], index, None)]
            out = lambda y: sum((a * m.mpf(float(b)) for a, b in zip(y.reshape(-1), ref.back.reshape(-1))), m.mpf(0))
        elif kind == "jvp":
            moves = [(p.request["wrt"][0], None, ref.along)]
            out = lambda y: y[index]
        elif kind == "hvp":
            moves = [(vs[0], index, None), (vs[0], None, ref.along)]
            out = lambda y: y.reshape(-1)[0]
        elif kind == "diag-hessian":
            moves = [(vs[0], index, None)] * 2
            out = lambda y: y.reshape(-1)[0]
        else:
            return None
        total = m.mpf(0)
        for signs in itertools.product(steps, repeat=len(moves)):
            x = {n: v.copy() for n, v in values.items()}
            weight = 1
            for s, (v, at, along) in zip(signs, moves):
                weight *= 1 if s == steps[0] else -1
                if along is None:
                    x[v][at] = x[v][at] + s * h
                else:
                    x[v] = x[v] + exact.variable(along) * (s * h)
            total += weight * out(function(x))
        return total / ((steps[0] - steps[1]) * h) ** len(moves)

    try:
        values = {n: exact.variable(v) for n, v in ref.values.items()}
        central = entry(values, (1, -1))
        if central is None:
            return None, 0, True
        smooth = True
        if path[0] != "value":
            for s in ((1, 0), (0, -1)):
                side = entry(values, (m.mpf(s[0]), m.mpf(s[1]) if s[1] else m.mpf(0)))
                if not abs(side - central) <= 1e-6 * max(abs(central), m.mpf(10) ** -8):
                    smooth = False
        rng = random.Random(1)
        spread = 0
        for _ in range(2):
            moved = {n: exact._map(lambda v: v * (1 + m.mpf(rng.choice([-1, 1])) * m.mpf(2) ** -53), x) for n, x in values.items()}
            spread = max(spread, abs(entry(moved, (1, -1)) - central))
        return float(central), float(spread), smooth
    except (reference.Singular, ValueError, ZeroDivisionError, OverflowError) as e:
        if os.environ.get("DEBUG"): raise
        return None, 0, False
