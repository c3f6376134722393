// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selects the verb, or the tool whose name the program was called by.
#pragma once

#include <string_view>

#include "cli/command_line.hpp"

namespace slipway::cli {

struct Verb {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Arguments& arguments);
};

// `program` is argv[0]: a drop-in name, such as scenario-runner, selects the command line of that tool.
int run_program(std::string_view program, const Arguments& arguments);

int devices_verb(const Arguments& arguments);
int doctor_verb(const Arguments& arguments);
int schema_verb(const Arguments& arguments);
int scenario_runner(const Arguments& arguments);

}  // namespace slipway::cli
