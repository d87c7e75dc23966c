"""Values and derivatives to second order of slices, blocks and what is made of them, by torch in double precision.

    /usr/bin/python3 generate.py > cases.jsonl
"""

import json

import torch

torch.set_default_dtype(torch.float64)
cat, stack = torch.cat, torch.stack


def case(name, program, f, by="x", order=2, **data):
    """f is a function of tensors by their names; the derivatives are those by the variable `by`."""
    generator = torch.Generator().manual_seed(sum(name.encode()))
    shapes = {k: v for k, v in data.items()}
    env = {k: torch.rand(v, generator=generator).add(0.2).mul(100).round().div(100) for k, v in data.items()}

    def at(x):
        return f(**{**env, by: x})

    def derivative(g):
        return lambda x: torch.autograd.functional.jacobian(g, x, create_graph=True) if x.numel() and g(x).numel() else zeros_like(g, x)

    def zeros_like(g, x):
        return torch.zeros(tuple(g(x).shape) + tuple(x.shape))

    def tensor(t):
        return {"shape": list(t.shape), "data": [float(f"{v:.14g}") for v in t.detach().reshape(-1).tolist()]}

    expect = {"value": tensor(at(env[by]))}
    g = at
    for key in ["derivative", "hessian"][:order]:
        g = derivative(g)
        expect[key] = tensor(g(env[by]))
    declare = " ".join(f"{k}[{','.join(map(str, v))}]" for k, v in data.items())
    text = program if program.startswith("declare") else f"declare {declare} expression {program}"
    print(json.dumps({
        "id": name, "topic": "slices",
        "request": {"input": text, "values": {k: t.reshape(-1).tolist() for k, t in env.items()},
                    "dims": {k: list(v) for k, v in data.items()}, "wrt": by, "order": order},
        "expect": expect}, separators=(",", ":")))


def slices():
    case("first", "exp(x[0])*x[-1]", lambda x: x[0].exp() * x[-1], x=[4])
    case("only", "exp(x[0])*x[-1]", lambda x: x[0].exp() * x[-1], x=[1])
    case("tail", "declare x[n] expression sum(sin(x[1:]) .* x[:-1])", lambda x: (x[1:].sin() * x[:-1]).sum(), x=[5])
    case("tail-of-one", "declare x[n] expression sum(sin(x[1:]) .* x[:-1])", lambda x: (x[1:].sin() * x[:-1]).sum(), x=[1])
    case("differences", "declare x[n] expression norm2(x[2:] - 2*x[1:-1] + x[:-2])^2", lambda x: ((x[2:] - 2 * x[1:-1] + x[:-2]) ** 2).sum(), x=[6])
    case("log-ratios", "declare x[n] expression log(x[1:] ./ x[:-1])", lambda x: (x[1:] / x[:-1]).log(), x=[4])
    case("empty", "declare x[n] expression x[:0]", lambda x: x[:0], x=[3])
    case("all-of-none", "declare x[n] expression exp(x[::-1])", lambda x: x.flip(0).exp(), x=[0])
    case("backwards", "declare x[n] expression x'*exp(x[::-1])", lambda x: x @ x.flip(0).exp(), x=[4])
    case("even", "declare x[2*n] expression x[::2]'*exp(x[1::2])", lambda x: x[::2] @ x[1::2].exp(), x=[6])
    case("third", "sum(exp(x[::3]))*x[7]", lambda x: x[::3].exp().sum() * x[7], x=[8])
    case("down-by-two", "sin(x[5:0:-2])", lambda x: torch.stack([x[5], x[3], x[1]]).sin(), x=[7])
    case("of-slice", "declare x[n] expression exp(x[1:][:-1][0])", lambda x: x[1].exp(), x=[3])
    case("row", "declare A[m,n] x[n] expression exp(A[-1, :]'*x)", lambda A, x: (A[-1] @ x).exp(), by="A", A=[2, 3], x=[3])
    case("column", "declare A[m,n] expression A[:, 0]'*exp(A[:, 1])", lambda A: A[:, 0] @ A[:, 1].exp(), by="A", A=[3, 2])
    case("entry", "declare A[m,n] expression A[1, 0]*exp(A[0, n-1])", lambda A: A[1, 0] * A[0, -1].exp(), by="A", A=[2, 3])
    case("middle", "declare A[m,n] expression sin(A[1:, 1:-1])", lambda A: A[1:, 1:-1].sin(), by="A", A=[3, 4])
    case("minor-matrix", "declare A[n,n] expression log(det(A[:-1, :-1]*A[:-1, :-1]' + eye(n-1)))",
         lambda A: torch.logdet(A[:-1, :-1] @ A[:-1, :-1].T + torch.eye(2)), by="A", A=[3, 3])
    case("product", "declare A[m,n] x[n] expression norm2((A*x)[1:])^2", lambda A, x: ((A @ x)[1:] ** 2).sum(), A=[3, 2], x=[2])
    case("order-3", "declare T[m,n,k] expression exp(T[0, :, 1:])", lambda T: T[0, :, 1:].exp(), by="T", order=1, T=[2, 2, 3])
    case("size-as-place", "declare x[n] y[k] expression exp(x[k])*sum(x[:k])", lambda x, y: x[2].exp() * x[:2].sum(), x=[4], y=[2])


