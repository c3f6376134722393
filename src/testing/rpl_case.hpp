// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The corpus tests/corpus/rpl: each NAME.txt holds many small programs, each with the compiler's diagnostics.
//
//   === fail_swizzle_write entry:compute=main compute
//   void main (void) { f2 v; v.xy = v; }
//   --- expected
//   p.rpl:1:26: error: a swizzle cannot be written; write its components one by one [rpl-swizzle-write]
//
// Items after the name: `entry:STAGE=FUNCTION`, `set:OPTION=VALUE` (blanks in a value are written as `_`), `compute`,
// `unused` (check code that no entry point reaches), `strict`. `--- module NAME` begins another module. A name begins
// with `fail_` exactly when there is an error.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/files.hpp"
#include "rpl/resolve.hpp"
#include "testing/source_directory.hpp"

namespace slipway::testing {

struct RplModule {
  std::string name;
  std::string text;
};

struct RplCase {
  Path file;
  std::string name;
  std::string heading;  // the `===` line
  std::vector<RplModule> modules;
  std::vector<rpl::EntryPointName> entry_points;
  std::vector<std::string> options;  // NAME=VALUE
  rpl::ResolveOptions settings;
  std::string expected;

  bool fails() const { return name.starts_with("fail_"); }
};

inline void read_heading(RplCase& made, std::string_view line) {
  made.heading = line;
  std::istringstream words{std::string(line.substr(4))};
  words >> made.name;
  for (std::string word; words >> word;) {
    if (word == "compute") made.settings.pipeline = rpl::PipelineKind::Compute;
    if (word == "unused") made.settings.check_unused = true;
    if (word == "strict") made.settings.strict = made.settings.check_bodies = true;
    if (word.starts_with("set:")) {
      const std::size_t equal = word.find('=');
      std::string value = word.substr(equal);
      std::ranges::replace(value, '_', ' ');
      made.options.push_back(word.substr(4, equal - 4) + value);
    }
    if (word.starts_with("entry:")) {
      const std::size_t equal = word.find('=');
      const std::string stage = word.substr(6, equal - 6);
      const auto kind = stage == "vertex"     ? rpl::Stage::Vertex
                        : stage == "fragment" ? rpl::Stage::Fragment
                                              : rpl::Stage::Compute;
      made.entry_points.push_back({kind, word.substr(equal + 1)});
    }
  }
}

inline std::vector<RplCase> read_rpl_cases(const Path& file) {
  std::vector<RplCase> cases;
  std::istringstream lines(read_text(file).value_or(""));
  std::string* into = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("=== ")) {
      read_heading(cases.emplace_back(RplCase{.file = file}), line);
      cases.back().modules.push_back({"p.rpl", {}});
      into = &cases.back().modules.back().text;
    } else if (line == "--- expected") {
      into = &cases.back().expected;
    } else if (line.starts_with("--- module ")) {
      cases.back().modules.push_back({line.substr(11), {}});
      into = &cases.back().modules.back().text;
    } else if (into) {
      *into += line + "\n";
    }
  }
  return cases;
}

inline std::vector<RplCase> rpl_cases() {
  std::vector<Path> files;
  for (const auto& entry : std::filesystem::directory_iterator(source_directory() / "tests/corpus/rpl")) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<RplCase> cases;
  for (const Path& file : files) {
    for (RplCase& found : read_rpl_cases(file)) cases.push_back(std::move(found));
  }
  return cases;
}

inline rpl::Program parse_case(const RplCase& given, Diagnostics& diagnostics) {
  std::vector<rpl::ModuleSources> modules;
  for (const RplModule& module : given.modules) {
    modules.push_back({module.name, {make_source(module.name, module.text)}});
  }
  return rpl::parse(modules, diagnostics);
}

}  // namespace slipway::testing
