// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph in the driver: kernels as compute pipelines, and constants in memory that the host writes.
#include <algorithm>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "base/parallel.hpp"
#include "layer/graphs/graph_profile.hpp"
#include "layer/graphs/graphs.hpp"
#include "lower/lower.hpp"
#include "lower/program_layout.hpp"

namespace slipway::layer {
namespace {

constexpr std::uint64_t kConstantAlignment = 256;

// Kernels of graphs on disk, for pipelines without a cache of the application.
class KernelCache {
 public:
  KernelCache(const LayerDevice& device, const lower::KernelProgram& program) : device_(device) {
    if (!device.cache.enabled()) return;
    const vk::Snapshot& snapshot = device.physical->snapshot;
    std::string words;
    for (const lower::ProgramKernel& kernel : program.kernels)
      words += Cache::key({text_of(std::as_bytes(std::span(*kernel.spirv)))});
    key_ = Cache::key({"layer kernels", words, vk::format_uuid(snapshot.device_uuid),
                       vk::format_uuid(snapshot.pipeline_cache_uuid), formatted("{}", snapshot.driver_version)});
    const std::vector<std::byte> data = device.cache.find(key_).value_or(std::vector<std::byte>{});
    is_new_ = data.empty();
    const VkPipelineCacheCreateInfo create{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                           .initialDataSize = data.size(),
                                           .pInitialData = data.data()};
    if (device.next.vkCreatePipelineCache(device.handle, &create, nullptr, &handle_) != VK_SUCCESS)
      handle_ = VK_NULL_HANDLE;
  }
  KernelCache(const KernelCache&) = delete;
  ~KernelCache() {
    if (handle_ != VK_NULL_HANDLE) device_.next.vkDestroyPipelineCache(device_.handle, handle_, nullptr);
  }

  VkPipelineCache handle() const { return handle_; }

  void store() const {
    if (handle_ == VK_NULL_HANDLE || !is_new_) return;
    std::size_t size = 0;
    if (device_.next.vkGetPipelineCacheData(device_.handle, handle_, &size, nullptr) != VK_SUCCESS) return;
    std::vector<std::byte> data(size);
    if (device_.next.vkGetPipelineCacheData(device_.handle, handle_, &size, data.data()) != VK_SUCCESS) return;
    data.resize(size);
    if (size > sizeof(VkPipelineCacheHeaderVersionOne)) device_.cache.store(key_, data);
  }

