// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/glslang.hpp"

#include <algorithm>
#include <cstring>

#include "base/format.hpp"
#include "shader/glslang_service.hpp"
#include "shader/guess.hpp"
#include "shader/hlsl_attributes.hpp"
#include "shader/includes.hpp"
#include "shader/messages.hpp"

namespace slipway::shader {
namespace {

// The text before the source.
std::string preamble_of(Language language, const std::vector<Macro>& macros) {
  std::string preamble;
  if (language == Language::Glsl) preamble += "#extension GL_GOOGLE_include_directive : enable\n";
  for (const Macro& macro : macros) {
    preamble +=
        macro.value ? formatted("#define {} {}\n", macro.name, *macro.value) : formatted("#undef {}\n", macro.name);
  }
  return preamble;
}

class Compilation {
 public:
  Compilation(const SourcePtr& source, Language language, const Options& options)
      : source_(source), language_(language), options_(options), includes_(source, options) {}

  Result<Compiled> run() {
    const GlslangRequest request{.stage = options_.stage,
                                 .hlsl = hlsl(),
                                 .debug_info = options_.debug_info,
                                 .entry = options_.entry,
                                 .preamble = preamble_of(language_, options_.macros),
                                 .name = source_->name()};
    const std::vector<std::byte> head = head_of(request);
    const std::string adapted = hlsl() ? adapt_attributes(source_->text()) : std::string();
    const auto bytes = sandbox::call(kGlslangService, {head, hlsl() ? bytes_of(adapted) : bytes_of(source_->text())},
                                     {.answer = [this](Bytes question) { return include(question); },
                                      .variant = glslang_variant(hlsl(), source_->text())});
    // What asks for other files than the sources name is not the shader compiler any more.
    if (!unnamed_.empty()) {
      return fail(
          DiagnosticKind::ShaderCompile, SourceLocation::in_file(source_->name()),
          formatted("Compilation error: the shader compiler asks for `{}`, which no `#include` names", unnamed_));
    }
    if (!bytes) {
      return fail(bytes.error().kind(DiagnosticKind::ShaderCompile), SourceLocation::in_file(source_->name()),
                  formatted("Compilation error: {}", bytes.error().text));
    }
    GlslangReply reply = read_glslang_reply(*bytes);
    for (const std::string& log : reply.logs) note_warnings(log);
    switch (reply.outcome) {
      case GlslangOutcome::Done:
        break;
      // glslang warns about this and then creates an empty entry point.
      case GlslangOutcome::NoEntryPoint:
        return fail(no_entry_point());
      default:
        return failed(reply.failure);
    }
    if (!lost_.empty()) return fail(std::move(lost_));
    Compiled compiled;
    compiled.words = std::move(reply.words);
    compiled.dependencies = includes_.dependencies();
    compiled.warnings = std::move(warnings_);
    return compiled;
  }

 private:
  bool hlsl() const { return language_ == Language::Hlsl; }

  std::vector<std::byte> include(Bytes question) {
    ByteReader reader(question);
    const std::string name = sandbox::get_text(reader), includer = sandbox::get_text(reader);
    ByteWriter answer;
    if (!includes_.is_named(name, includer)) {
      unnamed_ = name;
      sandbox::put_text(answer, "");
      return answer.append("no `#include` names it").release();
    }
    const Result<SourcePtr> source = includes_.find(name, includer, reader.read<std::uint64_t>());
    sandbox::put_text(answer, source ? (*source)->name() : std::string());
    if (source && hlsl())
      answer.append(adapt_attributes((*source)->text()));
    else
      answer.append(source ? (*source)->text() : std::string_view(source.error().at(0).message));
    return answer.release();
  }

  void note_warnings(std::string_view log) {
    for (Diagnostic& diagnostic : read_messages(log, source_, includes_.sources())) {
      diagnostic.severity = Severity::Warning;
      if (!hlsl() || !take_ignored_attribute(diagnostic)) warnings_.push_back(std::move(diagnostic));
    }
  }

