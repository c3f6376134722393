// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a file in the runtime that its format is usually deployed with, ONNX Runtime or TensorFlow Lite, for a
// comparison. They run in a process of their own: python3 with the module of the runtime, or with the C library of
// TensorFlow Lite. Nothing of them is needed for anything else.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/system/files.hpp"
#include "tensor/element_type.hpp"
#include "tensor/shape.hpp"

namespace slipway::model {

enum class RuntimeKind : std::uint8_t { OnnxRuntime, Tflite };

struct FormatRuntime {
  RuntimeKind kind = RuntimeKind::OnnxRuntime;
  bool is_reference = false;  // the reference kernels of TensorFlow Lite
  bool is_plain = false;      // ONNX Runtime does not optimise the graph
};
// `onnxruntime`, `tflite`, `tflite:default` or `tflite:reference`.
std::optional<FormatRuntime> format_runtime_called(std::string_view name);

struct RuntimeTensor {
  std::string name;
  tensor::ElementType type = tensor::ElementType::F32;
  tensor::Shape shape;
  std::vector<std::byte> bytes;
};

struct RuntimeRun {
  FormatRuntime runtime;
  Path file;
  Path data_directory;                            // of external data; empty: that of the file
  std::string signature;                          // of a TensorFlow Lite file; empty: the default
  std::vector<RuntimeTensor> inputs;              // in the order of the file
  std::vector<std::string> outputs;               // of the file, in its order
  std::vector<std::string> inside;                // other tensors of the file; nothing is optimised then
  std::optional<std::chrono::nanoseconds> limit;  // of the process
};

struct RuntimeResults {
  std::string runtime;  // with its version: "ONNX Runtime 1.23.2"
  // Of `outputs`, then of `inside`: the elements, whose type is that of the file, or why they are not known. Names are
  // empty.
  std::vector<std::expected<RuntimeTensor, std::string>> values;
};

// Errors: no-backend (python3 or the runtime is not installed), device-failed (the runtime refuses the file, or
// crashes), timed-out, interrupted.
Result<RuntimeResults> run_in_runtime(const RuntimeRun& run);

}  // namespace slipway::model
