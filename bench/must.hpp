// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Benchmarks end the process after a failure: `must` prints it and exits.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <print>

#include "base/print_diagnostic.hpp"

namespace slipway::bench {

template <class T>
T must(Result<T> result) {
  if (result) {
    if constexpr (std::is_void_v<T>)
      return;
    else
      return std::move(*result);
  }
  std::print(stderr, "{}", format_diagnostics(result.error()));
  std::exit(5);
}

}  // namespace slipway::bench
