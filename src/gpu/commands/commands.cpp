// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/commands/commands.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/device/device_core.hpp"

namespace slipway::gpu {
namespace {

VkPipelineBindPoint bind_point_of(const Pipeline& pipeline) {
  switch (pipeline.kind()) {
    case PipelineKind::Compute:
      return VK_PIPELINE_BIND_POINT_COMPUTE;
    case PipelineKind::Graphics:
      return VK_PIPELINE_BIND_POINT_GRAPHICS;
    case PipelineKind::Graph:
      return VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM;
  }
  std::unreachable();
}

VkImageLayout layout_of(vk::Layout layout) { return static_cast<VkImageLayout>(layout); }

VkBufferImageCopy region_of(const Image& image, const BufferImageCopy& where) {
  const bool whole = where.extent == std::array<std::uint32_t, 3>{};
  const auto [width, height, depth] = whole ? image.extent(where.level) : where.extent;
  return {.bufferOffset = where.offset,
          .imageSubresource = {image.plan().data_aspect, where.level, where.first_layer,
                               whole ? image.info().layers : where.layers},
          .imageOffset = {static_cast<std::int32_t>(where.origin[0]), static_cast<std::int32_t>(where.origin[1]),
                          static_cast<std::int32_t>(where.origin[2])},
          .imageExtent = {width, height, depth}};
}

VkAttachmentLoadOp load_op(vk::Load load) {
  switch (load) {
    case vk::Load::DontCare:
      return VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    case vk::Load::Contents:
      return VK_ATTACHMENT_LOAD_OP_LOAD;
    case vk::Load::Clear:
      return VK_ATTACHMENT_LOAD_OP_CLEAR;
  }
  std::unreachable();
}

// Integers have no average, and every device can take the first sample of depth and stencil (Vulkan 1.3,
// VkPhysicalDeviceDepthStencilResolveProperties).
VkRenderingAttachmentInfo attachment_of(const ColorAttachment& color) {
  VkRenderingAttachmentInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                 .imageView = color.view,
                                 .imageLayout = layout_of(color.layout),
                                 .loadOp = load_op(color.load),
                                 .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
  std::ranges::copy(color.clear.bits, info.clearValue.color.uint32);
  if (color.resolve) {
    info.resolveMode = color.integers ? VK_RESOLVE_MODE_SAMPLE_ZERO_BIT : VK_RESOLVE_MODE_AVERAGE_BIT;
    info.resolveImageView = color.resolve;
    info.resolveImageLayout = layout_of(color.resolve_layout);
  }
  return info;
}

VkRenderingAttachmentInfo attachment_of(const DepthStencilAttachment& both, vk::Load load) {
  VkRenderingAttachmentInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                 .imageView = both.view,
                                 .imageLayout = layout_of(both.layout),
                                 .loadOp = load_op(load),
                                 .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
  info.clearValue.depthStencil = {both.clear_depth, both.clear_stencil};
  if (both.resolve) {
    info.resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
    info.resolveImageView = both.resolve;
    info.resolveImageLayout = layout_of(both.resolve_layout);
  }
  return info;
}

// From all commands to all commands. kMemoryRead would include the reading of indirect commands: a list that ends with
// that takes 2 us longer on an H200.
BarrierScope scope_of_lists(const vk::DevicePlan& plan) {
  using namespace vk::access;
  BarrierScope scope{.src_access = kMemoryWrite,
                     .dst_access = kShaderRead | kShaderWrite | kUniformRead | kTransferRead | kTransferWrite};
  if (plan.queue_flags & vk::queue_flag::kGraphics)
    scope.dst_access |= kIndexRead | kVertexAttributeRead | kColorAttachmentRead | kColorAttachmentWrite |
                        kDepthStencilRead | kDepthStencilWrite;
  if (plan.has_extension(VK_ARM_DATA_GRAPH_EXTENSION_NAME)) scope.dst_access |= kDataGraphRead | kDataGraphWrite;
  return scope;
}

}  // namespace

struct CommandList::State {
  explicit State(const DeviceCore& device_core)
      : core(device_core), vk(device_core.functions), everything(scope_of_lists(device_core.plan)) {}

