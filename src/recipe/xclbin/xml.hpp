// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the XML of kernel metadata as a sequence of events: elements and their attributes. Skips text between elements,
// comments, processing instructions, declarations and CDATA sections. Namespace prefixes are part of names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"

namespace slipway::recipe::xclbin {

struct XmlEvent {
  enum class Kind : std::uint8_t { Open, Close, End };
  Kind kind = Kind::End;
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string>> attributes;  // of Open, with references replaced
  std::size_t offset = 0;                                            // of its `<`

  // The value of an attribute, or null.
  const std::string* attribute(std::string_view name) const;
};

// Deeper nesting is an error.
inline constexpr std::size_t kMaxXmlDepth = 64;

class XmlReader {
 public:
  // Locations are byte offsets from `base` in `file`. The text must outlive the reader and its events.
  XmlReader(std::string_view text, std::string_view file, std::uint64_t base) : text_(text), file_(file), base_(base) {}

  // Returns Open and then Close for an empty element, and End at the end of the text. Errors: file-format.
  Result<XmlEvent> next();

 private:
  std::unexpected<Failure> problem(std::size_t at, std::string message) const;
  Result<> skip_past(std::string_view end, std::string_view what);
  Result<XmlEvent> open_tag();
  Result<XmlEvent> close_tag();
  Result<std::string> value();
  std::string_view read_name();
  void skip_space();
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  std::string_view text_, file_;
  std::uint64_t base_;
  std::size_t at_ = 0;
  std::vector<std::string_view> open_;
  bool close_next_ = false;  // the last opened element is empty
};

}  // namespace slipway::recipe::xclbin
