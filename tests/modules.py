#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the tables of modules in CONTRIBUTING.md and docs/architecture.md with layers.txt: modules.py TOP [--update]

The table of CONTRIBUTING.md is generated from layers.txt and from the descriptions of the table in docs/architecture.md;
--update writes it.
"""
import pathlib
import re
import sys

import layers

BEGIN, END = "<!-- modules: begin -->\n", "<!-- modules: end -->\n"


def described(top):
    """The description of each module and the text of its dependencies in docs/architecture.md."""
    text = (top / "docs/architecture.md").read_text()
    return {name: (what, uses) for name, what, uses in re.findall(r"^\| `([\w/]+)` \| ([^|]*) \| ([^|]*) \|$", text, re.M)}


def main():
    top = pathlib.Path(sys.argv[1])
    modules, rows = layers.Layers((top / "layers.txt").read_text()).lines, described(top)
    assert modules and rows
    problems = []
    for name, uses in modules.items():
        if name not in rows:
            problems.append(f"docs/architecture.md: the table of modules has no row for `{name}`")
        elif (listed := re.findall(r"`(~?[\w/]+)`", rows[name][1])) != uses:
            problems.append(f"docs/architecture.md: `{name}` may use {' '.join(uses) or 'nothing'} (layers.txt), not {' '.join(listed)}")
    problems += [f"docs/architecture.md: `{name}` is not in layers.txt" for name in rows if name not in modules and name != "testing"]

    table = "| module | contents | may use |\n|---|---|---|\n"
    for name, uses in modules.items():
        table += f"| [`{name}`](src/{name}) | {rows.get(name, ('', ''))[0]} | {' '.join(f'`{used}`' for used in uses)} |\n"
    page = top / "CONTRIBUTING.md"
    text = page.read_text()
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    if text[start:end] != table:
        if "--update" in sys.argv:
            page.write_text(text[:start] + table + text[end:])
        else:
            problems.append("CONTRIBUTING.md: the table of modules is out of date; run tests/modules.py . --update")
    print("\n".join(problems) or f"{len(modules)} modules")
    sys.exit(bool(problems))


main()
