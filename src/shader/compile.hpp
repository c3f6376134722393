// Any shader source to SPIR-V words: GLSL and HLSL through glslang, SPIR-V assembly through SPIRV-Tools, SPIR-V as it
// is.
//
//   const Result<Compiled> compiled = compile(source, Language::Glsl, {.directory = path.parent_path()});
//
// Scenario page 3.12: `#version 460` where the text has none, Vulkan 1.3 client, SPIR-V 1.6, debug information, no
// optimisation. Safe to call from several threads. glslang starts, once in a process, with the first GLSL or HLSL
// source and never before. The result is not validated: `spirv::validate`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/files.hpp"
#include "spirv/module.hpp"
#include "spirv/reflect.hpp"

namespace slipway::shader {

enum class Language { Glsl, Hlsl, SpirvAssembly, Spirv };
std::string_view name_of(Language language);  // `GLSL`, `HLSL`, `SPIR-V-ASM`, `SPIR-V`: the scenario's words

// By the SPIR-V magic number, else by the extension of the path (scenario page, decision 22); none when undecidable.
std::optional<Language> detect(const Path& path, Bytes bytes);

// `#define name value`, or `#undef name` without a value. A name may have parameters: `F(x)`.
struct Macro {
  std::string name;
  std::optional<std::string> value;
  bool operator==(const Macro&) const = default;
};

// What `build_options` of a shader says, in its order.
struct BuildOptions {
  std::vector<Macro> macros;
  std::vector<Path> include_dirs;
};

// Tokens between blanks, quotes respected: `-DNAME[=VALUE]` and `+DNAME[=VALUE]`, `-UNAME`, `-Idir`. Errors:
// unknown-value for each other token.
Result<BuildOptions> parse_build_options(std::string_view text, const SourceLocation& location);

// Reads a file; the failure is file-not-found when it is not there.
using ReadFile = std::function<Result<std::string>(const Path&)>;

struct Options {
  spirv::Stage stage = spirv::Stage::Compute;  // vertex, fragment or compute
  std::string entry = "main";
  std::vector<Macro> macros;
  Path directory;                  // of the source: where its includes are looked for first
  std::vector<Path> include_dirs;  // where all includes are looked for next
  bool debug_info = true;
  ReadFile read_file = read_text;  // for includes
};

// A file that the result depends on.
struct Dependency {
  Path path;
  std::string hash;  // `hash_of` its text; empty: it was looked for, and not there
  bool operator==(const Dependency&) const = default;
};
std::string hash_of(std::string_view text);

struct Compiled {
  spirv::Words words;
  std::vector<Dependency> dependencies;
  std::vector<Diagnostic> warnings;
};

// Errors: shader-compile, with the text `Compilation error`, at the line of the shader or of the file that it includes;
// unsupported, for stages that a language does not have here; what `read_module` says of SPIR-V. The options are those
// of GLSL and HLSL: SPIR-V and its assembly say everything themselves.
Result<Compiled> compile(const SourcePtr& source, Language language, const Options& options = {});

}  // namespace slipway::shader