def blocks():
    case("below", "declare x[n] y[m] expression sin([x; y; 2])'*[y; x; x[0]]",
         lambda x, y: cat([x, y, torch.tensor([2.0])]).sin() @ cat([y, x, x[:1]]), x=[3], y=[2])
    case("below-nothing", "declare x[n] y[m] expression sum(exp([x; y]))", lambda x, y: cat([x, y]).exp().sum(), x=[0], y=[2])
    case("columns", "declare x[n] y[n] expression inv([x, y]'*[x, y])",
         lambda x, y: torch.linalg.inv(stack([x, y], 1).T @ stack([x, y], 1)), x=[3], y=[3])
    case("rows", "declare x[n] y[n] expression [x'; exp(y)'; x']*x", lambda x, y: stack([x, y.exp(), x]) @ x, x=[2], y=[2])
    case("arrow", "declare x[n] A[n,n] expression logdet([A*A' + eye(n), x; x', 9])",
         lambda x, A: torch.logdet(cat([cat([A @ A.T + torch.eye(2), x[:, None]], 1), cat([x, torch.tensor([9.0])])[None]])), x=[2], A=[2, 2])
    case("diagonal-blocks", "declare x[n] A[n,n] expression exp([A, 0; 0, diag(x)])*[x; x]",
         lambda x, A: torch.block_diag(A, torch.diag(x)).exp() @ cat([x, x]), x=[2], A=[2, 2])
    case("bias", "declare A[m,n] x[k] expression sin([A, 1]*x)", lambda A, x: (cat([A, torch.ones(2, 1)], 1) @ x).sin(), A=[2, 2], x=[3])
    case("numbers", "declare x[2] expression x'*[2, 1; 1, 3]*x*[1; x[0]]",
         lambda x: (x @ torch.tensor([[2.0, 1], [1, 3]]) @ x) * stack([torch.tensor(1.0), x[0]]), x=[2])
    case("concat", "declare A[m,n] B[m,k] expression concat(A .* A, exp(A), B, axis=1)",
         lambda A, B: cat([A * A, A.exp(), B], 1), by="A", A=[2, 2], B=[2, 1])
    case("concat-order-3", "declare T[m,n,k] expression sum(concat(T, exp(T), axis=-2)[:, n:, :])",
         lambda T: T.exp().sum(), by="T", T=[1, 2, 2])
    case("stack", "declare x[n] y[n] expression stack(x .* y, exp(x), y, axis=1)", lambda x, y: stack([x * y, x.exp(), y], 1), x=[2], y=[2])
    case("stack-of-one", "declare x[n] expression stack(exp(x))", lambda x: x.exp()[None], x=[2])
    case("take-back", "declare x[n] y[m] expression sin([x; y][n:]) .* [x; y][:m]", lambda x, y: y.sin() * x[:2], x=[3], y=[2])


def broadcasts():
    case("column-repeated", "declare A[m,n] x[m] expression sin(A + x)", lambda A, x: (A + x[:, None]).sin(), A=[2, 3], x=[2])
    case("row-of-square", "declare A[n,n] x[n] expression sum(sin(A .* x' - A))", lambda A, x: (A * x - A).sin().sum(), A=[2, 2], x=[2])
    case("row-plus-columns", "declare A[m,n] x[n] y[m] expression sum(exp(x' + A .* y))", lambda A, x, y: (x + A * y[:, None]).exp().sum(), A=[2, 3], x=[3], y=[2])
    case("normalised", "declare A[m,n] expression A ./ sum(A, axis=1)", lambda A: A / A.sum(1, keepdim=True), by="A", order=1, A=[2, 3])
    case("max-of-row", "declare A[m,n] x[n] expression sum(max(A, x')^2)", lambda A, x: (torch.maximum(A, x) ** 2).sum(), A=[2, 3], x=[3])
    case("power-of-column", "declare A[m,n] x[m] expression sum(A .^ x)", lambda A, x: (A ** x[:, None]).sum(), A=[2, 2], x=[2])
    case("bias-of-none", "declare A[m,n] x[m] expression sum(exp(A + x))", lambda A, x: (A + x[:, None]).exp().sum(), A=[2, 0], x=[2])


