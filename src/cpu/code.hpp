// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads a compiled kernel: a relocatable ELF object for this machine, from memory into executable memory.
//
// Kernels are self-contained: code, constants that it addresses relative to itself, and at most calls of memcpy,
// memmove and memset. So a cached kernel runs without the compiler.
#pragma once

#include <cstdint>
#include <utility>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"

namespace slipway::cpu {

// Runs the workgroups from `begin` to `end` - 1 of a dispatch of `groups`. The buffers are those of the kernel by
// binding.
using KernelFunction = void (*)(const void* const* buffers, std::int32_t begin, std::int32_t end, std::int32_t groups);

class Code {
 public:
  Code() = default;
  Code(Code&& other) noexcept { swap(other); }
  Code& operator=(Code&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Code();
  KernelFunction function() const { return function_; }

 private:
  friend Result<Code> load_code(Bytes object);
  void swap(Code& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    std::swap(function_, other.function_);
  }
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
  KernelFunction function_ = nullptr;
};

// Errors: file-format (not such an object), unsupported (a relocation or a symbol that kernels do not have).
Result<Code> load_code(Bytes object);

}  // namespace slipway::cpu
