# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares graphs in Slipway and in PyTorch on one GPU: gpu_networks.py --build DIRECTORY [--rounds N] [--networks TEXT]

Matrix products, a copy, and whole networks of 16-bit floats with the same weights, in turn. All times are measured by the
GPU: Vulkan timestamps and CUDA events. PyTorch runs networks as they are written (eager), as a CUDA graph, and compiled and
then as a CUDA graph. `host` is the median over all runs of the time on the host that exceeds the time of the run on the GPU.
Without PyTorch, its columns say so.
"""
import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import torch

    from torch_networks import Layers
except ImportError:
    torch = None

# The minimum ratios of Slipway's speed to PyTorch's (for networks: compiled, as a CUDA graph), and the maximum of `host`.
GOALS = {"f16 to f16 1024": 0.55, "f16 to f16 2048": 0.45, "f16 to f32 1024": 0.55, "f16 to f32 2048": 0.45, "f16 to f32 4096": 0.45,
         "f16 to f32 8192": 0.45, "i8 to i32 1024": 0.6, "i8 to i32 4096": 0.58, "i8 to i32 8192": 0.58, "f32 1024": 0.85, "f32 4096": 0.78, "pointwise": 0.95,
         "mobilenet_v2.fp16": 1.3, "mobilenet_v2.fp16.32": 0.7, "resnet_50.fp16": 1.15, "resnet_50.fp16.32": 0.6,
         "transformer.fp16": 0.85, "encoder.fp16": 0.8, "encoder.fp16.8": 0.45}
# Networks with other batches than 1, and the large ones: NAME.PRECISION and batch, as bench_gpu writes them.
FURTHER = [("resnet_50.fp16", 32), ("mobilenet_v2.fp16", 32), ("encoder.fp16", 1), ("encoder.fp16", 8)]
NETWORKS = ["mobilenet_v2.fp16", "resnet_50.fp16", "transformer.fp16"]
MOST_HOST_US = 14


def best_of(run, milliseconds=300):
    """The minimum and the median time of `run` on the GPU in milliseconds, once the GPU has reached its full clock rate."""
    stream = torch.cuda.current_stream()
    times = []
    end = time.perf_counter() + 2 * milliseconds / 1e3
    warm = time.perf_counter() + milliseconds / 1e3
    while time.perf_counter() < end:
        before, after = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        before.record(stream)
        run()
        after.record(stream)
        after.synchronize()
        if time.perf_counter() > warm:
            times.append(before.elapsed_time(after))
    return min(times), statistics.median(times)


def captured(run):
    """Records `run` as a CUDA graph; returns a function that replays it."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph.replay


def product(n, kind):
    """The rate of a square matrix product in TFLOP/s (TOP/s), with operands and results of the types that `kind` names."""
    if kind == "i8 to i32":
        a, b = (torch.randint(-127, 128, (n, n), dtype=torch.int8, device="cuda") for _ in range(2))
        b = b.t()
        run = captured(lambda: torch._int_mm(a, b))
    else:
        types = {"f16": torch.float16, "f32": torch.float32}
        a, b = (torch.randn(n, n, device="cuda", dtype=types[kind[:3]]) for _ in range(2))
        out = torch.empty(n, n, device="cuda", dtype=types[kind[-3:]])
        wider = {} if out.dtype == a.dtype else {"out_dtype": out.dtype}
        run = captured(lambda: torch.mm(a, b, out=out, **wider))
    return 2 * n**3 / best_of(run)[0] * 1e-9


def copy_rate():
    """The rate of a copy of 1 GiB in GB/s, read and written."""
    x = torch.randn(1 << 28, device="cuda")
    y = torch.empty_like(x)
    return 8 * x.numel() / best_of(lambda: y.copy_(x))[0] * 1e-6


def network_times(path):
    net = Layers(path).cuda().eval()
    shape = net.layers[0]["shape"]
    x = torch.randn([shape[0], shape[3], shape[1], shape[2]] if len(shape) == 4 else shape, device="cuda", dtype=net.type)
    if x.ndim == 4:
        x = x.contiguous(memory_format=torch.channels_last)
    torch.backends.cudnn.benchmark = True
    with torch.inference_mode():
        compiled = torch.compile(net)
        compiled(x)
        return {"eager": best_of(lambda: net(x))[0], "graph": best_of(captured(lambda: net(x)))[0],
                "compiled": best_of(captured(lambda: compiled(x)))[0]}


def program(build, name):
    """The path of a program in a build directory or a bundle."""
    return next(path for path in (build / "bin" / name, build / name) if path.exists())


