// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits until files are written. Editors write a file in place, or give its name to another one: both are seen, also
// through a link.
//
//   SLIPWAY_TRY(FileWatch watch, FileWatch::open());
//   watch.watch(files);
//   wait for watch.descriptor(); for (const Path& file : watch.take()) ...
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/system/files.hpp"
#include "base/system/paths/place.hpp"

namespace slipway {

class FileWatch {
 public:
  // Errors: device-failed, where the system gives no more watches.
  static Result<FileWatch> open();

  // Also watches these. They need not exist, but their directories must: a file in one that does not is not watched.
  // Errors: device-failed, such as a limit of the user on watches; the files of other directories are watched.
  Result<> watch(const std::set<Path>& files);
  int descriptor() const { return notes_.number(); }
  // The files that were written or removed since the last call, as `watch` has their paths. Does not wait.
  std::set<Path> take();

 private:
  explicit FileWatch(OwnedDescriptor notes) : notes_(std::move(notes)) {}

  OwnedDescriptor notes_;
  std::multimap<std::pair<int, std::string>, Path> files_;  // by the number of the watched directory and the name in it
};

}  // namespace slipway
