// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/xclbin/xml.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/format.hpp"

namespace slipway::recipe::xclbin {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

bool is_name_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_' ||
         byte == '-' || byte == '.' || byte == ':' || byte >= 0x80;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6), byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12), byte(0x80 | (code >> 6 & 0x3F)), byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18), byte(0x80 | (code >> 12 & 0x3F)), byte(0x80 | (code >> 6 & 0x3F)),
        byte(0x80 | (code & 0x3F));
  }
}

// Appends the character of `&NAME;`; false if the reference is unknown.
bool append_reference(std::string& text, std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, char>, 5> kNamed = {
      {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}}};
  if (const auto named = std::ranges::find(kNamed, name, &std::pair<std::string_view, char>::first);
      named != kNamed.end()) {
    text += named->second;
    return true;
  }
  if (!name.starts_with('#')) return false;
  name.remove_prefix(1);
  const int base = name.starts_with('x') ? 16 : 10;
  if (base == 16) name.remove_prefix(1);
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code, base);
  const bool is_character = code != 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  if (error != std::errc() || end != name.data() + name.size() || !is_character) return false;
  append_utf8(text, code);
  return true;
}

}  // namespace

const std::string* XmlEvent::attribute(std::string_view wanted) const {
  const auto found = std::ranges::find(attributes, wanted, &std::pair<std::string_view, std::string>::first);
  return found == attributes.end() ? nullptr : &found->second;
}

std::unexpected<Failure> XmlReader::problem(std::size_t at, std::string message) const {
  const std::uint64_t location = base_ + std::min(at, text_.size());
  return fail(DiagnosticKind::FileFormat, SourceLocation::in_bytes(std::string(file_), {location, location}),
              formatted("the XML of the metadata is invalid: {}", message));
}

void XmlReader::skip_space() { at_ = std::min(text_.find_first_not_of(kSpace, at_), text_.size()); }

std::string_view XmlReader::read_name() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

Result<> XmlReader::skip_past(std::string_view end, std::string_view what) {
  const std::size_t found = text_.find(end, at_);
  if (found == text_.npos) return problem(at_, formatted("{} without end", what));
  at_ = found + end.size();
  return {};
}

Result<XmlEvent> XmlReader::next() {
  if (close_next_) {
    close_next_ = false;
    XmlEvent event{.kind = XmlEvent::Kind::Close, .name = open_.back(), .attributes = {}, .offset = at_};
    open_.pop_back();
    return event;
  }
  while (true) {
    at_ = std::min(text_.find('<', at_), text_.size());
    const std::string_view rest = text_.substr(at_);
    if (rest.empty()) {
      if (!open_.empty()) return problem(at_, formatted("element `{}` without end", open_.back()));
      return XmlEvent{};
    }
    Result<> skipped;
    if (rest.starts_with("<!--")) {
      skipped = skip_past("-->", "comment");
    } else if (rest.starts_with("<![CDATA[")) {
      skipped = skip_past("]]>", "CDATA section");
    } else if (rest.starts_with("<?")) {
      skipped = skip_past("?>", "processing instruction");
    } else if (rest.starts_with("<!")) {
      skipped = skip_past(">", "declaration");
    } else {
      return rest.starts_with("</") ? close_tag() : open_tag();
    }
    if (!skipped) return fail(std::move(skipped.error()));
  }
}

Result<XmlEvent> XmlReader::close_tag() {
  XmlEvent event{.kind = XmlEvent::Kind::Close, .name = {}, .attributes = {}, .offset = at_};
  at_ += 2;
  event.name = read_name();
  skip_space();
  if (peek() != '>') return problem(at_, "`>` is missing");
  ++at_;
  if (open_.empty() || open_.back() != event.name) {
    return problem(event.offset, formatted("`</{}>` does not close the open element", event.name));
  }
  open_.pop_back();
  return event;
}

Result<XmlEvent> XmlReader::open_tag() {
  XmlEvent event{.kind = XmlEvent::Kind::Open, .name = {}, .attributes = {}, .offset = at_};
  ++at_;
  event.name = read_name();
  if (event.name.empty()) return problem(event.offset, "`<` without the name of an element");
  if (open_.size() == kMaxXmlDepth) return problem(event.offset, formatted("more than {} levels", kMaxXmlDepth));
  open_.push_back(event.name);
  while (true) {
    skip_space();
    if (text_.substr(at_).starts_with("/>")) {
      at_ += 2;
      close_next_ = true;
      return event;
    }
    if (peek() == '>') {
      ++at_;
      return event;
    }
    const std::size_t begin = at_;
    const std::string_view name = read_name();
    if (name.empty()) return problem(begin, formatted("element `{}` without `>`", event.name));
    skip_space();
    if (peek() != '=') return problem(at_, formatted("attribute `{}` without a value", name));
    ++at_;
    skip_space();
    SLIPWAY_TRY(std::string text, value());
    event.attributes.emplace_back(name, std::move(text));
  }
}

Result<std::string> XmlReader::value() {
  const char quote = peek();
  if (quote != '"' && quote != '\'') return problem(at_, "the value of an attribute without quotes");
  const std::size_t begin = ++at_;
  const std::size_t end = text_.find(quote, begin);
  if (end == text_.npos) return problem(begin, "the value of an attribute without end");
  at_ = end + 1;
  std::string text;
  for (std::size_t i = begin; i < end;) {
    if (text_[i] != '&') {
      text += text_[i++];
      continue;
    }
    const std::size_t semicolon = text_.find(';', i);
    if (semicolon >= end || !append_reference(text, text_.substr(i + 1, semicolon - i - 1))) {
      return problem(i, "`&` that does not begin a known character reference");
    }
    i = semicolon + 1;
  }
  return text;
}

}  // namespace slipway::recipe::xclbin
