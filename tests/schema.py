#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a JSON Schema against a corpus: schema.py SCHEMA CORPUS

Cases without an error must be valid, except those with unknown keys, which are only warnings. Cases of CORPUS/structure whose
name begins with `fail_` must be rejected, except for rules that a schema cannot express.
"""
import json
import pathlib
import sys

import jsonschema

# Exactly one of several keys; limits that depend on other numbers; contents of texts.
BEYOND_A_SCHEMA = {
    "fail_raw_data_and_shader_sources",
    "fail_draw_indices",
}

schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
problems = []
valid = rejected = 0
for path in sorted(pathlib.Path(sys.argv[2]).rglob("*.json")):
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError:
        continue  # comments, trailing commas, syntax errors
    expected = path.with_suffix(".expected").read_text()
    error = jsonschema.exceptions.best_match(validator.iter_errors(document))
    name = path.name.split(".")[0]
    if not name.startswith("fail_") and "[unknown-key]" not in expected:
        valid += 1
        if error:
            problems.append(f"{path}: must be valid, but {error.json_path}: {error.message}")
    elif path.parent.name == "structure":
        rejected += 1
        if not error and name not in BEYOND_A_SCHEMA:
            problems.append(f"{path}: must be rejected")
        if error and name in BEYOND_A_SCHEMA:
            problems.append(f"{path}: is rejected, so it does not belong to the exceptions: {error.json_path}")
print("\n".join(problems) or f"{valid} valid, {rejected} rejected")
sys.exit(bool(problems) or not valid or not rejected)
