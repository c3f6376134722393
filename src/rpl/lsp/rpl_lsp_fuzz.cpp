// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The language server over any bytes, and with any text as an open document.
#include "rpl/lsp/frames.hpp"
#include "rpl/lsp/server.hpp"

namespace {

using namespace slipway;

void open_and_ask(std::string_view text) {
  rpl::lsp::Server server;
  server.handle(R"({"id":1,"method":"initialize","params":{}})");
  server.handle(R"({"method":"textDocument/didOpen","params":{"textDocument":{"uri":"a","text":)" + json::quoted(text) +
                "}}}");
  for (const char* method : {"hover", "definition", "completion", "references", "rename", "signatureHelp"}) {
    for (int character = 0; character < 40; character += 3) {
      server.handle(std::string(R"({"id":2,"method":"textDocument/)") + method +
                    R"(","params":{"textDocument":{"uri":"a"},"position":{"line":1,"character":)" +
                    std::to_string(character) + R"(},"newName":"renamed"}})");
    }
  }
  for (const char* method : {"documentSymbol", "semanticTokens/full", "inlayHint", "codeAction", "foldingRange",
                             "codeLens", "formatting", "rangeFormatting"}) {
    server.handle(std::string(R"({"id":3,"method":"textDocument/)") + method +
                  R"(","params":{"textDocument":{"uri":"a"},"range":{"start":{"line":0,"character":0},)"
                  R"("end":{"line":9,"character":0}}}})");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  rpl::lsp::FrameReader reader;
  rpl::lsp::Server server;
  reader.feed(bytes);
  while (const auto message = reader.next()) server.handle(*message);
  server.handle(bytes);
  open_and_ask(bytes);
  return 0;
}
