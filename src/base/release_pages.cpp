#include "base/release_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "base/checked.hpp"

namespace slipway {

void release_pages(Bytes part) {
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t begin = round_up(address, page), end = (address + part.size()) / page * page;
  if (begin < end) ::madvise(const_cast<std::byte*>(part.data()) + (begin - address), end - begin, MADV_DONTNEED);
}

}  // namespace slipway
