// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model/other_device.hpp"

#include "base/format.hpp"
#include "cli/option_groups.hpp"
#include "executors/cpu/info.hpp"
#include "executors/open.hpp"
#include "launch/run.hpp"
#include "model/graph_target.hpp"
#include "model/standalone/graph_device.hpp"

namespace slipway::cli {
namespace {

constexpr std::string_view kDevicePrefix = "device:";

}  // namespace

std::optional<std::string> compared_device(const std::string& value, Diagnostics& diagnostics) {
  if (value.empty() || value == "reference") return std::nullopt;
  if (value == launch::kCpuDevice) return value;
  if (value.starts_with(kDevicePrefix) && value.size() > kDevicePrefix.size())
    return value.substr(kDevicePrefix.size());
  diagnostics.error(
      DiagnosticKind::Usage, {},
      formatted("--compare takes `reference`, `cpu` or `device:NAME`, where NAME is as in --device, but `{}` is given",
                value));
  return std::nullopt;
}

OtherDevice::OtherDevice(std::string selector, const LaunchGroup& options)
    : selector_(std::move(selector)),
      options_(options),
      executor_(executors::open_executor({.selector = selector_, .validate = options.validate})) {}

OtherDevice::~OtherDevice() = default;

void OtherDevice::add_messages(Diagnostics& diagnostics) { diagnostics.add(executor_->take_messages()); }

bool OtherDevice::prepare(Diagnostics& diagnostics) {
  const Result<launch::ExecutorInfo> info = executor_->info();
  if (!info) {
    for (Diagnostic problem : info.error()) {
      problem.note(formatted("named by `--compare {}{}`", kDevicePrefix, selector_));
      diagnostics.add(std::move(problem));
    }
    return false;
  }
  name_ = info->name;
  const Cache cache = cache_of(options_.no_cache);
  auto graphs = diagnostics.take(model::graph_options(executor_.get(),
                                                      {.threads = options_.threads,
                                                       .pin_threads = options_.pin,
                                                       .fuse = !options_.no_fuse,
                                                       .native = options_.emulate != "always"},
                                                      cache, diagnostics));
  if (!graphs) return false;
  model::GraphDeviceOptions made{.graphs = std::move(*graphs), .executor = executor_, .cache = cache};
  if (options_.timeout) made.time_out = launch::time_out_of(*options_.timeout);
  device_ = std::make_unique<model::GraphDevice>(std::move(made));
  return !diagnostics.has_errors();
}

model::GraphRunner OtherDevice::runner() {
  return [this](const std::shared_ptr<const tosa::Graph>& graph, std::span<const reference::Tensor> inputs) {
    return device_->run(graph, inputs);
  };
}

}  // namespace slipway::cli
