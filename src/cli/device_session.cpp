// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/device_session.hpp"

#include <cstdlib>
#include <mutex>
#include <vector>

#include "base/format.hpp"
#include "launch/plan/plan.hpp"

namespace slipway::cli {

std::string needs_vulkan(const launch::Plan& plan, std::string_view why) {
  return formatted("the CPU engine runs graphs only, and {}; {}", why,
                   plan.graphs.empty()
                       ? "choose a Vulkan device with --device"
                       : "with `--engine cpu` instead of `--device cpu` the rest runs on a Vulkan device");
}

struct DeviceSession::Messages {
  std::mutex mutex;
  std::vector<gpu::InstanceMessage> all;
};

DeviceSession::DeviceSession(launch::OpenDeviceOptions request, bool validate)
    : messages_(std::make_shared<Messages>()) {
  request.instance.validation = validate;
  if (validate || std::getenv("VK_INSTANCE_LAYERS") || std::getenv("VK_LOADER_LAYERS_ENABLE")) {
    request.instance.on_message = [messages = messages_](const gpu::InstanceMessage& message) {
      const std::scoped_lock lock(messages->mutex);
      messages->all.push_back(message);
    };
  }
  opening_ = std::make_unique<launch::DeviceOpening>(std::move(request));
}

void DeviceSession::add_messages(Diagnostics& diagnostics) {
  const std::scoped_lock lock(messages_->mutex);
  for (const gpu::InstanceMessage& message : messages_->all) {
    diagnostics.warning(DiagnosticKind::ValidationMessage, {}, formatted("{}: {}", message.id, message.text));
  }
  messages_->all.clear();
}

}  // namespace slipway::cli