def ours(build, networks):
    """Runs bench_gpu; returns its numbers as {label: number}, and its output."""
    text = subprocess.run([program(build, "bench_gpu"), *networks], stdout=subprocess.PIPE, text=True, check=False).stdout
    found = {}
    for kind, size, rate in re.findall(r"^product (f32|f16 to f32|f16 to f16|i8 to i32) +(\d+) +([\d.]+)", text, re.M):
        found[f"{kind} {size}"] = float(rate)
    for label, rate in re.findall(r"^(pointwise) x1, 1 GiB +([\d.]+)", text, re.M):
        found[label] = float(rate)
    for label, gpu, host in re.findall(r"^network (\S+) +([\d.]+) us +host +(-?[\d.]+) us", text, re.M):
        found[label] = float(gpu)
        found[f"{label} host"] = float(host)
    return found, text


def label_of(name, batch):
    return name if batch == 1 else f"{name}.{batch}"


def write_networks(build, directory, networks):
    """Writes the networks for PyTorch, each under its label."""
    for name, batch in [(name, 1) for name in NETWORKS] + FURTHER:
        if networks and networks[0] not in label_of(name, batch):
            continue
        with tempfile.TemporaryDirectory(dir=directory) as scratch:
            subprocess.run([program(build, "make_networks"), scratch, str(batch), name], check=True)
            for path in pathlib.Path(scratch).iterdir():
                path.rename(directory / f"{label_of(name, batch)}{path.suffix}")


def measure_theirs(found, directory, theirs):
    """Adds PyTorch's numbers, the best of all rounds, for what `found` has."""
    for label in [one for one in found if one.startswith(("f32 ", "f16 ", "i8 "))]:
        kind, size = label.rsplit(" ", 1)
        theirs[label] = max(theirs.get(label, 0), product(int(size), kind))
    if "pointwise" in found:
        theirs["pointwise"] = max(theirs.get("pointwise", 0), copy_rate())
    for path in sorted(directory.glob("*.json")):
        times = network_times(path)
        theirs[path.stem] = {key: min(times[key], theirs.get(path.stem, times)[key]) for key in times}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--networks", nargs=1, default=[], metavar="TEXT", help="only networks whose labels contain TEXT")
    options, _ = parser.parse_known_args()
    if torch:
        if not torch.cuda.is_available():
            sys.exit("gpu_networks: PyTorch finds no GPU")
        torch.zeros(1, device="cuda")  # with a CUDA context, the GPU does not lower its clock rate between short runs
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
    best, theirs, text = {}, {}, ""
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        if torch:
            write_networks(options.build, directory, options.networks)
        for _ in range(options.rounds):
            found, text = ours(options.build, options.networks)
            for label, number in found.items():
                better = min if "." in label or label.endswith("host") else max
                best[label] = better(best.get(label, number), number)
            if torch:
                measure_theirs(found, directory, theirs)
    if not torch:
        return print_ours(best, text)
    return compare(best, theirs, text)


def print_ours(best, text):
    """The rows without PyTorch."""
    print(text)
    print(f"PyTorch is not installed\n{'':22} {'ours':>10} {'PyTorch':>14}")
    for label in [name for name in best if f"{name} host" in best]:
        print(f"{label:22} {best[label]:7.1f} us {'not installed':>14}   (host {best[f'{label} host']:.1f} us)")
    sys.exit(1 if not best else 0)


def compare(best, theirs, text):
    print(text)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}\n{'':22} {'ours':>10} {'PyTorch':>10} {'ratio':>6}")
    missed = []
    for label, other in theirs.items():
        if label not in best:
            continue
        if isinstance(other, dict):
            ratio = other["compiled"] * 1e3 / best[label]
            print(f"{label:22} {best[label]:7.1f} us {other['compiled'] * 1e3:7.1f} us {ratio:6.2f}   (CUDA graph {other['graph'] * 1e3:.1f}, "
                  f"eager {other['eager'] * 1e3:.1f}; host {best[f'{label} host']:.1f} us)")
            if best[f"{label} host"] > MOST_HOST_US:
                missed.append(f"{label}: {best[f'{label} host']:.1f} us on the host beyond the time on the GPU; at most {MOST_HOST_US} are allowed")
        else:
            ratio = best[label] / other
            print(f"{label:22} {best[label]:10.1f} {other:10.1f} {ratio:6.2f}")
        if ratio < GOALS.get(label, 0):
            missed.append(f"{label}: {ratio:.2f} of PyTorch's speed; at least {GOALS[label]} is required")
    for line in missed:
        print("MISSED", line)
    sys.exit(1 if missed else 0)


main()
