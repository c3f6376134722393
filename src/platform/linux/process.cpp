// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/process.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>

#include "platform/library.hpp"

namespace slipway::platform {
namespace {

std::string text_of(const char* file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The file that the code of this function is mapped from: the program, also if a loader started it. Empty if unknown.
std::filesystem::path mapped_file() {
  const std::string maps = text_of("/proc/self/maps");
  const auto own = reinterpret_cast<std::uintptr_t>(&mapped_file);
  for (std::string_view rest = maps; !rest.empty();) {
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

std::filesystem::path running_program() { return "/proc/self/exe"; }

std::vector<std::string> own_command() {
  std::error_code error;
  const std::filesystem::path running = std::filesystem::read_symlink(running_program(), error);
  if (error || !running.filename().native().starts_with("ld-")) return {running_program().native()};
  // A bundle is started through its loader, with options before the path of the program.
  const std::filesystem::path self = mapped_file();
  std::vector<std::string> command = {running.native()};
  const std::string line = text_of("/proc/self/cmdline");
  std::size_t at = line.find('\0');
  while (at != std::string::npos && ++at < line.size()) {
    const std::size_t end = std::min(line.find('\0', at), line.size());
    // The name after --argv0 may be a link to the program.
    const bool is_name = command.back() == "--argv0";
    command.push_back(line.substr(at, end - at));
    if (!is_name && std::filesystem::equivalent(command.back(), self, error)) return command;
    at = end;
  }
  return {running.native(), self.native()};
}

int watch_process([[maybe_unused]] int process) {
#ifdef SYS_pidfd_open
  return static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
#else
  return -1;
#endif
}

int end_with_parent() { return ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 ? 0 : errno; }

}  // namespace slipway::platform
