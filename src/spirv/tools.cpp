// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/tools.hpp"

#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

#include "base/format.hpp"

namespace slipway::spirv {
namespace {

spv_target_env target(Environment environment) {
  switch (environment) {
    case Environment::Vulkan11:
      return SPV_ENV_VULKAN_1_1;
    case Environment::Vulkan12:
      return SPV_ENV_VULKAN_1_2;
    case Environment::Vulkan13:
      return SPV_ENV_VULKAN_1_3;
    case Environment::Vulkan14:
      return SPV_ENV_VULKAN_1_4;
    case Environment::Universal16:
      return SPV_ENV_UNIVERSAL_1_6;
  }
  return SPV_ENV_VULKAN_1_3;
}

// The first error that a library call reports. Its text may have more lines: the instruction concerned.
struct LibraryError {
  std::string text;
  spv_position_t position{};
  bool seen = false;

  spvtools::MessageConsumer consumer() {
    return [this](spv_message_level_t level, const char*, const spv_position_t& where, const char* message) {
      if (seen || level > SPV_MSG_ERROR) return;
      seen = true;
      text = message;
      position = where;
    };
  }
  std::string first_line() const { return text.substr(0, text.find('\n')); }
  std::string second_line() const {
    const std::size_t end = text.find('\n');
    if (end == std::string::npos) return {};
    const std::size_t begin = text.find_first_not_of(" \n", end);
    return begin == std::string::npos ? std::string() : text.substr(begin, text.find('\n', begin) - begin);
  }
};

// The location of an instruction by its number from 1, which the validator calls its line.
SourceLocation location_of_instruction(WordSpan words, const std::string& name, std::size_t number) {
  std::size_t at = kHeaderWords;
  for (std::size_t i = 1; at < words.size(); ++i) {
    const std::size_t count = words[at] >> 16;
    if (count == 0 || count > words.size() - at) break;
    if (i == number) return SourceLocation::in_bytes(name, {at * 4, (at + count) * 4});
    at += count;
  }
  return SourceLocation::in_file(name);
}

}  // namespace

Result<> validate(WordSpan words, const std::string& name, Environment environment, BlockLayout layout) {
  spvtools::SpirvTools tools(target(environment));
  LibraryError error;
  tools.SetMessageConsumer(error.consumer());
  spvtools::ValidatorOptions options;
  options.SetScalarBlockLayout(layout == BlockLayout::Scalar);
  options.SetWorkgroupScalarBlockLayout(layout == BlockLayout::Scalar);
  options.SetAllowLocalSizeId(layout == BlockLayout::Scalar);
  if (tools.Validate(words.data(), words.size(), options)) return {};

  Diagnostic diagnostic{.kind = DiagnosticKind::FileFormat,
                        .message = formatted("Failed to validate SPIR-V module: {}", error.first_line()),
                        .location = location_of_instruction(words, name, error.position.index)};
  if (const std::string instruction = error.second_line(); !instruction.empty()) {
    diagnostic.note(formatted("in `{}`", instruction));
  }
  return fail(std::move(diagnostic));
}

Result<Words> assemble(const SourcePtr& source) {
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  LibraryError error;
  tools.SetMessageConsumer(error.consumer());
  Words words;
  const std::string_view text = source->text();
  if (tools.Assemble(text.data(), text.size(), &words)) return words;

  const std::uint64_t begin = std::min<std::uint64_t>(error.position.index, text.size());
  const std::uint64_t end = std::min<std::uint64_t>(text.find_first_of(" \t\r\n", begin), text.size());
  return fail(DiagnosticKind::ShaderCompile, SourceLocation::in_text(source, {begin, end}),
              formatted("Compilation error: {}", error.first_line()));
}

Result<std::string> disassemble(WordSpan words, const std::string& name, const DisassembleOptions& options) {
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  LibraryError error;
  tools.SetMessageConsumer(error.consumer());
  std::uint32_t flags = SPV_BINARY_TO_TEXT_OPTION_NONE;
  if (!options.header) flags |= SPV_BINARY_TO_TEXT_OPTION_NO_HEADER;
  if (options.friendly_names) flags |= SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES;
  if (options.indent) flags |= SPV_BINARY_TO_TEXT_OPTION_INDENT;
  if (options.offsets) flags |= SPV_BINARY_TO_TEXT_OPTION_SHOW_BYTE_OFFSET;
  std::string text;
  if (tools.Disassemble(words.data(), words.size(), &text, flags)) return text;
  return fail(DiagnosticKind::FileFormat, SourceLocation::in_file(name),
              formatted("invalid SPIR-V: {}", error.first_line()));
}

Result<Words> optimize(WordSpan words, const std::string& name, Optimize goal, Environment environment) {
  // The optimizer trusts its input, so that it is validated first.
  if (Result<> valid = validate(words, name, Environment::Universal16); !valid) {
    return std::unexpected(std::move(valid.error()));
  }
  spvtools::Optimizer optimizer(target(environment));
  LibraryError error;
  optimizer.SetMessageConsumer(error.consumer());
  constexpr bool kKeepInterface = true;  // bindings are checked against what the shader declares
  if (goal == Optimize::Performance) {
    optimizer.RegisterPerformancePasses(kKeepInterface);
  } else {
    optimizer.RegisterSizePasses(kKeepInterface);
  }
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);
  options.set_preserve_bindings(true);
  options.set_preserve_spec_constants(true);
  Words optimized;
  if (optimizer.Run(words.data(), words.size(), &optimized, options)) return optimized;
  return fail(DiagnosticKind::FileFormat, SourceLocation::in_file(name),
              formatted("the optimizer failed on the SPIR-V module: {}", error.first_line()));
}

}  // namespace slipway::spirv
