// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/glslang_service.hpp"

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>

#include "base/format.hpp"

namespace slipway::shader {
namespace {

constexpr int kDefaultVersion = 460;
constexpr int kVersions[] = {420, 430, 440, 450, 460};  // that are prepared
constexpr std::uint32_t kHlslVariant = 1;

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

// glslang calls this for includes. It asks for `"name"` twice, locally and then in the system; both have one search,
// which the other process makes.
class Includer : public glslang::TShader::Includer {
 public:
  explicit Includer(const sandbox::Ask& ask) : ask_(ask) {}

  IncludeResult* includeSystem(const char* name, const char* includer, std::size_t depth) override {
    ByteWriter question;
    sandbox::put_text(question, name);
    sandbox::put_text(question, includer);
    question.write(std::uint64_t{depth});
    auto answer = std::make_unique<std::vector<std::byte>>(ask_(question.bytes()));
    ByteReader reader(*answer);
    // Without a path the text is the message.
    const std::string path = sandbox::get_text(reader);
    const std::string_view text = text_of(reader.take(reader.remaining()));
    auto result = std::make_unique<IncludeResult>(path, text.data() ? text.data() : "", text.size(), nullptr);
    result->userData = answer.release();
    return result.release();
  }

  void releaseInclude(IncludeResult* result) override {
    if (result == nullptr) return;
    delete static_cast<std::vector<std::byte>*>(result->userData);
    delete result;
  }

 private:
  const sandbox::Ask& ask_;
};

class Translation {
 public:
  Translation(const GlslangRequest& request, std::string_view text, EShLanguage stage)
      : request_(request), text_(text), stage_(stage), shader_(stage) {}

  GlslangReply run(const sandbox::Ask& ask) {
    Includer includer(ask);
    if (!parse(includer)) return failed(shader_.getInfoLog());
    reply_.logs.emplace_back(shader_.getInfoLog());
    glslang::TProgram program;
    program.addShader(&shader_);
    if (!program.link(messages())) return failed(program.getInfoLog());
    if (std::string_view(program.getInfoLog()).contains("Entry point not found")) {
      reply_.outcome = GlslangOutcome::NoEntryPoint;
      return std::move(reply_);
    }
    if (!program.mapIO()) return failed(program.getInfoLog());
    reply_.logs.emplace_back(program.getInfoLog());
    generate(*program.getIntermediate(stage_));
    return std::move(reply_);
  }

 private:
  GlslangReply failed(std::string log) {
    reply_.failure = std::move(log);
    return std::move(reply_);
  }

  EShMessages messages() const {
    unsigned flags = EShMsgSpvRules | EShMsgVulkanRules | EShMsgDisplayErrorColumn;
    if (request_.hlsl) flags |= EShMsgReadHlsl;
    if (request_.debug_info) flags |= EShMsgDebugInfo;
    return static_cast<EShMessages>(flags);
  }

  bool parse(Includer& includer) {
    const char* const text = text_.data();
    const int length = static_cast<int>(text_.size());
    const char* const name = request_.name.c_str();
    shader_.setStringsWithLengthsAndNames(&text, &length, &name, 1);
    shader_.setPreamble(request_.preamble.c_str());
    shader_.setEnvInput(request_.hlsl ? glslang::EShSourceHlsl : glslang::EShSourceGlsl, stage_,
                        glslang::EShClientVulkan, 100);
    shader_.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_3);
    shader_.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_6);
    shader_.setDebugInfo(request_.debug_info);
    shader_.setEntryPoint(request_.entry.c_str());
    if (request_.hlsl) {
      shader_.setSourceEntryPoint(request_.entry.c_str());
      shader_.setAutoMapBindings(true);  // registers are optional in HLSL
    }
    return shader_.parse(GetDefaultResources(), kDefaultVersion, false, messages(), includer);
  }

  void generate(const glslang::TIntermediate& program) {
    glslang::SpvOptions options;
    options.generateDebugInfo = request_.debug_info;
    // HLSL becomes legal SPIR-V only by passes of the optimizer; for GLSL it does nothing then.
    options.disableOptimizer = !request_.hlsl;
    spv::SpvBuildLogger logger;
    glslang::GlslangToSpv(program, reply_.words, &logger, &options);
    if (reply_.words.empty()) {
      reply_.failure = logger.getAllMessages();
      return;
    }
    reply_.logs.push_back(logger.getAllMessages());
    reply_.outcome = GlslangOutcome::Done;
  }

