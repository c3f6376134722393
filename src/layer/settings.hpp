// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a user chooses for the layer (docs/layer.md#settings): environment variables, and VK_EXT_layer_settings of the
// application, which come first.
#pragma once

#include <string>

namespace slipway::layer {

inline constexpr const char* kLayerName = "VK_LAYER_SLIPWAY_machine_learning";

enum class LayerLogLevel { Off, Error, Warning, Info, Debug };

struct Settings {
  LayerLogLevel log = LayerLogLevel::Warning;  // SLIPWAY_LAYER_LOG
  bool validate = false;                       // SLIPWAY_LAYER_VALIDATE: refuse what the specification does not allow
  bool force = false;                          // SLIPWAY_LAYER_FORCE: hide the driver's own extensions
  bool cache = true;                           // SLIPWAY_LAYER_CACHE: kernels on disk
  bool profile = false;                        // SLIPWAY_LAYER_PROFILE: take the times of kernels of graphs
  std::string capture;                         // SLIPWAY_LAYER_CAPTURE: a directory; empty: off
  bool capture_data = true;                    // SLIPWAY_LAYER_CAPTURE_DATA: a recording, too
};

// `chain`: of VkInstanceCreateInfo.
Settings read_settings(const void* chain);

}  // namespace slipway::layer
