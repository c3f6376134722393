// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/emit_spirv.hpp"

#include <array>
#include <utility>

#include "rpl/emit/emitter.hpp"

namespace slipway::rpl {
namespace {

constexpr std::array<std::string_view, 4> kTargetNames = {"vulkan1.1", "vulkan1.2", "vulkan1.3", "vulkan1.4"};

}  // namespace

std::string_view name_of(Target target) { return kTargetNames[std::to_underlying(target)]; }

std::optional<Target> parse_target(std::string_view name) {
  for (std::size_t i = 0; i < kTargetNames.size(); ++i) {
    if (kTargetNames[i] == name) return static_cast<Target>(i);
  }
  return std::nullopt;
}

struct SpirvEmitter::State {
  emit::Emitter emitter;
};

SpirvEmitter::SpirvEmitter() : state_(std::make_unique<State>()) {}
SpirvEmitter::SpirvEmitter(SpirvEmitter&&) noexcept = default;
SpirvEmitter& SpirvEmitter::operator=(SpirvEmitter&&) noexcept = default;
SpirvEmitter::~SpirvEmitter() = default;

std::vector<SpirvModule> SpirvEmitter::emit(const Resolved& program, const SpirvOptions& options) {
  return state_->emitter.emit(program, options);
}

std::vector<SpirvModule> emit_spirv(const Resolved& program, const SpirvOptions& options) {
  return SpirvEmitter().emit(program, options);
}

}  // namespace slipway::rpl
