"""Requests of `frechet batch`, for a program and for the formulas of an answer, and the process that answers."""
import json
import math
import queue
import re
import subprocess
import tempfile
import threading

import numpy as np

from tree import Printer

MODES = ["planned", "forward", "reverse"]
FORMATS = ["text", "text", "matrix", "einstein", "index", "combinators", "thesis", "latex", "dot"]


def statement(p, kind, wrt, order, scalar, style):
    names = ", ".join(wrt)
    if kind == "derivative":
        if order == 1 and scalar and style:
            return "gradient wrt " + names
        if order == 2 and scalar and style:
            return "hessian wrt " + names
        return "derivative wrt %s%s" % (names, " order %d" % order if order != 1 else "")
    return {"jvp": "jvp wrt %s along along", "vjp": "vjp wrt %s along back", "hvp": "hvp wrt %s along along",
            "diag-hessian": "diag-hessian wrt %s",
            "gauss-newton": "gauss-newton wrt %s through " + str(p.request.get("through"))}[kind] % names


def encode(x):
    f = lambda v: v if math.isfinite(v) else "NaN" if v != v else "Infinity" if v > 0 else "-Infinity"
    return [f(v) for v in x.reshape(-1).tolist()]


def decode(t):
    data = [float(v.replace("Infinity", "inf")) if isinstance(v, str) else v for v in t["data"]]
    return np.array(data, dtype=float).reshape(t["shape"])


def extras(ref):
    p = ref.p
    kind, extra = p.request["kind"], []
    if kind in ("jvp", "hvp"):
        extra.append(("along", p.variables[p.request["wrt"][0]]["shape"], ref.along))
    if kind == "vjp":
        extra.append(("back", p.expr.shape, ref.back))
    return extra


def request(ref, notation, mode, text=False):
    """A line for `frechet batch`."""
    p = ref.p
    kind, wrt, order = p.request["kind"], p.request["wrt"], p.request["order"]
    extra = extras(ref)
    printer = Printer(p, notation, p.request["declared"] == "numbers")
    body = printer.body()
    declare = printer.declaration([e[:2] for e in extra])
    line = {"mode": mode}
    fields = ["value"]
    if kind == "derivative" and wrt:
        fields += ["derivative"] if order == 1 else ["derivative", "hessian"] if order == 2 else ["derivatives"]
    elif wrt:
        fields.append(kind)
    line["want"] = fields
    if not text:
        line["values"] = {n: encode(v) for n, v in ref.values.items()}
        line["dims"] = {n: list(v.shape) for n, v in ref.values.items()}
        for n, _, v in extra:
            line["values"][n], line["dims"][n] = encode(v), list(v.shape)
        if kind == "grads":
            line["cotangent"] = encode(ref.back)
        fields.append("conventions")
    if kind not in ("value", "grads") and wrt:
        if kind == "derivative" and mode == "planned":
            line["wrt"], line["order"] = wrt if len(wrt) > 1 else wrt[0], order
        else:
            body += "\n" + statement(p, kind, wrt, order, not ref.shape, p.data["seed"] % 2)
    if text:
        line["want"] = ["text"]
        if 0 in p.sizes.values():
            # A symbolic axis of softmax is taken to have entries: docs/language.md.
            line["sizes"] = {s: n for s, n in p.sizes.items() if s in printer.symbols}
        line["format"] = text
        if kind == "grads":
            line["wrt"] = wrt
    line["input"] = declare + "\n" + body
    return line


def lines(ref):
    p = ref.p
    out = [request(ref, n, m) for n, m in zip(p.request["notations"], MODES)]
    out.append(request(ref, p.request["notations"][0], "planned", FORMATS[p.data["seed"] % len(FORMATS)]))
    return out


def reread(ref, answer, text):
    """Requests that evaluate the formulas of an answer, with the numbers that these are to give."""
    p = ref.p
    form = FORMATS[p.data["seed"] % len(FORMATS)]
    if form in ("latex", "dot") or "text" not in text or answer.get("conventions"):
        return []
    extra = extras(ref)
    printer = Printer(p, "matrix", p.request["declared"] == "numbers")
    declare = printer.declaration([e[:2] for e in extra])
    out = []

    def visit(path, formulas, numbers):
        if isinstance(formulas, str):
            if numbers is not None and "data" in numbers:
                line = {"want": ["value"], "values": {n: encode(v) for n, v in ref.values.items()},
                        "dims": {n: list(v.shape) for n, v in ref.values.items()}}
                for n, _, v in extra:
                    line["values"][n], line["dims"][n] = encode(v), list(v.shape)
                if form == "combinators":
                    line["language"] = "combinators"
                    types = re.findall(r"R\[([^]]*)\]", formulas)
                    line["sizes"] = {s: n for s, n in p.sizes.items() if any(s in re.split(r"\W+", t) for t in types)}
                    line["input"] = formulas
                    heads = re.findall(r"^\w+\(([^)]*)\) :", formulas, re.M)
                    for n in list(line["values"]):
                        if not heads or n not in heads[-1].split(", "):
                            del line["values"][n], line["dims"][n]
                else:
                    first = formulas.split(None, 1)[0]
                    whole = first in ("let", "expression") or form == "index" and " = " in formulas
                    line["input"] = declare + "\n" + ("" if whole else "expression ") + formulas
                line["mode"] = "planned"
                out.append((path, line, decode(numbers)))
            return
        items = enumerate(formulas) if isinstance(formulas, list) else formulas.items()
        for k, f in items:
            if isinstance(numbers, list):
                visit(path + (k,), f, numbers[k] if k < len(numbers) else None)
            else:
                visit(path + (k,), f, (numbers or {}).get(k))
    visit((), text["text"], answer)
    return out


class Batch:
    """One `frechet batch`, started again when it ends."""

    def __init__(self, command, timeout):
        self.command, self.timeout, self.process = command, timeout, None

    def start(self):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen([self.command, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors)
        self.answers = queue.Queue()
        threading.Thread(target=self.read, args=(self.process, self.answers), daemon=True).start()

    @staticmethod
    def read(process, answers):
        for line in process.stdout:
            answers.put(line)
        answers.put(None)

    def ask(self, requests):
        """The answers to requests; a crash or a hang is one, too."""
        answers = []
        while len(answers) < len(requests):
            if self.process is None:
                self.start()
            rest = requests[len(answers):]
            writer = threading.Thread(target=self.write, args=(self.process, rest), daemon=True)
            writer.start()
            for _ in rest:
                try:
                    line = self.answers.get(timeout=self.timeout)
                except queue.Empty:
                    answers.append({"hang": self.timeout})
                    self.stop()
                    break
                if line is None:
                    self.process.wait()
                    self.errors.seek(0)
                    answers.append({"crash": self.errors.read(4000).decode(errors="replace")})
                    self.stop()
                    break
                answers.append(json.loads(line))
        return answers

    @staticmethod
    def write(process, requests):
        try:
            for r in requests:
                process.stdin.write(json.dumps(r).encode() + b"\n")
            process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass

    def memory(self):
        """The largest resident memory so far, in bytes."""
        if self.process is None:
            return 0
        try:
            with open("/proc/%d/status" % self.process.pid) as f:
                return next(int(l.split()[1]) * 1024 for l in f if l.startswith("VmHWM"))
        except (OSError, StopIteration):
            return 0

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
