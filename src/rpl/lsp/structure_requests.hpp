// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The requests about the structure of programs: folding, types, callers, symbols of all programs, what variants cost,
// and the layout of the text.
#pragma once

#include <optional>
#include <string_view>

#include "rpl/lsp/parameters.hpp"

namespace slipway::rpl::lsp {

class StructureRequests {
 public:
  explicit StructureRequests(const Parameters& parameters) : parameters_(parameters) {}

  // Nothing for a method that does not exist.
  std::optional<Answer> handle(std::string_view method, json::Value params);

 private:
  using Params = json::Value;

  Answer folding(Params params);
  Answer type_definition(Params params);
  Answer workspace_symbols(Params params);
  Answer code_lenses(Params params);
  Answer prepare_calls(Params params);
  Answer incoming_calls(Params params);
  Answer outgoing_calls(Params params);
  Answer formatting(Params params);
  Answer range_formatting(Params params);

  Answer format(Params params, std::optional<Span> part);
  // The function that an item of the call hierarchy is.
  struct Function {
    SourceView view;
    ItemId item = kNone;
  };
  std::optional<Function> function_of(Params params) const;
  std::string calls(Params params, std::string_view other, bool incoming) const;
  void write_function(json::Writer& out, const Document& document, ItemId item) const;

  Parameters parameters_;
};

}  // namespace slipway::rpl::lsp