  const DeviceCore& core;
  const DeviceFunctions& vk;
  BarrierScope everything;
  std::string name;
  Owned<VkCommandPool_T> pool;
  VkCommandBuffer buffer = nullptr;  // the pool's
  // Used again and again, so that recording does not allocate.
  std::vector<VkMemoryBarrier2> memory_barriers;
  std::vector<VkBufferMemoryBarrier2> buffer_barriers;
  std::vector<VkTensorMemoryBarrierARM> tensor_barriers;
  std::vector<VkImageMemoryBarrier2> image_barriers;
  std::vector<VkRenderingAttachmentInfo> attachments;
  std::string label;
};

CommandList::CommandList(std::unique_ptr<State> state) : state_(std::move(state)) {}
CommandList::CommandList(CommandList&&) noexcept = default;
CommandList& CommandList::operator=(CommandList&&) noexcept = default;
CommandList::~CommandList() = default;

Result<CommandList> create_command_list(const Device& device, std::string_view name) {
  const DeviceCore& core = device.core();
  auto state = std::make_unique<CommandList::State>(core);
  state->name = name;
  const VkCommandPoolCreateInfo create{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                       .queueFamilyIndex = core.plan.queue_family};
  VkCommandPool pool = nullptr;
  VkResult result = core.functions.vkCreateCommandPool(core.device, &create, nullptr, &pool);
  if (result != VK_SUCCESS) return vulkan_failed("vkCreateCommandPool", result, "command list", name);
  state->pool = Owned<VkCommandPool_T>(core, pool);
  const VkCommandBufferAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = pool,
                                             .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                             .commandBufferCount = 1};
  result = core.functions.vkAllocateCommandBuffers(core.device, &allocate, &state->buffer);
  if (result != VK_SUCCESS) return vulkan_failed("vkAllocateCommandBuffers", result, "command list", name);
  set_debug_name(core, VK_OBJECT_TYPE_COMMAND_BUFFER, state->buffer, name);
  return CommandList(std::move(state));
}

VkCommandBuffer_T* CommandList::handle() const { return state_->buffer; }

Result<> CommandList::begin() {
  VkResult result = state_->vk.vkResetCommandPool(state_->core.device, state_->pool.get(), 0);
  if (result != VK_SUCCESS) return vulkan_failed("vkResetCommandPool", result, "command list", state_->name);
  const VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  result = state_->vk.vkBeginCommandBuffer(state_->buffer, &info);
  if (result != VK_SUCCESS) return vulkan_failed("vkBeginCommandBuffer", result, "command list", state_->name);
  return {};
}

Result<> CommandList::end() {
  // A fence alone makes writes available, not visible.
  BarrierScope all = state_->everything;
  all.dst_stages |= vk::stage::kHost;
  all.dst_access |= vk::access::kHostRead;
  barrier({.memory = {&all, 1}});
  const VkResult result = state_->vk.vkEndCommandBuffer(state_->buffer);
  if (result != VK_SUCCESS) return vulkan_failed("vkEndCommandBuffer", result, "command list", state_->name);
  return {};
}

void CommandList::bind(const Pipeline& pipeline) {
  state_->vk.vkCmdBindPipeline(state_->buffer, bind_point_of(pipeline), pipeline.handle());
}

void CommandList::bind_sets(const Pipeline& pipeline, std::uint32_t first_set,
                            std::span<VkDescriptorSet_T* const> sets) {
  state_->vk.vkCmdBindDescriptorSets(state_->buffer, bind_point_of(pipeline), pipeline.layout().handle(), first_set,
                                     static_cast<std::uint32_t>(sets.size()), sets.data(), 0, nullptr);
}

void CommandList::push_constants(const Pipeline& pipeline, Bytes data) {
  state_->vk.vkCmdPushConstants(state_->buffer, pipeline.layout().handle(),
                                pipeline.layout().info().push_constants_stages, 0,
                                static_cast<std::uint32_t>(data.size()), data.data());
}

void CommandList::dispatch(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  state_->vk.vkCmdDispatch(state_->buffer, x, y, z);
}

void CommandList::dispatch_graph(const Pipeline& pipeline) {
  state_->vk.vkCmdDispatchDataGraphARM(state_->buffer, pipeline.session(), nullptr);
}

void CommandList::begin_rendering(const Rendering& rendering) {
  state_->attachments.clear();
  for (const ColorAttachment& color : rendering.colors) state_->attachments.push_back(attachment_of(color));
  const VkRect2D area{{0, 0}, {rendering.extent[0], rendering.extent[1]}};
  VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                       .renderArea = area,
                       .layerCount = 1,
                       .colorAttachmentCount = static_cast<std::uint32_t>(state_->attachments.size()),
                       .pColorAttachments = state_->attachments.data()};
  VkRenderingAttachmentInfo depth{}, stencil{};
  if (const DepthStencilAttachment* both = rendering.depth_stencil) {
    depth = attachment_of(*both, both->depth_load);
    stencil = attachment_of(*both, both->stencil_load);
    if (both->depth) info.pDepthAttachment = &depth;
    if (both->stencil) info.pStencilAttachment = &stencil;
  }
  const VkViewport viewport{0, 0, static_cast<float>(area.extent.width), static_cast<float>(area.extent.height), 0, 1};
  state_->vk.vkCmdSetViewport(state_->buffer, 0, 1, &viewport);
  state_->vk.vkCmdSetScissor(state_->buffer, 0, 1, &area);
  state_->vk.vkCmdBeginRendering(state_->buffer, &info);
}

