"""Tests of the kernel of Jupyter by jupyter_client, in an environment that has it and ipykernel: FRECHET names the program.

    python python/tests/kernel.py
"""

import os
import pathlib
import subprocess
import sys
import time
import unittest

from jupyter_client.manager import KernelManager

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Kernel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        environment = dict(os.environ, PYTHONPATH=str(ROOT))
        subprocess.run([sys.executable, "-m", "frechet.kernel", "install"], env=environment, check=True, stdout=subprocess.DEVNULL)
        cls.manager = KernelManager(kernel_name="frechet")
        cls.manager.start_kernel(env=environment)
        cls.client = cls.manager.client()
        cls.client.start_channels()
        cls.client.wait_for_ready(timeout=60)

    @classmethod
    def tearDownClass(cls):
        cls.client.stop_channels()
        cls.manager.shutdown_kernel()

    def run_cell(self, code):
        outputs = []
        reply = self.client.execute_interactive(code, timeout=60, output_hook=lambda m: outputs.append(m["content"]))["content"]
        data = [c["data"] for c in outputs if "data" in c]
        errors = "".join(c["text"] for c in outputs if c.get("name") == "stderr")
        return reply, data[0] if data else {}, errors

    def test_cells_share_a_session(self):
        reply, data, _ = self.run_cell("declare A[n,n] x[n]\nexpression x'*A*x\n:grad x")
        self.assertEqual(reply["status"], "ok")
        self.assertIn("(A + A')*x", data["text/plain"])
        _, data, _ = self.run_cell(":data A=[[2,0],[0,2]],x=[1,3]\n:eval x")
        self.assertIn("[ 4, 12]", data["text/plain"])

    def test_latex_is_typeset(self):
        _, data, _ = self.run_cell("norm2(x)^2\n:grad x --format latex")
        self.assertNotIn("text/latex", data)  # the value stands before it, as text
        _, data, _ = self.run_cell(":grad x --format latex")
        self.assertEqual(data["text/latex"], "$\\displaystyle \\nabla_x f = 2 x$")

    def test_mistakes(self):
        for code in ("sum(x", "declare x[n] expression sum(x +* x)", ":nonsense x", "\0"):
            reply, _, errors = self.run_cell(code)
            self.assertEqual(reply["status"], "error", code)
            self.assertIn("error", errors, code)

    def test_completion(self):
        reply = self.client.complete("sum(x)\n:gra", 11, reply=True, timeout=30)["content"]
        self.assertEqual((reply["matches"], reply["cursor_start"], reply["cursor_end"]), ([":grad"], 7, 11))

    def test_interrupt_keeps_program_and_data(self):
        self.run_cell("declare x[n] expression sum(x .^ 2)\n:data x=[1,2]")
        slow = ["declare A[n,n]", "let B0 = A"] + [f"let B{i + 1} = sin(B{i}*B{i}) + cos(B{i})*B{i}" for i in range(2000)]
        message = self.client.execute("\n".join(slow) + "\nexpression sum(B2000)\n:hess A\n")
        time.sleep(1)
        self.manager.interrupt_kernel()
        reply = self.client.get_shell_msg(timeout=30)
        self.assertEqual(reply["parent_header"]["msg_id"], message)
        _, data, _ = self.run_cell(":eval")
        self.assertIn("5", data["text/plain"])


if __name__ == "__main__":
    unittest.main()
