#include "launch/public_device.hpp"

#include <cstdlib>
#include <format>

#include "base/print_diagnostic.hpp"

namespace slipway {
namespace {

DeviceInfo info_of(const gpu::Snapshot& snapshot) {
  return {.index = snapshot.index,
          .name = snapshot.name,
          .type = std::string(gpu::name_of(snapshot.type)),
          .uuid = gpu::format_uuid(snapshot.device_uuid),
          .api_version = std::format("{}.{}.{}", snapshot.api.major, snapshot.api.minor, snapshot.api.patch)};
}

Problem problem_of(const Diagnostic& diagnostic) {
  Problem problem{.severity = static_cast<Problem::Severity>(diagnostic.severity),
                  .kind = std::string(name_of(diagnostic.kind)),
                  .message = diagnostic.message,
                  .file = diagnostic.place.file,
                  .path = diagnostic.path,
                  .uid = diagnostic.uid,
                  .text = format_diagnostic(diagnostic),
                  .exit_status = static_cast<int>(cause_of(diagnostic.kind))};
  if (diagnostic.place.kind == Place::Kind::Text) {
    const Position start = diagnostic.place.source->position(diagnostic.place.span.begin);
    problem.line = start.line;
    problem.column = start.column;
  }
  return problem;
}

}  // namespace

std::vector<Problem> launch::public_problems(std::span<const Diagnostic> diagnostics) {
  std::vector<Problem> problems;
  for (const Diagnostic& diagnostic : diagnostics) problems.push_back(problem_of(diagnostic));
  return problems;
}

Outcome<std::vector<DeviceInfo>> list_devices() {
  const Result<gpu::Instance> instance = gpu::create_instance();
  if (!instance) return std::unexpected(launch::public_problems(instance.error()));
  std::vector<DeviceInfo> devices;
  for (const gpu::Snapshot& snapshot : instance->snapshots()) devices.push_back(info_of(snapshot));
  return devices;
}

Device::Device(std::unique_ptr<State> state) : state_(std::move(state)) {}
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;
Device::~Device() = default;

const DeviceInfo& Device::info() const { return state_->info; }

Outcome<Device> Device::open(std::string_view selector) {
  const char* from_environment = std::getenv("SLIPWAY_DEVICE");
  if (selector.empty() && from_environment) selector = from_environment;
  auto state = std::make_unique<State>(launch::DeviceRequest{.selector = std::string(selector)});
  const Result<const gpu::Snapshot*> snapshot = state->opening.snapshot();
  if (!snapshot) return std::unexpected(launch::public_problems(snapshot.error()));
  state->info = info_of(**snapshot);
  return Device(std::move(state));
}

}  // namespace slipway
