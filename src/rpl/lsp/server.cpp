// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/server.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "rpl/format.hpp"

namespace slipway::rpl::lsp {
namespace {

// JSON-RPC and LSP error codes.
constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601, kInvalidParams = -32602,
              kNotInitialized = -32002, kRequestFailed = -32803;

// DiagnosticSeverity and DiagnosticTag.
constexpr int kError = 1, kWarning = 2, kInformation = 3, kHint = 4, kUnnecessary = 1;

int severity_of(Severity severity) {
  return severity == Severity::Error ? kError : severity == Severity::Warning ? kWarning : kInformation;
}

std::string string_at(json::Value object, std::string_view key) {
  if (!object || !object.is(json::Type::Object)) return "";
  const json::Value value = object[key];
  return value.is(json::Type::String) ? value.string() : "";
}
json::Value member(json::Value object, std::string_view key) {
  return object.is(json::Type::Object) ? object[key] : json::Value();
}

// SymbolKind.
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

Span span_of(Range range) { return {range.begin, range.end}; }

}  // namespace

template <class F>
void Server::answer(json::Value id, F&& write_result) {
  json::Writer out(json::kCompact);
  out.object([&] {
    out.member("jsonrpc", "2.0").key("id").raw(id ? id.text() : "null");
    out.key("result");
    write_result(out);
  });
  out_.push_back(out.text());
}

void Server::answer_error(json::Value id, int code, std::string_view text) {
  json::Writer out(json::kCompact);
  out.object([&] {
    out.member("jsonrpc", "2.0").key("id").raw(id ? id.text() : "null");
    out.key("error").object([&] { out.member("code", code).member("message", text); });
  });
  out_.push_back(out.text());
}

std::vector<std::string> Server::handle(std::string_view message) {
  out_.clear();
  const auto document = json::parse(make_source("message", std::string(message)));
  if (!document) {
    answer_error({}, kParseError, document.error().front().message);
    return std::move(out_);
  }
  const json::Value root = (*document)->root();
  const json::Value method = member(root, "method");
  const json::Value id = member(root, "id");
  const bool good_id = !id || id.is(json::Type::Number) || id.is(json::Type::String) || id.is(json::Type::Null);
  if (!root.is(json::Type::Object) || !good_id) {
    answer_error({}, kInvalidRequest,
                 "a message is an object with a `method`, and an `id` that is a number or a string");
  } else if (method.is(json::Type::String)) {
    handle_method(method.string(), id, member(root, "params"));
  } else if (!member(root, "result") &&
             !member(root, "error")) {  // responses answer requests, and this server sends none
    answer_error(id, kInvalidRequest, "the message has no `method`");
  }
  return std::move(out_);
}

void Server::handle_method(const std::string& method, json::Value id, Params params) {
  if (method == "exit") {
    ended_ = true;
    return;
  }
  if (method == "initialize") return initialize(id, params);
  if (!initialized_ || shut_down_) {
    if (id)
      answer_error(id, shut_down_ ? kInvalidRequest : kNotInitialized,
                   shut_down_ ? "the server is shut down" : "the server is not initialized");
    return;
  }
  struct Method {
    std::string_view name;
    void (Server::*request)(json::Value, Params);
    void (Server::*notification)(Params);
  };
  static constexpr std::array kMethods = {
      Method{"textDocument/didOpen", nullptr, &Server::open},
      Method{"textDocument/didChange", nullptr, &Server::change},
      Method{"textDocument/didClose", nullptr, &Server::close},
      Method{"textDocument/hover", &Server::hover, nullptr},
      Method{"textDocument/definition", &Server::definition, nullptr},
      Method{"textDocument/completion", &Server::completion, nullptr},
      Method{"textDocument/documentSymbol", &Server::symbols, nullptr},
      Method{"textDocument/formatting", &Server::formatting, nullptr},
  };
  if (method == "shutdown") {
    shut_down_ = true;
    return answer(id, [](json::Writer& out) { out.null(); });
  }
  const auto known = std::ranges::find(kMethods, method, &Method::name);
  if (known == kMethods.end()) {
    // Unknown notifications are ignored.
    if (id) answer_error(id, kMethodNotFound, formatted("the server has no method `{}`", method));
    return;
  }
  if (known->notification) return (this->*known->notification)(params);
  if (id) (this->*known->request)(id, params);
}

void Server::initialize(json::Value id, Params params) {
  initialized_ = true;
  const json::Value encodings = member(member(member(params, "capabilities"), "general"), "positionEncodings");
  if (encodings.is(json::Type::Array)) {
    for (const json::Value encoding : encodings) {
      if (encoding.is(json::Type::String) && encoding.string() == "utf-8") encoding_ = Encoding::Utf8;
    }
  }
  read_settings(member(params, "initializationOptions"));
  answer(id, [&](json::Writer& out) {
    out.object([&] {
      out.key("capabilities").object([&] {
        out.member("positionEncoding", encoding_ == Encoding::Utf8 ? "utf-8" : "utf-16");
        out.key("textDocumentSync").object([&] { out.member("openClose", true).member("change", 1); });
        out.member("hoverProvider", true).member("definitionProvider", true);
        out.member("documentSymbolProvider", true).member("documentFormattingProvider", true);
        out.key("completionProvider").object([&] {
          out.key("triggerCharacters").array([&] { out.value(".").value("\""); });
        });
      });
      out.key("serverInfo").object([&] { out.member("name", "slipway lsp"); });
    });
  });
}

void Server::read_settings(Params options) {
  settings_.pipeline = string_at(options, "pipeline") == "compute" ? PipelineKind::Compute : PipelineKind::Graphics;
  const json::Value entries = member(options, "entryPoints");
  for (const Stage stage : {Stage::Vertex, Stage::Fragment, Stage::Compute}) {
    const std::string function = string_at(entries, name_of(stage));
    if (!function.empty()) settings_.entry_points.push_back({stage, function});
  }
  const json::Value values = member(options, "options");
  if (!values.is(json::Type::Object)) return;
  for (const json::Value value : values) {
    const std::string text(value.is(json::Type::String) ? std::string_view(value.string()) : value.text());
    settings_.options.emplace_back(value.key(), text);
  }
}

// --- documents -----------------------------------------------------------------------------------------------------

void Server::open(Params params) {
  const json::Value document = member(params, "textDocument");
  const json::Value text = member(document, "text");
  const std::string uri = string_at(document, "uri");
  if (!uri.empty() && text.is(json::Type::String)) analyse_and_publish(uri, text.string());
}

void Server::change(Params params) {
  const std::string uri = string_at(member(params, "textDocument"), "uri");
  const json::Value changes = member(params, "contentChanges");
  if (!documents_.contains(uri) || !changes.is(json::Type::Array) || changes.size() == 0) return;
  // Each change is the whole text: the last one counts.
  const json::Value text = member(changes[changes.size() - 1], "text");
  if (text.is(json::Type::String)) analyse_and_publish(uri, text.string());
}

void Server::close(Params params) {
  const std::string uri = string_at(member(params, "textDocument"), "uri");
  if (documents_.erase(uri) == 0) return;
  json::Writer out(json::kCompact);
  out.object([&] {
    out.member("jsonrpc", "2.0").member("method", "textDocument/publishDiagnostics");
    out.key("params").object([&] { out.member("uri", uri).key("diagnostics").array([] {}); });
  });
  out_.push_back(out.text());
}

void Server::analyse_and_publish(const std::string& uri, std::string text) {
  std::unique_ptr<Document>& document = documents_[uri];
  document = analyse(make_source(uri, std::move(text)), settings_);
  publish(uri, *document);
}

void Server::publish(const std::string& uri, const Document& document) {
  const Source& source = *document.source;
  json::Writer out(json::kCompact);
  const auto write = [&](const Diagnostic& diagnostic) {
    out.object([&] {
      const Span span = diagnostic.location.kind == SourceLocation::Kind::Text ? diagnostic.location.span : Span{};
      write_range(out.key("range"), source, span, encoding_);
      out.member("severity", severity_of(diagnostic.severity)).member("code", name_of(diagnostic.kind));
      out.member("source", "slipway").member("message", diagnostic.message);
      out.key("relatedInformation").array([&] {
        for (const DiagnosticNote& note : diagnostic.notes) {
          if (note.location.kind != SourceLocation::Kind::Text) continue;
          out.object([&] {
            out.key("location").object([&] {
              out.member("uri", uri);
              write_range(out.key("range"), source, note.location.span, encoding_);
            });
            out.member("message", note.message);
          });
        }
      });
    });
  };
  out.object([&] {
    out.member("jsonrpc", "2.0").member("method", "textDocument/publishDiagnostics");
    out.key("params").object([&] {
      out.member("uri", uri).key("diagnostics").array([&] {
        for (const Diagnostic& diagnostic : document.diagnostics.all()) write(diagnostic);
        for (const Range& range : document.inactive) {
          out.object([&] {
            write_range(out.key("range"), source, span_of(range), encoding_);
            out.member("severity", kHint)
                .member("source", "slipway")
                .member("message", "inactive: its conditional is false");
            out.key("tags").array([&] { out.value(kUnnecessary); });
          });
        }
      });
    });
  });
  out_.push_back(out.text());
}

const Document* Server::document_of(json::Value id, Params params) {
  const std::string uri = string_at(member(params, "textDocument"), "uri");
  const auto found = documents_.find(uri);
  if (found != documents_.end()) return found->second.get();
  answer_error(id, kInvalidParams, formatted("no document `{}` is open", uri));
  return nullptr;
}

std::optional<std::uint64_t> Server::offset_in(const Document& document, json::Value id, Params params) {
  const json::Value position = member(params, "position");
  const json::Value line = member(position, "line"), character = member(position, "character");
  if (line.is(json::Type::Number) && character.is(json::Type::Number) && line.unsigned_integer() &&
      character.unsigned_integer()) {
    const auto limited = [](std::uint64_t number) {
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, 0xFFFFFFF0));
    };
    return offset_of(*document.source, {limited(*line.unsigned_integer()), limited(*character.unsigned_integer())},
                     encoding_);
  }
  answer_error(id, kInvalidParams, "`position` needs a `line` and a `character`, which count from 0");
  return std::nullopt;
}

