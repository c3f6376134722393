// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cache on disk. The key of a value is a hash of everything that the value depends on.
//
//   const std::string key = Cache::key({"glsl", compiler_version, options, text});
//   if (auto hit = cache.find(key)) ...
//
// A cache never fails: an entry that cannot be read is a miss, a value that cannot be stored is dropped. Each entry has
// a checksum.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/system/files.hpp"

namespace slipway {

class Cache {
 public:
  Cache() = default;  // disabled: every lookup misses
  explicit Cache(Path directory) : directory_(std::move(directory)) {}
  // In the directory `objects` of the user's caches; disabled if there is no such directory.
  static Cache of_user() { return Cache(directory_of_user("objects")); }
  // $XDG_CACHE_HOME/slipway/PART or ~/.cache/slipway/PART, which need not exist. Empty if neither XDG_CACHE_HOME nor
  // HOME is set, or if other users may write there: it belongs to one, or is open to all. `why` is set then.
  static Path directory_of_user(std::string_view part, std::string* why = nullptr);

  bool enabled() const { return !directory_.empty(); }
  const Path& directory() const { return directory_; }

  // 64 hexadecimal digits of a hash of the hashes of the parts. The hash is cryptographic, because a stranger may
  // choose the parts: no other parts with the key of given ones can be found.
  static std::string key(std::initializer_list<std::string_view> parts);

  // Of this cache, or else of those in SLIPWAY_CACHE_PATH, which are only read.
  std::optional<std::vector<std::byte>> find(std::string_view key) const;
  void store(std::string_view key, Bytes value) const;

 private:
  Path directory_;
};

// Makes a directory, and those above it, that only this user can use, whatever the umask is.
bool make_private_directories(const Path& directory);

}  // namespace slipway
