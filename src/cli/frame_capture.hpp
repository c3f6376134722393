// --capture-frame: lets RenderDoc capture a run, when it has injected its library into the process.
#pragma once

#include "base/log.hpp"

namespace slipway::cli {

// Captures what is submitted while it lives. Without RenderDoc it warns, and does nothing.
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
