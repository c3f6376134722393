// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes indented JSON, members in the order of the calls.
//
//   json::Writer out;
//   out.object([&] { out.member("name", "x"); out.key("dims").array([&] { out.value(3); }); });
//   out.text();
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace slipway::json {

inline constexpr int kCompact = -1;

// A JSON string, with quotes and escapes.
std::string quoted(std::string_view text);
// The shortest text that is read back as the same number; `null` for NaN and infinities, which JSON does not have.
std::string number_text(double value);
std::string number_text(float value);

class Writer {
 public:
  explicit Writer(int indent = 2) : indent_(indent) {}  // 0: one line; kCompact: no white space

  Writer& key(std::string_view name);
  Writer& value(std::string_view text);
  Writer& value(const char* text) { return value(std::string_view(text)); }
  Writer& value(bool flag) { return raw(flag ? "true" : "false"); }
  Writer& value(double number) { return raw(number_text(number)); }
  Writer& value(float number) { return raw(number_text(number)); }
  template <std::integral I>
  Writer& value(I number) {
    return integer(static_cast<std::uint64_t>(number), std::signed_integral<I>);
  }
  Writer& null() { return raw("null"); }
  Writer& raw(std::string_view text);  // a complete JSON value

  template <class F>
  Writer& object(F&& members) {
    open('{');
    members();
    return close('}');
  }
  template <class F>
  Writer& array(F&& elements) {
    open('[');
    elements();
    return close(']');
  }
  template <class T>
  Writer& member(std::string_view name, const T& of) {
    return key(name).value(of);
  }

  // Ends with a line break if indented.
  std::string text() const { return indent_ > 0 ? text_ + "\n" : text_; }

 private:
  void open(char bracket);
  Writer& close(char bracket);
  void before_value();
  Writer& integer(std::uint64_t bits, bool is_signed);
  void new_line();

  std::string text_;
  int indent_;
  int depth_ = 0;
  bool first_ = true;  // nothing written yet in the innermost bracket
  bool after_key_ = false;
};

}  // namespace slipway::json
