// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a test run with the Vulkan layer of src/layer, so that the device has tensors and graphs. Call it before an
// instance is created.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <string>

#include "platform/process.hpp"

namespace slipway::testing {

// Where the validation layer is that the fixtures enable: it sees the calls of the program, or those of the layer.
// WithFaults: above, and failures below.
enum class Validation { AboveLayer, BelowLayer, WithFaults, Off };

class UseLayer {
 public:
  explicit UseLayer(Validation validation = Validation::AboveLayer)
      : layers_("VK_INSTANCE_LAYERS",
                validation == Validation::AboveLayer ? "VK_LAYER_KHRONOS_validation:VK_LAYER_SLIPWAY_machine_learning"
                : validation == Validation::Off      ? "VK_LAYER_SLIPWAY_machine_learning"
                : validation == Validation::BelowLayer
                    ? "VK_LAYER_SLIPWAY_machine_learning:VK_LAYER_KHRONOS_validation"
                    : "VK_LAYER_KHRONOS_validation:VK_LAYER_SLIPWAY_machine_learning:VK_LAYER_SLIPWAY_test_faults"),
        path_("VK_ADD_LAYER_PATH", directory() + ":" SLIPWAY_FAULT_LAYER),
        // Where it is set, it replaces the directories of the system, and the loader ignores VK_ADD_LAYER_PATH.
        replaced_path_("VK_LAYER_PATH", with_directory(std::getenv("VK_LAYER_PATH"))) {}

  // Whether the layer was built: it is beside the test programs of a build, and where SLIPWAY_LAYER_DIRECTORY names it
  // in a bundle.
  static bool is_here() { return std::filesystem::exists(directory() + "/VkLayer_slipway_ml.json"); }
  static std::string directory() {
    const char* given = std::getenv("SLIPWAY_LAYER_DIRECTORY");
    return given != nullptr ? given : SLIPWAY_LAYER_DIRECTORY;
  }
  // The library, at the path that the manifest names.
  static std::filesystem::path library() {
    std::ifstream manifest(directory() + "/VkLayer_slipway_ml.json");
    const std::string text(std::istreambuf_iterator<char>(manifest), {});
    std::smatch found;
    if (!std::regex_search(text, found, std::regex(R"--("library_path": *"([^"]*)")--"))) return {};
    return std::filesystem::path(directory()) / found[1].str();
  }

 private:
  // A variable of the environment that has its old value again in the end.
  class Variable {
   public:
    // Empty: stays as it is.
    Variable(const char* name, const std::string& value) : name_(name) {
      if (const char* before = std::getenv(name)) before_ = before;
      if (!value.empty()) platform::set_environment(name, value);
    }
    Variable(const Variable&) = delete;
    ~Variable() {
      if (before_)
        platform::set_environment(name_, *before_);
      else
        platform::remove_environment(name_);
    }

   private:
    const char* name_;
    std::optional<std::string> before_;
  };
  static std::string with_directory(const char* before) {
    return before == nullptr ? "" : std::string(before) + ":" + directory();
  }
  Variable layers_, path_, replaced_path_;
};

}  // namespace slipway::testing
