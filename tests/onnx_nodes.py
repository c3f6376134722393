#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the node tests of the package `onnx`: each operator, with inputs and the outputs that it must have.

  onnx_nodes.py SLIPWAY SOURCE [--filter TEXT] [--sample N] [--engine ENGINE] [--device DEVICE] [--list] [--update]

Every case must pass, except for those of tests/import/onnx_expected.txt, which are refused, each with a reason of a closed
list; a case of the list that passes or has another reason is an error, too. Wrong results and crashes are never expected.
--update writes the list and the page docs/onnx_nodes.md, which a run of all cases checks. Outputs are compared as the package does: rtol 1e-3, atol 1e-7, integers equal. Ends with `N passed, N
failed`. Exit status 77: the package is missing.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
    import onnx
    from onnx import numpy_helper
    from onnx.backend.test.case.node import collect_testcases
except ImportError:
    print("the packages numpy and onnx are missing")
    sys.exit(77)

# Types of which numpy has no elements: the bits, or the values of narrow integers.
BITS = {"bfloat16": np.uint16, "float8_e4m3fn": np.uint8, "float8_e5m2": np.uint8, "float8_e4m3fnuz": np.uint8,
        "float8_e5m2fnuz": np.uint8, "float4_e2m1fn": np.uint8, "float8_e8m0fnu": np.uint8}
VALUES = {"int4": np.int8, "uint4": np.uint8, "int2": np.int8, "uint2": np.uint8}

# Why a case is refused, with what the message of the program says then. An interface of other values than tensors of numbers has
# reasons of its own.
REASONS = {
    "strings": r"strings|tensor of string",
    "sequence-interface": None,
    "optional-interface": r"is an optional value",
    "random": r"random numbers|at random",
    "training": r"training",
    "ml-domain": r"classical machine learning",
    "images": r"files of images",
    "data-dependent": r"has to be known before the run|depends on data|an exponent that is known",
    "no-elements": r"without elements",
    "rank": r"has rank \d+; 6 is the limit",
    "not-yet": r"not yet",
    "deviates": None,  # the result is another one, on purpose: docs/spec/import.md#tests-and-goals
}
HEADER = """\
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Node tests of ONNX that do not pass, and why (docs/spec/import.md#tests-and-goals): `python3 tests/onnx_nodes.py SLIPWAY . --update`.
# The reasons are those of REASONS in tests/onnx_nodes.py.
"""


def array_of(value):
    """An input or output of a case as an array, or None for other values."""
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    return np.asarray(value) if isinstance(value, (np.ndarray, np.generic, float, int)) else None


def stored(array):
    """The array as the program reads and writes it; None if it is not an array of numbers."""
    array = array_of(array)
    if array is None:
        return None
    if array.dtype.kind in "OUSc":
        return None
    name = array.dtype.name
    if name in BITS:
        return np.ascontiguousarray(array).view(BITS[name]).reshape(array.shape)
    if name in VALUES:
        return array.astype(VALUES[name])
    return array


def differences(actual, expected, rtol, atol):
    """Why two arrays differ; empty if they do not."""
    if actual.shape != expected.shape:
        return f"shape {actual.shape} instead of {expected.shape}"
    if expected.dtype.name in BITS:
        bits = np.ascontiguousarray(actual).view(BITS[expected.dtype.name]).reshape(expected.shape)
        actual = bits.view(expected.dtype).reshape(expected.shape).astype(np.float32)
        expected = expected.astype(np.float32)
    elif expected.dtype.name in VALUES:
        expected = expected.astype(VALUES[expected.dtype.name])
    if actual.dtype != expected.dtype:
        return f"dtype {actual.dtype} instead of {expected.dtype}"
    if expected.dtype.kind in "biu":
        wrong = actual != expected
    else:
        wrong = ~np.isclose(actual.astype(np.float64), expected.astype(np.float64), rtol=rtol, atol=atol, equal_nan=True)
    if not wrong.any():
        return ""
    at = tuple(int(i[0]) for i in np.nonzero(wrong)) if wrong.ndim else ()
    return f"{int(wrong.sum())} of {wrong.size} elements differ, [{at}] is {actual[at]} instead of {expected[at]}"


