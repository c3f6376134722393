// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program as an editor sees it: its compilation, and the symbols at its offsets. Offsets are those of the program's
// address space (program.hpp), so a program of several sources needs nothing of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rpl/parse/lex.hpp"
#include "rpl/program.hpp"
#include "rpl/resolve.hpp"
#include "rpl/variants/variants.hpp"

namespace slipway::rpl::lsp {

// How sources become a program. `initializationOptions` of the client, or a program of a project.
struct CompileSettings {
  PipelineKind pipeline = PipelineKind::Graphics;
  Target target = Target::Vulkan13;
  // Empty: the functions whose names end in `vertex_main`, `fragment_main` or `compute_main`.
  std::vector<EntryPointName> entry_points;
  bool guess_entry_points = true;
  std::vector<std::pair<std::string, std::string>> options;  // of all variants: names and values, as `--set` takes them
  std::vector<std::pair<std::string, std::string>> preferred;  // of the assignment that symbols are shown for
  // The values that options take in a project; null: those of default_domains.
  std::function<std::vector<std::vector<Value>>(const Program& program)> domains;
};

struct Document {
  Program program;            // the parts that parse, also when it has errors
  std::vector<Token> tokens;  // of all sources
  Assignment assignment;
  std::optional<Resolved> resolved;  // of this assignment
  std::vector<Range> inactive;       // with this assignment
  std::vector<Range> unreachable;    // inactive in every variant
  VariantOptions variants;           // how all variants are found
  Diagnostics diagnostics;           // of all variants, each with the assignment that has it

  Document() = default;
  Document(const Document&) = delete;  // `resolved` points at `program`
  Document& operator=(const Document&) = delete;

  bool is_inactive(Range range) const;
  std::string_view text(Range range) const;
  // The source with this name; null if the program does not have it.
  const ProgramSource* source_named(std::string_view name) const;
};

// Searching for more variants than that takes too long while somebody types: then one assignment is analysed.
inline constexpr std::size_t kMaxEditorVariants = 512;

// Each source is a module.
std::unique_ptr<Document> analyse(std::vector<SourcePtr> sources, const CompileSettings& settings);

// The entity that a name in the text refers to.
struct Symbol {
  enum class Kind : std::uint8_t { Item, Field, Argument, Local, Builtin, Type, Setting };
  Kind kind = Kind::Item;
  NameId name = kNoName;
  Range at;                 // of the name in the text
  ItemId item = kNone;      // Item; Field: the item whose body contains it
  FieldId field = kNone;    // Field
  std::uint32_t index = 0;  // Argument: in Program::arguments; Local: in Program::stmts (variables and aliases)
};

// The name at an offset, or ending there.
std::optional<Symbol> symbol_at(const Document& document, std::uint64_t offset);
// Where it is declared; empty for entities of the language.
std::optional<Range> definition_of(const Document& document, const Symbol& symbol);
// Where the struct that a value has is declared.
std::optional<Range> type_definition_of(const Document& document, const Symbol& symbol);
// Type, layout, location: Markdown.
std::string describe(const Document& document, const Symbol& symbol);
// The set and binding of a buffer, sampler or image, the location or offset of a field; empty for others. One line.
std::string placement(const Document& document, const Symbol& symbol);
// Equal for the names of one entity, also across programs that share sources: functions, structs and values are known
// by their names, locals and arguments by their declarations.
std::string identity(const Document& document, const Symbol& symbol);
// The symbols of all names in a part of the text, or of all occurrences of one name, in order.
std::vector<Symbol> symbols_in(const Document& document, Range part, std::optional<NameId> name = {});

struct Signature {
  std::string label;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> parameters;  // begin and end in the label, in bytes
  std::uint32_t active = 0;                                         // index of the parameter at the offset
};
// Of the innermost call around an offset.
std::optional<Signature> signature_at(const Document& document, std::uint64_t offset);

enum class CompletionKind : std::uint8_t {
  Keyword = 14,
  Function = 3,
  Field = 5,
  Variable = 6,
  Struct = 22,
  Value = 12,
  Constant = 21,
  Property = 10
};
struct Completion {
  std::string label;
  CompletionKind kind = CompletionKind::Keyword;
  std::string detail;
  bool fits = false;  // its type is the one that is needed: it comes first
};
// What can be written at an offset.
std::vector<Completion> complete(const Document& document, std::uint64_t offset);

}  // namespace slipway::rpl::lsp
