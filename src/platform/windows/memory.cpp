// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/memory.hpp"

#include <malloc.h>

#include <cerrno>
#include <cstdlib>

#include "platform/windows/system.hpp"

namespace slipway::platform {

std::size_t page_size() {
  static const std::size_t size = [] {
    SYSTEM_INFO info{};
    ::GetSystemInfo(&info);
    return std::size_t{info.dwPageSize};
  }();
  return size;
}

void* map_zeroed(std::size_t size) { return ::VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE); }
void use_large_pages(void*, std::size_t) {}  // they need a right that users do not have

std::expected<const std::byte*, int> map_file(int file, std::size_t size) {
  const HANDLE mapping = ::CreateFileMappingW(windows::handle_of(file), nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (!mapping) return std::unexpected(windows::last_error());
  const void* const pages = ::MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, size);
  const int error = windows::last_error();
  ::CloseHandle(mapping);
  if (!pages) return std::unexpected(error);
  return static_cast<const std::byte*>(pages);
}

void unmap(const void* pages, std::size_t) {
  if (!::UnmapViewOfFile(pages)) ::VirtualFree(const_cast<void*>(pages), 0, MEM_RELEASE);
}

bool make_executable(void* pages, std::size_t size) {
  DWORD before = 0;
  return ::VirtualProtect(pages, size, PAGE_EXECUTE_READ, &before) != 0;
}

// A file that is mapped cannot become shorter: the system refuses it.
bool replace_by_zeros(std::uintptr_t, std::size_t) { return false; }

void advise(const void* pages, std::size_t size, Advice advice) {
  if (advice == Advice::Drop) {
    ::VirtualUnlock(const_cast<void*>(pages), size);  // takes pages that are not locked out of the working set
    return;
  }
  WIN32_MEMORY_RANGE_ENTRY range{const_cast<void*>(pages), size};
  ::PrefetchVirtualMemory(::GetCurrentProcess(), 1, &range, 0);
}

void* allocate_large(std::size_t size) { return std::malloc(size); }
void release_freed_memory() { ::_heapmin(); }

}  // namespace slipway::platform
