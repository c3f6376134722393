// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inputs of a process, which its outputs must not overwrite. Only the program protects its inputs: programs that
// use the library decide themselves.
//
//   protect_inputs();                                        once, at the start of the program
//   protect_input(file);                                     where a file is read
//   if (Result<> checked = check_output(report); !checked)   before a long run; every output is checked when it is
//   opened
#pragma once

#include <filesystem>
#include <set>
#include <span>

#include "base/diagnostic.hpp"

namespace slipway {

using Path = std::filesystem::path;  // as in files.hpp, which uses this header

// From now on `protect_input` has an effect.
void protect_inputs();
// `-` and files that do not exist are ignored.
void protect_input(const Path& path);
// Errors: output-conflict, when a path leads to a protected input, through links too.
Result<> check_output(const Path& path);
// The file that an output of this name replaces, also through links; it need not exist. Empty for what is not replaced:
// devices, pipes, standard streams, directories.
Path replaced_file(const Path& path);
// The outputs of one run; empty names are ignored. Errors: output-conflict, also when two of them replace one file.
Result<> check_outputs(std::span<const Path> paths);

// For a process that runs several workloads one after another, where the output of one may be the input of another:
// inputs that are protected while it exists are not protected afterwards.
class InputScope {
 public:
  InputScope();
  InputScope(const InputScope&) = delete;
  ~InputScope();

 private:
  std::set<Path> before_;
};

}  // namespace slipway
