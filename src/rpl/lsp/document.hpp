// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An open document: its text, its compilation, and the symbols at its offsets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rpl/lex.hpp"
#include "rpl/program.hpp"
#include "rpl/resolve.hpp"

namespace slipway::rpl::lsp {

// How documents are compiled: the client's `initializationOptions`.
struct ProjectSettings {
  PipelineKind pipeline = PipelineKind::Graphics;
  // Empty: the functions of the document whose names end in `vertex_main`, `fragment_main` or `compute_main`.
  std::vector<EntryPointName> entry_points;
  std::vector<std::pair<std::string, std::string>> options;  // names and values, as `--set` takes them
};

struct Document {
  SourcePtr source;
  Program program;  // the parts that parse, also when it has errors
  std::vector<Token> tokens;
  Assignment assignment;
  std::optional<Resolved> resolved;
  std::vector<Range> inactive;
  Diagnostics diagnostics;

  explicit Document(SourcePtr text) : source(std::move(text)) {}
  Document(const Document&) = delete;  // `resolved` points at `program`
  Document& operator=(const Document&) = delete;

  bool is_inactive(Range range) const;
};

std::unique_ptr<Document> analyse(SourcePtr source, const ProjectSettings& settings);

// The entity that a name in the text refers to.
struct Symbol {
  enum class Kind : std::uint8_t { Item, Field, Argument, Local, Builtin, Type, Setting };
  Kind kind = Kind::Item;
  NameId name = kNoName;
  Span at;                  // of the name in the text
  ItemId item = kNone;      // Item; Field: the item whose body contains it
  FieldId field = kNone;    // Field
  std::uint32_t index = 0;  // Argument: in Program::arguments; Local: in Program::stmts (variables and aliases)
};

// The name at an offset, or ending there.
std::optional<Symbol> symbol_at(const Document& document, std::uint64_t offset);
// Where it is declared; empty for entities of the language.
std::optional<Range> definition_of(const Document& document, const Symbol& symbol);
// Type, layout, location: Markdown.
std::string describe(const Document& document, const Symbol& symbol);

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
};
std::vector<Completion> complete(const Document& document, std::uint64_t offset);

}  // namespace slipway::rpl::lsp
