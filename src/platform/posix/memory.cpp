// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/memory.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace slipway::platform {
std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

void* map_zeroed(std::size_t size) {
  void* const pages = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  return pages;
}

std::expected<const std::byte*, int> map_file(int file, std::size_t size) {
  void* const pages = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (pages == MAP_FAILED) return std::unexpected(errno);
  return static_cast<const std::byte*>(pages);
}

void unmap(const void* pages, std::size_t size) { ::munmap(const_cast<void*>(pages), size); }

bool make_executable(void* pages, std::size_t size) { return ::mprotect(pages, size, PROT_READ | PROT_EXEC) == 0; }

bool replace_by_zeros(std::uintptr_t page, std::size_t size) {
  return ::mmap(reinterpret_cast<void*>(page), size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
         MAP_FAILED;
}

void use_large_pages([[maybe_unused]] void* pages, [[maybe_unused]] std::size_t size) {
#ifdef MADV_HUGEPAGE
  if (size >= kLargePage) ::madvise(pages, size, MADV_HUGEPAGE);
#endif
}

void advise(const void* pages, std::size_t size, Advice advice) {
  int number = MADV_DONTNEED;
  if (advice != Advice::Drop) {
#ifdef MADV_POPULATE_READ  // one call instead of an exception for each page
    number = advice == Advice::Read ? MADV_POPULATE_READ : MADV_POPULATE_WRITE;
#else
    return;
#endif
  }
  ::madvise(const_cast<void*>(pages), size, number);
}

void* allocate_large(std::size_t size) {
  void* const memory = std::aligned_alloc(kLargePage, size);
  if (memory) use_large_pages(memory, size);
  return memory;
}

void release_freed_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace slipway::platform
