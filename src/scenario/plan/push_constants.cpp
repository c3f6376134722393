// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/plan/push_constants.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace slipway::scenario {
namespace {

std::string names_of(std::span<const StageInterface> stages) {
  std::string text = formatted("shader `{}`", stages.front().shader);
  if (stages.size() > 1) text += formatted(" or `{}`", stages.back().shader);
  return text;
}

}  // namespace

std::optional<std::vector<std::byte>> push_constants(const Reference& push_data, const launch::Contents* data,
                                                     std::uint32_t size, json::Value command,
                                                     std::span<const StageInterface> stages, Diagnostics& diagnostics) {
  const auto with_block =
      std::ranges::find_if(stages, [](const StageInterface& stage) { return stage.entry->push_constants.has_value(); });
  const auto using_it = std::ranges::find_if(stages, [](const StageInterface& stage) {
    return stage.entry->push_constants && stage.entry->push_constants->used;
  });
  std::vector<std::byte> bytes(size);
  const auto warn = [&](json::Value at, std::string message) {
    Diagnostic warning = json::problem(at, DiagnosticKind::BindingMismatch, std::move(message), Severity::Warning);
    if (at.is(json::Type::Object)) warning.location = at.opening();
    diagnostics.add(std::move(warning));
  };
  if (!push_data) {
    if (using_it != stages.end()) {
      warn(command, formatted("shader `{}` uses push constants, but the command has no `push_data_ref`; they are zeros",
                              using_it->shader));
    }
    return bytes;
  }
  if (with_block == stages.end()) {
    warn(push_data.at, formatted("push data are given, but {} declares no push constants", names_of(stages)));
    if (size == 0) return bytes;
  }
  if (!data) return bytes;
  if (data->size > size) {
    diagnostics.add(json::problem(push_data.at, DiagnosticKind::OutOfRange,
                                  formatted("`{}` has {} bytes, but the push constants of {} have {}", push_data.uid,
                                            data->size, names_of(stages), size)));
    return std::nullopt;
  }
  if (data->size < size) {
    warn(push_data.at, formatted("`{}` has {} bytes, but the push constants of {} have {}; the rest is zero",
                                 push_data.uid, data->size, names_of(stages), size));
  }
  if (Result<> written = data->write(std::span(bytes).first(data->size)); !written) {
    diagnostics.add(std::move(written.error()));
    return std::nullopt;
  }
  return bytes;
}

}  // namespace slipway::scenario
