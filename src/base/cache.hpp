// The program's own cache on disk: values under keys made of everything that they depend on.
//
//   const std::string key = Cache::key({"glsl", compiler_version, options, text});
//   if (auto hit = cache.find(key)) ...
//
// A cache never fails: what cannot be read is a miss, what cannot be stored is dropped. Each entry carries a checksum.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/files.hpp"

namespace slipway {

class Cache {
 public:
  Cache() = default;  // no cache: every lookup misses
  explicit Cache(Path directory) : directory_(std::move(directory)) {}
  // $XDG_CACHE_HOME/slipway, else ~/.cache/slipway; no cache when neither is set.
  static Cache of_user();

  bool enabled() const { return !directory_.empty(); }
  const Path& directory() const { return directory_; }

  // 32 hexadecimal digits of a 128-bit hash over the parts and their lengths.
  static std::string key(std::initializer_list<std::string_view> parts);

  std::optional<std::vector<std::byte>> find(std::string_view key) const;
  void store(std::string_view key, Bytes value) const;

 private:
  Path directory_;
};

}  // namespace slipway
