// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a client of `slipway layer certify` is given, and what comes out of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slipway::conformance {

struct CertifyOptions {
  bool validate = false;         // the validation layer is enabled; its messages are failures
  std::uint64_t seed = 1;        // of generated sequences
  std::uint32_t sequences = 20;  // how many are generated
};

struct ClientOutcome {
  std::uint64_t checks = 0;           // results and codes that were compared
  bool is_lacking = false;            // the device does not have what the client needs; `failures` say what
  std::vector<std::string> failures;  // the first ones: wrong results, codes that are errors, messages
};

}  // namespace slipway::conformance
