// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/requests.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "rpl/lsp/occurrences.hpp"
#include "rpl/lsp/params.hpp"

namespace slipway::rpl::lsp {
namespace {

// DiagnosticSeverity.
int severity_of(Severity severity) {
  constexpr int kError = 1, kWarning = 2, kInformation = 3;
  return severity == Severity::Error ? kError : severity == Severity::Warning ? kWarning : kInformation;
}

// The types of semantic tokens; the order is that of the legend.
enum class TokenType : std::uint8_t { Function, Type, Struct, Variable, Parameter, Property, EnumMember };
constexpr std::array<std::string_view, 7> kTokenTypes = {"function",  "type",     "struct",    "variable",
                                                         "parameter", "property", "enumMember"};
// Bits, in the order of the legend.
constexpr unsigned kDeclaration = 1, kReadonly = 2, kDefaultLibrary = 4;
constexpr std::array<std::string_view, 3> kTokenModifiers = {"declaration", "readonly", "defaultLibrary"};

std::pair<TokenType, unsigned> token_type(const Document& document, const Symbol& symbol) {
  switch (symbol.kind) {
    case Symbol::Kind::Item:
      switch (document.program.items[symbol.item].kind) {
        case ItemKind::Function:
          return {TokenType::Function, 0};
        case ItemKind::Struct:
          return {TokenType::Struct, 0};
        case ItemKind::Option:
        case ItemKind::Constant:
          return {TokenType::EnumMember, kReadonly};
        default:
          return {TokenType::Variable, 0};
      }
    case Symbol::Kind::Field:
      return {TokenType::Property, 0};
    case Symbol::Kind::Argument:
      return {TokenType::Parameter, 0};
    case Symbol::Kind::Local:
      return {TokenType::Variable, 0};
    case Symbol::Kind::Builtin:
      return {TokenType::Function, kDefaultLibrary};
    case Symbol::Kind::Type:
      return {TokenType::Type, kDefaultLibrary};
    case Symbol::Kind::Setting:
      break;
  }
  return {TokenType::Property, kDefaultLibrary};
}

bool is_identifier(std::string_view name) {
  const auto letter = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; };
  return !name.empty() && name.size() <= kMaxIdentifier && letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || std::isdigit(static_cast<unsigned char>(c)); });
}

}  // namespace

int symbol_kind(ItemKind kind) {
  constexpr int kProperty = 7, kFunction = 12, kVariable = 13, kConstant = 14, kEnum = 10, kStruct = 23;
  switch (kind) {
    case ItemKind::Option:
      return kEnum;
    case ItemKind::Constant:
      return kConstant;
    case ItemKind::Setting:
      return kProperty;
    case ItemKind::Function:
      return kFunction;
    case ItemKind::Sampler:
    case ItemKind::Image:
      return kVariable;
    default:
      return kStruct;
  }
}

void write_token_legend(json::Writer& out) {
  out.object([&] {
    out.key("tokenTypes").array([&] {
      for (const std::string_view type : kTokenTypes) out.value(type);
    });
    out.key("tokenModifiers").array([&] {
      for (const std::string_view modifier : kTokenModifiers) out.value(modifier);
    });
  });
}

void write_diagnostic(json::Writer& out, const std::string& uri, const Source& source, const Diagnostic& diagnostic,
                      Encoding encoding) {
  out.object([&] {
    const bool here =
        diagnostic.location.kind == SourceLocation::Kind::Text && diagnostic.location.source.get() == &source;
    write_range(out.key("range"), source, here ? diagnostic.location.span : Span{}, encoding);
    out.member("severity", severity_of(diagnostic.severity)).member("code", name_of(diagnostic.kind));
    std::string when;
    for (const auto& [name, value] : diagnostic.assignment)
      when += formatted("{}{}={}", when.empty() ? "" : ", ", name, value);
    out.member("source", "slipway");
    out.member("message", when.empty() ? diagnostic.message : formatted("{} (with {})", diagnostic.message, when));
    out.key("relatedInformation").array([&] {
      for (const DiagnosticNote& note : diagnostic.notes) {
        if (note.location.kind != SourceLocation::Kind::Text) continue;
        out.object([&] {
          out.key("location").object([&] {
            const bool same = note.location.source.get() == &source;
            out.member("uri", same ? uri : note.location.source->name());
            write_range(out.key("range"), *note.location.source, note.location.span, encoding);
          });
          out.member("message", note.message);
        });
      }
    });
  });
}

