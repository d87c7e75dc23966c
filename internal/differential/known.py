"""Faults that are known: each a row of the list of faults, with a predicate on a program and its failure."""


def row(p, failure):
    """The row that names the failure, None where none does."""
    for name, holds in ROWS:
        if holds(p, failure):
            return name
    return None


def no_form(p, f):
    return f.kind == "error R001" and "has no form in index notation" in f.message


def empty_sum(p, f):
    """A sum of index notation without terms, over something that has no value."""
    if f.kind not in ("nan", "reread value") or not p.data["unread"]:
        return False
    return any(empty(b, p, {}) for n in p.nodes() if n.op == "def" for b in [n.p["body"]]) or \
        any(n.op == "def" for n in p.nodes()) and 0 in p.sizes.values()


def empty(body, p, at):
    if body[0] == "sum" and ("- 1" in body[3] and body[2] == "0" or "+ 1" in body[2] or 0 in p.sizes.values()):
        return True
    return any(empty(b, p, at) for b in body if isinstance(b, tuple))


ROWS = [
    ("num-empty-sum", empty_sum),
    ("out-no-form", no_form),
]
