// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/server.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/format.hpp"
#include "rpl/lsp/analysis/inactive.hpp"
#include "rpl/lsp/params.hpp"

namespace slipway::rpl::lsp {
namespace {

// DiagnosticSeverity and DiagnosticTag.
constexpr int kInformationSeverity = 3, kHintSeverity = 4, kUnnecessary = 1;

// A position of a change; positions past the end count as the end.
std::optional<std::uint64_t> offset_of_change(const Source& source, json::Value position, Encoding encoding) {
  const json::Value line = member_of(position, "line"), character = member_of(position, "character");
  if (!line.is(json::Type::Number) || !character.is(json::Type::Number)) return std::nullopt;
  const auto limited = [](std::optional<std::uint64_t> number) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(number.value_or(0), 0xFFFFFFF0));
  };
  return offset_of(source, {limited(line.unsigned_integer()), limited(character.unsigned_integer())}, encoding);
}

// The text after a change: a whole text, or the replacement of a range.
std::optional<std::string> changed_text(const Source& source, json::Value change, Encoding encoding) {
  const json::Value text = member_of(change, "text");
  if (!text.is(json::Type::String)) return std::nullopt;
  const json::Value range = member_of(change, "range");
  if (!range) return text.string();
  const auto begin = offset_of_change(source, member_of(range, "start"), encoding);
  const auto end = offset_of_change(source, member_of(range, "end"), encoding);
  if (!begin || !end || *end < *begin) return std::nullopt;
  std::string made(source.text());
  made.replace(*begin, *end - *begin, text.string());
  return made;
}

// The parts of a source that no variant of any of its programs has.
std::vector<Span> unreachable_in(const std::vector<SourceView>& views) {
  std::vector<Range> common;
  for (const SourceView& view : views) {
    std::vector<Range> here;
    for (const Range& range : view.document->unreachable) {
      if (range.begin < view.range().begin || range.begin > view.range().end) continue;
      const Span local = view.local(range);
      here.push_back({static_cast<std::uint32_t>(local.begin), static_cast<std::uint32_t>(local.end)});
    }
    common = &view == views.data() ? std::move(here) : common_ranges(common, here);
  }
  std::vector<Span> spans;
  for (const Range& range : common) spans.push_back({range.begin, range.end});
  return spans;
}

}  // namespace

