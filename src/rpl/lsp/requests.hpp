// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The requests about the contents of documents: params in, the result as JSON out.
//
// A source can be in several programs of a project. Requests about one symbol use the first program with the source;
// references and renaming use all programs that share sources with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rpl/lsp/parameters.hpp"

namespace slipway::rpl::lsp {

// The types and modifiers of semantic tokens: the legend in the answer to `initialize`.
void write_token_legend(json::Writer& out);

// A diagnostic as the protocol has it. `uri` is that of its document.
void write_diagnostic(json::Writer& out, const std::string& uri, const Source& source, const Diagnostic& diagnostic,
                      Encoding encoding);

// SymbolKind of an item.
int symbol_kind(ItemKind kind);

class Requests {
 public:
  explicit Requests(const Parameters& parameters)
      : parameters_(parameters), workspace_(parameters.workspace), encoding_(parameters.encoding) {}

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

  Parameters parameters_;
  Workspace& workspace_;
  const Encoding& encoding_;
};

}  // namespace slipway::rpl::lsp