  // An attribute that glslang ignores. Without some of them the shader would do something else.
  bool take_ignored_attribute(Diagnostic& diagnostic) {
    const IgnoredAttribute ignored = ignored_attribute(diagnostic);
    if (ignored == IgnoredAttribute::Warning) lacks(diagnostic, "this attribute, and ignores it");
    if (ignored == IgnoredAttribute::Error) {
      constexpr std::string_view kWarning = "Compilation warning";
      if (diagnostic.message.starts_with(kWarning)) diagnostic.message.replace(0, kWarning.size(), "Compilation error");
      diagnostic.severity = Severity::Error;
      lacks(diagnostic, "this attribute, which changes what the shader does");
      lost_.push_back(diagnostic);
    }
    return ignored == IgnoredAttribute::Harmless || ignored == IgnoredAttribute::Error;
  }

  Diagnostic no_entry_point() const {
    Diagnostic missing{.kind = DiagnosticKind::ShaderCompile,
                       .message = formatted("Compilation error: entry point `{}` not found", options_.entry),
                       .location = SourceLocation::in_file(source_->name())};
    name_entry_points(missing, source_->text());
    return missing;
  }

  std::unexpected<Failure> failed(std::string_view log) const {
    Failure failure = read_messages(log, source_, includes_.sources());
    for (Diagnostic& diagnostic : failure) add_hint(diagnostic);
    failure.insert(failure.begin(), lost_.begin(), lost_.end());
    if (std::ranges::none_of(failure, [](const Diagnostic& one) { return one.severity == Severity::Error; })) {
      failure.push_back({.kind = DiagnosticKind::ShaderCompile,
                         .message = "Compilation error: the compiler reports no reason",
                         .location = SourceLocation::in_file(source_->name())});
    }
    return fail(std::move(failure));
  }

  void add_hint(Diagnostic& diagnostic) const {
    if (!hlsl() || diagnostic.location.kind != SourceLocation::Kind::Text) return;
    const Source& source = *diagnostic.location.source;
    const std::string_view line = source.line(source.position(diagnostic.location.span.begin).line);
    struct Lack {
      std::string_view word, what;
    };
    // In this order, because a line can have several words.
    static constexpr Lack kLacks[] = {{"template", "templates"},
                                      {"enum", "enumerations"},
                                      {"float16_t", "16-bit types"},
                                      {"int16_t", "16-bit types"},
                                      {"Load<", "templates of Load"},
                                      {"Store<", "templates of Store"},
                                      {"namespace", "constants of namespaces"}};
    for (const Lack& lack : kLacks) {
      if (line.contains(lack.word)) return lacks(diagnostic, lack.what);
    }
    if (diagnostic.message.contains("left of '['")) lacks(diagnostic, "arrays of structured buffers");
  }

  static void lacks(Diagnostic& diagnostic, std::string_view what) {
    diagnostic.hint(
        formatted("the built-in HLSL front end does not have {}; `run` and `check` of scenarios take "
                  "`--hlsl-compiler dxc` to use the program dxc, and GLSL and SPIR-V need no other program",
                  what));
  }

  const SourcePtr& source_;
  Language language_;
  const Options& options_;
  Includes includes_;
  std::vector<Diagnostic> warnings_;
  std::string unnamed_;  // a file that the compiler asked for although no source names it
  Failure lost_;         // attributes without which the shader would do something else
};

}  // namespace

Result<Compiled> compile_with_glslang(const SourcePtr& source, Language language, const Options& options) {
  const SourceLocation location = SourceLocation::in_file(source->name());
  using spirv::Stage;
  if (options.stage != Stage::Vertex && options.stage != Stage::Fragment && options.stage != Stage::Compute) {
    return fail(DiagnosticKind::Unsupported, location,
                formatted("no {} shaders in {}; use SPIR-V", name_of(options.stage), name_of(language)));
  }
  if (language == Language::Hlsl && options.stage != Stage::Compute) {
    return fail(DiagnosticKind::Unsupported, location,
                formatted("no {} shaders in HLSL, only compute shaders; use GLSL or SPIR-V", name_of(options.stage)));
  }
  if (language == Language::Glsl && options.entry != "main") {
    return fail(DiagnosticKind::ShaderCompile, location,
                formatted("GLSL is required to have an entrypoint of 'main', not `{}`", options.entry));
  }
  if (source->text().size() > INT32_MAX) {
    return fail(DiagnosticKind::OutOfRange, location, "a shader text of more than 2 GiB");
  }
  return Compilation(source, language, options).run();
}

}  // namespace slipway::shader