def functions():
    case("where", "declare x[n] expression where(x > 0.5, exp(x), x^2)", lambda x: torch.where(x > 0.5, x.exp(), x ** 2), x=[4])
    case("clip", "declare x[n] expression sum(clip(x, 0.4, 0.8)^3)", lambda x: (x.clamp(0.4, 0.8) ** 3).sum(), x=[5])
    case("outer", "declare x[n] y[m] expression outer(exp(x), y)", lambda x, y: torch.outer(x.exp(), y), x=[2], y=[3])
    case("dot", "declare x[n] y[n] expression dot(exp(x), y .* x)", lambda x, y: x.exp() @ (y * x), x=[3], y=[3])
    case("vec", "declare A[m,n] expression exp(vec(A))", lambda A: A.T.reshape(-1).exp(), by="A", A=[2, 2])
    case("reshape", "declare A[m,n] x[m] expression reshape(A .* A, n, m)*x", lambda A, x: (A * A).reshape(3, 2) @ x, by="A", A=[2, 3], x=[2])
    case("reshape-order-3", "declare A[m,n] expression exp(reshape(A, 1, n, m))", lambda A: A.reshape(1, 2, 2).exp(), by="A", order=1, A=[2, 2])
    case("flip", "declare A[m,n] expression A .* exp(flip(A, axis=1))", lambda A: A * A.flip(1).exp(), by="A", A=[2, 2])
    case("blocks-of-one-entry", "declare x[4] A[4,4] expression [2*x[2:3]; sin(A[0, :]); x[1]]",
         lambda x, A: cat([2 * x[2:3], A[0].sin(), x[1:2]]), x=[4], A=[4, 4])
    case("blocks-of-one-entry-and-more", "declare x[4] expression [2*x[2:3]; x[0:2]^2; 3*x[2:3]; 0]",
         lambda x: cat([2 * x[2:3], x[0:2] ** 2, 3 * x[2:3], torch.zeros(1)]), x=[4])
    case("roll", "declare x[n] expression exp(roll(x, 1)) .* x", lambda x: x.roll(1).exp() * x, x=[4])
    case("roll-back", "declare A[m,n] expression sum(exp(roll(A, -2, axis=1)) .* A)", lambda A: (A.roll(-2, 1).exp() * A).sum(), by="A", A=[2, 3])
    case("cumsum", "declare x[n] expression exp(cumsum(x))", lambda x: x.cumsum(0).exp(), x=[4])
    case("cumsum-of-none", "declare x[n] expression exp(cumsum(x))", lambda x: x.cumsum(0).exp(), x=[0])
    case("cumsum-axis", "declare A[m,n] expression sum(sin(cumsum(A, axis=1)))", lambda A: A.cumsum(1).sin().sum(), by="A", A=[2, 3])
    case("tril", "declare A[n,n] x[n] expression sin(tril(A .* A)*x)", lambda A, x: ((A * A).tril() @ x).sin(), by="A", A=[2, 2], x=[2])
    case("triu", "declare A[m,n] x[n] expression exp(triu(A, 1)*x)", lambda A, x: (A.triu(1) @ x).exp(), by="A", A=[2, 3], x=[3])
    case("triu-below", "declare A[m,n] expression exp(triu(A, -1))", lambda A: A.triu(-1).exp(), by="A", order=1, A=[3, 2])
    case("var", "declare x[n] expression var(x)^2", lambda x: x.var(0, unbiased=False) ** 2, x=[4])
    case("var-of-one", "declare x[n] expression var(x)", lambda x: ((x - x.mean()) ** 2).mean(), x=[1])
    case("std", "declare A[m,n] expression std(A, axis=0)", lambda A: A.std(0, unbiased=False), by="A", A=[3, 2])
    case("prod", "declare x[n] expression prod(x)", lambda x: x.prod(), x=[4])
    case("prod-at-zeros", "declare x[3] expression prod(x .* x - x[0]*[x[0]; 0; x[0]])",
         lambda x: (x * x - x[0] * stack([x[0], torch.tensor(0.0), x[0]])).prod(), x=[3])


