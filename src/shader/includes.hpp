// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files that a shader includes: the search for them, and which were found or missing.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shader/options.hpp"

namespace slipway::shader {

// Texts by the names that the compiler uses.
using SourceMap = std::map<std::string, SourcePtr, std::less<>>;

class Includes {
 public:
  // `options` must live longer.
  Includes(const SourcePtr& main, const Options& options);
  Includes(const SourcePtr& main, Options&& options) = delete;

  // Whether an including file, which is one that was found before, has an `#include` with this name.
  bool is_named(std::string_view name, std::string_view includer);

  // The file that `#include` with a name means in an including file: in that file's directory, then in the include
  // directories. `depth` is 1 for an include of the main file.
  Result<SourcePtr> find(const std::string& name, const std::string& includer, std::size_t depth);

  const SourceMap& sources() const { return sources_; }
  std::vector<Dependency> dependencies() const;

 private:
  Result<SourcePtr> read(const Path& path);

  const Options& options_;
  std::string main_;  // its name
  SourceMap sources_;
  std::map<std::string, std::set<std::string, std::less<>>> names_;  // in the `#include`s of a source
  std::map<Path, std::string> hashes_;  // of all files searched for; empty for missing ones
  std::size_t count_ = 0;
};

}  // namespace slipway::shader
