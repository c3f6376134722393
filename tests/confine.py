#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What files of strangers and other users of the machine must not do: confine.py SLIPWAY CPU_LIBRARIES

CPU_LIBRARIES is the directory of the CPU function libraries of the tests.
"""
import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile

from processes import run_on_terminal

program, libraries = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []
OTHER = 65534  # a user that is neither root nor this one

GRAPH = 'graph main {\n  %x = input f32[4] "x"\n  %y = TANH(%x) f32[4] "y"\n  output %y\n}\n'
EMPTY = {"resources": [], "commands": []}


def expect(condition, text):
    if not condition:
        failures.append(text)
        print(f"FAILED: {text}")


def run(*words, environment=None, umask=-1, cwd=None):
    return subprocess.run([program, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, timeout=900, umask=umask, cwd=cwd,
                          env={**os.environ, **(environment or {})})


def write(path, value):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def buffer(**keys):
    return {"buffer": {"uid": "b", "size": 64, "shader_access": "readwrite", "random": {"type": "u32", "seed": 1}, **keys}}


def links_without_a_target():
    """A link whose target does not exist yet is not in the directory of the scenario."""
    os.makedirs("links/home")
    os.makedirs("links/scenario")
    os.symlink("../home/new.npy", "links/scenario/new.npy")
    os.symlink("../newdir", "links/scenario/d")
    os.symlink("l2.npy", "links/scenario/l1.npy")
    os.symlink("../home/two.npy", "links/scenario/l2.npy")
    write("links/scenario/real.npy", "")
    os.symlink("real.npy", "links/scenario/inside.npy")
    for name in ("new.npy", "d/x.npy", "l1.npy", "inside.npy", "../up.npy"):
        file = write("links/scenario/s.json", {"resources": [buffer(dst=name)], "commands": []})
        for verb in ("check", "run"):
            result = run(verb, "--confine", file)
            expect(result.returncode == 3 and b"[path-outside]" in result.stdout + result.stderr, f"{verb} refuses {name}: {result}")
    expect(os.listdir("links/home") == [] and sorted(os.listdir("links")) == ["home", "scenario"], "nothing is written outside")
    file = write("links/scenario/s.json", {"resources": [buffer(dst="made/here.npy")], "commands": []})
    result = run("run", "--confine", file)
    expect(result.returncode == 0 and pathlib.Path("links/scenario/made/here.npy").exists(), f"below is written: {result}")
    result = run("run", "--confine", file, "--output", "links/out")
    expect(result.returncode == 0 and pathlib.Path("links/out/made/here.npy").exists(), f"--output is written: {result}")


def every_format():
    """--confine is an option of every verb and format, also for many files."""
    model = write("formats/m.graph", GRAPH)
    scenario = write("formats/s.json", {"resources": [buffer(dst="o.npy")], "commands": []})
    shader = write("formats/k.comp", "#version 460\nvoid main() {}\n")
    for words in (("check", model), ("inspect", model), ("run", "--device", "cpu", model, "--output", "formats/out"), ("inspect", shader), ("check", scenario),
                  ("convert", model, "-o", "formats/m.vgf"), ("run", "--device", "cpu", model, model), ("run", scenario, model), ("run", "formats", "--results", "formats.jsonl"),
                  ("bench", "--warmup", "0", "--repeat", "2", scenario), ("doctor",)):
        result = run(*words, "--confine")
        expect(result.returncode == 0, f"{words} with --confine: {result}")
    expect(pathlib.Path("formats/out/output_0.npy").exists() and pathlib.Path("formats/m.vgf").exists(), "outputs are written")
    result = run("check", "--confine=1", scenario)
    expect(result.returncode == 2 and b"--confine takes no value" in result.stderr, f"--confine with a value: {result}")
    # What strangers name beside their files.
    write("secret.rpl", "secret words")
    project = write("formats/p.rplproject.json", {"name": "p", "passes": [{"name": "a", "sources": ["../secret.rpl"]}]})
    result = run("check", "--confine", project)
    expect(result.returncode == 3 and b"[path-outside]" in result.stdout + result.stderr and b"secret words" not in result.stdout + result.stderr,
           f"a project leaves its directory: {result}")
    write("recipe.json", {"resources": {"buffers": []}, "execution": {"runs": []}})
    jobs = write("formats/jobs.json", {"jobs": [{"id": "j", "recipe": "../recipe.json"}]})
    result = run("run", "--confine", jobs)
    expect(result.returncode == 3 and b"[path-outside]" in result.stdout + result.stderr, f"a script leaves its directory: {result}")


def processes_of_reduce():
    """Candidates are confined, as the file is."""
    write("reduce/out/inc.glsl", "#define V 12345\n")
    shader = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"../out/inc.glsl\"\nlayout(local_size_x=1) in; layout(set=0,binding=0) buffer B{uint b[];}; void main(){b[0]=V;}\n"
    resources = [{"shader": {"uid": "s", "type": "GLSL", "source": shader}}, {"buffer": {"uid": "b", "size": 4, "shader_access": "readwrite", "expect": {"type": "u32", "data": [1]}}}]
    scenario = write("reduce/in/s.json", {"resources": resources, "commands": [{"dispatch_compute": {"bindings": [{"set": 0, "id": 0, "resource_ref": "b"}], "rangeND": [1], "shader_ref": "s"}}]})
    result = run("reduce", "--confine", scenario, "-o", "reduce/in/r.json")
    expect(b"to which --confine keeps it" in result.stdout and b"12345" not in result.stdout + result.stderr, f"a candidate includes a file outside: {result}")
    good = write("reduce/in/g.json", {"resources": [resources[1]], "commands": []})
    result = run("reduce", "--confine", good, "-o", "reduce/in/r.json")
    expect(result.returncode == 0 and pathlib.Path("reduce/in/r.json").exists(), f"a file that names no other is reduced: {result}")


def directories_with_links():
    """Links that lead out of a directory of strangers."""
    write("outside/s.json", EMPTY)
    write("linked/a.json", EMPTY)
    os.symlink("../outside/s.json", "linked/s.json")
    os.symlink("a.json", "linked/b.json")
    result = run("run", "--confine", "linked")
    expect(result.returncode == 0 and b"linked/s.json: warning: left out, because it is a link to a file outside" in result.stderr and b"linked/b.json" in result.stdout, f"links in a directory: {result}")
    zebin = pathlib.Path(__file__).parent.parent / "examples/kernel_info/saxpy.zebin"
    run("convert", zebin, "-o", "linked/k.zebin")
    os.makedirs("linked/parts")
    os.symlink("../../outside/manifest", "linked/parts/zebin.json")
    result = run("convert", "--confine", "linked/k.zebin", "--unpack", "linked/parts")
    expect(result.returncode == 3 and b"path-outside" in result.stderr and not pathlib.Path("outside/manifest").exists(), f"a part of a kernel is a link: {result}")


def names_that_look_like_others():
    """Names of files of strangers, which a pattern of a shell gives."""
    write("names/other/s.json", {"resources": 1})
    write("names/here/@l", EMPTY)
    write("names/here/l", "../other/s.json\n")
    result = run("run", "--confine", "--", "@l", "@l", cwd="names/here")
    expect(b"other" not in result.stdout + result.stderr and b"2 cases: 2 passed" in result.stdout, f"a name is not a list: {result}")
    # The second `a.json` has the name of a file.
    failing = {"resources": [buffer(expect={"type": "u32", "data": [0] * 16})], "commands": []}
    for name, value in (("a.json", EMPTY), ("a.json #2", failing)):
        write(f"names/copies/{name}", value)
    result = run("run", "--confine", "a.json", "a.json #2", "a.json", cwd="names/copies")
    expect(result.returncode == 1 and b"3 cases: 2 passed, 1 failed" in result.stdout, f"cases with one name: {result}")
    for name, value in ((b"names/copies/b\xfe.json", failing), (b"names/copies/b\xff.json", EMPTY)):
        open(name, "w").write(json.dumps(value))
    run("run", "--confine", ".", "--results", "r.jsonl", cwd="names/copies")
    result = run("results", "summary", "r.jsonl", cwd="names/copies")
    expect(b"4 cases: 2 passed, 2 failed" in result.stdout, f"names that are not UTF-8: {result}")
    # A report names what was not read.
    os.makedirs("names/deep/locked")
    write("names/deep/a.json", EMPTY)
    if os.geteuid() != 0:
        os.chmod("names/deep/locked", 0)
        result = run("check", "names/deep")
        expect(b"names/deep/locked: warning: left out, because it cannot be read" in result.stderr, f"a directory that cannot be read: {result}")
        os.chmod("names/deep/locked", 0o700)
    write("names/zebin/secret", "secret words")
    os.makedirs("names/zebin/k")
    os.symlink("../secret", "names/zebin/k/zebin.json")
    result = run("check", "--confine", "names/zebin/k")
    expect(result.returncode == 3 and b"secret words" not in result.stdout + result.stderr, f"the list of a kernel's parts is a link: {result}")


def native_code():
    os.makedirs("native")
    os.symlink(libraries / "libarithmetic.so", "native/libarithmetic.so")
    recipe = write("native/r.json", {"resources": {"buffers": [{"name": "x", "type": "inout", "size": 8}], "cpus": [{"name": "copy", "library_path": "arithmetic"}]},
                                     "execution": {"runs": [{"name": "copy", "where": "cpu", "arguments": [{"name": "x", "argidx": 0}]}]}})
    scenario = write("native/s.json", EMPTY)
    os.remove("native/libarithmetic.so")
    (recipe.parent / "libarithmetic.so").write_bytes((libraries / "libarithmetic.so").read_bytes())
    why = b"`--confine` is given without `--allow-native-code`"
    for words in (("run", recipe), ("run", scenario, recipe), ("run", "native")):
        result = run(*words, "--confine")
        expect(result.returncode == 3 and why in result.stderr, f"{words} refuses native code: {result}")
    for words in (("run", recipe), ("run", "native")):
        result = run(*words, "--confine", "--allow-native-code")
        expect(why not in result.stderr and b"is not loaded" not in result.stderr, f"{words} may load native code: {result}")
    result = run("run", recipe, "--confine", "--allow-outside")
    expect(result.returncode == 2, f"--allow-outside contradicts --confine: {result}")
    if os.geteuid() != 0:
        return
    os.chown(recipe.parent / "libarithmetic.so", OTHER, OTHER)
    result = run("run", recipe)
    expect(result.returncode != 0 and b"belongs to another user" in result.stderr, f"a library of another user is not loaded: {result}")


def names_of_outputs():
    """Two cases with one output."""
    write("names/a/b.json", EMPTY)
    for name in ("a_b.json", "s1/c.json", "s2/c.json"):
        write(f"names/{name}", EMPTY)
    for files, name in ((("a/b.json", "a_b.json"), "t/{case}.json"), (("s1/c.json", "s2/c.json"), "t/{stem}.json"), (("a/b.json", "a/b.json"), "t/{case}.json")):
        result = run("run", *files, "--trace", name, cwd="names")
        expect(result.returncode == 2 and b"which would overwrite each other" in result.stderr and not pathlib.Path("names/t").exists(), f"{name} of {files}: {result}")
    result = run("run", "s1/c.json", "s2/c.json", "--trace", "t/{case}.json", cwd="names")
    expect(result.returncode == 0 and len(os.listdir("names/t")) == 2, f"{{case}} of two directories: {result}")
    model = write("names/m.graph", 'graph main {\n  %x = input f32[4] "x"\n  %y = TANH(%x) f32[4] "a/b"\n  %z = SIGMOID(%x) f32[4] "a_b"\n  %w = ABS(%x) f32[4] "a_b_1"\n'
                  "  output %y\n  output %z\n  output %w\n}\n")
    result = run("run", "--device", "cpu", model, "--output", "names/out")
    expect(result.returncode == 0 and len(os.listdir("names/out")) == 3, f"three outputs: {result}, {os.listdir('names/out')}")


def runtimes():
    model = write("runtimes/m.graph", "graph main {\n  %x = input f32[4]\n  %y = ABS(%x) f32[4]\n  output %y\n}\n")
    for runtime in ("onnxruntime", "tflite", "tflite:reference"):
        result = run("run", "--confine", model, "--compare", runtime)
        expect(result.returncode == 2 and b"which --confine forbids" in result.stderr, f"--compare {runtime}: {result}")


def results_files():
    scenario = write("results/c.json", EMPTY)
    line = {"run": {"id": "a", "slipway": "1", "started": "", "host": "", "directory": "", "command": []}}
    case = {"case": {"run": "a", "file": "c.json", "format": "scenario", "verdict": "passed", "exit_status": 0, "started": "", "at": 0, "seconds": 0, "worker": 0,
                     "device": {"name": "", "driver": ""}, "ok": False, "files": []}}
    file = write("results/r.jsonl", f"{json.dumps(line)}\n{json.dumps(case)}\n")
    result = run("results", "junit", file)
    expect(result.returncode >= 0 and b"<testcase" in result.stdout, f"a verdict that is not as expected: {result}")
    # A whole line without a line break is kept, half of one is not.
    for text, lines in ((json.dumps(line), 4), (f"{json.dumps(line)}\n{json.dumps(case)[:40]}", 4), (f"{json.dumps(line)}\n{json.dumps(case)}", 5)):
        file.write_text(text)
        result = run("run", "--resume", file, scenario, write("results/d.json", EMPTY))
        expect(result.returncode == 0 and file.read_text().startswith(json.dumps(line) + "\n") and file.read_text().count("\n") == lines,
               f"{text} is continued: {result}: {file.read_text()}")
    before = scenario.read_text()
    os.link(scenario, "results/hard.jsonl")
    result = run("run", scenario, "results/d.json", "--results", "results/hard.jsonl")
    expect(result.returncode == 3 and b"[output-conflict]" in result.stderr and scenario.read_text() == before, f"results in an input: {result}")


def caches():
    for variable, directory in (("XDG_CACHE_HOME", "own"), ("HOME", "home")):
        environment = {"XDG_CACHE_HOME": "", variable: os.path.abspath(directory)}
        result = run("check", write("caches/k.comp", "#version 460\nvoid main() {}\n"), environment=environment, umask=0)
        scenario = write("caches/s.json", EMPTY)
        result = run("run", "--pipeline-caching", scenario, environment=environment, umask=0)
        expect(result.returncode == 0, f"pipeline caching: {result}")
        made = [at for at, _, _ in os.walk(directory)]
        expect(len(made) >= 3, f"a cache is made in {directory}: {made}")
        for at in made:
            expect(stat.S_IMODE(os.stat(at).st_mode) == 0o700, f"{at} has mode {stat.S_IMODE(os.stat(at).st_mode):o}")
    os.chmod("own/slipway", 0o777)
    environment = {"XDG_CACHE_HOME": os.path.abspath("own")}
    result = run("run", "--pipeline-caching", scenario, environment=environment)
    expect(result.returncode == 2 and b"--cache-path" in result.stderr, f"a cache that is open to all: {result}")
    result = run("run", "--pipeline-caching", "--cache-path", "caches", scenario, environment=environment)
    expect(result.returncode == 0 and pathlib.Path("caches/s.cache").exists(), f"--cache-path: {result}")
    if os.geteuid() == 0:
        os.chmod("own/slipway", 0o700)
        os.chown("own/slipway", OTHER, OTHER)
        result = run("doctor", environment=environment)
        expect(b"belongs to another user" in result.stdout, f"a cache of another owner: {result}")


def files_of_other_users():
    """The kernel's rule for links in directories such as /tmp, which other users may write to."""
    if os.geteuid() != 0:
        return
    os.makedirs("shared")
    os.chmod("shared", 0o1777)
    own, scenario = write("victim/bashrc", "export PRECIOUS=1\n"), write("victim/scenario.json", EMPTY)
    for name, target in (("scenario.cache", "victim/bashrc"), ("report.json", "victim/new"), ("results.jsonl", "victim/bashrc")):
        os.symlink(os.path.abspath(target), f"shared/{name}")
        os.lchown(f"shared/{name}", OTHER, OTHER)
    result = run("run", "--pipeline-caching", scenario, environment={"TMPDIR": os.path.abspath("shared")})
    expect(result.returncode == 0, f"the cache is not in TMPDIR: {result}")
    for words in (("--report", "shared/report.json"), ("--pipeline-caching", "--cache-path", "shared"), ("--results", "shared/results.jsonl", scenario)):
        result = run("run", *words, scenario)
        expect(result.returncode in (3, 5) and b"a link of another user" in result.stderr, f"{words}: {result}")
    expect(own.read_text() == "export PRECIOUS=1\n" and not pathlib.Path("victim/new").exists(), "nothing of the victim is changed")
    theirs = write("shared/theirs.json", "theirs")
    os.chown(theirs, OTHER, OTHER)
    result = run("run", scenario, "--report", theirs)
    expect(result.returncode == 5 and theirs.read_text() == "theirs", f"a file of another user: {result}")


def terminals():
    name = "\u202egnp\u2066.json"
    shown = run_on_terminal(program, "check", write(f"terminal/{name}", '{"\u202eresources": 1, "commands": []}'))
    expect(b"\\u202e" in shown and "\u202e".encode() not in shown and "\u2066".encode() not in shown, f"characters that change directions: {shown}")


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    os.environ["XDG_CACHE_HOME"] = f"{directory}/cache"
    for part in (links_without_a_target, every_format, processes_of_reduce, directories_with_links, names_that_look_like_others, native_code, names_of_outputs, runtimes, results_files, caches, files_of_other_users, terminals):
        part()

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
