#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the schemas of recipes, profiles, jobs and reports: recipe_schemas.py TOP SLIPWAY

A case of the corpora must be valid exactly if `check` finds no error in its structure. The reports of runs of the
examples must be valid.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema

top, slipway = pathlib.Path(sys.argv[1]), sys.argv[2]
problems = []

# Errors that a schema cannot express: ranges of numbers that are written as text, exactly one of two keys, meanings of texts.
BEYOND_A_SCHEMA = {
    "fail_cpu_without_library", "fail_run_without_name", "fail_init_stride_without_value", "fail_validate_nothing", "fail_size_text_blank",
    "fail_slice_overflow", "fail_programs_empty", "fail_iterations_zero", "fail_iterations_negative", "fail_mode", "fail_init_nothing",
    "fail_init_random_false",
}
# Warnings of these kinds are errors of `check` (docs/acceptance.md).
STRUCTURE = re.compile(r"(error: .*\[(wrong-type|missing-key|out-of-range|no-runs)|(error|warning): .*\[unknown-value)\]$", re.M)


def schema_of(name):
    return json.loads((top / f"schema/{name}.schema.json").read_text())


def check_corpus(name):
    schema = schema_of(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path in sorted((top / "tests/corpus" / name).glob("*.json")):
        case = path.name.split(".")[0]
        if ".of." in path.name or case in BEYOND_A_SCHEMA:
            continue
        try:
            document = json.loads(path.read_text(encoding="utf-8-sig"))
        except (json.JSONDecodeError, RecursionError):
            continue
        expected = path.with_suffix(".expected").read_text()
        if "[unknown-key]" in expected or "[json-syntax]" in expected:
            continue
        error = jsonschema.exceptions.best_match(validator.iter_errors(document))
        wrong = STRUCTURE.search(expected)
        if error and not wrong:
            problems.append(f"{path}: must be valid, but {error.json_path}: {error.message}")
        if wrong and not error:
            problems.append(f"{path}: must be rejected because of {wrong[0]}")


def check_report(*arguments):
    with tempfile.TemporaryDirectory() as directory:
        report = pathlib.Path(directory) / "report.json"
        subprocess.run([slipway, "run", *map(str, arguments), "--report", str(report)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        document = json.loads(report.read_text())
        for error in validator_of_reports.iter_errors(document):
            problems.append(f"report of {arguments}: {error.json_path}: {error.message}")
        return document["files"]


def check_jobs():
    """The schema must accept exactly the scripts that `check` accepts (jobs_test.cpp)."""
    validator = jsonschema.Draft202012Validator(schema_of("jobs"))
    job = {"recipe": "a.json"}
    good = [{"jobs": [job]}, {"jobs": {"x": job}}, {"jobs": [{**job, "id": "a", "profile": "p", "dir": "", "iterations": "3", "mode": "latency"}]}]
    bad = [[], {}, {"jobs": 3}, {"jobs": []}, {"jobs": [7]}, {"jobs": [{"id": "a"}]}, {"jobs": [{**job, "mode": "fast"}]},
           {"jobs": [{**job, "iterations": 0}]}, {"jobs": [{**job, "profil": "p"}]}, {"jobs": [{"recipe": 1}]}]
    problems.extend(f"the schema of jobs rejects {document}" for document in good if not validator.is_valid(document))
    problems.extend(f"the schema of jobs accepts {document}" for document in bad if validator.is_valid(document))


check_corpus("recipe")
check_jobs()
check_corpus("profile")
check_corpus("replay")
validator_of_reports = jsonschema.Draft202012Validator(schema_of("report"))
for example in ("saxpy_recipe", "convert_pool", "pipeline_depth"):
    directory = top / "examples" / example
    check_report(directory / "recipe.json", "--profile", directory / "profile.json", "--timings")
    check_report(directory / "recipe.json")  # there is a report even if buffers are missing
check_report(top / "tests/corpus/recipe/fail_no_runs.json")
npu = top / "examples/npu"
report = check_report(npu / "recipe.json", "--kernels", npu / "kernels.json", "--profile", npu / "profile.json")[0]
uuid = re.search(r"^ *uuid +(\S+)", subprocess.run([slipway, "inspect", npu / "design.xclbin"], stdout=subprocess.PIPE, text=True).stdout, re.M)
if not uuid or report.get("xclbin") != {"uuid": uuid[1]} or report.get("hwctxs_detail") != {"header": {"uuid": uuid[1]}}:
    problems.append(f"the report does not name the xclbin: {report.get('xclbin')}, {report.get('hwctxs_detail')}, {uuid and uuid[1]}")
print("\n".join(problems) or "all is well")
sys.exit(bool(problems))
