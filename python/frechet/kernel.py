"""The kernel of Jupyter: `python -m frechet.kernel install`, then notebooks have the kernel frechet.

A cell has what a session of `frechet repl` has: a formula or a program, and commands such as `:grad w` below it.
Formulas of `--format latex` are typeset.
"""

import json
import os
import subprocess
import sys
import tempfile

from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel

from ._process import binary, version


class FrechetKernel(Kernel):
    """Cells are run by one `frechet repl --cells`. An interrupt ends that process; the next one gets program and data again."""

    implementation = "frechet"
    banner = "frechet: derivatives of tensor expressions. Write a formula, such as x'*A*x, then :grad x. :help tells more."
    language_info = {"name": "frechet", "mimetype": "text/plain", "file_extension": ".fr"}

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.implementation_version = self.language_info["version"] = version()
        self.child, self.kept = None, {"program": "", "data": []}

    def _ask(self, request):
        if self.child is None or self.child.poll() is not None:
            # a session of its own: the interrupt of a notebook goes to the whole group
            self.child = subprocess.Popen([binary(), "repl", "--cells"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                          text=True, encoding="utf-8", start_new_session=True)
            self._send({"restore": self.kept})
        answer = self._send(request)
        self.kept = answer["session"]
        return answer

    def _send(self, request):
        try:
            self.child.stdin.write(json.dumps(request) + "\n")
            self.child.stdin.flush()
            line = self.child.stdout.readline()
        except KeyboardInterrupt:
            self._end()
            raise
        if not line:
            raise RuntimeError(f"the frechet program ended with status {self.child.wait()}")
        return json.loads(line)

    def _end(self):
        if self.child is not None:
            self.child.kill()
            self.child.wait()
            self.child.stdin.close()
            self.child.stdout.close()
            self.child = None

    def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False, **_):
        try:
            answer = self._ask({"run": code})
            error = answer["errors"].strip()
        except KeyboardInterrupt:
            answer, error = {"output": ""}, "interrupted; the program and its data are kept"
        except (OSError, RuntimeError) as e:
            answer, error = {"output": ""}, str(e)
        if not silent:
            if answer["output"]:
                self.send_response(self.iopub_socket, "display_data", {"data": display(answer["output"]), "metadata": {}})
            if error:
                self.send_response(self.iopub_socket, "stream", {"name": "stderr", "text": error + "\n"})
        # a cell that has warnings only, has an output
        if error and not answer["output"]:
            content = {"ename": "FrechetError", "evalue": error.splitlines()[0], "traceback": []}
            self.send_response(self.iopub_socket, "error", content)
            return {"status": "error", "execution_count": self.execution_count, **content}
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}

    def do_complete(self, code, cursor_pos):
        line = code[:cursor_pos].rpartition("\n")[2]
        answer = self._ask({"complete": line})
        start = cursor_pos - len(line) + answer["start"]
        return {"status": "ok", "matches": answer["words"] or [], "cursor_start": start, "cursor_end": cursor_pos, "metadata": {}}

    def do_shutdown(self, restart):
        self._end()
        return {"status": "ok", "restart": restart}


def display(text):
    """What a cell printed, as text, and typeset where it is LaTeX."""
    lines = text.splitlines()
    data = {"text/plain": text.rstrip("\n")}
    if lines and lines[0].startswith("%"):
        data["text/latex"] = "\n\n".join(f"$\\displaystyle {line}$" for line in lines if line.strip() and not line.startswith("%"))
    return data


def install():
    """Tells Jupyter of the kernel, for this user or environment."""
    from jupyter_client.kernelspec import KernelSpecManager

    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "kernel.json"), "w", encoding="utf-8") as f:
            json.dump({"argv": [sys.executable, "-m", "frechet.kernel", "-f", "{connection_file}"], "display_name": "frechet",
                       "language": "frechet"}, f)
        print("installed in", KernelSpecManager().install_kernel_spec(folder, "frechet", prefix=sys.prefix))


if __name__ == "__main__":
    if sys.argv[1:] == ["install"]:
        install()
    else:
        IPKernelApp.launch_instance(kernel_class=FrechetKernel)
