// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selects the verb, or the tool whose name the program was called by.
#pragma once

#include <string_view>

#include "cli/command_line.hpp"

namespace slipway::cli {

struct DispatchedVerb;

struct Verb {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Arguments& arguments);
  bool takes_long = false;                     // it stops with its results after an interrupt
  const DispatchedVerb* dispatched = nullptr;  // if the options depend on the format of the file
};

struct VerbDescription {
  std::string_view name, summary;
  std::vector<LineDescription> lines;  // several where the options depend on the format of the file
};
std::vector<VerbDescription> describe_verbs();

// `program` is argv[0]: a drop-in name, such as scenario-runner, selects the command line of that tool.
int run_program(std::string_view program, Arguments arguments);

int new_verb(const Arguments& arguments);
int completion_verb(const Arguments& arguments);
int man_verb(const Arguments& arguments);
int devices_verb(const Arguments& arguments);
int layer_verb(const Arguments& arguments);
int conformance_verb(const Arguments& arguments);
int doctor_verb(const Arguments& arguments);
int schema_verb(const Arguments& arguments);
int reduce_verb(const Arguments& arguments);
int results_verb(const Arguments& arguments);
int scenario_runner(const Arguments& arguments);

}  // namespace slipway::cli
