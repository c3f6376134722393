// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/resident_memory.hpp"

#include <cstdint>
#include <functional>

#include "base/checked.hpp"
#include "base/system/shrunk_files.hpp"
#include "platform/memory.hpp"

namespace slipway {

void release_freed_memory() { platform::release_freed_memory(); }

// Errors are ignored: the advice never changes contents.
void release_mapped_pages(Bytes part) {
  static const auto page = std::uintptr_t{platform::page_size()};
  const auto address = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t begin = round_up(address, page), end = (address + part.size()) / page * page;
  if (begin >= end || !is_mapped_from_file(part)) return;
  platform::advise(part.data() + (begin - address), end - begin, platform::Advice::Drop);
}

void release_mapped_pages(Bytes part, Bytes mapped) {
  const std::less_equal<> not_after;
  if (not_after(mapped.data(), part.data()) && not_after(part.data() + part.size(), mapped.data() + mapped.size()))
    release_mapped_pages(part);
}

}  // namespace slipway
