#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the tables of the sources with independent tables in tests/data: tables.py TOP

src/base/vk_names.def with vk_names.json; src/tosa/operators.def with tosa_ops.json and tosa_extinst.json.
"""
import json
import pathlib
import re
import sys

PREFIXES = {
    "FORMAT": ("format", "VK_FORMAT_"),
    "FILTER": ("filter", "VK_FILTER_"),
    "ADDRESS_MODE": ("sampler_address_mode", "VK_SAMPLER_ADDRESS_MODE_"),
    "BORDER_COLOR": ("border_color", "VK_BORDER_COLOR_"),
    "DESCRIPTOR_TYPE": ("descriptor_type", "VK_DESCRIPTOR_TYPE_"),
}


def vulkan_names(top, data):
    """The names with different values in the two tables, and those that only one table has."""
    text = (top / "src/base/vk_names.def").read_text()
    expected = json.loads((data / "vk_names.json").read_text())
    for macro, (key, prefix) in PREFIXES.items():
        ours = {prefix + name: int(value) for name, value in re.findall(rf"^{macro}\((\w+), (\d+)\)", text, re.M)}
        theirs = {name: entry["value"] for entry in expected[key] for name in entry["accept"]}
        assert ours and theirs, key
        for name in sorted(ours.keys() | theirs.keys()):
            if ours.get(name) != theirs.get(name):
                yield f"{name}: vk_names.def has {ours.get(name)}, vk_names.json has {theirs.get(name)}"


def operators(top):
    """The number in the instruction set, the operands and the count of results of each TOSA operator."""
    text = re.sub(r'"\s*\n?\s*"(?=[^,)])', "", (top / "src/tosa/operators.def").read_text())
    found = {}
    for name, number, operands, results in re.findall(r'^OPERATOR\((\w+), Tosa, (\d+), \w+,\s*"([^"]*)",\s*"([^"]*)"', text, re.M):
        in_spirv = [operand for operand in operands.split() if not operand.endswith("?")]
        found[name] = (int(number), [re.split(r"[!:=]", operand)[0] for operand in in_spirv], len(results.split()))
    return found


def tosa(top, data):
    ours = operators(top)
    rows = json.loads((data / "tosa_ops.json").read_text())["ops"]
    rows = {row["op"]: row for row in rows if row.get("spirv_id") is not None}
    instructions = {record["name"]: record for record in json.loads((data / "tosa_extinst.json").read_text())}
    assert ours and rows and instructions
    for name in sorted(ours.keys() | rows.keys() | instructions.keys()):
        if name not in ours or name not in rows or name not in instructions:
            tables = {"operators.def": ours, "tosa_ops.json": rows, "tosa_extinst.json": instructions}
            yield f"{name} is missing in " + ", ".join(label for label, table in tables.items() if name not in table)
            continue
        number, operands, results = ours[name]
        row, record = rows[name], instructions[name]
        listed = [operand.rstrip("*") for operand in row["spirv_operands"]]
        outputs = [argument["name"] for argument in row["args"] if argument["role"] == "out"]
        for label, ours_is, theirs_is in (
            ("number", number, row["spirv_id"]),
            ("number", number, int(record["opcode"])),
            ("operands", operands, listed),
            ("operands", operands, [operand["name"] for operand in record["operands"]][: len(operands)]),
            ("results", results, len(outputs)),
        ):
            if ours_is != theirs_is:
                yield f"{name}: {label} {ours_is} in operators.def, {theirs_is} in tests/data"


def main():
    top = pathlib.Path(sys.argv[1])
    data = top / "tests/data"
    differences = [*vulkan_names(top, data), *tosa(top, data)]
    print("\n".join(differences) or "the tables agree")
    sys.exit(bool(differences))


main()
