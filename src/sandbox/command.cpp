// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlfcn.h>

#include "base/files.hpp"
#include "sandbox/sandbox.hpp"

namespace slipway::sandbox {

std::vector<std::string> own_command() {
  Dl_info info{};
  const bool known = dladdr(reinterpret_cast<const void*>(&own_command), &info) != 0 && info.dli_fname;
  std::error_code error;
  const Path running = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!known || error || !running.filename().native().starts_with("ld-")) return {"/proc/self/exe"};
  // A bundle is started through its loader, with options before the path of the program.
  const Result<std::string> line = read_text("/proc/self/cmdline");
  const Path self = std::filesystem::canonical(info.dli_fname, error);
  if (!line || error) return {"/proc/self/exe"};
  std::vector<std::string> command = {running.native()};
  std::size_t at = line->find('\0');
  while (at != line->npos && ++at < line->size()) {
    const std::size_t end = std::min(line->find('\0', at), line->size());
    command.push_back(line->substr(at, end - at));
    if (std::filesystem::equivalent(command.back(), self, error)) return command;
    at = end;
  }
  return {"/proc/self/exe"};
}

}  // namespace slipway::sandbox
