// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The language server: JSON-RPC messages in, messages out (Language Server Protocol 3.17). It accesses files only
// through `FileAccess`, and no stream, so that a test can drive it with texts.
//
//   Server server(files, check);
//   for (const std::string& answer : server.handle(message)) send(answer);
//   if (server.ended()) return server.exit_status();
//
// `initializationOptions`: {"pipeline": "graphics", "entryPoints": {"vertex": "vertex_main"}, "options": {"wireframe":
// true}}. The pipeline and the entry points are those of programs without a project file.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.hpp"
#include "rpl/lsp/requests.hpp"
#include "rpl/lsp/structure_requests.hpp"

namespace slipway::rpl::lsp {

class Server {
 public:
  explicit Server(FileAccess files = {}, CheckDocument check = {})
      : workspace_(std::move(files), std::move(check)),
        requests_({workspace_, encoding_}),
        structure_({workspace_, encoding_}) {}
  Server(const Server&) = delete;  // the requests refer to members
  Server& operator=(const Server&) = delete;

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
  void files_changed(Params params);

  // Publishes the diagnostics of `uri`, if it is not empty, and those of the other documents for which they changed.
  void publish(const std::string& uri, const std::vector<std::string>& others);
  std::string published(const std::string& uri);

  void answer(json::Value id, std::string_view result);
  void answer_error(json::Value id, int code, std::string_view text);

  bool initialized_ = false, shut_down_ = false, ended_ = false;
  Encoding encoding_ = Encoding::Utf16;
  Workspace workspace_;
  Requests requests_;
  StructureRequests structure_;
  std::map<std::string, std::string> published_;  // the last diagnostics, by URI
  std::vector<std::string> out_;
};

}  // namespace slipway::rpl::lsp
