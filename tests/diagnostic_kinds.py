#!/usr/bin/env python3
"""Every diagnostic kind is produced by some test, and docs/diagnostics.md lists them as the program does.

diagnostic_kinds.py TOP SLIPWAY
"""
import pathlib
import re
import subprocess
import sys

top, slipway = pathlib.Path(sys.argv[1]), sys.argv[2]
kinds = re.findall(r'^DIAGNOSTIC\((\w+), "([\w-]+)"', (top / "src/base/diagnostic_kinds.def").read_text(), re.M)

tests = list((top / "src").rglob("*_test.cpp")) + [path for path in (top / "tests/corpus").rglob("*") if path.is_file()]
tests += list((top / "docs").glob("*.md")) + [top / "README.md"]
tests.remove(top / "docs/diagnostics.md")
text = "\n".join(path.read_text(errors="replace") for path in tests)
problems = [f"no test shows the kind `{name}`" for identifier, name in kinds
            if f"[{name}]" not in text and f"DiagnosticKind::{identifier}" not in text]

page = subprocess.run([slipway, "schema", "diagnostic-kinds"], stdout=subprocess.PIPE, check=True, text=True).stdout
if page != (top / "docs/diagnostics.md").read_text():
    problems.append("docs/diagnostics.md is not what `slipway schema diagnostic-kinds` prints")
print("\n".join(problems) or f"{len(kinds)} kinds")
sys.exit(bool(problems))
