# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that tests watch, and scenarios that keep them busy."""
import os
import pathlib
import pty
import re
import subprocess
import sys
import time


def run_on_terminal(*command):
    """What a terminal gets that is the standard output and standard error."""
    ours, its = pty.openpty()
    with subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=its, stderr=its) as process:
        os.close(its)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux: the other end is closed
                break
            if not part:
                break
            shown += part
        process.wait(60)
    os.close(ours)
    return shown


def wait_for(condition, what):
    """Polls, because the state of another process is observed. The limit is only for a test that fails."""
    end = time.monotonic() + 120
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"this never happened: {what}")
        time.sleep(0.01)


def cpu_ticks(pid):
    return int(re.sub(r"^.*\) ", "", pathlib.Path(f"/proc/{pid}/stat").read_text()).split()[11])


def dispatch(uid, statements, size, **members):
    """A scenario with one invocation of a shader, which has a buffer `b` of 32-bit integers."""
    source = f"#version 460\nlayout(set = 0, binding = 0) buffer B {{ uint b[]; }};\nvoid main() {{ {statements} }}"
    return {"resources": [{"shader": {"uid": uid, "type": "GLSL", "source": source}},
                          {"buffer": {"uid": "b", "size": size, "shader_access": "readwrite", **members}}],
            "commands": [{"dispatch_compute": {"shader_ref": uid, "rangeND": [1],
                                               "bindings": [{"set": 0, "id": 0, "resource_ref": "b"}]}}]}


def spin(**members):
    """A scenario that does not end."""
    return dispatch("spin", "while (b[0] == 0) { b[1] += 1; }", 8, **members)
