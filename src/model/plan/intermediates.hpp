// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values between the kernels of graphs, for a comparison of each kernel. Kernels and their fusion are those of
// other runs; only the memory of the values differs.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "lower/program.hpp"
#include "tosa/graph.hpp"

namespace slipway::model {

// A value that a kernel stores.
struct StoredValue {
  tosa::ValueId value{};
  std::string kernel;                 // the operators that compute it, `CONV2D+RESCALE`
  std::vector<std::byte> bytes = {};  // after the run; empty for outputs of the graph
};

struct Intermediates {
  std::map<const tosa::Graph*, std::vector<StoredValue>> graphs;  // in the order of the kernels
};

// What the kernels of a program store. Values that are stored in another type than their own are left out.
std::vector<StoredValue> stored_values(const tosa::Graph& graph, const lower::KernelProgram& program);

// Makes those of these values that are intermediates outputs of the graph and of the program, after the others, in this
// order.
void expose_intermediates(std::span<const StoredValue> values, tosa::Graph& graph, lower::KernelProgram& program);

}  // namespace slipway::model
