#include "base/resident_memory.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace slipway {

void release_freed_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

void release_pages([[maybe_unused]] Bytes bytes) {
#ifdef MADV_PAGEOUT
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(bytes.data()) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size()) / page * page;
  // A kernel that does not do it keeps the pages: nothing else depends on it.
  if (begin < end) (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_PAGEOUT);
#endif
}

}  // namespace slipway
