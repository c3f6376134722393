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

void ShaderPrints::add(std::string line) {
  const std::scoped_lock lock(mutex_);
  if (lines_.size() < kMaxLines)
    lines_.push_back(std::move(line));
  else
    ++not_kept_;
}

std::vector<std::string> ShaderPrints::take() {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> lines = std::exchange(lines_, {});
  if (const std::size_t more = std::exchange(not_kept_, 0); more > 0)
    lines.push_back(formatted("... and {} more lines, which were not kept", more));
  return lines;
}

std::string needs_printing_layer(std::string_view shader) {
  return formatted(
      "shader `{}` prints, which is shown with the Vulkan validation layer only; install it (Debian and Ubuntu: "
      "vulkan-validationlayers; Fedora: vulkan-validation-layers)",
      shader);
}

struct DeviceSession::Messages {
  std::mutex mutex;
  std::vector<vk::InstanceMessage> all;
  ShaderPrints prints;

  void add(const vk::InstanceMessage& message) {
    if (message.is_shader_print) {
      prints.add(message.text);
      return;
    }
    const std::scoped_lock lock(mutex);
    all.push_back(message);
  }
};

DeviceSession::DeviceSession(launch::OpenDeviceOptions request, bool validate, bool shader_prints)
    : messages_(std::make_shared<Messages>()) {
  request.instance.validation = validate;
  request.instance.shader_prints = shader_prints;
  if (validate || shader_prints || std::getenv("VK_INSTANCE_LAYERS") || std::getenv("VK_LOADER_LAYERS_ENABLE")) {
    request.instance.on_message = [messages = messages_](const vk::InstanceMessage& message) {
      messages->add(message);
    };
  }
  opening_ = std::make_unique<launch::DeviceOpening>(std::move(request));
}

void DeviceSession::add_messages(Diagnostics& diagnostics) {
  const std::scoped_lock lock(messages_->mutex);
  for (const vk::InstanceMessage& message : messages_->all) {
    diagnostics.warning(DiagnosticKind::ValidationMessage, {}, formatted("{}: {}", message.id, message.text));
  }
  messages_->all.clear();
}

std::vector<std::string> DeviceSession::take_prints() { return messages_->prints.take(); }

PrintingDevice::PrintingDevice(launch::OpenDeviceOptions request, bool validate, bool is_wanted)
    : request_(std::move(request)), validate_(validate), is_wanted_(is_wanted) {}

DeviceSession* PrintingDevice::for_plan(const launch::Plan& plan, Diagnostics& diagnostics) {
  const auto printing = std::ranges::find_if(
      plan.shaders, [](const launch::Shader& shader) { return shader.spirv && spirv::prints(*shader.spirv); });
  if (!is_wanted_ || printing == plan.shaders.end()) return nullptr;
  if (!session_ && !gpu::has_validation_layer()) {
    if (!is_reported_) diagnostics.remark(DiagnosticKind::Unsupported, {}, needs_printing_layer(printing->name));
    is_reported_ = true;
    return nullptr;
  }
  if (!session_) session_ = std::make_unique<DeviceSession>(request_, validate_, true);
  return session_.get();
}

}  // namespace slipway::cli
