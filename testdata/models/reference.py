"""An evaluator of the language in arithmetic of 60 digits, which shares no code with the project.

A program is parsed and evaluated as docs/language.md says; derivatives are central differences
with steps of 1e-12, whose error is beyond the digits of a double. Needs mpmath.
"""
import itertools
import math
import re

import mpmath
from mpmath import mp, mpf

mp.dps = 60

TOKEN = re.compile(
    r"(?P<blank>\s+|#[^\n]*)"
    r"|(?P<group>\*\s*\([A-Za-z',\s]*->[A-Za-z'\s]*\))"
    r"|(?P<num>\d+\.?\d*(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z]\w*)"
    r"|(?P<op>\.\*|\./|\.\^|->|>=|<=|==|!=|[-+*/^'()\[\],=<>;])"
)
LETTER = re.compile(r"[A-Za-z]'*")
STATEMENTS = {"declare", "expression", "let"}


class Number:
    """A literal, or what is made of literals alone: its order is that of the place where it stands."""

    def __init__(self, value):
        self.value = value


class Delta:
    """delta(k), whose sizes are those of the place where it stands."""


class Tensor:
    """Entries in row-major order; row says that a tensor of order 1 is a row."""

    def __init__(self, shape, data, row=False):
        self.shape, self.data, self.row = tuple(shape), data, row


def identity(shape):
    n = math.prod(shape)
    return Tensor(tuple(shape) * 2, [mpf(i == j) for i in range(n) for j in range(n)])


def points(shape):
    return itertools.product(*map(range, shape))


def position(shape, index):
    p = 0
    for n, i in zip(shape, index):
        p = p * n + i
    return p


class Parser:
    def __init__(self, src):
        self.tokens, at = [], 0
        while at < len(src):
            m = TOKEN.match(src, at)
            at = m.end()
            if m.lastgroup != "blank":
                self.tokens.append((m.lastgroup, m.group()))
        self.tokens.append(("end", ""))
        self.at = 0

    def peek(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def take(self, *ops):
        kind, text = self.peek()
        if kind == "op" and text in ops:
            self.at += 1
            return text
        return None

    def need(self, op):
        if not self.take(op):
            raise SyntaxError("%s is missing at %r" % (op, self.peek()))

    def program(self):
        declared, lets, expressions = [], [], []
        while self.peek()[0] == "name":
            word = self.next()[1]
            if word == "declare":
                while self.peek()[0] == "name" and self.peek()[1] not in STATEMENTS:
                    name = self.next()[1]
                    sizes = int(self.next()[1]) if self.peek()[0] == "num" else self.sizes()
                    declared.append((name, sizes))
            elif word == "let":
                name = self.next()[1]
                self.need("=")
                lets.append((name, self.expression()))
            elif word == "expression":
                expressions.append(self.expression())
            else:
                break
        return declared, lets, expressions

    def expression(self):
        a = self.sum()
        op = self.take(">", ">=", "<", "<=", "==", "!=")
        return ("compare", op, a, self.sum()) if op else a

    def sum(self):
        a = self.product()
        while op := self.take("+", "-"):
            a = ("binary", op, a, self.product())
        return a

    def product(self):
        a = self.sign()
        while True:
            if op := self.take("*", "/", ".*", "./"):
                a = ("binary", op, a, self.sign())
            elif self.peek()[0] == "group":
                left, right = self.next()[1].rstrip(")").split("(", 1)[1].split("->")
                strings = [LETTER.findall(s) for s in left.split(",")]
                args = [a] if len(strings) == 1 else [a, self.sign()]
                a = ("einsum", strings, LETTER.findall(right), args)
            else:
                return a

    def sign(self):
        return ("negative", self.sign()) if self.take("-") else self.power()

    def power(self):
        a = self.postfix()
        if self.take("^", ".^"):
            return ("binary", "^", a, self.exponent())
        return a

    def exponent(self):
        return ("negative", self.exponent()) if self.take("-") else self.power()

    def postfix(self):
        a = self.operand()
        while self.take("'"):
            a = ("transpose", a)
        return a

    def sizes(self):
        if not self.take("["):
            return None
        out = []
        while not self.take("]"):
            out.append(self.expression())
            self.take(",")
        return out

    def operand(self):
        if self.take("("):
            a = self.expression()
            self.need(")")
            return a
        kind, text = self.next()
        if kind == "num":
            return ("number", text, self.sizes())
        if text == "delta":
            sizes = self.sizes()
            if sizes is None:
                self.need("(")
                self.next()
                self.need(")")
            return ("delta", sizes)
        if not self.take("("):
            return ("name", text)
        if text == "einsum":
            return self.einsum()
        args, axis = [], None
        while not self.take(")"):
            if self.peek() == ("name", "axis"):
                self.at += 2
                sign = -1 if self.take("-") else 1
                axis = sign * int(self.next()[1])
            else:
                args.append(self.expression())
            self.take(",")
        return ("call", text, args, axis)

    def einsum(self):
        strings, current = [], []
        while True:
            kind, text = self.next()
            if kind == "name":
                current += LETTER.findall(text)
            elif text in (",", "->", ";"):
                strings.append(current)
                current = []
                if text == ";":
                    break
        args = [self.expression()]
        while self.take(","):
            args.append(self.expression())
        self.need(")")
        return ("einsum", strings[:-1], strings[-1], args)


def real(x):
    if isinstance(x, mpmath.mpc):
        return x.real if x.imag == 0 else mp.nan
    return x


FUNCTIONS = {
    "arcsin": mpmath.asin, "arccos": mpmath.acos, "arctan": mpmath.atan,
    "square": lambda x: x * x, "log1p": lambda x: mpmath.log(1 + x), "expm1": lambda x: mpmath.exp(x) - 1,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)), "softplus": lambda x: mpmath.log(1 + mpmath.exp(x)),
    "gelu": lambda x: x * (1 + mpmath.erf(x / mpmath.sqrt(2))) / 2,
    "abs": abs, "sign": lambda x: mpf((x > 0) - (x < 0)), "relu": lambda x: max(x, mpf(0)), "step": lambda x: mpf(x > 0),
    **{f: getattr(mpmath, f) for f in "sin cos tan sinh cosh tanh exp log sqrt erf".split()},
}
ARITHMETIC = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, ".*": lambda x, y: x * y,
    "/": lambda x, y: x / y, "./": lambda x, y: x / y, "^": lambda x, y: mpf(x) ** y,
}
RELATIONS = {
    ">": lambda x, y: x > y, ">=": lambda x, y: x >= y, "<": lambda x, y: x < y, "<=": lambda x, y: x <= y,
    "==": lambda x, y: x == y, "!=": lambda x, y: x != y,
}


