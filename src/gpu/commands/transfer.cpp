// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/commands/transfer.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

#include "base/checked.hpp"
#include "gpu/commands/submit.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/device_core.hpp"

namespace slipway::gpu {
namespace {

// The first staging buffer; later ones are larger as more is asked for.
constexpr std::uint64_t kFirstStagingBytes = 1ull << 20;

// A staging buffer that is filled from the front.
struct Staging {
  BufferLocation location;
  std::optional<Buffer> buffer;
  std::uint64_t used = 0;
};

// What waits for the end of the submission to be copied to the host.
struct Arrival {
  Bytes from;  // mapped memory
  MutableBytes to;
};

// Rows `first_row` to `first_row + rows` of slice `slice`, or of all slices when they are taken whole. The slices of a
// 2D image are its layers.
struct Box {
  std::uint32_t slice = 0, slices = 1;
  std::uint32_t first_row = 0, rows = 0;
  std::uint64_t bytes = 0;
};

// Cuts a level into boxes of at most `limit` bytes: the whole level, or rows of texel blocks of one slice each.
std::vector<Box> boxes_of(const Image& image, std::uint32_t level, vk::TexelBlock block, std::uint64_t limit) {
  const auto [width, height, depth] = image.extent(level);
  const std::uint32_t slices = depth * image.info().layers;
  const std::uint64_t whole = image.packed_size(level);
  if (whole <= limit) return {{.slices = slices, .rows = height, .bytes = whole}};
  const std::uint64_t row_bytes = divide_up(width, block.width) * block.bytes;
  const auto step = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, limit / row_bytes)) * block.height;
  std::vector<Box> boxes;
  for (std::uint32_t slice = 0; slice < slices; ++slice) {
    for (std::uint32_t row = 0; row < height; row += step) {
      const std::uint32_t rows = std::min(step, height - row);
      boxes.push_back({slice, 1, row, rows, divide_up(rows, block.height) * row_bytes});
    }
  }
  return boxes;
}

BufferImageCopy copy_of(const Image& image, std::uint32_t level, const Box& box, std::uint64_t staging_offset) {
  BufferImageCopy copy{.offset = staging_offset,
                       .level = level,
                       .origin = {0, box.first_row, 0},
                       .extent = {image.extent(level)[0], box.rows, 1}};
  if (image.info().depth > 1) {
    copy.origin[2] = box.slice;
    copy.extent[2] = box.slices;
  } else {
    copy.first_layer = box.slice;
    copy.layers = box.slices;
  }
  return copy;
}

}  // namespace

struct Transfer::State {
  State(const Device& of_device, CommandList list, std::uint64_t most_staging)
      : device(of_device), commands(std::move(list)), staging_bytes(most_staging) {}

  const Device& device;
  CommandList commands;
  std::uint64_t staging_bytes;
  bool recorded = false;
  Staging upload{.location = BufferLocation::Upload};
  Staging readback{.location = BufferLocation::Readback};
  std::vector<Arrival> arrivals;

  Result<> flush() {
    if (recorded) {
      if (Result<> ended = commands.end(); !ended) return ended;
      const CommandList* const list = &commands;
      Result<Submission> submission = submit(device, {&list, 1});
      if (!submission) return fail(std::move(submission.error()));
      if (Result<WaitStatus> waited = submission->wait(); !waited) return fail(std::move(waited.error()));
      if (Result<> begun = commands.begin(); !begun) return begun;
      recorded = false;
    }
    for (const Arrival& arrival : arrivals) std::memcpy(arrival.to.data(), arrival.from.data(), arrival.to.size());
    arrivals.clear();
    upload.used = readback.used = 0;
    return {};
  }

  // Takes `size` bytes of staging memory: their offset.
  Result<std::uint64_t> take(Staging& staging, std::uint64_t size, std::uint64_t alignment) {
    std::uint64_t offset = round_up(staging.used, alignment);
    if (!staging.buffer || offset + size > staging.buffer->size()) {
      if (Result<> flushed = flush(); !flushed) return fail(std::move(flushed.error()));
      offset = 0;
      const std::uint64_t now = staging.buffer ? staging.buffer->size() : 0;
      const std::uint64_t wanted =
          std::max(size, std::min(staging_bytes, std::max({kFirstStagingBytes, std::bit_ceil(size), now * 2})));
      if (wanted > now) {
        staging.buffer.reset();  // not both at once
        Result<Buffer> buffer =
            create_buffer(device, {.size = wanted, .location = staging.location, .name = "staging"});
        if (!buffer) return fail(std::move(buffer.error()));
        staging.buffer = std::move(*buffer);
      }
    }
    staging.used = offset + size;
    recorded = true;
    return offset;
  }
};

Transfer::Transfer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Transfer::Transfer(Transfer&&) noexcept = default;
Transfer& Transfer::operator=(Transfer&&) noexcept = default;
Transfer::~Transfer() = default;

Result<Transfer> create_transfer(const Device& device, std::uint64_t staging_bytes) {
  Result<CommandList> list = create_command_list(device, "transfer");
  if (!list) return fail(std::move(list.error()));
  if (Result<> begun = list->begin(); !begun) return fail(std::move(begun.error()));
  return Transfer(std::make_unique<Transfer::State>(device, std::move(*list), staging_bytes));
}

