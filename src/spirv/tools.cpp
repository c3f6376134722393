// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/tools.hpp"

#include "base/format.hpp"
#include "spirv/tools_library.hpp"

namespace slipway::spirv {
namespace {

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
  spvtools::SpirvTools tools(target_of(environment));
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

}  // namespace slipway::spirv
