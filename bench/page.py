# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a page of what benchmarks printed, each in a file of its name, to standard output: page.py NAME..."""
import html
import pathlib
import re
import sys

MISSED = re.compile(r"\bMISSED\b|\bTOO MUCH\b|\bFAILED\b")
HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Slipway benchmarks</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 90em; padding: 0 1em; }
pre { overflow-x: auto; padding: 1em; background: light-dark(#f4f4f4, #222); }
.missed { color: light-dark(#b00020, #ff8a80); font-weight: bold; }
.held { color: light-dark(#1b5e20, #81c784); }
</style>
</head>
<body>
<h1>Slipway benchmarks</h1>
"""


def line_of(text):
    return f'<span class="missed">{html.escape(text)}</span>' if MISSED.search(text) else html.escape(text)


def main():
    printed = {name: pathlib.Path(name).read_text(errors="replace").splitlines() for name in sys.argv[1:]}
    missed = {name: [line for line in lines if MISSED.search(line)] for name, lines in printed.items()}
    parts = [HEAD]
    if any(missed.values()):
        parts.append(f'<p class="missed">{sum(map(len, missed.values()))} rows missed their goals:</p>\n<ul>')
        parts += [f'<li><a href="#{name}">{name}</a>: {html.escape(line.strip())}</li>' for name, lines in missed.items() for line in lines]
        parts.append("</ul>")
    else:
        parts.append('<p class="held">Every row with a goal reached it.</p>')
    for name, lines in printed.items():
        parts.append(f'<h2 id="{name}">{name}</h2>\n<pre>' + "\n".join(map(line_of, lines) if lines else ["It printed nothing."]) + "</pre>")
    print("\n".join(parts) + "\n</body>\n</html>")


main()
