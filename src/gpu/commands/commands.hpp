// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recording commands.
//
//   Result<CommandList> list = create_command_list(device);
//   list->begin();
//   list->bind(pipeline);
//   list->bind_sets(pipeline, 0, {{sets[0]}});
//   list->dispatch(16, 1, 1);
//   list->end();
//
// Recording costs the driver's own time and nothing else: no function here allocates once the list has warmed up. What
// is recorded must live until the list has been executed for the last time or is begun again.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "gpu/commands/timestamps.hpp"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/image.hpp"
#include "gpu/pipeline/pipeline.hpp"

namespace slipway::gpu {

struct BarrierScope {
  vk::StageFlags src_stages = vk::stage::kAllCommands;
  vk::AccessFlags src_access = vk::access::kMemoryRead | vk::access::kMemoryWrite;
  vk::StageFlags dst_stages = vk::stage::kAllCommands;
  vk::AccessFlags dst_access = vk::access::kMemoryRead | vk::access::kMemoryWrite;
};

struct BufferBarrier {
  const Buffer* buffer = nullptr;
  BarrierScope scope;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  // 0: to the end
};

struct ImageBarrier {
  const Image* image = nullptr;
  BarrierScope scope;
  vk::Layout old_layout = vk::Layout::General;
  vk::Layout new_layout = vk::Layout::General;
  std::uint32_t first_level = 0;
  std::uint32_t levels = 0;  // 0: all from the first on
};

struct TensorBarrier {
  const Tensor* tensor = nullptr;
  BarrierScope scope;
};

// All of these go into one vkCmdPipelineBarrier2. Barriers of images are for all layers.
struct Barriers {
  std::span<const BarrierScope> memory;
  std::span<const BufferBarrier> buffers;
  std::span<const TensorBarrier> tensors;
  std::span<const ImageBarrier> images;
};

// Texels at `offset` of a buffer, rows packed tightly, and a box in one level of an image, in each of the layers.
struct BufferImageCopy {
  std::uint64_t offset = 0;  // a multiple of the texel block's size, and of 4 for formats with depth
  std::uint32_t level = 0;
  std::array<std::uint32_t, 3> origin{};
  std::array<std::uint32_t, 3> extent{};  // zeros: the whole level, all layers
  std::uint32_t first_layer = 0, layers = 1;
  vk::Layout layout = vk::Layout::General;
};

// The components of a clear value as the format takes them: floats, or 32-bit integers.
struct ClearColor {
  std::array<std::uint32_t, 4> bits{};
};

// Attachments are stored at the end. One of several samples is also resolved where `resolve` is given.
struct ColorAttachment {
  VkImageView_T* view = nullptr;  // of one level
  vk::Layout layout = vk::Layout::General;
  vk::Load load = vk::Load::DontCare;
  ClearColor clear;
  VkImageView_T* resolve = nullptr;  // gets the average of the samples; of integers the first one
  vk::Layout resolve_layout = vk::Layout::General;
  bool integers = false;  // the format is of integers
};

struct DepthStencilAttachment {
  VkImageView_T* view = nullptr;        // with all aspects of the format
  bool depth = false, stencil = false;  // the aspects
  vk::Layout layout = vk::Layout::General;
  vk::Load depth_load = vk::Load::DontCare, stencil_load = vk::Load::DontCare;
  float clear_depth = 0;
  std::uint32_t clear_stencil = 0;
  VkImageView_T* resolve = nullptr;  // gets the first of the samples
  vk::Layout resolve_layout = vk::Layout::General;
};

struct Rendering {
  std::array<std::uint32_t, 2> extent{};
  std::span<const ColorAttachment> colors;
  const DepthStencilAttachment* depth_stencil = nullptr;
};

// As many vertices or indices, for `instances` instances. `first_vertex` is the first vertex, or is added to every
// index.
struct DrawRange {
  std::uint32_t count = 3;
  std::uint32_t instances = 1;
  std::uint32_t first_vertex = 0;
};

class CommandList {
 public:
  CommandList(CommandList&&) noexcept;
  CommandList& operator=(CommandList&&) noexcept;
  ~CommandList();

  // Throws away what was recorded before.
  Result<> begin();
  // All writes become visible to the host and to lists that are submitted later, but not as indirect commands, which no
  // list has.
  Result<> end();

  void bind(const Pipeline& pipeline);
  void bind_sets(const Pipeline& pipeline, std::uint32_t first_set, std::span<VkDescriptorSet_T* const> sets);
  // At offset 0; a multiple of 4 bytes, at most the layout's range.
  void push_constants(const Pipeline& pipeline, Bytes data);
  void dispatch(std::uint32_t x, std::uint32_t y, std::uint32_t z);
  void dispatch_graph(const Pipeline& pipeline);

  // Viewport and scissor are the extent. Between begin and end there are only draws and what they bind.
  void begin_rendering(const Rendering& rendering);
  void bind_vertices(std::uint32_t binding, const Buffer& buffer);
  void bind_indices(const Buffer& buffer, vk::IndexType type);
  void draw(const DrawRange& range);
  void draw_indexed(const DrawRange& range);
  void end_rendering();

  void barrier(const Barriers& barriers);
  // Everything before, then everything after.
  void full_barrier();

  void copy(const Buffer& from, std::uint64_t from_offset, const Buffer& to, std::uint64_t to_offset,
            std::uint64_t size);
  void copy(const Buffer& from, const Image& to, const BufferImageCopy& where);
  void copy(const Image& from, const Buffer& to, const BufferImageCopy& where);
  // Offset and size are multiples of 4; size 0: to the end (whose last bytes beyond a multiple of 4 stay).
  void fill(const Buffer& buffer, std::uint64_t offset, std::uint64_t size, std::uint32_t value);
  // All levels and layers; the image is in the layout given. Not for compressed formats; depth formats take the first
  // component, as a float, and need a queue with graphics.
  void clear(const Image& image, ClearColor color = {}, vk::Layout layout = vk::Layout::General);
  // Level `level` from the one above it, both in General. The queue must have graphics. The filter is linear where the
  // format has it.
  void blit_level(const Image& image, std::uint32_t level);

  // Resets must be recorded before the timestamps.
  void reset_timestamps(const Timestamps& timestamps, std::uint32_t first, std::uint32_t count);
  void write_timestamp(const Timestamps& timestamps, std::uint32_t index,
                       vk::StageFlags stage = vk::stage::kAllCommands);

  // Nothing without debug names (InstanceOptions::debug_names).
  void begin_label(std::string_view label);
  void end_label();

  VkCommandBuffer_T* handle() const;

 private:
  friend Result<CommandList> create_command_list(const Device& device, std::string_view name);
  struct State;
  explicit CommandList(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

Result<CommandList> create_command_list(const Device& device, std::string_view name = {});

}  // namespace slipway::gpu
