// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program that python3 runs a model with, in the runtime of its format (format_runtime.cpp). Arrays are files of
// its working directory: in0.npy, in1.npy... go in, out0.npy... come out. What it prints: `runtime NAME`, `left-out
// INDEX REASON`, `missing`, `failed REASON`.
#pragma once

#include <string_view>

namespace slipway::model {

inline constexpr std::string_view kFormatRuntimeScript = R"py(
import os
import sys

runtime, kernels, model, work, data, signature, inputs, outputs = sys.argv[1:9]
os.chdir(work)  # modules are not looked for where the user is
names, inputs, outputs = sys.argv[9:], int(inputs), int(outputs)

import ctypes
import importlib

# Inputs, outputs of the file, and other tensors of it.
given, wanted, inside = names[:inputs], names[inputs:inputs + outputs], names[inputs + outputs:]


class Missing(Exception):
    pass


class Failed(Exception):
    pass


def say(*words):
    print(" ".join(" ".join(map(str, words)).split()), flush=True)


def leave_out(index, reason):
    say("left-out", index, reason)


def keep(index, make):
    try:
        numpy.save(f"out{index}.npy", make())
    except Exception as error:
        leave_out(index, error)


def field(number, data):
    key, size = bytes([number << 3 | 2]), len(data)
    while size >= 0x80:
        key, size = key + bytes([size & 0x7f | 0x80]), size >> 7
    return key + bytes([size]) + data


def run_onnx():
    try:
        import onnxruntime
    except ImportError:
        raise Missing
    say("runtime ONNX Runtime", onnxruntime.__version__)
    options, source = onnxruntime.SessionOptions(), model
    options.log_severity_level = 4
    if inside or data:
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", data or os.path.dirname(model))
        with open(model, "rb") as file:
            source = file.read()
    if inside or kernels == "plain":
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    if inside:
        # A message that occurs twice is merged: outputs are appended to the graph, without their types.
        source += field(7, b"".join(field(12, field(1, name.encode())) for name in inside))
    session = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    types = {each.name: each.type for each in session.get_inputs() + session.get_overridable_initializers()}
    # Types that numpy does not have, by their numbers in ONNX.
    numbers = {"tensor(bfloat16)": (16, "u2"), "tensor(float8e4m3fn)": (17, "u1"), "tensor(float8e5m2)": (19, "u1")}
    feeds = {}
    for index, name in enumerate(given):
        if name not in types:
            continue
        array, number = numpy.load(f"in{index}.npy"), numbers.get(types[name])
        feeds[name] = (onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(number[1]), number[0]) if number
                       else onnxruntime.OrtValue.ortvalue_from_numpy(array))
    for index, value in enumerate(session.run_with_ort_values(wanted + inside, feeds)):
        keep(index, value.numpy)


class Library:
    """The C interface of TensorFlow Lite, with the calls of its Python interface that are used here."""

    TYPES = {1: "f4", 2: "i4", 3: "u1", 4: "i8", 6: "?", 7: "i2", 9: "i1", 10: "f2", 11: "f8", 13: "u8", 16: "u4", 17: "u2"}

    def __init__(self, library):
        self.c = library
        for function in ("TfLiteModelCreateFromFile", "TfLiteInterpreterOptionsCreate", "TfLiteInterpreterCreate",
                         "TfLiteInterpreterGetInputTensor", "TfLiteInterpreterGetOutputTensor", "TfLiteTensorName",
                         "TfLiteTensorByteSize"):
            getattr(self.c, function).restype = ctypes.c_void_p
        self.file = self.pointer("TfLiteModelCreateFromFile", model.encode())
        self.interpreter = self.pointer("TfLiteInterpreterCreate", self.file, self.pointer("TfLiteInterpreterOptionsCreate"))

    def pointer(self, function, *arguments):
        made = getattr(self.c, function)(*arguments)
        if not made:
            raise Failed(f"{function} returns nothing")
        return ctypes.c_void_p(made)

    def call(self, function, *arguments):
        status = getattr(self.c, function)(*arguments)
        if status != 0:
            raise Failed(f"{function} returns the status {status}")

    def details(self, what):
        count = getattr(self.c, f"TfLiteInterpreterGet{what}TensorCount")(self.interpreter)
        return [{"index": (what, index), "shape": self.shape(self.tensor((what, index)))} for index in range(count)]

    def get_input_details(self):
        return self.details("Input")

    def get_output_details(self):
        return self.details("Output")

    def tensor(self, index):
        return self.pointer(f"TfLiteInterpreterGet{index[0]}Tensor", self.interpreter, index[1])

    def shape(self, tensor):
        return [self.c.TfLiteTensorDim(tensor, d) for d in range(self.c.TfLiteTensorNumDims(tensor))]

    def resize_tensor_input(self, index, shape):
        self.call("TfLiteInterpreterResizeInputTensor", self.interpreter, index[1], (ctypes.c_int * len(shape))(*shape), len(shape))

    def allocate_tensors(self):
        self.call("TfLiteInterpreterAllocateTensors", self.interpreter)

    def set_tensor(self, index, array):
        data = array.tobytes()
        self.call("TfLiteTensorCopyFromBuffer", self.tensor(index), data, ctypes.c_size_t(len(data)))

    def invoke(self):
        self.call("TfLiteInterpreterInvoke", self.interpreter)

    def get_tensor(self, index):
        tensor = self.tensor(index)
        number = self.c.TfLiteTensorType(tensor)
        if number not in self.TYPES:
            raise Failed(f"the type {number} of TensorFlow Lite is not known here")
        size = self.c.TfLiteTensorByteSize(tensor) or 0
        data = ctypes.create_string_buffer(size)
        self.call("TfLiteTensorCopyToBuffer", tensor, data, ctypes.c_size_t(size))
        return numpy.frombuffer(data.raw[:size], "<" + self.TYPES[number]).reshape(self.shape(tensor))


