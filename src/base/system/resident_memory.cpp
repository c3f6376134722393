// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/resident_memory.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <functional>

#include "base/checked.hpp"
#include "base/system/shrunk_files.hpp"

namespace slipway {

void release_freed_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

// Errors are ignored: the advice never changes contents.
void release_mapped_pages(Bytes part) {
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t begin = round_up(address, page), end = (address + part.size()) / page * page;
  if (begin >= end || !is_mapped_from_file(part)) return;
  (void)::madvise(const_cast<std::byte*>(part.data()) + (begin - address), end - begin, MADV_DONTNEED);
}

void release_mapped_pages(Bytes part, Bytes mapped) {
  const std::less_equal<> not_after;
  if (not_after(mapped.data(), part.data()) && not_after(part.data() + part.size(), mapped.data() + mapped.size()))
    release_mapped_pages(part);
}

}  // namespace slipway
