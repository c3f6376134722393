// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/device_session.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "launch/plan/plan.hpp"
#include "spirv/prints.hpp"

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
  std::vector<std::string> printed;
  std::size_t not_kept = 0;  // lines that shaders printed after kMaxPrints

  void add(const gpu::InstanceMessage& message) {
    const std::scoped_lock lock(mutex);
    if (!message.is_shader_print) {
      all.push_back(message);
    } else if (printed.size() < kMaxPrints) {
      printed.push_back(message.text);
    } else {
      ++not_kept;
    }
  }
};

DeviceSession::DeviceSession(launch::OpenDeviceOptions request, bool validate, bool shader_prints)
    : messages_(std::make_shared<Messages>()) {
  request.instance.validation = validate;
  request.instance.shader_prints = shader_prints;
  if (validate || shader_prints || std::getenv("VK_INSTANCE_LAYERS") || std::getenv("VK_LOADER_LAYERS_ENABLE")) {
    request.instance.on_message = [messages = messages_](const gpu::InstanceMessage& message) {
      messages->add(message);
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

std::vector<std::string> DeviceSession::take_prints() {
  const std::scoped_lock lock(messages_->mutex);
  std::vector<std::string> printed = std::exchange(messages_->printed, {});
  if (const std::size_t more = std::exchange(messages_->not_kept, 0); more > 0)
    printed.push_back(formatted("... and {} more lines, which were not kept", more));
  return printed;
}

PrintingDevice::PrintingDevice(launch::OpenDeviceOptions request, bool validate, bool is_wanted)
    : request_(std::move(request)), validate_(validate), is_wanted_(is_wanted) {}

DeviceSession* PrintingDevice::for_plan(const launch::Plan& plan, Diagnostics& diagnostics) {
  const auto printing = std::ranges::find_if(
      plan.shaders, [](const launch::Shader& shader) { return shader.spirv && spirv::prints(*shader.spirv); });
  if (!is_wanted_ || printing == plan.shaders.end()) return nullptr;
  if (!session_ && !gpu::has_validation_layer()) {
    if (!is_reported_) {
      diagnostics.remark(
          DiagnosticKind::Unsupported, {},
          formatted("shader `{}` prints, which is shown with the Vulkan validation layer only; install it "
                    "(Debian and Ubuntu: vulkan-validationlayers; Fedora: vulkan-validation-layers)",
                    printing->name));
    }
    is_reported_ = true;
    return nullptr;
  }
  if (!session_) session_ = std::make_unique<DeviceSession>(request_, validate_, true);
  return session_.get();
}

}  // namespace slipway::cli