void CommandList::bind_vertices(std::uint32_t binding, const Buffer& buffer) {
  const VkBuffer handle = buffer.handle();
  const VkDeviceSize offset = 0;
  state_->vk.vkCmdBindVertexBuffers(state_->buffer, binding, 1, &handle, &offset);
}

void CommandList::bind_indices(const Buffer& buffer, vk::IndexType type) {
  state_->vk.vkCmdBindIndexBuffer(state_->buffer, buffer.handle(), 0, static_cast<VkIndexType>(type));
}

void CommandList::draw(const DrawRange& range) {
  state_->vk.vkCmdDraw(state_->buffer, range.count, range.instances, range.first_vertex, 0);
}

void CommandList::draw_indexed(const DrawRange& range) {
  state_->vk.vkCmdDrawIndexed(state_->buffer, range.count, range.instances, 0,
                              static_cast<std::int32_t>(range.first_vertex), 0);
}

void CommandList::end_rendering() { state_->vk.vkCmdEndRendering(state_->buffer); }

namespace {

// A barrier without its resource; queues do not change.
template <class Barrier>
Barrier in_scope(VkStructureType type, const BarrierScope& scope) {
  Barrier barrier{};
  barrier.sType = type;
  barrier.srcStageMask = scope.src_stages;
  barrier.srcAccessMask = scope.src_access;
  barrier.dstStageMask = scope.dst_stages;
  barrier.dstAccessMask = scope.dst_access;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  return barrier;
}

}  // namespace

void CommandList::barrier(const Barriers& barriers) {
  state_->memory_barriers.clear();
  state_->buffer_barriers.clear();
  state_->tensor_barriers.clear();
  state_->image_barriers.clear();
  for (const BarrierScope& scope : barriers.memory) {
    state_->memory_barriers.push_back({VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, scope.src_stages, scope.src_access,
                                       scope.dst_stages, scope.dst_access});
  }
  for (const BufferBarrier& entry : barriers.buffers) {
    auto& to = state_->buffer_barriers.emplace_back(
        in_scope<VkBufferMemoryBarrier2>(VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2, entry.scope));
    to.buffer = entry.buffer->handle();
    to.offset = entry.offset;
    to.size = entry.size ? entry.size : VK_WHOLE_SIZE;
  }
  for (const TensorBarrier& entry : barriers.tensors) {
    state_->tensor_barriers
        .emplace_back(in_scope<VkTensorMemoryBarrierARM>(VK_STRUCTURE_TYPE_TENSOR_MEMORY_BARRIER_ARM, entry.scope))
        .tensor = entry.tensor->handle();
  }
  for (const ImageBarrier& entry : barriers.images) {
    auto& to = state_->image_barriers.emplace_back(
        in_scope<VkImageMemoryBarrier2>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2, entry.scope));
    to.oldLayout = layout_of(entry.old_layout);
    to.newLayout = layout_of(entry.new_layout);
    to.image = entry.image->handle();
    to.subresourceRange = {entry.image->plan().aspects, entry.first_level,
                           entry.levels ? entry.levels : VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
  }
  const VkTensorDependencyInfoARM tensors{
      .sType = VK_STRUCTURE_TYPE_TENSOR_DEPENDENCY_INFO_ARM,
      .tensorMemoryBarrierCount = static_cast<std::uint32_t>(state_->tensor_barriers.size()),
      .pTensorMemoryBarriers = state_->tensor_barriers.data()};
  const VkDependencyInfo dependency{
      .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
      .pNext = barriers.tensors.empty() ? nullptr : &tensors,
      .memoryBarrierCount = static_cast<std::uint32_t>(state_->memory_barriers.size()),
      .pMemoryBarriers = state_->memory_barriers.data(),
      .bufferMemoryBarrierCount = static_cast<std::uint32_t>(state_->buffer_barriers.size()),
      .pBufferMemoryBarriers = state_->buffer_barriers.data(),
      .imageMemoryBarrierCount = static_cast<std::uint32_t>(state_->image_barriers.size()),
      .pImageMemoryBarriers = state_->image_barriers.data()};
  state_->vk.vkCmdPipelineBarrier2(state_->buffer, &dependency);
}

