// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The language server: JSON-RPC messages in, messages out (Language Server Protocol 3.17). It accesses no file and
// no stream, so that a test can drive it with texts.
//
//   Server server;
//   for (const std::string& answer : server.handle(message)) send(answer);
//   if (server.ended()) return server.exit_status();
//
// `initializationOptions`: {"pipeline": "graphics", "entryPoints": {"vertex": "vertex_main"}, "options": {"wireframe":
// true}}.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.hpp"
#include "rpl/lsp/document.hpp"
#include "rpl/lsp/positions.hpp"

namespace slipway::rpl::lsp {

class Server {
 public:
  // The messages that answer a message, in order: a response, notifications.
  std::vector<std::string> handle(std::string_view message);
  bool ended() const { return ended_; }
  // 0 when `shutdown` came before `exit`.
  int exit_status() const { return shut_down_ ? 0 : 1; }

 private:
  using Params = json::Value;

  void handle_method(const std::string& method, json::Value id, Params params);
  void initialize(json::Value id, Params params);
  void read_settings(Params options);
  void open(Params params);
  void change(Params params);
  void close(Params params);
  void hover(json::Value id, Params params);
  void definition(json::Value id, Params params);
  void completion(json::Value id, Params params);
  void symbols(json::Value id, Params params);
  void formatting(json::Value id, Params params);

  void analyse_and_publish(const std::string& uri, std::string text);
  void publish(const std::string& uri, const Document& document);
  // The document and the offset that a request is about; null after an error was answered.
  const Document* document_of(json::Value id, Params params);
  std::optional<std::uint64_t> offset_in(const Document& document, json::Value id, Params params);

  template <class F>
  void answer(json::Value id, F&& write_result);
  void answer_error(json::Value id, int code, std::string_view text);

  bool initialized_ = false, shut_down_ = false, ended_ = false;
  Encoding encoding_ = Encoding::Utf16;
  ProjectSettings settings_;
  std::map<std::string, std::unique_ptr<Document>, std::less<>> documents_;  // by URI
  std::vector<std::string> out_;
};

}  // namespace slipway::rpl::lsp
