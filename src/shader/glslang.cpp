// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/glslang.hpp"

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <algorithm>
#include <memory>

#include "base/format.hpp"
#include "shader/includes.hpp"
#include "shader/messages.hpp"

namespace slipway::shader {
namespace {

constexpr int kDefaultVersion = 460;

// Never finalized: other threads may still compile when main returns.
void start_glslang() { [[maybe_unused]] static const bool started = glslang::InitializeProcess(); }

std::optional<EShLanguage> stage_of(spirv::Stage stage) {
  switch (stage) {
    case spirv::Stage::Vertex:
      return EShLangVertex;
    case spirv::Stage::Fragment:
      return EShLangFragment;
    case spirv::Stage::Compute:
      return EShLangCompute;
    default:
      return std::nullopt;
  }
}

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

// glslang calls this for includes. It asks for `"name"` twice, locally and then in the system; both have one search
// here.
class Includer : public glslang::TShader::Includer {
 public:
  explicit Includer(Includes& includes) : includes_(includes) {}

  IncludeResult* includeSystem(const char* name, const char* includer, std::size_t depth) override {
    const Result<SourcePtr> source = includes_.find(name, includer, depth);
    if (source) {
      return new IncludeResult((*source)->name(), (*source)->text().data(), (*source)->text().size(), nullptr);
    }
    // Without a name the text is the message.
    auto message = std::make_unique<std::string>(source.error().at(0).message);
    auto result = std::make_unique<IncludeResult>("", message->data(), message->size(), nullptr);
    result->userData = message.release();
    return result.release();
  }

  void releaseInclude(IncludeResult* result) override {
    if (result == nullptr) return;
    delete static_cast<std::string*>(result->userData);
    delete result;
  }

 private:
  Includes& includes_;
};

class Compilation {
 public:
  Compilation(const SourcePtr& source, Language language, const Options& options, EShLanguage stage)
      : source_(source),
        language_(language),
        options_(options),
        stage_(stage),
        includes_(source, options),
        preamble_(preamble_of(language, options.macros)),
        shader_(stage) {}

  Result<Compiled> run() {
    if (!parse()) return failed(shader_.getInfoLog());
    note_warnings(shader_.getInfoLog());
    glslang::TProgram program;
    program.addShader(&shader_);
    if (!program.link(messages())) return failed(program.getInfoLog());
    // glslang warns about this and then creates an empty entry point.
    if (std::string_view(program.getInfoLog()).contains("Entry point not found")) {
      return fail(DiagnosticKind::ShaderCompile, SourceLocation::in_file(source_->name()),
                  formatted("Compilation error: entry point `{}` not found", options_.entry));
    }
    if (!program.mapIO()) return failed(program.getInfoLog());
    note_warnings(program.getInfoLog());
    return generate(*program.getIntermediate(stage_));
  }

 private:
  bool hlsl() const { return language_ == Language::Hlsl; }

  EShMessages messages() const {
    unsigned flags = EShMsgSpvRules | EShMsgVulkanRules | EShMsgDisplayErrorColumn;
    if (hlsl()) flags |= EShMsgReadHlsl;
    if (options_.debug_info) flags |= EShMsgDebugInfo;
    return static_cast<EShMessages>(flags);
  }

  bool parse() {
    const char* const text = source_->text().data();
    const int length = static_cast<int>(source_->text().size());
    const char* const name = source_->name().c_str();
    shader_.setStringsWithLengthsAndNames(&text, &length, &name, 1);
    shader_.setPreamble(preamble_.c_str());
    shader_.setEnvInput(hlsl() ? glslang::EShSourceHlsl : glslang::EShSourceGlsl, stage_, glslang::EShClientVulkan,
                        100);
    shader_.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_3);
    shader_.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_6);
    shader_.setDebugInfo(options_.debug_info);
    shader_.setEntryPoint(options_.entry.c_str());
    if (hlsl()) {
      shader_.setSourceEntryPoint(options_.entry.c_str());
      shader_.setAutoMapBindings(true);  // registers are optional in HLSL
    }
    Includer includer(includes_);
    return shader_.parse(GetDefaultResources(), kDefaultVersion, false, messages(), includer);
  }

  Result<Compiled> generate(const glslang::TIntermediate& program) {
    glslang::SpvOptions options;
    options.generateDebugInfo = options_.debug_info;
    // HLSL becomes legal SPIR-V only by passes of the optimizer; for GLSL it does nothing then.
    options.disableOptimizer = !hlsl();
    spv::SpvBuildLogger logger;
    Compiled compiled;
    glslang::GlslangToSpv(program, compiled.words, &logger, &options);
    if (compiled.words.empty()) return failed(logger.getAllMessages());
    note_warnings(logger.getAllMessages());
    compiled.dependencies = includes_.dependencies();
    compiled.warnings = std::move(warnings_);
    return compiled;
  }

  void note_warnings(std::string_view log) {
    for (Diagnostic& diagnostic : read_messages(log, source_, includes_.sources())) {
      diagnostic.severity = Severity::Warning;
      warnings_.push_back(std::move(diagnostic));
    }
  }

  std::unexpected<Failure> failed(std::string_view log) const {
    Failure failure = read_messages(log, source_, includes_.sources());
    for (Diagnostic& diagnostic : failure) add_hint(diagnostic);
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
    if (line.contains("float16_t") || line.contains("int16_t")) {
      diagnostic.hint("the HLSL front end does not know 16-bit types, use GLSL or SPIR-V");
    }
  }

  const SourcePtr& source_;
  Language language_;
  const Options& options_;
  EShLanguage stage_;
  Includes includes_;
  std::string preamble_;
  std::vector<Diagnostic> warnings_;
  glslang::TShader shader_;  // the program that it is linked into goes first
};

}  // namespace

Result<Compiled> compile_with_glslang(const SourcePtr& source, Language language, const Options& options) {
  const SourceLocation location = SourceLocation::in_file(source->name());
  const auto stage = stage_of(options.stage);
  if (!stage) {
    return fail(DiagnosticKind::Unsupported, location,
                formatted("no {} shaders in {}; use SPIR-V", name_of(options.stage), name_of(language)));
  }
  if (language == Language::Hlsl && *stage != EShLangCompute) {
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
  start_glslang();
  return Compilation(source, language, options, *stage).run();
}

std::string compiler_version() {
  const glslang::Version version = glslang::GetVersion();
  return formatted("glslang {}.{}.{}{} {}", version.major, version.minor, version.patch, version.flavor,
                   glslang::GetSpirvGeneratorVersion());
}

}  // namespace slipway::shader
