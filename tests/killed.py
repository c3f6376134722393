#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a run which is killed during a dispatch leaves no new file, and existing results unchanged: killed.py SLIPWAY"""
import json
import pathlib
import subprocess
import sys
import tempfile

from processes import spin

with tempfile.TemporaryDirectory() as name:
    directory = pathlib.Path(name)
    (directory / "out.npy").write_text("old")
    (directory / "spin.json").write_text(json.dumps(spin(dst="out.npy")))
    before = sorted(path.name for path in directory.iterdir())
    run = subprocess.Popen([sys.argv[1], "run", "--no-cache", "--log-level", "info", directory / "spin.json"], stdout=subprocess.PIPE, text=True)
    for line in run.stdout:
        if "Wait for fence" in line:
            break
    else:
        sys.exit("the run ended by itself")
    run.kill()
    run.wait()
    after = sorted(path.name for path in directory.iterdir())
    if after != before or (directory / "out.npy").read_text() != "old":
        sys.exit(f"the directory changed: {before} to {after}")
print("no new file")
