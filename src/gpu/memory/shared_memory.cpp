// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/memory/shared_memory.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "gpu/device/device.hpp"
#include "gpu/memory/resource_builder.hpp"

namespace slipway::gpu {
namespace {

// What all members together ask of their memory.
class GroupNeeds {
 public:
  void add(const MemoryNeeds& needs, std::uint64_t offset, std::string_view kind, std::string_view name) {
    if (offset % needs.alignment != 0) {
      problems_
          .error(DiagnosticKind::OutOfRange, SourceLocation::nowhere(),
                 formatted("{} memory offset for '{}' must be aligned to {} bytes, got {}", kind, name, needs.alignment,
                           offset))
          .uid = name;
    }
    const Size end = checked_add(needs.size, offset);
    if (!end) {
      problems_
          .error(DiagnosticKind::OutOfRange, SourceLocation::nowhere(),
                 formatted("the memory of '{}' ends beyond 2^64 bytes: offset {}", name, offset))
          .uid = name;
    }
    all_.size = std::max(all_.size, end.value_or(0));
    all_.alignment = std::max(all_.alignment, needs.alignment);
    all_.type_bits &= needs.type_bits;
    if (!names_.empty()) names_ += ", ";
    names_ += name;
  }
  void add(Failure failure, std::string_view name) {
    for (Diagnostic& problem : failure) problem.uid = name;
    problems_.add(std::move(failure));
  }

  bool failed() const { return problems_.has_errors(); }
  Failure release() { return problems_.release(); }
  const MemoryNeeds& all() const { return all_; }
  const std::string& names() const { return names_; }

 private:
  MemoryNeeds all_{.type_bits = ~0u};
  std::string names_;
  Diagnostics problems_;
};

}  // namespace

Result<SharedMemory> create_shared_memory(const Device& device, std::span<const SharedBuffer> buffers,
                                          std::span<const SharedImage> images) {
  const DeviceCore& core = device.core();
  SharedMemory group;
  GroupNeeds needs;
  // Images come first, since rows in them decide how large buffers are.
  std::vector<Result<Image>> made;
  for (const SharedImage& member : images) {
    vk::ImageInfo info = member.info;
    info.shares_memory = true;
    made.push_back(ResourceBuilder::create(core, info));
  }
  const bool has_images = std::ranges::all_of(made, [](const Result<Image>& image) { return image.has_value(); });
  std::vector<std::uint64_t> offsets;  // of the buffers
  for (const SharedBuffer& member : buffers) {
    if (member.rows && !has_images) continue;
    BufferInfo info = member.info;
    std::uint64_t offset = member.offset;
    if (member.rows) {
      const LinearLayout& layout = made[member.rows->image]->linear_layout();
      info.size =
          checked_add(checked_multiply(member.rows->count - 1, layout.row_pitch), member.rows->bytes).value_or(0);
      info.row_stride = layout.row_pitch;
      offset += layout.offset;
    }
    offsets.push_back(offset);
    Result<Buffer> buffer = ResourceBuilder::create(core, info);
    if (!buffer) {
      needs.add(std::move(buffer.error()), member.info.name);
      continue;
    }
    needs.add(ResourceBuilder::needs(*buffer), offset, member.kind, member.info.name);
    group.buffers.push_back(std::move(*buffer));
  }
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (!made[i]) {
      needs.add(std::move(made[i].error()), images[i].info.name);
      continue;
    }
    needs.add(ResourceBuilder::needs(*made[i]), images[i].offset, "Image", images[i].info.name);
    group.images.push_back(std::move(*made[i]));
  }
  if (needs.failed()) return std::unexpected(needs.release());

  Result<MemoryPtr> memory =
      allocate_memory(core, needs.all(), device_memory_request(core), "memory shared by", needs.names());
  if (!memory) return fail(std::move(memory.error()));
  group.size = needs.all().size;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (Result<> bound = ResourceBuilder::bind(group.buffers[i], *memory, offsets[i]); !bound) {
      return fail(std::move(bound.error()));
    }
  }
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (Result<> bound = ResourceBuilder::bind(group.images[i], *memory, images[i].offset); !bound) {
      return fail(std::move(bound.error()));
    }
  }
  return group;
}

}  // namespace slipway::gpu
