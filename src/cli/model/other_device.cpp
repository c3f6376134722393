// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model/other_device.hpp"

#include "base/format.hpp"
#include "cli/device_session.hpp"
#include "cli/option_groups.hpp"
#include "launch/run.hpp"
#include "model/cpu_device.hpp"
#include "model/standalone/graph_device.hpp"
#include "model/tuning/tuning_table.hpp"

namespace slipway::cli {
namespace {

constexpr std::string_view kDevicePrefix = "device:";

}  // namespace

std::optional<std::string> compared_device(const std::string& value, Diagnostics& diagnostics) {
  if (value.empty() || value == "reference") return std::nullopt;
  if (value == model::kCpuDevice) return value;
  if (value.starts_with(kDevicePrefix) && value.size() > kDevicePrefix.size())
    return value.substr(kDevicePrefix.size());
  diagnostics.error(
      DiagnosticKind::Usage, {},
      formatted("--compare takes `reference`, `cpu` or `device:NAME`, where NAME is as in --device, but `{}` is given",
                value));
  return std::nullopt;
}

OtherDevice::OtherDevice(std::string selector, const LaunchGroup& options)
    : selector_(std::move(selector)), options_(options) {
  if (selector_ != model::kCpuDevice)
    session_ = std::make_unique<DeviceSession>(launch::OpenDeviceOptions{.selector = selector_}, options.validate);
}

OtherDevice::~OtherDevice() = default;

void OtherDevice::add_messages(Diagnostics& diagnostics) {
  if (session_) session_->add_messages(diagnostics);
}

bool OtherDevice::prepare(Diagnostics& diagnostics) {
  const Cache cache = cache_of(options_.no_cache);
  model::GraphDeviceOptions made;
  made.graphs.lower.fuse = !options_.no_fuse;
  made.graphs.threads = options_.threads;
  made.graphs.pin_threads = options_.pin;
  made.graphs.cache = cache;
  made.cache = cache;
  if (options_.timeout) made.time_out = launch::time_out_of(*options_.timeout);
  if (session_) {
    const Result<const vk::Snapshot*> snapshot = session_->opening().snapshot();
    if (!snapshot) {
      for (Diagnostic problem : snapshot.error()) {
        problem.note(formatted("named by `--compare {}{}`", kDevicePrefix, selector_));
        diagnostics.add(std::move(problem));
      }
      return false;
    }
    name_ = (*snapshot)->name;
    made.graphs.lower.device = model::tuned_facts(**snapshot, cache, diagnostics);
    made.opening = &session_->opening();
  } else {
    const vk::Snapshot snapshot = model::cpu_snapshot();
    name_ = snapshot.name;
    made.graphs.engine = model::Engine::Cpu;
    made.graphs.lower.device.tuning = model::tuned_facts(snapshot, cache, diagnostics).tuning;
  }
  device_ = std::make_unique<model::GraphDevice>(std::move(made));
  return !diagnostics.has_errors();
}

model::GraphRunner OtherDevice::runner() {
  return [this](const std::shared_ptr<const tosa::Graph>& graph, std::span<const reference::Tensor> inputs) {
    return device_->run(graph, inputs);
  };
}

}  // namespace slipway::cli