def along_axes():
    case("prod-axis", "declare A[m,n] expression prod(A, axis=1)", lambda A: A.prod(1), by="A", A=[2, 3])
    case("prod-first-axis", "declare A[m,n] x[n] expression prod(A .* x', axis=0)'*x", lambda A, x: (A * x).prod(0) @ x, by="A", A=[2, 2], x=[2])
    case("prod-of-all", "declare A[m,n] expression prod(A)", lambda A: A.prod(), by="A", A=[2, 2])
    case("prod-of-none", "declare A[m,n] expression prod(A, axis=1)", lambda A: A.prod(1), by="A", A=[2, 0])
    case("cumprod", "declare x[n] expression exp(cumprod(x))", lambda x: x.cumprod(0).exp(), x=[3])
    case("cumprod-at-zeros", "declare x[3] expression cumprod(x - x[1]*[0; 1; 0])", lambda x: (x - x[1] * torch.tensor([0.0, 1.0, 0.0])).cumprod(0), x=[3], order=1)
    case("cumprod-axis", "declare A[m,n] expression sum(cumprod(A, axis=1) .* A)", lambda A: (A.cumprod(1) * A).sum(), by="A", A=[2, 2])
    case("cumprod-of-one", "declare x[n] expression cumprod(x)^2", lambda x: x.cumprod(0) ** 2, x=[1])
    case("cumprod-of-none", "declare x[n] expression cumprod(x)", lambda x: x.cumprod(0), x=[0])
    case("var-ddof", "declare x[n] expression var(x, ddof=1)^2", lambda x: x.var() ** 2, x=[4])
    case("std-ddof", "declare A[m,n] expression std(A, axis=1, ddof=1)", lambda A: A.std(1), by="A", A=[2, 3])
    case("var-all", "declare A[m,n] expression var(A)", lambda A: A.var(unbiased=False), by="A", A=[2, 2])
    case("argmax", "declare A[m,n] expression (argmax(A, axis=1) + 1)'*sum(A .* A, axis=1)", lambda A: (A.argmax(1) + 1.0) @ (A * A).sum(1), by="A", A=[2, 3])
    case("argmin-of-all", "declare A[m,n] expression argmin(A)*sum(A .* A)", lambda A: A.argmin() * (A * A).sum(), by="A", A=[2, 3])
    case("keepdims", "declare A[m,n] expression A ./ sum(A, axis=1, keepdims=True)", lambda A: A / A.sum(1, keepdim=True), by="A", A=[2, 2])
    case("keepdims-centred", "declare A[m,n] expression sum(exp(A - mean(A, axis=0, keepdims=true)))", lambda A: (A - A.mean(0, keepdim=True)).exp().sum(), by="A", A=[3, 2])
    case("keepdims-of-all", "declare A[m,n] expression A - max(A, keepdims=True)", lambda A: A - A.max(), by="A", A=[2, 2], order=1)
    case("keepdims-cube", "declare T[l,m,n] expression T .* sum(T, axis=1, keepdims=True)", lambda T: T * T.sum(1, keepdim=True), by="T", T=[2, 2, 2], order=1)
    case("keepdims-both", "declare A[m,n] expression sum(A, axis=0, keepdims=True) .* sum(A, axis=1, keepdims=True)",
         lambda A: A.sum(0, keepdim=True) * A.sum(1, keepdim=True), by="A", A=[2, 3])


def special():
    polygamma = torch.special.polygamma
    case("erfc", "declare x[n] expression erfc(x)", lambda x: torch.erfc(x), x=[3])
    case("lgamma", "declare x[n] expression lgamma(x)", lambda x: torch.lgamma(x), x=[3])
    case("lgamma-below-0", "declare x[n] expression sum(lgamma(-x))", lambda x: torch.lgamma(-x).sum(), x=[3])
    case("digamma", "declare x[n] expression sum(x .* digamma(x))", lambda x: (x * torch.digamma(x)).sum(), x=[2])
    case("polygamma", "declare x[n] expression polygamma(2, x)", lambda x: polygamma(2, x), x=[3])
    case("polygamma-of-none", "declare x[n] expression polygamma(2, x)", lambda x: polygamma(2, x), x=[0])
    case("log1mexp", "declare x[n] expression log1mexp(-x)", lambda x: torch.log(-torch.expm1(-x)), x=[3])
    case("atan2", "declare x[n] y[n] expression atan2(y, -x)", lambda x, y: torch.atan2(y, -x), x=[3], y=[3])
    case("atan2-of-one", "declare x[n] y[n] expression atan2(x, y)", lambda x, y: torch.atan2(x, y), x=[1], y=[1])
    case("floor", "declare x[n] expression floor(3*x) .* x^2", lambda x: (3 * x).floor() * x ** 2, x=[4])
    case("ceil", "declare x[n] expression ceil(-3*x) .* x^2", lambda x: (-3 * x).ceil() * x ** 2, x=[4])
    case("round", "declare x[n] expression round(5*x) .* x^2", lambda x: (5 * x).round() * x ** 2, x=[4])
    case("round-half", "declare x[n] expression round([0.5; 1.5; 2.5; -0.5; -1.5])*sum(x)", lambda x: torch.tensor([0.0, 2, 2, 0, -2]) * x.sum(), x=[2], order=1)


slices()
blocks()
broadcasts()
functions()
along_axes()
special()
