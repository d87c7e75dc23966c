"""The command: python -m frechet grad "x'*A*x" --wrt x"""

import subprocess
import sys

from ._process import binary


def main():
    sys.exit(subprocess.run([binary(), *sys.argv[1:]]).returncode)


if __name__ == "__main__":
    main()
