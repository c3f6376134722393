#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each verb that runs something says what ran after an interrupt, writes its reports, and ends with the status of the
signal: interrupts.py SLIPWAY [LIBRARIES DATA]

LIBRARIES: the directory of the software NPU. DATA: tests/data/xrt.

The verbs are interrupted at events: a line that they print, a file of a child, or CPU time that they used. Nothing depends on
how fast they are."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

from processes import cpu_ticks, spin, wait_for

slipway = str(pathlib.Path(sys.argv[1]).resolve())
problems = []


def expect(condition, what):
    if not condition:
        problems.append(what)


def start(directory, *words, environment=None):
    return subprocess.Popen([slipway, *map(str, words)], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "MESA_SHADER_CACHE_DISABLE": "true", **(environment or {})})


def read_until(stream, text):
    """The lines up to the first one with the text."""
    seen = ""
    for line in stream:
        seen += line
        if text in line:
            return seen
    sys.exit(f"the program ended before it printed `{text}`:\n{seen}")


def end(process, number, what):
    """Sends the signal and returns what the program printed after it."""
    process.send_signal(number)
    output, errors = process.communicate(timeout=900)
    expect(process.returncode == -number, f"{what}: exit status {process.returncode}\n{errors}")
    expect(f"slipway {process.args[1]}: interrupted" in errors, f"{what}: no line about the interrupt\n{errors}")
    return output + errors


def kinds(path):
    return [[diagnostic["kind"] for diagnostic in file["diagnostics"]] for file in json.loads(path.read_text())["files"]]


def hanging_scenario(directory, number):
    """The device does not come back: what it executes is named."""
    name = signal.Signals(number).name
    report = directory / f"{name}.json"
    process = start(directory, "run", "spin.json", "--report", report, "--sarif", f"{name}.sarif", "--log-level", "info")
    read_until(process.stdout, "Wait for fence")
    text = end(process, number, name)
    expect("a second interrupt ends at once" in text, f"{name}: no notice\n{text}")
    expect("`spin` (/commands/0/dispatch_compute)" in text, f"{name}: the command is not named\n{text}")
    expect(kinds(report) == [["interrupted"]], f"{name}: {kinds(report)}")
    results = json.loads((directory / f"{name}.sarif").read_text())["runs"][0]["results"]
    expect([result["ruleId"] for result in results] == ["interrupted"], f"{name}: SARIF {results}")
    expect((directory / "out.npy").read_text() == "old", f"{name}: the output changed")


def second_signal(directory):
    """Nothing is waited for, and nothing is written."""
    process = start(directory, "run", "spin.json", "--report", "second.json", "--log-level", "info")
    read_until(process.stdout, "Wait for fence")
    process.send_signal(signal.SIGINT)
    read_until(process.stderr, "a second interrupt ends at once")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=900)
    expect(process.returncode == -signal.SIGTERM, f"second signal: exit status {process.returncode}")
    expect(not (directory / "second.json").exists(), "second signal: a report")


def model(directory, *options):
    """Ends between two runs, with the measurements of those that ended."""
    what = "model " + " ".join(options)
    for path in ("trace.json", "profile.json", "times.csv", "model.json"):
        (directory / path).unlink(missing_ok=True)
    process = start(directory, "run", "net.graph", "-v", "--repeat", "100000000", "--report", "model.json", "--trace", "trace.json",
                    "--profiling-dump-path", "profile.json", "--csv", "times.csv", "--output", "outputs", *options)
    read_until(process.stderr, "Dispatch graph")
    read_until(process.stderr, "Dispatch graph")
    text = end(process, signal.SIGINT, what)
    expect(re.search(r"net.graph: error: interrupted after \d+ of 100000000 runs; nothing was compared", text), f"{what}: {text[-2000:]}")
    expect("net.graph: interrupted" in text, f"{what}: outcome\n{text[-2000:]}")
    [file] = json.loads((directory / "model.json").read_text())["files"]
    expect(0 < file["iterations"] < 100000000, f"{what}: {file['iterations']} iterations")
    expect([diagnostic["kind"] for diagnostic in file["diagnostics"]] == ["interrupted"], f"{what}: {file['diagnostics']}")
    expect(json.loads((directory / "trace.json").read_text())["traceEvents"], f"{what}: trace")
    expect((directory / "profile.json").exists() and (directory / "times.csv").exists(), f"{what}: profile")
    expect(not (directory / "outputs").exists() or not list((directory / "outputs").iterdir()), f"{what}: outputs")


