// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--verify`: whether a file computes what the model computes (docs/spec/converter.md#verification).
//
// The reference interpreter runs the model as it was read, and the segments of the file in order, on zeros, on a ramp
// and on pseudo-random values; outputs must be equal bit for bit. A shader operator is replaced on both sides by a
// substitute, a function of its inputs, so that a wrong connection is detected. If there is a device, `verify_shaders`
// runs the shaders too.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "convert/convert.hpp"
#include "reference/tensor.hpp"
#include "tensor/compare.hpp"
#include "vgf/vgf.hpp"

namespace slipway::convert {

struct VerifyOptions {
  std::map<std::string, tensor::Shape, std::less<>> shapes;  // of inputs with unknown dimensions, by name
  std::optional<std::chrono::nanoseconds> time_out;          // of the interpreter, for each run
  bool narrowed = false;                                     // float16 instead of float32: compared with a tolerance
};

struct VerifyReport {
  int runs = 0;                      // number of compared runs
  double worst_error = 0;            // of a narrowed model, absolute
  tensor::ComparedOutputs compared;  // of the model, by all of these runs
};

// `original`: the model as it was read; `prepared`, `converted`: the results of conversion; `file`: the written file,
// read again. A difference is an expectation-failed error.
VerifyReport verify(const tosa::Model& original, const tosa::Model& prepared, const Converted& converted,
                    const vgf::File& file, const VerifyOptions& options, Diagnostics& diagnostics);

// Runs a shader operator on the values of its inputs; returns its results.
using ShaderRunner = std::function<Result<std::vector<reference::Tensor>>(
    const tosa::Graph& graph, const tosa::Node& node, std::span<const reference::Tensor* const> inputs)>;
// Runs a whole file; returns its outputs, without those that cannot be read back.
using FileRunner = std::function<Result<std::vector<std::optional<reference::Tensor>>>(
    std::span<const reference::Tensor> inputs, std::span<const tosa::TensorType> outputs)>;

// Compares the model as it was read, its shaders run one by one, with a run of the whole file. A difference is an
// expectation-failed error. If shaders cannot be run, the outputs that depend on them are left out.
VerifyReport verify_shaders(const tosa::Model& original, const tosa::Model& prepared, const vgf::File& file,
                            const VerifyOptions& options, const ShaderRunner& run_shader, const FileRunner& run_file,
                            Diagnostics& diagnostics);

// The values of a graph for given inputs, by value; CUSTOM operators use substitutes unless a runner is given. All
// shapes must be static.
Result<std::vector<reference::Tensor>> evaluate(const tosa::Graph& graph, std::vector<reference::Tensor> inputs,
                                                const ShaderRunner& run_shader = {});
// The substitute for a CUSTOM operator.
std::vector<reference::Tensor> substitute(const tosa::Graph& graph, const tosa::Node& node,
                                          std::span<const reference::Tensor* const> inputs);

}  // namespace slipway::convert
