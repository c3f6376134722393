// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frames of the Language Server Protocol: `Content-Length: N`, an empty line, N bytes of JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace slipway::rpl::lsp {

// Larger messages are refused: a file of the language has at most 64 MiB, and JSON may need six bytes for one.
inline constexpr std::size_t kMaxMessage = std::size_t{400} << 20;

class FrameReader {
 public:
  void feed(std::string_view bytes) { buffer_ += bytes; }
  // The body of the next complete frame. An invalid header is skipped to the next `Content-Length`.
  std::optional<std::string> next();
  // The client's stream is lost: a frame announced more than kMaxMessage.
  bool broken() const { return broken_; }

 private:
  std::string buffer_;
  bool broken_ = false;
};

std::string frame(std::string_view body);

}  // namespace slipway::rpl::lsp
