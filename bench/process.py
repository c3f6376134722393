# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs commands for benchmarks, and measures them."""
import os
import subprocess
import sys
import tempfile
import time


class Process:
    """One run of a command: its wall time and CPU time in ms, its peak memory in MB, and its output."""

    def __init__(self, command, environment):
        start = time.perf_counter()
        with tempfile.TemporaryFile() as out:
            child = subprocess.Popen([str(word) for word in command], stdout=out, stderr=subprocess.STDOUT, env=environment)
            _, status, usage = os.wait4(child.pid, 0)
            self.ms = (time.perf_counter() - start) * 1e3
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            self.text = out.read().decode(errors="replace")
        self.cpu_ms = (usage.ru_utime + usage.ru_stime) * 1e3
        self.peak_mb = usage.ru_maxrss / 1024
        if child.returncode != 0:
            sys.exit(f"{command}: exit status {child.returncode}\n{self.text}")
