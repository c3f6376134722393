// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Vulkan layers report, and shaders print, on one instance.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "vk/instance_options.hpp"

namespace slipway::launch {

// Used from any thread.
class LayerMessages {
 public:
  static constexpr std::size_t kMaxPrints = 10'000;

  void add(const vk::InstanceMessage& message);
  // The messages since the last call, as warnings.
  std::vector<Diagnostic> take();
  // The lines that shaders printed since the last call: at most kMaxPrints, and one that counts the others.
  std::vector<std::string> take_prints();

 private:
  std::mutex mutex_;
  std::vector<Diagnostic> messages_;
  std::vector<std::string> prints_;
  std::size_t prints_not_kept_ = 0;
};

// The note of a shader that prints, on a machine without the validation layer.
std::string needs_printing_layer(std::string_view shader);

}  // namespace slipway::launch
