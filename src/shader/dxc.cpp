// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/dxc.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "base/system/child_process.hpp"
#include "base/system/files.hpp"
#include "base/system/temporary_directory.hpp"
#include "shader/guess.hpp"
#include "shader/messages.hpp"
#include "spirv/module.hpp"

namespace slipway::shader {
namespace {

// dxc writes `file:line:column: error: text`, with lines of the source between; glslang `ERROR: file:line:column:
// text`.
std::string as_glslang_log(std::string_view log) {
  std::string out;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    for (const auto& [word, severity] :
         {std::pair(std::string_view(": error: "), "ERROR"), {": warning: ", "WARNING"}}) {
      const std::size_t at = line.find(word);
      if (at == line.npos) continue;
      out += formatted("{}: {}: {}\n", severity, line.substr(0, at), line.substr(at + word.size()));
    }
  }
  return out;
}

}  // namespace

Result<Compiled> compile_with_dxc(const SourcePtr& source, const Options& options) {
  const SourceLocation location = SourceLocation::in_file(source->name());
  if (options.stage != spirv::Stage::Compute) {
    return fail(DiagnosticKind::Unsupported, location,
                formatted("no {} shaders in HLSL, only compute shaders; use GLSL or SPIR-V", name_of(options.stage)));
  }
  SLIPWAY_TRY(const TemporaryDirectory files, TemporaryDirectory::make("dxc"));
  const Path input = files.path() / "source.hlsl", output = files.path() / "output.spv";
  SLIPWAY_TRY_VOID(write_file(input, source->text()));
  std::vector<std::string> words = {
      "dxc", "-spirv",       "-fspv-target-env=vulkan1.3", "-T", "cs_6_6", "-enable-16bit-types", "-E", options.entry,
      "-Fo", output.string()};
  for (const Macro& macro : options.macros) {
    words.emplace_back(macro.value ? "-D" : "-U");
    words.push_back(macro.value && !macro.value->empty() ? formatted("{}={}", macro.name, *macro.value) : macro.name);
  }
  const auto include = [&](const Path& directory) {
    words.emplace_back("-I");
    words.push_back(directory.empty() ? "." : directory.string());
  };
  include(options.directory);
  for (const Path& directory : options.include_dirs) include(directory);
  if (options.debug_info) words.emplace_back("-Zi");
  words.push_back(input.string());

  const Result<ChildEnd> end = run_child(words, std::chrono::duration<double>::max());
  if (!end || end->status == 127) {
    Diagnostic diagnostic{.kind = DiagnosticKind::DeviceLacks, .location = location};
    diagnostic.message = "--hlsl-compiler dxc needs the program `dxc`, which PATH does not find";
    return fail(std::move(diagnostic.hint("without the option, the built-in front end compiles HLSL")));
  }
  const std::string log = end->output + end->errors;
  std::vector<Diagnostic> messages = read_messages(as_glslang_log(log), source, {{input.string(), source}});
  const int status = end->signal ? 128 + *end->signal : end->status;
  const bool failed = status != 0 || end->interrupted || !file_exists(output);
  if (failed) {
    for (Diagnostic& message : messages) {
      if (message.message.contains("missing entry point")) name_entry_points(message, source->text());
    }
    if (std::ranges::none_of(messages, [](const Diagnostic& one) { return one.severity == Severity::Error; })) {
      messages.push_back({.kind = DiagnosticKind::ShaderCompile,
                          .message = formatted("Compilation error: dxc ended with status {}: {}", status,
                                               log.substr(0, log.find('\n'))),
                          .location = location});
    }
    return fail(Failure(std::move(messages)));
  }
  SLIPWAY_TRY(const std::string bytes, slipway::read_text(output));
  SLIPWAY_TRY(const spirv::Module module, spirv::read_module(bytes_of(bytes), source->name()));
  return Compiled{.words = spirv::Words(module.words().begin(), module.words().end()), .warnings = std::move(messages)};
}

}  // namespace slipway::shader
