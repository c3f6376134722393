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
  // In $XDG_CACHE_HOME/slipway/objects or ~/.cache/slipway/objects; disabled if neither XDG_CACHE_HOME nor HOME is set.
  static Cache of_user();

  bool enabled() const { return !directory_.empty(); }
  const Path& directory() const { return directory_; }

  // 32 hexadecimal digits of a 128-bit hash over the parts and their lengths.
  static std::string key(std::initializer_list<std::string_view> parts);

  // Of this cache, or else of those in SLIPWAY_CACHE_PATH, which are only read.
  std::optional<std::vector<std::byte>> find(std::string_view key) const;
  void store(std::string_view key, Bytes value) const;

 private:
  Path directory_;
};

}  // namespace slipway
