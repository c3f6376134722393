// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compilers of shaders take and return.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/system/files.hpp"
#include "spirv/module.hpp"
#include "spirv/reflect/reflect.hpp"

namespace slipway::shader {

// `#define name value`, or `#undef name` without a value. A name may have parameters: `F(x)`.
struct Macro {
  std::string name;
  std::optional<std::string> value;
  bool operator==(const Macro&) const = default;
};

// The `build_options` of a shader, in order.
struct BuildOptions {
  std::vector<Macro> macros;
  std::vector<Path> include_dirs;
};

// Tokens separated by blanks, with quotes: `-DNAME[=VALUE]` and `+DNAME[=VALUE]`, `-UNAME`, `-Idir`. Errors:
// unknown-value for each other token.
Result<BuildOptions> parse_build_options(std::string_view text, const SourceLocation& location);

// Reads a file; the failure of a missing file is file-not-found.
using ReadFile = std::function<Result<std::string>(const Path&)>;
// Reads files in these directories and below them only, for sources of strangers. Errors also: path-outside.
ReadFile reader_below(std::vector<Path> directories);

struct Options {
  spirv::Stage stage = spirv::Stage::Compute;  // vertex, fragment or compute
  std::string entry = "main";
  std::vector<Macro> macros;
  Path directory;                  // of the source: searched first for its includes
  std::vector<Path> include_dirs;  // searched next for all includes
  bool debug_info = true;
  ReadFile read_file = read_text;  // for includes
};

// A file that the result depends on.
struct Dependency {
  Path path;
  std::string hash;  // `hash_of` its text; empty: it was searched for and missing
  bool operator==(const Dependency&) const = default;
};
std::string hash_of(std::string_view text);

struct Compiled {
  spirv::Words words;
  std::vector<Dependency> dependencies;
  std::vector<Diagnostic> warnings;
};

}  // namespace slipway::shader
