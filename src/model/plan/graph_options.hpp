// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a caller chooses for the graphs of a plan.
#pragma once

#include <cstdint>

#include "lower/options.hpp"

namespace slipway::gpu {
struct Snapshot;
}

namespace slipway::model {

enum class Engine : std::uint8_t { Kernels, Reference };

struct GraphOptions {
  Engine engine = Engine::Kernels;
  lower::LowerOptions lower;  // of kernels
  // A device that runs graphs and tensors of shaders natively where it can; null: nothing runs natively.
  const gpu::Snapshot* native = nullptr;
};

}  // namespace slipway::model
