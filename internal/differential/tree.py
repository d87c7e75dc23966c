"""Random programs as typed trees, and their text in matrix, Einstein and index notation."""
import functools
import math
import re
from fractions import Fraction


class Node:
    """An operation of the language. Its shape is a tuple of sizes, written in size symbols."""

    __slots__ = ("op", "args", "shape", "p")

    def __init__(self, op, args, shape, **p):
        self.op, self.args, self.shape, self.p = op, list(args), tuple(shape), p

    def replaced(self, args):
        return Node(self.op, args, self.shape, **self.p)


def walk(node):
    yield node
    for a in node.args:
        yield from walk(a)


@functools.lru_cache(maxsize=None)
def _code(text):
    return compile(text, "size", "eval")


def extents(text, sizes):
    """The number that a size written in symbols stands for."""
    return int(text) if text.isdigit() else sizes[text] if text in sizes else eval(_code(text), {}, sizes)


def affine(text, sizes, at):
    """An affine form or a condition at values of the indices, which are numbers or arrays of them."""
    parts = [p.strip().replace(" = ", " == ") for p in text.split(";")]
    holds = eval(_code(parts[0]), {}, {**sizes, **at})
    for p in parts[1:]:
        holds = holds & eval(_code(p), {}, {**sizes, **at})
    return holds


def times(a, b):
    return str(int(a) * int(b)) if a.isdigit() and b.isdigit() else "%s*%s" % (a, b)


class Program:
    """Lets and an expression over variables, numbers for its size symbols, and a request."""

    def __init__(self, sizes, variables, lets, expr, request, data):
        self.sizes, self.variables, self.lets, self.expr = sizes, variables, lets, expr
        self.request, self.data = request, data

    def but(self, **changes):
        p = Program(self.sizes, self.variables, self.lets, self.expr, self.request, self.data)
        for k, v in changes.items():
            setattr(p, k, v)
        return p

    def used(self):
        """The variables and lets that the expression and the request reach."""
        seen, todo = set(), [self.expr]
        if self.request.get("through"):
            seen.add(self.request["through"])
            todo.append(self.lets[self.request["through"]])
        while todo:
            for n in walk(todo.pop()):
                name = n.p.get("name")
                if n.op in ("var", "let") and name not in seen:
                    seen.add(name)
                    if n.op == "let":
                        todo.append(self.lets[name])
        return seen

    def pruned(self):
        seen = self.used() | set(self.request["wrt"])
        return self.but(lets={n: e for n, e in self.lets.items() if n in seen},
                        variables={n: v for n, v in self.variables.items() if n in seen})

    def nodes(self):
        return [n for e in [*self.lets.values(), self.expr] for n in walk(e)]

    def dims(self, name):
        return [extents(s, self.sizes) for s in self.variables[name]["shape"]]


SMOOTH = "sin cos tanh arctan sigmoid softplus erf gelu square exp expm1 sinh cosh tan".split()
DOMAIN = "log sqrt log1p arcsin arccos".split()
KINKS = "abs relu sign step".split()
LETTERS = "abcdefgh"
INDICES = "ijlpqr"
SIZES = [
    {"k": 2, "m": 3, "n": 4}, {"k": 2, "m": 3, "n": 2}, {"m": 2, "n": 3}, {"n": 3}, {"n": 2}, {"m": 2, "n": 2},
    {"k": 2, "m": 2, "n": 2}, {"k": 1, "m": 3, "n": 2}, {"k": 1, "m": 1, "n": 1}, {"m": 1, "n": 3}, {"n": 1},
    {"k": 0, "m": 2, "n": 3}, {"m": 0, "n": 2}, {"k": 1, "m": 0, "n": 2}, {"n": 4},
]
NUMBERS = [  # by how high the order of the derivative is
    [["1", "2"], ["1", "1", "3"], ["2", "3"], ["1"], ["2"], ["1", "2", "3"], ["0", "1", "2"]],
    [["1", "2"], ["1", "1", "2"], ["1"], ["2"]], [["1"], ["1", "2"]],
]
KINDS = {  # requests and how often
    "value": 4, "derivative": 20, "hessian": 12, "order3": 6, "order4": 3, "order5": 2, "mixed": 5,
    "jvp": 6, "vjp": 6, "hvp": 7, "diag-hessian": 5, "gauss-newton": 5, "grads": 8,
}


