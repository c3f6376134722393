#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs and outputs that are links, pipes, devices, shrinking, or not allowed: files.py SLIPWAY"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import threading
import xml.dom.minidom

from processes import run_on_terminal

program = sys.argv[1]
examples = pathlib.Path(__file__).resolve().parent.parent / "examples"
failures = []


def expect(condition, text):
    if not condition:
        failures.append(text)
        print(f"FAILED: {text}")


def run(*words, limit=None, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, environment=None):
    return subprocess.run([program, *map(str, words)], stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, timeout=900, preexec_fn=limit,
                          env={**os.environ, **(environment or {})})


def scenario(path, *resources):
    path.write_text(json.dumps({"resources": [{"buffer": {"uid": f"b{i}", "size": 8, "shader_access": "readwrite", **({"fill": 0} if "dst" in one and "src" not in one else {}), **one}} for i, one in enumerate(resources)],
                                "commands": []}))
    return path


with tempfile.TemporaryDirectory() as name:
    os.chdir(name)
    here = pathlib.Path(".")
    os.environ["XDG_CACHE_HOME"] = f"{name}/cache"

    # Outputs.
    plain = scenario(here / "plain.json", {"dst": "out.npy"})
    os.mkfifo("pipe")
    received = []
    reader = threading.Thread(target=lambda: received.append(pathlib.Path("pipe").read_bytes()))
    reader.start()
    run("run", "-q", plain, "--report", "pipe")
    reader.join(20)
    expect(pathlib.Path("pipe").is_fifo() and received and json.loads(received[0]), "a report goes into a pipe")
    os.mkfifo("unread")
    for words in (["run", "-q", plain, "--report", "unread"], ["run", "-q", scenario(here / "unread.json", {"dst": "unread"})]):
        unread = run(*words)
        expect(unread.returncode == 5 and b"no program has opened the pipe unread for reading within 5 seconds" in unread.stderr,
               f"{words}: a pipe that no program reads: {unread.returncode} {unread.stderr.decode()}")
    pathlib.Path("target.json").write_text("old")
    os.symlink("target.json", "link.json")
    run("run", "-q", plain, "--report", "link.json")
    expect(os.path.islink("link.json") and json.loads(pathlib.Path("target.json").read_text()), "a link is followed")
    os.symlink("made/later.json", "dangling.json")
    run("run", "-q", plain, "--report", "dangling.json")
    expect(os.path.islink("dangling.json") and pathlib.Path("made/later.json").exists(), "a link to a file that does not exist is followed")
    os.symlink("loop", "loop")
    expect(run("run", "-q", plain, "--report", "loop").returncode == 5, "links in a circle are an error")
    expect(json.loads(run("run", "-q", plain, "--report", "/proc/self/fd/1").stdout), "a report goes to standard output")
    with open("whole.txt", "w") as file:
        run("run", "-q", plain, "--report", "/proc/self/fd/1", stdout=file)
    expect(json.loads(pathlib.Path("whole.txt").read_text()), "a report goes to the file that is standard output")
    long = "n" * 251 + ".npy"
    expect(run("run", "-q", scenario(here / "long.json", {"dst": long})).returncode == 0 and pathlib.Path(long).exists(), "a name of 255 bytes")
    many = scenario(here / "many.json", *({"dst": f"many/o{i}.npy"} for i in range(500)))
    few = run("run", "-q", many, limit=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128)))
    expect(few.returncode == 0 and len(list(pathlib.Path("many").iterdir())) == 500, "500 outputs with 128 open files: " + few.stderr.decode())

    # Standard streams that are closed: no file gets their descriptors.
    for closed in ((1,), (2,), (0, 1, 2)):
        lines = run("run", plain, "--results", "closed.jsonl", stdin=None, stdout=None, limit=lambda: [os.close(number) for number in closed])
        expect(lines.returncode == (5 if 1 in closed else 0), f"descriptors {closed} are closed: {lines.returncode} {lines.stderr.decode()}")
        text = pathlib.Path("closed.jsonl").read_text().splitlines()
        expect(len(text) >= 2 and all(json.loads(line) for line in text), f"descriptors {closed} are closed, but results are JSON: {text}")
        os.unlink("closed.jsonl")
    for words in (["convert", "m.graph", "-o", "closed.vgf"], ["check", "-"]):
        pathlib.Path("m.graph").write_text("graph main {\n  %0 = input f32[4]\n  %1 = ABS(%0) f32[4]\n  output %1\n}\n")
        outcome = run(*words, stdin=None, stdout=None, limit=lambda: (os.close(0), os.close(1)))
        expect(outcome.returncode == (5 if words[0] == "convert" else 3), f"{words} with closed streams: {outcome.returncode} {outcome.stderr.decode()}")

    # Outputs that are inputs.
    for dst in ("self.json", "./self.json", "link_to_self.json", "in.npy"):
        pathlib.Path("in.npy").write_bytes(pathlib.Path("out.npy").read_bytes())
        own = scenario(here / "self.json", {"dst": dst, "expect": {"src": "in.npy"}})
        if not os.path.islink("link_to_self.json"):
            os.symlink("self.json", "link_to_self.json")
        before = own.read_bytes(), pathlib.Path("in.npy").read_bytes()
        refused = run("run", own)
        expect(refused.returncode == 3 and b"output-conflict" in refused.stderr, f"{dst} is an input")
        expect((own.read_bytes(), pathlib.Path("in.npy").read_bytes()) == before, f"{dst} is not overwritten")

    # Runs of many files write before the files say what they read.
    pathlib.Path("k.comp").write_text("#version 460\nvoid main() {}\n")
    scenario(here / "named.json", {"dst": "out.npy"})
    pathlib.Path("l.txt").write_text("named.json\n@m.txt\n")
    pathlib.Path("m.txt").write_text(f"{plain}\n")
    for target in ("l.txt", "m.txt", "k.comp"):
        for option in ("--results", "--report", "--junit", "--html") if target != "k.comp" else ("--results",):
            before = pathlib.Path(target).read_bytes()
            refused = run("run", "@l.txt", option, target)
            expect(refused.returncode == 3 and b"output-conflict" in refused.stderr, f"{option} {target}: {refused.returncode} {refused.stderr.decode()}")
            expect(pathlib.Path(target).read_bytes() == before, f"{option} does not replace {target}")
    for _ in range(2):
        expect(run("run", "@m.txt", "--results", "again.jsonl").returncode == 0, "results replace results")
    os.remove("again.jsonl")

    # Two outputs of one run with one name.
    os.symlink("both.out", "link_to_both")
    for words in (["--report", "both.out", "--junit", "both.out"], ["--report", "both.out", "--trace", "link_to_both"],
                  ["--results", "./both.out", "--html", "both.out"], ["--sarif", "both.out", "--csv", "both.out"],
                  ["--trace", "both.out", "--junit", "both.out"], ["--report", "out.npy"], ["--trace", "./out.npy"], ["--sarif=both.out", "--html", "link_to_both"]):
        before = pathlib.Path("out.npy").read_bytes()
        refused = run("run", plain, *words)
        expect(refused.returncode == 3 and b"output-conflict" in refused.stderr, f"{words}: {refused.returncode} {refused.stderr.decode()}")
        expect(not pathlib.Path("both.out").exists() and pathlib.Path("out.npy").read_bytes() == before, f"{words}: nothing is written")
    for words in (["convert", "m.graph", "-o", "m.vgf", "--sarif", "./m.vgf"], ["convert", "m.graph", "--sarif=m.vgf", "--output=m.vgf"]):
        refused = run(*words)
        expect(refused.returncode == 3 and b"output-conflict" in refused.stderr and not pathlib.Path("m.vgf").exists(), f"{words}: {refused}")
    for option in ("--report", "--junit", "--results", "--html", "--sarif", "--trace", "--csv"):
        for empty in ([option, ""], [f"{option}="]):
            expect(run("run", plain, *empty).returncode == 2, f"{empty}: an empty name")
    discarded = run("run", "-q", plain, "--report", "/dev/null", "--junit", "/dev/null", "--trace", "/dev/null")
    expect(discarded.returncode == 0, f"several outputs go to a device: {discarded.stderr.decode()}")

    in_place = run("run", "-q", scenario(here / "in_place.json", {"dst": "in.npy", "src": "in.npy"}))
    expect(in_place.returncode == 0, "a buffer is read from a file and written to it: " + in_place.stderr.decode())

    # Reports and other outputs of options that are inputs.
    pathlib.Path("k.comp").write_text("#version 460\nlayout(set = 0, binding = 0) buffer B { float b[]; };\nvoid main() { b[0] += 1; }\n")
    pathlib.Path("drawn.json").write_text(json.dumps({
        "resources": [{"shader": {"uid": "k", "type": "GLSL", "src": "k.comp"}},
                      {"buffer": {"uid": "b", "size": 8, "shader_access": "readwrite", "src": "in.npy"}}],
        "commands": [{"dispatch_compute": {"shader_ref": "k", "rangeND": [1], "bindings": [{"set": 0, "id": 0, "resource_ref": "b"}]}}]}))
    pathlib.Path("recipe.json").write_text(json.dumps({
        "version": "1.0", "header": {"xclbin_path": "k.comp"}, "resources": {
            "buffers": [{"name": "b", "type": "inout", "size": 8}], "kernels": [{"name": "k", "instance": "main", "module": "k.comp"}]},
        "execution": {"runs": [{"name": "k", "arguments": [{"name": "b", "argidx": 0}]}]}}))
    pathlib.Path("data.bin").write_bytes(bytes(8))
    pathlib.Path("m.graph").write_text("graph main {\n  %0 = input f32[4]\n  %1 = ABS(%0) f32[4]\n  output %1\n}\n")
    run("run", "-q", plain, "--results", "results.jsonl")
    os.symlink("k.comp", "link_to_shader.comp")
    inputs = ("plain.json", "drawn.json", "k.comp", "in.npy", "recipe.json", "data.bin", "m.graph", "results.jsonl")
    before = {path: pathlib.Path(path).read_bytes() for path in inputs}
    for words in (["run", "plain.json", "--report", "plain.json"], ["run", "drawn.json", "--report", "k.comp"],
                  ["run", "drawn.json", "--report", "link_to_shader.comp"], ["run", "drawn.json", "--trace", "in.npy"],
                  ["run", "drawn.json", "--sarif", "./drawn.json"], ["run", "plain.json", "drawn.json", "--junit", "drawn.json"],
                  ["run", "plain.json", "drawn.json", "--results", "plain.json"], ["run", "plain.json", "drawn.json", "--html", "plain.json"],
                  ["run", "recipe.json", "--bind", "b=data.bin", "--save", "b=recipe.json"], ["run", "recipe.json", "--bind", "b=data.bin", "--save", "b=k.comp"],
                  ["run", "recipe.json", "--bind", "b=data.bin", "--save", "b=data.bin"],
                  ["run", "recipe.json", "--bind", "b=data.bin", "--report", "recipe.json"],
                  ["run", "m.graph", "--report", "m.graph"], ["convert", "m.graph", "-o", "m.graph"], ["new", "k.comp", "--force", "-o", "k.comp"],
                  ["results", "junit", "results.jsonl", "-o", "results.jsonl"], ["check", "plain.json", "--sarif", "plain.json"],
                  ["inspect", "m.graph", "--sarif", "m.graph"]):
        refused = run(*words)
        expect(refused.returncode in (2, 3), f"{words} is refused: {refused.returncode} {refused.stderr.decode()}")
        expect({path: pathlib.Path(path).read_bytes() for path in inputs} == before, f"{words} overwrites no input")
        for path, contents in before.items():
            pathlib.Path(path).write_bytes(contents)

    # Merging reads all files before it replaces one of them.
    pathlib.Path("more.jsonl").write_bytes(before["results.jsonl"].replace(b"plain.json", b"other.json"))
    merged = run("results", "merge", "results.jsonl", "more.jsonl", "-o", "results.jsonl")
    found = [json.loads(line) for line in pathlib.Path("results.jsonl").read_text().splitlines()]
    expect(merged.returncode == 0 and [one["case"]["file"] for one in found if "case" in one] == ["plain.json", "other.json"],
           f"results are merged in place: {merged.stderr.decode()} {found}")
    pathlib.Path("more.jsonl").write_text("{\n{\n")
    broken = run("results", "merge", "results.jsonl", "more.jsonl", "-o", "results.jsonl")
    expect(broken.returncode == 3 and len(pathlib.Path("results.jsonl").read_text().splitlines()) == len(found),
           f"a file that cannot be read leaves the output as it was: {broken.returncode} {broken.stderr.decode()}")

    # Of several scenarios in one process, one may write what another one reads.
    pathlib.Path("chain.npy").write_bytes(before["in.npy"])
    scenario(here / "reader.json", {"src": "chain.npy"})
    scenario(here / "writer.json", {"src": "in.npy", "dst": "chain.npy"})
    chained = run("run", "-q", "reader.json", "writer.json", "reader.json", "writer.json")
    expect(chained.returncode == 0, f"a scenario writes what another one reads: {chained.stderr.decode()}")

    # Diagnostics as SARIF, of each kind of file and verb.
    pathlib.Path("bad.json").write_text('{"resources": [{"buffer": {"uid": "b", "size": 8, "shader_access": "readwrite", "sice": 1}}], "commands": []}')
    pathlib.Path("bad.graph").write_text("graph main {\n  %0 = input f32[4]\n  %1 = NOTHING(%0) f32[4]\n  output %1\n}\n")
    pathlib.Path("bad.rpl").write_text("void f (void) { x = ; }\n")
    pathlib.Path("bad_recipe.json").write_text(before["recipe.json"].decode().replace("k.comp", "missing.comp"))
    pathlib.Path("bad.comp").write_text("#version 460\nvoid main() { x(); }\n")
    for words, status, kind in ((["check", "plain.json"], 0, None), (["check", "bad.json"], 3, "unknown-key"), (["run", "bad.json"], 0, "unknown-key"),
                                (["run", "--strict", "bad.json"], 3, "unknown-key"), (["run", "bad.json", "plain.json"], 0, "unknown-key"),
                                (["check", "bad.graph"], 3, None), (["convert", "bad.graph", "-o", "o.vgf"], 3, None), (["check", "bad.rpl"], 3, None),
                                (["compile", "bad.rpl", "-o", "o"], 3, None), (["check", "bad_recipe.json"], 3, None), (["run", "bad_recipe.json"], 3, None),
                                (["inspect", "bad.comp"], 3, "shader-compile"), (["new", "bad.comp"], 3, "shader-compile"),
                                (["check", "missing.json"], 3, "file-not-found"), (["check", "--json", "bad.json"], 3, "unknown-key")):
        pathlib.Path("s.sarif").unlink(missing_ok=True)
        outcome = run(*words, "--sarif", "s.sarif")
        expect(outcome.returncode == status, f"{words}: {outcome.returncode} {outcome.stderr.decode()}")
        written = json.loads(pathlib.Path("s.sarif").read_text()) if pathlib.Path("s.sarif").exists() else {"runs": [{"results": None}]}
        kinds = [one["ruleId"] for one in written["runs"][0]["results"] or []]
        expect(written["runs"][0]["results"] is not None, f"{words} writes SARIF")
        expect(kind in kinds if kind else bool(kinds) == (status != 0), f"{words} has its diagnostics in SARIF: {kinds}")

    # HLSL through a program on the PATH, in `check` as in `run`.
    os.mkdir("bin")
    pathlib.Path("bin/dxc").write_text("#!/bin/sh\necho 'k.hlsl:1:1: error: a message of dxc' >&2\nexit 1\n")
    os.chmod("bin/dxc", 0o755)
    pathlib.Path("k.hlsl").write_text("[numthreads(1, 1, 1)] void main() {}\n")
    pathlib.Path("hlsl.json").write_text(before["drawn.json"].decode().replace("GLSL", "HLSL").replace("k.comp", "k.hlsl").replace(
        '"bindings": [{"set": 0, "id": 0, "resource_ref": "b"}]', '"bindings": []'))
    with_dxc = {"PATH": f"{name}/bin:{os.environ['PATH']}"}
    for verb in ("check", "run"):
        compiled = run(verb, "hlsl.json", "--hlsl-compiler", "dxc", environment=with_dxc)
        expect(compiled.returncode == 3 and b"a message of dxc" in compiled.stderr, f"{verb} compiles HLSL with dxc: {compiled.stderr.decode()}")
        expect(run(verb, "hlsl.json", environment=with_dxc).returncode == 0, f"{verb} compiles HLSL with the built-in front end")
        expect(run(verb, "hlsl.json", "--confine", "--hlsl-compiler", "dxc", environment=with_dxc).returncode == 2, f"{verb} confines no dxc")

    # Names.
    nul = run("run", scenario(here / "nul.json", {"dst": "a.npy\0junk"}))
    expect(nul.returncode == 3 and b"NUL character" in nul.stderr and not pathlib.Path("a.npy").exists(), "NUL in a name")
    control = run("check", scenario(here / "control.json", {"uid": "a\x1b]0;x\x07", "nonsense\x1b[2J": 1}))
    expect(b"\x1b" not in control.stderr and b"\\x1b]0;x" in control.stderr, "control characters do not reach the terminal")
    strange = b"bad\xff\xfename.json"
    pathlib.Path(os.fsdecode(strange)).write_text(plain.read_text())
    subprocess.run([program.encode(), b"run", b"-q", strange, b"--report", b"strange.json"], check=False)
    expect(json.loads(pathlib.Path("strange.json").read_bytes().decode("utf-8")), "a report is UTF-8 whatever the name is")
    os.mkdir("odd")
    pathlib.Path(os.fsdecode(b"odd/\xe9t\xe9.json")).write_text(plain.read_text())
    pathlib.Path("odd.txt").write_bytes(b"odd/\xe9t\xe9.json\n")
    for files, count in (((b"odd",), 1), ((b"@odd.txt",), 1), ((strange,), 1), ((strange, b"odd"), 2)):
        ran = subprocess.run([program.encode(), b"run", *files, b"--results", b"odd.jsonl", b"--junit", b"odd.xml", b"--sarif", b"odd.sarif", b"--html", b"odd.html"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        verdicts = [json.loads(line)["case"]["verdict"] for line in pathlib.Path("odd.jsonl").read_text("utf-8").splitlines() if "case" in json.loads(line)]
        expect(ran.returncode == 0 and verdicts == ["passed"] * count, f"{files}: {ran.returncode} {verdicts} {ran.stderr}")
        expect(len(xml.dom.minidom.parse("odd.xml").getElementsByTagName("testcase")) == count, f"{files}: JUnit is XML")
        expect(json.loads(pathlib.Path("odd.sarif").read_text("utf-8")) and pathlib.Path("odd.html").read_text("utf-8"), f"{files}: SARIF and the page are UTF-8")

    # Inputs.
    for arguments in (["check", "in_pipe"], ["inspect", "in_pipe"]):
        os.mkfifo("in_pipe")
        source = plain.read_bytes() if arguments[0] == "check" else b"#version 460\nvoid main() {}\n"
        writer = threading.Thread(target=lambda: pathlib.Path("in_pipe").write_bytes(source))
        writer.start()
        outcome = run(*arguments)
        writer.join(20)
        if arguments[0] == "check":
            expect(outcome.returncode == 0, "a scenario comes from a pipe: " + outcome.stderr.decode())
        os.unlink("in_pipe")
    endless = run("check", "/dev/zero")
    expect(endless.returncode == 3 and b"does not end" in endless.stderr, "an input without end: " + endless.stderr.decode()[:200])
    keys = pathlib.Path("keys.json")
    keys.write_text(json.dumps({"resources": [{"buffer": {"uid": "b", "size": 8, "shader_access": "readwrite", **{f"k{i}": 0 for i in range(300_000)}}}],
                                "commands": []}))
    limited = run("check", keys, limit=lambda: resource.setrlimit(resource.RLIMIT_CPU, (15, 16)))
    expect(limited.returncode == 3, "300,000 unknown keys take time in proportion")

    # An input that becomes shorter while it is read.
    large = pathlib.Path("large.npy")
    header = b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % (64 << 20)
    shrinking = scenario(here / "shrinking.json", {"src": "large.npy", "size": 64 << 20, "dst": "copy.npy"})
    lost = 0
    for attempt in range(6):
        large.write_bytes(header.ljust(127) + b"\n" + bytes(64 << 20))
        child = subprocess.Popen([program, "run", "-q", shrinking], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            child.wait(0.02 * (attempt + 1))
        except subprocess.TimeoutExpired:
            os.truncate(large, 4096)
        text = child.stderr.read()
        expect(child.wait() in (0, 3), f"a shrinking input: {child.returncode} {text[:300]}")
        lost += b"became shorter" in text

    # The limit of file sizes: of outputs, and of drivers that keep their memory in files.
    for size in (0, 100, 64 << 10, 1 << 20):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        limited = run("run", "--no-cache", "drawn.json", "--report", "limited.json", limit=limit)
        expect(limited.returncode == 5 and limited.stderr, f"files of {size} bytes: {limited.returncode} {limited.stderr.decode()}")
        limited = run("convert", "m.graph", "-o", "limited.vgf", limit=limit)
        expect(limited.returncode == (0 if size > 4096 else 5), f"a model where files have {size} bytes: {limited.returncode} {limited.stderr.decode()}")

    # What cannot be written, exhausted memory.
    with open("/dev/full", "w") as full:
        for words in (["schema", "scenario"], ["--help"], ["check", "--json", "control.json"], ["run", "--explain", "plain.json"]):
            outcome = run(*words, stdout=full)
            expect(outcome.returncode == 5 and outcome.stderr.count(b"error:") == 1 and b"No space left on device" in outcome.stderr,
                   f"{words} with a full standard output: {outcome.stderr.decode()}")
        extracted = run("convert", "m.graph", "--emit", "tosa-text", "-o", "-", stdout=full)
        expect(extracted.returncode == 5 and extracted.stderr.count(b"No space left") == extracted.stderr.count(b"error:") == 1,
               f"one message for a full standard output: {extracted.stderr.decode()}")
    pathlib.Path("p.rpl").write_text("void f (void) { }\n")
    os.mkfifo("stem")
    for device in ("/dev/full", "stem"):
        compiled = run("compile", "p.rpl", "-o", device, "--emit", "meta")
        expect(compiled.returncode == 5 and b"file-unwritable" in compiled.stderr and not pathlib.Path(f"{device}.json").exists(),
               f"{device} is not a stem: {compiled.returncode} {compiled.stderr.decode()}")
    converted = run("convert", "m.graph", "--emit", "tosa-text", "-o", "/dev/stdout")
    expect(b"overwrite" not in converted.stderr and converted.stdout.startswith(b"graph"), f"a device is not overwritten: {converted.stderr.decode()}")
    for words, text in ((["run", "m.graph", "--timeout", "0"], b"--timeout: 0 is not a number more than 0"), (["run", "m.graph", "--shape"], b"--shape: a value is missing")):
        expect(text in run(*words).stderr, f"{words}: {run(*words).stderr.decode()}")
    pathlib.Path("utf16.json").write_bytes(plain.read_text().encode("utf-16"))
    wide = run("run", "utf16.json")
    expect(wide.returncode == 3 and b"text in UTF-16; save it as UTF-8" in wide.stderr, f"UTF-16: {wide.stderr.decode()}")
    pathlib.Path("new\nline.json").write_text(plain.read_text())
    expect(run("run", "new\nline.json").stdout.startswith(b"new\\x0aline.json: "), "a line feed in a name")
    with open(plain) as source:
        expect(run("run", "-", stdin=source).stdout.startswith(b"<stdin>: "), "the name of standard input")
    expect(run("run", "-q", "--pipeline-caching", plain, environment={"TMPDIR": "/nonexistent"}).returncode in (0, 3, 5), "no directory for temporary files")
    pathlib.Path("huge.graph").write_text("graph main {\n  %0 = input f32[1000000000, 1000000]\n  %1 = TANH(%0) f32[1000000000, 1000000]\n  output %1\n}\n")
    exhausted = run("run", "--engine", "reference", "huge.graph")
    expect(exhausted.returncode in (3, 4, 5) and b"terminate" not in exhausted.stderr, "a tensor that no memory holds")

    # Started through the dynamic loader, as bundles are: the program must find how to start its own processes.
    loader = pathlib.Path("/lib64/ld-linux-x86-64.so.2")
    if loader.exists() and program.startswith("/"):
        pathlib.Path("s.comp").write_text("#version 460\nvoid main() {}\n")
        start = [loader, "--argv0", "/elsewhere/slipway", program]
        shader = subprocess.run([*start, "new", "s.comp", "-o", "new.json"], capture_output=True)
        expect(shader.returncode == 0, f"a shader compiles in a program that a loader started: {shader.stderr.decode()}")
        both = subprocess.run([*start, "run", "-q", "plain.json", "in_place.json"], capture_output=True)
        expect(both.returncode == 0, f"a program that a loader started has worker processes: {both.stderr.decode()}")

    # Control characters in names, also those of two bytes in UTF-8.
    title = "\x1b]0;title\x07\u009b2J"
    pathlib.Path("names.json").write_text(json.dumps({"resources": [{"buffer": {"uid": title, "size": 8, "shader_access": "readwrite", "data": {
        "type": "u32", "values": [1, 2]}, "expect": {"type": "u32", "data": [1, 3]}}}], "commands": []}))
    os.rename("names.json", f"{title}.json")
    pathlib.Path("names.graph").write_text(f'graph main {{\n  %0 = input i32[4] "{title}"\n  %1 = ABS(%0) i32[4]\n  output %1\n}}\n')
    run("convert", "names.graph", "-o", "names.vgf")
    for words in (("run", f"{title}.json"), ("inspect", "names.vgf"), ("check", "-v", f"{title}.json"), ("run", "--explain", f"{title}.json"), ("inspect", "names.graph"),
                  ("inspect", "--graphs", "names.graph"), ("convert", "names.graph", "--emit", "tosa-text", "-o", "-")):
        shown = run_on_terminal(program, *words)
        rest = re.sub(rb"\x1b\[[0-9;]*[mK]|\r", b"", shown)  # colours, and what progress erases
        expect(b"title" in rest, f"{words[0]} shows a name: {shown}")
        expect(not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", rest), f"{words} sends control characters to a terminal: {shown}")

    # Binary outputs do not go to a terminal unless they are asked for.
    pathlib.Path("small.graph").write_text('graph main {\n  %x = input f32[2] "x"\n  %y = TANH(%x) f32[2]\n  output %y\n}\n')
    shown = run_on_terminal(program, "convert", "small.graph")
    expect(b"the output is binary, and standard output is a terminal" in shown and b"VGF1" not in shown, f"a VGF file on a terminal: {shown}")
    expect(b"TANH" in run_on_terminal(program, "convert", "small.graph", "--emit", "tosa-text"), "text is written to a terminal")
    model = f"{examples}/sandwich/sandwich.vgf"
    run("convert", "small.graph", "-o", "small.vgf")
    for words in (("inspect", "small.vgf", "--module", "0"), ("inspect", model, "--constant", "0"), ("convert", f"{examples}/kernel_info/saxpy.zebin", "-o", "-"),
                  ("compile", f"{examples}/triangle/triangle.rpl", "--entry", "vertex=vertex_main", "--entry", "fragment=fragment_main", "--emit", "spirv",
                   "-o", "-")):
        shown = run_on_terminal(program, *words)
        expect(b"the output is binary, and standard output is a terminal" in shown and b"\0" not in shown, f"{words} on a terminal: {shown}")

    # Includes and links that leave a directory.
    os.mkdir("artifacts")
    pathlib.Path("secret.txt").write_text("the secret words\n")
    pathlib.Path("artifacts/k.comp").write_text("#version 460\n#include \"../secret.txt\"\nvoid main() {}\n")
    os.symlink("../secret.txt", "artifacts/l.comp")
    for module, kind in (("k.comp", "shader-compile"), ("l.comp", "path-outside")):
        recipe = pathlib.Path("artifacts/recipe.json")
        recipe.write_text(json.dumps({"version": "1.0", "header": {"xclbin_path": module}, "resources": {"buffers": [], "kernels": [
            {"name": "k", "instance": "main", "module": module}]}, "execution": {"runs": []}}))
        result = run("check", recipe)
        expect(b"the secret words" not in result.stderr + result.stdout, f"{module} leaves the artifact directory")
        expect(result.returncode == 3 and f"[{kind}]".encode() in result.stderr, f"{module} is refused by its kind: {result}")
    pathlib.Path("artifacts/h.hlsl").write_text("#include \"../secret.txt\"\n[numthreads(1, 1, 1)] void main() {}\n")
    pathlib.Path("artifacts/scenario.json").write_text(json.dumps({
        "resources": [{"shader": {"uid": "s", "type": "HLSL", "src": "h.hlsl"}}],
        "commands": [{"dispatch_compute": {"shader_ref": "s", "rangeND": [1], "bindings": []}}]}))
    result = run("run", "--confine", "artifacts/scenario.json")
    expect(b"the secret words" not in result.stderr + result.stdout, "h.hlsl leaves the directory of its scenario")
    expect(result.returncode == 3 and b"secret.txt is outside of the scenario's directory" in result.stderr and
           b"[shader-compile]" in result.stderr, f"h.hlsl is refused: {result}")

print(f"{len(failures)} failures; {lost} runs saw their input become shorter")
sys.exit(1 if failures else 0)
