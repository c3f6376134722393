#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the files of tests/data/xrt: `inspect` shows the known contents of binaries, and recipes compute the expected results.

xrt_data.py TOP SLIPWAY CXX
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

top = pathlib.Path(sys.argv[1]).resolve()
slipway, compiler = sys.argv[2:4]
data = top / "tests/data/xrt"
failures = []


def run(expected, *arguments, **environment):
    done = subprocess.run([slipway, *map(str, arguments)], cwd=data, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=dict(os.environ, **environment))
    if done.returncode != expected:
        failures.append(f"{' '.join(map(str, arguments))}: exit status {done.returncode}, not {expected}\n{done.stdout}")
    return done.stdout


def facts_of(value):
    """The texts that the output of `slipway inspect` must contain."""
    if "uuid" in value:
        yield value["uuid"]
    for key in ("sections", "kernels"):
        for entry in value.get(key, []):
            if not entry.get("name", ".").startswith("."):
                yield entry["name"]


facts = json.loads((data / "facts.json").read_text())
assert facts
for name, value in facts.items():
    run(0, "check", name)
    text = run(0, "inspect", name)
    failures += [f"inspect {name} does not show {fact}" for fact in facts_of(value) if fact not in text]

for recipe in ("dpu", "config", "embedded", "mixed"):
    run(0, "check", f"{recipe}_recipe.json", "--profile", f"{recipe}_profile.json")
run(0, "run", "embedded_recipe.json", "--profile", "embedded_profile.json")
run(0, "run", "dpu_recipe.json", "--profile", "dpu_profile.json", "--kernels", "dpu_kernels.json")
with tempfile.TemporaryDirectory() as libraries:
    subprocess.run([compiler, "-std=c++17", "-shared", "-fPIC", "-I", top / "include", data / "cpu_functions.cpp",
                    "-o", pathlib.Path(libraries) / "libcpu_functions.so"], check=True)
    run(0, "run", "mixed_recipe.json", "--profile", "mixed_profile.json", "--library-root", libraries)
    jobs = run(3, "run", "jobs.json", "--library-root", libraries)
    failures += [f"jobs.json does not report `{line}`:\n{jobs}" for line in ("embedded: ok", "mixed: ok", "broken: bad input")
                 if line not in jobs]

# The program on the software NPU (docs/npu.md), which a build with XRT has.
npu = sorted((pathlib.Path(slipway).resolve().parent.parent / "software_npu").rglob("libxrt_core.so.2"))
if npu:
    npu = {"LD_LIBRARY_PATH": str(npu[0].parent), "SOFTWARE_NPU_DEVICES": "2"}
    shown = run(0, "devices", "--backend", "xrt", **npu)
    run(0, "run", top / "examples/npu/recipe.json", "--profile", top / "examples/npu/profile.json", **npu)
    chosen = run(0, "run", "dpu_recipe.json", "--profile", "dpu_profile.json", "--device", "xrt:1", **npu)
    run(0, "run", "config_recipe.json", "--profile", "config_profile.json", **npu)
    unknown = run(4, "run", "dpu_recipe.json", "--profile", "dpu_profile.json", "--device", "xrt:7", **npu)
    failed = run(5, "run", "dpu_recipe.json", "--profile", "dpu_profile.json", SOFTWARE_NPU_FAIL_AT="2", **npu)
    hung = run(5, "run", "dpu_recipe.json", "--profile", "dpu_profile.json", "--timeout", "0.2", SOFTWARE_NPU_HANG_AT="1", **npu)
    for text, part in ((shown, "  0  Software NPU 0\n  1  Software NPU 1\n"), (chosen, "on Software NPU 1"),
                       (unknown, "XRT has no device `7`; there are 0 `Software NPU 0`, 1 `Software NPU 1`"),
                       (failed, "dpu_recipe.json:16:7: error: run 'k1' of kernel `k1` failed"),
                       (hung, "dpu_recipe.json:16:7: error: run `k1` did not end within 200 ms")):
        failures += [f"`{part}` is missing in:\n{text}"] if part not in text else []

print("\n".join(failures) or f"{len(facts)} binaries and {12 if npu else 5} runs as expected")
sys.exit(bool(failures))