class Drawer:
    def __init__(self, rng):
        self.r = rng
        kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
        self.high = {"order3": 1, "order4": 2, "order5": 3}.get(kind, 0)
        self.sizes = dict(rng.choice(SIZES))
        if self.high > 1:
            self.sizes = {s: min(v, 2) for s, v in self.sizes.items()}
        self.symbols = sorted(self.sizes)
        if rng.random() < 0.3:  # sizes that are equal as numbers are equal
            self.symbols, self.sizes = rng.choice(NUMBERS[min(self.high, 2)]), {}
        # Tensors of order 3 and 4 and what is done entry by entry and axis by axis; or a function of a function ...
        self.form = rng.choice(["any"] * 7 + ["tensors"] * 2 + ["chain"]) if rng.random() < 0.8 else "any"
        self.kind = kind
        # Integers meet kinks, ties and poles; parts have unread entries outside of domains.
        self.data = {"seed": rng.getrandbits(32), "integers": rng.random() < 0.2,
                     "unread": rng.choice([None, None, None, "nan", "outside"])}
        self.raw = 0.15 if rng.random() < 0.5 else 0  # functions whose domain is left to luck
        self.variables, self.lets = {}, {}
        self.drawn = {}  # subterms by shape, to stand in several places
        self.budget = {0: rng.choice([6, 12, 20, 30]), 1: 10, 2: 7, 3: 5}[self.high]

    def chance(self, p):
        return self.r.random() < p

    def symbol(self):
        return self.r.choice(self.symbols)

    def shape(self, most):
        return tuple(self.symbol() for _ in range(self.r.choice(range(most + 1))))

    def count(self, shape):
        return math.prod(extents(s, self.sizes) for s in shape)

    def filled(self, shape):
        return self.count(shape) > 0

    def program(self):
        for _ in range(self.r.choice([0, 0, 1, 1, 2, 3])):
            shape = self.shape(2 if self.high else 3)
            self.let(self.expr(shape, self.r.choice([1, 2, 2, 3])))
        scalar = self.kind in ("hvp", "diag-hessian", "gauss-newton")
        if self.kind == "gauss-newton":
            return self.gauss_newton()
        if self.form != "any":
            return self.finish(self.tensors(scalar) if self.form == "tensors" else self.chain(scalar))
        shape = () if scalar or self.chance(0.5) else self.shape(1 if self.high else 2)
        expr = self.expr(shape, self.r.choice([1, 2, 3, 3, 4]) if not self.high else 2)
        return self.finish(expr)

    def tensors(self, scalar):
        """A function of one or two tensors of order 3 or 4 whose subterms stand in several places."""
        shape = tuple(self.symbol() for _ in range(self.r.choice([2, 3, 3, 4])))
        xs = [self.variable(shape, self.r.choice(["normal", "positive"])) for _ in range(self.r.choice([1, 1, 2]))]
        for _ in range(self.r.choice([2, 3, 4, 6]) if not self.high else 2):
            x, y = self.r.choice(xs[-3:]), self.r.choice(xs)
            form = self.r.randrange(12)
            if form < 3 and self.filled(shape):
                axis = self.r.randrange(len(shape))
                z = Node("softmax", [x], shape, axis=axis)
                if form == 2:
                    f = self.r.choice(["sum", "mean", "max", "min", "logsumexp"])
                    letters = LETTERS[: len(shape)]
                    z = self.reduce(f, x, axis)
                    z = self.ein([letters.replace(letters[axis], "")], letters, [z], dict(zip(letters, shape)))
                    z = self.bin(self.r.choice("+-*"), x, z)
            elif form < 7:
                z = self.bin(self.r.choice(["+", "-", "*", "-", "+", "logaddexp", "max", "min", "/"]), x, y)
            elif form == 7:
                z = Node("power", [x], shape, exponent=self.r.choice([2, 3, 4, -1, 8]))
            elif form == 8:
                at = self.r.randrange(len(shape) - 1)
                pair = shape[at:at + 2]
                z = Node("merge", [x], shape[:at] + (times(*pair),) + shape[at + 2:], axis=at)
                z = Node("un", [z], z.shape, f=self.r.choice(SMOOTH[:6]))
                z = Node("split", [z], shape, axis=at, sizes=pair)
            elif form == 9:
                z = self.bin(self.r.choice("+-*"), self.number(), x)
            else:
                z = Node("un", [x], shape, f=self.r.choice(SMOOTH[:9] + KINKS))
            if self.chance(0.3) and z.op != "var":
                z = self.let(z)
            xs.append(z)
        z = xs[-1]
        if not scalar and self.chance(0.3) and (not self.high or self.count(shape) < 5):
            return z
        out = self.reduce(self.r.choice(["sum", "sum", "sum", "mean", "norm2", "logsumexp"]) if self.filled(shape) else "sum", z)
        if self.chance(0.5):
            out = self.bin(self.r.choice("+-*"), out, self.reduce("sum", self.r.choice(xs)))
        return out

    def chain(self, scalar):
        """A function of a function of a function ..., which nothing may take in exponential time."""
        shape = (self.symbol(),)
        x = self.variable(shape)
        f = self.r.choice(["softmax", "mixed", "sin", "tanh", "sigmoid", "softplus"])
        for _ in range(self.r.choice([4, 8, 16]) if not self.high else 3):
            g = self.r.choice(["softmax", "sin", "tanh", "arctan"]) if f == "mixed" else f
            x = Node("softmax", [x], shape, axis=0) if g == "softmax" else Node("un", [x], shape, f=g)
        return self.reduce("sum", x) if scalar or self.chance(0.4) else x

    def gauss_newton(self):
        z = self.let(self.expr(self.shape(2) or (self.symbol(),), 2))
        outer = self.r.choice(["squares", "squares", "logsumexp", "any"])
        if outer == "any" or not self.filled(z.shape):
            expr = self.reduce("sum", Node("un", [z], z.shape, f=self.r.choice(["softplus", "square", "cosh"])))
        elif outer == "logsumexp":
            expr = self.reduce("logsumexp", z)
        else:
            expr = self.reduce("sum", Node("power", [z], z.shape, exponent=2))
        return self.finish(expr, through=z.p["name"])

    def finish(self, expr, **more):
        p = Program(self.sizes, self.variables, self.lets, expr, {"wrt": []}, self.data)
        reached = [n for n in p.used() if n in self.variables]
        if not reached:
            expr, more, self.kind = self.bin("+", expr, self.variable(expr.shape)), {}, "hessian"
            p = p.but(expr=expr, variables=self.variables)
            reached = [n for n in p.used() if n in self.variables]
        wrt = sorted(reached)
        self.r.shuffle(wrt)
        if self.data["unread"]:
            parts = {a.p["name"] for n in p.nodes() if n.op in ("ein", "def") for a in n.args if a.op == "var"}
            wrt.sort(key=lambda x: x not in parts)
        wrt = wrt[: 2 if self.kind == "mixed" else 1]
        order = {"value": 0, "hessian": 2, "mixed": 2, "order3": 3, "order4": 4, "order5": 5}.get(self.kind, 1)
        kind = "derivative" if self.kind in ("hessian", "mixed", "order3", "order4", "order5") else self.kind
        n = max((self.count(self.variables[x]["shape"]) for x in wrt), default=1)
        while order > 1 and self.count(expr.shape) * n ** order > 4000:
            order -= 1
        notation = ["matrix", "einstein", "index"]
        self.r.shuffle(notation)
        p = p.but(request={"kind": kind, "wrt": wrt, "order": order, "notations": notation,
                           "declared": self.r.choice(["symbols", "symbols", "symbols", "numbers"]), **more})
        return p.pruned()

    # Leaves

    def let(self, node):
        name = "p%d" % len(self.lets)
        self.lets[name] = node
        return Node("let", [], node.shape, name=name)

    def variable(self, shape, kind=None):
        kind = kind or self.r.choice(["normal", "normal", "positive"])
        known = [n for n, v in self.variables.items() if v["shape"] == tuple(shape) and v["kind"] == kind]
        if known and self.chance(0.7):
            return Node("var", [], shape, name=self.r.choice(known))
        name = "%s%d" % ("sxATUVWZ"[min(len(shape), 7)], len(self.variables))
        self.variables[name] = {"shape": tuple(shape), "kind": kind}
        return Node("var", [], shape, name=name)

    def leaf(self, shape, kind=None):
        if kind is None and self.data["unread"] and self.chance(0.4) and len(shape) <= 2:
            if shape in self.drawn and self.chance(0.5):
                return self.r.choice(self.drawn[shape])
            f = self.r.choice(["log", "sqrt", "log1p", "arcsin", "log", "sqrt", "power"])
            x = self.part(shape, "small" if f == "arcsin" else "positive")
            if f == "power":
                x = Node("power", [x], shape, exponent=self.r.choice([-1, -2, Fraction(1, 3), Fraction(-1, 2)]))
            else:
                x = Node("un", [x], shape, f=f)
            return self.kept(x)
        if kind is None:
            lets = [n for n, e in self.lets.items() if e.shape == tuple(shape)]
            if lets and self.chance(0.4):
                return Node("let", [], shape, name=self.r.choice(lets))
        if self.chance(0.7 if self.data["unread"] and kind else 0.3 if self.data["unread"] else 0.06) and len(shape) <= 2:
            return self.part(shape, kind)
        if kind is None and self.chance(0.04) and shape:
            return Node("num", [], shape, text=self.r.choice(["2", "0.5", "3", "1", "0"]))
        if kind is None and self.chance(0.05) and len(shape) == 2 and shape[0] == shape[1]:
            return Node("eye", [], shape)
        if kind is None and not shape and self.sizes and self.chance(0.08):
            return Node("size", [], (), symbol=self.symbol())
        return self.variable(shape, kind)

    def part(self, shape, kind):
        """A part of a variable: a diagonal, or elements at affine places."""
        if len(shape) == 1 and self.chance(0.6):
            return self.ein(["ii"], "i", [self.variable(shape * 2, kind)], {"i": shape[0]})
        if not shape and self.chance(0.3):
            s = self.symbol()
            return self.ein(["ii"], "", [self.variable((s, s), kind)], {"i": s})
        if len(shape) == 2 and self.chance(0.3):
            return self.ein(["iij"], "ij", [self.variable((shape[0],) + tuple(shape), kind)], dict(zip("ij", shape)))
        return self.gather(shape, kind)

    def gather(self, shape, kind=None):
        """A tensor given element by element whose entries are accesses to a variable."""
        axes = list(zip(INDICES, shape))
        x, where = self.accessed(axes, kind)
        return Node("def", [x], shape, axes=axes, body=("acc", 0, where))

    def accessed(self, indices, kind=None):
        """A variable and an affine access to it that stays within it for all values of the indices."""
        shape, where = [], []
        for _ in range(self.r.choice([1, 1, 2])):
            form = self.r.randrange(5)
            if not indices or form == 0:
                shape.append(self.r.choice(["2", "3"]))
                where.append(self.r.choice(["0", "1"]))
                continue
            c, s = self.r.choice(indices)
            if form == 1:
                shape.append(s)
                where.append(c)
            elif form == 2 and not s.isdigit():
                shape.append(s)
                where.append("%s - 1 - %s" % (s, c))
            elif s.isdigit() or extents(s, self.sizes) == 0:
                a, b = self.r.choice([1, 2]), self.r.choice([0, 1])
                most = a * (extents(s, self.sizes) - 1) + b
                shape.append(str(max(most + 1, 1) + self.r.choice([0, 1])) if s.isdigit() else s)
                where.append(("%d*%s" % (a, c) if a > 1 else c) + (" + %d" % b if b else "") if s.isdigit() else c)
            else:
                shape.append(s)
                where.append(c)
        return self.variable(tuple(shape), kind), where

    def definition(self, shape, depth):
        """A tensor in index notation with sums, conditions and functions of accesses."""
        axes, args = list(zip(INDICES, shape)), []
        free = iter(INDICES[len(axes):])

        def access(indices, kind=None):
            x, where = self.accessed(indices, kind)
            args.append(x)
            return ("acc", len(args) - 1, where)

        def condition(indices):
            (c, _), (d, _) = self.r.choice(indices), self.r.choice(indices)
            relation = self.r.choice(["<=", "<", "!=", "=", ">="])
            right = self.r.choice(["1", d, d + " + 1", "2"])
            return "%s %s %s" % (self.r.choice([c, "2*" + c]), relation, right)

        def body(indices, depth):
            form = self.r.randrange(9) if depth > 0 else 0
            if form == 1 and len(indices) < 4:
                c = next(free, None)
                if c:
                    outer = [i for i in indices if not i[1].isdigit()]
                    if outer and self.chance(0.5):
                        i, s = self.r.choice(outer)
                        lo, hi = self.r.choice([("0", i), (i, s + " - 1"), (i + " + 1", s + " - 1"), ("0", i + " - 1")])
                    else:
                        s = self.symbol()
                        lo, hi = "0", s + " - 1"
                    return ("sum", c, lo, hi, body(indices + [(c, s)], depth - 1))
            if form == 2 and indices:
                return ("if", condition(indices), body(indices, depth - 1), ("num", "0"), "factor")
            if form == 3 and indices:
                return ("if", condition(indices), body(indices, depth - 1), body(indices, depth - 1))
            if form == 4:
                return ("un", self.r.choice("sin cos tanh exp arctan sigmoid erf -".split()), body(indices, depth - 1))
            if form == 5:
                f = self.r.choice(["log", "sqrt"])
                return ("un", f, access(indices, "positive"))
            if form == 6:
                return ("power", body(indices, depth - 1), 2)
            if form == 7 and indices and self.chance(0.3):
                return ("bin", "*", ("idx", self.r.choice(indices)[0]), body(indices, depth - 1))
            if form >= 5:
                return ("bin", self.r.choice("+-**"), body(indices, depth - 1), body(indices, depth - 1))
            return access(indices)
        tree = body(axes, min(depth + 1, 3))
        return Node("def", args, shape, axes=axes, body=tree)

    # Operations

    def ein(self, strings, out, args, sizes):
        return Node("ein", args, [sizes[c] for c in out], strings=list(strings), out=out, sizes=sizes)

    def reduce(self, f, x, axis=None):
        shape = () if axis is None else tuple(s for i, s in enumerate(x.shape) if i != axis % len(x.shape))
        return Node("reduce", [x], shape, f=f, axis=axis)

    def bin(self, f, a, b):
        return Node("bin", [a, b], a.shape or b.shape, f=f)

    def number(self):
        return Node("num", [], (), text=self.r.choice(["2", "0.5", "3", "1.5", "1", "pi", "4"]))

    def positive(self, shape, depth):
        """A value that is positive, for all or for the drawn data."""
        form = self.r.randrange(5)
        if self.chance(self.raw):
            return self.expr(shape, depth)
        if form < 2 or depth == 0:
            return self.leaf(shape, "positive")
        x = self.expr(shape, depth - 1)
        if form == 2:
            return Node("un", [Node("un", [x], shape, f="tanh")], shape, f="exp")
        if form == 3:
            return Node("un", [x], shape, f=self.r.choice(["softplus", "cosh", "sigmoid"]))
        return self.bin("+", Node("power", [x], shape, exponent=2), self.number())

    def function(self, shape, depth):
        kinks = KINKS if self.chance(0.5) else []
        f = self.r.choice(DOMAIN if self.data["unread"] and self.chance(0.5) else SMOOTH + DOMAIN + kinks)
        if f in ("log", "sqrt", "log1p"):
            return Node("un", [self.positive(shape, depth - 1)], shape, f=f)
        if f in ("arcsin", "arccos"):
            x = self.expr(shape, depth - 1) if self.chance(self.raw) else self.leaf(shape, "small")
            return Node("un", [x], shape, f=f)
        x = self.expr(shape, depth - 1)
        if f in ("exp", "expm1", "sinh", "cosh", "tan", "square") and self.chance(0.6):
            x = Node("un", [x], shape, f=self.r.choice(["sin", "tanh", "arctan"]))
        return Node("un", [x], shape, f=f)

    def kept(self, x):
        self.drawn.setdefault(x.shape, []).append(x)
        return x

    def expr(self, shape, depth):
        shape = tuple(shape)
        self.budget -= 1
        if shape in self.drawn and self.chance(0.12):
            return self.r.choice(self.drawn[shape])
        return self.kept(self.operation(shape, depth))

    def operation(self, shape, depth):
        if depth <= 0 or self.budget <= 0:
            return self.leaf(shape)
        sub = lambda s=shape: self.expr(s, depth - 1)
        form = self.r.randrange(20)
        if form == 0:
            return self.leaf(shape)
        if form <= 3:
            a, b = sub(), sub()
            return self.bin(self.r.choice("+-"), a, b)
        if form <= 6:
            return self.function(shape, depth)
        if form == 7:
            return Node("neg", [sub()], shape)
        if form == 8:
            if self.chance(0.3) and self.raw:
                return self.bin("/", sub(), sub())
            return self.bin("/", sub(), self.positive(shape, depth - 1))
        if form == 9:  # an operand of order 0, or a number
            a = self.number() if self.chance(0.5) else self.expr((), depth - 1)
            b = sub()
            if self.chance(0.5):
                a, b = b, a
            return self.bin(self.r.choice("+-*"), a, b)
        if form == 10:
            return self.power(shape, depth)
        if form == 11:
            f = self.r.choice(["max", "min", "logaddexp", "max", ">", ">=", "<", "<=", "==", "!="])
            return self.bin(f, sub(), self.expr((), depth - 1) if self.chance(0.2) else sub())
        if form == 12:
            return self.bin("*", sub(), sub())
        if form <= 15:
            return self.special(shape, depth)
        if form == 16:
            return self.unary(shape, depth)
        if form == 17 and len(shape) <= 2:
            return self.definition(shape, depth)
        return self.product(shape, depth)

    def power(self, shape, depth):
        form = self.r.randrange(6)
        if form < 3:
            return Node("power", [self.expr(shape, depth - 1)], shape, exponent=self.r.choice([2, 3, 2, 4, 1, 0] if form else [2, 3]))
        base = self.positive(shape, depth - 1)
        if form == 3:
            return Node("power", [base], shape, exponent=self.r.choice([-1, -2, -3]))
        if form == 4:
            return Node("power", [base], shape, exponent=Fraction(self.r.choice([1, 3, -1, -3, 5]), self.r.choice([2, 3])))
        return self.bin("^", base, self.expr((), depth - 1) if self.chance(0.5) else self.expr(shape, depth - 1))

    def special(self, shape, depth):
        r = self.r
        if not shape:
            return self.scalar(depth)
        s = self.symbol()
        if self.chance(0.2) and self.filled(shape):
            axis = r.randrange(len(shape))
            return Node("softmax", [self.expr(shape, depth - 1)], shape,
                        axis=axis if r.random() < 0.5 else axis - len(shape))
        if self.chance(0.25):
            axis = r.randrange(len(shape) + 1)
            x = self.expr(shape[:axis] + (s,) + shape[axis:], depth - 1)
            f = r.choice(["sum", "mean", "max", "min", "logsumexp"]) if self.filled(x.shape) else "sum"
            return self.reduce(f, x, axis if r.random() < 0.5 else axis - len(x.shape))
        if len(shape) == 1:
            form = r.randrange(4)
            if form == 0:
                return self.ein(["ii"], "i", [self.expr(shape * 2, depth - 1)], {"i": shape[0]})
            if form == 1:
                return Node("solve", [self.invertible(shape[0], depth), self.expr(shape, depth - 1)], shape)
            return self.ein(["ij", "j"], "i", [self.expr((shape[0], s), depth - 1), self.expr((s,), depth - 1)],
                            {"i": shape[0], "j": s})
        if len(shape) == 2:
            form = r.randrange(8)
            square = shape[0] == shape[1]
            if square and form == 0:
                return self.ein(["i"], "ii", [self.expr(shape[:1], depth - 1)], {"i": shape[0]})
            if square and form == 1:
                return Node("matrix", [self.invertible(shape[0], depth)], shape, f="inv", k=0)
            if square and form == 2:
                f = r.choice(["adj", "matpow", "minor"])
                return Node("matrix", [self.expr(shape, depth - 1)], shape, f=f, k={"minor": 1, "adj": 0}.get(f, r.choice([0, 1, 2, 3])))
            if form == 3:
                return Node("solve", [self.invertible(shape[0], depth), self.expr(shape, depth - 1)], shape)
            if form == 4:
                return self.ein(["i", "j"], "ij", [self.expr(shape[:1], depth - 1), self.expr(shape[1:], depth - 1)], dict(zip("ij", shape)))
            if form == 5:
                return self.ein(["ji"], "ij", [self.expr(shape[::-1], depth - 1)], dict(zip("ij", shape)))
            return self.ein(["ij", "jk"], "ik", [self.expr((shape[0], s), depth - 1), self.expr((s, shape[1]), depth - 1)],
                            {"i": shape[0], "j": s, "k": shape[1]})
        return self.leaf(shape)

    def invertible(self, s, depth):
        shape = (s, s)
        if self.chance(self.raw):
            return self.expr(shape, depth - 1)
        return self.bin("+", Node("un", [self.expr(shape, depth - 1)], shape, f=self.r.choice(["tanh", "sin", "arctan"])),
                        self.bin("*", Node("num", [], (), text="5"), Node("eye", [], shape)))

    def scalar(self, depth):
        r, s = self.r, self.symbol()
        x = lambda most=2: self.expr(self.shape(most), depth - 1)
        form = r.randrange(11)
        if form <= 1:
            return self.reduce("sum", x(3))
        if form == 2:
            return self.ein(["ii"], "", [self.expr((s, s), depth - 1)], {"i": s})
        if form == 3:
            return Node("matrix", [self.expr((s, s), depth - 1)], (), f=r.choice(["det", "det", "minor"]), k=0)
        if form == 4:
            return self.reduce("norm2", x())
        if form == 5:
            return Node("matrix", [self.invertible(s, depth)], (), f="logdet", k=0)
        if form == 6:
            return self.reduce("norm1", x())
        if form == 7:
            y = x()
            return self.reduce(r.choice(["mean", "max", "min", "logsumexp"]) if self.filled(y.shape) else "sum", y)
        if form == 8:
            return self.ein(["i", "i"], "", [self.expr((s,), depth - 1), self.expr((s,), depth - 1)], {"i": s})
        if form == 9:
            a, b = self.shape(1) or (s,), (s, self.symbol())
            y = self.expr(a + b, depth - 1) if len(a) < 2 else None
            at = r.randrange(2)
            merged = a + b
            merged = merged[:at] + (times(merged[at], merged[at + 1]),) + merged[at + 2:]
            y = Node("merge", [y], merged, axis=at)
            if r.random() < 0.4:
                y = Node("split", [y], a + b, axis=at, sizes=(a + b)[at:at + 2])
            return self.reduce(r.choice(["sum", "norm2"]), Node("un", [y], y.shape, f=r.choice(["sin", "exp", "square"])))
        a, b = self.expr((s, self.symbol()), depth - 1), self.expr((self.symbol(), self.symbol()), depth - 1)
        y = Node("kron", [a, b], (times(a.shape[0], b.shape[0]), times(a.shape[1], b.shape[1])))
        return self.reduce(r.choice(["sum", "norm2"]), Node("un", [y], y.shape, f=r.choice(["tanh", "square"])))

    def unary(self, shape, depth):
        """A product of one operand: axes in another order, repeated, summed, or new."""
        sizes = dict(zip(LETTERS, shape))
        letters = [c for c in sizes if self.chance(0.8)]
        if self.chance(0.3):
            sizes["s"] = self.symbol()
            letters.append("s")
        self.r.shuffle(letters)
        if letters and len(letters) < 3 and self.chance(0.3):
            letters.append(self.r.choice(letters))
        x = self.expr([sizes[c] for c in letters], depth - 1)
        y = self.ein(["".join(letters)], "".join(LETTERS[: len(shape)]), [x], sizes)
        # What stands beside it gives a new axis its size.
        return self.bin("+", y, self.variable(shape)) if set(LETTERS[: len(shape)]) - set(letters) else y

    def product(self, shape, depth):
        sizes = dict(zip(LETTERS, shape))
        out = "".join(sizes)
        for c in "stu"[: self.r.choice([0, 1, 1, 2])]:
            sizes[c] = self.symbol()
        count = self.r.choice([2, 2, 2, 3])
        strings = [""] * count
        for c in sizes:
            where = self.r.sample(range(count), self.r.choice([1, 1, 2]))
            for k in where:
                strings[k] += c
        for k in range(count):
            letters = list(strings[k])
            self.r.shuffle(letters)
            if letters and len(letters) < 3 and self.chance(0.12):
                letters.append(self.r.choice(letters))
            strings[k] = "".join(letters)
        args = [self.expr([sizes[c] for c in s], depth - 1) if len(s) <= 3 else self.variable([sizes[c] for c in s])
                for s in strings]
        return self.ein(strings, out, args, sizes)


