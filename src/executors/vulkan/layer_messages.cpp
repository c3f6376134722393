// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/layer_messages.hpp"

#include <utility>

#include "base/format.hpp"

namespace slipway::launch {

void LayerMessages::add(const vk::InstanceMessage& message) {
  const std::scoped_lock lock(mutex_);
  if (!message.is_shader_print) {
    messages_.push_back({.severity = Severity::Warning,
                         .kind = DiagnosticKind::ValidationMessage,
                         .message = formatted("{}: {}", message.id, message.text)});
  } else if (prints_.size() < kMaxPrints) {
    prints_.push_back(message.text);
  } else {
    ++prints_not_kept_;
  }
}

std::vector<Diagnostic> LayerMessages::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(messages_, {});
}

std::vector<std::string> LayerMessages::take_prints() {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> lines = std::exchange(prints_, {});
  if (const std::size_t more = std::exchange(prints_not_kept_, 0); more > 0)
    lines.push_back(formatted("... and {} more lines, which were not kept", more));
  return lines;
}

std::string needs_printing_layer(std::string_view shader) {
  return formatted(
      "shader `{}` prints, which is shown with the Vulkan validation layer only; install it (Debian and Ubuntu: "
      "vulkan-validationlayers; Fedora: vulkan-validation-layers)",
      shader);
}

}  // namespace slipway::launch
