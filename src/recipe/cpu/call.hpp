// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls a CPU function.
//
//   FunctionCall call{.function = function, .run = "convert_ifm", .location = location};
//   call.arguments.resize(function->num_args);
//   call.arguments[0] = slipway::bo(storage);
//   call.arguments[2] = std::string("nchw2nchw4c");
//   if (auto done = run_call(call); !done) ...
//
// The vector of arguments is made once and reused by all calls; a function may change it
// (docs/spec/recipe.md#execution).
#pragma once

#include <any>
#include <exception>
#include <expected>
#include <string>
#include <vector>

#include "recipe/cpu/library.hpp"

namespace slipway::recipe::cpu {

struct FunctionCall {
  const LibraryFunction* function = nullptr;
  std::string run;          // the id of the run, for messages
  SourceLocation location;  // of the run in the recipe
  std::vector<std::any> arguments;
  std::string pointer = {};  // JSON pointer of the run
};

// The exception of a function, and a diagnostic of kind cpu-function with its text.
struct CallFailure {
  Diagnostic diagnostic;
  std::exception_ptr thrown;
};

std::expected<void, CallFailure> run_call(FunctionCall& call);

// An argument as text for messages: "xrt::bo of 64 bytes", "int 3", "std::string", "nothing".
std::string describe_argument(const std::any& argument);

}  // namespace slipway::recipe::cpu