def run_data(arguments, case, data, directory):
    given, wanted = data
    inputs, outputs = {}, {}
    for value, array in zip(case.model.graph.input, given):
        if array is None:
            continue
        inputs[value.name] = stored(array)
    for value, array in zip(case.model.graph.output, wanted):
        outputs[value.name] = array
    if any(array is None or stored(array) is None for array in [*inputs.values(), *outputs.values()]):
        return "refused", interface_reason(case)
    model, archive, result = (os.path.join(directory, name) for name in ("model.onnx", "in.npz", "out.npz"))
    onnx.save(case.model, model)
    np.savez(archive, **inputs)
    command = [arguments.slipway, "run", model, "--inputs", archive, "--output", result, "--engine", arguments.engine,
               "--no-cache", "--json"]
    if arguments.device:
        command += ["--device", arguments.device]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    except subprocess.TimeoutExpired:
        return "crash", "it does not end"
    if done.returncode < 0 or done.returncode > 5:
        return "crash", f"status {done.returncode}: {done.stderr[-300:]}"
    if done.returncode != 0:
        message = message_of(done.stdout or done.stderr)
        for reason, pattern in REASONS.items():
            if pattern and re.search(pattern, message):
                return "refused", reason
        return "refused", f"a reason that is not listed: {message}"
    made = np.load(result)
    for name, expected in outputs.items():
        found = name if name in made.files else re.sub(r"[^A-Za-z0-9_.-]", "_", name)
        if found not in made.files:
            return "wrong", f"output {name} is missing"
        why = differences(made[found], array_of(expected), case.rtol, case.atol)
        if why:
            return "wrong", f"{name}: {why}"
    return "passed", ""


def interface_reason(case):
    """Of a case whose inputs and outputs are not all tensors of numbers."""
    kinds = {value.type.WhichOneof("value") for value in [*case.model.graph.input, *case.model.graph.output]}
    if "optional_type" in kinds:
        return "optional-interface"
    return "sequence-interface" if "sequence_type" in kinds else "strings"


def message_of(text):
    """The first error in the messages of the program, with its first note."""
    try:
        problems = json.loads(text)["files"][0]["diagnostics"]
    except (ValueError, KeyError, IndexError):
        return text.strip()[-300:]
    for problem in problems:
        if problem.get("severity") == "error":
            notes = [note.get("message", "") for note in problem.get("notes", [])]
            return "; ".join([problem.get("message", "")] + notes[:1])
    return text.strip()[-300:]


def run_case(arguments, case):
    for data in case.data_sets:
        with tempfile.TemporaryDirectory() as temporary:
            state, why = run_data(arguments, case, data, temporary)
        if state != "passed":
            return case.name, state, why
    return case.name, "passed", ""


def read_expected(path):
    expected = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, reason = line.split()
                assert reason in REASONS, f"{path}: {reason} is not a reason"
                expected[name] = reason
    return expected


def write_expected(path, results):
    deviations = {name for name, reason in read_expected(path).items() if reason == "deviates"}
    reasons = {name: why if state == "refused" else "deviates" for name, state, why in results
               if (state == "refused" and why in REASONS) or (state == "wrong" and name in deviations)}
    lines = [f"{name} {reason}\n" for name, reason in reasons.items()]
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEADER + "".join(lines))


# What a reader of the page sees for a reason.
MEANINGS = {
    "strings": "tensors of strings",
    "sequence-interface": "an input or output is a sequence",
    "optional-interface": "an input or output is an optional value",
    "random": "random numbers, which no test can state",
    "training": "the operator trains a model",
    "ml-domain": "classical machine learning (`ai.onnx.ml`)",
    "images": "decodes files of pictures",
    "data-dependent": "the shape of a result depends on data",
    "no-elements": "a tensor without elements",
    "rank": "a tensor has more than 6 dimensions",
    "not-yet": "not converted yet",
    "deviates": "the result is another one, on purpose",
}


