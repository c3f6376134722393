#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No header of src/ includes 40 others of the project, directly or through others: includes.py TOP [--edges]

`--edges` prints which #include lines in headers add most to the headers that are over the limit.
"""
import collections
import pathlib
import re
import sys

LIMIT = 40
top = pathlib.Path(sys.argv[1])
headers = {}
for root in (top / "src", top / "include"):
    for path in root.rglob("*.hpp"):
        headers[path.relative_to(root).as_posix()] = path
direct = {}
for name, path in headers.items():
    lines = path.read_text().splitlines()
    included = {match[1] for line in lines if (match := re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line))}
    direct[name] = sorted(included & headers.keys())


def reach(name, without=None):
    found, open_names = set(), [name]
    while open_names:
        current = open_names.pop()
        for other in direct[current]:
            if (current, other) != without and other not in found:
                found.add(other)
                open_names.append(other)
    return found - {name}


own = [name for name in sorted(headers) if not name.startswith("testing/")]
counts = {name: len(reach(name)) for name in own}
over = sorted((name for name in own if counts[name] >= LIMIT), key=lambda name: -counts[name])
if "--edges" in sys.argv:
    saved = collections.Counter()
    for name in over:
        for current in {name} | reach(name):
            for other in direct[current]:
                saved[(current, other)] += counts[name] - len(reach(name, (current, other)))
    for (current, other), count in saved.most_common(60):
        print(f"{count:5} {current} -> {other}")
problems = [f"src/{name}: {counts[name]} headers, but at most {LIMIT - 1} are allowed" for name in over]
print("\n".join(problems) or f"{len(own)} headers, none includes more than {max(counts.values())}")
sys.exit(bool(problems))
