#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each file of schema/ is what `slipway schema NAME` prints, and each schema has a file: schemas.py TOP SLIPWAY [--update]

Reports of scenarios, models, recipes and jobs, and what `inspect --json` prints, fit their schemas.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema

top, slipway = pathlib.Path(sys.argv[1]), sys.argv[2]
problems = []


def run(*words, expect=(0,)):
    done = subprocess.run([slipway, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=top)
    if done.returncode not in expect:
        problems.append(f"slipway {' '.join(map(str, words))}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


help_text = run("schema", "--help")
names = re.search(r"\{([a-z_,-]+)\}", help_text)[1].split(",")
pages = {"zeinfo-keys": "docs/zeinfo-keys.md", "diagnostic-kinds": "docs/diagnostics.md"}
files = {name: top / pages.get(name, f"schema/{name}.schema.json") for name in names}
for name, path in files.items():
    text = run("schema", name)
    if "--update" in sys.argv:
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        problems.append(f"{path} is not what `slipway schema {name}` prints")
for path in (top / "schema").iterdir():
    if path not in files.values():
        problems.append(f"{path}: no `slipway schema` prints it")
validators = {}
for name in set(names) - set(pages):
    schema = json.loads(files[name].read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validators[name] = jsonschema.Draft202012Validator(schema)


def check(schema, document, what):
    for error in validators[schema].iter_errors(document):
        error = jsonschema.exceptions.best_match([error])
        problems.append(f"{what} does not fit the schema {schema}: {error.json_path}: {error.message}")


def report_of(keys, *words, expect=(0,)):
    """The report of a run, in which the files have the keys, in one or another of them."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "report.json"
        run("run", *words, "--report", path, expect=expect)
        report = json.loads(path.read_text())
    check("report", report, f"report of {words}")
    missing = set(keys) - {key for file in report["files"] for key in file}
    if missing:
        problems.append(f"report of {words}: no {missing}")
    return report


with tempfile.TemporaryDirectory() as scratch:
    scratch = pathlib.Path(scratch)
    report_of({"expectations", "outputs", "timings", "device"}, "examples/hello/scenario.json", "--output", scratch)
    report_of({"diagnostics"}, "none.json", expect=(3,))
    model, graph = top / "examples/sandwich/sandwich.vgf", top / "examples/mixed_model/model.graph"
    requirements = scratch / "requirements.json"
    run("convert", graph, "-o", scratch / "model.vgf", "--report", requirements)
    check("conversion_report", json.loads(requirements.read_text()), requirements)
    report_of({"timings", "device"}, scratch / "model.vgf", "--seed", 1)
    saxpy = top / "examples/saxpy_recipe"
    recipe = ("--profile", saxpy / "profile.json")
    report_of({"executions", "resources", "runs", "backends", "validation"}, saxpy / "recipe.json", *recipe)
    report_of({"diagnostics"}, saxpy / "recipe.json", "--bind", "x=none.bin", expect=(3,))
    jobs = scratch / "jobs.json"
    good = {"recipe": "examples/saxpy_recipe/recipe.json", "profile": "examples/saxpy_recipe/profile.json", "dir": "examples/saxpy_recipe"}
    jobs.write_text(json.dumps({"jobs": [good, {"recipe": "none.json"}]}))
    report = report_of({"job", "runs"}, jobs, "--dir", top, expect=(3,))
    if [(file["job"], file["status"]) for file in report["files"]] != [("job0", "passed"), ("job1", "error")]:
        problems.append(f"report of jobs: {report}")
    lines = scratch / "results.jsonl"
    run("run", "examples/hello/scenario.json", graph, saxpy / "recipe.json", "none.json", jobs, "--dir", top, "--results", lines, expect=(3,))
    results = [json.loads(line) for line in lines.read_text().splitlines()]
    if [list(line) for line in results] != [["run"]] + 5 * [["case"]]:
        problems.append(f"results: {results}")
    for line in results:
        check("results", line, line)
    measured = scratch / "bench.jsonl"
    run("bench", "examples/hello/scenario.json", graph, saxpy / "recipe.json", *recipe, "--repeat", "3", "--results", measured)
    for line in [json.loads(line) for line in measured.read_text().splitlines()]:
        check("results", line, line)
        if "case" in line and {len(samples["seconds"]) for samples in line["case"].get("samples", [])} != {3}:
            problems.append(f"bench: {line['case'].get('samples')}")
    layers = report_of({"layers", "expectations"}, graph, "--compare", "reference", "--layers", "--allow-uncompared",
                       "--repeat", "4", "--warmup", "1")["files"][0]
    if not layers["layers"] or layers["timings"]["samples"]["count"] != 4 or layers["timings"]["warmup"] != 1:
        problems.append(f"report with layers: {layers}")
    runner = scratch / "xrt-runner"
    runner.symlink_to(pathlib.Path(slipway).resolve())
    for words in (("--recipe", saxpy / "recipe.json", *recipe, "--dir", saxpy), ("--script", jobs, "--dir", top)):
        subprocess.run([runner, *map(str, words), "--report", scratch / "r.json"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        check("recipe-report", json.loads((scratch / "r.json").read_text()), f"report of xrt-runner {words}")

    check("diagnostics", json.loads(run("check", "--json", "tests/corpus/recipe/fail_no_runs.json", expect=(3,))), "diagnostics")
    check("vgf-inspect", json.loads(run("inspect", "--json", model)), model)
    check("model-inspect", json.loads(run("inspect", "--json", graph)), graph)
    imported = top / "examples/onnx_strokes/strokes.onnx"
    document = json.loads(run("inspect", "--json", imported))
    check("imported-inspect", document, imported)
    if document["inputs"][0]["shape"][0] != "batch" or "graph" not in document:
        problems.append(f"inspect of {imported}: {document}")
    changed = scratch / "unsupported.onnx"
    changed.write_bytes(imported.read_bytes().replace(b"\x07Softmax", b"\x07Sofxmax").replace(b"batch", b"count"))
    document = json.loads(run("inspect", "--json", changed))
    check("imported-inspect", document, changed)
    obstacles = [operator for operator in document["operators"] if "obstacle" in operator]
    if [operator["operator"] for operator in obstacles] != ["Sofxmax"] or "graph" in document or not document["obstacles"]:
        problems.append(f"inspect of a model with an unknown operator: {document}")
    for program in sorted((top / "tests/fuzz/corpus/executorch_fuzz").glob("*.pte")):
        document = json.loads(run("inspect", "--json", program))
        check("executorch-inspect", document, program)
        if not document["methods"][0]["delegates"]:
            problems.append(f"inspect of {program}: {document}")
    for format_name in ("onnx", "tflite"):
        check("supported-operators", json.loads(run("inspect", "--supported", format_name, "--json")), format_name)
    shaders = [path for suffix in ("comp", "frag", "vert", "spvasm") for path in sorted(top.glob(f"examples/*/*.{suffix}"))]
    shaders.remove(top / "examples/blur/blur.comp")  # needs build options
    reflected = json.loads(run("inspect", "--json", *shaders))
    check("shader-inspect", reflected, "inspect of shaders")
    if len(reflected) != len(shaders) or len(shaders) < 5:
        problems.append(f"inspect --json of {len(shaders)} shaders: {len(reflected)} objects")
    for words in ((), ("--device", "0")):
        check("devices", json.loads(run("devices", "--json", *words)), f"devices {words}")
    for backend in ("opencl", "xrt"):
        if listed := run("devices", "--json", "--backend", backend, expect=(0, 4, 5)):  # empty on machines without such a device
            check("devices", json.loads(listed), f"devices {backend}")
    examined = json.loads(run("doctor", "--json", expect=(0, 1)))
    check("doctor", examined, "doctor")
    if not examined["findings"]:
        problems.append("doctor has no findings")
    product = scratch / "product.graph"
    product.write_text("""graph product {
  %0 = input f32[1, 64, 64]
  %1 = const f32[1, 64, 64] splat 0.5
  %2 = MATMUL(%0, %1) f32[1, 64, 64] A_zp=0 B_zp=0
  output %2
}
""")
    tuned = json.loads(run("tune", "--json", "--no-cache", "--output", scratch / "t.json", product))
    check("tuning-report", tuned, "tune")
    if not tuned["kernels"]:
        problems.append("tune measured no kernel")
    check("tuning", json.loads((scratch / "t.json").read_text()), "tune --output")
    kernels = top / "examples/kernel_info"
    program = top / "tests/corpus/rpl_tools/tinted.rpl"
    check("diagnostics", json.loads(run("check", "--json", "--time", program)), "check --time")
    check("diagnostics", json.loads(run("check", "--json", "--level", "runtime", kernels / "saxpy.ze_info")), "check of kernels")
    for mode in ("none", "instance"):
        run("compile", program, "-o", scratch / mode, "--set", f"tint_mode={mode}")
    for files, expect in (
        ((model, model), 0),
        ((model, scratch / "model.vgf"), 1),
        ((scratch / "none.json", scratch / "instance.json"), 1),
        ((kernels / "saxpy.ze_info", kernels / "saxpy_spilling.ze_info"), 1),
    ):
        different = json.loads(run("diff", "--json", *files, expect=(expect,)))
        check("diff", different, f"diff of {files}")
        if different["equal"] != (expect == 0):
            problems.append(f"diff of {files}: {different['equal']}")
print("\n".join(problems) or f"{len(names)} schemas")
sys.exit(bool(problems))
