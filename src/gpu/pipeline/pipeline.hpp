// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compute, graphics and graph pipelines. They may be created on several threads at once, with one cache.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "gpu/pipeline/descriptors.hpp"
#include "gpu/pipeline/pipeline_cache.hpp"
#include "vk/graphics_state.hpp"

namespace slipway::gpu {

// `size` bytes at `offset` of the data become the constant `id`.
struct SpecializationEntry {
  std::uint32_t id = 0;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

struct ShaderInfo {
  std::span<const std::uint32_t> words;  // SPIR-V, validated
  std::string entry = "main";
  std::span<const SpecializationEntry> specialization;
  Bytes specialization_data;
};

// How a pipeline of any kind is created.
struct PipelineOptions {
  const PipelineCache* cache = nullptr;
  // A pipeline that is not in the cache is an error (device-failed): `Pipeline cache miss for pipeline: NAME`.
  bool fail_on_cache_miss = false;
  std::string name;  // for messages and debugging tools
};

struct ComputePipelineInfo {
  ShaderInfo shader;
  const PipelineLayout* layout = nullptr;
  std::uint32_t subgroup_size = 0;  // 0: the driver's choice
  PipelineOptions options;
};

// For dynamic rendering. Viewport and scissor are set by the drawing.
struct GraphicsPipelineInfo {
  ShaderInfo vertex;
  ShaderInfo fragment;  // without words: nothing but depth and stencil is written
  const PipelineLayout* layout = nullptr;
  vk::GraphicsState state;
  std::vector<vk::Format> color_formats;
  vk::Format depth_stencil_format = vk::Format::UNDEFINED;
  PipelineOptions options;
};

// A tensor that a graph is bound to.
struct GraphTensor {
  std::uint32_t set = 0, binding = 0;
  const Tensor* tensor = nullptr;
};

struct GraphConstant {
  std::uint32_t id = 0;  // GraphConstantID
  vk::TensorInfo tensor;
  const std::byte* data = nullptr;  // packed; read while the pipeline is made
};

// A graph that the driver runs itself (VK_ARM_data_graph). Its layout has no push constants.
struct GraphPipelineInfo {
  ShaderInfo graph;  // without specialization
  const PipelineLayout* layout = nullptr;
  std::span<const GraphTensor> tensors;
  std::span<const GraphConstant> constants;
  PipelineOptions options;
};

enum class PipelineKind : std::uint8_t { Compute, Graphics, Graph };

class Pipeline {
 public:
  VkPipeline_T* handle() const { return pipeline_.get(); }
  const PipelineLayout& layout() const { return *layout_; }  // must live as long
  PipelineKind kind() const { return kind_; }
  // Of a graph: what it computes with, which is one dispatch's at a time, and how many bytes that has.
  VkDataGraphPipelineSessionARM_T* session() const { return session_.get(); }
  std::uint64_t session_size() const { return session_size_; }
  const std::string& name() const { return name_; }
  // As the driver reports; without a report it counts as a miss.
  bool cache_hit() const { return cache_hit_; }

 private:
  friend struct PipelineBuilder;
  Owned<VkPipeline_T> pipeline_;
  std::vector<MemoryPtr> session_memory_;  // outlives the session
  Owned<VkDataGraphPipelineSessionARM_T> session_;
  std::uint64_t session_size_ = 0;
  const PipelineLayout* layout_ = nullptr;
  PipelineKind kind_ = PipelineKind::Compute;
  bool cache_hit_ = false;
  std::string name_;
};

Result<Pipeline> create_compute_pipeline(const Device& device, const ComputePipelineInfo& info);
// Errors: device-lacks, one for each thing that the device was not made with.
Result<Pipeline> create_graphics_pipeline(const Device& device, const GraphicsPipelineInfo& info);
// With its session.
Result<Pipeline> create_graph_pipeline(const Device& device, const GraphPipelineInfo& info);

}  // namespace slipway::gpu
