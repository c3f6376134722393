// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/structure_requests.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "base/format.hpp"
#include "rpl/lsp/costs.hpp"
#include "rpl/lsp/line_edits.hpp"
#include "rpl/lsp/params.hpp"
#include "rpl/lsp/requests.hpp"
#include "rpl/print/format.hpp"

namespace slipway::rpl::lsp {
namespace {

struct Place {
  const Source& source;
  Span span;
};

Place place_of(const Document& document, Range range) {
  const ProgramSource& source = document.program.sources[document.program.source_at(range.begin)];
  return {*source.text, {range.begin - source.base, range.end - source.base}};
}

void write_location(json::Writer& out, const Place& place, Encoding encoding) {
  out.object([&] {
    out.member("uri", place.source.name());
    write_range(out.key("range"), place.source, place.span, encoding);
  });
}

// The letters of a query occur in this order, whatever their case.
bool matches(std::string_view name, std::string_view query) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  auto at = query.begin();
  for (const char c : name) {
    if (at != query.end() && lower(c) == lower(*at)) ++at;
  }
  return at == query.end();
}

// A call of a function of the program, or another use of its name.
struct Call {
  ItemId caller = kNone, callee = kNone;
  Range at;
};

std::vector<Call> calls_in(const Document& document) {
  std::vector<Call> calls;
  const Program& program = document.program;
  for (ItemId id = 0; id < program.items.size(); ++id) {
    if (program.items[id].kind != ItemKind::Function) continue;
    for (const Symbol& symbol : symbols_in(document, program.items[id].range)) {
      if (symbol.kind != Symbol::Kind::Item || program.items[symbol.item].kind != ItemKind::Function) continue;
      if (symbol.at != program.items[symbol.item].name_range) calls.push_back({id, symbol.item, symbol.at});
    }
  }
  return calls;
}

// Comments and bodies of more than one line, by line.
std::vector<std::pair<std::uint32_t, std::uint32_t>> folds_of(const SourceView& view) {
  const Program& program = view.document->program;
  const Source& source = *view.source->text;
  std::set<std::pair<std::uint32_t, std::uint32_t>> folds;
  const auto add = [&](Range range) {
    if (range.begin < view.range().begin || range.begin >= view.range().end || range.begin == range.end) return;
    const Span span = view.local(range);
    const std::uint32_t first = source.position(span.begin).line - 1, last = source.position(span.end - 1).line - 1;
    if (first < last) folds.emplace(first, last);
  };
  for (const Item& item : program.items) add(item.range);
  for (const Stmt& statement : program.stmts) {
    if (statement.kind == StmtKind::Block) add(statement.range);
  }
  return {folds.begin(), folds.end()};
}

std::string counted(std::size_t count, std::string_view what) {
  return formatted("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string span_text(const CostRange& range, std::string_view unit) {
  return range.min == range.max ? formatted("{} {}", range.min, unit)
                                : formatted("{} to {} {}", range.min, range.max, unit);
}

std::string lens_text(const EntryCost& cost) {
  std::string text = cost.programs == 1 ? "" : formatted("in {}: ", counted(cost.programs, "program"));
  if (cost.too_many != 0) return text + formatted("more than {} variants", kMaxEditorVariants);
  text += counted(cost.variants, "variant");
  if (cost.failing != 0) return text + formatted(", {} with errors", cost.failing);
  if (cost.modules == 0) return text;
  text += formatted(", {} of this stage: ", cost.modules);
  return text + span_text(cost.bytes, "bytes") + ", " + span_text(cost.instructions, "instructions");
}

}  // namespace

std::optional<Answer> StructureRequests::handle(std::string_view method, Params params) {
  struct Method {
    std::string_view name;
    Answer (StructureRequests::*answer)(Params);
  };
  static constexpr std::array kMethods = {
      Method{"textDocument/foldingRange", &StructureRequests::folding},
      Method{"textDocument/typeDefinition", &StructureRequests::type_definition},
      Method{"workspace/symbol", &StructureRequests::workspace_symbols},
      Method{"textDocument/codeLens", &StructureRequests::code_lenses},
      Method{"textDocument/prepareCallHierarchy", &StructureRequests::prepare_calls},
      Method{"callHierarchy/incomingCalls", &StructureRequests::incoming_calls},
      Method{"callHierarchy/outgoingCalls", &StructureRequests::outgoing_calls},
      Method{"textDocument/formatting", &StructureRequests::formatting},
      Method{"textDocument/rangeFormatting", &StructureRequests::range_formatting},
  };
  const auto known = std::ranges::find(kMethods, method, &Method::name);
  if (known == kMethods.end()) return std::nullopt;
  Answer answer = (this->*known->answer)(params);
  if (!answer && answer.error().code == kNoProgram) return "null";
  return answer;
}

Answer StructureRequests::folding(Params params) {
  const auto view = parameters_.view_of(params);
  if (!view) return std::unexpected(view.error());
  return written([&](json::Writer& out) {
    out.array([&] {
      for (const auto& [first, last] : folds_of(*view))
        out.object([&] { out.member("startLine", first).member("endLine", last); });
    });
  });
}

Answer StructureRequests::type_definition(Params params) {
  const auto at = parameters_.position(params);
  if (!at) return std::unexpected(at.error());
  const Document& document = *at->view.document;
  const std::optional<Symbol> symbol = symbol_at(document, at->offset);
  const std::optional<Range> where = symbol ? type_definition_of(document, *symbol) : std::nullopt;
  if (!where) return "null";
  return written([&](json::Writer& out) { write_location(out, place_of(document, *where), parameters_.encoding); });
}

Answer StructureRequests::workspace_symbols(Params params) {
  constexpr std::size_t kMaxSymbols = 1000;
  const std::string query = string_of(params, "query");
  std::set<std::pair<std::string, std::uint64_t>> listed;
  return written([&](json::Writer& out) {
    out.array([&] {
      for (const std::string& uri : parameters_.workspace.open_uris()) {
        for (const std::shared_ptr<const Document>& document : parameters_.workspace.programs_around(uri)) {
          const Program& program = document->program;
          for (const Item& item : program.items) {
            if (item.kind == ItemKind::Setting || !matches(program.text(item.name), query)) continue;
            const Place place = place_of(*document, item.name_range);
            if (listed.size() >= kMaxSymbols || !listed.emplace(place.source.name(), place.span.begin).second) continue;
            out.object([&] {
              out.member("name", program.text(item.name)).member("kind", symbol_kind(item.kind));
              out.member("containerName", word_of(item.kind));
              write_location(out.key("location"), place, parameters_.encoding);
            });
          }
        }
      }
    });
  });
}

Answer StructureRequests::code_lenses(Params params) {
  const auto view = parameters_.view_of(params);
  if (!view) return std::unexpected(view.error());
  const std::vector<SourceView> views = parameters_.workspace.views(view->source->text->name());
  return written([&](json::Writer& out) {
    out.array([&] {
      for (const auto& [name_span, cost] : entry_costs(views)) {
        out.object([&] {
          write_range(out.key("range"), *view->source->text, name_span, parameters_.encoding);
          out.key("command").object([&] { out.member("title", lens_text(cost)).member("command", ""); });
        });
      }
    });
  });
}

// --- callers ---------------------------------------------------------------------------------------------------------

void StructureRequests::write_function(json::Writer& out, const Document& document, ItemId item) const {
  const Item& function = document.program.items[item];
  const Place whole = place_of(document, function.range), name = place_of(document, function.name_range);
  out.object([&] {
    out.member("name", document.program.text(function.name)).member("kind", symbol_kind(function.kind));
    out.member("uri", whole.source.name());
    write_range(out.key("range"), whole.source, whole.span, parameters_.encoding);
    write_range(out.key("selectionRange"), name.source, name.span, parameters_.encoding);
  });
}

Answer StructureRequests::prepare_calls(Params params) {
  const auto at = parameters_.position(params);
  if (!at) return std::unexpected(at.error());
  const Document& document = *at->view.document;
  const std::optional<Symbol> symbol = symbol_at(document, at->offset);
  if (!symbol || symbol->kind != Symbol::Kind::Item || document.program.items[symbol->item].kind != ItemKind::Function)
    return "null";
  return written([&](json::Writer& out) { out.array([&] { write_function(out, document, symbol->item); }); });
}

std::optional<StructureRequests::Function> StructureRequests::function_of(Params params) const {
  const json::Value item = member_of(params, "item");
  for (const SourceView& view : parameters_.workspace.views(string_of(item, "uri"))) {
    const auto offset =
        parameters_.offset_in(*view.source->text, member_of(member_of(item, "selectionRange"), "start"));
    if (!offset) return std::nullopt;
    const std::optional<Symbol> symbol = symbol_at(*view.document, view.source->base + *offset);
    if (symbol && symbol->kind == Symbol::Kind::Item &&
        view.document->program.items[symbol->item].kind == ItemKind::Function)
      return Function{view, symbol->item};
  }
  return std::nullopt;
}

std::string StructureRequests::calls(Params params, std::string_view other, bool incoming) const {
  const std::optional<Function> function = function_of(params);
  if (!function) return "null";
  // A function is known by its name, in all programs that have it.
  const std::string name(
      function->view.document->program.text(function->view.document->program.items[function->item].name));
  struct Found {
    std::shared_ptr<const Document> document;
    ItemId item = kNone;
    std::set<std::pair<std::uint64_t, std::uint64_t>> at;  // in the source of the caller
  };
  std::map<std::pair<std::string, std::uint64_t>, Found> found;  // by the location of the other function
  for (const auto& document : parameters_.workspace.programs_around(function->view.source->text->name())) {
    const Program& program = document->program;
    for (const Call& call : calls_in(*document)) {
      const Item& asked = program.items[incoming ? call.callee : call.caller];
      if (program.text(asked.name) != name) continue;
      // Other files may have a function of this name.
      if (place_of(*document, asked.name_range).source.name() != function->view.source->text->name()) continue;
      const ItemId of = incoming ? call.caller : call.callee;
      const Place place = place_of(*document, program.items[of].name_range);
      Found& entry = found.try_emplace({place.source.name(), place.span.begin}, Found{document, of, {}}).first->second;
      const Span at = place_of(*document, call.at).span;
      entry.at.emplace(at.begin, at.end);
    }
  }
  return written([&](json::Writer& out) {
    out.array([&] {
      for (const auto& [key, each] : found) {
        const Document& of = *each.document;
        const ItemId caller = incoming ? each.item : function->item;
        const Document& calling = incoming ? of : *function->view.document;
        const Source& source = place_of(calling, calling.program.items[caller].range).source;
        out.object([&] {
          write_function(out.key(other), of, each.item);
          out.key("fromRanges").array([&] {
            for (const auto& [begin, end] : each.at) write_range(out, source, {begin, end}, parameters_.encoding);
          });
        });
      }
    });
  });
}

Answer StructureRequests::incoming_calls(Params params) { return calls(params, "from", true); }

Answer StructureRequests::outgoing_calls(Params params) { return calls(params, "to", false); }

// --- layout ----------------------------------------------------------------------------------------------------------

Answer StructureRequests::format(Params params, std::optional<Span> part) {
  const auto view = parameters_.view_of(params);
  if (!view) return std::unexpected(view.error());
  const SourcePtr& source = view->source->text;
  const Result<std::string> text = format_source(source);
  if (!text) return "null";  // its errors are shown
  return written([&](json::Writer& out) {
    out.array([&] {
      for (const LineEdit& edit : line_edits(source->text(), *text)) {
        // An edit that ends where the part begins is of the line before.
        if (part && (edit.replaced.begin >= part->end || edit.replaced.end <= part->begin)) continue;
        out.object([&] {
          write_range(out.key("range"), *source, edit.replaced, parameters_.encoding);
          out.member("newText", edit.text);
        });
      }
    });
  });
}

Answer StructureRequests::formatting(Params params) { return format(params, std::nullopt); }

Answer StructureRequests::range_formatting(Params params) {
  const auto view = parameters_.view_of(params);
  if (!view) return std::unexpected(view.error());
  const auto part = parameters_.range(*view, member_of(params, "range"));
  if (!part) return std::unexpected(part.error());
  return format(params, view->local(*part));
}

}  // namespace slipway::rpl::lsp
