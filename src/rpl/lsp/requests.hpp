// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The requests about the contents of documents: params in, the result as JSON out.
//
// A source can be in several programs of a project. Requests about one symbol use the first program with the source;
// references and renaming use all programs that share sources with it.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "json/document.hpp"
#include "rpl/lsp/positions.hpp"
#include "rpl/lsp/workspace.hpp"

namespace slipway::rpl::lsp {

struct RequestError {
  int code = 0;
  std::string text;
};
using Answer = std::expected<std::string, RequestError>;

// JSON-RPC and LSP error codes.
inline constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601, kInvalidParams = -32602,
                     kNotInitialized = -32002, kRequestFailed = -32803;
// Never sent: the document is not a program, and the answer is null, because editors ask for all of their documents.
inline constexpr int kNoProgram = 0;

// The types and modifiers of semantic tokens: the legend in the answer to `initialize`.
void write_token_legend(json::Writer& out);

// A diagnostic as the protocol has it. `uri` is that of its document.
void write_diagnostic(json::Writer& out, const std::string& uri, const Source& source, const Diagnostic& diagnostic,
                      Encoding encoding);

class Requests {
 public:
  Requests(Workspace& workspace, const Encoding& encoding) : workspace_(workspace), encoding_(encoding) {}

  // Nothing for a method that does not exist.
  std::optional<Answer> handle(std::string_view method, json::Value params);

 private:
  using Params = json::Value;

  Answer hover(Params params);
  Answer definition(Params params);
  Answer references(Params params);
  Answer highlights(Params params);
  Answer prepare_rename(Params params);
  Answer rename(Params params);
  Answer completion(Params params);
  Answer signature_help(Params params);
  Answer symbols(Params params);
  Answer semantic_tokens(Params params);
  Answer inlay_hints(Params params);
  Answer code_actions(Params params);
  Answer formatting(Params params);

  // The first program of the document of a request.
  std::expected<SourceView, RequestError> view_of(Params params);
  std::expected<std::uint64_t, RequestError> offset_in(const Source& source, Params position) const;
  // The same with the offset in the program.
  struct At {
    SourceView view;
    std::uint64_t offset = 0;
  };
  std::expected<At, RequestError> position_of_request(Params params);
  std::expected<Range, RequestError> range_of_request(const SourceView& view, Params range) const;

  Workspace& workspace_;
  const Encoding& encoding_;
};

}  // namespace slipway::rpl::lsp