def open_library():
    for name in ("libtensorflow-lite.so", "libtensorflow-lite.so.2.14.1", "libtensorflowlite_c.so"):
        try:
            library = ctypes.CDLL(name)
            library.TfLiteVersion.restype = ctypes.c_char_p
        except (OSError, AttributeError):
            continue
        if kernels == "reference" or inside or signature:
            raise Failed("`tflite:reference`, `--layers`, `--expose` and `--signature` need the Python module of TensorFlow Lite; "
                         "only its C library is installed")
        say("runtime TensorFlow Lite", library.TfLiteVersion().decode())
        return Library(library)
    raise Missing


def open_tflite():
    for name in ("ai_edge_litert.interpreter", "tflite_runtime.interpreter", "tensorflow.lite"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        package = importlib.import_module(name.split(".")[0])
        say("runtime", "LiteRT" if name.startswith("ai") else "TensorFlow Lite", getattr(package, "__version__", ""))
        resolvers = getattr(module, "OpResolverType", None) or module.experimental.OpResolverType
        resolver = "BUILTIN_REF" if kernels == "reference" else "BUILTIN_WITHOUT_DEFAULT_DELEGATES" if inside else "AUTO"
        return module.Interpreter(model_path=model, experimental_op_resolver_type=getattr(resolvers, resolver),
                                  experimental_preserve_all_tensors=bool(inside))
    return open_library()


def run_signature(interpreter, arrays):
    runner = interpreter.get_signature_runner(signature)
    made = runner(**dict(zip(given, arrays)))
    for index, name in enumerate(wanted):
        keep(index, lambda: made[name])
    for index in range(len(inside)):
        leave_out(len(wanted) + index, "tensors inside of a signature are not visible")


def run_tflite():
    interpreter = open_tflite()
    arrays = [numpy.load(f"in{index}.npy") for index in range(len(given))]
    if signature:
        return run_signature(interpreter, arrays)
    details = interpreter.get_input_details()
    if len(details) != len(given):
        raise Failed(f"the model has {len(details)} inputs there, and {len(given)} here")
    for detail, array in zip(details, arrays):
        if list(detail["shape"]) != list(array.shape):
            interpreter.resize_tensor_input(detail["index"], list(array.shape))
    interpreter.allocate_tensors()
    for detail, array in zip(details, arrays):
        interpreter.set_tensor(detail["index"], array)
    interpreter.invoke()
    for index, detail in enumerate(interpreter.get_output_details()):
        if index < len(wanted):
            keep(index, lambda: interpreter.get_tensor(detail["index"]))
    by_name = {detail["name"]: detail["index"] for detail in interpreter.get_tensor_details()} if inside else {}
    for index, name in enumerate(inside, len(wanted)):
        if name in by_name:
            keep(index, lambda: interpreter.get_tensor(by_name[name]))
        else:
            leave_out(index, "the runtime has no tensor of this name")


try:
    try:
        import numpy
    except ImportError:
        raise Missing
    run_onnx() if runtime == "onnxruntime" else run_tflite()
except Missing:
    say("missing")
except Exception as error:
    say("failed", f"{type(error).__name__}: {error}" if not isinstance(error, Failed) else error)
)py";

}  // namespace slipway::model
