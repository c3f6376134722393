#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares start-up, loading, saving and recording of `slipway run` with programs that do only the minimum.

Slipway and the other programs run in turn; medians are printed with their spread.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import struct
import sys
import tempfile

from process import Process

SHADER = """#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
void main() { data[gl_GlobalInvocationID.x] += 1.0; }
"""


def median(values):
    return statistics.median(values)


def spread(values):
    return f"{median(values):8.2f} ({min(values):.2f} to {max(values):.2f})"


def scenario(directory, name, shader, size, commands, **buffer):
    path = directory / f"{name}.json"
    dispatch = {"dispatch_compute": {"shader_ref": "s", "rangeND": [4], "bindings": [{"set": 0, "id": 0, "resource_ref": "data"}]}}
    path.write_text(json.dumps({
        "resources": [{"shader": {"uid": "s", **shader}}, {"buffer": {"uid": "data", "size": size, "shader_access": "readwrite", **buffer}}],
        "commands": [dispatch] * commands,
    }))
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    slipway = options.build / "bin/slipway"
    peer = {name: options.build / "bin" / f"bench_{name}" for name in ("minimal", "glslang", "copy")}
    rows = []

    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        environment = dict(os.environ, XDG_CACHE_HOME=str(directory / "cache"))
        if "VK_DRIVER_FILES" not in environment:
            environment.update(VK_DRIVER_FILES="/usr/share/vulkan/icd.d/lvp_icd.json", NODEVICE_SELECT="1")

        def run(*command):
            return Process(command, environment)

        (directory / "s.comp").write_text(SHADER)
        run(peer["glslang"], directory / "s.comp", directory / "s.spv")
        spirv = scenario(directory, "spirv", {"type": "SPIR-V", "src": "s.spv"}, 1024, 1)
        glsl = scenario(directory, "glsl", {"type": "GLSL", "src": "s.comp"}, 1024, 1)

        ours, theirs, warm, cold, compiler, our_cpu, their_cpu = [], [], [], [], [], [], []
        for i in range(options.runs + 1):
            a, b, c = run(slipway, "run", spirv), run(peer["minimal"], directory / "s.spv", 1), run(slipway, "run", glsl)
            # Cold for Slipway's cache of compiled shaders. The driver's cache is warm, as for the SPIR-V scenario.
            shutil.rmtree(directory / "cache/slipway")
            d = run(slipway, "run", glsl)
            e = run(peer["glslang"], directory / "s.comp", directory / "t.spv")
            if i > 0:  # the first round fills the caches
                ours.append(a.ms), theirs.append(b.ms), warm.append(c.ms), cold.append(d.ms), compiler.append(e.ms)
                our_cpu.append(a.cpu_ms), their_cpu.append(b.cpu_ms)
        print(f"SPIR-V scenario, ms            {spread(ours)}\nminimal Vulkan program, ms     {spread(theirs)}")
        print(f"GLSL scenario, warm, ms        {spread(warm)}\nGLSL scenario, cold, ms        {spread(cold)}\nglslang alone, ms              {spread(compiler)}")
        print(f"SPIR-V scenario, CPU ms        {spread(our_cpu)}\nminimal Vulkan program, CPU ms {spread(their_cpu)}")
        rows.append(("start: SPIR-V scenario / minimal program, CPU time", median(our_cpu) / median(their_cpu), 1.10, "x"))
        rows.append(("start: GLSL, cold, over glslang alone", median(cold) - median(compiler), 15, "ms"))
        rows.append(("start: GLSL, warm, over the SPIR-V scenario", median(warm) - median(ours), 2, "ms"))

        size = 32 << 20
        header = b"{'descr': '|i1', 'fortran_order': False, 'shape': (%d,), }" % size
        header += b" " * (118 - len(header) - 1) + b"\n"
        (directory / "in.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + os.urandom(size))
        copying = scenario(directory, "copying", {"type": "SPIR-V", "src": "s.spv"}, size, 1, src="in.npy", dst="out.npy")
        loads, copies, peaks, base_peaks = [], [], [], []
        for _ in range(options.runs):
            counters = directory / "counters.json"
            whole = run(slipway, "run", copying, "--perf-counters-dump-path", counters)
            measured = json.loads(counters.read_text())
            loads.append(sum(counter["value"] for category in measured.values() if isinstance(category, dict)
                             for counter in category["counters"] if counter["name"] in ("Load Buffer: data", "Save Resources")) / 1e3)
            copies.append(float(run(peer["copy"], directory / "in.npy", directory / "copy.npy").text) / 1e3)
            peaks.append(whole.peak_mb)
            base_peaks.append(run(peer["minimal"], directory / "s.spv", 1).peak_mb)
        print(f"32 MiB: load and save, ms      {spread(loads)}\n32 MiB: plain read, write, ms  {spread(copies)}")
        print(f"peak memory, MB                {spread(peaks)}\nminimal program's, MB          {spread(base_peaks)}")
        rows.append(("32 MiB: load and save / plain read and write", median(loads) / median(copies), 2.5, "x"))
        # The software driver alone takes more than 60 MB, so the peak of the minimal program is subtracted.
        rows.append(("32 MiB: peak memory over the data and the minimal program", median(peaks) - median(base_peaks) - 32, 60, "MB"))

        many = scenario(directory, "many", {"type": "SPIR-V", "src": "s.spv"}, 1024, 1000)
        ours, theirs = [], []
        for _ in range(options.runs):
            counters = directory / "counters.json"
            run(slipway, "run", many, "--perf-counters-dump-path", counters)
            measured = json.loads(counters.read_text())["Run Scenario"]["counters"]
            ours.append(sum(counter["value"] for counter in measured
                            if counter["name"].startswith(("Creating Command Buffer", "Submit Commands"))) / 1e3)
            theirs.append(float(run(peer["minimal"], directory / "s.spv", 1000).text) / 1e3)
        print(f"1,000 dispatches, us each      {spread(ours)}\nminimal program, us each       {spread(theirs)}")
        rows.append(("1,000 dispatches: recording over the driver's cost", median(ours) - median(theirs), 3, "us each"))

    print()
    missed = 0
    for what, value, limit, unit in rows:
        verdict = "holds" if value <= limit else "MISSED"
        missed += value > limit
        print(f"{what:58} {value:8.2f} {unit:8} (at most {limit}) {verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
