// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The views of the values of a model: how each use of a value accesses it
// (docs/spec/converter.md#bindings-and-resources).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "convert/segments/segments.hpp"
#include "convert/shaders/shader_code.hpp"
#include "vgf/vgf.hpp"

namespace slipway::convert {

struct Shader {
  ShaderOperator declared;
  ShaderModule module;
};
using Shaders = std::map<std::uint32_t, Shader>;  // by node

struct View {
  vgf::Category category{};
  vk::DescriptorType type = vk::DescriptorType::TENSOR_ARM;
  vk::Format format{};
  std::optional<vgf::Sampler> sampler;
  bool operator==(const View&) const = default;
};

// One use of a value by a segment.
struct Use {
  tosa::ValueId value{};
  std::size_t view = 0;                       // of the value's views
  const ShaderBinding* descriptor = nullptr;  // of a compute segment
};

struct SegmentUses {
  std::vector<Use> inputs;   // arguments of the model first, by position, then in the order of operands
  std::vector<Use> outputs;  // values that the model does not return first, then the rest by output position
};

struct Views {
  std::vector<std::vector<View>> of_value;                // each distinct view once; empty for values inside segments
  std::vector<std::optional<std::uint32_t>> alias_group;  // of values with several views
  std::vector<SegmentUses> segments;
  // The view that represents an input or output in the lists of the model.
  std::vector<std::size_t> canonical_input, canonical_output;  // by position; of outputs in Segments::returned
};

Views make_views(const tosa::Graph& graph, const Segments& segments, const Shaders& shaders);

}  // namespace slipway::convert
