// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/shrunk_files.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

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

constinit std::mutex mappings_mutex;
// Of the mappings in the table. Never destroyed: other threads may still unmap files when main returns.
std::vector<std::string>& mapping_names() {
  static auto& names = *new std::vector<std::string>(kMaxMappings);
  return names;
}
constinit const std::string* shrunk_name = nullptr;  // of a mapping that is gone; never freed

std::uintptr_t address_of(const std::byte* byte) { return reinterpret_cast<std::uintptr_t>(byte); }

void handle(int, siginfo_t* information, void*) {
  const auto at = reinterpret_cast<std::uintptr_t>(information->si_addr);
  for (std::size_t i = 0; i < used_mappings; ++i) {
    Mapping& each = mappings[i];
    if (at < each.begin || at >= each.end) continue;
    const std::uintptr_t page = at / kPageSize * kPageSize;
    void* const zeros = ::mmap(reinterpret_cast<void*>(page), each.end - page, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (zeros == MAP_FAILED) break;
    each.shrunk = true;
    any_shrunk = true;
    return;
  }
  // Drivers that run on the CPU keep their memory in files, and do not notice when one cannot grow.
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    constexpr std::string_view kMessage =
        "error: memory that is kept in a file cannot grow beyond the limit of file sizes (`ulimit -f`) "
        "[device-failed]\n";
    constexpr int kFailed = 5;
    (void)!::write(STDERR_FILENO, kMessage.data(), kMessage.size());
    ::_exit(kFailed);
  }
  // Another cause: the process ends when the access is repeated.
  ::signal(SIGBUS, SIG_DFL);
}

}  // namespace

void survive_shrunk_files() {
  struct sigaction action{};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
  // Not ignored: programs that this one starts would inherit that.
  ::signal(SIGXFSZ, [](int) {});
}

std::optional<std::string> shrunk_file() {
  if (!any_shrunk) return std::nullopt;
  const std::scoped_lock lock(mappings_mutex);
  for (std::size_t i = 0; i < used_mappings; ++i) {
    if (mappings[i].shrunk && mappings[i].end != 0) return mapping_names()[i];
  }
  return shrunk_name ? std::optional(*shrunk_name) : std::nullopt;
}

void remember_mapping(Bytes mapping, std::string name) {
  const std::scoped_lock lock(mappings_mutex);
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
  const std::scoped_lock lock(mappings_mutex);
  for (std::size_t i = 0; i < used_mappings; ++i) {
    const Mapping& each = mappings[i];
    if (each.end != 0 && each.begin <= address_of(part.data()) && address_of(part.data()) + part.size() <= each.end)
      return true;
  }
  return false;
}

void forget_mapping(Bytes mapping) {
  const std::scoped_lock lock(mappings_mutex);
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
