#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs tests/corpus/known_wrong on every engine, with and without fusion: known_wrong.py TOP SLIPWAY [--update] [--only NAME]

Each file there is a graph or a shader that some runtime or driver has computed wrongly without an error, with the right result:
NAME.graph with its inputs and outputs, NAME.json with its expectations. Also checks the table of docs/known_wrong.md, which --update
writes, and that a wrong result is found.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("top", type=pathlib.Path)
parser.add_argument("slipway", type=pathlib.Path)
parser.add_argument("--update", action="store_true")
parser.add_argument("--only", default="")
arguments = parser.parse_args()
corpus, page = arguments.top / "tests/corpus/known_wrong", arguments.top / "docs/known_wrong.md"

ENGINES = {
    "device": ["--device", "0"],
    "device, not fused": ["--device", "0", "--no-fuse"],
    "CPU engine": ["--engine", "cpu"],
    "CPU engine, not fused": ["--engine", "cpu", "--no-fuse"],
    "interpreter": ["--engine", "reference"],
}
LACKS = 4  # the exit status where the device lacks something


def run(*words):
    done = subprocess.run([arguments.slipway, "run", *words], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def head_of(graph):
    lines = graph.read_text().split("\n")
    options = lines[1][3:].split() if lines[1].startswith("// --") else []
    return lines[0][3:], options


def graph_words(graph, expected=None):
    name = str(graph.with_suffix(""))
    return [graph, "--inputs", f"{name}.in.npz", "--against", expected or f"{name}.out.npz", *head_of(graph)[1]]


graphs = sorted(one for one in corpus.glob("*.graph") if arguments.only in one.stem)
shaders = sorted(one for one in corpus.glob("*.json") if arguments.only in one.stem)
if not arguments.only:
    assert len(graphs) >= 90 and len(shaders) >= 40, "cases are missing"

jobs = {(graph.stem, engine): graph_words(graph) + words for graph in graphs for engine, words in ENGINES.items()}
jobs |= {(shader.stem, "device"): [shader] for shader in shaders}
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    done = dict(zip(jobs, pool.map(lambda words: run(*words), jobs.values())))

failed = [key for key, (status, _) in done.items() if status not in (0, LACKS)]
for name, engine in failed:
    print(f"{name}, {engine}: exit status {done[name, engine][0]}\n{done[name, engine][1]}")


def table():
    text = "| file | what went wrong |\n|---|---|\n"
    for one in graphs:
        text += f"| [{one.name}](../tests/corpus/known_wrong/{one.name}) | {head_of(one)[0]} |\n"
    text += "\n## Shaders\n\n| file | what went wrong |\n|---|---|\n"
    for one in shaders:
        text += f"| [{one.name}](../tests/corpus/known_wrong/{one.name}) | {json.loads(one.read_text())['comment']} |\n"
    return text


ok = not failed
if not arguments.only:
    begin, end = "<!-- table: begin -->\n", "<!-- table: end -->\n"
    text = page.read_text()
    updated = text[: text.index(begin) + len(begin)] + table() + text[text.index(end) :]
    if arguments.update:
        page.write_text(updated)
    elif updated != text:
        print(f"the table of {page} is not that of the cases; --update writes it")
        ok = False
    # A wrong result is found, in a graph and in a shader.
    pair = corpus / "clamp_nan_propagate.graph", corpus / "clamp_nan_ignore.out.npz"
    for words in ENGINES.values():
        status, output = run(*graph_words(pair[0], pair[1]), *words)
        if status != 1:
            print(f"{pair[0].name} against {pair[1].name}: exit status {status}\n{output}")
            ok = False
    with tempfile.TemporaryDirectory() as scratch:
        wrong = pathlib.Path(scratch) / "wrong.json"
        scenario = json.loads((corpus / "do_while_once.json").read_text())
        expected = next(one["buffer"]["expect"] for one in scenario["resources"] if "expect" in one.get("buffer", {}))
        expected["data"][0] += 1
        wrong.write_text(json.dumps(scenario))
        status, output = run(wrong)
        if status != 1:
            print(f"a shader with another expectation: exit status {status}\n{output}")
            ok = False
print(f"{len(done)} runs of {len(graphs)} graphs and {len(shaders)} shaders, {len(failed)} wrong")
sys.exit(0 if ok else 1)