// --- requests ------------------------------------------------------------------------------------------------------

void Server::hover(json::Value id, Params params) {
  const Document* document = document_of(id, params);
  if (!document) return;
  const std::optional<std::uint64_t> offset = offset_in(*document, id, params);
  if (!offset) return;
  const std::optional<Symbol> symbol = symbol_at(*document, *offset);
  answer(id, [&](json::Writer& out) {
    if (!symbol) return void(out.null());
    out.object([&] {
      out.key("contents").object([&] { out.member("kind", "markdown").member("value", describe(*document, *symbol)); });
      write_range(out.key("range"), *document->source, symbol->at, encoding_);
    });
  });
}

void Server::definition(json::Value id, Params params) {
  const Document* document = document_of(id, params);
  if (!document) return;
  const std::optional<std::uint64_t> offset = offset_in(*document, id, params);
  if (!offset) return;
  const std::optional<Symbol> symbol = symbol_at(*document, *offset);
  const std::optional<Range> where = symbol ? definition_of(*document, *symbol) : std::nullopt;
  answer(id, [&](json::Writer& out) {
    if (!where) return void(out.null());
    out.object([&] {
      out.member("uri", document->source->name());
      write_range(out.key("range"), *document->source, span_of(*where), encoding_);
    });
  });
}

