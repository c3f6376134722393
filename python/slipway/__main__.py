# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts the program of the package: `python -m slipway VERB ...`, or under one of its other names."""
import os
import pathlib
import sys


def find_program():
    """The path of the program."""
    return pathlib.Path(__file__).parent / "bin" / "slipway"


def main():
    """Replaces this process by the program, which takes the name under which it was started."""
    name = pathlib.Path(sys.argv[0]).name
    os.execv(find_program(), ["slipway" if name == "__main__.py" else name, *sys.argv[1:]])


if __name__ == "__main__":
    main()
