"""Builds the program of the package, which is written in Go, into the wheel: pip wheel python/"""

import os
import pathlib
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70
    from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parent.parent


class BuildBinary(build_py):
    """Compiles cmd/frechet beside the modules."""

    def run(self):
        super().run()
        if not (ROOT / "cmd" / "frechet").is_dir():
            raise SystemExit("the wheel is built from a checkout of frechet: cmd/frechet is not there")
        target = pathlib.Path(self.build_lib) / "frechet" / "bin" / ("frechet.exe" if os.name == "nt" else "frechet")
        target.parent.mkdir(parents=True, exist_ok=True)
        environment = dict(os.environ, CGO_ENABLED="0")
        subprocess.run(["go", "build", "-trimpath", "-ldflags=-s -w", "-o", str(target.resolve()), "./cmd/frechet"],
                       cwd=ROOT, env=environment, check=True)


class PlatformWheel(bdist_wheel):
    """A wheel for one platform and any Python 3: the program needs no interpreter."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(cmdclass={"build_py": BuildBinary, "bdist_wheel": PlatformWheel})
