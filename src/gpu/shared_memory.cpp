#include "gpu/shared_memory.hpp"

#include <algorithm>
#include <format>

#include "base/checked.hpp"
#include "gpu/resource_maker.hpp"

namespace slipway::gpu {
namespace {

// What all members together ask of their memory.
class GroupNeeds {
 public:
  void add(const MemoryNeeds& needs, std::uint64_t offset, std::string_view kind, std::string_view name) {
    if (offset % needs.alignment != 0) {
      problems_.error(DiagnosticKind::OutOfRange, Place::nowhere(),
                      std::format("{} memory offset for '{}' must be aligned to {} bytes, got {}", kind, name,
                                  needs.alignment, offset));
    }
    const Size end = checked_add(needs.size, offset);
    if (!end) {
      problems_.error(DiagnosticKind::OutOfRange, Place::nowhere(),
                      std::format("the memory of '{}' ends beyond 2^64 bytes: offset {}", name, offset));
    }
    all_.size = std::max(all_.size, end.value_or(0));
    all_.alignment = std::max(all_.alignment, needs.alignment);
    all_.type_bits &= needs.type_bits;
    if (!names_.empty()) names_ += ", ";
    names_ += name;
  }
  void add(Failure failure) { problems_.add(std::move(failure)); }

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
  for (const SharedBuffer& member : buffers) {
    Result<Buffer> buffer = ResourceMaker::create(core, member.info);
    if (!buffer) {
      needs.add(std::move(buffer.error()));
      continue;
    }
    needs.add(ResourceMaker::needs(*buffer), member.offset, "Buffer", member.info.name);
    group.buffers.push_back(std::move(*buffer));
  }
  for (const SharedImage& member : images) {
    ImageInfo info = member.info;
    info.shares_memory = true;
    Result<Image> image = ResourceMaker::create(core, info);
    if (!image) {
      needs.add(std::move(image.error()));
      continue;
    }
    needs.add(ResourceMaker::needs(*image), member.offset, "Image", member.info.name);
    group.images.push_back(std::move(*image));
  }
  if (needs.failed()) return std::unexpected(needs.release());

  Result<MemoryPtr> memory =
      allocate_memory(core, needs.all(), device_memory_request(core), "memory shared by", needs.names());
  if (!memory) return fail(std::move(memory.error()));
  group.size = needs.all().size;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (Result<> bound = ResourceMaker::bind(group.buffers[i], *memory, buffers[i].offset); !bound) {
      return fail(std::move(bound.error()));
    }
  }
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (Result<> bound = ResourceMaker::bind(group.images[i], *memory, images[i].offset); !bound) {
      return fail(std::move(bound.error()));
    }
  }
  return group;
}

}  // namespace slipway::gpu