Result<> Transfer::prepare(const Image& image) {
  const ImageBarrier to_general{.image = &image, .old_layout = vk::Layout::Undefined};
  state_->commands.barrier({.images = {&to_general, 1}});
  state_->recorded = true;
  return {};
}

Result<> Transfer::upload(const Buffer& buffer, std::uint64_t offset, Bytes data) {
  assert(offset <= buffer.size() && data.size() <= buffer.size() - offset);
  if (data.empty()) return {};
  if (const MutableBytes mapped = buffer.mapped(); !mapped.empty()) {
    std::memcpy(mapped.data() + offset, data.data(), data.size());
    return {};
  }
  while (!data.empty()) {
    const Bytes part = data.first(std::min<std::uint64_t>(data.size(), state_->staging_bytes));
    Result<std::uint64_t> at = state_->take(state_->upload, part.size(), 16);
    if (!at) return fail(std::move(at.error()));
    std::memcpy(state_->upload.buffer->mapped().data() + *at, part.data(), part.size());
    state_->commands.copy(*state_->upload.buffer, *at, buffer, offset, part.size());
    offset += part.size();
    data = data.subspan(part.size());
  }
  return {};
}

Result<> Transfer::upload(const Image& image, std::uint32_t level, Bytes data) {
  assert(data.size() == image.packed_size(level));
  const vk::TexelBlock block = *vk::texel_block(image.info().format);
  for (const Box& box : boxes_of(image, level, block, state_->staging_bytes)) {
    Result<std::uint64_t> at = state_->take(state_->upload, box.bytes, std::lcm(block.bytes, 16u));
    if (!at) return fail(std::move(at.error()));
    std::memcpy(state_->upload.buffer->mapped().data() + *at, data.data(), box.bytes);
    state_->commands.copy(*state_->upload.buffer, image, copy_of(image, level, box, *at));
    data = data.subspan(box.bytes);
  }
  return {};
}

Result<> Transfer::zero(const Buffer& buffer) {
  if (const MutableBytes mapped = buffer.mapped(); !mapped.empty()) {
    std::memset(mapped.data(), 0, mapped.size());
    return {};
  }
  // Fills are in units of four bytes; the rest is copied.
  const std::uint64_t tail = buffer.size() % 4;
  if (buffer.size() > tail) {
    state_->commands.fill(buffer, 0, buffer.size() - tail, 0);
    state_->recorded = true;
  }
  constexpr std::array<std::byte, 3> zeros{};
  return upload(buffer, buffer.size() - tail, Bytes(zeros).first(tail));
}

Result<> Transfer::zero(const Image& image) {
  const vk::TexelBlock block = *vk::texel_block(image.info().format);
  if (block.width == 1) {
    state_->commands.clear(image);
    state_->recorded = true;
    return {};
  }
  // Compressed images cannot be cleared.
  for (std::uint32_t level = 0; level < image.info().mips; ++level) {
    for (const Box& box : boxes_of(image, level, block, state_->staging_bytes)) {
      Result<std::uint64_t> at = state_->take(state_->upload, box.bytes, std::lcm(block.bytes, 16u));
      if (!at) return fail(std::move(at.error()));
      std::memset(state_->upload.buffer->mapped().data() + *at, 0, box.bytes);
      state_->commands.copy(*state_->upload.buffer, image, copy_of(image, level, box, *at));
    }
  }
  return {};
}

Result<> Transfer::download(const Buffer& buffer, std::uint64_t offset, MutableBytes data) {
  assert(offset <= buffer.size() && data.size() <= buffer.size() - offset);
  if (data.empty()) return {};
  if (const MutableBytes mapped = buffer.mapped(); !mapped.empty() && buffer.memory().cached()) {
    state_->arrivals.push_back({mapped.subspan(offset, data.size()), data});
    return {};
  }
  while (!data.empty()) {
    const MutableBytes part = data.first(std::min<std::uint64_t>(data.size(), state_->staging_bytes));
    Result<std::uint64_t> at = state_->take(state_->readback, part.size(), 16);
    if (!at) return fail(std::move(at.error()));
    state_->commands.copy(buffer, offset, *state_->readback.buffer, *at, part.size());
    state_->arrivals.push_back({state_->readback.buffer->mapped().subspan(*at, part.size()), part});
    offset += part.size();
    data = data.subspan(part.size());
  }
  return {};
}

Result<> Transfer::download(const Image& image, std::uint32_t level, MutableBytes data) {
  assert(data.size() == image.packed_size(level));
  const vk::TexelBlock block = *vk::texel_block(image.info().format);
  for (const Box& box : boxes_of(image, level, block, state_->staging_bytes)) {
    Result<std::uint64_t> at = state_->take(state_->readback, box.bytes, std::lcm(block.bytes, 16u));
    if (!at) return fail(std::move(at.error()));
    state_->commands.copy(image, *state_->readback.buffer, copy_of(image, level, box, *at));
    state_->arrivals.push_back({state_->readback.buffer->mapped().subspan(*at, box.bytes), data.first(box.bytes)});
    data = data.subspan(box.bytes);
  }
  return {};
}

CommandList& Transfer::commands() {
  state_->commands.full_barrier();
  state_->recorded = true;
  return state_->commands;
}

Result<> Transfer::finish() { return state_->flush(); }

}  // namespace slipway::gpu
