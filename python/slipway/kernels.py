# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `KernelBinary` has in Python beyond the C++ class."""
from .table import Table


def _spills(self):
    """The kernels that spill registers, with the bytes of each hardware thread: a dictionary by name."""
    return {kernel.name: kernel.spill_bytes for kernel in self.kernels if kernel.spill_bytes}


def extend(module):
    """Adds them to the class of the extension module."""
    binary = module.KernelBinary
    diff = binary.diff

    def diff_as_table(self, other):
        return Table(diff(self, other), ("kernel", "field", "before", "after"))

    diff_as_table.__name__, diff_as_table.__doc__ = "diff", diff.__doc__
    binary.diff = diff_as_table
    binary.spills = property(_spills)
