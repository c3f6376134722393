#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a test produces each kind of diagnostic, that the sources report each as its acceptance says, and that
docs/diagnostics.md is the list that the program prints.

diagnostic_kinds.py TOP SLIPWAY

A kind counts as produced if `[kind]` is in an expected output (a file of tests/corpus or a console block of a page), or if
a unit test expects it: as `[kind]`, or as DiagnosticKind::Kind. Tests that make diagnostics by hand do not count.
"""
import pathlib
import re
import subprocess
import sys

# Kinds that no test can produce, each with the reason.
NOT_PRODUCED = {
}

top, slipway = pathlib.Path(sys.argv[1]), sys.argv[2]
definitions = (top / "src/base/diagnostic_kinds.def").read_text()
kinds = re.findall(r'^DIAGNOSTIC\((\w+), "([\w-]+)"', definitions, re.M)


def console_blocks(page):
    """The text of the blocks of a page that tests/console.py runs."""
    return "\n".join(re.findall(r"^ *```console\n(.*?)^ *```", page.read_text(), re.M | re.S))


corpora = [path.read_text(errors="replace") for path in sorted((top / "tests/corpus").rglob("*")) if path.is_file()]
pages = [console_blocks(page) for page in [*sorted((top / "docs").glob("*.md")), *sorted((top / "examples").rglob("*.md"))]]
ACCEPTANCES = {"Refused", "Checked", "Mixed", "Advice", "CheckOnly"}
# What a source must not contain for a kind of each acceptance (docs/acceptance.md). The formats of ze_info are never run.
CONTRADICTIONS = {
    "Refused": (r"(?:\.|\b)rule\(", r"\bwarning\("),
    "Checked": (r"\berror\(", r"\bfail\("),
    "Advice": (r"\berror\(", r"\bfail\(", r"(?:\.|\b)rule\("),
}
tests = [path.read_text() for path in sorted((top / "src").rglob("*_test.cpp"))
         if path not in {top / "src/base/diagnostic_test.cpp", top / "src/json/sarif_test.cpp"}]
assert corpora and pages and tests
corpora.append((top / "tests/lab.py").read_text())  # kinds of processes that are ended from outside
outputs, tests = "\n".join(corpora + pages + tests), "\n".join(tests)

problems = []
acceptances = dict(re.findall(r'^DIAGNOSTIC\((\w+), "[\w-]+", \w+, (\w+), "', definitions, re.M))
sources = {path: path.read_text() for path in sorted((top / "src").rglob("*.cpp"))
           if not path.name.endswith("_test.cpp") and not {"testing", "zeinfo"} & {*path.parts}}
assert len(acceptances) == len(kinds) and sources
for identifier, acceptance in acceptances.items():
    if acceptance not in ACCEPTANCES:
        problems.append(f"unknown acceptance `{acceptance}` of {identifier}")
for path, source in sources.items():
    for call, identifier in re.findall(r"((?:\.|\b)\w+\()\s*DiagnosticKind::(\w+)\b", source):
        for contradiction in CONTRADICTIONS.get(acceptances[identifier], ()):
            if re.fullmatch(contradiction, call.lstrip(".")):
                problems.append(f"{path.relative_to(top)}: `{call}` reports {identifier}, whose acceptance is "
                                f"{acceptances[identifier]}")
for identifier, name in kinds:
    produced = f"[{name}]" in outputs or re.search(rf"\bDiagnosticKind::{identifier}\b", tests)
    if not produced and name not in NOT_PRODUCED:
        problems.append(f"no test produces the kind `{name}`")
    if produced and name in NOT_PRODUCED:
        problems.append(f"a test produces the kind `{name}`: remove it from NOT_PRODUCED")
problems += [f"NOT_PRODUCED: there is no kind `{name}`" for name in NOT_PRODUCED if name not in {kind for _, kind in kinds}]

page = subprocess.run([slipway, "schema", "diagnostic-kinds"], stdout=subprocess.PIPE, check=True, text=True).stdout
if page != (top / "docs/diagnostics.md").read_text():
    problems.append("docs/diagnostics.md is not what `slipway schema diagnostic-kinds` prints")
print("\n".join(problems) or f"{len(kinds)} kinds")
sys.exit(bool(problems))
