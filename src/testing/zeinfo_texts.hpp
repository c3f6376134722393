// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared parts of the tests of module zeinfo: texts, and reading them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/system/files.hpp"
#include "testing/data_files.hpp"
#include "zeinfo/check/check.hpp"
#include "zeinfo/read/parse.hpp"
#include "zeinfo/write/write.hpp"

namespace slipway::zeinfo::testing {

// A text with its values and its diagnostics.
struct Reading {
  std::string text;
  Diagnostics diagnostics;
  Document document;

  explicit Reading(std::string of, const ParseOptions& options = {}, std::string name = "t.ze_info")
      : text(std::move(of)) {
    TextDiagnostics problems(std::move(name), text, diagnostics);
    document = parse(text, problems, options);
  }
  Reading(const Reading&) = delete;

  Reading& check(Level level = Level::Consistency, const Target& target = {}, Release release = kLastRelease) {
    TextDiagnostics problems("t.ze_info", text, diagnostics);
    zeinfo::check(document, target, {.level = level, .release = release}, problems);
    return *this;
  }
  // "error 3:7 unknown-key" for each, in order.
  std::string messages() {
    diagnostics.sort();
    std::string out;
    for (const Diagnostic& one : diagnostics.all()) {
      constexpr std::string_view kNames[] = {"note", "warning", "error"};
      const Position at = one.location.source ? one.location.source->position(one.location.span.begin) : Position{};
      out += std::string(kNames[static_cast<int>(one.severity)]) + " " + std::to_string(at.line) + ":" +
             std::to_string(at.column) + " " + std::string(name_of(one.kind)) + "\n";
    }
    return out;
  }
  bool reports(DiagnosticKind kind) const { return std::ranges::contains(diagnostics.all(), kind, &Diagnostic::kind); }
};

// The texts of tests/data/zebin: `.ze_info` files and the text inside binaries, which begins and ends with its markers.
// `part` selects files by a part of their path. Tests assert that there are some.
struct Sample {
  std::string name;
  std::string text;
};
inline std::vector<Sample> samples(std::string_view part = {}) {
  std::vector<Sample> found;
  const Path directory = slipway::testing::source_directory() / "tests/data/zebin";
  for (const Path& path : slipway::testing::data_files("zebin", {".ze_info", ".bin", ".ar"})) {
    const std::string name = std::filesystem::relative(path, directory).generic_string();
    if (!name.contains(part) || name.starts_with("negative")) continue;
    const std::string bytes = read_text(path).value();
    if (name.ends_with(".ze_info")) {
      found.push_back({name, bytes});
      continue;
    }
    for (const std::string_view start : {"---\nversion:", "---\nkernels:"}) {
      for (std::size_t at = bytes.find(start); at != bytes.npos; at = bytes.find(start, at + 1)) {
        const std::size_t end = bytes.find("\n...\n", at);
        if (end != bytes.npos) found.push_back({name, bytes.substr(at, end + 5 - at)});
      }
    }
  }
  return found;
}

}  // namespace slipway::zeinfo::testing
