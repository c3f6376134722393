// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random valid programs of the Render Pipeline Language: the same seed gives the same text on every machine.
//
// Programs use options of both classes, conditionals, constants, structs with arrays and matrices, every kind of
// buffer, containers, images, functions with `in`, `out` and `in out` arguments, aliases, loops, jumps and most
// built-ins. They terminate: loops are counted, and a function calls only functions before it.
//
// Arithmetic has one defined result on every device: divisors are positive, shift amounts below 32, indices in bounds,
// and floats stay whole numbers of a size that additions and products hold exactly. (Images and math built-ins, whose
// results are not exact, are used only in `graphics` programs, or where no result depends on them.)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slipway::testing {

struct RplProgramShape {
  bool compute = true;  // false: a vertex and a fragment entry point
  std::uint32_t structs = 3;
  std::uint32_t functions = 5;
  std::uint32_t statements = 12;  // in each body
  std::uint32_t depth = 3;        // of expressions and of nested scopes
  bool exact = true;              // no operation whose result may differ between devices
};

struct GeneratedRpl {
  std::string text;
  // Names of flag options: any assignment of them is valid.
  std::vector<std::string> flags;
  // Of a compute program: set 2 binds uniform `params` (0), read-only `source` (1) and read-write `result` (2), and
  // there is the push constant `push`.
  std::uint32_t params_words = 0;
  std::uint32_t source_words = 0;
  std::uint32_t result_words = 0;
  std::uint32_t push_words = 0;
};

// Shapes of all kinds and sizes in turn, for suites of many programs.
RplProgramShape numbered_shape(std::uint64_t seed);

// Compute programs have the entry point `compute_main`, graphics programs `vertex_main` and `fragment_main`.
GeneratedRpl generate_rpl(std::uint64_t seed, const RplProgramShape& shape = {});

}  // namespace slipway::testing
