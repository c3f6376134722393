#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tries to make the program crash, hang or lie: torture.py TOP BUILD [--seconds N] [--seed N] [--only PHASE] [--format NAME] [--output DIRECTORY]

Phases: mutated inputs of every format; failing Vulkan calls; failing calls of the C library (malloc, open, write, rename, mmap);
kills at random points; full disks; damaged and swapped cache entries; many processes with one cache. Prints the table of
docs/reliability.md. What failed is kept in DIRECTORY (build/torture), with the command in a file beside it. The exit status is 1 if
there is a crash, a hang or a lie. A lie is a success without the right outputs, or an output that is not whole.
"""
import argparse
import concurrent.futures
import contextlib
import ctypes
import hashlib
import itertools
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
arguments = parser.parse_args()
top, build = arguments.top.resolve(), arguments.build.resolve()
output = arguments.output or top / "build" / "torture"
program = build / "bin" / "slipway"
preload = build / "fault_layer" / "libslipway_fault_preload.so"
layer = build / "fault_layer"

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


def run(command, directory, environment=None):
    child = Process([str(word) for word in command], cwd=directory, env={**ENVIRONMENT, **(environment or {})},
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
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
NEEDS_FILES = "examples/hello/*"


def scenario_with(extension):
    """A scenario that reads an image or array; its name replaces NAME."""
    form = '"format": "VK_FORMAT_R8G8B8A8_UNORM", "dims": [1, 4, 4, 4]'
    if extension == "npy":
        return '{"resources": [{"buffer": {"uid": "b", "size": 64, "shader_access": "readonly", "src": "NAME"}}], "commands": []}'
    if extension == "exr":
        form = form.replace("R8G8B8A8_UNORM", "R32G32B32A32_SFLOAT")
    return ('{"resources": [{"image": {"uid": "i", %s, "shader_access": "readonly", "src": "NAME"}}], "commands": []}' % form)


ON_CPU = "run --device cpu --timeout 5"

# Format: files, extension, verbs. Scenarios that are run have the other files of their directories beside them.
FORMATS = {
    "scenario": ("tests/fuzz/corpus/scenario_fuzz/* examples/*/scenario.json tests/corpus/scenario/*/*.json", "json", ["check", "run --explain"]),
    "scenario that is run": ("examples/*/scenario.json", "json", ["run --timeout 5", "run --timeout 5 --confine"]),
    "recipe": ("tests/fuzz/corpus/recipe_fuzz/* examples/*/recipe.json", "json", ["check", "run --explain"]),
    "profile": ("tests/fuzz/corpus/profile_fuzz/*", "json", ["check"]),
    "replay": ("tests/fuzz/corpus/replay_fuzz/*", "json", ["check"]),
    "VGF": ("tests/fuzz/corpus/vgf_fuzz/* examples/*/*.vgf tests/data/models/conv2d*.vgf", "vgf", ["check", "inspect", "inspect --json", "run --explain", ON_CPU]),
    "TOSA FlatBuffers": ("tests/fuzz/corpus/tosa_fuzz/*", "tosa", ["inspect", "convert -o o.vgf", "run --explain", ON_CPU]),
    "MLIR text": (MLIR, "mlir", ["inspect", "convert -o o.vgf"]),
    "MLIR bytecode": (mlir_bytecode, "mlirbc", ["inspect", "convert -o o.vgf"]),
    "graph text": ("tests/fuzz/corpus/graph_text_fuzz/* examples/mixed_model/*.graph", "graph", ["inspect", "run --explain", "convert -o o.vgf", ON_CPU]),
    "SPIR-V": ("tests/fuzz/corpus/spirv_fuzz/*", "spv", ["inspect", "inspect --json"]),
    "SPIR-V assembly": (SPIRV_TEXT, "spvasm", ["inspect"]),
    "GLSL": ("examples/*/*.comp tests/corpus/recipe/files/*.comp", "comp", ["inspect", "new -o o.json"]),
    "HLSL": (HLSL, "hlsl", ["inspect"]),
    "RPL": ("examples/*/*.rpl tests/corpus/rpl_tools/*.rpl tests/fuzz/corpus/rpl_parse_fuzz/*", "rpl", ["check", "format --check"]),
    "RPL metadata": ("tests/fuzz/corpus/rpl_metadata_fuzz/*", "json", ["check", "inspect"]),
    "zebin": ("tests/fuzz/corpus/zebin_read_fuzz/*", "zebin", ["check", "inspect", "inspect --json"]),
    "ZE Info": ("tests/fuzz/corpus/zeinfo_parse_fuzz/*", "ze_info", ["check", "inspect", "convert --to 1.5 -o o.ze_info"]),
    "xclbin": ("tests/fuzz/corpus/xclbin_fuzz/* tests/data/xrt/*.xclbin", "xclbin", ["check", "inspect"]),
    "control code": ("tests/fuzz/corpus/control_code_fuzz/*", "elf", ["check", "inspect"]),
    "npy": ("tests/fuzz/corpus/npy_fuzz/* examples/*/*.npy", "npy", ["run --explain"]),
    "PNG": ("tests/fuzz/corpus/png_fuzz/* examples/*/input.png", "png", ["run --explain"]),
    "DDS": ("tests/fuzz/corpus/dds_fuzz/*", "dds", ["run --explain"]),
    "OpenEXR": ("tests/fuzz/corpus/exr_fuzz/*", "exr", ["run"]),
    "KTX2": ("tests/fuzz/corpus/ktx2_fuzz/*", "ktx2", ["run --explain"]),
}


def seeds_of(source):
    """The contents of each input, and its directory if other files belong to it."""
    if callable(source):
        return [(source(), None)]
    if isinstance(source, bytes):
        return [(source, None)]
    files = sorted(path for pattern in source.split() for path in top.glob(pattern) if path.is_file() and path.stat().st_size < 200_000)
    return [(path.read_bytes(), path.parent if path.name == "scenario.json" else None) for path in files]


INTERESTING = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 31, (1 << 63) - 1, (1 << 64) - 1]
TOKENS = [b"-1", b"0", b"4294967296", b"18446744073709551616", b"1e999", b"null", b"[", b"{", b"\"", b"(", b"<", b"%0", b"#include \"x\"\n", b"\0", b"\xff\xfe", b"//", b"/*"]


def mutate(random_, data, others):
    data = bytearray(data)
    for _ in range(random_.choice((1, 1, 2, 4, 8))):
        at = random_.randrange(len(data) + 1) if data else 0
        choice = random_.randrange(9)
        if choice == 0 and data:
            data[at % len(data)] ^= 1 << random_.randrange(8)
        elif choice == 1 and data:
            data[at % len(data)] = random_.randrange(256)
        elif choice == 2:
            del data[at:at + random_.choice((1, 4, 16, 256))]
        elif choice == 3:
            begin = random_.randrange(len(data) + 1)
            data[at:at] = data[begin:begin + random_.choice((4, 16, 64, 1024))]
        elif choice == 4:
            del data[at:]
        elif choice == 5:
            size = random_.choice((1, 2, 4, 8))
            data[at:at + size] = (random_.choice(INTERESTING) & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        elif choice == 6:
            data[at:at] = random_.choice(TOKENS) * random_.choice((1, 1, 1, 3, 2000))
        elif choice == 7:
            other = random_.choice(others)
            begin = random_.randrange(len(other) + 1)
            data[at:at] = other[begin:begin + random_.choice((8, 64, 512))]
        else:
            numbers = list(re.finditer(rb"\d+", bytes(data[:20000])))
            if numbers:
                number = random_.choice(numbers)
                data[number.start():number.end()] = str(random_.choice(INTERESTING)).encode()
    return bytes(data)


def mutation_phase(end):
    by_format = {name: (seeds_of(source), extension, verbs) for name, (source, extension, verbs) in FORMATS.items() if arguments.format in (None, name)}
    for name, (seeds, _, _) in by_format.items():
        if not seeds:
            sys.exit(f"torture: no inputs of format {name}")
    table = {name: Row(f"{name}, mutated") for name in by_format}
    rows.extend(table.values())

    def one(number):
        random_ = random.Random(f"{arguments.seed} {number}")
        name = list(by_format)[number % len(by_format)]
        seeds, extension, verbs = by_format[name]
        seed, beside = random_.choice(seeds)
        data = mutate(random_, seed, [contents for contents, _ in seeds])
        mine = SCRATCH / f"m{threading.get_ident()}"
        directory = mine / (beside.name if beside else "alone")
        if not directory.exists():
            mine.mkdir(exist_ok=True)
            shutil.copytree(beside, directory) if beside else directory.mkdir()
        file = directory / f"input.{extension}"
        file.write_bytes(data)
        verb, *options = random_.choice(verbs).split()
        command = [program, verb, file.name, *options]
        if extension in ("npy", "png", "dds", "exr", "ktx2"):
            (directory / "s.json").write_text(scenario_with(extension).replace("NAME", file.name))
            command = [program, verb, "s.json", *options]
        outcome = run(command, directory, {"XDG_CACHE_HOME": str(mine / "cache")})
        judge(table[name], outcome, f"{hashlib.sha1(data).hexdigest()[:10]}.{extension}", data, command)

    def every(first):
        for number in itertools.count(first, WORKERS):
            if time.monotonic() > end:
                return
            one(number)

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(every, range(WORKERS)))


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


# Name, share of the time, function.
PHASES = [("mutations", 0.55, mutation_phase), ("vulkan", 0.10, vulkan_phase), ("library", 0.20, library_phase), ("kill", 0.05, kill_phase),
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
    bad = total.crashes + total.hangs + total.lies
    if bad:
        print(f"{len(bad)} faults; {output} has them", file=sys.stderr)
    sys.exit(1 if bad else 0)
finally:
    shutil.rmtree(SCRATCH, ignore_errors=True)
