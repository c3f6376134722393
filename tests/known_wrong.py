#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs tests/corpus/known_wrong on every engine, with and without fusion: known_wrong.py TOP SLIPWAY [--update] [--only NAME]

Each file there is a graph, a shader or a recipe that some runtime or driver has computed wrongly without an error, with the right
result: NAME.graph with its inputs and outputs, NAME.json with its expectations, recipes/NAME.json with its profile. Also checks the
tables of docs/known_wrong.md, which --update writes, and that a wrong result is found.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
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
    done = subprocess.run([arguments.slipway, "run", *words], capture_output=True, text=True, timeout=900)
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
profiles = sorted(one for one in corpus.glob("recipes/*.profile.json") if arguments.only in one.stem)
recipes = [one.with_name(one.name.replace(".profile", "")) for one in profiles]
if not arguments.only:
    assert len(graphs) >= 90 and len(shaders) >= 40 and len(recipes) >= 15, "cases are missing"

# Each case is a row of a conformance run; only a device has shaders.
def run_rows(engine, words):
    rows = ["graphs", "shaders", "recipes"] if engine == "device" else ["graphs"]
    rows = [f"known_wrong/{row}/*{arguments.only}*" for row in rows]
    with tempfile.TemporaryDirectory() as scratch:
        results = pathlib.Path(scratch) / "results.jsonl"
        command = [arguments.slipway, "conformance", *rows, *words, "--results", results]
        subprocess.run(command, capture_output=True, timeout=900)
        cases = [json.loads(line).get("case") for line in results.read_text().splitlines()]
    return {(case["file"].split("/")[2], engine): (case["exit_status"], case.get("text", "")) for case in cases if case}


done = {}
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for rows in pool.map(run_rows, ENGINES.keys(), ENGINES.values()):
        done |= rows
if not arguments.only:
    assert len(done) == len(ENGINES) * len(graphs) + len(shaders) + len(recipes), "rows are missing"

failed = [key for key, (status, _) in done.items() if status not in (0, LACKS)]
for name, engine in failed:
    print(f"{name}, {engine}: exit status {done[name, engine][0]}\n{done[name, engine][1]}")


def result_of(name):
    lacks = [engine for (of, engine), (status, _) in done.items() if of == name and status == LACKS]
    if any(of == name for of, _ in failed):
        return "wrong"
    return f"right; not run: {', '.join(lacks)}" if lacks else "right"


def table(files, about):
    text = "| file | what went wrong | here |\n|---|---|---|\n"
    for one in files:
        text += f"| [{one.name}](../{one.relative_to(arguments.top)}) | {about(one)} | {result_of(one.stem)} |\n"
    return text


def comment_of(file):
    return json.loads(file.read_text())["comment"]


ok = not failed
if not arguments.only:
    begin, end = "<!-- table: begin -->\n", "<!-- table: end -->\n"
    text = page.read_text()
    tables = "\n## ".join([table(graphs, lambda one: head_of(one)[0]), f"Shaders\n\n{table(shaders, comment_of)}",
                           f"Recipes\n\n{table(recipes, comment_of)}"])
    updated = text[: text.index(begin) + len(begin)] + tables + text[text.index(end) :]
    if arguments.update:
        page.write_text(updated)
    elif updated != text:
        print(f"the tables of {page} are not those of the cases; --update writes them")
        ok = False
    # A wrong result is found, in a graph, in a shader and in a recipe.
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
        name = "part_of_a_result"
        for file in "affine.comp", f"{name}.json", f"{name}.profile.json":
            shutil.copy(corpus / "recipes" / file, scratch)
        data = bytearray((corpus / f"recipes/{name}.bin").read_bytes())
        data[-1] ^= 1
        (pathlib.Path(scratch) / f"{name}.bin").write_bytes(data)
        status, output = run(pathlib.Path(scratch) / f"{name}.json", "--profile", pathlib.Path(scratch) / f"{name}.profile.json")
        if status != 1:
            print(f"a recipe with other data: exit status {status}\n{output}")
            ok = False
print(f"{len(done)} runs of {len(graphs)} graphs, {len(shaders)} shaders and {len(recipes)} recipes, {len(failed)} wrong")
sys.exit(0 if ok else 1)