void Server::completion(json::Value id, Params params) {
  const Document* document = document_of(id, params);
  if (!document) return;
  const std::optional<std::uint64_t> offset = offset_in(*document, id, params);
  if (!offset) return;
  answer(id, [&](json::Writer& out) {
    out.array([&] {
      for (const Completion& completion : complete(*document, *offset)) {
        out.object([&] {
          out.member("label", completion.label).member("kind", static_cast<int>(completion.kind));
          if (!completion.detail.empty()) out.member("detail", completion.detail);
        });
      }
    });
  });
}

void Server::symbols(json::Value id, Params params) {
  const Document* document = document_of(id, params);
  if (!document) return;
  const Program& program = document->program;
  const auto write = [&](json::Writer& out, std::string_view name, std::string_view detail, int kind, Range range,
                         Range name_range) {
    out.member("name", name.empty() ? "?" : name).member("detail", detail).member("kind", kind);
    write_range(out.key("range"), *document->source, span_of(range), encoding_);
    write_range(out.key("selectionRange"), *document->source, span_of(name_range), encoding_);
  };
  answer(id, [&](json::Writer& out) {
    out.array([&] {
      for (const Item& item : program.items) {
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

void Server::formatting(json::Value id, Params params) {
  const Document* document = document_of(id, params);
  if (!document) return;
  const Result<std::string> text = format_source(document->source);
  if (!text) {
    return answer_error(id, kRequestFailed, formatted("cannot format: {}", text.error().front().message));
  }
  answer(id, [&](json::Writer& out) {
    out.array([&] {
      if (*text == document->source->text()) return;
      out.object([&] {
        write_range(out.key("range"), *document->source, {0, document->source->text().size()}, encoding_);
        out.member("newText", *text);
      });
    });
  });
}

}  // namespace slipway::rpl::lsp
