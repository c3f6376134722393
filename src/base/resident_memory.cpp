#include "base/resident_memory.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "base/checked.hpp"

namespace slipway {
namespace {

// Advises about the pages that lie in `bytes` as a whole. What the system makes of it changes no contents, so that
// nothing is to be done where it does not know the advice.
void advise(Bytes bytes, int advice) {
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t begin = round_up(address, page), end = (address + bytes.size()) / page * page;
  if (begin < end) (void)::madvise(const_cast<std::byte*>(bytes.data()) + (begin - address), end - begin, advice);
}

}  // namespace

void release_freed_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

void release_pages([[maybe_unused]] Bytes bytes) {
#ifdef MADV_PAGEOUT
  advise(bytes, MADV_PAGEOUT);
#endif
}

void release_mapped_pages(Bytes part) { advise(part, MADV_DONTNEED); }

}  // namespace slipway
