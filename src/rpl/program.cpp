// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/program.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "rpl/append_unique.hpp"
#include "rpl/parse/parser.hpp"

namespace slipway::rpl {

namespace {

// Reserves for the tokens of the first source, with some reserve. Not more: returning memory to the system and
// requesting it again costs as much as parsing.
void reserve(Program& program, std::size_t tokens) {
  constexpr std::size_t kFew = 64;
  program.exprs.reserve(tokens / 2);
  program.stmts.reserve(tokens / 10);
  program.lists.reserve(tokens / 5);
  program.types.reserve(tokens / 14);
  program.items.reserve(kFew);
  program.fields.reserve(kFew);
  program.arguments.reserve(kFew);
  program.options.reserve(kFew / 2);
}

}  // namespace

std::string_view word_of(ItemKind kind) {
  constexpr std::array<std::string_view, 16> kWords = {"option",
                                                       "constant",
                                                       "setting",
                                                       "struct",
                                                       "vertex_attribute_container",
                                                       "instanced_attribute_container",
                                                       "state_container",
                                                       "color_output_container",
                                                       "uniform_buffer",
                                                       "read_only_storage_buffer",
                                                       "read_write_storage_buffer",
                                                       "push_constant",
                                                       "workgroup_buffer",
                                                       "sampler",
                                                       "image",
                                                       "function"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string_view word_of(DescriptorSet set) {
  constexpr std::array<std::string_view, 5> kWords = {"set_pass", "set_material", "set_object", "set_shared", ""};
  return kWords[static_cast<std::size_t>(set)];
}

std::uint32_t Program::source_at(std::uint32_t offset) const {
  const auto after = std::ranges::upper_bound(sources, offset, {}, &ProgramSource::base);
  return after == sources.begin() ? 0 : static_cast<std::uint32_t>(after - sources.begin()) - 1;
}

SourceLocation Program::location(Range range) const {
  if (sources.empty()) return SourceLocation::nowhere();
  const ProgramSource& source = sources[source_at(range.begin)];
  return SourceLocation::in_text(source.text,
                                 {range.begin - source.base, std::max(range.begin, range.end) - source.base});
}

struct ProgramParser::Memory {
  std::vector<Token> tokens;
  ParserMemory parser;
};

ProgramParser::ProgramParser() : memory_(std::make_unique<Memory>()) {}
ProgramParser::ProgramParser(ProgramParser&&) noexcept = default;
ProgramParser& ProgramParser::operator=(ProgramParser&&) noexcept = default;
ProgramParser::~ProgramParser() = default;

Program ProgramParser::parse(std::span<const ModuleSources> modules, Diagnostics& all) {
  Diagnostics diagnostics;
  Program program;
  program.exprs.emplace_back();
  program.stmts.emplace_back();
  program.types.emplace_back();
  Parser parser(program, diagnostics, memory_->parser);
  std::vector<Token>& tokens = memory_->tokens;
  std::uint64_t base = 0;
  for (const ModuleSources& module : modules) {
    const auto index = static_cast<std::uint32_t>(program.modules.size());
    Module& made = program.modules.emplace_back();
    made.name = module.name;
    made.first_source = static_cast<std::uint32_t>(program.sources.size());
    made.first_item = static_cast<ItemId>(program.items.size());
    for (const SourcePtr& source : module.sources) {
      const std::size_t size = source->text().size();
      if (size > kMaxSource || base + size + 1 > kNone) {
        diagnostics.error(
            DiagnosticKind::OutOfRange, SourceLocation::in_file(source->name()),
            formatted("the file has {} bytes; at most {} are allowed, and 4 GiB in all", size, kMaxSource));
        continue;
      }
      program.sources.push_back({source, static_cast<std::uint32_t>(base), index});
      tokens.clear();
      lex(source, static_cast<std::uint32_t>(base), program.names, tokens, diagnostics);
      if (program.exprs.size() == 1) reserve(program, tokens.size());
      parser.parse_source(tokens, index);
      base += size + 1;
    }
    program.modules[index].source_count = static_cast<std::uint32_t>(program.sources.size()) - made.first_source;
    program.modules[index].item_count = static_cast<std::uint32_t>(program.items.size()) - made.first_item;
  }
  finish_program(program, memory_->parser.stack);
  program.valid = !diagnostics.has_errors();
  if (!diagnostics.empty()) append_unique(diagnostics, all);
  return program;
}

Program ProgramParser::parse(SourcePtr source, Diagnostics& diagnostics) {
  const ModuleSources module{source->name(), {source}};
  return parse(std::span(&module, 1), diagnostics);
}

Program parse(std::span<const ModuleSources> modules, Diagnostics& diagnostics) {
  return ProgramParser().parse(modules, diagnostics);
}

Program parse(SourcePtr source, Diagnostics& diagnostics) {
  return ProgramParser().parse(std::move(source), diagnostics);
}

}  // namespace slipway::rpl