# Text

INFIX = {"+": "+", "-": "-", "*": ".*", "/": "./", "^": ".^"}
COMPARE = {">": "gt", ">=": "ge", "<": "lt", "<=": "le", "==": "eq", "!=": "ne"}


class Printer:
    """The text of a program. Parts that a notation cannot say are lets in one that can."""

    def __init__(self, program, notation, numbers=False):
        self.p, self.notation = program, notation
        self.lines, self.count = [], 0
        # A size symbol that no variable has is written as its number.
        self.symbols = set() if numbers else {s for v in program.variables.values() for s in v["shape"]}

    def size(self, s):
        return s if all(w in self.symbols or w.isdigit() for w in re.split(r"[-+*]", s)) else str(extents(s, self.p.sizes))

    def declaration(self, extra=()):
        names = [(n, v["shape"]) for n, v in self.p.variables.items()] + list(extra)
        return "declare " + " ".join("%s[%s]" % (n, ",".join(map(self.size, s))) for n, s in names)

    def body(self):
        for name, e in self.p.lets.items():
            self.let(name, e)
        last = "expression "
        if self.notation == "index" and self.index_able(self.p.expr):
            text = self.defined("f", self.p.expr)
            return "\n".join(self.lines + [text])
        text = self.text(self.p.expr)
        return "\n".join(self.lines + [last + text])

    def let(self, name, e):
        if self.notation == "index" and self.index_able(e):
            text = self.defined(name, e)
        elif e.op == "def":
            text = self.definition(name, e)
        else:
            text = "%s = %s" % (name, self.text(e))
        self.lines.append("let " + text)

    def named(self, e):
        """A name for a value, by a let where it has none."""
        if e.op in ("var", "let"):
            return e.p["name"]
        self.count += 1
        name = "q%d" % self.count
        self.let(name, e)
        return name

    def text(self, e):
        if self.notation == "index" and self.index_able(e):
            return self.named(e)
        f = getattr(self, "of_" + e.op)
        return f(e)

    def args(self, e):
        return [self.text(a) for a in e.args]

    def of_var(self, e):
        return e.p["name"]

    of_let = of_var

    def of_num(self, e):
        if e.p["text"] == "pi":
            return "pi"
        if not e.shape:
            return e.p["text"]
        if self.notation == "matrix" and e.p["text"] == "1" and len(e.shape) <= 2:
            return "ones(%s)" % ",".join(map(self.size, e.shape))
        return "%s[%s]" % (e.p["text"], ",".join(map(self.size, e.shape)))

    def of_size(self, e):
        return self.size(e.p["symbol"])

    def of_eye(self, e):
        n = self.size(e.shape[0])
        return "eye(%s)" % n if self.notation == "matrix" else "delta[%s]" % n

    def of_un(self, e):
        return "%s(%s)" % (e.p["f"], self.text(e.args[0]))

    def of_neg(self, e):
        return "(-%s)" % self.text(e.args[0])

    def of_bin(self, e):
        f = e.p["f"]
        a, b = self.args(e)
        if f in ("max", "min", "logaddexp"):
            return "%s(%s, %s)" % (f, a, b)
        if f == "*" and self.notation == "einstein" and not self.literal(e.args[0]) and not self.literal(e.args[1]):
            s, t = (LETTERS[: len(x.shape)] for x in e.args)
            return "(%s *(%s,%s->%s) %s)" % (a, s, t, s or t, b)
        if f == "*" and self.notation == "einstein":
            return "(%s * %s)" % (a, b)
        return "(%s %s %s)" % (a, INFIX.get(f, f), b)

    def literal(self, e):
        return e.op in ("num", "size") and not e.shape

    def of_power(self, e):
        p = e.p["exponent"]
        text = "(%s)" % p if isinstance(p, Fraction) and p > 0 else "-(%s)" % -p if p < 0 and isinstance(p, Fraction) else str(p)
        return "(%s%s%s)" % (self.text(e.args[0]), " .^ " if self.notation == "matrix" else "^", text)

    def axis(self, e):
        a = e.p.get("axis")
        return "" if a is None else ", axis=%d" % a

    def of_reduce(self, e):
        f, x = e.p["f"], e.args[0]
        if f == "sum" and self.notation == "einstein":
            letters = LETTERS[: len(x.shape)]
            a = e.p["axis"]
            out = "" if a is None else letters.replace(letters[a % len(letters)], "")
            return "(%s *(%s->%s))" % (self.text(x), letters, out)
        return "%s(%s%s)" % (f, self.text(x), self.axis(e))

    def of_softmax(self, e):
        return "softmax(%s%s)" % (self.text(e.args[0]), "" if len(e.shape) == 1 else self.axis(e))

    def of_matrix(self, e):
        f, x = e.p["f"], self.text(e.args[0])
        return "%s(%s, %d)" % (f, x, e.p["k"]) if f in ("matpow", "minor") else "%s(%s)" % (f, x)

    def of_solve(self, e):
        return "solve(%s, %s)" % tuple(self.args(e))

    def of_kron(self, e):
        return "kron(%s, %s)" % tuple(self.args(e))

    def of_merge(self, e):
        return "merge(%s, %d)" % (self.text(e.args[0]), e.p["axis"])

    def of_split(self, e):
        return "split(%s, %d, %s, %s)" % ((self.text(e.args[0]), e.p["axis"]) + tuple(map(self.size, e.p["sizes"])))

    def of_ein(self, e):
        args, strings, out = self.args(e), e.p["strings"], e.p["out"]
        pattern = ",".join(strings) + "->" + out
        if self.notation == "matrix" and not any(map(self.literal, e.args)):
            known = {"ii->": "tr(%s)", "ii->i": "diag(%s)", "i->ii": "diag(%s)", "ji->ij": "%s'", "ij,jk->ik": "(%s * %s)",
                     "ij,j->i": "(%s * %s)", "i,j->ij": "(%s * %s')", "i,i->": "(%s' * %s)"}.get(pattern)
            if known:
                return known % tuple(args)
        if len(args) == 1:
            return "(%s *(%s))" % (args[0], pattern)
        if len(args) == 2:
            return "(%s *(%s) %s)" % (args[0], pattern, args[1])
        return "einsum(%s; %s)" % (pattern, ", ".join(args))

    def of_def(self, e):
        return self.named(e)

    # Index notation

    def index_able(self, e):
        if e.op in ("var", "let", "num", "size", "un", "neg", "bin", "power", "eye", "def"):
            return e.op != "num" or e.p["text"] != "pi"
        return e.op == "ein" or e.op == "reduce" and e.p["f"] == "sum"

    def defined(self, name, e):
        if e.op == "def":
            return self.definition(name, e)
        taken = set(self.p.sizes) | set(self.p.variables) | set(self.p.lets)
        self.fresh = (c for c in [*"ijabcdefghlopqrstuvwz", *("i%d" % k for k in range(99))] if c not in taken)
        letters = [next(self.fresh) for _ in e.shape]
        text = self.at(e, letters)
        return "%s[%s] = %s" % (name, "; ".join("%s:%s" % (c, self.size(s)) for c, s in zip(letters, e.shape)), text)

    def at(self, e, letters):
        """The entry of e at the letters."""
        if e.op in ("var", "let") or not self.index_able(e) or e.op == "def":
            fresh = self.fresh
            name = self.named(e)
            self.fresh = fresh
            return "%s[%s]" % (name, "; ".join(letters)) if letters else name
        if e.op == "num":
            return e.p["text"]
        if e.op == "size":
            return self.size(e.p["symbol"])
        if e.op == "eye":
            return "([%s = %s] * 1)" % tuple(letters)
        sub = lambda a: self.at(a, letters if a.shape else [])
        if e.op == "un":
            return "%s(%s)" % (e.p["f"], sub(e.args[0]))
        if e.op == "neg":
            return "(-%s)" % sub(e.args[0])
        if e.op == "power":
            p = e.p["exponent"]
            text = "%d" % p if isinstance(p, int) and p >= 0 else "(%s)" % p
            return "(%s)^%s" % (sub(e.args[0]), text)
        if e.op == "bin":
            f, a, b = e.p["f"], sub(e.args[0]), sub(e.args[1])
            if f == "^":
                return "pow(%s, %s)" % (a, b)
            if f in COMPARE or f in ("max", "min", "logaddexp"):
                return "%s(%s, %s)" % (COMPARE.get(f, f), a, b)
            return "(%s %s %s)" % (a, f, b)
        if e.op == "reduce":
            x = e.args[0]
            at, rest = [], list(letters)
            axis = e.p["axis"]
            for k in range(len(x.shape)):
                at.append(next(self.fresh) if axis is None or k == axis % len(x.shape) else rest.pop(0))
            new = [c for c in at if c not in letters]
            body = self.at(x, at)
            return self.sums([(c, x.shape[at.index(c)]) for c in new], body)
        # A letter twice in the result is a condition.
        name, conditions = {}, []
        for c, l in zip(e.p["out"], letters):
            if c in name:
                conditions.append("[%s = %s] * " % (name[c], l))
            else:
                name[c] = l
        new = []
        for s in e.p["strings"]:
            for c in s:
                if c not in name:
                    name[c] = next(self.fresh)
                    new.append((name[c], e.p["sizes"][c]))
        unused = [c for c in e.p["sizes"] if c not in name]
        assert not unused, unused
        body = " * ".join(self.at(a, [name[c] for c in s]) for a, s in zip(e.args, e.p["strings"]))
        text = self.sums(new, body)
        return "(%s%s)" % ("".join(conditions), text)

    def sums(self, letters, body):
        for c, s in letters:
            body = "sum{%s}_0^(%s - 1) (%s)" % (c, self.size(s), body)
        return body

    def definition(self, name, e):
        args = [self.named(a) for a in e.args]
        return "%s[%s] = %s" % (name, "; ".join("%s:%s" % (c, self.size(s)) for c, s in e.p["axes"]),
                                self.scalar(e.p["body"], args))

    def scalar(self, e, args):
        kind = e[0]
        sub = lambda x: self.scalar(x, args)
        if kind == "acc":
            return "%s[%s]" % (args[e[1]], "; ".join(map(self.affine, e[2]))) if e[2] else args[e[1]]
        if kind in ("num", "idx"):
            return e[1]
        if kind == "un":
            return "%s(%s)" % (e[1], sub(e[2]))
        if kind == "bin":
            return "(%s %s %s)" % (sub(e[2]), e[1], sub(e[3]))
        if kind == "power":
            return "(%s)^%d" % (sub(e[1]), e[2])
        if kind == "sum":
            return "sum{%s}_(%s)^(%s) (%s)" % (e[1], self.affine(e[2]), self.affine(e[3]), sub(e[4]))
        if len(e) == 5:
            return "([%s] * (%s))" % (self.affine(e[1]), sub(e[2]))
        return "(if {%s} then %s else %s)" % (self.affine(e[1]), sub(e[2]), sub(e[3]))

    def affine(self, text):
        return " ".join(self.size(w) if w in self.p.sizes else w for w in text.split(" "))
