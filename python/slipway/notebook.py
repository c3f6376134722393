# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What notebooks show of models and kernels."""
import base64
import html

from .errors import Error
from .table import html_table

_MAX_LAYOUTS = 16
_MAX_GRAPH = 4_000_000  # characters of a page; a notebook file contains it


def _shape(tensor):
    return "x".join("?" if extent < 0 else str(extent) for extent in tensor.shape)


def _model(self):
    page = html_table(("", "name", "type", "shape"),
                      [(what, tensor.name, tensor.element_type, _shape(tensor))
                       for what, tensors in (("input", self.inputs), ("output", self.outputs)) for tensor in tensors])
    try:
        graph = self.graph_page()
    except Error as error:  # it is too large to be drawn
        return page + f"<p>{html.escape(error.problems[0].message)}</p>"
    if len(graph) > _MAX_GRAPH:
        return page + "<p>the graph is too large for a notebook: write graph_page() to a file</p>"
    # The page has scripts and styles of its own, so it is a document of its own.
    return page + ('<iframe title="graph" sandbox="allow-scripts" style="width: 100%; height: 30em; border: 1px solid #8888" '
                   f'srcdoc="{html.escape(graph)}"></iframe>')


def _kernels(self):
    kernels = self.kernels
    page = html_table(("kernel", "SIMD", "registers", "spills", "private", "local memory", "code"),
                      [(k.name, k.simd, k.registers, k.spill_bytes, k.private_bytes, k.local_memory_bytes, k.code_bytes or "") for k in kernels])
    for kernel in kernels[:_MAX_LAYOUTS]:
        picture = base64.b64encode(self.layout_svg(kernel.name).encode()).decode()
        page += (f"<details><summary>layout of {html.escape(kernel.name)}</summary>"
                 f'<img alt="layout of {html.escape(kernel.name)}" src="data:image/svg+xml;base64,{picture}"></details>')
    if len(kernels) > _MAX_LAYOUTS:
        page += f"<p>{len(kernels) - _MAX_LAYOUTS} more kernels have layouts: layout_svg(name)</p>"
    return page


def extend(module):
    """Adds HTML to the classes of the extension module."""
    module.Model._repr_html_ = _model
    module.KernelBinary._repr_html_ = _kernels
