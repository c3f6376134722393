// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <charconv>

#include "base/system/files.hpp"
#include "sandbox/sandbox.hpp"

namespace slipway::sandbox {
namespace {

// The file that the code of this function is mapped from: the program, also if a loader started it. Empty if unknown.
Path own_file() {
  const Result<std::string> maps = read_text("/proc/self/maps");
  if (!maps) return {};
  const auto own = reinterpret_cast<std::uintptr_t>(&own_file);
  for (std::string_view rest = *maps; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    // 55d0-55d8 r-xp 00002000 08:01 1234   /path
    const std::size_t dash = line.find('-'), path = line.find('/');
    if (dash == line.npos || path == line.npos) continue;
    std::uintptr_t begin = 0, end = 0;
    std::from_chars(line.data(), line.data() + dash, begin, 16);
    std::from_chars(line.data() + dash + 1, line.data() + line.size(), end, 16);
    if (own >= begin && own < end) return line.substr(path);
  }
  return {};
}

}  // namespace

std::vector<std::string> own_command() {
  std::error_code error;
  const Path running = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error || !running.filename().native().starts_with("ld-")) return {"/proc/self/exe"};
  // A bundle is started through its loader, with options before the path of the program.
  const Path self = own_file();
  std::vector<std::string> command = {running.native()};
  const Result<std::string> line = read_text("/proc/self/cmdline");
  std::size_t at = line ? line->find('\0') : std::string::npos;
  while (at != std::string::npos && ++at < line->size()) {
    const std::size_t end = std::min(line->find('\0', at), line->size());
    // The name after --argv0 may be a link to the program.
    const bool is_name = command.back() == "--argv0";
    command.push_back(line->substr(at, end - at));
    if (!is_name && std::filesystem::equivalent(command.back(), self, error)) return command;
    at = end;
  }
  return {running.native(), self.native()};
}

}  // namespace slipway::sandbox
