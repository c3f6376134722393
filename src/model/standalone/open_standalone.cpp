// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/standalone/open_standalone.hpp"

#include "launch/check/check_device.hpp"
#include "model/device_facts.hpp"

namespace slipway::model {

gpu::Device* open_device_for(const launch::Plan& plan, launch::DeviceOpening& opening, const OpenModelOptions& open,
                             Diagnostics& diagnostics) {
  const auto snapshot = diagnostics.take(opening.snapshot());
  if (!snapshot) return nullptr;
  vk::Needs needs = launch::needs_of(plan);
  needs.timestamps |= open.timestamps;
  diagnostics.add(launch::check_device(plan, needs, **snapshot).release());
  if (diagnostics.has_errors()) return nullptr;
  return diagnostics.take(opening.get(std::move(needs))).value_or(nullptr);
}

std::optional<OpenedStandalone> open_standalone(StandaloneOptions& options, launch::DeviceOpening& opening,
                                                const Cache& cache, const OpenModelOptions& open,
                                                Diagnostics& diagnostics) {
  auto shaders = compile_modules(*options.file, cache, diagnostics);
  const auto snapshot = diagnostics.take(opening.snapshot());
  if (!shaders || !snapshot) return std::nullopt;
  options.model.shaders = std::move(*shaders);
  options.model.graphs.lower.device = device_facts(**snapshot);
  auto alone = plan_standalone(options, diagnostics);
  if (!alone) return std::nullopt;
  gpu::Device* device = open_device_for(alone->plan, opening, open, diagnostics);
  if (!device) return std::nullopt;
  return OpenedStandalone{std::move(*alone), *snapshot, device};
}

}  // namespace slipway::model
