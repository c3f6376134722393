// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/tools.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "spirv/extensions/newer.hpp"
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

// Requests are an `Options` and the bytes of the text or module. Replies are 1 and the result, or 0 and the error.
struct ValidateOptions {
  Environment environment;
  BlockLayout layout;
};

std::vector<std::byte> run_validate(Bytes request, const sandbox::Ask&) {
  ByteReader reader(request);
  const auto chosen = reader.read<ValidateOptions>();
  const Words words = rest_as_words(reader);
  spvtools::SpirvTools tools(target_of(chosen.environment));
  LibraryError error;
  tools.SetMessageConsumer(error.consumer());
  spvtools::ValidatorOptions options;
  options.SetScalarBlockLayout(chosen.layout == BlockLayout::Scalar);
  options.SetWorkgroupScalarBlockLayout(chosen.layout == BlockLayout::Scalar);
  options.SetAllowLocalSizeId(chosen.layout == BlockLayout::Scalar);
  const bool valid = !unknown_extensions(words).empty() || tools.Validate(words.data(), words.size(), options);
  ByteWriter reply;
  reply.write(valid);
  if (!valid) error.write_to(reply);
  return reply.release();
}

// The version that the comments before the first instruction state, as disassemblers write them: `; Version: 1.3`.
spv_target_env stated_version(std::string_view text) {
  constexpr spv_target_env kVersions[] = {SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2,
                                          SPV_ENV_UNIVERSAL_1_3, SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5};
  constexpr std::string_view kBlanks = " \t\r\n";
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (!text.starts_with(';')) return SPV_ENV_UNIVERSAL_1_6;
    std::string_view line = text.substr(1, text.find('\n') - 1);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    constexpr std::string_view kKey = "Version: 1.";
    if (!line.starts_with(kKey)) continue;
    line.remove_prefix(kKey.size());
    line = line.substr(0, line.find_last_not_of(kBlanks) + 1);
    const std::size_t minor = line.size() == 1 ? static_cast<std::size_t>(line[0] - '0') : std::size(kVersions);
    return minor < std::size(kVersions) ? kVersions[minor] : SPV_ENV_UNIVERSAL_1_6;
  }
}

bool assemble_as(spv_target_env version, std::string_view text, Words& words, LibraryError& error) {
  spvtools::SpirvTools tools(version);
  tools.SetMessageConsumer(error.consumer());
  return tools.Assemble(text.data(), text.size(), &words);
}

std::vector<std::byte> run_assemble(Bytes request, const sandbox::Ask&) {
  LibraryError error;
  Words words;
  const std::string_view text = slipway::text_of(request);
  const spv_target_env stated = stated_version(text);
  bool done = assemble_as(stated, text, words, error);
  // Text that was edited may have instructions of a later version than its comment.
  if (!done && stated != SPV_ENV_UNIVERSAL_1_6) {
    error = {};
    words.clear();
    done = assemble_as(SPV_ENV_UNIVERSAL_1_6, text, words, error);
  }
  ByteWriter reply;
  reply.write(done);
  if (done)
    reply.append(bytes_of_words(words));
  else
    error.write_to(reply);
  return reply.release();
}

std::vector<std::byte> run_disassemble(Bytes request, const sandbox::Ask&) {
  ByteReader reader(request);
  const auto flags = reader.read<std::uint32_t>();
  const Words words = rest_as_words(reader);
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  LibraryError error;
  tools.SetMessageConsumer(error.consumer());
  std::string text;
  const bool done = tools.Disassemble(words.data(), words.size(), &text, flags);
  ByteWriter reply;
  reply.write(done);
  if (done)
    reply.append(text);
  else
    error.write_to(reply);
  return reply.release();
}

}  // namespace

const sandbox::Service kValidateService = {"spirv-validate", "the SPIR-V validator", run_validate};
const sandbox::Service kAssembleService = {"spirv-assemble", "the SPIR-V assembler", run_assemble};
const sandbox::Service kDisassembleService = {"spirv-disassemble", "the SPIR-V disassembler", run_disassemble};

