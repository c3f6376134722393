// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--confine`: for files of strangers. The paths in them must not leave their directories, which the modules of the
// formats check, and the kernel forbids the process and its children, as far as it can:
//
// - to read files, except those of the system and of this installation, the directories of the files on the command
//   line, and the caches;
// - to write files, except below the directories that options of outputs name, the directories of files that run, and
//   the own cache;
// - to connect to a network, and to start other programs than itself.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platform/confine.hpp"

namespace slipway::cli {

// Whether --confine is among the arguments of a verb.
bool wants_confinement(const std::vector<std::string>& words);

// The rules for these arguments. `runs`: outputs may be written beside the inputs.
platform::FileRules rules_for(const std::vector<std::string>& words, bool runs);

// Applies the rules, before anything else is read, and makes `is_confined` true. Where the kernel has none, it prints a
// warning or, in the mode `required` of the sandbox, an error, and returns false.
[[nodiscard]] bool confine_process(const std::vector<std::string>& words, bool runs);

// Of this process. `note_confined`: of a worker, which inherits the rules.
bool is_confined();
void note_confined();
// The command of a verb in a process of its own, which is confined if this one is.
std::vector<std::string> command_of_verb(std::string_view verb);

// Options whose value is an output: a file, a directory, or NAME=FILE.
std::span<const std::string_view> output_options();

}  // namespace slipway::cli