  const GlslangRequest& request_;
  std::string_view text_;
  EShLanguage stage_;
  GlslangReply reply_;
  glslang::TShader shader_;  // the program that it is linked into goes first
};

std::vector<std::byte> run_glslang(Bytes bytes, const sandbox::Ask& ask) {
  ByteReader reader(bytes);
  GlslangRequest request;
  request.stage = reader.read<spirv::Stage>();
  request.hlsl = reader.read<std::uint8_t>() != 0;
  request.debug_info = reader.read<std::uint8_t>() != 0;
  request.entry = sandbox::get_text(reader);
  request.preamble = sandbox::get_text(reader);
  request.name = sandbox::get_text(reader);
  const std::string_view text = text_of(reader.take(reader.remaining()));
  start_glslang();
  const GlslangReply reply =
      Translation(request, text.data() ? text : std::string_view(""), *stage_of(request.stage)).run(ask);
  ByteWriter writer;
  writer.write(reply.outcome).write(static_cast<std::uint32_t>(reply.logs.size()));
  for (const std::string& log : reply.logs) sandbox::put_text(writer, log);
  sandbox::put_text(writer, reply.failure);
  writer.append(std::as_bytes(std::span(reply.words)));
  return writer.release();
}

// Compiles an empty shader, after which glslang keeps the built-in functions.
void prepare_glslang(std::uint32_t variant) {
  const bool hlsl = variant == kHlslVariant;
  if (!hlsl && !std::ranges::contains(kVersions, static_cast<int>(variant))) return;
  start_glslang();
  const GlslangRequest request{.stage = hlsl ? spirv::Stage::Compute : spirv::Stage::Vertex,
                               .hlsl = hlsl,
                               .entry = "main",
                               .preamble = {},
                               .name = "empty"};
  const std::string text =
      hlsl ? "[numthreads(1, 1, 1)] void main() {}" : formatted("#version {}\nvoid main() {{}}\n", variant);
  static_cast<void>(Translation(request, text, *stage_of(request.stage)).run({}));
}

}  // namespace

const sandbox::Service kGlslangService = {"glslang", "the shader compiler", run_glslang, prepare_glslang};

std::uint32_t glslang_variant(bool hlsl, std::string_view text) {
  if (hlsl) return kHlslVariant;
  constexpr std::string_view kDirective = "#version ";
  const std::size_t at = text.find(kDirective);
  if (at == text.npos) return kDefaultVersion;
  int version = 0;
  const std::string_view number = text.substr(at + kDirective.size(), 3);
  std::from_chars(number.data(), number.data() + number.size(), version);
  return std::ranges::contains(kVersions, version) ? static_cast<std::uint32_t>(version) : 0;
}

std::vector<std::byte> head_of(const GlslangRequest& request) {
  ByteWriter head;
  head.write(request.stage).write(request.hlsl).write(request.debug_info);
  sandbox::put_text(head, request.entry);
  sandbox::put_text(head, request.preamble);
  sandbox::put_text(head, request.name);
  return head.release();
}

GlslangReply read_glslang_reply(Bytes bytes) {
  ByteReader reader(bytes);
  GlslangReply reply;
  const auto outcome = reader.read<std::uint8_t>();
  const auto logs = reader.read<std::uint32_t>();
  for (std::uint32_t i = 0; i < logs && !reader.failed(); ++i) reply.logs.push_back(sandbox::get_text(reader));
  reply.failure = sandbox::get_text(reader);
  const std::size_t size = reader.remaining();
  const Bytes words = reader.take(size);
  if (reader.failed() || size % sizeof(std::uint32_t) != 0) return {};
  reply.words.resize(size / sizeof(std::uint32_t));
  if (size != 0) std::memcpy(reply.words.data(), words.data(), size);
  if (outcome == 1) reply.outcome = GlslangOutcome::NoEntryPoint;
  if (outcome == 2 && size != 0) reply.outcome = GlslangOutcome::Done;
  return reply;
}

std::string compiler_version() {
  const glslang::Version version = glslang::GetVersion();
  return formatted("glslang {}.{}.{}{} {}", version.major, version.minor, version.patch, version.flavor,
                   glslang::GetSpirvGeneratorVersion());
}

}  // namespace slipway::shader