def operators_of(cases):
    """The operator that each case tests, by the names of cases; of an expanded function the one of its plain case."""
    def plain(name):
        return re.sub(r"_expanded(_ver\d+)?$", "", name)

    kinds = {}
    for case in cases:
        nodes = case.model.graph.node
        names = [node.op_type for node in nodes if node.op_type not in ("Constant", "Identity")] or [nodes[0].op_type]
        words = case.name.removeprefix("test_").replace("_", "").lower()
        kinds[case.name] = next((name for name in sorted(names, key=len, reverse=True) if words.startswith(name.lower())), names[0])
    return {name: kinds.get(plain(name), kind) for name, kind in kinds.items()}


def page(cases, results):
    operators = operators_of(cases)
    passed, others = collections.Counter(), collections.defaultdict(list)
    for name, state, why in results:
        if state == "passed":
            passed[operators[name]] += 1
        else:
            others[operators[name]].append((name, why if state == "refused" else "deviates"))
    reasons = collections.Counter(reason for listed in others.values() for _, reason in listed)
    text = f"""# Node tests of ONNX

The package `onnx` has a test for each way to use an operator: a model of one node (or of the function that defines it), inputs, and the
outputs that it must have. This page shows which of them `slipway run` passes. `tests/onnx_nodes.py` writes it, and fails if it is not
what the program does.

**{sum(passed.values())} of {len(results)} tests pass** (onnx {onnx.__version__}). The others are refused with a message, except for those that
deviate; none is wrong by accident, and none crashes.

| reason | tests | meaning |
|---|---|---|
"""
    text += "".join(f"| {reason} | {count} | {MEANINGS.get(reason, "")} |\n" for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
    text += """
[import.md](import.md) has the operators, and [spec/import.md](spec/import.md#tests-and-goals) says which results deviate and why.

## By operator

| operator | passed | others |
|---|---|---|
"""
    for operator in sorted({*passed, *others}):
        listed = "; ".join(f"`{name}`: {reason}" for name, reason in others[operator])
        text += f"| `{operator}` | {passed[operator]} of {passed[operator] + len(others[operator])} | {listed} |\n"
    return text


def problem_of(name, state, why, expected):
    """What is wrong with the result of a case; empty if it is as expected."""
    if state in ("wrong", "crash"):
        return "" if state == "wrong" and expected.get(name) == "deviates" else f"{state}, {why}"
    if state == "passed":
        return f"passes, and is listed ({expected[name]})" if name in expected else ""
    if name not in expected:
        return f"is refused ({why}), and is not listed"
    return "" if expected[name] == why else f"is refused ({why}), and is listed with the reason {expected[name]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("slipway")
    parser.add_argument("source")
    parser.add_argument("--filter", default="")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--list", action="store_true", help="print every case that does not pass")
    parser.add_argument("--update", action="store_true", help="write the list of cases that are refused")
    parser.add_argument("--sample", type=int, default=1, help="run every N-th case only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    cases = sorted((case for case in collect_testcases(None) if re.search(arguments.filter, case.name)),
                   key=lambda case: case.name)[:: arguments.sample]
    assert cases, "no cases"
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(lambda case: run_case(arguments, case), cases))
    path = os.path.join(arguments.source, "tests", "import", "onnx_expected.txt")
    whole = not arguments.filter and arguments.sample == 1
    scoreboard = os.path.join(arguments.source, "docs", "onnx_nodes.md")
    if arguments.update:
        write_expected(path, results)
        if whole:
            with open(scoreboard, "w", encoding="utf-8") as file:
                file.write(page(cases, results))
    expected = read_expected(path)
    problems = {name: problem_of(name, state, why, expected) for name, state, why in results}
    for name, state, why in results:
        if arguments.list and state != "passed":
            print(f"{state:8} {name}: {why}")
    if whole:
        problems |= {name: "is listed, and does not exist" for name in expected.keys() - problems.keys()}
        with open(scoreboard, encoding="utf-8") as file:
            problems["docs/onnx_nodes.md"] = "" if file.read() == page(cases, results) else "is not what --update writes"
    for name, problem in problems.items():
        if problem:
            print(f"{name}: {problem}")
    counts = collections.Counter(state for _, state, _ in results)
    failed = sum(bool(problem) for problem in problems.values())
    print(", ".join(f"{count} {state}" for state, count in sorted(counts.items())), f"of {len(results)} cases")
    print(f"{len(problems) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
