#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the frames of examples/rpl_engine/deferred.c: rpl_engine.py TOP SLIPWAY DEFERRED

The program checks the colours; it edits a copy of its sources. The pack is that of `slipway compile --pack`. Then `slipway serve`
compiles what the program edits, and gives it the pipelines through a pack, and through a socket.
"""
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

top, slipway, deferred = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
FRAMES = ["lit", "dark", "kept", "edited", "packed"]
LIVE = ["live", "swapped", "restored"]


class Serve:
    """`slipway serve` while its lines are read."""

    def __init__(self, *options):
        self.process = subprocess.Popen([slipway, "serve", *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
        self.limit = threading.Timer(120, self.process.kill)
        self.limit.start()

    def until(self, text):
        """The lines up to one that contains a text."""
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if text in line:
                return "".join(lines)
        sys.exit(f"`slipway serve` ended without `{text}`: {lines}")

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.limit.cancel()
        assert self.process.returncode == -signal.SIGTERM, self.process.returncode


def draw(frames, *arguments):
    shown = subprocess.run([deferred, *arguments], capture_output=True, text=True)
    print(shown.stdout, end="")
    assert shown.returncode == 0, shown
    drawn = [line.split()[0] for line in shown.stdout.splitlines() if not line.startswith("edit to picture")]
    assert drawn == frames, shown


with tempfile.TemporaryDirectory() as name:
    sources = pathlib.Path(name) / "sources"
    shutil.copytree(top / "examples/rpl_engine/deferred", sources)
    material = sources / "material.rpl"
    project = sources / "deferred.rplproject.json"
    pack = pathlib.Path(name) / "deferred.rplpack"
    made = subprocess.run([slipway, "compile", project, "--pack", pack], capture_output=True, text=True)
    assert made.returncode == 0 and pack.read_bytes()[:7] == b"RPLPACK", made
    draw(FRAMES, sources, pack)
    before = (top / "examples/rpl_engine/deferred/material.rpl").read_text()
    assert material.read_text() == before, "the edited source was not restored"

    live, socket = pathlib.Path(name) / "live.rplpack", pathlib.Path(name) / "live.socket"
    served = Serve(project, "--pack", live, "--socket", socket)
    served.until("g_buffer/surface, lighting:")
    assert live.read_bytes() == pack.read_bytes(), "`serve` writes another pack than `compile`"
    for place in (live, socket):
        draw(FRAMES + LIVE, sources, pack, place)
    assert live.read_bytes() == pack.read_bytes(), "the pack of the restored sources"
    # Only what a file touches is compiled; with errors all stays as it was, and the next save corrects it.
    inode = live.stat().st_ino
    (sources / "material.rpl").write_text("broken")
    shown = served.until("1 program stays as compiled before")
    assert "material.rpl:1" in shown[shown.rindex("error"):] or "material.rpl:1" in shown, shown
    assert live.stat().st_ino == inode, "the pack was written without a change"
    moved = sources / ".material.rpl.new"  # as editors do
    moved.write_text(before + "// more\n")
    moved.replace(material)
    assert "lighting" not in served.until("g_buffer/surface: "), "`lighting` does not read the material"
    (sources / "lighting.rpl").write_text((sources / "lighting.rpl").read_text() + "// more\n")
    served.until("lighting: ")
    other = project.read_text().replace('"name": "surface"', '"name": "skin"')
    project.write_text(other)
    served.until("g_buffer/skin, lighting: ")
    served.end()
    assert not socket.exists(), "the socket is left"

    # A pack that cannot be written is written once it can.
    blocked = pathlib.Path(name) / "blocked"
    blocked.write_text("a file where the directory of the pack is to be")
    served = Serve(project, "--pack", blocked / "live.rplpack")
    assert "[file-unwritable]" in served.until("g_buffer/skin, lighting: ")
    blocked.unlink()
    served.until("live.rplpack: written")
    assert (blocked / "live.rplpack").read_bytes()[:7] == b"RPLPACK"
    served.end()

    # A damaged pack is an error.
    pack.write_bytes(pack.read_bytes()[:-4])
    damaged = subprocess.run([deferred, sources, pack], capture_output=True, text=True)
    assert damaged.returncode == 1 and "this is not a pack" in damaged.stderr, damaged
