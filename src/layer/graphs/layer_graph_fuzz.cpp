// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules of graphs as an application passes them, with tensors and a constant, to kernels. The first byte selects the
// shape of the tensors.
#include <array>
#include <cstdint>
#include <cstring>

#include "layer/graphs/graphs.hpp"
#include "lower/lower.hpp"
#include "tosa/read/read_spirv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  if (size < 5) return 0;
  spirv::Words words((size - 1) / 4);
  std::memcpy(words.data(), data + 1, words.size() * 4);
  const auto module = spirv::read_module(spirv::Words(words), "fuzz.spv");
  if (!module) return 0;
  const std::vector<std::string> names = tosa::graph_entry_points(*module);
  if (names.empty()) return 0;
  const std::int64_t shape[] = {1 + (data[0] & 7), 4};
  const std::uint32_t rank = 1 + (data[0] >> 3 & 1);
  const VkTensorDescriptionARM description{.sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
                                           .tiling = VK_TENSOR_TILING_LINEAR_ARM,
                                           .format = (data[0] & 16) != 0 ? VK_FORMAT_R32_SFLOAT : VK_FORMAT_R8_SINT,
                                           .dimensionCount = rank,
                                           .pDimensions = rank == 2 ? shape : shape + 1};
  layer::TensorDescription tensor;
  if (!layer::read_description(description, tensor)) return 0;
  layer::BoundTensors tensors;
  for (std::uint32_t binding = 0; binding < 8; ++binding) tensors.emplace(tosa::Binding{0, binding}, tensor);
  const std::array<std::byte, 256> bytes{};
  const VkDataGraphPipelineConstantARM constant{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CONSTANT_ARM,
                                                .pNext = &description,
                                                .id = 0,
                                                .pConstantData = bytes.data()};
  const VkDataGraphPipelineShaderModuleCreateInfoARM info{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM,
      .pName = names.front().c_str(),
      .constantCount = 1,
      .pConstants = &constant};
  Diagnostics diagnostics;
  const auto graph = layer::read_graph(words, info, tensors, diagnostics);
  constexpr std::size_t kFewNodes = 64;
  if (!graph || graph->nodes.size() > kFewNodes) return 0;
  lower::LowerOptions options{.addresses_only = true};
  options.device.addresses = true;
  static_cast<void>(lower::lower_graph(*graph, options));
  return 0;
}
