// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/frames.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/format.hpp"

namespace slipway::rpl::lsp {
namespace {

constexpr std::string_view kLength = "content-length:";

bool begins_with_length(std::string_view line) {
  return line.size() >= kLength.size() &&
         std::ranges::equal(line.substr(0, kLength.size()), kLength, {},
                            [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
}

// The number of a `Content-Length` line.
std::optional<std::size_t> length_in(std::string_view header) {
  while (!header.empty()) {
    const std::size_t end = header.find('\n');
    std::string_view line = header.substr(0, end);
    header.remove_prefix(end == header.npos ? header.size() : end + 1);
    if (!begins_with_length(line)) continue;
    line.remove_prefix(kLength.size());
    while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    std::size_t length = 0;
    if (std::from_chars(line.data(), line.data() + line.size(), length).ec == std::errc()) return length;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FrameReader::next() {
  while (!broken_) {
    std::size_t end = buffer_.find("\r\n\r\n"), after = 4;
    if (const std::size_t plain = buffer_.find("\n\n"); plain < end) end = plain, after = 2;
    if (end == buffer_.npos) {
      // A header is short; an endless line is not a header.
      if (buffer_.size() > 64 << 10) buffer_.clear();
      return std::nullopt;
    }
    const std::optional<std::size_t> length = length_in(std::string_view(buffer_).substr(0, end));
    if (!length) {
      buffer_.erase(0, end + after);
      continue;
    }
    if (*length > kMaxMessage) {
      broken_ = true;
      return std::nullopt;
    }
    if (buffer_.size() - end - after < *length) return std::nullopt;
    std::string body = buffer_.substr(end + after, *length);
    buffer_.erase(0, end + after + *length);
    return body;
  }
  return std::nullopt;
}

std::string frame(std::string_view body) { return formatted("Content-Length: {}\r\n\r\n{}", body.size(), body); }

}  // namespace slipway::rpl::lsp
