#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of many files survive hangs, crashes, interrupts and their own death, and no case is lost or run twice: lab.py SLIPWAY
FAULT_LAYER"""
import base64
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from processes import cpu_ticks, dispatch, spin, wait_for

slipway = str(pathlib.Path(sys.argv[1]).resolve())
fault_layer = pathlib.Path(sys.argv[2]).resolve()  # the directory of the layer that makes Vulkan calls fail
problems = []


def expect(condition, what):
    if not condition:
        problems.append(what)


def small(value, expected):
    return {"resources": [{"buffer": {"uid": "b", "size": 4, "shader_access": "readonly", "data": {"type": "u32", "values": [value]},
                                      "expect": {"type": "u32", "data": [expected]}}}], "commands": []}


SPIN = spin()
FILL = dispatch("fill", "b[0] = 7;", 4, expect={"type": "u32", "data": [7]})
GRAPH = "graph g {\n  %0 = input i32[1, 8]\n  %1 = ABS(%0) i32[1, 8]\n  output %1\n}\n"


def lines(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]


def cases(path):
    return [line["case"] for line in lines(path) if "case" in line]


def verdicts(path):
    return {case["file"]: case["verdict"] for case in cases(path)}


def run(directory, *words, **options):
    return subprocess.run([slipway, "run", *words], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def junit_names(path):
    return [case.get("name") for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase")]


def workers(process):
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(child) for child in children]


def spins(process):
    """Whether a worker computes: it has used CPU time for a while since its cases before ended."""
    def ticks():
        return sum(cpu_ticks(pid) for pid in workers(process))
    first = ticks()
    wait_for(lambda: ticks() > first + 10, "the worker computes")


def hang(directory):
    done = run(directory, "@all.txt", "--timeout", "0.3", "--results", "r.jsonl", "--report", "report.json", "--junit", "junit.xml",
               "--html", "page.html", "--jobs", "2")
    names = ["a.json", "fail.json", "spin.json", "net.graph", "missing.json", "b.json"]
    expect(done.returncode == 3, f"hang: exit status {done.returncode}\n{done.stderr}")
    expect(verdicts(directory / "r.jsonl") == dict(zip(names, ["passed", "failed", "timed-out", "ran", "error", "passed"])),
           f"hang: {verdicts(directory / 'r.jsonl')}")
    report = json.loads((directory / "report.json").read_text())
    expect([file["file"] for file in report["files"]] == names, "hang: files of the report")
    expect(report["exit_status"] == 3, "hang: exit status of the report")
    expect(junit_names(directory / "junit.xml") == names, "hang: JUnit")
    expect([line.split(":")[0] for line in done.stdout.splitlines() if re.match(r"[\w.]+: (ok|FAILED|ran)\b", line)] ==
           ["a.json", "fail.json", "net.graph", "b.json"], f"hang: order of the output\n{done.stdout}")
    expect("6 cases: 2 passed, 1 ran, 1 failed, 1 error, 1 timed-out" in done.stdout, f"hang: summary\n{done.stdout}")
    page = (directory / "page.html").read_text()
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    expect([case["file"] for case in data["cases"]] == names, "hang: page")
    expect("http" not in re.sub(r'id="data">.*?</script>', "", page, flags=re.S), "hang: the page refers to the network")
    expect(data["cases"][0]["expectations"][0][7:] == [], "hang: a picture of equal arrays")
    (view,) = data["cases"][1]["expectations"][0][7:]
    expect([base64.b64decode(picture) for picture in view["pictures"]] == [b"\xff", b"\0", b"\xff"], f"hang: pictures {view}")
    expect(view["worst"] == [["[0]", "1", "2", 1]] and view["decades"] == [[0, 1]], f"hang: worst elements {view}")


# A page of many differences stays small.
def differences(directory):
    wrong = small(0, 0)
    wrong["resources"][0]["buffer"].update(size=4096, data={"type": "u8", "values": [i % 256 for i in range(4096)]},
                                           expect={"type": "u8", "data": [i * 7 % 256 for i in range(4096)]})
    (directory / "wrong.json").write_text(json.dumps(wrong))
    (directory / "many.txt").write_text("wrong.json\n" * 240)
    done = run(directory, "@many.txt", "--html", "many.html", "--report", "many.json", "-q")
    expect(done.returncode == 1, f"differences: exit status {done.returncode}\n{done.stderr[:2000]}")
    page = (directory / "many.html").read_text()
    views = [len(case["expectations"][0]) == 8 for case in json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])["cases"]]
    expect(len(views) == 240 and views[0] and not views[-1] and len(page) < 5_000_000,
           f"differences: {views.count(True)} pictures of {len(views)} in {len(page)} bytes")
    view = json.loads((directory / "many.json").read_text())["files"][-1]["expectations"][0]["view"]
    expect([view[key] for key in ("width", "height", "channels")] == [64, 64, 1] and len(view["worst"]) == 10, f"differences: {view}")


def whole_case(directory):
    done = run(directory, "spin.json", "a.json", "--case-timeout", "3", "--results", "c.jsonl")
    expect(done.returncode == 5, f"whole case: exit status {done.returncode}")
    expect(verdicts(directory / "c.jsonl") == {"spin.json": "timed-out", "a.json": "passed"}, "whole case: verdicts")


def crash(directory):
    path = directory / "crash.jsonl"
    process = subprocess.Popen([slipway, "run", "a.json", "spin.json", "b.json", "fail.json", "--results", path, "--junit", "crash.xml"],
                               cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: path.exists() and len(path.read_text().splitlines()) == 2, "the first case ends")
    spins(process)
    os.kill(workers(process)[0], signal.SIGSEGV)
    _, errors = process.communicate(timeout=900)
    expect(process.returncode == 5, f"crash: exit status {process.returncode}")
    expect(verdicts(path) == {"a.json": "passed", "spin.json": "crashed", "b.json": "passed", "fail.json": "failed"}, f"crash: {verdicts(path)}")
    expect("spin.json: error: the process that ran the case ended with signal 11" in errors and "[worker-crashed]" in errors, f"crash: {errors}")
    what = "error: the process crashed while the device ran `spin` (/commands/0/dispatch_compute) of spin.json:1:"
    expect(what in errors and "--enable-robustness-features" in errors, f"crash names the command and what to try: {errors}")

    # The same without a worker.
    alone = subprocess.Popen([slipway, "run", "spin.json"], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: cpu_ticks(alone.pid) > 100, "the program computes")
    os.kill(alone.pid, signal.SIGSEGV)
    _, errors = alone.communicate(timeout=900)
    expect(alone.returncode == -signal.SIGSEGV and what in errors, f"crash alone: {alone.returncode} {errors}")


def outputs_of_cases(directory):
    """Two cases do not write one file, and outputs of the run replace no input of a case."""
    (directory / "shader.comp").write_text("#version 460\nlayout(set = 0, binding = 0) buffer B { uint b[]; };\nvoid main() { b[0] = 7; }\n")
    binding = [{"set": 0, "id": 0, "resource_ref": "b"}]

    def scenario(name, **members):
        (directory / name).write_text(json.dumps({
            "resources": [{"shader": {"uid": "s", "type": "GLSL", "src": "shader.comp"}},
                          {"buffer": {"uid": "b", "size": 4, "shader_access": "readwrite", **members}}],
            "commands": [{"dispatch_compute": {"shader_ref": "s", "rangeND": [1], "bindings": binding}}]}))
    scenario("first.json", dst="one.npy")
    scenario("second.json", dst="./one.npy")
    done = run(directory, "first.json", "second.json", "first.json", "--report", "conflict.json", "--jobs", "1")
    kinds = [[diagnostic["kind"] for diagnostic in file["diagnostics"]] for file in json.loads((directory / "conflict.json").read_text())["files"]]
    expect(done.returncode == 3 and kinds == [[], ["output-conflict"], []], f"one output of two cases: {kinds} {done.stderr}")
    expect("`first.json` writes " in done.stderr, f"one output of two cases: {done.stderr}")
    before = (directory / "shader.comp").read_text()
    done = run(directory, "first.json", "b.json", "--html", "shader.comp")
    expect(done.returncode == 3 and "is also an input" in done.stderr, f"page over a shader: {done.returncode} {done.stderr}")
    expect((directory / "shader.comp").read_text() == before, "page over a shader: it is overwritten")
    scenario("third.json", dst="first.json")
    before = (directory / "first.json").read_text()
    done = run(directory, "first.json", "third.json", "--jobs", "1")
    expect(done.returncode == 3 and "`first.json` is read from " in done.stderr, f"a case as an output: {done.returncode} {done.stderr}")
    expect((directory / "first.json").read_text() == before, "a case as an output: it is overwritten")
    (directory / "one.npy").write_text("old")
    done = run(directory, "first.json", "b.json", "--junit", "one.npy")
    expect(done.returncode == 3 and "the run itself writes" in done.stderr, f"report over an output: {done.returncode} {done.stderr}")


def lost_device(directory):
    """A submission fails, and with it the device is lost: a new worker opens another one."""
    names = [f"lost{number}.json" for number in range(5)]
    for name in names:
        (directory / name).write_text(json.dumps(FILL))
    log = directory / "faults.txt"

    def lose(at, *files):
        environment = {"VK_INSTANCE_LAYERS": "VK_LAYER_SLIPWAY_test_faults", "VK_ADD_LAYER_PATH": str(fault_layer),
                       "SLIPWAY_FAULT_FUNCTION": "vkQueueSubmit2", "SLIPWAY_FAULT_LOG": str(log), "SLIPWAY_FAULT_AT": str(at)}
        done = run(directory, *files, "--results", "lost.jsonl", "--case-timeout", "60", env={**os.environ, **environment})
        return done, int(log.read_text().split()[0])

    _, submissions = lose(0, *names[:2])
    done, _ = lose(submissions, *names)
    # Each worker counts from one, so that the second one loses its device, too.
    expect(list(verdicts(directory / "lost.jsonl").values()) == ["passed", "error", "passed", "error", "passed"],
           f"lost device: {verdicts(directory / 'lost.jsonl')} {done.stderr}")
    expect(done.stderr.count("VK_ERROR_DEVICE_LOST") == 2 and done.returncode == 5, f"lost device: {done.returncode} {done.stderr}")


def interrupt(directory, number):
    name = signal.Signals(number).name
    path = directory / f"{name}.jsonl"
    words = ["a.json", "fail.json", "spin.json", "b.json"]
    process = subprocess.Popen([slipway, "run", *words, "--results", path, "--report", "i.json", "--junit", "i.xml"], cwd=directory,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: path.exists() and len(path.read_text().splitlines()) == 3, "two cases end")
    spins(process)
    process.send_signal(number)
    _, errors = process.communicate(timeout=900)
    expect(process.returncode == -number, f"{name}: exit status {process.returncode}")
    report = json.loads((directory / "i.json").read_text())
    expect([file["file"] for file in report["files"]] == words, f"{name}: report")
    kinds = [f"[{diagnostic['kind']}]" for file in report["files"] for diagnostic in file["diagnostics"] if file["file"] != "fail.json"]
    expect(kinds == ["[interrupted]", "[interrupted]"], f"{name}: {kinds}")
    expect(junit_names(directory / "i.xml") == words, f"{name}: JUnit")
    expect("2 of 4 cases ran" in errors, f"{name}: {errors}")
    expect(set(verdicts(path)) == {"a.json", "fail.json"}, f"{name}: {verdicts(path)}")
    done = run(directory, *words, "--resume", path, "--timeout", "0.3", "--report", "i.json")
    expect([case["file"] for case in cases(path)] == words, f"{name}: resumed cases")
    expect(done.returncode == 5, f"{name}: exit status {done.returncode} after resuming")
    expect([file["file"] for file in json.loads((directory / "i.json").read_text())["files"]] == words, f"{name}: report after resuming")


def killed(directory):
    """The supervisor dies at random; what it has written is continued until nothing is missing."""
    many = directory / "many"
    many.mkdir()
    for i in range(40):
        (many / f"{i:02}.json").write_text(json.dumps(small(i, i)))
    path = directory / "killed.jsonl"
    deaths = 0
    for limit in [1, 5, 20, None]:
        process = subprocess.Popen([slipway, "run", "many", "--jobs", "2", "--resume", path], cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if limit is None:
            expect(process.wait() == 0, "killed: exit status of the last run")
            continue
        wait_for(lambda: process.poll() is not None or path.exists() and path.read_text().count('{"case"') >= limit, "cases end")
        children = workers(process) if process.poll() is None else []
        process.kill()
        process.wait()
        deaths += 1
        wait_for(lambda: not any(pathlib.Path(f"/proc/{child}/cmdline").exists() and pathlib.Path(f"/proc/{child}/cmdline").read_bytes() for child in children), "workers end with their supervisor")
        if limit == 5:
            with open(path, "a") as file:
                file.write('{"case":{"file":"torn')
    expect(deaths == 3, "killed: the runs were killed")
    files = [case["file"] for case in cases(path)]
    expect(sorted(files) == [f"many/{i:02}.json" for i in range(40)], f"killed: {sorted(files)}")


def shards(directory):
    for i in (1, 2, 3):
        expect(run(directory, "many", "--shard", f"{i}/3", "--results", f"shard{i}.jsonl", "--shard-times", "killed.jsonl").returncode == 0, "shards: exit status")
    done = subprocess.run([slipway, "results", "merge", "shard1.jsonl", "shard2.jsonl", "shard3.jsonl", "-o", "merged.jsonl"], cwd=directory)
    expect(done.returncode == 0, "shards: merge")
    total = sum(len(cases(directory / f"shard{i}.jsonl")) for i in (1, 2, 3))
    expect(total == 40 and len(verdicts(directory / "merged.jsonl")) == 40, f"shards: {total} cases")
    expect([line["run"]["shard"] for line in lines(directory / "merged.jsonl") if "run" in line] == ["1/3", "2/3", "3/3"], "shards: runs")
    done = run(directory, "many", "--results", "env.jsonl", env=dict(os.environ, SLIPWAY_SHARD="2/3"))
    expect(len(cases(directory / "env.jsonl")) == 13, "shards: environment")


def expectations(directory):
    (directory / "known.txt").write_text('fail fail.json  # known\nfail a.json\nhang spin.json\nskip b.json device="*"\n')
    done = run(directory, "a.json", "fail.json", "spin.json", "b.json", "--expect", "known.txt", "--timeout", "0.3", "--results", "e.jsonl")
    expect(done.returncode == 1, f"expectations: exit status {done.returncode}")
    expect(verdicts(directory / "e.jsonl") == {"a.json": "passed", "fail.json": "failed", "spin.json": "timed-out", "b.json": "skipped"}, f"expectations: {verdicts(directory / 'e.jsonl')}")
    expect({case["file"]: case["ok"] for case in cases(directory / "e.jsonl")} == {"a.json": False, "fail.json": True, "spin.json": True, "b.json": True}, "expectations: ok")
    expect("a.json: error: the case passes, but `fail` is expected" in done.stderr, f"expectations: {done.stderr}")
    subprocess.run([slipway, "results", "update", "e.jsonl", "--expect", "known.txt"], cwd=directory, check=True, stdout=subprocess.DEVNULL)
    expect((directory / "known.txt").read_text() == 'fail fail.json  # known\nhang spin.json\nskip b.json device="*"\n', "expectations: update")
    done = run(directory, "a.json", "fail.json", "spin.json", "b.json", "--expect", "known.txt", "--timeout", "0.3")
    expect(done.returncode == 0, f"expectations: exit status {done.returncode} after the update\n{done.stderr}")
    (directory / "flaky.txt").write_text("flaky fail.json\n")
    done = run(directory, "fail.json", "--expect", "flaky.txt", "--results", "f.jsonl")
    expect(done.returncode == 1 and cases(directory / "f.jsonl")[0]["attempts"] == 4, "expectations: flaky")


def benchmarks(directory):
    """A case that hangs or fails costs only its own times, and those that ran are measured."""
    words = [slipway, "bench", "a.json", "fail.json", "spin.json", "net.graph", "--repeat", "7", "--warmup", "2", "--timeout", "0.3", "--results", "bench.jsonl", "--csv", "times.csv"]
    done = subprocess.run(words, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 5, f"benchmarks: exit status {done.returncode}\n{done.stderr}")
    expect(verdicts(directory / "bench.jsonl") == {"a.json": "passed", "fail.json": "failed", "spin.json": "timed-out", "net.graph": "ran"}, f"benchmarks: {verdicts(directory / 'bench.jsonl')}")
    counts = {case["file"]: [len(samples["seconds"]) for samples in case.get("samples", [])] for case in cases(directory / "bench.jsonl")}
    # A scenario without commands executes nothing.
    expect(counts == {"a.json": [], "fail.json": [], "spin.json": [], "net.graph": [7]}, f"benchmarks: {counts}")
    rows = (directory / "times.csv").read_text().splitlines()
    expect(len(rows) == 8 and rows[1].startswith("net.graph,,"), f"benchmarks: {rows}")
    table = [line.split()[:2] for line in done.stdout.splitlines()]
    expect(["net.graph", "7"] in table and "a.json: ran, but has no times of single runs" in done.stdout, f"benchmarks: {done.stdout}")
    # Differences are found in given times: those of this machine vary with what else it does.
    lines = [json.loads(line) for line in (directory / "bench.jsonl").read_text().splitlines()]
    for name, factor in ("usual", 1), ("slower", 2):
        for line in lines:
            for samples in line.get("case", {}).get("samples", []):
                samples["seconds"] = [factor * (1e-3 + 1e-5 * i) for i in range(7)]
        (directory / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for old, new, status, word in (("usual", "slower", 1, "slower: net.graph"), ("slower", "usual", 0, "faster: net.graph"), ("usual", "usual", 0, "")):
        done = subprocess.run([slipway, "results", "compare", f"{old}.jsonl", f"{new}.jsonl", "--fail-on", "time+5%"], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expect(done.returncode == status and done.stdout.startswith(word) and bool(word) == ("er: net.graph" in done.stdout), f"benchmarks: {old} to {new}: {done.returncode} {done.stdout}")


def rounds(directory):
    """All cases in turn, a line for each round; a case that fails is left out of later rounds, and a run continues."""
    (directory / "copy.graph").write_text(GRAPH)
    words = [slipway, "bench", "net.graph", "fail.json", "copy.graph", "--repeat", "5", "--warmup", "0"]
    done = subprocess.run([*words, "--rounds", "3", "--results", "rounds.jsonl", "--csv", "rounds.csv"], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 1, f"rounds: exit status {done.returncode}\n{done.stderr}")
    order = [(case["file"], case.get("round", 1)) for case in cases(directory / "rounds.jsonl")]
    expect(order == [("net.graph", 1), ("fail.json", 1), ("copy.graph", 1), ("net.graph", 2), ("copy.graph", 2), ("net.graph", 3), ("copy.graph", 3)], f"rounds: {order}")
    table = {line.split()[0]: line.split() for line in done.stdout.splitlines() if ".graph" in line}
    expect(set(table) == {"net.graph", "copy.graph"} and table["net.graph"][1] == "15" and "spread of rounds" in done.stdout, f"rounds: {done.stdout}")
    marks = [tuple(row.split(",")[-3:-1]) for row in (directory / "rounds.csv").read_text().splitlines() if row.startswith("net.graph")]
    expect(marks == [(str(r), str(i)) for r in (1, 2, 3) for i in (1, 2, 3, 4, 5)], f"rounds: {marks}")
    # The file ends after the first case of the second round.
    lines = (directory / "rounds.jsonl").read_text().splitlines(True)
    (directory / "part.jsonl").write_text("".join(lines[:5]))
    done = subprocess.run([*words, "--rounds", "3", "--resume", "part.jsonl"], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    order = [(case["file"], case.get("round", 1)) for case in cases(directory / "part.jsonl")]
    expect(order == [("net.graph", 1), ("fail.json", 1), ("copy.graph", 1), ("net.graph", 2), ("copy.graph", 2), ("net.graph", 3), ("copy.graph", 3)], f"rounds: resumed: {order}")
    table = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines() if ".graph" in line}
    expect(table == {"net.graph": "15", "copy.graph": "15"}, f"rounds: resumed: {done.stdout}")
    done = subprocess.run([slipway, "results", "compare", "rounds.jsonl", "part.jsonl"], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect("fewer than 5 rounds on a side" in done.stdout + done.stderr, f"rounds: {done.stdout} {done.stderr}")


with tempfile.TemporaryDirectory() as name:
    top = pathlib.Path(name)
    (top / "a.json").write_text(json.dumps(small(1, 1)))
    (top / "b.json").write_text(json.dumps(small(2, 2)))
    (top / "fail.json").write_text(json.dumps(small(1, 2)))
    (top / "spin.json").write_text(json.dumps(SPIN))
    (top / "net.graph").write_text(GRAPH)
    (top / "rest.txt").write_text("missing.json\nb.json\n")
    (top / "all.txt").write_text("# every kind\na.json\nfail.json\nspin.json\nnet.graph\n@rest.txt\n")
    hang(top)
    differences(top)
    whole_case(top)
    crash(top)
    outputs_of_cases(top)
    lost_device(top)
    interrupt(top, signal.SIGINT)
    interrupt(top, signal.SIGTERM)
    killed(top)
    shards(top)
    expectations(top)
    benchmarks(top)
    rounds(top)
print("\n".join(problems) or "every case has one verdict")
sys.exit(bool(problems))
