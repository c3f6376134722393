#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the output of `slipway inspect --json` against its schemas: inspect_schemas.py TOP SLIPWAY [FILE...]

The default files are those of examples/npu. The schemas allow no other keys, so they must describe each new key.
"""
import json
import pathlib
import subprocess
import sys

import jsonschema

top, slipway = pathlib.Path(sys.argv[1]), sys.argv[2]
schemas = {}
for format_name, schema_name in (("xclbin", "xclbin"), ("xrt-elf", "control-code")):
    schema = json.loads((top / f"schema/{schema_name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    schemas[format_name] = jsonschema.Draft202012Validator(schema)

files = [pathlib.Path(name) for name in sys.argv[3:]] or [top / "examples/npu" / name for name in ("design.xclbin", "control.elf", "config.elf")]
seen, problems = set(), []
for path in files:
    printed = subprocess.run([slipway, "inspect", "--json", path], stdout=subprocess.PIPE, check=True).stdout
    document = json.loads(printed)
    seen.add(document["format"])
    problems += [f"{path.name}: {error.json_path}: {error.message}" for error in schemas[document["format"]].iter_errors(document)]
if len(sys.argv) == 3 and seen != set(schemas):
    problems.append(f"no file of {set(schemas) - seen}")
print("\n".join(problems) or f"{len(files)} files")
sys.exit(bool(problems))
