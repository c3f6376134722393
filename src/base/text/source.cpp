// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/source.hpp"

#include <algorithm>

namespace slipway {

Source::Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)), line_starts_{0} {
  for (std::uint64_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

std::string_view Source::text(Span span) const {
  const std::uint64_t begin = std::min<std::uint64_t>(span.begin, text_.size());
  const std::uint64_t end = std::clamp<std::uint64_t>(span.end, begin, text_.size());
  return std::string_view(text_).substr(begin, end - begin);
}

Position Source::position(std::uint64_t offset) const {
  offset = std::min<std::uint64_t>(offset, text_.size());
  const auto after = std::ranges::upper_bound(line_starts_, offset);
  const auto line = static_cast<std::uint32_t>(after - line_starts_.begin());
  return {line, static_cast<std::uint32_t>(offset - line_starts_[line - 1] + 1), offset};
}

std::string_view Source::line(std::uint32_t number) const {
  if (number == 0 || number > line_starts_.size()) return {};
  std::string_view rest = std::string_view(text_).substr(line_starts_[number - 1]);
  rest = rest.substr(0, rest.find('\n'));
  if (rest.ends_with('\r')) rest.remove_suffix(1);
  return rest;
}

SourcePtr make_source(std::string name, std::string text) {
  return std::make_shared<const Source>(std::move(name), std::move(text));
}

SourceLocation SourceLocation::in_text(SourcePtr source, Span span) {
  std::string name = source->name();
  return {Kind::Text, std::move(name), std::move(source), span};
}

}  // namespace slipway
