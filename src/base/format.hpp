// Formatted text: formatted("unknown key `{}`", key) is std::format with one difference. The code that formats is
// compiled once, in format.cpp; std::format compiles it again in each file that uses it, at 2.5 s of CPU a file.
//
// Format strings are checked at compile time, as those of std::format are.
#pragma once

#include <format>
#include <string>
#include <string_view>

namespace slipway {

std::string vformatted(std::string_view pattern, std::format_args arguments);
void append_vformatted(std::string& out, std::string_view pattern, std::format_args arguments);

template <class... Arguments>
std::string formatted(std::format_string<Arguments...> pattern, Arguments&&... arguments) {
  return vformatted(pattern.get(), std::make_format_args(arguments...));
}

template <class... Arguments>
void append_formatted(std::string& out, std::format_string<Arguments...> pattern, Arguments&&... arguments) {
  append_vformatted(out, pattern.get(), std::make_format_args(arguments...));
}

}  // namespace slipway
