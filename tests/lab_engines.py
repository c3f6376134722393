#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the examples of examples/lab: lab_engines.py SLIPWAY TOP

CTest always; GNU parallel and Slurm if they are installed, and Slurm only as root. The files for LAVA and labgrid run without these:
the steps of the job with a program in place of lava-test-case, the tests of pytest with a board that is this machine.
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

    # Of the first cases, one fails, one fails as expected, and one is skipped.
    few = work / "few"
    few.mkdir()
    for i in range(4):
        shutil.copy(cases / f"{i:03}.json", few / f"{i:03}.json")
    for i in (1, 2):
        (few / f"{i:03}.json").write_text((few / f"{i:03}.json").read_text().replace(f'"data": [{i}]', '"data": [9]'))
    (few / "003.json").write_text((few / "003.json").read_text().replace('{"resources"', '{"requires": {"memory": 1000000000000000}, "resources"'))
    (few / "known.txt").write_text("fail 002.json\n")
    shutil.copy(examples / "lava/report.py", few)
    (work / "bin/lava-test-case").write_text(f'#!/bin/sh\necho "$@" >> {work}/lava.log\n')
    (work / "bin/lava-test-case").chmod(0o755)
    steps = [line.strip()[2:] for line in (examples / "lava/job.yaml").read_text().splitlines() if line.strip().startswith(("- slipway", "- python3"))]
    for step in steps:
        run("sh", "-c", step.replace("/cases", str(few)), cwd=work, env=environment)
    reported = [line.split() for line in (work / "lava.log").read_text().splitlines()]
    wanted = [("000.json", "pass"), ("001.json", "fail"), ("002.json", "pass"), ("003.json", "skip")]
    if len(steps) != 2 or [(words[0][-8:], words[2]) for words in reported] != wanted or any(words[3] != "--measurement" or float(words[4]) < 0 for words in reported):
        sys.exit(f"LAVA: {steps} reported {reported}")
    ran.append("the steps of LAVA")

    has_pytest = subprocess.run([sys.executable, "-c", "import pytest; exit(int(pytest.__version__.split('.')[0]) < 9)"], stderr=subprocess.DEVNULL)
    if has_pytest.returncode == 0:
        board = work / "board"
        board.mkdir()
        shutil.copy(examples / "labgrid/test_slipway.py", board)
        # What labgrid provides: a target with a driver that runs commands. Its board is this machine.
        (board / "conftest.py").write_text("""import subprocess, pytest

class Driver:
    def run(self, command, timeout=None):
        done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=timeout)
        return done.stdout.splitlines(), done.stderr.splitlines(), done.returncode
    def run_check(self, command):
        out, err, status = self.run(command)
        assert status == 0, err
        return out

class Target:
    def get_driver(self, name):
        assert name == "CommandProtocol"
        return Driver()

@pytest.fixture(scope="session")
def target():
    return Target()
""")
        (few / "known.txt").unlink()
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_slipway.py"], cwd=board, env=dict(environment, SLIPWAY_CASES=str(few)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        failed = [line.split("]")[0][-8:] for line in done.stdout.splitlines() if line.startswith("SUBFAILED")]
        if done.returncode != 1 or failed != ["001.json", "002.json"] or "1 skipped, 1 subtests passed" not in done.stdout:
            sys.exit(f"labgrid: status {done.returncode}\n{done.stdout}")
        ran.append("the tests of labgrid")
    else:
        missing.append("pytest 9")

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
