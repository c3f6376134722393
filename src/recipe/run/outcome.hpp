// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the runner and its slots exchange: memory, and how runs end.
#pragma once

#include <cstdint>
#include <exception>

#include "base/diagnostic.hpp"
#include "recipe/backend.hpp"

namespace slipway::recipe {

// A buffer, or a part of one, that is bound to a buffer of the recipe.
struct BufferRange {
  BufferPtr storage;
  std::uint64_t offset = 0, size = 0;  // bytes
};

enum class RunStatus : std::uint8_t { Ok, Failed, Skipped };

// Why an execution failed. `thrown` is the exception of a CPU function, or null.
struct RunFailure {
  Failure diagnostics;
  std::exception_ptr thrown;
};

}  // namespace slipway::recipe
