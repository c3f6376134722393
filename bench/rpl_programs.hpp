// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One program in two languages: a render pipeline in RPL, and its vertex and fragment shaders in GLSL.
#pragma once

#include <cstddef>
#include <string>

namespace slipway::bench {

struct TwinProgram {
  std::string rpl;
  std::string vertex;    // GLSL
  std::string fragment;  // GLSL
};

// A program of about `bytes` bytes of RPL. `code` is the fraction of it, from 0 to 1, that is function bodies; the
// rest is declarations with conditionals.
TwinProgram make_twin(std::size_t bytes, double code);

}  // namespace slipway::bench
