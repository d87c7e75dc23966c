"""Faults that are known and not yet mended: the name of each, with a predicate on a program and its failure."""
import math
import re


def row(p, failure):
    """The fault that explains the failure, None where none does."""
    for name, holds in ROWS:
        if holds(p, failure):
            return name
    return None


def no_form(p, f):
    """A function of whole tensors that index notation cannot say."""
    return f.kind == "error R001" and "has no form in index notation" in f.message


def empty(p):
    """Whether an axis is empty, or the range of a sum may be."""
    def body(b):
        return b[0] == "sum" and (b[2] != "0" or b[3] != b[3].split(" ")[0] + " - 1") or \
            any(body(x) for x in b if isinstance(x, tuple))
    sizes = {s for v in p.variables.values() for s in v["shape"]} | {s for n in p.nodes() for s in n.shape}
    return any(s == "0" or p.sizes.get(s) == 0 for s in sizes) or any(n.op == "def" and body(n.p["body"]) for n in p.nodes())


def empty_sum(p, f):
    """A factor without a value beside a sum without terms: 0 is right, and 0 times NaN is given."""
    if f.kind == "nan":
        return f.facts["torch"] == 0 and math.isnan(f.facts["got"]) and empty(p)
    return f.kind == "reread value" and math.isnan(f.facts["got"]) and empty(p)


def overflow(p, f):
    """An exponential that is no number on the way to one."""
    return f.kind in ("nan", "reread value") and not math.isfinite(f.facts["got"]) and f.ref.largest > 700


def zero_over_zero(p, f):
    """A formula with the literal 0/0."""
    return f.kind == "reread value" and re.search(r"/ ?0(?![.\d])", f.line["input"]) is not None


ROWS = [
    ("num-empty-sum", empty_sum),
    ("num-step-exp", overflow),
    ("num-zero-over-zero", zero_over_zero),
    ("out-no-form", no_form),
]
