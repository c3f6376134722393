# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recipes and profiles that runners of kernels have run wrongly without an error. The expected values are computed here, with
NumPy. Each case has the file NAME.bin, from which its profile takes the contents of buffers and what they have to be."""
import numpy as np

CASES = {}  # by name: (about, recipe, profile, data)
AFFINE, CONSTANTS = "affine.comp", "constants.comp"
rng = np.random.default_rng(17)


def numbers(count):
    return rng.integers(-(2**31), 2**31, count, dtype=np.int32)


def affine(x, y, a, b, c):
    """What affine.comp computes, modulo 2^32."""
    return (np.int64(a) * x + np.int64(b) * y + np.int64(c)).astype(np.int32)


def run(arguments, constants, kernel="affine", **keys):
    """Arguments are names, or (name, offset, size)."""
    words = []
    for index, one in enumerate(arguments):
        name, *part = (one,) if isinstance(one, str) else one
        words.append({"name": name, "argidx": index, **dict(zip(("offset", "size"), part))})
    values = [one if isinstance(one, dict) else {"value": one} for one in constants]
    return {"kernel": kernel, **keys, "arguments": words,
            "constants": [{**one, "argidx": len(words) + i} for i, one in enumerate(values)]}


def case(name, about, runs, before, after, execution=None, internal=(), shader=AFFINE, grid=(1, 1, 1)):
    """`before` and `after` are arrays by buffer: its contents, and what they have to be. `internal`: (name, bytes)."""
    assert name not in CASES
    data, bindings, buffers = b"", [], []

    def in_file(array):
        nonlocal data
        data += np.ascontiguousarray(array).tobytes()
        return {"file": f"{name}.bin", "skip": len(data) - np.asarray(array).nbytes}

    for one in {**before, **after}:
        size = np.asarray(before.get(one, after.get(one))).nbytes
        binding = {"name": one, "size": size}
        if one in before:
            binding["init"] = {**in_file(before[one]), "end": size}
        if one in after:
            bindings.append({"name": f"{one}_expected", "size": size, "init": {**in_file(after[one]), "end": size}})
            binding["validate"] = {"name": f"{one}_expected"}
        bindings.append(binding)
        kind = "input" if one not in after else "inout" if one in before else "output"
        buffers.append({"name": one, "type": kind, "size": size})
    buffers += [{"name": one, "type": "internal", "size": size} for one, size in internal]
    kernel = shader.removesuffix(".comp")
    recipe = {"version": "1.0", "header": {"module": shader},
              "resources": {"buffers": buffers, "kernels": [{"name": kernel, "grid": list(grid)}]},
              "execution": {"runs": runs}}
    execution = {"mode": "validate", "verbose": False, **(execution or {})}
    CASES[name] = (about, recipe, {"version": "1.0", "bindings": bindings, "executions": [execution]}, data)


def parts():
    x, y = numbers(256), numbers(64)
    for name, start, about in (("part_of_an_argument", 64, "The offset of an argument is ignored, or counted in elements."),
                               ("part_at_any_byte", 37, "The offset of an argument is rounded to the alignment of the device.")):
        case(name, about, [run([("x", start * 4, 256), "y", "z"], [1, 1, 0])], {"x": x, "y": y},
             {"z": affine(x[start:start + 64], y, 1, 1, 0)})
    z = numbers(256)
    written = z.copy()
    written[96:160] = affine(x[:64], y, 2, 3, 4)
    case("part_of_a_result", "A result that is a part of a buffer overwrites the rest of the buffer.",
         [run([("x", 0, 256), "y", ("z", 384, 256)], [2, 3, 4])], {"x": x, "y": y, "z": z}, {"z": written})


def arguments():
    x, y = numbers(64), numbers(64)
    mixed = run(["x", "y", "z"], [3, 5, 7])
    mixed["arguments"].reverse()
    mixed["constants"].reverse()
    case("arguments_in_any_order", "Arguments are taken in the order of the list instead of by their index.", [mixed],
         {"x": x, "y": y}, {"z": affine(x, y, 3, 5, 7)})
    case("one_buffer_for_two_arguments", "A buffer that is read twice is bound once.", [run(["x", "x", "z"], [1, -2, 0])],
         {"x": x}, {"z": affine(x, x, 1, -2, 0)})
    case("result_in_place", "A buffer that is read and written is copied, and its result is lost.",
         [run(["x", "y", "y"], [1, 1, 1])], {"x": x, "y": y}, {"y": affine(x, y, 1, 1, 1)})


def constants():
    x, y = numbers(64), numbers(64)
    case("negative_constants", "A negative constant is zero, or its magnitude.", [run(["x", "y", "z"], [-1, -(2**31), -7])],
         {"x": x, "y": y}, {"z": affine(x, y, -1, -(2**31), -7)})
    case("constants_of_each_run", "The runs of one kernel share the constants of the last run.",
         [run(["x", "y", name], [a, 1, 0], name=name) for name, a in (("p", 2), ("q", 3), ("r", 4))], {"x": x, "y": y},
         {name: affine(x, y, a, 1, 0) for name, a in (("p", 2), ("q", 3), ("r", 4))})
    wide, large, exact = -(2**40) - 3, 2**63 + 5, 1 / 3
    expected = np.frombuffer(np.array([wide], np.int64).tobytes() + np.array([large], np.uint64).tobytes()
                             + np.array([exact], np.float64).tobytes() + np.array([0.1], np.float32).tobytes()
                             + np.array([4294967295], np.uint32).tobytes(), np.uint32)
    case("constants_of_64_bits", "Constants are converted to 32 bits, or a double to a float.",
         [run(["z"], [{"value": wide, "type": "int64"}, {"value": large, "type": "uint64"}, {"value": exact, "type": "double"},
                      {"value": 0.1, "type": "float"}, {"value": 4294967295, "type": "uint32"}], "constants")],
         {}, {"z": expected}, shader=CONSTANTS)


def grids():
    x, y = numbers(64 * 30), numbers(64 * 30)
    case("grid_of_three_axes", "Only the first axis of a grid is dispatched.", [run(["x", "y", "z"], [1, 2, 3])],
         {"x": x, "y": y}, {"z": affine(x, y, 1, 2, 3)}, grid=(5, 3, 2))
    case("grid_of_a_run", "The grid of a run is ignored in favour of the kernel's.",
         [run(["x", "y", "z"], [1, 2, 3], grid=[5, 3, 2])], {"x": x, "y": y}, {"z": affine(x, y, 1, 2, 3)})


def order():
    x, y = numbers(64), numbers(64)
    value, runs, at = x, [], "x"
    for i in range(24):
        to = "z" if i == 23 else f"t{i % 2}"
        runs.append(run([at, "y", to], [3, 1, i], name=f"run{i}"))
        value, at = affine(value, y, 3, 1, i), to
    case("chain_of_runs", "A run begins before the one that makes its input has ended.", runs, {"x": x, "y": y}, {"z": value},
         internal=[("t0", 256), ("t1", 256)])
    case("chain_in_flight", "Copies of a list of runs that are in flight together share their internal buffers.", runs,
         {"x": x, "y": y}, {"z": value}, {"mode": "throughput", "depth": 4, "iterations": 8, "validate": True},
         internal=[("t0", 256), ("t1", 256)])
    case("write_after_read", "A run overwrites the input of the run before it, which has not ended.",
         [run(["x", "y", "z"], [1, 1, 0], name="reads"), run(["x", "x", "y"], [2, 0, 9], name="writes")], {"x": x, "y": y},
         {"z": affine(x, y, 1, 1, 0), "y": affine(x, x, 2, 0, 9)})
    total = y
    for _ in range(5):
        total = affine(x, total, 1, 1, 0)
    case("iterations_go_on", "Each iteration begins with the first contents of a buffer that it also writes.",
         [run(["x", "y", "y"], [1, 1, 0])], {"x": x, "y": y}, {"y": total}, {"iterations": 5})
    case("results_without_waiting", "The result of the last of many iterations is read before it has ended.",
         [run(["x", "y", "y"], [1, 1, 0])], {"x": x, "y": y}, {"y": affine(x, y, 64, 1, 0)},
         {"mode": "throughput", "depth": 1, "iterations": 64, "validate": True})


for add in (parts, arguments, constants, grids, order):
    add()