std::optional<Answer> Requests::handle(std::string_view method, Params params) {
  struct Method {
    std::string_view name;
    Answer (Requests::*answer)(Params);
  };
  static constexpr std::array kMethods = {
      Method{"textDocument/hover", &Requests::hover},
      Method{"textDocument/definition", &Requests::definition},
      Method{"textDocument/references", &Requests::references},
      Method{"textDocument/documentHighlight", &Requests::highlights},
      Method{"textDocument/prepareRename", &Requests::prepare_rename},
      Method{"textDocument/rename", &Requests::rename},
      Method{"textDocument/completion", &Requests::completion},
      Method{"textDocument/signatureHelp", &Requests::signature_help},
      Method{"textDocument/documentSymbol", &Requests::symbols},
      Method{"textDocument/semanticTokens/full", &Requests::semantic_tokens},
      Method{"textDocument/inlayHint", &Requests::inlay_hints},
      Method{"textDocument/codeAction", &Requests::code_actions},
  };
  const auto known = std::ranges::find(kMethods, method, &Method::name);
  if (known == kMethods.end()) return std::nullopt;
  Answer answer = (this->*known->answer)(params);
  if (!answer && answer.error().code == kNoProgram) return "null";
  return answer;
}

// --- one symbol ----------------------------------------------------------------------------------------------------

Answer Requests::hover(Params params) {
  const auto at = parameters_.position(params);
  if (!at) return std::unexpected(at.error());
  const Document& document = *at->view.document;
  const std::optional<Symbol> symbol = symbol_at(document, at->offset);
  return written([&](json::Writer& out) {
    if (!symbol) return void(out.null());
    out.object([&] {
      out.key("contents").object([&] { out.member("kind", "markdown").member("value", describe(document, *symbol)); });
      write_range(out.key("range"), *at->view.source->text, at->view.local(symbol->at), encoding_);
    });
  });
}

Answer Requests::definition(Params params) {
  const auto at = parameters_.position(params);
  if (!at) return std::unexpected(at.error());
  const Document& document = *at->view.document;
  const std::optional<Symbol> symbol = symbol_at(document, at->offset);
  const std::optional<Range> where = symbol ? definition_of(document, *symbol) : std::nullopt;
  return written([&](json::Writer& out) {
    if (!where) return void(out.null());
    const ProgramSource& source = document.program.sources[document.program.source_at(where->begin)];
    out.object([&] {
      out.member("uri", source.text->name());
      write_range(out.key("range"), *source.text, {where->begin - source.base, where->end - source.base}, encoding_);
    });
  });
}

// --- all names of an entity ----------------------------------------------------------------------------------------

Answer Requests::references(Params params) {
  const auto at = parameters_.position(params);
  if (!at) return std::unexpected(at.error());
  const std::optional<Symbol> symbol = symbol_at(*at->view.document, at->offset);
  if (!symbol) return "null";
  const json::Value wanted = member_of(member_of(params, "context"), "includeDeclaration");
  const bool declarations = !wanted.is(json::Type::Bool) || wanted.boolean();
  const auto found = occurrences_of(workspace_, at->view, *symbol);
  return written([&](json::Writer& out) {
    out.array([&] {
      for (const auto& [uri, all] : found) {
        const std::vector<SourceView> views = workspace_.views(uri);
        for (const Occurrence& occurrence : all) {
          if (views.empty() || (occurrence.declaration && !declarations)) continue;
          out.object([&] {
            out.member("uri", uri);
            write_range(out.key("range"), *views.front().source->text, occurrence.at, encoding_);
          });
        }
      }
    });
  });
}

Answer Requests::highlights(Params params) {
  const auto at = parameters_.position(params);
  if (!at) return std::unexpected(at.error());
  const std::optional<Symbol> symbol = symbol_at(*at->view.document, at->offset);
  if (!symbol) return "null";
  const std::string entity = identity(*at->view.document, *symbol);
  return written([&](json::Writer& out) {
    out.array([&] {
      for (const Symbol& one : symbols_in(*at->view.document, at->view.range(), symbol->name)) {
        if (identity(*at->view.document, one) != entity) continue;
        out.object([&] { write_range(out.key("range"), *at->view.source->text, at->view.local(one.at), encoding_); });
      }
    });
  });
}

