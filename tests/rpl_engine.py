#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the frames of examples/rpl_engine/deferred.c: rpl_engine.py TOP SLIPWAY DEFERRED

The program checks the colours; it edits a copy of its sources. The pack is that of `slipway compile --pack`.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

top, slipway, deferred = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
FRAMES = ["lit", "dark", "kept", "edited", "packed"]

with tempfile.TemporaryDirectory() as name:
    sources = pathlib.Path(name) / "sources"
    shutil.copytree(top / "examples/rpl_engine/deferred", sources)
    pack = pathlib.Path(name) / "deferred.rplpack"
    made = subprocess.run([slipway, "compile", sources / "deferred.rplproject.json", "--pack", pack], capture_output=True, text=True)
    assert made.returncode == 0 and pack.read_bytes()[:7] == b"RPLPACK", made
    shown = subprocess.run([deferred, sources, pack], capture_output=True, text=True)
    print(shown.stdout, end="")
    assert shown.returncode == 0, shown
    assert [line.split()[0] for line in shown.stdout.splitlines()] == FRAMES, shown
    before = (top / "examples/rpl_engine/deferred/material.rpl").read_text()
    assert (sources / "material.rpl").read_text() == before, "the edited source was not restored"
    # A damaged pack is an error.
    pack.write_bytes(pack.read_bytes()[:-4])
    damaged = subprocess.run([deferred, sources, pack], capture_output=True, text=True)
    assert damaged.returncode == 1 and "this is not a pack" in damaged.stderr, damaged
