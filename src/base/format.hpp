// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formatted text: formatted("unknown key `{}`", key) is std::format whose formatting code is compiled once, in
// format.cpp. std::format compiles that code in each file that uses it, which takes 2.5 s of CPU time per file.
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
