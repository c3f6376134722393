// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --capture-frame: RenderDoc captures a run if its library is injected into the process.
#pragma once

#include "base/log.hpp"

namespace slipway::cli {

// Captures what is submitted during its lifetime. Without RenderDoc it logs a warning and does nothing.
class FrameCapture {
 public:
  FrameCapture(bool wanted, const Log& log);
  FrameCapture(const FrameCapture&) = delete;
  ~FrameCapture();

 private:
  struct Functions;
  const Functions* functions_ = nullptr;  // the library's own table
};

}  // namespace slipway::cli
