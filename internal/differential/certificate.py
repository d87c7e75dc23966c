"""The derivation of a program, written as a certificate and checked."""
import os
import re
import subprocess
import tempfile

from tree import Printer


def failure(command, p, timeout):
    """What is wrong with the derivation of a program's first derivative, None where nothing is."""
    if p.request["kind"] != "derivative" or p.request["order"] != 1 or not p.request["wrt"]:
        return None
    printer = Printer(p, "matrix", p.request["declared"] == "numbers")
    body = printer.body()
    text = "%s\n%s\nderivative wrt %s" % (printer.declaration(), body, ", ".join(p.request["wrt"]))
    with tempfile.TemporaryDirectory() as d:
        proof = os.path.join(d, "proof.json")
        for args in (["steps", text, "--certificate", proof], ["replay", proof]):
            try:
                r = subprocess.run([command, *args], capture_output=True, text=True, timeout=timeout)
            except subprocess.TimeoutExpired:
                return text, "%s takes over %g s" % (args[0], timeout)
            if r.returncode:
                code = re.search(r"\[([A-Z]\d+)\]", r.stderr)
                if args[0] == "steps" and code and code.group(1) not in ("X001",):
                    return None
                return text, "%s: %s" % (args[0], (r.stderr or r.stdout)[-600:])
    return None