def interpreter(directory):
    """Ends inside of an operator, and at the end of a time limit."""
    process = start(directory, "run", "heavy.graph", "--engine", "reference", "--report", "heavy.json")
    wait_for(lambda: cpu_ticks(process.pid) > 50, "the interpreter computes")
    text = end(process, signal.SIGTERM, "interpreter")
    expect("interrupted after 0 of 1 runs" in text, f"interpreter: {text}")
    expect(kinds(directory / "heavy.json") == [["interrupted"]], "interpreter: report")
    # Each computes for far longer than its limit on any machine.
    for file, options, message in ("heavy.graph", ("--engine", "reference"), "the operator MATMUL did not end in the given time"), \
                                  ("long.graph", ("--engine", "cpu", "--threads", "1"), "the graph did not end in the given time"):
        done = subprocess.run([slipway, "run", file, *options, "--timeout", "0.01", "--report", "heavy.json"], cwd=directory,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expect(done.returncode == 5 and message in done.stderr, f"time limit of {options}: {done.returncode} {done.stderr}")
        expect(kinds(directory / "heavy.json") == [["timed-out"]], f"time limit of {options}: report")
    for words in ("run", "transform.graph", "--engine", "reference"), ("convert", "transform.graph", "-o", "transform.vgf", "--verify"):
        done = subprocess.run([slipway, *words, "--timeout", "0.1"], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expect(done.returncode == 5 and "the operator RFFT2D did not end" in done.stderr, f"transform: {done.returncode} {done.stderr}")


def conversion(directory):
    process = start(directory, "convert", "heavy.graph", "-o", "heavy.vgf", "--verify", "--sarif", "convert.sarif")
    wait_for(lambda: cpu_ticks(process.pid) > 50, "the verification computes")
    text = end(process, signal.SIGINT, "convert")
    expect("the operator MATMUL was interrupted [interrupted]" in text, f"convert: {text}")
    expect(not (directory / "heavy.vgf").exists(), "convert: the file was written")
    expect("interrupted" in (directory / "convert.sarif").read_text(), "convert: SARIF")
    done = subprocess.run([slipway, "convert", "heavy.graph", "-o", "heavy.vgf", "--verify", "--timeout", "0.01"], cwd=directory,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 5 and "did not end in the given time" in done.stderr, f"convert: time limit: {done.returncode} {done.stderr}")


def bench(directory):
    process = start(directory, "bench", "net.graph", "spin.json", "--results", "bench.jsonl", "--csv", "bench.csv", "--report", "bench.json")
    path = directory / "bench.jsonl"
    wait_for(lambda: path.exists() and '{"case"' in path.read_text(), "a case ends")
    text = end(process, signal.SIGINT, "bench")
    expect("1 of 2 cases ran" in text, f"bench: {text}")
    expect(len((directory / "bench.csv").read_text().splitlines()) > 1, "bench: CSV")
    expect(kinds(directory / "bench.json") == [[], ["interrupted"]], f"bench: {kinds(directory / 'bench.json')}")


def tune(directory):
    """What was measured until then is kept."""
    process = start(directory, "tune", "heavy.graph", "net.graph", "--device", "cpu", "--no-cache", "--output", "table.json")
    read_until(process.stderr, "round 9 of")
    text = end(process, signal.SIGINT, "tune")
    expect("heavy.graph: error: interrupted; what was measured until then is kept" in text, f"tune: {text}")
    expect("net.graph: error: not tuned" in text, f"tune: {text}")
    expect(json.loads((directory / "table.json").read_text())["tuned"], "tune: table")


def reduce(directory):
    """The test that runs is ended, and the smallest file until then is written."""
    (directory / "many.json").write_text(json.dumps({"resources": [{"buffer": {"uid": f"b{i}", "size": 4, "shader_access": "readonly"}} for i in range(40)],
                                                     "commands": []}))
    # The tenth test hangs; the first one is that of the file itself.
    test = "echo >>tests.txt; [ $(wc -l <tests.txt) -lt 10 ] || { echo $$ >hanging.txt; exec sleep 1000; }; grep -q b7 {}"
    process = start(directory, "reduce", "many.json", "-o", "fewer.json", "--test", test)
    hanging = directory / "hanging.txt"
    wait_for(lambda: hanging.exists() and hanging.read_text().endswith("\n"), "a test hangs")
    text = end(process, signal.SIGTERM, "reduce")
    expect("interrupted after 9 tests" in text, f"reduce: {text}")
    fewer = json.loads((directory / "fewer.json").read_text())
    expect(0 < len(fewer["resources"]) < 40 and "b7" in json.dumps(fewer), f"reduce: {fewer}")
    wait_for(lambda: not pathlib.Path(f"/proc/{hanging.read_text().strip()}").exists(), "the test ends")


def variants(directory):
    """No file is written of a part of the variants."""
    count = 15
    flags = "".join(f"global f{i}: flag off;\n" for i in range(count))
    uses = "".join(f"    conditional (f{i}) {{ x = x + {i + 1}.0; }}\n" for i in range(count))
    (directory / "many.rpl").write_text(flags + "set_object read_write_storage_buffer result\n{\n    f4... values;\n};\n"
                                        "setting workgroup_size_x = 64u;\nvoid main (void)\n{\n    f1 x = 0.0;\n" + uses +
                                        "    result.values[0u] = f4 {x, x, x, x};\n}\n")
    process = start(directory, "compile", "many.rpl", "--pipeline", "compute", "--entry", "compute=main", "--variants", "all", "-o", "variants")
    wait_for(lambda: cpu_ticks(process.pid) > 20, "variants are compiled")
    text = end(process, signal.SIGINT, "compile")
    expect("variants found; no result is made of a part of them [interrupted]" in text, f"compile: {text}")
    expect(not (directory / "variants").exists(), "compile: files")


def conformance(directory):
    """Rows that did not run are neither passed nor wrong."""
    results = directory / "rows.jsonl"
    process = start(directory, "conformance", "tosa", "--engine", "reference", "--jobs", "1", "--results", results, "--junit", "rows.xml")
    wait_for(lambda: results.exists() and results.read_text().count('"case"') > 2, "some rows end")
    text = end(process, signal.SIGINT, "conformance")
    counts = re.search(r"(\d+) cases: (\d+) passed, (\d+) not-run\n", text)
    expect(counts, f"conformance: {text[-2000:]}")
    if counts:
        rows, passed, not_run = map(int, counts.groups())
        expect(rows == passed + not_run and passed > 2 and not_run > 2, f"conformance: {counts[0]}")
        expect(f'skipped="{not_run}"' in (directory / "rows.xml").read_text(), "conformance: JUnit")


def recipe_on_npu(directory, libraries, data):
    """A run hangs, without a time limit: it is named, and the report is written."""
    process = start(directory, "run", data / "dpu_recipe.json", "--profile", data / "dpu_profile.json", "--report", "npu.json",
                    environment={"LD_LIBRARY_PATH": str(libraries), "SOFTWARE_NPU_HANG_AT": "1"})
    wait_for(lambda: "xrt" in pathlib.Path(f"/proc/{process.pid}/maps").read_text(), "the NPU is opened")
    seen = []

    def rests():
        seen.append(cpu_ticks(process.pid))
        return len(seen) > 200 and seen[-200] == seen[-1]
    wait_for(rests, "the program waits for the NPU")
    text = end(process, signal.SIGINT, "NPU")
    # On a machine without time for it the program may not have begun the run.
    expect("run `k1`" in text and "a second interrupt ends at once" in text or "interrupted in iteration 1 of 3" in text, f"NPU: {text}")
    expect(kinds(directory / "npu.json") == [["interrupted"]], f"NPU: {kinds(directory / 'npu.json')}")


with tempfile.TemporaryDirectory() as name:
    top = pathlib.Path(name)
    (top / "out.npy").write_text("old")
    (top / "spin.json").write_text(json.dumps(spin(dst="out.npy")))
    (top / "net.graph").write_text("graph g {\n  %0 = input f32[1, 64, 64]\n  %1 = input f32[1, 64, 64]\n  %2 = MATMUL(%0, %1) f32[1, 64, 64] A_zp=0 B_zp=0\n  output %2\n}\n")
    (top / "heavy.graph").write_text("graph g {\n  %0 = input f32[1, 1024, 1024]\n  %1 = input f32[1, 1024, 1024]\n"
                                     "  %2 = MATMUL(%0, %1) f32[1, 1024, 1024] A_zp=0 B_zp=0\n  output %2\n}\n")
    products = "".join(f"  %{i} = MATMUL(%{i - 1}, %1) f32[1, 1024, 1024] A_zp=0 B_zp=0\n" for i in range(2, 102))
    (top / "long.graph").write_text("graph g {\n  %0 = input f32[1, 1024, 1024]\n  %1 = input f32[1, 1024, 1024]\n" + products + "  output %101\n}\n")
    (top / "transform.graph").write_text("graph g {\n  %0 = input f32[1, 8192, 4]\n"
                                         "  %1, %2 = RFFT2D(%0) f32[1, 8192, 3], f32[1, 8192, 3] local_bound=false\n  output %1\n  output %2\n}\n")
    hanging_scenario(top, signal.SIGINT)
    hanging_scenario(top, signal.SIGTERM)
    second_signal(top)
    model(top, "--device", "cpu", "--compare", "reference")
    model(top, "--engine", "reference")
    interpreter(top)
    conformance(top)
    conversion(top)
    bench(top)
    tune(top)
    reduce(top)
    variants(top)
    if len(sys.argv) > 3:
        recipe_on_npu(top, pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve())
print("\n".join(problems) or "every verb ends with what it has")
sys.exit(bool(problems))
