# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs scenarios on a board of labgrid; each scenario is a test of pytest with its output.

    pytest --lg-env environment.yaml test_slipway.py

SLIPWAY_CASES is a directory on the board (/cases), which has Slipway on its PATH. Needs pytest 9, or pytest-subtests.
"""
import json
import os
import shlex

import pytest

CASES = os.environ.get("SLIPWAY_CASES", "/cases")
RESULTS = "/tmp/slipway.results.jsonl"


@pytest.fixture(scope="module")
def results(target):
    """The results of all cases, after one run on the board."""
    command = target.get_driver("CommandProtocol")
    command.run_check(f"rm -f {RESULTS}")
    # The status is that of the worst case; the tests report each of them.
    command.run(f"slipway run {shlex.quote(CASES)} --timeout 60 --results {RESULTS} --quiet", timeout=3600)
    lines = [json.loads(line) for line in command.run_check(f"cat {RESULTS}")]
    return [line["case"] for line in lines if "case" in line]


def test_cases(results, subtests):
    assert results, "no case ran"
    for case in results:
        with subtests.test(case["file"]):
            if case["verdict"] == "skipped":
                pytest.skip(case.get("text", ""))
            assert case["ok"], case.get("text", "")