def determinant(a, n):
    """By expansion along the first row, which needs no pivot."""
    if n == 0:
        return mpf(1)
    return sum(((-1) ** j * a[j] * determinant(minor(a, n, 0, j), n - 1) for j in range(n)), mpf(0))


def minor(a, n, i, j):
    return [a[p * n + q] for p in range(n) for q in range(n) if p != i and q != j]


def adjugate(a, n):
    return [(-1) ** (i + j) * determinant(minor(a, n, j, i), n - 1) for i in range(n) for j in range(n)]


def inverse(a, n):
    d = determinant(a, n)
    return [x / d for x in adjugate(a, n)]


def product(a, b, m, n, k):
    return [sum((a[i * n + j] * b[j * k + l] for j in range(n)), mpf(0)) for i in range(m) for l in range(k)]


class Evaluator:
    def __init__(self, values, sizes):
        self.values, self.numbers = values, sizes

    def size(self, e):
        v = self.value(e)
        return int(v.value if isinstance(v, Number) else v.data[0])

    def spread(self, v, shape):
        """v at a place of the shape: a literal, delta or a scalar is brought to it."""
        if isinstance(v, Delta):
            return identity(shape[: len(shape) // 2])
        x = v.value if isinstance(v, Number) else v.data[0] if v.shape == () else None
        if x is not None:
            return Tensor(shape, [x] * math.prod(shape))
        if v.shape != tuple(shape):
            raise ValueError("shapes %s and %s" % (v.shape, shape))
        return v

    def entrywise(self, f, a, b):
        if isinstance(a, Number) and isinstance(b, Number):
            return Number(real(f(a.value, b.value)))
        proper = [v for v in (a, b) if isinstance(v, Tensor) and v.shape != ()]
        shape = proper[0].shape if proper else ()
        row = bool(proper) and all(v.row for v in proper)
        a, b = self.spread(a, shape), self.spread(b, shape)
        return Tensor(shape, [real(f(x, y)) for x, y in zip(a.data, b.data)], row)

    def einsum(self, strings, out, args):
        size = {}
        for letters, a in zip(strings, args):
            if isinstance(a, Tensor):
                if len(letters) != len(a.shape):
                    raise ValueError("%s for order %d" % (letters, len(a.shape)))
                size.update(zip(letters, a.shape))
        for letters, a in zip(strings, args):
            if isinstance(a, Delta):
                half = len(letters) // 2
                for p, q in zip(letters[:half], letters[half:]):
                    size.setdefault(p, size.get(q))
                    size.setdefault(q, size.get(p))
        args = [self.spread(a, tuple(size[c] for c in letters)) for letters, a in zip(strings, args)]
        shape = tuple(size[c] for c in out)
        result = [mpf(0)] * math.prod(shape)
        for index in points(size.values()):
            at = dict(zip(size, index))
            x = mpf(1)
            for letters, a in zip(strings, args):
                x *= a.data[position(a.shape, [at[c] for c in letters])]
            result[position(shape, [at[c] for c in out])] += x
        return Tensor(shape, result)

    def value(self, e):
        return getattr(self, "do_" + e[0])(*e[1:])

    def do_number(self, text, sizes):
        if sizes is None:
            return Number(mpf(text))
        return self.spread(Number(mpf(text)), tuple(map(self.size, sizes)))

    def do_delta(self, sizes):
        return Delta() if sizes is None else identity(tuple(map(self.size, sizes)))

    def do_name(self, name):
        if name == "pi" and name not in self.values and name not in self.numbers:
            return Tensor((), [+mp.pi])
        return self.values[name] if name in self.values else Tensor((), [mpf(self.numbers[name])])

    def do_negative(self, e):
        v = self.value(e)
        return Number(-v.value) if isinstance(v, Number) else Tensor(v.shape, [-x for x in v.data], v.row)

    def do_transpose(self, e):
        v = self.value(e)
        if isinstance(v, Number) or v.shape == ():
            return v
        if len(v.shape) == 1:
            return Tensor(v.shape, v.data, not v.row)
        return self.einsum([["i", "j"]], ["j", "i"], [v])

    def do_compare(self, op, a, b):
        return self.entrywise(lambda x, y: mpf(RELATIONS[op](x, y)), self.value(a), self.value(b))

    def do_einsum(self, strings, out, args):
        return self.einsum(strings, out, [self.value(a) for a in args])

    def do_binary(self, op, a, b):
        a, b = self.value(a), self.value(b)
        if isinstance(a, Delta):
            a = self.spread(a, b.shape)
        if isinstance(b, Delta):
            b = self.spread(b, a.shape)
        if op != "*":
            return self.entrywise(ARITHMETIC[op], a, b)
        order = [0 if isinstance(v, Number) else len(v.shape) for v in (a, b)]
        if 0 in order:
            return self.entrywise(ARITHMETIC[".*"], a, b)
        if order == [1, 1] and a.row and not b.row:
            return self.einsum([["i"], ["i"]], [], [a, b])
        if order == [1, 1] and not a.row and b.row:
            return self.einsum([["i"], ["j"]], ["i", "j"], [a, b])
        if order == [2, 1] and not b.row:
            return self.einsum([["i", "j"], ["j"]], ["i"], [a, b])
        if order == [1, 2] and a.row:
            v = self.einsum([["i"], ["i", "j"]], ["j"], [a, b])
            return Tensor(v.shape, v.data, True)
        if order == [2, 2]:
            return self.einsum([["i", "j"], ["j", "k"]], ["i", "k"], [a, b])
        raise ValueError("no product of orders %s" % order)

    def do_call(self, f, args, axis):
        if f == "eye":
            return identity((self.size(args[0]),))
        if f == "ones":
            return self.spread(Number(mpf(1)), tuple(map(self.size, args)))
        if f in ("max", "min") and len(args) == 2:
            return self.entrywise({"max": max, "min": min}[f], *map(self.value, args))
        a = self.value(args[0])
        if f in FUNCTIONS:
            if isinstance(a, Number):
                return Number(real(FUNCTIONS[f](a.value)))
            return Tensor(a.shape, [real(FUNCTIONS[f](x)) for x in a.data], a.row)
        if f in ("sum", "mean", "max", "min", "logsumexp", "softmax"):
            return self.reduction(f, a, axis)
        if f == "norm1":
            return Tensor((), [sum(map(abs, a.data), mpf(0))])
        if f == "norm2":
            return Tensor((), [mpmath.sqrt(sum((x * x for x in a.data), mpf(0)))])
        return self.matrix(f, a, args)

    def matrix(self, f, a, args):
        n = a.shape[0]
        if f == "diag":
            return self.einsum([["i"]], ["i", "i"], [a]) if len(a.shape) == 1 else self.einsum([["i", "i"]], ["i"], [a])
        if f == "kron":
            b = self.value(args[1])
            k = self.einsum([["i", "j"], ["k", "l"]], ["i", "k", "j", "l"], [a, b])
            return Tensor([x * y for x, y in zip(a.shape, b.shape)], k.data)
        if a.shape != (n, n):
            raise ValueError("%s of shape %s" % (f, a.shape))
        if f == "tr":
            return self.einsum([["i", "i"]], [], [a])
        if f == "det":
            return Tensor((), [determinant(a.data, n)])
        if f == "logdet":
            return Tensor((), [mpmath.log(determinant(a.data, n))])
        if f == "adj":
            return Tensor(a.shape, adjugate(a.data, n))
        if f == "inv":
            return Tensor(a.shape, inverse(a.data, n))
        if f == "solve":
            b = self.value(args[1])
            return Tensor(b.shape, product(inverse(a.data, n), b.data, n, n, math.prod(b.shape[1:])))
        if f == "matpow":
            power = identity((n,)).data
            for _ in range(self.size(args[1])):
                power = product(power, a.data, n, n, n)
            return Tensor(a.shape, power)
        raise ValueError("function " + f)

    def reduction(self, f, a, axis):
        if axis is None:
            axis = 0 if f == "softmax" else None
        groups = {}
        for index in points(a.shape):
            rest = () if axis is None else tuple(i for k, i in enumerate(index) if k != axis % len(a.shape))
            groups.setdefault(rest, []).append(a.data[position(a.shape, index)])
        exps = lambda xs: sum(map(mpmath.exp, xs), mpf(0))
        if f == "softmax":
            k = axis % len(a.shape)
            total = lambda index: exps(groups[index[:k] + index[k + 1:]])
            return Tensor(a.shape, [mpmath.exp(x) / total(i) for x, i in zip(a.data, points(a.shape))], a.row)
        g = {"sum": lambda xs: sum(xs, mpf(0)), "mean": lambda xs: sum(xs, mpf(0)) / len(xs), "max": max, "min": min,
             "logsumexp": lambda xs: mpmath.log(exps(xs))}[f]
        shape = () if axis is None else a.shape[:axis % len(a.shape)] + a.shape[axis % len(a.shape) + 1:]
        return Tensor(shape, [g(groups[rest]) for rest in points(shape)])


def evaluate(program, dims, values):
    declared, lets, expressions = program
    env, sizes = {}, {}
    for name, axes in declared:
        env[name] = Tensor(dims[name], values[name])
        if isinstance(axes, list):
            sizes.update((axis[1], n) for axis, n in zip(axes, dims[name]) if axis[0] == "name")
    ev = Evaluator(env, sizes)
    for name, e in lets:
        env[name] = ev.value(e)
    out = ev.value(expressions[0])
    return Tensor((), [out.value]) if isinstance(out, Number) else out


def derivatives(src, dims, values, wrt, order):
    """The value and the derivatives to the order, each as (shape, entries)."""
    program = Parser(src).program()
    step = mpf(10) ** -12
    known = {}

    def at(x):
        key = tuple(x)
        if key not in known:
            known[key] = evaluate(program, dims, {**exact, wrt: list(x)})
        return known[key]

    def difference(k, x):
        if k == 0:
            return at(x).data
        columns = []
        for j in range(len(x)):
            ahead, behind = list(x), list(x)
            ahead[j] += step
            behind[j] -= step
            columns.append([(p - q) / (2 * step) for p, q in zip(difference(k - 1, ahead), difference(k - 1, behind))])
        return [c[i] for i in range(len(columns[0])) for c in columns]

    exact = {name: [mpf(v) for v in data] for name, data in values.items()}
    shape = list(at(exact[wrt]).shape)
    return [(shape + k * list(dims[wrt]), [float(v) for v in difference(k, exact[wrt])]) for k in range(order + 1)]
