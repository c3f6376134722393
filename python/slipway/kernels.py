# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `KernelBinary` has in Python beyond the C++ class."""
import numpy

from . import _slipway
from .table import Table


def _spills(self):
    """The kernels that spill registers, with the bytes of each hardware thread: a dictionary by name."""
    return {kernel.name: kernel.spill_bytes for kernel in self.kernels if kernel.spill_bytes}


_ARGUMENTS = (type(None), _slipway.PointerArgument, _slipway.LocalArgument, _slipway.ImageArgument, _slipway.SamplerArgument)


def _argument(value):
    if isinstance(value, _ARGUMENTS) or isinstance(value, (bytes, bytearray, memoryview)):
        return value
    if isinstance(value, (numpy.generic, numpy.ndarray)):
        return value.tobytes()
    raise TypeError(f"an argument is a number or array of numpy, bytes, PointerArgument, LocalArgument, ImageArgument, SamplerArgument or "
                    f"None, not {type(value).__name__}: the size of a value must be known, as that of numpy.int32(3)")


def _pack(self, kernel, arguments=(), *, groups=(1, 1, 1), local_size=(1, 1, 1), global_offset=(0, 0, 0), global_size=None, **implicit):
    """The argument data of a kernel for one launch, as `PackedArguments`.

    `arguments` in the order of the kernel: numbers and arrays of numpy or bytes by value, PointerArgument, LocalArgument, ImageArgument,
    SamplerArgument, or None. The other keyword arguments are the addresses and numbers of implicit arguments: `private_memory`,
    `printf_buffer`, `implicit_buffer`, `sync_buffer`, `ray_tracing_globals`, `assert_buffer`, `indirect_data`, `scratch`, `constants`,
    `globals`, `region_barriers`, `inline_samplers`, `region_size`, `region_dimension`, `region_groups`.
    """
    of_runtime = _slipway._ImplicitArguments()
    for name, value in implicit.items():
        if not hasattr(of_runtime, name):
            raise TypeError(f"pack() got an unexpected keyword argument '{name}'")
        setattr(of_runtime, name, value)
    return self._pack(kernel, _slipway._KernelLaunch([_argument(value) for value in arguments], groups, local_size, global_offset,
                                                     global_size, of_runtime))


def extend(module):
    """Adds them to the class of the extension module."""
    binary = module.KernelBinary
    diff = binary.diff

    def diff_as_table(self, other):
        return Table(diff(self, other), ("kernel", "field", "before", "after"))

    diff_as_table.__name__, diff_as_table.__doc__ = "diff", diff.__doc__
    binary.diff = diff_as_table
    binary.spills = property(_spills)
    _pack.__name__, _pack.__qualname__ = "pack", "KernelBinary.pack"
    binary.pack = _pack
