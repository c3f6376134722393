// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters that requests about documents share, and their answers.
#pragma once

#include <expected>
#include <functional>
#include <string>

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

class Parameters {
 public:
  Parameters(Workspace& of, const Encoding& agreed) : workspace(of), encoding(agreed) {}

  Workspace& workspace;
  const Encoding& encoding;

  // The first program of the document of a request.
  std::expected<SourceView, RequestError> view_of(json::Value params) const;
  std::expected<std::uint64_t, RequestError> offset_in(const Source& source, json::Value position) const;
  // The same with the offset in the program.
  struct At {
    SourceView view;
    std::uint64_t offset = 0;
  };
  std::expected<At, RequestError> position(json::Value params) const;
  std::expected<Range, RequestError> range(const SourceView& view, json::Value range) const;
};

// As compact JSON.
std::string written(const std::function<void(json::Writer&)>& write);

}  // namespace slipway::rpl::lsp
