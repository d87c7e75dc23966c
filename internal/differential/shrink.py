"""A program that fails, made smaller while it fails in the same way."""
import collections
import time

from expected import prepare
from judge import Failure, Judge
from protocol import lines
from tree import Node, Printer, walk


def fails(p, batch, counts):
    """The failure of a program, None where it has none."""
    ref = prepare(p)
    if ref is None:
        return None
    asked = lines(ref)
    try:
        again = Judge(counts).judge(ref, asked, batch.ask(asked))
        for (path, line, want), a in zip(again, batch.ask([l for _, l, _ in again])):
            Judge(counts).again(ref, path, line, want, a)
    except Failure as f:
        f.ref = ref
        return f
    return None


def smaller(p):
    """Programs that are smaller than p, the smallest first."""
    for s, n in p.sizes.items():
        for v in {0, 1, 2, n - 1}:
            if v < n:
                yield p.but(sizes={**p.sizes, s: v})
    if p.data["integers"]:
        yield p.but(data={**p.data, "integers": False})
    if p.data["unread"]:
        yield p.but(data={**p.data, "unread": None})
    order = p.request["order"]
    if p.request["kind"] == "derivative" and order > 1:
        yield p.but(request={**p.request, "order": order - 1})
    if len(p.request["wrt"]) > 1:
        for x in p.request["wrt"]:
            yield p.but(request={**p.request, "wrt": [x]})
    for n in p.request["notations"]:
        if p.request["notations"] != [n] * 3:
            yield p.but(request={**p.request, "notations": [n] * 3})
    if p.request["declared"] == "symbols":
        yield p.but(request={**p.request, "declared": "numbers"})
    roots = {**p.lets, "": p.expr}
    for name, root in roots.items():
        for at, node in enumerate(walk(root)):
            for other in simpler(p, node):
                changed = substituted(root, at, other)
                q = p.but(lets={**p.lets, name: changed}) if name else p.but(expr=changed)
                yield q
    for name in p.lets:
        if name != p.request.get("through"):
            inline = {n: replaced(e, name, p.lets[name]) for n, e in p.lets.items() if n != name}
            yield p.but(lets=inline, expr=replaced(p.expr, name, p.lets[name]))


def simpler(p, node):
    """Nodes of the same shape that a node may become."""
    for a in node.args:
        if a.shape == node.shape:
            yield a
    for a in (b for c in node.args for b in c.args):
        if a.shape == node.shape:
            yield a
    if node.op not in ("var", "num", "eye", "size"):
        for n, v in p.variables.items():
            if v["shape"] == node.shape:
                yield Node("var", [], node.shape, name=n)
    if node.op == "def":
        for body in simpler_body(node.p["body"]):
            if len(accesses(body)) < len(accesses(node.p["body"])) or body != node.p["body"]:
                yield Node("def", node.args, node.shape, axes=node.p["axes"], body=body)
    if node.op in ("un", "power") and (node.op, node.p.get("f")) != ("un", "sin"):
        yield Node("un", node.args, node.shape, f="sin")


def accesses(body):
    if body[0] == "acc":
        return [body]
    return [a for b in body if isinstance(b, tuple) for a in accesses(b)]


def simpler_body(body):
    """Bodies of index notation that are smaller; a sum's index may not be left behind."""
    parts = [i for i, b in enumerate(body) if isinstance(b, tuple)]
    for i in parts:
        if body[0] != "sum":
            yield body[i]
        for other in simpler_body(body[i]):
            yield body[:i] + (other,) + body[i + 1:]


def substituted(root, at, other):
    """root with its at-th node, in the order of walk, replaced."""
    def exact(node, k):
        if k == at:
            return other, k + sum(1 for _ in walk(node))
        k += 1
        args = []
        for a in node.args:
            b, k = exact(a, k)
            args.append(b)
        return node.replaced(args), k
    return exact(root, 0)[0]


def replaced(node, name, value):
    if node.op == "let" and node.p["name"] == name:
        return value
    return node.replaced([replaced(a, name, value) for a in node.args])


def weight(p):
    return (len(p.nodes()), p.request["order"], len(p.request["wrt"]), sum(p.sizes.values()), len(p.variables),
            sum(len(str(n.p.get("body", ""))) for n in p.nodes()),
            p.data["integers"], bool(p.data["unread"]), p.request["declared"] == "symbols",
            len(set(p.request["notations"])), sum(n.op in ("un", "power") and n.p.get("f") != "sin" for n in p.nodes()))


def shrink(p, failure, batch, seconds):
    end = time.time() + seconds
    best = failure
    progress = True
    seen = set()
    while progress and time.time() < end:
        progress = False
        for q in smaller(p):
            if time.time() > end:
                break
            try:
                q = q.pruned()
                if weight(q) >= weight(p):
                    continue
                key = Printer(q, "matrix").body() + str(q.sizes) + str(q.request) + str(q.data)
                if key in seen:
                    continue
                seen.add(key)
                f = fails(q, batch, collections.Counter())
            except (AssertionError, KeyError, ValueError, IndexError, RuntimeError):
                continue
            if f is not None and f.kind == failure.kind:
                p, best, progress = q, f, True
                break
    return p, best
