// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits SPIR-V of a resolved program (docs/spec/rpl.md#spir-v-emission).
//
//   SpirvEmitter emitter;                      // keeps its memory: use one for many variants, one per thread
//   const std::vector<SpirvModule> modules = emitter.emit(resolved, {.target = Target::Vulkan13});
//
// Emission cannot fail: resolving has checked the program, so a module that does not validate is a bug of the compiler.
// The words depend only on the program, its options and `SpirvOptions`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "spirv/module.hpp"

namespace slipway::rpl {

struct Resolved;

enum class Target { Vulkan11, Vulkan12, Vulkan13, Vulkan14 };

// `vulkan1.1` to `vulkan1.4`.
std::string_view name_of(Target target);
std::optional<Target> parse_target(std::string_view name);

struct SpirvOptions {
  Target target = Target::Vulkan13;
  bool split_stages = false;  // one module for each entry point instead of one for all
  bool strip = false;         // without OpName and OpMemberName
  bool debug_lines = false;   // OpString, OpSource and OpLine before the code of each statement
  bool operator==(const SpirvOptions&) const = default;
};

struct SpirvModule {
  std::vector<std::uint32_t> entry_points;  // indices in Resolved's list: the stages that the module holds
  spirv::Words words;
};

class SpirvEmitter {
 public:
  SpirvEmitter();
  SpirvEmitter(SpirvEmitter&&) noexcept;
  SpirvEmitter& operator=(SpirvEmitter&&) noexcept;
  ~SpirvEmitter();

  // In the order of the entry points; empty for a program without any.
  std::vector<SpirvModule> emit(const Resolved& program, const SpirvOptions& options = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Emission with its own scratch memory.
std::vector<SpirvModule> emit_spirv(const Resolved& program, const SpirvOptions& options = {});

}  // namespace slipway::rpl
