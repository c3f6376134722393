// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>

#include "base/format.hpp"
#include "layer/chain.hpp"
#include "layer/graphs/graphs.hpp"
#include "layer/shaders.hpp"
#include "spirv/specialize.hpp"
#include "tensor/format.hpp"
#include "tosa/check/bind_constants.hpp"
#include "tosa/check/bound_shapes.hpp"
#include "tosa/read/read_spirv.hpp"
#include "tosa/vulkan_format.hpp"

namespace slipway::layer {
namespace {

class GraphReader {
 public:
  GraphReader(const VkDataGraphPipelineShaderModuleCreateInfoARM& info, const BoundTensors& tensors,
              Diagnostics& diagnostics)
      : info_(info), tensors_(tensors), diagnostics_(diagnostics) {}

  std::optional<tosa::Graph> read(const spirv::Words& words) {
    auto module = diagnostics_.take(spirv::read_module(spirv::Words(words), "graph"));
    if (module && info_.pSpecializationInfo != nullptr)
      module = diagnostics_.take(
          spirv::read_module(spirv::specialize(*module, values_of(*info_.pSpecializationInfo)), "graph"));
    if (!module) return std::nullopt;
    std::optional<tosa::Graph> graph =
        tosa::read_graph(*module, info_.pName == nullptr ? "" : info_.pName, diagnostics_);
    if (!graph || diagnostics_.has_errors()) return std::nullopt;
    bind_constants(*graph);
    if (diagnostics_.has_errors()) return std::nullopt;
    std::vector<tensor::Shape> shapes;
    for (const tosa::Binding& at : graph->input_bindings) {
      if (const TensorDescription* tensor = bound(graph->name, at)) shapes.push_back(tensor->shape_of());
    }
    check_elements(*graph, graph->inputs, graph->input_bindings);
    check_elements(*graph, graph->outputs, graph->output_bindings);
    if (diagnostics_.has_errors()) return std::nullopt;
    auto resolved = tosa::with_bound_shapes(std::move(*graph), shapes, diagnostics_);
    if (!resolved) return std::nullopt;
    for (std::size_t i = 0; i < resolved->outputs.size(); ++i)
      tosa::takes_output(*resolved, i, tensors_.at(resolved->output_bindings[i]).shape_of(), diagnostics_);
    if (diagnostics_.has_errors()) return std::nullopt;
    for (const auto& data : owned_) resolved->storage.push_back(data);
    return resolved;
  }

 private:
  const TensorDescription* bound(std::string_view graph, const tosa::Binding& at) {
    const auto found = tensors_.find(at);
    if (found != tensors_.end()) return &found->second;
    diagnostics_.error(DiagnosticKind::BindingMismatch, {},
                       formatted("the pipeline has no tensor for {} of graph `{}`", text_of(at), graph));
    return nullptr;
  }

  void check_elements(const tosa::Graph& graph, std::span<const tosa::ValueId> values,
                      std::span<const tosa::Binding> bindings) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const TensorDescription* tensor = bound(graph.name, bindings[i]);
      if (tensor == nullptr) continue;
      const tosa::TensorType& type = graph[values[i]].type;
      const auto element =
          tensor::tensor_element_type(static_cast<vk::Format>(tensor->format), SourceLocation::nowhere());
      if (element && tosa::is_stored_as(type.data, *element)) continue;
      diagnostics_.error(
          DiagnosticKind::TypeMismatch, {},
          formatted("graph `{}` has {} at {}, and the pipeline a tensor of {} {}", graph.name, tosa::text_of(type),
                    text_of(bindings[i]), vk::name_of(static_cast<vk::Format>(tensor->format)),
                    tensor::shape_text(tensor->shape_of())));
    }
  }

  void bind_constants(tosa::Graph& graph) {
    tosa::bind_constants(graph, [&](std::uint32_t id) { return data_of(graph, id); }, diagnostics_);
  }

  std::optional<tosa::BoundConstant> data_of(const tosa::Graph& graph, std::uint32_t id) {
    for (const VkDataGraphPipelineConstantARM& constant : array_of(info_.pConstants, info_.constantCount)) {
      if (constant.id != id || constant.pConstantData == nullptr) continue;
      const auto* given =
          find_in_chain<VkTensorDescriptionARM>(constant.pNext, VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM);
      TensorDescription description;
      if (given != nullptr && !read_description(*given, description)) return std::nullopt;
      const auto* data = static_cast<const std::byte*>(constant.pConstantData);
      if (given != nullptr) {
        const Bytes bytes = description.packed ? Bytes(data, description.packed_size()) : gathered(description, data);
        return tosa::BoundConstant(bytes, description.shape_of());
      }
      for (const tosa::Constant& one : graph.constants) {
        if (one.graph_constant != id) continue;
        const tosa::TensorType& type = graph[one.value].type;
        const auto size = tensor::byte_count(type.shape, tosa::storage_of(type.data));
        if (size) return Bytes(data, *size);
      }
    }
    return std::nullopt;
  }

  // The elements without gaps.
  Bytes gathered(const TensorDescription& from, const std::byte* data) {
    auto all = std::make_shared<std::vector<std::byte>>(from.packed_size());
    const TensorDescription to = packed(from);
    std::array<std::int64_t, kMaxRank> at{};
    for (bool more = true; more;) {
      std::uint64_t source = 0, target = 0;
      for (std::uint32_t d = 0; d < from.rank; ++d) {
        source += static_cast<std::uint64_t>(at[d]) * from.strides[d];
        target += static_cast<std::uint64_t>(at[d]) * to.strides[d];
      }
      std::memcpy(all->data() + target, data + source, from.element);
      more = false;
      for (std::uint32_t d = from.rank; d-- > 0 && !more;) {
        more = ++at[d] < from.shape[d];
        if (!more) at[d] = 0;
      }
    }
    owned_.push_back(all);
    return Bytes(*all);
  }

  const VkDataGraphPipelineShaderModuleCreateInfoARM& info_;
  const BoundTensors& tensors_;
  Diagnostics& diagnostics_;
  std::vector<std::shared_ptr<const std::vector<std::byte>>> owned_;
};

}  // namespace

spirv::Specialization values_of(const VkSpecializationInfo& info) {
  spirv::Specialization values;
  for (std::uint32_t i = 0; i < info.mapEntryCount; ++i) {
    const VkSpecializationMapEntry& entry = info.pMapEntries[i];
    if (entry.offset > info.dataSize || entry.size > info.dataSize - entry.offset) continue;
    std::uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const std::byte*>(info.pData) + entry.offset, std::min(entry.size, sizeof bits));
    values[entry.constantID] = bits;
  }
  return values;
}

std::optional<tosa::Graph> read_graph(const spirv::Words& words,
                                      const VkDataGraphPipelineShaderModuleCreateInfoARM& info,
                                      const BoundTensors& tensors, Diagnostics& diagnostics) {
  return GraphReader(info, tensors, diagnostics).read(words);
}

}  // namespace slipway::layer
