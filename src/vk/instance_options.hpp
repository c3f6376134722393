// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a Vulkan instance is asked for: debug names, validation, messages.
#pragma once

#include <functional>
#include <string>

#include "base/diagnostic.hpp"

namespace slipway::vk {

// The environment variable with the manifest of the software driver of a package (env/bundle.sh), which is used where
// the machine has no other driver. VK_DRIVER_FILES then has the same value.
inline constexpr const char* kSoftwareDriver = "SLIPWAY_SOFTWARE_DRIVER";

// A message of a validation layer, the loader or the driver.
struct InstanceMessage {
  Severity severity = Severity::Note;
  bool is_shader_print = false;  // the text that a shader printed, without the end of the line
  std::string id;                // `VUID-...`, `SYNC-HAZARD-...`; may be empty
  std::string text;
};

struct InstanceOptions {
  // Debug names and labels (Device::has_debug_names).
  bool debug_names = false;
  // VK_LAYER_KHRONOS_validation with synchronisation validation.
  bool validation = false;
  // The same layer, which passes on what shaders print (debugPrintfEXT). Without `validation` it checks nothing.
  bool shader_prints = false;
  // Receives the warnings and errors of layers, and what shaders print, from any thread; called under a lock.
  std::function<void(const InstanceMessage&)> on_message;
};

}  // namespace slipway::vk
