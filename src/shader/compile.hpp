// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any shader source to SPIR-V words: GLSL and HLSL through glslang, SPIR-V assembly through SPIRV-Tools, SPIR-V
// unchanged.
//
//   const Result<Compiled> compiled = compile(source, Language::Glsl, {.directory = path.parent_path()});
//
// docs/spec/scenario.md#shaders: `#version 460` where the text has none, Vulkan 1.3 client, SPIR-V 1.6, debug
// information, no optimisation. Safe to call from several threads. glslang is initialized once per process, with the
// first GLSL or HLSL source. The result is not validated: `spirv::validate`.
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

enum class Language { Glsl, Hlsl, SpirvAssembly, Spirv };
std::string_view name_of(Language language);  // `GLSL`, `HLSL`, `SPIR-V-ASM`, `SPIR-V`: the scenario's words

// By the SPIR-V magic number, else by the extension of the path (docs/spec/scenario.md#decision-22); empty when
// undecidable.
std::optional<Language> detect(const Path& path, Bytes bytes);

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

// Errors: shader-compile, with the text `Compilation error`, at the line of the shader or of the file that it includes;
// unsupported, for stages that are not supported in a language; those of `read_module` for SPIR-V. The options are
// those of GLSL and HLSL: SPIR-V and its assembly need none.
Result<Compiled> compile(const SourcePtr& source, Language language, const Options& options = {});

}  // namespace slipway::shader