 private:
  const LayerDevice& device_;
  std::string key_;
  VkPipelineCache handle_ = VK_NULL_HANDLE;
  bool is_new_ = false;
};

}  // namespace

GraphProgram::GraphProgram(const LayerDevice& device) : device_(device) {}

GraphProgram::~GraphProgram() {
  for (const VkPipeline kernel : kernels) device_.next.vkDestroyPipeline(device_.handle, kernel, nullptr);
  destroy_host_buffer(device_, memory_);
}

VkResult GraphProgram::make(const tosa::Graph& graph, const BoundTensors& tensors,
                            const std::shared_ptr<const AfterBindLayout>& layout, VkPipelineCache cache, bool parallel,
                            VkPipelineCreateFlags flags, Diagnostics& diagnostics) {
  auto lowered = diagnostics.take(lower::lower_graph(graph, device_.lower));
  if (!lowered) return VK_ERROR_INITIALIZATION_FAILED;
  program = std::move(*lowered);
  log = lower::print_program(graph, program);
  session_size = round_up(program.arena_size, kConstantAlignment);
  const auto add = [&](std::vector<Interface>& to, const tosa::Binding& at) {
    Interface one{.at = at, .description = tensors.at(at)};
    const bool after_bind = layout && layout->contains(at.set, at.binding);
    if (!one.description.packed || one.description.may_have_image_strides() || after_bind) {
      one.packed_at = session_size;
      session_size += round_up(one.description.packed_size(), kConstantAlignment);
    }
    to.push_back(one);
  };
  for (const tosa::Binding& at : graph.input_bindings) add(inputs, at);
  for (const tosa::Binding& at : graph.output_bindings) add(outputs, at);

  VkResult result = make_constants(graph);
  if (result == VK_SUCCESS) result = make_kernels(cache, parallel, flags);
  if (result == VK_SUCCESS && layout) result = make_copies(layout, cache, flags);
  if (result != VK_SUCCESS) return result;
  std::vector<std::string> operators;
  for (const lower::ProgramDispatch& one : program.dispatches) operators.push_back(program.kernels[one.kernel].name);
  if (device_.instance->settings.profile) profile = std::make_unique<GraphProfile>(device_, std::move(operators));
  count_calls();
  return VK_SUCCESS;
}

VkResult GraphProgram::make_copies(const std::shared_ptr<const AfterBindLayout>& layout, VkPipelineCache cache,
                                   VkPipelineCreateFlags flags) {
  for (std::vector<Interface>* all : {&inputs, &outputs}) {
    for (Interface& one : *all) {
      if (!layout->contains(one.at.set, one.at.binding)) continue;
      auto copy = std::make_shared<AfterBindCopy>(device_, layout);
      const VkResult result = copy->make(one.at, cache, flags);
      if (result != VK_SUCCESS) return result;
      one.after_bind = std::move(copy);
      log += formatted("{}: copied, because its descriptor may be updated after it is bound\n", text_of(one.at));
    }
  }
  return VK_SUCCESS;
}

// As GraphRecording records the dispatches.
void GraphProgram::count_calls() {
  const std::span<const lower::ProgramDispatch> all = program.dispatches;
  std::uint32_t barriers = session_size > 0 ? 1 : 0, binds = 0, pushes = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != 0 && lower::ends_stage(program, i - 1)) ++barriers;
    if (i == 0 || all[i].kernel != all[i - 1].kernel) ++binds;
    if (i == 0 || !std::ranges::starts_with(all[i - 1].buffers, all[i].buffers)) ++pushes;
  }
  const auto dispatches = static_cast<std::uint32_t>(all.size());
  calls = barriers + binds + pushes + dispatches;
  log += formatted(
      "recording: {} Vulkan calls ({} barriers, {} pipelines, {} push constants, {} dispatches){}\n", calls, barriers,
      binds, pushes, dispatches,
      calls >= kMinRecordedCalls ? "; from the third time on 1, and those that set the application's state again" : "");
}

VkResult GraphProgram::make_constants(const tosa::Graph& graph) {
  constants.resize(program.buffers.size());
  const auto layout = lower::layout_of_constants(graph, program, lower::ConstantMemory::Device, kConstantAlignment);
  if (layout.size == 0) return VK_SUCCESS;
  const VkResult result = create_host_buffer(device_, layout.size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, memory_);
  if (result != VK_SUCCESS) return result;
  for (const auto [index, offset] : layout.ranges) {
    const lower::ProgramBuffer& buffer = program.buffers[index];
    const MutableBytes to(memory_.mapped + offset, buffer.size);
    lower::write_constant(graph, buffer, lower::ConstantMemory::Device, to);
    constants[index] = memory_.address + offset;
  }
  return VK_SUCCESS;
}

VkResult GraphProgram::make_kernels(VkPipelineCache cache, bool parallel, VkPipelineCreateFlags flags) {
  std::optional<KernelCache> own;
  if (cache == VK_NULL_HANDLE) cache = own.emplace(device_, program).handle();
  kernels.resize(program.kernels.size(), VK_NULL_HANDLE);
  std::vector<VkResult> results(program.kernels.size(), VK_SUCCESS);
  const auto make_one = [&](std::size_t i) {
    results[i] = create_kernel(device_, *program.kernels[i].spirv, device_.kernel_layout, cache, flags, kernels[i]);
  };
  if (parallel) {
    parallel_for(kernels.size(), make_one);
  } else {
    for (std::size_t i = 0; i < kernels.size(); ++i) make_one(i);
  }
  const auto failed = std::ranges::find_if(results, [](VkResult result) { return result != VK_SUCCESS; });
  if (failed != results.end()) return *failed;
  if (own) own->store();
  for (lower::ProgramKernel& kernel : program.kernels) kernel.spirv = nullptr;
  return VK_SUCCESS;
}

}  // namespace slipway::layer
