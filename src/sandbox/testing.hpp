// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Services for tests.
#pragma once

#include <string_view>
#include <vector>

#include "sandbox/sandbox.hpp"

namespace slipway::sandbox {

inline std::vector<std::byte> bytes(std::string_view text) {
  const Bytes view = bytes_of(text);
  return {view.begin(), view.end()};
}
inline std::vector<std::byte> echo(Bytes request, const Ask&) { return {request.begin(), request.end()}; }
inline std::vector<std::byte> ask_twice(Bytes request, const Ask& ask) {
  std::vector<std::byte> first = ask(request);
  first.append_range(ask(bytes_of("again")));
  return first;
}

}  // namespace slipway::sandbox
