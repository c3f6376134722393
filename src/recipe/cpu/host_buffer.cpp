// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/cpu/host_buffer.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "platform/memory.hpp"

namespace slipway::recipe::cpu {
namespace {

// Anonymous pages: the system zeroes and allocates each page when it is first touched.
class HostBuffer final : public buffer_storage {
 public:
  HostBuffer(void* pages, std::size_t size) : pages_(pages), size_(size) {}
  ~HostBuffer() override { platform::unmap(pages_, std::max<std::size_t>(size_, 1)); }

  std::size_t size() const noexcept override { return size_; }
  void* host_address() const override { return pages_; }
  std::uint64_t device_address() const override { return reinterpret_cast<std::uintptr_t>(pages_); }
  void sync(sync_direction, std::size_t, std::size_t) override {}

 private:
  void* pages_;
  std::size_t size_;
};

}  // namespace

Result<std::shared_ptr<buffer_storage>> make_host_buffer(std::size_t size, const SourceLocation& location) {
  void* const pages = platform::map_zeroed(std::max<std::size_t>(size, 1));
  if (!pages) {
    return fail(DiagnosticKind::DeviceLacks, location,
                formatted("there is not enough memory for a buffer of {} bytes", size));
  }
  return std::make_shared<HostBuffer>(pages, size);
}

bool is_host_buffer(const buffer_storage& buffer) { return dynamic_cast<const HostBuffer*>(&buffer) != nullptr; }

}  // namespace slipway::recipe::cpu