Result<> validate(WordSpan words, const std::string& name, Environment environment, BlockLayout layout) {
  const ValidateOptions options{environment, layout};
  const auto reply = sandbox::call(kValidateService, {std::as_bytes(std::span(&options, 1)), bytes_of_words(words)});
  if (!reply) {
    return fail(reply.error().kind(DiagnosticKind::FileFormat), SourceLocation::in_file(name),
                formatted("Failed to validate SPIR-V module: {}", reply.error().text));
  }
  ByteReader reader(*reply);
  if (reader.read<std::uint8_t>() == 1) return {};
  const LibraryError error = LibraryError::read_from(reader);
  Diagnostic diagnostic{.kind = DiagnosticKind::FileFormat,
                        .message = formatted("Failed to validate SPIR-V module: {}", error.first_line()),
                        .location = location_of_instruction(words, name, error.position.index)};
  if (const std::string instruction = error.second_line(); !instruction.empty()) {
    diagnostic.note(formatted("in `{}`", instruction));
  }
  return fail(std::move(diagnostic));
}

bool check_module(WordSpan words, const std::string& name, Diagnostics& diagnostics, Environment environment) {
  if (Result<> valid = validate(words, name, environment); !valid) {
    diagnostics.add(std::move(valid.error()));
    return false;
  }
  if (const auto unknown = unknown_extensions(words); !unknown.empty()) {
    diagnostics.remark(DiagnosticKind::Unsupported, SourceLocation::in_file(name),
                       formatted("the module is not validated: {}", do_not_know(unknown)));
  }
  return true;
}

Result<Words> assemble(const SourcePtr& source) {
  const std::string_view text = source->text();
  const auto reply = sandbox::call(kAssembleService, {bytes_of(text)});
  if (!reply) {
    return fail(reply.error().kind(DiagnosticKind::ShaderCompile), SourceLocation::in_file(source->name()),
                formatted("Compilation error: {}", reply.error().text));
  }
  ByteReader reader(*reply);
  if (reader.read<std::uint8_t>() == 1) return rest_as_words(reader);
  const LibraryError error = LibraryError::read_from(reader);
  const std::uint64_t begin = std::min<std::uint64_t>(error.position.index, text.size());
  const std::uint64_t end = std::min<std::uint64_t>(text.find_first_of(" \t\r\n", begin), text.size());
  return fail(DiagnosticKind::ShaderCompile, SourceLocation::in_text(source, {begin, end}),
              formatted("Compilation error: {}", error.first_line()));
}

Result<std::string> disassemble(WordSpan words, const std::string& name, const DisassembleOptions& options) {
  SLIPWAY_TRY_VOID(require_known(words, name));
  std::uint32_t flags = SPV_BINARY_TO_TEXT_OPTION_NONE;
  if (!options.header) flags |= SPV_BINARY_TO_TEXT_OPTION_NO_HEADER;
  if (options.friendly_names) flags |= SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES;
  if (options.indent) flags |= SPV_BINARY_TO_TEXT_OPTION_INDENT;
  if (options.offsets) flags |= SPV_BINARY_TO_TEXT_OPTION_SHOW_BYTE_OFFSET;
  const auto reply = sandbox::call(kDisassembleService, {std::as_bytes(std::span(&flags, 1)), bytes_of_words(words)});
  if (!reply)
    return fail(reply.error().kind(DiagnosticKind::FileFormat), SourceLocation::in_file(name), reply.error().text);
  ByteReader reader(*reply);
  if (reader.read<std::uint8_t>() == 1) return std::string(slipway::text_of(reader.take(reader.remaining())));
  return fail(DiagnosticKind::FileFormat, SourceLocation::in_file(name),
              formatted("invalid SPIR-V: {}", LibraryError::read_from(reader).first_line()));
}

}  // namespace slipway::spirv
