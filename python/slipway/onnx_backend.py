# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interface `onnx.backend.base` of the package `onnx`, which has to be installed.

    import slipway.onnx_backend as backend
    outputs = backend.prepare(onnx.load("net.onnx")).run([image])

Devices are "CPU", and "CUDA", which is the first Vulkan device. Arrays of bfloat16 and floats of 8 bits have the types of
`ml_dtypes` if that is installed.
"""
import numpy
from onnx import TensorProto, helper
from onnx.backend.base import Backend, BackendRep, Device as OnnxDevice, DeviceType, namedtupledict

from ._slipway import Device, Model
from .errors import Error

try:
    import ml_dtypes
    _SMALL = {TensorProto.BFLOAT16: ml_dtypes.bfloat16, TensorProto.FLOAT8E4M3FN: ml_dtypes.float8_e4m3fn,
              TensorProto.FLOAT8E5M2: ml_dtypes.float8_e5m2}
except ImportError:
    _SMALL = {}


def _bits(array):
    """The array as the model takes it: numpy does not have all types."""
    array = numpy.asarray(array)
    return array.view(f"u{array.itemsize}") if array.dtype in [numpy.dtype(each) for each in _SMALL.values()] else array


class SlipwayRep(BackendRep):
    """A model that is ready to run. Shapes are those of the arrays of a run."""

    def __init__(self, model, device):
        initializers = {each.name for each in model.graph.initializer}
        self.inputs = [each.name for each in model.graph.input if each.name not in initializers]
        self.outputs = [(each.name, _SMALL.get(each.type.tensor_type.elem_type)) for each in model.graph.output]
        self.device = None if OnnxDevice(device).type == DeviceType.CPU else Device.open()
        self.model = Model.parse(model.SerializeToString(), model.graph.name or "<model>")

    def run(self, inputs, **options):
        arrays = inputs if isinstance(inputs, dict) else dict(zip(self.inputs, inputs if isinstance(inputs, (list, tuple)) else [inputs]))
        results = self.model.run({name: _bits(array) for name, array in arrays.items()}, self.device, **options)
        arrays = [results[name] if type is None else results[name].view(type) for name, type in self.outputs]
        return namedtupledict("Outputs", [name for name, _ in self.outputs])(*arrays)


class SlipwayBackend(Backend):
    @classmethod
    def is_compatible(cls, model, device="CPU", **kwargs):
        try:
            SlipwayRep(model, device)
        except Error:
            return False
        return cls.supports_device(device)

    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        super().prepare(model, device, **kwargs)
        return SlipwayRep(model, device)

    @classmethod
    def run_node(cls, node, inputs, device="CPU", outputs_info=None, **kwargs):
        super().run_node(node, inputs, device, outputs_info=outputs_info)
        arrays = [numpy.asarray(array) for array in inputs]
        given = [name for name in node.input if name]
        values = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
                  for name, array in zip(given, arrays)]
        results = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
        opset = kwargs.get("opset_version")
        model = helper.make_model(helper.make_graph([node], node.op_type, values, results),
                                  **({"opset_imports": [helper.make_opsetid(node.domain, opset)]} if opset else {}))
        return SlipwayRep(model, device).run(arrays)

    @classmethod
    def supports_device(cls, device):
        kind = OnnxDevice(device).type
        if kind == DeviceType.CPU:
            return True
        try:
            return kind == DeviceType.CUDA and Device.open() is not None
        except Error:
            return False


prepare = SlipwayBackend.prepare
run_model = SlipwayBackend.run_model
run_node = SlipwayBackend.run_node
is_compatible = SlipwayBackend.is_compatible
supports_device = SlipwayBackend.supports_device
