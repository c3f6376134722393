# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What notebooks show of objects: tables in HTML."""
import html


def table(headings, rows):
    """A table; cells are texts or numbers."""
    def cells(row, tag):
        return "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in row)
    return (f"<table><thead><tr>{cells(headings, 'th')}</tr></thead><tbody>"
            + "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows) + "</tbody></table>")


def _shape(tensor):
    return "x".join("?" if extent < 0 else str(extent) for extent in tensor.shape)


def _model(self):
    return table(("", "name", "type", "shape"),
                 [(what, tensor.name, tensor.element_type, _shape(tensor))
                  for what, tensors in (("input", self.inputs), ("output", self.outputs)) for tensor in tensors])


def _kernels(self):
    return table(("kernel", "SIMD", "registers", "spills", "private", "local memory", "code"),
                 [(k.name, k.simd, k.registers, k.spill_bytes, k.private_bytes, k.local_memory_bytes, k.code_bytes or "")
                  for k in self.kernels])


def extend(module):
    """Adds HTML to the classes of the extension module."""
    module.Model._repr_html_ = _model
    module.KernelBinary._repr_html_ = _kernels
