// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/shrunk_files.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/fault.hpp"
#include "platform/memory.hpp"
#include "platform/process.hpp"

namespace slipway {
namespace {

// The handler reads the table without a lock. Mappings beyond its size are not protected.
constexpr std::size_t kMaxMappings = 4096;
constexpr std::uintptr_t kPageSize = 4096;

struct Mapping {
  std::atomic<std::uintptr_t> begin = 0, end = 0;  // `end` 0: free
  std::atomic<bool> shrunk = false;
};
constinit std::array<Mapping, kMaxMappings> mappings;
std::atomic<std::size_t> used_mappings = 0;  // of the table, from its begin
std::atomic<bool> any_shrunk = false;

// With some C++ libraries a mutex has no constant initializer. Never destroyed, as the names.
std::mutex& mappings_mutex() {
  static auto& mutex = *new std::mutex;
  return mutex;
}
// Of the mappings in the table. Never destroyed: other threads may still unmap files when main returns.
std::vector<std::string>& mapping_names() {
  static auto& names = *new std::vector<std::string>(kMaxMappings);
  return names;
}
constinit const std::string* shrunk_name = nullptr;  // of a mapping that is gone; never freed

std::uintptr_t address_of(const std::byte* byte) { return reinterpret_cast<std::uintptr_t>(byte); }

bool handle(std::uintptr_t at) {
  for (std::size_t i = 0; i < used_mappings; ++i) {
    Mapping& each = mappings[i];
    if (at < each.begin || at >= each.end) continue;
    const std::uintptr_t page = at / kPageSize * kPageSize;
    if (!platform::replace_by_zeros(page, each.end - page)) break;
    each.shrunk = true;
    any_shrunk = true;
    return true;
  }
  // Drivers that run on the CPU keep their memory in files, and do not notice when one cannot grow.
  if (platform::has_limit_of_file_sizes()) {
    constexpr std::string_view kMessage =
        "error: memory that is kept in a file cannot grow beyond the limit of file sizes (`ulimit -f`) "
        "[device-failed]\n";
    constexpr int kFailed = 5;
    platform::print_in_handler(kMessage);
    platform::end_now(kFailed);
  }
  return false;  // another cause
}

}  // namespace

void survive_shrunk_files() { platform::catch_shrunk_files(handle); }

std::optional<std::string> shrunk_file() {
  if (!any_shrunk) return std::nullopt;
  const std::scoped_lock lock(mappings_mutex());
  for (std::size_t i = 0; i < used_mappings; ++i) {
    if (mappings[i].shrunk && mappings[i].end != 0) return mapping_names()[i];
  }
  return shrunk_name ? std::optional(*shrunk_name) : std::nullopt;
}

void remember_mapping(Bytes mapping, std::string name) {
  const std::scoped_lock lock(mappings_mutex());
  for (std::size_t i = 0; i < kMaxMappings; ++i) {
    Mapping& each = mappings[i];
    if (each.end != 0) continue;
    mapping_names()[i] = std::move(name);
    each.shrunk = false;
    each.begin = address_of(mapping.data());
    each.end = address_of(mapping.data()) + mapping.size();
    if (used_mappings < i + 1) used_mappings = i + 1;
    return;
  }
}

bool is_mapped_from_file(Bytes part) {
  const std::scoped_lock lock(mappings_mutex());
  for (std::size_t i = 0; i < used_mappings; ++i) {
    const Mapping& each = mappings[i];
    if (each.end != 0 && each.begin <= address_of(part.data()) && address_of(part.data()) + part.size() <= each.end)
      return true;
  }
  return false;
}

void forget_mapping(Bytes mapping) {
  const std::scoped_lock lock(mappings_mutex());
  for (std::size_t i = 0; i < used_mappings; ++i) {
    Mapping& each = mappings[i];
    if (each.begin != address_of(mapping.data()) || each.end == 0) continue;
    if (each.shrunk && !shrunk_name) shrunk_name = new std::string(std::move(mapping_names()[i]));
    each.end = 0;
    each.begin = 0;
    return;
  }
}

}  // namespace slipway
