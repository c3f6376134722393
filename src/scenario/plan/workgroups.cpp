// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/plan/workgroups.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "spirv/reflect/invocation_indices.hpp"

namespace slipway::scenario {
namespace {

constexpr std::uint32_t kMaxRank = 6;
constexpr std::uint64_t kMaxFactor = 64;  // elements for each invocation

class WorkgroupCheck {
 public:
  WorkgroupCheck(const Planning& planning, const DispatchCompute& command, const spirv::EntryPoint& entry,
                 const launch::Dispatch& dispatch)
      : planning_(planning), command_(command), entry_(entry), dispatch_(dispatch) {
    for (std::size_t i = 0; i < 3; ++i) local_[i] = std::max(1u, (*entry.local_size)[i].value);
  }

  // Most dispatches need no look at the code.
  bool is_suspicious() const {
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      if (local_[i] > 1 && dispatch_.groups[i] > 1) most = std::max<std::uint64_t>(most, dispatch_.groups[i]);
    }
    return most > 1 && std::ranges::any_of(entry_.bindings, [&](const spirv::Binding& binding) {
             if (!binding.used || !binding.writes) return false;
             const auto first = elements(binding, 0, std::nullopt);
             if (!first) return true;  // an array of a constant length
             for (std::uint32_t i = 0; const auto size = elements(binding, i, std::nullopt); ++i) {
               if (*size <= most * kMaxFactor) return true;
               if (i == kMaxRank) break;
             }
             return false;
           });
  }

  void run(const spirv::Module& module) const {
    std::array<std::uint64_t, 3> useful{}, limit{};  // workgroups; elements divided by those of an invocation
    for (const spirv::InvocationIndex& index : spirv::written_indices(module, entry_)) {
      const auto binding = std::ranges::find(entry_.bindings, index.variable, &spirv::Binding::variable);
      const auto size = elements(*binding, index.coordinate, index.length);
      if (!size) return;
      const std::uint64_t invocations = (*size + index.factor - 1) / index.factor;
      limit[index.dimension] = std::max(limit[index.dimension], invocations);
      useful[index.dimension] =
          std::max(useful[index.dimension], (invocations + local_[index.dimension] - 1) / local_[index.dimension]);
    }
    auto enough = dispatch_.groups;
    for (std::size_t i = 0; i < 3; ++i) {
      const bool excess = useful[i] > 0 && local_[i] > 1 && dispatch_.groups[i] >= limit[i];
      if (excess) enough[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(enough[i], useful[i]));
    }
    if (enough == dispatch_.groups) return;
    planning_.diagnostics.add(json::problem(
        command_.at["rangeND"], DiagnosticKind::IdleWorkgroups,
        formatted("`rangeND` counts workgroups: shader `{}` runs {} of {} invocations each, but {} reach all elements "
                  "that it writes",
                  command_.shader.uid, text(dispatch_.groups), text(local_), text(enough)),
        Severity::Warning));
  }

 private:
  static std::string text(const std::array<std::uint32_t, 3>& sizes) {
    return formatted("{} x {} x {}", sizes[0], sizes[1], sizes[2]);
  }

  // Of what is bound, in a direction of an image or tensor; empty if it is not known.
  std::optional<std::uint64_t> elements(const spirv::Binding& declared, std::uint32_t coordinate,
                                        std::optional<std::uint64_t> length) const {
    const auto bound = std::ranges::find_if(dispatch_.bindings, [&](const launch::Binding& binding) {
      return binding.set == declared.set && binding.binding == declared.binding;
    });
    if (bound == dispatch_.bindings.end() || declared.count != 1 || bound->level) return std::nullopt;
    if (const auto tensor = planning_.tensors.find(bound->resource); tensor != planning_.tensors.end()) {
      const auto& dims = tensor->second.tensor->dims;
      return coordinate < dims.size() ? std::optional(static_cast<std::uint64_t>(dims[coordinate])) : std::nullopt;
    }
    const launch::Resource& resource = planning_.plan.resources[bound->resource];
    if (const auto* image = std::get_if<launch::Image>(&resource.kind)) {
      if (coordinate == 2) return image->slices();
      return coordinate < 2 ? std::optional<std::uint64_t>(image->extent[coordinate]) : std::nullopt;
    }
    if (length) return length;
    if (!declared.block || declared.block->runtime_stride == 0) return std::nullopt;
    const std::uint64_t size = std::get<launch::Buffer>(resource.kind).size;
    return size < declared.block->size ? 0 : (size - declared.block->size) / declared.block->runtime_stride;
  }

  const Planning& planning_;
  const DispatchCompute& command_;
  const spirv::EntryPoint& entry_;
  const launch::Dispatch& dispatch_;
  std::array<std::uint32_t, 3> local_{1, 1, 1};
};

}  // namespace

void check_workgroups(const Planning& planning, const DispatchCompute& command, const launch::Shader& shader,
                      const launch::Dispatch& dispatch) {
  const spirv::EntryPoint* entry = shader.reflection->find(shader.entry, shader.stage);
  if (!entry || !entry->local_size) return;
  const WorkgroupCheck check(planning, command, *entry, dispatch);
  if (!check.is_suspicious()) return;
  if (const auto module = spirv::read_module(*shader.spirv, shader.name)) check.run(*module);
}

}  // namespace slipway::scenario
