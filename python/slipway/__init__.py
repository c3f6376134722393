# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slipway: builds and launches GPU and NPU workloads described as data.

    model = slipway.Model.load("net.vgf")
    outputs = model.run({"image": image})                    # on the CPU
    outputs = model.run({"image": image}, slipway.Device.open())

A call that fails raises `slipway.Error`, which has all problems with their places.
"""
from . import _slipway
from . import signatures as _signatures

_signatures.extend(_slipway)
from ._slipway import (ConvertedModel, Device, DeviceInfo, ExpectationResult, ImageArgument, KernelBinary, KernelChange,
                       KernelFigures, KernelOccupancy, LocalArgument, Model, OutputComparison, PackedArguments, PayloadPart,
                       PointerArgument, PreparedModel, Problem, Recipe, RunReport, SamplerArgument, Scenario, StepTime,
                       TensorInfo, TunedKernel, TuningResult, __version__, convert, convert_bytes, devices, set_sandbox)
from .errors import Error, MissingFileError
from .table import Table
from . import rpl
from . import kernels as _kernels
from . import models as _models
from . import notebook as _notebook
from . import recipes as _recipes

__all__ = ["ConvertedModel", "Device", "DeviceInfo", "Error", "ExpectationResult", "ImageArgument", "KernelBinary", "KernelChange",
           "KernelFigures", "KernelOccupancy", "LocalArgument", "MissingFileError", "Model", "OutputComparison", "PackedArguments",
           "PayloadPart", "PointerArgument", "PreparedModel", "Problem", "Recipe", "RunReport", "SamplerArgument", "Scenario", "StepTime",
           "Table", "TensorInfo", "TunedKernel", "TuningResult", "__version__", "convert", "convert_bytes", "devices", "program", "rpl", "set_sandbox"]

_kernels.extend(_slipway)
_models.extend(_slipway)
_notebook.extend(_slipway)
_recipes.extend(_slipway)


def program() -> str:
    """The path of the program `slipway` that the package contains."""
    from .__main__ import find_program
    return find_program()
