#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the JSON of `slipway inspect` and `convert` against its schemas: zebin_schemas.py TOP SLIPWAY"""
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

top, slipway = pathlib.Path(sys.argv[1]), sys.argv[2]
problems = []


def run(*words):
    return subprocess.run([slipway, *map(str, words)], stdout=subprocess.PIPE, check=True).stdout



def check(schema, document, what):
    validator = jsonschema.Draft202012Validator(json.loads((top / "schema" / schema).read_text()))
    error = jsonschema.exceptions.best_match(validator.iter_errors(document))
    if error:
        problems.append(f"{what} does not fit {schema}: {error.json_path}: {error.message}")


example = top / "examples/kernel_info"
with tempfile.TemporaryDirectory() as directory:
    zebin, out = pathlib.Path(directory) / "k.bin", pathlib.Path(directory) / "k.json"
    run("convert", example / "saxpy.zebin", "-o", zebin)
    header = b"!<arch>\n" + b"64.dg2/         0           0     0     644     %-10d`\n" % zebin.stat().st_size
    (pathlib.Path(directory) / "fat.ar").write_bytes(header + zebin.read_bytes())
    for path in (zebin, example / "saxpy.ze_info", example / "saxpy_spilling.ze_info", pathlib.Path(directory) / "fat.ar"):
        check("zebin-inspect.schema.json", json.loads(run("inspect", "--json", path)), f"inspect --json {path.name}")
    for words in ([], ["--defaults"]):
        run("convert", *words, zebin, "-o", out)
        check("zeinfo.schema.json", json.loads(out.read_text()), f"convert {words}")
    library = pathlib.Path(directory) / "libkernels.so"
    library.write_bytes(pathlib.Path(sys.executable).read_bytes() + zebin.read_bytes())
    check("zebin-inspect.schema.json", json.loads(run("inspect", "--json", library)), "inspect --json of a library")
    for old, new in ((example / "saxpy.ze_info", example / "saxpy_spilling.ze_info"), (library, zebin), (example, directory)):
        done = subprocess.run([slipway, "diff", "--json", "--local-size", "64", old, new], stdout=subprocess.PIPE)
        if done.returncode not in (0, 1):
            problems.append(f"diff {old} {new}: exit status {done.returncode}")
        check("diff.schema.json", json.loads(done.stdout), f"diff --json {old} {new}")
    check("zebin.schema.json", json.loads((example / "saxpy.zebin/zebin.json").read_text()), "zebin.json")

print("\n".join(problems) or "all fit")
sys.exit(bool(problems))
