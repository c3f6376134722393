#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/import.md have what `slipway inspect --supported` prints: import_tables.py TOP SLIPWAY [--update]

With the package `onnx`, every operator of its sets is in the list, too.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

top, slipway = pathlib.Path(sys.argv[1]), sys.argv[2]
problems = []


def supported(format_name):
    command = [slipway, "inspect", "--supported", format_name]
    document = json.loads(subprocess.run([*command, "--json"], stdout=subprocess.PIPE, check=True).stdout)
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    operators = document["operators"]
    if document["format"] != format_name or len(operators) != len(text.splitlines()) - 1:
        problems.append(f"--supported {format_name}: the text and the JSON differ")
    return operators


def full_name(operator):
    return f"{operator['domain']}.{operator['operator']}" if operator["domain"] else operator["operator"]


def table(operators):
    """One row for each status: converted, and each reason why not."""
    rows = collections.defaultdict(list)
    for operator in operators:
        rows[operator.get("obstacle", "")].append(f"`{full_name(operator)}`")
    order = sorted(rows, key=lambda obstacle: (obstacle != "", obstacle == "not yet", obstacle))
    lines = ["| status | count | operators |", "|---|---|---|"]
    lines += [f"| {'no: ' + obstacle if obstacle else 'converted'} | {len(rows[obstacle])} | {', '.join(rows[obstacle])} |" for obstacle in order]
    return "\n".join(lines)


page = top / "docs/import.md"
text = updated = page.read_text()
for format_name in ("onnx", "tflite"):
    operators = supported(format_name)
    block = re.compile(f"(<!-- {format_name}: begin -->\n).*?(<!-- {format_name}: end -->)", re.DOTALL)
    assert block.search(text), f"{page} has no table of {format_name}"
    updated = block.sub(lambda match: f"{match[1]}{table(operators)}\n{match[2]}", updated)
    if format_name == "onnx":
        try:
            import onnx
        except ImportError:
            print("the package onnx is missing: its operators are not compared")
        else:
            listed = {(operator["domain"], operator["operator"]) for operator in operators}
            missing = sorted({(schema.domain, schema.name) for schema in onnx.defs.get_all_schemas()} - listed)
            problems += [f"{domain}.{name}: an operator of ONNX that no list has" for domain, name in missing]
if "--update" in sys.argv:
    page.write_text(updated)
elif updated != text:
    problems.append(f"{page}: the tables of operators are out of date; run tests/import_tables.py . SLIPWAY --update")
print("\n".join(problems) or "the tables agree")
sys.exit(bool(problems))
