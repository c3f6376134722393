// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In the library rpl, which contains the C++ library: its operators new and delete are those of this file, and call the
// allocator of the application. The file is linked into that library alone.
#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>

#include "rpl_c/host.hpp"
#include "slipway/rpl.h"

// The one of the C++ library prints the type of the exception, for which it has a demangler; no exception leaves the
// library.

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
namespace __cxxabiv1 {
extern std::terminate_handler __terminate_handler;
std::terminate_handler __terminate_handler = std::abort;
}  // namespace __cxxabiv1
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace slipway::rpl_c {
namespace {

void* allocate(std::size_t size, std::size_t alignment, void*) {
  return alignment <= alignof(std::max_align_t)
             ? std::malloc(size)
             : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
void release(void* memory, std::size_t, void*) { std::free(memory); }

// Constant initialization: code that runs before main may allocate.
constinit rpl_allocator allocator = {allocate, release, nullptr};
constinit std::atomic<bool> is_used = false;

void* take(std::size_t size, std::size_t alignment) noexcept {
  if (!is_used.load(std::memory_order_relaxed)) is_used.store(true, std::memory_order_relaxed);
  return allocator.allocate(size == 0 ? 1 : size, alignment, allocator.user);
}
void* take_or_throw(std::size_t size, std::size_t alignment) {
  if (void* const memory = take(size, alignment)) return memory;
  throw std::bad_alloc();
}
void give_back(void* memory, std::size_t alignment) noexcept {
  if (memory) allocator.release(memory, alignment, allocator.user);
}

constexpr std::size_t kDefault = alignof(std::max_align_t);

}  // namespace

decltype(rpl::CompileOptions::optimize) optimizer() { return nullptr; }

}  // namespace slipway::rpl_c

using namespace slipway::rpl_c;

rpl_status rpl_set_allocator(const rpl_allocator* given) {
  if (is_used.load()) return RPL_WRONG_CALL;
  if (given && (!given->allocate || !given->release)) return RPL_WRONG_CALL;
  allocator = given ? *given : rpl_allocator{allocate, release, nullptr};
  return RPL_OK;
}

void* operator new(std::size_t size) { return take_or_throw(size, kDefault); }
void* operator new[](std::size_t size) { return take_or_throw(size, kDefault); }
void* operator new(std::size_t size, std::align_val_t alignment) { return take_or_throw(size, std::size_t(alignment)); }
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return take_or_throw(size, std::size_t(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return take(size, kDefault); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return take(size, kDefault); }
void operator delete(void* memory) noexcept { give_back(memory, kDefault); }
void operator delete[](void* memory) noexcept { give_back(memory, kDefault); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory, kDefault); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory, kDefault); }
void operator delete(void* memory, std::align_val_t alignment) noexcept { give_back(memory, std::size_t(alignment)); }
void operator delete[](void* memory, std::align_val_t alignment) noexcept { give_back(memory, std::size_t(alignment)); }
void operator delete(void* memory, std::size_t, std::align_val_t alignment) noexcept {
  give_back(memory, std::size_t(alignment));
}
void operator delete[](void* memory, std::size_t, std::align_val_t alignment) noexcept {
  give_back(memory, std::size_t(alignment));
}
