// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a test run on the driver of arm_driver/, which has native tensors and graphs. Call it before an instance is
// created.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace slipway::testing {

class UseArmDriver {
 public:
  UseArmDriver() {
    if (const char* before = std::getenv(kVariable)) before_ = before;
    ::setenv(kVariable, SLIPWAY_ARM_DRIVER, 1);
  }
  ~UseArmDriver() {
    if (before_)
      ::setenv(kVariable, before_->c_str(), 1);
    else
      ::unsetenv(kVariable);
  }
  UseArmDriver(const UseArmDriver&) = delete;

  // Whether the driver was built: it is beside the test programs of a build, but not in a bundle.
  static bool is_here() { return std::filesystem::exists(SLIPWAY_ARM_DRIVER); }

 private:
  static constexpr const char* kVariable = "VK_DRIVER_FILES";
  std::optional<std::string> before_;
};

}  // namespace slipway::testing
