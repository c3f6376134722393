#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What happens to a delegated part of a program, in one process: flow.py MODEL.tosa OUTPUT.vgf [DEVICE]

The TOSA model is converted to a VGF file, which is written, loaded as a runtime loads it, and run on numpy arrays: on the CPU, or
on a Vulkan device (an index, a UUID or a part of the name). The results are compared with the reference interpreter.
"""
import pathlib
import sys

import numpy

import slipway


def random_array(tensor, random):
    """An array for an input."""
    kind = tensor.element_type
    if kind in ("f16", "f32", "f64"):
        return random.uniform(-1, 1, tensor.shape).astype({"f16": "float16", "f32": "float32", "f64": "float64"}[kind])
    if kind == "bool":
        return random.integers(0, 2, tensor.shape).astype(bool)
    if kind in ("i8", "i16", "i32"):
        return random.integers(-100, 100, tensor.shape).astype(f"int{kind[1:]}")
    raise SystemExit(f"flow.py: the input `{tensor.name}` has the type {kind}, for which this example has no random values")


def main(model_file, output, selector=None):
    converted = slipway.convert(model_file)
    for remark in converted.remarks:
        print(remark, end="", file=sys.stderr)
    pathlib.Path(output).write_bytes(converted.file)

    device = None if selector is None else slipway.Device.open(selector)
    model = slipway.Model.load(output)
    random = numpy.random.default_rng(1)
    inputs = {tensor.name: random_array(tensor, random) for tensor in model.inputs}
    for name, array in model.run(inputs, device).items():
        print(f"{name}: {array.dtype}{list(array.shape)}, mean {array.mean():.4f}")
    comparison = model.compare(inputs, device)
    print(comparison)
    return 1 if any(output.wrong for output in comparison) else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    try:
        sys.exit(main(*sys.argv[1:]))
    except slipway.Error as error:
        print(error, file=sys.stderr)
        sys.exit(3)