Answer Requests::prepare_rename(Params params) {
  const auto at = parameters_.position(params);
  if (!at) return std::unexpected(at.error());
  const std::optional<Symbol> symbol = symbol_at(*at->view.document, at->offset);
  if (!symbol || !definition_of(*at->view.document, *symbol)) return "null";
  return written(
      [&](json::Writer& out) { write_range(out, *at->view.source->text, at->view.local(symbol->at), encoding_); });
}

Answer Requests::rename(Params params) {
  const auto at = parameters_.position(params);
  if (!at) return std::unexpected(at.error());
  const std::string name = string_of(params, "newName");
  const std::optional<Symbol> symbol = symbol_at(*at->view.document, at->offset);
  const auto refused = [](std::string text) { return std::unexpected(RequestError{kRequestFailed, std::move(text)}); };
  if (!symbol || !definition_of(*at->view.document, *symbol)) return refused("no name that a program declares is here");
  if (!is_identifier(name)) return refused(formatted("`{}` cannot be a name: it is not an identifier", name));
  const auto found = occurrences_of(workspace_, at->view, *symbol);
  const std::string uri = at->view.source->text->name();
  const std::size_t before = workspace_.count_diagnostics(uri, {});
  if (workspace_.count_diagnostics(uri, renamed_texts(workspace_, found, name)) > before) {
    return refused(
        formatted("with the name `{}` the program would have further errors or warnings; the name may be in "
                  "use",
                  name));
  }
  return written([&](json::Writer& out) {
    out.object([&] {
      out.key("changes").object([&] {
        for (const auto& [changed, all] : found) {
          const std::vector<SourceView> views = workspace_.views(changed);
          if (views.empty()) continue;
          out.key(changed).array([&] {
            for (const Occurrence& occurrence : all) {
              out.object([&] {
                write_range(out.key("range"), *views.front().source->text, occurrence.at, encoding_);
                out.member("newText", name);
              });
            }
          });
        }
      });
    });
  });
}

// --- typing --------------------------------------------------------------------------------------------------------

Answer Requests::completion(Params params) {
  const auto at = parameters_.position(params);
  if (!at) return std::unexpected(at.error());
  return written([&](json::Writer& out) {
    out.array([&] {
      for (const Completion& completion : complete(*at->view.document, at->offset)) {
        out.object([&] {
          out.member("label", completion.label).member("kind", static_cast<int>(completion.kind));
          if (!completion.detail.empty()) out.member("detail", completion.detail);
          // Editors sort by it.
          out.member("sortText", formatted("{}{}", completion.fits ? 0 : 1, completion.label));
        });
      }
    });
  });
}

Answer Requests::signature_help(Params params) {
  const auto at = parameters_.position(params);
  if (!at) return std::unexpected(at.error());
  const std::optional<Signature> signature = signature_at(*at->view.document, at->offset);
  if (!signature) return "null";
  return written([&](json::Writer& out) {
    out.object([&] {
      out.key("signatures").array([&] {
        out.object([&] {
          out.member("label", signature->label);
          // Labels are ASCII, so bytes are UTF-16 code units.
          out.key("parameters").array([&] {
            for (const auto& [begin, end] : signature->parameters) {
              out.object([&] { out.key("label").array([&] { out.value(begin).value(end); }); });
            }
          });
        });
      });
      out.member("activeSignature", 0).member("activeParameter", signature->active);
    });
  });
}

