// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a graph first goes wrong: each kernel is compared with the interpreter for the inputs that the kernel had.
//
//   auto layers = compare_layers(graph, inputs, stored);
//   for (const LayerComparison& layer : *layers) if (!layer.own.passed()) ...
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/standalone/compare.hpp"
#include "model/standalone/graph_runner.hpp"

namespace slipway::model {

struct StoredValue;  // model/plan/intermediates.hpp

// One kernel, which computes one or more operators of the graph.
struct LayerComparison {
  const tosa::Node* node = nullptr;  // the last operator
  std::string operators;             // `CONV2D+RESCALE`
  // The error of its own: the device's result against the interpreter's for the inputs that the device had.
  ValueComparison own;
  // If another device takes the place of the interpreter: the interpreter's verdict on both.
  std::optional<DeviceComparison> devices = std::nullopt;
  // The error of the layers before it: the interpreter's results for these inputs, and for the inputs of the graph.
  std::uint64_t inherited = 0;  // elements that differ
  double max_inherited = 0;     // the largest difference
};

// `inputs` are those of the graph; `stored` has the values after the run, in the order of the kernels. A value without
// bytes is computed by the interpreter, as part of the kernels that use it. `other`: runs graphs on another device,
// which takes the place of the interpreter; empty: none. Errors: those of the interpreter and of the other device.
Result<std::vector<LayerComparison>> compare_layers(const tosa::Graph& graph, std::span<const reference::Tensor> inputs,
                                                    std::span<const StoredValue> stored, const GraphRunner& other = {});

// A line for each layer.
std::string layers_text(std::span<const LayerComparison> layers);
// The operators and the name of the last one, in backticks.
std::string layer_name(const LayerComparison& layer);

}  // namespace slipway::model
