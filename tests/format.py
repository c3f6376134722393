#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that all sources are formatted with clang-format: format.py TOP"""
import os
import pathlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

# The directories and files of `./dev format`.
DIRECTORIES = ("src", "include", "tests", "bench", "examples")
SKIPPED = 77  # the exit status that CTest shows as skipped
BATCH = 40


def main():
    top = pathlib.Path(sys.argv[1])
    program = shutil.which("clang-format")
    if not program:
        print("clang-format is not installed")
        sys.exit(SKIPPED)
    files = [path for directory in DIRECTORIES for path in sorted((top / directory).rglob("*.[ch]pp"))]
    assert files, "no source files"

    def check(batch):
        return subprocess.run([program, "--dry-run", "-Werror", *batch], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    batches = [files[at : at + BATCH] for at in range(0, len(files), BATCH)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = [done.stdout for done in pool.map(check, batches) if done.returncode != 0]
    if failed:
        version = subprocess.run([program, "--version"], text=True, stdout=subprocess.PIPE).stdout.strip()
        print("".join(failed) + f"run ./dev format (this is {version}; ./dev uses that of the build environment)")
    else:
        print(f"{len(files)} files")
    sys.exit(bool(failed))


main()
