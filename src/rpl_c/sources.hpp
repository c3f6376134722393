// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules of a compiler: texts that were parsed, and files that are read again only when they change.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "rpl/program.hpp"
#include "slipway/rpl.h"

namespace slipway::rpl_c {

// Nothing changes it, so that programs and threads share it.
struct ParsedModule {
  rpl::Program program;
  Diagnostics warnings;
  std::string file;         // empty: parsed from a text
  std::uint64_t stamp = 0;  // of the file before it was read
};
using ModulePtr = std::shared_ptr<const ParsedModule>;

// Null after errors.
std::shared_ptr<ParsedModule> parse_module(std::string name, std::string text, Diagnostics& diagnostics);

// May be used from several threads.
class Sources {
 public:
  explicit Sources(const rpl_files& files) : files_(files) {}

  // Null after errors.
  ModulePtr load(const std::string& file, Diagnostics& diagnostics);
  std::uint64_t stamp_of(const std::string& file) const;

 private:
  std::optional<std::string> read(const std::string& file, Diagnostics& diagnostics) const;

  rpl_files files_;
  std::mutex mutex_;  // of all that follows
  std::map<std::string, ModulePtr> loaded_;
};

}  // namespace slipway::rpl_c
