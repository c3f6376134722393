// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a caller chooses for the graphs of a plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/system/cache.hpp"
#include "lower/options.hpp"

namespace slipway::cpu {
struct Target;
}
namespace slipway::vk {
struct Snapshot;
}

namespace slipway::model {

struct Intermediates;

// Kernels: on the device of the plan. Cpu: the same kernels on the CPU engine (docs/design/cpu_engine.md).
enum class Engine : std::uint8_t { Kernels, Cpu, Reference };

struct GraphOptions {
  Engine engine = Engine::Kernels;
  lower::LowerOptions lower;  // of kernels; the CPU engine has device facts of its own
  unsigned threads = 0;       // of the CPU engine; 0: one for each CPU
  bool pin_threads = false;   // each of them but the caller stays on one CPU
  Cache cache;                // of kernels that the CPU engine compiles
  // Of the CPU engine: kernels are compiled for this machine into the cache, and not run; null: for the one here.
  std::shared_ptr<const cpu::Target> target;
  // A device that runs graphs and tensors of shaders natively where it can; null: nothing runs natively.
  const vk::Snapshot* native = nullptr;
  // Receives the values between kernels after the run (intermediates.hpp); null: not wanted. Then nothing runs
  // natively.
  std::shared_ptr<Intermediates> intermediates;
  // An ItemProgress: of kernels of the CPU engine, for each graph anew.
  std::function<void(std::size_t done, std::size_t total)> progress;
};

}  // namespace slipway::model
