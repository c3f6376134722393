#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tries to make the program crash, hang or lie: torture.py TOP BUILD [--seconds N] [--seed N] [--only PHASE] [--format NAME] [--output DIRECTORY]
  [--depths FILE [--update]]

Phases: mutated inputs of every format; failing Vulkan calls; failing calls of the C library (malloc, open, write, rename, mmap);
kills at random points; power failures; full disks; damaged and swapped cache entries; many processes with one cache. Prints the
tables of docs/reliability.md. What failed is kept in DIRECTORY (build/torture), with the command in a file beside it. The exit status
is 1 if there is a crash, a hang or a lie. A lie is a success without the right outputs, or an output that is not whole.

Each format also prints how many of its unchanged files the program accepts, and how far its changed files got: past the header, past
decoding, through planning, through a run. --depths compares that with a file: it is a fault if another unchanged file is refused, or if
the part of changed files that get as far falls to less than half. --update writes the file.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import ctypes
import hashlib
import itertools
import importlib.util
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref

parser = argparse.ArgumentParser()
parser.add_argument("top", type=pathlib.Path)
parser.add_argument("build", type=pathlib.Path)
parser.add_argument("--seconds", type=float, default=300)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--only", help="one phase")
parser.add_argument("--format", help="mutations of this format only")
parser.add_argument("--output", type=pathlib.Path)
parser.add_argument("--depths", type=pathlib.Path)
parser.add_argument("--update", action="store_true", help="with --depths: write the file")
arguments = parser.parse_args()
top, build = arguments.top.resolve(), arguments.build.resolve()
output = arguments.output or top / "build" / "torture"
program = build / "bin" / "slipway"
preload = build / "fault_layer" / "libslipway_fault_preload.so"
layer = build / "fault_layer"
sys.path.insert(0, str(top / "tests"))
import mutators  # noqa: E402
import power  # noqa: E402

WALL_LIMIT = 60      # seconds, without those in which the program had no CPU
CPU_LIMIT = 30       # seconds
MEMORY = 6 << 30     # bytes of address space
WORKERS = 2 * (os.cpu_count() or 1)
SCRATCH = pathlib.Path(tempfile.mkdtemp(prefix="slipway-torture-"))

ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith(("SLIPWAY_", "FAULT_"))}
ENVIRONMENT["SLIPWAY_CRASH_WITH_SIGNAL"] = "1"  # otherwise crashes of drivers are failures of the device: status 5
ENVIRONMENT["VK_DRIVER_FILES"] = ENVIRONMENT.get("VK_DRIVER_FILES", "/usr/share/vulkan/icd.d/lvp_icd.json")
ENVIRONMENT["NODEVICE_SELECT"] = "1"


class Row:
    """What one phase did."""
    def __init__(self, name):
        self.name, self.tried, self.contained = name, 0, 0
        self.crashes, self.hangs, self.lies = [], [], []
        self.accepted, self.refused = None, []                  # of the unchanged files
        self.reached = collections.Counter()                    # by depth, of the changed files


rows, lock = [], threading.Lock()


class Outcome:
    def __init__(self, status, text, hung):
        self.status, self.text, self.hung = status, text, hung
        # A death, or an exception that no handler expected.
        self.crashed = not hung and (status < 0 or status > 5 or "terminate called" in text)
        self.contained = bool(re.search(r"crashed \(signal|takes more than \d+ s|needs more memory than", text))


starting = threading.Lock()
started = weakref.WeakValueDictionary()  # by process ID


class Process(subprocess.Popen):
    def __init__(self, *words, **settings):
        with starting:
            super().__init__(*words, **settings)
            started[self.pid] = self


def processes():
    """The ID, state and parent of every process."""
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rsplit(")", 1)[1].split()[:2]
            yield int(path.parent.name), state, int(parent)
        except (OSError, ValueError, IndexError):
            pass


def count_orphans():
    """Processes of the sandbox outlive the run that started them. This program becomes their parent, so that their CPU time counts."""
    set_child_subreaper = 36
    ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)

    def reap():
        for pid, state, parent in processes():
            if state != "Z" or parent != os.getpid():
                continue
            with starting:
                child = started.get(pid)
                if child is None or child.returncode is not None:
                    with contextlib.suppress(ChildProcessError):  # its own thread has waited for it since
                        os.waitpid(pid, os.WNOHANG)

    def repeat():
        while True:
            time.sleep(1)
            reap()

    threading.Thread(target=repeat, daemon=True).start()
    return reap


def limit_resources(pid):
    """After the start, because code between fork and exec makes Python start one process at a time."""
    for kind, limits in ((resource.RLIMIT_AS, (MEMORY, MEMORY)), (resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT + 1)), (resource.RLIMIT_CORE, (0, 0))):
        try:
            resource.prlimit(pid, kind, limits)
        except ProcessLookupError:
            return


def without_cpu(pid):
    """Seconds that a process, or one that it started, was ready to run and had no CPU: on a busy machine they are no hang."""
    started_by = {}
    for process, _, parent in processes():
        started_by.setdefault(parent, []).append(process)
    longest, family = 0, [pid]
    for one in family:
        family.extend(started_by.get(one, []))
        for path in pathlib.Path(f"/proc/{one}/task").glob("*/schedstat"):
            try:
                longest = max(longest, int(path.read_text().split()[1]))
            except (OSError, ValueError, IndexError):
                pass
    return longest / 1e9