void CommandList::full_barrier() { barrier({.memory = {&state_->everything, 1}}); }

void CommandList::copy(const Buffer& from, std::uint64_t from_offset, const Buffer& to, std::uint64_t to_offset,
                       std::uint64_t size) {
  const VkBufferCopy region{from_offset, to_offset, size};
  state_->vk.vkCmdCopyBuffer(state_->buffer, from.handle(), to.handle(), 1, &region);
}

void CommandList::copy(const Buffer& from, const Image& to, const BufferImageCopy& where) {
  const VkBufferImageCopy region = region_of(to, where);
  state_->vk.vkCmdCopyBufferToImage(state_->buffer, from.handle(), to.handle(), layout_of(where.layout), 1, &region);
}

void CommandList::copy(const Image& from, const Buffer& to, const BufferImageCopy& where) {
  const VkBufferImageCopy region = region_of(from, where);
  state_->vk.vkCmdCopyImageToBuffer(state_->buffer, from.handle(), layout_of(where.layout), to.handle(), 1, &region);
}

void CommandList::fill(const Buffer& buffer, std::uint64_t offset, std::uint64_t size, std::uint32_t value) {
  state_->vk.vkCmdFillBuffer(state_->buffer, buffer.handle(), offset, size ? size : VK_WHOLE_SIZE, value);
}

void CommandList::clear(const Image& image, ClearColor color, vk::Layout layout) {
  const VkImageAspectFlags aspects = image.plan().aspects;
  const VkImageSubresourceRange all{aspects, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
  if (aspects == VK_IMAGE_ASPECT_COLOR_BIT) {
    VkClearColorValue value;
    std::ranges::copy(color.bits, value.uint32);
    state_->vk.vkCmdClearColorImage(state_->buffer, image.handle(), layout_of(layout), &value, 1, &all);
    return;
  }
  const std::uint32_t stencil = aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? color.bits[1] : color.bits[0];
  const VkClearDepthStencilValue value{std::bit_cast<float>(color.bits[0]), stencil};
  state_->vk.vkCmdClearDepthStencilImage(state_->buffer, image.handle(), layout_of(layout), &value, 1, &all);
}

void CommandList::blit_level(const Image& image, std::uint32_t level) {
  const vk::FormatFeatures features = state_->core.snapshot.format_features(image.info().format);
  const std::uint64_t tiled = image.tiling() == vk::Tiling::Linear ? features.linear : features.optimal;
  const VkImageAspectFlags aspect = image.plan().data_aspect;
  const bool linear = aspect == VK_IMAGE_ASPECT_COLOR_BIT && (tiled & vk::format_feature::kSampledLinear);
  const auto corner = [&](std::uint32_t of) {
    const auto [width, height, depth] = image.extent(of);
    return VkOffset3D{static_cast<std::int32_t>(width), static_cast<std::int32_t>(height),
                      static_cast<std::int32_t>(depth)};
  };
  const std::uint32_t layers = image.info().layers;
  const VkImageBlit region{.srcSubresource = {aspect, level - 1, 0, layers},
                           .srcOffsets = {{0, 0, 0}, corner(level - 1)},
                           .dstSubresource = {aspect, level, 0, layers},
                           .dstOffsets = {{0, 0, 0}, corner(level)}};
  state_->vk.vkCmdBlitImage(state_->buffer, image.handle(), VK_IMAGE_LAYOUT_GENERAL, image.handle(),
                            VK_IMAGE_LAYOUT_GENERAL, 1, &region, linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST);
}

void CommandList::reset_timestamps(const Timestamps& timestamps, std::uint32_t first, std::uint32_t count) {
  state_->vk.vkCmdResetQueryPool(state_->buffer, timestamps.handle(), first, count);
}

void CommandList::write_timestamp(const Timestamps& timestamps, std::uint32_t index, vk::StageFlags stage) {
  state_->vk.vkCmdWriteTimestamp2(state_->buffer, stage, timestamps.handle(), index);
}

void CommandList::begin_label(std::string_view label) {
  if (!state_->vk.vkCmdBeginDebugUtilsLabelEXT) return;
  state_->label = label;
  const VkDebugUtilsLabelEXT info{.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                  .pLabelName = state_->label.c_str()};
  state_->vk.vkCmdBeginDebugUtilsLabelEXT(state_->buffer, &info);
}

void CommandList::end_label() {
  if (state_->vk.vkCmdEndDebugUtilsLabelEXT) state_->vk.vkCmdEndDebugUtilsLabelEXT(state_->buffer);
}

}  // namespace slipway::gpu
