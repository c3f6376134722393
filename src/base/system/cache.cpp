// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/cache.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cerrno>
#include <cstdlib>
#include <ranges>

#include "base/format.hpp"
#include "base/sha256.hpp"
#include "platform/file.hpp"
#include "platform/text.hpp"

namespace slipway {
namespace {

constexpr std::string_view kMagic = "slipway2";

struct EntryHeader {
  char magic[8];
  std::uint64_t checksum;
};

// Of the key too, so that an entry under the name of another one is a miss.
std::uint64_t checksum_of(std::string_view key, Bytes value) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, key.data(), key.size());
  XXH3_64bits_update(&state, value.data(), value.size());
  return XXH3_64bits_digest(&state);
}

// The value of an entry, or nothing if it is missing or damaged.
std::optional<std::vector<std::byte>> read_entry(const Path& directory, std::string_view key) {
  const Result<MappedFile> file = map_file(directory / key);
  if (!file || file->bytes().size() < sizeof(EntryHeader)) return std::nullopt;
  const auto header = load<EntryHeader>(file->bytes().data());
  const Bytes value = file->bytes().subspan(sizeof(EntryHeader));
  if (std::string_view(header.magic, sizeof header.magic) != kMagic || header.checksum != checksum_of(key, value)) {
    return std::nullopt;
  }
  return std::vector<std::byte>(value.begin(), value.end());
}

// SLIPWAY_CACHE_PATH: caches of others, each like `~/.cache/slipway`, which are only read (docs/lab.md#shared-caches).
// Relative paths are ignored, as in XDG_CACHE_HOME.
std::vector<Path> shared_directories() {
  std::vector<Path> directories;
  const char* const list = std::getenv("SLIPWAY_CACHE_PATH");
  for (const auto part : std::views::split(std::string_view(list ? list : ""), platform::list_separator())) {
    const std::string_view path(part);
    const Path directory = Path(path) / "objects";
    const auto status = platform::status_of(directory);
    // Another user may have filled it, if this one names it, but not every user.
    if (directory.is_absolute() && status && !status->all_write) directories.push_back(directory);
  }
  return directories;
}

}  // namespace

Path Cache::directory_of_user(std::string_view part, std::string* why) {
  const auto none = [&](std::string reason) {
    if (why) *why = std::move(reason);
    return Path();
  };
  Path caches;
  const char *const directory = std::getenv("XDG_CACHE_HOME"), *const home = std::getenv("HOME"),
                    *const local = std::getenv("LOCALAPPDATA");  // of Windows
  // A relative path is not valid there, and must be ignored: XDG Base Directory Specification.
  if (directory && Path(directory).has_root_directory())
    caches = directory;
  else if (home && *home)
    caches = Path(home) / ".cache";
  else if (local && *local)
    caches = local;
  if (caches.empty()) return none("neither XDG_CACHE_HOME nor HOME is set");
  for (const Path& one : {caches / "slipway", caches / "slipway" / part}) {
    const auto status = platform::status_of(one);
    if (!status) continue;
    if (status->owner != platform::user_id()) return none(formatted("{} belongs to another user", one.string()));
    if (status->all_write) return none(formatted("all users may write to {}", one.string()));
  }
  return caches / "slipway" / part;
}

bool make_private_directories(const Path& directory) {
  if (directory.empty() || directory_exists(directory)) return !directory.empty();
  if (directory.has_parent_path() && !make_private_directories(directory.parent_path())) return false;
  const int error = platform::make_private_directory(directory);
  return error == 0 || error == EEXIST;
}

std::string Cache::key(std::initializer_list<std::string_view> parts) {
  std::string digests;
  for (std::string_view part : parts) {
    const Sha256 digest = sha256(bytes_of(part));
    digests.append(digest.begin(), digest.end());
  }
  return sha256_text(digests);
}

std::optional<std::vector<std::byte>> Cache::find(std::string_view key) const {
  if (!enabled()) return std::nullopt;
  std::optional<std::vector<std::byte>> value = read_entry(directory_, key);
  if (value) return value;
  for (const Path& directory : shared_directories()) {
    value = read_entry(directory, key);
    if (value) return value;
  }
  return std::nullopt;
}

void Cache::store(std::string_view key, Bytes value) const {
  if (!enabled()) return;
  EntryHeader header{};
  kMagic.copy(header.magic, sizeof header.magic);
  header.checksum = checksum_of(key, value);
  if (!make_private_directories(directory_)) return;
  Result<OutputFile> file = OutputFile::create(directory_ / key);
  if (!file) return;
  if (file->write(std::as_bytes(std::span(&header, 1))) && file->write(value)) (void)file->commit();
}

}  // namespace slipway
