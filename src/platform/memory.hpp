// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pages of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>

namespace slipway::platform {

std::size_t page_size();

// Zeroed pages, which cost nothing until they are touched. Null without memory.
void* map_zeroed(std::size_t size);
// Wishes for large pages, where the size allows them: one fault for many pages.
inline constexpr std::size_t kLargePage = std::size_t{2} << 20;
void use_large_pages(void* pages, std::size_t size);
// The pages of a file, for reading. The failure is a number of <cerrno>.
std::expected<const std::byte*, int> map_file(int file, std::size_t size);
void unmap(const void* pages, std::size_t size);
// Pages that were written may be executed from now on, and not be written any more.
bool make_executable(void* pages, std::size_t size);
// Puts zeros in the place of mapped pages. For handlers of faults.
bool replace_by_zeros(std::uintptr_t page, std::size_t size);

// What will be done with whole pages; the system may ignore it. `Drop` forgets what the file has.
enum class Advice : std::uint8_t { Read, Write, Drop };
void advise(const void* pages, std::size_t size, Advice advice);

// As malloc and for free, of a multiple of the size of large pages and in them, where the system has such.
void* allocate_large(std::size_t size);
// Returns to the system what the allocator keeps.
void release_freed_memory();

}  // namespace slipway::platform
