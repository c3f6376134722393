// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inputs of a process, which its outputs must not overwrite. Only the program protects its inputs: programs that
// use the library decide themselves.
//
//   protect_inputs();                                        once, at the start of the program
//   protect_input(file);                                     where a file is read
//   if (Result<> checked = check_output(report); !checked)   before a long run; every output is checked when it is
//   opened
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/diagnostic.hpp"

namespace slipway {

using Path = std::filesystem::path;  // as in files.hpp, which uses this header

// A file, by its directory and its name there, or by itself without a name.
struct FileKey {
  std::uint64_t device = 0, inode = 0;
  std::string name;
  auto operator<=>(const FileKey&) const = default;
};
// Of the file to which a path leads, through links too; it need not exist, nor its directory. Nothing for a directory.
std::optional<FileKey> key_of_name(const Path& path);

// From now on `protect_input` has an effect.
void protect_inputs();
// `-` and files that do not exist are ignored.
void protect_input(const Path& path);
void protect_input(FileKey key);  // of a file that another process reads
// Errors: output-conflict, when a path leads to a protected input, through links too.
Result<> check_output(const Path& path);
// Of a file that is open and will be changed, not replaced. Errors: output-conflict, when it is a protected input, also
// by another name: a hard link.
Result<> check_changed(int file, const Path& path);
// The file that an output of this name replaces, also through links; it need not exist. Nothing for what is not
// replaced: devices, pipes, standard streams, directories.
std::optional<FileKey> replaced_file(const Path& path);
// The outputs of one run; empty names are ignored. Errors: output-conflict, also when two of them replace one file.
Result<> check_outputs(std::span<const Path> paths);

// For a process that runs several workloads one after another, where the output of one may be the input of another:
// inputs that are protected while it exists are not protected afterwards.
class InputScope {
 public:
  InputScope();
  InputScope(const InputScope&) = delete;
  ~InputScope();

  // What became an input since then.
  std::vector<FileKey> added() const;

 private:
  std::set<FileKey> before_;
};

}  // namespace slipway
