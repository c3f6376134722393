#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports results of `slipway run --results` to LAVA, one test case for each file: report.py RESULTS.jsonl

Runs on the board, where LAVA provides the program lava-test-case. The time of a case is its measurement.
"""
import json
import re
import subprocess
import sys

RESULTS = {"passed": "pass", "ran": "pass", "skipped": "skip"}
cases = {}
with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        if line.startswith('{"case"'):
            case = json.loads(line)["case"]
            cases[case["file"], case.get("copy", 1)] = case  # the last line of a case counts
for case in cases.values():
    result = RESULTS.get(case["verdict"], "fail")
    if not case.get("ok", True):
        result = "fail"
    elif result == "fail":
        result = "pass"  # as the expectations file says
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", case["file"]).strip("-")  # LAVA allows no other characters
    subprocess.run(["lava-test-case", name, "--result", result, "--measurement", f"{case['seconds']:.6f}", "--units", "seconds"], check=True)
