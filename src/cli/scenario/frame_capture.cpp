// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/scenario/frame_capture.hpp"

#include <array>
#include <cstdint>

#include "platform/library.hpp"

namespace slipway::cli {

// RenderDoc's in-application interface 1.0.0: a table of functions, of which these are used. Later versions
// keep the order of the entries.
struct FrameCapture::Functions {
  std::array<void (*)(), 19> others;
  void (*start_frame_capture)(void* device, void* window);
  std::uint32_t (*is_frame_capturing)();
  std::uint32_t (*end_frame_capture)(void* device, void* window);
};

FrameCapture::FrameCapture(bool wanted, const Log& log) {
  if (!wanted) return;
  constexpr int kVersion = 10000;
  if (void* library = platform::loaded_library("librenderdoc.so")) {
    using GetApi = int (*)(int version, void** table);
    const auto get_api = reinterpret_cast<GetApi>(platform::symbol(library, "RENDERDOC_GetAPI"));
    void* table = nullptr;
    if (get_api && get_api(kVersion, &table) == 1) functions_ = static_cast<const Functions*>(table);
  }
  if (functions_)
    functions_->start_frame_capture(nullptr, nullptr);
  else
    log.warning("No frame capturer implementation found, ignoring");
}

FrameCapture::~FrameCapture() {
  if (functions_) functions_->end_frame_capture(nullptr, nullptr);
}

}  // namespace slipway::cli
