"""The program behind the package: one `frechet batch` for a Python process, asked in JSON, one request a line."""

import atexit
import collections
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading

import numpy as np

LARGE = 1024  # entries from which on an array goes by a file


class FrechetError(ValueError):
    """What is wrong with a program or its data.

    code, kind: what `frechet explain` and programs know the error by
    line, column: its place in the program's text, from 1; None where it has none
    hint: what to do instead, or ""
    """

    def __init__(self, error):
        self.code, self.kind, self.hint = error.get("code", ""), error.get("kind", ""), error.get("hint", "")
        self.line, self.column = error.get("line"), error.get("column")
        place = f"{self.line}:{self.column}: " if self.line else ""
        super().__init__(f"{place}{error['message']}" + (f"\nhint: {self.hint}" if self.hint else ""))


def binary():
    """The path of the program: that of the wheel, of $FRECHET, or of $PATH."""
    name = "frechet.exe" if os.name == "nt" else "frechet"
    own = pathlib.Path(__file__).parent / "bin" / name
    found = os.environ.get("FRECHET") or (str(own) if own.exists() else shutil.which("frechet"))
    if not found:
        raise FileNotFoundError("the frechet program is not there: install the wheel, or set FRECHET to its path")
    return found


def command(*args, text=""):
    """The standard output of a command of the program; an exit status of 2 or 3 is a FrechetError."""
    done = subprocess.run([binary(), *args], input=text, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise FrechetError({"message": done.stderr.strip()})
    return done.stdout


def version():
    """The version of the program."""
    return command("version").split(" ", 1)[1].strip()


class Process:
    """A running `frechet batch`. Requests of several threads come one after the other."""

    def __init__(self):
        self.lock = threading.Lock()
        self.pid = os.getpid()
        self.names = itertools.count()
        self.dropped = collections.deque()  # names that the next request has forgotten there
        shared = "/dev/shm" if os.path.isdir("/dev/shm") else None
        self.folder = tempfile.mkdtemp(prefix="frechet-", dir=shared)
        self.child = subprocess.Popen([binary(), "batch", "--files"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        atexit.register(self.close)

    def close(self):
        if self.pid != os.getpid():
            return  # the child belongs to the process that started it
        if self.child.poll() is None:
            self.child.stdin.close()
            self.child.wait(timeout=10)
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, request):
        """The answer to a request, as docs/batch.md describes both."""
        drop = [self.dropped.popleft() for _ in range(len(self.dropped))]
        line = json.dumps({**request, "drop": drop} if drop else request, separators=(",", ":")).encode() + b"\n"
        with self.lock:
            self.child.stdin.write(line)
            self.child.stdin.flush()
            answer = self.child.stdout.readline()
        if not answer:
            raise RuntimeError(f"the frechet program ended with status {self.child.wait()}")
        answer = json.loads(answer)
        if "error" in answer:
            raise FrechetError(answer["error"])
        return answer

    def name(self):
        return f"p{next(self.names)}"

    def path(self):
        return os.path.join(self.folder, self.name() + ".npy")

    def value(self, x, files):
        """An array as it stands in a request; files has the names of those that were written for it."""
        if x.size > LARGE:
            files.append(self.path())
            np.save(files[-1], x)
            return {"file": files[-1]}
        data = x.ravel().tolist()
        if not np.isfinite(x).all():
            data = [v if v - v == 0 else "NaN" if v != v else "Infinity" if v > 0 else "-Infinity" for v in data]
        return {"shape": x.shape, "data": data}

    def array(self, tensor):
        """An array from an answer; a file that has it is read and removed."""
        if "file" in tensor:
            x = np.load(tensor["file"])
            os.unlink(tensor["file"])
            return x
        x = np.array(tensor["data"], dtype=float).reshape(tensor["shape"])
        return x if x.ndim else float(x)


_process = None
_starting = threading.Lock()


def process():
    """The process of this interpreter; a new one after a fork, or where it has ended."""
    global _process
    with _starting:
        if _process is None or _process.pid != os.getpid() or _process.child.poll() is not None:
            _process = Process()
        return _process