void Server::answer(json::Value id, std::string_view result) {
  json::Writer out(json::kCompact);
  out.object([&] {
    out.member("jsonrpc", "2.0").key("id").raw(id ? id.text() : "null");
    out.key("result").raw(result);
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
  const json::Value method = member_of(root, "method");
  const json::Value id = member_of(root, "id");
  const bool valid_id = !id || id.is(json::Type::Number) || id.is(json::Type::String) || id.is(json::Type::Null);
  if (!root.is(json::Type::Object) || !valid_id) {
    answer_error({}, kInvalidRequest,
                 "a message is an object with a `method`, and an `id` that is a number or a string");
  } else if (method.is(json::Type::String)) {
    handle_method(method.string(), id, member_of(root, "params"));
  } else if (!member_of(root, "result") &&
             !member_of(root, "error")) {  // responses answer requests, and this server sends none
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
  if (method == "shutdown") {
    shut_down_ = true;
    return answer(id, "null");
  }
  struct Notification {
    std::string_view name;
    void (Server::*handle)(Params);
  };
  static constexpr std::array kNotifications = {
      Notification{"textDocument/didOpen", &Server::open},
      Notification{"textDocument/didChange", &Server::change},
      Notification{"textDocument/didClose", &Server::close},
      Notification{"textDocument/didSave", &Server::files_changed},
      Notification{"workspace/didChangeWatchedFiles", &Server::files_changed},
  };
  const auto known = std::ranges::find(kNotifications, method, &Notification::name);
  if (known != kNotifications.end()) return (this->*known->handle)(params);
  if (!id) return;  // unknown notifications are ignored
  std::optional<Answer> result = requests_.handle(method, params);
  if (!result) result = structure_.handle(method, params);
  if (!result) return answer_error(id, kMethodNotFound, formatted("the server has no method `{}`", method));
  if (*result) return answer(id, **result);
  answer_error(id, result->error().code, result->error().text);
}

void Server::initialize(json::Value id, Params params) {
  initialized_ = true;
  const json::Value encodings = member_of(member_of(member_of(params, "capabilities"), "general"), "positionEncodings");
  if (encodings.is(json::Type::Array)) {
    for (const json::Value encoding : encodings) {
      if (encoding.is(json::Type::String) && encoding.string() == "utf-8") encoding_ = Encoding::Utf8;
    }
  }
  read_settings(member_of(params, "initializationOptions"));
  constexpr int kIncremental = 2;
  json::Writer out(json::kCompact);
  out.object([&] {
    out.key("capabilities").object([&] {
      out.member("positionEncoding", encoding_ == Encoding::Utf8 ? "utf-8" : "utf-16");
      out.key("textDocumentSync").object([&] {
        out.member("openClose", true).member("change", kIncremental).member("save", true);
      });
      for (const std::string_view provider :
           {"hoverProvider", "definitionProvider", "referencesProvider", "documentHighlightProvider",
            "documentSymbolProvider", "documentFormattingProvider", "documentRangeFormattingProvider",
            "inlayHintProvider", "foldingRangeProvider", "typeDefinitionProvider", "callHierarchyProvider",
            "workspaceSymbolProvider"}) {
        out.member(provider, true);
      }
      out.key("codeLensProvider").object([] {});
      out.key("renameProvider").object([&] { out.member("prepareProvider", true); });
      out.key("codeActionProvider").object([&] { out.key("codeActionKinds").array([&] { out.value("quickfix"); }); });
      out.key("completionProvider").object([&] {
        out.key("triggerCharacters").array([&] { out.value(".").value("\""); });
      });
      out.key("signatureHelpProvider").object([&] {
        out.key("triggerCharacters").array([&] { out.value("(").value(","); });
      });
      out.key("semanticTokensProvider").object([&] {
        write_token_legend(out.key("legend"));
        out.member("full", true);
      });
    });
    out.key("serverInfo").object([&] { out.member("name", "slipway lsp"); });
  });
  answer(id, out.text());
}

void Server::read_settings(Params options) {
  CompileSettings& settings = workspace_.settings;
  settings.pipeline = string_of(options, "pipeline") == "compute" ? PipelineKind::Compute : PipelineKind::Graphics;
  const json::Value entries = member_of(options, "entryPoints");
  for (const Stage stage : {Stage::Vertex, Stage::Fragment, Stage::Compute}) {
    const std::string function = string_of(entries, name_of(stage));
    if (!function.empty()) settings.entry_points.push_back({stage, function});
  }
  const json::Value values = member_of(options, "options");
  if (!values.is(json::Type::Object)) return;
  for (const json::Value value : values) {
    const std::string text(value.is(json::Type::String) ? std::string_view(value.string()) : value.text());
    settings.options.emplace_back(value.key(), text);
  }
}

// --- documents -----------------------------------------------------------------------------------------------------

void Server::open(Params params) {
  const json::Value document = member_of(params, "textDocument");
  const json::Value text = member_of(document, "text");
  const std::string uri = string_of(document, "uri");
  if (uri.empty() || !text.is(json::Type::String)) return;
  publish(uri, workspace_.open(uri, text.string()));
}

void Server::change(Params params) {
  const std::string uri = string_of(member_of(params, "textDocument"), "uri");
  const json::Value changes = member_of(params, "contentChanges");
  if (!workspace_.text_of(uri) || !changes.is(json::Type::Array) || changes.size() == 0) return;
  std::set<std::string> others;
  for (const json::Value change : changes) {
    std::optional<std::string> text = changed_text(*workspace_.text_of(uri), change, encoding_);
    if (text) others.insert_range(workspace_.open(uri, std::move(*text)));
  }
  publish(uri, {others.begin(), others.end()});
}

void Server::close(Params params) {
  const std::string uri = string_of(member_of(params, "textDocument"), "uri");
  if (!workspace_.text_of(uri)) return;
  const std::vector<std::string> others = workspace_.close(uri);
  published_.erase(uri);
  json::Writer out(json::kCompact);
  out.object([&] {
    out.member("jsonrpc", "2.0").member("method", "textDocument/publishDiagnostics");
    out.key("params").object([&] { out.member("uri", uri).key("diagnostics").array([] {}); });
  });
  out_.push_back(out.text());
  publish("", others);  // they may see another text of it
}

void Server::files_changed(Params) {
  workspace_.forget_files();
  publish("", workspace_.open_uris());
}

void Server::publish(const std::string& uri, const std::vector<std::string>& others) {
  const auto publish_one = [&](const std::string& one) {
    std::string text = published(one);
    std::string& last = published_[one];
    if (one != uri && text == last) return;
    last = text;
    out_.push_back(std::move(text));
  };
  if (!uri.empty()) publish_one(uri);
  for (const std::string& other : others) publish_one(other);
}

std::string Server::published(const std::string& uri) {
  const SourcePtr source = workspace_.text_of(uri);
  const Diagnostics diagnostics = workspace_.diagnostics_of(uri);
  const std::vector<SourceView> views = workspace_.views(uri);
  const auto remark = [&](json::Writer& out, Span span, int severity, std::string_view message, bool unnecessary) {
    out.object([&] {
      write_range(out.key("range"), *source, span, encoding_);
      out.member("severity", severity).member("source", "slipway").member("message", message);
      if (unnecessary) out.key("tags").array([&] { out.value(kUnnecessary); });
    });
  };
  const auto is_unknown_name = [](const Diagnostic& diagnostic) {
    return diagnostic.kind == DiagnosticKind::RplUnknownName || diagnostic.kind == DiagnosticKind::RplUnknownFunction ||
           diagnostic.kind == DiagnosticKind::RplUnknownType;
  };
  json::Writer out(json::kCompact);
  out.object([&] {
    out.member("jsonrpc", "2.0").member("method", "textDocument/publishDiagnostics");
    out.key("params").object([&] {
      out.member("uri", uri).key("diagnostics").array([&] {
        for (const Diagnostic& diagnostic : diagnostics.all()) {
          write_diagnostic(out, uri, *source, diagnostic, encoding_);
        }
        if (views.empty()) return;
        if (!workspace_.in_project(uri) && std::ranges::any_of(diagnostics.all(), is_unknown_name)) {
          remark(out, {}, kInformationSeverity,
                 "no project file (`*.rplproject.json`) names this file, so it is compiled without other sources",
                 false);
        }
        for (const Span& span : unreachable_in(views))
          remark(out, span, kHintSeverity, "inactive: its conditional is false in every variant", true);
      });
    });
  });
  return out.text();
}

}  // namespace slipway::rpl::lsp
