// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "testing/compute_fixture.hpp"

#include <algorithm>

#include "gpu/commands/transfer.hpp"
#include "gpu/pipeline/pipeline.hpp"

namespace slipway::testing {
namespace {

vk::PipelineLayoutInfo layout_of(std::span<const ComputeBuffer> buffers, std::uint32_t push_constants_size) {
  vk::PipelineLayoutInfo info{.push_constants_size = push_constants_size, .name = "compute"};
  for (const ComputeBuffer& buffer : buffers) {
    if (info.sets.size() <= buffer.set) info.sets.resize(buffer.set + 1);
    info.sets[buffer.set].push_back(
        {.binding = buffer.binding,
         .type = buffer.uniform ? vk::DescriptorType::UNIFORM_BUFFER : vk::DescriptorType::STORAGE_BUFFER});
  }
  return info;
}

}  // namespace

void ComputeTest::make_pipeline(std::span<const std::uint32_t> spirv, const std::string& entry,
                                std::span<const ComputeBuffer> buffers, std::uint32_t push_constants_size) {
  const gpu::PipelineLayout layout =
      must(gpu::create_pipeline_layout(device(), layout_of(buffers, push_constants_size)));
  must(gpu::create_compute_pipeline(device(), {.shader = {.words = spirv, .entry = entry}, .layout = &layout}));
}

void ComputeTest::dispatch(std::span<const std::uint32_t> spirv, const std::string& entry,
                           std::span<ComputeBuffer> buffers, std::array<std::uint32_t, 3> groups,
                           std::span<const std::uint32_t> push_constants) {
  const gpu::PipelineLayout layout = must(gpu::create_pipeline_layout(
      device(), layout_of(buffers, static_cast<std::uint32_t>(push_constants.size_bytes()))));
  const gpu::Pipeline pipeline =
      must(gpu::create_compute_pipeline(device(), {.shader = {.words = spirv, .entry = entry}, .layout = &layout}));

  std::vector<gpu::Buffer> made;
  for (const ComputeBuffer& buffer : buffers) {
    const Bytes bytes = std::as_bytes(std::span(buffer.words));
    made.push_back(must(gpu::create_buffer(device(), {.size = bytes.size(), .uniform = buffer.uniform, .name = "b"})));
    gpu::Transfer batch = must(gpu::create_transfer(device()));
    must(batch.upload(made.back(), 0, bytes));
    must(batch.finish());
  }
  std::vector<gpu::DescriptorSetInfo> infos(layout.info().sets.size());
  for (std::uint32_t set = 0; set < infos.size(); ++set) infos[set] = {.layout = &layout, .set = set, .writes = {}};
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    infos[buffers[i].set].writes.push_back({.binding = buffers[i].binding, .buffer = &made[i]});
  }
  const gpu::DescriptorSets sets = must(gpu::create_descriptor_sets(device(), infos));

  run([&](gpu::CommandList& list) {
    list.bind(pipeline);
    for (std::uint32_t set = 0; set < infos.size(); ++set) {
      VkDescriptorSet_T* const bound = sets[set];
      list.bind_sets(pipeline, set, {&bound, 1});
    }
    if (!push_constants.empty()) list.push_constants(pipeline, std::as_bytes(push_constants));
    list.dispatch(groups[0], groups[1], groups[2]);
  });
  for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].words = contents<std::uint32_t>(made[i]);
}

}  // namespace slipway::testing