Answer Requests::code_actions(Params params) {
  const std::string uri = string_of(member_of(params, "textDocument"), "uri");
  const SourcePtr source = workspace_.text_of(uri);
  if (!source) return std::unexpected(RequestError{kInvalidParams, formatted("no document `{}` is open", uri)});
  const json::Value range = member_of(params, "range");
  const auto begin = parameters_.offset_in(*source, member_of(range, "start")),
             end = parameters_.offset_in(*source, member_of(range, "end"));
  if (!begin) return std::unexpected(begin.error());
  if (!end) return std::unexpected(end.error());
  const Diagnostics diagnostics = workspace_.diagnostics_of(uri);
  const auto is_here = [&](const SourceLocation& location) {
    return location.kind == SourceLocation::Kind::Text && location.source == source;
  };
  return written([&](json::Writer& out) {
    out.array([&] {
      for (const Diagnostic& diagnostic : diagnostics.all()) {
        const Span at = diagnostic.location.span;
        if (!is_here(diagnostic.location) || at.begin > *end || at.end < *begin) continue;
        for (const Suggestion& suggestion : diagnostic.suggestions) {
          if (!is_here(suggestion.location)) continue;
          out.object([&] {
            const std::string_view old = source->text(suggestion.location.span);
            out.member("title", formatted("replace `{}` by `{}`", old, suggestion.text)).member("kind", "quickfix");
            out.member("isPreferred", true);
            out.key("diagnostics").array([&] { write_diagnostic(out, uri, *source, diagnostic, encoding_); });
            out.key("edit").object([&] {
              out.key("changes").object([&] {
                out.key(uri).array([&] {
                  out.object([&] {
                    write_range(out.key("range"), *source, suggestion.location.span, encoding_);
                    out.member("newText", suggestion.text);
                  });
                });
              });
            });
          });
        }
      }
    });
  });
}

// --- a whole document ----------------------------------------------------------------------------------------------

Answer Requests::symbols(Params params) {
  const auto view = parameters_.view_of(params);
  if (!view) return std::unexpected(view.error());
  const Program& program = view->document->program;
  const auto write = [&](json::Writer& out, std::string_view name, std::string_view detail, int kind, Range range,
                         Range name_range) {
    out.member("name", name.empty() ? "?" : name).member("detail", detail).member("kind", kind);
    write_range(out.key("range"), *view->source->text, view->local(range), encoding_);
    write_range(out.key("selectionRange"), *view->source->text, view->local(name_range), encoding_);
  };
  const Range here = view->range();
  return written([&](json::Writer& out) {
    out.array([&] {
      for (const Item& item : program.items) {
        if (item.range.begin < here.begin || item.range.begin > here.end) continue;
        out.object([&] {
          write(out, program.text(item.name), word_of(item.kind), symbol_kind(item.kind), item.range, item.name_range);
          if (item.fields.count == 0) return;
          out.key("children").array([&] {
            for (std::uint32_t i = 0; i < item.fields.count; ++i) {
              const Field& field = program.fields[item.fields.first + i];
              constexpr int kFieldSymbol = 8;
              out.object([&] {
                write(out, program.text(field.name),
                      field.alias ? "alias" : program.text(program.types[field.type].name), kFieldSymbol, field.range,
                      field.name_range);
              });
            }
          });
        });
      }
    });
  });
}

Answer Requests::semantic_tokens(Params params) {
  const auto view = parameters_.view_of(params);
  if (!view) return std::unexpected(view.error());
  const Source& source = *view->source->text;
  return written([&](json::Writer& out) {
    out.object([&] {
      out.key("data").array([&] {
        LinePosition last;
        for (const Symbol& symbol : symbols_in(*view->document, view->range())) {
          const Span at = view->local(symbol.at);
          const LinePosition begin = position_of(source, at.begin, encoding_);
          const LinePosition end = position_of(source, at.end, encoding_);
          auto [type, modifiers] = token_type(*view->document, symbol);
          if (definition_of(*view->document, symbol) == symbol.at) modifiers |= kDeclaration;
          // Positions are relative to the token before.
          out.value(begin.line - last.line);
          out.value(begin.line == last.line ? begin.character - last.character : begin.character);
          out.value(end.character - begin.character).value(static_cast<unsigned>(type)).value(modifiers);
          last = begin;
        }
      });
    });
  });
}

Answer Requests::inlay_hints(Params params) {
  const auto view = parameters_.view_of(params);
  if (!view) return std::unexpected(view.error());
  const auto part = parameters_.range(*view, member_of(params, "range"));
  if (!part) return std::unexpected(part.error());
  const Document& document = *view->document;
  return written([&](json::Writer& out) {
    out.array([&] {
      for (const Symbol& symbol : symbols_in(document, *part)) {
        if (definition_of(document, symbol) != symbol.at || document.is_inactive(symbol.at)) continue;
        const std::string hint = placement(document, symbol);
        if (hint.empty()) continue;
        out.object([&] {
          const LinePosition at = position_of(*view->source->text, view->local(symbol.at).end, encoding_);
          out.key("position").object([&] { out.member("line", at.line).member("character", at.character); });
          out.member("label", hint).member("paddingLeft", true);
        });
      }
    });
  });
}

}  // namespace slipway::rpl::lsp
