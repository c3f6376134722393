// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files that a recipe or profile names: from a directory, or from memory (docs/spec/recipe.md#artifacts).
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "base/system/files.hpp"

namespace slipway::recipe {

// The profile beside a recipe that its name or its directory suggests: NAME.profile.json, NAME_profile.json or
// profile.json. Empty without such a file, and if the recipe is standard input.
Path profile_beside(const Path& recipe);

using ArtifactMap = std::map<std::string, std::vector<char>, std::less<>>;

// One artifact with its bytes.
struct Artifact {
  std::string name;  // for messages: its path, or its key in memory
  Path path;         // empty in memory
  Bytes bytes;
  std::shared_ptr<const void> owner;  // of `bytes`
};

// Opens each file once. May be used from several threads; copies share what is open.
class Artifacts {
 public:
  // An empty `directory` is the current one. With `allow_outside`, keys may be absolute or leave the directory.
  static Artifacts in_directory(Path directory, bool allow_outside = false);
  static Artifacts in_memory(std::shared_ptr<const ArtifactMap> map);

  // Errors: file-not-found, path-outside.
  Result<Artifact> open(const std::string& key) const;
  // As `open`, but a key that is not in memory is looked up in the file system (profile data).
  Result<Artifact> open_data(const std::string& key) const;

  const Path& directory() const { return state_->directory; }
  bool allows_outside() const { return state_->allow_outside; }
  bool is_in_memory() const { return state_->map != nullptr; }

 private:
  struct State {
    Path directory;
    bool allow_outside = false;
    std::shared_ptr<const ArtifactMap> map;
    std::mutex mutex;
    std::map<std::string, Artifact, std::less<>> opened;
  };
  Result<Artifact> open_file(const std::string& key) const;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace slipway::recipe
