// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/confined_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/system/shrunk_files.hpp"

namespace slipway {
namespace {

class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int number) : number_(number) {}
  OwnedDescriptor(OwnedDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~OwnedDescriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

template <class T>
using Confined = std::expected<T, ConfinedFailure>;

std::unexpected<ConfinedFailure> failed(ConfinedFault fault, int error = 0) {
  return std::unexpected(ConfinedFailure{.fault = fault, .error = error});
}

bool is_relative_and_below(const Path& location) {
  return !location.empty() && location.is_relative() && !location.native().contains('\0') &&
         std::ranges::none_of(location, [](const Path& part) { return part == ".."; });
}

// The location without links, relative to `directory`, which has none either.
Confined<Path> without_links(const Path& directory, const Path& location) {
  std::error_code error;
  const Path whole = std::filesystem::canonical(directory / location, error);
  if (error) return failed(ConfinedFault::System, error.value());
  Path relative = whole.lexically_relative(directory);
  if (relative.empty() || *relative.begin() == "..") return failed(ConfinedFault::Link);
  return relative;
}

// Opens a regular file. Components are opened one after the other, so that none can be replaced by a link meanwhile.
Confined<OwnedDescriptor> open_regular(const Path& directory, const Path& relative, bool follow_links) {
  const int no_link = follow_links ? 0 : O_NOFOLLOW;
  OwnedDescriptor at(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (at.number() < 0) return failed(ConfinedFault::System, errno);
  for (const Path& part : relative.parent_path()) {
    OwnedDescriptor next(::openat(at.number(), part.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | no_link));
    if (next.number() < 0) return failed(ConfinedFault::System, errno);
    at = std::move(next);
  }
  const Path name = relative.filename();
  struct stat status{};
  if (::fstatat(at.number(), name.c_str(), &status, follow_links ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
    return failed(ConfinedFault::System, errno);
  if (!S_ISREG(status.st_mode)) return failed(ConfinedFault::NotRegular);
  OwnedDescriptor file(::openat(at.number(), name.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | no_link));
  if (file.number() < 0) return failed(ConfinedFault::System, errno);
  return file;
}

Confined<ConfinedFile> map_opened(int file, const Path& path) {
  struct stat status{};
  if (::fstat(file, &status) != 0) return failed(ConfinedFault::System, errno);
  if (!S_ISREG(status.st_mode)) return failed(ConfinedFault::NotRegular);
  ConfinedFile mapped{.has_other_names = status.st_nlink > 1};
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return mapped;
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (address == MAP_FAILED) return failed(ConfinedFault::System, errno);
  mapped.bytes = {static_cast<const std::byte*>(address), size};
  remember_mapping(mapped.bytes, path.string());
  mapped.owner = std::shared_ptr<const void>(address, [size](const void* begin) {
    forget_mapping({static_cast<const std::byte*>(begin), size});
    ::munmap(const_cast<void*>(begin), size);
  });
  return mapped;
}

}  // namespace

std::expected<ConfinedFile, ConfinedFailure> map_confined_file(const Path& directory, const Path& location,
                                                               bool follow_links) {
  if (!is_relative_and_below(location)) return failed(ConfinedFault::Outside);
  std::error_code error;
  const Path base = std::filesystem::canonical(directory.empty() ? Path(".") : directory, error);
  if (error) return failed(ConfinedFault::System, error.value());
  Path relative = location;
  if (!follow_links) {
    auto real = without_links(base, location);
    if (!real) return std::unexpected(real.error());
    relative = *std::move(real);
  }
  const auto file = open_regular(base, relative, follow_links);
  if (!file) return std::unexpected(file.error());
  return map_opened(file->number(), directory / location);
}

}  // namespace slipway