def run(command, directory, environment=None, standard_input=subprocess.DEVNULL):
    child = Process([str(word) for word in command], cwd=directory, env={**ENVIRONMENT, **(environment or {})},
                    stdin=standard_input, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    limit_resources(child.pid)
    begin = time.monotonic()
    limit = WALL_LIMIT
    while True:
        try:
            text, _ = child.communicate(timeout=max(1, begin + limit - time.monotonic()))
            hung = child.returncode == -signal.SIGXCPU
            break
        except subprocess.TimeoutExpired:
            if child.poll() is not None:  # this program itself had no CPU
                limit = float("inf")
                continue
            longer = WALL_LIMIT + without_cpu(child.pid)
            if longer > limit + 1 and longer < 20 * WALL_LIMIT:
                limit = longer
                continue
            child.kill()
            text, _ = child.communicate()
            hung = True
            break
    return Outcome(child.returncode, text.decode("utf-8", "replace"), hung)


def keep(row, what, name, data, command, text):
    """Keeps an input that shows a fault."""
    with lock:
        getattr(row, what).append(name)
        output.mkdir(parents=True, exist_ok=True)
        path = output / f"{what}-{name}"
        path.write_bytes(data)
        pathlib.Path(f"{path}.txt").write_text(" ".join(str(word) for word in command) + "\n" + text[-4000:])


def judge(row, outcome, name, data, command):
    with lock:
        row.tried += 1
        row.contained += outcome.contained
    if outcome.hung:
        keep(row, "hangs", name, data, command, outcome.text)
    elif outcome.crashed:
        keep(row, "crashes", name, data, command, outcome.text)
    else:
        return True
    return False


# --- inputs of every format ---

def mlir_bytecode():
    """A file in MLIR bytecode, which the tests have as hexadecimal digits."""
    text = (top / "src/tosa/test_bytecode.inc").read_text()
    return bytes.fromhex("".join(re.findall(r'"([0-9a-f]*)"', text)))


MLIR = b"""func.func @main(%x: tensor<1x4x4x2xi8>, %y: tensor<4xf32>) -> (tensor<1x4x4x2xi8>, tensor<4xf32>) {
  %c = "tosa.const"() <{values = dense<[1.0, 2.0, -3.0, 4.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
  %0 = tosa.add %y, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = tosa.maximum %x, %x {nan_mode = IGNORE} : (tensor<1x4x4x2xi8>, tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8>
  return %1, %0 : tensor<1x4x4x2xi8>, tensor<4xf32>
}
"""
HLSL = b"""RWStructuredBuffer<float4> b : register(u0);
struct S { float2 a[2]; int i; };
float4 f(S s) { return float4(s.a[0], s.a[1]) * s.i; }
[numthreads(8, 4, 1)] void main(uint3 id : SV_DispatchThreadID) {
  S s; s.a[0] = b[id.x].xy; s.a[1] = b[id.y].zw; s.i = 3;
  for (uint i = 0; i < 4; ++i) if (id.z > i) s.i += i; else b[i] = f(s);
}
"""
SPIRV_TEXT = "examples/layer_client/*.spvasm tests/data/zebin/src/*.spvasm"

# How far a file gets: the program refuses its first bytes or its syntax; it refuses what they mean; a plan is made; it runs.
DEPTHS = ("header", "decode", "plan", "run")
REFUSED_AT_ONCE = re.compile(r"\[(json-syntax|file-format|file-truncated|file-unreadable|usage|unknown-format)\]|is not a file|no format|does not start")


class Seed:
    def __init__(self, name, data, beside=None):
        self.name, self.data, self.beside = name, data, beside
        self.fitted = None  # what `prepare` made for it


class Format:
    """`verbs`: command lines, in which `{}` is the file, each with the depth that a success reaches. `structure`: of tests/mutators.py.
    `files`: more files in the directory. `prepare` makes such files of an unchanged file: several choices, of which the first one counts
    with which the program accepts it."""
    def __init__(self, source, extension, *verbs, structure=None, files=None, prepare=None, environment=None, from_input=False, proof=None,
                 program=program):
        self.proof = proof  # what the program prints if it got to the end
        self.source, self.extension, self.verbs, self.structure = source, extension, verbs, structure
        self.files, self.prepare, self.environment, self.from_input, self.program = files or {}, prepare, environment or {}, from_input, program
        self.seeds = []

    def find_seeds(self):
        made = self.source() if callable(self.source) else self.source
        if isinstance(made, bytes):
            made = [made]
        if isinstance(made, list):
            return [Seed(str(number), data) for number, data in enumerate(made)]
        files = sorted(path for pattern in made.split() for path in top.glob(pattern) if path.is_file() and path.stat().st_size < 200_000)
        return [Seed(str(path.relative_to(top)), path.read_bytes(), path.parent if path.name == "scenario.json" else None)
                for path in files if not path.name.startswith("fail_")]

    def start(self, directory, seed, data, verb, fitted):
        """The outcome, and the command."""
        file = directory / f"input.{self.extension}"
        for name, contents in {**self.files, **(fitted or {})}.items():
            (directory / name).write_bytes(contents)
        file.write_bytes(data)
        command = [self.program, *(file.name if word == "{}" else word for word in verb.split())]
        environment = {"XDG_CACHE_HOME": str(directory.parent / "cache"), **self.environment}
        if not self.from_input:
            return run(command, directory, environment), command
        with open(file, "rb") as given:
            return run(command, directory, environment, given), command


def depth_of(outcome, reached, proof):
    """The depth of a run whose success reaches `reached`."""
    if proof and proof not in outcome.text:
        return "decode"
    if outcome.status in (0, 1, 4) or (outcome.status == 5 and reached == "run" and "[" not in outcome.text):
        return reached
    return "header" if REFUSED_AT_ONCE.search(outcome.text) else "decode"


def image_scenario(form, width, height, depth=1):
    return {"s.json": json.dumps({"resources": [{"image": {"uid": "i", "format": f"VK_FORMAT_{form}", "dims": [1, width, height, depth],
                                                          "shader_access": "readonly", "src": "NAME"}}], "commands": []}).encode()}


COLOURS = ("R8G8B8A8_UNORM", "R32G32B32A32_SFLOAT", "R16G16B16A16_SFLOAT", "R8_UNORM", "R32_SFLOAT", "R16_SFLOAT", "R32_UINT", "R16_UNORM", "BC1_RGBA_UNORM_BLOCK",
           "BC1_RGB_UNORM_BLOCK", "D32_SFLOAT_S8_UINT", "A2B10G10R10_UNORM_PACK32", "R32G32B32A32_UINT", "R5G6B5_UNORM_PACK16")


def png_choices(data):
    width, height = (int.from_bytes(data[at:at + 4], "big") for at in (16, 20))
    return [image_scenario(form, width, height) for form in ("R8G8B8A8_UNORM", "R16_UNORM", "R8_UNORM")]


def dds_choices(data):
    height, width, depth = (int.from_bytes(data[at:at + 4], "little") for at in (12, 16, 24))
    return [image_scenario(form, width, height, max(depth, 1)) for form in COLOURS]


def exr_choices(data):
    at = data.index(b"dataWindow\0box2i\0") + 21
    left, low, right, high = (int.from_bytes(data[at + 4 * i:at + 4 * i + 4], "little", signed=True) for i in range(4))
    return [image_scenario(form, right - left + 1, high - low + 1)
            for form in ("R32G32B32A32_SFLOAT", "R16G16B16A16_SFLOAT", "R32_SFLOAT", "R32_UINT", "R32G32B32A32_UINT")]


def ktx2_choices(data):
    width, height, depth, layers, faces = (int.from_bytes(data[at:at + 4], "little") for at in (20, 24, 28, 32, 36))
    return [image_scenario(form, width, height, max(depth, layers * max(faces, 1), faces, 1)) for form in COLOURS]


def npy_choices(data):
    header = data[10:10 + int.from_bytes(data[8:10], "little")].decode("latin-1")
    count = 1
    for extent in re.search(r"'shape': \(([^)]*)\)", header)[1].split(","):
        count *= int(extent) if extent.strip() else 1
    return [{"s.json": json.dumps({"resources": [{"buffer": {"uid": "b", "size": count * size, "shader_access": "readwrite", "src": "NAME", "dst": "o.npy"}}],
                                   "commands": []}).encode()} for size in (4, 8, 2, 1, 12, 16, 5, 6, 3, 7, 10, 20, 24)]


def named_files(data):
    """Files of the names in a JSON file: kernels of the tests where their extension wants them, else zeros."""
    kernels = {".xclbin": next(iter(sorted(top.glob("tests/data/xrt/*.xclbin")))), ".elf": next(iter(sorted(top.glob("tests/data/xrt/*.elf"))), None)}
    names = {value[key] for value, key in mutators.places(json.loads(data), []) if isinstance(value[key], str) and re.fullmatch(r"[\w.-]+\.\w+", value[key])}
    return [{name: kernels[pathlib.Path(name).suffix].read_bytes() if kernels.get(pathlib.Path(name).suffix) else bytes(size)
             for name in names} for size in (64, 4096, 1 << 20)]


TANH = b'graph main {\n  %x = input f32[4] "x"\n  %y = TANH(%x) f32[4]\n  output %y\n}\n'


def made_inputs():
    """The functions that make inputs for bench/cost.py."""
    spec = importlib.util.spec_from_file_location("cost", top / "bench/cost.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def made(function, *counts):
    def seeds():
        directory = SCRATCH / "made"
        directory.mkdir(exist_ok=True)
        return [getattr(made_inputs(), function)(directory, count).read_bytes() for count in counts]
    return seeds


def archives():
    cost = made_inputs()
    array = cost.npy([4], bytes(range(16)))
    return [cost.npz([("x.npy", array)]), cost.npz([("input_0.npy", array)])]


def sessions():
    """Sessions of an editor: a document is opened, changed, asked about and closed."""
    cost, texts = made_inputs(), [path.read_text() for path in sorted(top.glob("examples/*/*.rpl"))[:4]]
    at = {"textDocument": {"uri": "file:///d/a.rpl"}, "position": {"line": 3, "character": 8}}
    asked = [{"id": 10 + number, "method": f"textDocument/{name}", "params": {**at, **more}} for number, (name, more) in enumerate((
        ("hover", {}), ("completion", {}), ("definition", {}), ("references", {"context": {"includeDeclaration": True}}), ("documentSymbol", {}),
        ("formatting", {"options": {}}), ("semanticTokens/full", {}), ("signatureHelp", {}), ("rename", {"newName": "renamed"}),
        ("codeAction", {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}}),
        ("inlayHint", {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}})))]
    change = {"method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///d/a.rpl", "version": 2}, "contentChanges": [
        {"range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 2}}, "text": "xy"}]}}
    closed = {"method": "textDocument/didClose", "params": {"textDocument": {"uri": "file:///d/a.rpl"}}}
    return [cost.session(SCRATCH, [cost.opened("file:///d/a.rpl", text), *asked, change, *asked[:3], closed]).read_bytes() for text in texts]


# Calls the library with the bytes of a file: slipway_*_parse, and what reads the result.
C_API = """import ctypes, os, sys
library = ctypes.CDLL(sys.argv[1])
kind, data = sys.argv[2], open(sys.argv[3], "rb").read()
made, problems = ctypes.c_void_p(), ctypes.c_void_p()
library.slipway_problems_text.restype = ctypes.c_char_p
library.slipway_problems_text.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
library.slipway_problems_count.restype = ctypes.c_size_t
library.slipway_problems_count.argtypes = [ctypes.c_void_p]
size, both = ctypes.c_size_t(len(data)), (ctypes.byref(made), ctypes.byref(problems))
if kind == "scenario":
    status = library.slipway_scenario_parse(data, size, b".", None, *both)
elif kind == "model":
    status = library.slipway_model_parse(data, size, b"m", *both)
else:
    status = library.slipway_kernel_binary_parse(data, size, b"k", None, None, *both)
    if status == 0:
        library.slipway_kernel_binary_count.argtypes = [ctypes.c_void_p]
        library.slipway_kernel_binary_check.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        library.slipway_kernel_binary_count(made)
        library.slipway_kernel_binary_check(made, None, ctypes.byref(problems))
for number in range(library.slipway_problems_count(problems)):
    print(library.slipway_problems_text(problems, number).decode("utf-8", "replace"))
free = getattr(library, f"slipway_{kind}_free")
free.argtypes = [ctypes.c_void_p]
free(made)
library.slipway_problems_free.argtypes = [ctypes.c_void_p]
library.slipway_problems_free(problems)
sys.exit(status)
"""


def c_api(kind, source, extension, structure):
    library = next(iter(sorted(build.glob("**/libslipway.so"))), None)
    return Format(source, extension, (f"call.py {library} {kind} {{}}", "plan"), structure=structure, files={"call.py": C_API.encode()}, program=sys.executable) \
        if library else None


MODELS_ON_CPU = "run --device cpu --timeout 5 -q {}"
PROJECT = json.dumps({"passes": [{"name": "p", "sources": ["a.rpl"], "entry_points": {"compute": "compute_main"}, "pipeline": "compute", "materials": ["m"]}],
                      "materials": [{"name": "m", "sources": ["b.rpl"]}], "options": {"fog": [True, False]}, "target": "vulkan1.2"}).encode()
JOBS = json.dumps({"jobs": [{"id": "a", "recipe": "recipe.json", "dir": ".", "mode": "validate"}, {"id": "b", "recipe": "recipe.json", "dir": ".", "iterations": 2}]}).encode()
RECIPE = {path.name: path.read_bytes() for path in (top / "examples/saxpy_recipe").iterdir() if path.is_file()}
IMAGE_VERBS = (("run --explain s.json", "plan"), ("run -q s.json", "run"))
RESULTS = (top / "tests/fuzz/corpus/lab_fuzz/results").read_bytes()

FORMATS = {
    "scenario": Format("tests/fuzz/corpus/scenario_fuzz/* examples/*/scenario.json tests/corpus/scenario/*/*.json", "json", ("check {}", "plan"),
                       ("run --explain {}", "plan"), structure="json"),
    "scenario that is run": Format("examples/*/scenario.json", "json", ("run --timeout 5 {}", "run"), ("run --timeout 5 --confine {}", "run"), structure="json"),
    "recipe": Format("tests/fuzz/corpus/recipe_fuzz/* examples/*/recipe.json", "json", ("check {}", "plan"), ("run --explain {}", "plan"), structure="json",
                     files=RECIPE),
    "profile": Format("tests/fuzz/corpus/profile_fuzz/*", "json", ("check {}", "plan"), structure="json", prepare=named_files),
    "replay": Format("tests/fuzz/corpus/replay_fuzz/* tests/corpus/replay/*.json tests/data/xrt/*replay*.json", "json", ("check {}", "plan"), structure="json",
                     prepare=named_files),
    "jobs script": Format(JOBS, "json", ("check {}", "plan"), ("run --device cpu --dry-run {}", "plan"), structure="json", files=RECIPE),
    "VGF": Format("tests/fuzz/corpus/vgf_fuzz/* examples/*/*.vgf tests/data/models/conv2d*.vgf", "vgf", ("check {}", "plan"), ("inspect {}", "plan"),
                  ("inspect --json {}", "plan"), ("run --explain {}", "plan"), (MODELS_ON_CPU, "run"), structure="flatbuffer"),
    "TOSA FlatBuffers": Format("tests/fuzz/corpus/tosa_fuzz/*", "tosa", ("inspect {}", "plan"), ("convert {} -o o.vgf", "plan"), ("run --explain {}", "plan"),
                               (MODELS_ON_CPU, "run"), structure="flatbuffer"),
    "MLIR text": Format(MLIR, "mlir", ("inspect {}", "plan"), ("convert {} -o o.vgf", "plan")),
    "MLIR bytecode": Format(mlir_bytecode, "mlirbc", ("inspect {}", "plan"), ("convert {} -o o.vgf", "plan"), structure="mlir"),
    "ONNX": Format(made("onnx", 1, 4), "onnx", ("inspect {}", "plan"), ("convert {} -o o.vgf", "plan"), (MODELS_ON_CPU, "run"), structure="protobuf"),
    "TFLite": Format(made("tflite", 1, 4), "tflite", ("inspect {}", "plan"), ("convert {} -o o.vgf", "plan"), (MODELS_ON_CPU, "run"), structure="flatbuffer"),
    "ExecuTorch": Format("tests/fuzz/corpus/executorch_fuzz/*", "pte", ("inspect {}", "plan"), ("inspect --json {}", "plan"), ("check {}", "plan"),
                         ("convert {} -o o.vgf", "plan"), (MODELS_ON_CPU, "run"), structure="flatbuffer"),
    "graph text": Format("tests/fuzz/corpus/graph_text_fuzz/* examples/mixed_model/*.graph", "graph", ("inspect {}", "plan"), ("run --explain {}", "plan"),
                         ("convert {} -o o.vgf", "plan"), (MODELS_ON_CPU, "run")),
    "SPIR-V": Format("tests/fuzz/corpus/spirv_fuzz/*", "spv", ("inspect {}", "plan"), ("inspect --json {}", "plan"), structure="spirv"),
    "SPIR-V assembly": Format(SPIRV_TEXT, "spvasm", ("inspect {}", "plan")),
    "GLSL": Format("examples/*/*.comp tests/corpus/recipe/files/*.comp", "comp", ("inspect {}", "plan"), ("new {} -o o.json", "plan")),
    "HLSL": Format(HLSL, "hlsl", ("inspect {}", "plan")),
    "RPL": Format("examples/*/*.rpl tests/corpus/rpl_tools/*.rpl tests/fuzz/corpus/rpl_parse_fuzz/*", "rpl", ("check {}", "plan"), ("format {} -o o.rpl", "plan")),
    "RPL metadata": Format("tests/fuzz/corpus/rpl_metadata_fuzz/*", "json", ("check {}", "plan"), ("inspect {}", "plan"), structure="json"),
    "RPL project": Format(PROJECT, "rplproject.json", ("check {}", "plan"), ("compile {} -o out", "plan"), structure="json",
                          files={"a.rpl": b"global fog: flag off;\nconditional (fog) constant x = 1u;\n", "b.rpl": b"void compute_main (void) {}\n"}),
    "session of an editor": Format(sessions, "lsp", ("lsp", "run"), from_input=True, proof='"id":2,"result":null'),
    "zebin": Format("tests/fuzz/corpus/zebin_read_fuzz/*", "zebin", ("check {}", "plan"), ("inspect {}", "plan"), ("inspect --json {}", "plan"), structure="elf"),
    "ZE Info": Format("tests/fuzz/corpus/zeinfo_parse_fuzz/*", "ze_info", ("check {}", "plan"), ("inspect {}", "plan"),
                      ("convert {} --to 1.5 -o o.ze_info", "plan")),
    "xclbin": Format("tests/fuzz/corpus/xclbin_fuzz/* tests/data/xrt/*.xclbin", "xclbin", ("check {}", "plan"), ("inspect {}", "plan")),
    "control code": Format("tests/fuzz/corpus/control_code_fuzz/*", "elf", ("check {}", "plan"), ("inspect {}", "plan"), structure="elf"),
    "npy": Format("tests/fuzz/corpus/npy_fuzz/* examples/*/*.npy", "npy", ("run --explain s.json", "plan"), ("run --device cpu -q s.json", "run"), prepare=npy_choices),
    "npz": Format(archives, "npz", ("run --device cpu -q m.graph --inputs {}", "run"), files={"m.graph": TANH}),
    "PNG": Format("tests/fuzz/corpus/png_fuzz/* examples/*/input.png", "png", *IMAGE_VERBS, prepare=png_choices),
    "DDS": Format("tests/fuzz/corpus/dds_fuzz/*", "dds", *IMAGE_VERBS, prepare=dds_choices),
    "OpenEXR": Format("tests/fuzz/corpus/exr_fuzz/*", "exr", *IMAGE_VERBS, prepare=exr_choices),
    "KTX2": Format("tests/fuzz/corpus/ktx2_fuzz/*", "ktx2", *IMAGE_VERBS, prepare=ktx2_choices),
    "results": Format(RESULTS, "jsonl", ("results summary {}", "run"), ("results junit {} -o o.xml", "run"), ("results html {} -o o.html", "run"),
                      ("results sarif {} -o o.sarif", "run"), ("results compare r.jsonl {}", "run"), ("results html {} --baseline r.jsonl -o o.html", "run"),
                      structure="json lines", files={"r.jsonl": RESULTS}),
    "expectations": Format(b"fail   conv/*.json           # rounding\ncrash  big.json  device=\"llvmpipe (LLVM*\" driver=*26.1*\nskip   huge/?.json\nflaky  timing.json\n"
                           b"hang \"a b.json\"\n", "txt", ("results update r.jsonl --expect {}", "run"), files={"r.jsonl": RESULTS}),
    "tuning table": Format("tests/fuzz/corpus/tuning_fuzz/*", "json", ("run --explain m.graph", "plan"), structure="json", files={"m.graph": TANH},
                           environment={"SLIPWAY_TUNING": "input.json"}),
    "C API, scenario": c_api("scenario", "tests/fuzz/corpus/scenario_fuzz/*", "json", "json"),
    "C API, model": c_api("model", "tests/fuzz/corpus/vgf_fuzz/* tests/fuzz/corpus/tosa_fuzz/*", "vgf", "flatbuffer"),
    "C API, kernel binary": c_api("kernel_binary", "tests/fuzz/corpus/zebin_read_fuzz/*", "zebin", "elf"),
}
FORMATS = {name: one for name, one in FORMATS.items() if one}


def directory_for(worker, seed):
    mine = SCRATCH / f"m{worker}"
    directory = mine / (seed.beside.name if seed.beside else "alone")
    if not directory.exists():
        mine.mkdir(exist_ok=True)
        shutil.copytree(seed.beside, directory) if seed.beside else directory.mkdir()
    return directory


def named(fitted, name):
    return {file: contents.replace(b"NAME", name.encode()) for file, contents in fitted.items()}


def accept(one, seed):
    """Whether some verb accepts an unchanged file; finds what it needs beside it."""
    directory = directory_for(threading.get_ident(), seed)
    for fitted in one.prepare(seed.data) if one.prepare else [{}]:
        fitted = named(fitted, f"input.{one.extension}")
        for verb, _ in one.verbs:
            if one.start(directory, seed, seed.data, verb, fitted)[0].status in (0, 1, 4):
                seed.fitted = fitted
                return True
    return False


def mutation_phase(end):
    formats = {name: one for name, one in FORMATS.items() if arguments.format in (None, name)}
    table = {name: Row(f"{name}, mutated") for name in formats}
    rows.extend(table.values())
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        short = arguments.seconds < 60
        for name, one in formats.items():
            found = one.find_seeds()
            found = found[::max(1, -(-len(found) // 60))]
            random.Random(name).shuffle(found)
            for at in range(0, len(found), WORKERS):  # a few are enough for a short run
                some = found[at:at + WORKERS]
                accepted = list(pool.map(lambda seed, one=one: accept(one, seed), some))
                one.seeds += [seed for seed, ok in zip(some, accepted) if ok]
                table[name].refused += [seed.name for seed, ok in zip(some, accepted) if not ok]
                if short and one.seeds:
                    break
            table[name].accepted = len(one.seeds)
            if not one.seeds:
                sys.exit(f"torture: the program accepts no unchanged input of format {name}")
    end += time.monotonic() - begin

    def mutant(number):
        random_ = random.Random(f"{arguments.seed} {number}")
        name = list(formats)[number % len(formats)]
        one = formats[name]
        seed = random_.choice(one.seeds)
        data = mutators.mutate(random_, seed.data, [other.data for other in one.seeds], one.structure)
        verb, reached = random_.choice(one.verbs)
        outcome, command = one.start(directory_for(threading.get_ident(), seed), seed, data, verb, seed.fitted)
        if judge(table[name], outcome, f"{hashlib.sha1(data).hexdigest()[:10]}.{one.extension}", data, command):
            with lock:
                table[name].reached[depth_of(outcome, reached, one.proof)] += 1

    def every(first):
        for number in itertools.count(first, WORKERS):
            if time.monotonic() > end:
                return
            mutant(number)

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(every, range(WORKERS)))


def shares(row):
    """The parts of the changed files that got past the header, past decoding, and through a run."""
    total = max(sum(row.reached.values()), 1)
    counts = [row.reached[depth] for depth in DEPTHS]
    return [sum(counts[at:]) / total for at in (1, 2, 3)]


def print_depths():
    measured = [row for row in rows if row.accepted is not None]
    if not measured:
        return []
    width = max(len(row.name) for row in measured)
    print(f"\n| {'how far':{width}} | files | refused | past the header | past decoding | run |\n|{'-' * (width + 2)}|------:|--------:|----------------:|--------------:|----:|")
    for row in measured:
        parts = [f"{part:.0%}" for part in shares(row)]
        print(f"| {row.name:{width}} | {row.accepted:5} | {len(row.refused):7} | {parts[0]:>15} | {parts[1]:>13} | {parts[2]:>3} |")
    if not arguments.depths:
        return []
    if arguments.update:
        arguments.depths.write_text("# tests/torture.py --depths: files that are refused, and the parts of changed ones that get far.\n" + "".join(
            "\t".join([row.name, str(len(row.refused)), *(f"{part:.2f}" for part in shares(row))]) + "\n" for row in measured))
        return []
    known = {line.split("\t")[0]: line.split("\t")[1:] for line in arguments.depths.read_text().splitlines() if not line.startswith("#")}
    faults = []
    for row in measured:
        if row.name not in known:
            faults.append(f"{row.name}: {arguments.depths} has no line for it")
            continue
        refused, *before = map(float, known[row.name])
        if len(row.refused) > refused:
            faults.append(f"{row.name}: {len(row.refused)} unchanged files are refused, {refused:.0f} before: {', '.join(row.refused)}")
        total = sum(row.reached.values())
        for what, now, then in zip(("get past the header", "get past decoding", "are run"), shares(row), before):
            if now < then / 2 and then * total >= 20:  # of fewer, half may be missing by chance
                faults.append(f"{row.name}: {now:.0%} of the changed files {what}, {then:.0%} before")
    return faults


# --- faults ---

def workload(directory):
    """A scenario with outputs, of which older versions exist, and what the outputs must be."""
    directory.mkdir(parents=True, exist_ok=True)
    shader = "#version 460\nlayout(set = 0, binding = 0) buffer B { uint b[]; };\nlayout(set = 0, binding = 1) buffer C { uint c[]; };\n" \
             "layout(local_size_x = 64) in;\nvoid main() { uint i = gl_GlobalInvocationID.x; b[i] = i * 3u; c[i] = i ^ 5u; }\n"
    (directory / "s.comp").write_text(shader)
    buffer = {"size": 4096, "shader_access": "readwrite"}
    (directory / "s.json").write_text(json.dumps({
        "resources": [{"shader": {"uid": "s", "type": "GLSL", "src": "s.comp"}},
                      {"buffer": {"uid": "b", **buffer, "dst": "b.npy"}}, {"buffer": {"uid": "c", **buffer, "dst": "c.npy"}}],
        "commands": [{"dispatch_compute": {"shader_ref": "s", "rangeND": [16], "bindings": [
            {"set": 0, "id": 0, "resource_ref": "b"}, {"set": 0, "id": 1, "resource_ref": "c"}]}}]}))
    b = b"".join((i * 3).to_bytes(4, "little") for i in range(1024))
    c = b"".join((i ^ 5).to_bytes(4, "little") for i in range(1024))
    return {"b.npy": b, "c.npy": c}


OLD = b"the results of an earlier run"


def make_old(directory, expected):
    for name in expected:
        (directory / name).write_bytes(OLD)


def lie_about(directory, expected, status):
    """Empty if each output is whole, and new after a success."""
    for name, contents in expected.items():
        now = (directory / name).read_bytes() if (directory / name).exists() else None
        if now == OLD and status != 0:
            continue
        header = 10 + int.from_bytes((now or b"")[8:10], "little")
        if now is None or not now.startswith(b"\x93NUMPY") or now[header:] != contents:
            return f"{name} is not whole after status {status}"
    report = directory / "r.json"
    if report.exists():
        try:
            json.loads(report.read_text())
        except ValueError:
            return "the report is not JSON"
    return ""


COMMAND = [program, "run", "-q", "s.json", "--report", "r.json"]


def faulty_run(row, directory, expected, environment, label, command=COMMAND):
    make_old(directory, expected)
    (directory / "r.json").unlink(missing_ok=True)
    outcome = run(command, directory, environment)
    name = re.sub(r"[^A-Za-z0-9_.]+", "_", label)
    if not judge(row, outcome, name, b"", command):
        return outcome
    if lie := lie_about(directory, expected, outcome.status):
        keep(row, "lies", name, b"", command, lie + "\n" + outcome.text)
    return outcome


def count_of(path):
    try:
        return int(path.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 0


def sample(random_, count, most):
    """Numbers from 1 to count: all, or the first ones and a random choice."""
    if count <= most:
        return list(range(1, count + 1))
    first = most // 4
    return list(range(1, first + 1)) + sorted(random_.sample(range(first + 1, count + 1), most - first))


def vulkan_phase(end):
    row = Row("Vulkan calls that fail")
    rows.append(row)
    directory = SCRATCH / "vulkan"
    expected = workload(directory)
    log = directory / "log"
    environment = {"VK_INSTANCE_LAYERS": "VK_LAYER_SLIPWAY_test_faults", "VK_ADD_LAYER_PATH": str(layer), "SLIPWAY_FAULT_LOG": str(log),
                   "XDG_CACHE_HOME": str(directory / "cache")}
    run(COMMAND, directory, {**environment, "SLIPWAY_FAULT_AT": "0"})
    count = count_of(log)
    if count == 0:
        sys.exit("torture: the layer that makes Vulkan calls fail counted none")
    for number in sample(random.Random(arguments.seed), count, 10_000):
        if time.monotonic() > end:
            break
        faulty_run(row, directory, expected, {**environment, "SLIPWAY_FAULT_AT": str(number)}, f"vulkan {number}")


def library_phase(end):
    """Without a device, because drivers do not survive a failing malloc."""
    random_ = random.Random(arguments.seed)
    directory = SCRATCH / "library"
    expected = workload(directory)
    shutil.copy(top / "examples/mixed_model/model.graph", directory / "m.graph")
    shutil.copy(top / "tests/fuzz/corpus/zebin_read_fuzz/saxpy.bin", directory / "k.zebin")
    shutil.copy(top / "examples/rpl_compute/scale.rpl", directory / "p.rpl")
    (directory / "m.mlir").write_bytes(MLIR)
    without_device = [["check", "s.json"], ["convert", "m.graph", "-o", "o.vgf"], ["inspect", "m.mlir"], ["inspect", "--json", "k.zebin"],
                      ["check", "p.rpl"], ["run", "--explain", "s.json"]]
    log = directory / "log"
    kinds = ("malloc", "open", "write", "rename", "mmap")
    table = {kind: Row(f"`{kind}` fails") for kind in kinds}
    rows.extend(table.values())
    jobs = []
    for kind in kinds:
        commands = [[program, *words] for words in without_device] + ([COMMAND] if kind != "malloc" else [])
        for command in commands:
            own = {"FAULT_OWN": "1"} if command is COMMAND else {}
            environment = {"LD_PRELOAD": str(preload), "FAULT_FUNCTION": kind, "FAULT_LOG": str(log), "XDG_CACHE_HOME": str(directory / "cache"), **own}
            log.unlink(missing_ok=True)
            run(command, directory, {**environment, "FAULT_AT": "0"})
            count = count_of(log)
            for number in sample(random_, count, 40 if kind == "malloc" else 25):
                for more in ({}, {"FAULT_FROM": "1"}) if kind in ("write", "malloc") else ({},):
                    jobs.append((table[kind], command, {**environment, "FAULT_AT": str(number), **more}, f"{kind} {number} {command[1]} {command[-1]}"))
    random_.shuffle(jobs)
    for row, command, environment, label in jobs:
        if time.monotonic() > end:
            break
        if command is COMMAND:
            faulty_run(row, directory, expected, environment, label)
        else:
            judge(row, run(command, directory, environment), re.sub(r"[^A-Za-z0-9_.]+", "_", label), b"", command)


def kill_phase(end):
    row = Row("killed at a random time")
    rows.append(row)
    random_ = random.Random(arguments.seed)
    directory = SCRATCH / "kill"
    expected = workload(directory)
    environment = {**ENVIRONMENT, "XDG_CACHE_HOME": str(directory / "cache")}
    begin = time.monotonic()
    run(COMMAND, directory, {"XDG_CACHE_HOME": str(directory / "cache")})
    length = time.monotonic() - begin
    while time.monotonic() < end:
        make_old(directory, expected)
        (directory / "r.json").unlink(missing_ok=True)
        child = Process([str(word) for word in COMMAND], cwd=directory, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random_.random() * length)
        child.send_signal(random_.choice((signal.SIGKILL, signal.SIGTERM)))
        child.wait()
        row.tried += 1
        if lie := lie_about(directory, expected, child.returncode):
            keep(row, "lies", f"kill_{row.tried}", b"", COMMAND, lie)


def disk_phase(end):
    row = Row("full disks and devices")
    rows.append(row)
    directory = SCRATCH / "disk"
    expected = workload(directory)
    cache = {"XDG_CACHE_HOME": str(directory / "cache")}

    full = {"LD_PRELOAD": str(preload), "FAULT_FUNCTION": "write", "FAULT_AT": "1", "FAULT_FROM": "1", "FAULT_OWN": "1"}
    outcome = faulty_run(row, directory, expected, {**cache, **full}, "full disk")
    if outcome.status == 0:
        keep(row, "lies", "full_disk", b"", COMMAND, "status 0 on a full disk\n" + outcome.text)
    for words in (["schema", "scenario"], ["--help"], ["--version"], ["check", "--json", "s.json"], ["run", "--explain", "s.json"], ["run", "s.json"],
                  ["inspect", "s.comp"], ["completion", "bash"], ["man", "run"], ["devices"]):
        if time.monotonic() > end:
            break
        with open("/dev/full", "w") as device:
            child = Process([str(program), *words], cwd=directory, env={**ENVIRONMENT, **cache}, stdin=subprocess.DEVNULL, stdout=device,
                            stderr=subprocess.PIPE)
            text = child.communicate(timeout=WALL_LIMIT)[1].decode("utf-8", "replace")
        row.tried += 1
        if child.returncode != 5 and not (words[0] == "check" and child.returncode == 0):
            keep(row, "lies" if child.returncode >= 0 else "crashes", f"full_stdout_{words[0].strip('-')}", b"", words, f"status {child.returncode}\n{text}")


def cache_phase(end):
    row = Row("cache entries damaged or swapped")
    rows.append(row)
    random_ = random.Random(arguments.seed)
    directory = SCRATCH / "caches"
    expected = workload(directory)
    cache = directory / "cache"
    environment = {"XDG_CACHE_HOME": str(cache)}
    while time.monotonic() < end:
        run(COMMAND, directory, environment)
        entries = sorted(path for path in cache.rglob("*") if path.is_file() and "slipway" in str(path.relative_to(cache)))
        if not entries:
            sys.exit("torture: the cache has no entries")
        kind = random_.randrange(4)
        contents = {path: path.read_bytes() for path in entries}
        for path in entries:
            data = bytearray(contents[path])
            if kind == 0 and data:
                data[random_.randrange(len(data))] ^= 1 << random_.randrange(8)
            elif kind == 1:
                del data[random_.randrange(len(data) + 1):]
            elif kind == 2:
                data = contents[random_.choice(entries)]
            else:
                data = random_.randbytes(len(data))
            path.write_bytes(data)
        faulty_run(row, directory, expected, environment, f"cache {row.tried} {('flipped', 'cut', 'swapped', 'random')[kind]}")


def crowd_phase(_):
    count = 64
    row = Row(f"{count} processes at once, one empty cache")
    rows.append(row)
    shared = SCRATCH / "crowd-cache"
    children = []
    for number in range(count):
        directory = SCRATCH / f"crowd{number}"
        expected = workload(directory)
        make_old(directory, expected)
        children.append((directory, expected, Process(
            [str(word) for word in COMMAND], cwd=directory, env={**ENVIRONMENT, "XDG_CACHE_HOME": str(shared)},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)))
    for directory, expected, child in children:
        text, _ = child.communicate(timeout=600)
        row.tried += 1
        if child.returncode < 0:
            keep(row, "crashes", directory.name, b"", COMMAND, text.decode("utf-8", "replace"))
        elif child.returncode != 0 or lie_about(directory, expected, 0):
            keep(row, "lies", directory.name, b"", COMMAND, text.decode("utf-8", "replace"))


def power_phase(end):
    row = Row("power failures")
    rows.append(row)

    def start(words, directory, log):
        return run([program, *words], directory, {"LD_PRELOAD": str(preload), "FAULT_RECORD": str(log), "SLIPWAY_FSYNC": "1", "XDG_CACHE_HOME": str(directory / "cache")})

    for name, data, text in power.failures(SCRATCH / "power", start, workload, random.Random(arguments.seed), end):
        row.tried += 1
        if text:
            keep(row, "lies", name, data, [name], text)


# Name, share of the time, function.
PHASES = [("mutations", 0.55, mutation_phase), ("power", 0.03, power_phase), ("vulkan", 0.09, vulkan_phase), ("library", 0.18, library_phase), ("kill", 0.05, kill_phase),
          ("disk", 0.02, disk_phase), ("cache", 0.08, cache_phase), ("crowd", 0, crowd_phase)]


def print_table():
    width = max(len(row.name) for row in rows)
    print(f"| {'what':{width}} | tried | contained | crashes | hangs | lies |")
    print(f"|{'-' * (width + 2)}|------:|----------:|--------:|------:|-----:|")
    total = Row("total")
    for row in rows:
        total.tried += row.tried
        total.contained += row.contained
        for what in ("crashes", "hangs", "lies"):
            getattr(total, what).extend(getattr(row, what))
    for row in rows + [total]:
        print(f"| {row.name:{width}} | {row.tried:5} | {row.contained:9} | {len(row.crashes):7} | {len(row.hangs):5} | {len(row.lies):4} |")
    return total


try:
    if not program.exists() or not preload.exists():
        sys.exit(f"torture: {program} or {preload} is missing; ./dev build release makes them")
    reap = count_orphans()
    for name, share, phase in PHASES:
        if arguments.only and name != arguments.only or not arguments.only and share == 0 and arguments.seconds < 60:
            continue
        phase(time.monotonic() + arguments.seconds * (1 if arguments.only else share))
    total = print_table()
    reap()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"CPU time of the runs: {children.ru_utime + children.ru_stime:.0f} s")
    shallow = print_depths()
    for fault in shallow:
        print(f"torture: {fault}", file=sys.stderr)
    bad = total.crashes + total.hangs + total.lies
    if bad:
        print(f"{len(bad)} faults; {output} has them", file=sys.stderr)
    sys.exit(1 if bad or shallow else 0)
finally:
    shutil.rmtree(SCRATCH, ignore_errors=True)
