#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the examples of examples/lab: lab_engines.py SLIPWAY TOP

CTest always; GNU parallel and Slurm if they are installed, and Slurm only as root.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

slipway, top = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
examples = top / "examples/lab"
CASES = 200


def run(*words, **options):
    done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{words}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def check_results(directory, count):
    files = [json.loads(line)["case"]["file"] for path in directory.glob("results.*.jsonl") for line in path.read_text().splitlines() if line.startswith('{"case"')]
    if len(files) != count or len(set(files)) != count:
        sys.exit(f"{len(files)} results of {len(set(files))} cases instead of {count}")


ran, missing = [], []
with tempfile.TemporaryDirectory() as name:
    work = pathlib.Path(name)
    (work / "bin").mkdir()
    (work / "bin/slipway").symlink_to(slipway)
    environment = dict(os.environ, PATH=f"{work / 'bin'}:{os.environ['PATH']}")
    cases = work / "cases"
    cases.mkdir()
    for i in range(CASES):
        buffer = {"uid": "b", "size": 4, "shader_access": "readonly", "data": {"type": "u32", "values": [i]}, "expect": {"type": "u32", "data": [i]}}
        (cases / f"{i:03}.json").write_text(json.dumps({"resources": [{"buffer": buffer}], "commands": []}))

    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    run("cmake", *generator, "-S", examples / "ctest", "-B", work / "ctest", f"-DCMAKE_MODULE_PATH={top / 'cmake'}", f"-DSLIPWAY_EXECUTABLE={slipway}", env=environment)
    run("ctest", "--test-dir", work / "ctest", "--output-on-failure", "--no-tests=error", env=environment)
    ran.append("CTest")

    if shutil.which("parallel"):
        run("bash", examples / "parallel.sh", 4, cases, cwd=work, env=environment)
        check_results(work, CASES)
        ran.append("GNU parallel")
    else:
        missing.append("GNU parallel")

    if all(map(shutil.which, ("slurmctld", "slurmd", "munged", "sbatch"))) and os.geteuid() == 0:
        printed = run("bash", examples / "slurm_loopback.sh", cases, env=environment)
        if printed.count(f": {CASES // 4} cases") != 4 or f"{CASES} cases: {CASES} passed" not in printed:
            sys.exit(f"Slurm:\n{printed}")
        ran.append("Slurm")
    else:
        missing.append("Slurm")
print(f"ran: {', '.join(ran)}" + (f"; not installed: {', '.join(missing)}" if missing else ""))
