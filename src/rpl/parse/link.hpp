// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs of modules that were parsed before: a module is parsed once, and belongs to any number of programs.
//
//   const Program pass = parse(pass_source, diagnostics), material = parse(material_source, diagnostics);
//   const Program both = link(std::array{&pass, &material}, diagnostics);
//
// The result is the program that `parse` makes of all sources together: nodes are copied with their indices, names and
// offsets changed, which takes a fraction of the time of parsing.
#pragma once

#include <span>

#include "rpl/program.hpp"

namespace slipway::rpl {

// The programs must be valid. Errors: rpl-duplicate-option; out-of-range for more than 4 GiB of sources.
Program link(std::span<const Program* const> programs, Diagnostics& diagnostics);

}  // namespace slipway::rpl
